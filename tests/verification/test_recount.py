"""The independent check against the rules written out, and every complaint it makes."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import place_anywhere, priority, shortest_path
from shared.properties import tries

from partcover import (
    Instance,
    Vocabulary,
    WordCounts,
    greedtok,
    greedwmc,
    segment,
    smallest,
    solve,
    verify,
)
from partcover.verification.recount import recount, recount_seconds


@pytest.mark.long
@tries(800)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=9), st.integers(1, 5), max_size=5),
    st.lists(st.text("ab", min_size=2, max_size=5), max_size=8, unique=True),
)
def test_recount(words, tokens):
    words = {w.encode(): c for w, c in words.items()}
    vocabulary = Vocabulary(tokens)
    instance = Instance(WordCounts.from_counts(words), 8)
    result = verify(instance, vocabulary)
    by_path = sum(c * len(shortest_path(w, vocabulary)) for w, c in words.items())
    by_order = sum(c * len(priority(w, vocabulary)) for w, c in words.items())
    assert (result.tokens, result.tokens_priority) == (by_path, by_order)
    assert recount(instance, vocabulary) == (result.tokens, result.problems)
    under = 0
    for word, count in words.items():
        covered = [False] * (len(word) - 1)
        for token in vocabulary:
            place_anywhere(word, covered, token)
        under += count * sum(covered)
    assert result.relaxed_cover == under
    assert result.tokens + result.cover == instance.words.total_symbols
    # and the kernels agree with it
    assert segment(instance.words, vocabulary).tokens == result.tokens
    assert segment(instance.words, vocabulary, "priority").tokens == result.tokens_priority


def base(**options) -> Instance:
    return Instance(WordCounts.from_counts({"abcab": 3, "cab": 2}), options.pop("k", 2), **options)


@pytest.mark.parametrize(
    ("instance", "tokens", "problem"),
    [
        (base(k=1), ["ab", "ca"], "2 tokens, but k is 1"),
        (base(required=["ca"]), ["ab"], "required token 'ca' is missing"),
        (base(forbidden=["ab"]), ["ab"], "forbidden token 'ab' is used"),
        (base(candidates=["ca"]), ["ab"], "'ab' is not in the candidate list"),
        (base(max_length=2), ["cab"], "'cab' is longer than 2 symbols"),
        (base(min_count=9), ["ca"], "'ca' occurs 5 times, fewer than 9"),
        (base(), ["zz"], "'zz' occurs in no word"),
    ],
)
def test_complaints(instance, tokens, problem):
    result = verify(instance, Vocabulary(tokens))
    assert not result.ok
    assert problem in result.problems[0]
    assert recount(instance, Vocabulary(tokens))[1] == result.problems
    assert len(result.problems) == 1


def test_other_symbols():
    result = verify(base(), Vocabulary(["ab"], "chars"))
    assert result.problems == ("the tokens are over chars, but the words are over bytes",)


def test_required_tokens_need_not_be_candidates():
    instance = base(required=["zz"], max_length=2)
    assert verify(instance, Vocabulary(["zz", "ab"])).ok


def test_a_long_word_is_checked_by_the_lengths_there_are():
    word = b"ab" * 20_000
    instance = Instance(WordCounts.from_counts({word: 1}), 2)
    assert verify(instance, Vocabulary([word, b"ba"])).tokens == 1


def test_a_relaxed_claim():
    instance = base(k=1)
    for solution in (greedwmc(instance), solve(instance, formulation="wmc")):
        assert verify(instance, solution.vocabulary, claim=solution).ok
        extra = {**solution.extra, "relaxed_cover": solution.extra["relaxed_cover"] + 1}
        false = dataclasses.replace(solution, extra=extra)
        result = verify(instance, solution.vocabulary, claim=false)
        assert "relaxed cover" in result.problems[0]


def test_a_claim_of_the_smallest_size():
    instance = base()
    solution = smallest(instance, threshold=instance.words.total_symbols - 1)
    assert solution.status == "optimal"
    assert verify(instance, solution.vocabulary, claim=solution).ok
    extra = {**solution.extra, "smallest_size": 0}
    false = dataclasses.replace(solution, extra=extra)
    [problem] = verify(instance, solution.vocabulary, claim=false).problems
    assert problem == "optimality is claimed with the bound 0, but 1 tokens are chosen"


def test_claims():
    instance = base()
    for solution in (greedtok(instance), solve(instance)):
        assert verify(instance, solution.vocabulary, claim=solution).ok
        for change, problem in [
            ({"tokens": solution.tokens - 1}, f"tokens are claimed ({solution.rule})"),
            ({"cover": solution.cover + 1}, "cover"),
            ({"lower_bound": solution.tokens + 1}, "lower bound"),
            ({"status": "optimal", "lower_bound": 0}, "optimality is claimed with"),
        ]:
            false = dataclasses.replace(solution, **change)
            assert problem in " ".join(verify(instance, solution.vocabulary, claim=false).problems)


def test_the_time_of_a_recount_is_measured(monkeypatch):
    """Ten of a hundred words take 1, 8, 2, 0.5 and 3 seconds: in the middle 2, of all 20."""
    ticks = iter((0.0, 1.0, 1.0, 9.0, 9.0, 11.0, 11.0, 11.5, 12.0, 15.0))
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    monkeypatch.setattr("partcover.verification.recount._SAMPLE", 10)
    words = WordCounts.from_counts({f"word{n}": 1 for n in range(100)})
    assert recount_seconds(words, Vocabulary(["wo"])) == 20.0
    assert recount_seconds(WordCounts.from_counts({}), Vocabulary([])) == 0.0
