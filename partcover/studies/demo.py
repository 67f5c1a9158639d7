"""Runs the main job, start to end, on text that is on every machine."""

from __future__ import annotations

import importlib
import time
from typing import Any

import networkx as nx

from ..corpus.word_counts import WordCounts
from ..exact.solve import solve
from ..hardness.reduction import reduce_vertex_cover
from ..heuristics.greedy import certified_ratio, greedtok, greedwmc
from ..problem.instance import Instance
from ..runtime.progress import Progress
from ..verification.recount import verify
from .compare import compare

__all__ = ["demo"]

# Figure 1 of the paper: five vertices; {2, 4} touches every edge, and no single vertex does
FIGURE_1 = [(1, 2), (2, 3), (2, 4), (3, 4), (4, 5)]


def demo(*, threads: int = 1, seed: int = 0, progress: Progress | None = None) -> dict[str, Any]:
    """Count, choose greedily, solve exactly, certify, reduce and lift.

    Parameters
    ----------
    threads, seed : int
        Passed on.
    progress : Progress, optional
        Gets the name of each part as it begins.

    Returns
    -------
    dict
        ``corpus`` (facts), ``greedy`` (rows of `compare`), ``exact`` (facts and rows with the
        true ratio of each method), ``vertex_cover`` (rows over k).
    """
    progress = progress or Progress()
    progress.stage("counting")
    topics: dict[str, str] = importlib.import_module("pydoc_data.topics").topics
    started = time.monotonic()
    words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2")
    corpus = {
        "text": "pydoc_data.topics (the Python language reference)",
        "bytes": sum(len(text.encode()) for text in topics.values()),
        "words": len(words),
        "total_count": words.total_count,
        "seconds": time.monotonic() - started,
    }

    progress.stage("GreedTok, GreedWMC and BPE on every word")
    instance = Instance(words, 2000)
    corpus["candidates"] = instance.index.total
    methods = ["greedtok", "greedwmc", "bpe"]
    greedy = compare(instance, [100, 500, 1000, 2000], methods, seed=seed, threads=threads).rows

    progress.stage("the exact optimum of the most frequent words")
    small = Instance(words.most_frequent(400), 40)
    optimum = solve(small, time_limit=40, seed=seed, threads=threads)
    partition, relaxed = greedtok(small), greedwmc(small)
    d, certified = certified_ratio(partition.cover or 0, relaxed.extra["relaxed_cover"])
    checked = verify(small, optimum.vocabulary).ok
    rows = [
        {
            "method": name,
            "tokens": solution.tokens,
            "cover": solution.cover,
            "ratio": (solution.cover or 0) / (optimum.cover or 1),
        }
        for name, solution in (("optimum", optimum), ("greedtok", partition), ("greedwmc", relaxed))
    ]
    exact = {
        "words": len(small.words),
        "k": small.k,
        "candidates": small.index.total,
        "status": optimum.status,
        "lower_bound": optimum.lower_bound,
        "verified": checked,
        "seconds": optimum.seconds,
        "d": d,
        "certified_ratio": certified,
        "rows": rows,
    }

    progress.stage("vertex cover")
    graph = nx.Graph(FIGURE_1)
    cover_rows = []
    for k in range(1, 4):
        reduction = reduce_vertex_cover(graph, k)
        answer = solve(reduction.instance, seed=seed)
        if answer.vocabulary is None:
            continue
        lift = reduction.lift(answer.vocabulary)
        cover_rows.append(
            {
                "k": k,
                "tokens": answer.tokens,
                "threshold": reduction.instance.threshold,
                "meets_threshold": lift.meets_threshold,
                "vertices": " ".join(map(str, lift.vertices)),
                "is_vertex_cover": lift.is_vertex_cover,
            }
        )
    edges = [list(edge) for edge in FIGURE_1]
    return {
        "corpus": corpus,
        "greedy": greedy,
        "exact": exact,
        "vertex_cover": {"edges": edges, "rows": cover_rows},
    }
