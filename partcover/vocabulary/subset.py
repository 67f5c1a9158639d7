"""Takes tokens out of a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

from .vocabulary import Vocabulary

__all__ = ["only"]


def only(vocabulary: Vocabulary, kept: Sequence[int]) -> Vocabulary:
    """The tokens at these places, with their scores and ids; pairs that need others are left out.

    Parameters
    ----------
    vocabulary : Vocabulary
        Over bytes.
    kept : sequence of int
        Places of tokens, ascending.
    """
    tokens = [vocabulary.tokens[place] for place in kept]
    ids, scores, merges = vocabulary.id_of, vocabulary.scores, vocabulary.merges
    there = set(tokens)
    return vocabulary.with_(
        tokens=tokens,
        ids=[*ids[:256], *(ids[256 + place] for place in kept)],
        scores=None if scores is None else [scores[place] for place in kept],
        merges=None
        if merges is None
        else [
            pair
            for pair in merges
            if pair[0] + pair[1] in there  # type: ignore[operator]
            and all(len(part) == 1 or part in there for part in pair)
        ],
    )
