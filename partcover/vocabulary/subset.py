"""Takes tokens out of a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

from .vocabulary import Vocabulary

__all__ = ["first_tokens", "only"]


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


def first_tokens(vocabulary: Vocabulary, size: int) -> Vocabulary:
    """The first `size` tokens of a vocabulary, with what belongs to them.

    Merges are kept up to the one that makes the last of these tokens, without those that need
    others.
    """
    if size >= len(vocabulary):
        return vocabulary
    tokens = vocabulary.tokens[:size]
    merges = vocabulary.merges
    if merges is not None:
        kept = set(tokens)
        made = [left + right for left, right in merges]  # type: ignore[operator]
        first = {token: i for i, token in reversed(list(enumerate(made)))}
        last = max((first[token] for token in tokens if token in first), default=-1)
        merges = tuple(
            pair
            for pair, whole in zip(merges[: last + 1], made, strict=False)
            if all(len(part) == 1 or part in kept for part in (*pair, whole))
        )
    scores = None if vocabulary.scores is None else vocabulary.scores[:size]
    return vocabulary.with_(tokens=tokens, merges=merges, scores=scores, ids=None, special={})
