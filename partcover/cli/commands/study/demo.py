"""Implements the command ``demo``."""

from __future__ import annotations

from ....report.tables import Listing, columns_of
from ...command import command
from ...shown.comparison_tables import COLUMNS
from ...shown.output import Output


@command("demo")
def demo_command(out: Output) -> int:
    """Try the main commands on a text that comes with Python.

    The text is the Python language reference (pydoc_data.topics). The demo counts its words,
    chooses tokens greedily with certified ratios, finds the proven optimum for the most frequent
    words, and reduces a vertex cover to tokenization and back.

    Options:
    --threads, --seed, -o, tables
    $ partcover demo
    $ partcover demo --json  # print the results as JSON
    """
    from ....studies.demo import demo

    data = out.run("demo", demo)
    corpus, exact, graph = data["corpus"], data["exact"], data["vertex_cover"]
    shown = ("method", "rule", "k", "tokens", "tokens_per_word", "d", "certified_ratio")
    rows, missing = graph["rows"], graph["missing"] or "No answer was found."
    confirmed = "confirmed" if exact["verified"] else "NOT confirmed"
    out.result(
        data,
        f"1. Real text: {corpus['text']}\n{corpus['bytes']:,} bytes, {corpus['words']:,} distinct "
        f"words, {corpus['total_count']:,} counted; {corpus['candidates']:,} candidate tokens: "
        "every substring of every word.\n\n2. GreedTok, GreedWMC and BPE on all of it",
        Listing(data["greedy"], {key: COLUMNS[key] for key in shown}),
        "d is GreedTok's cover over GreedWMC's relaxed cover: GreedTok covers at least "
        "d·(1 − 1/e), the column 'certified', of what any vocabulary of k tokens covers.\n\n"
        f"3. The optimum for the {exact['words']} most frequent words",
        Listing(exact["rows"], columns_of("method tokens cover ratio")),
        f"k = {exact['k']}, {exact['candidates']:,} candidates: {exact['status']}, lower bound "
        f"{exact['lower_bound']:,}, {confirmed} by the independent check, "
        f"{exact['seconds']:.1f} s. Certified for GreedTok without the optimum: "
        f"{exact['certified_ratio']:.4f}.\n\n4. Vertex cover as tokenization, and back\n"
        "Edges: " + "  ".join(f"{a}–{b}" for a, b in graph["edges"]),
        Listing(rows, columns_of(" ".join(rows[0]))) if rows else missing,
        "A vocabulary of k tokens that needs at most 3 tokens per edge is a vertex cover of k "
        "vertices, and vice versa.",
    )
    return 0
