"""Ids back to text, and what is refused."""

from __future__ import annotations

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
