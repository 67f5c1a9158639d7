"""Tiny instances: the kernel against the oracles, and the search against every instance."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens, most_relaxed_cover
from oracles.greedy import all_candidates, greedy, shortest_path
from oracles.trainers.bpe import bpe
from shared.listener import Listener
from shared.properties import tries

from partcover import (
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    greedtok,
    greedwmc,
    solve,
    verify,
)
from partcover.instances import worst_case_search
from partcover.instances.worst_case import METHODS, worst
from partcover.kernels.search import _worst_case

words_st = st.dictionaries(
    st.text("ab", min_size=1, max_size=9)
    | st.text("abc", min_size=1, max_size=6)
    | st.sampled_from(["aaaa", "aabaabaa", "a" * 16, "abababababababab", "scaredy"]),
    st.integers(1, 4),
    min_size=1,
    max_size=4,
)
few_words_st = st.dictionaries(
    st.text("ab", min_size=1, max_size=5) | st.text("abc", min_size=2, max_size=5),
    st.integers(1, 3),
    min_size=1,
    max_size=3,
)


def arrays(words: dict) -> tuple:
    order = {letter: i for i, letter in enumerate(sorted(set("".join(words))))}
    text = np.array([order[letter] for letter in "".join(words)], np.uint8)
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int64)
    return text, offsets, np.array(list(words.values()), np.int64)


def tokens_at(words: dict, places: list) -> list[str]:
    text = "".join(words)
    return [text[start : start + size] for start, size in places]


def cover_by_path(words: dict, tokens: list) -> int:
    return sum(c * (len(w) - len(shortest_path(w, tokens))) for w, c in words.items())


def by_oracle(method: str, words: dict, k: int) -> tuple[list, int]:
    if method == "bpe":
        tokens, pieces = bpe(words, k)
        return tokens, sum(c * len(w) for w, c in words.items()) - pieces
    tokens, gains = greedy(words, all_candidates(words), k, relaxed=method != "greedtok")
    return tokens, cover_by_path(words, tokens) if method == "greedwmc" else sum(gains)


@pytest.mark.parametrize("method", METHODS)
@tries(400)
@given(words=words_st, k=st.integers(0, 9))
def test_methods(method, words, k):
    cover, places = _worst_case.method_cover(*arrays(words), k, METHODS.index(method))
    assert (tokens_at(words, places), cover) == by_oracle(method, words, k)


@tries(100)
@given(words=few_words_st, k=st.integers(0, 3))
def test_optimum_is_brute_force(words, k):
    instance = Instance(WordCounts.from_counts(words), k)
    fewest = fewest_tokens(instance)
    assert _worst_case.optimum(*arrays(words), k)[0] == instance.words.total_symbols - fewest
    assert _worst_case.optimum(*arrays(words), k, True)[0] == most_relaxed_cover(instance)


@tries(250)
@given(words=words_st, k=st.integers(0, 6))
def test_methods_of_the_package(words, k):
    instance = Instance(WordCounts.from_counts(words), k)
    for method, run in ((0, greedtok), (2, greedwmc)):
        cover, places = _worst_case.method_cover(*arrays(words), k, method)
        solution = run(instance)
        assert [t.encode() for t in tokens_at(words, places)] == list(solution.vocabulary)
        assert cover == sum(solution.gains)


@tries(250)
@given(words=few_words_st, k=st.integers(0, 3))
def test_optimum(words, k):
    instance = Instance(WordCounts.from_counts(words), k)
    cover, places = _worst_case.optimum(*arrays(words), k)
    tokens = tokens_at(words, places)
    assert len(set(tokens)) == len(tokens) <= k
    assert cover == cover_by_path(words, tokens)
    assert cover == instance.words.total_symbols - fewest_tokens(instance)
    relaxed, places = _worst_case.optimum(*arrays(words), k, True)
    assert relaxed == most_relaxed_cover(instance) >= cover
    assert len(places) <= k


@tries(25)
@given(words=words_st, k=st.integers(1, 4))
def test_optimum_of_the_solver(words, k):
    instance = Instance(WordCounts.from_counts(words), k)
    assert _worst_case.optimum(*arrays(words), k)[0] == solve(instance).cover
    relaxed = solve(instance, formulation="wmc").extra["relaxed_cover"]
    assert _worst_case.optimum(*arrays(words), k, True)[0] == relaxed


def test_more_tokens_than_pairs():
    words = {"abcdefghijklmnop": 1, "ponmlkjihgfedcba": 2}
    assert _worst_case.optimum(*arrays(words), 1000)[0] == 45
    assert _worst_case.optimum(*arrays(words), 1000, True)[0] == 45
    for method in range(4):
        assert _worst_case.method_cover(*arrays(words), 1000, method)[0] == 45


def test_what_the_kernel_does_not_hold():
    for words in ({"a" * 17: 1}, {"a" * 16: 1, "b" * 16: 1, "c" * 16: 1, "d" * 16: 1, "e": 1}):
        with pytest.raises(ValueError, match=r"16 symbols|64 symbols"):
            _worst_case.optimum(*arrays(words), 1)


MEASURED = [
    (method, measure)
    for method in METHODS
    for measure in ("cover", "tokens")
    if (method, measure) != ("greedwmc-relaxed", "tokens")
]


@pytest.mark.parametrize(("method", "measure"), MEASURED)
@pytest.mark.parametrize(
    ("k", "alphabet", "words", "length"), [(1, 2, 2, 4), (2, 3, 2, 3), (2, 2, 3, 3), (3, 1, 3, 5)]
)
def test_enumeration_is_of_everything(method, measure, k, alphabet, words, length):
    pool = ["".join(w) for n in range(2, length + 1) for w in product("abc"[:alphabet], repeat=n)]
    names = [dict(zip("abc", image, strict=False)) for image in permutations("abc"[:alphabet])]
    best = None
    seen = 0
    classes = set()
    for size in range(1, words + 1):
        for chosen in combinations_with_replacement(pool, size):
            seen += 1
            images = [[to[s] for s in word] for to in names for word in chosen]
            images = ["".join(image) for image in images]
            groups = [sorted(images[i : i + size]) for i in range(0, len(images), size)]
            backwards = [sorted(word[::-1] for word in group) for group in groups]
            classes.add(tuple(min(groups + backwards)))
            counts = Counter(chosen)
            optimum = _worst_case.optimum(*arrays(counts), k, method == "greedwmc-relaxed")[0]
            cover, symbols = by_oracle(method, counts, k)[1], sum(map(len, chosen))
            shares = {
                "cover": Fraction(cover, optimum),
                "tokens": Fraction(symbols - optimum, symbols - cover),
            }
            value = shares[measure], symbols
            best = value if best is None else min(best, value)
    case = worst(method, measure=measure, k=k, alphabet=alphabet, words=words, length=length)
    assert case.exhausted
    assert (case.seen, case.termination) == (seen, "completed")
    assert case.examined == len(classes)
    fraction = {
        "cover": (case.cover, case.optimum_cover),
        "tokens": (case.optimum_tokens, case.tokens),
    }
    assert (Fraction(*fraction[measure]), case.instance.words.total_symbols) == best
    assert by_oracle(method, {w.decode(): c for w, c in case.instance.words}, k)[1] == case.cover


@pytest.mark.parametrize(("method", "measure"), MEASURED)
def test_climb(method, measure, monkeypatch):
    space = {"measure": measure, "k": 2, "alphabet": 2, "words": 3, "length": 4}
    exact = worst(method, **space)
    monkeypatch.setattr(worst_case_search, "ENUMERABLE", 0)
    monkeypatch.setattr(worst_case_search, "PATIENCE", 500)
    climbed = worst(method, **space, restarts=2, seed=1)
    assert not climbed.exhausted
    if measure == "cover":
        assert exact.ratio <= climbed.ratio <= 1
    else:
        assert 1 <= climbed.tokens_ratio <= exact.tokens_ratio
    again = worst(method, **space, restarts=2, seed=1)
    assert climbed.to_json() | {"seconds": 0} == again.to_json() | {"seconds": 0}
    for word, _ in climbed.instance.words:
        assert 2 <= len(word) <= 4
        assert set(word) <= set(b"ab")


def test_what_is_reported():
    case = worst("greedtok", k=2, alphabet=2, words=3, length=4)
    assert case.ratio == case.cover / case.optimum_cover == 0.75
    assert case.tokens_ratio == case.tokens / case.optimum_tokens
    stated = case.instance.source
    assert stated["family"] == "worst-case"
    assert stated["exhausted"] is True
    assert stated["best"]["tokens"] == case.optimum_tokens
    assert verify(case.instance, case.optimal).tokens == case.optimum_tokens
    assert json.loads(json.dumps(case.to_json()))["vocabulary"] == stated["vocabulary"]


def test_the_best_tokens_of_a_relaxed_cover_are_those_of_the_problem(monkeypatch):
    """With overlaps allowed other tokens are the best ones than where words are cut."""
    monkeypatch.setattr(worst_case_search, "ENUMERABLE", 0)
    monkeypatch.setattr(worst_case_search, "PATIENCE", 200)
    case = worst("greedwmc-relaxed", k=2, alphabet=2, words=2, length=7, restarts=1)
    best = case.instance.source["best"]
    fewest = fewest_tokens(case.instance)
    assert verify(case.instance, case.optimal).tokens > best["tokens"] == fewest
    assert (case.optimum_tokens, case.tokens) == (None, None)
    stated = Vocabulary([token.encode() for token in best["vocabulary"]])
    assert verify(case.instance, stated).tokens == fewest


FILES = sorted(Path(__file__).parents[2].glob("instances/worst-*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_stated_ratio(path):
    """`test_library.py` proves the stated optimum of Tok."""
    instance = Instance.load(path)
    stated = instance.source
    words = {word.decode(): count for word, count in instance.words}
    tokens, cover = by_oracle(stated["method"], words, instance.k)
    assert (tokens, cover) == (stated["vocabulary"], stated["cover"])
    if stated["method"] == "greedwmc-relaxed":
        optimum = most_relaxed_cover(instance)
    else:
        optimum = instance.words.total_symbols - stated["best"]["tokens"]
    assert optimum == stated["optimum_cover"]
    assert stated["ratio"] == cover / optimum


def test_a_time_limit_keeps_the_worst_so_far():
    case = worst("bpe", k=3, alphabet=2, words=4, length=6, time_limit=0)
    assert (case.exhausted, case.termination) == (False, "time_limit")
    assert 0 < case.ratio < 1


def test_ctrl_c_keeps_the_worst_so_far():
    def interrupt(*_):
        raise KeyboardInterrupt

    case = worst("bpe", k=2, alphabet=2, words=1, length=5, progress=Listener(advance=interrupt))
    assert (case.exhausted, case.termination) == (False, "interrupted")
    assert 0 < case.ratio < 1


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"method": "unigram"}, "unknown method 'unigram'"),
        ({"measure": "bytes"}, "unknown measure 'bytes': use cover, tokens"),
        ({"method": "greedwmc-relaxed", "measure": "tokens"}, "greedwmc-relaxed has no tokens"),
        ({"k": 0}, "k is 0"),
        ({"alphabet": 17}, "alphabet is 17"),
        ({"length": 1}, "length is 1"),
        ({"words": 33, "length": 2}, "33 words of 2 symbols"),
        ({"restarts": 0}, "restarts is 0"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"method": "bpe", "k": 2**31}, "k is 2147483648: it must be from 1 to"),
    ],
)
def test_bad_input(options, part):
    with pytest.raises(InputError, match=part):
        worst(**options)
