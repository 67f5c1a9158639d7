"""Builds the integer program of an instance, in four formulations, directly from arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...problem.instance import Instance
from ...runtime.arguments import closest
from ..sparse_model import Rows, Sense, SparseModel, refuse_beyond_memory
from .coverage import coverage
from .occurrence import occurrence
from .parts import Body, TokenOccurrences
from .path import path
from .printed import printed

Goal = Literal["tokens", "decision", "size"]


@dataclass(frozen=True)
class Formulation:
    """A way to write an instance as an integer program.

    Attributes
    ----------
    body : callable
        Builds the rows for the words.
    sense : {"min", "max"}
        The sense of the objective in its source.
    exact : bool
        Whether its optimum is that of the problem.

    Examples
    --------
    >>> from partcover.exact.formulations.build import FORMULATIONS
    >>> {name: formulation.exact for name, formulation in FORMULATIONS.items()}
    {'path': True, 'occurrence': True, 'printed': False, 'wmc': False}
    """

    body: Callable[[Instance, TokenOccurrences], Body]
    sense: Sense
    exact: bool


FORMULATIONS: dict[str, Formulation] = {
    "path": Formulation(path, "min", True),
    "occurrence": Formulation(occurrence, "max", True),
    "printed": Formulation(printed, "max", False),
    "wmc": Formulation(coverage, "max", False),
}
EXACT = [name for name, form in FORMULATIONS.items() if form.exact]


def require(formulation: str) -> Formulation:
    """Returns the formulation of that name.

    Raises
    ------
    InputError
        For an unknown name, listing the known ones.
    """
    if formulation not in FORMULATIONS:
        hint = closest(formulation, FORMULATIONS)
        raise InputError(f"unknown formulation {formulation!r}: {hint}")
    return FORMULATIONS[formulation]


def build(
    instance: Instance,
    formulation: str = "path",
    *,
    sense: Sense | None = None,
    goal: Goal = "tokens",
) -> SparseModel:
    """Builds the model of an instance; `SparseModel.relaxed` makes its linear relaxation.

    Parameters
    ----------
    instance : Instance
        The instance; fixed tokens get a lower bound of 1 and count within the budgets.
    formulation : {"path", "occurrence", "printed", "wmc"}
        ``path``: Tok itself: a binary for each candidate, and in each word a unit flow over arcs
        of single symbols and occurrences.  Occurrences of one token that share a symbol are
        bounded together by the token's variable.  ``occurrence``: Tok itself: a binary for each
        occurrence, at most one over each symbol.  ``printed``: Equations (1) to (8) of Lim, Choo
        and Lauw (2025) as printed, which are not Tok (see docs/concepts/formulations.md).  ``wmc``:
        the relaxation to weighted maximum coverage (their Equations 9 to 11).
    sense : {"min", "max"}, optional
        Minimize tokens or maximize cover; by default as the formulation is written in its
        source: ``path`` minimizes, the others maximize.
    goal : {"tokens", "decision", "size"}
        ``tokens``: the fewest tokens, or the most cover.  ``decision``: any vocabulary
        that meets the instance's threshold; nothing is optimized.  ``size``: the fewest
        chosen tokens that meet it, at most k.

    Returns
    -------
    SparseModel
        Variables and nonzeros: ``path`` O(occurrences); ``occurrence`` and ``wmc`` O(symbols
        under occurrences); ``printed`` up to O(symbols · candidates).

    Raises
    ------
    InputError
        For an unknown formulation, goal or sense, listing the known ones; a goal without a
        threshold; a model too large for the memory, before it is built.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.exact.formulations.build import build
    >>> model = build(Instance({"banana": 2, "bandana": 1}, 1))
    >>> model.name, model.maximize, len(model.tokens)
    ('path', False, 7)
    """
    form = require(formulation)
    if sense not in (None, "min", "max"):
        raise InputError(f"unknown sense {sense!r}: use min or max")
    if goal not in ("tokens", "decision", "size"):
        raise InputError(f"unknown goal {goal!r}: use tokens, decision or size")
    if goal != "tokens" and instance.threshold is None:
        raise InputError(
            f"goal {goal!r} needs a threshold: give the number of tokens that may be needed"
        )
    refuse_beyond_memory(formulation, entries(instance, formulation))
    index = instance.index
    if formulation == "printed" and not instance.groups:
        # if tokens are not treated as in Tok, a dominated one may be better
        index = instance.candidate_index(dominated=True)
    tokens = TokenOccurrences.of(instance, index)
    body = form.body(instance, tokens)

    maximize = goal == "tokens" and (sense or form.sense) == "max"
    n_tokens = len(tokens.tokens)
    zeros = np.zeros(n_tokens, np.int64)
    cover = np.concatenate([zeros, body.cover_of]).astype(np.int64)
    objective = cover if maximize else np.concatenate([zeros, body.tokens_of]).astype(np.int64)
    if goal != "tokens":
        objective = np.concatenate([zeros + (goal == "size"), np.zeros_like(body.tokens_of)])
    # the constant is the cost of a variable fixed to 1: not all files and solvers support constants
    constant = body.constant if goal == "tokens" and not maximize else 0
    if constant:
        objective = np.append(objective, constant)

    rows, names = _budget_rows(instance, tokens, None if goal == "tokens" else cover)
    rows.extend(body.rows)
    starts, columns, values, row_lower, row_upper = rows.arrays()
    n_variables = len(objective)
    lower = np.zeros(n_variables)
    lower[:n_tokens] = tokens.fixed
    if constant:
        lower[-1] = 1
    integer = np.zeros(n_variables, bool)
    # `printed` needs all variables to be binary: there they are not integral by themselves
    integer[: n_variables if formulation == "printed" else n_tokens] = True
    return SparseModel(
        name=formulation,
        goal=goal,
        maximize=maximize,
        objective=objective,
        lower=lower,
        upper=np.ones(n_variables),
        integer=integer,
        starts=starts,
        columns=columns,
        values=values,
        row_lower=row_lower,
        row_upper=row_upper,
        tokens=tokens.tokens,
        words=tuple(word for word, _ in instance.words),
        variable_names=lambda: [
            *(f"x{number}" for number in range(n_tokens)),
            *body.variable_names(),
            *(["one"] if constant else []),
        ],
        row_names=lambda: [*names, *body.row_names()],
    )


def _budget_rows(
    instance: Instance, tokens: TokenOccurrences, cover: npt.NDArray[np.int64] | None
) -> tuple[Rows, list[str]]:
    """Returns the rows of the budgets, and that of the threshold if a cover is given."""
    rows, names = Rows(), ["budget"]
    n_tokens = len(tokens.tokens)
    budget = rows.add(1, -np.inf, instance.k)
    rows.put(np.full(n_tokens, budget), np.arange(n_tokens), 1)
    for number, group in enumerate(instance.groups):
        members = np.flatnonzero([token in group for token in tokens.tokens])
        row = rows.add(1, -np.inf, group.limit)
        rows.put(np.full(len(members), row), members, 1)
        names.append(f"group{number}")
    if cover is not None and instance.threshold is not None:
        used = np.flatnonzero(cover)
        row = rows.add(1, instance.words.total_symbols - instance.threshold, np.inf)
        rows.put(np.full(len(used), row), used, cover[used])
        names.append("reach")
    return rows, names


def entries(instance: Instance, formulation: str) -> int:
    """Returns a lower bound on the nonzeros and variables of a model, without building it.

    For ``printed`` it is an estimate: there are more if pairs of symbols in a token repeat.
    O(candidates + symbols).
    """
    index = instance.index
    occurrences = (index.hi - index.lo).astype(np.int64)
    n_occurrences, n_tokens = int(occurrences.sum()), len(occurrences)
    if formulation == "path":
        return 2 * n_tokens + 2 * len(instance.words.data) + 3 * n_occurrences
    if formulation == "wmc":
        return 2 * n_tokens + n_occurrences
    if formulation == "occurrence":
        return 2 * n_tokens + 2 * int((occurrences * index.length).sum())
    # printed: a token has an entry wherever one of its pairs occurs
    text = index.text.astype(np.int64)
    _, pair, pair_count = np.unique(
        text[:-1] * (int(text.max(initial=0)) + 1) + text[1:],
        return_inverse=True,
        return_counts=True,
    )
    upto = np.concatenate([[0], np.cumsum(pair_count[pair])])
    start = index.sa[index.lo]
    return 2 * n_tokens + 5 * int((upto[start + index.length - 1] - upto[start]).sum())
