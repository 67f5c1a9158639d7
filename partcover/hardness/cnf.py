"""Reads Boolean formulas with at most two literals per clause from DIMACS files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath

from ..errors import InputError
from ..runtime.files.writing import read_text
from ..runtime.numerals import read_digits

_MAX_VARIABLES = 1_000_000  # so that a typing error in the problem line does not fill the memory


@dataclass(frozen=True)
class Formula:
    """A list of clauses, each an *or* of two literals.

    Parameters
    ----------
    variables : sequence of str
        The names of the variables.
    clauses : sequence of sequences of int
        Literals: ``j`` is variable j, counted from 1, and ``-j`` is its negation.  Repeated
        literals are dropped, and a single literal becomes a pair of itself.  A clause may be
        repeated, and then counts that often.  It may contain a variable and its negation; then
        every assignment satisfies it.

    Attributes
    ----------
    clauses : tuple of pairs of int
        Every clause as exactly two literals, in the order given.

    Raises
    ------
    InputError
        Without a variable or a clause; for a clause with no literal or more than two, a literal out
        of range, or two variables with the same name.

    Examples
    --------
    >>> from partcover.hardness.cnf import Formula
    >>> formula = Formula(["x", "y"], [[1, -2], [2]])
    >>> formula.clauses, formula.show(-2)
    (((1, -2), (2, 2)), '¬y')
    >>> formula.satisfied([False, True])
    1
    """

    variables: tuple[str, ...]
    clauses: tuple[tuple[int, int], ...]

    def __init__(self, variables: Sequence[str], clauses: Sequence[Sequence[int]]) -> None:
        names = tuple(variables)
        if len(set(names)) != len(names):
            raise InputError("two variables have the same name")
        if not names or not clauses:
            raise InputError("the formula has no clauses")
        object.__setattr__(self, "variables", names)
        pairs = tuple(_pair(clause, len(names)) for clause in clauses)
        object.__setattr__(self, "clauses", pairs)

    def satisfied(self, assignment: Sequence[bool]) -> int:
        """Counts the clauses that an assignment (a value for each variable, in order) satisfies."""
        return sum(
            assignment[abs(a) - 1] == (a > 0) or assignment[abs(b) - 1] == (b > 0)
            for a, b in self.clauses
        )

    def show(self, literal: int) -> str:
        """Returns the name of a literal for messages."""
        return ("" if literal > 0 else "¬") + self.variables[abs(literal) - 1]


def _pair(clause: Sequence[int], variables: int) -> tuple[int, int]:
    literals = list(dict.fromkeys(clause))
    if not literals:
        raise InputError("an empty clause is never satisfied: leave it out")
    for literal in literals:
        if not 1 <= abs(literal) <= variables:
            raise InputError(f"literal {literal}: variables are the numbers 1 to {variables}")
    if len(literals) > 2:
        raise InputError(
            f"a clause of {len(literals)} literals ({' '.join(map(str, literals))}): max-2-SAT "
            "allows at most two"
        )
    return literals[0], literals[-1]


def read_formula(path: str | PathLike[str]) -> Formula:
    r"""Reads a formula in DIMACS CNF, or in WCNF where every weight is 1.

    ``c`` begins a comment, ``p cnf VARIABLES CLAUSES`` (or ``p wcnf VARIABLES CLAUSES``) the
    problem, and each clause is a list of literals that ends with 0, on one line or several; in
    WCNF its weight comes first.  A line that starts with ``%`` ends the file.

    Returns
    -------
    Formula
        Its variables are named "1" to "N" for the N of the problem line.

    Raises
    ------
    InputError
        Naming file and line: if the file does not have this form, the number of clauses does not
        match, a weight is not 1, or `Formula` raises an error.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.hardness.cnf import read_formula
    >>> size = Path("two.cnf").write_text("p cnf 2 2\n1 -2 0\n2 0\n")
    >>> read_formula("two.cnf").clauses
    ((1, -2), (2, 2))
    """
    name = fspath(path)
    text = read_text(path)
    try:
        return _parse(text)
    except InputError as error:
        raise InputError(f"{name}{error}" if str(error)[0] == ":" else f"{name}: {error}") from None


def _parse(text: str) -> Formula:
    weighted = False
    variables: int | None = None
    declared = 0
    clauses: list[tuple[int, int]] = []
    clause: list[int] = []
    begun = 0  # the line in which the unfinished clause begins; 0 if there is none
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or fields[0][0] == "c":
            continue
        if fields[0][0] == "%":
            break
        if fields[0] == "p":
            if variables is not None:
                raise InputError(f":{number}: a second problem line")
            weighted = fields[1:2] == ["wcnf"]
            if (
                len(fields) not in ((4, 5) if weighted else (4,))
                or fields[1] not in ("cnf", "wcnf")
                or not all(field.isascii() and field.isdecimal() for field in fields[2:])
            ):
                raise InputError(f":{number}: a problem line is 'p cnf VARIABLES CLAUSES'")
            variables, declared = read_digits(fields[2]), read_digits(fields[3])
            if variables > _MAX_VARIABLES:
                raise InputError(f":{number}: {variables} variables, the limit is {_MAX_VARIABLES}")
            continue
        if variables is None:
            raise InputError(
                f":{number}: a clause before the problem line 'p cnf VARIABLES CLAUSES'"
            )
        for field in fields:
            digits = field.removeprefix("-")
            if not (digits.isascii() and digits.isdecimal()):
                raise InputError(
                    f":{number}: {field!r} is not a literal: literals are whole numbers"
                )
            value = read_digits(digits) * (1 if digits == field else -1)
            if weighted and not begun:
                if value != 1:
                    raise InputError(
                        f":{number}: weight {value}: clauses have weight 1; repeat a clause instead"
                    )
                begun = number
                continue
            begun = begun or number
            if value:
                clause.append(value)
                continue
            try:
                clauses.append(_pair(clause, variables))
            except InputError as error:
                raise InputError(f":{begun}: {error}") from None
            clause, begun = [], 0
    if begun:
        raise InputError(f":{begun}: the clause does not end with 0")
    if variables is None:
        raise InputError("no problem line 'p cnf VARIABLES CLAUSES'")
    if declared != len(clauses):
        raise InputError(f"the problem line says {declared} clauses, but there are {len(clauses)}")
    return Formula([str(number) for number in range(1, variables + 1)], clauses)
