"""Keys that are chosen to meet in the tables do not: how far they stand from home is counted."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partcover.kernels.encoding import _encoder
from partcover.kernels.segmentation import _merge_segmentation, _segment
from partcover.kernels.training import _merge_training
from partcover.kernels.words import _word_ends, _word_table

# What hashes without a key multiplied by: whoever knows it chooses keys that meet.
ODD = 0x9E3779B97F4A7C15
MANY = 20_000
# At a load of at most one half, keys that are not chosen stand half a slot from home on average
# (Knuth); the keys below stood thousands of slots from it.
FAR = 2


def unmixed(x):
    """What ``x *= ODD; x ^= x >> 29`` makes x of."""
    return (x ^ (x >> 29) ^ (x >> 58)) * pow(ODD, -1, 2**64) % 2**64


def chosen_words(size):
    """Distinct words of 8 or 16 bytes that all had one hash."""
    words = []
    for i in range(MANY):
        block = unmixed(unmixed(0xABCD << 32 | i))
        if size == 16:  # the first block is the same for all
            block ^= mixed(16 ^ 7)
            words.append((7).to_bytes(8, "little") + block.to_bytes(8, "little"))
        else:
            words.append((block ^ 8).to_bytes(8, "little"))
    return words


def mixed(x):
    x = x * ODD % 2**64
    return x ^ (x >> 29)


def chosen_pairs(side, shift, mask):
    """Distinct pairs below `side` whose keys, multiplied by ODD, have near homes."""
    left, right = (np.arange(side, dtype=np.uint64) for _ in "lr")
    with np.errstate(over="ignore"):
        keys = (left[:, None] << np.uint64(32)) | right
        keys *= np.uint64(ODD)
        homes = (keys >> np.uint64(shift) ^ keys * np.uint64(shift == 32)) & np.uint64(mask)
    nearest = np.argsort(homes, axis=None, kind="stable")[:MANY]
    return np.array(np.unravel_index(nearest, homes.shape), np.int32)


@pytest.mark.long
def test_old_hash_met_at_the_chosen_words():
    # that the attack is one
    for size in (8, 16):
        hashes = set()
        for word in chosen_words(size):
            h = size
            for at in range(0, size, 8):
                h = mixed(h ^ int.from_bytes(word[at : at + 8], "little"))
            hashes.add(mixed(h) >> 32)
        assert hashes == {0xABCD}


@pytest.mark.long
@pytest.mark.parametrize("size", [8, 16])
def test_words_are_near_their_homes(size):
    words = chosen_words(size)
    assert len(set(words)) == MANY
    table = _word_table.WordTable()
    data = np.frombuffer(b"".join(words), np.uint8)
    table.add_words(data, np.arange(0, len(data) + 1, size), np.ones(MANY, np.int64))
    assert len(table) == MANY
    assert table.displacement < FAR * MANY


@pytest.mark.long
@pytest.mark.parametrize("size", [8, 16])
def test_encoded_words_are_near_their_homes(size):
    words = {word for word in chosen_words(size) if b" " not in word}
    cache = _encoder.WordCache(_word_ends.FIRST_SPACE, np.zeros(0x110000, np.uint8), b" ", 1 << 26)
    text = b" ".join(words)
    cache.find(text, 0, len(text))
    assert len(cache) > 0.9 * MANY
    assert cache.displacement < FAR * MANY


@pytest.mark.parametrize("size", [16, 63, 64, 65, 85, 92, 93, 200])
def test_encoded_words_that_differ_in_one_byte_are_near_their_homes(size):
    for place in range(size):
        word = bytearray(b"a" * size)
        words = []
        for byte in range(33, 256):
            word[place] = byte
            words.append(bytes(word))
        cache = _encoder.WordCache(
            _word_ends.FIRST_SPACE, np.zeros(0x110000, np.uint8), b" ", 1 << 26
        )
        text = b" ".join(words)
        cache.find(text, 0, len(text))
        assert len(cache) == 223
        assert cache.displacement < FAR * 223


def test_numbered_words_are_near_their_homes():
    words = [str(i).encode() for i in range(MANY)]
    table = _word_table.WordTable()
    offsets = np.cumsum([0, *map(len, words)])
    table.add_words(np.frombuffer(b"".join(words), np.uint8), offsets, np.ones(MANY, np.int64))
    assert table.displacement < FAR * MANY


@pytest.mark.long
def test_pairs_that_merge_are_near_their_homes():
    left, right = chosen_pairs(2_000, 24, 2**16 - 1)
    rank = np.arange(MANY, dtype=np.int32)
    merger = _merge_segmentation.MergeSegmenter(left, right, rank, rank, np.zeros(0, np.int64))
    assert merger.displacement < FAR * MANY


@pytest.mark.long
def test_tokens_are_near_their_homes():
    side = 2_000
    node, code = chosen_pairs(side, 20, 2**17 - 1)
    used = np.bincount(node, minlength=side) + np.bincount(code, minlength=side)
    # symbol s alone is node s + 1; its code is s + 1 where all symbols stand equally often
    padding = np.repeat(np.arange(side), used.max() - used)
    tokens = [*([s] for s in range(side)), *np.stack([node, code], 1).tolist(), padding.tolist()]
    offsets = np.cumsum([0, *map(len, tokens)])
    segmenter = _segment.Segmenter(np.concatenate(tokens).astype(np.int32), offsets)
    assert segmenter.displacement < FAR * offsets[-1]


@pytest.mark.long
def test_pairs_that_are_trained_are_near_their_homes():
    # words of two symbols each, in every order that meets
    left, right = chosen_pairs(2_000, 32, 2**16 - 1)
    text = np.stack([left, right], 1).ravel()
    nothing = np.zeros(0, np.int64)
    merger = _merge_training.MergeTrainer(
        text,
        np.arange(0, 2 * MANY + 1, 2),
        np.ones(MANY, np.int64),
        np.full(2 * MANY, -1, np.int32),
        nothing,
        nothing,
        0,
        np.zeros(0, np.int32),
        2_000,
        10,
        1 << 40,
        1,
        False,
    )
    assert merger.displacement < FAR * MANY


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=30), st.data())
def test_words_are_the_same_wherever_they_stand(words, data):
    # near the end of a buffer bytes are read one by one, elsewhere eight at once
    tail = data.draw(st.binary(max_size=9))
    table = _word_table.WordTable()
    for word in words:
        for behind in (b"", tail):
            raw = np.frombuffer(word + behind, np.uint8)
            table.add_words(raw, np.array([0, len(word)]), np.array([1]))
    got, offsets, counts = table.export(False)
    assert [got[a:b].tobytes() for a, b in pairwise(offsets)] == list(dict.fromkeys(words))
    assert counts.tolist() == [2 * words.count(word) for word in dict.fromkeys(words)]


@pytest.mark.long
def test_results_do_not_depend_on_the_key():
    # each process has a key of its own
    program = """
from partcover import Encoder, Instance, WordCounts, trainers, greedtok
words = WordCounts.from_texts(["a rose is a rose " * 9, "eros is sore, rosy and arousing"])
vocabulary = greedtok(Instance(words, k=9)).vocabulary
print(list(words), list(vocabulary), Encoder(vocabulary, "gpt2").encode("sore roses"))
print(list(trainers.bpe(Instance(words, k=9)).vocabulary))
"""
    runs = {
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout
        for _ in range(3)
    }
    assert len(runs) == 1
