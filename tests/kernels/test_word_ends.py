"""Runs of ASCII letters end where the pattern ends them, whatever character follows."""

import numpy as np
import pytest

from partcover.corpus.pretokenizers.character_kinds import character_kinds
from partcover.corpus.pretokenizers.pretokenizer import PRETOKENIZER_RULES
from partcover.corpus.pretokenizers.unicode_tables import compiled
from partcover.kernels.encoding import _encoder

OTHERS = [chr(c) for c in range(128)] + ["é", "İ", "一", "😀", "\udc80", "\udcff"]


@pytest.mark.long
def test_kinds_are_those_of_the_library_of_patterns():
    text = "".join(map(chr, range(0x110000)))
    expected = np.zeros(len(text), np.uint8)
    for bit, pattern in {
        _encoder.LETTER: r"\p{L}+",
        _encoder.NUMBER: r"\p{N}+",
        _encoder.WHITE: r"\s+",
        _encoder.UPPER: r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+",
        _encoder.LOWER: r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
        _encoder.DECIMAL: r"\p{Nd}+",
        _encoder.MARK: r"\p{M}+",
        _encoder.SIGN: r"[\p{P}\p{S}]+",
    }.items():
        for match in compiled(pattern).finditer(text):
            expected[match.start() : match.end()] |= bit
    assert (character_kinds() == expected).all()


@pytest.mark.parametrize("name", ["gpt2", "cl100k"])
@pytest.mark.parametrize("letters", ["abcdefghijklmnopqrstuvwxyz", "ZYXWVUTSRQPONMLKJIHGFEDCBA"])
def test_any_character_ends_a_run_of_any_length(name, letters):
    for length in range(19):
        text = "".join(f" {letters[:length]}{c}{letters[:9]}" for c in OTHERS)
        words = PRETOKENIZER_RULES[name].words(text)
        ends = np.cumsum([len(word.encode("utf-8", "surrogateescape")) for word in words])
        data = text.encode("utf-8", "surrogateescape")
        assert (
            _encoder.word_ends(data, PRETOKENIZER_RULES[name].finder, character_kinds())
            == ends.tolist()
        )
