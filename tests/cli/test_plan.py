"""``--plan``: the memory that a command takes, shown before it begins."""

from __future__ import annotations

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


def test_the_words_are_read(run):
    fails(run("greedtok", "none.tsv", "-k", 1, "--plan"), "none.tsv")


def test_a_trainer_without_an_estimate(run, counts):
    fails(run("train", counts, "-k", 1, "--method", "unigram", "--plan"), "bpe and wordpiece")


def test_of_several_budgets_the_largest_counts(run, counts):
    def tokens(*options):
        return as_json(run("bound", counts, *options, "--plan", "--json"))[1]["parts"]["tokens"]

    assert tokens() < tokens("-k", "1") < tokens("-k", "1,2") == tokens("-k", "2")
