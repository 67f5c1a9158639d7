"""Measures how far greedy methods are from the optimum, and the optimum from relaxations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import e
from typing import Any, NamedTuple

from ..errors import InputError, VerificationError
from ..exact.relax import relax
from ..exact.solve import solve
from ..exact.solvers.registry import require
from ..heuristics.greedy import certified_ratio, greedtok, greedwmc
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Seed, Threads, checked
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary


@checked
def ratios(
    instance: Instance,
    budgets: Sequence[int],
    *,
    name: str = "",
    solver: str | None = None,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Compares the greedy methods with the optima that their guarantees are about.

    Parameters
    ----------
    instance : Instance
        The words and candidates; its own k is not used.
    budgets : sequence of int
        The budgets, a row for each.
    name : str
        The name of the instance in the rows.
    solver : str, optional
        As for `solve`: without one the optimum is found the quickest way, and HiGHS solves the
        relaxation to WMC.
    time_limit : float, optional
        Seconds for each of the three solves of a row: the partition cover (Tok), WMC, and the
        linear relaxation.
    seed, threads : int
        Random seed and threads of the solver; segmentation uses the threads, too.
    progress : Progress, optional
        Gets the name of each run as it begins.

    Returns
    -------
    list of dict
        By ascending k.  ``instance``, ``k``, ``symbols`` (of the words, counted);
        ``optimum_tokens`` and ``optimum_cover``, None unless ``proven``; ``best_tokens`` and
        ``lower_bound``, between which the optimum lies (the best solution of `solve` and the
        greedy methods, and the better bound of `solve` and of WMC); ``greedtok_cover`` and
        ``greedtok_tokens`` in priority order, ``greedtok_shortest_cover`` of the same
        vocabulary; ``greedwmc_cover`` by the shortest path, ``greedwmc_relaxed_cover``;
        ``wmc_optimum``, the most that k tokens cover with overlaps, None unless
        ``wmc_proven``; ``d`` and ``certified_ratio`` (see `certified_ratio`; None
        with budgets of groups, within which GreedWMC guarantees less); ``ratio``,
        GreedTok's cover over the optimum's; ``greedwmc_ratio``, ``greedwmc_cover`` over the
        same; ``greedwmc_relaxed_ratio``, its relaxed cover over ``wmc_optimum``;
        ``wmc_gap``, ``wmc_optimum`` over ``optimum_cover``; ``lp_cover``, symbols less the
        value of the linear relaxation of ``path``; ``lp_gap``, (optimum tokens − that
        value) / optimum tokens; ``termination`` of the solve of Tok, ``seconds`` of the row.

        Where ``proven`` is false, ``ratio`` and ``greedwmc_ratio`` are lower bounds of the true
        ratios: the larger of the ratio to the greatest cover that the bound allows and the ratio
        that GreedWMC certifies.  So is ``greedwmc_relaxed_ratio`` where ``wmc_proven`` is false.
        ``wmc_gap`` and ``lp_gap`` are None without the optima they need, ``lp_cover`` where the
        limit came first.  A ratio to an optimum of 0 is 1.  After Ctrl-C the current row is the
        last.

    Raises
    ------
    InputError
        For no budget, one below the required tokens, or as `solve` does.
    MissingExtra
        If OR-Tools, whose GLOP solves the linear relaxation, is not installed.
    VerificationError
        If a recount contradicts the solver.

    Notes
    -----
    Covers and bounds are exact integers; ``lp_cover`` and ``lp_gap`` are floating point, to
    the tolerance of the solver.  Each greedy method runs once, for the largest budget: its
    first k tokens are its answer to k, required ones first.  The ratios are those of Lim, Choo
    and Lauw (2025), Section 5 and Figure 3, with the optimum instead of its bound.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.studies.ratios import ratios
    >>> (row,) = ratios(Instance({"banana": 2, "bandana": 1}, 0), [2])
    >>> row["proven"], row["certified_ratio"] <= row["ratio"] <= 1
    (True, True)
    """
    if not budgets:
        raise InputError("there is no k to find a ratio for: give at least one")
    require("glop", linear=True)  # before the optimum is found, which takes long
    progress = progress or Progress()
    progress.stage(f"{name} greedy".strip())
    instance.with_k(min(budgets))  # raises if more tokens are required
    largest = instance.with_k(max(budgets))
    tok, wmc = greedtok(largest, threads=threads), greedwmc(largest)
    if "interrupted" in (tok.termination, wmc.termination):
        raise KeyboardInterrupt
    options: dict[str, Any] = {
        "solver": solver,
        "time_limit": time_limit,
        "seed": seed,
        "threads": threads,
    }
    rows = []
    for k in sorted(set(budgets)):
        started = time.monotonic()
        budgeted = instance.with_k(k)
        optima = _optima(budgeted, f"{name} k = {k}", options, progress)
        row = {"instance": name, "k": k, "symbols": instance.words.total_symbols}
        row |= _relate(budgeted, _greedy(budgeted, tok, wmc, threads), optima)
        seconds = time.monotonic() - started
        rows.append(row | {"termination": optima.termination, "seconds": seconds})
        if optima.termination == "interrupted":
            break
    return rows


class _Optima(NamedTuple):
    """What the solver has for one budget.

    Attributes
    ----------
    best : Solution
        The solution of the partition cover.
    relaxation : Solution or None
        The solution of WMC, where tokens may overlap.
    lp : float or None
        The value of the linear relaxation.
    termination : str
        Why the first solve stopped; ``interrupted`` where Ctrl-C ended any of them.
    """

    best: Solution
    relaxation: Solution | None
    lp: float | None
    termination: Termination


def _optima(instance: Instance, title: str, options: dict[str, Any], progress: Progress) -> _Optima:
    """Solves the partition cover, WMC and the linear relaxation; Ctrl-C keeps what is there."""
    progress.stage(f"{title}: optimum".strip())
    best = solve(instance, **options)
    optima = _Optima(best, None, None, "interrupted")
    if best.termination == "interrupted":
        return optima
    try:
        progress.stage(f"{title}: optimum with overlaps".strip())
        relaxation = solve(instance, formulation="wmc", **options)
        optima = optima._replace(relaxation=relaxation)
        if relaxation.termination == "interrupted":
            return optima
        progress.stage(f"{title}: linear relaxation".strip())
        linear = relax(instance, **{**options, "solver": "glop"})
        if linear.termination == "interrupted":
            return optima
        optima = optima._replace(lp=linear.tokens)
    except KeyboardInterrupt:
        return optima
    return optima._replace(termination=best.termination)


def _greedy(instance: Instance, tok: Solution, wmc: Solution, threads: int) -> dict[str, int]:
    """Returns the covers of the first k tokens of both runs."""
    cover = sum(tok.gains[: instance.k])
    shortest = []
    for solution in (tok, wmc):
        first = Vocabulary(list(solution.vocabulary or ())[: instance.k], instance.symbols)
        shortest.append(segment(instance.words, first, threads=threads).cover)
    return {
        "greedtok_cover": cover,
        "greedtok_tokens": instance.words.total_symbols - cover,
        "greedtok_shortest_cover": shortest[0],
        "greedwmc_cover": shortest[1],
        "greedwmc_relaxed_cover": sum(wmc.gains[: instance.k]),
    }


def _relate(
    instance: Instance,
    greedy: dict[str, int],
    optima: _Optima,
) -> dict[str, Any]:
    """Returns optima and ratios, the latter to an upper bound where an optimum is not proven."""
    best, relaxation, lp, _ = optima
    total = instance.words.total_symbols
    bound = int(best.lower_bound or 0)
    relaxed = greedy["greedwmc_relaxed_cover"]
    wmc_upper, wmc_cover = total - instance.words.total_count, relaxed
    if relaxation is not None and relaxation.lower_bound is not None:
        # WMC's bound on tokens is its bound on relaxed cover, and one on Tok's tokens as well
        relaxed_bound = int(relaxation.lower_bound)
        bound = max(bound, relaxed_bound)
        wmc_upper = total - relaxed_bound
        wmc_cover = max(relaxed, relaxation.extra.get("relaxed_cover", 0))
    upper = total - bound
    cover = max(best.cover or 0, greedy["greedtok_shortest_cover"], greedy["greedwmc_cover"])
    if cover > upper or wmc_cover > wmc_upper:
        raise VerificationError(
            f"k = {instance.k}: covers of {upper} and, with overlaps, {wmc_upper} are said to be "
            f"the most, and there are {cover} and {wmc_cover}: try another solver, and report the "
            "instance"
        )
    proven, wmc_proven = cover == upper, wmc_cover == wmc_upper
    d, certified = certified_ratio(greedy["greedtok_cover"], relaxed)
    lower = (certified, certified_ratio(greedy["greedwmc_cover"], relaxed)[1], 1 - 1 / e)
    if instance.groups:  # with budgets of groups 1 − 1/e is not guaranteed
        lower = (0.0, 0.0, 0.0)
    lp_gap = None
    if proven and lp is not None:
        lp_gap = max(0.0, (bound - lp) / bound) if bound else 0.0
    return {
        "proven": proven,
        "optimum_tokens": bound if proven else None,
        "optimum_cover": upper if proven else None,
        "best_tokens": total - cover,
        "lower_bound": bound,
        **greedy,
        "wmc_proven": wmc_proven,
        "wmc_optimum": wmc_upper if wmc_proven else None,
        "d": d,
        "certified_ratio": None if instance.groups else certified,
        "ratio": _ratio(greedy["greedtok_cover"], upper, proven, lower[0]),
        "greedwmc_ratio": _ratio(greedy["greedwmc_cover"], upper, proven, lower[1]),
        "greedwmc_relaxed_ratio": _ratio(relaxed, wmc_upper, wmc_proven, lower[2]),
        "wmc_gap": _ratio(wmc_upper, upper, True, 0.0) if proven and wmc_proven else None,
        "lp_cover": None if lp is None else total - lp,
        "lp_gap": lp_gap,
    }


def _ratio(cover: int, upper: int, proven: bool, certified: float) -> float:
    """Returns the ratio; where `upper` is not proven optimal, at least what is certified."""
    ratio = cover / upper if upper else 1.0
    return ratio if proven else max(ratio, certified)
