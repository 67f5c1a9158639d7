"""Counts the words of files into a file, with limited memory; a stopped count can be resumed.

While a count runs, its plan and its finished shards are in a folder beside the counts,
``counts.tsv.shards``.  A shard is finished when its run has its name, which it gets when it is
whole, and its files are still the same; those that have changed are counted again.  In the end the
counts take their name, the manifest is written, and the folder is deleted.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...runtime.files.locks import held_folder
from ...runtime.files.writing import (
    checksum_of,
    in_place,
    read_json,
    remove_left_behind,
    scratch_folder,
    write_atomic,
)
from ...runtime.progress import Progress
from ..files.sources import Source
from ..pretokenizers.seams import cut_finder
from ..word_arrays import Arrays
from .count import CountSettings
from .count_files import Workers, count_shards, most_frequent_first, shard_bytes
from .counts_file import Totals, check_text, write_counts
from .manifest import describe_plan, difference, write_manifest
from .runs import is_whole
from .shards import Shard, plan_shards

_PLAN = "plan.json"


@dataclass(frozen=True)
class CountJob:
    """The counting of files into a file.

    Attributes
    ----------
    path : str
        The counts file; ``-`` for standard output.
    sources : sequence of Source
        The files.
    settings : CountSettings
        How they are counted.
    given : str
        What the files were called, for messages.
    scratch : str or None
        A folder for the finished shards, which all workers see, in place of that beside the
        counts.
    """

    path: str
    sources: Sequence[Source]
    settings: CountSettings
    given: str
    scratch: str | None = None

    @property
    def folder(self) -> Path | None:
        """The folder of the finished shards; None where none is kept."""
        if in_place(self.path):
            return None
        name = f"{Path(self.path).name}.shards"
        return Path(self.path).parent / name if self.scratch is None else Path(self.scratch) / name

    @property
    def finished(self) -> int:
        """The number of finished shards that are kept."""
        if self.folder is None or not (self.folder / _PLAN).exists():  # the folder of others
            return 0
        return len(list(self.folder.glob("*.run")))

    def run(
        self, workers: Workers, *, resume: bool = False, progress: Progress | None = None
    ) -> Totals:
        """Counts, and writes the counts and their manifest.

        Parameters
        ----------
        workers : Workers
            Who counts, and the memory of each call; in the end the calls' memory is one's.
        resume : bool
            Whether to go on from finished shards, if there are any.
        progress : Progress, optional
            Gets the bytes read and their total.

        Raises
        ------
        InputError
            As `count_shards` does; if shards are kept and `resume` is not set, or if they are of
            another count.
        """
        with self._folder(resume) as folder:
            plan = describe_plan(self.sources, self.settings, shard_bytes(self.sources, workers))
            if (folder / _PLAN).exists():
                plan["shard_bytes"] = self._check_plan(folder, plan)
            else:
                write_atomic(folder / _PLAN, json.dumps(plan, indent=1))
            cut_text = cut_finder(*self.settings.rules) is not None
            shards = plan_shards(self.sources, plan["shard_bytes"], cut_text=cut_text)
            left = [shard for shard in shards if not _is_finished(folder, shard)]
            runs = count_shards(left, self.settings, str(folder), workers, progress, hashes=True)
            for _ in runs:
                pass
            paths = [str(folder / f"{shard.name}.run") for shard in shards]
            words = most_frequent_first(paths, str(folder), workers)
            if self.settings.header.symbols == "chars":
                words = _of_characters(words, folder)
            totals = write_counts(self.path, self.settings.header, words, self.given)
            if self.folder is not None:
                hashes: dict[str, str] = {}
                for shard in shards:
                    hashes |= _facts(folder, shard)["sha256"]
                write_manifest(plan, hashes, self.path, totals)
        return totals

    @contextmanager
    def _folder(self, resume: bool) -> Iterator[Path]:
        """Makes the folder; deletes it in the end; if that is early, unless shards are finished."""
        folder = self.folder
        if folder is None:
            with scratch_folder(self.scratch) as path:
                yield Path(path)
            return
        with held_folder(folder):
            remove_left_behind(folder)
            if not (folder / _PLAN).exists() and any(folder.iterdir()):
                raise InputError(
                    f"{folder}: exists and is not the folder of an interrupted count: rename or "
                    "delete it"
                )
            if self.finished and not resume:
                raise InputError(
                    f"{folder}: has {self.finished:,} finished shards of an interrupted count: "
                    "continue it with --resume, or delete the folder to count from the beginning"
                )
            if not self.finished:
                _empty(folder)
            try:
                yield folder
            except BaseException:
                if self.finished < 2:
                    _delete(folder)
                raise
            _delete(folder)

    def _check_plan(self, folder: Path, plan: dict[str, object]) -> int:
        """Checks that a plan is that of the finished shards, and returns the size of these."""
        old = read_json(folder / _PLAN)
        other = difference(old, plan)
        if other is not None:
            raise InputError(
                f"{folder}: has shards of another count ({other}): delete the folder to count "
                "from the beginning"
            )
        size = old.get("shard_bytes")
        if not isinstance(size, int) or size < 1:
            raise InputError(f"{folder / _PLAN}: is damaged; delete the folder")
        return size


def _delete(folder: Path) -> None:
    """Deletes a folder of shards, so that a run can go on if this one is killed meanwhile."""
    with suppress(OSError):
        _empty(folder)
        folder.rmdir()


def _empty(folder: Path) -> None:
    """Deletes what a run that was killed has left; its plan, which tells whose it is, last."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name == _PLAN):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _of_characters(blocks: Iterator[Arrays], folder: Path) -> Iterator[Arrays]:
    """Yields blocks of words in UTF-8; others may have changed the parts that they are from."""
    for block in blocks:
        check_text(block, folder)
        yield block


def _is_finished(folder: Path, shard: Shard) -> bool:
    """Returns whether the run of a shard is there; deletes one of other files."""
    run = folder / f"{shard.name}.run"
    if is_whole(run):
        facts = _facts(folder, shard)
        if facts.get("sources") == shard.facts and isinstance(facts.get("sha256"), dict):
            return True
    run.unlink(missing_ok=True)
    return False


def _facts(folder: Path, shard: Shard) -> dict[str, Any]:
    """Returns what a finished shard was made of; nothing if the file of it is damaged."""
    try:
        facts = read_json(folder / f"{shard.name}.json")
    except InputError:
        return {}
    return facts if facts.pop("crc32", None) == checksum_of(facts) else {}
