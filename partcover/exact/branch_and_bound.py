"""Proves the optimum of a small instance by branch and bound on its linear relaxation."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.symbols import Token
from ..errors import VerificationError
from ..problem.certificate import Branch, Certificate, Leaf, sorted_symbols
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.limits import Deadline, RunLimits
from ..verification.certificate_check import case_bound, check_certificate, is_empty
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .claims import with_proof
from .formulations.build import build
from .named_solver import solve_model
from .solver_io import SolverOptions, SolverReport
from .solver_run import Answer, SolverRun, building_seconds, refuse_large_counts
from .solvers.registry import run as run_solver
from .warm_start import WarmStart

__all__ = ["BranchAndBound", "prove_by_relaxations"]

_WHOLE = 1e-6  # an x this near to 0 or 1 is not branched on
_LARGEST_DUAL = 2.0**63  # more than any sum of counts: no product with it overflows
NO_ANSWER = Answer(SolverReport("none", "completed"))


def prove_by_relaxations(
    run: SolverRun,
    warm_start: Vocabulary | None = None,
    start_certificate: Certificate | None = None,
) -> Solution:
    """Finds an optimal vocabulary with its certificate, by branch and bound on the relaxation.

    The linear relaxation of the ``path`` formulation comes first: where its x is whole, it is the
    optimum with its proof.  Otherwise the solver of the run finds a vocabulary, and the case with
    the smallest bound is split on the token whose variable is nearest to 1/2 (ties: the
    lexicographically first), until every case has prices that prove as many tokens as the
    vocabulary needs.

    Parameters
    ----------
    run : SolverRun
        The instance and the solver.  Half of its time is for the first relaxation, half of what
        is left then for the solver.
    warm_start, start_certificate
        As for `partcover.prove`.

    Returns
    -------
    Solution
        The solver's, or the relaxation's where that is better (``extra["solver"]`` is "glop").  Its
        certificate has been checked by `check_certificate`; its lower bound is the certificate's
        where that is higher than the solver's.

    Notes
    -----
    A price is the drop of the dual potential over a symbol, divided by the word's count; prices
    are rounded to a scale at which that moves a bound by less than 1/16 of a token, and bounds are
    recounted from the rounded prices.

    Why a case with a whole x is closed by its own prices: the best bound of prices is the value
    of the relaxation, by linear duality.

    1. The dual of a word's flow is a potential at each position.  The arc of a symbol costs 1, so
       the drop d_p over a symbol is at most 1: these are the prices.
    2. The arc of an occurrence costs 1 too.  What its prices exceed 1 by, the dual values y of the
       rows that bound it by x_T have to pay.
    3. These rows are the largest sets of occurrences of T that share a symbol.  Intervals form a
       perfect graph, so the smallest Σ y that pays for all occurrences is the largest worth of
       occurrences that do not overlap.  Over all words that is reward(T).
    4. x_T is at most 1, and Σ x at most k: the cheapest dual values of these rows that pay all
       rewards add up to the k largest ones.
    5. So the dual's value is the maximum, over prices, of Σ c·Σ d − (the k largest rewards).  ∎
    """
    refuse_large_counts(run.instance, "name no solver, and branch and cut counts in integers")
    instance = run.instance
    given = WarmStart.of(run, warm_start, start_certificate)
    start = run.recount(instance.fixed)
    if given.incumbent is not None and given.incumbent.tokens < start.tokens:
        start = given.incumbent
    search = BranchAndBound(instance, start.tokens, run.gap)
    solution: Solution | None = None
    try:
        termination = _search_root(run, search, given)
        if termination is None:
            limits = replace(run.limits, time_limit=None)
            if run.deadline.left is not None:
                limits = replace(limits, time_limit=run.deadline.left / 2)
            solver_run = replace(run, limits=limits)
            solution = solve_model(solver_run, warm_start, start_certificate)
            termination = solution.termination
            search.offer(solution.tokens)
            if termination != "interrupted":
                search.branch(run)
    except KeyboardInterrupt:
        termination = "interrupted"

    certificate = search.certificate()
    if given.certificate and given.lower_bound > certificate.lower_bound:
        certificate = given.certificate
    check = check_certificate(instance, certificate)
    if not check.ok:
        raise VerificationError(f"{check.problems[0]}: please report the instance")
    lower_bound = certificate.lower_bound
    if solution is not None:
        lower_bound = max(lower_bound, solution.lower_bound or 0)
    if search.vocabulary is not None:
        incumbent = run.recount(search.vocabulary)
        solution = run.solution(NO_ANSWER, incumbent, None, termination, {"solver": "glop"})
    elif solution is None:
        solution = run.solution(NO_ANSWER, start, None, termination, {})
    if lower_bound > solution.tokens:
        raise VerificationError(
            f"{lower_bound} tokens are claimed to be needed, and {solution.tokens} suffice: "
            "please report the instance"
        )
    run.report_incumbent(solution.tokens, str(solution.extra["solver"]))
    run.report_bound(lower_bound, "prices")
    solution = replace(solution, termination=termination, seconds=run.deadline.seconds)
    return with_proof(instance, solution, certificate, lower_bound)


def _search_root(
    run: SolverRun, search: BranchAndBound, warm_start: WarmStart
) -> Termination | None:
    """Solves the relaxation of all vocabularies; returns why that is enough, None if it is not."""
    if warm_start.closes(search.tokens, run.gap):
        return "gap"
    if not run.deadline.has_time_for(building_seconds(run.instance, "path")):
        return "time_limit"
    search.solve_root(run.deadline.earlier((run.deadline.limit or 0.0) / 2))
    return "gap" if search.is_done else None


@dataclass(eq=False)
class _Node:
    """A case of the search: an open or closed leaf, or, once `token` is set, a branch."""

    inside: frozenset[Token]
    outside: frozenset[Token]
    lower_bound: int
    leaf: Leaf = Leaf(None)  # noqa: RUF009 - frozen
    basis: Any = None  # GLOP's, a warm start for the parts of the case
    split: Token | None = None  # the token to branch on
    token: Token | None = None
    children: tuple[_Node, ...] = ()


class BranchAndBound:
    """A branch and bound search on the linear relaxation, best bound first.

    Parameters
    ----------
    instance : Instance
        The instance.
    tokens : int
        Tokens that some vocabulary needs.
    gap : float
        The relative gap at which a case is closed.

    Attributes
    ----------
    tokens : int
        Tokens that the best vocabulary so far needs.
    vocabulary : Vocabulary or None
        A vocabulary of the relaxation that needs so many; None if it is not the search's own.
    """

    def __init__(self, instance: Instance, tokens: int, gap: float) -> None:
        self.instance = instance
        self.gap = gap
        # 16 · symbols · 2^-bits < 1, as far as the digits of floating point go
        self.bits = min(max((16 * instance.words.total_symbols).bit_length(), 4), 46)
        self.tokens = tokens
        self.vocabulary: Vocabulary | None = None
        self.root = _Node(frozenset(), frozenset(), instance.words.total_count)
        self.n_leaves = 1

    @property
    def is_done(self) -> bool:
        """Whether the best vocabulary meets the bound of all vocabularies together."""
        return self._is_closed(self.root)

    def offer(self, tokens: int) -> None:
        """Takes another vocabulary as the best so far unless the search has a better one."""
        if self.vocabulary is None or tokens <= self.tokens:
            self.tokens, self.vocabulary = tokens, None

    def solve_root(self, deadline: Deadline) -> None:
        """Builds the model and solves its relaxation over all vocabularies."""
        words = self.instance.words
        self.model = build(self.instance).relaxed()
        self.number = {token: t for t, token in enumerate(self.model.tokens)}
        self.order = sorted_symbols(words)
        self.is_last = np.zeros(len(words.data), bool)
        self.is_last[words.offsets[1:] - 1] = True
        self.count_at = np.repeat(words.counts, np.diff(words.offsets)).astype(float)
        if len(words):
            self._relax(self.root, deadline)

    def branch(self, run: SolverRun) -> None:
        """Splits cases until all are closed or the time of a run is up."""
        deadline = run.deadline
        if (
            self.root.leaf.prices is None
            and not self.is_done
            and not self._relax(self.root, deadline)
        ):
            return
        n_made = 0
        queue = [(self.root.lower_bound, n_made, self.root)]
        while queue and not self._is_closed(queue[0][2]):
            _, _, node = heapq.heappop(queue)
            if node.split is None:
                continue  # its prices, rounded, miss by less than a token what its x needs
            inner = replace(node, inside=node.inside | {node.split})
            outer = replace(node, outside=node.outside | {node.split})
            for child in (inner, outer):
                if not self._relax(child, deadline):
                    return
            # only now: until both are solved the node stays a leaf
            node.token, node.children = node.split, (inner, outer)
            self.n_leaves += 1
            for child in (inner, outer):
                n_made += 1
                heapq.heappush(queue, (child.lower_bound, n_made, child))
            run.report_incumbent(self.tokens, "glop")
            run.report_bound(min(queue[0][0], self.tokens), "prices")
            if run.log is not None:
                run.log(f"proof: {self.n_leaves} cases, bound {queue[0][0]}, {self.tokens} tokens")

    def certificate(self) -> Certificate:
        """Returns the tree as it stands."""
        tree: list[Branch | Leaf] = []
        lower_bounds = []
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.token is not None:
                tree.append(Branch(node.token))
                stack += reversed(node.children)
            else:
                tree.append(node.leaf)
                lower_bounds.append(node.lower_bound)
        # the bound of a case without vocabularies is infinite, that of all cases is not
        lower_bound = min(lower_bounds, default=0)
        return Certificate.of(self.instance, tuple(tree), int(lower_bound), self.bits)

    def _is_closed(self, node: _Node) -> bool:
        """Returns whether no vocabulary of a case can be better, or better by the gap."""
        return node.lower_bound >= self.tokens or (
            self.gap > 0 and self.tokens - node.lower_bound <= self.gap * self.tokens
        )

    def _relax(self, node: _Node, deadline: Deadline) -> bool:
        """Finds prices, bound and split of a case from its relaxation; False if time is up."""
        instance, model = self.instance, self.model
        node.split = None
        required = node.inside | frozenset(instance.fixed)
        if is_empty(instance, required, node.outside):
            node.leaf, node.lower_bound = Leaf(None), 2**63
            return True
        lower, upper = model.lower.copy(), model.upper.copy()
        lower[[self.number[token] for token in node.inside]] = 1
        upper[[self.number[token] for token in node.outside]] = 0
        if deadline.is_over:
            return False
        report = run_solver(
            replace(model, lower=lower, upper=upper),
            "glop",
            SolverOptions(RunLimits(deadline.left), basis=node.basis),
        )
        if report.stopped == "interrupted":
            raise KeyboardInterrupt
        if report.has != "optimal" or report.values is None or report.duals is None:
            return False
        node.basis = report.basis
        leaf = self._prices(report.duals)
        lower_bound = case_bound(instance, leaf, self.bits, node.inside, node.outside)
        # a part of a case needs no fewer tokens than the case, and the same prices prove it
        if node.leaf.prices is None or lower_bound >= node.lower_bound:
            node.leaf, node.lower_bound = leaf, lower_bound
        x = report.values[: len(model.tokens)]
        fraction = np.minimum(x, 1 - x)
        if len(x) and fraction.max() > _WHOLE:
            # solvers differ by less than this
            nearest = np.flatnonzero(fraction >= fraction.max() - 1e-9)[0]
            node.split = model.tokens[int(nearest)]
        else:
            self._improve(model.chosen(report.values))
        return True

    def _prices(self, duals: npt.NDArray[np.float64]) -> Leaf:
        """Returns the dual values of a relaxation as rounded prices of symbols and fees.

        Any prices of at most 1 and any fees of at least 0 prove a bound, which is recounted.  So a
        solver may return anything: NaN counts as 0, and all else as the nearest number in range.
        """
        groups = len(self.instance.groups)
        duals = np.clip(np.nan_to_num(duals, nan=0.0), -_LARGEST_DUAL, _LARGEST_DUAL)
        dual = duals[1 + groups : 1 + groups + len(self.is_last)]  # the budgets' rows come first
        after = np.append(dual[1:], 0.0)
        after[self.is_last] = 0.0
        one = 1 << self.bits
        rounded = np.rint((dual - after) / self.count_at * one)
        kind = np.int32 if self.bits <= 30 else np.int64
        lowest = max(-64 * one, int(np.iinfo(kind).min))
        prices = np.clip(rounded, lowest, one).astype(kind)[self.order]
        fees = np.rint(-duals[1 : 1 + groups] * one).tolist()
        return Leaf(prices, tuple(max(0, int(fee)) for fee in fees))

    def _improve(self, chosen: list[Token]) -> None:
        """Keeps a vocabulary of the relaxation if it is the best so far."""
        vocabulary = self.instance.vocabulary(chosen, "solve")
        count = verify(self.instance, vocabulary)
        if count.ok and count.tokens < self.tokens:
            self.tokens, self.vocabulary = count.tokens, vocabulary
