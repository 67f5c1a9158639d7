"""Implements the command ``greedwmc``."""

from __future__ import annotations

import partcover as pc

from ... import shared
from ...command import command
from ...inputs import InstanceSource
from ...plan import plan_option
from ...shown.output import Output
from .greedtok import run_greedy


@command(
    "greedwmc",
    keeps_best=True,
    examples=[("partcover greedwmc book.tsv -k 1000 --no-vocabulary --json", "")],
)
@shared.vocabulary(seed=False)
@plan_option("greedy")
def greedwmc_command(out: Output, source: InstanceSource, time_limit: float | None) -> int:
    """Choose a vocabulary with GreedWMC, whose tokens may overlap.

    GreedWMC is greedy weighted maximum coverage: a pair of adjacent symbols is covered as soon as
    any chosen token contains it, even if tokens overlap. The ratio of GreedTok's cover to this
    relaxed cover, times 1 - 1/e, is a certified approximation ratio of GreedTok.
    """
    return run_greedy(pc.greedwmc, out, source, time_limit)
