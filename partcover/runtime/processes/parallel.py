"""Distributes work over threads, with results that do not depend on their number."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from threading import Lock, Thread
from typing import TypeAlias, TypeVar

_Job = TypeVar("_Job")
_Lent = TypeVar("_Lent")
_Result = TypeVar("_Result")


def batches(items: Iterable[tuple[_Job, int]], size: int) -> Iterator[list[_Job]]:
    """Yields items, each given with its size, in lists of total size `size` or more.

    Examples
    --------
    >>> from partcover.runtime.processes.parallel import batches
    >>> list(batches([("a", 2), ("b", 1), ("c", 3)], size=3))
    [['a', 'b'], ['c']]
    """
    batch: list[_Job] = []
    total = 0
    for item, own in items:
        batch.append(item)
        total += own
        if total >= size:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def ordered_map(
    work: Callable[[_Job], _Result], jobs: Iterable[_Job], threads: int
) -> Iterator[_Result]:
    """Yields the result of each job, in order, with a few jobs in progress in each thread.

    Examples
    --------
    >>> from partcover.runtime.processes.parallel import ordered_map
    >>> list(ordered_map(len, ["a", "bb", "ccc"], threads=2))
    [1, 2, 3]
    """
    if threads == 1:
        yield from map(work, jobs)
        return
    pending: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for job in jobs:
                pending.append(pool.submit(work, job))
                if len(pending) > 2 * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def shared_in_order(
    lend: Callable[[], AbstractContextManager[_Lent]],
    work: Callable[[_Lent, _Job], _Result],
    jobs: Iterable[_Job],
    threads: int,
    take: Callable[[_Result], object],
) -> None:
    """Passes on the result of each job, in order; threads share the jobs, also the calling one.

    It takes less time for each job than `ordered_map`: threads do not wait for one another.  One
    of them at a time passes on the results whose turn it is.

    Parameters
    ----------
    lend : callable
        Returns the context of a thread: what it enters is for this thread alone.
    work : callable
        Returns the result of a job, given what the thread was lent.
    jobs : iterable
        The jobs, none of them None.
    threads : int
        Number of threads.
    take : callable
        Gets each result, one at a time.

    Raises
    ------
    BaseException
        The error of the first job that has one.  Jobs after it may not be done.

    Examples
    --------
    >>> from contextlib import nullcontext
    >>> from partcover.runtime.processes.parallel import shared_in_order
    >>> taken = []
    >>> shared_in_order(nullcontext, lambda _, job: len(job), ["a", "bb"], 2, taken.append)
    >>> taken
    [1, 2]
    """
    if threads == 1:
        with lend() as lent:
            for job in jobs:
                take(work(lent, job))
        return
    left = iter(jobs)
    beginning, taking = Lock(), Lock()
    begun = turn = 0
    ended: dict[int, _Result] = {}
    errors: dict[int, BaseException] = {}

    def run() -> None:
        nonlocal begun, turn
        place = 0
        try:
            with lend() as lent:
                while True:
                    with beginning:
                        place = begun
                        job = None if errors else next(left, None)
                        if job is None:
                            return
                        begun += 1
                    ended[place] = work(lent, job)
                    # whoever takes results looks again after the lock is free, so none is left
                    while turn in ended and taking.acquire(blocking=False):
                        try:
                            while turn in ended:
                                take(ended.pop(turn))
                                turn += 1
                        finally:
                            taking.release()
        except BaseException as error:
            errors[place] = error

    # without the pool of an executor, which takes twice the time to begin and to end
    others = [Thread(target=run) for _ in range(threads - 1)]
    try:
        for other in others:
            other.start()
        run()
        for other in others:
            other.join()
    except BaseException as error:  # Ctrl-C, or no more threads: the others begin no job
        errors[begun] = error
        raise
    if errors:
        raise errors[min(errors)]


SHARDS = 8
"""The number of parts of a sum, which is fixed so that sums do not depend on threads."""

#: Calls a function for 0, 1, ... up to a number, and returns when all calls have ended.
ForEach: TypeAlias = Callable[[Callable[[int], None], int], None]


def call_in_turn(work: Callable[[int], None], count: int) -> None:
    """Calls a function for 0, 1, ... up to a number, in the calling thread."""
    for number in range(count):
        work(number)


@contextmanager
def workers(threads: int) -> Iterator[ForEach]:
    """Keeps threads that share the calls of a function.

    Parameters
    ----------
    threads : int
        Number of threads; with 1 all calls are made in the calling thread.

    Yields
    ------
    callable
        Calls a given function a given number of times.
    """
    if threads == 1:
        yield call_in_turn
        return
    with ThreadPoolExecutor(threads) as pool:

        def call_at_once(work: Callable[[int], None], count: int) -> None:
            if count == 1:  # submitting costs a hundred times as much as a call
                work(0)
            else:
                list(pool.map(work, range(count)))

        yield call_at_once
