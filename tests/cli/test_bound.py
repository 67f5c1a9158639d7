"""The command ``bound``: what a vocabulary says of each budget."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cli.helpers import as_json

from partcover.bounds import lower_bound


@pytest.mark.long
def test_a_vocabulary_is_an_incumbent_of_the_budgets_that_it_keeps_to(run, counts):
    run("greedtok", counts, "-k", 3, "-o", "V.json")
    status, data = as_json(run("bound", counts, "-k", "2,3", "--vocab", "V.json", "--json"))
    assert status == 0
    smaller, own = data["rows"]
    assert (smaller["k"], smaller["tokens"], smaller["gap"]) == (2, None, None)
    assert own["k"] == 3
    assert own["lower_bound"] <= own["tokens"]


@pytest.mark.long
def test_an_interrupt_leaves_a_list_of_what_is_there(run, counts, monkeypatch):
    bounds = lower_bound.bounds

    def stopped(instance, budgets, **options):
        (bound,) = bounds(instance, budgets[:1], **options)
        return [replace(bound, termination="interrupted")]

    monkeypatch.setattr(lower_bound, "bounds", stopped)
    status, data = as_json(run("bound", counts, "-k", "2,3", "--json"))
    assert (status, [row["k"] for row in data["rows"]]) == (130, [2])
