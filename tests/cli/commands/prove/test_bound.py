"""The command ``bound``: what a vocabulary says of its budget, and an interrupt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cli.helpers import as_json, fails

import partcover


@pytest.mark.long
def test_a_vocabulary_is_an_incumbent_of_a_budget_that_it_keeps_to(run, counts):
    run("greedtok", counts, "-k", 3, "-o", "V.json")
    status, data = as_json(run("bound", counts, "-k", 3, "--vocab", "V.json", "--json"))
    assert (status, data["k"]) == (0, 3)
    assert data["lower_bound"] <= data["tokens"]
    fails(run("bound", counts, "-k", 2, "--vocab", "V.json"), "V.json: 3 tokens", status=6)


@pytest.mark.long
def test_an_interrupt_leaves_what_is_there(run, counts, monkeypatch):
    prove = partcover.lower_bound

    def stopped(instance, **options):
        return replace(prove(instance, **options), termination="interrupted")

    monkeypatch.setattr(partcover, "lower_bound", stopped)
    status, data = as_json(run("bound", counts, "-k", 2, "--json"))
    assert (status, data["k"]) == (130, 2)
