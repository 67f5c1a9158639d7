"""Draws figures from rows; matplotlib is the extra ``plot``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import InputError, MissingExtra
from ..runtime.files import atomic_writer

__all__ = ["check_plot", "plot_events", "plot_lines", "plot_ratios", "plot_rows"]


# Okabe and Ito's colours, told apart without seeing red or green; shapes tell them apart in grey
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_STYLES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 2)))


def plot_rows(rows: Sequence[Mapping[str, Any]], path: str | PathLike[str]) -> None:
    """Draw tokens per word over k, a line for each method and rule, and the lower bound.

    Parameters
    ----------
    rows : sequence of dict
        From `compare`.  A method has one colour and shape, a rule one kind of line.
    path : path
        Where to; the ending says the format (.png, .svg, .pdf).

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending that is not a figure's, or a path that cannot be written.
    """
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    bound: dict[int, float] = {}
    for row in rows:
        if row.get("tokens_per_word") is not None:
            name = (row["method"], row["rule"].replace("_", " "))
            lines.setdefault(name, []).append((row["k"], row["tokens_per_word"]))
            if row.get("lower_bound") is not None and row.get("tokens"):
                per_word = row["tokens_per_word"] / row["tokens"]
                bound[row["k"]] = row["lower_bound"] * per_word
    if bound:
        lines["lower bound", ""] = sorted(bound.items())
    plot_lines(lines, path, "k, tokens in the vocabulary", "tokens per word")


def plot_lines(
    lines: Mapping[tuple[str, str], Sequence[tuple[float, float]]],
    path: str | PathLike[str],
    across: str,
    up: str,
) -> None:
    """Draw lines with markers.

    Parameters
    ----------
    lines : mapping of (str, str) to sequence of (x, y)
        By name and kind: lines of one name have one colour and shape, those of one kind are
        dashed alike; the legend has ``name (kind)``, or the name where there is no kind.
    path : path
        Where to; the ending says the format (.png, .svg, .pdf).
    across, up : str
        What the axes show.

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending that is not a figure's, or a path that cannot be written.
    """
    form, figure_type = check_plot(path)
    names = list(dict.fromkeys(name for name, _ in lines))
    kinds = list(dict.fromkeys(kind for _, kind in lines))
    figure = figure_type(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for (name, kind), points in lines.items():
        number = names.index(name)
        axes.plot(
            *zip(*points, strict=True),
            color=_COLOURS[number % len(_COLOURS)],
            marker=_MARKERS[number % len(_MARKERS)],
            linestyle=_STYLES[kinds.index(kind) % len(_STYLES)],
            markersize=4,
            label=f"{name} ({kind})" if kind else name,
        )
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(visible=True, alpha=0.3)
    if lines:
        figure.legend(loc="outside lower center", ncols=3, fontsize="small")
    with atomic_writer(path) as file:
        figure.savefig(file, format=form, dpi=150)


_RATIOS = {
    "ratio": ("GreedTok / optimum", "#0072B2", "o", "-", 8),
    "d": ("d = GreedTok / GreedWMC's relaxed cover", "#E69F00", "s", "--", 4),
    "certified_ratio": ("certified: d · (1 − 1/e)", "#009E73", "^", ":", 4),
}


def plot_ratios(rows: Sequence[Mapping[str, Any]], path: str | PathLike[str]) -> None:
    """Draw the true ratio, d, and the certified ratio over k, a panel for each instance.

    Parameters
    ----------
    rows : sequence of dict
        From `partcover.studies.ratios`.  Where the optimum is not proven the true ratio is drawn
        hollow: it is at least that.
    path : path
        Where to; the ending says the format (.png, .svg, .pdf).

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending that is not a figure's, or a path that cannot be written.

    Notes
    -----
    Figure 3 of Lim, Choo and Lauw (2025), which could not have the true ratio.
    """
    form, figure_type = check_plot(path)
    names = list(dict.fromkeys(row["instance"] for row in rows))
    across = min(3, max(1, len(names)))
    down = max(1, -(-len(names) // across))
    inches = (max(6.0, 4.0 * across), 1.2 + 3.2 * down)
    figure = figure_type(figsize=inches, layout="constrained")
    panels = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
    for axes, name in zip(panels, names, strict=False):
        here = [row for row in rows if row["instance"] == name]
        ks = [row["k"] for row in here]
        for key, (label, colour, marker, style, size) in _RATIOS.items():
            values = [nan if row[key] is None else row[key] for row in here]
            look = {"color": colour, "marker": marker, "linestyle": style, "markersize": size}
            axes.plot(ks, values, **look, label=label)
        open_ = [(row["k"], row["ratio"]) for row in here if not row["proven"]]
        if open_:
            hollow = {"marker": "o", "markersize": 8, "color": "#0072B2", "linestyle": "none"}
            label = "at least (optimum not proven)"
            axes.plot(*zip(*open_, strict=True), **hollow, markerfacecolor="white", label=label)
        axes.set_title(name, fontsize="medium")
        axes.set_xlabel("k, tokens in the vocabulary")
        axes.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        axes.set_ylim(0, 1.03 * max([1.0, *(row["d"] for row in rows)]))  # GreedWMC may be behind
        axes.grid(visible=True, alpha=0.3)
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    panels[0].set_ylabel("part of the cover")
    labelled = [axes.get_legend_handles_labels() for axes in panels]
    legend = {
        label: line for lines, labels in labelled for line, label in zip(lines, labels, strict=True)
    }
    figure.legend(legend.values(), legend.keys(), loc="outside lower center", ncols=2)
    with atomic_writer(path) as file:
        figure.savefig(file, format=form, dpi=150)


def plot_events(events: Sequence[Mapping[str, Any]], path: str | PathLike[str]) -> None:
    """Draw the incumbent and the lower bound over time.

    Parameters
    ----------
    events : sequence of dict
        As `partcover.problem.solution.Event.to_json` makes them, in order.
    path : path
        Where to; the ending says the format (.png, .svg, .pdf).

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending that is not a figure's, or a path that cannot be written.
    """
    form, figure_type = check_plot(path)
    figure = figure_type(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for key, label, colour, marker in (
        ("tokens", "incumbent", "#0072B2", "o"),
        ("lower_bound", "lower bound", "#E69F00", "s"),
    ):
        points = [(event["seconds"], event[key]) for event in events if event[key] is not None]
        if points:
            look = {"color": colour, "marker": marker, "markersize": 3}
            axes.step(*zip(*points, strict=True), where="post", label=label, **look)
    axes.set_xlabel("seconds")
    axes.set_ylabel("tokens")
    axes.ticklabel_format(axis="y", style="plain", useOffset=False)
    axes.grid(visible=True, alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    with atomic_writer(path) as file:
        figure.savefig(file, format=form, dpi=150)


def check_plot(path: str | PathLike[str]) -> tuple[str, Any]:
    """The format that a path's ending asks for, and matplotlib's Figure.

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending that is not a figure's.
    """
    form = Path(path).suffix.lstrip(".").lower()
    if form not in ("png", "svg", "pdf"):
        raise InputError(f"{path}: a plot ends in .png, .svg or .pdf")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "a plot") from None
    return form, Figure
