"""Treats the pieces of words under a vocabulary as symbols; new tokens join runs of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial, reduce
from operator import add
from typing import Any

import numpy as np

from ..analysis.word_borders import reaches_across
from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..problem.instance import Instance
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .base import all_substrings, needs_whole_characters, of_merging_characters

#: A run of pieces, as their numbers: a token over integers.
Run = tuple[int, ...]

#: Returns words, segmented by a vocabulary, as the numbers of their pieces, in the same order.
Cut = Callable[[Vocabulary, WordCounts], WordCounts]


@dataclass(frozen=True)
class Pieces:
    """Words segmented by a vocabulary, each piece as one symbol.

    Where new merges come behind those of a vocabulary, its own merges are made first and as
    before: a word is segmented as it was, and then some of its pieces are joined.  So the best new
    tokens are those of the tokenization problem over pieces.

    A run of pieces is told by what it spells: no merge has crossed the ends of a piece, so that the
    merges inside the run are those of its text alone, and leave the same pieces.

    The `words` are over integers: a token by its place, a single symbol behind all of them.
    `given` are tokens of the vocabulary that its rule segments into several pieces: they cost
    nothing, should the new ones lead to them.
    """

    base: Vocabulary
    words: WordCounts
    given: dict[Run, Token]

    @classmethod
    def of(
        cls, base: Vocabulary, words: WordCounts, *, threads: int = 1, cut: Cut | None = None
    ) -> Pieces:
        """Segments words by the vocabulary's own rule, with the kernels or by another function."""
        used = partial(_cut, threads=threads) if cut is None else cut
        return cls(base, used(base, words), _given(base, used))

    def spelled(self, run: Iterable[int]) -> Token:
        """Returns the text of a run of pieces."""
        texts: list[Any] = [self.piece(number) for number in run]
        text: Token = reduce(add, texts)
        return text

    def piece(self, number: int) -> Token:
        """Returns the text of a piece."""
        size = len(self.base)
        if number < size:
            return self.base.tokens[number]
        return _symbol(number - size, self.base.symbols)

    @cached_property
    def within(self) -> WordCounts:
        """The words; split at spaces, without what reaches across, where new tokens must not."""
        words, symbols = self.words, self.base.symbols
        if self.base.pretokenizer != "none" or symbols == "ints":
            return words
        space: Any = b" " if symbols == "bytes" else " "
        numbers, place = np.unique(words.data, return_inverse=True)
        texts: list[Any] = [self.piece(number) for number in numbers.tolist()]
        about = [(reaches_across(text), text[:1] == space, text[-1:] == space) for text in texts]
        across, begins, ends = np.array(about, bool).reshape(-1, 3)[place].T
        cuts = np.zeros(len(place) + 1, bool)
        cuts[1:-1] = begins[1:] & ~ends[:-1] | across[1:] | across[:-1]
        if np.count_nonzero(cuts) == np.count_nonzero(cuts[words.offsets]) and not across.any():
            return words
        cuts[words.offsets] = True
        places = np.flatnonzero(cuts)
        kept = ~across[places[:-1]]
        begin, end = places[:-1][kept], places[1:][kept]
        times = words.counts[np.searchsorted(words.offsets, begin, side="right") - 1]
        counts: Counter[Token] = Counter()
        spelled = sym.slices(words.data, begin, end, "ints")
        for run, count in zip(spelled, times.tolist(), strict=True):
            counts[run] += count
        return WordCounts.from_counts(counts, "ints")

    def present(self) -> list[Run]:
        """Returns the runs of `given` that occur."""
        occurs = Instance(self.words, 0).index.find_tokens(list(self.given)).occurs.tolist()
        return [run for run, is_there in zip(self.given, occurs, strict=True) if is_there]

    def instance(self, m: int, *, free: bool) -> Instance:
        """Returns the instance whose tokens are m new runs of pieces.

        Candidates are all runs, or those that split no character where others are of no use, and
        those of `within`.  Those of `given` are there beside the m if `free`, else forbidden.
        """
        given = self.present()
        k = m + len(given) if free else m
        prefix, forbidden = (given, []) if free else ([], given)
        instance = Instance(self.words, k, prefix=prefix, forbidden=forbidden)
        if self.within is not self.words:
            instance = replace(instance, candidates=tuple(all_substrings(self.within)))
        if not needs_whole_characters(self.base):
            return instance
        made, there = of_merging_characters(self.base), set(given)

        def fits(run: Any) -> bool:
            return run in there or made(self.spelled(run))

        runs: Any = instance.candidates
        if runs is None:
            # a word that is no candidate dominates none
            lists_all = all(fits(word) for word, _ in self.words)
            runs = [*instance.index.tokens()] if lists_all else all_substrings(self.words)
        whole = tuple(run for run in runs if fits(run))
        return replace(instance, candidates=whole) if len(whole) < len(runs) else instance


@lru_cache(1 << 16)
def _symbol(number: int, symbols: sym.Symbols) -> Token:
    """Returns a symbol as a token."""
    return sym.from_array(np.array([number], sym.DTYPES[symbols]), symbols)


def _cut(base: Vocabulary, words: WordCounts, threads: int) -> WordCounts:
    """Returns words as the numbers of the pieces that a vocabulary segments them into."""
    cut = segment(words, base, threads=threads)
    which = cut.which[cut.ends].astype(np.int64)
    alone = which < 0
    which[alone] = len(base) + words.data[cut.ends][alone].astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(cut.pieces)])
    return WordCounts(which, offsets, words.counts, "ints")


def _given(base: Vocabulary, cut: Cut) -> dict[Run, Token]:
    """Returns the tokens that the rule segments into several pieces, by these pieces."""
    if not len(base):
        return {}
    alike = base
    if base.rule == "merges" and base.merges is None:
        # by rank a word that is a token stays whole, but not where merging starts from characters
        alike = base.with_(rule="character_merges")
        if base.symbols == "bytes":
            letters = [bytes(token).decode("latin-1") for token in base.tokens]  # type: ignore[arg-type]
            alike = Vocabulary(letters, "chars", rule="character_merges")
    words = WordCounts.from_counts(dict.fromkeys(alike.tokens, 1), alike.symbols)
    found = cut(alike, words)
    several = np.flatnonzero(np.diff(found.offsets) > 1).tolist()
    return {
        tuple(found.data[found.offsets[w] : found.offsets[w + 1]].tolist()): base.tokens[w]
        for w in several
    }
