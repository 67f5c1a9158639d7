"""An instance as a sparse integer program that no solver owns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import symbols as sym
from .errors import InputError
from .instance import Instance
from .symbols import Token

__all__ = ["FORMULATIONS", "SparseModel", "build"]

Int = npt.NDArray[np.int64]
Float = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SparseModel:
    """Minimise (or maximise) objective·v subject to row_lower ≤ A v ≤ row_upper and bounds.

    Attributes
    ----------
    name : str
        The formulation.
    maximize : bool
        The sense.
    objective : ndarray of int64, shape (variables,)
        Costs.
    lower, upper : ndarray of float64, shape (variables,)
        Bounds of the variables.
    integer : ndarray of bool, shape (variables,)
        Which must be integers.  With those integers, some optimum has all variables integers.
    starts, columns, values : ndarray of int64, shapes (rows + 1,), (nonzeros,), (nonzeros,)
        A by rows: row r holds ``values[starts[r]:starts[r + 1]]`` in ``columns[...]``.
    row_lower, row_upper : ndarray of float64, shape (rows,)
        Bounds of the rows; infinite where there is none.
    tokens : tuple of token
        Variable t is 1 where token t is chosen, for t < len(tokens).
    variable_names, row_names : callable
        Make the names, on demand; `partcover.model_files` says what they mean.
    """

    name: str
    maximize: bool
    objective: Int
    lower: Float
    upper: Float
    integer: npt.NDArray[np.bool_]
    starts: Int
    columns: Int
    values: Int
    row_lower: Float
    row_upper: Float
    tokens: tuple[Token, ...]
    variable_names: Callable[[], list[str]]
    row_names: Callable[[], list[str]]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, variables)."""
        return len(self.row_lower), len(self.objective)

    def chosen(self, values: Float) -> list[Token]:
        """The tokens whose variable is nearer to 1 than to 0."""
        picked = np.flatnonzero(np.asarray(values)[: len(self.tokens)] > 0.5)
        return [self.tokens[t] for t in picked.tolist()]


class _Rows:
    """Rows collected as arrays of (row, column, value)."""

    def __init__(self) -> None:
        self.parts: list[tuple[Int, Int, Int]] = []
        self.lower: list[Float] = []
        self.upper: list[Float] = []
        self.count = 0

    def add(self, many: int, lower: Any, upper: Any) -> int:
        """`many` new rows; the number of the first."""
        first = self.count
        self.count += many
        self.lower.append(np.broadcast_to(np.asarray(lower, float), many))
        self.upper.append(np.broadcast_to(np.asarray(upper, float), many))
        return first

    def put(self, rows: Any, columns: Any, values: int) -> None:
        """Entries of one value."""
        rows = np.asarray(rows, np.int64)
        self.parts.append((rows, np.asarray(columns, np.int64), np.full(len(rows), values)))

    def arrays(self) -> tuple[Int, Int, Int, Float, Float]:
        """(starts, columns, values, lower, upper), each row by ascending column."""
        rows, columns, values = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        order = np.lexsort((columns, rows))
        starts = np.zeros(self.count + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=self.count), out=starts[1:])
        return (
            starts,
            columns[order],
            values[order],
            np.concatenate(self.lower),
            np.concatenate(self.upper),
        )


@dataclass(frozen=True, eq=False)
class _Tokens:
    """Candidates and fixed tokens of an instance, and their occurrences by word and start."""

    tokens: tuple[Token, ...]
    fixed: npt.NDArray[np.bool_]
    length: Int
    which: Int
    word: Int
    start: Int


def _tokens(instance: Instance) -> _Tokens:
    index = instance.index
    tokens = [sym.from_array(index.token(i), instance.symbols) for i in range(len(index))]
    known = set(tokens)
    extra = [token for token in instance.fixed if token not in known]
    lo, hi, length = index.find([sym.to_array(token) for token in extra])
    which, word, start = index.occurrences_of(
        np.concatenate([index.lo, lo]),
        np.concatenate([index.hi, hi]),
        np.concatenate([index.length, length]),
    )
    tokens += extra
    fixed = set(instance.fixed)
    return _Tokens(
        tuple(tokens),
        np.array([token in fixed for token in tokens], bool),
        np.concatenate([index.length, length]).astype(np.int64),
        which.astype(np.int64),
        word.astype(np.int64),
        start.astype(np.int64),
    )


def _path(instance: Instance) -> SparseModel:
    """Per word a unit flow from its start to its end; a token's arcs open with the token."""
    words = instance.words
    t = _tokens(instance)
    many = len(t.tokens)
    symbols, arcs = len(words.data), len(t.which)
    lengths = np.diff(words.offsets)
    word_of_symbol = np.repeat(np.arange(len(words)), lengths)

    # variables: tokens, then one arc a symbol, then one arc an occurrence
    single = many + np.arange(symbols)
    arc = many + symbols + np.arange(arcs)
    tail = words.offsets[t.word] + t.start
    head = tail + t.length[t.which]
    rows = _Rows()
    budget = rows.add(1, -np.inf, instance.k)
    rows.put(np.full(many, budget), np.arange(many), 1)
    # a row for every node but a word's last: out − in is 1 at the first, else 0
    is_first = np.zeros(symbols)
    is_first[words.offsets[:-1]] = 1
    node = rows.add(symbols, is_first, is_first)
    rows.put(node + np.arange(symbols), single, 1)
    rows.put(node + tail, arc, 1)
    inner = np.flatnonzero(is_first == 0)  # the single arc into an inner node comes before it
    rows.put(node + inner, single[inner - 1], -1)
    inside = np.flatnonzero(head < words.offsets[t.word + 1])
    rows.put(node + head[inside], arc[inside], -1)
    # arcs of one token that share a symbol: a path takes at most one of them
    order = np.lexsort((t.start, t.word, t.which))
    spread = (int(lengths.max()) if len(words) else 0) * 2 + 1
    runs = np.zeros(arcs, np.int64)
    runs[1:] = np.cumsum((np.diff(t.which[order]) != 0) | (np.diff(t.word[order]) != 0))
    key = runs * spread + t.start[order]
    end = np.searchsorted(key, key + t.length[t.which[order]])
    begin = np.flatnonzero(end > np.concatenate([[0], end[:-1]]))
    sizes = end[begin] - begin
    link = rows.add(len(begin), -np.inf, 0)
    rows.put(link + np.arange(len(begin)), t.which[order[begin]], -1)
    row = np.repeat(np.arange(len(begin)), sizes)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows.put(link + row, arc[order[begin[row] + within]], 1)

    counts = words.counts
    objective = np.concatenate(
        [np.zeros(many, np.int64), counts[word_of_symbol], counts[t.word]]
    ).astype(np.int64)
    place = _places(instance)
    occurrences = _Names(t.word, t.start, t.which)
    cliques = order[begin]
    links = _Names(t.word[cliques], t.which[cliques], t.start[cliques])
    return _finish(
        "path",
        False,
        objective,
        t,
        rows,
        lambda: [*_numbered("x", many), *place.named("s"), *occurrences.named("a")],
        lambda: ["budget", *place.named("flow"), *links.named("use")],
    )


def _wmc(instance: Instance) -> SparseModel:
    """Equations (9)–(11): a pair counts once any chosen token has an occurrence over it."""
    words = instance.words
    t = _tokens(instance)
    many = len(t.tokens)
    # pair p is of symbols p and p + 1; a word's last symbol begins none
    begins = np.ones(len(words.data), bool)
    begins[words.offsets[1:] - 1] = False
    pairs = np.flatnonzero(begins)
    number = np.cumsum(begins) - 1
    rows = _Rows()
    budget = rows.add(1, -np.inf, instance.k)
    rows.put(np.full(many, budget), np.arange(many), 1)
    cover = rows.add(len(pairs), -np.inf, 0)
    rows.put(cover + np.arange(len(pairs)), many + np.arange(len(pairs)), 1)
    sizes = t.length[t.which] - 1
    occurrence = np.repeat(np.arange(len(t.which)), sizes)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    pair = number[(words.offsets[t.word] + t.start)[occurrence] + within]
    both = np.unique(pair * many + t.which[occurrence])  # a token may lie over a pair twice
    rows.put(cover + both // max(many, 1), both % max(many, 1), -1)

    word_of_symbol = np.repeat(np.arange(len(words)), np.diff(words.offsets))
    objective = np.concatenate([np.zeros(many, np.int64), words.counts[word_of_symbol[pairs]]])
    place = _Names(*(part[pairs] for part in _places(instance).parts))
    return _finish(
        "wmc",
        True,
        objective.astype(np.int64),
        t,
        rows,
        lambda: [*_numbered("x", many), *place.named("m")],
        lambda: ["budget", *place.named("cover")],
    )


class _Names:
    """Names made of numbers: arrays side by side, joined by underscores."""

    def __init__(self, *parts: Int) -> None:
        self.parts = parts

    def named(self, prefix: str) -> Iterator[str]:
        for numbers in zip(*(part.tolist() for part in self.parts), strict=True):
            yield prefix + "_".join(map(str, numbers))


def _numbered(prefix: str, many: int) -> Iterator[str]:
    return (f"{prefix}{number}" for number in range(many))


def _places(instance: Instance) -> _Names:
    """(word, position) of every symbol."""
    offsets = instance.words.offsets
    word = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return _Names(word, np.arange(len(word)) - offsets[word])


def _finish(
    name: str,
    maximize: bool,
    objective: Int,
    t: _Tokens,
    rows: _Rows,
    variable_names: Callable[[], list[str]],
    row_names: Callable[[], list[str]],
) -> SparseModel:
    lower = np.zeros(len(objective))
    lower[: len(t.tokens)] = t.fixed
    integer = np.zeros(len(objective), bool)
    integer[: len(t.tokens)] = True
    starts, columns, values, row_lower, row_upper = rows.arrays()
    return SparseModel(
        name,
        maximize,
        objective,
        lower,
        np.ones(len(objective)),
        integer,
        starts,
        columns,
        values,
        row_lower,
        row_upper,
        t.tokens,
        variable_names,
        row_names,
    )


FORMULATIONS: dict[str, Callable[[Instance], SparseModel]] = {"path": _path, "wmc": _wmc}


def build(instance: Instance, formulation: str = "path") -> SparseModel:
    """Build a formulation of an instance, straight from arrays.

    Parameters
    ----------
    instance : Instance
        The instance; fixed tokens get a lower bound of 1 and count within the budget.
    formulation : {"path", "wmc"}
        ``path``: Tok itself, minimising tokens: a binary for each candidate, and in each word a
        unit flow over arcs of single symbols and occurrences.  Occurrences of one token that
        share a symbol are bounded together by the token's variable.  ``wmc``: the relaxation
        (weighted maximum coverage), maximising cover (Lim, Choo and Lauw 2025, Equations 9–11).

    Returns
    -------
    SparseModel
        O(occurrences) variables and nonzeros (``wmc``: O(pairs under occurrences)).

    Raises
    ------
    InputError
        For an unknown formulation, naming those there are.
    """
    if formulation not in FORMULATIONS:
        raise InputError(f"unknown formulation {formulation!r}: use {', '.join(FORMULATIONS)}")
    return FORMULATIONS[formulation](instance)
