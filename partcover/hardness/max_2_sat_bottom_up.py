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
from .sat_reduction import SatLift, SatReduction, check_satisfied, source_of


class BottomUpReduction(SatReduction):
    """A formula, and the instance whose lists of merges are its assignments.

    Attributes
    ----------
    formula : Formula
        J variables, I clauses.
    satisfied : int
        γ, the number of clauses to satisfy.
    instance : Instance
        The instance, over integers: 0 is the symbol ⊚, and the symbols a, a′, b, b′ of variable j
        are 4j − 3, 4j − 2, 4j − 1 and 4j.  Its k is a number of merges.

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

        x_j is true if and only if (⊚, a) of variable j is among the merges.  Any merges may be
        given.  Those that meet the threshold are three of one kind for each variable (see
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
    def again(cls, formula: Formula, satisfied: int) -> BottomUpReduction:
        """Reduces a formula in the way of this class."""
        return reduce_max_2_sat_bottom_up(formula, satisfied)


@checked
def reduce_max_2_sat_bottom_up(formula: Formula, satisfied: int) -> BottomUpReduction:
    """Makes the instance whose threshold can be met if and only if γ clauses can be satisfied.

    There are J variables and I clauses.  Each variable has a ring of six pairs ⊚a, aa′, a′⊚, ⊚b,
    bb′, b′⊚.  The words are

    - D1: for each variable the six words ⊚aa′, aa′⊚, a′⊚b, ⊚bb′, bb′⊚, b′⊚a, f = 2I + 1 times
      each; a word consists of two neighboring pairs of the ring;
    - D2: for each clause L ∨ M the word in(L) ⊚ out(M), once.  For a literal x, in(x) is a′ and
      out(x) is a; for ¬x they are b′ and b.

    The budget is k = 3J merges, and the threshold is δ = 12fJ + 3I − γ.

    Parameters
    ----------
    formula : Formula
        The clauses, of at most two literals each.  A single literal is the clause L ∨ L, a
        repeated clause counts as often as it appears, and L ∨ ¬L is always satisfied.
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
    Whittington, Bachmann and Pimentel 2024 (Tokenisation is NP-Complete, the bottom-up problem)
    also reduce max-2-SAT to the choice of merges, with 8J merges.  This construction is another
    one.  It is smaller, and its proof is short enough to be given here.

    A word *saves* the difference between its symbols and its tokens.  The corpus has 18fJ + 3I
    symbols, so merges meet the threshold δ if and only if they save at least S = 6fJ + γ.  All
    words have three different symbols.  If two words are equal, they may be considered separately.

    Number the six pairs of a ring ⊚a, aa′, a′⊚, ⊚b, bb′, b′⊚.  The odd pairs ⊚a, a′⊚, bb′ stand for
    *true*, the even ones for *false*.  So each of (in(L), ⊚) and (⊚, out(L)) stands for a true L.

    *An assignment that satisfies γ clauses gives merges that save S.*  Merge the three pairs that
    stand for the value of each variable, 3J pairs in total.  A word of D1 contains an odd and an
    even pair, so it saves 1.  The word of a clause L ∨ M saves 1 if and only if (in(L), ⊚) or (⊚,
    out(M)) is merged, that is, if L or M is true.

    *At most 3J merges that save S give an assignment that satisfies γ clauses.*  Let p of the
    merges join two single symbols, and let c join longer tokens; p + c ≤ 3J.  If a word saves 1, it
    does so by one of the p merges, and each pair of symbols is in at most two words of D1.  If a
    word saves 2, one of the c merges makes the whole word, and saves nothing in any other word.  So
    D1 saves at most f(2p + c) ≤ f(6J − c), and D2 at most 2I < f.

    To save S, D1 must save 6fJ.  So c = 0, and each word of D1 contains one of at most 3J merged
    pairs.  The six words of a ring need at least three pairs of their ring, and three are enough
    only if they alternate.  So each variable has three merged pairs, all odd or all even.  D2 then
    saves at least γ.  Without the c merges a clause word saves at most 1, so at least γ clauses are
    satisfied.
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
    """Returns the ring of pairs of the variable with index j, starting with a pair for *true*."""
    a, a2, b, b2 = range(4 * j + 1, 4 * j + 5)
    return [(0, a), (a, a2), (a2, 0), (0, b), (b, b2), (b2, 0)]
