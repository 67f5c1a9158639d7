"""Reduces max-2-SAT to the choice of a vocabulary, and converts vocabularies back."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import ClassVar

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.instance import Instance
from ..runtime.arguments import checked
from ..segmentation.segmentation import segment
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .cnf import Formula
from .sat_reduction import SatLift, SatReduction, check_satisfied, source_of


class DirectReduction(SatReduction):
    """A formula, and the instance whose vocabularies are its assignments.

    Attributes
    ----------
    formula : Formula
        J variables, I clauses.
    satisfied : int
        γ, the number of clauses to satisfy.
    instance : Instance
        The instance, over integers: 0 is the symbol ⊚, 2j − 1 is the literal x_j, and 2j is its
        negation.

    Examples
    --------
    >>> from partcover import reduce_max_2_sat
    >>> from partcover.hardness.cnf import Formula
    >>> reduction = reduce_max_2_sat(Formula(["x"], [[1]]), 1)
    >>> [reduction.symbol(number) for number in range(3)]
    ['⊚', 'x', '¬x']
    >>> reduction.witness([True]).tokens
    ((0, 1, 0),)
    """

    name: ClassVar[str] = "max-2-sat"

    def literal_token(self, literal: int) -> Token:
        """Returns ⊚L⊚, the token that represents a true literal (``j`` or ``-j``, from 1)."""
        return (0, 2 * abs(literal) - (literal > 0), 0)

    def witness(self, assignment: Sequence[bool], /) -> Vocabulary:
        """Returns the vocabulary of an assignment: ⊚L⊚ for every true literal L."""
        values = enumerate(self.check_values(assignment), 1)
        return Vocabulary([self.literal_token(j if value else -j) for j, value in values], "ints")

    def lift(self, vocabulary: Vocabulary, /) -> SatLift:
        """Turns a vocabulary into an assignment, and counts the clauses that it satisfies.

        x_j is true if and only if ⊚x_j⊚ is a token and ⊚¬x_j⊚ is not.  Any vocabulary may be given.
        One that meets the threshold contains exactly one of the two (see `reduce_max_2_sat`), and
        then at least γ clauses are satisfied.

        Raises
        ------
        InputError
            If the vocabulary is over other symbols than the instance.
        """
        over = self.instance.symbols
        if vocabulary.symbols != over:
            raise InputError(
                f"the vocabulary is over {vocabulary.symbols}, but the instance is over {over}"
            )
        tokens = set(vocabulary)
        values = [
            self.literal_token(j) in tokens and self.literal_token(-j) not in tokens
            for j in range(1, len(self.formula.variables) + 1)
        ]
        meets = bool(verify(self.instance, vocabulary).meets_threshold)
        return self.lift_values(values, meets and len(vocabulary) <= self.instance.k)

    def load_answer(self, path: str | PathLike[str]) -> Vocabulary:
        """Reads a vocabulary file, or the vocabulary of a solution."""
        return Vocabulary.load(path)

    def pieces(self, answer: Vocabulary, /) -> list[list[Token]]:
        """Segments every word of the instance into the fewest tokens."""
        cut = segment(self.instance.words, answer)
        return [cut.of(index) for index in range(len(self.instance.words))]

    def symbol(self, number: int) -> str:
        """Returns the name of a symbol for messages: ⊚, or a literal."""
        if number == 0:
            return "⊚"
        return self.formula.show((number + 1) // 2 * (1 if number % 2 else -1))

    @classmethod
    def again(cls, formula: Formula, satisfied: int) -> DirectReduction:
        """Reduces a formula in the way of this class."""
        return reduce_max_2_sat(formula, satisfied)


@checked
def reduce_max_2_sat(formula: Formula, satisfied: int) -> DirectReduction:
    """Makes the instance that meets its threshold if and only if γ clauses can be satisfied.

    There are J variables and I clauses.  Every substring is a candidate, and the words are

    - D1: for each literal L the word ⊚L⊚, f times;
    - D2: for each variable x the word ⊚x⊚¬x⊚, f′ times;
    - D3: for each clause L ∨ M the word ⊚L⊚M⊚, once.

    The counts are f′ = I − γ + 1 and f = 2f′ + 4I − 2γ + 1.  The budget is k = J, and the threshold
    is δ = (4f + 3f′)J + 5I − 2γ.

    Parameters
    ----------
    formula : Formula
        The clauses, of at most two literals each.  A single literal is the clause L ∨ L, a
        repeated clause counts as often as it appears, and L ∨ ¬L is always satisfied.
    satisfied : int
        γ, from 0 to I.

    Returns
    -------
    DirectReduction
        The instance and the way back.

    Raises
    ------
    InputError
        For a γ out of range.

    Examples
    --------
    >>> from partcover import reduce_max_2_sat, solve
    >>> from partcover.hardness.cnf import Formula
    >>> formula = Formula(["x", "y"], [[1, 2], [-1, -2], [1, -2]])
    >>> reduction = reduce_max_2_sat(formula, 3)
    >>> vocabulary = solve(reduction.instance).vocabulary
    >>> reduction.lift(vocabulary).to_json()
    {'assignment': {'x': True, 'y': False}, 'satisfied': 3, 'clauses': 3, 'meets_threshold': True}

    Notes
    -----
    The words are those of Whittington, Bachmann and Pimentel 2024 (Tokenisation is NP-Complete, the
    direct problem).  The counts f and f′ are the smallest that the proof below allows.

    A word *saves* the difference between its symbols and its tokens.  The corpus has 6fJ + 5f′J +
    5I symbols, so a vocabulary meets the threshold δ if and only if it saves at least S = 2fJ +
    2f′J + 2γ.  If two words are equal (the word of the clause x ∨ ¬x is also in D2), they may be
    considered separately, because savings add up.

    *An assignment that satisfies γ clauses gives a vocabulary that saves S.*  Choose ⊚L⊚ for the J
    true literals.  Each of these tokens saves 2 in its word of D1, and 2 in the word of its
    variable in D2.  The word of a clause saves 2 if one of its literals is true.  It saves no more
    if both are, because the two tokens overlap in the middle ⊚.

    *A vocabulary of at most J tokens that saves S contains exactly one of ⊚x⊚ and ⊚¬x⊚ for each
    variable x.*  Let n of its tokens have the form ⊚L⊚, and m another form, so n + m ≤ J.  No two
    symbols ⊚ are adjacent, so every token that occurs in a word contains a literal.

    In D1, a token ⊚L⊚ saves 2f.  Tokens of another form, ⊚L and L⊚, save at most f each.  In D2, a
    word saves at most 4 if a token of another form occurs in it, and at most 2 otherwise.  Each of
    the m tokens occurs in at most one word of D2.  There are three cases:

    - m ≥ 1.  D3 saves at most 4I, and all words save at most f(2n + m) + f′(2J + 2m) + 4I ≤ 2fJ +
      2f′J − m(f − 2f′) + 4I ≤ 2fJ + 2f′J − (4I − 2γ + 1) + 4I = S − 1.
    - m = 0 and n < J.  D3 saves at most 2I, and all words save at most 2f(J − 1) + 2f′J + 2I.  This
      is less than S, because f > I − γ.
    - m = 0 and n = J, but some variable has neither token.  Its word of D2 saves nothing, and all
      words save at most 2fJ + 2f′(J − 1) + 2I = S − 2(f′ − I + γ) = S − 2.

    None of these saves S, so each variable has exactly one of its two tokens.  D1 and D2 then save
    2fJ + 2f′J, and D3 saves 2 for each clause with a true literal.  To save S in total, at least γ
    clauses must have one.
    """
    clauses = len(formula.clauses)
    check_satisfied(satisfied, clauses)
    variables = len(formula.variables)
    second = clauses - satisfied + 1
    first = 2 * second + 4 * clauses - 2 * satisfied + 1

    def letter(literal: int) -> int:
        return 2 * abs(literal) - (literal > 0)

    words: list[tuple[tuple[int, ...], int]]
    words = [((0, number, 0), first) for number in range(1, 2 * variables + 1)]
    words += [((0, 2 * j - 1, 0, 2 * j, 0), second) for j in range(1, variables + 1)]
    words += [((0, letter(a), 0, letter(b), 0), 1) for a, b in formula.clauses]
    instance = Instance(
        WordCounts.from_counts(words, "ints"),
        variables,
        threshold=(4 * first + 3 * second) * variables + 5 * clauses - 2 * satisfied,
        source=source_of(DirectReduction.name, formula, satisfied),
    )
    return DirectReduction(formula, satisfied, instance)
