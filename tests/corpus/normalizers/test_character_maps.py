"""The kernels that apply maps of characters are their slow twins, whatever the map."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product

import hypothesis.strategies as st
import numpy as np
import pytest
import regex
from hypothesis import example, given
from oracles import character_maps
from shared.properties import joined, tries

from partcover import InputError
from partcover.corpus.normalizers.character_map import CharacterMap, _kinds
from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.kernels.texts import _character_map
from partcover.kernels.texts._sentencepiece_text import SentencePieceText

# spaces, characters of each length, marks, what is no UTF-8, and parts of characters
PARTS = [
    *(b" ", b"  ", b"\n", b"\r\n", b"a", b"b", b"ab", b"c " * 9, b"\0", b"\x7f"),
    *(text.encode() for text in "▁é\u0301\u3000日\ufffd😀\u200d\u1100\u1161\u11a8각\u0915\u094d"),
    *(b"\xff", b"\xe2\x96", b"\x81", b"\xed\xa0\x80", b"\xc3", b"\xf0\x9f"),
]
TEXTS = joined(PARTS, 12)
KEYS = joined([part for part in PARTS if b"\0" not in part], 3).filter(bool)
MAPS = st.dictionaries(KEYS, joined([part for part in PARTS if b"\0" not in part], 4), max_size=8)
# all that a text can ask for: labels, offsets and texts in range and out of range
UNITS = st.builds(
    lambda label, leaf, wide, offset, value: (
        label | leaf << 8 | wide << 9 | offset << 10 | value << 31
    ),
    st.sampled_from([0, *b" \nab\xe2\x96\x81\xc3\xa9\xff"]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 300) | st.integers(0, (1 << 21) - 1),
    st.booleans(),
)


def damaged(entries, others):
    """The map of entries, some of whose units are others."""
    units, texts = character_maps.built(entries)
    for place, unit in others:
        units[place % len(units)] ^= unit
    return units, texts


PLACES = st.integers(0, 300)
DAMAGE = st.lists(st.tuples(PLACES, UNITS | st.just(1 << 8) | PLACES.map(lambda to: to << 10)))
BROKEN = st.builds(damaged, MAPS, DAMAGE) | st.tuples(
    st.lists(UNITS, max_size=300), TEXTS.map(lambda text: text[:20])
)
RULES = [character_maps.Rules(*flags) for flags in product((False, True), repeat=4)]
KEPT = st.lists(joined([b" ", b"a", b"b", "▁".encode(), "é".encode()], 3).filter(bool), max_size=4)


def check_text(units, texts, kept, rules, data):
    """Compares what is written, and where it comes from, with the twin."""
    text = SentencePieceText(
        np.array(units, np.uint32), texts, sorted(set(kept)), **rules._asdict()
    )
    written = character_maps.of_text(units, texts, kept, rules, data)
    want = "".join(each.character for each in written).encode()
    assert text.applied(data) == want
    new, begin, end = text.traced(data)
    assert new == want
    place = [
        number
        for number, character in enumerate(data.decode("utf-8", "surrogateescape"))
        for _ in character.encode("utf-8", "surrogateescape")
    ]
    place = [*place, place[-1] + 1 if place else 0]
    assert begin == [place[each.begin] for each in written]
    assert end == [place[each.end - 1] + 1 if each.end else 0 for each in written]


def check_clusters(units, texts, data):
    """Compares what is written for clusters with the twin."""
    text = data.decode("utf-8", "surrogateescape")
    want = character_maps.of_clusters(units, texts, text)
    map_ = CharacterMap(np.array(units, np.uint32), texts)
    assert map_.of_bytes(data) == want.encode("utf-8", "surrogateescape")
    assert "".join(map(map_.of_cluster, regex.findall(r"\X", text))) == want


@tries(600)
@given(MAPS, KEPT, st.sampled_from(RULES), TEXTS)
@example({b"ab": b"  x "}, [b"b"], RULES[0b1010], b" a  ab ab b")
@example({b"a\xc3\xa9": b"", b" \xcc\x81": b"^"}, [], RULES[0b0010], "a aé  \u0301 ".encode())
@example({}, [b" ", b"   "], RULES[0b0110], b"   a    b   ")
@example({b" ": b"_"}, [], RULES[0b0110], b" a ")
@example({b"\xe2": b"x"}, [], RULES[0], "▁".encode())  # an entry that cuts a character
@example({b"a": b"\x96\x81\xe2"}, [], RULES[0b0001], b"\xe2a")
def test_texts_are_the_twins(entries, kept, rules, data):
    check_text(*character_maps.built(entries), kept, rules, data)


@tries(600)
@given(MAPS, TEXTS)
@example({b"a": b"1", b"a\xcc\x81": b"2"}, "a\u0301 aa\u0301 \r\u0301 a\u0301\u0301\u0301".encode())
@example({b"\r": b"1", b"\n": b"2"}, b"\r\n\r\r\n\n a\r")
@example({"\u1100".encode(): b"1"}, "\u1100\u1161 a\u1100\u1161\u11a8".encode())
@example({b"a": b""}, b"ab")
@example({"日".encode(): b"1"}, "日\u0301 日\u200d".encode())  # clusters of five bytes and of six
@example({b"\n": b"1"}, "\n\u0301".encode())  # two clusters
@example({"\u0937".encode(): b"1"}, "\u0937\u0301 \u0915\u094d\u0937\u0301".encode())  # and one
def test_clusters_are_the_twins(entries, data):
    check_clusters(*character_maps.built(entries), data)


@tries(600)
@given(BROKEN, KEPT, st.sampled_from(RULES), TEXTS)
@example(([0x161, 0x80000000], b"x"), [], RULES[0], b"aaa")
@example(([0xFFFFFFFF] * 4, b""), [], RULES[0b0100], b"a \xff")
def test_a_map_may_be_anything(map_, kept, rules, data):
    units, texts = map_
    check_text(units, texts, kept, rules, data)
    check_clusters(units, texts, data)


@tries(300)
@given(
    st.dictionaries(
        joined([*"aéb日\u0301ﬁ"], 3).filter(bool),
        joined([*"xy é日\u0301"], 4),
        min_size=1,
        max_size=6,
    ),
    joined([*"aéb日\u0301ﬁ \n\u200d"], 9),
)
@example({"ﬁ": "fi", "a\u0301": "á", "b": "", "é\u0301": "xy"}, "aﬁa\u0301bé\u0301 b")
@example({"ﬁ": "xyz", "b": "", "日": ""}, "aﬁbaﬁb日bb a")
def test_offsets_are_those_of_the_library(entries, text):
    tokenizers = pytest.importorskip("tokenizers")
    own = tokenizers.Tokenizer(tokenizers.models.BPE({"<unk>": 0}, [], unk_token="<unk>"))
    units, texts = character_maps.built({k.encode(): v.encode() for k, v in entries.items()})
    units = [*units, *[0] * 512]  # behind the end of a map the library panics
    packed = character_maps.packed(units, texts)
    own.normalizer = tokenizers.normalizers.Precompiled(packed)
    step = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(packed).decode()}
    parts = CharacterMap(np.array(units, np.uint32), texts).replaced(text)
    if not next(parts, ("", "x"))[1]:
        return  # what the library drops in front of a text moves all its offsets
    done = Normalizer(step).changes(text)
    assert own.normalizer.normalize_str(text) == done.text
    assert own.encode(text).offsets == list(zip(done.begin, done.end, strict=True))


def test_nothing_behind_the_end_of_a_map_is_read():
    units, texts = character_maps.built({b"ab": b"x", b"b": b"y"})
    whole = np.array(units, np.uint32)
    for size in range(len(units)):
        part = CharacterMap(whole[:size], texts[:3])  # what stands behind it would go on
        want = character_maps.of_clusters(units[:size], texts[:3], "ab b")
        assert part.of_bytes(b"ab b").decode() == want
        text = SentencePieceText(whole[:size], texts[:3], [], **RULES[0]._asdict())
        written = character_maps.of_text(units[:size], texts[:3], [], RULES[0], b"ab b")
        assert text.applied(b"ab b").decode() == "".join(each.character for each in written)


def going_in_circles():
    """A trie in which each a leads to where it is."""
    units = [0] * 256
    units[0] = 1 << 10
    units[1 ^ ord("a")] = ord("a") | 1 << 8 | ord("a") << 10
    units[1] = 1 << 31
    return units


def test_a_map_that_goes_in_circles_ends():
    units = going_in_circles()
    for size in (255, 256, 257, 1000):
        check_text(units, b"x\0", [], RULES[0], b"a" * size)
        check_clusters(units, b"x\0", b"a" * size)
    text = SentencePieceText(np.array(units, np.uint32), b"x\0", [], **RULES[0]._asdict())
    assert text.applied(b"a" * (1 << 16)) == b"x" * (1 << 8)


def test_a_map_that_writes_too_much_is_refused():
    for texts, refused in ((b"x" * 4096 + b"\0y\0", False), (b"y\0" + b"x" * 4097, True)):
        data = character_maps.packed(going_in_circles(), texts)
        if not refused:
            CharacterMap.from_bytes(data)
            continue
        with pytest.raises(InputError, match=r"texts of more than 4,096 bytes"):
            CharacterMap.from_bytes(data)


def test_long_runs():
    entries = {"é".encode(): b"e", b"a\xcc\x81": b"A", b"\t": b"   "}
    units, texts = character_maps.built(entries)
    data = ("word  two\t\t é" + "x" * 300 + "a\u0301 " + " " * 70 + "日本" * 50).encode() * 3
    for rules in RULES:
        check_text(units, texts, [b"two"], rules, data)
    check_clusters(units, texts, data)


@pytest.mark.long
def test_no_cluster_reaches_over_a_certain_break():
    kinds = _kinds()
    breaks = ("CR", "LF", "CN", "EX", "ZWJ", "SM", "PP", "L", "V", "T", "LV", "LVT", "RI", "XX")
    every = "".join(map(chr, [*range(0x32000), *range(0xE0000, 0xE1000)]))
    groups = [
        regex.findall(rf"[\p{{GCB={name}}}&&\p{{InCB={linked}}}&&{pictured}]", every, regex.V1)
        for name in breaks
        for linked in ("Consonant", "Linker", "Extend", "None")
        for pictured in (r"\p{ExtPict}", r"\P{ExtPict}")
    ]
    groups = [group for group in groups if group]
    assert len(groups) > 15
    few = [character for group in groups for character in (group[0], group[-1])]

    def may_join(a, b):
        a, b = kinds[ord(a)], kinds[ord(b)]
        linked = a & _character_map.LINKING and b & _character_map.LINKED
        return bool(a & _character_map.AFTER or b & _character_map.BEFORE or linked)

    for three in product(few, repeat=3):
        text = "".join(three)
        parts = three[0]
        for a, b in pairwise(three):
            parts += b if may_join(a, b) else "|" + b
        assert [c for part in parts.split("|") for c in regex.findall(r"\X", part)] == (
            regex.findall(r"\X", text)
        ), text


def test_threads_share_a_map():
    units, texts = character_maps.built({b"a": b"xyz", "é\u0301".encode(): b"  "})
    step = {
        "type": "SentencePiece",
        "precompiled_charsmap": base64.b64encode(character_maps.packed(units, texts)).decode(),
        "user_defined": ["aa"],
    }
    other = {"type": "Precompiled", "precompiled_charsmap": step["precompiled_charsmap"]}
    for normalizer in (Normalizer(step), Normalizer(other)):
        data = ["a aé\u0301  क्षaaa".encode() * n for n in range(1, 200)]
        want = [normalizer.of_bytes(each) for each in data]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(normalizer.of_bytes, data)) == want
