"""``--plan``: the memory that a command takes, shown before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.helpers import as_json, fails


@pytest.mark.parametrize(
    "name",
    ["greedtok", "greedwmc", "improve", "bound", "solve", "solve --solver highs", "train"],
)
def test_the_plan_is_all_that_is_made(run, counts, tmp_path, name):
    name, *options = name.split()
    options += ["--method", "bpe"] if name == "train" else []
    status, plan = as_json(run(name, counts, *options, "-k", 1, "--plan", "--json", "-o", "V.json"))
    assert status == 0
    assert plan["fits"]
    assert plan["need"] == sum(plan["parts"].values()) <= plan["available"]
    assert not (tmp_path / "V.json").exists()
    assert "it fits" in run(name, counts, *options, "--plan")[1]


@pytest.mark.parametrize("name", ["greedtok", "bound"])
def test_what_does_not_fit_is_shown_with_how_many_words_do(run, monkeypatch, name):
    Path("C.tsv").write_text("".join(f"w{n * n}\t1\n" for n in range(9000)))
    need = as_json(run(name, "C.tsv", "-k", 1, "--plan", "--json"))[1]["need"]
    monkeypatch.setattr("partcover.problem.memory_plan.available_memory", lambda: need - 2**26)
    monkeypatch.setattr("partcover.problem.memory_plan._TAIL", 0)
    plan = as_json(run(name, "C.tsv", "-k", 1, "--plan", "--json"))[1]
    n = plan["words_that_fit"]
    assert not plan["fits"]
    assert 0 < n < 9000
    text = run(name, "C.tsv", "-k", 1, "--plan")[1]
    assert f"it does not fit: the {n:,} most frequent words fit" in text
    assert (f"--head {n}" in text) == (name == "bound")


def test_the_words_are_read(run):
    fails(run("greedtok", "none.tsv", "-k", 1, "--plan"), "none.tsv")


@pytest.mark.parametrize("method", ["unigram", "randtrain", "greedyphrase", "frequent"])
def test_a_trainer_with_an_estimate(run, counts, method):
    command = ["train", counts, "-k", 1, "--method", method, "--plan", "--json"]
    status, plan = as_json(run(*command))
    assert (status, plan["fits"]) == (0, True)


def test_a_trainer_without_an_estimate(run, counts):
    fails(run("train", counts, "-k", 1, "--method", "sage", "--plan"), "of sage no estimate")


def test_of_several_budgets_the_largest_counts(run, counts):
    def tokens(*options):
        return as_json(run("bound", counts, *options, "--plan", "--json"))[1]["parts"]["tokens"]

    assert tokens() < tokens("-k", "1") < tokens("-k", "1,2") == tokens("-k", "2")
