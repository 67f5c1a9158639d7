"""The kernel that edits characters by themselves is its slow twin."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import example, given
from shared.properties import tries

from partcover.corpus.pretokenizers.character_kinds import code_points
from partcover.corpus.pretokenizers.unicode_tables import (
    CONTROLS,
    MARKS,
    character_class,
    ranges_of,
)
from partcover.kernels.texts._character_edits import APART, DELETED, SPACE, edited

CHARACTERS = "aé日😀 \n\0\x7f\ue000\U0010ffff"
WRITTEN = {0: "{}", DELETED: "", SPACE: " ", APART: " {} "}


@tries(400)
@given(
    st.dictionaries(st.sampled_from(CHARACTERS), st.sampled_from([DELETED, SPACE, APART])),
    st.text(st.sampled_from(CHARACTERS + "\udcff\udce6\udc97"), max_size=20),
)
@example({"a": DELETED}, "a")
@example({"日": APART}, "日日é日")
@example({"\ue000": SPACE}, "\udcee\udc80")  # a part of a character
def test_edits_are_the_twins(edits, text):
    table = np.zeros(0x110000, np.uint8)
    for character, edit in edits.items():
        table[ord(character)] = edit
    data = text.encode("utf-8", "surrogateescape")
    text = data.decode("utf-8", "surrogateescape")
    want = "".join(WRITTEN[edits.get(character, 0)].format(character) for character in text)
    assert edited(data, table) == want.encode("utf-8", "surrogateescape")


def test_a_text_without_edits_is_not_copied():
    text = "a é".encode() * 99
    assert edited(text, np.zeros(0x110000, np.uint8)) is text


def test_ranges_are_those_of_the_class():
    for class_ in (MARKS, CONTROLS, character_class("41-5A 5F")):
        points = {p for first, last in ranges_of(class_) for p in range(first, last + 1)}
        some = code_points({f"[{class_}]+": 1})
        assert {p for p in points if p < 0x40000} == set(np.flatnonzero(some[:0x40000]).tolist())
