"""Shares what trainers that merge neighbouring pieces need: from words to merges and back."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..kernels._merge_training import MergeTrainer
from ..problem.instance import Instance
from ..problem.solution import Termination
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["Merged", "merge_words"]

_CHUNK = 256  # tokens between looks at the clock


# bytes in the order of the characters that byte-level tokenizers write for them: printable ones
# stand for themselves, all others for characters past 255
_PRINTABLE = {*range(33, 127), *range(161, 173), *range(174, 256)}
_BYTES = np.array(sorted(range(256), key=lambda b: (b not in _PRINTABLE, b)), np.uint8)
_PLACES = np.argsort(_BYTES).astype(np.int32)


@dataclass(frozen=True)
class Merged:
    """What merging came to.

    Attributes
    ----------
    tokens : tuple of token
        The given ones, then each as it was made.
    merges : tuple of pair of token
        New merges, in order; two may spell one token.
    gains : tuple of int
        For each new token: pairs of neighbours joined, counts of words considered, by the merges
        after that of the token before up to its own (the last has those that follow as well).
    exhausted : bool
        There is no pair left that may be merged.
    termination : {"completed", "time_limit", "interrupted"}
        Why it stopped.
    """

    tokens: tuple[Token, ...]
    merges: tuple[tuple[Token, Token], ...]
    gains: tuple[int, ...]
    exhausted: bool
    termination: Termination


def merge_words(
    instance: Instance,
    given: Vocabulary,
    *,
    scored: bool,
    started: float,
    time_limit: float | None,
    threads: int,
    progress: Progress,
) -> Merged:
    """Merge the best pair of neighbours until there are k distinct tokens; see `MergeTrainer`.

    Parameters
    ----------
    instance : Instance
        The words, k, `max_length`, `min_count` (of a pair) and `forbidden`.
    given : Vocabulary
        Tokens there are already: the words are cut with them, under their rule, to begin with.
        Their merges come first.
    scored : bool
        Whether a pair's count is divided by those of its parts.
    started : float
        `time.monotonic` when it began.
    time_limit : float, optional
        Seconds after that.
    threads : int
        For the first cut.
    progress : Progress
        Called with (tokens, k, "").

    Returns
    -------
    Merged
        Also what was done up to Ctrl-C or the time limit.  For ties, symbols come in the order
        of byte-level tokenizers (bytes), of code points or of integers, and tokens follow, as
        they were made.
    """
    words, symbols = instance.words, instance.symbols
    size = len(words.data)
    apart = [sym.to_array(token) for token in (*given, *instance.forbidden)]
    lengths = np.fromiter(map(len, apart), np.int64, len(apart))
    starts = size + np.cumsum(lengths) - lengths
    flat = np.concatenate([words.data, *apart])
    if len(flat) >= 2**31:
        raise InputError("the distinct words have 2^31 symbols or more: drop rare words first")
    names, text = _BYTES, _PLACES[flat] if symbols == "bytes" else flat
    if symbols != "bytes":
        names, text = np.unique(flat, return_inverse=True)
        text = text.astype(np.int32)
    alphabet = len(names)
    which = np.full(size, -1, np.int32)
    if len(given):
        which = segment(words, given, threads=threads).which
    number = {sym.from_array(flat[i : i + 1], symbols): text[i] for i in range(size, len(flat))}
    number |= {token: alphabet + t for t, token in enumerate(given)}
    before = [(number[a], number[b], number[a + b]) for a, b in given.merges or ()]  # type: ignore[operator]
    limit = min(instance.k, len(given) + size)
    merger = MergeTrainer(
        text,
        words.offsets,
        words.counts,
        which,
        starts,
        lengths,
        len(given),
        np.array(before, np.int32).reshape(-1, 3),
        alphabet,
        limit,
        instance.max_length or len(flat),
        instance.min_count,
        scored,
    )

    termination: Termination = "completed"
    more = True
    try:
        while more and merger.tokens < limit:
            if time_limit is not None and time.monotonic() - started >= time_limit:
                termination = "time_limit"
                break
            more = merger.run(min(merger.tokens + _CHUNK, limit))
            progress.advance(merger.tokens, instance.k)
    except KeyboardInterrupt:
        termination = "interrupted"

    pieces, joined = merger.merges()
    ends = [merger.spelling(t) for t in range(merger.tokens)]
    tokens = [sym.from_array(flat[start:end], symbols) for start, end in ends]
    spelled = [sym.from_array(names[s : s + 1], symbols) for s in range(alphabet)] + tokens
    # what a merge joins counts for the token it makes, or else for the next there is
    new = merger.tokens - len(given)
    gains = np.zeros(new, np.int64)
    made = pieces[:, 2] - alphabet - len(given)
    if new:
        before_it = np.maximum.accumulate(np.concatenate([[-1], made[:-1]]))
        np.add.at(gains, np.minimum(before_it + 1, new - 1), joined)
    return Merged(
        tuple(tokens),
        tuple((spelled[a], spelled[b]) for a, b in pieces[:, :2].tolist()),
        tuple(gains.tolist()),
        termination == "completed" and merger.tokens < instance.k,
        termination,
    )
