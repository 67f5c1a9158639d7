"""The cases of Hugging Face's own tests of pre-tokenizers and normalizers, asked of it and of us.

Inputs and expected values are those of https://github.com/huggingface/tokenizers (the modules
``tests`` in tokenizers/src, and bindings/python/tests; Apache License 2.0).  The name of each case
says the file and the test.  Places are in characters here, and in bytes in many of the sources.
"""

from __future__ import annotations

import json

import pytest

from partcover import InputError
from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.interop.byte_level import from_characters

tokenizers = pytest.importorskip("tokenizers")


def their_step(kind, step):
    """The library's object of a step of a tokenizer.json."""
    file = {"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}
    file |= {"added_tokens": [], kind: step}
    return getattr(tokenizers.Tokenizer.from_str(json.dumps(file)), kind)


def bytes_step(prefix, regex=True):
    return {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": True,
        "use_regex": regex,
    }


def split(pattern, behavior, invert=False):
    kind = {"String": pattern} if pattern in (" ", "Hello", "<s>") else {"Regex": pattern}
    return {"type": "Split", "pattern": kind, "behavior": behavior, "invert": invert}


def metaspace(scheme, split=True, mark="▁"):
    return {"type": "Metaspace", "replacement": mark, "prepend_scheme": scheme, "split": split}


def several(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


FRIEND = "Hey friend!     How are you?!?"
FRIEND_WORDS = ["Hey|0", "friend|4", "!|10", "How|16", "are|20", "you|24", "?|27", "!|28", "?|29"]
DAY = "Hello my friend, how is your day going?"
DOING = "How are you doing?"
FINE = "Hello! How are you? I'm fine, thank you."
COUNTDOWN = "The-final--countdown"
NUMBERS = "Hey 123 friend!"
LEGACY = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
SENTENCE = r"\w+|[^\w\s]+"
# name: step, text, words with their places
WORDS = {
    "bert.rs basic": ({"type": "BertPreTokenizer"}, FRIEND, FRIEND_WORDS),
    "byte_level.rs pre_tokenization": (
        bytes_step(False), DAY,
        ["Hello|0", " my|5", " friend|8", ",|15", " how|16", " is|20", " your|23", " day|28",
         " going|32", "?|38"],
    ),
    "byte_level.rs pre_tokenization_no_regex": (bytes_step(True, False), DAY, [f" {DAY}|0"]),
    "byte_level.rs add_prefix_space": (
        bytes_step(True), DAY,
        [" Hello|0", " my|5", " friend|8", ",|15", " how|16", " is|20", " your|23", " day|28",
         " going|32", "?|38"],
    ),
    "byte_level.rs add_prefix_space, a space": (
        bytes_step(True), f" {DAY}",
        [" Hello|0", " my|6", " friend|9", ",|16", " how|17", " is|21", " your|24", " day|29",
         " going|33", "?|39"],
    ),
    "byte_level.rs handling_of_newlines": (
        bytes_step(False), "Hello there\nHello there",
        ["Hello|0", " there|5", "\n|11", "Hello|12", " there|17"],
    ),
    "byte_level.rs handling_of_multiple_whitespaces": (
        bytes_step(False), "Hello there       dear",
        ["Hello|0", " there|5", "      |11", " dear|17"],
    ),
    "byte_level.rs offsets_when_char_split_up": (bytes_step(False), "i⭢j", ["i|0", "⭢|1", "j|2"]),
    "byte_level.rs decode_works_on_separated_tokens": (
        bytes_step(False), "A Nuskhuri abbreviation of იესუ ქრისტე ( iesu kriste ) \" Jesus\"", None
    ),
    "byte_level.rs decode_works_on_separated_tokens, 2": (
        bytes_step(False),
        "An equal number have descenders , like p or q in English : გ , დ , ე , ვ , კ , ლ , ც",
        None,
    ),
    "byte_level.rs deserialization": (
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False}, DAY, None
    ),
    "digits.rs numbers": (
        {"type": "Digits", "individual_digits": False}, NUMBERS, ["Hey |0", "123|4", " friend!|7"]
    ),
    "digits.rs individual_digits": (
        {"type": "Digits", "individual_digits": True}, NUMBERS,
        ["Hey |0", "1|4", "2|5", "3|6", " friend!|7"],
    ),
    "metaspace.rs basic": (metaspace("always"), "Hey friend!", ["▁Hey|0", "▁friend!|3"]),
    "metaspace.rs multiple_spaces": (
        metaspace("always"), "Hey   friend!", ["▁Hey|0", "▁|3", "▁|4", "▁friend!|5"]
    ),
    "metaspace.rs non_legacy_meta_space": (
        several(split("<s>", "Isolated"), metaspace("first", False)),
        "Hey my friend <s>how▁are you", ["▁Hey▁my▁friend▁|0", "<s>|14", "how▁are▁you|17"],
    ),
    "metaspace.rs non_legacy_meta_space, always": (
        several(split("<s>", "Isolated"), metaspace("first", False), metaspace("always")),
        "Hey my friend <s>how▁are you",
        ["▁Hey|0", "▁my|3", "▁friend|6", "▁|13", "▁<s>|14", "▁how|17", "▁are|20", "▁you|24"],
    ),
    "metaspace.rs non_legacy_meta_space, prefix": (
        several(split("<s>", "Isolated"), metaspace("first", False)), " Hey <s>how",
        ["▁Hey▁|0", "<s>|5", "how|8"],
    ),
    "metaspace.rs non_legacy_meta_space, many": (
        several(split("<s>", "Isolated"), metaspace("first", False)),
        " Hey <s>how <s>are <s> you",
        ["▁Hey▁|0", "<s>|5", "how▁|8", "<s>|12", "are▁|15", "<s>|19", "▁you|22"],
    ),
    "mod.rs test_deserialize": (
        LEGACY, "Hey friend!", ["▁Hey|0", "▁friend!|3"]
    ),
    "mod.rs test_deserialize, str_rep": (
        several({"type": "WhitespaceSplit"}, {**LEGACY, "str_rep": "▁"}),
        "Hey my  friend!", ["▁Hey|0", "▁my|4", "▁friend!|8"],
    ),
    "mod.rs test_deserialize, first": (
        {**metaspace("first"), "add_prefix_space": True}, "Hey friend!", ["▁Hey|0", "▁friend!|3"]
    ),
    "mod.rs pre_tokenizer_deserialization_no_type": (
        {"type": "Metaspace", "replacement": "▁"}, "Hey friend!", ["▁Hey|0", "▁friend!|3"]
    ),
    "metaspace.rs serialization": (
        {"type": "Metaspace", "str_rep": "_", "replacement": "_", "add_prefix_space": True,
         "prepend_scheme": "always"},
        "a b", ["_a|0", "_b|1"],
    ),
    "punctuation.rs punctuation_basic": (
        {"type": "Punctuation", "behavior": "Isolated"}, FRIEND,
        ["Hey friend|0", "!|10", "     How are you|11", "?|27", "!|28", "?|29"],
    ),
    "punctuation.rs deserialization": (
        {"type": "Punctuation"}, FRIEND,
        ["Hey friend|0", "!|10", "     How are you|11", "?|27", "!|28", "?|29"],
    ),
    "sequence.rs sequence_basic; test_pre_tokenizers.py test_bert_like": (
        several({"type": "WhitespaceSplit"}, {"type": "Punctuation"}), FRIEND, FRIEND_WORDS
    ),
    "split.rs basic, Removed": (
        split(SENTENCE, "Removed", True), DOING, ["How|0", "are|4", "you|8", "doing|12", "?|17"]
    ),
    "split.rs basic, Isolated": (
        split(SENTENCE, "Isolated", True), DOING,
        ["How|0", " |3", "are|4", " |7", "you|8", " |11", "doing|12", "?|17"],
    ),
    "split.rs basic, MergedWithPrevious": (
        split(SENTENCE, "MergedWithPrevious", True), DOING,
        ["How |0", "are |4", "you |8", "doing|12", "?|17"],
    ),
    "split.rs basic, MergedWithNext": (
        split(SENTENCE, "MergedWithNext", True), DOING,
        ["How|0", " are|3", " you|7", " doing|11", "?|17"],
    ),
    "split.rs basic, Contiguous": (
        split(SENTENCE, "Contiguous", True), DOING,
        ["How|0", " |3", "are|4", " |7", "you|8", " |11", "doing?|12"],
    ),
    "split.rs regex_string, Regex": (split(r"\s+", "Removed"), "Hey, man!", ["Hey,|0", "man!|5"]),
    "split.rs regex_string, String": (split(" ", "Removed"), "Hey, man!", ["Hey,|0", "man!|5"]),
    "split.rs invert": (
        split(" ", "Removed"), "Hello Hello Hello", ["Hello|0", "Hello|6", "Hello|12"]
    ),
    "split.rs invert, inverted": (
        split("Hello", "Removed", True), "Hello Hello Hello", ["Hello|0", "Hello|6", "Hello|12"]
    ),
    "whitespace.rs basic": (
        {"type": "Whitespace"}, "Hey man!", ["Hey|0", "man|4", "!|7"]
    ),
    "whitespace.rs basic, 2": (
        {"type": "Whitespace"}, DOING, ["How|0", "are|4", "you|8", "doing|12", "?|17"]
    ),
    "whitespace.rs basic, 3": ({"type": "Whitespace"}, "\n", []),
    "whitespace.rs whitespace_split": (
        {"type": "WhitespaceSplit"}, "Hey man!", ["Hey|0", "man!|4"]
    ),
    "whitespace.rs whitespace_split, 2": (
        {"type": "WhitespaceSplit"}, "Hey, man, Good?", ["Hey,|0", "man,|5", "Good?|10"]
    ),
    "test_pipeline.py test_pipeline": (
        {"type": "Whitespace"}, FINE,
        ["Hello|0", "!|5", "How|7", "are|11", "you|15", "?|18", "I|20", "'|21", "m|22", "fine|24",
         ",|28", "thank|30", "you|36", ".|39"],
    ),
    "test_pipeline.py test_pipeline, digits": (
        several({"type": "Whitespace"}, {"type": "Digits", "individual_digits": True}), "Call 911!",
        ["Call|0", "9|5", "1|6", "1|7", "!|8"],
    ),
    "test_pre_tokenizers.py TestCharDelimiterSplit": (
        {"type": "CharDelimiterSplit", "delimiter": "-"}, COUNTDOWN,
        ["The|0", "final|4", "countdown|11"],
    ),
    "normalizer.rs split, Removed": (
        split("-", "Removed"), COUNTDOWN, ["The|0", "final|4", "countdown|11"]
    ),
    "normalizer.rs split, Isolated": (
        split("-", "Isolated"), COUNTDOWN,
        ["The|0", "-|3", "final|4", "-|9", "-|10", "countdown|11"],
    ),
    "normalizer.rs split, MergedWithPrevious": (
        split("-", "MergedWithPrevious"), COUNTDOWN, ["The-|0", "final-|4", "-|10", "countdown|11"]
    ),
    "normalizer.rs split, MergedWithNext": (
        split("-", "MergedWithNext"), COUNTDOWN, ["The|0", "-final|3", "-|9", "-countdown|10"]
    ),
    "normalizer.rs split, Contiguous": (
        split("-", "Contiguous"), COUNTDOWN, ["The|0", "-|3", "final|4", "--|9", "countdown|11"]
    ),
    "pattern.rs str, 1": (split("a", "Isolated"), "aba", ["a|0", "b|1", "a|2"]),
    "pattern.rs str, 2": (split("a", "Isolated"), "bbbba", ["bbbb|0", "a|4"]),
    "pattern.rs str, 3": (split("a", "Isolated"), "aabbb", ["a|0", "a|1", "bbb|2"]),
    "pattern.rs str, 4": (split("ab", "Isolated"), "aabbb", ["a|0", "ab|1", "bb|3"]),
    "pattern.rs str, 5": (split("ab", "Isolated"), "aabbab", ["a|0", "ab|1", "b|3", "ab|4"]),
    "pattern.rs str, 6": (split("b", "Isolated"), "aaa", ["aaa|0"]),
    "pattern.rs regex, 1": (split(r"\s+", "Isolated"), "a   b", ["a|0", "   |1", "b|4"]),
    "pattern.rs regex, 2": (
        split(r"\s+", "Isolated"), "   a   b   ", ["   |0", "a|3", "   |4", "b|7", "   |8"]
    ),
    "pattern.rs regex, 3": (
        split(r"\s+", "Isolated"), "𝔾𝕠𝕠𝕕 𝕞𝕠𝕣𝕟𝕚𝕟𝕘", ["𝔾𝕠𝕠𝕕|0", " |4", "𝕞𝕠𝕣𝕟𝕚𝕟𝕘|5"]
    ),
}  # fmt: skip


@pytest.mark.parametrize(("step", "text", "published"), WORDS.values(), ids=WORDS)
def test_words_and_their_places(step, text, published):
    ours = Pretokenizer.from_name(json.dumps(step))
    there = their_step("pre_tokenizer", step).pre_tokenize_str(text)
    if "ByteLevel" in json.dumps(step):
        there = [(from_characters(word).decode(), at) for word, at in there]
    assert ours.split(text) == [word for word, _ in there]
    if published is not None:
        assert [f"{word}|{begin}" for word, (begin, _) in there] == published
    if ours.steps is not None:
        places = [(p.text, p.spans()[0][0], p.spans()[-1][1]) for p in ours.steps.pieces(text)]
        assert places == [(word, *at) for word, at in there]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        # mod.rs pre_tokenizer_deserialization_no_type, and what is not supported: fixed_length.rs,
        # unicode_scripts/pre_tokenizer.rs
        ({"behavior": "default_split"}, "type"),
        ({"type": "FixedLength", "length": 5}, "FixedLength"),
        ({"type": "UnicodeScripts"}, "UnicodeScripts"),
    ],
)
def test_steps_that_are_refused(step, message):
    with pytest.raises(InputError, match=message):
        Pretokenizer.from_name(json.dumps(step))


def bert(**flags):
    off = dict.fromkeys(["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"], False)
    return {"type": "BertNormalizer", **off, **flags}


def strip(left, right):
    return {"type": "Strip", "strip_left": left, "strip_right": right}


def replace(pattern, content):
    kind = "Regex" if "\\" in pattern else "String"
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def chain(*steps):
    named = [{"type": step} if isinstance(step, str) else step for step in steps]
    return {"type": "Sequence", "normalizers": named}


VIETNAMESE = (
    "Cụ thể, bạn sẽ tham gia một nhóm các giám đốc điều hành tổ chức, các nhà lãnh đạo doanh "
    "nghiệp, các học giả, chuyên gia phát triển và tình nguyện viên riêng biệt trong lĩnh vực phi "
    "lợi nhuận…"
)
NO_MARKS = (
    "cu the, ban se tham gia mot nhom cac giam đoc đieu hanh to chuc, cac nha lanh đao doanh "
    "nghiep, cac hoc gia, chuyen gia phat trien va tinh nguyen vien rieng biet trong linh vuc phi "
    "loi nhuan..."
)
WITHOUT_MARKS = chain("NFKD", "StripAccents", "Lowercase")
# name: step, text, normalized text
TEXTS = {
    "test_strip_accents": (bert(strip_accents=True), "Héllò", "Hello"),
    "test_handle_chinese_chars": (bert(handle_chinese_chars=True), "你好", " 你  好 "),
    "test_clean_text": (bert(clean_text=True), "\ufeffHello", "Hello"),
    "test_lowercase": (bert(lowercase=True), "Héllò", "héllò"),
    "test_can_make_sequences": (chain("Lowercase", strip(True, True)), "  HELLO  ", "hello"),
    "TestLowercase": (chain("Lowercase"), "HELLO", "hello"),
    "test_left_strip": (strip(True, False), "  hello  ", "hello  "),
    "test_right_strip": (strip(False, True), "  hello  ", "  hello"),
    "test_full_strip": (strip(True, True), "  hello  ", "hello"),
    "test_prepend": ({"type": "Prepend", "prepend": "▁"}, "hello", "▁hello"),
    "test_pipeline": (chain("NFD", "StripAccents"), "Héllò hôw are ü?", "Hello how are u?"),
    "replace.rs test_replace": (replace("''", '"'), "This is a ''test''", 'This is a "test"'),
    "replace.rs test_replace_regex": (
        replace(r"\s+", " "), "This     is   a         test", "This is a test"
    ),
    "strip.rs test_strip_accents": (chain("StripAccents"), "Me llamo\u0301", "Me llamo"),
    "strip.rs test_strip_accents, none": (chain("StripAccents"), "Me llamo", "Me llamo"),
    "strip.rs test_strip_accents, chinese": (chain("StripAccents"), "这很简单", "这很简单"),
    "strip.rs test_strip_accents_multiple": (chain("StripAccents"), "e\u0304\u0304\u0304o", "eo"),
    "strip.rs test_vietnamese_bug": (WITHOUT_MARKS, "ậ…", "a..."),
    "strip.rs test_vietnamese_bug, 2": (WITHOUT_MARKS, VIETNAMESE, NO_MARKS),
    "strip.rs test_thai_bug": (WITHOUT_MARKS, "ำน\u0e49ำ3ลำ", "านา3ลา"),
    "unicode.rs test_nfkc": (chain("NFKC"), "\ufb01", "fi"),
    "prepend.rs test_prepend": ({"type": "Prepend", "prepend": "▁"}, "Hello", "▁Hello"),
    "normalizer.rs lstrip": (
        strip(True, False), "  This is an example  ", "This is an example  "
    ),
    "normalizer.rs rstrip": (strip(False, True), "  This is an example  ", "  This is an example"),
    "normalizer.rs strip": (strip(True, True), "  This is an example  ", "This is an example"),
    "normalizer.rs strip_unicode": (strip(True, True), "  你好asa \n", "你好asa"),
    "normalizer.rs prepend": ({"type": "Prepend", "prepend": "Hey "}, "there", "Hey there"),
    "normalizer.rs replace, 1": (replace(" ", "_"), " Hello   friend ", "_Hello___friend_"),
    "normalizer.rs replace, 2": (replace("a", "b"), "aaaab", "bbbbb"),
    "normalizer.rs replace, 3": (replace("aaa", "b"), "aaaab", "bab"),
    "normalizer.rs replace, 4": (replace(r"\s+", "_"), " Hello   friend ", "_Hello_friend_"),
    "normalizer.rs slice": (chain("NFKC"), "𝔾𝕠𝕠𝕕 𝕞𝕠𝕣𝕟𝕚𝕟𝕘", "Good morning"),
    "normalizer.rs nfd_adds_new_chars": (chain("NFD"), "élégant", "e\u0301le\u0301gant"),
    "bert.rs chinese_chars": (
        bert(handle_chinese_chars=True), "野口里佳 Noguchi Rika", " 野  口  里  佳  Noguchi Rika"
    ),
    "albert, of test_str_big": (
        chain(replace("``", '"'), replace("''", '"'), "NFKD", "StripAccents", "Lowercase"),
        "``Ünï''", '"uni"',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("step", "text", "published"), TEXTS.values(), ids=TEXTS)
def test_normalized_texts(step, text, published):
    ours = Normalizer(step)
    assert ours(text) == their_step("normalizer", step).normalize_str(text) == published
    assert ours.changes(text).text == published
    assert ours.of_bytes(text.encode()) == published.encode()


@pytest.mark.parametrize(
    ("step", "text", "places"),
    [
        # the alignments that normalizer.rs states, of characters: nfd_adds_new_chars,
        # remove_chars_added_by_nfd, remove_at_beginning, remove_at_end, removed_around_both_edges,
        # prepend; prepend.rs, strip.rs test_strip_accents_multiple and unicode.rs test_nfkc
        (chain("NFD"), "élégant", "01 01 12 23 23 34 45 56 67"),
        (chain("NFD", "StripAccents"), "élégant", "01 12 23 34 45 56 67"),
        (replace("n", ""), "élégant", "01 12 23 34 45 67"),
        (chain("NFD", "StripAccents", replace("n", "")), "élégant", "01 12 23 34 45 67"),
        (strip(True, True), "     Hello", "56 67 78 89 910"),
        (strip(True, True), "Hello    ", "01 12 23 34 45"),
        (strip(True, True), "  Hello  ", "23 34 45 56 67"),
        ({"type": "Prepend", "prepend": "Hey "}, "there", "01 01 01 01 01 12 23 34 45"),
        ({"type": "Prepend", "prepend": "▁"}, "Hello", "01 01 12 23 34 45"),
        (chain("StripAccents"), "e\u0304\u0304\u0304o", "01 45"),
        (chain("NFKC"), "\ufb01", "01 01"),
        (bert(handle_chinese_chars=True), "野口 No", "01 01 01 12 12 12 23 34 45"),
    ],
)
def test_places_of_normalized_characters(step, text, places):
    done = Normalizer(step).changes(text)
    found = [f"{begin}{end}" for begin, end in zip(done.begin, done.end, strict=True)]
    assert " ".join(found) == places
