"""Starts the workers of a named engine, as an executor of `concurrent.futures`.

=================  ==============================================================================
engine             workers
=================  ==============================================================================
threads            threads of this process
processes          processes on this machine
dask               processes on this machine, in a Dask cluster that is started and ended
dask://HOST:PORT   the workers of the Dask scheduler at this address
ray                the workers of this machine's Ray cluster, which is started if needed
ray://HOST:PORT    the workers of the Ray cluster at this address
=================  ==============================================================================

Dask needs the extra ``dask``, Ray the extra ``ray``.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    InvalidStateError,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from ...errors import InputError, MissingExtra, PartcoverError
from ..arguments import closest

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ENGINES = "threads, processes, dask, dask://HOST:PORT, ray, ray://HOST:PORT"
_Job = TypeVar("_Job")
_Result = TypeVar("_Result")
_CONNECT = 10  # seconds
_LIBRARIES = {"asyncio", "concurrent", "distributed", "ray", "tornado"}


@contextmanager
def executor_of(engine: str, workers: int) -> Iterator[Executor]:
    """Yields the executor of an engine, and ends what it has started.

    Parameters
    ----------
    engine : str
        The engine.
    workers : int
        Number of threads or processes to start.

    Raises
    ------
    InputError
        For an unknown engine, or an address without one.
    MissingExtra
        If its library is not installed.

    Examples
    --------
    >>> from partcover.runtime.processes.engines import executor_of
    >>> with executor_of("threads", 2) as executor:
    ...     executor.submit(max, 1, 2).result()
    2
    """
    name, _, address = engine.partition("://")
    if name not in _STARTS or (address and name not in ("dask", "ray")) or engine.endswith("://"):
        raise InputError(f"unknown engine {engine!r}: {closest(engine, _STARTS, f'use {ENGINES}')}")
    yield from _STARTS[name](workers, address)


def engine_error(error: BaseException) -> PartcoverError | None:
    """Returns an error for a failure of the engine; None for an error of the work itself.

    Examples
    --------
    >>> from concurrent.futures import CancelledError
    >>> from partcover.runtime.processes.engines import engine_error
    >>> engine_error(ValueError("no")), engine_error(CancelledError())
    (None, PartcoverError('a worker was lost (CancelledError)'))
    """
    if isinstance(error, MemoryError):
        return PartcoverError("a worker is out of memory")
    # an error of another library's executor may be derived from one of these
    if _LIBRARIES.isdisjoint(kind.__module__.partition(".")[0] for kind in type(error).__mro__):
        return None
    text = re.sub(r"\s+", " ", str(error))
    reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return PartcoverError(f"a worker was lost ({reason})")


@contextmanager
def _lost_workers() -> Iterator[None]:
    """Converts the failure of a worker to one clear error."""
    try:
        yield
    except BaseException as error:
        if (lost := engine_error(error)) is not None:
            raise lost from None
        raise


def submit(
    executor: Executor, work: Callable[..., _Result], /, *arguments: Any, **options: Any
) -> Future[_Result]:
    """Submits a call; raises one clear error if the executor has lost a worker before."""
    with _lost_workers():
        return executor.submit(work, *arguments, **options)


def result_of(future: Future[_Result]) -> _Result:
    """Returns the result of a call; raises one clear error if its worker failed."""
    with _lost_workers():
        return future.result()


def in_order(
    executor: Executor, work: Callable[[_Job], _Result], jobs: Iterable[_Job]
) -> Iterator[_Result]:
    """Yields the results of a call for each job, in order; cancels the rest after an error.

    Examples
    --------
    >>> from partcover.runtime.processes.engines import executor_of, in_order
    >>> with executor_of("threads", 2) as executor:
    ...     list(in_order(executor, len, ["a", "bb", "ccc"]))
    [1, 2, 3]
    """
    pending: deque[Future[_Result]] = deque()
    try:
        for job in jobs:
            pending.append(submit(executor, work, job))
        while pending:
            yield result_of(pending.popleft())
    finally:
        for future in pending:
            future.cancel()


def _threads(workers: int, _: str) -> Iterator[Executor]:
    with ThreadPoolExecutor(workers) as pool:
        yield pool


def _processes(workers: int, _: str) -> Iterator[Executor]:
    executor = _ProcessExecutor(workers)
    try:
        yield executor
    finally:
        executor.end()


class _ProcessExecutor(Executor):
    """Runs calls in processes of this machine; if a process is killed, only its own call fails.

    Each thread has a process of its own, which it starts when it has a call.  A pool of the
    standard library would fail all calls with the first, and cannot be ended while it works.
    """

    def __init__(self, workers: int) -> None:
        self._threads = ThreadPoolExecutor(workers)
        self._own = threading.local()
        self._workers: set[_Worker] = set()
        self._starting = threading.Lock()
        self._has_ended = False

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **options: Any
    ) -> Future[Any]:
        """Submits a call; the result is a future."""
        return self._threads.submit(self._run, function, arguments, options)

    def _run(self, function: Callable[..., Any], arguments: Any, options: Any) -> Any:
        worker = getattr(self._own, "worker", None)
        if worker is None:
            self._own.worker = worker = self._started()
        try:
            return worker.call(function, arguments, options)
        except BrokenExecutor:
            self._own.worker = None  # the next call starts another process
            raise

    def _started(self) -> _Worker:
        with self._starting:  # so that `end` knows of every process
            if self._has_ended:
                raise BrokenExecutor("the processes have been ended")
            worker = _Worker()
            self._workers.add(worker)
        return worker

    def end(self) -> None:
        """Ends the processes whatever they are doing; nobody waits for their results."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._starting:
            self._has_ended = True
        for worker in self._workers:
            worker.process.terminate()
        self._threads.shutdown()
        for worker in self._workers:
            worker.close()


class _Worker:
    """A process that runs calls, one after another."""

    def __init__(self) -> None:
        import multiprocessing  # slow to import, rarely needed

        # not forked, since other threads of this process may hold locks
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other,))
        self.process.start()
        other.close()

    def call(self, function: Callable[..., Any], arguments: Any, options: Any) -> Any:
        """Returns the result of a call, or raises its error.

        Raises
        ------
        BrokenExecutor
            If the process ends before.
        """
        try:
            self.connection.send((function, arguments, options))
            is_done, result = self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            raise BrokenExecutor(f"exit status {self.process.exitcode}") from None
        if not is_done:
            raise result
        return result

    def close(self) -> None:
        """Waits for the end of the process, and closes the connection to it."""
        self.process.join()
        self.connection.close()


def _serve(connection: Connection) -> None:
    """Runs the calls that come from the parent process, ends with it, and leaves Ctrl-C to it."""
    import pickle

    from .children import die_with_parent  # with `subprocess`, which threads do not need

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    while True:
        try:
            call = connection.recv_bytes()
        except EOFError:
            return
        try:
            function, arguments, options = pickle.loads(call)
            answer = True, function(*arguments, **options)
        except BaseException as error:
            answer = False, error
        try:
            connection.send(answer)
        except Exception as error:  # whatever fails when a result is pickled
            connection.send((False, PartcoverError(f"a result cannot be sent ({error})")))


def _dask(workers: int, address: str) -> Iterator[Executor]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise MissingExtra("distributed", "dask", "the engine dask") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if not address:
        with (
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster) as client,
            _DaskExecutor(client) as executor,
        ):
            yield executor
        return
    try:
        client = distributed.Client(f"tcp://{address}", timeout=_CONNECT)
    except (OSError, ValueError) as error:
        raise InputError(f"dask://{address}: the scheduler does not answer ({error})") from None
    with client, _DaskExecutor(client) as executor:
        yield executor


class _DaskExecutor(Executor):
    """Submits calls to a Dask cluster; if its scheduler is lost, calls end with an error.

    When a scheduler is lost, Dask notifies only some futures, and the others would wait forever.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._futures: WeakSet[Future[Any]] = WeakSet()
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **options: Any
    ) -> Future[Any]:
        """Submits a call; the result is a future."""
        future: Future[Any] = self._executor.submit(function, *arguments, **options)
        self._futures.add(future)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the watch; whoever opened the client closes it."""
        self._ended.set()

    def _watch(self) -> None:
        """Fails all calls if the client has had no scheduler for a while."""
        missing = 0
        while missing < _CONNECT and not self._ended.wait(1):
            missing = 0 if self._client.status == "running" else missing + 1
        if self._ended.is_set():
            return
        for future in [*self._futures]:
            with contextlib.suppress(InvalidStateError):
                future.set_exception(BrokenExecutor("the scheduler is gone"))


class _RayExecutor(Executor):
    """Submits calls to a Ray cluster."""

    def __init__(self, ray: Any) -> None:
        self._run = ray.remote(max_retries=3)(_call)

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **options: Any
    ) -> Future[Any]:
        """Submits a call; the result is a future."""
        future: Future[Any] = self._run.remote(function, arguments, options).future()
        return future


def _call(function: Callable[..., Any], arguments: Any, options: Any) -> Any:
    return function(*arguments, **options)


def _ray(workers: int, address: str) -> Iterator[Executor]:
    try:
        import ray
    except ImportError:
        raise MissingExtra("ray", "ray", "the engine ray") from None
    given = {"address": f"ray://{address}"} if address else {"num_cpus": workers}
    try:
        ray.init(
            **given, log_to_driver=False, logging_level=logging.ERROR, ignore_reinit_error=True
        )
    except (ConnectionError, OSError, ValueError) as error:
        raise InputError(f"ray://{address}: the cluster does not answer ({error})") from None
    try:
        yield _RayExecutor(ray)
    finally:
        ray.shutdown()


_STARTS: dict[str, Callable[[int, str], Iterator[Executor]]] = {
    "threads": _threads,
    "processes": _processes,
    "dask": _dask,
    "ray": _ray,
}
