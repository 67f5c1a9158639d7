"""Implements the command ``report``."""

from __future__ import annotations

from pathlib import Path

import click

from ...command import argument, command, option
from ...options import output_options, seconds_option
from ...paths import ReadablePath
from ...shown.output import Output

_DEFAULT = "report.html"


@command(
    "report",
    examples=[
        ("partcover report book.tsv v.json other.json", "two vocabularies on a corpus"),
        (
            "partcover report book.tsv v.json rows.json p.cert -o page.html",
            "with the rows of compare --json, and the proof",
        ),
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

    FILE is what the other commands write, in any order: vocabularies and the counted words C.tsv
    that they cut (what they need, words and typed text as each cuts them), a certificate (how far
    from optimal they are, recounted, and the prices of symbols), the JSON of compare (gaps as a
    chart, and tables), the events of a search (.jsonl; the gap over time), small instances (greedy
    step by step beside the optimum), reductions (the graph beside its words).

    The page is report.html, unless that exists already or -o names another.
    """
    from ....report.html_page import write_page
    from ....report.runs import read_runs

    path = out.path or _DEFAULT
    if out.path is None and Path(path).exists():
        raise click.UsageError(f"{path} exists already: name the page with -o")
    runs = read_runs((*files, *certificates))
    with out.progress("report") as progress:
        write_page(
            runs,
            path,
            title=title,
            sample=sample,
            time_limit=time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
        )
    if path != "-":
        out.wrote(path)
    if out.json:
        out.object({"wrote": path, "files": len(files) + len(certificates)})
    return 0
