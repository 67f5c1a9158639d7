"""``--resume``: a run that was stopped or killed goes on from the files that it has written."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from cli.helpers import as_json, fails
from shared.generated_text import generated_words

from partcover import Certificate, Instance, Vocabulary, WordCounts, solve

FILES = ("-o", "V.json", "--write-certificate", "P.cert", "--resume")


@pytest.fixture
def book(tmp_path):
    """Words that take branch and cut some time."""
    generated_words(2000).save(tmp_path / "book.tsv")
    return ("book.tsv", "-k", 250)


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.tsv").write_text("abcd\t3\nabce\t2\nxyab\t1\nxy\t4\n")
    return ("small.tsv", "-k", 2)


def start(tmp_path, *arguments):
    command = [sys.executable, "-m", "partcover", *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("command", ["improve", "bound"])
def test_the_first_files_come_early_and_only_improve(run, book, tmp_path, command):
    """Each run is ended as soon as it has written; what is there never gets worse."""
    files = FILES if command == "improve" else ("-o", "P.cert", "--resume")
    best, proven = None, 0
    for sent in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
        before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        with start(tmp_path, command, *book, *files) as process:
            while process.poll() is None and not _is_newer(tmp_path / "P.cert", before):
                time.sleep(0.05)
            process.send_signal(sent)
        assert process.returncode == (-sent if sent == signal.SIGKILL else 130)
        proof = Certificate.load("P.cert")
        assert proof.lower_bound >= proven
        proven = proof.lower_bound
        verify = ["verify", *book, "--certificate", "P.cert"]
        if "V.json" in files:
            tokens = Vocabulary.load("V.json").provenance["tokens"]
            assert best is None or tokens <= best
            best = tokens
            verify += ["--vocab", "V.json"]
        assert run(*verify)[0] == 0


def _is_aside(name):
    """Whether a file is what a killed run leaves beside its own."""
    return name.startswith(".") and name.endswith(".partcover")


def _is_newer(path, before):
    return path.exists() and path.stat().st_mtime_ns > before.get(path.name, 0)


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_killed_run_goes_on(run, book, tmp_path):
    """The time limit lets the tree begin soon; the process is killed long before it."""
    process = start(tmp_path, "solve", *book, *FILES, "--time-limit", 40)
    with process:
        while process.poll() is None and not (tmp_path / "P.cert").exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    there = {path.name for path in tmp_path.iterdir()}
    locks = {".V.json.partcover", ".P.cert.partcover"}
    assert {name for name in there if not _is_aside(name)} == {"book.tsv", "V.json", "P.cert"}
    assert there >= locks
    saved, proof = Vocabulary.load("V.json"), Certificate.load("P.cert")
    tokens = saved.provenance["tokens"]
    assert saved.provenance["method"] == "solve"
    verify = ("verify", *book, "--vocab", "V.json", "--certificate", "P.cert", "--json")
    assert run(*verify)[0] == 0
    events = ("--events", "E.jsonl", "--time-limit", 0.5, "--json")
    status, out, _ = run("solve", *book, *FILES, *events)
    solved = json.loads(out)
    assert status in (0, 3)
    assert not list(filter(_is_aside, (path.name for path in tmp_path.iterdir())))
    assert solved["tokens"] <= tokens
    assert solved["lower_bound"] >= proof.lower_bound
    assert json.loads((tmp_path / "E.jsonl").read_text().splitlines()[-1])["tokens"] <= tokens
    assert Certificate.load("P.cert").lower_bound == solved["lower_bound"]
    assert run(*verify)[0] == 0


@pytest.mark.parametrize("command", ["solve", "improve"])
def test_the_first_run_has_nothing_to_go_on_from(run, small, command):
    status, _, error = run(command, *small, *FILES)
    assert status == 0
    assert "V.json and P.cert: no earlier run found" in error
    first = Vocabulary.load("V.json").provenance["tokens"]
    status, out, error = run(command, *small, *FILES, "--json")
    assert (status, json.loads(out)["tokens"]) == (0, first)
    assert "no earlier run found" not in error


@pytest.mark.parametrize("missing", ["V.json", "P.cert"])
def test_either_file_may_be_missing(run, small, tmp_path, missing):
    optimum = solve(Instance(WordCounts.load(tmp_path / "small.tsv"), 2))
    assert run("solve", *small, *FILES, "--quiet")[0] == 0
    (tmp_path / missing).unlink()
    status, solved = as_json(run("solve", *small, *FILES, "--quiet", "--json"))
    assert (status, solved["tokens"], solved["lower_bound"]) == (0, *[optimum.tokens] * 2)
    assert (tmp_path / missing).exists()
    for only in (FILES[:2], FILES[2:4]):
        solved = as_json(run("solve", *small, *only, "--resume", "--quiet", "--json"))[1]
        assert solved["tokens"] == optimum.tokens


@pytest.mark.parametrize("command", ["solve", "improve"])
def test_files_of_something_else_are_refused_and_kept(run, small, tmp_path, command):
    assert run("solve", *small, *FILES, "--quiet")[0] == 0
    (tmp_path / "other.tsv").write_text("abcd\t3\nabce\t2\n")
    (tmp_path / "text.txt").write_text("no vocabulary\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for arguments, parts in (
        (("other.tsv", "-k", 2, *FILES), ("V.json", "other words or counts")),
        (("small.tsv", "-k", 3, *FILES), ("V.json", "for k = 2, but k is 3")),
        (("other.tsv", "-k", 2, *FILES[2:]), ("P.cert", "other words or counts")),
        (("small.tsv", "-k", 3, *FILES[2:]), ("P.cert", "for k = 2, but k is 3")),
        (("small.tsv", "-k", 2, "--min-count", 5, *FILES[2:]), ("P.cert", "other candidates")),
        (("small.tsv", "-k", 2, "-o", "text.txt", "--resume"), ("text.txt:1", "not JSON")),
        (("small.tsv", "-k", 2, "-o", "P.cert", "--resume"), ("P.cert",)),
        (("small.tsv", "-k", 2, "-o", "small.tsv", "--resume"), ("overwrite",)),
    ):
        fails(run(command, *arguments), *parts)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    # without --resume it is written as ever
    status = run(command, "small.tsv", "-k", 3, *FILES[:4], "--quiet")[0]
    assert (status, Certificate.load("P.cert").k) == (0, 3)


def test_a_vocabulary_of_another_hand_is_a_start(run, small, tmp_path):
    Vocabulary(["ab", "xy"], "bytes").save(tmp_path / "V.json")
    assert run("solve", *small, *FILES, "--quiet")[0] == 0
    Vocabulary(["ab", "bc", "cd"], "bytes").save(tmp_path / "V.json")
    fails(run("solve", *small, *FILES), "V.json: 3 tokens")


def test_a_better_proof_is_never_replaced(run, small, tmp_path):
    """Without --resume the run knows nothing of the proof that is there."""
    assert run("solve", *small, *FILES, "--quiet")[0] == 0
    proof = (tmp_path / "P.cert").read_bytes()
    late = ("--time-limit", 0, "--write-certificate", "P.cert")
    status, _, error = run("improve", *small, *late)
    assert (status, (tmp_path / "P.cert").read_bytes()) == (0, proof)
    assert "kept P.cert" in error


@pytest.mark.long
def test_checkpoints_keep_a_better_proof_too(run, book, tmp_path):
    run("solve", *book, *FILES, "--time-limit", 1, "--quiet")
    shutil.copy(tmp_path / "P.cert", tmp_path / "Q.cert")
    best = Certificate.load("Q.cert").lower_bound
    run("solve", *book, *FILES[:4], "--time-limit", 0.2, "--quiet")
    assert Certificate.load("P.cert").lower_bound >= best


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--resume",), "--resume continues from the files that a run writes"),
        (
            ("--resume", "-o", "-"),
            "--resume continues from the files that a run writes",
        ),
        ((*FILES, "--start", "V.json"), "leave out --start"),
        ((*FILES, "--start-certificate", "P.cert"), "leave out --start-certificate"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "improve"])
def test_mistakes(run, small, tmp_path, command, arguments, part):
    (tmp_path / "P.cert").write_text("{}")
    Vocabulary(["ab"], "bytes").save(tmp_path / "V.json")
    status, out, error = run(command, *small, *arguments)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert part in error or "would overwrite" in error
