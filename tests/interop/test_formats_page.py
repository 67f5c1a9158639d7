"""docs/formats.md says of every format what is measured of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from interop.formats_page import SPLITS, UNKNOWN, USES, by_rule, by_split

from partcover.interop import FORMATS

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"


def on_page(head):
    """A table of the page: {row: {format: cell}}."""
    lines = iter(PAGE.read_text("utf-8").splitlines())
    names = next(_cells(line) for line in lines if line.startswith(f"| {head} | huggingface"))[1:]
    next(lines)
    rows = {}
    for line in lines:
        if not line.startswith("|"):
            break
        first, *cells = _cells(line)
        rows[first] = dict(zip(names, cells, strict=True))
    return rows


def _cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("head", "rows", "measure"), [("rule", USES, by_rule), ("pre-tokenizer", SPLITS, by_split)]
)
def test_the_page_says_what_is_measured(name, head, rows, measure):
    page = on_page(head)
    assert list(page) == list(rows)
    measured = {row: measure(name, row) for row in rows}
    if UNKNOWN in measured.values():
        pytest.skip(f"the library of {name} is not installed")
    assert {row: cells[name] for row, cells in page.items()} == measured


@pytest.mark.parametrize("name", FORMATS)
def test_the_page_has_a_section_on(name):
    assert f"`--to {name}`" in PAGE.read_text("utf-8")
