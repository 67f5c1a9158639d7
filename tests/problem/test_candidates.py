"""The candidate index against direct enumeration of substrings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds.certificate import sorted_symbols
from shared.properties import tries

from partcover import InputError, Instance, WordCounts, greedtok
from partcover.problem.candidates import CandidateIndex

words_st = st.dictionaries(
    st.text("abc", min_size=1, max_size=9).map(str.encode)
    | st.binary(min_size=1, max_size=4)
    | st.sampled_from([b"aaaa", b"ayaya", b"abababab", b"aaaaaaaaaaaaa"]),
    st.integers(1, 9),
    max_size=8,
)


def direct(instance: Instance) -> tuple[Counter, dict]:
    """Weighted occurrences, and the occurrences, of every candidate, dominated ones included."""
    weight: Counter = Counter()
    places: dict = {}
    for index, (word, count) in enumerate(instance.words):
        for i in range(len(word)):
            for j in range(i + 2, len(word) + 1):
                weight[word[i:j]] += count
                places.setdefault(word[i:j], []).append((index, i))
    if instance.candidates is None:
        longest = instance.max_length or 10**9
        keep = {t for t in weight if len(t) <= longest and weight[t] >= instance.min_count}
    else:
        keep = set(instance.candidates) & set(weight)
    keep -= set(instance.forbidden)
    return Counter({t: weight[t] for t in keep}), places


def check(instance: Instance) -> None:
    index = instance.index
    assert index.positions_ascending().tolist() == sorted_symbols(instance.words)
    weight, places = direct(instance)
    words = [word for word, _ in instance.words]
    kept = {
        t
        for t in weight
        if len({w for w, _ in places[t]}) > 1
        or words[places[t][0][0]] not in weight
        or t == words[places[t][0][0]]
    }
    assert index.total == len(weight)
    tokens = list(index.tokens())
    assert list(index.tokens(index.numbers(index.find_tokens(tokens)))) == tokens
    every = index.find_words(), index.find_tokens(words)
    for one, other in zip(*every, strict=True):
        assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())
    others = [token[:-1] + token[:1] for token in tokens]  # many sort where a candidate does
    numbers = index.numbers(index.find_tokens(others)).tolist()
    assert numbers == [tokens.index(token) if token in kept else -1 for token in others]
    assert tokens == sorted(kept)
    assert dict(zip(tokens, index.weight.tolist(), strict=True)) == {t: weight[t] for t in kept}
    which, word, start = index.occurrences_of(index.intervals)
    got = [
        (int(w), int(s), tokens[c])
        for c, w, s in zip(which.tolist(), word.tolist(), start.tolist(), strict=True)
    ]
    expected = sorted(
        ((w, s, t) for t in kept for w, s in places[t]), key=lambda o: (o[0], o[1], len(o[2]))
    )
    assert got == expected


@pytest.mark.long
@tries(600)
@given(words_st, st.none() | st.integers(2, 6), st.integers(1, 12), st.data())
def test_substrings(words, max_length, min_count, data):
    everything = sorted({w[i:j] for w in words for i in range(len(w)) for j in range(i + 2, 99)})
    forbidden = data.draw(st.lists(st.sampled_from([*everything, b"zz"]), max_size=4))
    forbidden = [t for t in forbidden if len(t) > 1]
    check(
        Instance(
            WordCounts.from_counts(words),
            3,
            max_length=max_length,
            min_count=min_count,
            forbidden=forbidden,
        )
    )


@tries(300)
@given(words_st, st.data())
def test_explicit_list(words, data):
    everything = sorted(
        {w[i:j] for w in words for i in range(len(w)) for j in range(i + 2, len(w) + 1)}
    )
    some = st.lists(st.sampled_from([*everything, b"zz", b"a\xffa"]), max_size=12)
    check(
        Instance(
            WordCounts.from_counts(words),
            3,
            candidates=data.draw(some),
            forbidden=data.draw(some.map(lambda f: f[:2])),
        )
    )


@tries(200)
@given(
    st.dictionaries(
        st.lists(st.integers(0, 3) | st.just(2**61), min_size=1, max_size=7).map(tuple),
        st.integers(1, 9),
        max_size=6,
    )
)
def test_integers(words):
    check(Instance(WordCounts.from_counts(words, "ints"), 2))


def test_characters():
    check(Instance(WordCounts.from_counts({"naïve": 2, "naïf": 1, "𝄞𝄞𝄞": 4}, "chars"), 2))


def test_long_periodic_word_is_linear_enough():
    words = WordCounts.from_counts({b"a" * 20_000: 3, b"ab" * 10_000: 1})
    index = Instance(words, 1, max_length=40).index
    assert index.total == 39 + 2 * 39  # a.., ab.., ba.. of each length 2 to 40
    assert int(index.weight.max()) == 19_999 * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": -1}, "k is -1"),
        ({"k": 1, "required": [b"ab", b"bc"]}, "2 tokens are required, k is 1"),
        ({"k": 1, "candidates": [b"a"]}, "candidates: token 'a' has fewer than two symbols"),
        ({"k": 2, "required": [b"ab"], "forbidden": [b"ab"]}, "'ab' is both required and forb"),
        ({"k": 2, "max_length": 1}, "max_length is 1"),
        ({"k": 2, "min_count": 0}, "min_count is 0"),
        (
            {"k": 2, "candidates": [b"ab"], "min_count": 3},
            "max_length and min_count are not possible",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        Instance(WordCounts.from_counts({"abc": 1}), **options)


def test_corpus_that_overflows():
    with pytest.raises(InputError, match="more than int64 holds"):
        WordCounts.from_counts({"abcd": 2**62})
    with pytest.raises(InputError, match="does not fit in int64"):
        WordCounts.from_counts([("ab", 2**62), ("ab", 2**62)])
    assert WordCounts.from_counts({"a": 2**63 - 1}).total_symbols == 2**63 - 1
    assert np.asarray(WordCounts.from_counts({"a": 5}).counts).dtype == np.int64


def test_positions_ascend_with_the_words():
    words = WordCounts.from_counts({b"bb": 1, b"ba": 2, b"a": 1, b"bab": 3})
    ascending = Instance(words, 1).index.positions_ascending()
    assert words.data[ascending].tobytes() == b"a" + b"ba" + b"bab" + b"bb"


def test_words_beyond_the_positions_are_refused_and_those_that_fit_are_indexed(monkeypatch):
    words = WordCounts.from_counts({"rare": 1, "often": 9, "more": 4, "seldom": 2})
    monkeypatch.setattr("partcover.problem.word_index.MOST_POSITIONS", 12)
    with pytest.raises(InputError, match=r"24 positions.* 12 can.*the 2 most frequent.*--head"):
        greedtok(Instance(words, 3))
    assert len(Instance(words.most_frequent(2), 3).index) == 2
    monkeypatch.setattr("partcover.problem.word_index.MOST_POSITIONS", 11)
    with pytest.raises(InputError, match="the 1 most frequent"):
        greedtok(Instance(words, 3))


@tries(60)
@given(words_st, st.integers(1, 60), st.booleans())
def test_threads_do_not_change_the_candidates(counts, most, some):
    words = WordCounts.from_counts(counts)
    limits = {"most": most if some else None, "min_count": 2, "max_length": 7}
    one, several = (CandidateIndex(words, threads=threads, **limits) for threads in (1, 3))
    blocked = (np.arange(len(one.text)) % 3 == 0).astype(np.uint8)
    assert (one.total, one.n_undominated) == (several.total, several.n_undominated)
    assert one.min_promise == several.min_promise
    results = [(*index.intervals, index.weight) for index in (one, several)]
    if some:
        again = [index.most_promising(blocked, most // 2 + 1, 0) for index in (one, several)]
        assert again[0][2] == again[1][2]
        results = [(*r, *a[0], a[1]) for r, a in zip(results, again, strict=True)]
    for a, b in zip(*results, strict=True):
        assert a.tolist() == b.tolist()


@tries(300)
@given(words_st, st.integers(1, 60))
def test_no_more_are_held_than_asked_for_but_of_one_promise(counts, most):
    words = WordCounts.from_counts({word * 9: count for word, count in counts.items()})
    all_of_them = CandidateIndex(words, most=10**6)
    held = CandidateIndex(words, most=most)
    promise = held.weight * (held.intervals.length.astype(np.int64) - 1)
    every = all_of_them.weight * (all_of_them.intervals.length.astype(np.int64) - 1)
    assert (len(held) > 0) == (len(all_of_them) > 0)
    assert len(held) <= most or len(set(promise.tolist())) == 1
    assert sorted(promise.tolist()) == sorted(every[every >= held.min_promise].tolist())
