"""Implements the command ``ratio``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ....problem.instance import Instance
from ....report.tables import Listing
from ...command import argument, command, option
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, parse_budgets
from ...options import candidate_options, output_options, plot_option, seconds_option
from ...shown.output import Output


@command(
    "ratio",
    keeps_best=True,
    examples=[
        ("partcover ratio small.tsv -k 1-3,10 --plot ratio.svg -o ratio.csv", ""),
        ("partcover ratio --family cycle:5-8 -k 2", "instances made for it"),
    ],
)
@argument("corpora", nargs=-1, metavar="[C.tsv|I.json…]")
@option(
    "--family",
    "families",
    multiple=True,
    metavar="NAME:SIZES",
    help="Generated instances, as cycle:5-12; see partcover generate --list. Repeatable.",
)
@option("-k", "ks", help="Budgets: 1,2,5 or 1-10.", metavar="K,K,…")
@option("--solver", help="highs, scip, cp-sat or cbc. Default: as for `solve`.")
@seconds_option(about="For each solve, three a row.")
@plot_option("Draw the ratios over k (.png, .svg, .pdf).")
@candidate_options
@output_options(threads=True, seed=True)
def ratio_command(
    out: Output,
    source: InstanceSource,
    corpora: tuple[str, ...],
    families: tuple[str, ...],
    ks: str | None,
    plot: str | None,
    **options: Any,
) -> int:
    """Measure how close greedy comes to the optimum.

    One row for each instance and budget: GreedTok's cover over the optimum's, beside the ratio
    that GreedWMC certifies without the optimum, and what the relaxations allow. Where a limit
    left the optimum open, ratios are stated as at least (≥) what the bound proves.
    """
    budgets = parse_budgets(ks)
    inputs = _read_inputs(
        replace(source, k=max(budgets, default=None)), corpora, families, out.seed
    )
    rows = _measure(out, inputs, budgets, options)
    if plot is not None:
        from ....report.plots import plot_ratios

        plot_ratios(rows, plot)
        out.wrote(plot)
    out.result({"rows": rows}, Listing(list(map(_shown, rows)), _COLUMNS, data=rows))
    return EXIT_INTERRUPTED if rows[-1]["termination"] == "interrupted" else 0


def _read_inputs(
    source: InstanceSource, corpora: Sequence[str], families: Sequence[str], seed: int
) -> list[tuple[str, Instance]]:
    """Reads the instances, and generates those of families; each with its name."""
    from ....instances.families import generate

    inputs = [(Path(corpus).stem, replace(source, corpus=corpus).read()) for corpus in corpora]
    for family in families:
        name, _, sizes = family.partition(":")
        if not sizes:
            raise click.UsageError(f"--family {family}: NAME:SIZES is expected, as cycle:5-12")
        inputs += [
            (f"{name}-{size}", generate(name, size, seed, source.k))
            for size in parse_budgets(sizes, "--family")
        ]
    if not inputs:
        raise click.UsageError("nothing to measure: give counted words, an instance or --family")
    return inputs


def _measure(
    out: Output,
    inputs: Sequence[tuple[str, Instance]],
    budgets: Sequence[int],
    options: dict[str, Any],
) -> list[dict[str, Any]]:
    """Measures the ratios; after Ctrl-C the row it fell into is the last."""
    from ....studies.ratios import ratios

    rows: list[dict[str, Any]] = []
    with out.progress("ratio") as progress:
        for name, instance in inputs:
            rows += ratios(
                instance,
                budgets or [instance.k],
                name=name,
                seed=out.seed,
                threads=out.threads,
                progress=progress,
                **options,
            )
            if rows[-1]["termination"] == "interrupted":
                break
    return rows


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row for the table, in which a ratio that is only a bound is marked with ≥."""
    shown = {**row, "wmc": row["wmc_gap"]}  # a ratio: no key that ends in gap, no percentage
    keys = [] if row["proven"] else ["ratio", "greedwmc_ratio"]
    for key in keys if row["wmc_proven"] else [*keys, "greedwmc_relaxed_ratio"]:
        shown[key] = f"≥ {row[key]:.4f}"
    if not row["proven"]:
        shown["optimum_tokens"] = f"{row['lower_bound']:,} – {row['best_tokens']:,}"
    return shown


_COLUMNS = {
    "instance": "instance",
    "k": "k",
    "optimum_tokens": "optimum",
    "greedtok_tokens": "GreedTok",
    "ratio": "ratio",
    "d": "d",
    "certified_ratio": "certified",
    "greedwmc_ratio": "GreedWMC",
    "greedwmc_relaxed_ratio": "its relaxed",
    "wmc": "WMC / opt.",
    "lp_gap": "LP gap",
    "seconds": "seconds",
}
