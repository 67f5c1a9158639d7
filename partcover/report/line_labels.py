"""Labels lines at their ends; matplotlib is the extra ``plot``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 11.5  # of a label, in points
_SPACE = 6  # between a line and its label


def name_ends(figure: Figure, axes: Axes, ends: Sequence[tuple[str, float, str]]) -> None:
    """Writes names to the right of the axes, each as close to the end of its line as possible.

    Parameters
    ----------
    figure, axes : matplotlib.figure.Figure, matplotlib.axes.Axes
        Where the lines are drawn; their limits stay as they are now.
    ends : sequence of (str, float, str)
        The name of each line, the height of its end in data, and its color.
    """
    labels = [
        axes.annotate(
            printable(name),
            (1, y),
            (_SPACE, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            color=color,
            fontsize=9,
            va="center",
            annotation_clip=False,
            parse_math=False,
        )
        for name, y, color in ends
    ]
    figure.draw_without_rendering()  # places are known only once the layout is
    points = 72 / figure.dpi
    places = [float(axes.transData.transform((0, y))[1]) * points for _, y, _ in ends]
    for label, place, moved in zip(labels, places, moved_apart(places, _HEIGHT), strict=True):
        label.set_position((_SPACE, moved - place))


def moved_apart(places: Sequence[float], height: float) -> list[float]:
    """Returns places moved to a distance of at least `height` from each other.

    Places that would overlap form a block, whose middle is their mean: the sum of the squares of
    what they are moved by is the least possible.

    Parameters
    ----------
    places : sequence of float
        Where the middle of each label should be.
    height : float
        The height of a label.

    Examples
    --------
    >>> from partcover.report.line_labels import moved_apart
    >>> moved_apart([0.0, 50.0, 52.0], 10.0)
    [0.0, 46.0, 56.0]
    """

    def bottom(block: Sequence[int]) -> float:
        return sum(places[i] for i in block) / len(block) - len(block) * height / 2

    blocks: list[list[int]] = []
    for i in sorted(range(len(places)), key=lambda i: places[i]):
        blocks.append([i])
        while len(blocks) > 1 and bottom(blocks[-2]) + len(blocks[-2]) * height > bottom(
            blocks[-1]
        ):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    moved = list(places)
    for block in blocks:
        for n, i in enumerate(block):
            moved[i] = bottom(block) + (n + 0.5) * height
    return moved
