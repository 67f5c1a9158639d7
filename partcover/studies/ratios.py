"""Measures how far greedy is from the optimum, and the optimum from its relaxations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import e
from typing import Any

from ..errors import InputError, VerificationError
from ..exact.relax import relax
from ..exact.solve import solve
from ..heuristics.greedy import certified_ratio, greedtok, greedwmc
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Seed, Threads, checked
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["ratios"]


@checked
def ratios(
    instance: Instance,
    budgets: Sequence[int],
    *,
    name: str = "",
    solver: str = "highs",
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """The greedy methods beside the optima that their guarantees are about.

    Parameters
    ----------
    instance : Instance
        The words and candidates; its own k is not used.
    budgets : sequence of int
        The k of each row.
    name : str
        What the rows call the instance.
    solver : str
        As for `solve`.
    time_limit : float, optional
        Seconds for each of the three solves of a row: Tok, WMC, the linear relaxation.
    seed, threads : int
        For the solver; threads segment, too.
    progress : Progress, optional
        Gets the name of each run as it begins.

    Returns
    -------
    list of dict
        By ascending k.  ``instance``, ``k``, ``symbols`` (of the words, counted);
        ``optimum_tokens`` and ``optimum_cover``, None unless ``proven``; ``best_tokens`` and
        ``lower_bound``, between which the optimum is (the better of what `solve` and the
        greedy methods found, and of the bounds of `solve` and of WMC); ``greedtok_cover`` and
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

        Where ``proven`` is false, ``ratio`` and ``greedwmc_ratio`` are taken against the most
        that the bound allows, or are what GreedWMC certifies, if that is more: the true ones
        are at least these.  So is ``greedwmc_relaxed_ratio`` where ``wmc_proven`` is false.
        ``wmc_gap`` and ``lp_gap`` are None without the optima they need, ``lp_cover`` where the
        limit came first.  A ratio to an optimum of 0 is 1.  After Ctrl-C the row it fell into
        is the last.

    Raises
    ------
    InputError
        For no budget, one below the required tokens, or as `solve` does.
    VerificationError
        If a recount contradicts the solver.

    Notes
    -----
    Covers and bounds are exact integers; ``lp_cover`` and ``lp_gap`` are floating point, to
    the tolerance of the solver.  Each greedy method runs once, for the largest budget: its
    first k tokens are its answer to k, required ones first.  The ratios are those of Lim, Choo
    and Lauw (2025), Section 5 and Figure 3, with the optimum instead of its bound.
    """
    if not budgets:
        raise InputError("no budget k to find a ratio for")
    progress = progress or Progress()
    progress.stage(f"{name} greedy".strip())
    instance.with_k(min(budgets))  # says so if more are required
    most = instance.with_k(max(budgets))
    tok, wmc = greedtok(most, threads=threads), greedwmc(most)
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
        at = instance.with_k(k)
        stopped: Termination = "interrupted"
        relaxation: Solution | None = None
        lp: float | None = None
        progress.stage(f"{name} k = {k}: optimum".strip())
        best = solve(at, **options)
        try:
            if best.termination == "interrupted":
                raise KeyboardInterrupt
            progress.stage(f"{name} k = {k}: optimum with overlaps".strip())
            relaxation = solve(at, formulation="wmc", **options)
            if relaxation.termination == "interrupted":
                raise KeyboardInterrupt
            progress.stage(f"{name} k = {k}: linear relaxation".strip())
            if "rows" in best.extra:  # a model too large for the limit was never built
                linear = relax(at, time_limit=time_limit, seed=seed, threads=threads)
                if linear.termination == "interrupted":
                    raise KeyboardInterrupt
                lp = linear.tokens
            stopped = best.termination
        except KeyboardInterrupt:
            pass  # the row says so, and is the last
        row = {"instance": name, "k": k, "symbols": at.words.total_symbols}
        row |= _relate(at, _greedy(at, tok, wmc, threads), best, relaxation, lp)
        rows.append(row | {"termination": stopped, "seconds": time.monotonic() - started})
        if stopped == "interrupted":
            break
    return rows


def _greedy(instance: Instance, tok: Solution, wmc: Solution, threads: int) -> dict[str, int]:
    """What the first k tokens of the two runs cover."""
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
    best: Solution,
    relaxation: Solution | None,
    lp: float | None,
) -> dict[str, Any]:
    """Optima and ratios; ratios to an upper bound of the optimum where that is all there is."""
    total = instance.words.total_symbols
    bound = best.lower_bound or 0
    relaxed = greedy["greedwmc_relaxed_cover"]
    wmc_most, wmc_found = total - instance.words.total_count, relaxed
    if relaxation is not None and relaxation.lower_bound is not None:
        # WMC's bound on tokens is its bound on relaxed cover, and one on Tok's tokens as well
        bound = max(bound, relaxation.lower_bound)
        wmc_most = total - relaxation.lower_bound
        wmc_found = max(relaxed, relaxation.extra.get("relaxed_cover", 0))
    most = total - bound
    found = max(best.cover or 0, greedy["greedtok_shortest_cover"], greedy["greedwmc_cover"])
    if found > most or wmc_found > wmc_most:
        raise VerificationError(
            f"k = {instance.k}: covers of {most} and, with overlaps, {wmc_most} are said to be the "
            f"most, and there are {found} and {wmc_found}: try another solver, and report the "
            "instance"
        )
    proven, wmc_proven = found == most, wmc_found == wmc_most
    d, certified = certified_ratio(greedy["greedtok_cover"], relaxed)
    least = (certified, certified_ratio(greedy["greedwmc_cover"], relaxed)[1], 1 - 1 / e)
    if instance.groups:  # within budgets of groups greedy does not reach 1 − 1/e
        least = (0.0, 0.0, 0.0)
    lp_gap = None
    if proven and lp is not None:
        lp_gap = max(0.0, (bound - lp) / bound) if bound else 0.0
    return {
        "proven": proven,
        "optimum_tokens": bound if proven else None,
        "optimum_cover": most if proven else None,
        "best_tokens": total - found,
        "lower_bound": bound,
        **greedy,
        "wmc_proven": wmc_proven,
        "wmc_optimum": wmc_most if wmc_proven else None,
        "d": d,
        "certified_ratio": None if instance.groups else certified,
        "ratio": _part(greedy["greedtok_cover"], most, proven, least[0]),
        "greedwmc_ratio": _part(greedy["greedwmc_cover"], most, proven, least[1]),
        "greedwmc_relaxed_ratio": _part(relaxed, wmc_most, wmc_proven, least[2]),
        "wmc_gap": _part(wmc_most, most, True, 0.0) if proven and wmc_proven else None,
        "lp_cover": None if lp is None else total - lp,
        "lp_gap": lp_gap,
    }


def _part(part: int, whole: int, proven: bool, least: float) -> float:
    """The ratio; where `whole` is only a bound, no less than what is certified."""
    ratio = part / whole if whole else 1.0
    return ratio if proven else max(ratio, least)
