"""Reduces max-2-SAT to the choice of a vocabulary over the two symbols 0 and 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.instance import Instance
from ..runtime.arguments import checked
from ..vocabulary.vocabulary import Vocabulary
from .cnf import Formula
from .max_2_sat import DirectReduction
from .sat_reduction import check_satisfied, formula_of, refuse_other_instance, source_of

__all__ = ["BinaryReduction", "reduce_max_2_sat_binary"]

_MAX_VARIABLES = 1_000  # the words of J variables have about 20 J² symbols
_MAX_CLAUSES = 3  # most clauses with the same variable


class BinaryReduction(DirectReduction):
    """A formula, and the binary instance whose vocabularies are its assignments.

    Attributes
    ----------
    formula : Formula
        J variables, I clauses.
    satisfied : int
        γ, the number of clauses to satisfy.
    instance : Instance
        Over the bytes 0 and 1; the literal x_j is 2j − 1 zeros, its negation 2j.

    Examples
    --------
    >>> from partcover.hardness.cnf import Formula
    >>> from partcover.hardness.reduction import reduce_max_2_sat_binary
    >>> reduction = reduce_max_2_sat_binary(Formula(["x"], [[1]]), 1)
    >>> reduction.witness([True]).tokens
    (b'10', b'01', b'100', b'001', b'101')
    """

    name: ClassVar[str] = "max-2-sat-binary"

    def literal_token(self, literal: int) -> Token:
        """Returns 1L1, the token that represents a true literal (``j`` or ``-j``, from 1)."""
        return f"1{_zeros(literal)}1".encode()

    def witness(self, assignment: Sequence[bool], /) -> Vocabulary:
        """Returns the vocabulary of an assignment: all 1L and L1, and 1L1 if L is true."""
        values = enumerate(self.check_values(assignment), 1)
        true = [self.literal_token(j if value else -j) for j, value in values]
        return Vocabulary([*_halves(len(true)), *true])

    def symbol(self, number: int) -> str:
        """Returns the name of a symbol for messages: 0 or 1."""
        return chr(number)

    @classmethod
    def from_instance(cls, instance: Instance) -> BinaryReduction:
        """Rebuilds the reduction from an instance that `reduce_max_2_sat_binary` made.

        Raises
        ------
        InputError
            If its source contains no formula, or it is not the instance of that formula.
        """
        again = reduce_max_2_sat_binary(*formula_of(instance, cls.name))
        return cls(again.formula, again.satisfied, refuse_other_instance(again.instance, instance))


@checked
def reduce_max_2_sat_binary(formula: Formula, satisfied: int) -> BinaryReduction:
    """Makes the binary instance that meets its threshold exactly if γ clauses can be satisfied.

    The literal x_j is written as 2j − 1 zeros, its negation ¬x_j as 2j zeros.  For J variables
    and I clauses, no variable in more than three of them, every substring a candidate:

    - D1: for each literal L the words 1L and L1, 63 times each;
    - D2: for each literal L the word 1L1, 21 times;
    - D3: for each variable x the word 1x1¬x1, 7 times;
    - D4: for each clause L ∨ M the word 1L1M1, once;

    k = 5J, δ = 329J + 3I − γ.

    Parameters
    ----------
    formula : Formula
        Clauses of at most two literals; a single literal is the clause L ∨ L, a repeated
        clause counts as often as it is there, and L ∨ ¬L is always satisfied.
    satisfied : int
        γ, from 0 to I.

    Returns
    -------
    BinaryReduction
        The instance and the way back.

    Raises
    ------
    InputError
        For a γ out of range, a variable in more than three clauses, or more than 1,000
        variables.

    Examples
    --------
    >>> from partcover import solve
    >>> from partcover.hardness.cnf import Formula
    >>> from partcover.hardness.reduction import reduce_max_2_sat_binary
    >>> formula = Formula(["x", "y"], [[1, 2], [-1, -2], [1, -2]])
    >>> reduction = reduce_max_2_sat_binary(formula, 3)
    >>> vocabulary = solve(reduction.instance).vocabulary
    >>> reduction.lift(vocabulary).to_json()
    {'assignment': {'x': True, 'y': False}, 'satisfied': 3, 'clauses': 3, 'meets_threshold': True}

    Notes
    -----
    Kastreva, Whittington, Komm and Pimentel 2025 (Tokenisation over Bounded Alphabets is Hard)
    reduce max-2-SAT with each variable in three clauses.  Theirs are the two literals as runs
    of 2j − 1 and 2j zeros, the factors 63, 21, 7 and 1, and the threshold.  Which words have
    which factor, and k, are completed here so that they add up to that threshold; and the proof
    below is of what is completed.  It holds for variables in fewer than three clauses, too.

    Words that are equal may be considered one by one, since tokens add up.

    *An assignment that satisfies γ clauses needs δ.*  Take all 4J tokens 1L and L1, and 1L1 for
    the J true literals: 5J.  D1 needs 1 token a word: 63·4J.  D2 needs 1 where L is true, else 2
    (1L and 1): 21·3J.  D3 needs 2, the true literal's 1L1 and what is left: 7·2J.  That is
    329J.  A clause word needs 2 likewise if one of its literals is true, else 3 (1L, 1M, 1).

    *Any vocabulary of at most 5J tokens that meets δ says which γ clauses.*  Let a of the 4J
    words of D1 be no tokens.  Of the other tokens, let b have the form 1L1, and c not, such that
    4J − a + b + c ≤ 5J.  Say that x is true if 1x1 is a token and 1¬x1 is none, and let s
    clauses be satisfied so.  Let p variables have both tokens, q none: b = J + p − q, so
    c ≤ a + q − p, and p ≤ a + q as c ≥ 0.

    Start from 2 tokens for each word of D1 and D2 and 3 for each of D3 and D4, 609J + 3I in
    all, and ask how many the vocabulary saves of these.  A word of D1 or D2 needs 2 unless it is
    a token itself.  A word 1L1M1 needs 3 unless it is a token or falls into two: the part that
    holds the 1 in the middle then holds 1L1 or 1M1, so it is one of these, or one of the c that
    properly holds one of these.  Hence:

    - D1 saves 63(4J − a), and D2 saves 21b = 21(J + p − q).
    - By tokens 1L1, D3 saves at most 7(J − q), and D4 at most s + 3p: a clause beyond the s has
      its token from one of the p variables, each of which is in three clauses at most.
    - By each of the c tokens, D3 and D4 save at most 20 more.  A whole word 1L1M1 saves at most 2
      wherever that word stands: 7 times at most in D3, 3 in D4.  A proper part of one that holds
      1L1 and more saves at most 1 in each word that holds it.  These are words of L's variable: 7
      of D3 and 3 of D4 at most.

    All this is at most 280J + s − 63a + 24p − 28q + 20c, and with c ≤ a + q − p at most
    280J + s − 43a + 4p − 8q, and with p ≤ a + q at most 280J + s − 39a − 4q ≤ 280J + s.
    To meet δ is to save 280J + γ: so s ≥ γ.
    """
    clauses = len(formula.clauses)
    check_satisfied(satisfied, clauses)
    variables = len(formula.variables)
    if variables > _MAX_VARIABLES:
        raise InputError(
            f"{variables} variables: over a binary alphabet the limit is {_MAX_VARIABLES}"
        )
    occurrences = Counter(j for a, b in formula.clauses for j in {abs(a), abs(b)})
    for j, count in sorted(occurrences.items()):
        if count > _MAX_CLAUSES:
            raise InputError(
                f"variable {formula.show(j)} is in {count} clauses: over a binary alphabet a "
                f"variable can be in at most {_MAX_CLAUSES}"
            )
    literals = [s * j for j in range(1, variables + 1) for s in (1, -1)]
    words = [(half.decode(), 63) for half in _halves(variables)]
    words += [(f"1{_zeros(a)}1", 21) for a in literals]
    words += [(f"1{_zeros(j)}1{_zeros(-j)}1", 7) for j in range(1, variables + 1)]
    words += [(f"1{_zeros(a)}1{_zeros(b)}1", 1) for a, b in formula.clauses]
    instance = Instance(
        WordCounts.from_counts(words),
        5 * variables,
        threshold=329 * variables + 3 * clauses - satisfied,
        source=source_of(BinaryReduction.name, formula, satisfied),
    )
    return BinaryReduction(formula, satisfied, instance)


def _zeros(literal: int) -> str:
    """Returns a literal as zeros: 2j − 1 zeros for x_j, 2j for its negation."""
    return "0" * (2 * abs(literal) - (literal > 0))


def _halves(variables: int) -> list[bytes]:
    """Returns 1L and L1 for each literal L."""
    runs = [b"0" * size for size in range(1, 2 * variables + 1)]
    return [half for run in runs for half in (b"1" + run, run + b"1")]
