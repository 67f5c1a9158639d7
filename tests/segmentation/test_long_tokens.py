"""Words and tokens that are too long for a trie to hold them without need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partcover import Vocabulary, WordCounts, segment
from partcover.segmentation import segmentation
from partcover.segmentation.cutters import cutter
from partcover.segmentation.long_tokens import LONG, whole_words
from partcover.vocabulary.rules import SEGMENTATION_RULES

# words of a few parts, so that one is often part of another
part = st.sampled_from(["a", "b", "ab" * 400, "a" * 600, "ba" * 300])
long_st = st.lists(part, min_size=1, max_size=5).map("".join)
KINDS = {"bytes": str.encode, "chars": str, "ints": lambda w: tuple(ord(c) * 2**33 for c in w)}


def cut_by_one_trie(words, vocabulary, rule, seed):
    """As `segment` does, with a trie of all tokens."""
    data, names = words.data, None
    if words.symbols == "ints":
        names, data = np.unique(data, return_inverse=True)
        data = data.astype(np.int32)
    which = np.empty(len(data), np.int32)
    cutter(vocabulary, rule, names=names, seed=seed)(data, words.offsets, 0, len(words), which)
    return which


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(
    words=st.lists(long_st, unique=True, min_size=1, max_size=6),
    tokens=st.lists(long_st, unique=True, max_size=5),
    chosen=st.lists(st.integers(0, 5), max_size=4),
    pairs=st.lists(st.text("ab", min_size=2, max_size=4), unique=True, max_size=4),
    ordering=st.randoms(use_true_random=False),
    seed=st.integers(0, 9),
)
def test_same_cuts_as_by_one_trie(kind, words, tokens, chosen, pairs, ordering, seed):
    # tokens that are words, that are parts of words, that are longer than all, and short ones
    held = sorted({*tokens, *pairs, *(words[i % len(words)] for i in chosen)} - {"a", "b"})
    ordering.shuffle(held)
    vocabulary = Vocabulary(
        map(KINDS[kind], held), kind, scores=[-1 - len(t) ** 0.5 for t in held] or None
    )
    corpus = WordCounts.from_counts({KINDS[kind](word): 1 for word in words}, kind)
    for rule in SEGMENTATION_RULES:
        if rule in ("superword_merges", "likelihood") and not held:
            continue
        expected = cut_by_one_trie(corpus, vocabulary, rule, seed)
        for threads in (1, 3):
            found = segment(corpus, vocabulary, rule, seed=seed, threads=threads).which
            assert found.tolist() == expected.tolist(), rule


@pytest.mark.parametrize("rule", ["shortest_path", "priority", "longest_match", "merges"])
def test_no_trie_of_words_that_are_tokens(rule, monkeypatch):
    text = "ab" * LONG
    words = WordCounts.from_counts({text: 1, "c" + text[:-1]: 2, "abab": 3})
    vocabulary = Vocabulary(["ab", text, "ba", "x" * 5 * LONG], rule=rule)
    held = []
    monkeypatch.setattr(
        segmentation, "cutter", lambda v, *a, **k: held.append(v.tokens) or cutter(v, *a, **k)
    )
    cut = segment(words, vocabulary)
    assert held == [(b"ab", b"ba")]
    assert cut.of(0) == [text.encode()]
    assert cut.which[2 * LONG - 1] == 1
    assert cut.of(2) == [b"ab", b"ab"]


def test_a_long_token_inside_a_longer_word_is_held():
    text = "ab" * LONG
    words = WordCounts.from_counts({text: 1, text + "c": 1})
    whole, places = whole_words(words, Vocabulary(["ab", text, "x" * 3 * LONG]), "priority")
    assert (whole, places.tolist()) == ({0: 1}, [0, 1])


def test_a_long_token_that_merges_do_not_make_is_cut():
    # the first merge leaves no "a" and "b" beside each other
    merges = [(b"b", b"a"), (b"a", b"b")]
    merges += [(b"ab" * 2**n, b"ab" * 2**n) for n in range(10)]
    vocabulary = Vocabulary([a + b for a, b in merges], rule="merges", merges=merges)
    text = b"ab" * 2**10
    assert vocabulary.tokens[-1] == text
    assert segment(WordCounts.from_counts({text: 1}), vocabulary).tokens == 2**10 + 1
