"""Implements the command ``greedwmc``."""

from __future__ import annotations

from typing import Any

from ..greedy_command import greedy_options, run_greedy
from ..options import command
from ..output import Output


@command(
    "greedwmc",
    keeps_best=True,
    examples=[("partcover greedwmc book.tsv -k 1000 --no-vocabulary --json", "")],
)
@greedy_options
def greedwmc_command(out: Output, **options: Any) -> int:
    """GreedWMC: tokens may overlap.

    Greedy maximum coverage: a pair counts once any chosen token lies over it. Its relaxed cover
    bounds what any k tokens can do: GreedTok's cover over it, times 1 - 1/e, is a certified
    approximation ratio of GreedTok.
    """
    from ...heuristics.greedy import greedwmc

    return run_greedy(greedwmc, out, **options)
