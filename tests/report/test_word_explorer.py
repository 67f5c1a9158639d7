"""The data of the word explorer."""

from __future__ import annotations

import pytest

from partcover import InputError, Instance, Vocabulary, WordCounts, lower_bound
from partcover.report.word_explorer import explore


@pytest.mark.parametrize(
    ("words", "lead"),
    [({" a": 3, "b": 7}, " "), ({" a": 2, "b": 8}, ""), ({"▁a": 3, "b": 1}, "▁"), ({"a": 1}, "")],
)
def test_three_words_in_ten_begin_with_the_mark(words, lead):
    data = explore(WordCounts.from_counts(words, "chars"), {})
    assert data["lead"] == lead


def test_words_and_tokens_are_over_the_same_symbols():
    words = WordCounts.from_counts({"ab": 1}, "chars")
    with pytest.raises(InputError, match="v: its tokens are over bytes, but the words are over c"):
        explore(words, {"v": Vocabulary(["ab"])})
    nothing = explore(WordCounts.from_counts({}), {"v": Vocabulary(["ab"])})
    assert (nothing["telling"], nothing["words"]) == ([], [])


def test_a_bound_that_had_no_time_has_no_prices():
    instance = Instance({"banana": 2, "nab": 1}, 1)
    bound = lower_bound(instance, time_limit=0)
    prices = instance, bound.certificate
    assert explore(instance.words, {"an": Vocabulary(["an"])}, prices=prices)["prices"] == {}
