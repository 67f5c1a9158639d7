"""Words that are long enough for the queue."""

from __future__ import annotations

import sys
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import greedy as greedy_oracle
from oracles import segmentation as oracle
from segmentation.cuts import (
    cut_all,
    draw,
    merge_lists,
)
from shared.properties import tries

from partcover import Vocabulary
from partcover.kernels.segmentation._merge_segmentation import MergeSegmenter
from partcover.segmentation.merge_cutter import MergeCutter


def merged_by_rank(word, ranks):
    pieces = list(word)
    while True:
        known = [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(pieces)) if a + b in ranks]
        if not known:
            return pieces
        i = min(known)[1]
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]


@tries(60)
@given(
    word=st.text("ab", min_size=65, max_size=130) | st.sampled_from(["a" * 99, "ab" * 50]),
    tokens=st.lists(st.text("ab", min_size=2, max_size=9), unique=True, max_size=25),
)
def test_long_words(word, tokens):
    # beyond 64 symbols `priority` and `merges` have a queue
    vocabulary = Vocabulary(tokens, "chars")
    assert cut_all([word], vocabulary, "priority") == [greedy_oracle.priority(word, tokens)]
    assert cut_all([word], vocabulary, "shortest_path") == [
        greedy_oracle.shortest_path(word, tokens)
    ]
    assert cut_all([word], vocabulary, "merges") == [oracle.merge(word, tokens)]


@tries(60)
@given(
    words=st.lists(st.text("ab", min_size=60, max_size=100), unique=True, min_size=4, max_size=6),
    tokens=st.lists(st.text("ab", min_size=2, max_size=9), unique=True, max_size=25),
)
def test_several_long_words(words, tokens):
    # what one leaves in memory is nothing to the next
    vocabulary = Vocabulary(tokens, "chars")
    for rule, twin in (
        ("priority", greedy_oracle.priority),
        ("shortest_path", greedy_oracle.shortest_path),
        ("merges", oracle.merge),
    ):
        assert cut_all(words, vocabulary, rule) == [twin(word, tokens) for word in words]


@pytest.mark.long
@pytest.mark.parametrize(("letters", "longest"), [("ab", 8), ("abc", 5)])
def test_priority_where_many_tokens_occur(letters, longest):
    random = np.random.default_rng(longest)
    for size, step in ((64, 1), (65, 3), (700, 1), (700, 40), (70_000, 40)):
        strings = ["".join(s) for n in range(2, longest + 1) for s in product(letters, repeat=n)]
        tokens = random.permutation(strings)[::step].tolist()
        word = "".join(random.choice(list(letters), size))
        vocabulary = Vocabulary(tokens, "chars")
        assert cut_all([word], vocabulary, "priority") == [greedy_oracle.priority(word, tokens)]


@pytest.mark.long
@pytest.mark.parametrize(("size", "times"), [(40, 40), (80, 40), (600, 30), (20_000, 8)])
def test_priority_where_tokens_wait_for_each_other(size, times):
    # a position tries its next token when one before it in the order was not placed: those that
    # wait for one token come in no order
    random = np.random.default_rng(size)
    for _ in range(times):
        tokens = {"".join(random.choice(["a", "b"], random.integers(2, 10))) for _ in range(30)}
        tokens = random.permutation(sorted(tokens)).tolist()
        word = "".join(random.choice(["a", "b", *tokens], size))
        vocabulary = Vocabulary(tokens, "chars")
        assert cut_all([word], vocabulary, "priority") == [greedy_oracle.priority(word, tokens)]


@pytest.mark.parametrize("border", [2**8, 2**16])
def test_priority_of_places_of_several_bytes(border):
    # "aba" at the second of two places only if it is not at the first; where "abac" was to begin,
    # it comes later
    tokens = ["cd", "abac", "aba"]
    word = "abacd" * 30 + "x" * (border - 152) + "ababa" + "abacd" * 60
    assert word.find("ababa") == border - 2
    cuts = cut_all([word], Vocabulary(tokens, "chars"), "priority")
    assert cuts == [greedy_oracle.priority(word, tokens)]


@tries(60)
@given(
    words=st.lists(st.text("abc", min_size=50, max_size=200), unique=True, min_size=1, max_size=4),
    made=merge_lists("abc"),
)
def test_long_words_of_merges(words, made):
    # with the merges in any order, a pair may come up whose rank is past, or being worked on
    tokens, merges = made
    vocabulary = Vocabulary(tokens, "chars", merges=merges)
    cuts = cut_all(words, vocabulary, "merges")
    assert cuts == [oracle.merge(word, tokens, merges) for word in words]
    none = draw(words, vocabulary, "merges", [], dropout=0)
    assert list(map(list, none)) == cuts
    all_ = draw(words, vocabulary, "merges", [], dropout=1)
    assert all_ == [tuple(word) for word in words]


@pytest.mark.long
@tries(400)
@given(
    words=st.lists(st.text("abc", min_size=1, max_size=40), unique=True, min_size=1, max_size=5),
    tokens=st.lists(st.text("abc", min_size=2, max_size=7), unique=True, max_size=40),
    runs=st.lists(st.integers(2, 15), unique=True),
)
def test_merges_of_any_tokens_in_any_order(words, tokens, runs):
    # many that merging does not give, or gives before what they are merged from
    tokens = list(dict.fromkeys([*tokens, *("a" * run for run in runs)]))
    words = list(dict.fromkeys([*words, "a" * 33, *tokens]))
    for rule in ("merges", "character_merges"):
        cuts = cut_all(words, Vocabulary(tokens, "chars"), rule)
        for word, cut in zip(words, cuts, strict=True):
            if rule == "character_merges" or word not in tokens:
                ranks = {token: rank for rank, token in enumerate(tokens)}
                assert cut == merged_by_rank(word, ranks)
            else:
                assert cut == [word]


@pytest.mark.long
@pytest.mark.parametrize("letters", ["ab", "abc"])
def test_merges_of_any_two_tokens_made_of_each_other(letters):
    # the parts of tokens in any order: ranks tie, and fall behind those of parts, at many a border
    random = np.random.default_rng(len(letters))
    for _ in range(100):
        tokens = []
        while len(tokens) < 16:
            token = "".join(random.choice([*letters, *tokens], 2))
            if token not in tokens and len(token) <= 10:
                tokens.append(token)
        tokens = random.permutation(tokens).tolist()
        words = dict.fromkeys(u + v for u in [*letters, *tokens] for v in tokens)
        ranks = {token: rank for rank, token in enumerate(tokens)}
        cuts = cut_all(list(words), Vocabulary(tokens, "chars"), "character_merges")
        assert cuts == [merged_by_rank(word, ranks) for word in words]


@pytest.mark.long
@pytest.mark.parametrize("letters", ["a", "ab", "abc"])
def test_a_queue_of_merges_gives_what_looking_from_the_left_does(letters):
    random = np.random.default_rng(len(letters))
    for size in (60, 70, 500, 500, 5_000, 70_000):
        tokens = []
        while len(tokens) < 12:
            token = "".join(random.choice([*letters, *tokens], 2))
            if token not in tokens and len(token) <= 14:
                tokens.append(token)
        tokens = random.permutation(tokens).tolist()
        word = "".join(random.choice([*letters, *letters, *tokens], size // 2))[:size]
        vocabulary = Vocabulary(tokens, "chars")
        # almost never is anything left out
        queued = draw([word], vocabulary, "merges", [], dropout=1e-300)
        assert list(map(list, queued)) == cut_all([word], vocabulary, "character_merges")
        if size <= 500:
            ranks = {token: rank for rank, token in enumerate(tokens)}
            assert list(queued[0]) == merged_by_rank(word, ranks)


def test_a_word_that_takes_long_from_the_left_is_given_to_the_queue(monkeypatch):
    # after "zu" each beginning of the long token fits until its own end, where "u" would have it
    chain = [chr(0x4E00 + i) for i in range(170)]
    begins = ["".join(chain[:n]) for n in range(2, 171)]
    tokens = [*begins, *("u" + begin for begin in begins), "zu"]
    queued = []

    class Spy:
        def __init__(self, *pairs):
            self.merger = MergeSegmenter(*pairs)
            self.last_pairs = self.merger.last_pairs

        def merge(self, data, offsets, first, last, *rest):
            queued.append((first, last))
            self.merger.merge(data, offsets, first, last, *rest)

    monkeypatch.setattr(sys.modules[MergeCutter.__module__], "MergeSegmenter", Spy)
    words = ["zu", "zu" + begins[-1], begins[-1] + "z"]
    cuts = cut_all(words, Vocabulary(tokens, "chars"), "character_merges")
    assert cuts == [["zu"], ["z", "u" + begins[-1]], [begins[-1], "z"]]
    assert queued == [(1, 2)]
