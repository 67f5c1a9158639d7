"""Random segmentations against their distributions."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import segmentation as oracle
from segmentation.cuts import (
    KINDS,
    chi_square,
    cut_all,
    draw,
    examples,
    kinds,
    tokens_st,
    words_st,
)

from partcover import InputError, Vocabulary
from partcover.segmentation.cutters import sampler


def weight_of(vocabulary, alpha):
    def weight(path):
        return exp(
            alpha
            * sum(
                oracle.score_of(t, vocabulary.tokens, vocabulary.scores, vocabulary.symbol_scores)
                for t in path
            )
        )

    return weight


@pytest.mark.long
def test_path_piece_as_printed_is_not_even():
    vocabulary = Vocabulary(["abc", "bcd", "cde"], "chars")
    printed = oracle.path_piece_printed("abcde", vocabulary.tokens)
    even = dict.fromkeys(oracle.shortest_paths("abcde", vocabulary.tokens), Fraction(1, 3))
    assert set(even) == {("abc", "d", "e"), ("a", "bcd", "e"), ("a", "b", "cde")}
    # e stands alone in two of the three, and gets half
    assert printed == {
        ("abc", "d", "e"): Fraction(1, 4),
        ("a", "bcd", "e"): Fraction(1, 4),
        ("a", "b", "cde"): Fraction(1, 2),
    }
    cuts = draw(["abcde"] * 20_000, vocabulary, "random_path", range(20_000), seed=1)
    assert chi_square(cuts, even) < 4
    assert chi_square(cuts, printed) > 100


SAMPLED = [
    ("abab", ["ab", "ba", "aba", "bab"]),
    ("aaaaaa", ["aa", "aaa", "aaaa"]),
    ("abcabc", ["ab", "bc", "abc", "ca", "abca"]),
    ("ab", []),
]


@pytest.mark.long
@pytest.mark.parametrize(("word", "tokens"), SAMPLED)
@pytest.mark.parametrize("kind", ["bytes", "chars"])
def test_draws_follow_their_distributions(word, tokens, kind):
    word, tokens = KINDS[kind](word), [KINDS[kind](t) for t in tokens]
    scores = [-1.0 - i / 2 for i in range(len(tokens))]
    vocabulary = Vocabulary(tokens, kind, scores=scores)
    p = Fraction(3, 10)
    paths = oracle.shortest_paths(word, tokens)
    cases = [
        ("merges", {"dropout": 0.3}, oracle.bpe_dropout(word, tokens, None, p)),
        ("character_merges", {"dropout": 0.3}, oracle.bpe_dropout(word, tokens, None, p)),
        ("longest_match", {"dropout": 0.3}, oracle.maxmatch_dropout(word, tokens, p)),
        (
            "shortest_path",
            {"alpha": 0.5},
            oracle.distribution(lambda path: exp(-0.5 * len(path)), word, tokens),
        ),
        ("shortest_path", {"alpha": inf}, dict.fromkeys(paths, Fraction(1, len(paths)))),
        ("random_path", {}, dict.fromkeys(paths, Fraction(1, len(paths)))),
    ] + [
        (
            "likelihood",
            {"alpha": alpha},
            oracle.distribution(weight_of(vocabulary, alpha), word, tokens),
        )
        for alpha in (0.0, 0.1, 0.7)
    ]
    for rule, how, expected in cases:
        cuts = draw([word] * 5_000, vocabulary, rule, range(5_000), seed=5, **how)
        assert sum(expected.values()) == pytest.approx(1)
        assert chi_square(cuts, expected) < 5, (rule, how)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["bytes", "chars"])
def test_draws_where_some_symbols_have_scores(kind):
    turn = KINDS[kind]
    word, tokens = turn("abcab"), [turn("ab"), turn("bca"), turn("ca")]
    of_symbols = {turn("a"): -1.0, turn("b"): 0.5}  # c is worth the least − 10
    vocabulary = Vocabulary(tokens, kind, scores=[-1.0, -3.0, -2.0], symbol_scores=of_symbols)
    expected = oracle.distribution(weight_of(vocabulary, 0.1), word, tokens)
    cuts = draw([word] * 10_000, vocabulary, "likelihood", range(10_000), seed=5, alpha=0.1)
    assert chi_square(cuts, expected) < 5


@pytest.mark.long
def test_bpe_dropout_over_pairs():
    merges = [("a", "b"), ("c", "a"), ("ab", "c"), ("b", "c"), ("ab", "ab")]
    vocabulary = Vocabulary(["ab", "ca", "abc", "bc", "abab"], "chars", merges=merges)
    cuts = draw(["ababcab"] * 20_000, vocabulary, "merges", range(20_000), seed=2, dropout=0.4)
    expected = oracle.bpe_dropout("ababcab", list(vocabulary), merges, Fraction(2, 5))
    assert chi_square(cuts, expected) < 5


@pytest.mark.long
def test_bpe_dropout_over_characters_of_several_bytes():
    tokens = ["é日", "日b", "é日b", "b"]
    expected = oracle.bpe_dropout("éé日b", tokens, None, Fraction(2, 5))
    vocabulary = Vocabulary([t for t in [*tokens, "é", "日"] if t != "b"])
    cuts = draw(
        ["éé日b".encode()] * 20_000,
        vocabulary,
        "character_merges",
        range(20_000),
        seed=2,
        dropout=0.4,
    )
    assert chi_square([tuple(p.decode() for p in cut) for cut in cuts], expected) < 5


@pytest.mark.long
@pytest.mark.parametrize("p", [Fraction(3, 10), Fraction(1)])
def test_the_shortest_token_is_kept_where_the_byte_has_no_id(p):
    tokens = [token.encode() for token in ("é", "éa", "éab", "ab", "日b", "日")]
    lacking = [b"b", *(bytes([byte]) for byte in "é日ü".encode())]
    ids = [-1 if bytes([byte]) in lacking else byte for byte in range(256)]
    vocabulary = Vocabulary(tokens, ids=[*ids, *range(256, 256 + len(tokens))])
    for word in (text.encode() for text in ("éab日b", "aéabb", "üab")):
        expected = oracle.maxmatch_dropout(word, tokens, p, lacking)
        how = {"seed": 2, "dropout": float(p)}
        cuts = draw([word] * 10_000, vocabulary, "longest_match", range(10_000), **how)
        assert chi_square(cuts, expected) < 5
        cuts = draw([word], vocabulary, "longest_match", [], dropout=0)
        assert cuts == [tuple(oracle.longest_match(word, tokens))]


@pytest.mark.long
@examples
@given(words=words_st, tokens=tokens_st, lacking=st.sets(st.sampled_from("abc")))
@example(words=["abc", "cabcba"], tokens=["ab", "bc", "cb", "ba"], lacking={"c"})
@example(words=["abc", "abcaabc"], tokens=["ab", "bc", "aa"], lacking={"a"})
def test_of_the_shortest_paths_those_with_the_fewest_bytes_without_an_id(words, tokens, lacking):
    words, tokens = ([text.encode() for text in some] for some in (words, tokens))
    lacking = {*"".join(lacking).encode(), *"é".encode()}
    ids = [-1 if byte in lacking else byte for byte in range(256)]
    vocabulary = Vocabulary(tokens, ids=[*ids, *range(256, 256 + len(tokens))])

    def unknown(path):
        return sum(len(piece) == 1 and piece[0] in lacking for piece in path)

    for word in [word for word in words if len(word) < 15]:
        paths = oracle.shortest_paths(word, tokens)
        fewest = min(map(unknown, paths))
        expected = {path: 1.0 for path in paths if unknown(path) == fewest}
        expected = dict.fromkeys(expected, 1 / len(expected))
        for rule, how in (("random_path", {}), ("shortest_path", {"alpha": inf})):
            cuts = draw([word] * 200, vocabulary, rule, range(200), seed=3, **how)
            assert chi_square(cuts, expected) < 8


@pytest.mark.long
@kinds
@examples
@given(words=words_st, tokens=tokens_st)
def test_limits_of_dropout(kind, words, tokens):
    if kind == "ints":  # `draw` has no names of symbols
        kind = "chars"
    words, tokens = ([KINDS[kind](w) for w in some] for some in (words, tokens))
    vocabulary = Vocabulary(tokens, kind)
    for rule in ("merges", "character_merges", "longest_match"):
        none = draw(words, vocabulary, rule, [], dropout=0)
        assert list(map(list, none)) == cut_all(words, vocabulary, rule)
        all_ = draw(words, vocabulary, rule, [], dropout=1)
        tokens = [] if rule != "character_merges" else [t for t in tokens if t == KINDS[kind]("é")]
        alone = Vocabulary(tokens, kind)
        assert list(map(list, all_)) == cut_all(words, alone, "longest_match")


@pytest.mark.long
def test_a_seldom_path_is_drawn_as_often_as_it_should_be():
    scores = {"scores": [-8.0], "symbol_scores": {"a": 0.0, "b": 0.0}}
    vocabulary = Vocabulary(["ab"], "chars", **scores)
    cuts = draw(["ab"] * 40_000, vocabulary, "likelihood", range(40_000), seed=3, alpha=1.0)
    seldom = exp(-8) / (1 + exp(-8))
    assert chi_square(cuts, {("ab",): seldom, ("a", "b"): 1 - seldom}) < 5


@pytest.mark.parametrize("bits", [400, 1074, 1075, 1100, 1500, 2100, 5000])
def test_a_path_too_seldom_to_tell_is_not_drawn(bits):
    for token, single, cut in ((0, -bits / 2, ("ab",)), (-bits, 0, ("a", "b"))):
        singles = dict.fromkeys("ab", single * log(2))
        scores = {"scores": [token * log(2)], "symbol_scores": singles}
        vocabulary = Vocabulary(["ab"], "chars", **scores)
        cuts = draw(["ab"] * 50, vocabulary, "likelihood", range(50), seed=3, alpha=1.0)
        assert set(cuts) == {cut}


@pytest.mark.parametrize(
    ("rule", "how"),
    [
        ("merges", {"dropout": 0.5}),
        ("character_merges", {"dropout": 0.5}),
        ("longest_match", {"dropout": 0.5}),
        ("likelihood", {"alpha": 0.2}),
        ("random_path", {}),
    ],
)
def test_draws_of_a_part_of_the_words_are_those_of_the_whole(rule, how):
    vocabulary = Vocabulary(["aa", "aaa", "aba"], scores=[-1, -2, -1])
    data, offsets = np.full(30 * 20, ord("a"), np.uint8), np.arange(0, 30 * 20 + 1, 20)
    cut, numbers = sampler(vocabulary, rule, seed=3, **how), np.arange(30)
    whole, parts = np.empty((2, len(data)), np.int32)
    cut(data, offsets, 0, 30, whole, numbers)
    for first, last in ((10, 30), (0, 10)):
        cut(data, offsets, first, last, parts, numbers)
    assert parts.tolist() == whole.tolist()


def test_draws_depend_on_seed_number_and_word_alone():
    vocabulary = Vocabulary(["aa", "aaa", "aba"], "chars", scores=[-1, -2, -1])
    word = "a" * 31
    hows = [("merges", {"dropout": 0.5}), ("likelihood", {"alpha": 0.2}), ("random_path", {})]
    for rule, how in hows:
        alone = [draw([word], vocabulary, rule, [n], seed=3, **how)[0] for n in range(20)]
        assert draw([word] * 20, vocabulary, rule, range(20), seed=3, **how) == alone
        assert len(set(draw([word] * 20, vocabulary, rule, [], seed=3, **how))) == 1
        assert len(set(alone)) > 1
        assert alone != [draw([word], vocabulary, rule, [n], seed=4, **how)[0] for n in range(20)]


@pytest.mark.parametrize(
    ("rule", "how", "message"),
    [
        ("priority", {}, "rule priority has no random segmentations: use one of character_merges"),
        ("nothing", {}, "unknown rule 'nothing'"),
        ("merges", {}, "rule merges needs dropout"),
        ("merges", {"dropout": 0.1, "alpha": 1}, "rule merges does not use alpha"),
        ("random_path", {"dropout": 0.1}, "rule random_path does not use dropout"),
        ("longest_match", {"dropout": 1.5}, r"dropout is 1\.5: it must be a probability from"),
        ("shortest_path", {"alpha": float("nan")}, "alpha is nan"),
        ("shortest_path", {"alpha": 1e10}, r"alpha is 10000000000\.0: multiplied"),
        ("likelihood", {"alpha": 1}, "likelihood needs scores, but this vocabulary has none"),
    ],
)
def test_what_cannot_be_drawn(rule, how, message):
    with pytest.raises(InputError, match=message):
        sampler(Vocabulary(["ab"]), rule, **how)


@pytest.mark.long
def test_dropout_in_a_long_word():
    tokens = ["ab", "ca", "abc", "bc", "abab"]
    word = "ababcab" + "x" * 80
    vocabulary = Vocabulary(tokens, "chars")
    cuts = draw([word] * 10_000, vocabulary, "merges", range(10_000), seed=2, dropout=0.4)
    expected = oracle.bpe_dropout(word, tokens, None, Fraction(2, 5))
    assert chi_square(cuts, expected) < 5
