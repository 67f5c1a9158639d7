"""Merges behind a vocabulary's own, against all sequences of merges, and the libraries."""

from __future__ import annotations

from base64 import b64decode
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.segmentation import merge, merge_characters

from partcover import Instance, Vocabulary, WordCounts, check_certificate, export, extend, trainers
from partcover.analysis.reachability import unreachable_tokens

WORDS = st.dictionaries(
    st.text("ab", min_size=1, max_size=5) | st.text("abc", min_size=2, max_size=6),
    st.integers(1, 5),
    min_size=1,
    max_size=4,
).map(lambda words: {word.encode(): count for word, count in words.items()})
ACCENTED = st.dictionaries(st.text("aéß", min_size=1, max_size=5), st.integers(1, 5), min_size=1)


def trained(words, k):
    """BPE's merges on the words."""
    return trainers.bpe(Instance(WordCounts.from_counts(words), k)).vocabulary


def needed(words, tokens, merges):
    return sum(count * len(merge(word, tokens, merges)) for word, count in words.items())


def best_merges(words, tokens, merges, m):
    """The fewest tokens with m merges behind the others, by trying them all."""
    fewest = needed(words, tokens, merges)
    if not m:
        return fewest
    pairs = {pair for word in words for pair in pairwise(merge(word, tokens, merges))}
    return min(
        [
            fewest,
            *(
                best_merges(words, [*tokens, left + right], [*merges, (left, right)], m - 1)
                for left, right in pairs
                if left + right not in tokens
            ),
        ]
    )


def best_ranks(words, tokens, m):
    """The fewest tokens with m tokens of lower rank, by trying them all."""
    fewest = needed(words, tokens, None)
    if not m:
        return fewest
    pool = {w[i:j] for w in words for i in range(len(w)) for j in range(i + 2, len(w) + 1)}
    choices = [best_ranks(words, [*tokens, token], m - 1) for token in pool - set(tokens)]
    return min([fewest, *choices])


@settings(max_examples=20, deadline=None)
@given(first=WORDS, words=WORDS, k=st.integers(0, 3), m=st.integers(1, 2))
def test_merges_as_pairs(first, words, k, m):
    base = trained(first, k)
    found = extend(base, WordCounts.from_counts(words), m)
    new = found.vocabulary
    assert new.merges[: len(base.merges)] == base.merges
    tokens, merges = list(new.tokens), list(new.merges)
    assert found.tokens == needed(words, tokens, merges)
    assert len(found.new) <= m
    best = best_merges(words, list(base.tokens), list(base.merges), m)
    assert found.lower_bound <= best <= found.tokens
    for word in (*words, *first):  # no word needs more than before
        before = merge(word, list(base.tokens), list(base.merges))
        assert len(merge(word, tokens, merges)) <= len(before)
    for token in found.new:
        assert merge(token, tokens, merges) == [token]
    assert sum(found.gains) == found.corpus.before - found.tokens
    assert check_certificate(found.instance, found.certificate).lower_bound == found.lower_bound


@settings(max_examples=20, deadline=None)
@given(
    words=WORDS,
    tokens=st.lists(st.text("abc", min_size=2, max_size=4), unique=True, max_size=4),
    m=st.integers(1, 2),
)
def test_merges_by_rank(words, tokens, m):
    base = Vocabulary(tokens, rule="merges")
    found = extend(base, WordCounts.from_counts(words), m)
    tokens = list(found.vocabulary.tokens)
    assert found.tokens == needed(words, tokens, None)
    assert found.lower_bound <= best_ranks(words, list(base.tokens), m)
    for word in words:
        assert len(merge(word, tokens)) <= len(merge(word, list(base.tokens)))
    assert check_certificate(found.instance, found.certificate).ok


@settings(max_examples=25, deadline=None)
@given(words=ACCENTED, tokens=st.lists(st.text("aéß", min_size=2, max_size=3), unique=True))
def test_merges_of_characters(words, tokens):
    words = {word.encode(): count for word, count in words.items()}
    base = Vocabulary(tokens, rule="character_merges")
    found = extend(base, WordCounts.from_counts(words), 2)
    tokens = list(found.vocabulary.tokens)
    counted = sum(c * len(merge_characters(word, tokens)) for word, c in words.items())
    assert found.tokens == counted <= found.corpus.before
    assert found.lower_bound <= found.tokens
    for token in found.new:
        token.decode("utf-8")
    assert set(unreachable_tokens(found.vocabulary)) <= set(found.unreachable)


def test_by_rank_whole_words_need_no_parents():
    base = Vocabulary(["th", "at"], rule="merges")
    found = extend(base, WordCounts.from_counts({"xyzzy": 9, "that": 1}), 1)
    assert (found.new, found.gains, found.tokens) == ((b"xyzzy",), (36,), 11)
    pairs = Vocabulary(["th"], rule="merges", merges=[("t", "h")])
    found = extend(pairs, WordCounts.from_counts({"xyzzy": 9}), 4)
    assert (found.tokens, len(found.new)) == (9, 4)


@settings(max_examples=25, deadline=None)
@given(
    words=WORDS,
    scores=st.dictionaries(
        st.text("abc", min_size=2, max_size=3), st.floats(-9, -1), min_size=1, max_size=4
    ),
    m=st.integers(1, 3),
)
def test_scores_join_what_was_likeliest(words, scores, m):
    singles = dict.fromkeys("abc", -5.0)
    base = Vocabulary(
        list(scores), rule="likelihood", scores=list(scores.values()), symbol_scores=singles
    )
    counted = WordCounts.from_counts(words)
    found = extend(base, counted, m, keep=counted, at_most=0)
    assert found.lower_bound <= found.tokens <= found.corpus.before
    assert found.vocabulary.scores[: len(base)] == base.scores
    assert check_certificate(found.instance, found.certificate).lower_bound == found.lower_bound


BASE = ["th", " t", " th", "er", "he", " the", "in", "on"]
TEXT = "the other theorem on the theory of the northern theatre and of another thing"


@pytest.mark.parametrize(("by_rank", "name"), [(True, "tiktoken"), (False, "huggingface")])
def test_libraries_cut_alike_and_ids_stay(tmp_path, by_rank, name):
    pytest.importorskip("tiktoken" if by_rank else "tokenizers")
    words = WordCounts.from_texts([TEXT], pretokenizer="gpt2")
    base = Vocabulary(BASE, rule="merges", pretokenizer="gpt2", special=["<|end|>"])
    if not by_rank:
        learned = trainers.bpe(Instance(words.most_frequent(5), 8)).vocabulary
        base = learned.with_(special=["<|end|>"])
    found = extend(base, words, 6)
    path = tmp_path / ("new.tiktoken" if by_rank else "tokenizer.json")
    result = export(found.vocabulary, path, name, corpus=words, text=None if by_rank else TEXT)
    assert result.exact
    assert result.exported_tokens == found.tokens
    first = 256 + len(base) + 1  # the special token is between
    assert found.new_ids == tuple(range(first, first + 6))
    if by_rank:
        lines = dict(line.split() for line in path.read_bytes().splitlines())
        ranks = {b64decode(token): int(rank) for token, rank in lines.items()}
        assert [ranks[token] for token in found.new] == list(found.new_ids)
