"""Merges and likelihood beside tiktoken and Hugging Face's tokenizers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from segmentation.cuts import (
    cut_all,
    merge_lists,
    scores_st,
    tokens_st,
    words_st,
)
from shared.properties import tries

from partcover import Vocabulary

BYTES = [bytes([b]) for b in range(256)]
ASCII = [chr(b) for b in range(128)]


@tries(150)
@given(words=words_st, made=merge_lists("abc"))
def test_tiktoken_agrees(words, made):
    tiktoken = pytest.importorskip("tiktoken")
    # tiktoken wants every token to be made of two others, so those of merge lists
    words = list(dict.fromkeys(w.replace("é", "c").encode() for w in words))
    vocabulary = Vocabulary([t.encode() for t in made[0]])
    ranks = {token: i for i, token in enumerate([*BYTES, *vocabulary])}
    peer = tiktoken.Encoding("peer", pat_str=".+", mergeable_ranks=ranks, special_tokens={})
    cuts = cut_all(words, vocabulary, "merges")
    assert cuts == [peer.decode_tokens_bytes(peer.encode(w.decode())) for w in words]


@tries(150)
@given(words=words_st, made=merge_lists("abc"))
def test_hugging_face_bpe_agrees(words, made):
    models = pytest.importorskip("tokenizers.models")
    words = list(dict.fromkeys(w.replace("é", "c") for w in words))
    ids = {token: i for i, token in enumerate([*"abc", *made[0]])}
    peer = models.BPE(ids, made[1])
    cuts = cut_all(words, Vocabulary(made[0], "chars", merges=made[1]), "merges")
    assert cuts == [[t.value for t in peer.tokenize(word)] for word in words]


@tries(150)
@given(words=words_st, tokens=tokens_st, data=st.data())
def test_hugging_face_unigram_agrees(words, tokens, data):
    models = pytest.importorskip("tokenizers.models")
    singles = {s: data.draw(scores_st) for s in "abcé"}
    scores = data.draw(st.lists(scores_st, min_size=len(tokens), max_size=len(tokens)))
    peer = models.Unigram([*singles.items(), *zip(tokens, scores, strict=True)], None)
    vocabulary = Vocabulary(tokens, "chars", scores=scores, symbol_scores=singles)
    cuts = cut_all(words, vocabulary, "likelihood")
    assert cuts == [[t.value for t in peer.tokenize(word)] for word in words]
