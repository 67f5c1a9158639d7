"""Solves an instance to proven optimality, by branch and cut or with a named solver."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace

from ..analysis.by_corpus import tokens_by_corpus
from ..bounds.branch_and_cut import branch_and_cut
from ..errors import InputError
from ..problem.certificates.certificate import Certificate
from ..problem.certificates.nodes import Leaf
from ..problem.instance import Instance
from ..problem.solution import Checkpoint, Solution
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..verification.leaf_bound import least_bound
from ..vocabulary.vocabulary import Vocabulary
from .claims import threshold_facts
from .named_solver import solve_model
from .solver_io import Log
from .solver_run import SolverRun
from .sparse_model import Sense
from .warm_start import refuse_other_instance


@checked
def solve(
    instance: Instance,
    *,
    solver: str | None = None,
    formulation: str | None = None,
    sense: Sense | None = None,
    warm_start: Vocabulary | Solution | None = None,
    start_certificate: Certificate | None = None,
    gap: Share = 0.0,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    executor: Executor | None = None,
    log: Log | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> Solution:
    """Finds an optimal vocabulary and proves that it is one, for corpora of any size.

    By default it uses branch and cut (`partcover.bounds.branch_and_cut`), and the solution has a
    certificate, which `check_certificate` confirms.

    Parameters
    ----------
    instance : Instance
        The instance.  With a solver it must be small, because the model has a variable for each
        occurrence of each candidate.
    solver : {"highs", "scip", "cp-sat", "cbc"}, optional
        The integer programming solver to use instead; ``highs`` if `formulation`, `sense` or `log`
        is given, which need a solver's model.
    formulation : {"path", "occurrence", "printed", "wmc"}, optional
        ``path`` (the default) and ``occurrence`` are equivalent to the problem.  ``wmc`` is the
        relaxation to weighted maximum coverage; the result is its optimal vocabulary, with the
        tokens needed under the shortest path, and the bound tokens ≥ symbols − relaxed cover.
        ``printed`` is neither; the result is its vocabulary, with the tokens needed under the
        shortest path.
    sense : {"min", "max"}, optional
        The sense of the model; see `partcover.exact.formulations.build.build`.
    warm_start : Vocabulary or Solution, optional
        A warm start in addition to GreedTok's vocabulary, which is always an incumbent.  The
        certificate of a solution is used as `start_certificate` if none is given.  With a solver,
        ``extra["start_taken"]`` says whether its log shows that it accepted the start.
    start_certificate : Certificate, optional
        A proof of a lower bound of this instance.  It is used in addition to the computed bound;
        if it equals an incumbent, nothing is solved.  Branch and cut continues with its cases.  Not
        for ``wmc`` and ``printed``.
    gap : float
        The relative gap at which to stop.
    time_limit : float, optional
        Seconds, including the time to build a model.
    seed : int
        Random seed.
    threads : int
        Number of threads; the solution says 1 if a solver has only one.
    executor : concurrent.futures.Executor, optional
        Workers for the cases of branch and cut, on this machine or others
        (``dask.distributed.Client.get_executor``).  `threads` is then the number of cases that they
        work on at a time.  The proven optimum does not depend on the workers; the cases of its
        certificate depend on which worker is first.
    log : callable, optional
        Receives the solver's log, line by line.
    progress : Progress, optional
        Receives an `Event` for each new incumbent or bound (of ``path`` and ``occurrence``).
    checkpoint : callable, optional
        Receives the best solution so far with its certificate, every few seconds of branch and
        cut.  To continue later, pass them as `warm_start` and `start_certificate`.

    Returns
    -------
    Solution
        At the time limit or after Ctrl-C: the best so far, with the best bound.
        ``extra["solver"]`` is the solver, or "branch and cut"; the latter also gives
        ``certificate``, and ``extra["leaves"]``, the number of its cases.

        The vocabulary of a solver has the fixed tokens first, then the tokens that the shortest
        paths use (with ``wmc`` and ``printed``: all chosen tokens), ordered by symbols saved,
        largest first, then by length and lexicographically.  `tokens` is recounted by `verify`.
        ``extra["relaxed_cover"]`` is the objective of ``wmc``, recounted too;
        ``extra["printed_cover"]`` is the solver's objective of ``printed``.  (SCIP and HiGHS
        cannot be stopped from outside: their bound is read from their log, and their thread stops
        at its next line of log.  HiGHS writes its best solution to a file, SCIP returns none.)

    Raises
    ------
    InputError
        If the solver or formulation is unknown, the solver does not support the options, a solver
        or its options are given with several corpora or an executor, a limit is invalid, a start
        exceeds a budget, the model does not fit into memory, or the counts add up to more than 2^53
        symbols for a solver, or 2^57 for branch and cut.
    MissingExtra
        If the solver is not installed, or no installed solver supports group budgets.
    VerificationError
        If the recount contradicts the solver, or the certificate does not hold.

    Notes
    -----
    If merges have to make every token (`Instance.merges`), branch and cut finds the best vocabulary
    among those that merges can make: under the shortest path, or if the instance says so, with
    words segmented by these merges in their order.

    With several corpora, branch and cut minimizes the largest ratio, also with merges.

    Solvers work in floating point: a bound is rounded up to the next integer only beyond
    1e-6 + 1e-9 times the bound, which is more than their default tolerances can move it on
    instances whose counts they can represent.  Bounds of branch and cut are counted in integers.

    Examples
    --------
    >>> from partcover import Instance, solve
    >>> solution = solve(Instance({"banana": 2, "bandana": 1}, 1))
    >>> solution.tokens, solution.lower_bound, solution.status
    (9, 9, 'optimal')
    >>> list(solution.vocabulary)
    [b'banana']
    """
    limits = RunLimits(time_limit, seed, threads)
    if isinstance(warm_start, Solution):
        start_certificate = start_certificate or warm_start.certificate
        warm_start = warm_start.vocabulary
    by_solver = solver or formulation or sense or log
    for what, given in (("an executor is", executor), ("several corpora are", instance.corpora)):
        if by_solver and given is not None:
            raise InputError(
                f"{what} for branch and cut: leave out the solver, formulation, sense, and log"
            )
    if not by_solver:
        refuse_other_instance(instance, warm_start, start_certificate)
        clock = limits.start()
        kept = checkpoint and (lambda best: checkpoint(_solved(instance, best)))
        try:
            solution = branch_and_cut(
                instance,
                warm_start,
                start_certificate=start_certificate,
                gap=gap,
                time_limit=time_limit,
                seed=seed,
                threads=threads,
                executor=executor,
                progress=progress,
                checkpoint=kept,
            )
        except KeyboardInterrupt:  # before GreedTok has found anything
            solution = _first(instance, warm_start, limits, clock.seconds)
        return _solved(instance, solution)
    run = SolverRun(
        instance, solver or "highs", formulation or "path", limits, gap, log, progress or Progress()
    )
    return solve_model(run, warm_start, start_certificate, sense)


def _first(
    instance: Instance, warm_start: Vocabulary | None, limits: RunLimits, seconds: float
) -> Solution:
    """Returns the first solution: the warm start or the required tokens."""
    chosen = instance.fixed if warm_start is None else warm_start.tokens
    vocabulary = instance.vocabulary(chosen, "solve")
    tokens, least = segment(instance.words, vocabulary).tokens, least_bound(instance)
    by_corpus: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    if instance.corpora is not None:
        by_corpus = tokens_by_corpus(instance, vocabulary)
        weights = (1,) * len(by_corpus)
    reached = max(instance.corpora.ratios(by_corpus)) if instance.corpora else tokens
    solution = Solution.of(
        instance,
        vocabulary,
        tokens,
        lower_bound=least,
        status="optimal" if reached == least else "feasible",
        termination="interrupted",
        by_corpus=by_corpus,
        seconds=seconds,
        seed=limits.seed,
        threads=limits.threads,
        extra={"leaves": 1},
    )
    return replace(
        solution, certificate=Certificate.of(instance, (Leaf(None, weights=weights),), least)
    )


def _solved(instance: Instance, solution: Solution) -> Solution:
    """Returns a solution of branch and cut in the form that `solve` returns."""
    facts = threshold_facts(instance, solution.tokens, int(solution.lower_bound or 0))
    return replace(
        solution,
        method="solve",
        vocabulary=solution.vocabulary.with_(method="solve"),
        extra={**solution.extra, "solver": "branch and cut", **facts},
    )
