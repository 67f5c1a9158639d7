"""The tables and the chart of docs/results/records.md, which the script `records.py` makes."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from partcover.instances.records import Best, Record, Row, names, record

ROOT = Path(__file__).parents[2]


@pytest.fixture
def page(monkeypatch):
    """The script that makes the page, beside the one that makes the records."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "proofs")
    return import_module("records_page")


def best(value):
    return Best(value, "2026-01-31", "improve", 1.5)


KNOWN = Record(
    "r",
    "bananas",
    "none",
    ("make C.tsv",),
    "",
    3,
    6,
    (Row(64, best(9), best(5), 2.0, {"bpe": 10}), Row(128, best(6), best(6), 2.0, {})),
)


def test_the_page_has_the_present_records(page):
    text = (ROOT / "docs" / "results" / "records.md").read_text("utf-8")
    tables = re.search("<!-- tables -->\n\n(.*)\n<!-- end of tables -->", text, re.S)
    assert page.records_tables([record(name) for name in names()]) == tables[1]


def test_tables_say_what_is_open(page):
    text = page.records_tables([KNOWN])
    assert "1 of the 2 rows are proven" in text
    assert "| 64 | 9 | 5 | 44.444 % | – | 10 (+11.11 %) | – |" in text
    assert "| 128 | 6 | 6 | proven |" in text
    assert "There are no results yet" in page.records_tables([Record("r", "r", "", (), "", 1, 1)])


@pytest.mark.long
def test_the_chart(page, tmp_path):
    pytest.importorskip("matplotlib")
    page.records_chart([KNOWN, record("emma")], tmp_path / "gaps.svg")
    assert "emma" in (tmp_path / "gaps.svg").read_text("utf-8")
