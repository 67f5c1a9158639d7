"""Trains by merges, for BPE and WordPiece: from words to the kernel's numbers and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...corpus import symbols as sym
from ...corpus.symbols import Token
from ...errors import InputError
from ...kernels.training._merge_training import MergeTrainer
from ...problem.instance import Instance
from ...problem.memory_plan import SMALL, refuse_beyond_memory
from ...problem.solution import Termination
from ...runtime.limits import Deadline
from ...runtime.memory import refuse_beyond
from ...runtime.progress import Progress
from ...segmentation.segmentation import segment
from ...vocabulary.vocabulary import Vocabulary

__all__ = ["MergeResult", "ordered_symbols", "train_merges"]

_CHUNK = 256  # tokens between looks at the clock
_SPELLED = 48  # bytes for each symbol of a token, while words are segmented and tokens are written

# bytes in the order of the characters that byte-level tokenizers write for them: printable ones
# stand for themselves, all others for characters past 255
_PRINTABLE = {*range(33, 127), *range(161, 173), *range(174, 256)}
_BYTES = np.array(sorted(range(256), key=lambda b: (b not in _PRINTABLE, b)), np.uint8)
_NUMBERS = np.argsort(_BYTES).astype(np.int32)


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
    limit = min(instance.k, len(given) + len(instance.words.data))
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
    tokens = layout.tokens(trainer)
    pieces, joined = trainer.merges()
    spelled = [*layout.symbols(), *tokens]
    left, right = (map(spelled.__getitem__, pieces[:, side].tolist()) for side in (0, 1))
    return MergeResult(
        tuple(tokens),
        tuple(zip(left, right, strict=True)),
        tuple(joined.tolist()),
        _gains(pieces[:, 2] - len(layout.alphabet) - len(given), joined, len(tokens) - len(given)),
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
    flat : ndarray, shape (symbols,)
        The symbols of the words, then of the given tokens, then of the forbidden ones.
    alphabet : ndarray
        The symbol of each number, in the order that decides ties.
    starts, lengths : ndarray of int64
        Where the given tokens and then the forbidden ones stand in `flat`.
    kind : Symbols
        The alphabet of the words.
    """

    flat: npt.NDArray[Any]
    alphabet: npt.NDArray[Any]
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    kind: sym.Symbols

    @classmethod
    def of(cls, instance: Instance, given: Vocabulary) -> _Layout:
        words = instance.words
        data, begins = sym.packed((*given, *instance.forbidden), instance.symbols)
        lengths, starts = np.diff(begins), len(words.data) + begins[:-1]
        flat = np.concatenate([words.data, data]) if len(data) else words.data
        if len(flat) >= 2**31:
            raise InputError("the distinct words have 2^31 symbols or more: drop rare words first")
        alphabet = _BYTES if instance.symbols == "bytes" else np.unique(flat)
        return cls(flat, alphabet, starts, lengths, instance.symbols)

    def trainer(
        self, instance: Instance, given: Vocabulary, limit: int, scored: bool, threads: int
    ) -> MergeTrainer:
        """Returns the kernel over the words, segmented with the given tokens."""
        words = instance.words
        which = np.zeros(0, np.int32)  # no token is given: all symbols stand alone
        if len(given):
            which = segment(words, given, threads=threads).which
        merges = []
        if given.merges:
            number = {piece: place for place, piece in enumerate((*self.symbols(), *given))}
            merges = [(number[a], number[b], number[a + b]) for a, b in given.merges]  # type: ignore[operator]
        return MergeTrainer(
            self._numbers(),
            words.offsets,
            words.counts,
            which,
            self.starts,
            self.lengths,
            len(given),
            np.array(merges, np.int32).reshape(-1, 3),
            len(self.alphabet),
            limit,
            instance.max_length or len(self.flat),
            instance.min_count,
            scored,
        )

    def _numbers(self) -> npt.NDArray[np.int32]:
        """Returns the number of each symbol of `flat`."""
        if self.kind == "bytes":
            numbers: npt.NDArray[np.int32] = _NUMBERS[self.flat]
            return numbers
        return np.searchsorted(self.alphabet, self.flat).astype(np.int32)

    def symbols(self) -> list[Token]:
        """Returns the symbols in the order of their numbers."""
        return [
            sym.from_array(self.alphabet[i : i + 1], self.kind) for i in range(len(self.alphabet))
        ]

    def tokens(self, trainer: MergeTrainer) -> list[Token]:
        """Returns the given tokens and those made so far."""
        return [*sym.slices(self.flat, *trainer.places(), self.kind)]


def _refuse_long_tokens(tokens: int, symbols: int) -> None:
    """Refuses tokens that are too long together, as those of one word that repeats itself."""
    need = symbols * _SPELLED
    if need > SMALL:
        refuse_beyond(
            need,
            f"the first {tokens:,} tokens have {symbols:,} symbols, which take",
            "cap their length with --max-length (max_length), or take a smaller k",
        )


def _gains(
    made: npt.NDArray[np.int32], joined: npt.NDArray[np.int64], n_tokens: int
) -> tuple[int, ...]:
    """Returns the pairs joined for each new token.

    What a merge joins counts for the token that it makes; where it makes none, for the next.

    Parameters
    ----------
    made : ndarray of int32, shape (merges,)
        The new token that each merge makes, negative for a token that was given.
    joined : ndarray of int64, shape (merges,)
        The pairs that each merge joined.
    n_tokens : int
        How many new tokens there are.
    """
    gains = np.zeros(n_tokens, np.int64)
    if n_tokens:
        last_made = np.maximum.accumulate(np.concatenate([[-1], made[:-1]]))
        np.add.at(gains, np.minimum(last_made + 1, n_tokens - 1), joined)
    return tuple(gains.tolist())
