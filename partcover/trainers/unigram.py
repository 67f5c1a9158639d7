"""Trains Unigram: a language model of independent pieces, pruned until k tokens are left."""

from __future__ import annotations

import math
import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..kernels import _unigram
from ..problem.candidates import CandidateIndex
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..problem.word_index import WordIndex
from ..runtime.arguments import Seconds, Threads, checked
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .lattice import Lattice, shards
from .trainer import LIMITED_CANDIDATES, solution_of, trainer

__all__ = ["expectation", "pruning_losses", "unigram", "unigram_objective"]

Float = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

# Sums of floats depend on their order: words are summed in so many parts on any number of threads.
_PARTS = 8
_LEAST = 0.5  # expected count below which a token goes (sentencepiece's)
_USELESS = -1e300  # loss of a token that better segmentations do without
_PREPARING = 4  # times the time of the index: what seeding takes
_SLACK = 1.1  # times k: where losses end and scores decide (sentencepiece's)


@trainer("unigram", about="a language model of pieces, pruned", honours=LIMITED_CANDIDATES)
def unigram(
    instance: Instance,
    *,
    seed_size: int = 1_000_000,
    max_length: int = 16,
    shrink: float = 0.75,
    em_rounds: int = 2,
    m_step: Literal["digamma", "plain"] = "digamma",
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Unigram: seed with frequent substrings, fit by EM, prune what likelihood misses least.

    Parameters
    ----------
    instance : Instance
        The words, k, and what limits the candidates.
    seed_size : int
        Tokens to start from: those of largest count times length, among substrings that occur
        twice or more and are not always followed by the same symbol.
    max_length : int
        Longest token, in symbols.
    shrink : float
        Part of the tokens that each pruning leaves.
    em_rounds : int
        EM rounds before each pruning, and after the last.
    m_step : {"digamma", "plain"}
        From expected counts n to scores: digamma(n) − digamma(Σn), which favours few frequent
        tokens, or log(n / Σn), the maximum of the likelihood.
    time_limit : float, optional
        Seconds; then all tokens above k go in one last pruning.  Where there is no time to begin
        with all seeds, there are fewer of them, k at least; the candidates are enumerated, and
        one EM round is made, whatever the limit is.
    threads : int
        Words are shared among this many threads, eight at most; the result is the same to the
        last bit, as it is for any order of words.
    progress : Progress, optional
        Gets the tokens removed and to remove, after each EM round.

    Returns
    -------
    Solution
        Method ``unigram``, rule ``likelihood``; tokens by score, best first, natural logarithms,
        the instance's prefix in front.  ``extra`` holds ``size``, ``seed_size``, ``rounds`` of
        EM, and ``log_likelihood`` of the words (all segmentations) before the last M step, in
        nats, None if it was stopped before; ``nothing_left_to_gain`` says that there were fewer
        seeds than k.  No guarantee: EM finds a local optimum, and losses
        are estimates.

    Raises
    ------
    InputError
        For groups, which it cannot honour, or an option out of its range.

    Notes
    -----
    Kudo (2018), "Subword Regularization", Section 3.2, in what the paper leaves open as
    sentencepiece's trainer: seeds and their first scores log(count · length), the digamma M
    step (Liang and Klein 2007), tokens with an expected count below 0.5 dropped, the loss of a
    token estimated by its second best segmentation, prunings to 1.1 k, and from there to k by
    score.  Unlike there, counts of words weigh the seeds, single symbols come free of k and are
    scored as if expected 0.5 times at least, fixed tokens stay, and nothing falls below k while
    there are tokens.  Ties: first the token of larger count times length, then the shorter,
    then the lexicographically first stays.  O(occurrences of the tokens) time a round, in
    float64; memory is four bytes an occurrence.
    """
    started = time.monotonic()
    _check(seed_size, max_length, shrink, em_rounds)
    words = _sorted(instance.words)
    index = replace(instance, words=words).candidate_index(dominated=True)
    if time_limit is not None:
        # what follows up to the first round takes about four times as long for all seeds
        so_far = max(time.monotonic() - started, 1e-9)
        part = max(0.0, time_limit - so_far) / (_PREPARING * so_far)
        if part < 1:
            seed_size = min(seed_size, max(instance.k, int(part * len(index))))
    tokens = _seeds(instance, index, seed_size, max_length)
    model = _Model.seeded(Lattice.of(words, index, tokens), index, instance.fixed)
    rounds = 0
    begun = time.monotonic()
    likelihood: float | None = None
    progress = progress or Progress()
    termination: Termination = "completed"
    try:
        while termination == "completed":
            for _ in range(em_rounds):
                expected, likelihood = expectation(model.lattice, model.score, threads=threads)
                many = int(np.sum(model.fixed | (expected >= _LEAST))) - model.lattice.singles
                model = model.fitted(expected, m_step).most(expected, max(many, instance.k))
                rounds += 1
                removed = len(tokens) - len(model.lattice.tokens)
                remark = f"log-likelihood {likelihood:,.0f}"
                progress.advance(removed, max(removed, len(tokens) - instance.k), remark)
                # a round takes no longer than the one before: there are fewer pieces
                now = time.monotonic()
                if time_limit is not None and now + (now - begun) >= started + time_limit:
                    termination = "time_limit"
                    break
                begun = now
            many = len(model.lattice.tokens)
            if many <= int(_SLACK * instance.k):
                break
            loss = pruning_losses(model.lattice, model.score, threads=threads)
            useful = int(np.sum(model.fixed | (loss > _USELESS))) - model.lattice.singles
            left = min(useful, max(int(_SLACK * instance.k), int(shrink * many)))
            model = model.most(loss, max(left, instance.k))
    except KeyboardInterrupt:
        termination = "interrupted"
    model = model.most(model.score, instance.k)
    vocabulary = model.vocabulary(instance)
    return solution_of(
        instance,
        vocabulary,
        started,
        termination=termination,
        threads=threads,
        extra={
            "size": len(vocabulary),
            "seed_size": len(tokens),
            "rounds": rounds,
            "log_likelihood": likelihood,
            "nothing_left_to_gain": len(vocabulary) < instance.k,
        },
    )


@checked
def unigram_objective(
    words: WordCounts, vocabulary: Vocabulary, *, rounds: int = 20, threads: Threads = 1
) -> float:
    """The log-likelihood that a vocabulary's tokens reach, whatever made them.

    Parameters
    ----------
    words : WordCounts
        The words.
    vocabulary : Vocabulary
        The tokens, over the same symbols; its own scores are not used.
    rounds : int
        EM rounds, from equal probabilities; more never lower the result.
    threads : int
        The result is the same.

    Returns
    -------
    float
        Σ c(W) · log Σ over segmentations of W of Π p(piece), in nats, where p are the scores
        that EM (the plain M step) ends with.  Unigram's objective, for the tokens alone: a
        local optimum, so a lower estimate of the best.

    Raises
    ------
    InputError
        If the symbols differ or `rounds` is negative.
    """
    if vocabulary.symbols != words.symbols:
        raise InputError(
            f"the vocabulary is over {vocabulary.symbols}, the words are over {words.symbols}"
        )
    if rounds < 0:
        raise InputError(f"rounds is {rounds}: at least 0 is expected")
    words = _sorted(words)
    lattice = Lattice.of(words, WordIndex(words), vocabulary.tokens)
    score = np.full(len(lattice.pieces), -math.log(max(1, len(lattice.pieces))))
    for _ in range(rounds):
        expected, _ = expectation(lattice, score, threads=threads)
        score = _log_share(np.maximum(expected, 1e-300))
    return expectation(lattice, score, threads=threads)[1]


def expectation(lattice: Lattice, score: Float, *, threads: int = 1) -> tuple[Float, float]:
    """The E step.

    Parameters
    ----------
    lattice : Lattice
        Words and pieces.
    score : ndarray of float64, shape (pieces,)
        Natural logarithm of the probability of each piece, finite.
    threads : int
        The result is the same.

    Returns
    -------
    expected : ndarray of float64, shape (pieces,)
        How often each piece is expected in the words, over all their segmentations.
    log_likelihood : float
        Of the words.  O(occurrences) time.
    """
    words = lattice.words

    def work(part: tuple[int, int]) -> tuple[Float, float]:
        expected = np.zeros(len(lattice.pieces))
        value = _unigram.expect(
            lattice.begin,
            lattice.arcs,
            lattice.length,
            score,
            words.offsets,
            words.counts,
            *part,
            expected,
        )
        return expected, value

    total, likelihood = np.zeros(len(lattice.pieces)), 0.0
    with ThreadPoolExecutor(threads) as pool:
        for expected, value in pool.map(work, shards(words, _PARTS)):
            total += expected
            likelihood += value
    return total, likelihood


def pruning_losses(lattice: Lattice, score: Float, *, threads: int = 1) -> Float:
    """What likelihood loses without each piece, estimated as sentencepiece does.

    The words are cut by their best segmentations, in which piece i is n_i of n pieces.  Without
    it, its own best segmentation into others, m pieces, would stand in all its places, and each
    of those be so much more frequent:
    n_i · (log(n_i / n) − Σ_j log((n_j + n_i) / (n + n_i·(m − 1)))).

    Parameters
    ----------
    lattice, score, threads
        As for `expectation`.

    Returns
    -------
    ndarray of float64, shape (pieces,)
        Infinite for single symbols; −1e300 for a piece less likely than its best segmentation
        into others; −infinity for a piece in no best segmentation.
    """
    words = lattice.words

    def work(part: tuple[int, int]) -> Int64:
        uses = np.zeros(len(lattice.pieces), np.int64)
        _unigram.best(
            lattice.begin,
            lattice.arcs,
            lattice.length,
            score,
            words.offsets,
            words.counts,
            *part,
            uses,
        )
        return uses

    with ThreadPoolExecutor(threads) as pool:
        uses = sum(pool.map(work, shards(words, threads)), np.zeros(len(lattice.pieces), np.int64))
    place = np.full(len(lattice.pieces), -1, np.int64)
    place[lattice.arcs] = np.repeat(np.arange(len(words.data)), np.diff(lattice.begin))
    loss = np.empty(len(lattice.pieces))
    _unigram.losses(
        lattice.begin, lattice.arcs, lattice.length, score, place, uses, lattice.singles, loss
    )
    return loss


@dataclass(frozen=True, eq=False)
class _Model:
    """Pieces with their scores; `fixed` are those that stay, single symbols among them."""

    lattice: Lattice
    fixed: npt.NDArray[np.bool_]
    score: Float

    @classmethod
    def seeded(cls, lattice: Lattice, index: CandidateIndex, fixed: Collection[Token]) -> _Model:
        """Scores from count times length."""
        intervals = index.find_tokens(lattice.pieces)
        value = index.weight_of(intervals).astype(float) * intervals.length
        stay = np.array([len(piece) == 1 or piece in fixed for piece in lattice.pieces], bool)
        return cls(lattice, stay, _log_share(np.maximum(value, _LEAST)))

    def fitted(self, expected: Float, m_step: str) -> _Model:
        """The M step."""
        # a token below _LEAST goes at once, if there are enough others
        many = np.where(self.fixed | (expected >= _LEAST), np.maximum(expected, _LEAST), 0.0)
        total = max(float(many.sum()), _LEAST)  # 0 where there are no words
        if m_step == "plain":
            score = np.log(np.maximum(expected, _LEAST)) - math.log(total)
        else:
            score = _digamma(np.maximum(expected, _LEAST)) - _digamma(total)
        return replace(self, score=score)

    def most(self, value: Float, many: int) -> _Model:
        """The fixed pieces and those of largest value, `many` tokens; the earlier among equals."""
        order = np.lexsort((-value, ~self.fixed))
        stay = np.zeros(len(order), bool)
        stay[order[: self.lattice.singles + many]] = True
        return _Model(self.lattice.keep(stay), self.fixed[stay], self.score[stay])

    def vocabulary(self, instance: Instance) -> Vocabulary:
        """The prefix, then by score."""
        singles = self.lattice.singles
        scores = dict(zip(self.lattice.pieces, self.score.tolist(), strict=True))
        ranked = sorted(self.lattice.tokens, key=lambda token: -scores[token])
        tokens = tuple(dict.fromkeys((*instance.prefix, *ranked)))
        return Vocabulary(
            tokens,
            instance.symbols,
            "unigram",
            rule="likelihood",
            scores=[scores[token] for token in tokens],
            symbol_scores={symbol: scores[symbol] for symbol in self.lattice.pieces[:singles]},
        )


def _seeds(instance: Instance, index: CandidateIndex, size: int, max_length: int) -> list[Token]:
    """Frequent substrings, those of largest count · length first; then what is fixed."""
    lo, hi = index.lo, index.hi
    fit = (index.length <= max_length) & (index.weight >= 2)
    if instance.candidates is None:
        # the next candidate with the same occurrences is longer by what always follows
        fit[:-1] &= (lo[:-1] != lo[1:]) | (hi[:-1] != hi[1:])
    (found,) = np.nonzero(fit)
    value = index.weight[found].astype(float) * index.length[found]
    chosen = found[np.lexsort((index.length[found], -value))[:size]]
    return list(dict.fromkeys((*index.tokens(chosen), *instance.fixed)))


def _sorted(words: WordCounts) -> WordCounts:
    """The same words in ascending order, so that sums of floats do not depend on theirs."""
    return words.subset(sorted(words))


def _log_share(value: Float) -> Float:
    """log(value / Σ value)."""
    return np.asarray(np.log(value) - np.log(value.sum()) if len(value) else value)


def _digamma(x: npt.ArrayLike) -> Float:
    """The derivative of log Γ, for x > 0: raised to 10 and above, then the asymptotic series."""
    x = np.array(x, float)
    result = np.zeros_like(x)
    for _ in range(10):
        small = x < 10
        result -= np.where(small, 1 / x, 0.0)
        x = np.where(small, x + 1, x)
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132)))))
    return np.asarray(result + np.log(x) - 0.5 / x - series)


def _check(seed_size: int, max_length: int, shrink: float, em_rounds: int) -> None:
    if seed_size < 0:
        raise InputError(f"seed_size is {seed_size}: at least 0 is expected")
    if max_length < 2:
        raise InputError(f"max_length is {max_length}: a token has two symbols or more")
    if not 0 < shrink < 1:
        raise InputError(f"shrink is {shrink}: a part of the tokens, above 0 and below 1")
    if em_rounds < 1:
        raise InputError(f"em_rounds is {em_rounds}: at least 1 is expected")
