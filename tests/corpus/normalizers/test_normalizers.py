"""Compares the normalizers with those of Hugging Face's tokenizers."""

import base64
import io
import json
import re
import unicodedata
from functools import cache

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given
from shared.panics import nothing_to_compare_with
from shared.properties import mixed, tries

from partcover import InputError
from partcover.corpus.counting.count import blocks
from partcover.corpus.normalizers.normal_forms import _tables
from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.corpus.pretokenizers.character_kinds import first_bytes
from partcover.corpus.pretokenizers.unicode_tables import INERT
from partcover.interop.sentencepiece.proto import model_proto
from partcover.kernels.texts._character_edits import first_change, holds, kinds_at_once

tokenizers = pytest.importorskip("tokenizers")

STEPS = [
    *({"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD")),
    *({"type": name} for name in ("Lowercase", "StripAccents", "Nmt")),
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "Strip", "strip_left": False, "strip_right": True},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"String": "a.b"}, "content": ""},
    {"type": "Replace", "pattern": {"String": "\n "}, "content": "e\u0301\\1"},
    *(
        {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
        for pattern, content in (
            (r"\s+", " "),
            (" {2,}", "▁"),
            (r"[ \n]+", "\n\\1"),
            (r"[\n ]{1,2}", "\n"),
            (r"[^\S\n]+$|^ ", ""),
            ("a*", "-"),
            (r"[\u0301a-c\p{Lm}中]+", ""),
            (r"\p{Zs}", " "),
            (r"[\p{M}\n.-0]", " "),
            (r"(?<=a)\.|(?i:B)", "e\u0301\\1"),
        )
    ),
    {"type": "Prepend", "prepend": "▁"},
    *(
        {
            "type": "BertNormalizer",
            "clean_text": clean,
            "handle_chinese_chars": chinese,
            "strip_accents": accents,
            "lowercase": lower,
        }
        for clean in (True, False)
        for chinese in (True, False)
        for accents in (True, False, None)
        for lower in (True, False)
    ),
]
TEXTS = mixed(
    [
        *"aB \n.ſÉe\u0301\u0345\u0334ΣσİßÅ각ᄀ\u1161\u11a8ﬁⅧ①中\u200d👩🏽\ufffd\x00\x85\u0600",
        "a.b",
    ],
    st.characters(exclude_categories=["Cs"]),
    30,
)


def peer(data):
    """Returns the library's normalizer of a tokenizer.json's object."""
    file = {"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}
    file |= {"normalizer": data, "added_tokens": []}
    return tokenizers.Tokenizer.from_str(json.dumps(file)).normalizer.normalize_str


def compiled_map(rule):
    """Returns a map of characters of sentencepiece's."""
    sentencepiece = pytest.importorskip("sentencepiece")
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e f"] * 3), model_writer=file, vocab_size=10,
        normalization_rule_name=rule, minloglevel=2, hard_vocab_limit=False,
    )  # fmt: skip
    spec = model_proto().FromString(file.getvalue()).normalizer_spec
    return base64.b64encode(spec.precompiled_charsmap).decode()


@cache
def every_character():
    """Every character of the planes that have any, and some for private use or for none."""
    points = {*range(0x40000), *range(0xE0000, 0xE1000), *range(0x40000, 0x110000, 101)}
    points |= {end + step for end in range(0x40000, 0x110001, 0x10000) for step in (-1, 0)}
    points -= {*range(0xD800, 0xE000), 0x110000}
    return "\n".join(map(chr, sorted(points)))


def same_everywhere(data):
    text = every_character()
    ours, theirs = Normalizer(data)(text), peer(data)(text)
    if ours != theirs:  # pytest would compare long texts for minutes
        wrong = zip(ours, theirs, strict=False)
        place = next((place for place, (a, b) in enumerate(wrong) if a != b), -1)
        around = slice(max(place - 5, 0), place + 10)
        raise AssertionError(f"{ours[around]!r}, not {theirs[around]!r}")


@pytest.mark.long
@pytest.mark.parametrize("data", STEPS[:14], ids=lambda data: "-".join(map(str, data.values())))
def test_every_character_is_as_in_the_library(data):
    same_everywhere(data)


def check(data, text):
    ours = Normalizer(data)
    text_of_ours, done = ours(text), ours.changes(text)
    with nothing_to_compare_with():
        want = peer(data)(text)
    assert text_of_ours == want
    assert done.text == want
    assert len(done.begin) == len(done.end) == len(want)
    assert done.begin == sorted(done.begin)
    assert done.end == sorted(done.end)
    assert all(0 <= a <= b <= len(text) for a, b in zip(done.begin, done.end, strict=True))
    data = text.encode()
    for size in (1, 3, 50):
        chunks = [data[at : at + size] for at in range(0, len(data), size)]
        assert b"".join(map(ours.of_bytes, blocks(chunks, ours))).decode() == want
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("partcover.corpus.normalizers.normal_forms._BLOCK", size)
            assert ours.of_bytes(data).decode() == want


@pytest.mark.long
@tries(300)
@given(data=st.sampled_from(STEPS), text=TEXTS)
@example(data={"type": "Lowercase"}, text="ΟΔΟΣ ΟΔΟΣ.")
@example(data={"type": "NFC"}, text="e\u0334\u0301 \u0301")
def test_texts_are_as_in_the_library(data, text):
    check(data, text)


@tries(200)
@given(steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=4), text=TEXTS)
@example(  # tokenizers 0.23.3 panics in the step after a pattern that matches the empty text
    steps=[{"type": "Replace", "pattern": {"Regex": "a*"}, "content": "-"}, {"type": "NFD"}],
    text="\u0345",
)
def test_sequences_are_as_in_the_library(steps, text):
    check({"type": "Sequence", "normalizers": steps}, text)


@pytest.fixture(scope="module", params=["nmt_nfkc"])
def map_step(request):
    return {"type": "Precompiled", "precompiled_charsmap": compiled_map(request.param)}


@pytest.mark.long
def test_every_character_is_mapped_as_in_the_library(map_step):
    same_everywhere(map_step)


def test_mapped_texts_are_as_in_the_library(map_step):
    theirs, ours = peer(map_step), Normalizer(map_step)

    @tries(300)
    @given(TEXTS)
    def run(text):
        assert ours(text) == ours.changes(text).text == theirs(text)
        data = text.encode()
        cut = blocks([data[:5], data[5:20], data[20:]], ours)
        assert b"".join(map(ours.of_bytes, cut)).decode() == theirs(text)

    run()


def test_names():
    assert Normalizer("nfkc+LOWERCASE").name == "NFKC+Lowercase"
    assert Normalizer("BertNormalizer").name == "BertNormalizer"
    assert Normalizer({"type": "Strip", "strip_right": True}).name == "Strip"
    nested = {"type": "Sequence", "normalizers": [{"type": "NFD"}]}
    assert Normalizer({"type": "Sequence", "normalizers": [nested]}).name == "NFD"
    prepend = Normalizer('{"type": "Prepend", "prepend": "▁"}')
    assert prepend.name == '{"type":"Prepend","prepend":"▁"}'
    assert Normalizer(prepend.name) == prepend
    both = Normalizer({"type": "Sequence", "normalizers": [{"type": "NFC"}, prepend.to_json()]})
    assert Normalizer(both.name) == both != prepend


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nfx", "unknown normalizer 'nfx'"),
        ("", "unknown normalizer ''"),
        ("prepend", "Prepend: prepend is missing"),
        ("{", r"the normalizer '\{' is not JSON"),
        ('{"type": []}', "unknown normalizer"),
        ('{"type": "Sequence"}', "no list 'normalizers'"),
        ('{"type": "Sequence", "normalizers": []}', "no steps"),
        ('{"type": "NFC", "form": 1}', "no parameter 'form'"),
        ('{"type": "Strip", "strip_left": 1}', "strip_left is 1"),
        ('{"type": "Replace", "pattern": {"String": ""}, "content": ""}', "empty pattern"),
        ('{"type": "Replace", "pattern": "a", "content": ""}', "pattern is 'a'"),
        ('{"type": "Replace", "pattern": {"String": "a"}, "content": "\\udcff"}', "content is "),
        ('{"type": "Prepend", "prepend": "a\\ud800"}', r"prepend is 'a\\ud800'"),
        ('{"type": "Precompiled", "precompiled_charsmap": "é"}', "character map is not base64"),
        (
            '{"type": "Precompiled", "precompiled_charsmap": "/////0E="}',
            "character map ends too early",
        ),
        ('{"type": "Sequence", "normalizers": [' * 9000, 'the normalizer \'\\{"type": "Sequence"'),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        Normalizer(given)


def test_bytes_that_are_not_utf8_stay():
    text = b"\xff\xc3(A\x80"
    for name in ("NFKC", "Lowercase", "StripAccents", "Nmt", "BertNormalizer", "Strip"):
        normalizer = Normalizer(name)
        assert normalizer.of_bytes(text).lower() == text.lower()


@pytest.mark.parametrize(
    ("step", "text", "want"),
    [
        ({"pattern": {"String": "\udca9"}, "content": "x"}, b"\xc3\xa9\xa9", b"\xc3\xa9x"),
        ({"pattern": {"String": "\ud800"}, "content": "x"}, b"\xed\xa0\x80a", b"\xed\xa0\x80a"),
        ({"pattern": {"Regex": "[\udca9]"}, "content": ""}, b"\xc3\xa9\xa9", b"\xc3\xa9"),
        ({"pattern": {"Regex": " {2,}"}, "content": "\\0"}, b"a  \xff b   ", b"a\\0\xff b\\0"),
        ({"pattern": {"Regex": "a{2,}"}, "content": "\\0"}, b"aa\xffa", b"\\0\xffa"),
        ({"pattern": {"Regex": r"\p{P}+"}, "content": " "}, b"a!?\xff?", b"a \xff "),
    ],
)
def test_bytes_are_replaced_as_characters_are(step, text, want):
    normalizer = Normalizer({"type": "Replace", **step})
    assert normalizer.of_bytes(text) == want
    assert (
        normalizer(text.decode("utf-8", "surrogateescape")).encode(errors="surrogateescape") == want
    )


def test_a_map_that_leads_nowhere_changes_nothing():
    data = (8).to_bytes(4, "little") + b"\xff" * 8
    step = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(data).decode()}
    assert Normalizer(step)("ab é") == "ab é"


@pytest.mark.parametrize(
    ("pattern", "in_blocks"), [(r"\s+", True), (" {2,}", True), (" {0,}", False), ("a| ", False)]
)
def test_a_text_is_cut_only_where_no_match_looks(pattern, in_blocks):
    step = {"type": "Replace", "pattern": {"Regex": pattern}, "content": " "}
    assert Normalizer(step).in_blocks == in_blocks


@pytest.mark.long
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_normal_forms_leave_all_others_as_they_are(form):
    changing, _, _ = _tables(form)
    for point in np.flatnonzero(changing == 0).tolist():
        assert unicodedata.is_normalized(form, chr(point)), hex(point)
        assert not unicodedata.combining(chr(point)), hex(point)
    if form in ("NFC", "NFKC"):  # what may be composed
        for point in range(0x110000):
            parts = unicodedata.decomposition(chr(point)).split()
            if len(parts) == 2 and parts[0][0] != "<" and not changing[int(parts[1], 16)]:
                pair = "".join(chr(int(part, 16)) for part in parts)
                assert unicodedata.normalize("NFC", pair) == pair
        # Hangul's vowels and finals
        assert changing[0x1161:0x1176].all()
        assert changing[0x11A8:0x11C3].all()


@given(
    st.lists(
        st.sampled_from(
            "aé\u0301\u0327ｶﾞ각ᄀ\u1161\u11a8ﬁ一’😀\U0001d15e\U00011131\U00011127Å½\udcff\n "
        ),
        max_size=12,
    ),
    st.sampled_from(["NFC", "NFD", "NFKC", "NFKD", "NFKC+NFD"]),
)
def test_bytes_are_normalized_as_characters_are(characters, name):
    text = "".join(characters)
    normal = Normalizer(name)
    encoded = text.encode("utf-8", "surrogateescape")
    assert normal.of_bytes(encoded) == normal(text).encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_one_character_is_enough_to_be_changed(form):
    normal = Normalizer(form)
    for text in ("\u0344", "x \U0001d15e", "\U00011131\U00011127", "\U0002f800" + "a" * 99):
        encoded = text.encode()
        assert normal.of_bytes(encoded).decode() == unicodedata.normalize(form, text)
        assert first_change(encoded, 0, *_tables(form)) >= 0
    none = np.zeros(0x110000, np.uint8)
    assert not holds("aé一😀".encode() + b"\xff\xed\xa0\x80", none, first_bytes(none))


FORMS = ["NFC", "NFD", "NFKC", "NFKD"]


def find_change(text, form):
    """The twin of `first_change`: the place, in characters."""
    inert = re.compile(f"[{INERT}]")
    first, last = " ", 0
    for place, character in enumerate(text):
        own = unicodedata.combining(character)
        joins = form.endswith("C") and any(
            unicodedata.normalize("NFC", other + character) != other + character for other in FIRSTS
        )
        if (
            (own and inert.match(character))
            or not unicodedata.is_normalized(form, character)
            or last > own > 0
            or (joins and "\u1161" <= character <= "\u11c2")
            or (joins and unicodedata.decomposition(first))
            or (joins and "\uac00" <= first <= "\ud7a3")
            or (joins and unicodedata.normalize("NFC", first + character) != first + character)
        ):
            return place
        first, last = (first, own) if own else (character, 0)
    return -1


FIRSTS = "aeα가\u0928\u09c7ᄀ\U00011131"
MARKED = (
    "aé\u0301\u0327\u0323\u0345\u0315ｶﾞ각ᄀ\u1161\u11a8ﬁ一’😀\U0001d15e\U00011131\U00011127Å½"
    "\u0921\u0928\u093c\u094d\u09c7\u09be\u0898\n "
)


@given(st.text(st.sampled_from(MARKED), max_size=10), st.sampled_from(FORMS), st.integers(0, 70))
def test_what_may_change_is_found(text, form, before):
    text = "x一"[before % 2] * before + text + "一" * (before // 2)
    at = -1 if (n := find_change(text, form)) < 0 else len(text[:n].encode())
    for allowed in (False, True):
        kinds_at_once(allowed)
        assert first_change(text.encode(), 0, *_tables(form)) == at
    if at < 0:
        assert unicodedata.is_normalized(form, text)


@given(st.text(st.characters(), max_size=8), st.sampled_from(FORMS))
def test_what_is_not_found_stays_as_it_is(text, form):
    text = "".join(f"{character}\u093c\u0301" for character in text)
    if first_change(text.encode("utf-8", "replace"), 0, *_tables(form)) < 0:
        assert unicodedata.is_normalized(form, text)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_no_pair_of_characters_changes_unseen(form):
    marks = [p for p in np.flatnonzero(_tables(form)[0]).tolist() if _tables(form)[0][p] < 0x80]
    for point in range(0x30000):
        if 0xD800 <= point < 0xE000:
            continue
        text = "\n".join(f"{chr(point)}{chr(mark)}" for mark in marks[point % 17 :: 17])
        for line in text.split("\n") if not unicodedata.is_normalized(form, text) else ():
            if not unicodedata.is_normalized(form, line):
                assert first_change(line.encode(), 0, *_tables(form)) >= 0, line
