"""The commands reduce, for every problem and with its pictures, and generate."""

from __future__ import annotations

import json
import sys

import pytest

from partcover import Instance
from partcover.cli import main as cli
from partcover.hardness.reduction import reduction_of
from partcover.instances.families import FAMILIES

CNF = "p cnf 3 5\n1 2 0\n-1 3 0\n1 -2 0\n-1 -3 0\n2 0\n"  # 4 of 5 at most


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "F.cnf").write_text(CNF)
    (tmp_path / "g.txt").write_text("a b\nb c\nb d\nc d\nd e\n")

    def call(*arguments, status=0):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(a) for a in arguments])
        captured = capsys.readouterr()
        assert stop.value.code == status, captured.err
        return captured.out, captured.err

    return call


def reduce_sat(run, problem, command_line, *more):
    return run("reduce", "F.cnf", "--problem", problem, "-k", command_line, *more)[0]


def test_max_2_sat_there_and_back(run, tmp_path):
    for command_line, enough in [(4, True), (5, False)]:
        facts = json.loads(reduce_sat(run, "max-2-sat", command_line, "-o", "I.json", "--json"))
        assert facts["satisfied"] == command_line
        assert (facts["variables"], facts["clauses"], facts["k"]) == (3, 5, 3)
        run("solve", "I.json", "-o", "S.json")
        lifted = json.loads(run("reduce", "--lift", "I.json", "S.json", "--json")[0])
        assert list(lifted) == ["assignment", "satisfied", "clauses", "meets_threshold"]
        assert list(lifted["assignment"]) == ["1", "2", "3"]
        assert lifted["meets_threshold"] is enough
        assert (lifted["satisfied"] >= command_line) is enough
    assert "assignment" in run("reduce", "--lift", "I.json", "S.json")[0]
    # without -o the instance itself is printed
    assert json.loads(reduce_sat(run, "max-2-sat", 5)) == json.loads(
        (tmp_path / "I.json").read_text()
    )


@pytest.mark.long
def test_binary_words_there_and_back(run, tmp_path):
    (tmp_path / "F.cnf").write_text("p cnf 3 3\n1 2 0\n-1 3 0\n-2 -3 0\n")
    facts = json.loads(reduce_sat(run, "max-2-sat-binary", 3, "-o", "I.json", "--json"))
    assert (facts["k"], facts["threshold"]) == (15, 993)
    run("solve", "I.json", "-o", "S.json")
    out, _ = run("reduce", "--lift", "I.json", "S.json", "--json", "--plot", "a.svg")
    assert json.loads(out)["meets_threshold"] is True
    assert "993 tokens ≤ 993" in (tmp_path / "a.svg").read_text()


def test_merges_there_and_back(run):
    reduce_sat(run, "max-2-sat-bottom-up", 4, "-o", "B.json")
    reduction = reduction_of(Instance.load("B.json"))
    reduction.witness([True, True, True]).save("M.json")
    out, error = run("reduce", "--lift", "B.json", "M.json", "--json", "--plot", "b.svg", "-o", "L")
    assert json.loads(out) == {
        "assignment": {"1": True, "2": True, "3": True},
        "satisfied": 4,
        "clauses": 5,
        "meets_threshold": True,
    }
    assert error == "partcover: wrote b.svg\npartcover: wrote L\n"
    with open("L") as written, open("b.svg") as drawn:
        assert json.load(written) == json.loads(out)
        assert "4 of 5 clauses satisfied" in drawn.read()


@pytest.mark.long
def test_pictures(run, tmp_path):
    run("reduce", "g.txt", "-k", 2, "-o", "I.json", "--quiet")
    run("solve", "I.json", "-o", "S.json", "--quiet")
    out, error = run("reduce", "--lift", "I.json", "S.json", "--plot", "b.svg")
    assert "vertices: " in out
    assert error == "partcover: wrote b.svg\n"
    assert "2 vertices: a vertex cover" in (tmp_path / "b.svg").read_text()
    reduce_sat(run, "max-2-sat", 4, "-o", "F.json", "--quiet")
    run("solve", "F.json", "-o", "FS.json", "--quiet")
    run("reduce", "--lift", "F.json", "FS.json", "--plot", "c.svg")
    assert "4 of 5 clauses satisfied" in (tmp_path / "c.svg").read_text()


def test_generate(run, tmp_path):
    listed = run("generate", "--help")[0].partition("Families:")[2]
    assert all(f"\n  {name} " in listed for name in FAMILIES)
    facts = json.loads(run("generate", "cubic", 8, "--seed", 3, "-o", "C.json", "--json")[0])
    assert facts == {
        "family": "cubic", "size": 8, "seed": 3, "k": facts["k"], "words": 12,
        "total_count": 12, "threshold": 36,
    }  # fmt: skip
    assert run("generate", "cubic", 8, "--seed", 3)[0] != run("generate", "cubic", 8)[0]
    printed = json.loads(run("generate", "cubic", 8, "--seed", 3)[0])
    assert printed == json.loads((tmp_path / "C.json").read_text())
    solved = json.loads(run("solve", "C.json", "--json")[0])
    assert solved["meets_threshold"] is True
    assert json.loads(run("generate", "unary", 6, "-k", 2)[0])["k"] == 2


def test_mistakes(run, monkeypatch):
    pytest.importorskip("networkx")
    sat = ("reduce", "F.cnf", "--problem", "max-2-sat")
    bottom_up = ("reduce", "F.cnf", "--problem", "max-2-sat-bottom-up", "-k", 4)
    for arguments, part in [
        (sat, "how many clauses are true?"),
        ((*sat, "-k", 9), "9 satisfied clauses are asked for: the formula has"),
        (("reduce", "g.txt"), "how many vertices may cover the graph?"),
        (("reduce", "g.txt", "--problem", "max-2-sat", "-k", 1), "g.txt:1: a clause"),
        ((*sat[:-1], "max-2-sat-binary", "-k", 4), "variable 1 is in 4 clauses"),
        ((*bottom_up, "--plot", "a.svg"), "--plot needs the solution: --lift"),
        (("reduce", "--lift", "I", "S", "--plot", "no/a.svg"), "no/a.svg: cannot be written"),
        (("generate", "magic", 3), "unknown family 'magic'"),
        (("generate", "cycle", 2), "size is 2"),
        (("generate", "cycle"), "Missing argument"),
    ]:  # fmt: skip
        out, error = run(*arguments, status=2)
        assert out == ""
        assert part in error
        assert error.count("\n") == 1
    reduce_sat(run, "max-2-sat-bottom-up", 4, "-o", "B.json")
    run("solve", "B.json", "-o", "S.json")
    _, error = run("reduce", "--lift", "B.json", "S.json", status=2)
    assert error == "partcover: S.json: expected a list of merges, each a pair of tokens\n"
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    reduce_sat(run, "max-2-sat", 4, "-o", "I.json")
    run("solve", "I.json", "-o", "S.json")
    _, error = run("reduce", "--lift", "I.json", "S.json", "--plot", "a.svg", status=2)
    assert "not installed: pip install 'partcover[plot]'" in error
    assert error.count("\n") == 1
