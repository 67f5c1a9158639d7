"""A table has the words of a text, whether their keys are made one by one or all at once."""

import random
from itertools import pairwise

import numpy as np
import pytest

from partcover.corpus.pretokenizers.character_kinds import character_kinds
from partcover.corpus.pretokenizers.rules import PRETOKENIZER_RULES
from partcover.kernels.encoding import _encoder


@pytest.fixture(autouse=True)
def at_once():
    yield
    _encoder.keys_at_once()


def text_of(seed):
    """Words of any size, most of them short, some of them again and again, not ASCII alone."""
    draw = random.Random(seed)
    letters = "abcdefgh" + "éж一" * draw.randint(0, 1)
    sizes = [*range(1, 10), *range(1, draw.choice([6, 20, 40, 90]))]
    words = ["".join(draw.choices(letters, k=draw.choice(sizes))) for _ in range(60)]
    return " ".join(draw.choice(words) for _ in range(200)).encode()


@pytest.mark.parametrize("allowed", [False, True])
def test_each_word_is_new_once(allowed):
    _encoder.keys_at_once(allowed)
    finder = PRETOKENIZER_RULES["gpt2"].finder
    for seed in range(60):
        text = text_of(seed)
        cache = _encoder.WordCache(finder, character_kinds(), b" ", 1 << 20)
        assert cache.find(text, 0, len(text))[0] == len(text)
        data, offsets = cache.new_words(text)
        new = [data[a:b].tobytes() for a, b in pairwise(offsets)]
        words = text.replace(b" ", b"\n ").split(b"\n")
        assert new == list(dict.fromkeys(words))
        # each word is one number, its last byte
        at_last = np.full(len(data), -2, np.int32)
        at_last[offsets[1:] - 1] = -1
        cache.add_pieces(offsets, data, at_last)
        for _ in range(2):
            assert cache.array_of_words("int32").tolist() == [word[-1] for word in words]
            assert cache.find(text, 0, len(text)) == (len(text), 0)
