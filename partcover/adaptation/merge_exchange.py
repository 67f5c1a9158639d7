"""Exchanges tokens of a pruned vocabulary for others that merges can also make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from ..analysis.metrics import token_uses
from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..runtime.limits import Deadline
from ..segmentation.segmentation import Segmentation, segment
from ..vocabulary.vocabulary import Vocabulary
from .merge_tree import MergeTree

__all__ = ["exchanged"]

_FIRST = 4  # the first exchange is of a quarter of the tokens


def exchanged(
    tree: MergeTree,
    smaller: Callable[[set[Token]], Vocabulary],
    words: WordCounts,
    kept: set[Token],
    fixed: set[Token],
    *,
    deadline: Deadline,
    threads: int = 1,
) -> Vocabulary:
    """Exchanges tokens as long as fewer tokens are needed.

    The least used tokens that no other kept one is made of give way to those whose two parts stand
    side by side most often, fewer of them each time that this does not help.
    """
    best = smaller(kept)
    cut = segment(words, best, threads=threads)
    number = max(1, len(kept) // _FIRST)
    while number and not deadline.is_over:
        uses = dict(zip(best.tokens, token_uses(cut, len(best)).tolist(), strict=True))
        loose = [t for t in best.tokens if t not in fixed and not tree.children[t] & kept]
        gone = set(sorted(loose, key=lambda token: uses[token])[:number])
        there = kept - gone
        gains = _gains(cut, best)
        ready = [
            t for t in gains if t in tree.parts and t not in kept and there >= {*tree.parts[t]}
        ]
        more = sorted(ready, key=lambda token: -gains[token])[: len(gone)]
        other = smaller(there | {*more}) if len(more) == len(gone) else best
        attempt = segment(words, other, threads=threads)
        if attempt.tokens < cut.tokens:
            best, cut, kept = other, attempt, set(other.tokens)
        else:
            number //= 2
    return best


def _gains(cut: Segmentation, vocabulary: Vocabulary) -> Counter[Token]:
    """Returns how often two neighbours together spell each text, by the text."""
    words, places = cut.words, np.flatnonzero(cut.ends)
    word_of = np.repeat(np.arange(len(words)), cut.pieces)
    numbers = cut.which[places].astype(np.int64)
    alone = numbers < 0
    numbers[alone] = len(vocabulary) + words.data[places][alone].astype(np.int64)
    inside = np.flatnonzero(word_of[1:] == word_of[:-1])
    base = int(numbers.max(initial=0)) + 1
    keys, inverse = np.unique(numbers[inside] * base + numbers[inside + 1], return_inverse=True)
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, inverse, words.counts[word_of[inside]])

    def spelled(number: int) -> Any:
        if number < len(vocabulary):
            return vocabulary.tokens[number]
        symbol = np.array([number - len(vocabulary)], sym.DTYPES[vocabulary.symbols])
        return sym.from_array(symbol, vocabulary.symbols)

    gains: Counter[Token] = Counter()
    for key, count in zip(keys.tolist(), sums.tolist(), strict=True):
        left, right = divmod(key, base)
        gains[spelled(left) + spelled(right)] += count
    return gains
