"""Improve: gains and losses against a full recount, optima against brute force."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import cost, fewest_tokens, useful
from oracles.greedy import all_candidates
from shared.listener import Listener
from shared.properties import tries
from shared.strategies import instances, words_st

from partcover import (
    InputError,
    Instance,
    Solution,
    VerificationError,
    Vocabulary,
    WordCounts,
    greedtok,
    round_relaxation,
    verify,
)
from partcover.heuristics.local_search import local_search
from partcover.heuristics.search import Target
from partcover.heuristics.search_space import SearchSpace
from partcover.heuristics.search_steps import LocalSearch
from partcover.problem.group_budget import GroupBudget
from partcover.runtime.limits import RunLimits
from partcover.runtime.progress import EventLog, Progress
from partcover.verification.recount import recount

long_words_st = st.dictionaries(
    st.text("ab", min_size=1, max_size=9) | st.sampled_from(["aaaaaaa", "abababab", "scaredy"]),
    st.integers(1, 5),
    min_size=1,
    max_size=4,
).map(lambda d: {w.encode(): c for w, c in d.items()})

TEXT = """it is a truth universally acknowledged that a single man in possession of a good
fortune must be in want of a wife however little known the feelings or views of such a man may be
on his first entering a neighbourhood this truth is so well fixed in the minds of the surrounding
families that he is considered as the rightful property of some one or other of their daughters"""
BOOK = WordCounts.from_counts({w: 1 + i % 7 for i, w in enumerate(dict.fromkeys(TEXT.split()))})


def board_of(instance: Instance, tokens=()) -> SearchSpace:
    return SearchSpace(instance, tokens, 0, None)


def aimed(instance: Instance, target: Target) -> Solution:
    """The search with a bound that is proven."""
    limits = RunLimits()
    search = LocalSearch(
        instance, greedtok(instance), None, 0.0, limits, limits.start(), Progress()
    )
    search.aim(target)
    for _ in search.steps():
        pass
    return search.solution(search.ended)


def check_worths(board: SearchSpace, state, words: dict) -> None:
    """What every candidate is worth, by counting all tokens with and without it."""
    instance = board.instance
    chosen = set(board.tokens(state.picked()))
    total = cost(instance, chosen)
    assert state.total == total
    for token, worth in zip(board.tokens_of(), state.worths().tolist(), strict=True):
        if token in chosen:
            assert worth == cost(instance, chosen - {token}) - total
        else:
            assert worth == total - cost(instance, chosen | {token})


@tries(120)
@given(words=long_words_st, data=st.data())
def test_worths_are_exact_after_every_change(words, data):
    board = board_of(Instance(WordCounts.from_counts(words), 3))
    state = board.state()
    state.load(np.zeros(0, np.int32))
    check_worths(board, state, words)
    if len(board):
        for c in data.draw(st.lists(st.integers(0, len(board) - 1), max_size=6)):
            state.flip(c)
            check_worths(board, state, words)


@tries(80)
@given(words=long_words_st, data=st.data())
def test_the_partner_of_a_swap_loses_least(words, data):
    instance = Instance(WordCounts.from_counts(words), 3)
    board = board_of(instance)
    numbers = st.lists(st.integers(0, max(0, len(board) - 1)), max_size=4, unique=True)
    chosen = [c for c in data.draw(numbers) if c < len(board)]
    state = board.state()
    state.load(np.array(sorted(chosen), np.int32))
    tokens = list(board.tokens_of())
    vocabulary = {tokens[c] for c in chosen}
    for a in range(len(board)):
        if a in chosen:
            continue
        added = vocabulary | {tokens[a]}
        total = cost(instance, added)
        losses = [(cost(instance, added - {tokens[d]}) - total, d) for d in sorted(chosen)]
        assert state.swap(a) == (min(losses)[::-1] if losses else (-1, 0))


@tries(80)
@given(words=long_words_st, k=st.integers(1, 3))
def test_a_full_sweep_without_swaps_is_a_local_optimum(words, k):
    instance = Instance(WordCounts.from_counts(words), k)
    board = board_of(instance)
    state = board.state()
    state.load(np.zeros(0, np.int32))
    state.fill(k)
    offers = np.arange(len(board), dtype=np.int32)
    while state.sweep(offers, 0, 2**40)[1]:
        pass
    chosen = set(board.tokens(state.picked()))
    total = cost(instance, chosen)
    assert total == state.total
    for token in board.tokens_of():
        for other in chosen:
            assert cost(instance, chosen - {other} | {token}) >= total


@tries(100)
@given(instance=instances(), seed=st.integers(0, 3))
def test_between_greedtok_and_the_optimum(instance, seed):
    optimum = fewest_tokens(instance)
    solution = local_search(instance, seed=seed)
    greedy = greedtok(instance)
    assert optimum <= solution.tokens <= greedy.extra["tokens_shortest_path"]
    assert verify(instance, solution.vocabulary, claim=solution).ok
    assert solution.tokens + solution.cover == instance.words.total_symbols
    if solution.status == "optimal":
        assert solution.tokens == optimum == solution.lower_bound


@pytest.mark.long
def test_nearly_always_the_optimum():
    """Of 1,492 random tiny ones, conditions included, 99.8 % were; none of these is missed."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        words = {
            bytes(rng.choice([97, 98], rng.integers(2, 7)).tolist()): int(rng.integers(1, 9))
            for _ in range(4)
        }
        instance = Instance(WordCounts.from_counts(words), int(rng.integers(1, 4)))
        assert local_search(instance).tokens == fewest_tokens(instance), words


@tries(25)
@given(words=long_words_st, k=st.integers(0, 4), seed=st.integers(0, 2**31 - 1))
def test_threads_and_repetition_change_nothing(words, k, seed):
    instance = Instance(WordCounts.from_counts(words), k)
    runs = [local_search(instance, seed=seed, threads=threads) for threads in (1, 2, 1)]
    assert len({run.vocabulary.tokens for run in runs}) == 1
    assert len({run.extra["swaps_tried"] for run in runs}) == 1


def test_a_text():
    instance = Instance(BOOK, 20)
    log = EventLog()
    one = local_search(instance, seed=3, progress=log)
    two = local_search(instance, seed=3, threads=2)
    assert one.vocabulary == two.vocabulary
    assert one.tokens < greedtok(instance).extra["tokens_shortest_path"]
    numbers = [event.tokens for event in log.events if event.kind == "incumbent"]
    assert numbers == sorted(set(numbers), reverse=True)
    assert numbers[-1] == one.tokens
    assert numbers[0] >= one.extra["start_tokens"]


def test_a_longer_run_passes_through_what_a_shorter_one_finds(monkeypatch):
    instance = Instance(BOOK, 12)
    incumbents = []
    whole = local_search(
        instance, progress=Listener(event=lambda event: incumbents.append(event.tokens))
    )
    monkeypatch.setattr("partcover.heuristics.search.CYCLES", 1)
    short = local_search(instance)
    assert whole.tokens <= short.tokens
    assert short.tokens in incumbents


def test_a_gap_is_enough():
    instance = Instance(WordCounts.from_counts({"banana": 2, "bandana": 1, "cabana": 3}), 2)
    near = local_search(instance, gap=0.9)
    assert (near.termination, near.status) == ("gap", "feasible")


@pytest.mark.long
def test_no_time_is_greedtok_and_all_time_is_used():
    instance = Instance(BOOK, 12)
    at_once = local_search(instance, time_limit=0)
    assert (at_once.termination, at_once.status) == ("time_limit", "feasible")
    assert verify(instance, at_once.vocabulary, claim=at_once).ok
    begun = time.monotonic()
    longer = local_search(instance, time_limit=0.3)
    assert time.monotonic() - begun >= 0.3
    assert longer.termination == "time_limit"
    assert longer.tokens <= greedtok(instance).extra["tokens_shortest_path"]


def test_an_interrupt_keeps_the_best():
    instance = Instance(BOOK, 20)
    incumbents = []

    def progress(event):
        incumbents.append(event.tokens)
        if len(incumbents) == 2:
            raise KeyboardInterrupt

    solution = local_search(instance, progress=Listener(event=progress))
    assert solution.termination == "interrupted"
    assert solution.tokens == incumbents[-1]
    assert verify(instance, solution.vocabulary, claim=solution).ok


def test_an_interrupt_before_the_search_keeps_greedtoks(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("partcover.heuristics.search_steps.SearchSpace", interrupted)
    instance = Instance(BOOK, 20)
    solution = local_search(instance)
    assert (solution.method, solution.termination) == ("improve", "interrupted")
    assert solution.tokens == greedtok(instance).extra["tokens_shortest_path"]
    assert verify(instance, solution.vocabulary, claim=solution).ok


def test_an_interrupt_of_the_recount_keeps_the_best(monkeypatch):
    instance = Instance(BOOK, 20)
    whole = local_search(instance)
    calls = []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return recount(*arguments)

    monkeypatch.setattr("partcover.heuristics.search_steps.recount", interrupted)
    solution = local_search(instance)
    assert (solution.termination, len(calls)) == ("interrupted", 2)
    assert solution.tokens == whole.tokens


def test_given_start_is_not_lost():
    instance = Instance(BOOK, 8)
    good = local_search(instance).vocabulary
    again = local_search(instance, good, time_limit=0)
    assert verify(instance, again.vocabulary, claim=again).ok
    assert again.tokens == verify(instance, good).tokens
    assert local_search(instance, good).tokens <= verify(instance, good).tokens
    # too long, not candidates, over a group's budget: cut to what may be chosen
    tight = replace(instance, k=3, max_length=4, groups=[GroupBudget("short", 1, None, 2, 2)])
    more = Vocabulary([*good, b"zz", b"in", b"th"])
    assert verify(tight, local_search(tight, more).vocabulary).ok


def test_edges():
    empty = local_search(Instance(WordCounts.from_counts({}), 3))
    assert (empty.tokens, empty.status, len(empty.vocabulary)) == (0, "optimal", 0)
    none = local_search(Instance(BOOK, 0))
    assert (none.tokens, len(none.vocabulary)) == (BOOK.total_symbols, 0)
    every = local_search(Instance(BOOK, 10_000))
    assert (every.tokens, every.status) == (BOOK.total_count, "optimal")
    full = local_search(Instance(BOOK, 2, required=[b"zz"], prefix=[b"ab"]))
    assert list(full.vocabulary) == [b"ab", b"zz"]
    ints = local_search(Instance(WordCounts.from_counts({(1, 2, 9): 3, (2, 9): 1}, "ints"), 1))
    assert ints.tokens == 5
    assert list(ints.vocabulary) == [(1, 2, 9)]


def test_counts_near_the_end_of_int64():
    words = {b"abab": 2**60, b"ab": 2**59, b"ba": 2**58}
    instance = Instance(WordCounts.from_counts(words), 1)
    assert local_search(instance).tokens == fewest_tokens(instance)


def test_the_bound_given():
    instance = Instance(BOOK, 5)
    best = local_search(instance)
    known = aimed(instance, Target(best.tokens))
    assert (known.status, known.gap, known.termination) == ("optimal", 0, "completed")
    assert known.extra["swaps_tried"] <= best.extra["swaps_tried"]
    with pytest.raises(VerificationError, match="lower bound is 770, but 769"):
        aimed(instance, Target(best.tokens + 1))
    # what cannot be of a better vocabulary is not tried
    costs = np.full(len(instance.index), 1e9)
    start = local_search(instance, time_limit=0)
    guided = aimed(instance, Target(0, costs))
    assert guided.extra["swaps_tried"] == 0
    assert guided.tokens <= start.tokens


def test_bad_input_is_one_line():
    instance = Instance(BOOK, 2)
    with pytest.raises(InputError, match="over chars"):
        local_search(instance, Vocabulary(["ab"], "chars"))
    with pytest.raises(InputError, match="x has shape"):
        local_search(instance, x=[1.0])
    with pytest.raises(InputError, match="finite"):
        round_relaxation(instance, np.full(len(instance.index), np.nan))
    with pytest.raises(InputError, match="unknown rule"):
        round_relaxation(instance, np.zeros(len(instance.index)), "up")


@tries(60)
@given(instance=instances(), data=st.data())
def test_roundings_are_vocabularies(instance, data):
    size = len(instance.index)
    some = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    x = np.array(data.draw(st.lists(some, min_size=size, max_size=size)), float)
    seed = data.draw(st.integers(0, 5))
    for rule in ("det", "bias", "int", "random"):
        rounded = round_relaxation(instance, x, rule, seed)
        assert rounded == round_relaxation(instance, x, rule, seed)
        assert verify(instance, rounded).ok
        assert set(instance.fixed) <= set(rounded)


@tries(100)
@given(words=words_st, k=st.integers(1, 4), data=st.data())
def test_rounding_rules(words, k, data):
    instance = Instance(WordCounts.from_counts(words), k)
    index = instance.index
    tokens = list(index.tokens())
    x = np.array(data.draw(st.permutations([i / 50 for i in range(1, len(index) + 1)])), float)
    by_x = [tokens[c] for c in np.argsort(-x)]
    assert list(round_relaxation(instance, x, "det")) == by_x[:k]
    drawn = round_relaxation(instance, x * (x > 0.04), "bias", 7)
    assert set(drawn) <= {token for token, value in zip(tokens, x, strict=True) if value > 0.04}
    ones = np.isin(np.arange(len(index)), np.argsort(-x)[: k - 1]).astype(float)
    chosen = set(round_relaxation(instance, ones, "int"))
    assert set(by_x[: k - 1]) <= chosen
    rest = chosen - set(by_x[: k - 1])
    base = cost(instance, set(by_x[: k - 1]))
    gains = [base - cost(instance, {*by_x[: k - 1], token}) for token in tokens]
    if rest:
        assert base - cost(instance, chosen) == max(gains)
    elif tokens:
        assert max(gains) == 0 or len(by_x) < k


def test_bias_follows_x():
    instance = Instance(WordCounts.from_counts({b"ab": 1, b"cd": 1, b"ef": 1}), 1)
    x = [0.7, 0.2, 0.1]
    drawn = [next(iter(round_relaxation(instance, x, "bias", seed))) for seed in range(600)]
    shares = [drawn.count(token) / 600 for token in (b"ab", b"cd", b"ef")]
    assert shares == pytest.approx(x, abs=0.06)


def test_the_search_uses_x():
    instance = Instance(BOOK, 6)
    best = local_search(instance)
    index = instance.index
    x = [float(token in set(best.vocabulary)) for token in index.tokens()]
    log = EventLog()
    local_search(instance, x=x, progress=log)
    assert any(e.source == "rounding" and e.tokens == best.tokens for e in log.events) or (
        log.events[0].tokens == best.tokens
    )


def test_few_occurrences_fit(monkeypatch):
    monkeypatch.setattr("partcover.heuristics.search_space.MOST_SEARCHED", 40)
    instance = Instance(BOOK, 10)
    few = local_search(instance)
    assert few.tokens <= greedtok(instance).extra["tokens_shortest_path"]
    assert few.status == "feasible"
    monkeypatch.setattr("partcover.heuristics.search_space.STEPS", 10)
    repeats = Instance(WordCounts.from_counts({b"abab" * 9: 2, b"aabb" * 7: 1}), 2)
    kept = local_search(repeats)
    assert kept.tokens <= greedtok(repeats).extra["tokens_shortest_path"]


def test_oracle_candidates_are_what_is_tried():
    instance = Instance(WordCounts.from_counts({b"abc": 2, b"bcd": 1}), 2)
    board = board_of(instance)
    tokens = set(board.tokens_of())
    assert tokens <= all_candidates([b"abc", b"bcd"])
    assert tokens <= set(useful(instance))
