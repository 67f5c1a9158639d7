"""Extensions under longest match, where more tokens may cost a corpus more."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.greedy import all_candidates
from oracles.segmentation import longest_match

from partcover import Vocabulary, WordCounts, check_certificate, extend

WORDS = st.dictionaries(
    st.text("ab", min_size=1, max_size=6) | st.text("abc", min_size=2, max_size=5),
    st.integers(1, 9),
    min_size=1,
    max_size=4,
).map(lambda words: {word.encode(): count for word, count in words.items()})
TOKENS = st.lists(st.text("abc", min_size=2, max_size=4), unique=True, max_size=4)


def needed(words, tokens):
    return sum(count * len(longest_match(word, tokens)) for word, count in words.items())


@settings(max_examples=41, deadline=None)
@given(
    words=WORDS,
    keep=WORDS,
    tokens=TOKENS,
    m=st.integers(1, 2),
    share=st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3)]),
)
def test_the_limit_is_kept_and_the_bound_holds(words, keep, tokens, m, share):
    base = Vocabulary(tokens, rule="longest_match")
    corpora = [WordCounts.from_counts(corpus) for corpus in (words, keep)]
    found = extend(base, corpora[0], m, keep=corpora[1], at_most=share)
    tokens = [token.encode() for token in tokens]
    before = needed(keep, tokens)
    limit = before + int(before * share)
    assert found.limit == limit
    new = list(found.new)
    assert found.tokens == found.corpus.after == needed(words, [*tokens, *new])
    assert found.keep.after == needed(keep, [*tokens, *new]) <= limit
    pool = sorted(all_candidates(words) - set(tokens))
    choices = [c for size in range(m + 1) for c in combinations(pool, size)]
    kept = [c for c in choices if needed(keep, [*tokens, *c]) <= limit]
    best = min(needed(words, [*tokens, *c]) for c in kept)
    assert found.lower_bound <= best <= found.tokens
    assert sum(found.gains) == found.corpus.before - found.tokens
    assert check_certificate(found.instance, found.certificate).ok


def test_a_token_that_costs_the_other_corpus_is_left_out():
    base = Vocabulary(["bcd"], rule="longest_match")
    words, keep = ({"ab": 9, "xy": 1}, {"abcd": 1, "ab": 0 + 1})
    corpora = [WordCounts.from_counts(corpus) for corpus in (words, keep)]
    free = extend(base, corpora[0], 1, keep=corpora[1])
    assert (free.new, free.keep.before, free.keep.after) == ((b"ab",), 4, 4)
    alone = WordCounts.from_counts({"abcd": 2})
    held = extend(base, corpora[0], 1, keep=alone, at_most=0)
    assert (held.new, held.keep.after, held.limit) == ((b"xy",), 4, 4)
