"""Phrases in running text: encode cuts as was counted, whatever the shards and the threads."""

from __future__ import annotations

from unittest import mock

from encoding.cases import BYTES
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, Instance, Vocabulary, WordCounts, greedtok, segment
from partcover.corpus.counting import count as counting
from partcover.encoding import worker

NAMES = ["gpt2+phrases:2", "cl100k+phrases:4", "o200k+phrases", "tekken+phrases:3"]
NAMES += ["deepseek+phrases:2", "first-space+phrases:3", "space-prefix:_+phrases:4"]


@tries(120)
@given(
    text=st.lists(BYTES | st.sampled_from([b" of the", b" ways", b"one of"]), min_size=1)
    .map(b"".join)
    .filter(lambda text: text and b"_" not in text),
    name=st.sampled_from(NAMES),
    k=st.integers(1, 12),
    part=st.integers(1, 40),
    threads=st.integers(1, 2),
)
def test_ids_are_those_of_the_counted_phrases(text, name, k, part, threads):
    with mock.patch.object(counting, "PIECES", part):
        words = WordCounts.from_texts([text], pretokenizer=name)
    tokens = greedtok(Instance(words, k)).vocabulary.tokens
    vocabulary = Vocabulary(tokens, pretokenizer=name)
    cut = segment(words, vocabulary)
    encoder = Encoder(vocabulary, threads=threads)
    with mock.patch.object(worker, "PART", part):
        ids = encoder.encode(text)
    assert len(ids) == cut.tokens
    assert encoder.decode_bytes(ids) == text
    again, spans = encoder.encode_with_offsets(text)
    assert again == ids
    assert b"".join(text[a:b] for a, b in spans) == text


def test_a_token_may_reach_across_words():
    words = WordCounts.from_texts(["one of the ways"] * 3, pretokenizer="gpt2+phrases:3")
    assert words.to_dict() == {b"one of the": 3, b" ways": 3}
    encoder = Encoder(Vocabulary(["one of", " the", " the ways"], pretokenizer="gpt2+phrases:3"))
    ids, spans = encoder.encode_with_offsets("one of the ways", unit="chars")
    assert ids[:2] == [256, 257]  # " the ways" is in no phrase
    assert spans[:2] == [(0, 6), (6, 10)]
