"""Makes and saves matplotlib figures; matplotlib is the extra ``plot``."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, MissingExtra
from ..runtime.arguments import checked
from ..runtime.files.writing import atomic_writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colors, which a color-blind reader can tell apart
COLORS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "black": "#000000",
}


@checked
def check_figure(path: str | PathLike[str], kind: str = "a plot") -> str:
    """Checks that a figure can be made, and returns the format selected by the path's extension.

    Parameters
    ----------
    path : path
        Where the figure will be written.
    kind : str
        What messages call it.

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending other than .png, .svg and .pdf.
    """
    ending = Path(path).suffix.lstrip(".").lower()
    if ending not in ("png", "svg", "pdf"):
        raise InputError(f"{path}: the file of {kind} must end in .png, .svg or .pdf")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra("matplotlib", "plot", kind) from None
    return ending


def need_values(rows: Iterable[Mapping[str, Any]], keys: str, source: str) -> None:
    """Refuses rows that lack values under some of the keys; `source` says what has such rows.

    Examples
    --------
    >>> from partcover.report.figures import need_values
    >>> need_values([{"k": 2, "gap": 0.1}], "k gap", "a comparison")
    """
    for row in rows:
        if lacking := [key for key in keys.split() if row.get(key) is None]:
            raise InputError(f"a row has no {lacking[0]!r}: give rows of {source}")


@contextmanager
def new_figure(path: str | PathLike[str], width: float, height: float) -> Iterator[Figure]:
    """Makes a figure that the block draws on, and saves it after the block.

    Parameters
    ----------
    path : path
        Where to; the ending names the format.
    width, height : float
        The size in inches.

    Raises
    ------
    MissingExtra, InputError
        As `check_figure` does; InputError for a path that cannot be written, too.
    """
    check_figure(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    with warnings.catch_warnings():  # a script that no font here has is drawn as boxes
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield figure
        save_figure(figure, path)


def save_figure(
    figure: Figure, path: str | PathLike[str], metadata: dict[str, Any] | None = None
) -> None:
    """Writes a figure under another name and renames it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    path : path
        Where to; the ending names the format.
    metadata : dict, optional
        What the file says of itself.
    """
    with atomic_writer(path) as file:
        figure.savefig(file, format=check_figure(path), dpi=150, metadata=metadata)
