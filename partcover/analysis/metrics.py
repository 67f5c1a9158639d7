"""Measures of a vocabulary besides the number of tokens it needs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import log
from operator import mul
from typing import Any

import numpy as np

from ..corpus.word_counts import WordCounts
from ..runtime.arrays import Int64
from ..segmentation.segmentation import Segmentation
from ..vocabulary.vocabulary import Vocabulary

RENYI_ALPHA = 2.5  # where Zouhar et al. found the best correlation with translation quality


def text_bytes(words: WordCounts) -> int | None:
    """Returns the bytes of the counted words, characters as UTF-8; None for integers.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.analysis.metrics import text_bytes
    >>> text_bytes(WordCounts.from_counts({"né": 10}, "chars"))
    30
    """
    if words.symbols == "ints":
        return None
    if words.symbols == "bytes":
        return words.total_symbols
    size = 1 + np.searchsorted([0x80, 0x800, 0x10000], words.data, side="right")
    before = np.concatenate([[0], np.cumsum(size)])
    sizes = np.diff(before[words.offsets])
    if words.total_symbols < 2**61:  # a character has at most four bytes
        return int(np.dot(words.counts, sizes))
    total: int = sum(map(mul, words.counts.tolist(), sizes.tolist()))
    return total


def token_uses(cut: Segmentation, size: int) -> Int64:
    """Counts how often each token is used.

    Parameters
    ----------
    cut : Segmentation
        Words segmented by a vocabulary of `size` tokens.
    size : int
        Tokens of the vocabulary.

    Returns
    -------
    ndarray of int64, shape (size,)
        Exact: over all occurrences of all words.  O(symbols + size).

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, segment
    >>> from partcover.analysis.metrics import token_uses
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> token_uses(segment(words, Vocabulary(["hat", "th"])), 2).tolist()
    [5, 0]
    """
    uses = np.zeros(size, np.int64)
    at = np.flatnonzero(cut.which >= 0)
    np.add.at(uses, cut.which[at], _counts_at(cut, at))
    return uses


def unknown_symbols(cut: Segmentation, vocabulary: Vocabulary) -> int:
    """Counts the symbols without an id that no token covers.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, segment
    >>> from partcover.analysis.metrics import unknown_symbols
    >>> vocabulary = Vocabulary(["ha"], ids=[-1] * 256 + [0])
    >>> unknown_symbols(segment(WordCounts.from_counts({"that": 3}), vocabulary), vocabulary)
    6
    """
    if vocabulary.ids is None or vocabulary.symbols != "bytes":
        return 0
    at = np.flatnonzero(cut.which == -1)
    has_none = np.array(vocabulary.ids[:256]) < 0
    return int(_counts_at(cut, at[has_none[cut.words.data[at]]]).sum())


def symbol_uses(cut: Segmentation) -> Int64:
    """Counts how often each symbol stands alone, ascending by symbol.

    Returns
    -------
    ndarray of int64, shape (symbols that stand alone,)
        Exact; a symbol that never stands alone is left out.  O(symbols · log symbols).

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, segment
    >>> from partcover.analysis.metrics import symbol_uses
    >>> words = WordCounts.from_counts({"that": 3, "at": 2})
    >>> symbol_uses(segment(words, Vocabulary(["hat"]))).tolist()
    [2, 5]
    """
    at = np.flatnonzero(cut.which == -1)
    symbols, place = np.unique(cut.words.data[at], return_inverse=True)
    uses = np.zeros(len(symbols), np.int64)
    np.add.at(uses, place, _counts_at(cut, at))
    return uses


def _counts_at(cut: Segmentation, positions: Int64) -> Int64:
    """Returns the count of the word at each position."""
    word = np.searchsorted(cut.words.offsets, positions, side="right") - 1
    return cut.words.counts[word]


def renyi_efficiency(uses: Int64, alpha: float = RENYI_ALPHA) -> float | None:
    """Returns the Rényi entropy of the pieces, divided by the maximum for this many pieces.

    H_α(p) / log n with H_α(p) = log(Σ p_i^α) / (1 − α), Shannon's entropy for α = 1, where p_i
    is the share of piece i and n the number of different pieces that occur.

    Parameters
    ----------
    uses : ndarray of int64
        How often each piece occurs; those that never do are left out.
    alpha : float
        The order, above 0.

    Returns
    -------
    float or None
        From 0 to 1; 1 if all are equally frequent.  None for fewer than two pieces, which no
        efficiency is defined for.

    Notes
    -----
    Zouhar et al. (2023), "Tokenization and the Noiseless Channel", Section 4; n as their
    ``tokenization-scorer`` takes it.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover.analysis.metrics import renyi_efficiency
    >>> renyi_efficiency(np.array([5, 5, 0])), renyi_efficiency(np.array([8, 1, 1]), alpha=2)
    (1.0, 0.378...)
    """
    positive = uses[uses > 0].astype(float)
    if len(positive) < 2:
        return None
    share = positive / positive.sum()
    if alpha == 1:
        entropy = -float(np.sum(share * np.log(share)))
    else:
        entropy = log(float(np.sum(share**alpha))) / (1 - alpha)
    return max(0.0, entropy / log(len(positive)))


def use(cut: Segmentation, size: int) -> dict[str, Any]:
    """Measures how words segmented by a vocabulary of `size` tokens make use of it.

    Returns
    -------
    dict
        ``used``, tokens used once or more; ``used_share`` of all its tokens, None of none;
        ``renyi_efficiency`` of all pieces, single symbols among them, for α = 2.5.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, segment
    >>> from partcover.analysis.metrics import use
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> use(segment(words, Vocabulary(["hat", "th"])), 2)
    {'used': 1, 'used_share': 0.5, 'renyi_efficiency': 0.893...}
    """
    uses = token_uses(cut, size)
    used = int(np.count_nonzero(uses))
    return {
        "used": used,
        "used_share": used / size if size else None,
        "renyi_efficiency": renyi_efficiency(np.concatenate([uses, symbol_uses(cut)])),
    }


def whole_share(cut: Segmentation) -> float:
    """Returns the share of the counted words that are segmented into a single token.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, segment
    >>> from partcover.analysis.metrics import whole_share
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> whole_share(segment(words, Vocabulary(["hat", "at"])))
    0.4
    """
    whole = int(cut.words.counts[cut.pieces == 1].sum())
    return whole / max(1, cut.words.total_count)


def whole_words(words: WordCounts, vocabulary: Vocabulary) -> int:
    """Counts the tokens that are words of the corpus.  O(symbols).

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.analysis.metrics import whole_words
    >>> whole_words(WordCounts.from_counts({"that": 3, "hat": 2}), Vocabulary(["hat", "at"]))
    1
    """
    return len(set(vocabulary.tokens).intersection(word for word, _ in words))


def overlaps(vocabularies: Mapping[str, Vocabulary]) -> list[dict[str, Any]]:
    """Measures what each two vocabularies have in common.

    Parameters
    ----------
    vocabularies : mapping of str to Vocabulary
        By name.

    Returns
    -------
    list of dict
        For each pair: ``first``, ``second``, ``first_size``, ``second_size``, the number of
        tokens ``shared`` and in the ``union``, ``jaccard`` = shared / union (None of two empty
        ones), ``same_rank``, tokens that both have at the same place, and ``first_difference``,
        the place, from 1, where the orders part (None if they are the same).

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.analysis.metrics import overlaps
    >>> (pair,) = overlaps({"a": Vocabulary(["ab", "cd"]), "b": Vocabulary(["ab", "ef"])})
    >>> pair["shared"], pair["union"], pair["first_difference"]
    (1, 3, 2)
    """
    rows = []
    for (first, a), (second, b) in combinations(vocabularies.items(), 2):
        shared = len(set(a.tokens) & set(b.tokens))
        union = len(a) + len(b) - shared
        same = [x == y for x, y in zip(a.tokens, b.tokens, strict=False)]
        until = same.index(False) if False in same else len(same)
        rows.append(
            {
                "first": first,
                "second": second,
                "first_size": len(a),
                "second_size": len(b),
                "shared": shared,
                "union": union,
                "jaccard": shared / union if union else None,
                "same_rank": sum(same),
                "first_difference": None if a.tokens == b.tokens else until + 1,
            }
        )
    return rows
