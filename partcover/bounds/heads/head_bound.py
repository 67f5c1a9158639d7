"""Bounds all words with the prices of the most frequent ones; the others are read in parts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import InputError
from ...problem.bound import Bound
from ...problem.certificates.certificate import Certificate
from ...problem.certificates.nodes import Leaf
from ...problem.instance import Instance
from ...problem.memory_plan import Work, refuse_beyond_memory
from ...runtime.checkpoints import Checkpoints
from ...runtime.limits import RunLimits
from ...runtime.phase_events import PhaseEvents
from ...runtime.processes.parallel import ForEach, call_in_turn, workers
from ...runtime.progress import Progress
from ..counting.price_counter import leaf_prices
from .whole_words import WholeWords

Keep = Callable[[Certificate], None]
BoundHead = Callable[[Instance, float | None, list[Certificate], bool, Keep | None], Bound]
"""Bounds the words of a head within this many seconds, from certificates, without cuts or with
them; passes on each better certificate.
"""
_PROVING = 20.0  # while the head is bounded, pricing all words takes at most 1 / 20 of the time


class HeadRun:
    """Proves a lower bound on the tokens of all words in the memory that the frequent ones take.

    A word of the tail needs two tokens, unless it is a token itself.  Another valid count lets each
    token cost 1 plus a multiplier.  Any mean of the two is valid too, and the best mean is taken.
    The savings of tokens in the tail are summed for each token of the head, for tokens that are
    frequent in a sample of the tail, and for all others in classes.

    Up to `share` of the time goes to the bound of the head.  The words are read about seven times,
    whatever the limit.  With cuts the head is bounded a second time, and the better of the two
    bounds for all words is kept: a better bound for the head may be a worse one for the tail.
    """

    work: Work = "bound"
    share = 0.6  # largest share of the time that a bound of the head takes

    def __init__(
        self,
        instance: Instance,
        bound_head: BoundHead,
        limits: RunLimits,
        progress: Progress,
        *,
        cuts: bool,
    ) -> None:
        refuse_beyond_memory(instance.alone, self.work, is_head=True)
        self.whole = WholeWords(instance, limits.threads)
        self.bound_head = bound_head
        self.cuts = cuts
        self.gap = 0.0
        self.limits = limits
        self.phases = PhaseEvents(limits.start(), progress)
        self.deadline = self.phases.deadline
        self.checkpoints = Checkpoints[Any](None, lambda: self.certificate)
        self.proof: Certificate | None = None
        self.of_head: Bound | None = None  # the last bound of the head
        self._pricing_seconds = 0.0  # time to price all words
        # the last certificate of the head with which all words were priced
        self._priced: Certificate | None = None
        self._priced_at = 0.0
        self._proven_of_head: int | Fraction = 0  # the bound of that certificate

    @property
    def certificate(self) -> Certificate:
        """The best certificate so far."""
        return self.proof or self._least

    @cached_property
    def _least(self) -> Certificate:
        """The certificate before there is one.  No bound begins at it: its prices are poor."""
        return self.whole.prices(None, call_in_turn).certificate()

    @property
    def is_closed(self) -> bool:
        """Whether the gap is at most the one asked for."""
        tokens = self.phases.tokens
        if tokens is None or self.proof is None:
            return False
        return tokens - self.proof.lower_bound <= self.gap * tokens

    def bound(
        self, incumbent: int | None, start: Certificate | None, checkpoint: Keep | None
    ) -> Bound:
        """Returns the bound; an incumbent that needs fewer tokens than are proven is refused."""
        instance = self.whole.instance
        self.phases.tokens = incumbent
        self.checkpoints.callback = checkpoint
        if start is not None and start.k == instance.k:
            self.keep(self.whole.recounted(start))
        try:
            termination = self.prove(start).termination
        except KeyboardInterrupt:
            termination = "interrupted"
        proven, certificate = self.of_head, self.certificate
        if proven is None:
            raise KeyboardInterrupt
        if incumbent is not None and certificate.lower_bound > incumbent:
            raise InputError(
                f"{incumbent} tokens are given as enough, and {certificate.lower_bound} are proven "
                "to be needed: the incumbent is for another instance"
            )
        return replace(
            proven,
            instance=instance,
            certificate=certificate,
            lower_bound=certificate.lower_bound,
            incumbent=incumbent,
            relaxation=math.inf,
            plain_bound=certificate.lower_bound,
            reduced_costs=np.zeros_like(proven.reduced_costs),
            seconds=self.deadline.seconds,
            termination=termination,
        )

    def keep(self, proof: Certificate) -> None:
        """Keeps a certificate if it is better."""
        if self.proof is None or proof.lower_bound > self.proof.lower_bound:
            self.proof = proof
            self.phases.offer("bound", None, int(proof.lower_bound), "tail")

    def prove(self, start: Certificate | None, prove: Keep | None = None) -> Bound:
        """Bounds the head, without cuts and then with them, and all words after each.

        Returns the last bound of the head.
        """
        self._pricing_seconds = self.whole.pricing_seconds
        self._priced_at = time.monotonic()
        starts = [] if start is None else [self.whole.of_head(start)]
        proven = self._bound_of_head(starts, prove, cuts=False)
        if self.cuts and proven.termination == "completed" and not self.is_closed:
            proven = self._bound_of_head([proven.certificate], prove, cuts=True)
        return proven

    def _bound_of_head(self, starts: list[Certificate], prove: Keep | None, *, cuts: bool) -> Bound:
        """Bounds the head, prices all words with its prices, and keeps the better certificate."""
        self.phases.enter("bound")
        left = self.deadline.left
        if left is not None:
            left = max(0.0, min(self.share * left, left - self._pricing_seconds))
        self.of_head = proven = self.bound_head(self.whole.head, left, starts, cuts, prove)
        if not self._is_priced(proven.certificate):
            self.phases.enter("tail")
            with workers(self.limits.threads) as share:
                self._price(proven.certificate, share, proven.termination == "interrupted")
        return proven

    def prove_now_and_then(self, certificate: Certificate) -> None:
        """Prices all words while the bound of the head is still running."""
        if time.monotonic() - self._priced_at < _PROVING * self._pricing_seconds:
            return
        if self._priced is None or certificate.lower_bound > self._proven_of_head:
            self._proven_of_head = certificate.lower_bound
            self._price(certificate, call_in_turn)

    def _is_priced(self, certificate: Certificate) -> bool:
        """Returns whether all words were last priced with the prices of this certificate.

        Other prices that prove the same bound for the head may prove more for all words.
        """
        if self._priced is None:
            return False
        both = self._priced, certificate
        if not all(isinstance(leaf, Leaf) and leaf.is_plain for each in both for leaf in each.tree):
            return self._priced is certificate
        if self._priced.scale_bits != certificate.scale_bits:
            return False
        first, second = (leaf_prices(self.whole.head.unmerged, each) for each in both)
        return first is not None and second is not None and np.array_equal(first, second)

    def _price(self, certificate: Certificate, share: ForEach, once: bool = False) -> None:
        """Prices all words with the certificate of a head, and keeps the result."""
        begun = time.monotonic()
        prices = self.whole.prices(certificate, share)
        for _ in prices.rounds(self.deadline):
            if self.proof is None or prices.lower_bound > self.proof.lower_bound:
                self.keep(prices.certificate())
            self.checkpoints.offer(news=True)
            if self.deadline.is_over or once:
                break
        self._priced = certificate
        self._priced_at = time.monotonic()
        self._pricing_seconds = self._priced_at - begun
