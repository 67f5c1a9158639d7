"""Makes the figures of the paper, and fills its numbers in, from paper/results.json.

    python paper/figures.py

writes gaps.pdf, search.pdf and paper.md, the last from template.md; `make paper` goes on to a PDF.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAMES = {
    "bpe": "BPE",
    "unigram": "Unigram",
    "greedtok": "GreedTok",
    "greedtok, shortest path": "GreedTok, shortest path",
}
STYLES = {"bpe": "s", "unigram": "D", "greedtok": "o", "greedtok, shortest path": "^"}


def load() -> dict[str, Any]:
    """The file of results."""
    results: dict[str, Any] = json.loads((HERE / "results.json").read_text("utf-8"))
    return results


def excess(tokens: int, bound: int) -> float:
    """How many per cent more tokens than the bound."""
    return 100 * (tokens - bound) / bound


def optima(results: dict[str, Any]) -> str:
    """The table of proven optima, in Markdown."""
    methods = ["greedtok", "greedtok, shortest path", "bpe", "unigram"]
    head = ["k", "optimum", *(NAMES[name] for name in methods), "cases", "solved in", "checked in"]
    rows = [head, ["--:"] * len(head)]
    for row in results["optima"]:
        shares = [f"+{excess(row['methods'][name], row['tokens']):.2f} %" for name in methods]
        times = [f"{row[key]:.1f} s" for key in ("solve_seconds", "check_seconds")]
        rows.append([str(row["k"]), f"{row['tokens']:,}", *shares, str(row["leaves"]), *times])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def numbers(results: dict[str, Any]) -> dict[str, str]:
    """Everything that the template names."""
    proven, bounded = results["optima"], results["bounded"]

    def worst(method: str) -> str:
        most = max(excess(row["methods"][method], row["tokens"]) for row in proven)
        return f"{math.ceil(10 * most) / 10:.1f}"

    gaps = [100 * (row["tokens"] - row["lower_bound"]) / row["tokens"] for row in bounded]
    checks = [row["check_seconds"] for row in proven]
    return {
        "candidates": f"{proven[0]['candidates']:,}",
        "novel_words": f"{results['novel']['words']:,}",
        "novel_total": f"{results['novel']['total_count']:,}",
        "check_least": f"{min(checks):.1f}",
        "check_most": f"{max(checks):.1f}",
        "greedtok_worst": worst("greedtok"),
        "bpe_worst": worst("bpe"),
        "seconds": str(bounded[0]["seconds"]),
        "gap_least": f"{min(gaps):.2f}",
        "gap_most": f"{max(gaps):.2f}",
        "search_k": f"{searched(results)['k']:,}",
        "instances": str(results["library"]["instances"]),
        "proven": str(results["library"]["proven"]),
        "optima": optima(results),
    }


def searched(results: dict[str, Any]) -> dict[str, Any]:
    """The search that is drawn: the one for the smallest budget that is not solved."""
    row: dict[str, Any] = results["bounded"][0]
    return row


def filled(results: dict[str, Any]) -> str:
    """The text of the paper: the template with its numbers."""
    template = (HERE / "template.md").read_text("utf-8")
    known = numbers(results)
    return re.sub(r"(?<![a-z])\{(\w+)\}", lambda match: known[match[1]], template)


def draw(results: dict[str, Any]) -> None:
    """Draws the two figures; the same results make the same bytes."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False})
    mpl.rcParams["pdf.fonttype"] = 42
    rows = [*results["optima"], *results["bounded"]]
    budgets = [row["k"] for row in rows]
    figure, axes = plt.subplots(figsize=(5.2, 2.6), layout="constrained")
    lines = {
        NAMES[name]: ([row["methods"][name] for row in rows], mark) for name, mark in STYLES.items()
    }
    lines["best found"] = ([row["tokens"] for row in rows], "v")
    for name, (tokens, mark) in lines.items():
        bounds = [row.get("lower_bound", row["tokens"]) for row in rows]
        shares = [excess(n, bound) for n, bound in zip(tokens, bounds, strict=True)]
        axes.plot(budgets, shares, marker=mark, markersize=4, linewidth=1, label=name)
    axes.set_xscale("log", base=2)
    axes.set_xticks(budgets, [f"{k:,}" for k in budgets])
    axes.set_xlabel("k, tokens in the vocabulary")
    axes.set_ylabel("tokens above the bound, in %")
    axes.set_ylim(0, 9.5)
    axes.legend(frameon=False, loc="upper left", ncols=3)
    _save(figure, "gaps.pdf")

    search = searched(results)
    seconds, tokens, bounds = zip(*search["events"], strict=True)
    figure, axes = plt.subplots(figsize=(5.2, 2.2), layout="constrained")
    axes.step(seconds, tokens, where="post", label="best vocabulary", linewidth=1.2)
    axes.step(seconds, bounds, where="post", label="lower bound", linewidth=1.2)
    axes.set_ylim(0.97 * search["lower_bound"], 1.02 * search["tokens"])
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("seconds")
    axes.set_ylabel("tokens")
    axes.legend(frameon=False)
    _save(figure, "search.pdf")


def _save(figure: Any, name: str) -> None:
    """Writes a figure without the date."""
    figure.savefig(HERE / name, metadata={"CreationDate": None})


if __name__ == "__main__":
    measured = load()
    draw(measured)
    (HERE / "paper.md").write_text(filled(measured), encoding="utf-8")
