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
from typing import Any, TypeVar
from weakref import WeakSet

from ...errors import InputError, MissingExtra, PartcoverError
from .children import die_with_parent

__all__ = ["ENGINES", "engine_error", "executor_of", "in_order", "result_of", "submit"]

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
        raise InputError(f"unknown engine {engine!r}: use {ENGINES}")
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

    Each thread has a pool of one process, since a pool of several fails all calls with the first.
    """

    def __init__(self, workers: int) -> None:
        self._threads = ThreadPoolExecutor(workers)
        self._own = threading.local()
        self._pools: set[Any] = set()

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **options: Any
    ) -> Future[Any]:
        """Submits a call; the result is a future."""
        return self._threads.submit(self._run, function, arguments, options)

    def _run(self, function: Callable[..., Any], arguments: Any, options: Any) -> Any:
        pool = getattr(self._own, "pool", None)
        if pool is None:
            self._own.pool = pool = self._started()
        try:
            return pool.submit(function, *arguments, **options).result()
        except BrokenExecutor:
            self._own.pool = None  # the next call starts another process
            self._pools.discard(pool)
            raise

    def _started(self) -> Executor:
        import multiprocessing  # slow to import, rarely needed
        from concurrent.futures import ProcessPoolExecutor

        # not forked, since other threads of this process may hold locks
        pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _prepare_worker)
        self._pools.add(pool)
        return pool

    def end(self) -> None:
        """Ends the processes whatever they are doing; nobody waits for their results."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for pool in [*self._pools]:
            # a shutdown forgets the processes, and would wait for their calls
            processes = list((getattr(pool, "_processes", None) or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
        self._threads.shutdown()


def _prepare_worker() -> None:
    """Leaves Ctrl-C to the parent process, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()


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
