"""Every formulation and solver against brute force, and on the paper's words."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens, most_relaxed_cover
from shared.listener import Listener
from shared.properties import tries
from shared.strategies import instances

from partcover import (
    InputError,
    Instance,
    VerificationError,
    Vocabulary,
    WordCounts,
    decide,
    greedtok,
    relax,
    solve,
    verify,
)
from partcover.errors import MissingExtra
from partcover.exact import infeasibility as conflicts
from partcover.exact import relax as relaxing
from partcover.exact import solver_run as exact
from partcover.exact.formulations import build as formulation
from partcover.exact.infeasibility import conflict
from partcover.exact.solver_io import SolverOptions, SolverReport
from partcover.exact.solvers import mathopt
from partcover.exact.solvers import registry as solvers
from partcover.exact.solvers.interruptible import in_thread
from partcover.runtime.limits import RunLimits
from partcover.runtime.processes.threads import left_behind

SOLVERS = ["highs", "scip", "cp-sat", "cbc"]
INSTANCES = Path(__file__).parents[2] / "instances"


def check(instance: Instance, solver: str) -> None:
    solution = solve(instance, solver=solver)
    best = fewest_tokens(instance)
    assert (solution.tokens, solution.lower_bound, solution.status) == (best, best, "optimal")
    assert solution.gap == 0
    assert len(solution.vocabulary) <= instance.k
    relaxed = solve(instance, solver=solver, formulation="wmc")
    assert relaxed.extra["relaxed_cover"] == most_relaxed_cover(instance)
    assert relaxed.lower_bound <= best <= relaxed.tokens


@pytest.mark.long
@tries(120)
@given(instances())
def test_highs_is_brute_force(instance):
    check(instance, "highs")


@pytest.mark.parametrize("solver", ["scip", "cp-sat", "cbc"])
@tries(40)
@given(instances())
def test_other_solvers_are_brute_force(solver, instance):
    check(instance, solver)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("words", "k", "cover"),
    [
        # the true optima of the cases where the printed equations differ (all substrings)
        (["aaa"], 1, 2),
        (["aaaaa"], 1, 4),
        (["ayaya"], 1, 4),
        (["ababa"], 1, 4),
        (["abcdef"], 1, 5),
    ],
)
def test_one_word_is_one_token(solver, words, k, cover):
    solution = solve(Instance(WordCounts.from_words(words), k), solver=solver)
    assert solution.cover == cover
    assert solution.status == "optimal"


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_papers_words(solver):
    def optimum(words, k, **options):
        solution = solve(Instance(WordCounts.from_words(words), k, **options), solver=solver)
        assert solution.status == "optimal"
        return solution.tokens

    assert optimum(["abd", "abc"], 1) == 4
    words = ["random", "randose", "rosey", "randy"]
    # rand, ose: rand·o·m  rand·ose  r·ose·y  rand·y
    assert optimum(words, 2, candidates=["rand", "ose", "om", "ran", "ros"]) == 10
    assert optimum(["papaya", "impact"], 2) == fewest_tokens(
        Instance(WordCounts.from_words(["papaya", "impact"]), 2)
    )
    scaredy = ["care", "edy", "scar", "scared", "dy"]
    assert [optimum(["scaredy"], k, candidates=scaredy) for k in range(4)] == [7, 2, 2, 2]


@tries(120)
@given(instances(), st.sampled_from(["path", "wmc"]))
def test_the_model_holds_what_it_says(instance, name):
    model = formulation.build(instance, name)
    rows, columns = model.shape
    assert len(model.starts) == rows + 1
    assert model.starts[-1] == len(model.columns) == len(model.values)
    assert all(
        np.all(np.diff(model.columns[a:b]) > 0) for a, b in pairwise(model.starts.tolist())
    ), "columns ascend, none twice"
    assert model.columns.max(initial=0) < max(columns, 1)
    assert set(instance.fixed) == {
        t for t, low in zip(model.tokens, model.lower, strict=False) if low == 1
    }
    # a vocabulary with its segmentation is feasible: checked through GreedTok's tokens
    chosen = set(greedtok(instance).vocabulary)
    x = np.array([token in chosen for token in model.tokens], float)
    assert x.sum() <= instance.k
    assert model.chosen(x) == [token for token in model.tokens if token in chosen]


@pytest.mark.long
def test_a_model_of_a_million_entries_is_built():
    rng = np.random.default_rng(5)
    words = {bytes(rng.integers(97, 105, 14).tolist()): 1 for _ in range(4000)}
    model = formulation.build(Instance(WordCounts.from_counts(words), 100))
    assert len(model.values) > 500_000


def test_no_words_and_no_budget():
    empty = solve(Instance(WordCounts.from_counts({}), 3))
    assert (empty.tokens, empty.status, empty.gap) == (0, "optimal", 0)
    single = solve(Instance(WordCounts.from_counts({"a": 4}), 3))
    assert (single.tokens, single.status) == (4, "optimal")
    nothing = solve(Instance(WordCounts.from_counts({"abc": 2}), 0))
    assert (nothing.tokens, nothing.status) == (6, "optimal")
    plenty = solve(Instance(WordCounts.from_counts({"abc": 2, "bcd": 1}), 99))
    assert (plenty.tokens, plenty.status) == (3, "optimal")


@pytest.mark.long
@pytest.mark.parametrize("solver", SOLVERS)
def test_time_limit_gives_the_best_so_far(solver):
    rng = np.random.default_rng(7)
    words = {bytes(rng.integers(97, 100, 12).tolist()): int(rng.integers(1, 99)) for _ in range(90)}
    instance = Instance(WordCounts.from_counts(words), 30)
    solution = solve(instance, solver=solver, time_limit=0.3)
    assert solution.status == "feasible"
    assert solution.termination == "time_limit"
    assert solution.tokens <= greedtok(instance).extra["tokens_shortest_path"]
    assert instance.words.total_count <= solution.lower_bound < solution.tokens
    none = solve(instance, solver=solver, time_limit=0.0)
    assert (none.status, none.termination) == ("feasible", "time_limit")


def test_the_relaxed_cover_is_that_of_the_vocabulary():
    words = {"abcab": 3, "bcabc": 2, "cabca": 2, "ababc": 1}
    instance = Instance(WordCounts.from_counts(words), 3)
    solution = solve(instance, formulation="wmc")
    assert verify(instance, solution.vocabulary).relaxed_cover == solution.extra["relaxed_cover"]
    assert solution.extra["relaxed_cover"] == most_relaxed_cover(instance)


def test_ctrl_c_outside_the_solver(monkeypatch):
    pytest.importorskip("ortools")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(exact, "build", interrupted)
    instance = Instance(WordCounts.from_counts({"abab": 3, "ba": 1}), 1)
    solution = solve(instance, solver="highs")
    assert (solution.status, solution.termination) == ("feasible", "interrupted")


def test_a_model_that_cannot_be_built_in_time_is_not_begun(monkeypatch):
    for module in (exact, relaxing):
        monkeypatch.setattr(module, "building_seconds", lambda *_: 60.0)
        monkeypatch.setattr(module, "build", None)
    instance = Instance(WordCounts.from_counts({"abab": 3, "ba": 1}), 1)
    solution = solve(instance, solver="highs", time_limit=30)
    assert (solution.status, solution.termination) == ("feasible", "time_limit")
    relaxation = relax(instance, time_limit=30)
    assert (relaxation.tokens, relaxation.model, relaxation.termination) == (
        None,
        None,
        "time_limit",
    )


@pytest.mark.long
def test_a_solver_that_overruns_is_left_behind(monkeypatch):
    model = formulation.build(Instance(WordCounts.from_counts({"abab": 3}), 1))
    stop = threading.Event()
    monkeypatch.setattr(mathopt, "to_proto", lambda *_: stop.wait())
    report = solvers.run(model, "highs", SolverOptions(RunLimits(time_limit=0.1)))
    assert (report.has, report.stopped) == ("none", "time_limit")
    assert left_behind()
    stop.set()


@pytest.mark.parametrize("seconds", [1e14, float("inf")])
@pytest.mark.parametrize("solver", SOLVERS)
def test_an_endless_time_limit(solver, seconds):
    instance = Instance(WordCounts.from_counts({"abab": 3}), 1)
    assert solve(instance, solver=solver, time_limit=seconds).status == "optimal"


@pytest.mark.long
def test_gap_stops_early():
    rng = np.random.default_rng(7)
    words = {bytes(rng.integers(97, 100, 8).tolist()): int(rng.integers(1, 99)) for _ in range(20)}
    solution = solve(Instance(WordCounts.from_counts(words), 6), gap=0.2, time_limit=60)
    assert solution.gap <= 0.2
    assert solution.termination in ("gap", "completed")


def test_decide():
    instance = Instance(WordCounts.from_counts({"abab": 2, "ba": 1}), 1)
    best = fewest_tokens(instance)
    assert decide(instance, best)[0] is True
    no, solution = decide(instance, best - 1)
    assert (no, solution.extra["solver"]) == (False, "highs")  # nothing is counted after it
    with pytest.raises(InputError, match="the threshold is missing"):
        decide(instance)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "gurobi"}, "unknown solver 'gurobi': use highs, scip, cp-sat, cbc, glop, pdlp"),
        ({"formulation": "flow"}, "unknown formulation 'flow': use path, occurrence, printed, wmc"),
        ({"time_limit": -1}, "time_limit is -1: it must be a number of at least 0"),
        ({"time_limit": float("nan")}, "time_limit is nan"),
        ({"gap": 1.5}, r"gap is 1\.5: it must be a number from"),
        ({"seed": -1}, "seed is -1: it must be a whole number from 0 to 2,147"),
        ({"seed": 2**31}, "seed is 2147483648: it must be a whole"),
        ({"threads": 0}, "threads is 0: it must be a whole number"),
        ({"solver": "gurobi", "time_limit": 0}, "unknown solver 'gurobi'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        solve(Instance(WordCounts.from_counts({"ab": 1}), 1), **options)


def test_a_solver_that_is_not_installed(monkeypatch):
    monkeypatch.setattr(solvers, "find_spec", lambda name: None if name == "pulp" else object())
    needs = (
        r"the solver cbc needs 'pulp', which is not installed: pip install 'partcover\[solvers\]'"
    )
    with pytest.raises(MissingExtra, match=needs):
        solve(Instance(WordCounts.from_counts({"ab": 1}), 1), solver="cbc")


def test_without_any_solver_branch_and_cut_has_it_all(monkeypatch):
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    words = WordCounts.from_counts({"banana": 2, "bandana": 1, "ananas": 3})
    solution = solve(Instance(words, 2))
    assert (solution.status, solution.extra["solver"]) == ("optimal", "branch and cut")
    monkeypatch.undo()
    assert solution.tokens == solve(Instance(words, 2), solver="highs").tokens


@pytest.mark.parametrize(
    ("report", "message"),
    [
        (SolverReport("optimal", "completed", None, 10.0), "claims that 10 tokens are needed"),
        (SolverReport("infeasible", "completed"), "finds no vocabulary, but GreedTok's is one"),
    ],
)
def test_a_solver_that_lies_is_found_out(monkeypatch, report, message):
    pytest.importorskip("ortools")
    monkeypatch.setattr(exact, "run", lambda *_: report)
    with pytest.raises(VerificationError, match=message):
        solve(Instance(WordCounts.from_counts({"abab": 3, "cdc": 1}), 1), solver="highs")


def test_a_false_objective_is_found_out(monkeypatch):
    pytest.importorskip("ortools")
    instance = Instance(WordCounts.from_counts({"abab": 3, "cdc": 1}), 1)
    model = formulation.build(instance)
    zeros = SolverReport("optimal", "completed", np.zeros(len(model.objective)), 3.0)
    monkeypatch.setattr(exact, "run", lambda *_: zeros)
    with pytest.raises(VerificationError, match="claims 0 tokens, but its vocabulary needs"):
        solve(instance, solver="highs")


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("solver", SOLVERS)
def test_ctrl_c_keeps_the_best_so_far(solver):
    pytest.importorskip("pulp" if solver == "cbc" else "ortools")
    impatient = ""
    if solver == "cbc":  # hands nothing over so early
        impatient = "from partcover.exact.solvers import cbc; cbc.PATIENCE = 0.2"
    code = f"""
        import numpy as np
        from partcover import Instance, WordCounts, solve
        {impatient}
        rng = np.random.default_rng(7)
        words = {{bytes(rng.integers(97, 100, 12).tolist()): 5 + i for i in range(120)}}
        instance = Instance(WordCounts.from_counts(words), 40)
        instance.index
        log = lambda line: print("log", flush=True)
        solution = solve(instance, solver="{solver}", log=log)
        holds = solution.tokens >= solution.lower_bound
        # in one piece: the solver may be amid a line of its log
        print(f"{{solution.status}} {{solution.termination}} {{holds}}\\n", end="")
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout.readline() == "log\n"
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=600)
        finally:
            process.kill()
    assert "feasible interrupted True" in out.splitlines()[-1]


@pytest.mark.long
@pytest.mark.parametrize("solver", ["highs", "cp-sat", "cbc"])
def test_ctrl_c_keeps_what_the_solver_found(solver, monkeypatch):
    for module in ("mathopt", "cbc"):
        monkeypatch.setattr(f"partcover.exact.solvers.{module}.PATIENCE", 600)
    instance = Instance.load(INSTANCES / "de-bruijn-5.json")
    greedy = greedtok(instance).extra["tokens_shortest_path"]
    incumbents = []

    def progress(event):
        if event.kind == "incumbent" and event.tokens < greedy and not incumbents:
            incumbents.append(event.tokens)
            _thread.interrupt_main()  # once: a second one ends the wait for the answer

    solution = solve(instance, solver=solver, time_limit=600, progress=Listener(event=progress))
    assert solution.termination == "interrupted"
    assert solution.tokens <= incumbents[0] < greedy


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", None),
        ("Objective 2\n# Columns -2\n 1 0\n 1", None),
        ("Objective 2\n# Columns -2\n 1 0\n 1 3", None),
        ("Objective 2\n# Columns -2\n 1 0\n 0.5 3\n", [1, 0, 0, 0.5]),
        ("Objective 0\n# Columns -0\n", [0, 0, 0, 0]),
        ("Objective 2\n# Columns -1\n 1 0\nObjective 1\n# Columns -1\n 1 2\n", [0, 0, 1, 0]),
        ("Objective 2\n# Columns -1\n 1 0\nObjective 1\n# Columns -2\n 1 2\n", [1, 0, 0, 0]),
        ("Objective 2\n# Columns -1\n 1 0\nObjective 1\n# Col", [1, 0, 0, 0]),
    ],
)
def test_the_last_whole_solution_that_highs_wrote(text, values):
    last = mathopt.last_solution(text, 4)
    assert values == (None if last is None else last.tolist())


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("solver", SOLVERS)
def test_ctrl_c_is_not_lost_in_an_import(solver):
    pytest.importorskip("pulp" if solver == "cbc" else "ortools")
    code = f"""
        import os, signal, sys, time
        from partcover import Instance, WordCounts, solve

        class Finder:
            # takes Ctrl-C in, as callbacks of Python's own import now and then do
            def find_spec(name, *_):
                if name in ("ortools.math_opt", "pulp.apis"):
                    sys.meta_path.remove(Finder)
                    try:
                        os.kill(os.getpid(), signal.SIGINT)
                        time.sleep(0.2)
                    except KeyboardInterrupt:
                        pass

        sys.meta_path.insert(0, Finder)
        instance = Instance(WordCounts.from_counts({{"abab": 3, "ba": 1}}), 1)
        print(solve(instance, solver="{solver}").termination)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "interrupted\n"


def test_ctrl_c_is_told_of_an_optimum_too():
    def work():
        time.sleep(0.2)  # not while the thread is being started
        _thread.interrupt_main()
        time.sleep(0.2)
        return SolverReport("optimal", "completed")

    report = in_thread(work, lambda: None, patience=5.0, time_limit=None)
    assert (report.has, report.stopped) == ("optimal", "interrupted")


def test_ctrl_c_while_a_start_is_completed(monkeypatch):
    pytest.importorskip("ortools")
    runs = []

    def run(model, solver, options):
        runs.append(solver)
        return SolverReport("none", "interrupted")

    monkeypatch.setattr(solvers, "run", run)
    monkeypatch.setattr(exact, "run", run)
    instance = Instance(WordCounts.from_counts({"abab": 3, "ba": 1}), 1)
    solution = solve(instance, solver="highs", warm_start=Vocabulary([b"ba"], "bytes"))
    assert (solution.termination, runs) == ("interrupted", ["glop"])


def test_ctrl_c_ends_the_search_for_conflicts(monkeypatch):
    instance = Instance(WordCounts.from_counts({"abcd": 3, "xy": 1}), 1, threshold=4)
    assert conflict(instance)
    open_ = replace(decide(instance)[1], termination="interrupted")
    monkeypatch.setattr(conflicts, "decide", lambda *_, **__: (None, open_))
    with pytest.raises(KeyboardInterrupt):
        conflict(instance)
