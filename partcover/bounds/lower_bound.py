"""Lower bounds for whole corpora: the best prices, found by first-order steps, counted exactly."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..kernels._saddle_point import Saddle, arcs, project
from ..problem.certificate import Certificate, Leaf
from ..problem.instance import Instance
from ..problem.solution import Event, Solution, Status, Termination, gap_of
from ..runtime.arguments import Seconds, Seed, Share, Threads, Whole, checked
from ..runtime.limits import Deadline
from ..runtime.memory import refuse_beyond
from ..runtime.notebook import brief, html_table
from ..runtime.pickling import by_fields
from ..segmentation.segmentation import segment
from ..verification.recount import check_certificate
from ..vocabulary.vocabulary import Vocabulary
from .price_counter import SHARDS, PriceCounter, largest, workers

__all__ = ["Bound", "bounds", "lower_bound"]

Progress = Callable[[Event], None]
Bools = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]

_EVERY = 32  # steps between two exact bounds
_SETTLED = 100  # steps before candidates are let go
_LET_GO, _TAKE_IN = 0.6, 0.9  # rewards, as a part of the least of the k best
_SOLVED = 1e-7  # relative gap at which the relaxation is nearly solved
_FALLS = 0.9  # by this factor the gap must fall
_WAIT, _WAIT_NEAR = 4000, 256  # within so many steps, far from the relaxation and near it
_BEGINNING = 6e-7  # seconds a symbol before the first bound
_FINISHING = 3  # times the time of a count: the last one, over all candidates, and the proof
_BYTES_AN_ARC = 120  # arrays of the arcs, and those that they are made from


@dataclass(frozen=True, eq=False)
class Bound:
    """A certified lower bound, and what it says about candidates.

    Attributes
    ----------
    instance : Instance
        What it is about.
    certificate : Certificate
        What `check_certificate` confirms: a single leaf of prices, or the start that was given,
        where that proves more.
    lower_bound : int
        No vocabulary within the budget needs fewer tokens: what the prices prove, counted in
        integers.
    incumbent : int or None
        Tokens that some vocabulary needs, as given.
    relaxation : float
        The value of the linear relaxation of `path`, without group budgets, is at most this (in
        floating point, not certified): no prices without fees prove more.
    x : ndarray of float64, shape (candidates,)
        How much of each candidate of ``instance.index`` the relaxation takes.
    reduced_costs : ndarray of int64, shape (candidates,)
        In units of ``1 / unit`` tokens: by how much the bound rises if a candidate is forced in
        (at least 0), or less that if one of the best k is forced out (at most 0); 0 for required
        tokens.
    unit : int
        A power of two.
    proven_in, proven_out : ndarray of int32
        Candidates (their numbers in ``instance.index``): where a vocabulary needs fewer tokens
        than the incumbent, some best one holds all of the first and none of the second.  Empty
        without an incumbent.
    seconds : float
        Wall-clock seconds.
    iterations : int
        Steps made.
    termination : {"completed", "gap", "time_limit", "interrupted"}
        Why it stopped; ``completed``: the relaxation is solved or the bound meets the incumbent,
        or the iterations are done.
    seed, threads : int
        As given.
    """

    instance: Instance
    certificate: Certificate
    lower_bound: int
    incumbent: int | None
    relaxation: float
    x: Float64
    reduced_costs: Int64
    unit: int
    proven_in: Int32
    proven_out: Int32
    seconds: float
    iterations: int
    termination: Termination
    seed: int = 0
    threads: int = 1

    __reduce__ = by_fields

    def __repr__(self) -> str:
        return brief(
            "Bound",
            f"k={self.instance.k}",
            f"lower_bound={self.lower_bound}",
            None if self.incumbent is None else f"incumbent={self.incumbent}",
            None if self.gap is None else f"gap={self.gap:.4%}",
            self.termination,
        )

    def _repr_html_(self) -> str:
        """What it proves, for notebooks."""
        facts = self.to_json()
        del facts["policy"]
        return html_table("Bound", [], facts.items())

    @property
    def gap(self) -> float | None:
        """(incumbent − lower_bound) / incumbent; None without an incumbent."""
        return gap_of(self.incumbent, self.lower_bound)

    @property
    def status(self) -> Status:
        """What is known of the incumbent: ``optimal``, ``feasible``; ``none`` without one."""
        if self.incumbent is None:
            return "none"
        return "optimal" if self.incumbent == self.lower_bound else "feasible"

    def tokens(self, numbers: Int32) -> list[Token]:
        """The candidates with these numbers."""
        instance = self.instance
        return [sym.from_array(instance.index.token(n), instance.symbols) for n in numbers.tolist()]

    def to_json(self, *, tokens: bool = False) -> dict[str, Any]:
        """The JSON object that ``partcover bound`` prints; `tokens`: with the proven ones."""
        instance = self.instance
        data: dict[str, Any] = {
            "method": "bound",
            "k": instance.k,
            "words": len(instance.words),
            "total_count": instance.words.total_count,
            "symbols": instance.symbols,
            "candidates": instance.index.total,
            "policy": instance.policy,
            "tokens": self.incumbent,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "relaxation": self.relaxation if math.isfinite(self.relaxation) else None,
            "status": self.status,
            "termination": self.termination,
            "iterations": self.iterations,
            "seconds": round(self.seconds, 6),
            "seed": self.seed,
            "threads": self.threads,
            "proven_in": len(self.proven_in),
            "proven_out": len(self.proven_out),
        }
        if tokens:
            data["proven_in_tokens"] = [sym.to_json(t) for t in self.tokens(self.proven_in)]
            data["proven_out_tokens"] = [sym.to_json(t) for t in self.tokens(self.proven_out)]
        return data


@checked
def lower_bound(
    instance: Instance,
    *,
    incumbent: int | None = None,
    start: Certificate | None = None,
    greedy: Solution | None = None,
    time_limit: Seconds | None = None,
    target_gap: Share | None = None,
    iterations: Whole | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Bound:
    """Find prices that prove a lower bound on the tokens needed; for corpora of any size.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.  Group budgets are not made use of.
    incumbent : int, optional
        Tokens that some vocabulary needs: for the gap, and to prove candidates in or out.
    start : Certificate, optional
        Prices to start from: of the same words and conditions, for any k.  The bound is at
        least what they prove; of a certificate for this k, all of it, which is then the result's
        where nothing better is found.
    greedy : Solution, optional
        What `greedtok` gives for this instance, where it has been run already.
    time_limit : float, optional
        Seconds, about what a last count takes included.  Enumerating the candidates and hashing
        the words take place whatever the limit is; where no time is left then, the bound is a
        token for each counted word.
    target_gap : float, optional
        Stop at this gap to the incumbent; without one, to what GreedTok's vocabulary needs.
    iterations : int, optional
        Most steps.
    seed : int
        Recorded; nothing is random.
    threads : int
        Words are shared among this many threads; the result is the same, bit by bit.
    progress : callable, optional
        Gets an `Event` for each better bound.

    Returns
    -------
    Bound
        At a limit or on Ctrl-C: the best so far.  Every bound is counted in integers from
        rounded prices, so rounding can only lower it.

    Raises
    ------
    InputError
        For a bad limit, an incumbent below what is proven, a start that is about other words or
        conditions, more occurrences of candidates than fit in memory, or counts that add up to
        2^53 symbols or more.

    Notes
    -----
    Maximises g(d) = Σ_W c(W)·Σ d_p − (the k largest rewards) over prices d ≤ 1, which is dual to
    the linear relaxation of ``path`` with cuts over overlapping occurrences.  The steps are the
    primal-dual hybrid gradient of Chambolle and Pock (2011), with their diagonal step sizes,
    reflected and drawn back to an anchor (Halpern), and restarted, as in PDLP and its successors
    (Applegate et al. 2021; Lu and Yang 2024).  A step is O(symbols + occurrences of candidates
    that matter + candidates).  A candidate matters if it might save as much as GreedTok's k-th
    token; all others are still counted in every bound.
    """
    found = bounds(
        instance,
        [instance.k],
        incumbents=None if incumbent is None else {instance.k: incumbent},
        start=start,
        greedy=greedy,
        time_limit=time_limit,
        target_gap=target_gap,
        iterations=iterations,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    return found[0]


@checked
def bounds(
    instance: Instance,
    budgets: Sequence[int],
    *,
    incumbents: dict[int, int] | None = None,
    start: Certificate | None = None,
    greedy: Solution | None = None,
    time_limit: Seconds | None = None,
    target_gap: Share | None = None,
    iterations: Whole | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
    done: Callable[[Bound], None] | None = None,
) -> list[Bound]:
    """Lower bounds for several budgets, each started from the one before.

    Parameters
    ----------
    instance : Instance
        As for `lower_bound`; its own k does not matter.
    budgets : sequence of int
        The budgets, in the order to take them.
    incumbents : dict of int to int, optional
        For a budget, tokens that some vocabulary within it needs.
    start, target_gap, seed, threads, progress
        As for `lower_bound`.
    greedy : Solution, optional
        What `greedtok` gives for the largest budget, where it has been run already.
    time_limit, iterations
        For each budget.
    done : callable, optional
        Gets each bound as soon as it is there.

    Returns
    -------
    list of Bound
        One for each budget; on Ctrl-C, those up to the one interrupted.

    Raises
    ------
    InputError
        As `lower_bound` does, and for no budget.
    """
    if not budgets:
        raise InputError("no budget is given")
    clock = Deadline(time_limit)
    _refuse_large_counts(instance)
    _ = instance.index  # once for all budgets
    instances = {k: instance.with_k(k) for k in budgets}
    for k, tokens in (incumbents or {}).items():
        if tokens < instance.words.total_count:
            raise InputError(
                f"an incumbent of {tokens} tokens for k = {k}: the words alone are "
                f"{instance.words.total_count}"
            )
    _ = instance.words.digest  # of every certificate: made while the clock is looked at
    found: list[Bound] = []
    with workers(threads) as share:
        counter = PriceCounter(instance, share)
        prices = None if start is None else counter.prices_of(start)
        known = None if start is None else _checked(counter, start)
        if greedy is None:
            greedy = greedtok(instances[max(budgets)], time_limit=clock.left, threads=threads)
        vocabulary = greedy.vocabulary or Vocabulary((), instance.symbols)
        ascent = _Ascent(counter, vocabulary, greedy.gains)
        if prices is not None:
            ascent.prices = prices
        for k in budgets:
            bound = _climb(
                ascent,
                instances[k],
                None if incumbents is None else incumbents.get(k),
                known if known is not None and known.k == k else None,
                clock,
                target_gap,
                iterations,
                progress,
                seed,
                threads,
                greedy.termination == "interrupted",
            )
            found.append(bound)
            if done is not None:
                done(bound)
            if bound.termination == "interrupted":
                break
            clock = Deadline(time_limit)
    return found


def _checked(counter: PriceCounter, certificate: Certificate) -> Certificate | None:
    """The certificate with what it proves, recounted, for its own k; None if that is nothing."""
    instance = counter.instance.with_k(certificate.k)
    if certificate.k < len(instance.fixed):
        return None
    proven = counter.proven_by(certificate)
    if proven is None:
        proven = check_certificate(instance, certificate).lower_bound
    return replace(certificate, lower_bound=proven) if proven else None


def _refuse_large_counts(instance: Instance) -> None:
    if instance.words.total_symbols >= 2**53:
        raise InputError(
            "the counts are too large for prices of enough digits: scale them down, or take fewer "
            "words"
        )


class _Ascent:
    """The saddle point iteration: its arcs, and where it stands."""

    saddle: Saddle

    def __init__(self, counter: PriceCounter, vocabulary: Vocabulary, gains: Sequence[int]) -> None:
        self.counter = counter
        self.vocabulary = vocabulary
        self.gains = gains
        self.prices: Float64 | None = None
        self.begun = False
        self.weight = 1.0
        self.x = counter.fixed.astype(float)
        self.active = np.zeros(0, np.int32)
        self.rewards = np.zeros(len(counter.lo), np.int64)  # as last counted
        self.returned = np.zeros(len(counter.lo), bool)

    def begin(self, k: int) -> None:
        """Arcs and a point for a budget: where it stands, or GreedTok's vocabulary."""
        counter = self.counter
        instance = counter.instance
        free = k - len(instance.fixed)
        gains = self.gains[:k]
        least = min(gains) if len(gains) == k and free > 0 else 0
        active = counter.fixed | (counter.most >= max(least, 1))
        if free <= 0:
            active = counter.fixed.copy()
        self.free = float(max(free, 0))
        self.fee = float(least)
        if self.begun:
            self._activate(active)
        else:
            self._first_point(k, active)
            self.begun = True

    def _first_point(self, k: int, active: Bools) -> None:
        counter = self.counter
        words, symbols = counter.instance.words, counter.instance.symbols
        chosen = Vocabulary(self.vocabulary.tokens[:k], symbols)
        index = counter.instance.index
        lo, hi, length = index.find([sym.to_array(token) for token in chosen])
        lo, length = lo[hi > lo], length[hi > lo]
        held = set(zip(lo.tolist(), length.tolist(), strict=True))
        near = np.flatnonzero(np.isin(counter.lo, lo)).tolist()
        for c in near:
            if (int(counter.lo[c]), int(counter.length[c])) in held:
                self.x[c] = 1.0
        ends = np.flatnonzero(segment(words, chosen).ends)
        sizes = np.diff(np.concatenate([[-1], ends]))
        self._make(active)
        piece = np.zeros(len(words.data), np.int64)
        piece[ends - sizes + 1] = ends + 1
        self.saddle.flow[:] = piece[self.start] == self.end
        if self.prices is None:
            self.prices = np.repeat(1.0 / sizes, sizes)
        self.saddle.price[:] = self.prices
        before = np.concatenate([[0.0], np.cumsum(self.prices)])
        worth = np.maximum(before[self.end] - before[self.start] - 1, 0)
        self.saddle.row[:] = worth * self.x[self.active][self.which]
        self._gain()

    def _make(self, active: Bools) -> None:
        """Arcs of the active candidates."""
        counter = self.counter
        words = counter.instance.words
        # what occurs most stands together: it is looked up most
        self.active = np.flatnonzero(active).astype(np.int32)
        many = counter.hi[self.active] - counter.lo[self.active]
        self.active = self.active[np.argsort(-many, kind="stable")]
        lo, hi, length = (a[self.active] for a in (counter.lo, counter.hi, counter.length))
        _refuse_beyond_memory(int((hi - lo).astype(np.int64).sum()))
        self.which, self.start, self.end, back = arcs(
            counter.places, lo, hi, length, len(words.data)
        )
        counts = words.counts.astype(float)
        self.saddle = Saddle(words.offsets, counts, self.which, self.start, self.end, back)
        # about as many arcs and symbols in each shard
        load = self.saddle.first + words.offsets
        marks = np.linspace(0, load[-1], SHARDS + 1)
        self.cuts = np.searchsorted(load, marks).tolist()
        self.cuts[0], self.cuts[-1] = 0, len(words)
        self.gains_of = np.zeros((SHARDS, len(self.active)))
        self.moves = np.zeros((SHARDS, 2))
        self.metric = np.maximum(counter.weight[self.active].astype(float), 1.0)
        self.kept = counter.fixed[self.active]

    def _activate(self, active: Bools) -> None:
        """Change the active candidates, and keep the point."""
        old, which, start = self.saddle, self.active[self.which], self.start
        self._make(active)
        key = start.astype(np.int64) * len(active) + which
        new = self.start.astype(np.int64) * len(active) + self.active[self.which]
        self.x[~active] = 0
        order = np.argsort(key)
        at = np.searchsorted(key, new, sorter=order)
        at[at == len(key)] = 0
        at = order[at] if len(key) else at
        same = key[at] == new if len(key) else np.zeros(len(new), bool)
        for name in ("flow", "row"):
            getattr(self.saddle, name)[same] = getattr(old, name)[at[same]]
        self.saddle.price[:] = old.price
        self.saddle.made[:] = old.made
        self._gain()

    def choose(self, steps: int) -> bool:
        """Let go of candidates with small rewards, take those in with large ones; True if so."""
        if steps < _SETTLED or self.free <= 0:
            return False
        counter = self.counter
        apart = self.rewards[~counter.fixed]
        least = largest(apart, int(self.free))[1]
        active = np.zeros(len(counter.lo), bool)
        active[self.active] = True
        back = ~active & (self.rewards > _TAKE_IN * least)
        self.returned |= back
        many = counter.hi - counter.lo
        keep = counter.fixed | self.returned | (self.rewards > _LET_GO * least) | (self.x > 0.01)
        keep &= active
        before, after = int(many[active].sum()), int(many[keep].sum())
        if after > 0.8 * before:
            if not back.any():
                return False
            keep = active
        self._activate(keep | back)
        return True

    def _gain(self) -> None:
        counts = self.counter.count_at[self.start].astype(float)
        row = self.saddle.row.astype(float)
        self.gain = np.bincount(self.which, counts * row, len(self.active)).astype(float)
        self.restart()

    def restart(self) -> None:
        """Let the present point be the anchor."""
        self.saddle.anchor()
        self.x_from = self.x[self.active]
        self.x_made = np.clip(self.x_from, 0, 1)
        taken = float(self.x_made[~self.kept].sum())
        if taken > self.free:  # the point may be of a larger budget
            self.x_made[~self.kept] *= self.free / taken
        self.steps = 0

    def step(self) -> float:
        """One step; how far it moved."""
        saddle, weight = self.saddle, self.weight
        keep = (self.steps + 1) / (self.steps + 2)
        x = self.x[self.active]
        made = np.empty_like(x)
        scale = 1 / (self.metric * weight)
        if self.kept.any():
            apart = ~self.kept
            part = np.empty(int(apart.sum()))
            self.fee = project(x[apart], self.gain[apart], scale[apart], self.free, self.fee, part)
            made[apart], made[self.kept] = part, 1.0
        else:
            self.fee = project(x, self.gain, scale, self.free, self.fee, made)
        ahead = 2 * made - x

        def work(n: int) -> None:
            saddle.step(
                self.cuts[n], self.cuts[n + 1], weight, keep, ahead, self.gains_of[n], self.moves[n]
            )

        self.counter.share(work, SHARDS)
        self.gain = self.gains_of.sum(axis=0)
        moved = float(np.dot(self.metric, (made - x) ** 2))
        self.x[self.active] = keep * ahead + (1 - keep) * self.x_from
        self.x_made, self.prices = made, None
        self.steps += 1
        flows, prices = self.moves.sum(axis=0).tolist()
        return math.sqrt(weight * (flows + moved) + prices / weight)

    def reweigh(self) -> None:
        """Balance prices and flows by how far both went since the anchor."""
        flows, prices = self.saddle.distance()
        flows += float(np.dot(self.metric, (self.x[self.active] - self.x_from) ** 2))
        if flows > 1e-20 and prices > 1e-20:
            self.weight = math.sqrt(self.weight * math.sqrt(prices / flows))

    def proposed(self) -> Float64:
        """The prices to count: those of the last step, before they were drawn back."""
        return self.saddle.made if self.prices is None else self.prices

    def x_all(self) -> Float64:
        """How much of each candidate of the index is taken."""
        x = np.zeros(len(self.counter.lo))
        x[self.active] = self.x_made
        return x[: len(self.counter.instance.index)]

    def cost(self) -> float:
        """At least the value of the relaxation."""
        saddle, x = self.saddle, self.x_made
        return sum(
            saddle.cost(first, last, x)
            for first, last in zip(self.cuts[:-1], self.cuts[1:], strict=True)
        )


_FEWER = (
    "cut the words with a pre-tokenizer, or cap candidates with --max-length (max_length); the "
    "bound is then about vocabularies of such tokens only"
)


def _refuse_beyond_memory(many: int) -> None:
    if many >= 2**31 - 1:
        raise InputError(f"the candidates that matter occur {many:,} times: {_FEWER}")
    what = f"the candidates that matter occur {many:,} times, which needs"
    refuse_beyond(many * _BYTES_AN_ARC, what, _FEWER)


def _climb(
    ascent: _Ascent,
    instance: Instance,
    incumbent: int | None,
    known: Certificate | None,
    clock: Deadline,
    target_gap: float | None,
    iterations: int | None,
    progress: Progress | None,
    seed: int,
    threads: int,
    interrupted: bool,
) -> Bound:
    """The bound for one budget."""
    counter = ascent.counter
    k = instance.k
    best = _Best(counter, instance, incumbent, known, clock, progress)
    goal = incumbent
    most = math.inf if iterations is None else iterations
    total = 0
    stopped: Termination = "completed"
    try:
        if interrupted:
            raise KeyboardInterrupt
        if target_gap is not None and goal is None:
            chosen = Vocabulary(ascent.vocabulary.tokens[:k], instance.symbols)
            goal = segment(instance.words, chosen, threads=threads).tokens
        if not clock.sooner(_BEGINNING * len(instance.words.data)).over:
            ascent.begin(k)
            clock = clock.sooner(_FINISHING * best.meet(ascent, total))
        else:
            clock = clock.sooner(math.inf)
        previous = first = math.inf
        while True:
            if best.is_solved(total):
                break
            if (
                target_gap is not None
                and goal is not None
                and goal - best.lower_bound <= target_gap * goal
            ):
                stopped = "gap"
                break
            if total >= most:
                break
            if clock.over:
                stopped = "time_limit"
                break
            for _ in range(int(min(_EVERY, most - total))):
                moved = ascent.step()
                total += 1
                if ascent.steps == 1:
                    first = moved
                elif (
                    moved <= 0.2 * first
                    or (moved <= 0.8 * first and moved > previous)
                    or ascent.steps >= max(0.36 * total, 8)
                ):
                    ascent.reweigh()
                    if not ascent.choose(total):
                        ascent.restart()
                    moved = math.inf
                previous = moved
                if clock.over:
                    break
            best.meet(ascent, total)
    except KeyboardInterrupt:
        stopped = "interrupted"
    return best.finish(total, stopped, seed, threads)


class _Best:
    """The best prices so far for a budget."""

    def __init__(
        self,
        counter: PriceCounter,
        instance: Instance,
        incumbent: int | None,
        known: Certificate | None,
        clock: Deadline,
        progress: Progress | None,
    ) -> None:
        self.counter = counter
        self.instance = instance
        self.incumbent = incumbent
        self.known = known
        self.clock = clock
        self.progress = progress
        self.lower_bound = instance.words.total_count
        if known is not None:
            self._prove(known.lower_bound, "start")
        self.value = 0  # in units of 1 / counter.one tokens
        self.prices: Int64 | None = None
        self.mark = math.inf, 0  # how far apart they were when that last fell much, and the step
        self.relaxation = math.inf
        self.x = np.zeros(len(instance.index))

    def meet(self, ascent: _Ascent, step: int) -> float:
        """Count what the prices at hand prove; the seconds it took."""
        begun = time.monotonic()
        cost = ascent.cost()
        if cost < self.relaxation:
            self.relaxation = cost
            self.x = ascent.x_all()
        self._count(ascent)
        counter = self.counter
        if counter.bits < counter.finest and self.apart() < 8 * self._lost():
            # rounding is what is in the way: count finer
            more = min(counter.finest, counter.bits + 12) - counter.bits
            counter.refine(counter.bits + more)
            if self.prices is not None:
                self.value, self.prices = self.value << more, self.prices << more
            self._count(ascent)
        if self.apart() < _FALLS * self.mark[0]:
            self.mark = self.apart(), step
        return time.monotonic() - begun

    def _count(self, ascent: _Ascent) -> None:
        counter = self.counter
        prices = counter.rounded(ascent.proposed())
        value, ascent.rewards = counter.count(prices, self.instance.k)
        if self.prices is None or value > self.value:
            self.value, self.prices = value, prices
        self._prove(counter.bound(value), "prices")

    def apart(self) -> float:
        """How many tokens the relaxation is above what the prices prove."""
        if self.prices is None:
            return math.inf
        return self.relaxation - self.value / self.counter.one

    def _lost(self) -> float:
        """The most tokens that rounding the prices may cost."""
        return self.instance.words.total_symbols / (2 * self.counter.one)

    def _prove(self, bound: int, source: str) -> None:
        """Keep a bound if it is better."""
        if bound <= self.lower_bound:
            return
        self.lower_bound = bound
        if self.incumbent is not None and bound > self.incumbent:
            raise InputError(
                f"{self.incumbent} tokens are given as enough, and {bound} are proven to be "
                "needed: the incumbent is not of this instance"
            )
        if self.progress is not None:
            seconds = self.clock.seconds
            self.progress(Event(seconds, "bound", self.incumbent, bound, source))

    def is_solved(self, step: int) -> bool:
        """No better bound is possible, or of use, or to be expected."""
        proven = self.lower_bound
        if proven == self.incumbent or proven >= self.relaxation * (1 - 1e-14):
            return True
        # both ends stand still: floating point can do no more
        near = self.apart() <= _SOLVED * max(1.0, self.relaxation)
        return step - self.mark[1] >= (_WAIT_NEAR if near else max(_WAIT, step // 2))

    def finish(self, iterations: int, stopped: Termination, seed: int, threads: int) -> Bound:
        """The bound with its certificate, and what it proves about candidates."""
        counter, instance = self.counter, self.instance
        size = len(instance.index)
        costs = np.zeros(size, np.int64)
        inside = outside = np.zeros(0, np.int32)
        certificate = self.known
        if certificate is None or certificate.lower_bound < self.lower_bound:
            prices = None
            if self.prices is not None:
                prices = self.prices[instance.index.positions_ascending()]
            if prices is not None and counter.bits <= 30:
                prices = prices.astype(np.int32)
            leaf = Leaf(prices)
            certificate = Certificate.of(instance, (leaf,), self.lower_bound, counter.bits)
        if self.prices is not None:
            value, found = counter.count(self.prices, instance.k, every=True)
            costs, chosen = _reduced_costs(found, counter.fixed, instance)
            costs = costs[:size]
            if self.incumbent is not None:
                # a case that needs as many tokens as the incumbent holds nothing better; rewards
                # are rounded down by less than a unit each
                rounded = counter.one // counter.unit
                left = (self.incumbent - 1) * counter.unit - value // rounded + (rounded > 1)
                apart = ~counter.fixed[:size]
                inside = np.flatnonzero(apart & chosen[:size] & (-costs > left)).astype(np.int32)
                outside = np.flatnonzero(apart & ~chosen[:size] & (costs > left)).astype(np.int32)
            # where the start proves more than these prices, forcing adds the less to it
            more = max(0, (self.lower_bound - counter.bound(value)) * counter.unit)
            costs = np.where(costs > 0, np.maximum(costs - more, 0), costs)
        return Bound(
            instance,
            certificate,
            self.lower_bound,
            self.incumbent,
            self.relaxation,
            self.x,
            costs,
            counter.unit,
            inside,
            outside,
            self.clock.seconds,
            iterations,
            stopped,
            seed,
            threads,
        )


def _reduced_costs(found: Int64, fixed: Bools, instance: Instance) -> tuple[Int64, Bools]:
    """What it costs to force each candidate in (or out, negative), and which are the best."""
    free = instance.k - len(instance.fixed)
    apart = np.flatnonzero(~fixed)
    order = apart[np.argsort(-found[apart], kind="stable")]
    chosen = np.zeros(len(found), bool)
    chosen[order[:free]] = True
    costs = np.zeros(len(found), np.int64)
    if 0 < free <= len(order):
        costs[order[free:]] = found[order[free - 1]] - found[order[free:]]
        after = found[order[free]] if free < len(order) else 0
        costs[order[:free]] = after - found[order[:free]]
    elif free <= 0:
        costs[order] = 2**62  # no room
    return costs, chosen
