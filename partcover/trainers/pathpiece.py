"""Trains PathPiece: prunes many tokens to k, first those whose absence costs least."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..kernels.training._pathpiece import increases
from ..problem.candidates import CandidateIndex
from ..problem.instance import Instance
from ..problem.memory_plan import Pieces
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Seed, Threads
from ..runtime.arrays import Bools, Indices, Int64, np
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .bpe import bpe
from .shared.lattice import Lattice, map_shards
from .trainer import LIMITED_CANDIDATES, solution_of, trainer
from .unigram import unigram


def _work(options: Mapping[str, Any]) -> Pieces:
    """Checks the options; returns what takes the memory, where Unigram is run that of it."""
    size, max_length, batch = (options[name] for name in ("initial_size", "max_length", "batch"))
    if size < 0:
        raise InputError(f"initial_size is {size}: it must be at least 0")
    if max_length < 2:
        raise InputError(f"max_length is {max_length}: a token has two symbols or more")
    if not 0 < batch <= 1:
        raise InputError(
            f"batch is {batch}: it must be a share of the tokens, above 0 and at most 1"
        )
    initial = options["initial"]  # or tokens, in an array too
    is_unigram = isinstance(initial, str) and initial == "unigram"
    return Pieces() if is_unigram else Pieces(size, max_length)


@trainer(
    "pathpiece",
    about="PathPiece: remove tokens top down, those that cost least first",
    supports=LIMITED_CANDIDATES,
    work=_work,
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
    """Trains PathPiece: removes tokens in batches, always those whose absence costs least.

    Parameters
    ----------
    instance : Instance
        The words, k, and what limits the candidates.
    initial : {"ngrams", "bpe", "unigram"} or iterable of token
        The tokens to start from: the most frequent substrings; a BPE or Unigram vocabulary of
        `initial_size` tokens; or those given.  Except of the first, what is no candidate of the
        instance is left out.
    initial_size : int
        Number of tokens to start from; fewer where there are no more.
    max_length : int
        Longest token, in symbols (the paper's L).
    batch : float
        Each round removes at most this share of the tokens, and at least one.
    rule : {"shortest_path", "random_path"}
        PathPieceL or PathPieceR: which of the shortest paths of a word is used, in training and
        by the vocabulary: at each end the longest token, or one drawn from all.
    increase : {"removal", "occurrence"}
        ``removal``: the exact increase in tokens when one token is removed.
        ``occurrence``: the paper's, which removes each occurrence on a path by itself and adds
        up; for a token that is twice in one word it is a lower estimate.  See `removal_increases`.
    time_limit : float, optional
        Seconds; then all tokens above k are removed in one last batch.  If time is up before
        there are tokens to start from, these are the k most frequent substrings, unless a list
        is given.
    seed : int
        Random seed of the rule ``random_path``; each round draws anew.  The order of words does
        not matter.
    threads : int
        Number of threads; the result is the same for any number.
    progress : Progress, optional
        Gets the tokens removed and to remove, once a round.

    Returns
    -------
    Solution
        Method ``pathpiece``; its tokens are the instance's prefix, then the others by what their
        absence costs, the most first.  ``extra`` holds ``size``, ``initial_size``, ``rounds`` and
        ``nothing_left_to_gain``: the words have fewer than k tokens.  No guarantee of quality:
        the costs of single tokens do not add up over a batch.

    Raises
    ------
    InputError
        For groups, which it does not support, an option that is none of the above, or an initial
        token of fewer than two symbols.

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> solution = trainers.pathpiece(Instance({"hugs": 5, "hug": 10, "pug": 5}, 2))
    >>> solution.vocabulary.tokens, solution.tokens
    ((b'hug', b'pug'), 25)

    Notes
    -----
    Schmidt et al. (2024), "Tokenization Is More Than Compression", Sections 3.2 and 3.3 and
    Appendix A; batches and ties are not printed there.  Fixed tokens of the instance are never
    removed.  Among tokens that cost the same, those go first that are on paths less often,
    then those that occur less often, then the longer, then the lexicographically last.
    O(occurrences of the tokens) time for each round, and log(initial/k)/−log(1 − batch) rounds,
    more for a word in which a token of its path occurs again (see `removal_increases`); memory
    is four bytes for each occurrence.
    """
    deadline = Deadline(time_limit)
    words = instance.words
    index = instance.candidate_index(dominated=True, longest=max_length)
    termination: Termination = "completed"
    if deadline.is_over:
        termination = "time_limit"
        initial = "ngrams" if isinstance(initial, str) else initial
        initial_size = min(initial_size, instance.k)
    if isinstance(initial, str) and initial != "ngrams":
        train = bpe if initial == "bpe" else unigram
        larger = train(Instance(words, initial_size), time_limit=deadline.left, threads=threads)
        if larger.termination == "interrupted":
            raise KeyboardInterrupt
        termination = larger.termination
        fits = (index.length <= max_length) & _among(index, larger.vocabulary.tokens)
        seeds = _most_frequent(instance, index, fits, initial_size)
    else:
        seeds = _initial(instance, index, initial, initial_size, max_length)
    lattice = Lattice.of(words, index, seeds)
    fixed = lattice.is_kept(instance.fixed)

    def rank(round_: int) -> tuple[Indices, int]:
        """Ranks the pieces by what to remove first; also the tokens needed with all of them."""
        cost, uses, needed = removal_increases(
            lattice, rule=rule, increase=increase, seed=seed, draw=round_, threads=threads
        )
        return np.lexsort((-np.arange(len(cost)), uses, cost, fixed)), needed

    progress = progress or Progress()
    rounds = 0
    while True:
        try:
            order, needed = rank(rounds)
            n_removed = excess = len(lattice.tokens) - instance.k
            if excess <= 0:
                break
            if deadline.is_over:
                termination = "time_limit"
            elif termination == "completed":
                n_removed = min(excess, max(1, int(batch * len(lattice.tokens))))
            kept = np.ones(len(order), bool)
            kept[order[:n_removed]] = False
            lattice, fixed = lattice.keep(kept), fixed[kept]
            rounds += 1
            progress.advance(
                len(seeds) - len(lattice.tokens),
                len(seeds) - instance.k,
                f"{needed:,} tokens before",
            )
        except KeyboardInterrupt:  # the rest goes in one batch
            termination = "interrupted"
    best_first = [lattice.pieces[i] for i in order[::-1].tolist() if i >= lattice.singles]
    tokens = list(dict.fromkeys((*instance.prefix, *best_first)))
    return solution_of(
        instance,
        Vocabulary(tokens, instance.symbols, "pathpiece", rule=rule),
        deadline.seconds,
        termination=termination,
        threads=threads,
        extra={
            "size": len(tokens),
            "initial_size": len(seeds),
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
    """Counts how many more tokens are needed without each token.

    Parameters
    ----------
    lattice : Lattice
        Words and pieces.
    rule, increase, seed, threads
        As for `pathpiece`.
    draw : int
        Number of the draw, PathPieceR's round: draws with one seed but other numbers differ.

    Returns
    -------
    increase : ndarray of int64, shape (pieces,)
        0 for the single symbols, which cannot be removed.
    uses : ndarray of int64, shape (pieces,)
        How often each piece is on a path.
    tokens : int
        Tokens needed with all of them.

    Notes
    -----
    Let f(i) be the fewest tokens from the start of a word to node i and b(i) from there to its
    end, and take a token t on the word's path, from s to e.  A segmentation without this
    arc either passes a node inside it, and the best of those has min over s < j < e of f(j) + b(j)
    tokens (neither half of it can hold the arc), or it jumps over it by a longer token from
    s' ≤ s to e' ≥ e, and the best of those has f(s') + 1 + b(e').  The minimum of both, less the
    tokens of the path, is exact where t occurs nowhere else in the word; a token on no path
    costs nothing.  Where t occurs again, f and b may use its other occurrences: then
    ``removal`` segments the word again without t, and ``occurrence``, as Appendix A of Schmidt et
    al. (2024), adds up its occurrences on the path as if each had been removed by itself.  Which
    of the shortest paths is taken changes the sum for ``occurrence``, never for ``removal``.

    O(occurrences) time, and for ``removal`` the occurrences in a part of a word around each place
    of a token that is on its path and occurs in it twice or more: up to where, for the length of
    the longest token, all ends have the same number of tokens more than with it.
    """
    words = lattice.words
    symbols = sym.numbered(words.data, sym.distinct(words.data))

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

    parts = map_shards(work, words, threads, threads)
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
    """Returns the most frequent substrings, or the given tokens, to start from."""
    if isinstance(initial, str):
        fits = index.length <= max_length
    else:
        given = [sym.to_token(token, instance.symbols) for token in initial]
        for token in given:
            if not 2 <= len(token) <= max_length:
                raise InputError(
                    f"initial: token {sym.show(token)!r} has the length {len(token)}: it must be "
                    f"2 to {max_length}"
                )
        fits = _among(index, given)
        size = len(given)
    return _most_frequent(instance, index, fits, size)


def _most_frequent(
    instance: Instance, index: CandidateIndex, fits: Bools, size: int
) -> list[Token]:
    """Returns the most frequent of the candidates that fit, then the fixed tokens.

    Among equals the shorter first, then the lexicographically first.
    """
    (numbers,) = np.nonzero(fits)
    order = np.lexsort((numbers, index.length[numbers], -index.weight[numbers]))
    chosen = numbers[order[:size]]
    return list(dict.fromkeys((*index.tokens(chosen), *instance.fixed)))


def _among(index: CandidateIndex, tokens: Sequence[Token]) -> Bools:
    """Returns which candidates are among `tokens`."""
    among = np.zeros(len(index), bool)
    numbers = index.numbers(index.find_tokens(tokens))
    among[numbers[numbers >= 0]] = True
    return among
