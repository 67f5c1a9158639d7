"""Proves lower bounds for vocabularies whose tokens merges make."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

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
from ..runtime.limits import Deadline, RunLimits
from ..runtime.parallel import workers
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .best_prices import BestPrices
from .climb import Climb, StoppingRule
from .cut_prices import Rewards
from .due_prices import DuePrices
from .merge_ascent import MergeAscent
from .price_counter import PriceCounter
from .primal_dual import Ascent

__all__ = ["MergeBound", "merge_bound"]

Charges = list[tuple[int, int, dict[int, int]]]


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
        The words, budget and conditions, ``merges`` among them.  Group budgets are not used.
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
        ascent = MergeAscent(counter, chosen, greedy.gains, instance.merges)
        best = MergePrices(counter, free, incumbent, deadline, progress or Progress())
        climb = Climb(ascent, best, StoppingRule(deadline, None, None), cuts=False)
        termination = greedy.termination
        if termination != "interrupted":
            termination = _climbed(climb)
        certificate = best.merge_certificate(ascent, instance)
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


class MergePrices(BestPrices):
    """The best prices and charges so far, and what they prove."""

    def __init__(
        self,
        counter: PriceCounter,
        instance: Instance,
        incumbent: int | None,
        deadline: Deadline,
        progress: Progress,
    ) -> None:
        super().__init__(counter, instance, incumbent, None, deadline, progress)
        self.charges: Charges = []

    def offer(self, ascent: Ascent, step: int) -> float:
        """Counts what the present prices and multipliers prove; returns the seconds."""
        assert isinstance(ascent, MergeAscent)
        ascent.keep_to_rows()
        return super().offer(ascent, step)

    def _refine(self, bits: int) -> None:
        """Counts with so many binary digits from now on."""
        added = bits - self.counter.bits
        super()._refine(bits)
        self.charges = [
            (token, pays << added, {part: more << added for part, more in gets.items()})
            for token, pays, gets in self.charges
        ]

    def _count(self, ascent: Ascent) -> None:
        """Counts the present prices and charges, and keeps them if they prove more."""
        assert isinstance(ascent, MergeAscent)
        assert ascent.rows is not None
        counter = self.counter
        prices = DuePrices.of_merges(ascent)
        # they may be as large as rewards: beyond 64 bits
        multipliers = [int(m) for m in np.rint(ascent.made_multiplier * counter.one).tolist()]
        charges = ascent.rows.charges(multipliers)
        rewards = _charged(prices.rewards(counter), charges, counter)
        ascent.rewards = rewards.units
        value = rewards.value(self.case)
        if self.prices is None or value > self.value:
            self.value, self.prices, self.charges = value, prices, charges
        self._prove(counter.bound(value), "prices")

    def merge_certificate(self, ascent: MergeAscent, instance: Instance) -> MergeCertificate:
        """Returns the proof of the best bound so far, for the instance with its merges."""
        leaf = Leaf(None) if self.prices is None else self.prices.leaf(self.counter)
        alone = instance.words.total_count
        prices = Certificate.of(instance, (leaf,), alone, self.counter.bits)
        charges = [ascent.ways.charge(*charge) for charge in self.charges]
        ordered = tuple(sorted(charges, key=lambda charge: charge.token))
        return MergeCertificate(prices, ordered, self.lower_bound)


def _charged(rewards: Rewards, charges: Charges, counter: PriceCounter) -> Rewards:
    """Returns rewards with what tokens pay and get, where a token may be left out not below 0."""
    gains = np.zeros(len(rewards.units), object)
    for token, pays, gets in charges:
        gains[token] -= pays
        for part, more in gets.items():
            gains[part] += more
    units, low = rewards.units, rewards.low
    shift = rewards.low_bits
    for token in np.flatnonzero(gains).tolist():
        value = (int(units[token]) << shift) + int(low[token]) + gains[token]
        if value < 0 and not counter.fixed[token]:
            value = 0
        units[token], low[token] = value >> shift, value & ((1 << shift) - 1)
    return Rewards(rewards.total, units, low, shift)
