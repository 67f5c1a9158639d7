"""Implements the command ``greedtok``."""

from __future__ import annotations

from ...command import command
from ...greedy_run import run_greedy
from ...inputs import InstanceSource
from ...options import vocabulary_options
from ...plan import plan_option
from ...shown.output import Output


@command(
    "greedtok",
    keeps_best=True,
    examples=[
        ("partcover greedtok book.tsv -k 1000 -o v.json", ""),
        ("partcover greedtok book.tsv -k 1000 --max-length 16 --json", "no longer candidates"),
        ("partcover greedtok de.tsv en.tsv -k 1000 --minimax", "no language is served badly"),
    ],
)
@vocabulary_options(seed=False, several=True)
@plan_option("greedy")
def greedtok_command(out: Output, source: InstanceSource, time_limit: float | None) -> int:
    """GreedTok: take what covers most, k times.

    Tokens are counted under GreedTok's own rule (priority order), with the fewest that the same
    vocabulary needs beside them. Ties: the shorter token, then the lexicographically last.

    With --minimax and several inputs it runs on all their words, the counts of an input multiplied
    by a weight, which grows where the input needs more tokens than others for its reference.
    """
    from ....heuristics.greedy import greedtok

    return run_greedy(greedtok, out, source, time_limit)
