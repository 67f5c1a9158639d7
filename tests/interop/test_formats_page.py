"""docs/reference/formats.md says of every format what is measured of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from interop.formats_page import SPLITS, UNKNOWN, USES, WORDS_ONLY, by_rule, by_split

from partcover.interop import FORMATS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "formats.md"


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


def measured(name, rows, measure):
    cells = {row: measure(name, row) for row in rows}
    if UNKNOWN in cells.values():
        pytest.skip(f"the library of {name} is not installed")
    return cells


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_the_page_says_what_is_measured_of_rules(name):
    page = on_page("rule")
    assert {row: cells[name] for row, cells in page.items()} == measured(name, USES, by_rule)


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_the_page_says_what_is_measured_of_pretokenizers(name):
    page = on_page("pre-tokenizer")
    assert list(page) == SPLITS
    cells = measured(name, SPLITS, by_split)
    if name in WORDS_ONLY:
        assert set(cells.values()) == {"exact for words"}
    else:
        assert {row: cells_[name] for row, cells_ in page.items()} == cells


@pytest.mark.parametrize("name", FORMATS)
def test_the_page_has_a_section_on(name):
    assert f"`--to {name}`" in PAGE.read_text("utf-8")
