"""Implements the command ``greedtok``."""

from __future__ import annotations

from typing import Any

from ..greedy_command import greedy_options, run_greedy
from ..options import command
from ..output import Output


@command(
    "greedtok",
    keeps_best=True,
    examples=[
        ("partcover greedtok book.tsv -k 1000 -o v.json", ""),
        ("partcover greedtok book.tsv -k 1000 --max-length 16 --json", "no longer candidates"),
    ],
)
@greedy_options
def greedtok_command(out: Output, **options: Any) -> int:
    """GreedTok: take what covers most, k times.

    Tokens are stated under GreedTok's own rule (priority order); the fewest that the same
    vocabulary needs is beside it. Ties: the shorter token, then the lexicographically last.
    """
    from ...heuristics.greedy import greedtok

    return run_greedy(greedtok, out, **options)
