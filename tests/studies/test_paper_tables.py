"""reproduce: every table from any corpus, the papers' figures where they are theirs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from partcover import InputError, Instance, WordCounts
from partcover.errors import MissingExtra
from partcover.studies import paper_tables as reproduce
from partcover.studies.methods import METHODS, Runner
from partcover.studies.paper_tables import EXPERIMENTS, PUBLISHED, UN, Study, manifest
from partcover.trainers import unigram_objective

WORDS = WordCounts.from_counts(
    {"banana": 4, "bandana": 3, "ananas": 5, "nab": 2, "an": 9, "band": 1, "a": 3}
)


@pytest.fixture
def study():
    return Study(Runner(Instance(WORDS, 0)), [2, 4])


@pytest.mark.long
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment(name, study, run, tmp_path):
    rows = reproduce.reproduce(name, study)
    experiment = EXPERIMENTS[name]
    assert rows
    assert set(experiment.columns) - set(rows[0]) <= {"paper", "agrees"}
    assert set(study.left_out) <= {"sage"}
    lines = experiment.lines(rows)
    assert {x for points in lines.values() for x, _ in points} == {2, 4}
    WORDS.save(tmp_path / "C.tsv")
    status, out, _ = run("reproduce", name, "C.tsv", "-k", "2,4", "--plot", "f.svg", "--json")
    data = json.loads(out)
    assert status == 0
    made = [{k: v for k, v in row.items() if k != "seconds"} for row in data["rows"]]
    assert made == [{k: v for k, v in row.items() if k != "seconds"} for row in rows]
    assert experiment.up in (tmp_path / "f.svg").read_text()


def test_a_method_reaches_its_own_figures():
    # tokens / occurrences · occurrences is not always tokens: no k more for that
    words = WordCounts.from_counts({"ab" * n: 7919 * n + 1 for n in range(1, 9)})
    study = Study(Runner(Instance(words, 0)), range(1, 8))
    for row in reproduce.reproduce("k-for-targets", study):
        if row["method"] == "bpe":
            assert row["k"] <= row["target_k"]


@pytest.mark.long
def test_rows_say_what_they_should(study):
    greedtok, bpe = (METHODS[m].run(Instance(WORDS, 4)) for m in ("greedtok", "bpe"))
    rows = {
        (row["method"], row["rule"]): row
        for row in reproduce.reproduce("tokens-per-word", study)
        if row["k"] == 4
    }
    assert rows["greedtok", "priority"]["tokens"] == greedtok.tokens
    assert rows["bpe", "merges"]["tokens"] == bpe.tokens
    for row in reproduce.reproduce("k-for-targets", study):
        if row["method"] == "bpe":
            assert row["k"] <= row["target_k"]
        assert row["saved_share"] == 1 - row["k"] / row["target_k"]
    (two, four) = reproduce.reproduce("order-divergence", study)
    shared = set(greedtok.vocabulary) & set(bpe.vocabulary)
    assert (two["k"], four["k"], four["shared"]) == (2, 4, len(shared))
    assert four["different_share"] == 1 - len(shared) / 4
    for row in reproduce.reproduce("unigram-objective", study):
        answer = next(a for a in study.answers(row["method"]) if a.k == row["k"])
        likelihood = unigram_objective(WORDS, answer.vocabulary)
        assert row["nats_per_word"] == -likelihood / WORDS.total_count
    relaxed = METHODS["greedwmc"].run(Instance(WORDS, 4)).extra["relaxed_cover"]
    assert reproduce.reproduce("d", study)[1]["d"] == greedtok.cover / relaxed


def test_published_figures_stand_beside_the_papers_corpus(study, monkeypatch):
    assert all("paper" not in row for row in reproduce.reproduce("tokens-per-word", study))
    own = {
        row["k"]: row["tokens_per_word"]
        for row in reproduce.reproduce("tokens-per-word", study)
        if (row["method"], row["rule"]) == ("greedtok", "priority")
    }
    figures = {
        ("tokens-per-word", "greedtok", 2): f"{own[2]:.3f}",
        ("tokens-per-word", "greedtok", 4): f"{own[4] + 0.001:.3f}",
    }
    monkeypatch.setitem(PUBLISHED, WORDS.digest, figures)
    agreeing = [row for row in reproduce.reproduce("tokens-per-word", study) if "paper" in row]
    assert [(row["rule"], row["k"], row["agrees"]) for row in agreeing] == [
        ("priority", 2, True),
        ("priority", 4, False),
    ]
    # three methods at five budgets, as the paper prints them
    assert len(PUBLISHED[UN]) == 15
    assert PUBLISHED[UN]["tokens-per-word", "bpe", 5000] == "1.194"


def test_a_method_without_its_library_is_left_out_and_named(run, tmp_path, monkeypatch):
    def lacking(instance, **options):
        raise MissingExtra("sage", "sage", "SaGe")

    monkeypatch.setitem(METHODS, "sage", replace(METHODS["sage"], run=lacking))
    WORDS.save(tmp_path / "C.tsv")
    status, out, error = run("reproduce", "pathpiece-grid", "C.tsv", "-k", "2", "--json")
    data = json.loads(out)
    assert status == 0
    assert "without sage: SaGe needs 'sage'" in error
    assert "sage" not in {row["method"] for row in data["rows"]}
    assert "sage" not in data["manifest"]["options"]["methods"]
    assert list(data["manifest"]["left_out"]) == ["sage"]
    out = run("reproduce", "pathpiece-grid", "C.tsv", "-k", "2", "--format", "markdown")[1]
    assert "Could not run here: sage." in out


def test_manifest(study):
    facts = manifest("d", study, "partcover reproduce d C.tsv", "C.tsv")
    assert facts["input"]["corpus_sha256"] == WORDS.digest
    assert facts["options"]["k"] == [2, 4]
    assert facts["options"]["methods"] == ["greedtok", "greedwmc"]
    assert {"partcover", "python", "numpy"} <= set(facts["versions"])
    assert json.loads(json.dumps(facts)) == facts


@pytest.mark.long
def test_command(run, tmp_path):
    WORDS.save(tmp_path / "C.tsv")
    listed = run("reproduce", "--help")[1].partition("Tables and figures:")[2]
    assert all(f"\n  {name} " in listed for name in EXPERIMENTS)
    command_line = ("reproduce", "whole-words", "C.tsv", "-k", "2", "--seed", "3", "--quiet")
    assert run(*command_line, "-o", "w.csv")[0] == 0
    assert (tmp_path / "w.csv").read_text().startswith("k,method,rule,")
    assert run(*command_line, "-o", "w.json")[0] == 0
    facts = json.loads((tmp_path / "w.json").read_text())["manifest"]
    assert facts["command"] == "partcover reproduce whole-words C.tsv -k 2 --seed 3"
    assert facts["seed"] == 3
    assert run("reproduce", "all", "C.tsv", "-k", "2", "-o", "page.md", "--quiet")[0] == 0
    page = (tmp_path / "page.md").read_text()
    for name in EXPERIMENTS:
        assert f"## {name}\n" in page
        assert f"\n    partcover reproduce {name} C.tsv -k 2\n" in page
    assert WORDS.digest in page


def test_the_command_of_a_result_has_its_options(run, tmp_path):
    WORDS.save(tmp_path / "C.tsv")
    options = (
        "--group",
        "long=1:5-",
        "--max-length",
        6,
        "--time-limit",
        60,
        "--group",
        "two=1:2-2",
    )
    run("reproduce", "d", "C.tsv", *options, "-k", 2, "-o", "d.json", "--quiet")
    assert json.loads((tmp_path / "d.json").read_text())["manifest"]["command"] == (
        "partcover reproduce d C.tsv --group long=1:5- --group two=1:2-2 --max-length 6 "
        "--time-limit 60 -k 2"
    )


def test_bad_input_is_one_line(run, study, tmp_path):
    WORDS.save(tmp_path / "C.tsv")
    with pytest.raises(InputError, match="unknown experiment 'magic'"):
        reproduce.reproduce("magic", study)
    for arguments, part in (
        (("magic", "C.tsv"), "'magic'"),
        (("d",), "Missing argument"),
        (("d", "none.tsv"), "none.tsv"),
        (("all", "C.tsv", "--plot", "f.svg"), "name of one"),
        (("d", "C.tsv", "-k", "x"), "'x'"),
        (("d", "C.tsv", "-o", "no/d.md"), "no/d.md"),
    ):
        status, out, error = run("reproduce", *arguments)
        assert (status, out, error.count("\n")) == (2, "", 1)
        assert part in error


def test_what_a_limit_stopped_is_no_reproduction(run, tmp_path, monkeypatch):
    monkeypatch.setitem(
        PUBLISHED,
        WORDS.digest,
        {("tokens-per-word", "bpe", 4): "9.999", ("tokens-per-word", "greedtok", 4): "9.999"},
    )
    WORDS.save(tmp_path / "C.tsv")
    command_line = ("reproduce", "tokens-per-word", "C.tsv", "-k", "4", "--quiet")
    status, out, _ = run(*command_line, "--time-limit", "0")
    assert status == 0
    assert "Stopped by the time limit, so not comparable with the paper: greedtok, bpe" in out
    assert "that agree" not in out
    status, out, _ = run(*command_line)
    assert (status, "time limit" in out, "that agree" in out) == (0, False, True)


def interrupted(study, methods):
    raise KeyboardInterrupt


def test_ctrl_c_keeps_the_tables_before(run, tmp_path, monkeypatch):
    WORDS.save(tmp_path / "C.tsv")
    names = list(EXPERIMENTS)

    third = replace(EXPERIMENTS[names[2]], make=interrupted)
    monkeypatch.setitem(EXPERIMENTS, names[2], third)
    status, _, error = run("reproduce", "all", "C.tsv", "-k", "2", "-o", "all.json")
    assert (status, f"interrupted: {names[2]}, " in error) == (130, True)
    made = json.loads((tmp_path / "all.json").read_text())["results"]
    assert [result["manifest"]["experiment"] for result in made] == names[:2]
    assert run("reproduce", names[2], "C.tsv", "-k", "2", "-o", "one.json")[0] == 130
    assert not (tmp_path / "one.json").exists()


def test_sizes_below_k_are_shown(run, tmp_path):
    WORDS.save(tmp_path / "C.tsv")
    for name in ("d", "whole-words", "tokens-per-word"):
        assert "size" in run("reproduce", name, "C.tsv", "-k", "900", "--format", "markdown")[1]
        assert "size" not in run("reproduce", name, "C.tsv", "-k", "2", "--format", "markdown")[1]
    assert "first size" in run("reproduce", "common-tokens", "C.tsv", "-k", "900")[1]


def test_two_empty_sets_have_no_share():
    (row,) = reproduce.reproduce("order-divergence", Study(Runner(Instance(WORDS, 0)), [0]))
    assert (row["different_share"], row["common_share"]) == (None, None)


def test_a_study_needs_budgets_and_an_experiment_that_is_known(study):
    for budgets, message in (
        ([], "there is no k to make a table for"),
        (7, "budgets is 7: it must be a list"),
        ([-1], "budgets has -1: each must be a whole number from 0 to"),
    ):
        with pytest.raises(InputError, match=message):
            Study(Runner(Instance(WORDS, 0)), budgets)
    assert Study(Runner(Instance(WORDS, 0)), iter([np.int64(4), 2])).budgets == [2, 4]
    for make in (reproduce.reproduce, lambda *args: manifest(*args, "", "")):
        with pytest.raises(InputError, match="unknown experiment 'none': use tokens-per-word"):
            make("none", study)
        with pytest.raises(InputError, match=r"name is a list: it must be text"):
            make(["d"], study)
