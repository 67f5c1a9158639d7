"""Methods side by side on one instance, over several budgets: one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .errors import InputError
from .exact import solve
from .greedy import certified_ratio, greedtok, greedwmc
from .instance import Instance
from .search import improve
from .segment import Segmentation, segment
from .solution import Solution
from .vocabulary import Vocabulary

__all__ = ["METHODS", "compare"]

METHODS = ("greedtok", "greedwmc", "improve", "solve", "bytes")


def compare(
    instance: Instance,
    budgets: Sequence[int],
    methods: Sequence[str] = ("greedtok", "greedwmc", "bytes"),
    *,
    vocabularies: Mapping[str, Vocabulary] | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[str], None] | None = None,
) -> list[dict[str, Any]]:
    """Run methods for every budget.

    Parameters
    ----------
    instance : Instance
        The words and candidates; its own k is not used.
    budgets : sequence of int
        The k of each group of rows.
    methods : sequence of {"greedtok", "greedwmc", "improve", "solve", "bytes"}
        ``bytes`` is the floor without any token; ``improve`` searches for as long as it may;
        ``solve`` proves optima where it can.
    vocabularies : mapping of str to Vocabulary, optional
        Given ones by their names, each beside what methods choose with as many tokens: its size
        is a budget too.
    time_limit : float, optional
        Seconds for each run of a method.
    seed, threads : int
        Passed on.
    progress : callable, optional
        Called with what runs now.

    Returns
    -------
    list of dict
        Keys ``method``, ``rule``, ``k``, ``size``, ``tokens``, ``tokens_per_word``, ``cover``,
        ``lower_bound``, ``gap``, ``seconds``; GreedWMC adds ``relaxed_cover``; GreedTok, where
        GreedWMC ran too, ``d`` and ``certified_ratio``.  A greedy method runs once, for the
        largest budget (``seconds`` is of that run); GreedTok and given vocabularies have a row
        under their own rule and one under the shortest path.  A bound from ``solve`` holds for
        every row of its k.

    Raises
    ------
    InputError
        For an unknown method, no budget, or a given vocabulary over other symbols.
    """
    given = vocabularies or {}
    budgets = [*budgets, *map(len, given.values())]
    for method in methods:
        if method not in METHODS:
            raise InputError(f"unknown method {method!r}: use {', '.join(METHODS)}")
    if not budgets:
        raise InputError("no budget k to compare for")
    rows: list[dict[str, Any]] = []
    runs: dict[str, Solution] = {}
    options: dict[str, Any] = {"time_limit": time_limit, "seed": seed, "threads": threads}
    for method, run in (("greedtok", greedtok), ("greedwmc", greedwmc)):
        if method in methods:
            if progress is not None:
                progress(method)
            runs[method] = run(instance.with_k(max(budgets)), **options)
    for k in sorted(set(budgets)):
        group: list[dict[str, Any]] = []
        for method in dict.fromkeys(methods):
            if method == "bytes":
                group.append(_row(instance, k, "bytes", "single_symbols", (), 0.0, threads))
            elif method in ("improve", "solve"):
                if progress is not None:
                    progress(f"{method}, k = {k}")
                search = improve if method == "improve" else solve
                group.append(_solved(search(instance.with_k(k), **options)))
            else:
                group += _greedy_rows(instance, k, runs[method], threads)
        for name, vocabulary in given.items():
            if len(vocabulary) == k:
                group += _given_rows(instance, name, vocabulary, threads)
        _relate(group, certified=not instance.groups)
        rows += group
    return rows


def _row(
    instance: Instance,
    k: int,
    method: str,
    rule: str,
    tokens: Sequence[Any],
    seconds: float,
    threads: int,
) -> dict[str, Any]:
    vocabulary = Vocabulary(tokens, instance.symbols, method)
    cut = segment(
        instance.words,
        vocabulary,
        "priority" if rule == "priority" else "shortest_path",
        threads=threads,
    )
    return _counted(instance, k, method, rule, len(vocabulary), cut, seconds)


def _given_rows(
    instance: Instance, name: str, vocabulary: Vocabulary, threads: int
) -> list[dict[str, Any]]:
    size = len(vocabulary)
    rows = []
    for rule in dict.fromkeys((vocabulary.rule, "shortest_path")):
        cut = segment(instance.words, vocabulary, rule, threads=threads)
        rows.append(_counted(instance, size, name, rule, size, cut, None))
    return rows


def _counted(
    instance: Instance,
    k: int,
    method: str,
    rule: str,
    size: int,
    cut: Segmentation,
    seconds: float | None,
) -> dict[str, Any]:
    return {
        "method": method,
        "rule": rule,
        "k": k,
        "size": size,
        "tokens": cut.tokens,
        "tokens_per_word": cut.tokens / max(1, instance.words.total_count),
        "cover": cut.cover,
        "lower_bound": None,
        "gap": None,
        "seconds": seconds,
    }


def _greedy_rows(instance: Instance, k: int, run: Solution, threads: int) -> list[dict[str, Any]]:
    if run.vocabulary is None:
        return []
    rules = ["priority", "shortest_path"] if run.method == "greedtok" else ["shortest_path"]
    size = max(k, len(instance.fixed))
    tokens = run.vocabulary.tokens[:size]
    rows = [_row(instance, k, run.method, rule, tokens, run.seconds, threads) for rule in rules]
    if run.method == "greedwmc":
        rows[0]["relaxed_cover"] = sum(run.gains[:size])
    return rows


def _solved(solution: Solution) -> dict[str, Any]:
    return {
        "method": solution.method,
        "rule": solution.rule,
        "k": solution.k,
        "size": None if solution.vocabulary is None else len(solution.vocabulary),
        "tokens": solution.tokens,
        "tokens_per_word": solution.tokens_per_word,
        "cover": solution.cover,
        "lower_bound": solution.lower_bound,
        "gap": solution.gap,
        "seconds": solution.seconds,
        "status": solution.status,
        "termination": solution.termination,
    }


def _relate(group: list[dict[str, Any]], *, certified: bool) -> None:
    """Fill in what one row says about the others of its k.

    Within budgets of groups GreedWMC has no guarantee to certify with.
    """
    bounds = [row["lower_bound"] for row in group if row["lower_bound"] is not None]
    for row in group:
        if bounds and row["tokens"]:
            row["lower_bound"] = max(bounds)
            row["gap"] = (row["tokens"] - max(bounds)) / row["tokens"]
    relaxed = next((row["relaxed_cover"] for row in group if "relaxed_cover" in row), None)
    if relaxed is not None and certified:
        for row in group:
            if row["method"] == "greedtok" and row["rule"] == "priority":
                row["d"], row["certified_ratio"] = certified_ratio(row["cover"], relaxed)
