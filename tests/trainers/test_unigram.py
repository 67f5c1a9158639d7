"""Unigram's kernel and trainer against listing every segmentation."""

from __future__ import annotations

import math
import random
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.trainers import unigram as oracle
from shared.listener import Listener
from shared.properties import tries

from partcover import GroupBudget, InputError, Instance, Vocabulary, WordCounts, segment, trainers
from partcover.kernels.training import _unigram
from partcover.trainers.shared.lattice import Lattice
from partcover.trainers.shared.unigram_model import digamma, expectation, pruning_losses

word_st = st.text("ab", min_size=1, max_size=8) | st.text("abc", min_size=1, max_size=6)
words_st = st.dictionaries(word_st, st.integers(1, 9), min_size=1, max_size=12)
tokens_st = st.lists(st.text("abc", min_size=2, max_size=4), unique=True, max_size=8)
KINDS = {"bytes": str.encode, "chars": str, "ints": lambda w: tuple(ord(c) * 2**33 for c in w)}


def lattice_of(counts, tokens, kind="chars"):
    words = WordCounts.from_counts(counts, kind)
    return Lattice.of(words, Instance(words, 0).index, tokens)


def scored(lattice, seed):
    """Scores that are sums of eighths: added up in any order they are exact, and so are ties."""
    draw = random.Random(seed)
    return np.array([-draw.randint(1, 40) / 8 for _ in lattice.pieces])


@pytest.mark.parametrize("kind", KINDS)
@tries(50)
@given(counts=words_st, tokens=tokens_st, seed=st.integers(0, 99))
def test_expected_counts_are_those_of_all_segmentations(kind, counts, tokens, seed):
    counts = {KINDS[kind](w): c for w, c in counts.items()}
    lattice = lattice_of(counts, [KINDS[kind](t) for t in tokens], kind)
    score = scored(lattice, seed)
    got, likelihood = expectation(lattice, score)
    want, value = oracle.expectation(counts, dict(zip(lattice.pieces, score, strict=True)))
    assert got == pytest.approx([want[p] for p in lattice.pieces], rel=1e-9, abs=1e-9)
    assert likelihood == pytest.approx(value, rel=1e-9)
    shared, same = expectation(lattice, score, threads=3)
    assert (shared.tolist(), same) == (got.tolist(), likelihood)  # to the last bit


@pytest.mark.parametrize("kind", KINDS)
@tries(50)
@given(counts=words_st, tokens=tokens_st, seed=st.integers(0, 99))
def test_losses_are_those_of_the_best_segmentations(kind, counts, tokens, seed):
    counts = {KINDS[kind](w): c for w, c in counts.items()}
    lattice = lattice_of(counts, [KINDS[kind](t) for t in tokens], kind)
    score = scored(lattice, seed)
    got = pruning_losses(lattice, score, threads=2)
    want = oracle.losses(counts, dict(zip(lattice.pieces, score.tolist(), strict=True)))
    assert got == pytest.approx([want[p] for p in lattice.pieces], rel=1e-9, abs=1e-9)


def test_of_equal_segmentations_the_earliest_start_wins():
    lattice = lattice_of({"abc": 1}, ["ab", "bc"])  # a|bc, as its last token starts earlier
    loss = dict(zip(lattice.pieces, pruning_losses(lattice, np.full(5, -1.0)), strict=True))
    assert loss["ab"] == -math.inf
    assert loss["bc"] > -1e300


def test_a_long_word_neither_overflows_nor_vanishes():
    lattice = lattice_of({"ab" * 5000: 1}, ["ab"])
    expected, likelihood = expectation(lattice, np.log([0.25, 0.25, 0.5]))
    assert likelihood == pytest.approx(5000 * math.log(0.25**2 + 0.5))
    assert expected[2] == pytest.approx(5000 * 0.5 / 0.5625)


def test_digamma():
    euler = 0.57721566490153286
    assert digamma(1.0) == pytest.approx(-euler, rel=1e-13)
    assert digamma(0.5) == pytest.approx(-euler - 2 * math.log(2), rel=1e-13)
    x = np.array([0.01, 0.5, 3.3, 9.99, 10.0, 250.5, 1e9])
    assert digamma(x + 1) == pytest.approx(digamma(x) + 1 / x, rel=1e-12)


def test_logarithms_and_exponentials_are_the_same_everywhere():
    """Near the true ones, and to the last bit whatever processor and system compute them."""
    draw = random.Random(1)
    values = [math.ldexp(draw.uniform(0.5, 1.5), draw.randint(-999, 999)) for _ in range(300)]
    values += [draw.uniform(0.5, 1.5) for _ in range(100)] + [2.0**-1000, 0.5, 1.0, 2.0, 2.0**1000]
    found = np.array(values)
    _unigram.take_logarithms(found)
    weight = np.empty(len(found), [("part", "f8"), ("power", "i8")])
    _unigram.exponentials(found, weight)
    with localcontext(prec=40):
        for value, log, (part, power) in zip(values, found.tolist(), weight.tolist(), strict=True):
            assert abs(Decimal(value).ln() - Decimal(log)) < math.ulp(log)
            exact = Decimal(log).exp() / 2 ** Decimal(power)
            assert abs(exact - Decimal(part)) < 2 * math.ulp(part)
            assert 0.999 < part < 2.001
    digest = sha256(found.astype("<f8").tobytes() + weight["part"].astype("<f8").tobytes())
    assert digest.hexdigest()[:16] == "c95d3aa0177f037f"


def seeds_of(counts):
    """Single symbols, and substrings twice or more not always followed by the same symbol."""
    occurs, follow = Counter(), {}
    for word, count in counts.items():
        for i in range(len(word)):
            for j in range(i + 1, len(word) + 1):
                occurs[word[i:j]] += count
                follow.setdefault(word[i:j], set()).add(word[j : j + 1])
    value = {t: n * len(t) for t, n in occurs.items()}
    tokens = [
        t
        for t in occurs
        if len(t) > 1 and occurs[t] > 1 and (len(follow[t]) > 1 or "" in follow[t])
    ]
    pieces = sorted(set("".join(counts))) + sorted(tokens, key=lambda t: (-value[t], len(t), t))
    return {p: value[p] for p in pieces}


@pytest.mark.parametrize("m_step", ["digamma", "plain"])
@tries(60)
@given(counts=words_st, k=st.integers(0, 6))
def test_the_trainer_is_the_slow_one(m_step, counts, k):
    try:
        want = oracle.train(counts, seeds_of(counts), k, m_step, lambda x: float(digamma(x)))
    except oracle.Tie:
        assume(False)
    words = WordCounts.from_counts(counts, "chars")
    got = trainers.unigram(Instance(words, k), m_step=m_step, threads=2)
    vocabulary = got.vocabulary
    scores = dict(zip(vocabulary, vocabulary.scores, strict=True)) | dict(vocabulary.symbol_scores)
    assert scores == pytest.approx(want, rel=1e-9)
    assert list(vocabulary.scores) == sorted(vocabulary.scores, reverse=True)
    assert got.tokens == segment(words, vocabulary, "likelihood").tokens


@pytest.mark.long
def test_prunings_stop_at_a_tenth_above_k():
    for seed in (2, 4, 6):
        draw = random.Random(seed)
        words = ("".join(draw.choices("abcd", k=draw.randint(2, 7))) for _ in range(30))
        counts = {word: draw.randint(1, 30) for word in words}
        want = oracle.train(counts, seeds_of(counts), 20, "digamma", lambda x: float(digamma(x)))
        got = trainers.unigram(Instance(WordCounts.from_counts(counts, "chars"), 20)).vocabulary
        assert set(got) == {piece for piece in want if len(piece) > 1}


# the corpus of Hugging Face's course on Unigram, its pieces with their frequencies, and losses
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
PIECES = {"h": 15, "u": 36, "g": 20, "hu": 15, "ug": 20, "p": 17, "pu": 17, "n": 16}
PIECES |= {"un": 16, "b": 4, "bu": 4, "s": 5, "hug": 15, "gs": 5, "ugs": 5}


def course_loss(without=None):
    """-Σ count · log p(best segmentation), frequencies as they are."""
    tokens = [p for p in PIECES if len(p) > 1 and p != without]
    total = sum(PIECES.values())
    score = {p: math.log(n / total) for p, n in PIECES.items()}
    vocabulary = Vocabulary(
        tokens,
        "chars",
        rule="likelihood",
        scores=[score[t] for t in tokens],
        symbol_scores={p: score[p] for p in PIECES if len(p) == 1},
    )
    cut = segment(WordCounts.from_counts(HUGS, "chars"), vocabulary)
    parts = {word: cut.of(i) for i, word in enumerate(HUGS)}
    return -sum(c * score[p] for w, c in HUGS.items() for p in parts[w]), parts


def test_the_worked_example_of_the_course():
    occurs = {p: sum(c * w.count(p) for w, c in HUGS.items()) for p in PIECES}
    assert occurs == PIECES
    assert sum(PIECES.values()) == 210
    loss, parts = course_loss()
    assert loss == pytest.approx(169.8, abs=0.05)
    # the course cuts pu|g, pu|n, bu|n, hug|s, which are as likely
    assert list(parts.values()) == [["hug"], ["p", "ug"], ["p", "un"], ["b", "un"], ["h", "ugs"]]
    assert course_loss("pu")[0] == pytest.approx(loss)  # p|ug, p|un are as likely
    assert course_loss("hug")[0] - loss == pytest.approx(23.5, abs=0.05)


F = Fraction
# six words over ten pieces that are equally likely, 1/10 each: every segmentation, with its share
SIX = {"ab": 4, "bc": 2, "abc": 3, "cab": 1, "bca": 1, "abab": 2}
TEN = ["a", "b", "c", "ab", "bc", "ca", "ba", "abc", "cab", "bca"]
SHARES = {
    "ab": {"ab": F(10, 11), "a|b": F(1, 11)},
    "bc": {"bc": F(10, 11), "b|c": F(1, 11)},
    "abc": {"abc": F(100, 121), "ab|c": F(10, 121), "a|bc": F(10, 121), "a|b|c": F(1, 121)},
    "cab": {"cab": F(100, 121), "ca|b": F(10, 121), "c|ab": F(10, 121), "c|a|b": F(1, 121)},
    "bca": {"bca": F(100, 121), "bc|a": F(10, 121), "b|ca": F(10, 121), "b|c|a": F(1, 121)},
    "abab": {
        "ab|ab": F(100, 131),
        "ab|a|b": F(10, 131),
        "a|ba|b": F(10, 131),
        "a|b|ab": F(10, 131),
        "a|b|a|b": F(1, 131),
    },
}
EXPECTED = {
    "a": F(8, 11) + F(1, 121) + F(64, 131),
    "b": F(8, 11) + F(3, 121) + F(64, 131),
    "c": F(6, 11) + F(1, 121),
    "ab": F(40, 11) + F(40, 121) + F(440, 131),
    "bc": F(20, 11) + F(40, 121),
    "ca": F(20, 121),
    "ba": F(20, 131),
    "abc": F(300, 121),
    "cab": F(100, 121),
    "bca": F(100, 121),
}


def test_the_worked_example_of_six_words_over_ten_pieces():
    tokens = TEN[3:]
    for word, shares in SHARES.items():
        ways = oracle.ways(word, dict.fromkeys(TEN, 0.0))
        assert {"|".join(word[a:b] for a, b in way) for _, way in ways} == set(shares)
        assert sum(shares.values()) == 1
    for piece, number in EXPECTED.items():
        ways = [
            (SIX[w], way.split("|"), p) for w, shares in SHARES.items() for way, p in shares.items()
        ]
        assert sum(count * p * way.count(piece) for count, way, p in ways) == number
    assert sum(len(piece) * n for piece, n in EXPECTED.items()) == 35  # every symbol, once

    # the E step
    lattice = lattice_of(SIX, tokens)
    expected, likelihood = expectation(lattice, np.full(10, math.log(0.1)))
    assert lattice.pieces == tuple(TEN)
    assert expected == pytest.approx([float(EXPECTED[piece]) for piece in TEN])
    first = 6 * math.log(0.11) + 5 * math.log(0.121) + 2 * math.log(0.0131)
    assert likelihood == pytest.approx(first)
    # the M step: ab has 7.33 of 16.94, and two ab are now the best of abab by far
    total = sum(EXPECTED.values())
    assert (round(float(EXPECTED["ab"]), 2), round(float(total), 2)) == (7.33, 16.94)
    score = np.array([math.log(EXPECTED[piece] / total) for piece in TEN])
    after = expectation(lattice, score)[1]
    words = WordCounts.from_counts(SIX, "chars")
    objective = [
        trainers.unigram_objective(words, Vocabulary(tokens, "chars"), rounds=r) for r in (0, 1)
    ]
    assert objective == pytest.approx([first, after])
    assert (round(first, 2), round(after, 2)) == (-32.47, -21.61)
    # pruning: the best segmentations hold ab 8 times, abc 3, bc 2, cab and bca once, 15 pieces;
    # ca and ba are in none and go first, then cab for c|ab, and bca for bc|a
    loss = dict(zip(TEN, pruning_losses(lattice, score).tolist(), strict=True))
    assert (loss["ca"], loss["ba"]) == (-math.inf, -math.inf)
    assert loss["cab"] == pytest.approx(math.log(1 / 15) - math.log(1 / 16) - math.log(9 / 16))
    assert loss["bca"] == pytest.approx(math.log(1 / 15) - math.log(3 / 16) - math.log(1 / 16))
    assert sorted(tokens, key=lambda t: loss[t])[2:] == ["cab", "bca", "abc", "bc", "ab"]


FOUR = WordCounts.from_words(["random", "randose", "rosey", "randy"])


def test_four_words_pruned_step_by_step():
    counts = {word.decode(): count for word, count in FOUR}
    counted = {piece: value // len(piece) for piece, value in seeds_of(counts).items()}
    gone = []
    while sum(len(piece) > 1 for piece in counted) > 2:
        score = {piece: math.log(n / sum(counted.values())) for piece, n in counted.items()}
        loss = oracle.losses(counts, score)
        lattice = lattice_of(counts, [piece for piece in counted if len(piece) > 1])
        got = pruning_losses(lattice, np.array([score[p] for p in lattice.pieces]))
        assert got == pytest.approx([loss[p] for p in lattice.pieces], rel=1e-9)
        gone.append(min(counted, key=lambda p: (round(loss[p], 6), -len(p), p)))
        del counted[gone[-1]]
    assert gone == ["ando", "and", "ndo", "do", "nd", "se", "rando"]
    assert [piece for piece in counted if len(piece) > 1] == ["rand", "ose"]
    trained = trainers.unigram(Instance(FOUR, 2))
    assert list(trained.vocabulary) == [b"rand", b"ose"]
    assert trained.cover == 13  # no two tokens cover more


def test_threads_and_the_order_of_words_change_no_bit():
    counts = {w: 3 + i % 7 for i, w in enumerate(" ".join(math.__dict__).split("_")) if w}
    runs = [
        trainers.unigram(Instance(WordCounts.from_counts(each), 20), threads=threads).vocabulary
        for each, threads in ((counts, 1), (dict(reversed(counts.items())), 3))
    ]
    assert runs[0] == runs[1]


WORDS = WordCounts.from_counts({"random": 3, "randose": 2, "rosey": 4, "randy": 1, "Ġroé": 2})


def test_fixed_tokens_stay_and_limits_hold():
    fixed = {"prefix": ["se", "zz"], "required": ["ra"], "forbidden": ["rand"]}
    tokens = trainers.unigram(Instance(WORDS, 5, max_length=4, min_count=2, **fixed)).vocabulary
    assert tokens.tokens[:2] == (b"se", b"zz")
    assert b"ra" in tokens.tokens
    assert b"rand" not in tokens.tokens
    assert len(tokens) == 5
    assert max(map(len, tokens)) <= 4
    listed = Instance(WORDS, 2, candidates=["rand", "rose", "nd", "om"])
    assert set(trainers.unigram(listed).vocabulary) <= set(listed.candidates)
    protected = trainers.unigram(Instance(WORDS, 3, protected=["an"]))
    assert b"an" in protected.vocabulary.tokens


@pytest.mark.parametrize("train", [trainers.unigram, trainers.pathpiece])
def test_longer_substrings_than_a_token_change_nothing(train, monkeypatch):
    draw = random.Random(7)
    words = {"".join(draw.choices(["a", "b", "abba", "bab"], k=12)): n for n in range(1, 30)}
    instance = Instance(words, 12)
    solution = train(instance, max_length=4)
    every = Instance.candidate_index
    monkeypatch.setattr(
        Instance,
        "candidate_index",
        lambda self, *, dominated, longest: every(self, dominated=dominated),
    )
    assert train(instance, max_length=4).vocabulary == solution.vocabulary
    monkeypatch.undo()
    # there are 450 million substrings, which do not fit in memory
    long = Instance({"".join(draw.choices("abcd", k=30_000)): 1}, 50)
    assert len(train(long, max_length=6, time_limit=0).vocabulary) == 50


def test_exactly_k_where_there_are_so_many():
    for k in range(8):
        assert trainers.unigram(Instance(WORDS, k)).extra["size"] == k
    everything = trainers.unigram(Instance(WORDS, 10_000))
    assert everything.extra["size"] == everything.extra["seed_size"]


def test_no_words_have_no_tokens():
    none = WordCounts.from_counts({})
    solution = trainers.unigram(Instance(none, 3))
    assert (solution.tokens, solution.vocabulary.tokens) == (0, ())
    assert trainers.unigram_objective(none, Vocabulary(["ab"])) == 0
    with pytest.raises(InputError, match="unigram does not support groups"):
        trainers.unigram(Instance(none, 3, groups=[GroupBudget("long", 1, min_length=8)]))


def test_a_limit_or_an_interrupt_ends_with_k_tokens():
    late = trainers.unigram(Instance(WORDS, 3), time_limit=0)
    assert (late.termination, late.extra["size"], late.extra["rounds"]) == ("time_limit", 3, 1)

    def stop(taken, to_take, remark):
        raise KeyboardInterrupt

    ended = trainers.unigram(Instance(WORDS, 3), progress=Listener(advance=stop))
    assert (ended.termination, ended.extra["size"]) == ("interrupted", 3)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"seed_size": -1}, "seed_size is -1"),
        ({"max_length": 1}, "max_length is 1"),
        ({"shrink": 1.0}, "shrink is 1.0"),
        ({"em_rounds": 0}, "em_rounds is 0"),
        ({"m_step": "viterbi"}, "unknown m_step 'viterbi'"),
    ],
)
def test_bad_options(option, message):
    with pytest.raises(InputError, match=message):
        trainers.unigram(Instance(WORDS, 3), **option)


@tries(30)
@given(counts=words_st, tokens=tokens_st)
def test_the_objective_is_the_likelihood_and_rises(counts, tokens):
    words = WordCounts.from_counts(counts, "chars")
    vocabulary = Vocabulary(tokens, "chars")
    pieces = [*sorted(set("".join(counts))), *tokens]
    uniform = dict.fromkeys(pieces, -math.log(len(pieces)))
    values = [trainers.unigram_objective(words, vocabulary, rounds=r) for r in range(4)]
    assert values[0] == pytest.approx(oracle.expectation(counts, uniform)[1])
    assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(values))


def test_the_objective_of_no_tokens_is_the_entropy_of_symbols():
    words = WordCounts.from_counts({"aab": 2, "b": 1})
    value = trainers.unigram_objective(words, Vocabulary([]), rounds=1)
    assert value == pytest.approx(4 * math.log(4 / 7) + 3 * math.log(3 / 7))
    with pytest.raises(InputError, match="vocabulary is over chars, the words are over bytes"):
        trainers.unigram_objective(words, Vocabulary([], "chars"))
    with pytest.raises(InputError, match="rounds is -1"):
        trainers.unigram_objective(words, Vocabulary([]), rounds=-1)


def test_fewer_seeds_and_rounds_where_time_is_short(monkeypatch):
    """Every look at the clock is a second later: half of the time is there for the seeds."""
    instance = Instance(WORDS, 3)
    whole = trainers.unigram(instance)
    now = iter(range(10**6))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    short = trainers.unigram(instance, time_limit=3)
    assert short.termination == "time_limit"
    assert 3 <= short.extra["seed_size"] < whole.extra["seed_size"]
    assert short.extra["rounds"] == 1
    longer = trainers.unigram(instance, time_limit=6)
    assert longer.extra["seed_size"] == whole.extra["seed_size"]
    # rounds take a second each: none is begun that would end after the limit
    assert 1 < longer.extra["rounds"] < whole.extra["rounds"]
