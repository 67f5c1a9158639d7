"""Draws the pictures of docs/results/benchmarks.md from the tables of that page.

    python benchmarks/charts.py [docs/results/benchmarks.md] [-o docs/images] [--format svg]

A range, as 102 to 109, is drawn to its middle.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import matplotlib
from matplotlib.figure import Figure

OWN, OTHER, GRAY = "#0072B2", "#B8BEC6", "#57606A"
DOCS = Path(__file__).parents[1] / "docs"


@dataclass
class Panel:
    """Bars: the rows of the first table of a section that has both columns."""

    section: str
    label: str
    value: str
    title: str
    only: str = ""  # how the first column begins


PANELS = (
    Panel("GreedTok", "GreedTok by", "seconds", "GreedTok, 5,000 tokens: seconds, less is better"),
    Panel("BPE", "BPE by", "seconds", "BPE, 5,000 merges: seconds, less is better"),
    Panel("Text to ids", "encoder", "MB a second", "Text to ids: MB a second, more is better"),
    Panel(
        "Counting words",
        "counted by",
        "MB a second",
        "Counting words: MB a second, more is better",
        "`gpt2`",
    ),
    Panel(
        "Proofs and bounds",
        "solver",
        "words proven in 60 s",
        "Proven in 60 s: words, more is better",
    ),
)

_SUITE = "A suite on Python's documentation"
SUITE_PANELS = tuple(
    Panel(_SUITE, "step", "milliseconds", f"{title}: milliseconds, less is better", f"{step}: ")
    for step, title in {
        "count": "Counting words",
        "greedy": "GreedTok and GreedWMC, 1,000 tokens",
        "train BPE": "BPE from the text, 1,000 merges",
        "encode": "Text to ids",
    }.items()
)
PICTURES = {"benchmarks": PANELS, "benchmarks-suite": SUITE_PANELS}


def tables(page, section):
    """The tables of a section, each a list of rows by column."""
    text = page.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    for lines in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, _, *rows = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()
        ]
        yield [dict(zip(head, row, strict=True)) for row in rows]


def bars(page, panel):
    """Labels, numbers and their texts."""
    for table in tables(page, panel.section):
        if {panel.label, panel.value} <= table[0].keys():
            rows = [row for row in table if next(iter(row.values())).startswith(panel.only)]
            texts = [row[panel.value] for row in rows]
            names = [row[panel.label].removeprefix(panel.only).replace("`", "") for row in rows]
            labels = [fill(name, 25) for name in names]
            return labels, [number(text) for text in texts], texts
    raise SystemExit(f"{panel.section}: no table of {panel.label} and {panel.value}")


def number(text):
    ends = [float(part.replace(",", "")) for part in re.findall(r"[\d.,]*\d", text)]
    return sum(ends) / len(ends)


def draw(page, panels, path):
    drawn = [bars(page, panel) for panel in panels]
    heights = [len(labels) + 1.9 for labels, *_ in drawn]
    figure = Figure(figsize=(5, 0.3 * sum(heights)), layout="constrained")
    places = figure.subplots(len(panels), 1, gridspec_kw={"height_ratios": heights})
    for place, panel, (labels, numbers, texts) in zip(places, panels, drawn, strict=True):
        own = ["partcover" in label for label in labels]
        lines = range(len(labels))
        place.barh(lines, numbers, 0.72, color=[OWN if mine else OTHER for mine in own])
        for line, value, text, mine in zip(lines, numbers, texts, own, strict=True):
            place.annotate(
                text,
                (value, line),
                (4, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
                weight="bold" if mine else "normal",
            )
        place.set_yticks(lines, labels, fontsize=9)
        place.set_ylim(len(labels) - 0.5, -0.5)
        place.set_xlim(0, 1.3 * max(numbers))
        place.set_xticks([])
        place.tick_params(left=False)
        place.spines[["top", "right", "bottom"]].set_visible(False)
        place.spines["left"].set_color(GRAY)
        title, _, unit = panel.title.partition(": ")
        place.set_title(title, loc="left", fontsize=10, weight="bold", pad=17)
        place.annotate(
            unit, (0, 1), (0, 5), "axes fraction", "offset points", fontsize=9, color=GRAY
        )
    matplotlib.rcParams["svg.hashsalt"] = "partcover"  # the same bytes each time
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("page", type=Path, nargs="?", default=DOCS / "results" / "benchmarks.md")
    parser.add_argument("-o", type=Path, dest="folder", default=DOCS / "images")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    options = parser.parse_args()
    page = options.page.read_text("utf-8")
    for name, panels in PICTURES.items():
        draw(page, panels, options.folder / f"{name}.{options.format}")


if __name__ == "__main__":
    main()
