"""Runs jobs over threads and gives their results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["bundled", "in_order"]

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


def bundled(items: Iterable[tuple[_Job, int]], size: int) -> Iterator[list[_Job]]:
    """Items, each with its size, in lists of `size` and more."""
    held: list[_Job] = []
    total = 0
    for item, own in items:
        held.append(item)
        total += own
        if total >= size:
            yield held
            held, total = [], 0
    if held:
        yield held


def in_order(
    work: Callable[[_Job], _Result], jobs: Iterable[_Job], threads: int
) -> Iterator[_Result]:
    """What `work` gives for each job, in order, with a few jobs under way in each thread."""
    if threads == 1:
        yield from map(work, jobs)
        return
    waiting: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for job in jobs:
                waiting.append(pool.submit(work, job))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
