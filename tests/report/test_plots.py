"""Plots: what is drawn for which rows, and that labels do not overlap."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partcover import InputError
from partcover.report.gap_bars import has_gaps, plot_gaps
from partcover.report.line_labels import moved_apart
from partcover.report.plots import (
    plot_difference,
    plot_events,
    plot_lines,
    plot_ratios,
    plot_rows,
)


def row(method, k, tokens, bound):
    gap = None if bound is None else (tokens - bound) / tokens
    return {
        "method": method,
        "rule": "shortest_path",
        "k": k,
        "tokens": tokens,
        "tokens_per_word": tokens / 100,
        "lower_bound": bound,
        "gap": gap,
    }


def texts_of(figure):
    """The texts of an SVG, which matplotlib leaves in comments beside their outlines."""
    return re.findall(r"<!-- (.*?) -->", figure.read_text("utf-8"))


@pytest.mark.long
def test_gaps_are_drawn_where_every_bound_is_known(tmp_path):
    pytest.importorskip("matplotlib")
    rows = [row(m, k, t * 1000 // k, 990 * 1000 // k) for k in (1000, 2000) for m, t in
            (("near", 1000), ("$far$", 9000))]  # fmt: skip
    figure = tmp_path / "figure.svg"
    plot_rows(rows, figure)
    texts = texts_of(figure)
    assert {"near, shortest path", "$far$, shortest path", "1,000", "2,000"} <= set(texts)
    assert {"1", "3", "10", "30", "100"} <= set(texts), "the axis is logarithmic"
    rows[0] = row("near", 1000, 1000, None)
    plot_rows(rows, figure)
    assert {"tokens per word", "lower bound"} <= set(texts_of(figure))


def test_a_gap_of_zero_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    rows = [row("best", k, 100, 100) for k in (1, 2)] + [row("other", k, 101, 100) for k in (1, 2)]
    rows += [row("bytes", k, 900, 100) for k in (1, 2)]
    plot_rows(rows, tmp_path / "figure.svg")
    assert {"0", "100"} <= set(texts_of(tmp_path / "figure.svg"))


@pytest.mark.long
def test_events_are_named_with_their_last_numbers(tmp_path):
    pytest.importorskip("matplotlib")
    events = [
        {"seconds": 0.0, "tokens": None, "lower_bound": None},
        {"seconds": 0.5, "tokens": 12_345, "lower_bound": None},
        {"seconds": 1.0, "tokens": 12_345, "lower_bound": 12_000},
    ]
    plot_events(events, tmp_path / "figure.svg")
    texts = texts_of(tmp_path / "figure.svg")
    assert {"incumbent: 12,345", "lower bound: 12,000"} <= set(texts)
    plot_events([], tmp_path / "empty.svg")


def test_tokens_stand_beside_their_bars_whatever_they_are(tmp_path):
    pytest.importorskip("matplotlib")
    tokens = ["$a$", "日本", "\\xff", " a long token that goes on and on"]
    here = [{"token": token, "uses": 1, "gain": 1200} for token in tokens]
    figure = tmp_path / "figure.svg"
    plot_difference({"shared": 3, "only_here": here, "only_there": []}, figure, ["$b$", "c"])
    texts = texts_of(figure)
    assert {"only in $b$: 4", "only in c: 0", "$a$", " 1,200", "␣a␣long␣token␣that…nd␣on"} <= set(
        texts
    )


@given(st.lists(st.floats(-1e3, 1e3), max_size=12))
def test_labels_are_apart_and_in_order(places):
    moved = moved_apart(places, 10.0)
    order = sorted(range(len(places)), key=lambda i: places[i])
    ranked = [moved[i] for i in order]
    assert all(b - a > 10 - 1e-6 for a, b in pairwise(ranked))
    if all(b - a >= 10.001 for a, b in pairwise(sorted(places))):
        assert moved == pytest.approx(places)


def test_gaps_of_one_budget_are_bars(tmp_path):
    pytest.importorskip("matplotlib")
    rows = [row("near", 1000, 1000, 990), row("$far$", 1000, 1100, 990)]
    figure = tmp_path / "figure.svg"
    plot_gaps(rows, figure)
    texts = texts_of(figure)
    assert texts.index("near") < texts.index("$far$"), "the best is at the bottom"
    assert [text.strip() for text in texts if "tokens)" in text] == [
        "1.0 %  (1,000 tokens)",
        "10.0 %  (1,100 tokens)",
    ]
    assert has_gaps(rows)
    assert not has_gaps([*rows, row("near", 2000, 1000, 990)])
    assert not has_gaps([*rows, row("other", 1000, 1000, None)])


RATIO = {"instance": "b", "k": 1, "ratio": 0.9, "d": 0.8, "certified_ratio": 0.5, "proven": True}
SIDES = {"shared": 1, "only_here": [{"token": "ab", "uses": 2, "gain": 2}], "only_there": []}


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda path: plot_rows([{"tokens_per_word": 2.0}], path), "a row has no 'method'"),
        (
            lambda path: plot_ratios([{"k": 1}], path),
            "a row has no 'instance': give rows of ratios",
        ),
        (lambda path: plot_events([{"tokens": 3}], path), "a row has no 'seconds'"),
        (lambda path: plot_gaps([], path), "the rows have no gaps of one k"),
        (lambda path: plot_gaps([{"k": 2, "gap": 0.1}], path), "a row has no 'method'"),
        (lambda path: plot_difference({"shared": 1}, path, ["a", "b"]), "a row has no 'only_here'"),
        (lambda path: plot_difference(SIDES, path, ["a"]), "there are 1 names for two"),
        (
            lambda path: plot_difference(
                {**SIDES, "only_there": [{"token": "ab", "gain": None}]}, path, ["a", "b"]
            ),
            "a row has no 'gain': give rows of a difference with gains",
        ),
        (lambda path: plot_lines({"a": [(1, 2)]}, path, "k", "t"), "lines have 'a': each must"),
        (lambda path: plot_lines({("a", None): [(1, 2)]}, path, "k", "t"), "lines have a tuple"),
        (lambda path: plot_lines({("a", ""): []}, path, "k", "t"), "the line 'a' is a list: it"),
        (lambda path: plot_lines({("a", ""): 7}, path, "k", "t"), "the line 'a' is 7: it must"),
        (lambda path: plot_lines({("a", ""): [(1,)]}, path, "k", "t"), "points of x, y"),
    ],
)
def test_rows_of_another_kind_are_refused_in_one_line(tmp_path, draw, message):
    pytest.importorskip("matplotlib")
    with pytest.raises(InputError, match=message):
        draw(tmp_path / "figure.svg")
    assert not (tmp_path / "figure.svg").exists()


def test_ratios_are_drawn_where_nothing_certifies_them(tmp_path):
    """With budgets of groups there is no d."""
    pytest.importorskip("matplotlib")
    rows = [RATIO, {**RATIO, "k": 2, "d": None, "certified_ratio": None}]
    plot_ratios(iter(rows), tmp_path / "figure.svg")
    assert "part of the cover" in texts_of(tmp_path / "figure.svg")


def test_names_that_fonts_cannot_draw_are_escaped(tmp_path):
    pytest.importorskip("matplotlib")
    figure = tmp_path / "figure.svg"
    plot_lines({("a\ud800", ""): [(1, 2), (2, 3)]}, figure, "k\ud800", "t")
    assert {r"a\ud800", r"k\ud800"} <= set(texts_of(figure))
    plot_difference(SIDES, figure, ["a\ud800", "b"])
    assert r"only in a\ud800: 1" in texts_of(figure)
