"""Extensions against the best ones found by trying everything."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.greedy import all_candidates, shortest_path

from partcover import InputError, Vocabulary, WordCounts, check_certificate, extend, segment, verify

WORDS = st.dictionaries(
    st.text("ab", min_size=1, max_size=5) | st.text("abc", min_size=2, max_size=4),
    st.integers(1, 5),
    min_size=1,
    max_size=4,
)
TOKENS = st.lists(st.text("abc", min_size=2, max_size=4), unique=True, max_size=4)
SYMBOLS = st.sampled_from(["bytes", "chars"])


def needed(words, tokens):
    return sum(count * len(shortest_path(word, tokens)) for word, count in words.items())


def weighted(words, keep, weight):
    """The objective: what a token of each word counts."""
    both = dict.fromkeys([*words, *keep], Fraction(0))
    for word, count in words.items():
        both[word] += count * weight.denominator
    for word, count in keep.items():
        both[word] += count * weight.numerator
    return {word: count for word, count in both.items() if count}


@settings(max_examples=50, deadline=None)
@given(
    words=WORDS,
    keep=WORDS,
    tokens=TOKENS,
    m=st.integers(1, 2),
    weight=st.fractions(0, 3, max_denominator=4),
    symbols=SYMBOLS,
)
def test_the_best_tokens_are_added(words, keep, tokens, m, weight, symbols):
    base = Vocabulary(tokens, symbols)
    counted = [WordCounts.from_counts(corpus, symbols) for corpus in (words, keep)]
    found = extend(base, counted[0], m, keep=counted[1], keep_weight=weight, at_most=0)
    objective = weighted(words, keep, weight)
    pool = sorted(all_candidates(objective) - set(tokens))
    best = min(needed(objective, [*tokens, *new]) for new in combinations(pool, min(m, len(pool))))
    assert found.lower_bound <= best <= found.tokens
    # what it says is so
    new = [token.decode() if symbols == "bytes" else token for token in found.new]
    assert len(new) == len(found.gains) <= m
    assert found.vocabulary.tokens[: len(base)] == base.tokens
    assert found.tokens == needed(objective, [*tokens, *new])
    assert (found.corpus.before, found.corpus.after) == (
        needed(words, tokens),
        needed(words, [*tokens, *new]),
    )
    assert found.keep.after == needed(keep, [*tokens, *new]) <= found.keep.before
    for token, gain in zip(new, found.gains, strict=True):
        others = [other for other in (*tokens, *new) if other != token]
        assert gain == needed(objective, others) - found.tokens
    # and others confirm it
    assert verify(found.instance, found.vocabulary).tokens == found.tokens
    assert check_certificate(found.instance, found.certificate).lower_bound == found.lower_bound


@settings(max_examples=25, deadline=None)
@given(words=WORDS, tokens=TOKENS, m=st.integers(1, 2))
def test_by_priority_no_corpus_needs_more(words, tokens, m):
    base = Vocabulary(tokens, rule="priority")
    found = extend(base, WordCounts.from_counts(words), m)
    assert found.corpus.before - found.tokens == sum(found.gains)
    before = segment(found.corpus.words, base).pieces
    assert (segment(found.corpus.words, found.vocabulary).pieces <= before).all()
    pool = sorted(all_candidates(words) - set(tokens))
    choices = combinations(pool, min(m, len(pool)))
    assert found.lower_bound <= min(needed(words, [*tokens, *new]) for new in choices)


def test_ids_stand_behind_all_others():
    base = Vocabulary(
        ["th", "at"],
        ids=[*range(10, 266), 7, 300],
        special={"<s>": 400, "</s>": 3},
        special_flags={"<s>": ["lstrip"]},
    )
    found = extend(base, WordCounts.from_counts({"that": 3, "hat": 2}), 2)
    assert found.new_ids == (401, 402)
    assert found.vocabulary.id_of[:258] == base.id_of
    assert found.vocabulary.special == base.special
    assert found.vocabulary.special_flags == base.special_flags
    assert found.vocabulary.provenance["base_size"] == 2


def test_fewer_are_added_where_no_more_help():
    found = extend(Vocabulary(["hat"]), WordCounts.from_counts({"that": 3}), 9)
    assert (found.new, found.tokens, found.lower_bound, found.m) == ((b"that",), 3, 3, 9)


def test_characters_are_not_cut_where_bytes_have_no_id():
    listed = {byte: place for place, byte in enumerate(b"naive")}
    ids = [listed.get(byte, -1) for byte in range(256)]
    words = WordCounts.from_counts({"éè": 3, "éà": 3, "ïa": 1})
    found = extend(Vocabulary([], ids=ids), words, 3)
    assert found.tokens == found.lower_bound
    assert "éè".encode() in found.new
    for token in found.new:
        token.decode("utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"m": 0}, "m is 0"),
        ({"words": WordCounts.from_counts({"hat": 1}, "chars")}, "is over chars"),
        ({"words": WordCounts.from_counts({"hat": 1}, pretokenizer="gpt2")}, "counted with gpt2"),
        ({"rule": "single_symbols"}, "uses no tokens"),
        ({"at_most": 0.1}, "none is given"),
        ({"keep_weight": 2}, "none is given"),
        ({"keep_weight": -1}, "from 0"),
        ({"keep_weight": 1e-9}, "six decimals"),
        ({"keep": WordCounts.from_counts({"hat": 1}, "chars")}, "the corpus to keep is over chars"),
    ],
)
def test_mistakes(change, message):
    right = {
        "base": Vocabulary(["ha"], pretokenizer="cl100k"),
        "words": WordCounts.from_counts({"hat": 2}),
        "m": 1,
    }
    with pytest.raises(InputError, match=message):
        extend(**{**right, **change})
