"""Distributes the open cases of a tree to workers, and inserts the subtrees that they return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace

import numpy as np

from ...problem.certificates.certificate import Certificate
from ...problem.instance import Instance
from ...problem.solution import Solution
from ...runtime.processes.engines import engine_error
from .branch_tree import Node, leaves_of, settle, tree_of

_SLICE = 30.0  # seconds that a worker has for a case; then its parts go to all workers
_SHARE = 0.9  # share of the remaining time after which a last case must come back
_MOST_LOST = 3  # a case with which so many workers were lost is not handed out again


@dataclass(frozen=True)
class CaseTask:
    """A case as an instance of its own, so that any machine can solve it."""

    instance: Instance  # tokens inside are required, tokens outside are forbidden
    certificate: Certificate  # the bound proven so far
    threshold: int  # only vocabularies that need at most this many tokens matter
    seconds: float
    seed: int


@dataclass
class Spread:
    """The workers of an executor, and the cases that they work on.

    A case is an instance of its own, so a worker needs nothing else and may be on another machine.
    It bounds and splits the case for a while and returns a tree.  The tree replaces the case after
    its leaves have been recounted here.  Each worker learns the tokens of the best vocabulary with
    its next case.  If a worker is lost, only its work on the present case is lost, and the case is
    handed out again.

    `workers` cases are handed out at a time; the executor must be able to pickle `work`.
    """

    executor: Executor
    workers: int
    work: Callable[[CaseTask], Solution]
    seed: int

    def __post_init__(self) -> None:
        self.at_work: dict[Future[Solution], Node] = {}
        self.lost: Counter[Node] = Counter()
        self.slices: dict[Node, float] = {}

    def is_able(self, node: Node) -> bool:
        """Returns whether a case can be handed out: no worker has it, and few were lost with it."""
        return node not in self.at_work.values() and self.lost[node] < _MOST_LOST

    def hand_out(self, node: Node, goal: int, seconds: float | None) -> None:
        """Gives a case to a worker, with the goal that closes it and the remaining time."""
        slice_ = self.slices.get(node, _SLICE)
        case = CaseTask(
            *self._alone(node),
            threshold=goal - 1,
            seconds=slice_ if seconds is None else min(slice_, _SHARE * seconds),
            seed=self.seed,
        )
        node.rounds = None  # the worker makes its own
        try:
            self.at_work[self.executor.submit(self.work, case)] = node
        except Exception as error:
            self._lose(node, error)

    def finished(self, seconds: float) -> list[tuple[Node, Solution]]:
        """Waits this long for workers; returns the cases that came back, and their solutions."""
        done, _ = wait(self.at_work, seconds, FIRST_COMPLETED)
        solutions = []
        for future in [future for future in self.at_work if future in done]:
            node = self.at_work.pop(future)
            error = future.exception()
            if error is None:
                self.lost[node] = 0
                # if the work has hardly begun by then, it gets more time the next time
                self.slices[node] = 2 * self.slices.get(node, _SLICE)
                solutions.append((node, future.result()))
            else:
                self._lose(node, error)
        return solutions

    def end(self) -> None:
        """Forgets the cases that have not come back."""
        for future in self.at_work:
            future.cancel()
        self.at_work.clear()

    def _lose(self, node: Node, error: BaseException) -> None:
        """Records a worker that was lost; raises errors of the work itself."""
        if engine_error(error) is None:
            raise error
        self.lost[node] += 1

    def _alone(self, node: Node) -> tuple[Instance, Certificate]:
        """Returns a case as an instance of its own, with the certificate of its bound."""
        counter = node.proof.counter
        asked = counter.instance
        inside, outside = map(np.flatnonzero, (node.case.inside, node.case.outside))
        added = (token for token in counter.tokens(inside) if token not in asked.fixed)
        instance = replace(
            asked,
            required=(*asked.required, *added),
            forbidden=(*asked.forbidden, *counter.tokens(outside)),
        )
        proven = int(node.proof.proven)
        return instance, Certificate.of(instance, (node.proof.leaf,), proven, counter.bits)


def graft(node: Node, solution: Solution) -> None:
    """Replaces a case by the tree that a worker returned, with its leaves recounted here."""
    counter, certificate = node.proof.counter, solution.certificate
    assert certificate is not None
    whole = Certificate.of(
        counter.instance, certificate.tree, int(node.proof.proven), certificate.scale_bits
    )
    grown = tree_of(counter, node.case, whole, checks=False)
    for leaf in leaves_of(grown):
        settle(leaf)
        leaf.improve(node.proof)
    if grown.children:
        node.divide(grown.token, grown.children)
    else:
        node.improve(grown.proof)
        node.x = grown.x
