"""Gains are what leaving out or adding a token changes."""

from __future__ import annotations

import pytest
from analysis.cases import needed, tokens_st, words_st
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import WordCounts
from partcover.analysis import token_gains as gains_module
from partcover.analysis.token_gains import token_gains

TURN = {"bytes": str.encode, "chars": str, "ints": lambda w: tuple(ord(c) * 2**33 for c in w)}


@tries(200)
@pytest.mark.parametrize("kind", TURN)
@given(words=words_st, tokens=tokens_st, others=tokens_st, threads=st.integers(1, 2))
def test_gains_are_what_leaving_out_and_adding_one_changes(kind, words, tokens, others, threads):
    words = {TURN[kind](word): count for word, count in words.items()}
    others = [TURN[kind](token) for token in others if token not in tokens]
    tokens = [TURN[kind](token) for token in tokens]
    all_tokens = needed(words, tokens)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gains_module, "SLICE", 7)  # several slices
        losses, more = token_gains(
            WordCounts.from_counts(words, kind), tokens, others, threads=threads
        )
    assert losses.tolist() == [
        needed(words, [t for t in tokens if t != left]) - all_tokens for left in tokens
    ]
    assert more.tolist() == [all_tokens - needed(words, [*tokens, new]) for new in others]
