"""Trains PathPiece: from many tokens down to k, dropping first those whose absence costs least."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..kernels._pathpiece import increases
from ..problem.candidates import CandidateIndex
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Seed, Threads
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .bpe import bpe
from .lattice import Lattice, shards
from .trainer import LIMITED_CANDIDATES, solution_of, trainer
from .unigram import unigram

__all__ = ["pathpiece", "removal_increases"]

Int64 = npt.NDArray[np.int64]


@trainer(
    "pathpiece",
    about="top down, by what each token's absence costs",
    honours=LIMITED_CANDIDATES,
)
def pathpiece(
    instance: Instance,
    *,
    initial: Literal["ngrams", "bpe", "unigram"] | Iterable[Any] = "ngrams",
    initial_size: int = 2**18,
    max_length: int = 16,
    batch: float = 0.1,
    rule: Literal["shortest_path", "random_path"] = "shortest_path",
    increase: Literal["removal", "occurrence"] = "removal",
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """PathPiece: take tokens away in batches, always those whose absence costs least.

    Parameters
    ----------
    instance : Instance
        The words, k, and what limits the candidates.
    initial : {"ngrams", "bpe", "unigram"} or iterable of token
        Where to start: the most frequent substrings; a BPE or Unigram vocabulary of
        `initial_size` tokens; or these tokens.  Of any but the first, what is no candidate of
        the instance is left out.
    initial_size : int
        Tokens to start from; fewer where there are no more.
    max_length : int
        Longest token, in symbols (the paper's L).
    batch : float
        Each round takes at most this part of the tokens away, and one at least.
    rule : {"shortest_path", "random_path"}
        PathPieceL or PathPieceR: which of the shortest paths of a word counts as its own, in
        training and in use: at each end the longest token, or one drawn from all.
    increase : {"removal", "occurrence"}
        ``removal``: the exact increase in tokens when a token is taken away alone.
        ``occurrence``: the paper's, which takes away each occurrence on a path alone and adds
        up; for a token twice in one word it is a lower estimate.  See `removal_increases`.
    time_limit : float, optional
        Seconds; then all tokens above k are taken away in one last batch.  Past it before there
        are tokens to start from, these are the k most frequent substrings, unless a list is given.
    seed : int
        For the rule ``random_path``; each round draws anew.  The order of words does not matter.
    threads : int
        Words are shared among this many threads; the result is the same.
    progress : Progress, optional
        Gets the tokens removed and to remove, once a round.

    Returns
    -------
    Solution
        Method ``pathpiece``; the tokens: the instance's prefix, then by what each one's absence
        costs, the most first.  ``extra`` holds ``size``, ``initial_size``, ``rounds`` and
        ``nothing_left_to_gain``: the words have fewer than k tokens.  No guarantee of quality:
        what single tokens cost does not add up over a batch.

    Raises
    ------
    InputError
        For groups, which it cannot honour, an option that is none of the above, or an initial
        token of fewer than two symbols.

    Notes
    -----
    Schmidt et al. (2024), "Tokenization Is More Than Compression", Sections 3.2 and 3.3 and
    Appendix A; batches and ties are not printed there.  Fixed tokens of the instance are never
    taken away.  Among tokens that cost the same, those go first that are on paths less often,
    then those that occur less often, then the longer, then the lexicographically last.
    O(occurrences of the tokens) time a round, and log(initial/k)/−log(1 − batch) rounds, more
    for a word in which a token of its path occurs again (see `removal_increases`); memory is
    four bytes an occurrence.
    """
    started = time.monotonic()
    _check(initial_size, max_length, batch)
    words = instance.words
    index = instance.candidate_index(dominated=True)
    termination: Termination = "completed"
    left = None if time_limit is None else time_limit - (time.monotonic() - started)
    if left is not None and left <= 0:
        termination = "time_limit"
        initial = "ngrams" if isinstance(initial, str) else initial
        initial_size = min(initial_size, instance.k)
    if isinstance(initial, str) and initial != "ngrams":
        train = bpe if initial == "bpe" else unigram
        first = train(Instance(words, initial_size), time_limit=left, threads=threads)
        if first.termination == "interrupted":
            raise KeyboardInterrupt
        termination = first.termination
        fit = (index.length <= max_length) & _among(index, first.vocabulary.tokens)
        start = _most_frequent(instance, index, fit, initial_size)
    else:
        start = _initial(instance, index, initial, initial_size, max_length)
    lattice = Lattice.of(words, index, start)
    fixed = np.array([len(p) == 1 or p in instance.fixed for p in lattice.pieces], bool)

    def ranked(round_: int) -> tuple[npt.NDArray[np.intp], int]:
        """The pieces, first the one to take away first and last those that stay."""
        cost, uses, needed = removal_increases(
            lattice, rule=rule, increase=increase, seed=seed, draw=round_, threads=threads
        )
        return np.lexsort((-np.arange(len(cost)), uses, cost, fixed)), needed

    progress = progress or Progress()
    rounds = 0
    while True:
        try:
            order, needed = ranked(rounds)
            take = excess = len(lattice.tokens) - instance.k
            if excess <= 0:
                break
            if time_limit is not None and time.monotonic() - started >= time_limit:
                termination = "time_limit"
            elif termination == "completed":
                take = min(excess, max(1, int(batch * len(lattice.tokens))))
            stay = np.ones(len(order), bool)
            stay[order[:take]] = False
            lattice, fixed = lattice.keep(stay), fixed[stay]
            rounds += 1
            progress.advance(
                len(start) - len(lattice.tokens),
                len(start) - instance.k,
                f"{needed:,} tokens before",
            )
        except KeyboardInterrupt:  # the rest goes in one batch
            termination = "interrupted"
    best_first = [lattice.pieces[i] for i in order[::-1].tolist() if i >= lattice.singles]
    tokens = list(dict.fromkeys((*instance.prefix, *best_first)))
    return solution_of(
        instance,
        Vocabulary(tokens, instance.symbols, "pathpiece", rule=rule),
        started,
        termination=termination,
        threads=threads,
        extra={
            "size": len(tokens),
            "initial_size": len(start),
            "rounds": rounds,
            "nothing_left_to_gain": isinstance(initial, str)
            and len(tokens) < instance.k <= initial_size,
        },
    )


def removal_increases(
    lattice: Lattice,
    *,
    rule: Literal["shortest_path", "random_path"] = "shortest_path",
    increase: Literal["removal", "occurrence"] = "removal",
    seed: int = 0,
    draw: int = 0,
    threads: int = 1,
) -> tuple[Int64, Int64, int]:
    """How many more tokens are needed without each token alone.

    Parameters
    ----------
    lattice : Lattice
        Words and tokens.
    rule, increase, seed, threads
        As for `pathpiece`.
    draw : int
        Tells draws of the same words with the same seed apart: PathPieceR's rounds.

    Returns
    -------
    increase : ndarray of int64, shape (pieces,)
        0 for the single symbols, which cannot be taken away.
    uses : ndarray of int64, shape (pieces,)
        How often each piece is on a path.
    tokens : int
        Tokens needed with all of them.

    Notes
    -----
    Let f(i) be the fewest tokens from the start of a word to node i and b(i) from there to its
    end, and take a token t on the word's path, from s to e.  A segmentation that has not this
    arc passes a node inside it, and the best of those has min over s < j < e of f(j) + b(j)
    tokens (neither half of it can hold the arc), or it jumps over it by a longer token from
    s' ≤ s to e' ≥ e, and the best of those has f(s') + 1 + b(e').  The least of both, less the
    tokens of the path, is exact where t occurs nowhere else in the word; a token on no path
    costs nothing.  Where t occurs again, f and b may lean on its other occurrences: then
    ``removal`` cuts the word anew without t, and ``occurrence``, as Appendix A of Schmidt et
    al. (2024), adds up its occurrences on the path as if each had gone alone.  Whether the path
    is this shortest one or that changes the sum for ``occurrence``, never for ``removal``.

    O(occurrences) time, and for ``removal`` again the occurrences in a word for each distinct
    token that is on its path and in it twice or more.
    """
    words = lattice.words
    symbols = np.unique(words.data, return_inverse=True)[1].astype(np.int32)

    def work(part: tuple[int, int]) -> tuple[Int64, Int64, int]:
        cost = np.zeros(len(lattice.pieces), np.int64)
        uses = np.zeros(len(lattice.pieces), np.int64)
        needed = increases(
            lattice.begin,
            lattice.arcs,
            lattice.length,
            symbols,
            words.offsets,
            words.counts,
            *part,
            increase == "removal",
            rule == "random_path",
            seed % 2**64,
            draw,
            cost,
            uses,
        )
        return cost, uses, needed

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(work, shards(words, threads)))
    none = np.zeros(len(lattice.pieces), np.int64)
    return (
        sum((part[0] for part in parts), none),
        sum((part[1] for part in parts), none),
        sum(part[2] for part in parts),
    )


def _initial(
    instance: Instance,
    index: CandidateIndex,
    initial: str | Iterable[Any],
    size: int,
    max_length: int,
) -> list[Token]:
    """The most frequent substrings, or given tokens."""
    if isinstance(initial, str):
        fit = index.length <= max_length
    else:
        given = [sym.to_token(token, instance.symbols) for token in initial]
        for token in given:
            if not 2 <= len(token) <= max_length:
                raise InputError(
                    f"initial: token {sym.show(token)!r} has {len(token)} symbol(s): 2 to "
                    f"{max_length} are expected"
                )
        fit = _among(index, given)
        size = len(given)
    return _most_frequent(instance, index, fit, size)


def _most_frequent(
    instance: Instance, index: CandidateIndex, fit: npt.NDArray[np.bool_], size: int
) -> list[Token]:
    """Of the candidates that fit those that occur most often first, and the fixed tokens.

    Among equals the shorter first, then the lexicographically first.
    """
    (found,) = np.nonzero(fit)
    order = np.lexsort((found, index.length[found], -index.weight[found]))
    chosen = found[order[:size]]
    return list(dict.fromkeys((*index.tokens(chosen), *instance.fixed)))


def _among(index: CandidateIndex, tokens: Sequence[Token]) -> npt.NDArray[np.bool_]:
    """Which candidates are among `tokens`."""
    among = np.zeros(len(index), bool)
    numbers = index.numbers(index.find_tokens(tokens))
    among[numbers[numbers >= 0]] = True
    return among


def _check(size: int, max_length: int, batch: float) -> None:
    if size < 0:
        raise InputError(f"initial_size is {size}: at least 0 is expected")
    if max_length < 2:
        raise InputError(f"max_length is {max_length}: a token has two symbols or more")
    if not 0 < batch <= 1:
        raise InputError(f"batch is {batch}: a part of the tokens, above 0 and at most 1")
