"""``--plan``: the memory that a command takes, shown before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.helpers import as_json, fails

from partcover import InputError, Instance
from partcover.problem.memory_plan import Pieces, memory_plan
from partcover.trainers import unigram


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
    # so much is available besides the program and the words
    monkeypatch.setattr("partcover.problem.memory_plan.available_memory", lambda: 2**21)
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


@pytest.mark.parametrize(
    ("method", "size"), [("unigram", "seed_size"), ("pathpiece", "initial_size")]
)
def test_options_of_a_trainer_change_its_plan(run, method, size):
    Path("C.tsv").write_text("".join(f"a word of number {n * n}\t1\n" for n in range(300)))

    def parts(*options):
        settings = [word for option in options for word in ("--option", option)]
        command = ["train", "C.tsv", "-k", 1, "--method", method, "--plan", "--json"]
        return as_json(run(*command, *settings))[1]["parts"]

    whole, few, short = parts(), parts(f"{size}=9"), parts("max_length=3")
    assert parts("max_length=16") == whole
    assert few == whole | {"pieces": (9 + 256) * 168}  # single bytes are pieces too
    for part in ("candidates", "pieces", "occurrences"):
        assert short[part] < whole[part]
    assert parts(f"max_length={10**30}")["candidates"] >= whole["candidates"]
    if method == "pathpiece":  # which has Unigram find the pieces
        assert parts("max_length=3", "initial=unigram")["pieces"] > whole["pieces"]
    command = ["train", "C.tsv", "-k", 1, "--method", method, "--plan", "--option"]
    fails(run(*command, "max_length=1"), "max_length is 1: a token has two symbols or more")
    fails(run(*command, f"{size}=-1"), f"{size} is -1: it must be at least 0")


def test_what_fits_with_other_options_of_a_trainer_is_not_refused(monkeypatch):
    instance = Instance({f"a word of number {n * n}": 1 for n in range(300)}, 5)
    monkeypatch.setattr("partcover.problem.memory_plan.SMALL", 0)
    monkeypatch.setattr("partcover.problem.memory_plan.MOST_COUNTED", 0)
    plan = memory_plan(instance, Pieces(most=20, longest=4), available=0)
    room = plan.need - plan.parts["the program"] - plan.parts["the words"]
    monkeypatch.setattr("partcover.problem.memory_plan.available_memory", lambda: room)
    assert unigram(instance, seed_size=20, max_length=3).tokens
    with pytest.raises(InputError, match="are available"):
        unigram(instance)


def test_a_trainer_without_an_estimate(run, counts):
    fails(
        run("train", counts, "-k", 1, "--method", "sage", "--plan"), "sage runs in another library"
    )


def test_a_larger_budget_takes_more(run, counts):
    def tokens(*options):
        return as_json(run("bound", counts, *options, "--plan", "--json"))[1]["parts"]["tokens"]

    assert tokens() < tokens("-k", "1") < tokens("-k", "2")
