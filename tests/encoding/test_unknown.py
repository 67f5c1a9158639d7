"""What has no id becomes the unknown token."""

import re

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary
from partcover.vocabulary.unknown import Unknown

KNOWN = {ord(" "): 1, ord("a"): 2}
UNKNOWN = 9


def vocabulary(part):
    ids = [KNOWN.get(byte, -1) for byte in range(256)]
    return Vocabulary(
        ["ab", "éx"],
        rule="longest_match",
        pretokenizer="first-space",
        ids=[*ids, 3, 4],
        special={"<unk>": UNKNOWN},
        unknown=Unknown("<unk>", part),
    )


def expected(part, text):
    ids, spans = [], []
    for word in re.finditer(" [^ ]*|[^ ]+", text):
        inside = [*re.finditer("ab|éx|[a ]|.", word[0], re.DOTALL)]
        found = {"ab": 3, "éx": 4, "a": 2, " ": 1}
        numbers = [found.get(m[0], UNKNOWN) for m in inside]
        if part == "word" and UNKNOWN in numbers:
            numbers, inside = [UNKNOWN], [re.match("(?s).*", word[0])]
        for place, (number, m) in enumerate(zip(numbers, inside, strict=True)):
            span = tuple(word.start() + at for at in m.span())
            if part == "run" and number == UNKNOWN and place and numbers[place - 1] == UNKNOWN:
                spans[-1] = (spans[-1][0], span[1])
            else:
                ids.append(number)
                spans.append(span)
    return ids, spans


@tries(200)
@given(st.sampled_from(["run", "character", "word"]), st.text(st.sampled_from("ab éx日😀\0")))
def test_a_run_a_character_or_a_word(part, text):
    encoder = Encoder(vocabulary(part))
    ids, spans = expected(part, text)
    assert encoder.encode(text) == ids == encoder.encode_batch([text])[0]
    assert encoder.encode_with_offsets(text, unit="chars") == (ids, spans)
    assert encoder.encode_to_numpy(text).dtype == np.uint16


def test_it_is_saved_and_decoded(tmp_path):
    given = vocabulary("run")
    given.save(tmp_path / "v.json")
    assert Vocabulary.load(tmp_path / "v.json") == given
    encoder = Encoder(given)
    assert encoder.decode(encoder.encode("ab日本 éx")) == "ab<unk> éx"
    with pytest.raises(InputError, match="has no id"):
        Encoder(given.with_(unknown=None)).encode("日")
    with pytest.raises(InputError, match="unknown: '<unk>' is not a"):
        given.with_(special={})
    with pytest.raises(InputError, match="run, character, word"):
        Unknown("<unk>", "byte")
