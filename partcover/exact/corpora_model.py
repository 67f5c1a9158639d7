"""Solves small instances of several corpora by integer programming."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..analysis.by_corpus import tokens_by_corpus
from ..errors import InputError, VerificationError
from ..heuristics.greedy import greedtok
from ..problem.corpora import Corpora, attainable
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arrays import Int64
from ..runtime.limits import Deadline, RunLimits
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .formulations.build import build
from .formulations.parts import TokenOccurrences
from .solver_io import SolverOptions, SolverReport
from .solver_run import refuse_large_counts
from .solvers.registry import require, run
from .sparse_model import SparseModel

_SLACK = 1e-6  # tolerance of a solver's bound on a ratio, absolute and relative
_LARGEST = 2**53  # largest reference in a row with tokens
_SCALE = "divide the counts and the reference of a corpus by the same number, as its ratio stays"


def solve_corpora_model(
    instance: Instance, solver: str, warm_start: Vocabulary | None, limits: RunLimits
) -> Solution:
    """Finds a vocabulary with the smallest largest ratio with a solver, for small corpora.

    The formulation ``path`` gets a row for each corpus: its tokens are at most z times its
    reference, and z is minimized.  Then vocabularies that are better in whole tokens are
    requested until there is none: with the largest ratio z so far, corpus i must need at most
    ⌈z·reference⌉ − 1 tokens.  That none exists is the proof, within the solver's tolerances.  If
    counts are so large that one token is less than these, the result is an ``error``.

    Parameters
    ----------
    instance : Instance
        The instance of several corpora; its model has a variable for each occurrence of each
        candidate.
    solver : {"highs", "scip", "cp-sat", "cbc"}
        The integer programming solver.
    warm_start : Vocabulary or None
        A known vocabulary, in addition to that of `greedtok`; it is checked.
    limits : RunLimits
        Time limit, random seed and threads; 1 if the solver has only one.

    Raises
    ------
    InputError
        For an unknown solver, a model that does not fit in memory, or counts that are too large.
    MissingExtra
        If the solver is not installed.
    VerificationError
        If the warm start violates a condition.
    """
    if not require(solver, integers=True).threads:
        limits = replace(limits, threads=1)
    search = _Search(instance, solver, limits)
    refuse_large_counts(instance, _SCALE)
    if max(search.corpora.references) >= _LARGEST:
        raise InputError(f"the references are too large for a floating-point solver: {_SCALE}")
    if warm_start is not None:
        recount = verify(instance, warm_start)
        if not recount.ok:
            raise VerificationError(recount.problems[0])
        search.offer(warm_start)
    search.offer(greedtok(instance, time_limit=limits.time_limit).vocabulary)
    search.run()
    return search.solution()


@dataclass(frozen=True, eq=False)
class _Model:
    """The formulation ``path`` of all words, and the cost of each arc for each corpus."""

    path: SparseModel
    arcs: Int64
    word: Int64
    corpora: Corpora

    @classmethod
    def of(cls, instance: Instance) -> _Model:
        whole, corpora = instance.joined, instance.corpora
        assert corpora is not None
        path = build(whole)
        tokens = TokenOccurrences.of(whole, whole.index)
        lengths = np.diff(whole.words.offsets)
        word = np.concatenate([np.repeat(np.arange(len(lengths)), lengths), tokens.word])
        return cls(path, len(tokens.tokens) + np.arange(len(word)), word, corpora)

    def with_ratio(self) -> SparseModel:
        """Returns the model that minimizes the largest ratio, its last variable."""
        path, corpora = self.path, self.corpora
        n_variables = path.shape[1] + 1
        objective = np.zeros(n_variables, np.int64)
        objective[-1] = 1
        symbols = [words.total_symbols for words in corpora.words]
        largest = math.ceil(max(corpora.ratios(symbols)))  # without any tokens
        model = replace(
            path,
            objective=objective,
            lower=np.append(path.lower, 0.0),
            upper=np.append(path.upper, float(largest)),
            integer=np.append(path.integer, False),
            variable_names=lambda: [*path.variable_names(), "ratio"],
        )
        zeros = [0] * len(corpora)
        return self._with_rows(model, list(corpora.counts), zeros, corpora.references)

    def better_than(self, worst: Fraction) -> SparseModel:
        """Returns the model whose solutions are the vocabularies with a smaller largest ratio.

        The rows are divided by the common divisor of a corpus's counts, and rounded down.
        """
        path = replace(self.path, objective=np.zeros(self.path.shape[1], np.int64))
        most = [math.ceil(worst * count) - 1 for count in self.corpora.references]
        common = [math.gcd(*words.counts.tolist()) for words in self.corpora.words]
        rows = [counts // part for counts, part in zip(self.corpora.counts, common, strict=True)]
        upper = [limit // part for limit, part in zip(most, common, strict=True)]
        return self._with_rows(path, rows, upper, [])

    def _with_rows(
        self,
        model: SparseModel,
        rows: Sequence[Int64],
        upper: Sequence[int],
        references: Sequence[int],
    ) -> SparseModel:
        """Adds a row for each corpus: its tokens minus its reference times the last variable."""
        starts, columns, values = [model.starts], [model.columns], [model.values]
        size = len(model.columns)
        for number, counts in enumerate(rows):
            of_arc = counts[self.word]
            used = np.flatnonzero(of_arc)
            columns.append(self.arcs[used])
            values.append(of_arc[used])
            if references:
                columns.append(np.array([model.shape[1] - 1]))
                values.append(np.array([-references[number]]))
            size += len(used) + bool(references)
            starts.append(np.array([size]))
        n_rows = len(upper)
        return replace(
            model,
            starts=np.concatenate(starts),
            columns=np.concatenate(columns),
            values=np.concatenate(values),
            row_lower=np.append(model.row_lower, np.full(n_rows, -np.inf)),
            row_upper=np.append(model.row_upper, np.array(upper, float)),
            row_names=lambda: [
                *self.path.row_names(),
                *(f"corpus{number}" for number in range(n_rows)),
            ],
        )


class _Search:
    """The best vocabulary and the best bound so far."""

    def __init__(self, instance: Instance, solver: str, limits: RunLimits) -> None:
        assert instance.corpora is not None
        self.instance, self.corpora = instance, instance.corpora
        self.solver = solver
        self.limits = limits
        self.deadline: Deadline = limits.start()
        self.best: Vocabulary | None = None
        self.tokens: tuple[int, ...] = ()
        # every word needs at least one token
        totals = [words.total_count for words in self.corpora.words]
        self.lower_bound = max(self.corpora.ratios(totals))
        self.termination: Termination = "completed"
        self.n_models = 0

    @property
    def worst(self) -> Fraction:
        """The largest ratio of the best vocabulary."""
        return max(self.corpora.ratios(self.tokens))

    def offer(self, vocabulary: Vocabulary | None) -> None:
        """Keeps a vocabulary if it is better."""
        assert vocabulary is not None
        tokens = tokens_by_corpus(self.instance, vocabulary)
        if not self.tokens or max(self.corpora.ratios(tokens)) < self.worst:
            self.best, self.tokens = vocabulary, tokens

    def run(self) -> None:
        """Solves the models."""
        if self.instance.k == len(self.instance.fixed):  # there is only one vocabulary
            self.lower_bound = self.worst
        if self.worst == self.lower_bound:
            return
        model = _Model.of(self.instance)
        report = self._solve(model.with_ratio())
        if report.bound is not None:
            slack = _SLACK * (1 + abs(report.bound))
            proven = attainable(Fraction(max(0.0, report.bound - slack)), self.corpora.references)
            self.lower_bound = min(self.worst, max(self.lower_bound, proven))
        while self.termination == "completed" and self.lower_bound < self.worst:
            before = self.worst
            report = self._solve(model.better_than(before))
            if report.has == "infeasible":
                self.lower_bound = self.worst
            elif self.termination == "completed" and self.worst == before:
                self.termination = "error"  # a whole token is smaller than the solver's tolerances

    def _solve(self, model: SparseModel) -> SolverReport:
        """Solves a model, and keeps its vocabulary if that is better."""
        if self.deadline.is_over:
            self.termination = "time_limit"
            return SolverReport("none", "time_limit")
        limits = RunLimits(self.deadline.left, self.limits.seed, self.limits.threads)
        report = run(model, self.solver, SolverOptions(limits))
        self.n_models += 1
        if report.stopped != "completed":
            self.termination = report.stopped
        if report.values is not None:
            chosen = model.chosen(report.values)
            self.offer(self.instance.vocabulary(chosen, "solve"))
        return report

    def solution(self) -> Solution:
        """Returns the best vocabulary, recounted."""
        assert self.best is not None
        vocabulary = self.best.with_(method="solve")
        recount = verify(self.instance, vocabulary)
        if not recount.ok or recount.by_corpus != self.tokens:
            raise VerificationError((*recount.problems, "a recount finds other numbers")[0])
        return Solution.of(
            self.instance,
            vocabulary,
            sum(self.tokens),
            by_corpus=self.tokens,
            lower_bound=self.lower_bound,
            status="optimal" if self.lower_bound == self.worst else "feasible",
            termination=self.termination,
            seconds=self.deadline.seconds,
            seed=self.limits.seed,
            threads=self.limits.threads,
            extra={"solver": self.solver, "models": self.n_models},
        )
