"""Implements the command ``report``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ...command import command
from ...shown.output import Output

_DEFAULT = "report.html"


@command("report")
def report_command(out: Output, files: tuple[str, ...], sample: int, time_limit: float) -> int:
    """Write results as one HTML page that works offline.

    FILE is any output of the other commands, in any order:

    \b
    - word counts and vocabularies: tokens needed, segmented words, text to type
    - a certificate: how far the vocabularies are from optimal, and prices
    - JSON of compare: a chart of the gaps, and tables
    - events of a search (.jsonl): a chart of the gap over time
    - a small instance: greedy steps next to the optimum
    - a reduction: the graph next to its words

    The default of -o is report.html, if there is no such file yet.

    Options:
    files <FILE...: Outputs of other commands; see above.
    --sample N>=1 = 2000: Maximum number of words of the corpus on the page.
    --time-limit SECONDS = 10: Time for the optimum of each small instance.
    -o >FILE: Write the page.
    --threads, --seed, plain
    $ partcover report book.tsv v.json other.json  # compare two vocabularies on a corpus
    $ partcover report book.tsv v.json rows.json p.cert -o page.html
      # add the rows of compare --json and a certificate
    """
    from ....report.html_page import write_page
    from ....report.runs import read_runs

    path = out.path or _DEFAULT
    if out.path is None and Path(path).exists():
        raise click.UsageError(f"{path} already exists: choose another file with -o")
    runs = read_runs(files)
    limits = {"sample": sample, "time_limit": time_limit}
    out.run("report", write_page, runs, path, **limits)
    replace(out, path=path).end({"wrote": path, "files": len(files)})
    return 0
