"""Small instances to proven optimality, every answer recounted independently."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import InputError, VerificationError
from .formulation import FORMULATIONS, SparseModel, build
from .greedy import greedtok
from .instance import Instance
from .segment import segment
from .solution import Solution, Status, Termination
from .solvers import SolverOptions, SolverReport, require, run
from .symbols import Token
from .verify import verify
from .vocabulary import Vocabulary

__all__ = ["decide", "solve"]


def solve(
    instance: Instance,
    *,
    solver: str = "highs",
    formulation: str = "path",
    time_limit: float | None = None,
    gap: float = 0.0,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Solution:
    """Solve an instance with an integer programming solver.

    Parameters
    ----------
    instance : Instance
        The instance; small: the model has a variable for each occurrence of each candidate.
    solver : {"highs", "scip", "cp-sat", "cbc"}
        Which solver.
    formulation : {"path", "wmc"}
        ``path`` is Tok itself.  ``wmc`` is the relaxation: its optimum's vocabulary, costed by
        the shortest path, and the bound it gives, tokens ≥ symbols − relaxed cover.
    time_limit : float, optional
        Seconds, building the model included.
    gap : float
        Relative gap at which to stop.
    seed, threads : int
        For the solver.
    progress : callable, optional
        Gets the solver's log, line by line.

    Returns
    -------
    Solution
        Its vocabulary keeps the tokens that the fewest-token segmentation uses (with ``wmc``:
        all that the relaxation chose) and the fixed ones, the fixed first, then by symbols
        saved, most first, then shorter, then smaller.  `tokens` is recounted by `verify`.
        ``extra["relaxed_cover"]`` is the objective of ``wmc``, recounted too.  On
        Ctrl-C or at the time limit: the better of the solver's best and GreedTok's vocabulary,
        with the bound reached.  (SCIP and HiGHS cannot be stopped from outside: their bound is
        read from their log, and their thread is parked at its next line.)

    Raises
    ------
    InputError
        For an unknown solver or formulation, a solver that is not installed, or a bad limit.
    VerificationError
        If the recount contradicts the solver.

    Notes
    -----
    Solvers work in floating point: a bound is rounded up to the next integer only beyond
    1e-6 + 1e-9·|bound|, more than the tolerances they are left at can move it on instances
    whose counts they can represent.
    """
    started = time.monotonic()
    if time_limit is not None and not time_limit >= 0:
        raise InputError(f"time limit {time_limit}: at least 0 seconds is expected")
    if time_limit == math.inf:
        time_limit = None
    if not 0 <= seed < 2**31:
        raise InputError(f"seed {seed}: a whole number from 0 to {2**31 - 1} is expected")
    if threads < 1:
        raise InputError(f"threads {threads}: at least 1 is expected")
    if not 0 <= gap < 1:
        raise InputError(f"gap {gap}: a number from 0 up to 1 is expected (0.01 is 1 %)")
    if formulation not in FORMULATIONS:
        raise InputError(f"unknown formulation {formulation!r}: use {', '.join(FORMULATIONS)}")
    require(solver)
    total = instance.words.total_symbols
    if total > 2**53:
        raise InputError(
            "the counts are too large for a floating-point solver to be exact: scale them down, "
            "or take fewer words"
        )
    fallback = greedtok(instance, time_limit=time_limit)
    recounting = time.monotonic()
    tokens, order = _recount(instance, fallback.vocabulary)
    # at the end stand a recount and the independent check, in plain Python
    reserve = 4 * (time.monotonic() - recounting)
    end = math.inf if time_limit is None else started + time_limit - reserve
    model: SparseModel | None = None
    report = SolverReport("none", "interrupted")
    try:
        if fallback.termination != "interrupted":
            report = SolverReport("none", "time_limit")
            if _building_seconds(instance) < end - time.monotonic():
                model = build(instance, formulation)
            left = end - time.monotonic()
            if model is not None and left > 0:
                limit = None if time_limit is None else left
                report = run(model, solver, SolverOptions(limit, gap, threads, seed, progress))
    except KeyboardInterrupt:
        report = SolverReport("none", "interrupted")
    if report.has == "infeasible":
        raise VerificationError(
            f"{solver} finds no vocabulary, and GreedTok's is one: please report the instance"
        )

    relaxed_cover: int | None = None
    if model is not None and report.values is not None:
        chosen = Vocabulary(model.chosen(report.values), instance.symbols)
        claimed = float(model.objective @ report.values)
        if model.maximize:
            tokens, order = _recount(instance, chosen, every=True)
            relaxed_cover = verify(instance, chosen).relaxed_cover
            _hold_to_account(solver, total - claimed, total - relaxed_cover, total)
        else:
            solver_tokens, solver_order = _recount(instance, chosen)
            _hold_to_account(solver, claimed, solver_tokens, total)
            if solver_tokens <= tokens:
                tokens, order = solver_tokens, solver_order
    vocabulary = Vocabulary(order, instance.symbols, "solve" if formulation == "path" else "wmc")

    bound: int | None = None
    if model is not None and report.bound is not None:
        slack = 1e-6 + 1e-9 * abs(report.bound)
        if model.maximize:
            bound = total - math.floor(report.bound + slack)
        else:
            bound = math.ceil(report.bound - slack)
    # every word needs a token, whatever the vocabulary
    bound = max(bound or 0, instance.words.total_count)
    if bound > tokens:
        raise VerificationError(
            f"{solver} claims that {bound} tokens are needed, and {tokens} suffice: its "
            "tolerances broke; try another solver, and report the instance"
        )
    status: Status = "optimal" if bound == tokens else "feasible"
    stopped: Termination = report.stopped
    if stopped == "completed" and status != "optimal" and formulation == "path":
        stopped = "gap"
    extra: dict[str, Any] = {
        "size": len(vocabulary),
        "solver": solver,
        "formulation": formulation,
    }
    if model is not None:
        extra["rows"], extra["variables"] = model.shape
    if relaxed_cover is not None:
        extra["relaxed_cover"] = relaxed_cover
        extra["relaxation_solved"] = report.has == "optimal"
    if stopped == "error":
        extra["message"] = report.message
    if instance.threshold is not None:
        met = True if tokens <= instance.threshold else None
        extra["threshold"] = instance.threshold
        extra["meets_threshold"] = False if bound > instance.threshold else met
    solution = Solution(
        method=vocabulary.method,
        k=instance.k,
        words=len(instance.words),
        total_count=instance.words.total_count,
        symbols=instance.symbols,
        candidates=instance.index.total,
        policy=instance.policy,
        vocabulary=vocabulary,
        rule="shortest_path",
        tokens=tokens,
        cover=total - tokens,
        lower_bound=bound,
        status=status,
        termination=stopped,
        seconds=time.monotonic() - started,
        seed=seed,
        threads=threads,
        extra=extra,
    )
    checked = verify(instance, vocabulary, claim=solution)
    if not checked.ok:
        raise VerificationError(checked.problems[0])
    return solution


def decide(
    instance: Instance, threshold: int | None = None, **options: Any
) -> tuple[bool | None, Solution]:
    """Decide whether a vocabulary within the budget needs at most `threshold` tokens.

    Parameters
    ----------
    instance : Instance
        The instance; its own threshold is asked about if none is given.
    threshold : int, optional
        ℓ.
    **options
        As for `solve`.

    Returns
    -------
    tuple
        True, False, or None where a limit left it open; and the solution that says so (its
        vocabulary proves a yes, its lower bound a no).

    Raises
    ------
    InputError
        If there is no threshold, and as `solve` does.
    """
    asked = instance.threshold if threshold is None else threshold
    if asked is None:
        raise InputError("no threshold to decide about: give one")
    solution = solve(instance, **options)
    if solution.tokens is not None and solution.tokens <= asked:
        return True, solution
    if solution.lower_bound is not None and solution.lower_bound > asked:
        return False, solution
    return None, solution


def _building_seconds(instance: Instance) -> float:
    """How long building a model takes at least, on a slow machine; little where it is small."""
    index = instance.index
    return int((index.hi - index.lo).sum(dtype=np.int64)) / 1e6


def _hold_to_account(solver: str, claimed: float, counted: int, total: int) -> None:
    """Raise where a solver's objective is better than its vocabulary allows.

    Solvers take up to 1e-5 for 0 in an integer variable, and so may use every arc of a closed
    token by that much: the claim may be better than the count by that part of all symbols.
    """
    if claimed < counted - (0.5 + 1e-5 * total):
        raise VerificationError(
            f"{solver} claims {round(claimed)} tokens, its vocabulary needs {counted}: please "
            "report"
        )


def _recount(
    instance: Instance, vocabulary: Vocabulary | None, *, every: bool = False
) -> tuple[int, list[Token]]:
    """Fewest tokens, and the tokens in use (or all) by symbols saved; fixed tokens in front."""
    given = list(vocabulary or ())
    cut = segment(instance.words, Vocabulary(given, instance.symbols))
    saved: dict[Token, int] = dict.fromkeys(given, 0)
    for index, count in enumerate(instance.words.counts.tolist()):
        for piece in cut.of(index):
            if len(piece) > 1:
                saved[piece] += count * (len(piece) - 1)
    fixed = list(instance.fixed)
    used = [token for token in given if (every or saved[token]) and token not in set(fixed)]
    used.sort(key=lambda token: (-saved[token], len(token), token))
    return cut.tokens, fixed + used
