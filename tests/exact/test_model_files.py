"""Model files: byte-exact, and read back by other programs with the same optimum."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import cost, fewest_chosen, fewest_tokens, most_relaxed_cover
from shared.properties import tries
from shared.strategies import instances

from partcover import InputError, Instance, WordCounts
from partcover.exact.formulations.build import EXACT, FORMULATIONS, build
from partcover.exact.model_files import (
    check_model,
    lp_lines,
    mps_lines,
    read_head,
    read_solution,
    write_model,
)
from partcover.exact.solvers.cbc import cbc_program

SMALL = Instance(WordCounts.from_counts({"aab": 2, "ab": 1}), 1, candidates=["aa", "ab"])

LP = r"""\ partcover: path, min, tokens
\ word 0 is aab
\ word 1 is ab
\ x0 is token aa
\ x1 is token ab
Minimize
 obj: + 2 s0_0 + 2 s0_1 + 2 s0_2 + 1 s1_0 + 1 s1_1 + 2 a0_0_0 + 2 a0_1_1 + 1 a1_0_1
Subject To
 budget: + 1 x0 + 1 x1 <= 1
 flow0_0: + 1 s0_0 + 1 a0_0_0 = 1
 flow0_1: - 1 s0_0 + 1 s0_1 + 1 a0_1_1 = 0
 flow0_2: - 1 s0_1 + 1 s0_2 - 1 a0_0_0 = 0
 flow1_0: + 1 s1_0 + 1 a1_0_1 = 1
 flow1_1: - 1 s1_0 + 1 s1_1 = 0
 use0_0_0: - 1 x0 + 1 a0_0_0 <= 0
 use0_1_1: - 1 x1 + 1 a0_1_1 <= 0
 use1_1_0: - 1 x1 + 1 a1_0_1 <= 0
Bounds
 0 <= x0 <= 1
 0 <= x1 <= 1
 0 <= s0_0 <= 1
 0 <= s0_1 <= 1
 0 <= s0_2 <= 1
 0 <= s1_0 <= 1
 0 <= s1_1 <= 1
 0 <= a0_0_0 <= 1
 0 <= a0_1_1 <= 1
 0 <= a1_0_1 <= 1
Generals
 x0
 x1
End
"""

MPS = """* partcover: wmc, max, tokens
* word 0 is aab
* word 1 is ab
* x0 is token aa
* x1 is token ab
NAME wmc FREE
OBJSENSE
    MAX
ROWS
 N  obj
 L  budget
 L  cover0_0
 L  cover0_1
 L  cover1_0
COLUMNS
    M0  'MARKER'  'INTORG'
    x0  budget  1
    x0  cover0_0  -1
    x1  budget  1
    x1  cover0_1  -1
    x1  cover1_0  -1
    M2  'MARKER'  'INTEND'
    m0_0  obj  2
    m0_0  cover0_0  1
    m0_1  obj  2
    m0_1  cover0_1  1
    m1_0  obj  1
    m1_0  cover1_0  1
RHS
    rhs  budget  1
BOUNDS
 LO bnd  x0  0
 UP bnd  x0  1
 LO bnd  x1  0
 UP bnd  x1  1
 LO bnd  m0_0  0
 UP bnd  m0_0  1
 LO bnd  m0_1  0
 UP bnd  m0_1  1
 LO bnd  m1_0  0
 UP bnd  m1_0  1
ENDATA
"""


def test_byte_exact(tmp_path):
    write_model(build(SMALL), tmp_path / "model.lp")
    assert (tmp_path / "model.lp").read_text() == LP
    write_model(build(SMALL, "wmc"), tmp_path / "model.mps")
    assert (tmp_path / "model.mps").read_text() == MPS


def optimum_by_ortools(mps: str) -> float:
    """What SCIP finds for an MPS file that OR-Tools reads (it does not know FREE)."""
    mbh = pytest.importorskip("ortools.linear_solver.python.model_builder_helper")
    helper = mbh.ModelBuilderHelper()
    assert helper.import_from_mps_string(mps.replace(" FREE\n", "\n", 1))
    solver = mbh.ModelSolverHelper("scip")
    solver.solve(helper)
    return solver.objective_value()


def optimum_by_cbc(lp: str, folder: Path) -> float:
    """What CBC finds for an LP file that it reads."""
    (folder / "model.lp").write_text(lp)
    command = [cbc_program(), "model.lp", "-solve", "-solution", "answer.sol"]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    head = (folder / "answer.sol").read_text().splitlines()[0]
    assert head.startswith("Optimal")
    return float(head.split()[-1])


@tries(40)
@given(instances())
def test_other_programs_read_the_same_problem(tmp_path_factory, instance):
    folder = tmp_path_factory.mktemp("model")
    fewest = fewest_tokens(instance)
    for name, goal, best in (
        ("path", "tokens", fewest),
        ("path", "size", fewest_chosen(instance, fewest)),
        ("wmc", "tokens", most_relaxed_cover(instance)),
    ):
        model = build(replace(instance, threshold=fewest), name, goal=goal)
        if len(model.columns):  # a file without any entry is refused by some readers
            assert optimum_by_ortools("".join(mps_lines(model))) == pytest.approx(best)
            # CBC minimises whatever an LP file says and reports the negated optimum
            optimum = optimum_by_cbc("".join(lp_lines(model)), folder)
            assert abs(optimum) == pytest.approx(best)


SOLUTIONS = {  # the same answer as CBC, SCIP, HiGHS and Gurobi write it
    "cbc": """Optimal - objective value 7.00000000
      0 x0                     0                       0
      1 x1                     1                       0
**    2 s0_0                   1                       2
      8 a0_1_1                 1                       0
      9 a1_0_1                 1                       0
""",
    "scip": """solution status: optimal solution found
objective value:                                    5
x1                                                  1 \t(obj:0)
s0_0                                                1 \t(obj:2)
a0_1_1                                              1 \t(obj:2)
a1_0_1                                              1 \t(obj:1)
""",
    "highs": """Model status
Optimal

# Primal solution values
Feasible
Objective 5
# Columns 10
x0 0
x1 1
s0_0 1
a0_1_1 1
a1_0_1 1
# Rows 9
budget 1
use0_1_1 0

# Dual solution values
None
""",
    "gurobi": """# Solution for model path
# Objective value = 5
x0 0
x1 1
s0_0 1
a0_1_1 1
a1_0_1 1
""",
}


@pytest.mark.parametrize("form", SOLUTIONS)
def test_solutions_of_other_programs(tmp_path, form):
    (tmp_path / "answer.sol").write_text(SOLUTIONS[form])
    model = build(SMALL)
    values, duals = read_solution(model, tmp_path / "answer.sol")
    assert model.chosen(values) == [b"ab"]
    assert model.violation(values) == 0
    assert duals is None or form == "cbc"


@tries(30)
@given(instances(), st.sampled_from(list(FORMULATIONS)))
def test_what_cbc_writes_is_read(tmp_path_factory, instance, name):
    pytest.importorskip("pulp")
    folder = tmp_path_factory.mktemp("model")
    model = build(instance, name, sense="min")
    if not len(model.columns):
        return
    write_model(model, folder / "model.mps")
    command = [cbc_program(), "model.mps", "-solve", "-printingOptions", "all", "-solution"]
    subprocess.run([*command, "answer.sol"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    head = read_head(folder / "model.mps")
    assert head == (name, "min", "tokens", not model.integer.any())
    check_model(build(instance, head.formulation, sense=head.sense), folder / "model.mps")
    values, duals = read_solution(model, folder / "answer.sol")
    assert model.violation(values) < 1e-5
    assert duals is not None
    if name in EXACT:
        assert cost(instance, [*instance.fixed, *model.chosen(values)]) == fewest_tokens(instance)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x7 1\n", r"answer.sol:1: the model has no variable 'x7': is it the solution of an"),
        ("x0 1\nx1 one\n", r"answer.sol:2: 'x1 one' is not a name and a value"),
        ("x0\n", r"answer.sol:1: 'x0' is not a name and a value"),
        ("x0 1_0\n", r"answer.sol:1: 'x0 1_0' is not a name and a value"),
        ("x0 ٣\n", r"answer.sol:1: 'x0 ٣' is not a name and a value"),
        ("x0 nan\n", r"answer.sol:1: 'x0 nan' is not a name and a value"),
        ("x0 1\nx1 inf\n", r"answer.sol:2: 'x1 inf' is not a name and a value"),
    ],
)
def test_bad_solutions(tmp_path, text, message):
    (tmp_path / "answer.sol").write_text(text)
    with pytest.raises(InputError, match=message):
        read_solution(build(SMALL), tmp_path / "answer.sol")


def test_models_that_are_not_ours(tmp_path):
    (tmp_path / "other.mps").write_text("NAME other\nROWS\n")
    with pytest.raises(InputError, match=r"other.mps:1: not a model that partcover wrote"):
        read_head(tmp_path / "other.mps")
    with pytest.raises(InputError, match=r"none.mps: cannot be read"):
        read_head(tmp_path / "none.mps")
    write_model(build(SMALL), tmp_path / "model.mps")
    check_model(build(SMALL), tmp_path / "model.mps")
    with pytest.raises(InputError, match=r"model.mps:\d+: not the model of this instance"):
        check_model(build(SMALL.with_k(2)), tmp_path / "model.mps")
    text = (tmp_path / "model.mps").read_text()
    (tmp_path / "model.mps").write_text(text[: len(text) // 2])
    with pytest.raises(InputError, match=r"model.mps:\d+: not the model of this instance"):
        check_model(build(SMALL), tmp_path / "model.mps")


@pytest.mark.parametrize("ending", ["mps", "lp"])
def test_words_with_ends_of_lines(tmp_path, ending):
    words = {"a\u2028b": 1, "a\x0cb": 1, "a\x85b": 1, "a\r\nb": 1}
    model = build(Instance(WordCounts.from_counts(words, "chars"), 1))
    write_model(model, tmp_path / f"model.{ending}")
    check_model(model, tmp_path / f"model.{ending}")


def test_bad_ending(tmp_path):
    with pytest.raises(InputError, match=r"a model file must end in \.mps or"):
        write_model(build(SMALL), tmp_path / "model.txt")
    assert not list(tmp_path.iterdir())
