"""Words that are found before a text is normalized are those that the steps make after it."""

import json
from functools import cache

import hypothesis.strategies as st
import pytest
from hypothesis import given
from shared.properties import tries

from partcover import Encoder, Vocabulary
from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.corpus.pretokenizers.published_patterns import CLIP
from partcover.corpus.pretokenizers.raw_words import raw_rules
from partcover.corpus.pretokenizers.steps.read import END_OF_WORD

BERT = {"type": "BertPreTokenizer"}
MARKED = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False}
BEGIN = {"type": "BeginOfWord", "mark": "▁"}
MATCHES = {"type": "Split", "pattern": {"Regex": CLIP}, "behavior": "Removed", "invert": True}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
SPACES = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
TOKENIZERS = {
    "bert": ("BertNormalizer", [BERT, MARKED]),
    "mark again": ("BertNormalizer", [BERT, BEGIN]),
    "inside": (
        "BertNormalizer",
        [
            {"type": "WhitespaceSplit"},
            BEGIN,
            {"type": "InsideWord", "mark": "▁", "prefix": "a", "begins": ["a", "z", "中"]},
        ],
    ),
    "cased": ({"type": "BertNormalizer", "lowercase": False}, [BERT]),
    "accents": ("NFC+StripAccents+Lowercase", [{"type": "Whitespace"}]),
    "clip": ([{"type": "NFC"}, SPACES, {"type": "Lowercase"}], [MATCHES, BYTES, END_OF_WORD]),
    "plain": (None, [{"type": "WhitespaceSplit"}, END_OF_WORD]),
}
BITS = [*"aZ 's'T'Re!,1²½\n\t_<", "é", "É", "e\u0301", "\u0301", "=\u0338", "ſ", "K", "ﬁ", "İ"]
BITS += [
    "qzxqz",
    "中",
    "中文",
    "豈",
    "日本",
    "한",
    "\u1112\u1161\u11ab",
    "अ\u094d",
    "ا",
    "😀",
    "\u200d",
]
BITS += [
    "\xa0",
    "\u3000",
    "\x85",
    "\0",
    "\x1c",
    "\xad",
    "▁",
    "。",
    "٣",
    "\ufffd",
    "𝔘",
    "\U0001d165",
]
TEXTS = st.lists(
    st.one_of(st.sampled_from(BITS), st.characters(codec="utf-8"), st.just("\udcff")), max_size=12
).map("".join)


def parts(name):
    """Returns the normalizer, if any, and the steps of a tokenizer, as texts."""
    normalizer, steps = TOKENIZERS[name]
    if isinstance(normalizer, list):
        normalizer = {"type": "Sequence", "normalizers": normalizer}
    if isinstance(normalizer, dict):
        normalizer = Normalizer(normalizer).name
    return normalizer, json.dumps({"type": "Sequence", "pretokenizers": steps})


def both(name):
    """Returns a function each that cuts raw text, and that normalizes it first."""
    normalizer, steps = parts(name)
    pretokenizer = Pretokenizer.from_name(steps)
    normal = Normalizer.of(normalizer)
    rules = raw_rules(normal, pretokenizer.steps)
    assert rules is not None
    front, own = rules

    def raw(text):
        return [word for part in front.words(text) for word in own.words(part)]

    return raw, lambda text: pretokenizer.split(text if normal is None else normal(text))


@pytest.mark.long
@pytest.mark.parametrize("name", TOKENIZERS)
def test_words_beside_any_character(name):
    raw, normalized = both(name)
    for points in (range(0x590), range(0x590, 0x3400, 7), range(0x3400, 0x30000, 211)):
        points = [p for p in points if not 0xD800 <= p < 0xE000]
        text = "".join(f"a{chr(p)}b '{chr(p)}{chr(p)}1!{chr(p)}\n" for p in points)
        assert raw(text) == normalized(text)


@cache
def encoders(name):
    """Returns the encoder of a tokenizer, one of its words, and what cuts text into them."""
    normalizer, steps = parts(name)
    tokens = ["▁a", "▁ab", "re ", "s ", "ab ", "é", "中", "a中", "'s ", "▁中"]
    vocabulary = Vocabulary(tokens, special=["<s>"], normalizer=normalizer, pretokenizer=steps)
    split = Pretokenizer.from_name(steps).split
    plain = Vocabulary(tokens, pretokenizer="none")
    return Encoder(vocabulary, rule="longest_match"), Encoder(plain, rule="longest_match"), split


@tries(500)
@given(st.sampled_from(sorted(TOKENIZERS)), TEXTS)
def test_ids_are_those_of_the_normalized_text(name, text):
    encoder, plain, split = encoders(name)
    normal = Normalizer.of(encoder.normalizer)
    want = [n for word in split(text if normal is None else normal(text))
            for n in plain.encode(word)]  # fmt: skip
    assert encoder.encode(text) == want == encoder.encode_with_offsets(text)[0]
    assert encoder.encode_batch([text, text]) == [want, want]


def test_what_is_drawn_is_as_with_offsets():
    """A draw depends on the place of a word in the normalized text."""
    name = json.dumps(BERT)
    vocabulary = Vocabulary(
        ["ab", "aba", "abab"], rule="longest_match", pretokenizer=name,
        normalizer=json.dumps({"type": "BertNormalizer"}),
    )  # fmt: skip
    drawn = Encoder(vocabulary).sampling(seed=1, dropout=0.5)
    text = "É  abab É\0 abab,abab " * 9
    assert drawn.encode(text) == drawn.encode_with_offsets(text)[0]
    assert len(drawn.encode(text)) > len(Encoder(vocabulary).encode(text))
