"""The data of the word explorer."""

from __future__ import annotations

import pytest

from partcover import WordCounts
from partcover.report.word_explorer import explore


@pytest.mark.parametrize(
    ("words", "lead"),
    [({" a": 3, "b": 7}, " "), ({" a": 2, "b": 8}, ""), ({"▁a": 3, "b": 1}, "▁"), ({"a": 1}, "")],
)
def test_three_words_in_ten_begin_with_the_mark(words, lead):
    data = explore(WordCounts.from_counts(words, "chars"), {})
    assert data["lead"] == lead
