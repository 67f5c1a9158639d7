"""Trains by merges, for BPE and WordPiece: from words to the kernel's numbers and back."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from ...corpus import symbols as sym
from ...corpus.symbols import Token
from ...corpus.word_counts import WordCounts
from ...errors import InputError
from ...kernels.training._merge_training import MergeTrainer
from ...kernels.words._word_arrays import numbers_of
from ...problem.instance import Instance
from ...problem.memory_plan import SMALL, refuse_beyond_memory
from ...problem.solution import Termination
from ...runtime.arrays import Array, np
from ...runtime.limits import Deadline
from ...runtime.memory import refuse_beyond
from ...runtime.progress import Progress
from ...segmentation.segmentation import segment
from ...vocabulary.vocabulary import Vocabulary

_CHUNK = 256  # tokens between looks at the clock
_SPELLED = 48  # bytes for each symbol of a token, while words are segmented and tokens are written

# bytes in the order of the characters that byte-level tokenizers write for them: printable ones
# stand for themselves, all others for characters past 255
_PRINTABLE = {*range(33, 127), *range(161, 173), *range(174, 256)}
_BYTES = bytes(sorted(range(256), key=lambda b: (b not in _PRINTABLE, b)))
_NUMBERS = array("i", map(_BYTES.index, range(256)))


@dataclass(frozen=True)
class MergeResult:
    """The tokens and merges that a training made.

    Attributes
    ----------
    tokens : tuple of token
        The given ones, then each as it was made.
    merges : tuple of pair of token
        New merges, in order; two may spell one token.
    joined : tuple of int
        The pairs of neighbours that each of these merges joined, weighted by the counts of the
        words.
    gains : tuple of int
        For each new token: pairs of neighbours joined, weighted by the counts of the words, by
        the merges after that of the token before up to its own (the last has those that follow
        as well).
    exhausted : bool
        Whether no pair is left that may be merged.
    termination : {"completed", "time_limit", "interrupted"}
        Why it stopped.
    """

    tokens: tuple[Token, ...]
    merges: tuple[tuple[Token, Token], ...]
    joined: tuple[int, ...]
    gains: tuple[int, ...]
    exhausted: bool
    termination: Termination


def train_merges(
    instance: Instance,
    given: Vocabulary,
    *,
    scored: bool,
    deadline: Deadline,
    threads: int,
    progress: Progress,
) -> MergeResult:
    """Merges the best pair of neighbours until there are k distinct tokens; see `MergeTrainer`.

    Parameters
    ----------
    instance : Instance
        The words, k, `max_length`, `min_count` (of a pair) and `forbidden`.
    given : Vocabulary
        Tokens that are there already: the words are first segmented with them, under their rule.
        Their merges come first.
    scored : bool
        Whether a pair's count is divided by those of its parts.
    deadline : Deadline
        When to stop.
    threads : int
        Threads of the first cut.
    progress : Progress
        Gets the tokens made so far and k.

    Returns
    -------
    MergeResult
        After Ctrl-C or the time limit, what was done until then.  For ties, symbols come in the
        order of byte-level tokenizers (bytes), of code points or of integers, and tokens follow,
        as they were made.

    Raises
    ------
    InputError
        If the words, or the tokens made of them, do not fit in memory.
    """
    refuse_beyond_memory(instance, "merges")
    layout = _Layout.of(instance, given)
    limit = min(instance.k, len(given) + len(instance.words.views[0]))
    trainer = layout.trainer(instance, given, limit, scored, threads)
    termination: Termination = "completed"
    pairs_left = True
    before = trainer.n_spelled
    try:
        while pairs_left and trainer.tokens < limit:
            if deadline.is_over:
                termination = "time_limit"
                break
            pairs_left = trainer.run(min(trainer.tokens + _CHUNK, limit))
            _refuse_long_tokens(trainer.tokens, trainer.n_spelled - before)
            progress.advance(trainer.tokens, instance.k)
    except KeyboardInterrupt:
        termination = "interrupted"
    exhausted = termination == "completed" and trainer.tokens < instance.k
    begins, ends = trainer.places()
    left, right, made, joined = trainer.merges()
    del trainer  # most of the memory
    tokens = layout.spelled(begins, ends)
    n_symbols = len(layout.alphabet)
    spelled = {
        piece: layout.symbol(piece) if piece < n_symbols else tokens[piece - n_symbols]
        for piece in {*left, *right}  # an alphabet may be large
    }
    sides = (map(spelled.__getitem__, pieces) for pieces in (left, right))
    first = n_symbols + len(given)  # of the new tokens
    return MergeResult(
        tuple(tokens),
        tuple(zip(*sides, strict=True)),
        tuple(joined),
        _gains([piece - first for piece in made], joined, len(tokens) - len(given)),
        exhausted,
        termination,
    )


def ordered_symbols(instance: Instance) -> list[Token]:
    """Returns the symbols of the words in the order that decides ties: see `train_merges`."""
    return _Layout.of(instance, Vocabulary((), instance.symbols)).symbols()


@dataclass(frozen=True, eq=False)
class _Layout:
    """Words and tokens as the kernel takes them: one text of small numbers.

    Attributes
    ----------
    words : WordCounts
        The words.
    known : tuple of token
        The given tokens, then the forbidden ones.
    starts, lengths : array of int64
        Where these stand in `flat`.
    """

    words: WordCounts
    known: tuple[Any, ...]
    starts: array[int]
    lengths: array[int]

    @classmethod
    def of(cls, instance: Instance, given: Vocabulary) -> _Layout:
        words, known = instance.words, (*given, *instance.forbidden)
        lengths = array("q", map(len, known))
        starts = array("q", accumulate(lengths, initial=len(words.views[0])))
        if starts.pop() >= 2**31:
            raise InputError("the distinct words have 2^31 symbols or more: drop rare words first")
        return cls(words, known, starts, lengths)

    @property
    def flat(self) -> bytes | Array:
        """The symbols of the words, then of the known tokens, shape (symbols,)."""
        if self.words.symbols == "bytes":
            return b"".join([self.words.views[0], *self.known])
        return np.concatenate([self.words.data, sym.packed(self.known, self.words.symbols)[0]])

    @cached_property
    def alphabet(self) -> bytes | Array:
        """The symbol of each number, in the order that decides ties."""
        if self.words.symbols == "bytes":
            return _BYTES
        flat: Any = self.flat
        return sym.distinct(flat)

    def trainer(
        self, instance: Instance, given: Vocabulary, limit: int, scored: bool, threads: int
    ) -> MergeTrainer:
        """Returns the kernel over the words, segmented with the given tokens."""
        words = self.words
        which: Any = array("i")  # no token is given: all symbols stand alone
        if len(given):
            which = segment(words, given, threads=threads).cut
        merges = array("i")
        if given.merges:
            number = {piece: place for place, piece in enumerate((*self.symbols(), *given))}
            for a, b in given.merges:
                merges.extend((number[a], number[b], number[a + b]))  # type: ignore[operator]
        return MergeTrainer(
            self._numbers(),
            *words.views[1:],
            which,
            self.starts,
            self.lengths,
            len(given),
            merges,
            len(self.alphabet),
            limit,
            instance.max_length or len(words.views[0]),
            instance.min_count,
            scored,
        )

    def _numbers(self) -> Any:
        """Returns the number of each symbol of `flat`."""
        flat = self.flat
        if isinstance(flat, bytes):
            return numbers_of(flat, _NUMBERS)
        return sym.numbered(flat, np.asarray(self.alphabet))

    def symbol(self, number: int) -> Token:
        """Returns the symbol with a number."""
        symbol = self.alphabet[number : number + 1]
        if isinstance(symbol, bytes):
            return symbol
        return sym.from_array(symbol, self.words.symbols)

    def symbols(self) -> list[Token]:
        """Returns the symbols in the order of their numbers."""
        return [*map(self.symbol, range(len(self.alphabet)))]

    def spelled(self, begins: memoryview, ends: memoryview) -> list[Token]:
        """Returns the tokens that stand at some places of `flat`."""
        flat = self.flat
        if isinstance(flat, bytes):
            return [*map(flat.__getitem__, map(slice, begins, ends))]
        return [*sym.slices(flat, np.asarray(begins), np.asarray(ends), self.words.symbols)]


def _refuse_long_tokens(tokens: int, symbols: int) -> None:
    """Refuses tokens that are too long together, as those of one word that repeats itself."""
    need = symbols * _SPELLED
    if need > SMALL:
        refuse_beyond(
            need,
            f"the first {tokens:,} tokens have {symbols:,} symbols, which take",
            "cap their length with --max-length (max_length), or take a smaller k",
        )


def _gains(made: Iterable[int], joined: Iterable[int], n_tokens: int) -> tuple[int, ...]:
    """Returns the pairs joined for each new token.

    What a merge joins counts for the token that it makes; where it makes none, for the next.

    Parameters
    ----------
    made : iterable of int
        The new token that each merge makes, negative for a token that was given.
    joined : iterable of int
        The pairs that each merge joined.
    n_tokens : int
        How many new tokens there are.
    """
    gains = [0] * n_tokens
    following = 0
    for token, pairs in zip(made, joined, strict=True):
        if n_tokens:
            gains[min(following, n_tokens - 1)] += pairs
        following = max(following, token + 1)
    return tuple(gains)
