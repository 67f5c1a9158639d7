"""The memory that a plan says, against what a run takes; and what does not fit."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from shared.peak import planned_and_peak

from partcover import (
    HeadAndTail,
    InputError,
    Instance,
    WordCounts,
    greedtok,
    improve,
    lower_bound,
    solve,
)
from partcover.problem.memory_plan import memory_plan, refuse_beyond_memory
from partcover.trainers import bpe

RUN = """
import itertools
import time
from partcover import greedtok, improve, lower_bound
from partcover.problem import word_index
from partcover.problem.memory_plan import memory_plan
from partcover.trainers import bpe

work, k, longest, bits = sys.argv[1:]
if bits == "64":
    word_index.NARROW_POSITIONS = 0
instance = Instance(words, int(k), max_length=int(longest))
need = memory_plan(instance, work).need
if work == "merges":
    bpe(instance)
else:
    greedy = greedtok(instance)
if work == "search":
    looks = itertools.count()
    time.monotonic = lambda: 0.004 * next(looks)  # counts looks, however long they take
    improve(instance, time_limit=2)
if work == "bound":
    lower_bound(instance, greedy=greedy, iterations=1)
"""


def words_of_parts(n):
    """So many words, of three parts each, some of which are in many words."""
    random = np.random.default_rng(1)
    letters = list("etaoinshrdlu")
    parts = ["".join(random.choice(letters, random.integers(2, 6))) for _ in range(3000)]
    draw = np.minimum(random.zipf(1.3, (n, 3)) - 1, 2999)
    words = {"".join(parts[i] for i in row): 1 + n % 7 for n, row in enumerate(draw.tolist())}
    return WordCounts.from_counts(words)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="no peak memory")
@pytest.mark.parametrize(
    ("work", "words", "k", "longest", "bits"),
    [
        ("greedy", 60_000, 500, 99, 32),
        ("greedy", 60_000, 500, 3, 32),
        ("greedy", 60_000, 500, 3, 64),
        ("greedy", 60_000, 50_000, 99, 32),
        ("bound", 30_000, 500, 99, 32),
        ("search", 30_000, 500, 99, 32),
        ("merges", 60_000, 500, 99, 32),
        ("merges", 60_000, 50_000, 99, 32),
    ],
)
def test_a_run_takes_between_half_of_the_plan_and_all_of_it(work, words, k, longest, bits):
    need, peak = planned_and_peak(RUN, words_of_parts(words), work, k, longest, bits)
    assert need / 2 <= peak <= need


def candidates(**limits):
    parts = memory_plan(Instance({"banana": 2, "nab": 1, "x": 5}, 1, **limits), "greedy").parts
    return parts["candidates"] // 120


def test_substrings_are_counted_within_the_longest(monkeypatch):
    assert candidates() == 3  # both words, and na: all others are of one word alone
    monkeypatch.setattr("partcover.problem.memory_plan.MOST_COUNTED", 12)
    assert candidates() == 15 + 3
    assert candidates(max_length=2) == 5 + 2
    assert candidates(max_length=3) == 9 + 3
    assert candidates(candidates=["an", "ab"]) == 2


HUGE = """
from partcover import greedtok
from partcover.problem.memory_plan import memory_plan

instance = Instance(words, 50)
need = memory_plan(instance, "greedy").need
greedtok(instance)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="no peak memory")
def test_a_few_enormous_words():
    """Each of them is a token."""
    draw = np.random.default_rng(1).integers(97, 123, (8, 150_000)).astype(np.uint8)
    words = WordCounts.from_words([row.tobytes() for row in draw])
    need, peak = planned_and_peak(HUGE, words)
    assert need / 2 <= peak <= need


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="no peak memory")
@pytest.mark.parametrize("symbols", ["bytes", "chars", "ints"])
def test_words_that_are_tokens_and_in_the_trie(symbols):
    """Each word is a token, of fewer symbols than the tokens that are found without the trie."""
    letters = np.random.default_rng(1).integers(97, 123, (1_500, 400)).tolist()
    spelled = {"bytes": bytes, "chars": lambda row: "".join(map(chr, row)), "ints": tuple}
    words = WordCounts.from_counts({spelled[symbols](row): 1 for row in letters}, symbols)
    need, peak = planned_and_peak(HUGE.replace("50", "1500"), words)
    assert need / 2 <= peak <= need


def repeated():
    return Instance({"banana" * 5000: 2, "bandana" * 50: 1}, 1)


@pytest.mark.long
@pytest.mark.parametrize("method", [greedtok, lower_bound])
def test_what_fits_when_substrings_are_counted_is_not_refused(method, monkeypatch):
    monkeypatch.setattr("partcover.problem.memory_plan.MOST_COUNTED", 10**4)
    monkeypatch.setattr("partcover.problem.memory_plan.available_memory", lambda: 2**26)
    monkeypatch.setattr("partcover.problem.memory_plan.SMALL", 0)
    with pytest.raises(InputError, match=r"leave out rare words.*--max-length \(max_length\) caps"):
        method(repeated())
    monkeypatch.setattr("partcover.problem.memory_plan.MOST_COUNTED", 10**5)
    assert method(repeated())


@pytest.mark.parametrize("method", [greedtok, lower_bound])
def test_what_does_not_fit_when_substrings_are_counted_is_refused(method, monkeypatch):
    monkeypatch.setattr("partcover.problem.memory_plan.available_memory", lambda: 2**22)
    draw = np.random.default_rng(0).integers(97, 99, (60, 1000)).astype(np.uint8)
    instance = Instance(WordCounts.from_words([row.tobytes() for row in draw]), 50)
    monkeypatch.setattr("partcover.problem.memory_plan.SMALL", 0)
    for _ in range(2):  # what was counted is not there any more
        with pytest.raises(InputError, match=r"leave out rare words.*max_length\) caps candidates"):
            method(instance)
        assert not instance.is_indexed


@pytest.mark.parametrize("work", ["bound", "search"])
def test_too_many_positions_for_prices_are_refused(work, monkeypatch):
    def refuse(words):
        raise InputError("too many positions")

    monkeypatch.setattr("partcover.problem.memory_plan.refuse_wide", refuse)
    instance = Instance({"banana": 2}, 1)
    memory_plan(instance, "greedy")
    for plan in (memory_plan, refuse_beyond_memory):
        with pytest.raises(InputError, match="too many positions"):
            plan(instance, work)


def test_occurrences_that_greedtok_scored_are_gone_when_there_are_prices():
    instance = Instance({"a": 1, "banana": 2}, 1)
    bound, search = (memory_plan(instance, work).parts for work in ("bound", "search"))
    assert "occurrences" not in search
    searched = search.pop("occurrences that are searched")
    assert (searched, search) == (44, bound)


def test_a_search_has_the_room_of_a_bound_that_has_ended(monkeypatch):
    instance = Instance(drawn_words(3000), 40)
    together = memory_plan(instance, "search").need
    monkeypatch.setattr("partcover.problem.memory_plan.MOST_TOGETHER", len(instance.words.data) - 1)
    assert memory_plan(instance, "bound").need <= memory_plan(instance, "search").need < together
    # a proof keeps the steps for the cases that follow
    assert memory_plan(instance, "proof").need == together
    # what is left of the bound is there, too
    monkeypatch.setattr("partcover.problem.memory_plan._PRICE", 0)
    monkeypatch.setattr("partcover.problem.memory_plan._ARC", 0)
    monkeypatch.setattr("partcover.problem.memory_plan._HELD_ARC", 0)
    bound, search = (memory_plan(instance, work).parts for work in ("bound", "search"))
    searched = search["occurrences that are searched"] + bound["prices"]
    assert searched > 8 * len(instance.words.data)


@pytest.mark.parametrize("method", [greedtok, lower_bound, improve, bpe, solve])
def test_what_does_not_fit_is_refused_before_it_is_indexed(method, monkeypatch):
    monkeypatch.setattr("partcover.problem.memory_plan.available_memory", lambda: 2**18)
    monkeypatch.setattr("partcover.problem.memory_plan.SMALL", 0)
    instance = repeated()
    with pytest.raises(InputError, match=r"most of it .* leave out rare words"):
        method(instance)
    assert not instance.is_indexed


def drawn_words(n):
    """So many words of 1 to 9 letters, in no order of their counts."""
    random = np.random.default_rng(n)
    letters = ["".join(random.choice(list("abcdef"), random.integers(1, 10))) for _ in range(n)]
    return WordCounts.from_counts({word: int(random.zipf(1.5)) for word in letters})


@pytest.mark.long
@pytest.mark.parametrize("most_counted", [0, 1 << 24])
@pytest.mark.parametrize("limits", [{}, {"max_length": 3}, {"min_count": 3}])
@pytest.mark.parametrize("work", ["greedy", "bound", "search", "proof", "merges", "model"])
def test_so_many_of_the_most_frequent_words_fit(work, limits, most_counted, monkeypatch):
    """While all words are there still; a bound takes them as a head."""
    monkeypatch.setattr("partcover.problem.memory_plan.MOST_COUNTED", most_counted)
    monkeypatch.setattr("partcover.problem.memory_plan._PROGRAM", 0)
    monkeypatch.setattr("partcover.problem.memory_plan._TAIL", 5_000)
    words = drawn_words(3000)
    held = words.data.nbytes + 16 * len(words)
    priced = work in ("bound", "search", "proof")
    numbers = set()
    for share in (0.2, 0.5, 0.9):
        instance = Instance(words, 40, **limits)
        available = int(memory_plan(instance, work, available=2**60).need * share)
        plan = memory_plan(instance, work, available=available)
        n = plan.words_that_fit
        assert (plan.fits, plan.takes_head) == (False, priced)
        assert f"the {n:,} most frequent words fit" in plan.advice
        assert (f"--head {n} (" in plan.advice) == priced
        assert len(str(n).rstrip("0")) <= 2
        numbers.add(n)

        def fits(number, available=available):
            some = Instance(words.most_frequent(number), 40, **limits)
            heads = {False, priced}
            return all(
                memory_plan(some, work, is_head=is_head, available=available - held).fits
                for is_head in heads
            )

        assert fits(n)
        if work == "merges":
            assert not fits(2 * n)
    assert len(numbers) == 3


def test_no_number_is_named_where_all_words_fit_or_none():
    instance = Instance({"banana" * 50: 2, "a": 1}, 1)
    for available in (1, 2**40):
        assert memory_plan(instance, "greedy", available=available).words_that_fit is None
    assert "the " not in memory_plan(instance, "greedy", available=1).advice


@pytest.mark.parametrize(("method", "work"), [(lower_bound, "bound"), (improve, "search")])
def test_a_head_that_does_not_fit_is_refused_with_one_that_does(method, work, monkeypatch):
    monkeypatch.setattr("partcover.problem.memory_plan.SMALL", 0)
    monkeypatch.setattr("partcover.problem.memory_plan._TAIL", 0)
    words = drawn_words(3000)
    head = Instance(words.most_frequent(2000), 40)
    need = memory_plan(head, work, is_head=True, available=2**60).need
    held = memory_plan(head, work, available=2**60).parts
    room = need - 2**18 - held["the program"] - held["the words"]
    monkeypatch.setattr("partcover.problem.memory_plan.available_memory", lambda: room)
    with pytest.raises(InputError, match=r"--head \d+ \(HeadAndTail") as error:
        method(Instance(HeadAndTail.of(words, 2000), 40))
    smaller = int(re.search(r"--head (\d+)", str(error.value))[1])
    assert 0 < smaller < 2000
    assert method(Instance(HeadAndTail.of(words, smaller), 40), time_limit=0)
