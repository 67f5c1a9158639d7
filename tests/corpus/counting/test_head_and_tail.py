"""Words of a file in a head and a tail: the same whoever reads the parts, or an error."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from shared import in_workers
from shared.properties import tries

from partcover import Corpora, InputError, PartcoverError, WordCounts
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
    WordCounts.from_counts({"é": 1}, "chars").save(path)
    with pytest.raises(InputError, match="the words are over chars, not over bytes as asked for"):
        parts_of(path, "bytes")


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
        assert sum(split.map(in_workers.count_slowly, str(begun))) == counts.total_count
        thread.join()
        results = split.map(in_workers.count_slowly, str(begun))
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
                list(split.map(in_workers.end))
        total = WordCounts.load("C.tsv").total_count
        assert (
            WordCounts.from_files("C.tsv", executor=executor, all_files=True).total_count >= total
        )


@tries(40)
@given(st.lists(WORDS, min_size=2, max_size=3), st.integers(1, 4), st.data())
def test_several_are_joined_with_weights_and_split_at_tokens(tables, n, data):
    corpora = [WordCounts.from_counts(table, "chars") for table in tables]
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(corpora), max_size=len(corpora)))
    assume(any(weights))
    tokens = data.draw(st.lists(st.text("aé", min_size=2, max_size=3), max_size=5))
    parts = [HeadAndTail.of(words, n).split_at(tokens) for words in corpora]
    several = Corpora(parts, [1] * len(parts))
    all_words = several.all_weighted(weights)
    expected = Counter()
    for words, weight in zip(corpora, weights, strict=True):
        longest_first = "|".join(map(re.escape, sorted(tokens, key=len, reverse=True)))
        for word, count in words:
            for piece in re.split(f"({longest_first})", word) if tokens else [word]:
                expected[piece] += weight * count
    del expected[""]
    found = Counter(all_words.head.to_dict())
    for word, count in all_words.tail():
        found[word] += count
    assert found == +expected
    assert all_words.total_count == sum(expected.values())
    assert all_words.total_symbols == sum(len(word) * n for word, n in expected.items())
    listed = Counter(chain.from_iterable(all_words.map(_all_words)))
    assert sum(count * times for (_, count), times in listed.items()) == all_words.total_count
    large = several.integer_weights([0.37 + number for number in range(len(parts))])
    assert several.all_weighted(large).total_symbols <= 2**34


def _all_words(shard):
    return pairs(shard.blocks())


def test_a_tail_that_is_too_large_for_a_sample():
    below, above = (
        HeadAndTail.of(WordCounts.from_counts({"ab": 2**60, "abcdefghi": count}), 1)
        for count in (2**59 - 1, 2**59)
    )
    assert 0 <= 2**59 - below.sample(10).total_count < 10
    with pytest.raises(InputError, match="the counts of the tail are too large"):
        above.sample(10)


def test_a_sample_of_integers_has_each_word_once():
    words = WordCounts.from_counts({(1, 2, 3): 5, (1, 2, 4): 3, (1, 2, 5): 2}, "ints")
    sample = HeadAndTail.of(words, 1).split_at([(1, 2)]).with_sample(100)
    assert sample.to_dict()[1, 2] == 10
    assert len(sample.to_dict()) == len(sample)
