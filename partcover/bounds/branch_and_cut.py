"""Branch and cut: proves optimal vocabularies of whole corpora, with a certificate."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

import numpy as np

from ..heuristics.greedy import greedtok
from ..heuristics.local_search import local_search
from ..heuristics.rounding import round_relaxation
from ..problem.certificate import Branch, Certificate, Leaf
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.arrays import Bools, Float64
from ..runtime.limits import Deadline, RunLimits
from ..runtime.parallel import workers
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .best_prices import BestPrices
from .cut_prices import Case, CutPrices
from .cut_rounds import CutRounds
from .improve import PhaseEvents
from .lower_bound import NEAR_ENOUGH, Climb, StoppingRule
from .price_counter import PriceCounter
from .primal_dual import Ascent

__all__ = ["branch_and_cut"]

_ROOT_SHARE = 0.25  # of the time, for the bound of all vocabularies
_SEARCH_SHARE = 0.25  # of what is left then, for a vocabulary
_FRACTIONAL = 0.02  # an x this far from 0 and 1 may be branched on
_TRIED = 4  # tokens that strong branching tries
_TRIAL_STEPS = 100
_SLOW = 0.03  # of the gap: a node that gains less in three rounds is split
_LOOK_BACK = 3
_MOST_ROUNDS = 40  # of a node


@dataclass(eq=False)
class _Node:
    """A case, the rounds that bound it, and the best that they have proven.

    Once split it has two children, for the vocabularies with the token and for those without.
    """

    case: Case
    rounds: CutRounds | None
    value: int
    prices: CutPrices
    x: Float64
    token: int = -1
    children: tuple[_Node, _Node] | None = None

    def __lt__(self, other: _Node) -> bool:
        return self.value < other.value


class _Tree:
    """Cases that together are all vocabularies, the smallest bound first."""

    def __init__(
        self,
        counter: PriceCounter,
        root: _Node,
        solution: Solution,
        greedy: Solution,
        deadline: Deadline,
        progress: Progress,
    ) -> None:
        self.counter = counter
        self.greedy = greedy
        self.root = root
        self.solution = solution
        self.deadline = deadline
        self.progress = progress
        self.open = [root]
        self.closed_bound = solution.tokens
        self.n_nodes = 1

    @property
    def goal(self) -> int:
        """The value at which a case holds nothing better than the incumbent."""
        return (self.solution.tokens - 1) * self.counter.one + 1

    @property
    def lower_bound(self) -> int:
        """What all cases prove together."""
        bounds = [self.counter.bound(node.value) for node in self.open]
        return min([self.solution.tokens, self.closed_bound, *bounds])

    def grow(self, gap: float) -> Termination:
        """Bounds and splits the case with the smallest bound, until none is left or time is up."""
        while self.open:
            tokens = self.solution.tokens
            if tokens - self.lower_bound <= gap * tokens and gap:
                return "gap"
            if self.deadline.is_over:
                return "time_limit"
            node = self.open[0]
            self._bound(node)
            self._round(node)
            if node.value >= self.goal or not self._optional(node).any():
                self.open = [other for other in self.open if other is not node]
                heapq.heapify(self.open)
                self.closed_bound = min(self.closed_bound, self.counter.bound(node.value))
                node.rounds = None
            elif not self.deadline.is_over:
                self._split(node)
            self._report()
        return "completed"

    def _bound(self, node: _Node) -> None:
        """Makes rounds of cuts until the case is closed or they gain little."""
        assert node.rounds is not None
        values = [node.value]
        for _ in range(_MOST_ROUNDS):
            if node.value >= self.goal or self.deadline.is_over:
                return
            result = node.rounds.round(self.deadline)
            if result.value > node.value:
                node.value, node.prices = result.value, result.prices
            node.x = node.rounds.steps.x_all()
            values.append(node.value)
            left = self.goal - node.value
            if len(values) > _LOOK_BACK and values[-1] - values[-1 - _LOOK_BACK] < _SLOW * left:
                return

    def _round(self, node: _Node) -> None:
        """Takes the vocabulary of the largest x of a case, if it is better."""
        instance = self.counter.instance
        rounded = round_relaxation(instance, node.x)
        tokens = segment(instance.words, rounded, "shortest_path").tokens
        if tokens < self.solution.tokens:
            solution = local_search(instance, rounded, greedy=self.greedy, time_limit=0)
            if solution.tokens < self.solution.tokens:
                self.solution = solution
                event = Event(self.deadline.seconds, "incumbent", solution.tokens, None, "rounding")
                self.progress.event(event)

    def _optional(self, node: _Node) -> Bools:
        """Returns which tokens of a case's active set it may be split on: those not required."""
        assert node.rounds is not None
        return ~node.case.inside[node.rounds.steps.active]

    def _split(self, node: _Node) -> None:
        """Splits a case on the token whose two cases prove the most after a few steps."""
        assert node.rounds is not None
        steps = node.rounds.steps
        distance = np.minimum(steps.x_made, 1 - steps.x_made)
        distance[~self._optional(node)] = -1
        order = np.argsort(-distance, kind="stable")
        tried = [t for t in order[:_TRIED].tolist() if distance[t] > _FRACTIONAL]
        best: tuple[_Node, _Node] | None = None
        best_score = (-1, -1)
        for local in tried or order[:1].tolist():
            token = int(steps.active[local])
            pair = self._children(node, token)
            for child in pair:
                assert child.rounds is not None
                result = child.rounds.round(self.deadline, _TRIAL_STEPS)
                if result.value > child.value:
                    child.value, child.prices = result.value, result.prices
            gains = sorted(child.value - node.value for child in pair)
            score = (gains[0], gains[1])
            if score > best_score:
                best, best_score, node.token = pair, score, token
            if self.deadline.is_over:
                break
        if best is None:
            return
        cases = [*(other for other in self.open if other is not node), *best]
        heapq.heapify(cases)
        node.children, self.open = best, cases  # an interrupt comes before or after both
        node.rounds = None
        self.n_nodes += 2

    def _children(self, node: _Node, token: int) -> tuple[_Node, _Node]:
        assert node.rounds is not None
        children = []
        for inside in (True, False):
            case = Case(node.case.inside.copy(), node.case.outside.copy(), node.case.k)
            (case.inside if inside else case.outside)[token] = True
            rounds = node.rounds.branch(case)
            value, _ = node.prices.count(self.counter, case)
            if case.free < 0:  # there is no such vocabulary
                value = max(value, self.goal)
            children.append(_Node(case, rounds, value, node.prices, node.x))
        return children[0], children[1]

    def _report(self) -> None:
        tokens = self.solution.tokens
        event = Event(self.deadline.seconds, "bound", tokens, self.lower_bound, "branches")
        self.progress.event(event)
        closed = self.n_nodes - len(self.open)
        self.progress.advance(closed, None, f"{len(self.open)} open of {self.n_nodes} cases")

    def certificate(self) -> Certificate:
        """Returns the certificate of all cases."""
        instance = self.counter.instance
        nodes: list[Branch | Leaf] = []
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.children is None:
                nodes.append(node.prices.leaf(self.counter))
                continue
            (token,) = self.counter.instance.index.tokens(np.array([node.token], np.int32))
            nodes.append(Branch(token))
            stack += [node.children[1], node.children[0]]
        return Certificate.of(instance, tuple(nodes), self.lower_bound, self.counter.bits)


@checked
def branch_and_cut(
    instance: Instance,
    warm_start: Vocabulary | None = None,
    *,
    gap: Share = 0.0,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Finds an optimal vocabulary and proves it, by branch and cut; for corpora of any size.

    Parameters
    ----------
    instance : Instance
        The words, candidates, budget and conditions.
    warm_start : Vocabulary, optional
        A warm start beside GreedTok's vocabulary.
    gap : float
        The relative gap at which to stop.
    time_limit : float, optional
        Seconds for the whole call.
    seed : int
        Random seed of the search.
    threads : int
        Number of threads.
    progress : Progress, optional
        Receives an `Event` for each phase, better vocabulary and better bound.

    Returns
    -------
    Solution
        With its certificate; ``extra["leaves"]`` is the number of its cases.  At the time limit or
        after Ctrl-C: the best so far.

    Raises
    ------
    InputError
        For a bad limit or gap, and as `lower_bound` does.

    Notes
    -----
    First rounds of cuts bound all vocabularies, and a search guided by their x finds a good one.
    Then the case with the smallest bound is bounded again, by rounds that go on from those of the
    case that it is a part of, and split on a token where they gain little: on the one of four whose
    two cases prove the most after a few steps (strong branching).  A case is closed where it needs
    as many tokens as the vocabulary.  The certificate's tree is that of the cases.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.bounds.branch_and_cut import branch_and_cut
    >>> solution = branch_and_cut(Instance({"banana": 2, "bandana": 1}, 1))
    >>> solution.tokens, solution.lower_bound, solution.status
    (9, 9, 'optimal')
    """
    limits = RunLimits(time_limit, seed, threads)
    deadline = limits.start()
    phases = PhaseEvents(deadline, progress or Progress())
    phases.enter("greedtok")
    greedy = greedtok(instance, time_limit=deadline.left, threads=threads)
    termination = greedy.termination
    with workers(threads) as share:
        counter = PriceCounter(instance, share)
        ascent = Ascent(counter, greedy.vocabulary, greedy.gains)
        best = BestPrices(counter, instance, None, None, deadline, phases)
        root_limit = None if deadline.left is None else _ROOT_SHARE * deadline.left
        climb = Climb(ascent, best, StoppingRule(Deadline(root_limit), None, None), None)
        try:
            phases.enter("bound")
            climb.begin()
            climb.plain(NEAR_ENOUGH)
            if not climb.may_gain or climb.cut() is None:
                climb.plain(0.0)
        except KeyboardInterrupt:
            termination = "interrupted"
        bound = best.bound(climb.step, termination, limits)
        phases.enter("search")
        left = 0.0 if termination == "interrupted" else deadline.left
        solution = local_search(
            instance,
            warm_start,
            greedy=greedy,
            x=np.stack([bound.x, bound.plain_x]),
            reduced_costs=bound.reduced_costs / bound.unit,
            lower_bound=bound.lower_bound,
            gap=gap,
            time_limit=None if left is None else _SEARCH_SHARE * left,
            seed=seed,
            threads=threads,
            progress=phases,
        )
        certificate = bound.certificate
        if solution.termination == "interrupted":
            termination = "interrupted"
        elif best.prices is None or climb.rounds is None:
            termination = solution.termination
        elif termination != "interrupted":
            phases.enter("branches")
            root = _Node(best.case, climb.rounds, best.value, best.prices, bound.x)
            tree = _Tree(counter, root, solution, greedy, deadline, phases)
            try:
                termination = tree.grow(gap)
            except KeyboardInterrupt:
                termination = "interrupted"
            solution, certificate = tree.solution, tree.certificate()
    lower_bound = certificate.lower_bound
    return replace(
        solution,
        lower_bound=lower_bound,
        status="optimal" if lower_bound == solution.tokens else "feasible",
        certificate=certificate,
        termination=termination,
        seconds=deadline.seconds,
        extra={**solution.extra, "leaves": (len(certificate.tree) + 1) // 2},
    )
