"""Implements the command ``greedwmc``."""

from __future__ import annotations

from ...command import command
from ...greedy_run import run_greedy
from ...inputs import InstanceSource
from ...options import vocabulary_options
from ...plan import plan_option
from ...shown.output import Output


@command(
    "greedwmc",
    keeps_best=True,
    examples=[("partcover greedwmc book.tsv -k 1000 --no-vocabulary --json", "")],
)
@vocabulary_options(seed=False)
@plan_option("greedy")
def greedwmc_command(out: Output, source: InstanceSource, time_limit: float | None) -> int:
    """GreedWMC: tokens may overlap.

    Greedy maximum coverage: a pair of symbols is covered once any chosen token lies over it. Its
    relaxed cover bounds the cover of any k tokens: GreedTok's cover over it, times 1 - 1/e, is a
    certified approximation ratio of GreedTok.
    """
    from ....heuristics.greedy import greedwmc

    return run_greedy(greedwmc, out, source, time_limit)
