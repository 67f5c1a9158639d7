"""``domains``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from .. import symbols as sym
from ..corpus import WordCounts
from ..files import write_atomic
from ..options import Output, output_options


@click.command()
@click.argument("corpora", metavar="C.tsv…", nargs=-1, required=True)
@click.option("-k", "k", type=int, required=True, help="How many tokens may be chosen.")
@click.option(
    "--share",
    type=float,
    default=1.0,
    show_default=True,
    help="Tokens chosen for each domain, as a part of k.",
)
@click.option(
    "--symbols", type=click.Choice(sym.SYMBOLS), help="Default: as the files say, or bytes."
)
@output_options
def domains(
    out: Output, corpora: tuple[str, ...], k: int, share: float, symbols: sym.Symbols | None
) -> int:
    """Compare GreedTok on all of several corpora with candidates chosen on each.

    The second row chooses tokens on each corpus alone, and then on all of them together with
    only these as candidates.
    """
    from ..domains import compare_domains
    from ..report import rows_table

    names = [Path(corpus).stem for corpus in corpora]
    if len(set(names)) < len(names):
        names = list(corpora)
    rows = compare_domains(
        [WordCounts.load(corpus, symbols) for corpus in corpora],
        k,
        share,
        names=names,
        seed=out.seed,
        threads=out.threads,
    )
    data = {"share": share, "rows": rows}
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False) + "\n")
        out.note(f"wrote {out.path}")
    for row in rows:
        if row["size"] < k:
            out.note(f"{row['method']}: nothing left to gain after {row['size']:,} tokens")
    if out.json:
        out.object(data)
        return 0
    keys = ("method", "k", "size", "candidates", "tokens", "tokens_shortest_path")
    shown: list[dict[str, Any]] = [
        {**{key: row[key] for key in (*keys, "seconds")}, **row["domains"]} for row in rows
    ]
    columns = {key: key.replace("_", " ") for key in keys}
    columns |= {name: name for name in names} | {"seconds": "seconds"}
    out.console.print(rows_table(shown, columns))
    return 0
