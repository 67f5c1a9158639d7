"""Trains Unigram: a language model of independent pieces, pruned until k tokens are left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.candidates import CandidateIndex
from ..problem.instance import Instance
from ..problem.memory_plan import Pieces
from ..problem.solution import Solution, Termination
from ..problem.word_index import WordIndex
from ..runtime.arguments import Seconds, Threads, checked
from ..runtime.arrays import np
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .shared.lattice import Lattice
from .shared.unigram_model import RARE, PieceModel, expectation, fit_shares, pruning_losses
from .trainer import LIMITED_CANDIDATES, solution_of, trainer

_USELESS = -1e300  # loss of a token that better segmentations do without
_PREPARING = 4  # times the time of the index: what seeding takes
_SLACK = 1.1  # times k tokens: from there on scores decide, not losses (sentencepiece's)


def _work(options: Mapping[str, Any]) -> Pieces:
    """Checks the options; returns what takes the memory."""
    names = "seed_size", "max_length", "shrink", "em_rounds"
    seed_size, max_length, shrink, em_rounds = (options[name] for name in names)
    if seed_size < 0:
        raise InputError(f"seed_size is {seed_size}: it must be at least 0")
    if max_length < 2:
        raise InputError(f"max_length is {max_length}: a token has two symbols or more")
    if not 0 < shrink < 1:
        raise InputError(
            f"shrink is {shrink}: it must be a share of the tokens, above 0 and below 1"
        )
    if em_rounds < 1:
        raise InputError(f"em_rounds is {em_rounds}: it must be at least 1")
    return Pieces(seed_size, max_length + 1)


@trainer(
    "unigram",
    about="Unigram: prune a unigram language model",
    supports=LIMITED_CANDIDATES,
    work=_work,
)
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
    """Trains Unigram: from frequent substrings, fit by EM, prunes what likelihood misses least.

    Parameters
    ----------
    instance : Instance
        The words, k, and what limits the candidates.
    seed_size : int
        Number of tokens to start from: those of largest count times length, among substrings
        that occur twice or more and are not always followed by the same symbol.
    max_length : int
        Longest token, in symbols.
    shrink : float
        Share of the tokens that each pruning leaves.
    em_rounds : int
        EM rounds before each pruning, and after the last.
    m_step : {"digamma", "plain"}
        From expected counts n to scores: digamma(n) − digamma(Σn), which favours few frequent
        tokens, or log(n / Σn), the maximum of the likelihood.
    time_limit : float, optional
        Seconds; then all tokens above k are dropped in one last pruning.  Where there is no time
        to begin with all seeds, there are fewer of them, k at least; the candidates are
        enumerated, and one EM round is made, whatever the limit is.
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
        nats, None if it was stopped before; ``nothing_left_to_gain``: there were fewer seeds
        than k.  No guarantee: EM finds a local optimum, and losses are estimates.

    Raises
    ------
    InputError
        For groups, which it does not support, or an option out of its range.

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> solution = trainers.unigram(Instance({"hugs": 5, "hug": 10, "pug": 5}, 2))
    >>> solution.vocabulary.tokens, solution.rule, solution.tokens
    ((b'hug', b'pug'), 'likelihood', 25)

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
    deadline = Deadline(time_limit)
    words = _sorted(instance.words)
    # one symbol more, to tell which seeds are always followed by the same symbol
    index = replace(instance, corpus=words).candidate_index(dominated=True, longest=max_length + 1)
    if time_limit is not None:
        # what follows up to the first round takes about four times as long for all seeds
        so_far = max(deadline.seconds, 1e-9)
        share = max(0.0, time_limit - so_far) / (_PREPARING * so_far)
        if share < 1:
            seed_size = min(seed_size, max(instance.k, int(share * len(index))))
    tokens = _seeds(instance, index, seed_size, max_length)
    model = PieceModel.seeded(Lattice.of(words, index, tokens), index, instance.fixed)
    rounds = 0
    seconds_before = deadline.seconds
    likelihood: float | None = None
    progress = progress or Progress()
    termination: Termination = "completed"
    try:
        while termination == "completed":
            for _ in range(em_rounds):
                expected, likelihood = expectation(model.lattice, model.score, threads=threads)
                frequent = int(np.sum(model.fixed | (expected >= RARE))) - model.lattice.singles
                model = model.fitted(expected, m_step).pruned(expected, max(frequent, instance.k))
                rounds += 1
                removed = len(tokens) - len(model.lattice.tokens)
                remark = f"log-likelihood {likelihood:,.0f}"
                progress.advance(removed, max(removed, len(tokens) - instance.k), remark)
                # a round takes no longer than the one before: there are fewer pieces
                seconds = deadline.seconds
                if not deadline.has_time_for(seconds - seconds_before):
                    termination = "time_limit"
                    break
                seconds_before = seconds
            n_tokens = len(model.lattice.tokens)
            if n_tokens <= int(_SLACK * instance.k):
                break
            loss = pruning_losses(model.lattice, model.score, threads=threads)
            useful = int(np.sum(model.fixed | (loss > _USELESS))) - model.lattice.singles
            left = min(useful, max(int(_SLACK * instance.k), int(shrink * n_tokens)))
            model = model.pruned(loss, max(left, instance.k))
    except KeyboardInterrupt:
        termination = "interrupted"
    model = model.pruned(model.score, instance.k)
    vocabulary = model.vocabulary(instance)
    return solution_of(
        instance,
        vocabulary,
        deadline.seconds,
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
    """Computes the log-likelihood that a vocabulary's tokens reach, whichever method made them.

    Parameters
    ----------
    words : WordCounts
        The words.
    vocabulary : Vocabulary
        The tokens, over the same symbols; its own scores are not used.
    rounds : int
        EM rounds, from equal probabilities; more never lower the result.
    threads : int
        Number of threads; the result is the same for any number.

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

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, trainers
    >>> words = WordCounts.from_counts({"hugs": 5, "hug": 10})
    >>> round(trainers.unigram_objective(words, Vocabulary(["hug"])), 3)
    -11.247
    """
    if vocabulary.symbols != words.symbols:
        raise InputError(
            f"the vocabulary is over {vocabulary.symbols}, the words are over {words.symbols}"
        )
    if rounds < 0:
        raise InputError(f"rounds is {rounds}: it must be at least 0")
    words = _sorted(words)
    lattice = Lattice.of(words, WordIndex(words), vocabulary.tokens)
    return fit_shares(lattice, rounds, threads=threads)


def _seeds(instance: Instance, index: CandidateIndex, size: int, max_length: int) -> list[Token]:
    """Returns frequent substrings, largest count · length first, then the fixed tokens."""
    lo, hi = index.lo, index.hi
    fits = (index.length <= max_length) & (index.weight >= 2)
    if instance.candidates is None:
        # the next candidate with the same occurrences is longer by what always follows
        fits[:-1] &= (lo[:-1] != lo[1:]) | (hi[:-1] != hi[1:])
    (seeds,) = np.nonzero(fits)
    value = index.weight[seeds].astype(float) * index.length[seeds]
    chosen = seeds[np.lexsort((index.length[seeds], -value))[:size]]
    return list(dict.fromkeys((*index.tokens(chosen), *instance.fixed)))


def _sorted(words: WordCounts) -> WordCounts:
    """Returns the words in ascending order, so that sums of floats do not depend on theirs."""
    return words.subset(sorted(words))
