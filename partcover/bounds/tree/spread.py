"""Distributes the open cases of a tree to workers, and inserts the subtrees that they return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace

from ...problem.certificates.certificate import Certificate
from ...problem.instance import Instance
from ...problem.solution import Solution
from ...runtime.processes.engines import engine_error
from ..climbing.dual_point import Case
from .branch_tree import Node, certificate_of, leaves_of, settle, tree_of

_SLICE = 30.0  # seconds that a worker has for a case; then its parts go to all workers
_SHARE = 0.9  # share of the remaining time after which a last case must come back
_MOST_LOST = 3  # a case with which so many workers were lost is not handed out again


@dataclass(frozen=True)
class CaseTask:
    """A case with all that a worker needs, so that any machine can bound and split it."""

    instance: Instance
    case: Case
    certificate: Certificate  # its only leaf has the bound proven so far
    incumbent: Solution
    greedy: Solution
    threshold: int | None
    seconds: float


@dataclass
class Spread:
    """The workers of an executor, and the cases that they work on.

    A worker may be on another machine.  It bounds and splits its case for a while and returns a
    tree.  The tree replaces the case after its leaves have been recounted here.  Each worker
    receives the best vocabulary with its next case.  If a worker is lost, only its work on the
    present case is lost, and the case is handed out again.

    `workers` cases are handed out at a time; the executor must be able to pickle `work`.
    """

    executor: Executor
    workers: int
    work: Callable[[CaseTask], Solution]
    greedy: Solution  # GreedTok's solution, which workers start from
    threshold: int | None  # as in `TreeSearch`

    def __post_init__(self) -> None:
        self.at_work: dict[Future[Solution], Node] = {}
        self.lost: Counter[Node] = Counter()
        self.slices: dict[Node, float] = {}

    def is_able(self, node: Node) -> bool:
        """Returns whether a case can be handed out: no worker has it, and few were lost with it."""
        return node not in self.at_work.values() and self.lost[node] < _MOST_LOST

    def hand_out(self, node: Node, incumbent: Solution, seconds: float | None) -> None:
        """Gives a case to a worker, with the best vocabulary so far and the remaining time."""
        slice_ = self.slices.get(node, _SLICE)
        counter = node.proof.counter
        task = CaseTask(
            counter.asked,
            node.case,
            certificate_of(counter, node, node.proof.proven),
            replace(incumbent, certificate=None),
            self.greedy,
            self.threshold,
            seconds=slice_ if seconds is None else min(slice_, _SHARE * seconds),
        )
        node.rounds = None  # the worker makes its own
        try:
            self.at_work[self.executor.submit(self.work, task)] = node
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


def graft(node: Node, solution: Solution) -> None:
    """Replaces a case by the tree that a worker returned, with its leaves recounted here."""
    assert solution.certificate is not None
    grown = tree_of(node.proof.counter, node.case, solution.certificate, checks=False)
    for leaf in leaves_of(grown):
        settle(leaf)
        leaf.improve(node.proof)
    if grown.children:
        node.divide(grown.token, grown.children)
    else:
        node.improve(grown.proof)
        node.x = grown.x
