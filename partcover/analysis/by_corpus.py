"""Counts the tokens that each of several corpora needs."""

from __future__ import annotations

from ..corpus.counting.head_and_tail import WordShard
from ..problem.instance import Instance
from ..segmentation.segmentation import segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary


def tokens_by_corpus(
    instance: Instance,
    vocabulary: Vocabulary,
    *,
    rule: SegmentationRule | None = None,
    threads: int = 1,
) -> tuple[int, ...]:
    """Returns the tokens that each corpus needs with a vocabulary.

    Parameters
    ----------
    instance : Instance
        The instance, of several corpora.
    vocabulary : Vocabulary
        The vocabulary, over the same symbols.
    rule : str
        The segmentation rule, by default that of the instance.
    threads : int
        Number of threads that share the words.

    Examples
    --------
    >>> from partcover import Corpora, Instance, Vocabulary, WordCounts
    >>> from partcover.analysis.by_corpus import tokens_by_corpus
    >>> corpora = [WordCounts.from_counts({"that": 3}), WordCounts.from_counts({"haha": 1})]
    >>> tokens_by_corpus(Instance(Corpora(corpora, [1, 1]), 1), Vocabulary(["ha"]))
    (9, 2)
    """
    assert instance.corpora is not None
    rule = instance.rule if rule is None else rule
    if instance.corpora.tails:
        parts = (tail.map(_needed, vocabulary, rule) for tail in instance.corpora.tails)
        return tuple(map(sum, parts))
    pieces = segment(instance.words, vocabulary, rule, threads=threads).pieces
    return tuple((instance.corpora.counts @ pieces).tolist())


def _needed(shard: WordShard, vocabulary: Vocabulary, rule: SegmentationRule) -> int:
    """Returns the tokens that the words of a shard need."""
    return sum(segment(block, vocabulary, rule).tokens for block in shard.blocks())
