"""Every rule against its oracle, against all segmentations, and against other libraries."""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import greedy as greedy_oracle
from oracles import segmentation as oracle

from partcover import InputError, Vocabulary, WordCounts, segment
from partcover.kernels._merge_segmentation import MergeSegmenter
from partcover.segmentation.cutters import sampler
from partcover.vocabulary.rules import SEGMENTATION_RULES

text = st.text("ab", max_size=12) | st.text("abcé", max_size=8) | st.just("a" * 40)
words_st = st.lists(text.filter(bool), unique=True, min_size=1, max_size=8)
token = st.text("ab", min_size=2, max_size=6) | st.text("abcé", min_size=2, max_size=4)
tokens_st = st.lists(token, unique=True, max_size=9)
KINDS = {"bytes": str.encode, "chars": str, "ints": lambda w: tuple(ord(c) * 2**33 for c in w)}
kinds = pytest.mark.parametrize("kind", KINDS)
many = settings(max_examples=120, deadline=None)


def cut_all(words, vocabulary, rule=None, **how):
    counted = WordCounts.from_counts(dict.fromkeys(words, 1), vocabulary.symbols)
    result = segment(counted, vocabulary, rule, threads=2, **how)
    return [result.of(i) for i in range(len(words))]


def draw(words, vocabulary, rule, draws, **how):
    """`draws[w]` is the number of the draw of word w."""
    counted = [list(word) if isinstance(word, bytes) else [ord(c) for c in word] for word in words]
    kind = np.uint8 if vocabulary.symbols == "bytes" else np.int32
    data = np.array([s for word in counted for s in word], kind)
    offsets = np.cumsum([0, *map(len, words)])
    which = np.empty(len(data), np.int32)
    sampler(vocabulary, rule, **how)(data, offsets, 0, len(words), which, np.array(draws, np.int64))
    found = []
    for word, begin, end in zip(words, offsets, offsets[1:], strict=False):
        stops = [0, *(1 + np.flatnonzero(which[begin:end] != -2)).tolist()]
        pieces = tuple(word[a:b] for a, b in pairwise(stops))
        ends = which[begin:end][np.array(stops[1:]) - 1].tolist()
        assert [vocabulary.tokens[t] for t in ends if t >= 0] == [p for p in pieces if len(p) > 1]
        found.append(pieces)
    return found


def chi_square(found, expected):
    """Pearson's statistic over its degrees of freedom, in their standard deviations from 1."""
    total = len(found)
    expected = {path: float(p) for path, p in expected.items() if p}
    counts = Counter(found)
    assert set(counts) <= set(expected)
    statistic = sum((counts[c] - total * p) ** 2 / (total * p) for c, p in expected.items())
    freedom = max(1, len(expected) - 1)
    return (statistic - freedom) / (2 * freedom) ** 0.5


@kinds
@many
@given(words=words_st, tokens=tokens_st)
def test_longest_match(kind, words, tokens):
    words, tokens = ([KINDS[kind](w) for w in some] for some in (words, tokens))
    found = cut_all(words, Vocabulary(tokens, kind), "longest_match")
    assert found == [oracle.longest_match(word, tokens) for word in words]


@kinds
@many
@given(words=words_st, tokens=tokens_st)
def test_merges_by_rank(kind, words, tokens):
    words, tokens = ([KINDS[kind](w) for w in some] for some in (words, tokens))
    found = cut_all(words, Vocabulary(tokens, kind), "merges")
    assert found == [oracle.merge(word, tokens) for word in words]


@st.composite
def merge_lists(draw, alphabet="abé"):
    """Pairs of what is there so far: (tokens, merges), the merges in any order."""
    tokens, pairs = [], []
    for _ in range(draw(st.integers(0, 10))):
        pool = [*alphabet, *tokens]
        pair = draw(st.sampled_from(pool)), draw(st.sampled_from(pool))
        if pair not in pairs:
            pairs.append(pair)
            tokens = list(dict.fromkeys([*tokens, pair[0] + pair[1]]))
    return draw(st.permutations(tokens)), draw(st.permutations(pairs) | st.just(pairs))


@kinds
@many
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
    found = cut_all(words, Vocabulary(tokens, kind, merges=pairs), "merges")
    assert found == [oracle.merge(word, tokens, pairs) for word in words]


odd_st = st.lists(
    st.sampled_from(["a", "b", "é", "日", "本", "😀", "\udce6", "\udc97", "\udcc3"]),
    min_size=1,
    max_size=8,
).map(lambda parts: "".join(parts).encode("utf-8", "surrogateescape"))
odd_token = odd_st.filter(lambda token: len(token) > 1)


@many
@given(words=st.lists(odd_st, unique=True), tokens=st.lists(odd_token, unique=True, max_size=9))
def test_character_merges_by_rank(words, tokens):
    found = cut_all(words, Vocabulary(tokens), "character_merges")
    assert found == [oracle.merge_characters(word, tokens) for word in words]


@many
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
@many
@given(words=words_st, tokens=tokens_st)
def test_character_merges_over_other_symbols(kind, words, tokens):
    words, tokens = ([KINDS[kind](w) for w in some] for some in (words, tokens))
    found = cut_all(words, Vocabulary(tokens, kind), "character_merges")
    pieces = [tuple(oracle.split(word)) for word in words]
    for i in range(len(words)):
        while possible := oracle.possible_merges(pieces[i], tokens, None):
            pieces[i] = oracle.merged(pieces[i], possible[0][1])
    assert found == [list(cut) for cut in pieces]


def test_a_character_does_not_reach_over_two_words():
    words = WordCounts.from_words([b"\xe6", b"\x97\xa5", b"a\xe6\x97\xa5"])
    cut = segment(words, Vocabulary(["日"], rule="character_merges"))
    assert [cut.of(i) for i in range(3)] == [[b"\xe6"], [b"\x97", b"\xa5"], [b"a", "日".encode()]]


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
        found = cut_all(words, Vocabulary(tokens), "character_merges")
        assert found == [oracle.merge_characters(word, tokens) for word in words]


scores_st = st.sampled_from([-1.0, -2.0, -3.5, -0.1, 0.0, 2.0]) | st.floats(-20, 1)


@kinds
@many
@given(words=words_st, tokens=tokens_st, data=st.data())
def test_likelihood(kind, words, tokens, data):
    turn = KINDS[kind]
    words, tokens = [turn(w) for w in words], [turn(t) for t in tokens]
    scores = data.draw(st.lists(scores_st, min_size=len(tokens), max_size=len(tokens)))
    singles = data.draw(st.dictionaries(st.sampled_from("abcz"), scores_st))
    singles = {turn(s): score for s, score in singles.items()}
    vocabulary = Vocabulary(tokens, kind, scores=scores, symbol_scores=singles)
    found = cut_all(words, vocabulary, "likelihood")
    assert found == [oracle.likelihood(word, tokens, scores, singles) for word in words]


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


@many
@given(word=st.text("ab", min_size=1, max_size=8), tokens=tokens_st, data=st.data())
def test_likelihood_is_the_largest_of_all(word, tokens, data):
    word, tokens = word.encode(), [t.encode() for t in tokens]
    scores = data.draw(st.lists(scores_st, min_size=len(tokens), max_size=len(tokens)))
    found = cut_all([word], Vocabulary(tokens, scores=scores), "likelihood")[0]

    def total(path):
        return sum(oracle.score_of(t, tokens, scores, {}) for t in path)

    best = max(map(total, oracle.all_segmentations(word, tokens)))
    assert total(found) == pytest.approx(best, rel=1e-12, abs=1e-9)


@kinds
@many
@given(words=words_st, tokens=tokens_st, seed=st.integers())
def test_random_path_is_shortest_and_keeps_to_the_word(kind, words, tokens, seed):
    words, tokens = ([KINDS[kind](w) for w in some] for some in (words, tokens))
    vocabulary = Vocabulary(tokens, kind, rule="random_path")
    found = cut_all(words, vocabulary, seed=seed)
    for word, pieces in zip(words, found, strict=True):
        if len(word) < 10:
            assert tuple(pieces) in oracle.shortest_paths(word, tokens)
        assert cut_all([word], vocabulary, seed=seed) == [pieces]  # whatever stands around it
    fewest = cut_all(words, vocabulary, "shortest_path")
    assert list(map(len, found)) == list(map(len, fewest))


def test_random_path_of_a_long_word():
    # 2^(about 133,000) shortest paths
    words = [b"a" * 100_000 + b"b"]
    found = cut_all(words, Vocabulary(["aa", "aaa"]), "random_path")[0]
    assert len(found) == len(cut_all(words, Vocabulary(["aa", "aaa"]))[0])
    found = cut_all([b"a" * 99_998], Vocabulary(["aa", "aaaa", "aaa"]), "random_path")[0]
    assert len(found) == 25_000
    # two of three letters and the rest of four, or one of two: at even places
    assert Counter(map(len, found)) in ({4: 24_998, 3: 2}, {4: 24_999, 2: 1})


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
    found = draw(["abcde"] * 20_000, vocabulary, "random_path", range(20_000), seed=1)
    assert chi_square(found, even) < 4
    assert chi_square(found, printed) > 100


SAMPLED = [
    ("abab", ["ab", "ba", "aba", "bab"]),
    ("aaaaaa", ["aa", "aaa", "aaaa"]),
    ("abcabc", ["ab", "bc", "abc", "ca", "abca"]),
    ("ab", []),
]


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
        found = draw([word] * 10_000, vocabulary, rule, range(10_000), seed=5, **how)
        assert sum(expected.values()) == pytest.approx(1)
        assert chi_square(found, expected) < 5, (rule, how)


@pytest.mark.parametrize("kind", ["bytes", "chars"])
def test_draws_where_some_symbols_have_scores(kind):
    turn = KINDS[kind]
    word, tokens = turn("abcab"), [turn("ab"), turn("bca"), turn("ca")]
    of_symbols = {turn("a"): -1.0, turn("b"): 0.5}  # c is worth the least − 10
    vocabulary = Vocabulary(tokens, kind, scores=[-1.0, -3.0, -2.0], symbol_scores=of_symbols)
    expected = oracle.distribution(weight_of(vocabulary, 0.1), word, tokens)
    found = draw([word] * 10_000, vocabulary, "likelihood", range(10_000), seed=5, alpha=0.1)
    assert chi_square(found, expected) < 5


def test_bpe_dropout_over_pairs():
    merges = [("a", "b"), ("c", "a"), ("ab", "c"), ("b", "c"), ("ab", "ab")]
    vocabulary = Vocabulary(["ab", "ca", "abc", "bc", "abab"], "chars", merges=merges)
    found = draw(["ababcab"] * 20_000, vocabulary, "merges", range(20_000), seed=2, dropout=0.4)
    expected = oracle.bpe_dropout("ababcab", list(vocabulary), merges, Fraction(2, 5))
    assert chi_square(found, expected) < 5


def test_bpe_dropout_over_characters_of_several_bytes():
    tokens = ["é日", "日b", "é日b", "b"]
    expected = oracle.bpe_dropout("éé日b", tokens, None, Fraction(2, 5))
    vocabulary = Vocabulary([t for t in [*tokens, "é", "日"] if t != "b"])
    found = draw(
        ["éé日b".encode()] * 20_000,
        vocabulary,
        "character_merges",
        range(20_000),
        seed=2,
        dropout=0.4,
    )
    assert chi_square([tuple(p.decode() for p in cut) for cut in found], expected) < 5


@kinds
@many
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


def test_a_seldom_path_is_drawn_as_often_as_it_should_be():
    scores = {"scores": [-8.0], "symbol_scores": {"a": 0.0, "b": 0.0}}
    vocabulary = Vocabulary(["ab"], "chars", **scores)
    found = draw(["ab"] * 40_000, vocabulary, "likelihood", range(40_000), seed=3, alpha=1.0)
    seldom = exp(-8) / (1 + exp(-8))
    assert chi_square(found, {("ab",): seldom, ("a", "b"): 1 - seldom}) < 5


@pytest.mark.parametrize("bits", [400, 1074, 1075, 1100, 1500, 2100, 5000])
def test_a_path_too_seldom_to_tell_is_not_drawn(bits):
    for token, single, cut in ((0, -bits / 2, ("ab",)), (-bits, 0, ("a", "b"))):
        singles = dict.fromkeys("ab", single * log(2))
        scores = {"scores": [token * log(2)], "symbol_scores": singles}
        vocabulary = Vocabulary(["ab"], "chars", **scores)
        found = draw(["ab"] * 50, vocabulary, "likelihood", range(50), seed=3, alpha=1.0)
        assert set(found) == {cut}


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
        ("priority", {}, "rule priority cannot be drawn from: use one of character_merges, "),
        ("nothing", {}, "unknown rule 'nothing'"),
        ("merges", {}, "rule merges needs dropout"),
        ("merges", {"dropout": 0.1, "alpha": 1}, "rule merges takes no alpha"),
        ("random_path", {"dropout": 0.1}, "rule random_path takes no dropout"),
        ("longest_match", {"dropout": 1.5}, "dropout is 1.5: a probability from 0 to 1"),
        ("shortest_path", {"alpha": float("nan")}, "alpha is nan"),
        ("shortest_path", {"alpha": 1e10}, "more than 2\\^31 bits"),
        ("likelihood", {"alpha": 1}, "likelihood needs scores, and this vocabulary has none"),
    ],
)
def test_what_cannot_be_drawn(rule, how, message):
    with pytest.raises(InputError, match=message):
        sampler(Vocabulary(["ab"]), rule, **how)


def test_likelihood_without_scores():
    words = WordCounts.from_counts({"ab": 1})
    with pytest.raises(InputError, match="needs scores, and this vocabulary has none"):
        segment(words, Vocabulary(["ab"]), "likelihood")


BYTES = [bytes([b]) for b in range(256)]
ASCII = [chr(b) for b in range(128)]


@settings(max_examples=150, deadline=None)
@given(words=words_st, made=merge_lists("abc"))
def test_tiktoken_agrees(words, made):
    tiktoken = pytest.importorskip("tiktoken")
    # tiktoken wants every token to be made of two others, so those of merge lists
    words = list(dict.fromkeys(w.replace("é", "c").encode() for w in words))
    vocabulary = Vocabulary([t.encode() for t in made[0]])
    ranks = {token: i for i, token in enumerate([*BYTES, *vocabulary])}
    peer = tiktoken.Encoding("peer", pat_str=".+", mergeable_ranks=ranks, special_tokens={})
    found = cut_all(words, vocabulary, "merges")
    assert found == [peer.decode_tokens_bytes(peer.encode(w.decode())) for w in words]


@settings(max_examples=150, deadline=None)
@given(words=words_st, made=merge_lists("abc"))
def test_hugging_face_bpe_agrees(words, made):
    models = pytest.importorskip("tokenizers.models")
    words = list(dict.fromkeys(w.replace("é", "c") for w in words))
    ids = {token: i for i, token in enumerate([*"abc", *made[0]])}
    peer = models.BPE(ids, made[1])
    found = cut_all(words, Vocabulary(made[0], "chars", merges=made[1]), "merges")
    assert found == [[t.value for t in peer.tokenize(word)] for word in words]


@settings(max_examples=150, deadline=None)
@given(words=words_st, tokens=tokens_st, data=st.data())
def test_hugging_face_unigram_agrees(words, tokens, data):
    models = pytest.importorskip("tokenizers.models")
    singles = {s: data.draw(scores_st) for s in "abcé"}
    scores = data.draw(st.lists(scores_st, min_size=len(tokens), max_size=len(tokens)))
    peer = models.Unigram([*singles.items(), *zip(tokens, scores, strict=True)], None)
    vocabulary = Vocabulary(tokens, "chars", scores=scores, symbol_scores=singles)
    found = cut_all(words, vocabulary, "likelihood")
    assert found == [[t.value for t in peer.tokenize(word)] for word in words]


@settings(max_examples=60, deadline=None)
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


@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize(("letters", "longest"), [("ab", 8), ("abc", 5)])
def test_priority_where_many_tokens_occur(letters, longest):
    random = np.random.default_rng(longest)
    for size, step in ((64, 1), (65, 3), (700, 1), (700, 40), (70_000, 40)):
        strings = ["".join(s) for n in range(2, longest + 1) for s in product(letters, repeat=n)]
        tokens = random.permutation(strings)[::step].tolist()
        word = "".join(random.choice(list(letters), size))
        vocabulary = Vocabulary(tokens, "chars")
        assert cut_all([word], vocabulary, "priority") == [greedy_oracle.priority(word, tokens)]


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
    found = cut_all([word], Vocabulary(tokens, "chars"), "priority")
    assert found == [greedy_oracle.priority(word, tokens)]


@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(st.text("abc", min_size=50, max_size=200), unique=True, min_size=1, max_size=4),
    made=merge_lists("abc"),
)
def test_long_words_of_merges(words, made):
    # with the merges in any order, a pair may come up whose rank is past, or being worked on
    tokens, merges = made
    vocabulary = Vocabulary(tokens, "chars", merges=merges)
    found = cut_all(words, vocabulary, "merges")
    assert found == [oracle.merge(word, tokens, merges) for word in words]
    none = draw(words, vocabulary, "merges", [], dropout=0)
    assert list(map(list, none)) == found
    all_ = draw(words, vocabulary, "merges", [], dropout=1)
    assert all_ == [tuple(word) for word in words]


@settings(max_examples=400, deadline=None)
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
        found = cut_all(words, Vocabulary(tokens, "chars"), rule)
        for word, cut in zip(words, found, strict=True):
            if rule == "character_merges" or word not in tokens:
                ranks = {token: rank for rank, token in enumerate(tokens)}
                assert cut == merged_by_rank(word, ranks)
            else:
                assert cut == [word]


def merged_by_rank(word, ranks):
    pieces = list(word)
    while True:
        known = [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(pieces)) if a + b in ranks]
        if not known:
            return pieces
        i = min(known)[1]
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]


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
        found = cut_all(list(words), Vocabulary(tokens, "chars"), "character_merges")
        assert found == [merged_by_rank(word, ranks) for word in words]


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

    monkeypatch.setattr(sys.modules[sampler.__module__], "MergeSegmenter", Spy)
    words = ["zu", "zu" + begins[-1], begins[-1] + "z"]
    found = cut_all(words, Vocabulary(tokens, "chars"), "character_merges")
    assert found == [["zu"], ["z", "u" + begins[-1]], [begins[-1], "z"]]
    assert queued == [(1, 2)]


def test_dropout_in_a_long_word():
    tokens = ["ab", "ca", "abc", "bc", "abab"]
    word = "ababcab" + "x" * 80
    vocabulary = Vocabulary(tokens, "chars")
    found = draw([word] * 10_000, vocabulary, "merges", range(10_000), seed=2, dropout=0.4)
    expected = oracle.bpe_dropout(word, tokens, None, Fraction(2, 5))
    assert chi_square(found, expected) < 5


def fewest(words, tokens):
    """Both rules that ask for the fewest tokens, as checked: all scores equal for one of them."""
    singles = {c: -1.0 for word in words for c in word}
    vocabulary = Vocabulary(tokens, "chars", scores=[-1.0] * len(tokens), symbol_scores=singles)
    expected = [greedy_oracle.shortest_path(word, tokens) for word in words]
    assert cut_all(words, vocabulary, "shortest_path") == expected
    assert cut_all(words, vocabulary, "likelihood") == expected


def test_fewest_of_every_tiny_vocabulary():
    strings = ["".join(s) for n in range(2, 6) for s in product("ab", repeat=n)]
    for many in range(4):
        for tokens in combinations(strings[:12], many):  # two or three symbols
            fewest(strings, tokens)


def test_fewest_in_runs():
    # where sizes are missing, a longer run may need fewer tokens
    runs = ["a" * n for n in range(1, 40)]
    for bits in range(2**7):
        fewest(runs, ["a" * n for n in range(2, 9) if bits >> (n - 2) & 1])


@settings(max_examples=60, deadline=None)
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
    found = cut_all(words, Vocabulary(tokens, "chars"), "longest_match")
    assert found == [oracle.longest_match(word, inside) for word in words]
    found = cut_all(words, Vocabulary(tokens, "chars"), "shortest_path")
    assert found == [greedy_oracle.shortest_path(word, inside) for word in words]
    found = cut_all(tokens, Vocabulary(tokens, "chars"), "merges")
    assert found == [[token] for token in tokens]


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
