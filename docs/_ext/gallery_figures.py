"""Takes the gallery's figures, each as two SVG files: for light pages and for dark ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from cycler import cycler

# what a dark page shows instead of a colour; the colours between, of Okabe and Ito, do for both
DARK = {
    "#000000": "#ced6dd",
    "#ffffff": "#14181e",
    "#b0b0b0": "#48566b",
    "#0072b2": "#56a9dc",
    "#d55e00": "#f08040",
    "#e69f00": "#a87300",  # on which a light letter can be read
}
STYLE = {
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7"]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
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
        plt.figure(number).savefig(path)
        shown.append(path)
    for file, place in zip(written, places, strict=False):
        shown.append(file.replace(Path(place).with_suffix(".svg")))
    plt.close("all")
    return "\n".join(_both(path, Path(gallery["src_dir"])) for path in shown)


def _both(light: Path, source: Path) -> str:
    """Writes the figure for dark pages beside the one for light pages; returns their lines."""
    text = light.read_text("utf-8")
    dark = light.with_name(f"{light.stem}_dark.svg")
    for colour, other in DARK.items():
        text = re.sub(colour, other, text, flags=re.IGNORECASE)
    # what is black has no colour of its own
    dark.write_text(text.replace("<svg ", f'<svg fill="{DARK["#000000"]}" ', 1), "utf-8")
    lines = []
    for path, mode in ((light, "light"), (dark, "dark")):
        name = path.relative_to(source).as_posix()
        lines += [f".. image:: /{name}", f"   :class: only-{mode}", "   :width: 100%", ""]
    return "\n".join(lines)
