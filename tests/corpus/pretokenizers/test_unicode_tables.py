"""Every code point belongs to the same classes here as in the libraries that are installed."""

from __future__ import annotations

import json

import numpy as np
import pytest
import regex
from corpus.pretokenizers.character_table import kinds

from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.corpus.pretokenizers.character_kinds import character_kinds
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.corpus.pretokenizers.published_patterns import PATTERNS
from partcover.corpus.pretokenizers.rules import PRETOKENIZER_RULES
from partcover.corpus.pretokenizers.unicode_tables import NEWER, compiled, ranges_of
from partcover.kernels.words import _word_ends

CLASSES = [r"\w", r"\s", r"\d", r"\p{L}", r"\p{N}", r"\p{M}", r"\p{P}", r"\p{S}", r"\p{Lu}",
           r"\p{Lt}", r"\p{Lm}", r"\p{Lo}", r"\p{Ll}", r"\p{Han}", r"\p{Cn}", r"\P{L}", r"\D",
           r"\p{^Ll}", r"[^\s\p{L}\p{N}]", r"[\p{Hiragana}\p{Lo}&&[^\u3040-\u3050]]"]  # fmt: skip
FORMS = ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "BertNormalizer", "Nmt"]
STEPS = [{"type": "Digits"}, {"type": "Punctuation"}, {"type": "Whitespace"},
         {"type": "WhitespaceSplit"}, {"type": "BertPreTokenizer"}]  # fmt: skip
EVERY = "".join(chr(p) for p in range(0x110000) if not 0xD800 <= p < 0xE000)

# the inside of large blocks is alike, and from the fourth plane on there is nearly nothing
ALIKE = [(0x4F00, 0x9F00), (0xAD00, 0xD700), (0xE100, 0xF800), (0x17100, 0x18700),
         (0x20100, 0x2A600), (0x2A800, 0x2CE00), (0x30100, 0x31300), (0x33600, 0xE0000),
         (0xE0200, 0x10FF00)]  # fmt: skip
PLACES = [c for c in EVERY if not any(first <= ord(c) < end for first, end in ALIKE)]


@pytest.mark.long
def test_kinds_are_those_of_the_library_of_patterns():
    assert character_kinds() == kinds()


def split(pattern):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": False}


@pytest.mark.long
@pytest.mark.parametrize("pattern", CLASSES)
def test_classes(pattern):
    tokenizers = pytest.importorskip("tokenizers")
    text = EVERY
    step = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "removed")
    there = set("".join(piece for piece, _ in step.pre_tokenize_str(text)))
    here = set("".join(Pretokenizer.from_name(json.dumps(split(pattern))).split(text)))
    assert there == here
    assert 0 < len(there) < len(text)


@pytest.mark.long
@pytest.mark.parametrize("pattern", [p for p in CLASSES if p not in (r"\w", r"\s")])
def test_classes_of_tiktoken(pattern):
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    own = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    text = EVERY
    there = set(own.decode(own.encode_ordinary(text)))
    left = set("".join(Pretokenizer.from_name(json.dumps(split(pattern))).split(text)))
    assert there == set(text) - left


@pytest.mark.long
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["type"])
def test_steps(step):
    tokenizers = pytest.importorskip("tokenizers")
    own = getattr(tokenizers.pre_tokenizers, step["type"])()
    between = Pretokenizer.from_name(json.dumps(step))
    text = "".join(f"a{c}1{c}!" for c in PLACES)
    assert [piece for piece, _ in own.pre_tokenize_str(text)] == between.split(text)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_published_patterns_around_every_character(name):
    tokenizers = pytest.importorskip("tokenizers")
    own = tokenizers.pre_tokenizers.Split(tokenizers.Regex(PATTERNS[name]), "isolated")
    rule = PRETOKENIZER_RULES[name]
    for first in range(0, len(PLACES), 1 << 12):
        text = "".join(f"a{c}1 {c}B!{c}\n" for c in PLACES[first : first + (1 << 12)])
        there = [piece for piece, _ in own.pre_tokenize_str(text)]
        data = text.encode()
        ends = np.cumsum([len(word.encode()) for word in there]).tolist()
        assert rule.words(text) == there
        assert _word_ends.word_ends(data, rule.finder, character_kinds()) == ends


@pytest.mark.long
def test_newer_characters_are_what_is_newer():
    newer = {chr(p) for first, last in ranges_of(NEWER) for p in range(first, last + 1)}
    older = set(compiled(r"\p{Cn}").sub("", EVERY))
    assert older == set(regex.sub(r"\p{Cn}", "", EVERY)) - newer
    assert (len(older), len(newer)) == (1_114_112 - 2_048 - 819_533, 17_810)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_normalizers(form):
    normalizers = pytest.importorskip("tokenizers").normalizers
    text = "\n".join(EVERY)
    there, here = getattr(normalizers, form)().normalize_str(text), Normalizer(form)(text)
    assert there == here
    assert here != text
