"""Counts the words of files: a plan of shards, a run of each, and the merge of the runs.

    plan_shards -> count_shard, in threads or anywhere -> merge -> order by count

The result is the same, byte for byte, for any number of shards and threads, any memory and any
executor: `count_shard` is a function of its shard alone, and sums of whole numbers do not depend
on their order.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from ...errors import InputError
from ...runtime.files.writing import scratch_folder
from ...runtime.processes.engines import result_of, submit
from ...runtime.progress import Progress
from ..files.sources import Source, is_url
from ..pretokenizers.seams import cut_finder
from ..word_arrays import Arrays, Views
from .count import BLOCK_SHARE, CountSettings, count_only_shard, count_shard
from .runs import FAN_IN, Spill, joined, merge, merge_files, read_run
from .shards import Shard, plan_shards

SHARD = 1 << 27  # bytes of the largest shards
LEAST = 1 << 22  # bytes of the smallest, where there are several workers
MANY = 16  # workers of an executor that does not say how many
_AHEAD = 4096  # shards that wait for a worker


@dataclass(frozen=True)
class Workers:
    """The workers that count.

    Attributes
    ----------
    executor : concurrent.futures.Executor
        Runs the calls: threads, processes, or machines that see the same files.
    number : int
        How many calls it runs at a time, about.
    memory : int or None
        Bytes that each call may take; None for no limit.
    """

    executor: Executor
    number: int
    memory: int | None = None

    @property
    def are_threads(self) -> bool:
        """Whether they are threads of this process."""
        return isinstance(self.executor, ThreadPoolExecutor)


@contextmanager
def workers_of(executor: Executor | None, threads: int) -> Iterator[Workers]:
    """Yields workers: those of an executor, or else threads of this process."""
    if executor is not None:
        yield Workers(executor, MANY)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield Workers(pool, threads)


def shard_bytes(sources: Sequence[Source], workers: Workers) -> int:
    """Returns the size of the shards of files: a few for each worker, none of them large."""
    total = sum(source.size or 0 for source in sources)
    if workers.number == 1:
        return SHARD
    return min(SHARD, max(LEAST, total // (4 * workers.number)))


def count_shards(
    shards: Sequence[Shard],
    settings: CountSettings,
    folder: str,
    workers: Workers,
    progress: Progress | None = None,
    *,
    hashes: bool = False,
) -> Iterator[str]:
    """Counts shards, and yields the path of the run of each, in order.

    Parameters
    ----------
    shards : sequence of Shard
        The shards.
    settings : CountSettings
        How they are counted.
    folder : str
        The folder of the runs, which all workers see.
    workers : Workers
        Who counts.
    progress : Progress, optional
        Gets the bytes read and their total (None where unknown), from one thread at a time.
    hashes : bool
        Whether the SHA-256 of files are written beside the runs.

    Raises
    ------
    InputError
        As `count_shard` does; of several errors the first in order of shards.
    """
    reports = _Reports(progress or Progress(), shards)
    options: dict[str, Any] = {"memory": workers.memory, "hashes": hashes}
    if workers.are_threads:
        options["report"] = reports.add
    else:
        if reports.total is None:
            raise InputError(
                "standard input and pipes can only be read with engine='threads' (--engine threads)"
            )
        shards = [_anywhere(shard) for shard in shards]
        folder = os.path.abspath(folder)  # noqa: PTH100

    pending: deque[tuple[Shard, Future[str]]] = deque()
    waiting = iter(shards)
    try:
        while True:
            while len(pending) < _AHEAD and (shard := next(waiting, None)) is not None:
                future = submit(workers.executor, count_shard, shard, settings, folder, **options)
                pending.append((shard, future))
            if not pending:
                return
            shard, future = pending.popleft()
            path = result_of(future)
            if not workers.are_threads:
                reports.add(shard.size)
            yield path
    finally:
        reports.stop()
        for _, future in pending:
            future.cancel()


class _Reports:
    """Adds up the bytes read in all threads, and ends their reading when the work stops."""

    def __init__(self, progress: Progress, shards: Sequence[Shard]) -> None:
        self._progress = progress
        known = all(source.size is not None for shard in shards for source in shard.sources)
        self.total = sum(shard.size for shard in shards) if known else None
        self._done = 0
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def add(self, read: int) -> None:
        if self._stopped.is_set():
            raise _Stopped
        with self._lock:
            self._done += read
            self._progress.advance(self._done, self.total, f"{self._done / 1e6:,.0f} MB")

    def stop(self) -> None:
        self._stopped.set()


class _Stopped(KeyboardInterrupt):
    """Ends the reading of a file when another thread has failed; it is never seen outside."""


def _anywhere(shard: Shard) -> Shard:
    """Returns a shard with absolute paths, for workers in other folders."""
    paths = (s.path if is_url(s.path) else os.path.abspath(s.path) for s in shard.sources)  # noqa: PTH100
    sources = (replace(s, path=path) for s, path in zip(shard.sources, paths, strict=True))
    return replace(shard, sources=tuple(sources))


def most_frequent_first(runs: Sequence[str], folder: str, workers: Workers) -> Iterator[Arrays]:
    """Yields the words of runs in blocks, by count descending, then word ascending.

    Parameters
    ----------
    runs : sequence of str
        Paths of runs sorted by word.
    folder : str
        Where what does not fit in memory is written.
    workers : Workers
        Who merges runs in groups if there are more than can be merged at a time; after that, this
        process may take the memory of all threads.
    """
    level = 0
    paths = list(runs)
    while len(paths) > FAN_IN:
        groups = [paths[at : at + FAN_IN] for at in range(0, len(paths), FAN_IN)]
        targets = [os.path.join(folder, f"merged-{level}-{n}") for n in range(len(groups))]  # noqa: PTH118
        futures = [
            submit(workers.executor, merge_files, group, target)
            for group, target in zip(groups, targets, strict=True)
        ]
        paths = list(map(result_of, futures))
        level += 1
    threads = workers.number if workers.are_threads else 1
    room = None if workers.memory is None else workers.memory * threads // BLOCK_SHARE
    with Spill(folder, room, by_count=True) as spill:
        for block in merge(map(read_run, paths)):
            spill.add(block)
        yield from spill.blocks()


def counted_words(
    sources: Sequence[Source],
    settings: CountSettings,
    workers: Workers,
    scratch: str | PathLike[str] | None,
    progress: Progress,
) -> Arrays | Views:
    """Returns the words of files, by count descending, then word ascending.

    Parameters
    ----------
    sources : sequence of Source
        The files.
    settings, workers, progress
        As for `count_shards`.
    scratch : path, optional
        A folder that all workers see, for what is written meanwhile; by default the system's.

    Raises
    ------
    InputError
        As `count_shards` does.
    """
    cut_text = cut_finder(*settings.rules) is not None
    shards = plan_shards(sources, shard_bytes(sources, workers), cut_text=cut_text)
    if len(shards) == 1 and workers.are_threads and workers.memory is None:
        return count_only_shard(shards[0], settings, _Reports(progress, shards).add)
    with scratch_folder(scratch) as folder:
        runs = list(count_shards(shards, settings, folder, workers, progress))
        return joined(list(most_frequent_first(runs, folder, workers)))
