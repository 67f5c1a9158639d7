"""Implements the commands ``greedtok`` and ``greedwmc``."""

from __future__ import annotations

from collections.abc import Callable

import partcover as pc

from ...command import command
from ...inputs import InstanceSource
from ...results import write_solution
from ...shown.output import Output


@command("greedtok", keeps_best=True, plan="greedy")
def greedtok_command(out: Output, source: InstanceSource, time_limit: float | None) -> int:
    """Choose a vocabulary in seconds with the greedy method GreedTok.

    GreedTok adds one token at a time, always the one that saves most. The result shows the tokens
    that the corpus needs under GreedTok's own segmentation rule (priority order) and under the best
    segmentation (shortest path). Ties go to the shorter token, then to the lexicographically last.

    Options:
    corpora
    -o >FILE: Write the vocabulary.
    -k, --time-limit, --no-vocabulary, --pretokenizer, --minimax, --reference, conditions,
    --threads, tables, --plan
    $ partcover greedtok book.tsv -k 1000 -o v.json
    $ partcover greedtok book.tsv -k 1000 --max-length 16 --json
      # only tokens of at most 16 symbols
    $ partcover greedtok de.tsv en.tsv -k 1000 --minimax  # balance two languages
    """
    return run_greedy(pc.greedtok, out, source, time_limit)


def run_greedy(
    method: Callable[..., pc.Solution],
    out: Output,
    source: InstanceSource,
    time_limit: float | None,
) -> int:
    """Runs a greedy method, writes its solution and returns the exit status."""
    instance = source.read(several=True, threads=out.threads)
    solution = out.run(method.__name__, method, instance, time_limit=time_limit)
    return write_solution(out, solution, instance, source.name)


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
