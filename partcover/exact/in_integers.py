"""Decides thresholds by integer arithmetic, if a solver's tolerances are too large."""

from __future__ import annotations

from dataclasses import dataclass

from ..bounds.branch_and_cut import branch_and_cut
from ..corpus.symbols import Token
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from .solver_run import Incumbent, SolverRun
from .warm_start import shortest_prefix

_TOLERABLE = 2**30  # counted symbols at which a relative tolerance of 10^-9 is about one token


def is_beyond_tolerances(instance: Instance) -> bool:
    """Whether a solver's tolerances may reach a whole token, so that its "no" proves nothing.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.exact.in_integers import is_beyond_tolerances
    >>> [is_beyond_tolerances(Instance({"aa": count}, 1)) for count in (10**6, 10**12)]
    [False, True]
    """
    return instance.words.total_symbols > _TOLERABLE


@dataclass(frozen=True)
class Counted:
    """The result of a search and a bound in integer arithmetic for a threshold.

    Attributes
    ----------
    incumbent : Incumbent
        The best vocabulary so far.
    lower_bound : int
        Tokens that every vocabulary needs.
    certificate : Certificate or None
        The certificate of the bound; None if there is only one possible vocabulary.
    termination : {"completed", "time_limit", "interrupted"}
        Why it ended.
    """

    incumbent: Incumbent
    lower_bound: int
    certificate: Certificate | None
    termination: Termination


def decide_in_integers(
    run: SolverRun, instance: Instance, threshold: int, best: Incumbent
) -> Counted:
    """Searches for a vocabulary that meets a threshold, or proves that none does.

    Parameters
    ----------
    run : SolverRun
        The limits and listener of the call.
    instance : Instance
        The instance of the run, or the same with a smaller budget.
    threshold : int
        Maximum number of tokens.
    best : Incumbent
        The best vocabulary so far.
    """
    only = _only_choice(instance)
    if only is not None:
        incumbent = run.recount(only)
        return Counted(incumbent, incumbent.tokens, None, "completed")
    solution = branch_and_cut(
        instance,
        instance.vocabulary(best.vocabulary, "solve"),
        threshold=threshold,
        time_limit=run.deadline.left,
        seed=run.limits.seed,
        threads=run.limits.threads,
        progress=run.progress,
    )
    return Counted(
        _better(run, best, solution),
        int(solution.lower_bound or 0),
        solution.certificate,
        solution.termination,
    )


def _only_choice(instance: Instance) -> list[Token] | None:
    """Returns the only possible vocabulary, if no budget is left or all tokens fit.

    None if there is a choice.
    """
    fixed = instance.fixed
    if instance.k == len(fixed):
        return list(fixed)
    if instance.groups or instance.index.min_promise or len(instance.index) > instance.k:
        return None
    tokens = dict.fromkeys([*fixed, *instance.index.tokens_at(instance.index.intervals)])
    return list(tokens) if len(tokens) <= instance.k else None


def _better(run: SolverRun, best: Incumbent, solution: Solution) -> Incumbent:
    """Returns the better of an incumbent and a solution, recounted."""
    if solution.tokens >= best.tokens:
        return best
    return run.recount(solution.vocabulary)


@dataclass(frozen=True)
class Sized:
    """The result in integer arithmetic for the size of a vocabulary that meets a threshold.

    Attributes
    ----------
    best : list of token or None
        The smallest vocabulary so far; None if there is none yet.
    smallest : int
        A lower bound on its size; more than k if no vocabulary meets the threshold.
    termination : {"completed", "time_limit", "interrupted"}
        Why it ended.
    """

    best: list[Token] | None
    smallest: int
    termination: Termination


def smallest_in_integers(run: SolverRun, threshold: int, best: list[Token] | None) -> Sized:
    """Finds the smallest vocabulary that meets a threshold, reducing the size by one at a time.

    Parameters
    ----------
    run : SolverRun
        The instance, limits and listener of the call.
    threshold : int
        Maximum number of tokens needed.
    best : list of token or None
        A vocabulary that meets the threshold.
    """
    instance = run.instance
    smallest, known = len(instance.fixed), run.recount(instance.fixed)
    while best is None or len(best) > smallest:
        size = instance.k if best is None else len(best) - 1
        smaller = instance.with_k(size)
        start = known if best is None else _first_tokens(run, smaller, best)
        counted = decide_in_integers(run, smaller, threshold, start)
        found = counted.incumbent
        if found.tokens <= threshold:
            tokens = instance.vocabulary(found.vocabulary, "solve")
            best = shortest_prefix(instance, tokens, threshold)
        elif counted.lower_bound > threshold:
            smallest = size + 1
            if best is None:
                break
        if counted.termination == "interrupted" or not (
            found.tokens <= threshold or counted.lower_bound > threshold
        ):
            return Sized(best, smallest, counted.termination)
    return Sized(best, smallest, "completed")


def _first_tokens(run: SolverRun, instance: Instance, tokens: list[Token]) -> Incumbent:
    """Returns the first tokens of a vocabulary, as many as the budget allows."""
    return run.recount(tokens[: instance.k])
