"""Proves lower bounds for vocabularies whose tokens merges make."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..problem.candidates import CandidateIndex
from ..problem.certificate import Certificate, Leaf
from ..problem.instance import Instance
from ..problem.memory_plan import refuse_beyond_memory
from ..problem.merge_certificate import MergeCertificate
from ..problem.solution import Termination
from ..runtime.arguments import Seconds, Threads, checked
from ..runtime.arrays import Float64
from ..runtime.limits import RunLimits
from ..runtime.parallel import workers
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .ascent import Ascent
from .best_prices import BestPrices
from .climb import Climb, StoppingRule
from .price_counter import PriceCounter
from .rows.merges import Merges
from .rows.needs import Needs

__all__ = ["MergeBound", "merge_bound"]


@dataclass(frozen=True, eq=False)
class MergeBound:
    """A certified lower bound for vocabularies whose tokens merges make.

    Attributes
    ----------
    instance : Instance
        The instance that it is about.
    certificate : MergeCertificate
        The proof, which `check_merge_certificate` confirms.
    lower_bound : int
        No vocabulary within the budget that keeps to the condition needs fewer tokens.
    index : CandidateIndex
        The candidates.
    x : ndarray of float64, shape (candidates,)
        The part of each candidate of `index` that the relaxation chooses, 0 to 1.
    seconds : float
        Wall-clock seconds.
    iterations : int
        Steps made.
    termination : {"completed", "time_limit", "interrupted"}
        Why it stopped.

    Examples
    --------
    >>> from partcover import Instance, MergeCondition, merge_bound
    >>> instance = Instance({"abc": 3, "abd": 1}, 1, merges=MergeCondition())
    >>> merge_bound(instance).certificate
    MergeCertificate(k=1, lower_bound=7)
    """

    instance: Instance
    certificate: MergeCertificate
    lower_bound: int
    index: CandidateIndex = field(repr=False)
    x: Float64 = field(repr=False)
    seconds: float
    iterations: int
    termination: Termination


@checked
def merge_bound(
    instance: Instance,
    *,
    incumbent: int | None = None,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> MergeBound:
    """Finds prices and charges that prove a bound for vocabularies whose tokens merges make.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions, ``merges`` among them.
    incumbent : int, optional
        Tokens that some such vocabulary needs: where the bound meets it, the steps end.
    time_limit : float, optional
        Seconds, the last count included.
    threads : int
        Number of threads; the result is the same for any number, bit by bit.
    progress : Progress, optional
        Receives an `Event` for each better bound.

    Returns
    -------
    MergeBound
        At a limit or after Ctrl-C: the best so far.

    Raises
    ------
    InputError
        As `lower_bound` does, and if the instance has no ``merges``.

    Notes
    -----
    The steps are those of `lower_bound`, with rows x_T ≤ x_P for the parts P that make a token, or
    x_T ≤ Σ y over the ways to make it, where y ≤ x of both parts.

    Examples
    --------
    >>> from partcover import Instance, MergeCondition, lower_bound, merge_bound
    >>> words = {"abc": 3, "abd": 1}
    >>> closed = Instance(words, 1, merges=MergeCondition())  # abc needs ab or bc beside it
    >>> lower_bound(Instance(words, 1)).lower_bound, merge_bound(closed).lower_bound
    (6, 7)
    """
    if instance.merges is None:
        raise InputError("the instance has no merges: give it some (merges=MergeCondition(...))")
    limits = RunLimits(time_limit, threads=threads)
    deadline = limits.start()
    free = replace(instance, merges=None)
    # a word that dominates a candidate may be made of it
    free.__dict__["index"] = free.candidate_index(dominated=True)
    refuse_beyond_memory(free, "bound")
    if instance.words.total_symbols >= 2**53:
        raise InputError("the counts are too large for prices of enough digits: scale them down")
    with workers(threads) as share:
        greedy = greedtok(free, time_limit=deadline.left, threads=threads)
        counter = PriceCounter(free, share)
        chosen = greedy.vocabulary or Vocabulary((), instance.symbols)
        merges = Merges(counter, instance.merges)
        ascent = Ascent(counter, chosen, greedy.gains, (merges, Needs(merges)))
        best = BestPrices(counter, free, incumbent, None, deadline, progress or Progress())
        climb = Climb(ascent, best, StoppingRule(deadline, None, None), cuts=False)
        termination = greedy.termination
        if termination != "interrupted":
            termination = _climbed(climb)
        certificate = _certificate(best, merges, instance)
    return MergeBound(
        instance,
        certificate,
        certificate.lower_bound,
        free.index,
        best.x,
        deadline.seconds,
        climb.step,
        termination,
    )


def _climbed(climb: Climb) -> Termination:
    """Makes all steps; returns why they end."""
    termination: Termination | None = None
    try:
        climb.begin()
        while termination is None:
            termination = climb.advance()
    except KeyboardInterrupt:
        termination = "interrupted"
    return termination


def _certificate(best: BestPrices, merges: Merges, instance: Instance) -> MergeCertificate:
    """Returns the proof of the best bound so far, for the instance with its merges."""
    point, counter = best.prices, best.counter
    leaf = Leaf(None) if point is None else point.leaf(counter)
    prices = Certificate.of(instance, (leaf,), instance.words.total_count, counter.bits)
    charges = [] if point is None else [merges.charge(*charge) for charge in point.charges]
    ordered = tuple(sorted(charges, key=lambda charge: charge.token))
    return MergeCertificate(prices, ordered, best.lower_bound)
