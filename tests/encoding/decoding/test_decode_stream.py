"""Text that comes token by token is the text of all tokens, in whole characters."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partcover import Encoder, InputError, Vocabulary
from partcover.encoding.decoding import Decoder

TEXTS = [bytes((byte,)) for byte in range(256)]
TEXTS += [
    "▁a".encode(),
    "b▁".encode(),
    "▁▁".encode(),
    b"  ",
    b" x",
    b"y ",
    "é一".encode(),
    b"\xe2\x96",
]
SPECIAL = len(TEXTS)
TEXTS += [b"<s>", b" <e> ", "▁".encode()]
IDS = st.lists(
    st.one_of(
        st.integers(256, len(TEXTS) - 1),
        st.sampled_from([32, 97, *"▁é一😀".encode(), 0xFF]),
    ),
    max_size=14,
)


@given(
    IDS,
    st.sampled_from([b" ", "▁".encode(), b"\xe2", b"ab"]),
    st.sampled_from([None, "▁", "aa"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0, 1, 2, None]),
    st.booleans(),
    st.sampled_from(["strict", "replace", "ignore", "surrogateescape", "backslashreplace"]),
)
def test_all_parts_are_the_whole(ids, mark, written, fronted, ended, front, skip, errors):
    steps = SimpleNamespace(
        replacement=written,
        mark="",
        ends_words=ended,
        steps=[SimpleNamespace(prefix="x" * fronted, again=False)],
    )
    decoder = Decoder(
        dict(enumerate(TEXTS)),
        range(SPECIAL, len(TEXTS)),
        [SPECIAL],
        mark,
        steps,
        SimpleNamespace(front_spaces=front),
    )
    parts = []
    try:
        whole = decoder.decode(ids, errors, skip_special=skip)
    except InputError:
        with pytest.raises(InputError, match=r"^byte \d+ of the decoded text is not UTF-8"):
            parts.extend(decoder.decode_stream(ids, errors, skip_special=skip))
        return
    parts.extend(decoder.decode_stream(ids, errors, skip_special=skip))
    assert "".join(parts) == whole
    assert "" not in parts


def test_nothing_is_kept_longer_than_it_must_be():
    encoder = Encoder(Vocabulary(["ab", "Ġc"], special=["<s>"]), "space-prefix")
    asked = []

    def ids():
        for number in (256, 0xC3, 0xA9, 257, 258, 0xC4, 100, 0xC4):
            asked.append(number)
            yield number

    shown = [(part, len(asked)) for part in encoder.decode_stream(ids(), "replace")]
    # byte 0xC4 may begin a mark
    assert shown == [("ab", 1), ("é", 3), (" c", 4), ("<s>", 5), ("\ufffdd", 7), ("\ufffd", 8)]


def test_what_is_refused():
    encoder = Encoder(Vocabulary(["ab"]), "gpt2")
    stream = encoder.decode_stream([97, 256, 999])
    assert [next(stream), next(stream)] == ["a", "ab"]
    with pytest.raises(InputError, match="id 999, number 2 of the ids"):
        next(stream)
    with pytest.raises(InputError, match="byte 3 of the decoded text is not UTF-8"):
        list(encoder.decode_stream([97, 256, 0xE2, 97]))
    with pytest.raises(InputError, match="byte 1 of the decoded text is not UTF-8"):
        list(encoder.decode_stream([97, 0xE2]))
    with pytest.raises(InputError, match="unknown errors 'drop'"):
        list(encoder.decode_stream([97], "drop"))
    with pytest.raises(InputError, match="text 2: id 999, number 0"):
        encoder.decode_batch([[97], [999]])
    assert encoder.decode_batch([[97, 0xFF], []], "ignore") == ["a", ""]
