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


@pytest.mark.long
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
    rows = budgets_for(runner, answers, rules, targets)
    assert len(rows) == len(rules) * len(targets)
    for row in rows:
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
    rows = budgets_for(runner, runner.answers("bpe", [2]), ["merges"], [2.5, 1.2])
    assert rows[0] == {**whole[0], "runs": rows[0]["runs"]}
    assert (rows[1]["k"], rows[1]["exact"]) == (None, False)
    assert rows[1]["termination"] == "time_limit"
    cut_short("bpe", monkeypatch, 3, "interrupted")
    rows = budgets_for(runner, runner.answers("bpe", [2]), ["merges"], [2.5, 1.2, 3.0])
    assert [row["termination"] for row in rows] == ["completed", "interrupted", "interrupted"]
    assert [row["k"] for row in rows] == [whole[0]["k"], None, None]


@pytest.mark.parametrize("start", [1, 4])
def test_targets_within_what_a_method_can_make(monkeypatch, start):
    frequent = METHODS["frequent"]
    per_word = {k: frequent.run(Instance(WORDS, k)).tokens / WORDS.total_count for k in range(1, 6)}
    limited("frequent", monkeypatch, 2, 5)
    runner = Runner(Instance(WORDS, 0))
    answers = runner.answers("frequent", [start])
    targets = [per_word[2], per_word[4], per_word[5], per_word[5] - 0.01]
    rows = budgets_for(runner, answers, ["longest_match"], targets)
    assert [row["k"] for row in rows] == [2, 4, 5, None]
    assert {row["termination"] for row in rows} == {"completed"}


def test_a_method_that_can_make_nothing_has_no_targets(monkeypatch):
    limited("frequent", monkeypatch, 99, 99)
    runner = Runner(Instance(WORDS, 0))
    rows = budgets_for(runner, runner.answers("frequent", [2]), ["shortest_path"], [2.0])
    assert (rows[0]["k"], rows[0]["termination"]) == (None, "error")
