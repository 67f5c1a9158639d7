"""Every rule against its oracle and against all segmentations."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import greedy as greedy_oracle
from oracles import segmentation as oracle
from segmentation.cuts import (
    KINDS,
    cut_all,
    examples,
    kinds,
    merge_lists,
    scores_st,
    tokens_st,
    words_st,
)
from shared.properties import tries

from partcover import InputError, Vocabulary, WordCounts, segment
from partcover.vocabulary.rules import SEGMENTATION_RULES


@pytest.mark.long
@kinds
@examples
@given(words=words_st, tokens=tokens_st)
def test_longest_match(kind, words, tokens):
    words, tokens = ([KINDS[kind](w) for w in some] for some in (words, tokens))
    cuts = cut_all(words, Vocabulary(tokens, kind), "longest_match")
    assert cuts == [oracle.longest_match(word, tokens) for word in words]


@pytest.mark.long
@kinds
@examples
@given(words=words_st, tokens=tokens_st)
def test_merges_by_rank(kind, words, tokens):
    words, tokens = ([KINDS[kind](w) for w in some] for some in (words, tokens))
    cuts = cut_all(words, Vocabulary(tokens, kind), "merges")
    assert cuts == [oracle.merge(word, tokens) for word in words]


@pytest.mark.long
@kinds
@examples
@given(words=words_st, made=merge_lists())
def test_merges_by_pairs(kind, words, made):
    turn = KINDS[kind]
    if kind == "bytes":  # a character is a token of its own there
        words, made = ([w.replace("é", "c") for w in words], made)
        made = (
            [t.replace("é", "c") for t in made[0]],
            [(a.replace("é", "c"), b.replace("é", "c")) for a, b in made[1]],
        )
    words = list(dict.fromkeys(map(turn, [*words, *made[0]])))
    tokens = [turn(t) for t in made[0]]
    pairs = [(turn(a), turn(b)) for a, b in made[1]]
    cuts = cut_all(words, Vocabulary(tokens, kind, merges=pairs), "merges")
    assert cuts == [oracle.merge(word, tokens, pairs) for word in words]


odd_st = st.lists(
    st.sampled_from(["a", "b", "é", "日", "本", "😀", "\udce6", "\udc97", "\udcc3"]),
    min_size=1,
    max_size=8,
).map(lambda parts: "".join(parts).encode("utf-8", "surrogateescape"))
odd_token = odd_st.filter(lambda token: len(token) > 1)


@pytest.mark.long
@examples
@given(words=st.lists(odd_st, unique=True), tokens=st.lists(odd_token, unique=True, max_size=9))
def test_character_merges_by_rank(words, tokens):
    cuts = cut_all(words, Vocabulary(tokens), "character_merges")
    assert cuts == [oracle.merge_characters(word, tokens) for word in words]


@pytest.mark.long
@examples
@given(words=st.lists(odd_st, unique=True), made=merge_lists("ab"), data=st.data())
def test_character_merges_by_pairs(words, made, data):
    spelled = st.sampled_from(["a", "é", "日", "\udce6", "😀"])
    turn = {c: data.draw(spelled).encode("utf-8", "surrogateescape") for c in "ab"}
    pairs = [[b"".join(map(turn.get, part)) for part in pair] for pair in made[1]]
    pairs = list(dict.fromkeys(map(tuple, pairs)))
    tokens = [part for pair in pairs for part in (*pair, b"".join(pair)) if len(part) > 1]
    tokens = list(dict.fromkeys(tokens))
    vocabulary = Vocabulary(tokens, merges=pairs, rule="character_merges")
    assert cut_all(words, vocabulary) == [oracle.merge_characters(w, tokens, pairs) for w in words]


@pytest.mark.parametrize("kind", ["chars", "ints"])
@examples
@given(words=words_st, tokens=tokens_st)
def test_character_merges_over_other_symbols(kind, words, tokens):
    words, tokens = ([KINDS[kind](w) for w in some] for some in (words, tokens))
    cuts = cut_all(words, Vocabulary(tokens, kind), "character_merges")
    pieces = [tuple(oracle.split(word)) for word in words]
    for i in range(len(words)):
        while possible := oracle.possible_merges(pieces[i], tokens, None):
            pieces[i] = oracle.merged(pieces[i], possible[0][1])
    assert cuts == [list(cut) for cut in pieces]


def test_a_character_does_not_reach_over_two_words():
    words = WordCounts.from_words([b"\xe6", b"\x97\xa5", b"a\xe6\x97\xa5"])
    cut = segment(words, Vocabulary(["日"], rule="character_merges"))
    assert [cut.of(i) for i in range(3)] == [[b"\xe6"], [b"\x97", b"\xa5"], [b"a", "日".encode()]]


@pytest.mark.long
def test_character_merges_at_the_borders_of_utf8():
    texts, odd = oracle.borders_of_utf8()
    ends = [b"b", b"ab", b"\x80b", b""]
    # what a word begins with does not end the character that the word before it lacks
    words = [
        [*(part + end for end in ends), b"\x80\x80%d" % i] for i, part in enumerate([*texts, *odd])
    ]
    words = list(dict.fromkeys(word for some in words for word in some))
    longer = [*(part + b"b" for part in [*odd, *texts]), b"ab"]
    for tokens in (longer, [*longer, *(text for text in texts if len(text) > 1)]):
        cuts = cut_all(words, Vocabulary(tokens), "character_merges")
        assert cuts == [oracle.merge_characters(word, tokens) for word in words]


@pytest.mark.long
@kinds
@examples
@given(words=words_st, tokens=tokens_st, data=st.data())
def test_likelihood(kind, words, tokens, data):
    turn = KINDS[kind]
    words, tokens = [turn(w) for w in words], [turn(t) for t in tokens]
    scores = data.draw(st.lists(scores_st, min_size=len(tokens), max_size=len(tokens)))
    singles = data.draw(st.dictionaries(st.sampled_from("abcz"), scores_st))
    singles = {turn(s): score for s, score in singles.items()}
    vocabulary = Vocabulary(tokens, kind, scores=scores, symbol_scores=singles)
    cuts = cut_all(words, vocabulary, "likelihood")
    assert cuts == [oracle.likelihood(word, tokens, scores, singles) for word in words]


@examples
@given(word=st.text("ab", min_size=1, max_size=8), tokens=tokens_st, data=st.data())
def test_likelihood_is_the_largest_of_all(word, tokens, data):
    word, tokens = word.encode(), [t.encode() for t in tokens]
    scores = data.draw(st.lists(scores_st, min_size=len(tokens), max_size=len(tokens)))
    cuts = cut_all([word], Vocabulary(tokens, scores=scores), "likelihood")[0]

    def total(path):
        return sum(oracle.score_of(t, tokens, scores, {}) for t in path)

    best = max(map(total, oracle.all_segmentations(word, tokens)))
    assert total(cuts) == pytest.approx(best, rel=1e-12, abs=1e-9)


@pytest.mark.long
@kinds
@examples
@given(words=words_st, tokens=tokens_st, seed=st.integers())
def test_random_path_is_shortest_and_keeps_to_the_word(kind, words, tokens, seed):
    words, tokens = ([KINDS[kind](w) for w in some] for some in (words, tokens))
    vocabulary = Vocabulary(tokens, kind, rule="random_path")
    cuts = cut_all(words, vocabulary, seed=seed)
    for word, pieces in zip(words, cuts, strict=True):
        if len(word) < 10:
            assert tuple(pieces) in oracle.shortest_paths(word, tokens)
        assert cut_all([word], vocabulary, seed=seed) == [pieces]  # whatever stands around it
    fewest = cut_all(words, vocabulary, "shortest_path")
    assert list(map(len, cuts)) == list(map(len, fewest))


def test_random_path_of_a_long_word():
    # 2^(about 133,000) shortest paths
    words = [b"a" * 100_000 + b"b"]
    cuts = cut_all(words, Vocabulary(["aa", "aaa"]), "random_path")[0]
    assert len(cuts) == len(cut_all(words, Vocabulary(["aa", "aaa"]))[0])
    cuts = cut_all([b"a" * 99_998], Vocabulary(["aa", "aaaa", "aaa"]), "random_path")[0]
    assert len(cuts) == 25_000
    # two of three letters and the rest of four, or one of two: at even places
    assert Counter(map(len, cuts)) in ({4: 24_998, 3: 2}, {4: 24_999, 2: 1})


def test_likelihood_without_scores():
    words = WordCounts.from_counts({"ab": 1})
    with pytest.raises(InputError, match="needs scores, but this vocabulary has none"):
        segment(words, Vocabulary(["ab"]), "likelihood")


def fewest(words, tokens):
    """Both rules that ask for the fewest tokens, as checked: all scores equal for one of them."""
    singles = {c: -1.0 for word in words for c in word}
    vocabulary = Vocabulary(tokens, "chars", scores=[-1.0] * len(tokens), symbol_scores=singles)
    expected = [greedy_oracle.shortest_path(word, tokens) for word in words]
    assert cut_all(words, vocabulary, "shortest_path") == expected
    assert cut_all(words, vocabulary, "likelihood") == expected


@pytest.mark.long
def test_fewest_of_every_tiny_vocabulary():
    strings = ["".join(s) for n in range(2, 6) for s in product("ab", repeat=n)]
    for size in range(4):
        for tokens in combinations(strings[:12], size):  # two or three symbols
            fewest(strings, tokens)


@pytest.mark.long
def test_fewest_in_runs():
    # where sizes are missing, a longer run may need fewer tokens
    runs = ["a" * n for n in range(1, 40)]
    for bits in range(2**7):
        fewest(runs, ["a" * n for n in range(2, 9) if bits >> (n - 2) & 1])


@tries(60)
@given(
    period=st.sampled_from(["a", "ab", "aab", "abb"]),
    sizes=st.lists(st.integers(2, 40), unique=True, max_size=30),
    shifts=st.lists(st.integers(0, 2), min_size=30, max_size=30),
    others=st.lists(st.text("abc", min_size=2, max_size=5), max_size=5),
    runs=st.lists(st.integers(1, 90), min_size=1, max_size=3),
    between=st.sampled_from(["", "b", "c", "é"]),
)
def test_fewest_in_repeats(period, sizes, shifts, others, runs, between):
    tokens = [(period * 42)[s : s + n] for s, n in zip(shifts, sizes, strict=False)]
    fewest([between.join((period * 90)[:n] for n in runs)], list(dict.fromkeys(tokens + others)))


@pytest.mark.long
@pytest.mark.parametrize("letters", [2, 30, 3000])
def test_large_vocabularies(letters):
    # tokens enough to fill, and to fit around each other in, the table of the trie
    random = np.random.default_rng(letters)
    names = [chr(0x4E00 + i) for i in range(letters)]
    longest = 13 if letters == 2 else 4
    tokens = {"".join(random.choice(names, random.integers(2, longest))) for _ in range(4000)}
    tokens = sorted(tokens)
    inside = set(tokens)
    words = ["".join(random.choice(tokens, 3)) for _ in range(300)]
    words = list(dict.fromkeys(words))
    cuts = cut_all(words, Vocabulary(tokens, "chars"), "longest_match")
    assert cuts == [oracle.longest_match(word, inside) for word in words]
    cuts = cut_all(words, Vocabulary(tokens, "chars"), "shortest_path")
    assert cuts == [greedy_oracle.shortest_path(word, inside) for word in words]
    cuts = cut_all(tokens, Vocabulary(tokens, "chars"), "merges")
    assert cuts == [[token] for token in tokens]


@pytest.mark.long
@pytest.mark.parametrize("rule", SEGMENTATION_RULES)
def test_a_megabyte_of_one_letter(rule):
    tokens = ["a" * n for n in (2, 4, 8, 16)]
    vocabulary = Vocabulary(tokens, scores=[-1.0] * 4)
    cut = cut_all([b"a" * 2**20], vocabulary, rule)[0]
    assert len(cut) == (2**20 if rule == "single_symbols" else 2**16)


def test_no_words_and_no_tokens():
    for rule in SEGMENTATION_RULES:
        vocabulary = Vocabulary([], scores=[])
        assert cut_all([], vocabulary, rule) == []
        assert cut_all([b"ab"], vocabulary, rule) == [[b"a", b"b"]]
