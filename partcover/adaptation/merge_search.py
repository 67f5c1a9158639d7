"""Searches for the best merges to add after a vocabulary's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..analysis.metrics import token_uses
from ..corpus.word_counts import WordCounts
from ..heuristics.closed_tokens import exchanged
from ..problem.instance import Instance
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..segmentation.segmentation import Segmentation, segment
from ..trainers.shared.merge_training import train_merges
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .pieces import Run

Pair = tuple[Run, Run]


@dataclass(frozen=True)
class MergeState:
    """New merges of pieces, in order, and whole words besides.

    Each of the `merges` joins two neighbours, pieces or what merges before it made.  Where merging
    is by rank, a word that is a token may stay whole (`keeps_words`): the `whole` words are tokens
    though no merges lead to them.  `given` are tokens of the base, which neighbours by rank merge
    to as well, and `avoided` is what no merge is to make.
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

    def without(self, gone: Iterable[Run]) -> MergeState:
        """Returns the merges left when some tokens, and all that depend on them, are removed.

        By rank, a token that nothing leads to any more may still be a whole word.
        """
        removed = set(gone)
        available: set[Run] = set()
        merges: list[Pair] = []
        for left, right in self.merges:
            if left + right not in removed and all(
                len(part) == 1 or part in available for part in (left, right)
            ):
                merges.append((left, right))
                available.add(left + right)
        others = (*self.whole, *self.made) if self.keeps_words else self.whole
        whole = (run for run in others if run not in removed and run not in available)
        return replace(self, merges=tuple(merges), whole=tuple(dict.fromkeys(whole)))

    def reachable(self, threads: int) -> MergeState:
        """Returns the merges without tokens that they would segment into several pieces.

        Such tokens are unreachable.  There are none if words that are tokens stay whole.
        """
        if self.keeps_words or not self.tokens:
            return self
        words = WordCounts.from_counts(dict.fromkeys(self.tokens, 1), "ints")
        pieces = self.cut(words, threads).pieces.tolist()
        return self.without(run for run, n in zip(self.tokens, pieces, strict=True) if n > 1)

    def least_worth(self, cut: Segmentation, number: int) -> list[Run]:
        """Returns the tokens that are used least, weighted by the tokens that each use saves.

        A token that only leads to others is among them: these may be made in another way or, by
        rank, be whole words.
        """
        first = len(self.given) if self.by_rank else 0
        counts = token_uses(cut, first + len(self.tokens))[first:].tolist()
        uses = dict(zip(self.tokens, counts, strict=True))
        worth = {run: uses[run] for run in self.made}
        worth |= {run: uses[run] * (len(run) - 1) for run in self.whole}
        return sorted(worth, key=lambda run: (worth[run], run))[:number]


def best_merges(
    words: WordCounts, start: MergeState, m: int, *, deadline: Deadline, threads: int = 1
) -> MergeState:
    """Finds merges that leave few tokens, up to m of them after the start, which has none.

    The most frequent pairs are merged first, as by BPE, whatever time that takes.  Then the tokens
    that are worth least give way to what is best in their place.
    """

    def other(best: MergeState, cut: Segmentation, number: int) -> MergeState:
        gone = best.least_worth(cut, number)
        leading = {part for pair in best.merges for part in pair}.intersection(gone)
        left = replace(best.without(gone), avoided=best.avoided | leading)
        return _filled(words, left, m, deadline, threads)

    first = _filled(words, start, m, Deadline(), threads)
    return exchanged(first, lambda state: state.cut(words, threads), other, m, deadline)


def _filled(
    words: WordCounts, state: MergeState, m: int, deadline: Deadline, threads: int
) -> MergeState:
    """Adds the merges of the most frequent pairs, and whole words by rank, up to m tokens."""
    room = m - len(state.tokens)
    if room <= 0:
        return state
    grown, gains = _grown(words, state, room, deadline, threads)
    if not state.keeps_words:
        return grown
    listed = _whole_words(words, state, threads)
    n_merges = best_share(gains, [gain for gain, _ in listed], room)
    grown, _ = _grown(words, state, n_merges, deadline, threads)
    left = m - len(grown.tokens)
    added = [run for _, run in _whole_words(words, grown, threads)[:left]]
    return replace(grown, whole=(*grown.whole, *added))


def merge_gains(words: WordCounts, state: MergeState, m: int, *, deadline: Deadline) -> list[int]:
    """Returns what each of the m most frequent merges joins."""
    return _grown(words, state, m, deadline, 1)[1]


def _grown(
    words: WordCounts, state: MergeState, number: int, deadline: Deadline, threads: int
) -> tuple[MergeState, list[int]]:
    """Merges the most frequent pairs until there are so many more tokens; with what each joins."""
    if number <= 0:
        return state, []
    there = state.vocabulary
    forbidden = (*state.avoided, *(() if state.by_rank else state.given))
    instance = Instance(words, len(there) + number, forbidden=forbidden)
    trained = train_merges(
        instance, there, scored=False, deadline=deadline, threads=threads, progress=Progress()
    )
    known = set(there.tokens) if state.by_rank else set()
    merges: list[Any] = list(trained.merges)  # of runs, as the words are
    merges = [(left, right) for left, right in merges if left + right not in known]
    return replace(state, merges=(*state.merges, *merges)), list(trained.gains)


def best_share(first: Sequence[int], second: Sequence[int], room: int) -> int:
    """Returns how many of the first kind to take, so that all in the room gain most.

    `first` and `second` are what each of a kind gains, in the order in which they are taken.
    """
    sums = [np.concatenate([[0], np.cumsum(gains, dtype=np.int64)]) for gains in (first, second)]
    taken = np.arange(min(room, len(first)) + 1)
    others = np.minimum(room - taken, len(second))
    return int(np.argmax(sums[0][taken] + sums[1][others]))


def _whole_words(words: WordCounts, state: MergeState, threads: int) -> list[tuple[int, Run]]:
    """Returns the words that take several tokens, with what each saves as a token, best first."""
    cut = state.cut(words, threads)
    gains = words.counts * (cut.pieces - 1)
    order = np.argsort(-gains, kind="stable")
    listed = order[gains[order] > 0].tolist()
    return [
        (int(gains[w]), tuple(words.data[words.offsets[w] : words.offsets[w + 1]].tolist()))
        for w in listed
    ]
