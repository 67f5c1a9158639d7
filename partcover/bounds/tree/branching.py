"""Chooses the tokens that cases are split on, by short trials and by what earlier splits gained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ...runtime.arrays import Float64, Int32
from ...runtime.limits import Deadline
from ..climbing.dual_point import Rewards
from .branch_tree import Node, Proof, settle

__all__ = ["Split", "Splitter"]

_FRACTIONAL = 0.02  # an x this far from 0 and 1 may be branched on
_TRIED = 2  # tokens that are tried
_RELIABLE = 4  # trials after which what a token gains is known
_STEPS = 150  # of a trial


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
        For each token tried, what the case that gained less did for each unit of x, and the
        multipliers of its cuts.
    """

    token: int = -1
    children: tuple[Node, ...] = ()
    trials: tuple[tuple[int, float, float], ...] = ()


class Splitter:
    """Splits cases on the token whose two cases prove the most (strong branching).

    Those are tried that are expected to gain most: by what they gained before, on the average,
    or else by the multipliers of their cuts, which say what the bound owes to cuts over a token.
    A token that was tried often is not tried again (reliability branching of Achterberg, Koch and
    Martin 2005).

    Parameters
    ----------
    n_tokens : int
        Number of candidates of the counters.
    clock : Deadline
        When to stop.
    """

    def __init__(self, n_tokens: int, clock: Deadline) -> None:
        self.clock = clock
        self.n_trials = np.zeros(n_tokens, np.int64)
        self.gained = np.zeros(n_tokens)  # for each unit of x, in the case that gained less
        self.owed = np.zeros(n_tokens)

    def learn(self, split: Split) -> None:
        """Keeps what trials gained."""
        for token, gained, owed in split.trials:
            self.n_trials[token] += 1
            self.gained[token] += gained
            self.owed[token] += owed

    def split(self, node: Node, best: int | Fraction, pulse: Callable[[], None]) -> Split:
        """Returns the two cases of a case that prove the most after a few steps.

        Parameters
        ----------
        node : Node
            The case, with rounds.
        best : int or Fraction
            The incumbent's tokens or ratio: where both cases are closed, no other token is tried.
        pulse : callable
            Called after each trial.
        """
        assert node.rounds is not None
        steps = node.rounds.steps
        rewards = node.proof.prices.rewards(node.proof.counter)
        distance = np.minimum(steps.x_made, 1 - steps.x_made)
        distance[node.case.inside[steps.active]] = 0
        local = np.flatnonzero(distance > _FRACTIONAL)
        if not len(local):
            decided = node.case.inside | node.case.outside
            token = int(np.argmax(np.where(decided, -1, rewards.optional)))
            return Split(token, self._children(node, token, rewards))
        distance, tokens = distance[local], steps.active[local]
        owed = steps.owed()[local]
        expected = distance * self._expected(tokens, owed)
        # where short trials gained nothing yet: by what is owed to cuts
        order = np.lexsort((tokens, -distance, -distance * owed, -expected))[:_TRIED]
        first = int(tokens[order[0]])
        if self.n_trials[first] >= _RELIABLE:
            return Split(first, self._children(node, first, rewards))
        split = Split()
        score = Fraction(0), Fraction(0)
        trials = []
        for n in order.tolist():
            token = int(tokens[n])
            pair = self._children(node, token, rewards)
            values = sorted(self._try(child) for child in pair)
            pulse()
            gained = min(child.level for child in pair) - node.level
            trials.append((token, float(gained) / float(distance[n]), float(owed[n])))
            if not split.children or (values[0], values[1]) > score:
                split, score = Split(token, pair), (values[0], values[1])
            if self.clock.is_over or all(child.proof.closes(best) for child in pair):
                break
        return replace(split, trials=tuple(trials))

    def _expected(self, tokens: Int32, owed: Float64) -> Float64:
        """Returns what splits on tokens are expected to gain, for each unit of x."""
        n_trials = self.n_trials[tokens]
        total = float(self.owed.sum())
        ratio = float(self.gained.sum()) / total if total else 1.0
        average = self.gained[tokens] / np.maximum(n_trials, 1)
        gain: Float64 = np.where(n_trials > 0, average, ratio * owed)
        return gain

    def _try(self, child: Node) -> Fraction:
        """Makes a few steps for a case; returns what the last one proves."""
        if child.rounds is None:
            return child.level
        result = child.rounds.round(self.clock, _STEPS, separates=False)
        proof = Proof(result.value, result.prices, child.rounds.counter)
        child.improve(proof)
        return proof.level

    def _children(self, node: Node, token: int, rewards: Rewards) -> tuple[Node, Node]:
        """Returns the cases with a token and without, with rounds from the present point."""
        assert node.rounds is not None
        children = []
        for case in (node.case.with_(token), node.case.without(token)):
            value = max(node.proof.value, rewards.value(case))
            child = Node(case, replace(node.proof, value=value), node.x)
            if not settle(child):
                child.rounds = node.rounds.branch(case)
            children.append(child)
        return children[0], children[1]
