"""A model as an MPS or LP file, with names that point back to words, positions and tokens.

``x3`` is token 3 (written out in a comment at the head of the file); ``s7_2`` is the single
symbol at position 2 of word 7, ``a7_2_3`` token 3 placed there, ``m7_2`` the pair that begins
there.  Rows: ``budget``; ``flow7_2``, the flow through that node; ``use7_3_2``, the arcs of
token 3 in word 7 from position 2 on that share a symbol; ``cover7_2``, the tokens over a pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from os import PathLike, fspath

import numpy as np

from .errors import InputError
from .files import atomic_writer
from .formulation import SparseModel
from .symbols import show

__all__ = ["lp_lines", "mps_lines", "write_model"]

_TERMS = 8  # a line; some readers stop at 255 or 560 characters


def write_model(model: SparseModel, path: str | PathLike[str]) -> None:
    """Write a model to a file that ends in ``.mps`` or ``.lp`` (aside, then renamed).

    Raises
    ------
    InputError
        For another ending, or a path that cannot be written.
    """
    name = fspath(path)
    if not name.endswith((".mps", ".lp")):
        raise InputError(f"{name}: a model file ends in .mps or .lp")
    lines = mps_lines(model) if name.endswith(".mps") else lp_lines(model)
    with atomic_writer(path) as file:
        for line in lines:
            file.write(line.encode())


def _rows(model: SparseModel) -> list[tuple[str, str, float]]:
    """(name, kind, right-hand side) of each row; kinds are E, L and G as in MPS."""
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
    """The lines of a free MPS file."""
    yield from (f"* x{j} is token {show(token)}\n" for j, token in enumerate(model.tokens))
    # FREE: without it CBC guesses the columns of short names, wrongly
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
    """The lines of a CPLEX LP file."""
    yield from (f"\\ x{j} is token {show(token)}\n" for j, token in enumerate(model.tokens))
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
        if span:  # a row without entries, 0 <= side, has no form in this format
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
    yield head
    for number, (value, name) in enumerate(terms):
        if number and number % _TERMS == 0:
            yield "\n  "
        yield f" {'-' if value < 0 else '+'} {abs(value)} {name}"
