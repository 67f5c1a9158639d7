"""Tokenizers of whole texts whose tokens reach across words are extended and pruned exactly."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import shortest_path
from shared.properties import tries

from partcover import (
    InputError,
    Vocabulary,
    WordCounts,
    check_certificate,
    extend,
    extension_instances,
    prune,
    segment,
    verify,
)
from partcover.adaptation import base as adaptation_base
from partcover.adaptation.prune import restricted

RULES = ["shortest_path", "priority", "longest_match", "merges", "character_merges", "likelihood"]
TEXTS = st.lists(st.text("ab  ", min_size=1, max_size=14), min_size=1, max_size=3)
TOKENS = st.lists(st.text("ab ", min_size=2, max_size=4), unique=True, min_size=1, max_size=5)
INNER = re.compile(r"(?<=[^ ])(?= )")


def made(tokens, rule, symbols="chars"):
    """A vocabulary over whole texts; of merges, with the pairs that make its tokens."""
    use = {}
    if rule == "likelihood":
        use = {"scores": [-len(t) / 4 for t in tokens], "symbol_scores": dict.fromkeys("ab ", -1)}
    if rule == "character_merges":
        pairs = [(t[:cut], t[cut:]) for t in tokens for cut in range(1, len(t))]
        there = {*tokens, *"ab "}
        use["merges"] = [pair for pair in pairs if there.issuperset(pair)]
    return Vocabulary(tokens, symbols, rule=rule, pretokenizer="none", **use)


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES)
@tries(60)
@given(texts=TEXTS, tokens=TOKENS, m=st.integers(1, 2))
def test_extending(rule, texts, tokens, m):
    base = made(tokens, rule)
    words = WordCounts.from_texts(texts, pretokenizer="none", symbols="chars")
    found = extend(base, words, m, time_limit=0.3)
    # exact on the whole texts, not only on what they are cut into
    assert found.corpus.before == segment(words, base).tokens
    assert found.corpus.after == segment(words, found.vocabulary).tokens
    assert found.lower_bound <= found.tokens
    instance, bounded = extension_instances(found.vocabulary, words)
    assert verify(instance, found.vocabulary).problems == ()
    assert check_certificate(bounded, found.certificate).problems == ()
    texts_of = [text for text in texts if text]
    if any(INNER.search(part) for part, _ in found.corpus.words):
        assert not any(INNER.search(token) for token in found.new)
        parts = {part for text in texts_of for part in INNER.split(text)}
        candidates = {
            w[i:j] for w in parts for i in range(len(w)) for j in range(i + 2, len(w) + 1)
        }
        candidates -= set(tokens)
        if rule not in ("merges", "character_merges"):
            best = min(
                sum(len(shortest_path(text, [*tokens, *new])) for text in texts_of)
                for new in combinations(candidates, min(m, len(candidates)))
            )
            assert found.lower_bound <= best


@pytest.mark.parametrize("rule", RULES)
@tries(40)
@given(texts=TEXTS, tokens=TOKENS)
def test_pruning(rule, texts, tokens):
    base = made(tokens, rule)
    words = WordCounts.from_texts(texts, pretokenizer="none", symbols="chars")
    k = (len(tokens) + 1) // 2
    found = prune(base, words, k, time_limit=0.3)
    assert found.corpus.before == segment(words, base).tokens
    assert found.tokens == segment(words, found.vocabulary).tokens
    chosen = [restricted(base, [*kept], k) for kept in combinations(base.tokens, k)]
    assert found.lower_bound <= min(segment(words, kept).tokens for kept in chosen)
    assert found.check().ok


def test_tokens_of_one_word_where_others_reach_across():
    base = Vocabulary(["a b"], pretokenizer="none")
    words = WordCounts.from_texts(["ccc a b ccc d"] * 2, pretokenizer="none")
    found = extend(base, words, 1)
    assert found.new == (b"ccc",)
    assert (found.tokens, found.lower_bound) == (14, 14)


def test_too_many_substrings_are_one_line(monkeypatch):
    monkeypatch.setattr(adaptation_base, "_MOST_LISTED", 10)
    base = Vocabulary(["a b"], pretokenizer="none")
    words = WordCounts.from_texts(["a b cccccccc"], pretokenizer="none")
    with pytest.raises(InputError, match="take a smaller text"):
        extend(base, words, 1)
