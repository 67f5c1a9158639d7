"""The first tokens of a vocabulary, with their merges and scores."""

from __future__ import annotations

from partcover import (
    Vocabulary,
)
from partcover.vocabulary.subset import first_tokens


def test_tokens_take_their_merges_and_scores_along():
    vocabulary = Vocabulary(
        ["ab", "cd", "abcd"],
        merges=[("a", "b"), ("c", "d"), ("ab", "cd")],
        scores=[-1, -2, -3],
        special=["<s>"],
    )
    two = first_tokens(vocabulary, 2)
    assert two.merges == ((b"a", b"b"), (b"c", b"d"))
    assert (two.scores, two.special) == ((-1.0, -2.0), {})
    assert first_tokens(vocabulary, 0).merges == ()
    assert first_tokens(vocabulary, 3) is vocabulary
    pairs = [("a", "b"), ("b", "c"), ("ab", "c"), ("c", "d"), ("a", "bc")]
    twice = Vocabulary(["ab", "bc", "abc", "cd"], merges=pairs)  # abc is made again, but later
    assert first_tokens(twice, 3).merges == twice.merges[:3]
