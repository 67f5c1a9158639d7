"""Fits a language model of independent pieces to words, and ranks pieces for pruning."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from ...corpus.symbols import Token
from ...kernels.training import _unigram
from ...problem.candidates import CandidateIndex
from ...problem.instance import Instance
from ...runtime.arrays import ArrayLike, Bools, Float64, Int64, np
from ...vocabulary.vocabulary import Vocabulary
from .lattice import Lattice, map_shards

# sums of floats depend on their order: words are summed in so many parts on any number of threads
_PARTS = 8
#: Expected count below which a token is dropped (sentencepiece's).
RARE = 0.5


def expectation(lattice: Lattice, score: Float64, *, threads: int = 1) -> tuple[Float64, float]:
    """Computes how often each piece is expected in the words: the E step of EM.

    Parameters
    ----------
    lattice : Lattice
        Words and pieces.
    score : ndarray of float64, shape (pieces,)
        Natural logarithm of the probability of each piece, finite.
    threads : int
        Number of threads; the result is the same for any number.

    Returns
    -------
    expected : ndarray of float64, shape (pieces,)
        How often each piece is expected in the words, over all their segmentations.
    log_likelihood : float
        Log-likelihood of the words.  O(occurrences) time.
    """
    words = lattice.words
    share = np.empty(len(score), [("part", np.float64), ("power", np.int64)])
    _unigram.exponentials(score, share)

    def work(part: tuple[int, int]) -> tuple[Float64, float]:
        expected = np.zeros(len(lattice.pieces))
        value = _unigram.expect(
            lattice.begin,
            lattice.arcs,
            lattice.length,
            share,
            words.offsets,
            words.counts,
            *part,
            expected,
        )
        return expected, value

    total, likelihood = np.zeros(len(lattice.pieces)), 0.0
    for expected, value in map_shards(work, words, _PARTS, threads):
        total += expected
        likelihood += value
    return total, likelihood


def pruning_losses(lattice: Lattice, score: Float64, *, threads: int = 1) -> Float64:
    """Estimates how much likelihood is lost without each piece, as sentencepiece does.

    The words are segmented by their best segmentations, in which piece i is n_i of n pieces.
    Without it, its own best segmentation into others, m pieces, would stand in all its places, and
    each of those be so much more frequent:
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

    parts = map_shards(work, words, threads, threads)
    uses = sum(parts, np.zeros(len(lattice.pieces), np.int64))
    place = np.full(len(lattice.pieces), -1, np.int64)
    place[lattice.arcs] = np.repeat(np.arange(len(words.data)), np.diff(lattice.begin))
    loss = np.empty(len(lattice.pieces))
    _unigram.losses(
        lattice.begin, lattice.arcs, lattice.length, score, place, uses, lattice.singles, loss
    )
    return loss


@dataclass(frozen=True, eq=False)
class PieceModel:
    """Pieces and their scores.

    Attributes
    ----------
    lattice : Lattice
        The pieces, and where they occur.
    fixed : ndarray of bool, shape (pieces,)
        Which pieces are never pruned; the single symbols are among them.
    score : ndarray of float64, shape (pieces,)
        Natural logarithm of the probability of each piece.
    """

    lattice: Lattice
    fixed: Bools
    score: Float64

    @classmethod
    def seeded(
        cls, lattice: Lattice, index: CandidateIndex, fixed: Collection[Token]
    ) -> PieceModel:
        """Makes the model whose probabilities are proportional to count times length."""
        intervals = index.find_tokens(lattice.pieces)
        value = index.weight_of(intervals).astype(float) * intervals.length
        return cls(lattice, lattice.is_kept(fixed), _log_share(np.maximum(value, RARE)))

    def fitted(self, expected: Float64, m_step: str) -> PieceModel:
        """Returns the model with scores from expected counts: the M step of EM."""
        # the rare tokens are dropped next, if there are enough others
        counted = np.where(self.fixed | (expected >= RARE), np.maximum(expected, RARE), 0.0)
        total = max(float(counted.sum()), RARE)  # the sum is 0 where there are no words
        if m_step == "plain":
            score = _log(np.maximum(expected, RARE)) - _log(total)
        else:
            score = digamma(np.maximum(expected, RARE)) - digamma(total)
        return replace(self, score=score)

    def pruned(self, value: Float64, n_tokens: int) -> PieceModel:
        """Returns the model of the fixed pieces and those of largest value.

        Parameters
        ----------
        value : ndarray of float64, shape (pieces,)
            What ranks the pieces; among equals the earlier goes first.
        n_tokens : int
            How many tokens are left.
        """
        order = np.lexsort((-value, ~self.fixed))
        kept = np.zeros(len(order), bool)
        kept[order[: self.lattice.singles + n_tokens]] = True
        return PieceModel(self.lattice.keep(kept), self.fixed[kept], self.score[kept])

    def vocabulary(self, instance: Instance) -> Vocabulary:
        """Returns the tokens with their scores: the prefix, then the others by score."""
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


def fit_shares(lattice: Lattice, rounds: int, *, threads: int = 1) -> float:
    """Fits probabilities by EM with the plain M step, and returns the log-likelihood.

    Parameters
    ----------
    lattice : Lattice
        Words and pieces.
    rounds : int
        EM rounds, from equal probabilities.
    threads : int
        Number of threads; the result is the same for any number.
    """
    score = np.full(len(lattice.pieces), -_log(max(1, len(lattice.pieces))))
    for _ in range(rounds):
        expected, _ = expectation(lattice, score, threads=threads)
        score = _log_share(np.maximum(expected, 1e-300))
    return expectation(lattice, score, threads=threads)[1]


def _log_share(value: Float64) -> Float64:
    """Returns log(value / Σ value)."""
    return np.asarray(_log(value) - _log(value.sum()) if len(value) else value)


def _log(values: ArrayLike) -> Float64:
    """Computes natural logarithms of positive numbers, the same on every processor and system."""
    results = np.array(values, float)
    _unigram.take_logarithms(results.reshape(-1))
    return results


def digamma(x: ArrayLike) -> Float64:
    """Computes the derivative of log Γ for x > 0: x is raised to 10, then the series is summed."""
    x = np.array(x, float)
    result = np.zeros_like(x)
    for _ in range(10):
        small = x < 10
        result -= np.where(small, 1 / x, 0.0)
        x = np.where(small, x + 1, x)
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132)))))
    return np.asarray(result + _log(x) - 0.5 / x - series)
