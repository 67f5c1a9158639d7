"""Searches for the best merges to add after a vocabulary's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..corpus.word_counts import WordCounts
from ..problem.instance import Instance
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..trainers.shared.merge_training import train_merges
from .merge_state import MergeState
from .pieces import Run

__all__ = ["best_merges", "best_share", "merge_gains"]

_FIRST = 4  # the first exchange is of a quarter of the tokens


def best_merges(
    words: WordCounts, start: MergeState, m: int, *, deadline: Deadline, threads: int = 1
) -> MergeState:
    """Finds merges that leave few tokens, up to m of them after the start, which has none.

    The most frequent pairs are merged first, as by BPE, whatever time that takes.  Then, until the
    deadline, the tokens that are worth least give way to what is best in their place, fewer of them
    each time that this does not help.
    """
    best = _filled(words, start, m, Deadline(), threads)
    cut = best.cut(words, threads)
    number = max(1, m // _FIRST)
    while number and best.tokens and not deadline.is_over:
        gone = best.least_worth(cut, number)
        other = replace(best.without(gone), avoided=best.avoided | best.leading(gone))
        other = _filled(words, other, m, deadline, threads)
        attempt = other.cut(words, threads)
        if attempt.tokens < cut.tokens:
            best, cut = other, attempt
        else:
            number //= 2
    return best


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
