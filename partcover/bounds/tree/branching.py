"""Chooses the tokens that cases are split on, from short trials and the gains of earlier splits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ...runtime.arrays import Float64, Int32
from ...runtime.limits import Deadline
from ..climbing.dual_point import Rewards
from .branch_tree import Node, Proof, settle

_FRACTIONAL = 0.02  # a token may be split on if its x is this far from 0 and 1
_TRIED = 3  # number of tokens tried
_ROUNDS = 4  # most rounds of a trial
_RELIABLE = 4  # after this many trials the gain of a token counts as known


@dataclass(frozen=True)
class Split:
    """The two cases of a split, and the results of its trials."""

    # the token that one case contains and the other does not; −1 if the time limit was reached
    token: int = -1
    children: tuple[Node, ...] = ()
    # for each token tried: the gain for each unit of x, in the case that gained less, and the
    # multipliers of the cuts over it
    trials: tuple[tuple[int, float, float], ...] = ()


class Splitter:
    """Splits cases on the token whose two cases prove the most (strong branching).

    Only the tokens with the largest expected gains are tried.  The expected gain is the average of
    earlier gains, or is estimated from the multipliers of the cuts over a token, which say how much
    of the bound comes from these cuts.  A token that was tried often is not tried again
    (reliability branching of Achterberg, Koch and Martin 2005).
    """

    def __init__(self, n_tokens: int, clock: Deadline) -> None:
        self.clock = clock
        self.n_trials = np.zeros(n_tokens, np.int64)
        # summed gains for each unit of x, in the case that gained less
        self.gained = np.zeros(n_tokens)
        self.owed = np.zeros(n_tokens)

    def learn(self, split: Split) -> None:
        """Stores the results of trials."""
        for token, gained, owed in split.trials:
            self.n_trials[token] += 1
            self.gained[token] += gained
            self.owed[token] += owed

    def split(self, node: Node, best: int | Fraction, pulse: Callable[[], None]) -> Split:
        """Returns the two cases of the split that proves the most after a few steps.

        If both cases of a token are closed by the incumbent `best`, no other token is tried.
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
        # if short trials have gained nothing yet: by the multipliers of cuts
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
        """Returns the expected gains of splits on tokens, for each unit of x."""
        n_trials = self.n_trials[tokens]
        total = float(self.owed.sum())
        ratio = float(self.gained.sum()) / total if total else 1.0
        average = self.gained[tokens] / np.maximum(n_trials, 1)
        gain: Float64 = np.where(n_trials > 0, average, ratio * owed)
        return gain

    def _try(self, child: Node) -> Fraction:
        """Makes steps for a case until it is back at its bound; returns the bound of the last one.

        A case that is not back says nothing about the token.
        """
        if child.rounds is None:
            return child.level
        known = child.level
        for _ in range(_ROUNDS):
            result = child.rounds.round(self.clock, separates=False)
            proof = Proof(result.value, result.prices, child.rounds.counter)
            child.improve(proof)
            if proof.level >= known or self.clock.is_over:
                break
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
