"""Compares the formulations of one instance, and shows where the printed one goes wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..exact.formulations.build import FORMULATIONS, build
from ..exact.relax import relax
from ..exact.solver_io import SolverOptions, SolverReport
from ..exact.solvers.registry import available, require, run
from ..problem.instance import Instance
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress

__all__ = ["Difference", "formulations", "smallest_difference"]

_WHOLE = 1e-5  # relative; how far from whole a solver's claimed optimum may be


def formulations(
    instance: Instance,
    *,
    names: Sequence[str] | None = None,
    solvers: Sequence[str] | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Build and solve every formulation of an instance.

    Parameters
    ----------
    instance : Instance
        A small one.
    names : sequence of str, optional
        The formulations; all by default.
    solvers : sequence of str, optional
        Which prove each; by default all that are installed and solve integer programs.
    time_limit : float
        Seconds for each formulation and solver.
    seed, threads : int
        For the solvers.
    progress : Progress, optional
        Gets the name of each run as it begins.

    Returns
    -------
    list of dict
        A row for each formulation: ``formulation``, ``variables``, ``rows``, ``nonzeros``;
        ``lp_tokens``, the value of its linear relaxation by GLOP; ``tokens`` and ``cover``, its
        integer optimum where a solver proved one (of ``printed`` and ``wmc`` that is not the
        optimum of the instance); ``seconds``, a dict of what each solver took to prove it, None
        where it did not; ``termination``, a dict of why each stopped.  A model too large for
        the memory has a ``refused`` line instead of numbers.  Ctrl-C ends it with the row at hand.

    Raises
    ------
    InputError
        For an unknown formulation or solver, or where two solvers prove different optima.
    """
    if solvers is None:
        solvers = [name for name in available() if require(name).integers]
    for solver in solvers:
        require(solver, integers=True)
    progress = progress or Progress()
    rows: list[dict[str, Any]] = []
    for name in names or FORMULATIONS:
        try:
            model = build(instance, name)
        except InputError as error:
            if name not in FORMULATIONS:
                raise
            rows.append({"formulation": name, "refused": str(error)})
            continue
        progress.stage(f"{name}, linear relaxation")
        relaxed = relax(instance, name, time_limit=time_limit, seed=seed)
        row: dict[str, Any] = {
            "formulation": name,
            "variables": model.shape[1],
            "rows": model.shape[0],
            "nonzeros": model.nonzeros,
            "lp_tokens": relaxed.tokens,
            "tokens": None,
            "cover": None,
            "seconds": {},
            "termination": {},
        }
        stopped = relaxed.termination
        for solver in solvers:
            row["seconds"][solver], row["termination"][solver] = None, "interrupted"
            if stopped == "interrupted":
                continue
            progress.stage(f"{name}, {solver}")
            begun = time.monotonic()
            report = run(model, solver, SolverOptions(RunLimits(time_limit, seed, threads)))
            took = time.monotonic() - begun
            proven = _cover(instance, model.maximize, model.objective, report)
            if proven is not None and row["cover"] not in (None, proven):
                raise InputError(
                    f"{name}: {solver} proves a cover of {proven}, another solver "
                    f"{row['cover']}: please report the instance"
                )
            row["seconds"][solver] = None if proven is None else took
            row["termination"][solver] = stopped = report.stopped
            if proven is not None:
                row["cover"], row["tokens"] = proven, instance.words.total_symbols - proven
        rows.append(row)
        if stopped == "interrupted":
            break
    return rows


def _cover(instance: Instance, maximize: bool, objective: Any, report: SolverReport) -> int | None:
    """The cover of a proven optimum."""
    if report.has != "optimal" or report.values is None:
        return None
    value = float(objective @ report.values)
    if report.bound is not None and abs(value - report.bound) > max(0.5, _WHOLE * abs(value)):
        return None
    return round(value) if maximize else instance.words.total_symbols - round(value)


class Difference(NamedTuple):
    """A sub-instance on which two formulations have different optima.

    Attributes
    ----------
    instance : Instance
        Some of the words, and a budget.
    cover, true_cover : int
        What the formulation says, and the optimum of the instance.
    smallest : bool
        No fewer words, and of as many no smaller budget, and no fewer symbols differ.
    """

    instance: Instance
    cover: int
    true_cover: int
    smallest: bool


def smallest_difference(
    instance: Instance, formulation: str = "printed", *, time_limit: float = 60.0
) -> Difference | None:
    """Find the smallest part of an instance on which a formulation is not the problem.

    Parts are tried by number of words, then budget, then symbols; counts are 1, and no token is
    required.  Where the time ends that, words are dropped from the whole instance one by one as
    long as it still differs.

    Parameters
    ----------
    instance : Instance
        The instance.
    formulation : {"printed", "wmc"}
        Which.
    time_limit : float
        Seconds for the search by size; the words are dropped in at most as many again.

    Returns
    -------
    Difference or None
        None where no difference was found.
    """
    end = time.monotonic() + time_limit
    words = sorted((word for word, _ in instance.words), key=lambda word: (len(word), word))
    for part, k in _parts(words, instance.k):
        if time.monotonic() > end:
            break
        found = _difference(_part(instance, part, k), formulation, end - time.monotonic())
        if found is not None:
            return found._replace(smallest=True)
    else:
        return None
    end = time.monotonic() + time_limit
    kept = _difference(_part(instance, words, instance.k), formulation, time_limit)
    for word in reversed(words):
        if kept is None or time.monotonic() > end:
            break
        fewer = [other for other, _ in kept.instance.words if other != word]
        smaller = _difference(
            _part(instance, fewer, instance.k), formulation, end - time.monotonic()
        )
        kept = smaller or kept
    return kept


def _parts(words: list[Any], k: int) -> Iterator[tuple[list[Any], int]]:
    for size in range(1, len(words) + 1):
        # of many words only the first subsets are reached in time: no need to sort them all
        groups: Any = combinations(words, size)
        if math.comb(len(words), size) <= 100_000:
            groups = sorted(groups, key=lambda group: sum(map(len, group)))
        else:
            groups = list(_some(groups, 100_000))
        for budget in range(1, k + 1):
            yield from ((list(group), budget) for group in groups)


def _some(items: Iterator[Any], many: int) -> Iterator[Any]:
    for _, item in zip(range(many), items, strict=False):
        yield item


def _part(instance: Instance, words: list[Any], k: int) -> Instance:
    counted = WordCounts.from_counts(dict.fromkeys(words, 1), instance.symbols)
    return replace(
        instance, words=counted, k=k, required=(), prefix=(), protected=(), groups=(), source={}
    )


def _difference(instance: Instance, formulation: str, seconds: float) -> Difference | None:
    covers = []
    for name in (formulation, "path"):
        model = build(instance, name)
        report = run(model, "highs", SolverOptions(RunLimits(max(0.0, seconds))))
        if report.stopped == "interrupted":
            raise KeyboardInterrupt
        covers.append(_cover(instance, model.maximize, model.objective, report))
    cover, true = covers
    if cover is None or true is None or cover == true:
        return None
    return Difference(instance, cover, true, False)
