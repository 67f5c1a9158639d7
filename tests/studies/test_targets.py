"""The budget that a method needs to reach a number of tokens per word."""

from __future__ import annotations

import pytest
from studies.cases import WORDS, cut_short, limited

from partcover import (
    InputError,
    Instance,
    segment,
)
from partcover.studies.methods import METHODS, Runner, rules_of
from partcover.studies.targets import budgets_for


@pytest.mark.parametrize(
    "method", ["greedtok", "bpe", "wordpiece", "frequent", "bytes", "pathpiece", "solve"]
)
def test_budgets_for_targets(method):
    instance = Instance(WORDS, 0)
    runner = Runner(instance)
    answers = runner.answers(method, [2, 3])
    rules = rules_of(answers[0], ["own", "shortest_path"])
    targets = [6.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5]
    runs = {k: METHODS[method].run(instance.with_k(k)) for k in range(1, 20)}
    found = budgets_for(runner, answers, rules, targets)
    assert len(found) == len(rules) * len(targets)
    for row in found:
        # under longest match a further token may make more of them
        monotone = row["rule"] in ("shortest_path", "priority", "merges")
        assert row["exact"] == (METHODS[method].nested and monotone)
        needed = [
            k
            for k in range(20)
            if (
                WORDS.total_symbols
                if k == 0
                else segment(WORDS, runs[k].vocabulary, row["rule"]).tokens
            )
            / WORDS.total_count
            <= row["target"]
        ]
        if row["exact"]:
            assert row["k"] == min(needed, default=None)
        else:
            assert (row["k"] is None) == (not needed)
            if row["k"]:
                assert row["k"] in needed
                assert row["k"] - 1 not in needed
        if row["k"] is not None:
            assert row["tokens_per_word"] <= row["target"]
    with pytest.raises(InputError, match="target"):
        budgets_for(runner, answers, rules, [0.0])


def test_targets_of_runs_that_were_cut_short(monkeypatch):
    runner = Runner(Instance(WORDS, 0))
    whole = budgets_for(runner, runner.answers("bpe", [2]), ["merges"], [2.5, 1.2])
    assert [row["termination"] for row in whole] == ["completed"] * 2
    cut_short("bpe", monkeypatch, 3)
    found = budgets_for(runner, runner.answers("bpe", [2]), ["merges"], [2.5, 1.2])
    assert found[0] == {**whole[0], "runs": found[0]["runs"]}
    assert (found[1]["k"], found[1]["exact"]) == (None, False)
    assert found[1]["termination"] == "time_limit"
    cut_short("bpe", monkeypatch, 3, "interrupted")
    found = budgets_for(runner, runner.answers("bpe", [2]), ["merges"], [2.5, 1.2, 3.0])
    assert [row["termination"] for row in found] == ["completed", "interrupted", "interrupted"]
    assert [row["k"] for row in found] == [whole[0]["k"], None, None]


@pytest.mark.parametrize("start", [1, 4])
def test_targets_within_what_a_method_can_make(monkeypatch, start):
    plain = METHODS["frequent"]
    per_word = {k: plain.run(Instance(WORDS, k)).tokens / WORDS.total_count for k in range(1, 6)}
    limited("frequent", monkeypatch, 2, 5)
    runner = Runner(Instance(WORDS, 0))
    answers = runner.answers("frequent", [start])
    targets = [per_word[2], per_word[4], per_word[5], per_word[5] - 0.01]
    found = budgets_for(runner, answers, ["longest_match"], targets)
    assert [row["k"] for row in found] == [2, 4, 5, None]


def test_a_method_that_can_make_nothing_has_no_targets(monkeypatch):
    limited("frequent", monkeypatch, 99, 99)
    runner = Runner(Instance(WORDS, 0))
    found = budgets_for(runner, runner.answers("frequent", [2]), ["shortest_path"], [2.0])
    assert (found[0]["k"], found[0]["termination"]) == (None, "error")
