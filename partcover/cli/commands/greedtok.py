"""Implements the command ``greedtok``."""

from __future__ import annotations

from ..command import command
from ..greedy_run import run_greedy
from ..inputs import InstanceSource
from ..options import vocabulary_options
from ..output import Output
from ..plan import plan_option


@command(
    "greedtok",
    keeps_best=True,
    examples=[
        ("partcover greedtok book.tsv -k 1000 -o v.json", ""),
        ("partcover greedtok book.tsv -k 1000 --max-length 16 --json", "no longer candidates"),
    ],
)
@vocabulary_options(seed=False)
@plan_option("greedy")
def greedtok_command(out: Output, source: InstanceSource, time_limit: float | None) -> int:
    """GreedTok: take what covers most, k times.

    Tokens are counted under GreedTok's own rule (priority order), with the fewest that the same
    vocabulary needs beside them. Ties: the shorter token, then the lexicographically last.
    """
    from ...heuristics.greedy import greedtok

    return run_greedy(greedtok, out, source, time_limit)
