"""--minimax of greedtok, improve, bound and verify: results, files, mistakes in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from cli.helpers import as_json, fails
from shared.generated_text import generated_words

from partcover import (
    Certificate,
    Corpora,
    Instance,
    Vocabulary,
    WordCounts,
    check_certificate,
)

CORPORA = ("a.tsv", "b.tsv", "c.tsv")


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    tables = (
        {"that": 9, "hat": 4, "cat": 2},
        {"lower": 7, "low": 2, "newer": 3},
        {"papaya": 1, "impact": 2},
    )
    for name, table in zip(CORPORA, tables, strict=True):
        WordCounts.from_counts(table).save(tmp_path / name)
    WordCounts.from_counts({"hat": 3}, "chars").save(tmp_path / "chars.tsv")
    return CORPORA


@pytest.mark.long
def test_from_greedtok_to_verify(run, corpora):
    options = (*corpora, "-k", "4", "--minimax")
    greedy = as_json(run("greedtok", *options, "-o", "G.json", "--json"))[1]
    found = as_json(
        run("improve", *options, "-o", "V.json", "--write-certificate", "P.cert", "--json")
    )[1]
    assert found["worst"] <= greedy["worst"]
    assert [row["name"] for row in found["corpora"]] == ["a", "b", "c"]
    assert found["worst"] == max(row["tokens"] / row["reference"] for row in found["corpora"])
    assert found["lower_bound"] <= found["worst"]
    assert len(Vocabulary.load("V.json")) <= 4
    files = ("--vocab", "V.json", "--certificate", "P.cert")
    checked = as_json(run("verify", *options, *files, "--json"))[1]
    assert (checked["ok"], checked["worst_exact"]) == (True, found["worst_exact"])
    proof = checked["certificate"]
    assert proof["lower_bound_exact"] == found["lower_bound_exact"]
    assert proof["gap"] == pytest.approx(found["gap"])
    status, out, err = run("verify", *options, "--certificate", "P.cert")
    assert (status, err) == (0, "")
    for row in found["corpora"]:
        assert f" {row['reference']} " in out
    bound = as_json(run("bound", *options, "--vocab", "G.json", "-o", "B.cert", "--json"))[1]
    assert bound["tokens"] == greedy["worst"]
    assert bound["lower_bound"] <= found["worst"]
    status, out, err = run(
        "improve", *options, "--time-limit", "0", "--write-certificate", "P.cert"
    )
    assert (status, "kept P.cert" in err) == (0, True)
    assert "largest ratio" in out


@pytest.mark.long
def test_solve_is_no_worse(run, corpora):
    options = (*corpora, "-k", "3", "--minimax", "--json")
    files = ("-o", "S.json", "--write-certificate", "S.cert", "--events", "E.jsonl")
    solved = as_json(run("solve", *options, *files, "--quiet"))[1]
    found = as_json(run("improve", *options))[1]
    assert (solved["status"], solved["solver"]) == ("optimal", "branch and cut")
    assert found["lower_bound"] <= solved["worst"] <= found["worst"]
    checked = as_json(
        run("verify", *options, "--vocab", "S.json", "--certificate", "S.cert", "--quiet")
    )[1]
    assert (checked["ok"], checked["certificate"]["proves_optimal"]) == (True, True)
    events = [json.loads(line) for line in Path("E.jsonl").read_text().splitlines()]
    assert events[-1]["tokens"] == solved["worst"]


@pytest.mark.long
def test_an_instance_file_holds_several_corpora(run, corpora):
    words = [WordCounts.load(path) for path in corpora]
    instance = Instance(Corpora(words, [15, 12, 3], ["a", "b", "c"]), 3)
    instance.save("I.json")
    assert Instance.load("I.json").to_json() == instance.to_json()
    options = ("--minimax", "--reference", "15,12,3")
    one, other = (
        as_json(run(*line, "--json", "--quiet"))[1]
        for line in (("solve", "I.json"), ("solve", *corpora, "-k", "3", *options))
    )
    assert one["status"] == "optimal"
    assert (one["worst"], one["corpora"]) == (other["worst"], other["corpora"])
    fails(run("greedwmc", "I.json"), "the instance has several corpora, which only")


def test_weights_are_for_the_words_of_one_corpus(run, corpora, tmp_path):
    words = [WordCounts.load(path) for path in corpora]
    Instance(Corpora(words, [15, 12, 3]), 3).save("I.json")
    word, _ = next(iter(words[0]))
    (tmp_path / "W.tsv").write_text(f"{word.decode()}\t2\n")
    weighted = run("solve", "I.json", "--weights", str(tmp_path / "W.tsv"))
    fails(weighted, "I.json: --weights are for the words of one corpus")


def test_references(run, corpora):
    options = ("greedtok", *corpora, "-k", "2", "--minimax")
    stated = {
        "own": [15, 12, 3],
        "bytes": [54, 56, 18],
        "words": [15, 12, 3],
        "7": [7, 7, 7],
        "1,2,3": [1, 2, 3],
    }
    for how, counts in stated.items():
        found = as_json(run(*options, "--reference", how, "--json"))[1]
        references = [row["reference"] for row in found["corpora"]]
        assert references == counts or how == "own"


@pytest.mark.long
@pytest.mark.parametrize("command", ["greedtok", "improve", "bound", "verify"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.tsv", "--minimax"], "1 corpus is given"),
        (["a.tsv", "b.tsv"], "several inputs need --minimax"),
        (["a.tsv", "--reference", "words"], "--reference needs --minimax"),
        (["a.tsv", "a.tsv", "--minimax"], "a.tsv is given twice"),
        (["a.tsv", "b.tsv", "--minimax", "--reference", "1,0"], "the reference of b is 0"),
        (["a.tsv", "b.tsv", "--minimax", "--reference", "1,2,3"], "3 references for 2 corpora"),
        (
            ["a.tsv", "b.tsv", "--minimax", "--reference", "1,-2"],
            "whole numbers separated by commas",
        ),
        (["a.tsv", "b.tsv", "--minimax", "--reference", "self"], "unknown reference 'self'"),
        (["a.tsv", "chars.tsv", "--minimax"], "different symbols: bytes, chars"),
        (["a.tsv", "b.tsv", "--minimax", "--min-count", "2"], "--min-count exclude each other"),
        (["a.tsv", "I.json", "--minimax"], "not instance files"),
    ],
)
def test_mistakes(run, corpora, command, arguments, message):
    Path("I.json").write_text("{}")
    proof = ["--certificate", "P.cert"] if command == "verify" else []
    if proof:
        options = ("a.tsv", "b.tsv", "-k", "2", "--minimax", "-o", "P.cert", "--quiet")
        assert run("bound", *options)[0] == 0
    status, out, err = run(command, *arguments, "-k", "2", *proof)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_options_that_are_for_one_input(run, corpora):
    options = (*corpora, "-k", "2", "--minimax")
    for command, *given in (
        ("improve", "--no-bound"),
        ("bound", "--iterations", "3"),
        ("solve", "--goal", "size", "--threshold", "20"),
        ("solve", "--solver", "highs"),
        ("solve", "--formulation", "path"),
    ):
        status, out, err = run(command, *options, *given)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "several corpora" in err


@pytest.mark.long
@pytest.mark.parametrize("reference", ["bytes", "words", "1"])
def test_a_bound_by_heads_is_verified_and_a_better_one_is_kept(run, corpora, reference):
    options = (*corpora, "-k", "4", "--minimax", "--reference", reference)
    best = as_json(run("improve", *options, "-o", "V.json", "--json"))[1]
    head = ("--head", "2", "-o", "P.cert")
    status, bound = as_json(run("bound", *options, *head, "--vocab", "V.json", "--json"))
    assert (status, bound["tokens"]) == (0, best["worst"])
    assert bound["lower_bound"] <= best["worst"]
    check = ("verify", *options, "--vocab", "V.json", "--certificate", "P.cert", "--json")
    status, checked = as_json(run(*check))
    assert (status, checked["ok"], checked["worst_exact"]) == (0, True, best["worst_exact"])
    assert checked["certificate"]["lower_bound_exact"] == bound["lower_bound_exact"]
    assert "kept P.cert" in run("bound", *options, *head, "--time-limit", "0")[2]
    status, again = as_json(run("bound", *options, *head, "--resume", "--json"))
    assert (status, again["lower_bound"] >= bound["lower_bound"]) == (0, True)
    assert as_json(run("bound", *options, "--head", "2", "--plan", "--json"))[1]["fits"]
    other = (*corpora, "-k", "4", "--minimax", "--reference", "7", "--certificate", "P.cert")
    assert run("verify", *other)[0] == 6
    # a corpus whose tail differs
    text = Path(corpora[1]).read_text()
    Path(corpora[1]).write_text(text.replace("low\t2", "low\t1"))
    assert run(*check)[0] == 6


@pytest.mark.long
def test_a_search_by_heads_is_verified_and_goes_on(run, corpora):
    options = (*corpora, "-k", "4", "--minimax", "--reference", "words")
    files = ("--head", "2", "-o", "V.json", "--write-certificate", "P.cert")
    status, found = as_json(run("improve", *options, *files, "--json"))
    assert (status, 2 <= found["head_words"] < found["words"]) == (0, True)
    check = ("verify", *options, "--vocab", "V.json", "--certificate", "P.cert", "--json")
    status, checked = as_json(run(*check))
    assert (status, checked["ok"], checked["worst_exact"]) == (0, True, found["worst_exact"])
    assert checked["certificate"]["lower_bound_exact"] == found["lower_bound_exact"]
    assert as_json(run("greedtok", *options, "--json"))[1]["worst"] >= found["lower_bound"]
    again = as_json(run("improve", *options, *files, "--resume", "--json"))[1]
    assert again["worst"] <= found["worst"]
    assert again["lower_bound"] >= found["lower_bound"]


def test_own_references_need_all_words(run, corpora):
    fails(run("bound", *corpora, "-k", 2, "--minimax", "--head", 2), "own references need all")


@pytest.mark.long
def test_what_does_not_hold_is_named(run, corpora):
    options = (*corpora, "-k", "2", "--minimax")
    assert run("improve", *options, "-o", "V.json", "--write-certificate", "P.cert")[0] == 0
    data = json.loads(Path("V.json").read_text())
    data["provenance"]["corpora"][1]["tokens"] -= 1
    Path("V.json").write_text(json.dumps(data))
    status, _, err = run("verify", *options, "--vocab", "V.json")
    assert status == 6
    assert "tokens for b, but it needs" in err
    status, _, err = run("verify", *options, "--reference", "words", "--certificate", "P.cert")
    assert (status, "about other corpora, references" in err) == (6, True)
    status, _, err = run(
        "verify", "a.tsv", "b.tsv", "-k", "2", "--minimax", "--certificate", "P.cert"
    )
    assert (status, "about other words" in err) == (6, True)


@pytest.mark.parametrize("weights", [None, [1, 0, 0]])
def test_a_certificate_does_not_say_what_tokens_are_measured_by(run, corpora, weights):
    """With a reference of 10^12 a corpus would count for nothing."""
    options = (*corpora, "-k", "2", "--minimax")
    forged = ("--reference", "1,1000000000000,1000000000000")
    assert run("bound", *options, *forged, "-o", "P.cert", "--quiet")[0] == 0
    proof, references = Certificate.load("P.cert"), (1, 10**12, 10**12)
    if weights:
        words = [WordCounts.load(path) for path in corpora]
        instance = Instance(Corpora(words, references), 2)
        (leaf,) = proof.tree
        proof = replace(proof, tree=(replace(leaf, weights=tuple(weights)),), lower_bound=0)
        bound = check_certificate(instance, proof).lower_bound
        replace(proof, lower_bound=bound).save("P.cert")
    greedy = as_json(run("greedtok", *options, "-o", "G.json", "--json"))[1]
    data = json.loads(Path("G.json").read_text())
    for row, reference in zip(data["provenance"]["corpora"], references, strict=True):
        row["reference"] = reference
    Path("G.json").write_text(json.dumps(data))
    files = ("--vocab", "G.json", "--certificate", "P.cert")
    status, out, err = run("verify", *options, *files)
    assert (status, "proves optimal" in out) == (6, False)
    assert "about other corpora, references" in err
    status, out, err = run("verify", *options, "--vocab", "G.json", "--json")
    assert (status, json.loads(out)["worst"]) == (0, greedy["worst"])
    # asked for on the command line, they are what the result says
    status, out, err = run("verify", *options, *forged, "--certificate", "P.cert")
    assert (status, err, "1,000,000,000,000" in out) == (0, "", True)
    started = run("improve", *options, "--start-certificate", "P.cert")
    fails(started, "other corpora, references", status=6)


FILES = ("-o", "V.json", "--write-certificate", "P.cert", "--resume")


@pytest.mark.long
def test_resume_goes_on_from_its_files(run, corpora):
    options = ("improve", *corpora, "-k", "3", "--minimax", "--json", *FILES)
    status, out, err = run(*options, "--reference", "bytes", "--time-limit", "0")
    first = json.loads(out)
    assert (status, "V.json and P.cert: no earlier run found" in err) == (0, True)
    fails(run(*options, "--quiet"), "P.cert: the certificate is about other corpora, references")
    options = (*options, "--reference", "bytes")
    status, second = as_json(run(*options, "--quiet"))
    assert [row["reference"] for row in second["corpora"]] == [54, 56, 18]
    assert second["worst"] <= first["worst"]
    assert second["lower_bound"] >= first["lower_bound"]
    third = as_json(run(*options, "--time-limit", "0", "--quiet"))[1]
    assert third["worst"] <= second["worst"]
    assert third["lower_bound"] >= second["lower_bound"]
    proof = ("--reference", "bytes", "--start-certificate", "P.cert", "--json", "--quiet")
    started = as_json(run("improve", *corpora, "-k", "3", "--minimax", "--start", "V.json", *proof))
    assert started[1]["lower_bound"] >= third["lower_bound"]
    Path("P.cert").unlink()
    assert as_json(run(*options, "--time-limit", "0", "--quiet"))[1]["worst"] <= third["worst"]
    assert Path("P.cert").exists()


@pytest.mark.long
def test_files_of_something_else_are_refused_and_kept(run, corpora, tmp_path):
    a, b, c = corpora
    assert run("improve", a, b, "-k", "2", "--minimax", *FILES, "--quiet")[0] == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    proof, vocabulary = FILES[2:], (*FILES[:2], "--resume")
    for arguments, message in (
        ((a, c, "-k", "2", *proof), "P.cert: the certificate is about other words"),
        ((a, b, c, "-k", "2", *proof), "P.cert: the certificate is about other words"),
        ((a, b, "-k", "3", *proof), "P.cert: the certificate is for k = 2"),
        ((a, b, "-k", "2", "--reference", "words", *proof), "P.cert: .* references"),
        ((a, b, "-k", "2", "--max-length", "2", *proof), "P.cert: .* candidates"),
        ((a, c, "-k", "2", *vocabulary), "V.json: the vocabulary is for other words"),
        ((a, b, "-k", "3", *vocabulary), "V.json: the vocabulary is for k = 2"),
        ((a, b, "-k", "2", "--resume"), "continues from the files"),
        ((a, b, "-k", "2", *FILES, "--start", "a.tsv"), "leave out --start"),
    ):
        fails(run("improve", "--minimax", *arguments), *message.split(" .* "))
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_run_that_is_ended_leaves_files_that_only_improve(run, tmp_path):
    """Each is ended as soon as it has written a proof."""
    for number, name in enumerate(("x.tsv", "y.tsv")):
        generated_words(200 + number).save(tmp_path / name)
    options = ("x.tsv", "y.tsv", "-k", "60", "--minimax")
    worst, proven = None, Fraction(0)
    for sent in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        seen = _written("P.cert")
        command = [sys.executable, "-m", "partcover", "improve", *options, *FILES, "--quiet"]
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and _written("P.cert") == seen:
                time.sleep(0.02)
            process.send_signal(sent)
        assert process.returncode == (-sent if sent == signal.SIGKILL else 130)
        files = ("--vocab", "V.json", "--certificate", "P.cert", "--json")
        status, checked = as_json(run("verify", *options, *files))
        assert status == 0
        found = (
            Fraction(checked["worst_exact"]),
            Fraction(checked["certificate"]["lower_bound_exact"]),
        )
        assert worst is None or found[0] <= worst
        assert found[1] >= proven
        worst, proven = found


def _written(name):
    return Path(name).stat().st_mtime_ns if Path(name).exists() else None


@pytest.mark.parametrize("command", ["formulations", "prices", "train", "report"])
def test_other_commands_refuse_several_corpora(run, corpora, command):
    words = [WordCounts.load(path) for path in corpora]
    Instance(Corpora(words, [15, 12, 3]), 3).save("I.json")
    assert run("bound", "I.json", "-o", "P.cert", "--quiet")[0] == 0
    more = {
        "prices": ["that", "--certificate", "P.cert"],
        "train": ["--method", "bpe", "-o", "T.json"],
    }
    more |= {"report": ["-o", "R.html"]}
    fails(run(command, "I.json", *more.get(command, [])), "several corpora")


@pytest.mark.parametrize("command", ["solve", "greedtok", "improve", "bound"])
@pytest.mark.parametrize("words", [[], [["ab", [0, 0]]]])
def test_corpora_may_have_no_words(run, tmp_path, command, words):
    content = {"format": "partcover-instance", "version": 1, "k": 1, "words": words}
    content["references"] = [1, 1]
    (tmp_path / "i.json").write_text(json.dumps(content))
    status, found = as_json(run(command, "i.json", "--json"))
    assert status == 0
    assert found["lower_bound" if command == "bound" else "tokens"] == 0
