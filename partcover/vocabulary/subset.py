"""Restricts a vocabulary to some of its tokens."""

from __future__ import annotations

from collections.abc import Sequence

from .vocabulary import Vocabulary


def only(vocabulary: Vocabulary, places: Sequence[int]) -> Vocabulary:
    """Returns the vocabulary of the tokens at some indices, with their scores and ids.

    Merges that need or make other tokens are dropped.

    Parameters
    ----------
    vocabulary : Vocabulary
        The vocabulary.
    places : sequence of int
        The indices of the tokens to keep, ascending.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.vocabulary.subset import only
    >>> only(Vocabulary(["ab", "bc", "abc"]), [0, 2]).tokens
    (b'ab', b'abc')
    """
    tokens = [vocabulary.tokens[place] for place in places]
    scores, merges = vocabulary.scores, vocabulary.merges
    ids = vocabulary.id_of if vocabulary.symbols == "bytes" else None
    kept = set(tokens)
    return vocabulary.with_(
        tokens=tokens,
        ids=None if ids is None else [*ids[:256], *(ids[256 + place] for place in places)],
        scores=None if scores is None else [scores[place] for place in places],
        merges=None
        if merges is None
        else [
            pair
            for pair in merges
            if pair[0] + pair[1] in kept  # type: ignore[operator]
            and all(len(part) == 1 or part in kept for part in pair)
        ],
    )


def first_tokens(vocabulary: Vocabulary, size: int) -> Vocabulary:
    """Returns the vocabulary of the first `size` tokens, with their scores.

    Merges are kept up to the one that makes the last of these tokens, except those that need
    other tokens.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.vocabulary.subset import first_tokens
    >>> first_tokens(Vocabulary(["ab", "bc", "abc"]), 2).tokens
    (b'ab', b'bc')
    """
    if size >= len(vocabulary):
        return vocabulary
    tokens = vocabulary.tokens[:size]
    merges = vocabulary.merges
    if merges is not None:
        kept = set(tokens)
        wholes = [left + right for left, right in merges]  # type: ignore[operator]
        first = {token: i for i, token in reversed(list(enumerate(wholes)))}
        last = max((first[token] for token in tokens if token in first), default=-1)
        merges = tuple(
            pair
            for pair, whole in zip(merges[: last + 1], wholes, strict=False)
            if all(len(part) == 1 or part in kept for part in (*pair, whole))
        )
    scores = None if vocabulary.scores is None else vocabulary.scores[:size]
    return vocabulary.with_(
        tokens=tokens,
        merges=merges,
        scores=scores,
        ids=None,
        special={},
        unknown=None,
        decode_only={},
    )
