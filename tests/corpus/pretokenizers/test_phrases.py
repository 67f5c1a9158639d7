"""Words joined to phrases, in every way they are found, against the rule written out."""

from __future__ import annotations

import json
from functools import cache

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from oracles.phrases import phrases_of
from shared.properties import joined, tries

from partcover import InputError, WordCounts
from partcover.corpus.counting.count import blocks
from partcover.corpus.files.joining import ALL_WORDS, LONGEST
from partcover.corpus.pretokenizers.character_kinds import character_kinds
from partcover.corpus.pretokenizers.phrases import (
    name_of_pattern,
    split_pattern,
    with_phrases,
    without_phrases,
)
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.corpus.pretokenizers.published_patterns import DEEPSEEK, PATTERNS
from partcover.corpus.pretokenizers.steps.read import read_steps, split_steps
from partcover.kernels.words import _word_ends

BITS = [
    *[" a", " the", " of", "x", " ", "  ", "\n", "\r\n", "\t", "é", " e\u0301", "\u0301"],
    *[" \u0301", "\u0301A", "'s", "'", "’", "’t", " 'a", "'LL", "'ſ", "ſ", "12", " 3", "!", ", "],
    *[".", "-", "/"],
    *["Aa", "bC", "ABC", "ʰ", "ǅ", "ᵃB", "हिन्दी", " नमस्ते", "中文", "。", "カ", "Ġ", "_", "\xa0"],
    *["\u0301's", "!\u0301", " !!\u0301", "\x85", "\u200b", "🙂"],
]
TEXT = joined(BITS, 20)
BASES = [*PATTERNS, "first-space", "deepseek"]
MOST = st.sampled_from([2, 3, 4, ALL_WORDS])


@tries(500)
@given(TEXT, st.sampled_from(BASES), MOST)
def test_all_ways_are_the_rule_written_out(text, base, most):
    expected = phrases_of(text, base, most)
    name = with_phrases(base, most)
    rules = Pretokenizer.from_name(name)
    assert rules.split(text) == expected
    data = text.encode()
    ends = _word_ends.word_ends(data, rules.rules[0].finder, character_kinds(), most)
    assert [data[a:b].decode() for a, b in zip([0, *ends], ends, strict=False)] == expected
    pattern = split_pattern(name)
    if pattern is not None:
        assert regex.findall(pattern, text) == expected
        assert name_of_pattern(pattern) == name


@cache
def library_split(base, most):
    tokenizers = pytest.importorskip("tokenizers")
    pattern = split_pattern(with_phrases(base, most))
    return tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")


@tries(300)
@given(TEXT, st.sampled_from([base for base in BASES if base != "deepseek"]), MOST)
def test_patterns_match_alike_in_another_engine(text, base, most):
    split = library_split(base, most)
    expected = phrases_of(text, base, most)
    assert [word for word, _ in split.pre_tokenize_str(text)] == expected


@tries(50)
@given(
    st.lists(TEXT, min_size=4, max_size=8),
    st.sampled_from([base for base in BASES if base != "deepseek"]),
    MOST,
)
def test_patterns_match_alike_in_tiktoken(texts, base, most):
    tiktoken = pytest.importorskip("tiktoken")
    expected = [phrases_of(text, base, most) for text in texts]
    # a piece that is a token is looked up at once
    pieces = dict.fromkeys(phrase.encode() for phrases in expected for phrase in phrases)
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {piece: 256 + i for i, piece in enumerate(pieces) if len(piece) > 1}
    pattern = split_pattern(with_phrases(base, most))
    encoding = tiktoken.Encoding("test", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    for text, phrases in zip(texts, expected, strict=True):
        ids = encoding.encode_ordinary(text)
        assert encoding.decode_tokens_bytes(ids) == [phrase.encode() for phrase in phrases]


DIGITS = '{"type":"Sequence","pretokenizers":[{"type":"Digits"},{"type":"ByteLevel",'
DIGITS += '"add_prefix_space":false}]}'
LAST = split_steps([DEEPSEEK[-1]])["pretokenizers"][0]
STEPS = [DIGITS, json.dumps(LAST), json.dumps({**LAST, "pattern": {"Regex": r" ?\p{L}+|\p{L}\W"}})]


@tries(300)
@given(TEXT.filter(len), st.sampled_from(STEPS), MOST, st.integers(1, 9))
def test_words_of_steps_are_joined_too(text, base, most, size):
    name = with_phrases(base, most)
    assert without_phrases(name) == read_steps(base).name
    rules = Pretokenizer.from_name(name)
    expected = phrases_of(text, base, most)
    assert (rules.split(text), rules.name) == (expected, name)
    pieces = read_steps(name).pieces(text)
    assert [text[piece.start : piece.start + len(piece.text)] for piece in pieces] == expected
    data = text.encode()
    chunks = (data[i : i + size] for i in range(0, len(data), size))
    cut = [rules.split(block.decode()) for block in blocks(chunks, rules.rules[0])]
    assert [word for words in cut for word in words] == expected


def test_steps_of_a_name_are_that_name():
    steps = split_steps([PATTERNS["o200k"]])["pretokenizers"]
    steps.append({"type": "Phrases", "words": 3})
    named = Pretokenizer.from_name(json.dumps({"type": "Sequence", "pretokenizers": steps}))
    assert named.name == "o200k+phrases:3"


def test_marks_stand_for_all_spaces_of_a_phrase():
    rules = Pretokenizer.from_name("space-prefix:_+phrases:2")
    assert rules.split("a b c, d") == ["a_b", "_c,", "_d"]
    words = WordCounts.from_texts(["a b c a b"], pretokenizer="space-prefix+phrases:2")
    assert words.to_dict() == {"aĠb".encode(): 1, "ĠcĠa".encode(): 1, "Ġb".encode(): 1}


@pytest.mark.parametrize(
    ("base", "phrases", "message"),
    [
        ("gpt2", 0, "phrases of 0 words: use 1 to 64, or all"),
        ("gpt2", -1, "phrases of -1 words"),
        ("gpt2", LONGEST + 1, "phrases of 65 words"),
        ("none", 2, "words of the pre-tokenizer none cannot be joined"),
        ("space+digit", 2, "words of the pre-tokenizer space cannot be joined"),
        ("gpt3", 2, "unknown pre-tokenizer 'gpt3'"),
        ("gpt2+phrases:2", 2, "already joins words"),
        ('{"type": "Whitespace"}', 2, "a pre-tokenizer as JSON: words can be joined"),
        ('{"type": "Phrases", "words": 2}', 2, "only after steps that split text"),
        ('{"type": "Phrases", "words": "x"}', 2, "words is 'x': it must be a whole"),
    ],
)
def test_what_cannot_be_joined_is_one_line(base, phrases, message):
    with pytest.raises(InputError, match=message) as caught:
        Pretokenizer.from_name(with_phrases(base, phrases))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "gpt2+phrases:0",
        "gpt2+phrases:",
        "phrases:2",
        "gpt2+phrases:2x",
        "gpt2+phrases:1e9",
        "gpt2+phrases:65",
        "gpt2+phrases+phrases",
        "none+phrases",
        "gpt2+digit+phrases:2",
        '{"type":"Whitespace"}+phrases:2',
    ],
)
def test_names_that_say_nothing_are_refused(name):
    with pytest.raises(InputError) as caught:
        Pretokenizer.from_name(name)
    assert "\n" not in str(caught.value)


def test_one_word_is_the_word_alone():
    assert with_phrases("gpt2", 1) == "gpt2"
    assert Pretokenizer.from_name("gpt2+phrases:1").split("a b") == ["a", " b"]
