"""Pre-tokenizers: their words, and counting in pieces against counting at once."""

import random
import time
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import joined, tries

from partcover.corpus.counting import count as counting
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.corpus.pretokenizers.published_patterns import PATTERNS
from partcover.corpus.pretokenizers.rules import PRETOKENIZER_RULES
from partcover.corpus.word_counts import WordCounts
from partcover.errors import InputError

NAMES = [
    *PRETOKENIZER_RULES,
    "space-prefix:_",
    "space-prefix: ",
    "space+digit",
    "first-space+digit",
    "gpt2+digit",
    "digit+gpt2",
    "space-prefix+digit",
    "gpt2+space-prefix:_",
    "gpt2+phrases:2",
    "o200k+phrases",
    "deepseek+phrases:3",
    "space-prefix:_+phrases:2",
    "first-space+phrases:3+digit",
    '{"type": "Split", "pattern": {"Regex": " +[^ ]*|[^ ]+"}, "behavior": "Isolated"}',
]
STEPS = [
    '{"type": "Whitespace"}',
    '{"type": "BertPreTokenizer"}',
    '{"type": "Metaspace"}',
    '{"type": "Metaspace", "prepend_scheme": "first", "split": false}',
    '{"type": "ByteLevel"}',
    '{"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "ByteLevel"}]}',
    '{"type": "Split", "pattern": {"String": "."}, "behavior": "MergedWithPrevious"}',
]
BITS = [
    *[" ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "a", "Bc", "DEF", "'s", "'LL", "'", "ſ", "1"],
    *["23", "4567", "٣", "½", "!", "/", "...", "\n/", "é", "e\u0301", "ñ", "中文", "。", "、字"],
    *["\u3000", "\xa0", "\u2003", "\x85", "\x1c", "\x1f", "\u200b", "Ġ", "_", "ǅ", "ʰ", "и"],
    *["Привет", "🙂", "\0", "\ufffd", "-", "foo bar"],
]
TEXT = joined(BITS, 25)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("space-prefix", ["a", "Ġ", "Ġb", "Ġc12\nd"]),
        ("space-prefix:_", ["a", "_", "_b", "_c12\nd"]),
        ("first-space", ["a", " ", " b", " c12\nd"]),
        ("space", ["a", " ", " ", "b", " ", "c12\nd"]),
        ("space+digit", ["a", " ", " ", "b", " ", "c", "1", "2", "\nd"]),
        ("first-space+digit", ["a", " ", " b", " c", "1", "2", "\nd"]),
        ("digit", ["a  b c", "1", "2", "\nd"]),
        ("gpt2", ["a", " ", " b", " c", "12", "\n", "d"]),
        ("gpt2+digit", ["a", " ", " b", " c", "1", "2", "\n", "d"]),
        ("none", ["a  b c12\nd"]),
    ],
)
def test_words(name, words):
    assert Pretokenizer.from_name(name).split("a  b c12\nd") == words


@tries(300)
@given(TEXT, st.sampled_from(NAMES))
def test_words_are_not_empty_and_join_to_the_text(text, name):
    words = Pretokenizer.from_name(name).split(text)
    assert all(words)
    joined = "".join(words)
    for rule in name.split("+"):
        if not rule.startswith("space-prefix"):
            continue
        mark = rule[len("space-prefix:") :] or "Ġ"
        joined, text = joined.replace(mark, " "), text.replace(mark, " ")
    assert joined == text


@pytest.mark.parametrize("name", ["", "space+", "+", "words", "space-prefix:"])
def test_an_unknown_name_lists_the_names(name):
    with pytest.raises(InputError, match="pre-tokenizer") as caught:
        Pretokenizer.from_name(name)
    assert "\n" not in str(caught.value)
    if name != "space-prefix:":
        assert all(rule in str(caught.value) for rule in PRETOKENIZER_RULES)


@pytest.mark.parametrize("name", ["gpt3", "gpt2 ", "gpt2:x", "GPT2"])
def test_an_unknown_name_that_is_near_a_known_one_suggests_it(name):
    with pytest.raises(InputError, match=f"^unknown pre-tokenizer '{name}': did you mean gpt2\\?$"):
        Pretokenizer.from_name(name)


@tries(300)
@given(TEXT)
def test_gpt2_is_hugging_faces(text):
    hf = pytest.importorskip("tokenizers").pre_tokenizers
    ours = Pretokenizer.from_name("gpt2").split(text)
    level = hf.ByteLevel(add_prefix_space=False)
    spans = [text[a:b] for _, (a, b) in level.pre_tokenize_str(text)]
    assert ours == spans


@cache
def library_split(name):
    tokenizers = pytest.importorskip("tokenizers")
    return tokenizers.pre_tokenizers.Split(tokenizers.Regex(PATTERNS[name]), "isolated")


@tries(300)
@given(TEXT, st.sampled_from(sorted(PATTERNS)))
def test_patterns_match_alike_in_another_engine(text, name):
    split = library_split(name)
    assert Pretokenizer.from_name(name).split(text) == [w for w, _ in split.pre_tokenize_str(text)]


def ordered(table):
    return sorted(table.items(), key=lambda pair: (-pair[1], pair[0]))


def at_once(texts, name, symbols):
    rules = Pretokenizer.from_name(name)
    words = Counter()
    for text in texts:
        raw = text if isinstance(text, bytes) else text.encode()
        words.update(rules.split(raw.decode("utf-8", "surrogateescape")))
    if symbols == "bytes":
        words = {w.encode("utf-8", "surrogateescape"): n for w, n in words.items()}
    return ordered(words)


@tries(100)
@given(
    texts=st.lists(TEXT, min_size=1, max_size=3).filter(any),
    symbols=st.sampled_from(["bytes", "chars"]),
)
def test_counting_in_pieces_is_counting_at_once(texts, symbols):
    for name in [*NAMES, *STEPS]:
        expected = at_once(texts, name, symbols)
        if expected:  # white space alone may have no word
            words = WordCounts.from_texts(texts, pretokenizer=name, symbols=symbols)
            assert list(words) == expected, name


@tries(100)
@given(
    text=st.one_of(
        TEXT.map(str.encode),
        st.lists(st.one_of(TEXT.map(str.encode), st.binary(max_size=3))).map(b"".join),
    ).filter(len),
    size=st.integers(1, 9),
)
def test_chunks_do_not_show(text, size):
    chunks = [text[i : i + size] for i in range(0, len(text), size)]
    for name in [*NAMES, *STEPS]:
        rules = Pretokenizer.from_name(name)
        blocks = list(counting.blocks(chunks, rules.rules[0]))
        assert b"".join(blocks) == text, name
        words = Counter()
        for block in blocks:
            words.update(rules.split(block.decode("utf-8", "surrogateescape")))
        words = {w.encode("utf-8", "surrogateescape"): n for w, n in words.items()}
        assert ordered(words) == at_once([text], name, "bytes"), name


@tries(200)
@given(TEXT.filter(len), st.integers(1, 5))
def test_settling_early_does_not_show(text, times):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "PIECES", 0)
        words = WordCounts.from_texts([text] * times, pretokenizer="cl100k")
    assert list(words) == at_once([text] * times, "cl100k", "bytes")


def test_text_without_spaces_is_not_held():
    rules = Pretokenizer.from_name("gpt2").rules[0]
    text = ("漢字" * 20 + "。\r\n\r\n").encode() * 2000
    blocks = list(counting.blocks((text[i : i + 1000] for i in range(0, len(text), 1000)), rules))
    assert max(map(len, blocks)) < 5000
    assert b"".join(blocks) == text


def test_published_patterns_cover_every_character():
    sample = "".join(
        map(chr, [*range(0x3100), *range(0xD7FF - 5, 0xD800), *range(0x1F5F0, 0x1F610)])
    )
    for pattern in PATTERNS.values():
        assert "".join(regex.findall(pattern, sample)) == sample


def test_texts():
    assert WordCounts.from_texts(["a b", b"a \xff"]).to_dict() == {
        b"a": 2, b" b": 1, b" \xff": 1,
    }  # fmt: skip
    # the mark in the text, where no space was
    marked = WordCounts.from_texts(["a b", "Ġb"], pretokenizer="space-prefix")
    assert marked.to_dict() == {b"a": 1, "Ġb".encode(): 2}
    assert list(WordCounts.from_texts(["b a é é"], symbols="chars", pretokenizer="space")) == [
        (" ", 3), ("é", 2), ("a", 1), ("b", 1),
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"text 2: byte 3 is not UTF-8"):
        WordCounts.from_texts(["a", b"ab \xff"], symbols="chars")
    with pytest.raises(InputError, match=r"byte 1 is not UTF-8"):
        WordCounts.from_texts([b"a\xe2\x82"], symbols="chars", pretokenizer="none")
    with pytest.raises(InputError, match="text 1 has a lone surrogate"):
        WordCounts.from_texts(["\ud800"])
    with pytest.raises(InputError, match="text 1 is 3: it must be str or bytes"):
        WordCounts.from_texts([3])
    with pytest.raises(InputError, match="texts is a single text: give"):
        WordCounts.from_texts("abc")
    with pytest.raises(InputError, match="the corpus is empty"):
        WordCounts.from_texts([])
    with pytest.raises(InputError, match="'ints'"):
        WordCounts.from_texts(["a"], symbols="ints")


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k", "gpt2+digit", "space-prefix", "none"])
@pytest.mark.parametrize("what", ["a word", "any bytes"])
def test_time_is_linear_in_what_has_no_spaces(name, what):
    draw = random.Random(0)

    def seconds(size):
        text = draw.randbytes(size).replace(b" ", b"")
        if what == "a word":
            text = text.translate(b"abcdefgh" * 32)
        began = time.process_time()
        WordCounts.from_texts([text], pretokenizer=name)
        return time.process_time() - began

    # quadratic would be 256 times as long
    limit = 64 * max(0.001, min(seconds(25_000) for _ in range(3)))
    assert any(seconds(400_000) < limit for _ in range(3))


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k", "gpt2+digit"])
def test_no_pattern_runs_where_words_are_counted(name, monkeypatch):
    # a pattern takes a microsecond for each piece, and its words as many objects
    text = "Don't 12 stop, it's  12345 a_b"
    expected = Counter(Pretokenizer.from_name(name).split(text))
    for part in name.split("+"):
        monkeypatch.setitem(
            PRETOKENIZER_RULES, part, replace(PRETOKENIZER_RULES[part], words=pytest.fail)
        )
    words = WordCounts.from_texts([text], pretokenizer=name)
    assert words.to_dict() == {word.encode(): count for word, count in expected.items()}
