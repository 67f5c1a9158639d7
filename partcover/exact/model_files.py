"""Writes models as MPS or LP files, and reads the solutions that other programs write for them.

Names refer to words, positions and tokens by number.  Comments at the head of a file list the words
and tokens.  Variables: ``x3`` is token 3; ``s7_2`` is the single symbol at position 2 of word 7;
``a7_2_3`` (``path``) and ``o7_2_3`` (``occurrence``) are token 3 at that place; ``m7_2`` is the
pair that begins there, and ``n7_2_3`` (``printed``) is its cover by token 3; ``one`` is 1.  Rows:
``budget``; ``group0``, the budget of a group; ``reach``, the threshold; ``flow7_2``, the flow
through a node; ``use…``, the tokens that an arc, an occurrence or a pair needs; ``cover7_2``, what
covers a pair; ``once7_2``, at most one occurrence there; and for ``printed`` ``same``, ``start``
and ``end`` for its Equations (6) to (8).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import zip_longest
from os import PathLike, fspath
from typing import NamedTuple, cast

import numpy as np

from ..corpus.symbols import show
from ..errors import InputError
from ..runtime.arrays import Float64
from ..runtime.files.writing import atomic_writer, read_text, write_atomic
from ..runtime.numerals import read_float
from .formulations.build import Goal
from .sparse_model import Sense, SparseModel

_TERMS = 8  # terms on a line; some readers stop at 255 or 560 characters


def write_model(model: SparseModel, path: str | PathLike[str]) -> None:
    """Writes a model to a file that ends in ``.mps`` or ``.lp``, atomically.

    Raises
    ------
    InputError
        For another ending, or a path that cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover import Instance
    >>> from partcover.exact.formulations.build import build
    >>> from partcover.exact.model_files import write_model
    >>> write_model(build(Instance({"aba": 2}, 1)), "aba.mps")
    >>> print(Path("aba.mps").read_text().splitlines()[0])
    * partcover: path, min, tokens
    """
    lines = _lines(model, path)
    with atomic_writer(path) as file:
        for line in lines:
            file.write(line.encode())


def _lines(model: SparseModel, path: str | PathLike[str]) -> Iterator[str]:
    """Returns the lines of a model in the format given by the file's ending."""
    name = fspath(path)
    if not name.endswith((".mps", ".lp")):
        raise InputError(f"{name}: the name of a model file must end in .mps or .lp")
    return mps_lines(model) if name.endswith(".mps") else lp_lines(model)


class ModelHead(NamedTuple):
    """The model named in the first line of a file."""

    formulation: str
    sense: Sense
    goal: Goal
    relaxed: bool


_HEAD = re.compile(r"[*\\] partcover: (\w+), (min|max), (tokens|decision|size)(, relaxed)?\n")


def _head(model: SparseModel) -> Iterator[str]:
    """Yields the comments of a file, without the comment sign."""
    sense = "max" if model.maximize else "min"
    relaxed = "" if model.integer.any() else ", relaxed"
    yield f" partcover: {model.name}, {sense}, {model.goal}{relaxed}\n"
    yield from (f" word {j} is {show(word)}\n" for j, word in enumerate(model.words))
    yield from (f" x{j} is token {show(token)}\n" for j, token in enumerate(model.tokens))


def read_head(path: str | PathLike[str]) -> ModelHead:
    """Reads the first line of a model file.

    Raises
    ------
    InputError
        If the file cannot be read, or was not written by `write_model`.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            first = file.readline(200)
    except OSError as error:
        raise InputError(f"{fspath(path)}: cannot be read ({error.strerror or error})") from None
    match = _HEAD.fullmatch(first)
    if match is None:
        raise InputError(
            f"{fspath(path)}:1: not a model that partcover wrote (see solve --write-model)"
        )
    sense: Sense = "max" if match[2] == "max" else "min"
    goal = cast(Goal, match[3])
    return ModelHead(match[1], sense, goal, match[4] is not None)


def check_model(model: SparseModel, path: str | PathLike[str]) -> None:
    """Checks that a file is exactly this model, byte for byte.

    Raises
    ------
    InputError
        Naming the first line that differs.
    """
    with open(path, encoding="utf-8", errors="replace") as file:
        # not splitlines: words may contain U+2028 and other characters that end a line there
        ours = "".join(_lines(model, path)).removesuffix("\n").split("\n")
        for number, (line, our) in enumerate(zip_longest(file, ours), 1):
            if line is None or line.rstrip("\n") != our:
                raise InputError(
                    f"{fspath(path)}:{number}: not the model of this instance: "
                    f"expected {(our or 'nothing')[:40]!r}, found "
                    f"{(line or 'end of file').strip()[:40]!r}"
                )


def _rows(model: SparseModel) -> list[tuple[str, str, float]]:
    """Returns (name, kind, right-hand side) of each row; kinds are E, L and G as in MPS."""
    rows = []
    for name, lower, upper in zip(
        model.row_names(), model.row_lower.tolist(), model.row_upper.tolist(), strict=True
    ):
        if lower == upper:
            rows.append((name, "E", upper))
        elif math.isfinite(upper) and not math.isfinite(lower):
            rows.append((name, "L", upper))
        elif math.isfinite(lower) and not math.isfinite(upper):
            rows.append((name, "G", lower))
        else:
            raise InputError(f"row {name} has two different bounds, or none: not written")
    return rows


def mps_lines(model: SparseModel) -> Iterator[str]:
    """Yields the lines of a free MPS file."""
    yield from (f"*{comment}" for comment in _head(model))
    # FREE: without it CBC guesses wrong columns for short names
    sense = "MAX" if model.maximize else "MIN"
    yield f"NAME {model.name} FREE\nOBJSENSE\n    {sense}\nROWS\n N  obj\n"
    rows = _rows(model)
    yield from (f" {kind}  {name}\n" for name, kind, _ in rows)
    yield "COLUMNS\n"
    names = model.variable_names()
    row_of = np.repeat(np.arange(len(rows)), np.diff(model.starts))
    order = np.lexsort((row_of, model.columns))
    bounds = np.searchsorted(model.columns[order], np.arange(len(names) + 1)).tolist()
    row_list, values = row_of[order].tolist(), model.values[order].tolist()
    costs, integer = model.objective.tolist(), model.integer.tolist()
    inside = False
    for column, name in enumerate(names):
        if integer[column] != inside:
            inside = not inside
            yield f"    M{column}  'MARKER'  '{'INTORG' if inside else 'INTEND'}'\n"
        if costs[column] or bounds[column] == bounds[column + 1]:
            yield f"    {name}  obj  {costs[column]}\n"
        for entry in range(bounds[column], bounds[column + 1]):
            yield f"    {name}  {rows[row_list[entry]][0]}  {values[entry]}\n"
    if inside:
        yield "    MEND  'MARKER'  'INTEND'\n"
    yield "RHS\n"
    yield from (f"    rhs  {name}  {side:.17g}\n" for name, _, side in rows if side)
    yield "BOUNDS\n"
    for name, lower, upper in zip(names, model.lower, model.upper, strict=True):
        yield f" LO bnd  {name}  {lower:.17g}\n UP bnd  {name}  {upper:.17g}\n"
    yield "ENDATA\n"


def lp_lines(model: SparseModel) -> Iterator[str]:
    """Yields the lines of a CPLEX LP file."""
    yield from (f"\\{comment}" for comment in _head(model))
    yield "Maximize\n" if model.maximize else "Minimize\n"
    names = model.variable_names()
    used = np.flatnonzero(model.objective).tolist()
    costs = model.objective.tolist()
    terms = [(costs[column], names[column]) for column in used]
    yield from _expression(" obj:", terms or [(0, name) for name in names[:1]])
    yield "\nSubject To\n"
    signs = {"E": "=", "L": "<=", "G": ">="}
    columns, values, starts = (a.tolist() for a in (model.columns, model.values, model.starts))
    for row, (name, kind, side) in enumerate(_rows(model)):
        span = range(starts[row], starts[row + 1])
        if span:  # this format has no form for a row without entries, 0 <= side
            yield from _expression(f" {name}:", [(values[e], names[columns[e]]) for e in span])
            yield f" {signs[kind]} {side:.17g}\n"
    yield "Bounds\n"
    for name, lower, upper in zip(names, model.lower, model.upper, strict=True):
        yield f" {lower:.17g} <= {name} <= {upper:.17g}\n"
    integers = [name for name, whole in zip(names, model.integer, strict=True) if whole]
    if integers:
        yield "Generals\n"
        yield from (f" {name}\n" for name in integers)
    yield "End\n"


def _expression(head: str, terms: list[tuple[int, str]]) -> Iterator[str]:
    """Yields a linear expression of an LP file, a few terms on each line."""
    yield head
    for number, (value, name) in enumerate(terms):
        if number and number % _TERMS == 0:
            yield "\n  "
        yield f" {'-' if value < 0 else '+'} {abs(value)} {name}"


_HEADINGS = re.compile(  # lines without values, of CBC, SCIP, HiGHS and Gurobi
    r"$|#|=|(optimal|stopped|infeasible|unbounded|integer infeasible)\b.*|solution status:"
    r"|objective\b|no solution|model status|feasible$|none$|(primal|dual) solution",
    re.IGNORECASE,
)


def read_solution(model: SparseModel, path: str | PathLike[str]) -> tuple[Float64, Float64 | None]:
    """Reads a solution that a solver wrote for a model file of `write_model`.

    Parameters
    ----------
    model : SparseModel
        The model.
    path : path
        A solution file of CBC, SCIP, HiGHS or Gurobi: a name and a value on each line, for CBC
        after a number.  Variables that are not listed are 0.

    Returns
    -------
    tuple
        Values, shape (variables,); and dual values, shape (rows,), if the file lists rows, as CBC's
        does, otherwise None.

    Raises
    ------
    InputError
        With the line: for a name that the model does not have, or a line in an unknown format.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover import Instance
    >>> from partcover.exact.formulations.build import build
    >>> from partcover.exact.model_files import read_solution
    >>> model = build(Instance({"aba": 2}, 1))
    >>> _ = Path("aba.sol").write_text("x0 1")  # the token aba is chosen
    >>> values, duals = read_solution(model, "aba.sol")
    >>> [token for token, value in zip(model.tokens, values) if value]
    [b'aba']
    """
    column = {name: number for number, name in enumerate(model.variable_names())}
    row = {name: number for number, name in enumerate(model.row_names())}
    values, duals = np.zeros(len(column)), np.zeros(len(row))
    listed = False
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.lower().startswith("# dual"):
            break
        fields = line.replace("**", " ").split()
        # CBC writes number, name, value and cost
        numbered = len(fields) >= 4 and fields[0].isascii() and fields[0].isdecimal()
        if not numbered and _HEADINGS.match(line.strip()):
            continue
        try:
            name, value = fields[1:3] if numbered else fields[:2]
            amount, dual = read_float(value), read_float(fields[3]) if numbered else 0.0
            if not (math.isfinite(amount) and math.isfinite(dual)):
                raise ValueError(line)
        except ValueError:
            raise InputError(
                f"{fspath(path)}:{number}: {line[:40]!r} is not a name and a value"
            ) from None
        if name in column:
            values[column[name]] = amount
        elif name in row:
            if numbered:
                duals[row[name]], listed = dual, True
        else:
            raise InputError(
                f"{fspath(path)}:{number}: the model has no variable {name!r}: is it the "
                "solution of another instance or formulation?"
            )
    return values, duals if listed else None


def write_start(model: SparseModel, values: Float64, path: str | PathLike[str]) -> None:
    """Writes a warm start in the format that CBC reads."""
    lines = [f"Stopped on iterations - objective value {float(model.objective @ values):.17g}\n"]
    for column, (name, value) in enumerate(
        zip(model.variable_names(), values.tolist(), strict=True)
    ):
        lines.append(f"{column} {name} {value:.17g} 0\n")
    write_atomic(path, "".join(lines))
