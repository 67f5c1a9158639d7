"""The commands solve, formulations, solvers and verify: goals, models, solutions, events."""

from __future__ import annotations

import json
import subprocess

import pytest
from cli.helpers import as_json, fails

from partcover import Instance, Vocabulary, WordCounts, solve
from partcover.exact.solvers.cbc import cbc_program


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.tsv").write_text("abcd\t3\nabce\t2\nxyab\t1\nxy\t4\n")
    return "small.tsv"


def test_decision(run, small):
    words = WordCounts.load("small.tsv")
    best = solve(Instance(words, 2)).tokens
    for threshold, answer in [(best, True), (best - 1, False)]:
        status, data = as_json(
            run("solve", small, "-k", 2, "--goal", "decision", "--threshold", threshold, "--json")
        )
        assert (status, data["meets_threshold"]) == (0, answer)
    _, _, error = run("solve", small, "-k", 2, "--goal", "decision", "--threshold", 10)
    assert "these requirements conflict: at most 10 tokens needed; at most 2 tokens" in error
    _, _, error = run("solve", small, "-k", 2, "--goal", "decision", "--threshold", 9)
    assert "10 counted words, each of at least one token" in error


def test_fewest_chosen(run, small):
    status, data = as_json(run("solve", small, "--goal", "size", "--threshold", 12, "--json"))
    assert (status, data["status"]) == (0, "optimal")
    assert data["size"] == data["smallest_size"]
    assert data["tokens"] <= 12
    assert solve(Instance(WordCounts.load(small), data["size"] - 1)).tokens > 12
    status, data = as_json(
        run("solve", small, "-k", 1, "--goal", "size", "--threshold", 12, "--json")
    )
    assert (status, data["status"], data["vocabulary"]) == (4, "infeasible", None)


def test_requirements(run, small, tmp_path):
    (tmp_path / "protected.txt").write_text("xy\n")
    (tmp_path / "weights.tsv").write_text("xy\t7\nabce\t2\n")
    (tmp_path / "some.txt").write_text("abcd\nabce\n")
    common = ("-k", 3, "--json")
    status, data = as_json(run("solve", small, *common, "--protected", "protected.txt"))
    assert (status, "xy" in data["vocabulary"], data["policy"]["protected"]) == (0, True, 1)
    status, data = as_json(run("solve", small, *common, "--weights", "weights.tsv"))
    assert (status, data["total_count"]) == (0, 3 + 4 + 1 + 28)
    for group in ("some=0:some.txt", "four=0:4-", "four=0:4-4"):
        status, data = as_json(run("solve", small, *common, "--group", group))
        assert status == 0
        assert not {"abcd", "abce"} & set(data["vocabulary"])


def test_options_that_a_solver_makes_no_use_of_are_named(run, small):
    status, out, said = run("solve", small, "-k", 2, "--threads", 2, "--json")
    assert (status, json.loads(out)["threads"], said) == (0, 2, "")
    highs = ("--solver", "highs", "--threads", 2, "--json")
    status, out, said = run("solve", small, "-k", 2, *highs)
    assert (status, json.loads(out)["threads"]) == (0, 1)
    assert "highs ignores --threads; cp-sat, cbc use it" in said
    status, out, said = run(
        "solve", small, "-k", 2, "--solver", "cp-sat", "--threads", 2, "--seed", 1, "--json"
    )
    assert (status, json.loads(out)["threads"]) == (0, 2)
    assert "ignores --" not in said


def test_a_start(run, small, tmp_path):
    pytest.importorskip("ortools")
    run("greedtok", small, "-k", 1, "-o", "V.json")
    start = ("--start", "V.json", "--solver", "highs")
    status, data = as_json(run("solve", small, "-k", 2, *start, "--json"))
    assert (status, data["start_taken"]) == (0, True)


def test_events_and_log(run, small, tmp_path):
    status, out, error = run("solve", small, "-k", 2, "--events", "E.jsonl", "--log", "--json")
    assert status == 0
    assert json.loads(out)["status"] == "optimal"
    assert "HiGHS" in error
    events = [json.loads(line) for line in (tmp_path / "E.jsonl").read_text().splitlines()]
    assert events[-1]["tokens"] == events[-1]["lower_bound"] == json.loads(out)["tokens"]
    assert {event["event"] for event in events} == {"incumbent", "bound"}


@pytest.mark.long
def test_a_plot_of_events(run, small, tmp_path):
    pytest.importorskip("matplotlib")
    assert run("solve", small, "-k", 2, "--plot", "P.svg", "--quiet")[0] == 0
    text = (tmp_path / "P.svg").read_text()
    assert "<svg" in text
    assert (
        "the file of a plot must end in .png" in run("solve", small, "-k", 2, "--plot", "P.txt")[2]
    )


@pytest.mark.parametrize("name", ["path", "occurrence", "wmc"])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_model_out_and_its_solution_in(run, small, tmp_path, name, sense):
    options = ("-k", 2, "--formulation", name, "--sense", sense)
    status, data = as_json(run("solve", small, *options, "--write-model", "M.mps", "--json"))
    assert status == 0
    command = [cbc_program(), "M.mps", *(["-max"] if sense == "max" else [])]
    command += ["-solve", "-solution", "S.sol"]
    subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    check = ("verify", small, "-k", 2, "--vocab", "S.sol", "--model", "M.mps", "--json")
    status, verified = as_json(run(*check))
    assert (status, verified["ok"]) == (0, True)
    if name != "wmc":
        assert verified["tokens"] == data["tokens"]
    text = (tmp_path / "S.sol").read_text()
    (tmp_path / "S.sol").write_text(text + "  99 x99 1 0\n")
    assert "the model has no variable 'x99'" in run(*check)[2]
    lines = [line for line in text.splitlines() if " x" not in line]
    (tmp_path / "S.sol").write_text("\n".join(lines))
    status, _, error = run(*check)
    assert status == 6
    assert "the solution violates the model" in error


def test_tokens_from_a_list(run, small, tmp_path):
    (tmp_path / "tokens.txt").write_text("abc\nxy\n")
    status, verified = as_json(run("verify", small, "-k", 2, "--vocab", "tokens.txt", "--json"))
    assert (status, verified["tokens"], verified["size"]) == (0, 3 * 2 + 2 * 2 + 3 + 4, 2)


@pytest.mark.long
def test_formulations(run, tmp_path):
    (tmp_path / "words.tsv").write_text("papaya\t1\nimpact\t1\n")
    status, data = as_json(
        run("formulations", "words.tsv", "-k", 2, "--solvers", "highs,cbc", "--json")
    )
    assert status == 0
    rows = {row["formulation"]: row for row in data["rows"]}
    assert {name: row["cover"] for name, row in rows.items()} == {
        "path": 10,
        "occurrence": 10,
        "printed": 9,
        "wmc": 10,
    }
    assert all(set(row["seconds"]) == {"highs", "cbc"} for row in rows.values())
    assert data["printed_differs"] == {
        "words": ["papaya"],
        "k": 1,
        "printed_cover": 4,
        "cover": 5,
        "smallest": True,
    }
    out = run("formulations", "words.tsv", "-k", 2, "--solvers", "highs")[1]
    assert (
        "the smallest set of words that shows it: papaya, k = 1: printed cover 4, true cover 5"
        in out
    )


def test_solvers(run):
    rows = {row["solver"]: row for row in as_json(run("solvers", "--json"))[1]["rows"]}
    assert list(rows) == ["highs", "scip", "cp-sat", "cbc", "glop", "pdlp"]
    assert [name for name, row in rows.items() if not row["integers"]] == ["glop", "pdlp"]
    assert "handover" in run("solvers")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--solver", "glop"), "glop solves linear relaxations only: use highs"),
        (("--goal", "size"), "goal 'size' needs a threshold|the threshold is missing"),
        (("--goal", "size", "--gap", 0.1), "--goal size and --gap exclude each other"),
        (("--resume",), "--resume continues from the files that a run writes"),
        (
            ("--resume", "-o", "-"),
            "--resume continues from the files that a run writes",
        ),
        (("--resume", "-o", "V.json", "--start", "long.json"), "leave out --start"),
        (
            ("--write-certificate", "P.cert", "--sense", "max"),
            "only branch and cut writes certificates",
        ),
        (
            ("--write-certificate", "P.cert", "--solver", "cbc"),
            "only branch and cut writes certificates",
        ),
        (("--max-length", 0), "max_length is 0: a token has two symbols or more"),
        (("--min-count", 0), "min_count is 0: it must be at least 1"),
        (("--group", "a=1:3-", "--group", "a=2:-3"), "a group named 'a' already exists"),
        (("--group", "a=1:0-0"), "group 'a': no token has 0 to 0 symbols"),
        (("--group", "long"), "--group long: expected NAME=N:WHAT"),
        (("--group", "long=1:none.txt"), "none.txt: cannot be read"),
        (
            ("--weights", "bad.tsv"),
            "bad.tsv: a weight is given for 'zz', which is not a word of the corpus",
        ),
        (("--weights", "twice.tsv"), "twice.tsv:2: the word 'xy' is given a second time"),
        (("--start", "long.json"), "the start is not a vocabulary of this instance: "),
        (("--write-model", "M.xyz"), "M.xyz: the name of a model file must end in .mps or .lp"),
        (("--events", "none/E.jsonl"), "none/E.jsonl"),
    ],
)
def test_bad_input(run, small, tmp_path, arguments, message):
    (tmp_path / "bad.tsv").write_text("zz\t7\n")
    (tmp_path / "twice.tsv").write_text("xy\t7\nxy\t7\n")
    Vocabulary(["ab", "abc", "abcd"], "bytes").save(tmp_path / "long.json")
    status, out, error = run("solve", small, "-k", 2, *arguments)
    assert (status, out) == (2, "")
    assert len(error.splitlines()) == 1
    assert "Traceback" not in error
    assert any(part in error for part in message.split("|"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--vocab", "S.sol"), "a .sol file needs its model: add --model M.mps"),
        (("--certificate", "P.cert", "--model", "M.mps"), "--model needs a solver's .sol file"),
        (("--vocab", "V.json", "--model", "M.mps"), "--model needs a solver's .sol file"),
        (("--vocab", "S.sol", "--model", "other.mps"), "other.mps:1: not a model that partcover"),
        ((), "nothing to check"),
    ],
)
def test_bad_answers(run, small, tmp_path, arguments, message):
    (tmp_path / "other.mps").write_text("NAME x\n")
    status, _, error = run("verify", small, "-k", 2, *arguments)
    assert status == 2
    assert message in error


@pytest.mark.long
@pytest.mark.parametrize("others", [(), ("small.tsv", "--minimax")])
def test_cases_go_to_processes(run, counts, small, others):
    inputs = (counts, *others, "-k", 3)
    line = ("solve", *inputs, "--json", "--quiet")
    status, alone = as_json(run(*line))
    files = ("-o", "V.json", "--write-certificate", "P.cert")
    found, spread = as_json(run(*line, "--engine", "processes", "--threads", 2, *files))
    assert (status, found, spread["status"]) == (0, 0, "optimal")
    assert spread["lower_bound"] == alone["lower_bound"]
    assert spread["worst" if others else "tokens"] == spread["lower_bound"]
    check = ("verify", *inputs, "--vocab", "V.json", "--certificate", "P.cert")
    assert run(*check, "--quiet")[0] == 0
    line = ("solve", counts, "-k", 3)
    fails(run(*line, "--engine", "processes", "--solver", "scip"), "--engine is for branch and cut")
