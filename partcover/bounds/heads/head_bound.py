"""Bounds all words by prices of the most frequent ones; the others are read in parts."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

from ..._version import __version__
from ...corpus.counting.head_and_tail import HeadAndTail
from ...corpus.word_counts import WordCounts
from ...errors import InputError
from ...heuristics.greedy import greedtok
from ...problem.certificates.head import HeadCertificate
from ...problem.instance import Instance
from ...problem.memory_plan import refuse_beyond_memory
from ...problem.solution import Termination
from ...runtime.arguments import Budget, Int64, Seconds, Share, Threads, Whole, checked
from ...runtime.limits import RunLimits
from ...runtime.notebook import brief
from ...runtime.processes.parallel import workers
from ...runtime.progress import Event, Progress, gap_of
from ...vocabulary.vocabulary import Vocabulary
from ..lower_bound import lower_bound
from .whole_words import WholeWords, split_words

__all__ = ["HeadBound", "head_bound"]

_SHARE = 0.6  # of the time, the most that the head takes


@dataclass(frozen=True, eq=False)
class HeadBound:
    """A certified lower bound on the tokens of all words, made from a head, and a vocabulary.

    Attributes
    ----------
    head : Instance
        The words of the head, the budget and the conditions.
    certificate : HeadCertificate
        The proof, which `check_head_certificate` confirms.
    lower_bound, head_bound : int
        No vocabulary within the budget needs fewer tokens: for all words, and for the head alone.
    vocabulary : Vocabulary
        Of a bound the one that was given, or GreedTok's for the head; else the best that was found.
    tokens, head_tokens : int
        The tokens that it needs: for all words, and for the head.
    tail_words : int
        Words of the tail.
    seconds : float
        Wall-clock seconds.
    termination : {"completed", "gap", "time_limit", "interrupted"}
        Why it stopped; of a bound, why that of the head did.
    method : {"bound", "improve"}
        What made it: `head_bound` or `head_improve`.
    seed : int
        As given.

    Examples
    --------
    >>> from partcover import HeadBound, WordCounts, head_bound
    >>> words = WordCounts.from_counts({"that": 9, "hat": 5, "chat": 1, "what": 1})
    >>> bound: HeadBound = head_bound(words, 1, head=2)
    >>> bound.tokens, bound.lower_bound, bound.gap
    (27, 27, 0.0)
    """

    head: Instance
    certificate: HeadCertificate
    lower_bound: int
    head_bound: int
    vocabulary: Vocabulary
    tokens: int
    head_tokens: int
    tail_words: int
    seconds: float
    termination: Termination
    method: Literal["bound", "improve"] = "bound"
    seed: int = 0

    def __repr__(self) -> str:
        about = [f"k={self.head.k}", f"lower_bound={self.lower_bound}", f"gap={self.gap:.4%}"]
        return brief("HeadBound", *about, f"{len(self.head.words):,} words in the head")

    @property
    def gap(self) -> float:
        """(tokens − lower_bound) / tokens."""
        gap = gap_of(self.tokens, self.lower_bound)
        return 0.0 if gap is None else gap

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object of ``partcover bound --head`` and ``improve --head``."""
        return {
            "method": self.method,
            "k": self.head.k,
            "words": len(self.head.words) + self.tail_words,
            "head_words": len(self.head.words),
            "symbols": self.head.symbols,
            "policy": self.head.policy,
            "tokens": self.tokens,
            "head_tokens": self.head_tokens,
            "lower_bound": self.lower_bound,
            "head_lower_bound": self.head_bound,
            "gap": self.gap,
            "status": "optimal" if self.tokens == self.lower_bound else "feasible",
            "termination": self.termination,
            "seconds": round(self.seconds, 6),
        }

    def recorded(self, **more: Any) -> Vocabulary:
        """Returns the vocabulary with its provenance, to be saved.

        Parameters
        ----------
        **more
            Further keys of the provenance, as JSON can hold them.
        """
        certificate = self.certificate
        provenance = {
            "partcover": __version__,
            **more,
            "head_sha256": certificate.head.words_sha256,
            "tail_sha256": certificate.tail_sha256,
            **self.to_json(),
            "seed": self.seed,
        }
        return self.vocabulary.with_(method=self.method, provenance=provenance)


@checked
def head_bound(
    words: WordCounts | HeadAndTail | str | PathLike[str],
    k: Budget,
    *,
    head: Whole,
    vocabulary: Vocabulary | None = None,
    max_length: Int64 | None = None,
    required: Iterable[Any] = (),
    forbidden: Iterable[Any] = (),
    time_limit: Seconds | None = None,
    target_gap: Share | None = None,
    iterations: Whole | None = None,
    threads: Threads = 1,
    executor: Executor | None = None,
    scratch: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> HeadBound:
    """Proves a lower bound on the tokens of all words in the memory that the frequent ones take.

    Parameters
    ----------
    words : WordCounts or path
        The words; those of a file are read several times, in parts.
    k : int
        The budget.
    head : int
        How many of the most frequent words get prices of their own.
    vocabulary : Vocabulary, optional
        The one whose tokens the gap is about; by default GreedTok's for the head.
    max_length, required, forbidden
        As for `Instance`.
    time_limit : float, optional
        Seconds; up to three fifths go to the bound of the head.  Whatever it is, the words are read
        some seven times.
    target_gap : float, optional
        The gap of the head to GreedTok's vocabulary at which its bound stops.
    iterations : int, optional
        The largest number of steps for the head.
    threads : int
        Number of threads, for the head.
    executor : concurrent.futures.Executor, optional
        Who reads the file, prices its words and counts the tokens of the vocabulary: threads,
        processes, or workers on machines that see the same files.  The result is the same.
    scratch : path, optional
        A folder that all workers see, for the tokens and their prices.
    progress : Progress, optional
        Receives an `Event` for each better bound.

    Returns
    -------
    HeadBound
        The bound with its certificate, counted in integers.

    Raises
    ------
    InputError
        As `Instance` and `lower_bound` do, for a file that cannot be read in parts or changes
        meanwhile, and for a vocabulary beyond the budget or the conditions.

    Notes
    -----
    A word of the tail needs two tokens, unless it is a token itself; or as many as where tokens
    cost 1 and a toll; or any mean of the two, the best of which is taken.  What tokens save in the
    tail is summed for each token of the head, for those that are frequent in a sample of the tail,
    and for all others in classes.
    `partcover.verification.head_check` has the statement and why it holds.

    Examples
    --------
    >>> from partcover import WordCounts, head_bound
    >>> words = WordCounts.from_counts({"that": 9, "hat": 5, "chat": 1, "what": 1})
    >>> head_bound(words, 1, head=2)
    HeadBound(k=1, lower_bound=27, gap=0.0000%, 2 words in the head)
    """
    progress = progress or Progress()
    limits = RunLimits(time_limit, threads=threads)
    deadline = limits.start()
    split = split_words(words, head, executor, scratch)
    instance = Instance(
        split.head, k, max_length=max_length, required=required, forbidden=forbidden
    )
    whole = WholeWords(split, instance, threads)
    if vocabulary is not None and len(vocabulary) > k:
        raise InputError(f"the vocabulary has {len(vocabulary)} tokens, and k is {k}")
    refuse_beyond_memory(whole.head, "bound", is_head=True)
    greedy = greedtok(whole.head, time_limit=deadline.left, threads=threads)
    left = deadline.left
    limit = None if left is None else max(0.0, min(_SHARE * left, left - whole.pricing_seconds))
    proven = lower_bound(
        whole.head,
        greedy=greedy,
        cuts=False,
        time_limit=limit,
        target_gap=target_gap,
        iterations=iterations,
        threads=threads,
    )
    if vocabulary is None:
        vocabulary = greedy.vocabulary
    tokens, head_tokens = whole.tokens(vocabulary)
    termination = proven.termination
    with workers(threads) as share:
        prices = whole.prices(proven.certificate, share)
        try:
            for _ in prices.rounds(split, deadline):
                progress.event(Event(deadline.seconds, "bound", tokens, prices.lower_bound, "tail"))
                if deadline.is_over or termination == "interrupted":
                    break
        except KeyboardInterrupt:
            termination = "interrupted"
    if prices.lower_bound > tokens:
        raise InputError(
            f"the vocabulary needs {tokens} tokens, and {prices.lower_bound} are proven to be "
            "needed: it does not keep to the conditions"
        )
    return HeadBound(
        whole.head,
        prices.certificate(split.n),
        prices.lower_bound,
        prices.head_bound,
        vocabulary,
        tokens,
        head_tokens,
        whole.tail.words,
        deadline.seconds,
        termination,
    )
