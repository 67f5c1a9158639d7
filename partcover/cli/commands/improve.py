"""Implements the command ``improve``."""

from __future__ import annotations

from typing import Any

import click

from ...errors import InputError
from ...problem.certificate import Certificate
from ...vocabulary.vocabulary import Vocabulary
from ..exit_status import EXIT_USAGE
from ..inputs import read_instance
from ..options import (
    command,
    gap_option,
    instance_options,
    k_option,
    no_vocabulary_option,
    option,
    output_options,
    pretokenizer_option,
    seconds_option,
)
from ..output import Output, say
from ..paths import ReadablePath, WritablePath
from ..results import save_certificate, write_solution


@command(
    "improve",
    keeps_best=True,
    examples=[
        ("partcover improve book.tsv -k 1000 -o v.json --time-limit 60", ""),
        (
            "partcover improve book.tsv -k 1000 --write-certificate p.cert --gap 0.005",
            "with the proof, until half a percent is left",
        ),
    ],
)
@k_option
@option(
    "--start",
    type=ReadablePath(),
    metavar="V.json",
    help="A vocabulary to start from, besides GreedTok's.",
)
@option(
    "--start-certificate",
    type=ReadablePath(),
    metavar="P.cert",
    help="A proof to start from; its bound is kept.",
)
@gap_option
@seconds_option(about="Stop after this long; two fifths of it go to the lower bound.")
@option("--no-bound", is_flag=True, help="Only search; nothing says how far from optimal.")
@option(
    "--write-certificate",
    type=WritablePath(),
    metavar="FILE",
    help="Write the proof of the bound (.cert), unless FILE proves more already.",
)
@option(
    "--events",
    type=WritablePath(),
    metavar="FILE",
    help="A JSON line for each phase, better vocabulary or bound.",
)
@option(
    "--plot",
    type=WritablePath("figure"),
    metavar="FILE",
    help="Draw incumbent and bound over time (.png, .svg).",
)
@no_vocabulary_option
@pretokenizer_option
@instance_options
@output_options(writes="the vocabulary", kind="text", threads=True, seed=True)
def improve_command(
    out: Output,
    corpus: str,
    k: int | None,
    start: str | None,
    start_certificate: str | None,
    gap: float | None,
    time_limit: float | None,
    no_bound: bool,
    write_certificate: str | None,
    events: str | None,
    plot: str | None,
    no_vocabulary: bool,
    pretokenizer: str | None,
    **options: Any,
) -> int:
    """Search for a better vocabulary, and bound the optimum.

    First GreedTok; then a lower bound, whose prices guide the search; then tokens are exchanged
    by what adding and dropping them is worth under the shortest path, exactly. Without a time
    limit all ends by itself; with one the search goes on until then. Whatever the limit, the
    words are read, their substrings enumerated, half a second given to GreedTok, and the result
    recounted.
    """
    from ...bounds.improve import improve as find

    if no_bound and (write_certificate or start_certificate):
        option = "--write-certificate" if write_certificate else "--start-certificate"
        raise click.UsageError(f"--no-bound and {option} exclude each other")
    given = None if start is None else Vocabulary.load(start)
    proof = None if start_certificate is None else Certificate.load(start_certificate)
    instance = read_instance(corpus, k, options, pretokenizer)
    with out.events(events, phase="greedtok", plot=plot, time_limit=time_limit) as progress:
        solution = find(
            instance,
            given,
            bound=not no_bound,
            start_certificate=proof,
            gap=gap or 0.0,
            time_limit=time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
        )
    unsaved = False
    if write_certificate is not None and solution.certificate is not None:
        try:
            save_certificate(out, write_certificate, solution.certificate, instance)
        except InputError as error:  # a full disk must not take the vocabulary along
            say(f"partcover: {error}")
            unsaved = True
    status = write_solution(out, solution, instance, no_vocabulary, corpus)
    return EXIT_USAGE if unsaved else status
