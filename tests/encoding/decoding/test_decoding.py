"""Ids back to text, and what is refused."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from enum import IntEnum

import numpy as np
import pytest

from partcover import Encoder, InputError, Vocabulary


def test_decoding_refused():
    ours = Encoder(Vocabulary(["ab"]), "gpt2")
    for ids in ([97, 257, 3], np.array([97, 257]), [97, 257.5], [97, "257"], [97, [257]],
                [97, 97.0], [97, True], [97, np.float64(97)]):  # fmt: skip
        with pytest.raises(InputError, match=r"^id \S+, number 1 of the ids, is not in"):
            ours.decode(ids)
    with pytest.raises(InputError, match=r"id -1, number 0"):
        ours.decode([-1])
    with pytest.raises(InputError, match="array of float64 with 1 axes"):
        ours.decode(np.array([1.0]))
    with pytest.raises(InputError, match="byte 1 of the decoded text is not UTF-8"):
        ours.decode([97, 0xFF])
    assert ours.decode([97, 0xFF], "replace") == "a\ufffd"
    assert ours.decode([97, 0xFF], "ignore") == "a"
    assert ours.decode([97, 0xFF], "backslashreplace") == "a\\xff"
    assert ours.decode([np.uint16(97), 256]) == "aab"
    for errors in ("drop", "xmlcharrefreplace", "namereplace"):
        for ids in ([97], [0xFF]):
            with pytest.raises(InputError, match=f"unknown errors '{errors}'"):
                ours.decode(ids, errors)
    assert ours.decode([97, 0xFF], "surrogateescape") == "a\udcff"
    assert ours.decode([]) == ""


@pytest.mark.parametrize("section", [1, 2, 3])
def test_sections_of_ids_change_nothing(monkeypatch, section):
    """A mark, or a run of text between special tokens, may go over the end of a section."""
    encoder = Encoder(Vocabulary([b"\xa0a", "Ġa"], special=["<s>"]), "space-prefix")
    text = "<s> a Ġa\u0120 <s>b a <s>".encode() + b"\xc4"
    ids = encoder.encode(text, special="parse")
    monkeypatch.setattr("partcover.encoding.decoding.SECTION", section)
    for either in (ids, np.array(ids)):
        assert encoder.decode_bytes(either) == text
        with pytest.raises(InputError, match=f"id 999, number {len(ids)} of the ids"):
            encoder.decode_bytes([*either, 999])


class Counted(IntEnum):
    A = 97


def test_ids_may_be_in_any_list():
    ours = Encoder(Vocabulary(["ab"], special=["<s>"]), "gpt2")
    ids = [256, 257, 97]
    arrays = [np.array(ids, kind) for kind in ("u2", "i4", ">u2", ">i8")]
    lists = [tuple(ids), deque(ids), dict.fromkeys(ids).keys(), iter(ids), [256, 257, Counted.A]]
    for given_ in (*arrays, np.repeat(arrays[0], 2)[::2], memoryview(arrays[1]), *lists):
        again = list(given_)
        assert ours.decode(iter(again)) == "".join(ours.decode_stream(again)) == "ab<s>a"
        if not isinstance(given_, Iterator):
            assert ours.decode(given_) == "ab<s>a"
            assert ours.decode_batch([given_]) == ["ab<s>a"]
    assert ours.decode(ids, skip_special=np.True_) == "aba"
    assert ours.decode(np.array([])) == ours.decode([]) == ""
    for wrong in (np.array(97), {97: 1}, None, "ab"):
        with pytest.raises(InputError, match=r"ids are "):
            ours.decode(wrong)
        with pytest.raises(InputError, match=r"(ids|texts) are "):
            ours.decode_batch(wrong)
        with pytest.raises(InputError, match=r"ids are "):
            list(ours.decode_stream(wrong))


@pytest.mark.long
def test_ids_may_be_in_columns_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    ours = Encoder(Vocabulary(["ab"]), "gpt2")
    assert ours.decode(arrow.array([256, 97])) == "aba"
    assert list(ours.decode_stream(arrow.array([256, 97]))) == ["ab", "a"]
    assert ours.decode_batch(arrow.array([[256], [97, 98]])) == ["ab", "ab"]
