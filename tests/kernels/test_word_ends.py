"""Runs of ASCII letters end where the pattern ends them, whatever character follows."""

import numpy as np
import pytest

from partcover.corpus.pretokenizers.character_kinds import character_kinds
from partcover.corpus.pretokenizers.rules import PRETOKENIZER_RULES
from partcover.kernels.words import _word_ends

OTHERS = [chr(c) for c in range(128)] + ["é", "İ", "一", "😀", "\udc80", "\udcff"]


@pytest.mark.parametrize("name", ["gpt2", "cl100k"])
@pytest.mark.parametrize("letters", ["abcdefghijklmnopqrstuvwxyz", "ZYXWVUTSRQPONMLKJIHGFEDCBA"])
def test_any_character_ends_a_run_of_any_length(name, letters):
    for length in range(19):
        text = "".join(f" {letters[:length]}{c}{letters[:9]}" for c in OTHERS)
        words = PRETOKENIZER_RULES[name].words(text)
        ends = np.cumsum([len(word.encode("utf-8", "surrogateescape")) for word in words])
        data = text.encode("utf-8", "surrogateescape")
        assert (
            _word_ends.word_ends(data, PRETOKENIZER_RULES[name].finder, character_kinds())
            == ends.tolist()
        )
