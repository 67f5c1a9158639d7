"""Ids beside Hugging Face's and tiktoken's."""

from __future__ import annotations

import pytest
from oracles.encoding import words_of

from partcover import Encoder, Vocabulary
from partcover.corpus.pretokenizers.published_patterns import PATTERNS

PROSE = (
    "It is a truth universally acknowledged, that a single man's fortune — 10,000 a year! —\n\n"
    "  must be \tin want of a wife.\r\n   Ünïcödé words: 中文字符 、日本語 Привет мир 🙂🙂 "
    "١٢٣ e\u0301. "
    "don't WE'LL 'tis  x=[1234567]; return self.words\n"
)


def vocabulary_of(text, size):
    """The most frequent substrings of its words."""
    counts = {}
    for word in words_of(text.encode(), "gpt2"):
        for a in range(len(word)):
            for b in range(a + 2, min(len(word), a + 12) + 1):
                counts[word[a:b]] = counts.get(word[a:b], 0) + 1
    return sorted(counts, key=lambda token: (-counts[token] * len(token), token))[:size]


def test_ids_are_hugging_faces():
    tokenizers = pytest.importorskip("tokenizers")
    tokens = vocabulary_of(PROSE, 150)
    shown = {}  # GPT-2's characters for bytes, in the order of their code points
    spare = 256
    for byte in range(256):
        c = chr(byte)
        if not (33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174):
            c, spare = chr(spare), spare + 1
        shown[byte] = c
    pieces = [*(bytes([byte]) for byte in range(256)), *tokens]
    model = tokenizers.models.Unigram(
        [("".join(shown[byte] for byte in piece), -1.0) for piece in pieces], None, False
    )
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    ours = Encoder(Vocabulary(tokens), "gpt2", "shortest_path")
    for text in (PROSE, PROSE[::-1], PROSE * 20):
        assert ours.encode(text) == theirs.encode(text).ids


@pytest.mark.parametrize("name", PATTERNS)
def test_ids_are_tiktokens(name):
    tiktoken = pytest.importorskip("tiktoken")
    tokens = sorted(vocabulary_of(PROSE, 150), key=len)
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {token: 256 + place for place, token in enumerate(tokens)}
    theirs = tiktoken.Encoding(
        "ours", pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens={"<|end|>": 999}
    )
    ours = Encoder(Vocabulary(tokens, special={"<|end|>": 999}), name, "merges")
    for text in (PROSE, PROSE[::-1], PROSE + "<|end|>" + PROSE):
        assert ours.encode(text) == theirs.encode_ordinary(text)
        parsed = theirs.encode(text, allowed_special="all")
        assert ours.encode(text, special="parse") == parsed
        assert ours.decode(parsed) == theirs.decode(parsed) == text
