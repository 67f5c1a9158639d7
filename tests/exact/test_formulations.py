"""Every formulation, sense and goal against brute force and each other."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.brute_force import cost, fewest_chosen, fewest_tokens, most_relaxed_cover
from oracles.printed import KNOWN, printed_cover
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
    lower_bound,
    solve,
)
from partcover.exact.decide import smallest
from partcover.exact.formulations import build as formulation
from partcover.exact.infeasibility import conflict
from partcover.exact.relax import relax
from partcover.exact.solver_io import SolverOptions
from partcover.exact.solvers.registry import SOLVERS, complete, run
from partcover.problem.group_budget import GroupBudget
from partcover.runtime.limits import RunLimits
from partcover.runtime.progress import EventLog


def optimum(instance: Instance, name: str, sense, solver: str = "highs") -> int:
    """The cover of a model's optimum."""
    model = formulation.build(instance, name, sense=sense)
    report = run(model, solver, SolverOptions())
    assert report.has == "optimal"
    assert model.violation(report.values) < 1e-5
    value = round(float(model.objective @ report.values))
    return value if model.maximize else instance.words.total_symbols - value


@pytest.mark.parametrize(("words", "k", "printed", "true"), KNOWN)
@pytest.mark.parametrize("sense", ["min", "max"])
def test_where_the_printed_equations_differ(words, k, printed, true, sense):
    instance = Instance(WordCounts.from_words(words), k)
    assert optimum(instance, "printed", sense) == printed
    assert optimum(instance, "path", sense) == true
    assert optimum(instance, "occurrence", sense) == true
    assert instance.words.total_symbols - fewest_tokens(instance) == true


@tries(60)
@given(instances(), st.sampled_from(["min", "max", None]))
def test_formulations_and_brute_force_agree(instance, sense):
    total, best = instance.words.total_symbols, fewest_tokens(instance)
    assert optimum(instance, "path", sense) == total - best
    assert optimum(instance, "occurrence", sense) == total - best
    assert optimum(instance, "wmc", sense) == most_relaxed_cover(instance)


@tries(40)
@given(instances(), st.sampled_from(["min", "max"]))
def test_printed_is_what_is_printed(instance, sense):
    assume(instance.symbols == "bytes")
    assert optimum(instance, "printed", sense) == printed_cover(instance)


@pytest.mark.slow
@pytest.mark.parametrize("solver", [name for name, s in SOLVERS.items() if s.integers])
@pytest.mark.parametrize("sense", ["min", "max"])
@tries(700)
@given(instances())
def test_the_whole_matrix(solver, sense, instance):
    total, best = instance.words.total_symbols, fewest_tokens(instance)
    for name in formulation.EXACT:
        assert optimum(instance, name, sense, solver) == total - best
        assert solve(instance, solver=solver, formulation=name, sense=sense).tokens == best
    assert optimum(instance, "wmc", sense, solver) == most_relaxed_cover(instance)
    if instance.symbols == "bytes":
        assert optimum(instance, "printed", sense, solver) == printed_cover(instance)
    threshold = best + 1
    assert decide(instance, best, solver=solver)[0] is True
    assert decide(instance, best - 1, solver=solver)[0] is False
    size = smallest(instance, threshold, solver=solver).extra["size"]
    assert size == fewest_chosen(instance, threshold)


@pytest.mark.long
@tries(60)
@given(
    instances(),
    st.sampled_from([name for name in SOLVERS if SOLVERS[name].linear]),
    st.sampled_from(["min", "max"]),
)
def test_relaxations_are_in_order(instance, solver, sense):
    value = {name: relax(instance, name, solver=solver).tokens for name in formulation.FORMULATIONS}
    slack = 1e-4 * max(1, value["path"])
    best = fewest_tokens(instance)
    assert value["path"] <= best + slack
    assert value["occurrence"] <= value["path"] + slack  # path bounds a token's arcs together
    relaxed = instance.words.total_symbols - most_relaxed_cover(instance)
    assert value["wmc"] <= relaxed + slack
    for name in ("path", "wmc"):
        other = relax(instance, name, solver=solver, sense=sense).tokens
        assert other == pytest.approx(value[name], abs=slack)


@tries(60)
@given(instances(), st.integers(-2, 3), st.sampled_from(formulation.EXACT))
def test_goals_are_brute_force(instance, more, name):
    best = fewest_tokens(instance)
    threshold = best + more
    answer, solution = decide(instance, threshold, formulation=name)
    assert answer is (more >= 0)
    assert solution.extra["meets_threshold"] is answer
    assert solution.lower_bound <= best <= solution.tokens
    result = smallest(instance, threshold, formulation=name)
    size = fewest_chosen(instance, threshold)
    assert result.extra["size"] == size
    assert result.status == ("infeasible" if size is None else "optimal")
    assert result.extra["solver"] == "highs"  # nothing has to be counted after it
    if size is not None:
        assert result.tokens <= threshold
        assert cost(instance, result.vocabulary) == result.tokens


@tries(40)
@given(instances(), st.integers(1, 3))
def test_conflicts_are_irreducible(instance, less):
    best = fewest_tokens(instance)
    infeasible = Instance(**{**vars_of(instance), "threshold": best - less})
    reasons = conflict(infeasible)
    assert reasons[0].startswith(f"at most {best - less:,} tokens")
    assert len(reasons) >= 2
    assert conflict(Instance(**{**vars_of(instance), "threshold": best})) == []


def vars_of(instance: Instance) -> dict:
    return {key: getattr(instance, key) for key in instance.__dataclass_fields__}


def test_a_conflict_names_what_conflicts():
    words = WordCounts.from_counts({"abcd": 3, "abce": 2, "xy": 1})
    group = GroupBudget("long", 1, None, 4)
    instance = Instance(words, 3, groups=(group,), forbidden=("zz",), threshold=6)
    assert conflict(instance) == [
        "at most 6 tokens needed",
        "at most 1 tokens of group 'long'",
    ]
    assert conflict(Instance(words, 2, threshold=6)) == [
        "at most 6 tokens needed",
        "at most 2 tokens chosen",
    ]
    assert conflict(Instance(words, 3, min_count=3, threshold=6)) == [
        "at most 6 tokens needed",
        "candidates with at least 3 occurrences",
    ]
    assert conflict(Instance({"ab": 1}, 3, required=["xy", "zz", "qq"], threshold=1)) == [
        "at most 1 tokens needed",
        "3 required tokens",
        "at most 3 tokens chosen",
    ]
    with pytest.raises(InputError, match="the threshold is missing: without one, every instance"):
        conflict(Instance(words, 3))
    assert conflict(Instance(words, 3, threshold=5))[1] == (
        "6 counted words, each of at least one token"
    )
    assert conflict(Instance(words, 3, protected=("ab",), threshold=6))[1] == (
        "11 counted words, split at the protected tokens, each of at least one token"
    )


@tries(100)
@given(instances(), st.sampled_from(list(formulation.FORMULATIONS)))
def test_names_are_unique_and_complete(instance, name):
    for goal in ("tokens", "size"):
        bounded = Instance(**{**vars_of(instance), "threshold": 5})
        model = formulation.build(bounded, name, goal=goal, sense="min")
        variables, rows = model.variable_names(), model.row_names()
        assert len(set(variables)) == len(variables) == model.shape[1]
        assert len(set(rows)) == len(rows) == model.shape[0]
        assert not set(rows) & set(variables)


@tries(60)
@given(instances(), st.sampled_from(list(formulation.FORMULATIONS)))
def test_the_estimate_is_no_overestimate(instance, name):
    model = formulation.build(instance, name)
    size = model.nonzeros + model.shape[1]
    estimate = formulation.entries(instance, name)
    assert estimate <= (4 * size if name == "printed" else size)


@pytest.mark.parametrize("name", list(formulation.FORMULATIONS))
def test_a_model_beyond_the_memory_is_refused(name, monkeypatch):
    monkeypatch.setattr("partcover.exact.sparse_model._BYTES_AN_ENTRY", 2**60)
    instance = Instance(WordCounts.from_counts({"abcabcabc": 3, "bcab": 1}), 2)
    with pytest.raises(InputError, match=rf"the {name} model would have about .* entries"):
        formulation.build(instance, name)


@pytest.mark.long
@pytest.mark.parametrize("solver", [name for name, s in SOLVERS.items() if s.start])
@pytest.mark.parametrize("name", list(formulation.FORMULATIONS))
def test_solvers_take_a_start(solver, name):
    words = {"abracadabra": 3, "cadabra": 2, "abrasive": 5, "braided": 1, "raided": 4, "dare": 2}
    instance = Instance(WordCounts.from_counts(words), 4)
    start = solve(instance.with_k(2)).vocabulary
    model = formulation.build(instance, name)
    values = complete(model, set(start))
    assert values is not None
    report = run(model, solver, SolverOptions(warm_start=values))
    assert report.start_taken is True
    assert report.has == "optimal"
    if name in formulation.EXACT:
        solution = solve(instance, solver=solver, formulation=name, warm_start=start)
        assert solution.extra["start_taken"] is True
        assert solution.tokens == solve(instance).tokens


def test_a_start_must_be_a_vocabulary_of_the_instance():
    instance = Instance(WordCounts.from_counts({"abab": 3}), 1)
    bad = solve(instance.with_k(2)).vocabulary.__class__(["ab", "aba"], "bytes")
    with pytest.raises(
        InputError, match="the start is not a vocabulary of this instance: 2 tokens"
    ):
        solve(instance, warm_start=bad)


def test_a_start_that_is_no_solution_of_the_printed_equations():
    instance = Instance({"aaaa": 1}, 2)
    start = Vocabulary(["aaaa", "aaa"])
    solution = solve(instance, solver="highs", formulation="printed", warm_start=start)
    assert solution.extra["start_taken"] is False


def test_a_solver_goes_on_from_a_certificate():
    instance = Instance({"abracadabra": 3, "cadabra": 2, "abrasive": 5, "braided": 1}, 3)
    best, some = solve(instance), lower_bound(instance, iterations=1).certificate
    assert some.lower_bound < best.tokens < greedtok(instance).extra["tokens_shortest_path"]
    log = EventLog()
    whole = solve(instance, solver="highs", start_certificate=best.certificate, progress=log)
    assert (whole.tokens, whole.lower_bound, whole.certificate) == (
        best.tokens, best.tokens, best.certificate
    )  # fmt: skip
    assert [(e.kind, e.lower_bound, e.source) for e in log.events][:2] == [
        ("incumbent", None, "greedtok"),
        ("bound", best.tokens, "start"),
    ]
    better = solve(instance, solver="highs", start_certificate=some)
    assert (better.lower_bound, better.certificate) == (best.tokens, None)
    # nothing is left to solve
    known = solve(instance, warm_start=best, solver="highs")
    assert (known.tokens, known.status, known.extra.get("rows")) == (best.tokens, "optimal", None)
    near = solve(instance, warm_start=best, solver="highs", start_certificate=some, gap=0.9)
    assert (near.lower_bound, near.status, near.termination) == (
        some.lower_bound, "feasible", "gap"
    )  # fmt: skip
    false = replace(best.certificate, lower_bound=best.tokens + 1)
    with pytest.raises(VerificationError, match="start from is not valid: lower bound"):
        solve(instance, solver="highs", start_certificate=false)


@pytest.mark.parametrize("solver", [name for name, s in SOLVERS.items() if s.integers])
@pytest.mark.parametrize("name", formulation.EXACT)
def test_events_close_in_on_the_optimum(solver, name):
    rng = np.random.default_rng(1)
    words = {bytes(rng.integers(97, 101, 8).tolist()): int(rng.integers(1, 99)) for _ in range(16)}
    instance = Instance(WordCounts.from_counts(words), 5)
    log = EventLog()
    solution = solve(instance, solver=solver, formulation=name, progress=log)
    events = log.events
    assert solution.status == "optimal"
    assert (events[0].kind, events[0].source) == ("incumbent", "greedtok")
    tokens = [event.tokens for event in events if event.kind == "incumbent"]
    bounds = [event.lower_bound for event in events if event.kind == "bound"]
    assert tokens == sorted(tokens, reverse=True)
    assert bounds == sorted(bounds)
    assert (tokens[-1], bounds[-1]) == (solution.tokens, solution.lower_bound)
    assert events[-1].gap == 0
    assert events[-1].to_json().keys() == {
        "event", "seconds", "tokens", "lower_bound", "gap", "source", "phase"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda i: formulation.build(i, "flow"), "unknown formulation 'flow': use path, occ"),
        (lambda i: formulation.build(i, sense="up"), "unknown sense 'up': use min or max"),
        (lambda i: formulation.build(i, goal="fun"), "unknown goal 'fun': use tokens, dec"),
        (lambda i: formulation.build(i, goal="size"), "goal 'size' needs a threshold"),
        (lambda i: solve(i, solver="glop"), "glop solves linear relaxations only: use highs, sc"),
        (lambda i: relax(i, solver="cp-sat"), "cp-sat solves integer programs only: use highs"),
        (lambda i: decide(i, 3, formulation="wmc"), "wmc is not equivalent to the problem: use"),
        (lambda i: smallest(i), "the threshold is missing"),
        (
            lambda i: run(
                formulation.build(i).relaxed(), "glop", SolverOptions(warm_start=np.zeros(9))
            ),
            "glop takes no start: use highs, scip, cp-sat, cbc",
        ),
    ],
)
def test_bad_requests(call, message):
    with pytest.raises(InputError, match=message):
        call(Instance(WordCounts.from_counts({"abab": 3}), 1))


@pytest.mark.parametrize("solver", list(SOLVERS))
def test_nothing_goes_to_standard_output(capfd, solver):
    instance = Instance(WordCounts.from_counts({"abcab": 3, "bcabc": 2, "cabca": 2}), 2)
    model = formulation.build(instance)
    run(
        model if SOLVERS[solver].integers else model.relaxed(),
        solver,
        SolverOptions(RunLimits(threads=2)),
    )
    ctypes.CDLL(None).fflush(None)  # what C still holds
    assert capfd.readouterr() == ("", "")
