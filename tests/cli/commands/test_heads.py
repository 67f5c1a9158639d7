"""Bounds of all words by prices of a head, and the check of their certificates."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from cli.helpers import as_json, fails
from shared.generated_text import generated_words

from partcover import Certificate, Corpora, Instance, MergeCondition, WordCounts


def test_a_bound_by_a_head_is_verified_on_all_words(run, counts):
    run("greedtok", counts, "-k", 3, "-o", "V.json")
    options = ["-k", 3, "--vocab", "V.json", "--json"]
    status, data = as_json(run("bound", counts, *options, "--head", 4, "-o", "P.cert"))
    assert (status, data["head_words"]) == (0, 4)
    assert data["head_words"] < data["words"]
    status, check = as_json(run("verify", counts, *options, "--certificate", "P.cert"))
    assert (status, check["ok"]) == (0, True)
    assert check["certificate"]["lower_bound"] == data["lower_bound"]
    assert (check["tokens"], check["certificate"]["gap"]) == (data["tokens"], data["gap"])


def test_a_search_by_a_head_is_verified_on_all_words_and_goes_on(run, counts):
    files = ["-o", "V.json", "--write-certificate", "P.cert", "--json"]
    improve = ["improve", counts, "-k", 3, "--head", 4, *files]
    status, data = as_json(run(*improve))
    assert (status, data["method"], data["head_words"]) == (0, "improve", 4)
    check = ["verify", counts, "-k", 3, "--vocab", "V.json", "--certificate", "P.cert", "--json"]
    status, checked = as_json(run(*check))
    assert (status, checked["ok"]) == (0, True)
    assert checked["tokens"] == data["tokens"]
    assert checked["certificate"]["lower_bound"] == data["lower_bound"]
    status, again = as_json(run(*improve, "--resume", "--time-limit", 0))
    assert (status, again["tokens"]) == (0, data["tokens"])
    assert again["lower_bound"] >= data["lower_bound"]
    assert as_json(run(*check))[1]["ok"]
    fails(run("improve", counts, "-k", 2, "--head", 4, *files, "--resume"), "for k = 3, but k is 2")
    fails(run("improve", counts, "-k", 3, "--head", 3, *files, "--resume"), "for other words")


def test_a_better_proof_that_is_there_is_kept(run, counts):
    run("bound", counts, "-k", 3, "--head", 4, "-o", "P.cert")
    before = Path("P.cert").read_text()
    options = ["-k", 3, "--head", 4, "--write-certificate", "P.cert"]
    assert run("improve", counts, *options, "--time-limit", 0)[0] == 0
    assert Path("P.cert").read_text() == before
    bound = ["bound", counts, *options[:4], "--iterations", 0, "-o", "P.cert"]
    assert "kept P.cert: it proves" in run(*bound)[2]
    assert Path("P.cert").read_text() == before


@pytest.mark.long
def test_a_claim_that_does_not_hold_is_no_reason_to_keep_a_file(run, counts):
    options = ["-k", 3, "--head", 4]
    run("bound", counts, *options, "-o", "P.cert")
    claim = replace(Certificate.load("P.cert"), lower_bound=10**6)
    check = ["verify", counts, "-k", 3, "--certificate", "P.cert", "--json"]
    for other in (claim, replace(claim, tail=replace(claim.tail, sha256="0" * 64))):
        for command, file in (("bound", "-o"), ("improve", "--write-certificate")):
            other.save("P.cert")
            status, _, err = run(command, counts, *options, file, "P.cert")
            assert (status, "it proves" in err) == (0, False)
            assert as_json(run(*check))[1]["ok"]


def test_the_plan_of_a_head_is_smaller(run, counts):
    sizes = {}
    for head in (2, 6):
        status, plan = as_json(run("bound", counts, "-k", 3, "--head", head, "--plan", "--json"))
        assert (status, plan["fits"]) == (0, True)
        assert plan["parts"]["the words outside of the head"] > 2**26
        sizes[head] = plan["need"]
    assert sizes[2] < sizes[6]


def test_other_words_of_the_tail_are_refused(run, counts):
    run("bound", counts, "-k", 3, "--head", 4, "-o", "P.cert")
    lines = Path(counts).read_text().splitlines()
    Path("other.tsv").write_text("\n".join([*lines[:-1], "dog\t1"]) + "\n")
    status, check = as_json(
        run("verify", "other.tsv", "-k", 3, "--certificate", "P.cert", "--json")
    )
    assert (status, check["ok"]) == (6, False)
    assert "tail of other words" in check["problems"][0]


def test_a_list_of_candidates_and_groups_go_with_a_head(run, counts):
    Path("tokens.txt").write_text("the\nat\nzz\n")
    options = (counts, "-k", 2, "--head", 4, "--candidates", "tokens.txt", "--group", "short=0:2-2")
    status, found = as_json(
        run("improve", *options, "--json", "-o", "V.json", "--write-certificate", "P.cert")
    )
    assert (status, "at" in found["vocabulary"]) == (0, False)
    checked = ("--vocab", "V.json", "--certificate", "P.cert", "--json")
    options = (*options[:3], *options[5:])
    status, check = as_json(run("verify", *options, *checked))
    assert (status, check["ok"]) == (0, True)
    assert run("verify", *options[:-2], *checked)[0] == 6


@pytest.mark.long
@pytest.mark.parametrize("several", [False, True])
def test_an_instance_file_with_merges_goes_with_a_head(run, several):
    tables = ({"abab": 9, "abc": 7, "bca": 5, "cab": 3, "abca": 1}, {"abab": 2, "xyx": 5, "ab": 4})
    corpora = [WordCounts.from_counts(table) for table in tables]
    words = Corpora(corpora, [20, 15]) if several else corpora[0]
    Instance(words, 3, merges=MergeCondition(whole_words=True)).save("I.json")
    files = ("-o", "V.json", "--write-certificate", "P.cert")
    status, found = as_json(run("improve", "I.json", "--head", 2, *files, "--json"))
    assert (status, 2 <= found["head_words"] < found["words"]) == (0, True)
    status, bound = as_json(run("bound", "I.json", "--head", 2, "-o", "B.cert", "--json"))
    assert (status, bound["policy"]["merges"]) == (0, "any")
    for name in ("P.cert", "B.cert"):
        given = ("--vocab", "V.json", "--certificate", name)
        status, checked = as_json(run("verify", "I.json", *given, "--json"))
        assert (status, checked["ok"], checked["tokens"]) == (0, True, found["tokens"])
    assert run("improve", "I.json", "--head", 2, *files, "--resume")[0] == 0
    best = as_json(run("solve", "I.json", "--json"))[1]
    assert found["lower_bound"] <= best["lower_bound"]
    assert best["status"] == "optimal"


def test_protected_tokens_go_with_a_head(run, counts):
    Path("tokens.txt").write_text("at\n")
    options = (counts, "-k", 3, "--protected", "tokens.txt")
    files = ("-o", "V.json", "--write-certificate", "P.cert")
    status, found = as_json(run("improve", *options, "--head", 3, *files, "--json"))
    assert (status, "at" in found["vocabulary"]) == (0, True)
    checked = ("--vocab", "V.json", "--certificate", "P.cert", "--json")
    status, check = as_json(run("verify", *options, *checked))
    assert (status, check["ok"], check["tokens"]) == (0, True, found["tokens"])
    assert check["certificate"]["lower_bound"] == found["lower_bound"]
    assert run("verify", *options[:3], *checked)[0] == 6


def test_the_bound_of_a_head_is_resumed(run, counts):
    bound = ("bound", counts, "-k", 3, "--head", 4, "-o", "P.cert")
    before = as_json(run(*bound, "--json"))[1]["lower_bound"]
    status, after = as_json(run(*bound, "--resume", "--iterations", 0, "--json"))
    assert (status, after["lower_bound"]) == (0, before)
    fails(run("bound", counts, "-k", 3, "--head", 2, "-o", "P.cert", "--resume"), "other words")


def test_what_a_head_does_not_go_with_is_said_in_a_line(run, counts):
    bound = ["bound", counts, "-k", 3, "--head"]
    fails(run(*bound, 0), "--head")
    fails(run(*bound, 2, "--min-count", 2), "--min-count")
    fails(run("bound", "-", "-k", 3, "--head", 2), "several times")
    fails(run("bound", counts, "--head", 2), "-k is missing")
    fails(run(*bound, 2, "-o", counts), "-o")
    fails(run("improve", counts, "-k", 3, "--head", 2, "--no-bound"), "--no-bound")
    fails(run("improve", counts, "-k", 3, "--head", 2, "--resume"), "--resume")
    run("greedtok", counts, "-k", 4, "-o", "V.json")
    over = ("bound", counts, "-k", 3, "--head", 2, "--vocab", "V.json")
    fails(run(*over), "4 tokens, but k is 3", status=6)
    run(*bound, 2, "-o", "P.cert")
    model = ("--vocab", "V.sol", "--model", counts, "--certificate", "P.cert")
    fails(run("verify", counts, "-k", 3, *model), "a certificate of a head and --model exclude")


@pytest.mark.long
def test_engines_read_the_words_outside_of_a_head_alone(run, counts):
    run("bound", counts, "-k", 3, "--head", 4, "-o", "P.cert")
    status, check = as_json(
        run("verify", counts, "-k", 3, "--certificate", "P.cert", "--json", "--threads", 2)
    )
    assert (status, check["ok"]) == (0, True)
    fails(run("bound", counts, "-k", 3, "--head", 4, "--engine", "spark"), "unknown engine")
    fails(run("bound", counts, "-k", 3, "--engine", "dask"), "--engine")
    fails(run("bound", counts, "-k", 3, "--scratch", "."), "--scratch")
    run("bound", counts, "-k", 3, "-o", "Q.cert")
    fails(run("verify", counts, "-k", 3, "--certificate", "Q.cert", "--threads", 2), "--threads")


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_search_that_is_ended_leaves_valid_files_and_goes_on(run, tmp_path):
    """Each run is ended as soon as it has written; what is there never gets worse."""
    generated_words(2000).save(tmp_path / "book.tsv")
    files = ["-o", "V.json", "--write-certificate", "P.cert"]
    improve = ["improve", "book.tsv", "-k", "250", "--head", "500", *files, "--resume"]
    least, proven = None, 0
    for sent in (signal.SIGKILL, signal.SIGINT):
        before = Path("P.cert").stat().st_mtime_ns if Path("P.cert").exists() else 0
        command = [sys.executable, "-m", "partcover", *improve]
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (
                Path("P.cert").exists() and Path("P.cert").stat().st_mtime_ns > before
            ):
                time.sleep(0.05)
            process.send_signal(sent)
        assert process.returncode == (-sent if sent == signal.SIGKILL else 130)
        verify = ["verify", "book.tsv", "-k", 250, "--vocab", "V.json", "--certificate", "P.cert"]
        status, check = as_json(run(*verify, "--json"))
        assert (status, check["ok"]) == (0, True)
        assert least is None or check["tokens"] <= least
        assert check["certificate"]["lower_bound"] >= proven
        least, proven = check["tokens"], check["certificate"]["lower_bound"]
