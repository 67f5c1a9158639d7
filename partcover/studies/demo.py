"""Runs the main job from text to proof, on text that every Python has."""

from __future__ import annotations

import importlib
import time
from typing import Any

from ..corpus.word_counts import WordCounts
from ..errors import MissingExtra
from ..exact.solve import solve
from ..hardness.graphs import import_networkx
from ..hardness.reduction import reduce_vertex_cover
from ..heuristics.greedy import certified_ratio, greedtok, greedwmc
from ..problem.instance import Instance
from ..runtime.progress import Progress
from ..verification.recount import verify
from .compare import compare

# Figure 1 of the GreedTok paper: {2, 4} covers every edge, and no single vertex does
FIGURE_1 = [(1, 2), (2, 3), (2, 4), (3, 4), (4, 5)]


def demo(*, threads: int = 1, seed: int = 0, progress: Progress | None = None) -> dict[str, Any]:
    """Counts words, chooses tokens greedily and exactly, certifies, and reduces vertex cover.

    Parameters
    ----------
    threads, seed : int
        Threads and random seed of the methods.
    progress : Progress, optional
        Gets the name of each part as it begins.

    Returns
    -------
    dict
        ``corpus`` (facts), ``greedy`` (rows of `compare`), ``exact`` (facts, and rows with the
        true ratio of each method), ``vertex_cover`` (rows over k; none, and why in ``missing``,
        where networkx is not installed).

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, also where a method would return its best so far.
    """
    progress = progress or Progress()
    progress.stage("counting")
    words, corpus = _count()
    progress.stage("GreedTok, GreedWMC and BPE on every word")
    instance = Instance(words, 2000)
    corpus["candidates"] = instance.index.total
    methods = ["greedtok", "greedwmc", "bpe"]
    greedy = compare(instance, [100, 500, 1000, 2000], methods, seed=seed, threads=threads)
    if greedy.interrupted:
        raise KeyboardInterrupt
    progress.stage("the exact optimum of the most frequent words")
    exact = _optimum(Instance(words.most_frequent(400), 40), seed, threads)
    progress.stage("vertex cover")
    return {
        "corpus": corpus,
        "greedy": greedy.rows,
        "exact": exact,
        "vertex_cover": _vertex_covers(seed),
    }


def _go_on(*terminations: str) -> None:
    """Raises KeyboardInterrupt if it ended one of these runs."""
    if "interrupted" in terminations:
        raise KeyboardInterrupt


def _count() -> tuple[WordCounts, dict[str, Any]]:
    """Counts the words of the Python language reference; returns them and facts."""
    topics: dict[str, str] = importlib.import_module("pydoc_data.topics").topics
    started = time.monotonic()
    words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2")
    return words, {
        "text": "pydoc_data.topics (the Python language reference)",
        "bytes": sum(len(text.encode()) for text in topics.values()),
        "words": len(words),
        "total_count": words.total_count,
        "seconds": time.monotonic() - started,
    }


def _optimum(instance: Instance, seed: int, threads: int) -> dict[str, Any]:
    """Solves an instance exactly, beside the greedy methods and what they certify."""
    optimum = solve(instance, time_limit=40, seed=seed, threads=threads)
    _go_on(optimum.termination)
    partition, relaxed = greedtok(instance), greedwmc(instance)
    _go_on(partition.termination, relaxed.termination)
    d, certified = certified_ratio(partition.cover or 0, relaxed.extra["relaxed_cover"])
    solutions = {"optimum": optimum, "greedtok": partition, "greedwmc": relaxed}
    return {
        "words": len(instance.words),
        "k": instance.k,
        "candidates": instance.index.total,
        "status": optimum.status,
        "lower_bound": optimum.lower_bound,
        "verified": verify(instance, optimum.vocabulary).ok,
        "seconds": optimum.seconds,
        "d": d,
        "certified_ratio": certified,
        "rows": [
            {
                "method": name,
                "tokens": solution.tokens,
                "cover": solution.cover,
                "ratio": (solution.cover or 0) / (optimum.cover or 1),
            }
            for name, solution in solutions.items()
        ],
    }


def _vertex_covers(seed: int) -> dict[str, Any]:
    """Solves vertex cover on the graph for several k; without networkx, says what is missing."""
    rows = []
    missing = None
    try:
        rows = [_vertex_cover(k, seed) for k in range(1, 4)]
    except MissingExtra as error:
        missing = str(error)
    return {"edges": [list(edge) for edge in FIGURE_1], "rows": rows, "missing": missing}


def _vertex_cover(k: int, seed: int) -> dict[str, Any]:
    """Reduces the graph, solves the instance and lifts the answer."""
    reduction = reduce_vertex_cover(import_networkx("a vertex cover").Graph(FIGURE_1), k)
    answer = solve(reduction.instance, seed=seed)
    _go_on(answer.termination)
    lift = reduction.lift(answer.vocabulary)
    return {
        "k": k,
        "tokens": answer.tokens,
        "threshold": reduction.instance.threshold,
        "meets_threshold": lift.meets_threshold,
        "vertices": " ".join(map(str, lift.vertices)),
        "is_vertex_cover": lift.is_vertex_cover,
    }
