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
from .sat_reduction import check_satisfied, source_of

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
        The instance, over the bytes 0 and 1.  The literal x_j is 2j − 1 zeros, and its negation is
        2j zeros.

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
    def again(cls, formula: Formula, satisfied: int) -> BinaryReduction:
        """Reduces a formula in the way of this class."""
        return reduce_max_2_sat_binary(formula, satisfied)


@checked
def reduce_max_2_sat_binary(formula: Formula, satisfied: int) -> BinaryReduction:
    """Makes the binary instance that meets its threshold if and only if γ clauses can be satisfied.

    The literal x_j is written as 2j − 1 zeros, and its negation ¬x_j as 2j zeros.  There are J
    variables and I clauses, and no variable is in more than three clauses.  Every substring is a
    candidate, and the words are

    - D1: for each literal L the words 1L and L1, 63 times each;
    - D2: for each literal L the word 1L1, 21 times;
    - D3: for each variable x the word 1x1¬x1, 7 times;
    - D4: for each clause L ∨ M the word 1L1M1, once.

    The budget is k = 5J, and the threshold is δ = 329J + 3I − γ.

    Parameters
    ----------
    formula : Formula
        The clauses, of at most two literals each.  A single literal is the clause L ∨ L, a
        repeated clause counts as often as it appears, and L ∨ ¬L is always satisfied.
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
    reduce max-2-SAT with each variable in three clauses.  The runs of 2j − 1 and 2j zeros for the
    two literals, the factors 63, 21, 7 and 1, and the threshold are theirs.  Which words have which
    factor, and k, were completed here so that they add up to that threshold.  The proof below is
    for this version; it also holds if variables are in fewer than three clauses.

    If two words are equal, they may be considered separately, because tokens add up.

    *An assignment that satisfies γ clauses gives a vocabulary that needs δ tokens.*  Choose all 4J
    tokens 1L and L1, and 1L1 for the J true literals: 5J tokens in total.

    - A word of D1 needs 1 token, so D1 needs 63·4J.
    - A word of D2 needs 1 token if L is true, and 2 (1L and 1) otherwise, so D2 needs 21·3J.
    - A word of D3 needs 2 tokens, 1L1 of the true literal L and the rest, so D3 needs 7·2J.
    - In the same way, a word of D4 needs 2 tokens if one of its literals is true, and 3 (1L, 1M and
      1) otherwise, so D4 needs 3I − γ.

    The first three add up to 329J.

    *A vocabulary of at most 5J tokens that meets δ gives an assignment that satisfies γ clauses.*
    Let a be the number of words 1L and L1 that are not tokens, b the number of tokens 1L1, and c
    the number of all other tokens.  Then 4J − a + b + c ≤ 5J.  Call a variable x true if 1x1 is a
    token and 1¬x1 is not, and let s be the number of clauses that this assignment satisfies.  Let p
    variables have both tokens and q neither.  Then b = J + p − q, so c ≤ a + q − p; and p ≤ a + q,
    because c ≥ 0.

    Compare with 2 tokens for each word of D1 and D2 and 3 for each word of D3 and D4.  These are
    609J + 3I tokens, and a word *saves* the difference.  A word of D1 or D2 saves only if it is a
    token itself.  A word 1L1M1 saves only if it is a token or consists of two tokens.  The token
    that contains the middle 1 then contains 1L1 or 1M1: it is one of these two, or one of the c
    tokens and longer than these.  So:

    - D1 saves 63(4J − a), and D2 saves 21b = 21(J + p − q).
    - With tokens 1L1, D3 saves at most 7(J − q), and D4 saves at most s + 3p: if a clause is not
      among the s satisfied ones, its token 1L1 is one of a variable with both tokens, and each of
      these p variables is in at most three clauses.
    - Each of the c tokens saves at most 20 more in D3 and D4.  A token that is a whole word 1L1M1
      saves at most 2 wherever this word stands, which is at most 7 times in D3 and 3 times in D4.
      A token that contains 1L1 and more, but is no whole word, saves at most 1 in each word that
      contains it.  These words belong to the variable of L, so there are at most 7 in D3 and 3 in
      D4.

    The sum of all savings is at most 280J + s − 63a + 24p − 28q + 20c.  With c ≤ a + q − p it is at
    most 280J + s − 43a + 4p − 8q, and with p ≤ a + q at most 280J + s − 39a − 4q ≤ 280J + s.  A
    vocabulary that meets δ saves at least 280J + γ, so s ≥ γ.
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
