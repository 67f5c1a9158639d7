"""Figures from rows; matplotlib is the extra ``plot``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from .errors import InputError, MissingExtra
from .files import atomic_writer

__all__ = ["plot_rows"]


def plot_rows(rows: Sequence[Mapping[str, Any]], path: str | PathLike[str]) -> None:
    """Draw tokens per word over k, a line for each method and rule.

    Parameters
    ----------
    rows : sequence of dict
        From `compare`.
    path : path
        Where to; the ending says the format (.png, .svg, .pdf).

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending that is not a figure's, or a path that cannot be written.
    """
    form = Path(path).suffix.lstrip(".").lower()
    if form not in ("png", "svg", "pdf"):
        raise InputError(f"{path}: a plot ends in .png, .svg or .pdf")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "a plot") from None
    lines: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        if row["tokens_per_word"] is not None:
            name = f"{row['method']} ({row['rule'].replace('_', ' ')})"
            lines.setdefault(name, []).append((row["k"], row["tokens_per_word"]))
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for name, points in lines.items():
        axes.plot(*zip(*points, strict=True), marker="o", label=name)
    axes.set_xlabel("k, tokens in the vocabulary")
    axes.set_ylabel("tokens per word")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    with atomic_writer(path) as file:
        figure.savefig(file, format=form, dpi=150)
