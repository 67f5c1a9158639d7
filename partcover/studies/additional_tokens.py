"""Measures what further tokens would save, and proves what they could save at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..heuristics.greedy import greedtok
from ..problem.bound import Bound
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class Additions:
    """What some additional tokens would save.

    Attributes
    ----------
    tokens : tuple of token
        The tokens, chosen by GreedTok, those that save most first.
    saves : int
        How many fewer tokens the text needs with them, by the shortest path before and after.
    at_most : int
        What so many tokens save at most, whichever they are.
    bound : Bound or None
        The proof: a lower bound for all vocabularies that hold the tokenizer's tokens and so many
        more.  None if Ctrl-C came before it.

    Examples
    --------
    >>> from partcover.studies.additional_tokens import Additions
    >>> Additions((b"hat",), 12, 14).to_json()
    {'added': 1, 'saves': 12, 'at_most': 14, 'vocabulary': ['hat']}
    """

    tokens: tuple[Token, ...]
    saves: int
    at_most: int
    bound: Bound | None = None

    def to_json(self) -> dict[str, Any]:
        """Returns the additions as a JSON object."""
        return {
            "added": len(self.tokens),
            "saves": self.saves,
            "at_most": self.at_most,
            "vocabulary": [sym.to_json(token) for token in self.tokens],
        }


@dataclass(frozen=True)
class Extension:
    """A vocabulary extended by GreedTok, and the tokens needed with each number of additions.

    Attributes
    ----------
    instance : Instance
        The words, with the tokens of the vocabulary that occur in them as the prefix.  A token
        that does not occur saves nothing, whatever is added.
    greedy : Solution or None
        GreedTok's solution of it; None where no additions are looked at.
    new : tuple of token
        The additions, in GreedTok's order.
    needed : dict of int to int
        The tokens that are needed by the shortest path with so many additions; of 0, before.
    """

    instance: Instance
    greedy: Solution | None
    new: tuple[Token, ...]
    needed: dict[int, int]

    @property
    def before(self) -> int:
        """The tokens that are needed by the shortest path without additions."""
        return self.needed[0]

    @property
    def incumbents(self) -> dict[int, int]:
        """For the budgets of `instance`, the largest first, the tokens that are needed."""
        n_present = len(self.instance.prefix)
        return {n_present + n: tokens for n, tokens in sorted(self.needed.items())[:0:-1]}

    def worth(self, proven: dict[int, Bound]) -> tuple[Additions, ...]:
        """Returns what additions save, with the bounds of their budgets as limits.

        Parameters
        ----------
        proven : dict of int to Bound
            By budget of `instance`.
        """
        n_present, least = len(self.instance.prefix), self.instance.words.total_count
        found = []
        for n, tokens in sorted(self.needed.items())[1:]:
            bound = proven.get(n_present + n)
            at_least = least if bound is None else int(bound.lower_bound)
            saves, at_most = self.before - tokens, self.before - at_least
            found.append(Additions(self.new[:n], saves, at_most, bound))
        return tuple(found)


def add_tokens(
    vocabulary: Vocabulary, corpus: Instance, numbers: Sequence[int], *, threads: int = 1
) -> Extension:
    """Extends a vocabulary by GreedTok.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens that are there.
    corpus : Instance
        The words, and the longest candidate; without other conditions.
    numbers : sequence of int
        The numbers of additions that are looked at, as far as they help.
    threads : int
        Number of threads.

    Returns
    -------
    Extension
        The additions, and what the text needs with them.

    Examples
    --------
    >>> from partcover import Instance, Vocabulary
    >>> from partcover.studies.additional_tokens import add_tokens
    >>> add_tokens(Vocabulary(["an"]), Instance({"banana": 2, "ban": 1}, 0), (1, 2)).needed
    {0: 10, 1: 4, 2: 3}
    """
    occurs = corpus.index.find_tokens(vocabulary).occurs
    present = [vocabulary.tokens[place] for place in np.flatnonzero(occurs).tolist()]
    k = len(present) + max(numbers, default=0)
    instance = Instance(corpus.words, k, prefix=present, max_length=corpus.max_length)
    greedy = greedtok(instance, threads=threads) if numbers else None
    new = (
        ()
        if greedy is None or greedy.vocabulary is None
        else greedy.vocabulary.tokens[len(present) :]
    )

    def needed(n: int) -> int:
        tokens = Vocabulary([*present, *new[:n]], vocabulary.symbols)
        return segment(corpus.words, tokens, "shortest_path", threads=threads).tokens

    sizes = sorted({0, *(min(n, len(new)) for n in numbers)})
    return Extension(instance, greedy, tuple(new), {n: needed(n) for n in sizes})
