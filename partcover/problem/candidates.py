"""The candidates of an instance: the substrings of its words that may become tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import pairwise
from typing import Any, TypeAlias

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..kernels.candidates._candidates import (
    Nodes,
    candidate_nodes,
    class_floor,
    promise_classes,
    shard_ends,
)
from ..kernels.candidates._suffix_array import common_prefixes, suffix_ranks
from ..runtime.arrays import Int32, Int64, Integers, Positions, UInt8, np, read_only
from ..runtime.memory import refuse_beyond
from ..runtime.processes.parallel import ordered_map
from .word_index import Intervals, WordIndex

Flags: TypeAlias = UInt8

MOST_HELD = 1 << 20
"""About how many candidates are listed at first, if only those with high upper bounds are."""

_BYTES_A_CANDIDATE = 96  # bytes of a candidate, here and in GreedTok
_SHARE = 0.5  # share of the memory that candidates may take: other work needs the rest
_SHARDS_EACH = 4  # parts of the suffixes for each thread, since parts take different times
# most occurrences scored for one token, about 1e9 a minute; text has fewer for each symbol
_MOST_SCORED, _SCORED_EACH = 5 * 10**8, 64
# most candidates listed for one token after a million was not enough; words of 32 symbols can
_MOST_LISTED, _LISTED_EACH = 1 << 22, 16
_SHORTER = (
    "cap their length with --max-length (max_length), or split the words with a pre-tokenizer"
)


class CandidateIndex(WordIndex):
    """Candidates of counted words, numbered in lexicographic order, without the dominated ones.

    They are all substrings of two or more symbols, or a list (`explicit`), without those that are
    `forbidden`, longer than `max_length` symbols, or occur less often than `min_count` times.  If
    there are more than `most`, about so many are held, those with the largest upper bounds on their
    savings; a list is always held whole.  They are the same for any number of `threads`.

    A candidate that occurs in only one distinct word is dominated if that whole word is a candidate
    too, and is left out, unless `dominated` ones are asked for.

    `total` is the number of distinct candidates that occur, including dominated ones and those not
    held; `n_undominated` that without the dominated ones.  Every candidate whose savings have an
    upper bound of at least `min_promise` is held.  `weight` are the occurrences of each, weighted
    by word counts (overlapping ones included).  More candidates than fit in memory, or can be
    scored in minutes, are refused.

    Dropping a dominated candidate loses nothing.  Let T occur only in the word W, W ≠ T, and let W
    be a candidate.  Take a vocabulary that contains T.  If it contains W too, W is one token and T
    is never used, so T can be dropped.  If not, replace T by W: then W is one token and no other
    word changes, so no more tokens are needed.  Hence some optimum contains no dominated candidate.

    No greedy choice changes either.  GreedTok: where T can be placed, a pair of W next to it is
    uncovered and stays uncovered, hence W scores strictly more.  GreedWMC: W scores at least as
    much, and ties go to the longer token.

    The upper bound on the savings of a candidate (`promise` in the code) is its weight times its
    adjacent pairs, length − 1: no vocabulary saves more tokens by it.

    O(symbols + candidates) time and memory beyond the index of the words: common prefixes (Kasai
    et al. 2001), one pass over the intervals (Abouelhoda, Kurtz and Ohlebusch 2004).
    """

    def __init__(
        self,
        words: WordCounts,
        *,
        explicit: Iterable[Token] | None = None,
        forbidden: Iterable[Token] = (),
        max_length: int | None = None,
        min_count: int = 1,
        dominated: bool = False,
        most: int | None = None,
        threads: int = 1,
    ) -> None:
        super().__init__(words)
        self._threads = threads
        self.min_promise = 0
        self._excluded = self.find_tokens(forbidden)
        if explicit is None:
            self._longest = min(max_length or len(self.text), len(self.text))
            self._min_count = min_count
            self._enumerate(most, dominated=dominated)
        else:
            self._select(self.find_tokens(explicit), self._excluded, dominated=dominated)

    def _enumerate(self, most: int | None, *, dominated: bool) -> None:
        """Makes all substrings within the limits candidates."""
        counts, lengths, excluded = self.words.counts, np.diff(self.words.offsets), self._excluded
        whole = (lengths >= 2) & (lengths <= self._longest) & (counts >= self._min_count)
        whole &= not dominated
        whole[self.words_equal(excluded)] = False
        self._whole = whole.view(np.uint8)
        n_shards = 1 if self._threads == 1 else self._threads * _SHARDS_EACH
        self._prefixes = self._common_prefixes(n_shards)
        # the separators come first
        self._ends = shard_ends(self._prefixes, len(self.words) + 1, n_shards)
        if most is None:
            nodes = self._nodes(0)
        else:
            classes = self._classes()
            self.n_undominated = int(classes.sum())
            self.min_promise = self._promise_of(classes, most)
            nodes = self._nodes(self.min_promise)
        self.total = sum(part.total for part in nodes)
        self._keep(*self._intervals(nodes))
        if most is None:
            self.n_undominated = len(self)
            del self._prefixes
        if len(excluded.lo):
            listed = excluded.length <= self._longest
            listed &= self.weight_of(excluded) >= self._min_count
            self.total -= int((excluded.occurs & listed).sum())

    def _common_prefixes(self, n_shards: int) -> Int32:
        """Returns the lengths of the common prefixes of neighboring suffixes."""
        sa, n = self.sa, len(self.sa)
        shards = [*pairwise(n * number // n_shards for number in range(n_shards + 1))]
        rank, prefixes = np.empty_like(sa), np.empty(n, np.int32)

        for work in (
            lambda shard: suffix_ranks(sa, rank, *shard),
            lambda shard: common_prefixes(self.text, sa, rank, prefixes, *shard),
        ):
            deque(ordered_map(work, shards, self._threads), maxlen=0)
        return prefixes

    @property
    def most_occurrences(self) -> int:
        """An upper bound on the occurrences of all candidates, including those not held."""
        if self.min_promise == 0:
            return self.intervals.occurrences
        # at each position at most as many as the longest prefix that is repeated has; and each word
        common = np.maximum(self._prefixes[:-1], self._prefixes[1:])
        np.minimum(common, self._longest, out=common)
        return int(np.maximum(common, 1).sum(dtype=np.int64)) - len(common) + len(self.words)

    def with_counts(self, words: WordCounts) -> CandidateIndex:
        """Returns an index of the same candidates for the same words with other counts."""
        other = copy(self)
        other.words = words
        other.weight = read_only(other.weight_of(other.intervals))
        return other

    def held(self, least: int) -> CandidateIndex:
        """Returns an index of the candidates with at least this upper bound; shares arrays."""
        other = copy(self)
        other._keep(*self._intervals(self._nodes(least)))
        other.min_promise = least
        return other

    def most_promising(
        self, blocked: Flags, most: int, scored: int
    ) -> tuple[Intervals, Int64, int]:
        """Lists `most` candidates, or more of equal bounds, by what they can still save at most.

        An occurrence that begins at a `blocked` position saves nothing any more; so many were
        `scored` for the same token before.  Returns the candidates; the weights of their
        occurrences that are not blocked, which times length − 1 are the upper bounds; and the bound
        from which on all are listed, 0 if all that can save any are.
        """
        least = self._promise_of(self._classes(blocked), most, blocked)
        nodes = self._nodes(least, blocked, scored)
        listed = sum(part.candidates for part in nodes)
        # more than words without repetition have
        if scored and listed > max(_MOST_LISTED, _LISTED_EACH * len(self.text)):
            raise InputError(
                f"{listed:,} candidates, of up to {max(part.longest for part in nodes):,} symbols, "
                "would be scored for one token, because long words repeat themselves: " + _SHORTER
            )
        return *self._intervals(nodes), least

    def _visited(
        self, visit: Callable[..., Any], blocked: Flags | None, *further: int
    ) -> list[Any]:
        """Returns what a kernel that visits all substrings says of each shard, in their order."""
        words = self.words
        tree = self.sa, self._prefixes, self.word_of, words.offsets, words.counts, self._whole
        limits = *tree, self._longest, self._min_count, blocked
        shards = pairwise([len(words) + 1, *self._ends])  # ranges of suffixes for threads
        return list(ordered_map(lambda at: visit(*limits, *at, *further), shards, self._threads))

    def _classes(self, blocked: Flags | None = None) -> Int64:
        """Returns the number of candidates in each class of upper bounds."""
        classes: Int64 = np.sum(self._visited(promise_classes, blocked), axis=0)
        return classes

    def _nodes(self, least: int, blocked: Flags | None = None, scored: int = 0) -> list[Nodes]:
        """Finds the candidates with at least this upper bound, in the order of the shards.

        Long words with much repetition have as many substrings as the square of their length.
        What does not fit in memory, or would take too long, is refused before it is listed.
        """
        nodes: list[Nodes] = self._visited(candidate_nodes, blocked, least)
        candidates = sum(part.candidates for part in nodes)
        occurrences = scored + sum(part.occurrences for part in nodes)
        longest = max(part.longest for part in nodes)
        refuse_endless(candidates, longest, occurrences, len(self.text))
        what, need = f"there are {candidates:,} candidates", candidates * _BYTES_A_CANDIDATE
        refuse_beyond(need, f"{what}, which need", _SHORTER, share=_SHARE)
        if candidates > 2**31 - 1:
            raise InputError(f"{what}, more than 2^31 - 1: {_SHORTER}")
        return nodes

    def _promise_of(self, classes: Int64, most: int, blocked: Flags | None = None) -> int:
        """Returns an upper bound that at most `most` candidates reach, and at least one does.

        More candidates reach it only if they all have the same; 0 if all candidates reach it.
        """
        # the number of candidates that reach the smallest value of a class
        as_promising = np.cumsum(classes[::-1])[::-1]
        number = int(np.searchsorted(-as_promising, -most, side="left"))
        highest = int(np.searchsorted(-as_promising, 0, side="left")) - 1
        if number <= max(highest, 0):
            return class_floor(number) if number > 1 else 0  # none has an upper bound of 0
        # the best class alone has more: find a value within it by binary search
        few, least = 0, class_floor(highest)
        above = class_floor(number)
        while above - least > 1:
            middle = (least + above) // 2
            found = self._visited(candidate_nodes, blocked, middle)
            candidates = sum(part.candidates for part in found)
            if candidates > most:
                least = middle
            else:
                above = middle
                if candidates:
                    few = middle
                if candidates > most // 2:
                    break
        return few or least

    def _intervals(self, nodes: list[Nodes]) -> tuple[Intervals, Int64]:
        """Lists the candidates that were found, without the excluded ones, and their weights."""
        parts = list(ordered_map(Nodes.intervals, nodes, self._threads))
        if len(parts) == 1:
            lo, hi, length, weight = parts[0]
        else:
            lo, hi, length, weight = map(np.concatenate, zip(*parts, strict=True))
        intervals = Intervals(lo, hi, length)
        if len(self._excluded.lo):
            kept = ~np.isin(intervals.key, self._excluded.key)
            intervals, weight = intervals.take(kept), weight[kept]
        return intervals, weight

    def _select(self, explicit: Intervals, excluded: Intervals, *, dominated: bool) -> None:
        """Makes those of the tokens that occur candidates."""
        explicit = explicit.take(explicit.occurs)
        self.intervals = explicit.take(np.argsort(explicit.key, kind="stable"))
        word, weight = self.only_word_and_weight(self.intervals)
        keep = np.ones(len(self), bool)
        numbers = self.numbers(excluded)
        keep[numbers[numbers >= 0]] = False
        self.total = int(keep.sum())
        if not dominated:
            lengths = np.diff(self.words.offsets)
            whole = np.zeros(len(lengths), bool)
            whole[self.words_equal(self.intervals.take(keep))] = True
            alone = np.flatnonzero(word >= 0)
            own = word[alone]
            keep[alone] &= ~whole[own] | (self.length[alone] == lengths[own])
        self._keep(self.intervals.take(keep), weight[keep])
        self.n_undominated = len(self)

    def _keep(self, intervals: Intervals, weight: Int64) -> None:
        """Holds the candidates, in arrays that no caller can change."""
        self.intervals, self.weight = intervals.kept(), read_only(weight)

    def __len__(self) -> int:
        return len(self.intervals.lo)

    @property
    def lo(self) -> Positions:
        """Where the candidates' intervals begin."""
        return self.intervals.lo

    @property
    def hi(self) -> Positions:
        """Where the candidates' intervals end."""
        return self.intervals.hi

    @property
    def length(self) -> Int32:
        """Number of symbols of each candidate."""
        return self.intervals.length

    def numbers(self, tokens: Intervals) -> Int64:
        """The numbers of tokens as candidates; −1 for a token that is not a candidate.

        O(candidates + tokens · log(candidates)).
        """
        if not len(self) or not len(tokens.lo):
            return np.full(len(tokens.lo), -1, np.int64)
        own, key = self.intervals.key, tokens.key
        number = np.minimum(np.searchsorted(own, key), len(own) - 1)
        return np.where(own[number] == key, number, -1)

    def tokens(self, numbers: Integers | None = None) -> Iterator[Token]:
        """Yields the candidates with these numbers, or all of them."""
        return self.tokens_at(self.intervals if numbers is None else self.intervals.take(numbers))


def refuse_endless(candidates: int, longest: int, occurrences: int, positions: int) -> None:
    """Raises an error for candidates whose occurrences take minutes to score once.

    Those of long words with much repetition overlap: they number the square of their length.
    """
    if occurrences > max(_MOST_SCORED, _SCORED_EACH * positions):
        raise InputError(
            f"the {candidates:,} candidates, of up to {longest:,} symbols, occur "
            f"{occurrences:,} times, because long words repeat themselves: {_SHORTER}"
        )
