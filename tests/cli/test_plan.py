"""``--plan``: the memory that a command takes, shown before it begins."""

from __future__ import annotations

import pytest
from cli.helpers import as_json, fails


@pytest.mark.parametrize("name", ["greedtok", "greedwmc", "improve", "bound"])
def test_the_plan_is_all_that_is_made(run, counts, tmp_path, name):
    status, plan = as_json(run(name, counts, "-k", 1, "--plan", "--json", "-o", "V.json"))
    assert status == 0
    assert plan["fits"]
    assert plan["need"] == sum(plan["parts"].values()) <= plan["available"]
    assert not (tmp_path / "V.json").exists()
    assert "it fits" in run(name, counts, "--plan")[1]


def test_the_words_are_read(run):
    fails(run("greedtok", "none.tsv", "-k", 1, "--plan"), "none.tsv")
