"""Reduces max-2-SAT to tokenization and back, for vocabularies and for merges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.instance import Instance
from ..runtime.arguments import checked
from ..segmentation.segmentation import segment
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .bottom_up import Merges, apply_merges, merged_tokens
from .cnf import Formula

__all__ = [
    "BottomUpReduction",
    "DirectReduction",
    "SatLift",
    "reduce_max_2_sat",
    "reduce_max_2_sat_bottom_up",
]


@dataclass(frozen=True)
class SatLift:
    """What a vocabulary, or a list of merges, says about the formula.

    Attributes
    ----------
    assignment : dict of str to bool
        A value for each variable.
    satisfied, clauses : int
        Clauses it satisfies, counted on the formula itself, and how many there are.
    meets_threshold : bool
        Does the answer keep to the budget k *and* need at most the threshold of tokens?  Then
        at least γ clauses are satisfied.
    """

    assignment: dict[str, bool]
    satisfied: int
    clauses: int
    meets_threshold: bool

    def to_json(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return {
            "assignment": self.assignment,
            "satisfied": self.satisfied,
            "clauses": self.clauses,
            "meets_threshold": self.meets_threshold,
        }


@dataclass(frozen=True, eq=False)
class _SatReduction:
    """A formula and its instance: what both problems share."""

    formula: Formula
    satisfied: int
    instance: Instance

    def facts(self) -> dict[str, Any]:
        """Sizes of the formula and of its instance."""
        return {
            "variables": len(self.formula.variables),
            "clauses": len(self.formula.clauses),
            "satisfied": self.satisfied,
            "k": self.instance.k,
            "words": len(self.instance.words),
            "threshold": self.instance.threshold,
        }

    def _values(self, assignment: Sequence[bool]) -> list[bool]:
        if len(assignment) != len(self.formula.variables):
            raise InputError(
                f"{len(assignment)} values for {len(self.formula.variables)} variables"
            )
        return [bool(value) for value in assignment]

    def _lifted(self, values: Sequence[bool], meets: bool) -> SatLift:
        return SatLift(
            assignment=dict(zip(self.formula.variables, values, strict=True)),
            satisfied=self.formula.satisfied(values),
            clauses=len(self.formula.clauses),
            meets_threshold=meets,
        )


class DirectReduction(_SatReduction):
    """A formula, and the instance whose vocabularies are its assignments.

    Attributes
    ----------
    formula : Formula
        J variables, I clauses.
    satisfied : int
        γ, the number of clauses asked for.
    instance : Instance
        Over integers: 0 is the symbol ⊚, 2j − 1 the literal x_j, 2j its negation.
    """

    name: ClassVar[str] = "max-2-sat"

    def witness(self, assignment: Sequence[bool], /) -> Vocabulary:
        """The vocabulary of an assignment: ⊚L⊚ for every true literal L."""
        values = self._values(assignment)
        return Vocabulary(
            [(0, 2 * j + (1 if value else 2), 0) for j, value in enumerate(values)], "ints"
        )

    def lift(self, vocabulary: Vocabulary, /) -> SatLift:
        """Turn a vocabulary into an assignment, and count what it satisfies.

        x_j is true exactly if ⊚x_j⊚ is a token and ⊚¬x_j⊚ is none.  Any vocabulary is taken;
        one that meets the threshold has exactly one of the two (see `reduce_max_2_sat`), so
        that nothing needs to be exchanged, and satisfies at least γ clauses.

        Raises
        ------
        InputError
            If the vocabulary is not over integers.
        """
        if vocabulary.symbols != "ints":
            raise InputError(f"the vocabulary is over {vocabulary.symbols}, the instance over ints")
        tokens = set(vocabulary)
        values = [
            (0, 2 * j + 1, 0) in tokens and (0, 2 * j + 2, 0) not in tokens
            for j in range(len(self.formula.variables))
        ]
        meets = bool(verify(self.instance, vocabulary).meets_threshold)
        return self._lifted(values, meets and len(vocabulary) <= self.instance.k)

    def load_answer(self, path: str | PathLike[str]) -> Vocabulary:
        """Read a vocabulary file, or the vocabulary of a solution."""
        return Vocabulary.load(path)

    def pieces(self, answer: Vocabulary, /) -> list[list[Token]]:
        """Every word of the instance as tokens, the fewest."""
        cut = segment(self.instance.words, answer)
        return [cut.of(index) for index in range(len(self.instance.words))]

    def symbol(self, number: int) -> str:
        """A symbol for people: ⊚, or a literal."""
        if number == 0:
            return "⊚"
        return self.formula.show((number + 1) // 2 * (1 if number % 2 else -1))

    @classmethod
    def from_instance(cls, instance: Instance) -> DirectReduction:
        """Rebuild the reduction from an instance that `reduce_max_2_sat` made.

        Raises
        ------
        InputError
            If the instance says nothing of a formula, or is not the one of its formula.
        """
        again = reduce_max_2_sat(*_formula_of(instance, cls.name))
        return cls(again.formula, again.satisfied, _same(again.instance, instance))


@checked
def reduce_max_2_sat(formula: Formula, satisfied: int) -> DirectReduction:
    """The instance that meets its threshold exactly if γ clauses can be satisfied at once.

    For J variables and I clauses, every substring a candidate:

    - D1: for each literal L the word ⊚L⊚, f times;
    - D2: for each variable x the word ⊚x⊚¬x⊚, f′ times;
    - D3: for each clause L ∨ M the word ⊚L⊚M⊚, once;

    k = J, f′ = I − γ + 1, f = 2f′ + 4I − 2γ + 1, δ = (4f + 3f′)J + 5I − 2γ.

    Parameters
    ----------
    formula : Formula
        Clauses of at most two literals; a single literal is the clause L ∨ L, a repeated
        clause counts as often as it stands, and L ∨ ¬L is satisfied always.
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

    Notes
    -----
    The words are those of Whittington, Bachmann and Pimentel 2024 (Tokenisation is NP-Complete,
    the direct problem); f and f′ are the smallest that the proof below allows.

    *Saving* is the number of tokens fewer than symbols.  The corpus has 6fJ + 5f′J + 5I symbols,
    so δ asks for a saving of S = 2fJ + 2f′J + 2γ.  Words that are equal (the clause x ∨ ¬x is a
    word of D2) may be looked at one by one, since savings add up.

    *An assignment that satisfies γ clauses saves S.*  Take ⊚L⊚ for the J true literals: each
    saves 2 in its word of D1 and in the word of its variable in D2; a clause word saves 2 if
    one of its literals is true, and not more if both are, since they overlap in the middle ⊚.

    *A vocabulary of at most J tokens that saves S has exactly one of ⊚x⊚ and ⊚¬x⊚ for each x.*
    Let n of its tokens have the form ⊚L⊚, and m not; n + m ≤ J.  No two ⊚ are adjacent, so
    every token that occurs holds a literal.  In D1 a token ⊚L⊚ saves 2f, any other at most f
    (⊚L or L⊚, not both in one word).  In D2 a word saves at most 2 where no token of another form
    occurs, else at most 4; and each of the m occurs in one word of D2 at most.

    - m ≥ 1: D3 saves at most 4I, and all at most f(2n + m) + f′(2J + 2m) + 4I
      ≤ 2fJ + 2f′J − m(f − 2f′) + 4I ≤ 2fJ + 2f′J − (4I − 2γ + 1) + 4I = S − 1.
    - m = 0, n < J: D3 saves at most 2I, all at most 2f(J − 1) + 2f′J + 2I < S, as f > I − γ.
    - m = 0, n = J, but some variable has no token: its word of D2 saves nothing, all at most
      2fJ + 2f′(J − 1) + 2I = S − 2(f′ − I + γ) = S − 2.

    So each variable has one.  D1 and D2 then save 2fJ + 2f′J, and D3 saves 2 for each clause
    with a true literal: at least γ of them.
    """
    clauses = len(formula.clauses)
    _check_satisfied(satisfied, clauses)
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
        source=_source(DirectReduction.name, formula, satisfied),
    )
    return DirectReduction(formula, satisfied, instance)


class BottomUpReduction(_SatReduction):
    """A formula, and the instance whose lists of merges are its assignments.

    Attributes
    ----------
    formula : Formula
        J variables, I clauses.
    satisfied : int
        γ, the number of clauses asked for.
    instance : Instance
        Over integers: 0 is the symbol ⊚; variable j has the symbols a, a′, b, b′, which are
        4j − 3, 4j − 2, 4j − 1 and 4j.  Its k is a number of merges.
    """

    name: ClassVar[str] = "max-2-sat-bottom-up"

    def witness(self, assignment: Sequence[bool], /) -> Merges:
        """The merges of an assignment: three for each variable, in order of the variables."""
        pairs: list[tuple[Token, Token]] = []
        for j, value in enumerate(self._values(assignment)):
            cycle = _arcs(j)
            pairs += [((left,), (right,)) for left, right in cycle[0 if value else 1 :: 2]]
        return Merges(pairs, "ints")

    def lift(self, merges: Merges, /) -> SatLift:
        """Turn merges into an assignment, and count what it satisfies.

        x_j is true exactly if (⊚, a) of variable j is among the merges.  Any merges are taken;
        those that meet the threshold are three of either kind for each variable (see
        `reduce_max_2_sat_bottom_up`), so that nothing needs to be exchanged, and satisfy at
        least γ clauses.

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
        return self._lifted(values, meets)

    def load_answer(self, path: str | PathLike[str]) -> Merges:
        """Read a file of merges: a JSON list of pairs of tokens."""
        return Merges.load(path, "ints")

    def pieces(self, answer: Merges, /) -> list[list[Token]]:
        """Every word of the instance as tokens, after all merges."""
        return apply_merges(self.instance.words, answer)

    def symbol(self, number: int) -> str:
        """A symbol for people: ⊚, or a letter and the name of a variable."""
        if number == 0:
            return "⊚"
        variable, letter = divmod(number - 1, 4)
        return ("a", "a′", "b", "b′")[letter] + self.formula.variables[variable]

    @classmethod
    def from_instance(cls, instance: Instance) -> BottomUpReduction:
        """Rebuild the reduction from an instance that `reduce_max_2_sat_bottom_up` made.

        Raises
        ------
        InputError
            If the instance says nothing of a formula, or is not the one of its formula.
        """
        again = reduce_max_2_sat_bottom_up(*_formula_of(instance, cls.name))
        return cls(again.formula, again.satisfied, _same(again.instance, instance))


@checked
def reduce_max_2_sat_bottom_up(formula: Formula, satisfied: int) -> BottomUpReduction:
    """The instance that k merges bring to its threshold exactly if γ clauses can be satisfied.

    For J variables and I clauses:

    - D1: for each variable the six words ⊚aa′, aa′⊚, a′⊚b, ⊚bb′, bb′⊚, b′⊚a, f times each:
      the six pairs ⊚a, aa′, a′⊚, ⊚b, bb′, b′⊚ in a ring, each word two neighbours;
    - D2: for each clause L ∨ M the word in(L) ⊚ out(M), once, where in and out of x are a′
      and a, and of ¬x are b′ and b;

    k = 3J merges, f = 2I + 1, δ = 12fJ + 3I − γ.

    Parameters
    ----------
    formula : Formula
        Clauses of at most two literals; a single literal is the clause L ∨ L, a repeated
        clause counts as often as it stands, and L ∨ ¬L is satisfied always.
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

    Notes
    -----
    That choosing merges is NP-complete, also by way of max-2-SAT, is in Whittington, Bachmann
    and Pimentel 2024 (Tokenisation is NP-Complete, the bottom-up problem, with 8J merges).  This
    construction is another one, smaller and with a proof that fits here.

    *Saving* is the number of tokens fewer than symbols.  The corpus has 18fJ + 3I symbols, so δ
    asks for a saving of S = 6fJ + γ.  All words have three symbols, all different; words that
    are equal may be looked at one by one.

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
    _check_satisfied(satisfied, clauses)
    variables = len(formula.variables)
    weight = 2 * clauses + 1
    words: list[tuple[tuple[int, ...], int]] = []
    for j in range(variables):
        ring = _arcs(j)
        words += [((*ring[i - 1], ring[i][1]), weight) for i in range(6)]
    for a, b in formula.clauses:
        into = 4 * abs(a) - (2 if a > 0 else 0)
        out = 4 * abs(b) - (3 if b > 0 else 1)
        words.append(((into, 0, out), 1))
    instance = Instance(
        WordCounts.from_counts(words, "ints"),
        3 * variables,
        threshold=12 * weight * variables + 3 * clauses - satisfied,
        source=_source(BottomUpReduction.name, formula, satisfied),
    )
    return BottomUpReduction(formula, satisfied, instance)


def _arcs(j: int) -> list[tuple[int, int]]:
    """The ring of pairs of the variable at index j, a pair that says *true* first."""
    a, a2, b, b2 = range(4 * j + 1, 4 * j + 5)
    return [(0, a), (a, a2), (a2, 0), (0, b), (b, b2), (b2, 0)]


def _check_satisfied(satisfied: int, clauses: int) -> None:
    if isinstance(satisfied, bool) or not isinstance(satisfied, int):
        raise InputError(f"satisfied is {satisfied!r}: a whole number is expected")
    if not 0 <= satisfied <= clauses:
        raise InputError(
            f"{satisfied} satisfied clauses are asked for: 0 to {clauses} of the {clauses} can be"
        )


def _source(name: str, formula: Formula, satisfied: int) -> dict[str, Any]:
    return {
        "reduction": name,
        "variables": list(formula.variables),
        "clauses": [list(clause) for clause in formula.clauses],
        "satisfied": satisfied,
    }


def _formula_of(instance: Instance, name: str) -> tuple[Formula, int]:
    source = instance.source
    if source.get("reduction") != name:
        raise InputError("the instance was not made by reduce: its source names no formula")
    try:
        names, clauses = source["variables"], source["clauses"]
        if not all(isinstance(variable, str) for variable in names):
            raise TypeError
        if not all(type(literal) is int for clause in clauses for literal in clause):
            raise TypeError
        return Formula(names, clauses), source["satisfied"]
    except (KeyError, TypeError):
        raise InputError("the formula in the instance's source is broken") from None


def _same(made: Instance, given: Instance) -> Instance:
    """The given instance, if it asks just what the formula's own instance asks."""
    if made.words.to_dict() != given.words.to_dict():
        raise InputError("the words of the instance are not those of its formula")
    if (made.k, made.threshold) != (given.k, given.threshold):
        raise InputError("k or threshold of the instance are not those of its formula")
    return given
