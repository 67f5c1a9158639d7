"""Implements the command ``ratio``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ....report.tables import Listing, columns_of
from ...command import command
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, parse_budgets
from ...shown.output import Output


@command("ratio", keeps_best=True)
def ratio_command(
    out: Output,
    source: InstanceSource,
    files: tuple[str, ...],
    ks: str | None,
    plot: str | None,
    **options: Any,
) -> int:
    """Measure how close the greedy methods come to the optimum.

    The table has one row for each instance and k: the ratio of GreedTok's cover to the optimal
    cover, the ratio that GreedWMC certifies without the optimum, and the gaps of the relaxations.
    If a time limit leaves the optimum open, ≥ marks the ratio that the bound proves.

    Options:
    files <C.tsv|I.json...: Word counts, or instance files.
    -k ks K,K,…: Numbers of tokens to choose: 1,2,5 or 1-10.
    --solver TEXT: Solver: highs, scip, cp-sat, or cbc. Default: as for `solve`.
    --time-limit SECONDS: Time limit for each of the three optima of a row.
    --plot >FIGURE: Plot the ratios over k (.png, .svg, .pdf).
    conditions, --threads, --seed, -o, tables
    $ partcover ratio small.tsv -k 1-3,10 --plot ratio.svg -o ratio.csv
    """
    from ....studies.ratios import ratios

    budgets = parse_budgets(ks)
    source = replace(source, k=max(budgets, default=None))
    inputs = [(Path(corpus).stem, replace(source, corpus=corpus).read()) for corpus in files]
    rows: list[dict[str, Any]] = []
    for name, instance in inputs:  # after Ctrl-C the row it fell into is the last
        if not rows or rows[-1]["termination"] != "interrupted":
            measured = instance, budgets or [instance.k]
            rows += out.run("ratio", ratios, *measured, name=name, **options)
    if plot is not None:
        from ....report.plots import plot_ratios

        plot_ratios(rows, plot)
        out.wrote(plot)
    out.result({"rows": rows}, Listing(list(map(_shown, rows)), _COLUMNS, data=rows))
    return EXIT_INTERRUPTED if rows[-1]["termination"] == "interrupted" else 0


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row for the table, in which a ratio that is only a bound is marked with ≥."""
    shown = {**row, "wmc": row["wmc_gap"]}  # a ratio: no key that ends in gap, no percentage
    keys = [] if row["proven"] else ["ratio", "greedwmc_ratio"]
    for key in keys if row["wmc_proven"] else [*keys, "greedwmc_relaxed_ratio"]:
        shown[key] = f"≥ {row[key]:.4f}"
    if not row["proven"]:
        shown["optimum_tokens"] = f"{row['lower_bound']:,} – {row['best_tokens']:,}"
    return shown


_COLUMNS = columns_of(
    "instance k optimum_tokens greedtok_tokens ratio d certified_ratio greedwmc_ratio "
    "greedwmc_relaxed_ratio wmc lp_gap seconds",
    optimum_tokens="optimum",
    greedtok_tokens="GreedTok",
    certified_ratio="certified",
    greedwmc_ratio="GreedWMC",
    greedwmc_relaxed_ratio="GreedWMC relaxed",
    wmc="WMC / opt.",
    lp_gap="LP gap",
)
