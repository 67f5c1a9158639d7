"""Finds the optimum with a proof that needs no solver to check: branch and bound, written down."""

from __future__ import annotations

import heapq
import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..corpus.symbols import Token
from ..errors import VerificationError
from ..problem.certificate import Branch, Certificate, Leaf, sorted_symbols
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..verification.certificate_check import case_bound, check_certificate, is_empty
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .formulations.build import build
from .solve import solve
from .solver_io import Log, SolverOptions
from .solver_run import building_seconds
from .solvers.registry import run

__all__ = ["prove"]

_WHOLE = 1e-6  # an x this near to 0 or 1 is not branched on


@checked
def prove(
    instance: Instance,
    *,
    solver: str = "highs",
    start_certificate: Certificate | None = None,
    time_limit: Seconds | None = None,
    gap: Share = 0.0,
    seed: Seed = 0,
    threads: Threads = 1,
    log: Log | None = None,
) -> tuple[Solution, Certificate]:
    """Solve an instance, and find a certificate of its lower bound.

    The linear relaxation of the ``path`` formulation comes first: where its x is whole, it is the
    optimum with its proof.  Else `solve` finds a vocabulary, and branch and bound on the relaxation
    makes the tree: the case with the least bound is split on the token whose variable is nearest
    to 1/2 (ties: the lexicographically first), until every case has prices that prove as many
    tokens as the vocabulary needs.

    Parameters
    ----------
    instance : Instance
        The instance; small, as for `solve`.
    solver, start_certificate, gap, seed, threads, log
        As for `solve`.  The tree is not grown beyond `gap`.
    time_limit : float, optional
        Seconds: half for the first relaxation, half of what is left then for `solve`.

    Returns
    -------
    solution : Solution
        As of `solve`, or the relaxation's where that is better (``extra["solver"]`` is "glop");
        its lower bound is the certificate's where that is higher.  ``extra["certified"]`` is what
        the certificate proves, ``extra["leaves"]`` the number of its cases.
    certificate : Certificate
        Checked by `check_certificate`: its `lower_bound` is what that recounts.  At a time limit
        or on Ctrl-C it proves less than the optimum, and no less than a token a word.

    Raises
    ------
    InputError
        As `solve` does.
    VerificationError
        If solver and certificate contradict each other.

    Notes
    -----
    A price is the drop of the dual over a symbol, divided by the word's count; prices are rounded
    to a scale at which that moves a bound by less than 1/16 of a token, and bounds are recounted
    from the rounded prices.  The relaxation with cuts over overlapping occurrences equals the
    best such bound, so a case with a whole x is closed by its own prices.
    """
    started = time.monotonic()
    end = math.inf if time_limit is None else started + time_limit

    def solved(seconds: float | None, start: Vocabulary | None = None) -> Solution:
        return solve(
            instance,
            solver=solver,
            start=start,
            start_certificate=start_certificate,
            time_limit=seconds,
            gap=gap,
            seed=seed,
            threads=threads,
            log=log,
        )

    # no time: what is asked for is checked, and there is a vocabulary whatever happens
    solution = solved(0.0 if time_limit is None else min(0.0, time_limit))
    search = _Search(instance, solution, gap)
    try:
        within = solution.certificate is not None and (solution.gap or 0.0) <= gap
        if not within and building_seconds(instance, "path") < end - time.monotonic():
            search.start(end if time_limit is None else started + time_limit / 2)
            if not search.is_done:
                left = max(0.0, end - time.monotonic()) / 2
                solution = solved(None if time_limit is None else left)
                search.meet(solution)
                if solution.termination != "interrupted":
                    search.run(end, log)
    except KeyboardInterrupt:
        solution = replace(solution, termination="interrupted")
    certificate = search.certificate()
    if start_certificate and start_certificate.lower_bound > certificate.lower_bound:
        certificate = start_certificate  # `solve` has checked it
    checked = check_certificate(instance, certificate)
    if not checked.ok:
        raise VerificationError(f"{checked.problems[0]}: please report the instance")
    bound = max(certificate.lower_bound, solution.lower_bound or 0)
    stopped, extra = solution.termination, solution.extra
    if search.found is not None:
        solution = solved(0.0, search.found)
        extra = {"solver": "glop", "formulation": "path", "size": solution.extra["size"]}
    if solution.tokens is None or bound > solution.tokens:
        raise VerificationError(
            f"{bound} tokens are claimed to be needed, and {solution.tokens} suffice: please "
            "report the instance"
        )
    optimal = bound == solution.tokens
    leaves = sum(isinstance(node, Leaf) for node in certificate.tree)
    extra = {**extra, "certified": certificate.lower_bound, "leaves": leaves}
    if instance.threshold is not None:
        met = True if solution.tokens <= instance.threshold else None
        extra["threshold"] = instance.threshold
        extra["meets_threshold"] = False if bound > instance.threshold else met
    return (
        replace(
            solution,
            lower_bound=bound,
            status="optimal" if optimal else "feasible",
            termination="completed" if optimal and stopped != "interrupted" else stopped,
            seconds=time.monotonic() - started,
            extra=extra,
            certificate=certificate,
        ),
        certificate,
    )


@dataclass(eq=False)
class _Node:
    """A case: an open or closed leaf, or, once `token` is set, a branch."""

    inside: frozenset[Token]
    outside: frozenset[Token]
    bound: int
    leaf: Leaf = Leaf(None)  # noqa: RUF009 - frozen
    basis: Any = None  # GLOP's, to start the parts of the case from
    split: Token | None = None  # what to branch on
    token: Token | None = None
    children: tuple[_Node, ...] = ()


class _Search:
    """Branch and bound, best bound first."""

    def __init__(self, instance: Instance, solution: Solution, gap: float) -> None:
        total = instance.words.total_symbols
        self.instance = instance
        self.gap = gap
        # 16 · symbols · 2^-bits < 1, so far as floating point is worth it
        self.bits = min(max((16 * total).bit_length(), 4), 46)
        self.tokens = total if solution.tokens is None else solution.tokens
        self.found: Vocabulary | None = None  # better than the solution's
        self.root = _Node(frozenset(), frozenset(), instance.words.total_count)
        self.leaves = 1

    @property
    def is_done(self) -> bool:
        """The best vocabulary meets the bound of all vocabularies together."""
        return self._is_closed(self.root)

    def meet(self, solution: Solution) -> None:
        """Take the solution to return as the best so far, unless the search has found better."""
        if solution.tokens is not None and (self.found is None or solution.tokens <= self.tokens):
            self.tokens, self.found = solution.tokens, None

    def start(self, end: float) -> None:
        """Prices for all vocabularies together."""
        words = self.instance.words
        self.model = build(self.instance).relaxed()
        self.number = {token: t for t, token in enumerate(self.model.tokens)}
        self.order = sorted_symbols(words)
        self.last = np.zeros(len(words.data), bool)
        self.last[words.offsets[1:] - 1] = True
        self.count_at = np.repeat(words.counts, np.diff(words.offsets)).astype(float)
        if len(words):
            self._relax(self.root, end)

    def run(self, end: float, log: Log | None) -> None:
        """Split cases until all are closed, or it is `end`."""
        if self.root.leaf.prices is None and not self.is_done and not self._relax(self.root, end):
            return
        made = 0
        waiting = [(self.root.bound, made, self.root)]
        while waiting and not self._is_closed(waiting[0][2]):
            _, _, node = heapq.heappop(waiting)
            if node.split is None:
                continue  # its prices, rounded, miss by less than a token what its x needs
            inner = replace(node, inside=node.inside | {node.split})
            outer = replace(node, outside=node.outside | {node.split})
            for child in (inner, outer):
                if not self._relax(child, end):
                    return
            # only now: until both are there the node stays a leaf
            node.token, node.children = node.split, (inner, outer)
            self.leaves += 1
            for child in (inner, outer):
                made += 1
                heapq.heappush(waiting, (child.bound, made, child))
            if log is not None:
                log(f"proof: {self.leaves} cases, bound {waiting[0][0]}, {self.tokens} tokens")

    def certificate(self) -> Certificate:
        """The tree as it stands."""
        tree: list[Branch | Leaf] = []
        bounds = []
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if node.token is not None:
                tree.append(Branch(node.token))
                waiting += reversed(node.children)
            else:
                tree.append(node.leaf)
                bounds.append(node.bound)
        # of a subtree that holds no vocabulary the bound is infinite; of all it is not
        bound = min(bounds, default=0)
        return Certificate.of(self.instance, tuple(tree), int(bound), self.bits)

    def _is_closed(self, node: _Node) -> bool:
        return node.bound >= self.tokens or (
            self.gap > 0 and self.tokens - node.bound <= self.gap * self.tokens
        )

    def _relax(self, node: _Node, end: float) -> bool:
        """Prices, bound and token to split on from the linear relaxation; False if it is late."""
        instance, model = self.instance, self.model
        node.split = None
        required = node.inside | frozenset(instance.fixed)
        if is_empty(instance, required, node.outside):
            node.leaf, node.bound = Leaf(None), 2**63
            return True
        lower, upper = model.lower.copy(), model.upper.copy()
        lower[[self.number[token] for token in node.inside]] = 1
        upper[[self.number[token] for token in node.outside]] = 0
        left = end - time.monotonic()
        if left <= 0:
            return False
        limit = None if left == math.inf else left
        report = run(
            replace(model, lower=lower, upper=upper),
            "glop",
            SolverOptions(limit, basis=node.basis),
        )
        if report.stopped == "interrupted":
            raise KeyboardInterrupt
        if report.has != "optimal" or report.values is None or report.duals is None:
            return False
        values, duals, node.basis = report.values, report.duals, report.basis
        groups = len(instance.groups)
        dual = duals[1 + groups : 1 + groups + len(self.last)]  # after the budgets come the nodes
        after = np.append(dual[1:], 0.0)
        after[self.last] = 0.0
        one = 1 << self.bits
        rounded = np.rint((dual - after) / self.count_at * one)
        kind = np.int32 if self.bits <= 30 else np.int64
        prices = np.clip(rounded, -64 * one, one).astype(kind)[self.order]
        fees = tuple(max(0, int(fee)) for fee in np.rint(-duals[1 : 1 + groups] * one))
        leaf = Leaf(prices, fees)
        bound = case_bound(instance, leaf, self.bits, node.inside, node.outside)
        # a part of a case needs no fewer tokens than the case, and the same prices prove it
        if node.leaf.prices is None or bound >= node.bound:
            node.leaf, node.bound = leaf, bound
        x = values[: len(model.tokens)]
        fraction = np.minimum(x, 1 - x)
        if len(x) and fraction.max() > _WHOLE:
            # what differs by less is the same for a solver
            nearest = np.flatnonzero(fraction >= fraction.max() - 1e-9)[0]
            node.split = model.tokens[int(nearest)]
        else:
            self._improve(model.chosen(values))
        return True

    def _improve(self, chosen: list[Token]) -> None:
        """Keep a vocabulary that the relaxation has found if it is the best so far."""
        vocabulary = self.instance.vocabulary(chosen, "solve")
        found = verify(self.instance, vocabulary)
        if found.ok and found.tokens < self.tokens:
            self.tokens, self.found = found.tokens, vocabulary
