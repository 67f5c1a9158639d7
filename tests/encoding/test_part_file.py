"""Encoding many files that is stopped, killed or fails, and goes on from what is whole."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest

from partcover import Encoder, InputError, Vocabulary
from partcover.corpus.files.sources import find_sources
from partcover.encoding import part_file
from partcover.runtime.progress import Progress

TEXT = "the cat sat on the mat, and the hat; café 日本\n"


@pytest.fixture
def encoder():
    return Encoder(Vocabulary(["th", "at", "the"], special=("<|end|>",)), "gpt2")


@pytest.fixture
def texts(tmp_path):
    """Files of several sizes and kinds."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.txt").write_text(TEXT * (number * 50))
    (folder / "8.jsonl").write_text("".join(json.dumps({"text": TEXT * n}) + "\n" for n in (2, 3)))
    (folder / "9.txt").write_text(TEXT)
    return folder


@pytest.fixture
def small_parts(monkeypatch):
    """Parts that end soon, as those of large files do."""
    monkeypatch.setattr("partcover.encoding.encoder.PART", 2000)


class StopAt(Progress):
    """Raises what Ctrl-C raises once so many bytes are read."""

    def __init__(self, size):
        self.size = size

    def advance(self, done, total, remark=""):
        if done >= self.size:
            raise KeyboardInterrupt


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("name", ["out.npy", "out.bin"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_what_is_stopped_goes_on_to_the_same_bytes(encoder, texts, tmp_path, name, threads, share):
    use = {"end_of_document": "<|end|>", "threads": threads}
    whole = encoder.encode_files(texts, tmp_path / f"whole-{name}", **use)
    expected = (tmp_path / f"whole-{name}").read_bytes()
    out = tmp_path / name
    size = sum(path.stat().st_size for path in texts.iterdir())
    with pytest.raises(KeyboardInterrupt):
        encoder.encode_files(texts, out, progress=StopAt(share * size), **use)
    assert not out.exists()
    with pytest.raises(KeyboardInterrupt):  # again: nothing that was done is lost
        encoder.encode_files(texts, out, progress=StopAt(share * size), resume=True, **use)
    assert encoder.encode_files(texts, out, resume=True, **use) == whole
    assert out.read_bytes() == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [name, f"whole-{name}", "texts"]
    )


@pytest.mark.usefixtures("small_parts")
def test_a_sampled_run_goes_on_with_the_same_draws(encoder, texts, tmp_path):
    drawn = Encoder(encoder.vocabulary, "gpt2", "longest_match").sampling(seed=3, dropout=0.5)
    drawn.encode_files(texts, tmp_path / "whole.bin")
    (texts / "9.txt").rename(tmp_path / "later")
    (texts / "9.jsonl").write_text("not JSON\n")
    with pytest.raises(InputError, match=r"9\.jsonl:1: not JSON"):
        drawn.encode_files(texts, tmp_path / "out.bin")
    (texts / "9.jsonl").unlink()
    (tmp_path / "later").rename(texts / "9.txt")
    drawn.encode_files(texts, tmp_path / "out.bin", resume=True)
    assert (tmp_path / "out.bin").read_bytes() == (tmp_path / "whole.bin").read_bytes()
    (texts / "9.txt").rename(tmp_path / "later")
    (texts / "9.jsonl").write_text("not JSON\n")
    with pytest.raises(InputError, match="not JSON"):
        drawn.encode_files(texts, tmp_path / "out.bin")
    other = Encoder(encoder.vocabulary, "gpt2", "longest_match").sampling(seed=4, dropout=0.5)
    with pytest.raises(InputError, match="written with another vocabulary or other"):
        other.encode_files(texts, tmp_path / "out.bin", resume=True)


@pytest.mark.usefixtures("small_parts")
def test_files_that_have_changed_are_refused(encoder, texts, tmp_path):
    out = tmp_path / "out.npy"
    (texts / "9.jsonl").write_text("not JSON\n")
    with pytest.raises(InputError, match="not JSON"):
        encoder.encode_files(texts, out)
    (texts / "9.jsonl").unlink()
    (texts / "3.txt").write_text("other text\n")
    with pytest.raises(InputError, match="have changed, or are other"):
        encoder.encode_files(texts, out, resume=True)
    (tmp_path / "out.npy.part.json").write_text("{}")
    with pytest.raises(InputError, match="not a record"):
        encoder.encode_files(texts, out, resume=True)
    for wrong in (None, "1", -1, 0.5, True, [1]):
        done = {"files": wrong, "documents": 0, "bytes": 0, "ids": 0}
        sign(tmp_path / "out.npy.part.json", done=done, files=[], about={}, ids_crc32=0)
        with pytest.raises(InputError, match="not a record"):
            encoder.encode_files(texts, out, resume=True)
    written = encoder.encode_files(texts, out)
    assert len(np.load(out)) == written.ids
    assert not (tmp_path / "out.npy.part").exists()


def no_room(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


class FullDisk(io.FileIO):
    """A file on a disk that has room for so many bytes."""

    room = 0

    def write(self, data):
        if self.tell() + len(data) > self.room:
            no_room()
        return super().write(data)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("room", [50, 3_000, 10_000, 60_000])
def test_a_full_disk(encoder, texts, tmp_path, monkeypatch, room, keeps):
    """What is left is what a run can go on from, or nothing."""
    encoder.encode_files(texts, tmp_path / "whole.bin")
    with monkeypatch.context() as patch:
        patch.setattr(FullDisk, "room", room)
        patch.setattr(
            part_file, "open", lambda fd, _: io.BufferedRandom(FullDisk(fd, "r+b")), raising=False
        )
        if not keeps:  # no room for the record, either
            patch.setattr(part_file, "write_atomic", no_room)
        with pytest.raises(InputError, match=r"out\.bin\.part: cannot be written \(No space left"):
            encoder.encode_files(texts, tmp_path / "out.bin")
    left = {path.name for path in tmp_path.iterdir()} - {"whole.bin", "texts"}
    assert left in (set(), {"out.bin.part", "out.bin.part.json"} if keeps else set())
    assert left or room < 10_000 or not keeps
    encoder.encode_files(texts, tmp_path / "out.bin", resume=True)
    assert (tmp_path / "out.bin").read_bytes() == (tmp_path / "whole.bin").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"whole.bin", "texts", "out.bin"}


def test_a_run_that_ends_while_another_begins(encoder, tmp_path, monkeypatch):
    """The other has opened the file that gets its name: it does not write into that."""
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "b.txt").write_text(TEXT * 2)
    out, part = tmp_path / "out.bin", tmp_path / "out.bin.part"
    encoder.encode_files(tmp_path / "b.txt", tmp_path / "b.bin")
    part.write_bytes(b"the whole array")
    original, opened = part_file.lock, []

    def lock(file, path):
        if not opened:
            part.replace(out)
        opened.append(path)
        original(file, path)

    monkeypatch.setattr(part_file, "lock", lock)
    encoder.encode_files(tmp_path / "b.txt", out)
    assert len(opened) == 2
    assert out.read_bytes() == (tmp_path / "b.bin").read_bytes()


def sign(path, **record):
    """Writes a record with the checksum that it needs."""
    record["crc32"] = zlib.crc32(json.dumps(record, sort_keys=True).encode())
    path.write_text(json.dumps(record))


LIES = [
    ("none", {"files": 0, "ids": 10**6}),
    ("none", {"files": 0, "ids": 10**30}),
    ("none", {"files": 0, "documents": 7}),
    ("all", {"files": 11}),
    ("all", {"files": 10**30, "ids": 10**6}),
    ("its own", {"ids": 10**6}),
    ("its own", {"ids": 10**30}),
    ("its own", {"bytes": 2**63 - 1}),
    ("its own", {"bytes": 10**30}),
    ("its own", {"documents": 10**30}),
]


@pytest.fixture
def failed(encoder, texts, tmp_path):
    """Encodes files up to one that cannot be read; returns the paths of what that leaves."""

    def fail(name):
        later, bad = texts / "9.txt", texts / "9.jsonl"
        later.rename(tmp_path / "later")
        bad.write_text("not JSON\n")
        with pytest.raises(InputError, match="not JSON"):
            encoder.encode_files(texts, tmp_path / name)
        bad.unlink()
        (tmp_path / "later").rename(later)
        return [tmp_path / f"{name}{end}" for end in ("", ".part", ".part.json")]

    return fail


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("name", ["out.npy", "out.bin"])
@pytest.mark.parametrize(("files", "lie"), LIES, ids=str)
def test_a_record_that_lies_is_refused(encoder, texts, failed, name, files, lie):
    out, part, path = failed(name)
    record, left = json.loads(path.read_text()), part.read_bytes()
    assert record["done"]["files"] > 0
    every = [[each.path, each.size, each.modified] for each in find_sources([texts])]
    record["files"] = {"none": [], "all": every, "its own": record["files"]}[files]
    record["done"] |= lie
    del record["crc32"]
    sign(path, **record)
    with pytest.raises(InputError, match=r"not a record|shorter than"):
        encoder.encode_files(texts, out, resume=True)
    assert not out.exists()
    assert part.read_bytes() == left


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("name", ["out.npy", "out.bin"])
def test_ids_and_records_that_have_changed_are_refused(encoder, texts, failed, name):
    out, part, path = failed(name)
    record, left = json.loads(path.read_text()), part.read_bytes()
    head = 128 if name == "out.npy" else 0
    end = head + 2 * record["done"]["ids"]
    zeroed = [bytes(len(left)), left[: end - 2] + bytes(len(left) - end + 2)]
    for changed in (*zeroed, left[:head] + b"x" + left[head + 1 :], left[: end - 2] + b"ab"):
        part.write_bytes(changed)
        with pytest.raises(InputError, match=r"\.part: damaged: it has other ids"):
            encoder.encode_files(texts, out, resume=True)
        assert part.read_bytes() == changed
    part.write_bytes(left)
    for key, lie in (("documents", 0), ("bytes", 1), ("ids", 2), ("files", 1)):
        done = record["done"] | {key: lie}
        path.write_text(json.dumps(record | {"done": done, "files": record["files"][:lie]}))
        with pytest.raises(InputError, match="not a record of an earlier run, or damaged"):
            encoder.encode_files(texts, out, resume=True)
    for text in ("", "\0" * 99):
        path.write_text(text)
        with pytest.raises(InputError, match="not JSON"):
            encoder.encode_files(texts, out, resume=True)
    path.write_text(json.dumps(record, indent=1))  # what is behind the place does not matter
    part.write_bytes(bytes(head) + left[head:end] + b"abc")
    encoder.encode_files(texts, out, resume=True)
    encoder.encode_files(texts, out.with_name(f"whole-{name}"))
    assert out.read_bytes() == out.with_name(f"whole-{name}").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="needs links and pipes")
@pytest.mark.parametrize("resume", [False, True])
def test_a_part_that_is_a_link_or_a_pipe_is_left_alone(encoder, texts, tmp_path, resume):
    part = tmp_path / "out.npy.part"
    (tmp_path / "other").write_text("of somebody else")
    for target in ("other", "nowhere"):
        part.symlink_to(target)
        with pytest.raises(InputError, match="is a symbolic link, which is never followed"):
            encoder.encode_files(texts, tmp_path / "out.npy", resume=resume)
        part.unlink()
    assert (tmp_path / "other").read_text() == "of somebody else"
    assert not (tmp_path / "nowhere").exists()
    os.mkfifo(part)
    with pytest.raises(InputError, match="is not a file: delete it"):
        encoder.encode_files(texts, tmp_path / "out.npy", resume=resume)


def test_what_is_no_file_cannot_be_resumed(encoder, texts):
    with pytest.raises(InputError, match="only the encoding of files"):
        encoder.encode_files(texts, os.devnull, file_format="bin", resume=True)
    encoder.encode_files(texts, os.devnull, file_format="bin")


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_killed_process_leaves_what_another_goes_on_from(encoder, texts, tmp_path):
    encoder.vocabulary.save(tmp_path / "v.json")
    for number in range(20, 60):
        (texts / f"{number}.txt").write_text(TEXT * 4000)
    encode = [sys.executable, "-m", "partcover", "encode", "v.json", "--pretokenizer", "gpt2"]
    encode += ["texts", "-o", "out.npy", "--threads", "1", "--resume"]
    record = tmp_path / "out.npy.part.json"
    for sent, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 130)):
        before = record.stat().st_mtime_ns if record.exists() else None
        with subprocess.Popen(encode, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None:
                if record.exists() and record.stat().st_mtime_ns != before:
                    break
                time.sleep(0.01)
            process.send_signal(sent)
            error = process.stderr.read()
        if process.returncode == 0:
            pytest.skip("too quick a machine")
        assert process.returncode == status
        if sent == signal.SIGTERM:
            assert "partcover: stopping, keeping the best so far\n" in error
            assert "out.npy.part contains the finished files; add --resume to continue" in error
    subprocess.run([*encode, "--quiet"], cwd=tmp_path, check=True)
    encoder.encode_files(texts, tmp_path / "whole.npy")
    assert (tmp_path / "out.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()
