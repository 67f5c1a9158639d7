"""Implements the command ``report``."""

from __future__ import annotations

import click

from ..command import argument, command, option
from ..options import output_options, seconds_option
from ..output import Output
from ..paths import ReadablePath


@command(
    "report",
    examples=[
        ("partcover report rows.json v.json book.tsv -o page.html", ""),
        ("partcover report book.tsv v.json --certificate p.cert -o page.html", "with prices"),
    ],
)
@argument("files", nargs=-1, required=True, metavar="FILE…")
@option(
    "--certificate",
    "certificates",
    multiple=True,
    type=ReadablePath(),
    metavar="P.cert",
    help="A certificate whose prices are shown; among the FILEs it is one, too. Repeatable.",
)
@option("--title", help="The heading. Default: the name of the corpus.")
@option(
    "--sample",
    default=2_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="The number of words of the corpus to pick from, at most.",
)
@seconds_option(default=10.0, about="For the optimum of each small instance.")
@output_options(writes="the page", kind="text", table=False, threads=True, seed=True)
def report_command(
    out: Output,
    files: tuple[str, ...],
    certificates: tuple[str, ...],
    title: str | None,
    sample: int,
    time_limit: float,
) -> int:
    """Put results on one HTML page that needs no network.

    FILE is what the other commands write: the JSON of compare (a table and a figure),
    vocabularies and solutions, the counted words C.tsv that they cut and a certificate with its
    prices (the explorer: words cut by each of them, side by side), small instances (greedy step by
    step beside the optimum), reductions (the picture of the graph beside its words).
    """
    from ...report.html_page import write_page
    from ...report.runs import read_runs

    if out.path is None:
        raise click.UsageError("-o is missing: which file is the page to be?")
    runs = read_runs((*files, *certificates))
    with out.progress("report") as progress:
        write_page(
            runs,
            out.path,
            title=title,
            sample=sample,
            time_limit=time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
        )
    if out.path != "-":
        out.wrote(out.path)
    if out.json:
        out.object({"wrote": out.path, "files": len(files) + len(certificates)})
    return 0
