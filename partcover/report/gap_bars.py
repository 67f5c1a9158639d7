"""Draws how far vocabularies of one size are from the optimum; matplotlib is the extra ``plot``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from ..errors import InputError, printable
from ..runtime.arguments import checked
from .figures import COLORS, need_values, new_figure

_GRAY = "#555555"


@checked
def has_gaps(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all rows have the same k and a gap.

    Parameters
    ----------
    rows : sequence of dict
        Rows of a `Comparison`.

    Examples
    --------
    >>> from partcover.report.gap_bars import has_gaps
    >>> has_gaps([{"k": 2, "gap": 0.1}]), has_gaps([{"k": 2, "gap": 0.1}, {"k": 3, "gap": 0.1}])
    (True, False)
    """
    return len({row.get("k") for row in rows}) == 1 and all(
        row.get("gap") is not None for row in rows
    )


@checked
def plot_gaps(rows: Sequence[Mapping[str, Any]], path: str | PathLike[str]) -> None:
    """Plots the gap of each method to the proven lower bound as a bar.

    Parameters
    ----------
    rows : sequence of dict
        Rows of a `Comparison` for which `has_gaps` holds.
    path : path
        Where to; the ending names the format (.png, .svg, .pdf).

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending of no figure, or a path that cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from partcover import Instance, compare
    >>> from partcover.report.gap_bars import plot_gaps
    >>> instance = Instance({"banana": 2, "bandana": 1}, 0)
    >>> rows = compare(instance, [2], ["greedtok", "bpe"], bound=1).rows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     figure = Path(folder) / "figure.svg"
    ...     plot_gaps(rows, figure)
    ...     figure.exists()
    True
    """
    if not has_gaps(rows):
        raise InputError("the rows have no gaps of one k: give rows of a comparison with a bound")
    need_values(rows, "k method rule tokens lower_bound", "a comparison")
    ordered = sorted(rows, key=lambda row: row["gap"])
    several = len({row["method"] for row in rows}) < len(rows)  # rules of one method
    smallest = ordered[0]["gap"]
    largest = max(0.001, ordered[-1]["gap"])
    with new_figure(path, 8, 1.1 + 0.5 * len(ordered)) as figure:
        axes = figure.add_subplot()
        for place, row in enumerate(ordered):
            color = COLORS["blue"] if row["gap"] == smallest else COLORS["orange"]
            axes.barh(place, 100 * row["gap"], height=0.6, color=color)
            text = f"  {100 * row['gap']:.1f} %  ({row['tokens']:,} tokens)"
            axes.text(100 * row["gap"], place, text, va="center", color=_GRAY)
        names = [
            f"{row['method']}, {row['rule'].replace('_', ' ')}" if several else row["method"]
            for row in ordered
        ]
        axes.set_yticks(range(len(ordered)), [*map(printable, names)], parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", colors=_GRAY)
        axes.axvline(0, color="black", linewidth=1.5)
        axes.set_xlim(0, 135 * largest)
        axes.xaxis.set_major_formatter("{x:g} %")
        axes.spines[["top", "right", "bottom", "left"]].set_visible(False)
        bound = ordered[0]["lower_bound"]
        title = f"Gap to the proven lower bound of {bound:,} tokens, k = {ordered[0]['k']:,}"
        axes.set_title(title, loc="left", fontsize="medium")
