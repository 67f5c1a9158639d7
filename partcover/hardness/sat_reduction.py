"""The common parts of the max-2-SAT reductions: the formula, its instance, and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ..errors import InputError
from ..problem.instance import Instance
from .cnf import Formula


@dataclass(frozen=True)
class SatLift:
    """The assignment that a vocabulary or a list of merges represents.

    Attributes
    ----------
    assignment : dict of str to bool
        A value for each variable.
    satisfied, clauses : int
        Number of clauses that it satisfies, counted on the formula itself, and of all clauses.
    meets_threshold : bool
        Whether the answer is within the budget k *and* needs at most the threshold of tokens.  If
        so, at least γ clauses are satisfied.
    """

    assignment: dict[str, bool]
    satisfied: int
    clauses: int
    meets_threshold: bool

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return {
            "assignment": self.assignment,
            "satisfied": self.satisfied,
            "clauses": self.clauses,
            "meets_threshold": self.meets_threshold,
        }


@dataclass(frozen=True, eq=False)
class SatReduction(ABC):
    """A formula and its instance.

    Attributes
    ----------
    formula : Formula
        J variables, I clauses.
    satisfied : int
        γ, the number of clauses to satisfy.
    instance : Instance
        The instance of the formula.
    """

    name: ClassVar[str]

    formula: Formula
    satisfied: int
    instance: Instance

    def facts(self) -> dict[str, Any]:
        """Returns the sizes of the formula and of its instance."""
        return {
            "variables": len(self.formula.variables),
            "clauses": len(self.formula.clauses),
            "satisfied": self.satisfied,
            "k": self.instance.k,
            "words": len(self.instance.words),
            "threshold": self.instance.threshold,
        }

    def check_values(self, assignment: Sequence[bool]) -> list[bool]:
        """Returns the values of an assignment.

        Raises
        ------
        InputError
            If there is not exactly one value for each variable.
        """
        if len(assignment) != len(self.formula.variables):
            raise InputError(
                f"{len(assignment)} values for {len(self.formula.variables)} variables"
            )
        return [bool(value) for value in assignment]

    def lift_values(self, values: Sequence[bool], meets: bool) -> SatLift:
        """Returns the number of clauses that an assignment satisfies, and its values."""
        return SatLift(
            assignment=dict(zip(self.formula.variables, values, strict=True)),
            satisfied=self.formula.satisfied(values),
            clauses=len(self.formula.clauses),
            meets_threshold=meets,
        )

    @classmethod
    @abstractmethod
    def again(cls, formula: Formula, satisfied: int) -> SatReduction:
        """Reduces a formula in the way of this class."""

    @classmethod
    def from_instance(cls, instance: Instance) -> Self:
        """Rebuilds the reduction from an instance that it made.

        Raises
        ------
        InputError
            If its source contains no formula, or it is not the instance of that formula.
        """
        source = instance.source
        if source.get("reduction") != cls.name:
            raise InputError(
                "the instance was not made by reduce: its source does not contain a formula"
            )
        try:
            names, clauses = source["variables"], source["clauses"]
            if not all(isinstance(variable, str) for variable in names):
                raise TypeError
            if not all(type(literal) is int for clause in clauses for literal in clause):
                raise TypeError
            formula, satisfied = Formula(names, clauses), source["satisfied"]
        except (KeyError, TypeError):
            raise InputError("the formula in the instance's source is not valid") from None
        again = cls.again(formula, satisfied).instance
        if again.words.to_dict() != instance.words.to_dict():
            raise InputError("the words of the instance are not those of its formula")
        if (again.k, again.threshold) != (instance.k, instance.threshold):
            raise InputError("k or threshold of the instance are not those of its formula")
        return cls(formula, satisfied, instance)


def check_satisfied(satisfied: int, clauses: int) -> None:
    """Checks the number of clauses to satisfy.

    Raises
    ------
    InputError
        If it is not from 0 to the number of clauses.
    """
    if not 0 <= satisfied <= clauses:
        raise InputError(
            f"{satisfied} satisfied clauses are asked for: the formula has {clauses} clauses"
        )


def source_of(name: str, formula: Formula, satisfied: int) -> dict[str, Any]:
    """Returns the source of an instance, which contains the whole problem."""
    return {
        "reduction": name,
        "variables": list(formula.variables),
        "clauses": [list(clause) for clause in formula.clauses],
        "satisfied": satisfied,
    }
