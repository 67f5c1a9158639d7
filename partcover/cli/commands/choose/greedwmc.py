"""Implements the command ``greedwmc``."""

from __future__ import annotations

import partcover as pc

from ...command import command
from ...inputs import InstanceSource
from ...shown.output import Output
from .greedtok import run_greedy


@command("greedwmc", keeps_best=True, plan="greedy")
def greedwmc_command(out: Output, source: InstanceSource, time_limit: float | None) -> int:
    """Choose a vocabulary with GreedWMC, whose tokens may overlap.

    GreedWMC is greedy weighted maximum coverage: a pair of adjacent symbols is covered as soon as
    any chosen token contains it, even if tokens overlap. The ratio of GreedTok's cover to this
    relaxed cover, times 1 - 1/e, is a certified approximation ratio of GreedTok.

    Options:
    corpus
    -o >FILE: Write the vocabulary.
    -k, --time-limit, --no-vocabulary, --pretokenizer, conditions, --threads, tables, --plan
    $ partcover greedwmc book.tsv -k 1000 --no-vocabulary --json
    """
    return run_greedy(pc.greedwmc, out, source, time_limit)
