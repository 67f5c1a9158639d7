"""Runs whose checksums were made right after a change: what they may hold is checked, too."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import InputError
from partcover.corpus.counting import runs
from partcover.kernels.words import _word_lines

WORDS = [(b"ab", 3), (b"abc", 1), (b"b", 2)]


def arrays(words) -> tuple:
    offsets = np.cumsum([0, *(len(word) for word, _ in words)], dtype=np.int64)
    counts = np.array([count for _, count in words], np.int64)
    return np.frombuffer(b"".join(word for word, _ in words), np.uint8), offsets, counts


def written(path, blocks) -> None:
    """A run of any blocks, with right checksums."""
    whole, words, checksum = b"partcover run 2\n", 0, zlib.crc32(b"partcover run 2\n")
    for data, offsets, counts in blocks:
        parts = b"".join(array.tobytes() for array in (offsets, counts, data))
        head = struct.pack("<qqI", len(counts), len(data), zlib.crc32(parts))
        whole, words, checksum = (
            whole + head + parts,
            words + len(counts),
            zlib.crc32(head, checksum),
        )
    path.write_bytes(whole + struct.pack("<qqI", 0, words, checksum))


def test_a_run_is_whole_if_it_was_written_to_its_end(tmp_path):
    path = tmp_path / "r"
    assert not runs.is_whole(path)
    written(path, [arrays(WORDS)])
    assert runs.is_whole(path)
    data = path.read_bytes()
    for other in (data[:-1], data[:-20], b"x" + data[1:], b"", bytes(len(data)), data + bytes(20)):
        path.write_bytes(other)
        assert not runs.is_whole(path)


def test_a_run_that_lost_something_is_refused(tmp_path):
    """Zeros at the head of a block are no end, wherever they come from."""
    path = tmp_path / "r"
    written(path, [arrays(WORDS[:1]), arrays(WORDS[1:])])
    data = path.read_bytes()
    second = data.index(struct.pack("<qq", 2, 4), 16)  # the head of the second block
    left_out = data[:second] + data[-20:]
    zeros = [data[:at] + bytes(len(data) - at) for at in range(len(data))]
    for other in (*zeros, left_out, data[:second] + bytes(20), data + bytes(20), data + data[-20:]):
        path.write_bytes(other)
        with pytest.raises(InputError, match="damaged"):
            list(runs.read_run(path))
    written(path, [])
    assert list(runs.read_run(path)) == []


@pytest.mark.parametrize("by_count", [False, True])
def test_what_is_sorted_is_read(tmp_path, by_count):
    words = sorted(WORDS, key=lambda pair: (-pair[1], pair[0])) if by_count else WORDS
    written(tmp_path / "r", [arrays(words[:2]), arrays(words[2:])])
    assert len(list(runs.read_run(tmp_path / "r", by_count))) == 2
    with pytest.raises(InputError, match="damaged"):
        list(runs.read_run(tmp_path / "r", not by_count))


@pytest.mark.parametrize(
    ("offsets", "counts"),
    [
        ([0, 2, 5, 7], [3, 1, 2]),  # beyond the data
        ([0, 2, 5, 2**62], [3, 1, 2]),
        ([0, 2, 5, 5], [3, 1, 2]),  # not all of it
        ([-5, 2, 5, 6], [3, 1, 2]),
        ([1, 2, 5, 6], [3, 1, 2]),
        ([0, 5, 2, 6], [3, 1, 2]),
        ([0, -(2**62), 5, 6], [3, 1, 2]),
        ([0, 2**62, 5, 6], [3, 1, 2]),
        ([0, 2, 2, 6], [3, 1, 2]),  # a word without symbols
        ([0, 2, 5, 6], [3, 0, 2]),
        ([0, 2, 5, 6], [3, 1, -5]),
    ],
)
def test_what_is_no_list_of_words_is_refused(tmp_path, offsets, counts):
    data = np.frombuffer(b"ababcb", np.uint8)
    written(tmp_path / "r", [(data, np.array(offsets), np.array(counts))])
    with pytest.raises(InputError, match="r: this part of a count is damaged"):
        list(runs.read_run(tmp_path / "r"))


@pytest.mark.parametrize("cut", [[4], [1, 3]])
def test_words_out_of_order_are_refused(tmp_path, cut):
    for words in ([*WORDS, (b"ab", 1)], [*WORDS, (b"b", 1)], [WORDS[1], WORDS[0], WORDS[2]]):
        parts = [words[a:b] for a, b in pairwise([0, *cut, len(words)]) if words[a:b]]
        written(tmp_path / "r", map(arrays, parts))
        with pytest.raises(InputError, match="damaged"):
            list(runs.read_run(tmp_path / "r"))


@tries(400)
@given(
    st.lists(st.tuples(st.text("ab", max_size=3), st.integers(-1, 3)), max_size=4),
    st.booleans(),
)
def test_sorted_words_are_those_that_sorting_leaves_alone(drawn, by_count):
    words = [(text.encode(), count) for text, count in drawn]
    keys = [(-count, word) if by_count else word for word, count in words]
    expected = all(word and count > 0 for word, count in words) and keys == sorted(set(keys))
    assert _word_lines.are_sorted(*arrays(words), by_count) == expected


@pytest.mark.parametrize("room", [0, 60, 90, 1000])
@pytest.mark.parametrize("by_count", [False, True])
def test_what_is_gathered_comes_back_sorted_whatever_fits_into_memory(tmp_path, room, by_count):
    words = [(b"%c%c" % (97 + n % 5, 97 + n // 5), 1 + n % 3) for n in range(25)]
    with runs.Spill(tmp_path, room, by_count=by_count) as spill:
        for word in words:
            spill.add(arrays([word]))
        found = [(data.tobytes(), counts.tolist()) for data, _, counts in spill.blocks()]
    expected = sorted(words, key=lambda pair: (-pair[1] * by_count, pair[0]))
    assert b"".join(data for data, _ in found) == b"".join(word for word, _ in expected)
    assert [n for _, counts in found for n in counts] == [count for _, count in expected]
    assert [*tmp_path.iterdir()] == []


def test_all_runs_are_closed_if_one_is_damaged(tmp_path):
    for name in ("good", "bad"):
        runs.write_run(tmp_path / name, [arrays([(b"ab", 1), (b"b", 2)])])
    (tmp_path / "bad").write_bytes((tmp_path / "bad").read_bytes()[:-1])
    opened = [runs.read_run(tmp_path / name) for name in ("bad", "good")]
    with pytest.raises(InputError, match="damaged"):
        list(runs.merge(opened))
    assert [run.gi_frame for run in opened] == [None, None]
