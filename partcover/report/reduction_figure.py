"""Draws a reduction: the problem and its words; matplotlib is the extra ``plot``."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..hardness.bottom_up import Merges
from ..hardness.reduction import (
    BottomUpReduction,
    DirectReduction,
    Reduction,
    UnaryReduction,
    VertexCoverReduction,
)
from ..runtime.arguments import checked
from ..vocabulary.vocabulary import Vocabulary
from .figures import COLORS, check_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_VERTICES = 40
_MOST_WORDS = 120
_ROWS = 20  # words in one column

_CHOSEN = COLORS["orange"]
_OTHER = "#FFFFFF"
_INK = COLORS["black"]
_EDGE = COLORS["blue"]


@checked
def check_drawing(reduction: Reduction, path: str | PathLike[str]) -> str:
    """Checks before long work that a figure can be drawn, and returns its format.

    Parameters
    ----------
    reduction : Reduction
        What is drawn.
    path : path
        Where to.

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending of no picture, words over a single symbol, more than 40 vertices or
        variables, or more than 120 words.
    """
    ending = check_figure(path, "a picture")
    if isinstance(reduction, UnaryReduction):
        raise InputError("words over a single symbol are too long to draw; leave out the figure")
    vertices = (
        len(reduction.graph)
        if isinstance(reduction, VertexCoverReduction)
        else int(reduction.facts()["variables"])
    )
    words = len(reduction.instance.words)
    if vertices > _MOST_VERTICES or words > _MOST_WORDS:
        what = "vertices" if isinstance(reduction, VertexCoverReduction) else "variables"
        raise InputError(
            f"{vertices} {what} and {words} words are too many to draw: the limits are "
            f"{_MOST_VERTICES} {what} and {_MOST_WORDS} words"
        )
    return ending


@checked
def draw_reduction(
    reduction: Reduction, answer: Vocabulary | Merges, path: str | PathLike[str]
) -> None:
    """Draws the problem on the left, and on the right its words as segmented by the answer.

    The chosen vertices of a graph are filled.  A formula is its assignment above a list of
    clauses, of which the satisfied ones are filled.  In the words, each token of more than one
    symbol is a filled box.

    Parameters
    ----------
    reduction : Reduction
        What was reduced.
    answer : Vocabulary or Merges
        An answer of its instance, as its ``lift`` takes it.
    path : path
        Where to; the ending names the format (.svg, .png, .pdf).  The same input gives the same
        bytes (with one version of matplotlib and of networkx); text in an SVG is text.

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        As `check_drawing` and the reduction's ``lift`` do, and for a path that cannot be
        written.

    Examples
    --------
    >>> from pathlib import Path
    >>> import networkx as nx
    >>> from partcover import reduce_vertex_cover
    >>> from partcover.report.reduction_figure import draw_reduction
    >>> reduction = reduce_vertex_cover(nx.path_graph(3), k=1)
    >>> draw_reduction(reduction, reduction.witness([1]), "path.svg")
    >>> Path("path.svg").exists()
    True

    References
    ----------
    Lim, Choo and Lauw 2025, A partition cover approach to tokenization, Figure 1.
    """
    ending = check_drawing(reduction, path)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    lifted = reduction.lift(answer)
    pieces = reduction.pieces(answer)
    counts = reduction.instance.words.counts.tolist()
    labels = [
        [[reduction.symbol(int(symbol)) for symbol in piece] for piece in word] for word in pieces
    ]
    columns = -(-len(pieces) // _ROWS)
    rows = max(min(len(pieces), _ROWS), _ROWS // 2)
    cell = 0.14 + 0.09 * max(len(label) for word in labels for piece in word for label in piece)
    longest = max(sum(map(len, word)) for word in pieces)
    width = columns * (cell * (longest + 0.5) + 0.5)
    height = max(4.0, 0.36 * rows + 0.8)
    settings: Any = {
        "svg.hashsalt": "partcover",
        "svg.fonttype": "none",
        "font.family": "DejaVu Sans",
        "text.parse_math": False,  # a name with a dollar in it is a name
    }
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    with rc_context(settings):
        aside = 5.0 if isinstance(reduction, VertexCoverReduction) else 3.0
        total = aside + width
        figure = Figure(figsize=(total, height))
        left = figure.add_axes((0.2 / total, 0.02, (aside - 0.5) / total, 0.9))
        right = figure.add_axes((aside / total, 0.02, width / total, 0.9))
        for axes in (left, right):
            axes.set_axis_off()
        _problem(left, reduction, lifted)
        tokens = sum(count * len(word) for count, word in zip(counts, pieces, strict=True))
        threshold = reduction.instance.threshold
        limit = "" if threshold is None else f" {'≤' if tokens <= threshold else '>'} {threshold}"
        right.set_title(f"{tokens} tokens{limit}", fontsize=11)
        right.set_xlim(0, width)
        right.set_ylim(0, rows)
        for index, (word, count) in enumerate(zip(labels, counts, strict=True)):
            column, row = divmod(index, _ROWS)
            _word(right, word, count, column * width / columns, rows - row - 0.5, cell)
        save_figure(figure, path, metadata[ending])


def _word(
    axes: Axes, word: list[list[str]], count: int, left: float, middle: float, cell: float
) -> None:
    """Draws a word: a box around each token, with its symbols inside."""
    from matplotlib.patches import FancyBboxPatch

    place = left + 0.05
    for piece in word:
        wide = cell * len(piece)
        axes.add_patch(
            FancyBboxPatch(
                (place + 0.02, middle - 0.36),
                wide - 0.04,
                0.72,
                boxstyle="round,pad=0,rounding_size=0.05",
                facecolor=_CHOSEN if len(piece) > 1 else _OTHER,
                edgecolor=_INK,
                linewidth=1.4 if len(piece) > 1 else 0.4,
            )
        )
        for symbol in piece:
            axes.text(place + cell / 2, middle, symbol, ha="center", va="center", fontsize=9)
            place += cell
    if count > 1:
        axes.text(place + 0.06, middle, f"×{count}", ha="left", va="center", fontsize=7)


def _problem(axes: Axes, reduction: Reduction, lifted: Any) -> None:
    """Draws the problem of a reduction."""
    if isinstance(reduction, VertexCoverReduction):
        _graph(axes, reduction, lifted)
    elif isinstance(reduction, DirectReduction | BottomUpReduction):
        _clauses(axes, reduction, lifted)


def _graph(axes: Axes, reduction: VertexCoverReduction, lifted: Any) -> None:
    """Draws a graph with its chosen vertices filled."""
    import networkx as nx

    graph = reduction.graph
    chosen = set(lifted.vertices)
    # a circle to start from and a seed make the same picture every time
    places = nx.spring_layout(graph, pos=nx.circular_layout(graph), iterations=200, seed=0)
    for u, v in graph.edges:
        (x, y), (z, w) = places[u], places[v]
        axes.plot([x, z], [y, w], color=_EDGE, linewidth=1.2, zorder=1)
    for vertex, (x, y) in places.items():
        filled = vertex in chosen
        axes.text(
            x,
            y,
            str(vertex),
            ha="center",
            va="center",
            fontsize=10,
            fontweight="bold" if filled else "normal",
            zorder=2,
            bbox={
                "boxstyle": "circle,pad=0.35",
                "facecolor": _CHOSEN if filled else _OTHER,
                "edgecolor": _INK,
                "linewidth": 2.0 if filled else 0.8,
            },
        )
    axes.margins(0.15)
    kind = "a vertex cover" if lifted.is_vertex_cover else "no vertex cover"
    axes.set_title(f"{lifted.size} vert{'ex' if lifted.size == 1 else 'ices'}: {kind}", fontsize=11)


def _clauses(axes: Axes, reduction: DirectReduction | BottomUpReduction, lifted: Any) -> None:
    """Draws the clauses of a formula, the satisfied ones filled, below the assignment."""
    formula = reduction.formula
    values = list(lifted.assignment.values())
    axes.set_title(f"{lifted.satisfied} of {lifted.clauses} clauses satisfied", fontsize=11)
    literals = [formula.show(j if value else -j) for j, value in enumerate(values, 1)]
    per_line = 8
    lines = [
        "true: " * (start == 0) + "  ".join(literals[start : start + per_line])
        for start in range(0, len(literals), per_line)
    ]
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.text(0.02, 0.98, "\n".join(lines), ha="left", va="top", fontsize=9)
    top = 0.94 - 0.05 * len(lines)
    columns = -(-len(formula.clauses) // _ROWS)
    step = min(0.08, top / min(len(formula.clauses), _ROWS))
    for index, (a, b) in enumerate(formula.clauses):
        column, row = divmod(index, _ROWS)
        true = values[abs(a) - 1] == (a > 0) or values[abs(b) - 1] == (b > 0)
        axes.text(
            0.04 + column / columns,
            top - step * (row + 0.5),
            f"{formula.show(a)} ∨ {formula.show(b)}",
            ha="left",
            va="center",
            fontsize=9,
            bbox={
                "boxstyle": "round,pad=0.2",
                "facecolor": _CHOSEN if true else _OTHER,
                "edgecolor": _INK,
                "linewidth": 1.4 if true else 0.4,
            },
        )
