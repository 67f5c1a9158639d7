"""Proofs and the library on the command line."""

from __future__ import annotations

import io
import json
import sys

import pytest
from cli.helpers import as_json, fails
from oracles.bounds.certificate import resealed
from shared.cut_strategies import triangle

from partcover import Certificate, WordCounts


@pytest.fixture
def corpus(tmp_path):
    WordCounts.from_words(["pearl", "the", "red", "heart"]).save(tmp_path / "C.tsv")
    return "C.tsv"


def test_a_proof_is_written_and_checked(run, corpus):
    arguments = (corpus, "-k", "2")
    status, solved = as_json(
        run("solve", *arguments, "-o", "V.json", "--write-certificate", "P.cert", "--json")
    )
    assert (status, solved["status"], solved["lower_bound"]) == (0, "optimal", 8)
    both = ("--vocab", "V.json", "--certificate", "P.cert", "--json")
    status, verified = as_json(run("verify", *arguments, *both))
    assert status == 0
    assert verified["certificate"] == {
        "ok": True,
        "claimed_lower_bound": 8,
        "lower_bound": 8,
        "leaves": 1,
        "problems": [],
        "gap": 0.0,
        "proves_optimal": True,
    }
    status, out, error = run("verify", *arguments, "--certificate", "P.cert")
    assert (status, error) == (0, "")
    assert "lower bound" in out


def test_a_vocabulary_of_any_name_is_checked(run, corpus, tmp_path):
    _, solution, _ = run("solve", corpus, "-k", "2", "-o", "vocabulary", "--json")
    (tmp_path / "solution").write_text(solution)
    for name in ("vocabulary", "solution"):
        status, verified = as_json(run("verify", corpus, "-k", "2", "--vocab", name, "--json"))
        assert (status, verified["tokens"], verified["size"]) == (0, 8, 2)


def test_a_vocabulary_comes_through_a_pipe(run, corpus, tmp_path, monkeypatch):
    def check(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return run("verify", corpus, "-k", "2", "--vocab", "-", "--json")

    _, solution, _ = run("solve", corpus, "-k", "2", "-o", "V.json", "--json")
    listed = "\n".join(json.loads(solution)["vocabulary"])
    for text in ((tmp_path / "V.json").read_text(), solution, listed):
        status, verified = as_json(check(text))
        assert (status, verified["tokens"], verified["size"]) == (0, 8, 2)
    fails(check(solution[:-9]), "-:", "not JSON")
    fails(check('{"lower_bound": 1}'), "-: there is no list of tokens")
    fails(check("a\tb\n"), "-:1: expected one token per line")
    fails(check('{"added_tokens": [\n], "model": {}}'), "-: this looks like a tokenizer of another")


def test_what_does_not_hold_is_exit_6(run, corpus, tmp_path):
    run("solve", corpus, "-k", "2", "--write-certificate", "P.cert", "--quiet")
    status, _, error = run("verify", corpus, "-k", "3", "--certificate", "P.cert")
    assert status == 6
    assert error == "partcover: P.cert: the certificate is for k = 2, but k is 3\n"
    text = (tmp_path / "P.cert").read_text()
    (tmp_path / "Q.cert").write_text(text.replace('"lower_bound": 8', '"lower_bound": 9'))
    result = run("verify", corpus, "-k", "2", "--certificate", "Q.cert")
    fails(result, "verification failed", "Q.cert", "checksum", status=6)
    (tmp_path / "C.tsv").write_text("pearl\t1\nthe\t2\nred\t1\nheart\t1\n")
    status, _, error = run("verify", corpus, "-k", "2", "--certificate", "P.cert")
    assert status == 6
    assert "other words or counts" in error


@pytest.fixture
def with_cut(tmp_path):
    """The words and the certificate of "By hand, with a cut" in docs/concepts/certificates.md."""
    instance, leaf = triangle()
    instance.words.save(tmp_path / "T.tsv")
    Certificate.of(instance, (leaf,), 16, 0).save(tmp_path / "T.cert")
    return ("T.tsv", "-k", "2", "--max-length", "2")


@pytest.mark.long
def test_a_certificate_with_cuts(run, with_cut, tmp_path):
    status, verified = as_json(run("verify", *with_cut, "--certificate", "T.cert", "--json"))
    assert (status, verified["ok"], verified["lower_bound"]) == (0, True, 16)
    start = ("--start-certificate", "T.cert", "-o", "V.json")
    status, solved = as_json(run("solve", *with_cut, *start, "--json"))
    assert (status, solved["status"], solved["tokens"]) == (0, "optimal", 16)
    both = ("--vocab", "V.json", "--certificate", "T.cert", "--json")
    status, verified = as_json(run("verify", *with_cut, *both))
    assert (status, verified["certificate"]["proves_optimal"]) == (0, True)
    # a bound from prices alone does not replace it
    for command in ("bound", "improve"):
        proof = ("--start-certificate", "T.cert", "--json")
        proof += ("-o", "B.cert") if command == "bound" else ("--write-certificate", "B.cert")
        assert run(command, *with_cut, *proof, "--time-limit", "5")[0] == 0
        kept = Certificate.load(tmp_path / "B.cert")
        assert (kept.lower_bound, len(kept.tree[0].cuts)) == (16, 1)
        (tmp_path / "B.cert").unlink()
    status, out, _ = run("prices", *with_cut, "--certificate", "T.cert", "abc")
    assert status == 0
    assert "abc ×2: 3.000" in out


def test_a_cut_that_is_not_valid_is_exit_6(run, with_cut, tmp_path):
    content = json.loads((tmp_path / "T.cert").read_text())
    content["tree"][0]["cuts"][0]["links"] = [0]
    (tmp_path / "T.cert").write_text(json.dumps(resealed(content)))
    status, _, error = run("verify", *with_cut, "--certificate", "T.cert")
    assert status == 6
    line = "a cycle has 2 edges: the number must be odd"
    assert error == f"partcover: T.cert: {line}\n"


def test_mistakes_are_one_line(run, corpus):
    fails(run("verify", corpus, "-k", "2"), "nothing to check")
    fails(run("verify", corpus, "-k", "2", "--certificate", "none.cert"), "none.cert", "read")
    fails(run("verify", corpus, "-k", "2", "--certificate", corpus), "C.tsv:1", "not JSON")
    wmc = ("--formulation", "wmc", "--write-certificate", "P.cert")
    fails(run("solve", corpus, "-k", "2", *wmc), "only branch and cut writes certificates")
    fails(run("solve", corpus, "-k", "2", "--write-certificate", "no/P.cert"), "no folder no")
    fails(run("instances", "show", "scardy"), "did you mean scaredy?")


def test_a_limit_leaves_a_valid_proof(run, corpus, tmp_path):
    late = ("--time-limit", "0", "--write-certificate", "P.cert", "--quiet", "--json")
    status, solved = as_json(run("solve", corpus, "-k", "2", *late))
    assert (status, solved["lower_bound"]) == (3, 4)
    assert Certificate.load(tmp_path / "P.cert").lower_bound == 4


@pytest.mark.long
def test_the_library(run, tmp_path):
    status, data = as_json(run("instances", "list", "--json"))
    rows = {row["name"]: row for row in data["instances"]}
    assert status == 0
    assert rows["petersen-less"]["tokens"] == 49
    assert "petersen-less" in run("instances", "list")[1]
    status, shown = as_json(run("instances", "show", "scaredy", "--json", "-o", "I.json"))
    assert (shown["tokens"], len(shown["counted_words"])) == (2, 1)
    assert json.loads((tmp_path / "I.json").read_text())["k"] == 2
    assert "words: scaredy ×1" in run("instances", "show", "scaredy")[1]
    assert as_json(run("instances", "check", "scaredy", "aaa", "--json")) == (
        0,
        {"checked": 2, "ok": True, "problems": {}, "left_out": []},
    )


def test_a_false_claim_in_the_library_is_exit_6(run, monkeypatch):
    from partcover.instances import library

    monkeypatch.setattr(library.Entry, "problems", lambda entry: ["it is false"])
    status, out, error = run("instances", "check", "aaa")
    assert (status, out) == (6, "0 of 1 instances confirmed\n")
    assert error == "partcover: aaa: it is false\n"


def test_a_proof_to_start_from(run, tmp_path, monkeypatch):
    lines = [f"{(i * 2654435761) % 3**11:011d}\t{i + 1}\n" for i in range(40)]
    (tmp_path / "C.tsv").write_text("".join(lines))
    command_line = ("C.tsv", "-k", "4", "--quiet", "--json")
    best = as_json(run("solve", *command_line, "-o", "V.json", "--write-certificate", "P.cert"))[1]
    run("bound", *command_line, "--time-limit", 0, "-o", "weak.cert")
    # a weak one changes nothing, and the better proof is the one that is written
    weak = run(
        "solve", *command_line, "--start-certificate", "weak.cert", "--write-certificate", "Q.cert"
    )
    assert as_json(weak)[1]["lower_bound"] == best["lower_bound"] == best["tokens"]
    # one that meets the start leaves nothing to solve
    monkeypatch.setattr("partcover.exact.solver_run.run", lambda *_: pytest.fail("it is solved"))
    proven = ("--start", "V.json", "--start-certificate", "P.cert")
    status, data = as_json(run("solve", *command_line, *proven))
    assert (status, data["status"], data["tokens"]) == (0, "optimal", best["tokens"])
    assert data["lower_bound"] == best["tokens"]
    saved = ("--start-certificate", "P.cert", "--write-certificate", "Q.cert", "--gap", 0.5)
    data = as_json(run("solve", *command_line, *saved))[1]
    assert data["lower_bound"] == best["tokens"]
    assert (tmp_path / "P.cert").read_bytes() == (tmp_path / "Q.cert").read_bytes()
    fails(run("solve", "C.tsv", "-k", 5, "--start-certificate", "P.cert"), "k = 4", status=6)
    other = ("--start-certificate", "P.cert", "--formulation", "wmc")
    fails(run("solve", "C.tsv", "-k", 4, *other), "cannot be used with the formulation wmc")
    fails(run("solve", "C.tsv", "-k", 4, *other[:2], "--goal", "size"), "--start-certificate")


def test_compare_reads_a_proof(run, tmp_path):
    (tmp_path / "C.tsv").write_text("abab\t3\nbaba\t5\ncabab\t2\n")
    run("solve", "C.tsv", "-k", "2", "--write-certificate", "P.cert", "--quiet")
    command_line = (
        "compare",
        "C.tsv",
        "--methods",
        "greedtok,bpe",
        "--certificate",
        "P.cert",
        "--json",
    )
    rows = as_json(run(*command_line))[1]["rows"]
    assert {row["k"] for row in rows} == {2}
    bound = Certificate.load("P.cert").lower_bound
    assert {row["lower_bound"] for row in rows} == {bound}
    (tmp_path / "D.tsv").write_text("abab\t3\n")
    result = run("compare", "D.tsv", "-k", 2, "--certificate", "P.cert")
    fails(result, "P.cert", "other words", status=6)
