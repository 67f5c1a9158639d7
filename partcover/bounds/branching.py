"""Chooses the tokens that cases are split on, by short trials and by what earlier splits gained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..runtime.arrays import Float64
from ..runtime.limits import Deadline
from .branch_tree import Node, settle
from .cut_prices import Case
from .price_counter import PriceCounter

__all__ = ["Split", "Splitter"]

_FRACTIONAL = 0.02  # an x this far from 0 and 1 may be branched on
_TRIED = 4  # tokens that are tried
_RELIABLE = 4  # trials after which what a token gains is known
_STEPS = 100  # of a trial


@dataclass(frozen=True)
class Split:
    """The cases that a case is split into, and what was learned on the way.

    Attributes
    ----------
    token : int
        The token that one case holds and the other lacks; −1 where time was up.
    children : tuple of Node
        The two cases.
    trials : tuple of (int, float, float)
        For each token tried, what its two cases gained, for each unit that x moved.
    """

    token: int = -1
    children: tuple[Node, ...] = ()
    trials: tuple[tuple[int, float, float], ...] = ()


class Splitter:
    """Splits cases on the token whose two cases prove the most (strong branching).

    Each case is tried by a few steps.  Where a token was tried often, what it gained on the
    average takes the place of the trial (reliability branching of Achterberg, Koch and Martin
    2005).

    Parameters
    ----------
    counter : PriceCounter
        Counts what prices prove.
    clock : Deadline
        When to stop.
    """

    def __init__(self, counter: PriceCounter, clock: Deadline) -> None:
        self.counter = counter
        self.clock = clock
        self.n_trials = np.zeros(len(counter.lo), np.int64)
        self.sums = np.zeros((2, len(counter.lo)))

    def learn(self, split: Split) -> None:
        """Keeps what trials gained."""
        for token, with_, without in split.trials:
            self.n_trials[token] += 1
            self.sums[:, token] += with_, without

    def split(self, node: Node, goal: int, pulse: Callable[[], None]) -> Split:
        """Returns the two cases of a case that prove the most after a few steps.

        Parameters
        ----------
        node : Node
            The case, with rounds.
        goal : int
            The value at which a case is closed: where both are, no other token is tried.
        pulse : callable
            Called after each trial.
        """
        tokens, x = self._fractional(node)
        if not len(tokens):
            token = self._largest_reward(node)
            return Split(token, self._children(node, token))
        expected = self._expected(tokens, x)
        order = np.lexsort((tokens, -np.minimum(x, 1 - x), -expected))[:_TRIED]
        known = self.n_trials[tokens[order]] >= _RELIABLE
        if known.all():
            token = int(tokens[order[0]])
            return Split(token, self._children(node, token))
        best = Split()
        best_score = (-1, -1)
        trials = []
        for token, share in zip(tokens[order].tolist(), x[order].tolist(), strict=True):
            pair = self._children(node, token)
            raw = [self._try(child) for child in pair]
            pulse()
            gains = [max(child.value - node.value, 0) / self.counter.one for child in pair]
            trials.append((token, gains[0] / max(1 - share, 0.1), gains[1] / max(share, 0.1)))
            score = min(raw), max(raw)
            if score > best_score:
                best, best_score = Split(token, pair), score
            if self.clock.is_over or min(child.value for child in pair) >= goal:
                break
        return Split(best.token, best.children, tuple(trials))

    def _fractional(self, node: Node) -> tuple[np.ndarray, Float64]:
        """Returns the tokens that a case may be split on and their x."""
        assert node.rounds is not None
        steps = node.rounds.steps
        x = steps.x_made
        optional = (np.minimum(x, 1 - x) > _FRACTIONAL) & ~node.case.inside[steps.active]
        return steps.active[optional], x[optional]

    def _expected(self, tokens: np.ndarray, x: Float64) -> Float64:
        """Returns what splits on tokens are expected to gain in the case that gains less."""
        known = self.n_trials > 0
        average = np.divide(self.sums, self.n_trials, out=np.zeros_like(self.sums), where=known)
        unknown = self.sums.sum(axis=1) / max(1, int(self.n_trials.sum()))
        average[:, ~known] = unknown[:, np.newaxis]
        gain: Float64 = np.minimum(average[0, tokens] * (1 - x), average[1, tokens] * x)
        return gain

    def _largest_reward(self, node: Node) -> int:
        """Returns the token that is not decided with the largest reward."""
        case = node.case
        _, rewards = node.proof[1].count(self.counter, case)
        return int(np.argmax(np.where(case.inside | case.outside, -1, rewards.units)))

    def _try(self, child: Node) -> int:
        """Makes a few steps for a case; returns what the last one proves."""
        if child.rounds is None:
            return child.value
        result = child.rounds.round(self.clock, _STEPS)
        child.improve(result.value, result.prices)
        return result.value

    def _children(self, node: Node, token: int) -> tuple[Node, Node]:
        """Returns the cases with a token and without, with rounds from the present point."""
        return (
            self._child(node, node.case.with_(token)),
            self._child(node, node.case.without(token)),
        )

    def _child(self, node: Node, case: Case) -> Node:
        assert node.rounds is not None
        prices = node.proof[1]
        value, _ = prices.count(self.counter, case)
        child = Node(case, (max(value, node.value), prices), node.x)
        if not settle(self.counter, child):
            child.rounds = node.rounds.branch(case)
        return child
