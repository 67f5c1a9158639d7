"""What a later run finds where the power was cut: nothing but what had reached the disk."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from partcover import Encoder, InputError, Vocabulary
from partcover.corpus.counting import count_files
from partcover.corpus.counting.count import CountSettings
from partcover.corpus.counting.count_files import Workers
from partcover.corpus.counting.count_job import CountJob
from partcover.corpus.files.sources import find_sources
from partcover.runtime import checkpoints
from partcover.runtime.files.writing import atomic_writer, write_atomic

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads open files by /proc")

TEXT = "the cat sat on the mat, and the hat; café 日本\n"
LOST = {
    "zeros": lambda kept, size: kept[:size].ljust(size, b"\0"),
    "nothing": lambda kept, size: kept[:size],
}


class Disk:
    """Copies a folder as power cuts would leave it, one at each time that something is kept.

    A name is kept at once, and what is in a file when `os.fsync` is called, which is the worst that
    file systems do.

    Parameters
    ----------
    folder : Path
        The folder that is written to.
    copies : Path
        Where the copies go.
    lost : str
        What is in place of what was not kept, one of `LOST`.
    """

    def __init__(self, folder, copies, lost):
        self.folder, self.copies, self.lost = folder, copies, LOST[lost]
        self.kept = {}  # by the inode

    def __enter__(self):
        self.fsync, self.replace = os.fsync, os.replace
        os.fsync, os.replace = self.noted_fsync, self.noted_replace
        return self

    def __exit__(self, *_):
        os.fsync, os.replace = self.fsync, self.replace
        self.cut()

    def noted_fsync(self, file):
        self.cut()
        self.kept[os.fstat(file).st_ino] = Path(f"/proc/self/fd/{file}").read_bytes()
        self.cut()

    def noted_replace(self, source, target):
        self.cut()
        self.replace(source, target)
        self.cut()

    def cut(self):
        copy = self.copies / str(sum(1 for _ in self.copies.iterdir()))
        copy.mkdir()
        for path in sorted(self.folder.rglob("*")):
            there = copy / path.relative_to(self.folder)
            if path.is_dir():
                there.mkdir()
            else:
                kept = self.kept.get(path.stat().st_ino, b"")
                there.write_bytes(self.lost(kept, path.stat().st_size))


@pytest.fixture(params=LOST)
def disk(request, tmp_path, monkeypatch):
    """A folder, and in time what power cuts leave of it."""
    monkeypatch.setattr(checkpoints, "_SECONDS", 0.0)
    monkeypatch.setattr(checkpoints, "_SHARE", 0.0)
    for name in ("folder", "copies"):
        (tmp_path / name).mkdir()
    return Disk(tmp_path / "folder", tmp_path / "copies", request.param)


def gone_on(disk, go_on):
    """Goes on from each copy; returns the results of those that do, and why others do not."""
    results, lines = [], []
    for copy in sorted(disk.copies.iterdir()):
        try:
            results.append(go_on(copy))
        except InputError as error:
            lines.append(str(error))
    assert all(line.isprintable() for line in lines)
    return results, lines


@pytest.mark.long
@pytest.mark.parametrize("name", ["out.npy", "out.bin"])
def test_ids(disk, tmp_path, monkeypatch, name):
    monkeypatch.setattr("partcover.encoding.encoder.PART", 200)
    (tmp_path / "texts").mkdir()
    for number in range(4):
        (tmp_path / "texts" / f"{number}.txt").write_text(TEXT * (number + 2))
    encoder = Encoder(Vocabulary(["th", "at", "the"]), "gpt2")

    def go_on(folder):
        encoder.encode_files(tmp_path / "texts", folder / name, resume=True)
        return (folder / name).read_bytes()

    with disk:
        whole = go_on(disk.folder)
    results, lines = gone_on(disk, go_on)
    assert set(results) == {whole}
    assert len(results) > 20
    assert not lines


@pytest.mark.long
def test_a_count(disk, tmp_path, monkeypatch):
    monkeypatch.setattr(count_files, "SHARD", 200)
    text = tmp_path / "text.txt"
    text.write_text(TEXT * 9)

    def go_on(folder):
        path = str(folder / "C.tsv")
        job = CountJob(path, find_sources([text]), CountSettings("gpt2"), "text.txt")
        with ThreadPoolExecutor(1) as pool:
            job.run(Workers(pool, 1), resume=True)
        return Path(path).read_bytes()

    with disk:
        whole = go_on(disk.folder)
    results, lines = gone_on(disk, go_on)
    assert set(results) == {whole}
    assert not lines


@pytest.mark.parametrize("write", [write_atomic, Vocabulary.save])
def test_what_was_there_is_there_or_what_was_written(disk, write):
    path = disk.folder / "V.json"
    given = {write_atomic: "[1]", Vocabulary.save: Vocabulary(["ab"])}[write]
    with disk:
        write_atomic(path, "[]")
        (write_atomic(path, given) if isinstance(given, str) else given.save(path))
    found = {(copy / path.name) for copy in disk.copies.iterdir()}
    assert {each.read_bytes() for each in found if each.exists()} == {b"[]", path.read_bytes()}


def test_a_file_system_without_fsync_is_written_to(tmp_path, monkeypatch):
    def cannot(_):
        raise OSError(22, "Invalid argument")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", cannot)
    write_atomic(tmp_path / "f", "x")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"cannot be written .No space left on device"):
        write_atomic(tmp_path / "f", "y")
    with atomic_writer(tmp_path / "scratch", lasting=False) as file:
        file.write(b"z")
    assert (tmp_path / "f").read_text() == "x"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f", "scratch"]
