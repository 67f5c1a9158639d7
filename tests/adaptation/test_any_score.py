"""By likelihood no token, whatever it scores, needs fewer than the bound: where cuts tie, too."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.adaptation import Plain, fewest_with_a_score
from shared.properties import tries

from partcover import Vocabulary, WordCounts, check_certificate, extend, extension_instances


def check(base: Vocabulary, words: dict) -> None:
    corpus = WordCounts.from_counts(words)
    found = extend(base, corpus, 1, time_limit=None)
    best = fewest_with_a_score(Plain.of(base), words, 1.0)
    assert found.lower_bound <= best
    _, bounded = extension_instances(found.vocabulary, corpus)
    check = check_certificate(bounded, found.certificate)
    assert (check.ok, check.lower_bound) == (True, found.lower_bound)


def scored(tokens: list[str], letters: str) -> Vocabulary:
    """A vocabulary whose tokens and symbols all score −1."""
    scores = {letter.encode(): -1.0 for letter in letters}
    return Vocabulary(tokens, rule="likelihood", scores=[-1.0] * len(tokens), symbol_scores=scores)


@pytest.mark.parametrize(
    ("tokens", "words", "fewest"),
    [
        (["ab", "bc"], ["abcd", "eabcd", "xcd", "ycd", "zcd"], 11),
        (["ab"], ["abcd", "xbcd", "ybcd", "zbcd", "yabcd"], 11),
    ],
)
def test_a_score_that_moves_words_to_other_cuts(tokens, words, fewest):
    base, counts = scored(tokens, "abcdexyz"), dict.fromkeys(map(str.encode, words), 1)
    assert fewest_with_a_score(Plain.of(base), counts, 1.0) == fewest
    check(base, counts)


@tries(60)
@given(st.integers(0, 2**31))
def test_cuts_that_tie(number):
    """Few scores and few letters, so that most words have several best cuts."""
    draw = random.Random(number)
    letters = "abcd"[: draw.randint(2, 4)]
    drawn = [draw.choices(letters, k=draw.randint(2, 5)) for _ in range(draw.randint(1, 5))]
    words = {"".join(word).encode(): draw.randint(1, 3) for word in drawn}
    texts = {w[a:b] for w in words for a in range(len(w)) for b in range(a + 2, len(w) + 1)}
    tokens = draw.sample(sorted(texts), min(len(texts), draw.randint(0, 3)))
    symbols = {letter.encode(): -float(draw.randint(1, 2)) for letter in letters}
    scores = [-float(draw.randint(1, 3)) for _ in tokens]
    check(Vocabulary(tokens, rule="likelihood", scores=scores, symbol_scores=symbols), words)
