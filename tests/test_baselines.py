"""What all trainers share."""

from __future__ import annotations

import pytest

from partcover import InputError, Instance, WordCounts, baselines

WORDS = WordCounts.from_counts({"low": 5, "lower": 2, "é": 3})


def test_plain_bytes_cut_nothing():
    solution = baselines.plain_bytes(Instance(WORDS, 4))
    assert (solution.method, solution.rule) == ("bytes", "single_symbols")
    assert (solution.tokens, solution.cover) == (WORDS.total_symbols, 0)


@pytest.mark.parametrize("option", ["required", "prefix", "protected"])
def test_an_option_that_cannot_be_honoured_is_named(option):
    with pytest.raises(InputError, match=f"bytes cannot honour {option}"):
        baselines.plain_bytes(Instance(WORDS, 4, **{option: ["lo"]}))
