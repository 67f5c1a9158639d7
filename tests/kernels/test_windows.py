"""Words that windows of 64 bytes find are those of the pattern, whatever the machine can."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from shared.properties import tries

from partcover.corpus.pretokenizers.character_kinds import character_kinds
from partcover.corpus.pretokenizers.published_patterns import PATTERNS
from partcover.corpus.pretokenizers.rules import PRETOKENIZER_RULES
from partcover.kernels.encoding import _encoder
from partcover.kernels.words import _word_ends, _word_table

RULES = ("gpt2", "cl100k", "qwen2", "qwen3.5", "o200k")
PIECES = (
    *"abZ123\n\r\t '’\"().,/-éÉßªǅʰ一あאΣ१²😀́\u0301\u0903\xa0\u3000\u2028\x85\x00\x1c\x7f",
    *(
        "\r\n",
        "\n\n  ",
        "    ",
        "жЖ",
        "ب٠",
        "'s",
        "'S",
        "'ſ",
        "'ll",
        "'RE",
        "QZ",
        "foo",
        "Bar",
        "4567890",
    ),
    *("*/\n/**", "//", " (", "...\n", "word" * 9, " " * 40, "é" * 33, "-" * 70, "\udc80", "\udcff"),
    *("\udce4\udcb8", "\udced\udca0\udc80", "\udcc0\udcaf", "\udce5\udce5\udc80\udc80"),
)
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).flatmap(
    lambda some: st.lists(st.sampled_from(some), max_size=60).map("".join)
)


@pytest.fixture(autouse=True)
def all_at_once():
    yield
    _word_ends.classified_at_once()


def ends_of(rule, text):
    """Where the words of a text end, by the pattern."""
    sizes = [
        len(word.encode("utf-8", "surrogateescape")) for word in regex.findall(PATTERNS[rule], text)
    ]
    return np.cumsum(sizes).tolist()


@tries(400)
@given(st.sampled_from(RULES), TEXTS, st.sampled_from([16, 32, 64]))
@example("o200k", "a's'd'x don't's *///\n/\n/foo", 64)
@example("cl100k", "x \n\t  \n   y\n\n z\r\n\r\n.\n\n\n a", 64)
@example("gpt2", "a" * 63 + "  b", 64)
@example("cl100k", "\udced\udca0\udc80foo " * 20, 64)  # which is no character
@example("cl100k", "a" * 59 + "\n  \u3000\n", 64)  # a blank that the window cuts
@example("o200k", "...\u0301a x " * 12, 64)  # a mark among signs
@example("o200k", "AªBªbAB" * 20, 64)
def test_words_are_the_patterns(rule, text, most):
    _word_ends.classified_at_once(most)
    data = text.encode("utf-8", "surrogateescape")
    # bytes of several lone surrogates may be a character
    text = data.decode("utf-8", "surrogateescape")
    finder = PRETOKENIZER_RULES[rule].finder
    assert _word_ends.word_ends(data, finder, character_kinds()) == ends_of(rule, text)


BROKEN = (
    *(b"\xe5", b"\xe5\x80", b"\xe5\xe5\x80\x80", b"\xc3\xe5\x80\x80", b"\xe5\x80\xe5\x80\x80"),
    *(b"\xc3", b"\xc3\xc3\x80", b"\xf0\x9f\x98\x80", b"\xf0\x9f", b"\x80", b"\xe2\x80\x83"),
    *(b"\xe0\x81\x81", b"\xe0\xa0\x80", b"\xed\x9f\x80", b"\xed\xa0\x80", b"\xc1\xa1"),
)


@pytest.mark.parametrize("rule", RULES)
def test_characters_that_break_off_or_cross_the_end_of_a_window(rule):
    finder = PRETOKENIZER_RULES[rule].finder
    for most, filler, size in product((16, 64), (".", "a", "é", "一"), range(55, 66)):
        _word_ends.classified_at_once(most)
        filled = filler.encode() * (size // len(filler.encode()))
        for broken, last in product(BROKEN, (b"a", b".")):
            data = filled + broken + last * 70
            text = data.decode("utf-8", "surrogateescape")
            assert _word_ends.word_ends(data, finder, character_kinds()) == ends_of(rule, text)


@tries(200)
@given(st.sampled_from(RULES), TEXTS)
def test_words_are_counted_and_cut_no_further(rule, text):
    data = text.encode("utf-8", "surrogateescape")
    finder = PRETOKENIZER_RULES[rule].finder
    table = _word_table.WordTable()
    table.add_words_of(data, finder, character_kinds())
    found, offsets, counts = table.export(False)
    words = [found[a:b].tobytes() for a, b in pairwise(offsets)]
    ends = _word_ends.word_ends(data, finder, character_kinds())
    assert dict(zip(words, counts.tolist(), strict=True)) == Counter(
        data[a:b] for a, b in pairwise([0, *ends])
    )
    assert [_word_ends.word_ends(word, finder, character_kinds()) for word in words] == [
        [len(word)] for word in words
    ]


@tries(100)
@given(st.sampled_from(RULES), TEXTS, st.data())
def test_a_section_ends_with_the_word_that_reaches_its_end(rule, text, data):
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") or "x"
    encoded = text.encode("utf-8", "surrogateescape")
    ends = [0, *ends_of(rule, text)]
    start = data.draw(st.sampled_from(ends[:-1]))
    upto = data.draw(st.integers(start + 1, len(encoded)))
    cache = _encoder.WordCache(PRETOKENIZER_RULES[rule].finder, character_kinds(), b" ", 1 << 20)
    assert cache.find(encoded, start, upto)[0] == min(end for end in ends if end >= upto)


def test_what_the_machine_can_is_chosen():
    for most in (0, 16, 31, 32, 63, 64, 1000):
        chosen = _word_ends.classified_at_once(most)
        assert chosen in (1, 16, 32, 64)
        assert chosen <= max(most, 16) or chosen == 64  # where there is no choice


@pytest.mark.parametrize("rule", RULES)
def test_long_words(rule):
    finder = PRETOKENIZER_RULES[rule].finder
    for most, letters in product((16, 64), ("a", "é", "一", "aé一b", "xж\u0301", "一😀")):
        _word_ends.classified_at_once(most)
        for before, after in product(("", " ", ".", "1", "'s"), ("", "1", " a", ".", "\udce4")):
            for size in (62, 63, 64, 65, 127, 140, 200):
                text = before + (letters * size)[:size] + after + "." * 70
                data = text.encode("utf-8", "surrogateescape")
                ends = _word_ends.word_ends(data, finder, character_kinds())
                assert ends == ends_of(rule, text)


@pytest.mark.parametrize("rule", RULES)
def test_every_character_has_its_kind_at_any_width(rule):
    finder = PRETOKENIZER_RULES[rule].finder
    codes = [*range(0x80, 0xD800), *range(0xE000, 0x10000)]
    for between in ("", "a", "."):
        text = between.join(map(chr, codes)).encode()
        found = []
        for most in (16, 64):
            _word_ends.classified_at_once(most)
            found.append(_word_ends.word_ends(text, finder, character_kinds()))
        assert found[0] == found[1]


def test_other_kinds_of_characters_are_respected():
    kinds = bytearray(character_kinds())
    kinds[ord("_")] = kinds[ord("a")]
    finder = PRETOKENIZER_RULES["gpt2"].finder
    assert _word_ends.word_ends(b"ab_cd ef", finder, kinds) == [5, 8]
    assert _word_ends.word_ends(b"ab_cd ef", finder, character_kinds()) == [2, 3, 5, 8]
