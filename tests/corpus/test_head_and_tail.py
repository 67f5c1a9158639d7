"""Words of a file in a head and a tail: the same whoever reads the parts, or an error."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import shard_work
from hypothesis import given
from hypothesis import strategies as st
from properties import tries

from partcover import InputError, PartcoverError, WordCounts
from partcover.corpus.counting import counts_file, counts_part
from partcover.corpus.counting.counts_part import parts_of
from partcover.corpus.counting.head_and_tail import HeadAndTail
from partcover.runtime.processes.engines import executor_of

WORDS = st.dictionaries(st.text("aé\t\\", min_size=1, max_size=9), st.integers(1, 5), min_size=1)


def pairs(blocks):
    return [pair for block in blocks for pair in block]


@tries(40)
@given(WORDS, st.sampled_from(["bytes", "chars"]), st.integers(1, 40), st.integers(1, 9))
def test_parts_of_a_file_are_the_file(tmp_path_factory, words, symbols, room, n):
    key = str.encode if symbols == "bytes" else str
    counts = WordCounts.from_counts({key(word): c for word, c in words.items()}, symbols)
    folder = tmp_path_factory.mktemp("counts")
    whole = HeadAndTail.of(counts, n)
    for name in ("C.tsv", "C.parquet"):
        with patch.object(counts_part, "PART", room), patch.object(counts_file, "ROWS", 4 * room):
            counts.save(folder / name)
            parts = parts_of(folder / name)
            assert pairs(block for part in parts for block in part.blocks()) == list(counts)
            with ThreadPoolExecutor(2) as executor:
                split = HeadAndTail.load(folder / name, n, executor=executor)
        assert split.head.to_dict() == whole.head.to_dict()
        assert list(split.tail()) == list(whole.tail())
        assert split.total_count == counts.total_count


def test_a_line_that_is_no_count_is_named_by_its_number(tmp_path, monkeypatch):
    monkeypatch.setattr(counts_part, "PART", 20)
    path = tmp_path / "C.tsv"
    lines = [f"word{n}\t{n + 1}" for n in range(40)]
    path.write_text("\n".join([*lines, "cat", *lines]))
    with pytest.raises(InputError, match=r"C\.tsv:41: count is missing"):
        HeadAndTail.load(path, 2)
    path.write_text("#partcover counts 1 symbols=bytes\n" + "\n".join([*lines, "cat\t0"]))
    with pytest.raises(InputError, match=r"C\.tsv:42: the count is zero"):
        HeadAndTail.load(path, 2)


def test_a_file_that_changes_or_is_none_is_an_error(tmp_path):
    path = tmp_path / "C.tsv"
    path.write_text("that\t9\nhat\t5\nchat\t1\n")
    split = HeadAndTail.load(path, 1)
    path.write_text("that\t9\nhat\t5\nchat\t1\nwhat\t1\n")
    with pytest.raises(InputError, match=r"C\.tsv: changed while it was read"):
        list(split.tail())
    os.mkfifo(tmp_path / "pipe.tsv")
    with pytest.raises(InputError, match=r"is not a file\. Words with"):
        HeadAndTail.load(tmp_path / "pipe.tsv", 1)
    with pytest.raises(InputError, match="cannot be read"):
        HeadAndTail.load(tmp_path / "missing.tsv", 1)


@pytest.fixture
def counts(tmp_path, monkeypatch):
    """A file of several parts, and its words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(counts_part, "PART", 1000)
    draw = np.random.default_rng(1)
    words = {bytes(draw.integers(97, 101, 1 + n % 9).tolist()): 1 + int(n % 7) for n in range(2000)}
    counts = WordCounts.from_counts(words)
    counts.save("C.tsv")
    return counts


@pytest.mark.long
@pytest.mark.filterwarnings("default")  # an error would end the thread of Dask's client
def test_a_killed_worker_of_dask_does_no_harm(counts, tmp_path, scheduler):
    """Its shards are read again; a file that the others cannot read is an error."""
    distributed = pytest.importorskip("distributed")
    _, address = scheduler
    begun = tmp_path / "begun"
    begun.mkdir()

    def kill_worker():
        while len(list(begun.iterdir())) < 3:
            time.sleep(0.02)
        with distributed.Client(address) as client:
            os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)

    with executor_of(f"dask://{address}", 2) as executor:
        split = HeadAndTail.load("C.tsv", 100, executor=executor, scratch=tmp_path)
        assert split.head.to_dict() == HeadAndTail.of(counts, 100).head.to_dict()
        thread = threading.Thread(target=kill_worker)
        thread.start()
        assert sum(split.map(shard_work.count_slowly, str(begun))) == counts.total_count
        thread.join()
        results = split.map(shard_work.count_slowly, str(begun))
        next(results)
        Path("C.tsv").unlink()
        with pytest.raises(InputError, match=r"C\.tsv: "):
            list(results)


@pytest.mark.long
def test_a_lost_process_is_an_error(counts):
    with executor_of("processes", 2) as executor:
        split = HeadAndTail.load("C.tsv", 100, executor=executor)
        for _ in range(2):  # a process that is lost has another one in its place
            with pytest.raises(PartcoverError, match="a worker was lost"):
                list(split.map(shard_work.end))
        total = WordCounts.load("C.tsv").total_count
        assert (
            WordCounts.from_files("C.tsv", executor=executor, all_files=True).total_count >= total
        )
