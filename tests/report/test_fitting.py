"""Widths of columns: no number is cut, what has no room is left out in the order that is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from partcover.report.tables.fitting import column_widths, fitted_text, is_number

NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map("{:,}".format),
    st.floats(0, 1e6).map("{:.4f}".format),
    st.floats(0, 1).map(lambda share: f"{100 * share:.3f} %"),
    st.floats(0, 1).map("≥ {:.4f}".format),
    st.integers(0, 2**40).map(lambda size: f"{size:,} – {size + 1:,}"),
    st.integers(0, 2**40).map(lambda size: f"{size / 2**20:,.1f} MiB"),
    st.sampled_from(["–", "yes", "no", ""]),
)
TEXTS = st.text(st.characters(categories=("L", "N", "P", "S")) | st.just(" "), max_size=80)


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 4))
    kinds = draw(st.lists(st.sampled_from([NUMBERS, TEXTS, NUMBERS | TEXTS]), min_size=1))
    columns = [draw(st.lists(kind, min_size=rows, max_size=rows)) for kind in kinds]
    words = st.text(st.characters(categories=("Ll",)), max_size=12)
    headings = [" ".join(draw(st.lists(words, max_size=3))) for _ in columns]
    drop = draw(st.permutations(range(len(columns))))[: draw(st.integers(0, len(columns)))]
    return columns, headings, drop


@given(NUMBERS)
def test_a_number_is_known(text):
    assert is_number(text)
    assert fitted_text(text, 3) == text


def test_names_are_no_numbers():
    for text in ("greedtok", "e", "2x", "> time limit", "1" * 41, "a 1", "1 2", "-", "–1–2"):
        assert not is_number(text)


@pytest.mark.long
@given(tables(), st.integers(20, 200), st.integers(1, 3))
def test_every_number_is_whole_and_every_line_fits(table, room, between):
    columns, headings, drop = table
    widths = column_widths(columns, headings, room, drop, between=between)
    assert widths[0] is not None
    kept_columns = [n for n, width in enumerate(widths) if width is not None]
    for n in kept_columns:
        for text in columns[n]:
            shown = fitted_text(text, widths[n])
            for word in [shown] if is_number(text) else shown.split(" "):
                assert cell_len(word) <= widths[n]
        assert all(cell_len(word) <= widths[n] for word in headings[n].split())
    numbers = [cell_len(text) for text in columns[0] if is_number(text)]
    if max([*numbers, *map(cell_len, headings[0].split()), 3]) + between <= room:
        assert sum(widths[n] + between for n in kept_columns) <= room
    left_out = set(range(len(columns))) - set(kept_columns)
    order = [n for n in drop if n] + [n for n in range(len(columns) - 1, 0, -1) if n not in drop]
    assert left_out == set(order[: len(left_out)])


@pytest.mark.long
@given(tables(), st.integers(20, 200))
def test_no_column_goes_without_need(table, room):
    columns, headings, drop = table
    widths = column_widths(columns, headings, room, drop)
    left_out = [n for n, width in enumerate(widths) if width is None]
    if left_out:
        order = [n for n in (*drop, *reversed(range(len(columns)))) if n in left_out]
        last = max(left_out, key=order.index)
        needed = 0
        for n in [n for n, width in enumerate(widths) if width is not None] + [last]:
            whole = max([cell_len(text) for text in columns[n] if is_number(text)], default=0)
            texts = [text for text in columns[n] if not is_number(text)]
            parts = texts if last in drop else [part for text in texts for part in text.split(" ")]
            longest = max(map(cell_len, parts), default=0)
            word = max(map(cell_len, headings[n].split()), default=0)
            needed += max(whole, word, min(longest, 16 if last in drop else 8)) + 2
        assert needed > room


@given(tables())
def test_without_a_limit_all_of_it_is_there(table):
    columns, headings, drop = table
    for n, width in enumerate(column_widths(columns, headings, None, drop)):
        assert width == max(map(cell_len, [*columns[n], headings[n]]))


@given(TEXTS, st.integers(6, 30))
def test_a_long_word_loses_its_middle(text, width):
    shown = fitted_text(text, width)
    for word, given_ in zip(shown.split(" "), text.split(" "), strict=False):
        if shown != text and cell_len(given_) > width:
            front, _, back = word.rpartition("…")
            assert given_.startswith(front)
            assert given_.endswith(back)
            assert width - 3 <= cell_len(word) <= width


def test_names_are_cut_before_columns_go_and_are_whole_before_headings():
    columns = [["a-rather-long-name-of-a-method"], ["1,234,567"], ["0.5"]]
    headings = ["method", "tokens per word", "gap"]
    assert column_widths(columns, headings, 80) == [30, 15, 3]
    assert column_widths(columns, headings, 52) == [30, 13, 3]
    assert column_widths(columns, headings, 40) == [22, 9, 3]
    assert column_widths(columns, headings, 34) == [16, 9, 3]
    assert column_widths(columns, headings, 33) == [15, 9, 3]
    assert column_widths(columns, headings, 33, [1]) == [26, None, 3]
    assert column_widths(columns, headings, 33, [2]) == [20, 9, None]
    assert column_widths(columns, headings, 26) == [8, 9, 3]
    assert column_widths(columns, headings, 25) == [12, 9, None]
    assert column_widths(columns, headings, 25, keep=3) == [7, 9, 3]
    assert column_widths(columns, headings, 20) == [18, None, None]
    assert fitted_text(columns[0][0], 16) == "a-rather-l…ethod"
