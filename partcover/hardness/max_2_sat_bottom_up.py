"""Reduces max-2-SAT to the choice of merges, and converts merges back."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import ClassVar

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..problem.instance import Instance
from ..runtime.arguments import checked
from .bottom_up import Merges, apply_merges, merged_tokens
from .cnf import Formula
from .sat_reduction import (
    SatLift,
    SatReduction,
    check_satisfied,
    formula_of,
    refuse_other_instance,
    source_of,
)

__all__ = ["BottomUpReduction", "reduce_max_2_sat_bottom_up"]


class BottomUpReduction(SatReduction):
    """A formula, and the instance whose lists of merges are its assignments.

    Attributes
    ----------
    formula : Formula
        J variables, I clauses.
    satisfied : int
        γ, the number of clauses to satisfy.
    instance : Instance
        Over integers: 0 is the symbol ⊚; variable j has the symbols a, a′, b, b′, which are
        4j − 3, 4j − 2, 4j − 1 and 4j.  Its k is a number of merges.

    Examples
    --------
    >>> from partcover.hardness.cnf import Formula
    >>> from partcover.hardness.reduction import reduce_max_2_sat_bottom_up
    >>> reduction = reduce_max_2_sat_bottom_up(Formula(["x"], [[1]]), 1)
    >>> [reduction.symbol(number) for number in range(5)]
    ['⊚', 'ax', 'a′x', 'bx', 'b′x']
    >>> reduction.witness([True]).pairs
    (((0,), (1,)), ((2,), (0,)), ((3,), (4,)))
    """

    name: ClassVar[str] = "max-2-sat-bottom-up"

    def witness(self, assignment: Sequence[bool], /) -> Merges:
        """Returns the merges of an assignment: three for each variable, in their order."""
        pairs: list[tuple[Token, Token]] = []
        for j, value in enumerate(self.check_values(assignment)):
            ring = _ring(j)
            pairs += [((left,), (right,)) for left, right in ring[0 if value else 1 :: 2]]
        return Merges(pairs, "ints")

    def lift(self, merges: Merges, /) -> SatLift:
        """Turns merges into an assignment, and counts the clauses that it satisfies.

        x_j is true exactly if (⊚, a) of variable j is among the merges.  Any merges may be given.
        Those that meet the threshold are three of one kind for each variable (see
        `reduce_max_2_sat_bottom_up`), and then at least γ clauses are satisfied.

        Raises
        ------
        InputError
            If the merges are not over integers.
        """
        tokens = merged_tokens(self.instance.words, merges)
        pairs = set(merges)
        values = [((0,), (4 * j + 1,)) in pairs for j in range(len(self.formula.variables))]
        threshold = self.instance.threshold
        meets = threshold is not None and tokens <= threshold and len(merges) <= self.instance.k
        return self.lift_values(values, meets)

    def load_answer(self, path: str | PathLike[str]) -> Merges:
        """Reads a file of merges: a JSON list of pairs of tokens."""
        return Merges.load(path, "ints")

    def pieces(self, answer: Merges, /) -> list[list[Token]]:
        """Segments every word of the instance by all merges."""
        return apply_merges(self.instance.words, answer)

    def symbol(self, number: int) -> str:
        """Returns the name of a symbol for messages: ⊚, or a letter and the name of a variable."""
        if number == 0:
            return "⊚"
        variable, letter = divmod(number - 1, 4)
        return ("a", "a′", "b", "b′")[letter] + self.formula.variables[variable]

    @classmethod
    def from_instance(cls, instance: Instance) -> BottomUpReduction:
        """Rebuilds the reduction from an instance that `reduce_max_2_sat_bottom_up` made.

        Raises
        ------
        InputError
            If its source contains no formula, or it is not the instance of that formula.
        """
        again = reduce_max_2_sat_bottom_up(*formula_of(instance, cls.name))
        return cls(again.formula, again.satisfied, refuse_other_instance(again.instance, instance))


@checked
def reduce_max_2_sat_bottom_up(formula: Formula, satisfied: int) -> BottomUpReduction:
    """Makes the instance whose threshold k merges meet exactly if γ clauses can be satisfied.

    For J variables and I clauses:

    - D1: for each variable the six words ⊚aa′, aa′⊚, a′⊚b, ⊚bb′, bb′⊚, b′⊚a, f times each:
      the six pairs ⊚a, aa′, a′⊚, ⊚b, bb′, b′⊚ in a ring, each word two neighbors;
    - D2: for each clause L ∨ M the word in(L) ⊚ out(M), once, where in and out of x are a′
      and a, and of ¬x are b′ and b;

    k = 3J merges, f = 2I + 1, δ = 12fJ + 3I − γ.

    Parameters
    ----------
    formula : Formula
        Clauses of at most two literals; a single literal is the clause L ∨ L, a repeated
        clause counts as often as it is there, and L ∨ ¬L is always satisfied.
    satisfied : int
        γ, from 0 to I.

    Returns
    -------
    BottomUpReduction
        The instance and the way back.

    Raises
    ------
    InputError
        For a γ out of range.

    Examples
    --------
    >>> from partcover.hardness.cnf import Formula
    >>> from partcover.hardness.reduction import reduce_max_2_sat_bottom_up
    >>> formula = Formula(["x", "y"], [[1, 2], [-1, -2], [1, -2]])
    >>> reduction = reduce_max_2_sat_bottom_up(formula, 3)
    >>> merges = reduction.witness([True, False])
    >>> reduction.lift(merges).to_json()
    {'assignment': {'x': True, 'y': False}, 'satisfied': 3, 'clauses': 3, 'meets_threshold': True}

    Notes
    -----
    That choosing merges is NP-complete, also by way of max-2-SAT, is in Whittington, Bachmann
    and Pimentel 2024 (Tokenisation is NP-Complete, the bottom-up problem, with 8J merges).  This
    construction is another one: it is smaller, and its proof is short enough to stand here.

    *Saving* is the number of tokens fewer than symbols.  The corpus has 18fJ + 3I symbols, so δ
    asks for a saving of S = 6fJ + γ.  All words have three symbols, all different; words that
    are equal may be considered one by one.

    Number the six pairs of a ring ⊚a, aa′, a′⊚, ⊚b, bb′, b′⊚.  The odd ones ⊚a, a′⊚, bb′ say
    *true*, the even ones *false*.  So (in(L), ⊚) and (⊚, out(L)) both say that L is true.

    *An assignment that satisfies γ clauses saves S.*  Take the three pairs of its kind for each
    variable, 3J in all.  A word of D1 holds an odd and an even pair, so it saves 1; the
    word of a clause L ∨ M saves 1 exactly if (in(L), ⊚) or (⊚, out(M)) is taken: if L or M is
    true.

    *At most 3J merges that save S are three of one kind for each variable.*  Let p of them
    join single symbols, and c not; p + c ≤ 3J.  What a word saves first comes from one of the p,
    and any pair of symbols is in at most two words of D1; what it saves second comes from one
    of the c that makes the whole word, and so no other word.  D1 therefore saves at most
    f(2p + c) ≤ f(6J − c), and D2 at most 2I < f.  For S, D1 must save 6fJ: c = 0, and every word
    of D1 is hit by one of at most 3J pairs.  Six words in a ring need three pairs of their ring,
    and three do only if they alternate: so each variable has three pairs, of one kind.  D2 saves
    at least γ, and a clause word saves 1 at most without c: γ clauses are satisfied.
    """
    clauses = len(formula.clauses)
    check_satisfied(satisfied, clauses)
    variables = len(formula.variables)
    weight = 2 * clauses + 1
    words: list[tuple[tuple[int, ...], int]] = []
    for j in range(variables):
        ring = _ring(j)
        words += [((*ring[i - 1], ring[i][1]), weight) for i in range(6)]
    for a, b in formula.clauses:
        into = 4 * abs(a) - (2 if a > 0 else 0)
        out = 4 * abs(b) - (3 if b > 0 else 1)
        words.append(((into, 0, out), 1))
    instance = Instance(
        WordCounts.from_counts(words, "ints"),
        3 * variables,
        threshold=12 * weight * variables + 3 * clauses - satisfied,
        source=source_of(BottomUpReduction.name, formula, satisfied),
    )
    return BottomUpReduction(formula, satisfied, instance)


def _ring(j: int) -> list[tuple[int, int]]:
    """Returns the ring of pairs of the variable at index j, beginning with a pair for *true*."""
    a, a2, b, b2 = range(4 * j + 1, 4 * j + 5)
    return [(0, a), (a, a2), (a2, 0), (0, b), (b, b2), (b2, 0)]
