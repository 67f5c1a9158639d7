"""Holds the merges added after a vocabulary's own, and removes tokens from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..analysis.metrics import token_uses
from ..corpus.word_counts import WordCounts
from ..segmentation.segmentation import Segmentation, segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .pieces import Run

__all__ = ["MergeState", "Pair"]

Pair = tuple[Run, Run]


@dataclass(frozen=True)
class MergeState:
    """New merges of pieces, in order, and whole words besides.

    Attributes
    ----------
    merges : tuple of pair of Run
        Each joins two neighbours, pieces or what merges before it made.
    whole : tuple of Run
        Words that are tokens though no merges lead to them: where merging is by rank, a word that
        is a token stays whole.
    by_rank : bool
        Whether merging is by rank.
    keeps_words : bool
        Whether a word that is a token stays whole.
    given : tuple of Run
        Tokens of the base, which neighbours by rank merge to as well.
    avoided : frozenset of Run
        What no merge is to make.
    """

    merges: tuple[Pair, ...]
    whole: tuple[Run, ...]
    by_rank: bool
    keeps_words: bool
    given: tuple[Run, ...]
    avoided: frozenset[Run] = frozenset()

    @property
    def made(self) -> tuple[Run, ...]:
        """The tokens that merges make, in order."""
        return tuple(dict.fromkeys(left + right for left, right in self.merges))

    @property
    def tokens(self) -> tuple[Run, ...]:
        """The new tokens: those that merges make, then whole words."""
        return self.made + self.whole

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary over pieces."""
        if self.by_rank:
            rule: SegmentationRule = "merges" if self.keeps_words else "character_merges"
            return Vocabulary((*self.given, *self.tokens), "ints", rule=rule)
        return Vocabulary(self.tokens, "ints", rule="merges", merges=self.merges)

    def cut(self, words: WordCounts, threads: int) -> Segmentation:
        """Segments words, whose symbols are pieces."""
        return segment(words, self.vocabulary, threads=threads)

    def uses(self, cut: Segmentation) -> dict[Run, int]:
        """Returns how often each new token is used."""
        first = len(self.given) if self.by_rank else 0
        uses = token_uses(cut, first + len(self.tokens))[first:].tolist()
        return dict(zip(self.tokens, uses, strict=True))

    def without(self, gone: Iterable[Run]) -> MergeState:
        """Returns the merges left when some tokens, and all that depend on them, are removed.

        By rank, a token that nothing leads to any more may still be a whole word.
        """
        removed = set(gone)
        before = self.made
        available = set()
        merges = []
        for left, right in self.merges:
            if left + right not in removed and all(
                len(part) == 1 or part in available for part in (left, right)
            ):
                merges.append((left, right))
                available.add(left + right)
        orphaned = [run for run in before if run not in available and run not in removed]
        whole = [run for run in self.whole if run not in removed]
        return MergeState(
            tuple(merges),
            (*whole, *orphaned) if self.keeps_words else tuple(whole),
            self.by_rank,
            self.keeps_words,
            self.given,
            self.avoided,
        )

    def reachable(self, threads: int) -> MergeState:
        """Returns the merges without tokens that they would segment into several pieces.

        Such tokens are unreachable.  There are none if words that are tokens stay whole.
        """
        if self.keeps_words or not self.tokens:
            return self
        words = WordCounts.from_counts(dict.fromkeys(self.tokens, 1), "ints")
        pieces = self.cut(words, threads).pieces.tolist()
        return self.without(run for run, n in zip(self.tokens, pieces, strict=True) if n > 1)

    def leading(self, runs: Iterable[Run]) -> frozenset[Run]:
        """Returns those of some tokens that others are made of."""
        parts = {part for pair in self.merges for part in pair}
        return frozenset(run for run in runs if run in parts)

    def least_worth(self, cut: Segmentation, number: int) -> list[Run]:
        """Returns the tokens that are used least, weighted by the tokens that each use saves.

        A token that only leads to others is among them: these may be made in another way or, by
        rank, be whole words.
        """
        uses = self.uses(cut)
        worth = {run: uses[run] for run in self.made}
        worth |= {run: uses[run] * (len(run) - 1) for run in self.whole}
        return sorted(worth, key=lambda run: (worth[run], run))[:number]
