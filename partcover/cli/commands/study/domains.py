"""Implements the command ``domains``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import partcover as pc

from ....corpus import symbols as sym
from ....report.tables import Listing, columns_of
from ... import shared
from ...command import argument, command, option
from ...shown.output import Output


@command(
    "domains",
    examples=[("partcover domains book.tsv law.tsv -k 1000 --share 0.5", "")],
)
@argument("corpora", metavar="C.tsv…", nargs=-1, required=True, help="Word counts of each domain.")
@option("-k", "k", type=int, required=True, help="Number of tokens to choose.")
@option(
    "--share",
    type=float,
    default=1.0,
    help="Number of candidates from each corpus, as a fraction of k.",
)
@option(
    "--symbols",
    type=click.Choice(sym.SYMBOLS),
    help="Symbols of the words. Default: as the files say, else bytes.",
)
@shared.output(threads=True)
def domains_command(
    out: Output, corpora: tuple[str, ...], k: int, share: float, symbols: sym.Symbols | None
) -> int:
    """Compare joint and per-domain candidate tokens.

    Both rows run GreedTok on all corpora together. The first row chooses from all substrings. The
    second row first chooses tokens on each corpus alone, and then chooses only from these.
    """
    from ....studies.domains import compare_domains

    names = [Path(corpus).stem for corpus in corpora]
    if len(set(names)) < len(names):
        names = list(corpora)
    rows = compare_domains(
        [pc.WordCounts.load(corpus, symbols) for corpus in corpora],
        k,
        share,
        names=names,
        threads=out.threads,
    )
    for row in rows:
        if row["size"] < k:
            out.note(
                f"{row['method']}: only {row['size']:,} tokens chosen; no further token saves "
                "anything"
            )
    columns = columns_of("method k size candidates tokens tokens_shortest_path")
    columns |= {name: name for name in names} | {"seconds": "seconds"}
    shown: list[dict[str, Any]] = [
        {**{key: row.get(key) for key in columns}, **row["domains"]} for row in rows
    ]
    out.result({"share": share, "rows": rows}, Listing(shown, columns))
    return 0
