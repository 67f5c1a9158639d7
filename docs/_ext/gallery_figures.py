"""Takes the gallery's figures, as SVG files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from cycler import cycler

STYLE = {
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7"]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.figsize": (7.5, 4.2),
    "font.size": 10,
    "grid.alpha": 0.4,
    "legend.frameon": False,
    "svg.hashsalt": "partcover",
}


def set_style(gallery: dict[str, Any], script: str) -> None:
    """Sets matplotlib's style before each script."""
    mpl.rcdefaults()
    mpl.use("svg")
    mpl.rcParams.update(STYLE)


def take_figures(block: Any, variables: dict[str, Any], gallery: dict[str, Any]) -> str:
    """Returns the lines that show the open figures and the SVG files that a block wrote."""
    shown = []
    numbers = plt.get_fignums()
    written = sorted(Path.cwd().glob("*.svg"))
    places = variables["image_path_iterator"]
    for number, place in zip(numbers, places, strict=False):
        path = Path(place).with_suffix(".svg")
        figure = plt.figure(number)
        figure.set_layout_engine("constrained")
        figure.savefig(path)
        shown.append(path)
    for file, place in zip(written, places, strict=False):
        shown.append(file.replace(Path(place).with_suffix(".svg")))
    plt.close("all")
    title = variables["example_globals"]["__doc__"].strip().partition("\n")[0]
    lines = []
    for path in shown:
        name = path.relative_to(gallery["src_dir"]).as_posix()
        lines += [f".. image:: /{name}", f"   :alt: {title}", "   :width: 100%", ""]
    return "\n".join(lines)
