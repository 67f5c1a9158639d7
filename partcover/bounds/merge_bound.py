"""Proves lower bounds for vocabularies whose tokens merges make."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..problem.certificate import Certificate, Leaf
from ..problem.instance import Instance
from ..problem.memory_plan import refuse_beyond_memory
from ..problem.merge_certificate import MergeCertificate, MergeCondition
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
    x : ndarray of float64, shape (candidates,)
        The part of each candidate of ``instance.index`` that the relaxation chooses, 0 to 1.
    seconds : float
        Wall-clock seconds.
    iterations : int
        Steps made.
    termination : {"completed", "time_limit", "interrupted"}
        Why it stopped.

    Examples
    --------
    >>> from partcover import Instance, MergeCondition, merge_bound
    >>> instance = Instance({"abc": 3, "abd": 1}, 1)
    >>> merge_bound(instance, MergeCondition()).certificate
    MergeCertificate(k=1, lower_bound=7, any merges)
    """

    instance: Instance
    certificate: MergeCertificate
    lower_bound: int
    x: Float64 = field(repr=False)
    seconds: float
    iterations: int
    termination: Termination


@checked
def merge_bound(
    instance: Instance,
    condition: MergeCondition,
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
        The words, budget and conditions.  Group budgets are not used.
    condition : MergeCondition
        What every token is made of.
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
        As `lower_bound` does.

    Notes
    -----
    The steps are those of `lower_bound`, with rows x_T ≤ x_P for the parts P that make a token, or
    x_T ≤ Σ y over the ways to make it, where y ≤ x of both parts.

    Examples
    --------
    >>> from partcover import Instance, MergeCondition, lower_bound, merge_bound
    >>> instance = Instance({"abc": 3, "abd": 1}, 1)  # the token abc needs ab or bc beside it
    >>> lower_bound(instance).lower_bound, merge_bound(instance, MergeCondition()).lower_bound
    (6, 7)
    """
    limits = RunLimits(time_limit, threads=threads)
    deadline = limits.start()
    instance = replace(instance)
    # a word that dominates a candidate may be made of it
    instance.__dict__["index"] = instance.candidate_index(dominated=True)
    refuse_beyond_memory(instance, "bound")
    if instance.words.total_symbols >= 2**53:
        raise InputError("the counts are too large for prices of enough digits: scale them down")
    with workers(threads) as share:
        greedy = greedtok(instance, time_limit=deadline.left, threads=threads)
        counter = PriceCounter(instance, share)
        chosen = greedy.vocabulary or Vocabulary((), instance.symbols)
        ascent = MergeAscent(counter, chosen, greedy.gains, condition)
        best = MergePrices(counter, instance, incumbent, deadline, progress or Progress())
        climb = Climb(ascent, best, StoppingRule(deadline, None, None), cuts=False)
        termination = greedy.termination
        if termination != "interrupted":
            termination = _climbed(climb)
        certificate = best.merge_certificate(ascent)
    return MergeBound(
        instance,
        certificate,
        certificate.lower_bound,
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

    def merge_certificate(self, ascent: MergeAscent) -> MergeCertificate:
        """Returns the proof of the best bound so far."""
        leaf = Leaf(None) if self.prices is None else self.prices.leaf(self.counter)
        alone = self.instance.words.total_count
        prices = Certificate.of(self.instance, (leaf,), alone, self.counter.bits)
        charges = [ascent.ways.charge(*charge) for charge in self.charges]
        ordered = tuple(sorted(charges, key=lambda charge: charge.token))
        return MergeCertificate(prices, ascent.ways.condition, ordered, self.lower_bound)


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
