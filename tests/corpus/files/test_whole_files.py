"""A count is of all that was given: files cut short are errors, files passed over are said."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter

import pytest
from shared.listener import Listener

from partcover import InputError, Vocabulary, WordCounts
from partcover.corpus import word_counts
from partcover.corpus.counting import count_files
from partcover.corpus.files import readers, tsv
from partcover.corpus.files.sources import OTHER_NAMES, find_sources


@pytest.mark.parametrize("left", [0, 1, 159_999])
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl"])
def test_a_file_cut_short_while_it_is_read(tmp_path, monkeypatch, left, name):
    monkeypatch.setattr(readers, "CHUNK", 1 << 14)  # more than is read ahead
    path = tmp_path / name
    line = b'{"text": "a b"}\n' if name == "a.jsonl" else b"0123 56 9abcdef\n"
    path.write_bytes(line * 10_000)
    assert WordCounts.from_files(path).total_count > 0

    def cut(done, total, remark):
        if done == 1 << 14:
            os.truncate(path, left)

    with pytest.raises(InputError) as caught:
        WordCounts.from_files(path, progress=Listener(advance=cut))
    message = f"{path}: became shorter while it was read; it had 160,000 bytes"
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("left", [0, 150, 700, 1999])
@pytest.mark.parametrize("text", [b"ab cdefg " * 250, b"x" * 2250])
def test_a_file_cut_short_before_its_last_part_is_read(tmp_path, monkeypatch, threads, left, text):
    monkeypatch.setattr(readers, "CHUNK", 64)
    monkeypatch.setattr(count_files, "SHARD", 300)
    path = tmp_path / "a.txt"
    path.write_bytes(text)
    listed = find_sources

    def then_cut(*arguments, **options):
        sources = listed(*arguments, **options)
        os.truncate(path, left)
        return sources

    monkeypatch.setattr(word_counts, "find_sources", then_cut)
    with pytest.raises(InputError, match=r"a\.txt: became shorter while it was read; it had 2,250"):
        WordCounts.from_files(path, threads=threads)


def test_what_is_compressed_is_whole_too(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"a b") * 9)
    assert WordCounts.from_files(path).total_count == 10


def test_a_growing_file_and_one_without_a_size(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a b")
    sources = find_sources([path])
    path.write_bytes(b"a b c d")
    texts = [b"".join(d.chunks) for d in readers.documents(sources[0])]
    assert texts == [b"a b c d"]
    if os.path.exists("/proc/self/status"):  # noqa: PTH110 - of no size, and not empty
        assert WordCounts.from_files("/proc/self/status").total_count > 0


def cut(path):
    os.truncate(path, path.stat().st_size - 10)


def append(path):
    with path.open("ab") as file:
        file.write(b"w1")


def write_over(path):
    with path.open("r+b") as file:
        file.seek(-9, os.SEEK_END)
        file.write(b"v")


def changing(monkeypatch, change):
    """Makes a change behind the first line of counted words."""
    parse_header = tsv.parse_header

    def then_change(line):
        change()
        return parse_header(line)

    monkeypatch.setattr(tsv, "parse_header", then_change)


@pytest.mark.long
@pytest.mark.parametrize("change", [cut, append, write_over])
@pytest.mark.parametrize("symbols", ["bytes", "chars"])
def test_counts_that_change_while_they_are_read(tmp_path, monkeypatch, symbols, change):
    path = tmp_path / "C.tsv"
    header = tsv.format_header(tsv.Header("gpt2", symbols))
    words = b"".join(b"w%06d\t1\n" % i for i in range(5_000))  # more than is read ahead
    path.write_bytes(header + words)
    changing(monkeypatch, lambda: change(path))
    reads = [
        lambda: WordCounts.load(path),
        lambda: list(tsv.read_blocks(path)[1]),
        lambda: tsv.read_part(path, 0, 10**7),
        lambda: tsv.read_table(path, symbols),
    ]
    for read in reads:
        os.utime(path, (10**9, 10**9))
        before = path.stat().st_size
        with pytest.raises(InputError, match=rf"changed while it was read; it had {before:,} by"):
            read()


def test_counts_that_are_replaced_while_they_are_read(tmp_path, monkeypatch):
    path, other = tmp_path / "C.tsv", tmp_path / "D.tsv"
    header = tsv.format_header(tsv.Header("gpt2", "bytes"))
    path.write_bytes(header + b"old\t1\n")
    other.write_bytes(header + b"new\t2\n")
    changing(monkeypatch, lambda: other.replace(path))
    assert dict(WordCounts.load(path)) == {b"old": 1}  # the file that was opened


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "in"
    (inside / ".git").mkdir(parents=True)
    (inside / "sub").mkdir()
    for name, content in {
        "a.txt": "x y",
        "b.py": "y z",
        "sub/c.py": "z",
        "sub/Makefile": "z",
        "empty.md": "",
        ".hidden.txt": "q",
        ".git/d.txt": "q",
        "e.jsonl": '{"text": "y"}\n',
    }.items():
        (inside / name).write_text(content)
    (inside / "link").symlink_to(inside / "sub")
    os.mkfifo(inside / "pipe.txt")
    return inside


def test_what_is_passed_over_is_counted(folder):
    skipped = Counter()
    words = WordCounts.from_files(folder, skipped=skipped)
    assert words.to_dict() == {b"x": 1, b"y": 1, b" y": 1}
    reasons = {"hidden": 2, "empty": 1, "links to folders": 1, "no plain files": 1}
    assert skipped == {OTHER_NAMES: 3, **reasons}
    skipped.clear()
    words = WordCounts.from_files(folder, all_files=True, skipped=skipped)
    assert words.to_dict() == {b"x": 1, b"y": 2, b"z": 2, b" y": 1, b" z": 1}
    assert skipped == reasons


def test_the_command_says_it(run, folder):
    status, out, err = run("count", "in", "-o", "C.tsv")
    assert (status, out) == (0, "")
    assert err.startswith(
        "partcover: 8 files or folders passed over: 3 with other endings than .txt, .md, .jsonl, "
        ".parquet, .gz, .zst, 2 hidden, "
    )
    assert "; --all-files (all_files=True) takes these as text\n" in err
    status, out, _ = run("count", "in", "--json", "--all-files")
    facts = json.loads(out)
    assert (facts["words"], facts["skipped"]["hidden"], OTHER_NAMES in facts["skipped"]) == (
        5,
        2,
        False,
    )
    status, _, err = run("count", "in", "--all-files", "-o", "C.tsv")
    assert "all-files" not in err
    assert WordCounts.load("C.tsv").total_count == 7


def test_a_folder_of_which_nothing_is_read(run, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text("int main")
    status, _, err = run("count", "src")
    assert (status, err.count("\n")) == (2, 1)
    assert "no text in this folder" in err
    assert "1 with other endings" in err
    assert "--all-files" in err
    assert run("count", "src", "--all-files", "--quiet")[0] == 0


@pytest.mark.parametrize("name", ["ids.json", "ids.npy"])
def test_encode_says_it_too(run, folder, name):
    Vocabulary(["xy", "yz"], pretokenizer="gpt2").save("V.json")
    status, _, err = run("encode", "V.json", "in", "-o", name)
    assert (status, "3 with other endings" in err) == (0, True)
    assert "3 documents" in err
    status, _, err = run("encode", "V.json", "in", "-o", name, "--all-files")
    assert (status, "other endings" in err) == (0, False)
    assert "6 documents" in err
