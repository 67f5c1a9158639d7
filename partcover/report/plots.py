"""Plots comparisons, ratios and the progress of a search; matplotlib is the extra ``plot``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..errors import InputError, printable, shorten
from ..runtime.arguments import checked, is_listed, shown
from .charts import CHOSEN, comparison_lines
from .figures import COLORS, need_values, new_figure
from .line_labels import name_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# darker than Okabe and Ito's where those are too light for text
_LINES = ("#0072B2", "#A84A00", "#00735A", "#A3307C", "#5B4BC4", "#7A6200", "#B3261E", "#4A5560")
_INK = "#222222"
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")  # which differ in gray, too
_STYLES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 2)))


@checked
def plot_rows(rows: Sequence[Mapping[str, Any]], path: str | PathLike[str]) -> None:
    """Plots gaps over k, or tokens per word if a lower bound is missing.

    There is a line for each method and rule, and one for the lower bounds.

    Parameters
    ----------
    rows : sequence of dict
        Rows of a `Comparison`.  A method has one color and marker, a rule one style of line.
    path : path
        The file to write; its extension selects the format (.png, .svg, .pdf).

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        If the extension is not one of a figure, or the path cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from partcover import Instance, compare
    >>> from partcover.report.plots import plot_rows
    >>> rows = compare(Instance({"banana": 2, "bandana": 1}, 0), [1, 2], ["greedtok"]).rows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     figure = Path(folder) / "figure.svg"
    ...     plot_rows(rows, figure)
    ...     figure.exists()
    True
    """
    answered = [row for row in rows if row.get("tokens_per_word") is not None]
    need_values(answered, "method rule k", "a comparison")
    with_gaps = bool(answered) and all(row.get("gap") is not None for row in answered)
    measured = "gap" if with_gaps else "tokens_per_word"
    up = "gap to the lower bound (%)" if with_gaps else "tokens per word"
    plot_lines(comparison_lines(answered, measured), path, CHOSEN, up, stretch=with_gaps)


@checked
def plot_lines(
    lines: Mapping[tuple[str, str], Sequence[tuple[float, float]]],
    path: str | PathLike[str],
    across: str,
    up: str,
    *,
    stretch: bool = False,
    doubling: bool = False,
) -> None:
    """Plots lines with markers, each named at its end.

    Parameters
    ----------
    lines : mapping of (str, str) to sequence of (x, y)
        Points by name and kind.  Lines of one name share a color and marker, lines of one kind a
        style.  A line is labeled ``name, kind``, or with the name if there is no kind.
    path : path
        The file to write; its extension selects the format (.png, .svg, .pdf).
    across, up : str
        The labels of the axes.
    stretch : bool
        Whether the vertical axis may be logarithmic.  It is if the largest value is more than
        eight times the smallest value above 0.
    doubling : bool
        Whether the horizontal axis is logarithmic with base 2.

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        If the extension is not one of a figure, or the path cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.report.plots import plot_lines
    >>> plot_lines({("bpe", ""): [(1, 2.0), (2, 1.5)]}, "lines.svg", "k", "tokens per word")
    >>> Path("lines.svg").exists()
    True
    """
    drawn = {}
    for line, points in lines.items():
        if not isinstance(line, tuple) or [isinstance(part, str) for part in line] != [True, True]:
            raise InputError(f"lines have {shown(line)}: each must have a name and a kind")
        listed = [*points] if is_listed(points) else []
        if not listed or not all(is_listed(point) and len([*point]) == 2 for point in listed):
            raise InputError(
                f"the line {line[0]!r} is {shown(points)}: it must have points of x, y"
            )
        drawn[line] = listed
    names = list(dict.fromkeys(name for name, _ in drawn))
    kinds = list(dict.fromkeys(kind for _, kind in drawn))
    with new_figure(path, 9, 5) as figure:
        axes = figure.add_subplot()
        _label(axes, across, up)
        ends = []
        for (name, kind), points in drawn.items():
            number = names.index(name)
            color = _INK if name == "lower bound" else _LINES[number % len(_LINES)]
            axes.plot(
                *zip(*points, strict=True),
                color=color,
                # of names that have one color, each has a marker of its own
                marker=_MARKERS[(number + number // len(_LINES)) % len(_MARKERS)],
                linestyle=_STYLES[kinds.index(kind) % len(_STYLES)],
                markersize=4,
            )
            ends.append((f"{name}, {kind}" if kind else name, max(points)[1], color))
        across_all = sorted({x for points in drawn.values() for x, _ in points})
        if doubling:
            axes.set_xscale("log", base=2)
            axes.set_xticks(across_all, [f"{x:,g}" for x in across_all])
        elif 1 < len(across_all) <= 6:
            axes.set_xticks(across_all)
        if stretch:
            _stretch(axes, [y for points in drawn.values() for _, y in points])
        name_ends(figure, axes, ends)


def _stretch(axes: Axes, values: Sequence[float]) -> None:
    """Makes the vertical axis logarithmic where small values would else be squeezed."""
    positive = [value for value in values if value > 0]
    if not positive or max(positive) <= 8 * min(positive):
        return
    least, most = min(positive), max(positive)
    ticks = [mantissa * 10.0**power for power in range(-4, 6) for mantissa in (1, 3)]
    low = max([ticks[0], *(tick for tick in ticks if tick <= least)])
    high = min([ticks[-1], *(tick for tick in ticks if tick >= most)])
    ticks = [tick for tick in ticks if low <= tick <= high]
    if len(positive) < len(values):
        axes.set_yscale("symlog", linthresh=low)
        ticks = [0, *ticks]
    else:
        axes.set_yscale("log")
    axes.set_yticks(ticks, [f"{tick:,g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(ticks[0], ticks[-1])


_RATIOS = {
    "ratio": ("GreedTok / optimum", COLORS["blue"], "o", "-", 8),
    "d": ("d = GreedTok / GreedWMC's relaxed cover", COLORS["orange"], "s", "--", 4),
    "certified_ratio": ("certified: d · (1 − 1/e)", COLORS["green"], "^", ":", 4),
}


@checked
def plot_ratios(rows: Sequence[Mapping[str, Any]], path: str | PathLike[str]) -> None:
    """Plots the true ratio, d and the certified ratio over k, a panel for each instance.

    Parameters
    ----------
    rows : sequence of dict
        Rows of `ratios`.  If the optimum is not proven, the true ratio is at least the one shown,
        and its marker is hollow.
    path : path
        The file to write; its extension selects the format (.png, .svg, .pdf).

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        If the extension is not one of a figure, or the path cannot be written.

    Notes
    -----
    Figure 3 of Lim, Choo and Lauw (2025), which could not have the true ratio.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from partcover import Instance
    >>> from partcover.report.plots import plot_ratios
    >>> from partcover.studies.ratios import ratios
    >>> rows = ratios(Instance({"banana": 2, "bandana": 1}, 0), [1, 2], name="bananas")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     figure = Path(folder) / "figure.svg"
    ...     plot_ratios(rows, figure)
    ...     figure.exists()
    True
    """
    need_values(rows, "instance k ratio proven", "ratios")
    names = list(dict.fromkeys(row["instance"] for row in rows))
    across = min(3, max(1, len(names)))
    down = max(1, -(-len(names) // across))
    # d is above 1 where GreedWMC is behind, and None with budgets of groups
    top = 1.03 * max([1.0, *(row["d"] for row in rows if row.get("d") is not None)])
    with new_figure(path, max(6.0, 4.0 * across), 1.2 + 3.2 * down) as figure:
        panels = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
        for axes, name in zip(panels, names, strict=False):
            _plot_ratios(axes, [row for row in rows if row["instance"] == name])
            axes.set_title(printable(name), fontsize="medium")
            axes.set_ylim(0, top)
        for axes in panels[len(names) :]:
            axes.set_axis_off()
        panels[0].set_ylabel("part of the cover")
        labelled = [axes.get_legend_handles_labels() for axes in panels]
        legend = {
            label: line
            for lines, labels in labelled
            for line, label in zip(lines, labels, strict=True)
        }
        figure.legend(legend.values(), legend.keys(), loc="outside lower center", ncols=2)


def _plot_ratios(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """Plots the ratios of one instance."""
    ks = [row["k"] for row in rows]
    for key, (label, color, marker, style, size) in _RATIOS.items():
        values = [nan if row.get(key) is None else row[key] for row in rows]
        look: dict[str, Any] = {
            "color": color,
            "marker": marker,
            "linestyle": style,
            "markersize": size,
        }
        axes.plot(ks, values, **look, label=label)
    unproven = [(row["k"], row["ratio"]) for row in rows if not row["proven"]]
    if unproven:
        hollow: dict[str, Any] = {
            "marker": "o",
            "markersize": 8,
            "color": COLORS["blue"],
            "linestyle": "none",
            "markerfacecolor": "white",
        }
        label = "at least (optimum not proven)"
        axes.plot(*zip(*unproven, strict=True), **hollow, label=label)
    _label(axes, CHOSEN)
    locator: Any = axes.xaxis.get_major_locator()
    locator.set_params(integer=True, min_n_ticks=1)


_MOST_BARS = 25
_LONG_LABEL = 24  # characters of a token beside its bar


@checked
def plot_difference(
    difference: Mapping[str, Any], path: str | PathLike[str], names: Sequence[str]
) -> None:
    """Plots the gains of the tokens that only one of two vocabularies has.

    Parameters
    ----------
    difference : dict
        A `partcover.analysis.difference.Difference` as JSON, with gains.  The 25 tokens with the
        largest gains are drawn for each vocabulary.
    path : path
        The file to write; its extension selects the format (.png, .svg, .pdf).
    names : sequence of str
        Names of the two vocabularies.

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        If the extension is not one of a figure, or the path cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from partcover.report.plots import plot_difference
    >>> here, there = ({"token": token, "uses": 2, "gain": 2} for token in ("ab", "ba"))
    >>> sides = {"shared": 3, "only_here": [here], "only_there": [there]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     figure = Path(folder) / "figure.svg"
    ...     plot_difference(sides, figure, ["optimal", "greedtok"])
    ...     figure.exists()
    True
    """
    need_values([difference], "shared only_here only_there", "a difference")
    if len(names) != 2:
        raise InputError(f"there are {len(names)} names for two vocabularies")
    sides = [difference[f"only_{side}"][:_MOST_BARS] for side in ("here", "there")]
    need_values([*sides[0], *sides[1]], "token gain", "a difference with gains")
    rows = max(1, *map(len, sides))
    with new_figure(path, 9, 1.1 + 0.2 * rows) as figure:
        panels = figure.subplots(1, 2)
        largest = max([1, *(row["gain"] for side in sides for row in side)])
        totals = [len(difference[f"only_{side}"]) for side in ("here", "there")]
        looks = zip(sides, panels, names, totals, _LINES, strict=False)
        for side, axes, name, total, color in looks:
            axes.barh(range(len(side)), [row["gain"] for row in side], color=color)
            for place, row in enumerate(side):
                axes.text(row["gain"], place, f" {row['gain']:,}", va="center", fontsize=8)
            tokens = [_token_label(row["token"]) for row in side]
            axes.set_yticks(
                range(len(side)), tokens, fontsize=8, family=["monospace", "sans-serif"]
            )
            for label in axes.get_yticklabels():
                label.set_parse_math(False)
            title = f"only in {printable(name)}: {total:,}"
            axes.set_title(title, fontsize="medium", parse_math=False)
            axes.set_xlim(0, 1.2 * largest)
            axes.set_ylim(rows - 0.4, -0.6)
            axes.set_xticks([])
            axes.set_xlabel("gain: additional tokens without it")
            axes.tick_params(axis="y", length=0)
            axes.spines[["top", "right", "bottom"]].set_visible(False)
        figure.suptitle(f"{difference['shared']:,} tokens in both", fontsize="medium")


def _token_label(token: Any) -> str:
    """Returns a token as the label of a bar; a long one is shortened in the middle."""
    return shorten(token.replace(" ", "␣") if isinstance(token, str) else str(token), _LONG_LABEL)


@checked
def plot_events(events: Sequence[Mapping[str, Any]], path: str | PathLike[str]) -> None:
    """Plots the incumbent and the lower bound over time.

    Parameters
    ----------
    events : sequence of dict
        Events as `Event.to_json` makes them, in order.
    path : path
        The file to write; its extension selects the format (.png, .svg, .pdf).

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        If the extension is not one of a figure, or the path cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from partcover import EventLog, Instance, improve
    >>> from partcover.report.plots import plot_events
    >>> log = EventLog()
    >>> solution = improve(Instance({"banana": 2, "bandana": 1}, 2), progress=log)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     figure = Path(folder) / "figure.svg"
    ...     plot_events([event.to_json() for event in log.events], figure)
    ...     figure.exists()
    True
    """
    need_values(events, "seconds", "an event log")
    with new_figure(path, 8, 4.5) as figure:
        axes = figure.add_subplot()
        is_ratio = any(isinstance(event.get("lower_bound"), float) for event in events)
        _label(axes, "seconds", "largest ratio" if is_ratio else "tokens")
        axes.yaxis.set_major_formatter("{x:,.4f}" if is_ratio else "{x:,.0f}")
        ends = []
        for key, label, color, marker in (
            ("tokens", "incumbent", _LINES[0], "o"),
            ("lower_bound", "lower bound", _LINES[1], "s"),
        ):
            points = [
                (event["seconds"], event[key]) for event in events if event.get(key) is not None
            ]
            if points:
                look: dict[str, Any] = {"color": color, "marker": marker, "markersize": 3}
                axes.step(*zip(*points, strict=True), where="post", **look)
                ends.append((f"{label}: {points[-1][1]:,}", points[-1][1], color))
        name_ends(figure, axes, ends)


def _label(axes: Axes, across: str, up: str | None = None) -> None:
    """Labels the axes and draws a light grid."""
    axes.set_xlabel(printable(across))
    if up is not None:
        axes.set_ylabel(printable(up))
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.grid(visible=True, alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
