"""Compares the formulations of an instance, and shows where the published one is wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import Annotated, Any, NamedTuple

from ..corpus import symbols as sym
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..exact.formulations.build import EXACT, FORMULATIONS, build
from ..exact.in_integers import is_beyond_tolerances
from ..exact.relax import relax
from ..exact.solver_io import SolverOptions, SolverReport
from ..exact.solvers.registry import available, require, run
from ..exact.sparse_model import SparseModel
from ..problem.instance import Instance
from ..runtime.arguments import Range, Seconds, Seed, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress

_TOLERANCE = 1e-5  # relative, of a solver's claimed optimum
_SUBSETS = 100_000  # of each size; more are never reached in time


@checked
def formulations(
    instance: Instance,
    *,
    names: Sequence[str] | None = None,
    solvers: Sequence[str] | None = None,
    time_limit: Seconds = 60.0,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Builds and solves every formulation of an instance.

    Parameters
    ----------
    instance : Instance
        A small one.
    names : sequence of str, optional
        The formulations; all by default.
    solvers : sequence of str, optional
        The solvers that prove each; by default all that are installed and solve integer programs.
    time_limit : float
        Seconds for each formulation and solver.
    seed, threads : int
        Random seed and threads of the solvers.
    progress : Progress, optional
        Gets the name of each run as it begins.

    Returns
    -------
    list of dict
        A row for each formulation: ``formulation``, ``variables``, ``rows``, ``nonzeros``;
        ``lp_tokens``, the value of its linear relaxation by GLOP; ``tokens`` and ``cover``, its
        integer optimum where a solver proved one (for ``printed`` and ``wmc`` not the optimum of
        the instance), None if the counts add up to more than 2^30 symbols, where a solver's
        tolerances may be whole tokens; ``seconds``, the time of each solver to prove it, None
        where it did not; ``termination``, why each solver stopped.  A model too large for the
        memory has a ``refused`` line instead of numbers.  After Ctrl-C the current row is the last.

    Raises
    ------
    InputError
        For an unknown formulation or solver, or where two solvers prove different optima.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.studies.formulations import formulations
    >>> instance = Instance({"banana": 2, "bandana": 1}, 1)
    >>> for row in formulations(instance, names=["path", "occurrence"], solvers=["highs"]):
    ...     print(row["formulation"], row["tokens"])
    path 9
    occurrence 9
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
        relaxation = relax(instance, name, time_limit=time_limit, seed=seed)
        row: dict[str, Any] = {
            "formulation": name,
            "variables": model.shape[1],
            "rows": model.shape[0],
            "nonzeros": model.nonzeros,
            "lp_tokens": relaxation.tokens,
            "tokens": None,
            "cover": None,
            "seconds": dict.fromkeys(solvers),
            "termination": dict.fromkeys(solvers, "interrupted"),
        }
        rows.append(row)
        interrupted = relaxation.termination == "interrupted"
        for solver in () if interrupted else solvers:
            progress.stage(f"{name}, {solver}")
            _prove(row, instance, model, solver, RunLimits(time_limit, seed, threads))
            interrupted = row["termination"][solver] == "interrupted"
            if interrupted:
                break
        if interrupted:
            break
    return rows


def _prove(
    row: dict[str, Any], instance: Instance, model: SparseModel, solver: str, limits: RunLimits
) -> None:
    """Runs a solver on a model and fills in what it proved."""
    started = time.monotonic()
    report = run(model, solver, SolverOptions(limits))
    seconds = time.monotonic() - started
    row["termination"][solver] = report.stopped
    cover = _cover(instance, model.maximize, model.objective, report)
    if cover is None:
        return
    if row["cover"] not in (None, cover):
        raise InputError(
            f"{row['formulation']}: {solver} proves a cover of {cover}, another solver "
            f"{row['cover']}: please report the instance"
        )
    row["seconds"][solver] = seconds
    row["cover"], row["tokens"] = cover, instance.words.total_symbols - cover


def _cover(instance: Instance, maximize: bool, objective: Any, report: SolverReport) -> int | None:
    """Returns the cover of a proven optimum, None without one."""
    if report.has != "optimal" or report.values is None or is_beyond_tolerances(instance):
        return None
    value = float(objective @ report.values)
    if report.bound is not None and abs(value - report.bound) > max(0.5, _TOLERANCE * abs(value)):
        return None
    return round(value) if maximize else instance.words.total_symbols - round(value)


class Difference(NamedTuple):
    """A part of an instance on which ``printed`` has another optimum.

    Attributes
    ----------
    instance : Instance
        Some of the words, and a budget.
    cover, true_cover : int
        The optimum of ``printed``, and that of the instance.
    smallest : bool
        Whether no part with fewer words differs, and none with as many words and a smaller
        budget, or the same budget and fewer symbols.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.studies.formulations import smallest_difference
    >>> found = smallest_difference(Instance({"banana": 1}, 2))  # the equations as printed
    >>> found.instance.k, found.cover, found.true_cover
    (1, 4, 5)
    """

    instance: Instance
    cover: int
    true_cover: int
    smallest: bool

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return {
            "words": [sym.to_json(word) for word, _ in self.instance.words],
            "k": self.instance.k,
            "printed_cover": self.cover,
            "cover": self.true_cover,
            "smallest": self.smallest,
        }


@checked
def printed_differs(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether ``printed`` has another optimum than the exact formulations.

    Parameters
    ----------
    rows : sequence of dict
        What `formulations` returns.

    Examples
    --------
    >>> from partcover.studies.formulations import printed_differs
    >>> printed_differs([{"formulation": name, "cover": 4} for name in ("path", "printed")])
    False
    """
    optima = {row["cover"] for row in rows if row["formulation"] in EXACT} - {None}
    printed = [row.get("cover") for row in rows if row["formulation"] == "printed"]
    return bool(optima and printed) and printed[0] not in (None, *optima)


@checked
def smallest_difference(
    instance: Instance, *, time_limit: Annotated[float, Range(0)] = 60.0
) -> Difference | None:
    """Finds the smallest part of an instance on which ``printed`` has another optimum.

    Parts are tried by number of words, then budget, then symbols; counts are 1, and no token is
    required.  When the time is over, words are dropped from the whole instance one by one as long
    as the optima still differ.

    Parameters
    ----------
    instance : Instance
        The instance.
    time_limit : float
        Seconds for the search by size, and again for dropping words.

    Returns
    -------
    Difference or None
        None without a difference.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.studies.formulations import smallest_difference
    >>> smallest_difference(Instance({"abc": 1, "xyz": 1}, 2)) is None
    True
    """
    end = time.monotonic() + time_limit
    words = sorted((word for word, _ in instance.words), key=lambda word: (len(word), word))
    for part, k in word_subsets(words, instance.k):
        if time.monotonic() > end:
            break
        difference = _difference(_part(instance, part, k), end - time.monotonic())
        if difference is not None:
            return difference._replace(smallest=True)
    else:
        return None
    end = time.monotonic() + time_limit
    difference = _difference(_part(instance, words, instance.k), time_limit)
    for word in reversed(words):
        if difference is None or time.monotonic() > end:
            break
        fewer = [other for other, _ in difference.instance.words if other != word]
        smaller = _difference(_part(instance, fewer, instance.k), end - time.monotonic())
        difference = smaller or difference
    return difference


def word_subsets(words: list[Any], k: int) -> Iterator[tuple[list[Any], int]]:
    """Yields subsets of the words with budgets up to k, by size, budget and symbols."""
    for size in range(1, len(words) + 1):
        subsets = list(islice(combinations(words, size), _SUBSETS))
        if math.comb(len(words), size) <= _SUBSETS:
            subsets.sort(key=lambda subset: sum(map(len, subset)))
        for budget in range(1, k + 1):
            yield from ((list(subset), budget) for subset in subsets)


def _part(instance: Instance, words: list[Any], k: int) -> Instance:
    """Makes an instance of some of the words, each counted once."""
    counted = WordCounts.from_counts(dict.fromkeys(words, 1), instance.symbols)
    return replace(
        instance, corpus=counted, k=k, required=(), prefix=(), protected=(), groups=(), source={}
    )


def _difference(instance: Instance, seconds: float) -> Difference | None:
    """Compares the optimum of ``printed`` with that of the instance; None if they agree."""
    covers = []
    for name in ("printed", "path"):
        model = build(instance, name)
        report = run(model, "highs", SolverOptions(RunLimits(max(0.0, seconds))))
        if report.stopped == "interrupted":
            raise KeyboardInterrupt
        covers.append(_cover(instance, model.maximize, model.objective, report))
    cover, true = covers
    if cover is None or true is None or cover == true:
        return None
    return Difference(instance, cover, true, False)
