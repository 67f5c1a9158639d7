"""Implements the commands ``greedtok`` and ``greedwmc``."""

from __future__ import annotations

from typing import Any

from ..inputs import read_instance
from ..options import (
    Command,
    command,
    instance_options,
    k_option,
    no_vocabulary_option,
    output_options,
    pretokenizer_option,
    seconds_option,
)
from ..outcome import finish
from ..output import Output


def _greedy_command(name: str, text: str, examples: list[tuple[str, str]]) -> Command:
    @k_option
    @seconds_option()
    @no_vocabulary_option
    @pretokenizer_option
    @instance_options
    @output_options(writes="the vocabulary", kind="text", threads=True)
    def run(
        out: Output,
        corpus: str,
        k: int | None,
        time_limit: float | None,
        no_vocabulary: bool,
        pretokenizer: str | None,
        **options: Any,
    ) -> int:
        from ...heuristics import greedy

        instance = read_instance(corpus, k, options, pretokenizer)
        solver = getattr(greedy, name)
        with out.progress(name) as report:
            solution = solver(
                instance,
                time_limit=time_limit,
                threads=out.threads,
                progress=lambda done, of, cover: report(done, of, f"cover {cover:,}"),
            )
        return finish(out, solution, instance, no_vocabulary, corpus)

    run.__doc__ = text
    return command(name, examples=examples, keeps_best=True)(run)


greedtok = _greedy_command(
    "greedtok",
    """GreedTok: take what covers most, k times.

    Tokens are stated under GreedTok's own rule (priority order); the fewest that the same
    vocabulary needs is beside it. Ties: the shorter token, then the lexicographically last.
    """,
    [
        ("partcover greedtok book.tsv -k 1000 -o v.json", ""),
        ("partcover greedtok book.tsv -k 1000 --max-length 16 --json", "no longer candidates"),
    ],
)
greedwmc = _greedy_command(
    "greedwmc",
    """GreedWMC: tokens may overlap.

    Greedy maximum coverage: a pair counts once any chosen token lies over it. Its relaxed cover
    bounds what any k tokens can do: GreedTok's cover over it, times 1 - 1/e, is a certified
    approximation ratio of GreedTok.
    """,
    [("partcover greedwmc book.tsv -k 1000 --no-vocabulary --json", "")],
)
