"""Shows every SVG picture of a page on dark pages, too, in colors made for them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "generated/dark"  # below the source folder
INK, PAPER = 0xCE, 0x14  # of the theme's dark pages
# colors too dark for a dark page, and one on which letters have to be read
OTHERS = {"#0072b2": "#56a9dc", "#d55e00": "#f08040", "#e69f00": "#a87300"}


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension."""
    app.connect("doctree-read", add_dark_pictures, priority=100)  # before images are collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_dark_pictures(app: Sphinx, page: nodes.document) -> None:
    """Puts a dark picture behind each SVG picture, of which a page shows one."""
    for image in list(page.findall(nodes.image)):
        name = image["uri"]
        if not name.endswith(".svg") or "://" in name or image["classes"]:
            continue
        relative, path = app.env.relfn2path(name, app.env.docname)
        if not Path(path).is_file():
            continue  # of which Sphinx warns
        dark = Path(app.srcdir, FOLDER, relative)
        dark.parent.mkdir(parents=True, exist_ok=True)
        dark.write_text(recolored(Path(path).read_text("utf-8")), "utf-8")
        other = image.deepcopy()
        other["uri"] = f"/{FOLDER}/{relative}"
        image["classes"].append("only-light")
        other["classes"].append("only-dark")
        image.parent.insert(image.parent.index(image) + 1, other)


def recolored(svg: str) -> str:
    """Returns an SVG picture for dark pages: grays inverted, colors lightened where too dark."""
    svg = re.sub("#[0-9a-fA-F]{6}", lambda match: _dark(match[0].lower()), svg)
    # what is black has no color of its own
    return svg.replace("<svg ", f'<svg fill="{_dark("#000000")}" ', 1)


def _dark(color: str) -> str:
    """Returns the color of a dark picture."""
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    if max(red, green, blue) - min(red, green, blue) > 24:
        return OTHERS.get(color, color)
    gray = round(INK + (PAPER - INK) * green / 255)
    return f"#{gray:02x}{min(gray + 5, 255):02x}{min(gray + 10, 255):02x}"
