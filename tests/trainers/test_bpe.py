"""BPE and WordPiece against training written out, and against other trainers."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles.merges import cut, train
from shared.listener import Listener
from shared.properties import tries

from partcover import InputError, Instance, Vocabulary, WordCounts, segment
from partcover.kernels.search._worst_case import method_cover
from partcover.runtime.limits import Deadline
from partcover.runtime.progress import Progress
from partcover.trainers import bpe, frequent, wordpiece
from partcover.trainers.bpe import merges_that_make
from partcover.trainers.shared.merge_training import train_merges

WORDS = st.dictionaries(
    st.text("ab", min_size=1, max_size=12)
    | st.text("abcd", min_size=1, max_size=8)
    | st.sampled_from(["aaaaaaa", "abcabcab", "abababab", "bcabc", "aabaabaa"]),
    st.integers(1, 5),
    max_size=6,
)
PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]


def byte_place(symbol: bytes) -> int:
    """Where the character of a byte stands among those of all bytes (GPT-2's table)."""
    n = symbol[0]
    return n if n in PRINTABLE else 256 + sum(b not in PRINTABLE for b in range(n))


def merged(instance, given=None, *, scored=False):
    return train_merges(
        instance,
        given or Vocabulary((), instance.symbols),
        scored=scored,
        deadline=Deadline(),
        threads=1,
        progress=Progress(),
    )


@pytest.mark.parametrize("scored", [False, True])
@tries(600)
@given(words=WORDS, k=st.integers(0, 14))
@example(words={"aaaa": 3, "aaa": 1}, k=4)
def test_step_by_step(scored, words, k):
    instance = Instance(WordCounts.from_counts(words, "chars"), k)
    trained, slow = merged(instance, scored=scored), train(words, k, ord, scored=scored)
    assert list(trained.tokens) == slow.tokens
    assert list(trained.merges) == slow.merges
    assert list(trained.gains) == slow.gains
    assert trained.exhausted == (len(slow.tokens) < k)


# few symbols and long words: many merges spell one token
@pytest.mark.parametrize("scored", [False, True])
@tries(300)
@given(words=st.dictionaries(st.text("ab", min_size=4, max_size=24), st.integers(1, 3), max_size=5))
def test_to_the_end(scored, words):
    instance = Instance(WordCounts.from_counts(words, "chars"), 1000)
    trained, slow = merged(instance, scored=scored), train(words, 1000, ord, scored=scored)
    assert (list(trained.tokens), list(trained.merges)) == (slow.tokens, slow.merges)
    assert list(trained.gains) == slow.gains
    assert trained.exhausted


@pytest.mark.parametrize("scored", [False, True])
@tries(400)
@given(words=WORDS, data=st.data())
def test_options(scored, words, data):
    pool = st.text("abc", min_size=2, max_size=4)
    prefix = data.draw(st.lists(pool, unique=True, max_size=3))
    forbidden = sorted(set(data.draw(st.lists(pool, max_size=3))) - set(prefix))
    limits = {"max_length": data.draw(st.integers(2, 6)), "min_count": data.draw(st.integers(1, 6))}
    k = data.draw(st.integers(len(prefix), 9))
    counted = WordCounts.from_counts(words, "chars")
    instance = Instance(counted, k, prefix=prefix, forbidden=forbidden, **limits)
    start = segment(counted, Vocabulary(prefix, "chars"))
    trained = merged(instance, Vocabulary(prefix, "chars"), scored=scored)
    slow = train(
        words,
        k,
        ord,
        scored=scored,
        given=prefix,
        start={word: start.of(i) for i, (word, _) in enumerate(counted)},
        forbidden=forbidden,
        **limits,
    )
    assert (list(trained.tokens), list(trained.merges)) == (slow.tokens, slow.merges)
    assert list(trained.gains) == slow.gains


@tries(200)
@given(
    words=st.dictionaries(
        st.binary(min_size=1, max_size=3)
        | st.lists(
            st.sampled_from([0, 32, 33, 127, 160, 173, 174, 255]), min_size=1, max_size=8
        ).map(bytes),
        st.integers(1, 3),
        max_size=6,
    ),
    k=st.integers(0, 8),
)
def test_bytes_come_in_the_byte_level_order(words, k):
    trained = merged(Instance(WordCounts.from_counts(words), k))
    slow = train(words, k, byte_place)
    assert (list(trained.tokens), list(trained.merges)) == (slow.tokens, slow.merges)


@tries(100)
@given(
    words=st.dictionaries(
        st.lists(st.sampled_from([0, 7, 2**40]), min_size=1, max_size=8).map(tuple),
        st.integers(1, 3),
        max_size=6,
    ),
    k=st.integers(0, 8),
)
def test_integers(words, k):
    trained = merged(Instance(WordCounts.from_counts(words, "ints"), k))
    slow = train(words, k, lambda s: s[0])
    assert (list(trained.tokens), list(trained.merges)) == (slow.tokens, slow.merges)


@pytest.mark.long
def test_many_pairs():
    draw = np.random.default_rng(1)
    words = [tuple(map(int, draw.integers(1, 300, 40))) for _ in range(1200)]
    words = [10 * (0, 1), 15 * (2, 3), *words, (300, *10 * (0, 1))]  # 0 1 comes first and last
    counts = dict.fromkeys(words, 1)
    trained = merged(Instance(WordCounts.from_counts(counts, "ints"), 1))  # of 36,000 pairs
    slow = train(counts, 1, lambda s: s[0])
    assert list(trained.merges) == slow.merges == [((0,), (1,))]


def test_counts_near_the_end_of_int64():
    for words in (
        {"abab": 2**60, "cd": 2**60 + 1, "ce": 1, "fgg": 2**40},
        {"ab": 2**60, "cd": 2**60 - 1},  # scores that floats do not tell apart
    ):
        instance = Instance(WordCounts.from_counts(words, "chars"), 5)
        for scored in (False, True):
            slow = train(words, 5, ord, scored=scored)
            assert list(merged(instance, scored=scored).merges) == slow.merges


@pytest.mark.long
@tries(300)
@given(
    words=st.dictionaries(
        st.lists(st.integers(0, 4), min_size=1, max_size=9).map(bytes),
        st.integers(1, 1000),
        min_size=1,
        max_size=5,
    ),
    k=st.integers(0, 6),
)
def test_as_the_tiny_kernel(words, k):
    slow = train(words, k, byte_place)
    # it breaks ties in its own way, counts without overlap, and counts merges, not tokens
    assume(slow.clear and len(slow.merges) == len(slow.tokens))
    counted = WordCounts.from_counts(words)
    cover, tokens = method_cover(counted.data, counted.offsets, counted.counts, k, 3)
    trained = merged(Instance(counted, k))
    text = counted.data.tobytes()
    assert [text[start : start + length] for start, length in tokens] == list(trained.tokens)
    assert cover == sum(trained.gains)


def hugging_face(words: dict, k: int, alphabet: int, **options) -> list:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=alphabet + k, show_progress=False, special_tokens=[], **options
    )
    tokenizer.train_from_iterator([" ".join([w] * c) for w, c in words.items()], trainer)
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


@pytest.mark.long
@tries(400)
@given(words=WORDS, k=st.integers(0, 12), min_count=st.integers(1, 4))
def test_as_hugging_face(words, k, min_count):
    instance = Instance(WordCounts.from_counts(words, "chars"), k, min_count=min_count)
    trained = merged(instance)
    # where two merges spell one token it leaves part of a pair's places for a second merge
    assume(len(trained.merges) == len(trained.tokens))
    peer = hugging_face(words, k, len(set("".join(words))), min_frequency=min_count)
    assert list(trained.merges) == peer


@tries(300)
@given(words=st.dictionaries(st.text("abc", min_size=2, max_size=9), st.integers(1, 4), max_size=5))
def test_merges_are_told_from_tokens(words):
    slow = train(words, 12, ord)
    known = merges_that_make(slow.tokens)
    if len(slow.merges) == len(slow.tokens):
        assert known == slow.merges
    if known is not None:
        ranks = {pair: rank for rank, pair in enumerate(known)}
        assert [cut(list(t), ranks) for t in slow.tokens] == [[t] for t in slow.tokens]
    assert merges_that_make(["abc", *slow.tokens]) is None


@tries(400)
@given(tokens=st.lists(st.text("ab", min_size=2, max_size=9), max_size=8, unique=True))
def test_merges_that_make_tokens_cut_them(tokens):
    known, ranks = merges_that_make(tokens), {}
    for rank, token in enumerate(tokens):
        pieces = cut(list(token), ranks)
        if len(pieces) > 2:
            assert known is None
            return
        ranks[tuple(pieces)] = rank
    assert known == list(ranks)


@pytest.mark.long
@tries(400)
@given(words=WORDS, data=st.data())
def test_merges_of_a_token_that_no_merge_made(words, data):
    """They join it on with its neighbours where it is made at last."""
    pairs = st.tuples(*[st.text("abc", min_size=1, max_size=3)] * 2)
    merges = data.draw(st.lists(pairs, unique=True, max_size=4))
    parts = [part for pair in merges for part in (*pair, "".join(pair))]
    given = list(dict.fromkeys(part for part in parts if len(part) > 1))
    vocabulary = Vocabulary(given, "chars", rule="merges", merges=merges)
    counted = WordCounts.from_counts(words, "chars")
    trained = merged(Instance(counted, len(given) + 6), vocabulary)
    slow = train(words, len(given) + 6, ord, given=given, merges=merges)
    assert (list(trained.tokens), list(trained.merges)) == (slow.tokens, slow.merges)


@pytest.mark.long
def test_long_words_and_many_tokens_with_a_prefix():
    """Joined again piece by piece, where whole words and tokens once took minutes."""
    vocabulary = Vocabulary(["ab", "abc"], "chars", rule="merges", merges=[("ab", "c")])
    instance = Instance(WordCounts.from_counts({"abcd" * 50_000: 1}, "chars"), 4)
    assert merged(instance, vocabulary).merges[:2] == (("a", "b"), ("abc", "d"))
    tokens = ["a" * 2**n for n in range(1, 15)]
    assert merges_that_make(tokens) == [(token[::2],) * 2 for token in tokens]


def test_repeating_gives_the_same():
    rng = np.random.default_rng(5)
    words = {bytes(rng.integers(97, 101, n).tolist()): n for n in range(1, 60)}
    shuffled = dict(sorted(words.items()))
    for scored in (False, True):
        runs = [
            merged(Instance(WordCounts.from_counts(w), 80), scored=scored)
            for w in (words, shuffled)
        ]
        assert runs[0] == runs[1]


@tries(200)
@given(words=WORDS, k=st.integers(0, 14))
def test_bpe_is_used_as_trained(words, k):
    counted = WordCounts.from_counts(words)
    solution = bpe(Instance(counted, k))
    slow = train({w.encode(): c for w, c in words.items()}, k, byte_place)
    assert (solution.method, solution.rule, solution.gains) == ("bpe", "merges", tuple(slow.gains))
    assert solution.vocabulary.merges == tuple(slow.merges)
    ranks = {pair: rank for rank, pair in enumerate(slow.merges)}
    pieces = [cut([bytes([b]) for b in word], ranks) for word, _ in counted]
    again = segment(counted, solution.vocabulary)
    assert [again.of(i) for i in range(len(counted))] == pieces
    assert solution.tokens == sum(c * len(p) for (_, c), p in zip(counted, pieces, strict=True))
    assert solution.tokens + sum(slow.gains) == counted.total_symbols
    assert solution.extra["tokens_shortest_path"] <= solution.tokens


@tries(200)
@given(words=WORDS, half=st.integers(0, 5), k=st.integers(5, 12))
def test_bpe_goes_on_from_its_own_tokens(words, half, k):
    counted = WordCounts.from_counts(words, "chars")
    whole, part = bpe(Instance(counted, k)), bpe(Instance(counted, half))
    assume(len(whole.vocabulary.merges) == len(whole.vocabulary))
    on = bpe(Instance(counted, k, prefix=part.vocabulary.tokens))
    assert on.vocabulary == whole.vocabulary
    assert on.tokens == whole.tokens


def test_bpe_goes_on_from_tokens_no_merge_makes():
    counted = WordCounts.from_counts({"abcx": 3, "abcy": 2}, "chars")
    solution = bpe(Instance(counted, 2, prefix=["abc"]))
    assert solution.vocabulary.tokens == ("abc", "abcx")
    assert (solution.rule, solution.vocabulary.merges) == ("shortest_path", None)
    assert (solution.tokens, solution.gains) == (3 + 4, ())


def test_tokens_that_are_too_long_together_are_refused(monkeypatch):
    monkeypatch.setattr("partcover.runtime.memory.available_memory", lambda: 1 << 28)
    instance = Instance({"a" * 30_000: 1}, 3000)
    with pytest.raises(InputError, match=r"the first 768 tokens have .* --max-length"):
        wordpiece(instance)
    assert max(map(len, wordpiece(replace(instance, max_length=50)).vocabulary)) <= 50


def test_end_of_word():
    words = WordCounts.from_counts({"ab": 3, "abc": 2, "é": 1}, "chars")
    marked = WordCounts.from_counts({"ab_": 3, "abc_": 2, "é_": 1}, "chars")
    assert words.with_suffix("_").to_dict() == marked.to_dict()
    solution, expected = bpe(Instance(words, 2), end_of_word="_"), bpe(Instance(marked, 2))
    assert solution.vocabulary == expected.vocabulary
    assert (solution.tokens, solution.extra["end_of_word"]) == (expected.tokens, "_")
    assert words.with_suffix("").to_dict() == words.to_dict()
    assert len(WordCounts.from_counts({}).with_suffix("x")) == 0


@tries(200)
@given(
    words=WORDS,
    k=st.integers(0, 10),
    prefix=st.lists(st.text("ab", min_size=2, max_size=3), max_size=2),
)
def test_wordpiece_is_used_by_longest_match(words, k, prefix):
    counted = WordCounts.from_counts(words, "chars")
    solution = wordpiece(Instance(counted, k + len(set(prefix)), prefix=prefix))
    start = segment(counted, Vocabulary(dict.fromkeys(prefix), "chars"), "longest_match")
    slow = train(
        words,
        k + len(set(prefix)),
        ord,
        scored=True,
        given=tuple(dict.fromkeys(prefix)),
        start={word: start.of(i) for i, (word, _) in enumerate(counted)},
    )
    assert list(solution.vocabulary) == slow.tokens
    assert solution.rule == "longest_match"
    assert solution.tokens == segment(counted, solution.vocabulary, "longest_match").tokens


@pytest.mark.parametrize("trainer", [bpe, wordpiece])
def test_budgets_are_nested(trainer):
    rng = np.random.default_rng(1)
    words = {bytes(rng.integers(97, 100, rng.integers(1, 12)).tolist()): i for i in range(1, 60)}
    counted = WordCounts.from_counts(words)
    whole = trainer(Instance(counted, 40))
    for k in range(0, 41, 5):
        part = trainer(Instance(counted, k))
        assert part.vocabulary.tokens == whole.vocabulary.tokens[:k]
        if trainer is bpe:
            assert part.gains == whole.gains[:k]
            assert part.tokens == counted.total_symbols - sum(whole.gains[:k])


@pytest.mark.parametrize("trainer", [bpe, wordpiece])
def test_limits_and_refusals(trainer):
    words = WordCounts.from_counts({"abcd": 2, "bcde": 1})
    stopped = trainer(Instance(words, 3), time_limit=0.0)
    assert (stopped.termination, len(stopped.vocabulary)) == ("time_limit", 0)
    assert not stopped.extra["nothing_left_to_gain"]
    little = trainer(Instance(words, 99))
    assert little.extra["nothing_left_to_gain"]
    assert little.tokens == words.total_count
    steps = []
    trainer(Instance(words, 2), progress=Listener(advance=lambda *step: steps.append(step)))
    assert steps == [(2, 2, "")]
    empty = trainer(Instance(WordCounts.from_counts({}), 2))
    assert (empty.tokens, len(empty.vocabulary)) == (0, 0)
    with pytest.raises(InputError, match=f"{trainer.__name__} does not support candidates"):
        trainer(Instance(words, 3, candidates=["ab"]))
    with pytest.raises(InputError, match=f"{trainer.__name__} does not support candidates"):
        trainer(Instance(words, 3, candidates=[]))


def test_the_frequent_words():
    words = WordCounts.from_counts({"cc": 2, "ab": 2, "x": 9, "long": 7, "aa": 2, "b": 1, "zz": 1})
    tokens = frequent(Instance(words, 3)).vocabulary.tokens
    assert tokens == (b"long", b"aa", b"ab")
    limited = frequent(
        Instance(words, 4, max_length=3, min_count=2, forbidden=["ab"], prefix=["cc", "xy"])
    )
    assert limited.vocabulary.tokens == (b"cc", b"xy", b"aa")
    assert limited.extra["nothing_left_to_gain"]
    assert limited.tokens == 2 + 2 + 2 * 2 + 9 + 7 * 4 + 1 + 2
