"""Words and vocabularies that exports to other libraries are tried on."""

from __future__ import annotations

import random

import pytest

from partcover import Instance, Vocabulary, WordCounts, greedtok

TEXT = "the cat sat on the mat; the hat: thé café, 日本 tha thathath abababab eded ced "
WORDS = [("Ġ" * (i > 0) + w) for i, w in enumerate(TEXT.split())]


def need(name):
    """Skip without the library, or where it finds no library of its own."""
    try:
        return pytest.importorskip(name, exc_type=ImportError)
    except ImportError:  # an extension that cannot be loaded
        pytest.skip(f"{name} cannot be loaded")


def counted_words():
    draw = random.Random(3)
    words = {}
    for _ in range(400):
        word = "".join(draw.choice(["a", "b", "ab", "th", "e", " ", "é", "ba"]) for _ in range(6))
        words[word] = draw.randrange(1, 50)
    return WordCounts.from_counts(words)


def chosen(counted, k=40, **use):
    use = {"pretokenizer": "none", **use}
    return Vocabulary(greedtok(Instance(counted, k)).vocabulary.tokens, **use)


def whole(vocabulary):
    """Without the tokens that cut a character."""
    kept = [t for t in vocabulary if t.decode(errors="replace").encode() == t]
    return vocabulary.with_(tokens=kept)
