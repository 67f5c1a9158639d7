"""`solve` without a solver named: branch and cut, with a certificate of what it says."""

from __future__ import annotations

import _thread
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from shared.generated import generated_instance
from shared.generated_text import generated_words
from shared.listener import Listener
from shared.properties import tries
from shared.strategies import instances

from partcover import (
    Certificate,
    EventLog,
    GroupBudget,
    InputError,
    Instance,
    VerificationError,
    Vocabulary,
    WordCounts,
    check_certificate,
    reduce_vertex_cover,
    solve,
    verify,
)
from partcover.instances.library import entry
from partcover.problem.certificates.nodes import Branch

SMALL = Instance({"banana": 2, "bandana": 1}, 1)

large_counts = st.dictionaries(
    st.text("abcd", min_size=1, max_size=6),
    st.sampled_from([1, 2, 9, 10**6, 10**7, 10**9]),
    min_size=1,
    max_size=3,
).map(lambda words: Instance(words, 1))


@pytest.mark.usefixtures("few_rounds")
@tries(120)
@given(instances() | large_counts | st.integers(0, 2**31).map(generated_instance))
@example(Instance({"daa": 2, "dadbdc": 10_000_000}, 1))
@example(generated_instance(18880))  # groups and counts of 10^9, which tolerances leave open
@example(generated_instance(21740))
def test_proves_the_optimum(instance):
    solution = solve(instance)
    best = fewest_tokens(instance)
    assert (solution.tokens, solution.lower_bound, solution.status) == (best, best, "optimal")
    assert verify(instance, solution.vocabulary, claim=solution).ok
    checked = check_certificate(instance, solution.certificate)
    assert (checked.ok, checked.lower_bound) == (True, best)


def test_what_is_about_a_model_names_a_solver():
    pytest.importorskip("ortools")
    lines = []
    for options in ({"formulation": "occurrence"}, {"sense": "max"}, {"log": lines.append}):
        solution = solve(SMALL, **options)
        assert (solution.extra["solver"], solution.tokens) == ("highs", 9)
    assert lines


@pytest.mark.long
def test_a_book():
    instance = Instance(generated_words(1000), 50)
    log = EventLog()
    solution = solve(instance, time_limit=60, progress=log)
    assert solution.extra["solver"] == "branch and cut"
    assert solution.gap < 0.001
    assert solution.certificate.lower_bound == solution.lower_bound
    assert solution.extra["leaves"] >= 1
    assert (solution.method, solution.vocabulary.method) == ("solve", "solve")
    assert (log.events[-1].tokens, log.events[-1].lower_bound) == (
        solution.tokens,
        solution.lower_bound,
    )
    assert [event.seconds for event in log.events] == sorted(e.seconds for e in log.events)


@pytest.mark.long
def test_groups_are_kept_and_proven():
    instance = Instance(generated_words(60), 12)
    tight = solve(instance)
    longest = max(map(len, tight.vocabulary))
    limited = replace(instance, groups=(GroupBudget("long", 0, None, longest),))
    solution = solve(limited)
    assert solution.status == "optimal"
    assert solution.certificate.lower_bound == solution.tokens > tight.tokens
    assert all(len(token) < longest for token in solution.vocabulary)


@pytest.mark.parametrize("seconds", [0, 1e-3, 1e14, float("inf")])
@pytest.mark.parametrize("words", [{}, {"a": 4}, {"abc": 2, "bcd": 1}, {"abab": 2**40}])
@pytest.mark.parametrize("k", [0, 2, 10**6])
def test_ends_of_the_range(words, k, seconds):
    instance = Instance(WordCounts.from_counts(words), k)
    solution = solve(instance, time_limit=seconds)
    best = fewest_tokens(instance.with_k(min(k, 10)))
    assert solution.lower_bound <= best <= solution.tokens
    if seconds > 1:
        assert (solution.tokens, solution.status) == (best, "optimal")


def test_no_time_for_a_book():
    instance = Instance(generated_words(800), 60)
    solution = solve(instance, time_limit=0)
    assert (solution.status, solution.termination) == ("feasible", "time_limit")
    assert instance.words.total_count <= solution.lower_bound <= solution.tokens
    assert check_certificate(instance, solution.certificate).ok


@pytest.mark.long
def test_a_gap_is_enough():
    for instance in (Instance(generated_words(800), 60), entry("de-bruijn-5").instance):
        solution = solve(instance, gap=0.3, time_limit=20)
        assert solution.gap <= 0.3
        assert solution.termination in ("gap", "completed")


@pytest.mark.long
def test_the_same_for_any_number_of_threads():
    instance = Instance(generated_words(800), 60)
    one, two = (solve(instance, threads=threads) for threads in (1, 2))
    assert (one.tokens, one.lower_bound) == (two.tokens, two.lower_bound)
    assert one.vocabulary.tokens == two.vocabulary.tokens
    assert one.certificate.to_json() == two.certificate.to_json()
    assert (one.threads, two.threads) == (1, 2)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["phase", "incumbent", "bound"])
def test_ctrl_c_keeps_the_best_so_far(kind):
    interrupted = []

    def progress(event):
        if event.kind == kind and not interrupted:
            interrupted.append(event)
            _thread.interrupt_main()

    for instance in (Instance(generated_words(800), 60), entry("de-bruijn-5").instance):
        interrupted.clear()
        solution = solve(instance, time_limit=600, progress=Listener(event=progress))
        assert interrupted
        assert solution.termination == "interrupted"
        assert instance.words.total_count <= solution.lower_bound <= solution.tokens
        assert verify(instance, solution.vocabulary, claim=solution).ok


@pytest.mark.long
def test_goes_on_from_a_checkpoint():
    instance = entry("petersen-less").instance
    saved = []
    first = solve(instance, time_limit=1, checkpoint=saved.append)
    assert saved
    last = saved[0]
    assert last.method == "solve"
    certificate = Certificate.from_json(last.certificate.to_json())
    assert check_certificate(instance, certificate).ok
    again = solve(
        instance, warm_start=last.vocabulary, start_certificate=certificate, time_limit=0.5
    )
    assert again.tokens <= last.tokens
    assert again.certificate.lower_bound >= last.certificate.lower_bound
    assert first.lower_bound >= last.lower_bound


def test_a_start_of_another_instance_is_refused():
    certificate = solve(SMALL.with_k(2)).certificate
    with pytest.raises(VerificationError, match="the certificate is for k = 2, but k is 1"):
        solve(SMALL, start_certificate=certificate)
    other = Instance({"banana": 3}, 1)
    with pytest.raises(VerificationError, match="other words or counts"):
        solve(other, start_certificate=certificate)
    with pytest.raises(
        InputError, match="the start is not a vocabulary of this instance: 2 tokens"
    ):
        solve(SMALL, warm_start=Vocabulary([b"ba", b"na"]))


@pytest.mark.long
def test_a_proof_that_meets_the_start_leaves_nothing_to_do():
    solution = solve(entry("html5-200").instance)
    again = solve(
        entry("html5-200").instance,
        warm_start=solution.vocabulary,
        start_certificate=solution.certificate,
        time_limit=0,
    )
    assert (again.tokens, again.status, again.termination) == (980, "optimal", "completed")
    assert again.certificate.lower_bound == 980


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_branches_where_the_relaxation_is_loose(k):
    """Vertex covers of Petersen's graph: 6 vertices are needed, the relaxation takes halves."""
    nx = pytest.importorskip("networkx")
    instance = reduce_vertex_cover(nx.petersen_graph(), k).instance
    solution = solve(instance)
    assert solution.certificate.lower_bound == solution.tokens
    assert solution.extra["meets_threshold"] is (k >= 6)
    assert check_certificate(instance, solution.certificate).ok
    if k == 5:
        assert any(isinstance(node, Branch) for node in solution.certificate.tree)


def test_nothing_to_choose():
    for words, k in ((["a", "b"], 3), (["ab", "ba"], 0), ([], 2)):
        solution = solve(Instance(WordCounts.from_words(words), k))
        assert solution.certificate.lower_bound == solution.tokens
