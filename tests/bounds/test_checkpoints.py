"""Proofs that are stopped, saved and gone on with: same optimum, certificates that hold."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from oracles.brute_force import fewest_tokens
from shared.properties import tries
from shared.strategies import instance_of_cases, instances

from partcover import (
    Certificate,
    InputError,
    Instance,
    WordCounts,
    check_certificate,
    lower_bound,
)
from partcover.bounds.branch_and_cut import branch_and_cut
from partcover.problem.certificates.cuts import unpacked
from partcover.problem.certificates.nodes import Branch, Leaf
from partcover.runtime.progress import Progress

K, OPTIMUM = 3, 138


class StopAfter(Progress):
    """Raises what Ctrl-C raises at one of the reports."""

    def __init__(self, reports: int) -> None:
        self.left = reports

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

    def event(self, event) -> None:
        self._count()

    def advance(self, done, total, remark="") -> None:
        self._count()


def saved(certificate: Certificate, folder: Path) -> Certificate:
    certificate.save(folder / "P.cert")
    return Certificate.load(folder / "P.cert")


def check_optimal(instance: Instance, solution, optimum: int):
    assert (solution.tokens, solution.lower_bound, solution.status) == (optimum, optimum, "optimal")
    found = check_certificate(instance, solution.certificate)
    assert (found.ok, found.lower_bound) == (True, optimum)


def leaves(certificate: Certificate) -> int:
    return sum(isinstance(node, Leaf) for node in certificate.tree)


@pytest.fixture(scope="module")
def instance():
    """Three of its 24 reports come before the bound; those from the 20th on are of branches."""
    return instance_of_cases()


@pytest.fixture(scope="module")
def checkpoints(instance):
    """Solutions of all checkpoints of a run that is stopped again and again."""
    kept = []
    solution = None
    for reports in (4, 8, 13, 10, 11, 100):
        solution = branch_and_cut(
            instance, solution, progress=StopAfter(reports), checkpoint=kept.append
        )
    check_optimal(instance, solution, OPTIMUM)
    return kept


@pytest.mark.long
def test_each_checkpoint_is_valid_and_goes_on(instance, checkpoints, tmp_path):
    bounds = [solution.lower_bound for solution in checkpoints]
    assert bounds == sorted(bounds)
    for solution in checkpoints:
        found = check_certificate(instance, solution.certificate)
        assert found.ok
        assert found.lower_bound == solution.lower_bound
    for solution in checkpoints[:: max(1, len(checkpoints) // 4)]:
        proof = saved(solution.certificate, tmp_path)
        done = branch_and_cut(instance, solution.vocabulary, start_certificate=proof)
        check_optimal(instance, done, OPTIMUM)
        assert leaves(done.certificate) >= leaves(proof)


@pytest.mark.long
@pytest.mark.parametrize(
    ("reports", "threads"),
    [(2, 1), (3, 1), (8, 1), (13, 1), (17, 1), (21, 1), (22, 1), (3, 2), (13, 2), (22, 2)],
)
def test_an_interrupt_keeps_the_best(instance, reports, threads):
    kept = []
    solution = branch_and_cut(
        instance, threads=threads, progress=StopAfter(reports), checkpoint=kept.append
    )
    assert check_certificate(instance, solution.certificate).ok
    assert solution.lower_bound <= OPTIMUM <= solution.tokens
    assert solution.termination == "interrupted"
    assert kept[-1].lower_bound == solution.lower_bound
    assert kept[-1].tokens == solution.tokens
    check_optimal(instance, branch_and_cut(instance, solution, threads=threads), OPTIMUM)


@pytest.mark.long
def test_an_interrupt_in_a_checkpoint(instance):
    kept = []

    def stop(solution) -> None:
        kept.append(solution)
        if len(kept) == 1:
            raise KeyboardInterrupt

    solution = branch_and_cut(instance, checkpoint=stop)
    assert solution.termination == "interrupted"
    assert len(kept) == 2
    check_optimal(instance, branch_and_cut(instance, kept[-1]), OPTIMUM)


@pytest.mark.long
def test_an_error_in_a_checkpoint_loses_nothing(instance):
    def fail(solution) -> None:
        raise OSError("no space left")

    solution = branch_and_cut(instance, checkpoint=fail)
    check_optimal(instance, solution, OPTIMUM)
    assert solution.extra["checkpoint_error"] == "OSError: no space left"


@pytest.mark.long
def test_nothing_is_done_twice(instance):
    """A closed tree is only counted again."""
    solution = branch_and_cut(instance)
    again = branch_and_cut(instance, solution)
    check_optimal(instance, again, OPTIMUM)
    assert again.certificate.to_json() == solution.certificate.to_json()


@pytest.mark.long
def test_any_number_of_threads_gives_the_same():
    instance = instance_of_cases(seed=331, n=24, k=5)  # two cases are open at once, three times
    one, *others = (branch_and_cut(instance, threads=threads) for threads in (1, 2, 3))
    assert leaves(one.certificate) > 4
    for other in others:
        assert one.vocabulary.tokens == other.vocabulary.tokens
        assert one.certificate.to_json() == other.certificate.to_json()


@pytest.mark.long
def test_a_killed_process_goes_on_from_its_file(instance, tmp_path):
    words, proof = tmp_path / "C.tsv", tmp_path / "P.cert"
    instance.words.save(words)
    script = (
        "import sys\n"
        "from partcover import Instance, WordCounts\n"
        "from partcover.bounds.branch_and_cut import branch_and_cut\n"
        "def save(solution):\n"
        "    solution.certificate.save(sys.argv[2])\n"
        "    print('saved', flush=True)\n"
        f"instance = Instance(WordCounts.load(sys.argv[1]), {K})\n"
        "branch_and_cut(instance, checkpoint=save)\n"
    )
    command = [sys.executable, "-c", script, str(words), str(proof)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "saved\n"
        os.kill(process.pid, signal.SIGKILL)
    solution = branch_and_cut(instance, start_certificate=Certificate.load(proof))
    check_optimal(instance, solution, OPTIMUM)


@tries(40)
@given(instances())
def test_tiny_instances_go_on_from_any_interrupt(instance):
    if instance.groups:
        return
    best = fewest_tokens(instance)
    solution = branch_and_cut(instance, progress=StopAfter(random.Random(0).randint(2, 30)))
    assert check_certificate(instance, solution.certificate).ok
    check_optimal(instance, branch_and_cut(instance, solution), best)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_a_tree_of_plain_prices_is_gone_on_with(seed):
    draw = random.Random(seed)
    words = {
        "".join(draw.choices("abc", k=draw.randint(2, 7))): draw.randint(1, 9) for _ in range(8)
    }
    instance = Instance(words, 3)
    leaf = lower_bound(instance, cuts=False).certificate.tree[0]
    tokens = draw.choices(list(instance.index.tokens()), k=3)
    tree = (Branch(tokens[0]), Branch(tokens[1]), leaf, leaf, Branch(tokens[2]), leaf, Leaf(None))
    proof = Certificate.of(instance, tree, 0, 24)
    solution = branch_and_cut(instance, start_certificate=proof)
    check_optimal(instance, solution, fewest_tokens(instance))


@pytest.mark.parametrize(
    ("third", "seconds"), [pytest.param(2, 0, id="closed"), pytest.param(1, None, id="open")]
)
def test_prices_of_few_digits(third, seconds):
    """Leaves that prove 4 need nothing more; one that proves 3, no less, is not closed."""
    instance = Instance({"abc": 1, "abd": 1}, 1)
    leaf = Leaf(np.array([2, 1, third, 2, 1, 2], np.int32))
    proof = Certificate.of(instance, (Branch(b"ab"), leaf, leaf), 0, 1)
    check_optimal(
        instance, branch_and_cut(instance, start_certificate=proof, time_limit=seconds), 4
    )


def test_branches_that_decide_nothing():
    """Tokens that are no candidates, required, or decided above."""
    instance = Instance({"hats": 3, "chat": 2, "that": 1}, 2, required=["ha"])
    leaf = lower_bound(instance).certificate.tree[0]
    tree = (
        Branch(b"xyz"),
        leaf,
        Branch(b"ha"),
        Branch(b"at"),
        Branch(b"at"),
        leaf,
        leaf,
        leaf,
        leaf,
    )
    solution = branch_and_cut(instance, start_certificate=Certificate.of(instance, tree, 0, 24))
    check_optimal(instance, solution, fewest_tokens(instance))


@pytest.mark.long
def test_a_claim_is_not_believed(instance, checkpoints):
    first = checkpoints[0].certificate
    claimed = replace(first, lower_bound=first.lower_bound + 100)
    solution = branch_and_cut(instance, start_certificate=claimed)
    check_optimal(instance, solution, OPTIMUM)


@pytest.mark.long
def test_a_certificate_for_another_budget_is_a_start(instance, checkpoints):
    other = instance.with_k(K - 1)
    known = branch_and_cut(other)
    check_optimal(
        other, branch_and_cut(other, start_certificate=checkpoints[-1].certificate), known.tokens
    )


@pytest.mark.long
def test_certificates_of_other_instances_are_refused(instance, checkpoints):
    proof = checkpoints[-1].certificate
    other = Instance(WordCounts.from_counts({"hat": 2, "chat": 1}), K)
    with pytest.raises(InputError, match="other words"):
        branch_and_cut(other, start_certificate=proof)
    shorter = Instance(instance.words, K, max_length=3)
    with pytest.raises(InputError, match="other candidates or conditions"):
        branch_and_cut(shorter, start_certificate=proof)


def with_leaf(proof: Certificate, leaf: Leaf) -> Certificate:
    """The certificate with another leaf in the place of one with cuts."""
    place = next(n for n, node in enumerate(proof.tree) if isinstance(node, Leaf) and node.cuts)
    return replace(proof, tree=(*proof.tree[:place], leaf, *proof.tree[place + 1 :]))


def tampered(leaf: Leaf) -> dict[str, Leaf]:
    cut = next(cut for cut in leaf.cuts if cut.kind == "cycle")
    others = tuple(other for other in leaf.cuts if other is not cut)
    pairs = unpacked(leaf.pairs, 10**6)
    below = replace(pairs[0], multipliers=-pairs[0].multipliers)
    elsewhere = replace(pairs[0], positions=pairs[0].positions + 10**6)
    far = replace(pairs[0], multipliers=np.full_like(pairs[0].multipliers, 2**62))
    return {
        "the number must be odd": replace(
            leaf, cuts=(*others, replace(cut, tokens=(*cut.tokens, b"zz")))
        ),
        "r = 9": replace(leaf, cuts=(*others, replace(cut, r=9, links=()))),
        "not 1 to": replace(leaf, pairs=(below, *pairs[1:])),
        "do not overlap": replace(leaf, pairs=(elsewhere, *pairs[1:])),
        "too large": replace(leaf, pairs=(far, *pairs[1:])),
        "multiplier": replace(leaf, cuts=(*others, replace(cut, multiplier=-1))),
    }


def test_multipliers_of_which_only_the_sum_is_too_large_are_refused(instance, checkpoints):
    proof = checkpoints[-1].certificate
    leaf = next(node for node in proof.tree if isinstance(node, Leaf) and node.cuts)
    most, *others = sorted(unpacked(leaf.pairs, 10**6), key=lambda pair: -len(pair.multipliers))
    assert len(most.multipliers) == 7  # their sum in 64 bits would be negative
    large = replace(most, multipliers=np.full_like(most.multipliers, 2**61 - 1))
    start = with_leaf(proof, replace(leaf, pairs=(large, *others)))
    with pytest.raises(InputError, match="too large to count with"):
        branch_and_cut(instance, start_certificate=start)


@pytest.mark.parametrize(
    "message",
    [
        "the number must be odd",
        "r = 9",
        "not 1 to",
        "do not overlap",
        "too large",
        "multiplier",
    ],
)
def test_tampered_leaves_are_refused(instance, checkpoints, message):
    proof = checkpoints[-1].certificate
    leaf = next(node for node in proof.tree if isinstance(node, Leaf) and node.cuts)
    with pytest.raises(InputError, match=message):
        branch_and_cut(instance, start_certificate=with_leaf(proof, tampered(leaf)[message]))
