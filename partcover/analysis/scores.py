"""Scores a vocabulary on a corpus by the measures of the literature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..corpus.word_counts import WordCounts
from ..segmentation.segmentation import segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .gap import Gap
from .metrics import text_bytes, use


@dataclass(frozen=True)
class Scores:
    """What a vocabulary is worth on one corpus.

    Attributes
    ----------
    words, total_count : int
        Number of distinct words, and of words counted.
    bytes : int or None
        Bytes of the counted words; None for integers.
    tokens : int
        Tokens that they need.
    whole : int
        How many of the counted words are a single token.
    used, never_used : int
        How many tokens of the vocabulary the corpus uses, and how many it does not.
    renyi_efficiency : float or None
        See `partcover.analysis.metrics.renyi_efficiency`.
    gap : Gap or None
        The distance to the optimum, where a lower bound is known.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.analysis.scores import Scores, score_words
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> scores: Scores = score_words(Vocabulary(["hat", "th"]), words)
    >>> scores.fertility, scores.bytes_per_token, scores.whole_share
    (1.6, 2.25, 0.4)
    """

    words: int
    total_count: int
    bytes: int | None
    tokens: int
    whole: int
    used: int
    never_used: int
    renyi_efficiency: float | None
    gap: Gap | None = None

    @property
    def fertility(self) -> float:
        """Tokens per word."""
        return self.tokens / self.total_count

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes of the text over its tokens."""
        return None if self.bytes is None else self.bytes / self.tokens

    @property
    def whole_share(self) -> float:
        """The share of the counted words that are a single token."""
        return self.whole / self.total_count

    def to_json(self) -> dict[str, Any]:
        """Returns the scores as a JSON object."""
        data = {
            "words": self.words,
            "total_count": self.total_count,
            "bytes": self.bytes,
            "tokens": self.tokens,
            "tokens_per_word": self.fertility,
            "bytes_per_token": self.bytes_per_token,
            "whole": self.whole,
            "whole_share": self.whole_share,
            "used": self.used,
            "never_used": self.never_used,
            "renyi_efficiency": self.renyi_efficiency,
        }
        if self.gap is not None:
            keys = ("tokens_shortest_path", "lower_bound", "gap", "vocabulary_gap", "rule_gap")
            data |= {key: getattr(self.gap, key) for key in keys}
        return data


def score_words(
    vocabulary: Vocabulary,
    words: WordCounts,
    rule: SegmentationRule | None = None,
    *,
    gap: Gap | None = None,
    threads: int = 1,
) -> Scores:
    """Scores a vocabulary on counted words.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    words : WordCounts
        The corpus; one that the vocabulary was not made from says more.
    rule : str, optional
        The segmentation rule; by default the vocabulary's own.
    gap : Gap, optional
        The distance to the optimum, from `partcover.split_gap`.
    threads : int
        Number of threads; the result is the same for any.

    Returns
    -------
    Scores
        Exact counts, in the time of a segmentation.

    Raises
    ------
    InputError
        If the symbols of words and vocabulary differ, or the vocabulary lacks what the rule needs.

    Notes
    -----
    Fertility is tokens per word, as in Rust et al. (2021), "How good is your tokenizer?", where
    the words that are not kept whole are the "continued" ones.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.analysis.scores import score_words
    >>> scores = score_words(Vocabulary(["at", "th"]), WordCounts.from_counts({"that": 3, "at": 1}))
    >>> scores.tokens, scores.whole, scores.renyi_efficiency
    (7, 1, 0.96...)
    """
    cut = segment(words, vocabulary, rule, threads=threads)
    measured = use(cut, len(vocabulary))
    return Scores(
        words=len(words),
        total_count=words.total_count,
        bytes=text_bytes(words),
        tokens=cut.tokens,
        whole=int(words.counts[np.asarray(cut.pieces) == 1].sum()),
        used=measured["used"],
        never_used=len(vocabulary) - measured["used"],
        renyi_efficiency=measured["renyi_efficiency"],
        gap=gap,
    )
