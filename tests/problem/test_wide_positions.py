"""The index and the greedy methods with 64-bit positions, forced, against 32-bit ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries
from shared.strategies import instances

from partcover import InputError, Instance, WordCounts, greedtok, greedwmc, improve, lower_bound
from partcover.problem.candidates import CandidateIndex
from partcover.problem.memory_plan import memory_plan
from partcover.problem.word_index import Intervals, WordIndex, n_positions

WORDS = WordCounts.from_counts({"that": 3, "hat": 2, "hats": 1})

words_st = st.dictionaries(
    st.text("abc", min_size=1, max_size=9).map(str.encode)
    | st.binary(min_size=1, max_size=4)
    | st.sampled_from([b"aaaa", b"ayaya", b"abababab", b"a" * 13, b"ab" * 40]),
    st.integers(1, 9),
    max_size=8,
).map(WordCounts.from_counts)


@contextmanager
def wide(**limits: int) -> Iterator[None]:
    """Gives positions 64 bits, whatever their number."""
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in {"NARROW_POSITIONS": 0, **limits}.items():
            patch.setattr(f"partcover.problem.word_index.{name}", limit)
        yield


def same(narrow, other) -> None:
    """Arrays of positions that are equal, and of the two types."""
    assert narrow.dtype == np.int32
    assert other.dtype == np.int64
    assert narrow.tolist() == other.tolist()


@tries(300)
@given(
    words_st, st.lists(st.binary(min_size=1, max_size=3) | st.text("abc", min_size=1), max_size=6)
)
def test_suffixes_and_tokens(words, tokens):
    kind = str if words.symbols == "chars" else bytes
    tokens = [token for token in tokens if type(token) is kind]
    narrow = WordIndex(words)
    with wide():
        other = WordIndex(words)
    same(narrow.sa, other.sa)
    ours, theirs = narrow.find_tokens(tokens), other.find_tokens(tokens)
    same(ours.lo, theirs.lo)
    same(ours.hi, theirs.hi)
    for name in ("only_word_and_weight", "occurrences_of"):
        a, b = (getattr(i, name)(t) for i, t in ((narrow, ours), (other, theirs)))
        assert [*map(np.ndarray.tolist, a)] == [*map(np.ndarray.tolist, b)]
    assert narrow.words_equal(ours).tolist() == other.words_equal(theirs).tolist()
    assert narrow.positions_ascending().tolist() == other.positions_ascending().tolist()


@pytest.mark.long
@tries(300)
@given(words_st, st.integers(1, 60), st.booleans(), st.sampled_from([1, 3]), st.integers(2, 9))
def test_candidates(words, most, some, threads, longest):
    limits = {
        "most": most if some else None,
        "threads": threads,
        "max_length": longest,
        "forbidden": [b"ab"],
    }
    narrow = CandidateIndex(words, **limits)
    with wide():
        other = CandidateIndex(words, **limits)
    found = [(index.intervals, index.weight) for index in (narrow, other)]
    if some:
        blocked = (np.arange(len(narrow.text)) % 3 == 0).astype(np.uint8)
        found += [index.most_promising(blocked, most // 2 + 1, 0)[:2] for index in (narrow, other)]
    for (ours, weight), (theirs, other_weight) in zip(found[::2], found[1::2], strict=True):
        same(ours.lo, theirs.lo)
        same(ours.hi, theirs.hi)
        assert ours.length.tolist() == theirs.length.tolist()
        assert weight.tolist() == other_weight.tolist()
    for name in ("total", "n_undominated", "min_promise"):
        assert getattr(narrow, name) == getattr(other, name)
    tokens = list(narrow.tokens())
    assert list(other.tokens()) == tokens
    assert other.numbers(other.find_tokens(tokens)).tolist() == [*range(len(tokens))]


@pytest.mark.long
@pytest.mark.parametrize("solver", [greedtok, greedwmc])
@tries(300)
@given(instance=instances(), held=st.integers(0, 9), threads=st.integers(1, 2))
def test_greedy(solver, instance, held, threads):
    narrow = solver(instance)
    with wide(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("partcover.problem.instance.MOST_HELD", held)
        again = replace(instance)  # without the index
        other = solver(again, threads=threads)
        assert again.promising_index().sa.dtype == np.int64
    assert other.vocabulary == narrow.vocabulary
    assert other.gains == narrow.gains
    assert (other.tokens, other.extra) == (narrow.tokens, narrow.extra)


@tries(60)
@given(instance=instances())
def test_search(instance):
    narrow = improve(instance, bound=False)
    with wide():
        other = improve(replace(instance), bound=False)
    assert (other.tokens, other.vocabulary) == (narrow.tokens, narrow.vocabulary)


def test_positions_have_32_bits_where_they_suffice(monkeypatch):
    for limit, bits in ((n_positions(WORDS), 32), (n_positions(WORDS) - 1, 64)):
        monkeypatch.setattr("partcover.problem.word_index.NARROW_POSITIONS", limit)
        assert WordIndex(WORDS).sa.dtype == f"int{bits}"


def test_keys_of_far_positions_ascend_with_the_tokens():
    lo = np.array([2**31, 2**31, 2**35 - 3, 2**35 - 3], np.int64)
    key = Intervals(lo, lo + 1, np.array([2, 2**28 - 1, 2, 3], np.int32)).key.tolist()
    assert key == sorted(set(key))
    assert key[0] > 0


def test_a_plan_knows_the_width():
    instance = Instance(WORDS, 2)
    narrow = memory_plan(instance, "greedy").parts
    with wide():
        other = memory_plan(instance, "greedy").parts
    index = "the index of the words"
    assert other[index] - narrow[index] == 5 * n_positions(WORDS)
    assert other["candidates"] > narrow["candidates"]
    assert other["occurrences"] == 2 * narrow["occurrences"]


def test_a_bound_refuses_what_it_has_no_room_for():
    with wide():
        for work in (lower_bound, improve, lambda instance: memory_plan(instance, "bound")):
            with pytest.raises(InputError, match=r"15 positions.* a bound looks at 0 .*--head"):
                work(Instance(WORDS, 2))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"MOST_WORDS": 2}, r"3 distinct words .* of 2 words: the 2 most frequent words fit"),
        (
            {"MOST_POSITIONS": 10},
            r"15 positions .* 10 can be indexed.* the 2 most frequent words fit",
        ),
        ({"LONGEST_WORD": 3}, "a word has 4 symbols, and 3 are the most .* pre-tokenizer"),
    ],
)
def test_what_has_no_room_in_64_bits_is_refused(limits, message):
    with wide(**limits), pytest.raises(InputError, match=message):
        WordIndex(WORDS)
    with wide(**dict.fromkeys(limits, 2**20)):
        assert len(WordIndex(WORDS).sa) == 15
