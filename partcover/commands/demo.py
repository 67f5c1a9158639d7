"""``demo``."""

from __future__ import annotations

import json

import click
from rich.text import Text

from ..files import write_atomic
from ..options import (
    Output,
    output_options,
)
from .compare import COLUMNS


@click.command()
@output_options
def demo(out: Output) -> int:
    """Show it all on text that is on every machine.

    The text is the Python language reference, pydoc_data.topics: counted, tokenized greedily with
    certified ratios, solved exactly on its most frequent words; and a vertex cover, as
    tokenization and back.
    """
    from ..demo import demo as run
    from ..report import rows_table

    with out.progress("demo") as report:
        data = run(threads=out.threads, seed=out.seed, progress=lambda what: report(0, None, what))
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    if out.json:
        out.object(data)
        return 0
    console = out.console
    corpus, exact, graph = data["corpus"], data["exact"], data["vertex_cover"]
    console.print(Text(f"1. Real text: {corpus['text']}", style="bold"))
    console.print(
        f"{corpus['bytes']:,} bytes, {corpus['words']:,} distinct words, "
        f"{corpus['total_count']:,} counted; {corpus['candidates']:,} candidate tokens: every "
        "substring of every word.\n"
    )
    console.print(Text("2. GreedTok, GreedWMC and BPE on all of it", style="bold"))
    shown = ("method", "rule", "k", "tokens", "tokens_per_word", "d", "certified_ratio")
    columns = {key: COLUMNS[key] for key in shown}
    console.print(rows_table(data["greedy"], columns))
    console.print(
        "d is GreedTok's cover over GreedWMC's relaxed cover: GreedTok covers at least "
        "d·(1 − 1/e), the column 'certified', of what any vocabulary of k tokens covers.\n"
    )
    console.print(
        Text(f"3. The optimum for the {exact['words']} most frequent words", style="bold")
    )
    columns = {"method": "method", "tokens": "tokens", "cover": "cover", "ratio": "ratio"}
    console.print(rows_table(exact["rows"], columns))
    console.print(
        f"k = {exact['k']}, {exact['candidates']:,} candidates: {exact['status']}, lower bound "
        f"{exact['lower_bound']:,}, {'confirmed' if exact['verified'] else 'NOT confirmed'} by "
        f"the independent check, {exact['seconds']:.1f} s. Certified for GreedTok without the "
        f"optimum: {exact['certified_ratio']:.4f}.\n"
    )
    console.print(Text("4. Vertex cover as tokenization, and back", style="bold"))
    console.print("Edges: " + "  ".join(f"{a}–{b}" for a, b in graph["edges"]))
    rows = graph["rows"]
    console.print(rows_table(rows, {key: key.replace("_", " ") for key in rows[0]}))
    console.print(
        "k tokens that need at most 3 tokens an edge are a vertex cover of k vertices, and the "
        "other way round."
    )
    return 0
