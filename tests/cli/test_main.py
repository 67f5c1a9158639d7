"""The command: its results, its JSON keys, its exit statuses, and one line for every mistake."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from cli.helpers import SHARED, as_json, fails

from partcover import Instance, Vocabulary, WordCounts, greedtok
from partcover.cli.main import cli


def test_count(run, tmp_path):
    (tmp_path / "text.txt").write_text("a b a")
    head = "#partcover counts 1 pretokenizer=gpt2 symbols=bytes\n"
    assert run("count", "text.txt", "--quiet") == (0, head + " a\t1\n b\t1\na\t1\n", "")
    status, facts = as_json(run("count", "text.txt", "--json", "--pretokenizer", "none"))
    assert (status, facts["words"], facts["total_symbols"]) == (0, 1, 5)
    (tmp_path / "more.txt.gz").write_bytes(gzip.compress(b"a b"))
    phrases = run("count", "text.txt", "--quiet", "--phrases", "2")
    joined = head.replace("gpt2", "gpt2+phrases:2")
    assert phrases == (0, joined + " a\t1\na b\t1\n", "")
    status, out, _ = run("count", ".", "--quiet")
    assert status == 0
    assert out == head + " b\t2\na\t2\n a\t1\n"


def test_count_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x y")))
    head = "#partcover counts 1 pretokenizer=gpt2 symbols=bytes\n"
    assert run("count", "-", "--quiet")[:2] == (0, head + " y\t1\nx\t1\n")


@pytest.mark.parametrize("method", ["greedtok", "greedwmc", "solve"])
def test_solutions(run, counts, method, tmp_path):
    status, data = as_json(run(method, counts, "-k", 5, "--json", "-o", "V.json", "--quiet"))
    assert status == 0
    assert set(data) >= SHARED
    assert data["tokens"] + data["cover"] == WordCounts.load(counts).total_symbols
    assert data["rule"] == ("priority" if method == "greedtok" else "shortest_path")
    assert data["policy"] == {"candidates": "substrings"}
    if method == "greedtok":
        assert data["tokens_shortest_path"] <= data["tokens"]
    if method == "greedwmc":
        assert data["relaxed_cover"] >= data["cover"]
    if method == "solve":
        assert (data["status"], data["gap"]) == ("optimal", 0)
    saved = json.loads((tmp_path / "V.json").read_text())
    assert saved["tokens"] == data["vocabulary"]
    assert saved["provenance"]["corpus_sha256"] == WordCounts.load(counts).digest
    bare = as_json(run(method, counts, "-k", 5, "--json", "--no-vocabulary"))[1]
    assert "vocabulary" not in bare
    status, checked = as_json(run("verify", counts, "-k", 5, "--vocab", "V.json", "--json"))
    assert (status, checked["ok"], checked["claim_holds"]) == (0, True, True)
    assert method in run(method, counts, "-k", 5)[1]


def test_verify_finds_what_is_wrong(run, counts, tmp_path):
    run("greedtok", counts, "-k", 5, "-o", "V.json")
    status, out, error = run("verify", counts, "-k", 4, "--vocab", "V.json", "--json")
    assert status == 6
    assert "5 tokens, but k is 4" in error
    assert json.loads(out)["ok"] is False
    saved = json.loads((tmp_path / "V.json").read_text())
    saved["provenance"]["tokens"] -= 1
    (tmp_path / "V.json").write_text(json.dumps(saved))
    status, _, error = run("verify", counts, "-k", 5, "--vocab", "V.json")
    assert status == 6
    assert "the file claims" in error
    saved["rule"] = "priority"
    (tmp_path / "V.json").write_text(json.dumps(saved))
    data = as_json(run("verify", counts, "-k", 5, "--vocab", "V.json", "--json"))[1]
    assert data["tokens_by_rule"] == data["tokens_priority"] == saved["provenance"]["tokens"] + 1


def test_vertex_cover_there_and_back(run, tmp_path):
    (tmp_path / "graph.txt").write_text("a b\nb c\nb d\nc d\nd e\n")
    for k, covers in [(1, False), (2, True)]:
        assert run("reduce", "graph.txt", "-k", k, "-o", "I.json")[0] == 0
        status, data = as_json(run("solve", "I.json", "-o", "S.json", "--json"))
        assert (status, data["k"], data["threshold"]) == (0, k, 15)
        assert data["meets_threshold"] is covers
        status, lifted = as_json(run("reduce", "--lift", "I.json", "S.json", "--json"))
        assert status == 0
        assert lifted["is_vertex_cover"] is lifted["meets_threshold"] is covers
        assert lifted["size"] == len(lifted["vertices"]) == k
    assert lifted["vertices"] == ["b", "d"]
    # the JSON of a solution serves as well
    (tmp_path / "J.json").write_text(run("solve", "I.json", "--json")[1])
    assert as_json(run("reduce", "--lift", "I.json", "J.json", "--json"))[1] == lifted
    assert run("verify", "I.json", "--vocab", "J.json")[0] == 0
    (tmp_path / "graph.gr").write_text("p td 3 2\n1 2\n2 3\n")
    assert "threshold" in run("reduce", "graph.gr", "-k", 1, "--from", "pace")[1]


@pytest.mark.long
def test_compare(run, counts, tmp_path):
    arguments = ("compare", counts, "-k", "2,5", "--methods", "greedtok,greedwmc,solve,bytes")
    status, data = as_json(run(*arguments, "--json"))
    assert status == 0
    rows = {(row["method"], row["rule"], row["k"]): row for row in data["rows"]}
    assert len(rows) == 10
    for k in (2, 5):
        exact = rows["solve", "shortest_path", k]
        own = rows["greedtok", "priority", k]
        alone = as_json(run("greedtok", counts, "-k", k, "--json"))[1]
        assert own["tokens"] == alone["tokens"]
        assert rows["greedtok", "shortest_path", k]["tokens"] == alone["tokens_shortest_path"]
        assert own["d"] == own["cover"] / rows["greedwmc", "shortest_path", k]["relaxed_cover"]
        for (_, _, budget), row in rows.items():
            if budget == k:
                assert row["lower_bound"] == exact["tokens"] <= row["tokens"]
                assert row["gap"] == (row["tokens"] - row["lower_bound"]) / row["tokens"]
    assert "greedtok" in run(*arguments)[1]
    run(*arguments, "--plot", "figure.svg")
    assert "<svg" in (tmp_path / "figure.svg").read_text()


def test_options_of_an_instance(run, counts, tmp_path):
    (tmp_path / "some.txt").write_text("the\nat\n\non\n")
    (tmp_path / "one.txt").write_text("at\n")
    data = as_json(
        run("greedtok", counts, "-k", 3, "--candidates", "some.txt", "--required", "one.txt",
            "--json")
    )[1]  # fmt: skip
    assert data["vocabulary"][0] == "at"
    assert set(data["vocabulary"]) == {"the", "at", "on"}
    assert data["policy"] == {"candidates": "list", "required": 1}
    limited = ("greedtok", counts, "-k", 3, "--max-length", 2, "--min-count", 4, "--json")
    data = as_json(run(*limited, "--forbidden", "one.txt"))[1]
    assert data["policy"] == {
        "candidates": "substrings", "max_length": 2, "min_count": 4, "forbidden": 1,
    }  # fmt: skip
    assert "at" not in data["vocabulary"]
    Vocabulary(["sat", "mat"]).save(tmp_path / "front.json")
    data = as_json(run("greedtok", counts, "-k", 4, "--prefix", "front.json", "--json"))[1]
    assert data["vocabulary"][:2] == ["sat", "mat"]


def test_k_beyond_the_candidates_is_said(run, tmp_path):
    (tmp_path / "C.tsv").write_text("abc\t2\n")
    status, data = as_json(run("greedtok", "C.tsv", "-k", 50, "--json", "--quiet"))
    assert (status, data["size"], data["nothing_left_to_gain"]) == (0, 1, True)
    assert "only 1 of k = 50 tokens chosen" in run("greedtok", "C.tsv", "-k", 50)[2]
    assert as_json(run("greedtok", "C.tsv", "-k", 0, "--json"))[1]["tokens"] == 6


def test_where_greedtok_finds_no_further_token_another_may_save_some(run, tmp_path):
    (tmp_path / "C.tsv").write_text("cc\t5\nccba\t2\n")
    (tmp_path / "some.txt").write_text("cc\ncba\n")
    line = ("C.tsv", "-k", 2, "--candidates", "some.txt", "--json")
    status, out, remark = run("greedtok", *line)
    greedy = json.loads(out)
    assert (status, greedy["size"], greedy["nothing_left_to_gain"]) == (0, 1, True)
    assert remark == ("partcover: only 1 of k = 2 tokens chosen: greedtok finds no further token\n")
    optimum = as_json(run("solve", *line))[1]
    assert (optimum["size"], optimum["status"]) == (2, "optimal")
    assert optimum["tokens"] == greedy["tokens_shortest_path"] - 2


def test_limits_and_their_statuses(run, tmp_path):
    lines = [f"{(i * 2654435761) % 3**11:011d}\t{i + 1}\n" for i in range(120)]
    (tmp_path / "hard.tsv").write_text("".join(lines))
    status, data = as_json(run("solve", "hard.tsv", "-k", 40, "--time-limit", 0, "--json"))
    assert (status, data["status"], data["termination"]) == (3, "feasible", "time_limit")
    assert data["lower_bound"] <= data["tokens"]
    for command in ("greedtok", "greedwmc", "improve", "bound"):  # nobody asked for a proof
        status, data = as_json(run(command, "hard.tsv", "-k", 40, "--time-limit", 0, "--json"))
        assert (status, data["termination"]) == (0, "time_limit")
    limit = ("hard.tsv", "-k", 40, "--time-limit", 0)
    assert run("solve", *limit, "--write-certificate", "P.cert")[0] == 3
    size = ("--goal", "size", "--threshold", 8000)
    status, data = as_json(run("solve", *limit, *size, "--json"))
    assert (status, data["status"], data["termination"]) == (5, "none", "time_limit")


@pytest.mark.parametrize("seconds", ["-1", "nan"])
def test_no_command_takes_such_a_time(run, seconds):
    options = [
        (name, option.opts[0])
        for name, later in cli.commands.items()
        for command in [later.load()]
        for option in command.params
        if option.metavar == "SECONDS"
    ]
    assert len(options) > 12
    for name, option in options:
        status, out, error = run(name, option, seconds)
        assert (status, out, error.count("\n")) == (2, "", 1)
        assert f"Invalid value for '{option}'" in error


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ab\t1\ncd 2\n", "C.tsv:2: "),
        ("ab\t-1\n", "C.tsv:1: "),
        ("ab\t0\n", "C.tsv:1: "),
        ("ab\t1.5\n", "C.tsv:1: "),
        ("ab\t99999999999999999999\n", "C.tsv:1: "),
        (f"ab\t{2**63 - 1}\nx\t1\nab\t1\n", "C.tsv:3: "),
        (f"ab\t{2**63 - 1}\n", "more than int64 holds"),
        ("\t4\n", "C.tsv:1: "),
        ("a\\q\t4\n", "C.tsv:1: "),
        ("", "C.tsv: the corpus is empty"),
    ],
)
def test_bad_counts(run, tmp_path, content, message):
    (tmp_path / "C.tsv").write_text(content)
    fails(run("greedtok", "C.tsv", "-k", 2), message)


def test_bad_input(run, counts, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait")
    (tmp_path / "one.txt").write_text("a\n")
    (tmp_path / "two.txt").write_text("th\nat\n")
    (tmp_path / "loop.txt").write_text("a b\nb b\n")
    (tmp_path / "odd.txt").write_text("a b c\n")
    (tmp_path / "none.txt").write_text("# no edges\n")
    (tmp_path / "broken.json").write_text('{"format":\n oops}')
    fails(run("count", "missing.txt"), "missing.txt")
    fails(run("count", "empty"), "empty")
    fails(run("count", "latin.txt", "--symbols", "chars"), "latin.txt", "byte 3", "UTF-8")
    fails(run("count", "text.txt", "--pretokenizer", "magic"), "'magic'", "gpt2")
    fails(run("count", "text.txt", "--phrases", "0"), "'--phrases'", "phrases of 0 words")
    fails(run("count", "text.txt", "--phrases", "some"), "'some'", "all")
    fails(run("count", "text.txt", "--phrases", "2", "--pretokenizer", "none"), "none", "joined")
    fails(run("count", "--merge", "text.txt", "--phrases", "2"), "--merge cannot join words")
    for other in (["--resume"], ["--engine", "processes"]):
        fails(run("count", "--merge", counts, "-o", "M.tsv", *other), "--merge cannot be used with")
    fails(run("count", "text.txt", "--memory", "1MB"), "1MB is too little: at least 300 MB")
    fails(run("count", "text.txt", "-o", "no/such/C.tsv"), "no/such/C.tsv", "cannot be written")
    fails(run("greedtok", "missing.tsv", "-k", 2), "missing.tsv")
    fails(run("greedtok", counts), "-k is missing")
    fails(run("greedtok", counts, "-k", -1), "k is -1")
    fails(run("greedtok", counts, "-k", "many"), "partcover greedtok", "many")
    fails(run("greedtok", counts, "-k", 2, "--nonsense"), "--nonsense")
    fails(run("greedtok", counts, "-k", 2, "--candidates", "one.txt"), "one.txt: ", "two symbols")
    fails(run("greedtok", counts, "-k", 1, "--required", "two.txt"), "2 tokens are required")
    fails(run("greedtok", counts, "-k", 2, "-o", "no/V.json"), "no/V.json", "cannot be written")
    fails(run("solve", counts, "-k", 2, "--solver", "gurobi"), "'gurobi'", "highs")
    fails(run("solve", counts, "-k", 2, "--formulation", "magic"), "'magic'", "path")
    fails(run("solve", "broken.json"), "broken.json:2")
    Instance(WordCounts.load(counts), 2).save(tmp_path / "I.json")
    fails(run("solve", "I.json", "--symbols", "chars"), "I.json: the symbols of the instance are")
    fails(run("verify", counts, "-k", 2, "--vocab", "missing.json"), "missing.json")
    fails(run("verify", counts, "-k", 2, "--vocab", "broken.json"), "broken.json:2")
    fails(run("reduce", "loop.txt", "-k", 1), "loop.txt:2", "self-loop")
    fails(run("reduce", "odd.txt", "-k", 1), "odd.txt:1", "two names")
    fails(run("reduce", "none.txt", "-k", 1), "none.txt", "no edges")
    fails(run("reduce", "none.txt"), "-k is missing")
    fails(run("compare", counts, "-k", "2,x"), "2,x")
    fails(run("compare", counts, "-k", "2", "--methods", "magic"), "'magic'")
    fails(run("compare", counts, "-k", "2", "--plot", "figure.doc"), "figure.doc")
    fails(run("nonsense"), "nonsense")
    left = {path.name for path in tmp_path.iterdir()}
    assert not {name for name in left if name.startswith(".")}, "nothing half-written is left"


def test_help_teaches(run):
    for command in ("", "count", "greedtok", "greedwmc", "solve", "verify", "reduce", "compare"):
        status, out, _ = run(*([command] if command else []), "--help")
        assert status == 0
        assert "--help" in out
        assert len(out.splitlines()) > 8


def test_progress_only_on_a_terminal(run, counts):
    assert run("greedtok", counts, "-k", 3)[2] == ""
    assert "\x1b" not in run("greedtok", counts, "-k", 3)[1]


@pytest.mark.long
def test_demo(run, monkeypatch):
    """With an optimum over half as many words as it has."""
    pytest.importorskip("networkx")
    most_frequent = WordCounts.most_frequent
    monkeypatch.setattr(
        WordCounts, "most_frequent", lambda words, number: most_frequent(words, number // 2)
    )
    status, data = as_json(run("demo", "--json"))
    assert status == 0
    assert (data["exact"]["status"], data["exact"]["words"]) == ("optimal", 200)
    assert data["exact"]["verified"]
    rows = {row["method"]: row for row in data["exact"]["rows"]}
    assert data["exact"]["certified_ratio"] <= rows["greedtok"]["ratio"] <= 1
    assert [row["is_vertex_cover"] for row in data["vertex_cover"]["rows"]] == [False, True, True]
    assert len(data["greedy"]) == 20
    needed = {(row["method"], row["rule"], row["k"]): row["tokens"] for row in data["greedy"]}
    assert needed["greedtok", "priority", 1000] < needed["bpe", "merges", 1000]


@pytest.mark.long
def test_hash_seeds_change_nothing(run, counts, tmp_path):
    code = (
        "import sys; from partcover.cli.main import main\n"
        "for method in ('greedtok', 'greedwmc', 'solve'):\n"
        "    try: main([method, *sys.argv[1:]])\n"
        "    except SystemExit as stop: assert stop.code == 0"
    )

    def answers(seed):
        done = subprocess.run(
            [sys.executable, "-c", code, counts, "-k", "6", "--json"], cwd=tmp_path, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True,
        )  # fmt: skip
        return [{**json.loads(line), "seconds": None} for line in done.stdout.splitlines()]

    found = answers("0")
    assert len(found) == 3
    assert answers("12345") == found


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt_keeps_the_best_so_far(tmp_path, sent):
    lines = [f"{(i * 2654435761) % 3**14:014d}\t{i + 1}\n" for i in range(400)]
    (tmp_path / "hard.tsv").write_text("".join(lines))
    command = [sys.executable, "-m", "partcover", "solve", "hard.tsv", "-k", "90", "-o", "V.json"]
    events = tmp_path / "E.jsonl"
    process = subprocess.Popen(
        [*command, "--events", "E.jsonl", "--json"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    while process.poll() is None and not (events.exists() and '"cuts"' in events.read_text()):
        time.sleep(0.02)
    process.send_signal(sent)
    try:
        out, _ = process.communicate(timeout=600)
    finally:
        process.kill()
    assert process.returncode == 130
    data = json.loads(out)
    assert (data["status"], data["termination"]) == ("feasible", "interrupted")
    instance = Instance(WordCounts.load(tmp_path / "hard.tsv"), 90)
    assert data["tokens"] <= greedtok(instance).extra["tokens_shortest_path"]
    assert len(Vocabulary.load(tmp_path / "V.json")) <= 90


@pytest.mark.parametrize("group", [(), ("instances",), ("records",)])
@pytest.mark.parametrize("name", ["--", "-x", "--version"])
def test_no_command_is_named_like_an_option(run, group, name):
    fails(run(*group, "--", name), f"No such command '{name}'")
