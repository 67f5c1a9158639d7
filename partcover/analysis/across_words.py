"""Measures how much tokens that span several words save."""

from __future__ import annotations

from dataclasses import dataclass

from ..corpus.pretokenizers.phrases import without_phrases
from ..corpus.pretokenizers.words_within import words_within
from ..corpus.word_counts import WordCounts
from ..segmentation.segmentation import segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class AcrossWords:
    """What a vocabulary needs for phrases, and for the words that they are made of.

    Attributes
    ----------
    symbols : int
        Symbols of the corpus: the tokens that it needs without a vocabulary.
    within : int
        Tokens where each word is segmented by itself.
    tokens : int
        Tokens where phrases are segmented.

    Examples
    --------
    >>> from partcover.analysis.across_words import AcrossWords
    >>> AcrossWords(symbols=100, within=40, tokens=25).share
    0.2
    """

    symbols: int
    within: int
    tokens: int

    @property
    def share(self) -> float | None:
        """The share of the vocabulary's savings that only tokens across words give."""
        saved = self.symbols - self.tokens
        return (self.within - self.tokens) / saved if saved else None


def across_words(
    phrases: WordCounts,
    vocabulary: Vocabulary,
    rule: SegmentationRule | None = None,
    *,
    threads: int = 1,
) -> AcrossWords | None:
    """Counts the tokens of phrases, and those of their words, each segmented by itself.

    Parameters
    ----------
    phrases : WordCounts
        Counted with a pre-tokenizer that joins words.
    vocabulary : Vocabulary
        The tokens, over the same symbols.
    rule : str, optional
        The segmentation rule, by default the vocabulary's own.
    threads : int
        Number of threads; the result is the same for any.

    Returns
    -------
    AcrossWords or None
        None for words that are no phrases.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.analysis.across_words import across_words
    >>> phrases = WordCounts.from_texts(["one of"] * 3, pretokenizer="gpt2+phrases")
    >>> across_words(phrases, Vocabulary(["one", "one of"]))
    AcrossWords(symbols=18, within=12, tokens=3)
    """
    name = phrases.pretokenizer
    if name is None or without_phrases(name) == name:
        return None
    words = words_within(phrases)
    return AcrossWords(
        phrases.total_symbols,
        segment(words, vocabulary, rule, threads=threads).tokens,
        segment(phrases, vocabulary, rule, threads=threads).tokens,
    )
