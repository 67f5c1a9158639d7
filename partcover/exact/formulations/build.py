"""Builds an instance as an integer program, in four formulations, straight from arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ...corpus.symbols import Token
from ...errors import InputError
from ...problem.candidates import CandidateIndex
from ...problem.instance import Instance
from ..sparse_model import Rows, Sense, SparseModel, refuse_beyond_memory

__all__ = ["EXACT", "FORMULATIONS", "Formulation", "Goal", "build", "entries", "require"]

Int = npt.NDArray[np.int64]
Goal = Literal["tokens", "decision", "size"]


@dataclass(frozen=True, eq=False)
class _Tokens:
    """Candidates and fixed tokens of an instance, and their occurrences by word and start."""

    tokens: tuple[Token, ...]
    fixed: npt.NDArray[np.bool_]
    length: Int
    which: Int
    word: Int
    start: Int

    @classmethod
    def of(cls, instance: Instance, index: CandidateIndex) -> _Tokens:
        tokens = list(index.tokens())
        known = set(tokens)
        extra = [token for token in instance.fixed if token not in known]
        intervals = index.intervals.joined(index.find_tokens(extra))
        which, word, start = index.occurrences_of(intervals)
        tokens += extra
        fixed = set(instance.fixed)
        return cls(
            tuple(tokens),
            np.array([token in fixed for token in tokens], bool),
            intervals.length.astype(np.int64),
            which.astype(np.int64),
            word.astype(np.int64),
            start.astype(np.int64),
        )


@dataclass(frozen=True, eq=False)
class _Body:
    """What a formulation says about the words; the budgets and the objective are for all alike."""

    rows: Rows
    tokens_of: Int  # tokens needed, for each variable but those of tokens
    cover_of: Int  # cover
    constant: int  # tokens needed besides
    variable_names: Callable[[], list[str]]
    row_names: Callable[[], list[str]]


class _Names:
    """Names made of numbers: arrays side by side, joined by underscores."""

    def __init__(self, *parts: Int) -> None:
        self.parts = parts

    def named(self, prefix: str) -> Iterator[str]:
        for numbers in zip(*(part.tolist() for part in self.parts), strict=True):
            yield prefix + "_".join(map(str, numbers))


def _expand(sizes: Int) -> tuple[Int, Int]:
    """For runs of these sizes: the run of each element, and its place within the run."""
    sizes = sizes.astype(np.int64)
    run = np.repeat(np.arange(len(sizes)), sizes)
    return run, np.arange(len(run)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


@dataclass(frozen=True, eq=False)
class _Places:
    """The symbols of all words in a row, and the pairs of neighbours among them."""

    word: Int  # of each symbol
    position: Int  # in its word
    pairs: Int  # the first symbol of each pair
    pair_at: Int  # the number of the pair that begins at a symbol, where one does

    @classmethod
    def of(cls, instance: Instance) -> _Places:
        offsets = instance.words.offsets
        word = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        begins = np.ones(len(word), bool)
        begins[offsets[1:] - 1] = False
        return cls(
            word,
            np.arange(len(word)) - offsets[word],
            np.flatnonzero(begins),
            np.cumsum(begins) - begins,
        )

    def symbol_names(self) -> _Names:
        return _Names(self.word, self.position)

    def pair_names(self) -> _Names:
        return _Names(self.word[self.pairs], self.position[self.pairs])


def _path(instance: Instance, t: _Tokens) -> _Body:
    """Per word a unit flow from its start to its end; a token's arcs open with the token."""
    words = instance.words
    places = _Places.of(instance)
    many = len(t.tokens)
    symbols, arcs = len(words.data), len(t.which)
    lengths = np.diff(words.offsets)

    # variables: tokens, then one arc a symbol, then one arc an occurrence
    single = many + np.arange(symbols)
    arc = many + symbols + np.arange(arcs)
    tail = words.offsets[t.word] + t.start
    head = tail + t.length[t.which]
    rows = Rows()
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
    link = rows.add(len(begin), -np.inf, 0)
    rows.put(link + np.arange(len(begin)), t.which[order[begin]], -1)
    row, within = _expand(end[begin] - begin)
    rows.put(link + row, arc[order[begin[row] + within]], 1)

    counts = words.counts
    cliques = order[begin]
    links = _Names(t.word[cliques], t.which[cliques], t.start[cliques])
    occurrences = _Names(t.word, t.start, t.which)
    return _Body(
        rows,
        np.concatenate([counts[places.word], counts[t.word]]),
        np.concatenate([np.zeros(symbols, np.int64), counts[t.word] * (t.length[t.which] - 1)]),
        0,
        lambda: [*places.symbol_names().named("s"), *occurrences.named("a")],
        lambda: [*places.symbol_names().named("flow"), *links.named("use")],
    )


def _wmc(instance: Instance, t: _Tokens) -> _Body:
    """Equations (9)–(11): a pair counts once any chosen token has an occurrence over it."""
    words = instance.words
    places = _Places.of(instance)
    many, pairs = len(t.tokens), len(places.pairs)
    rows = Rows()
    cover = rows.add(pairs, -np.inf, 0)
    rows.put(cover + np.arange(pairs), many + np.arange(pairs), 1)
    occurrence, within = _expand(t.length[t.which] - 1)
    pair = places.pair_at[(words.offsets[t.word] + t.start)[occurrence] + within]
    both = np.unique(pair * many + t.which[occurrence])  # a token may lie over a pair twice
    rows.put(cover + both // max(many, 1), both % max(many, 1), -1)
    return _of_pairs(
        instance,
        places,
        rows,
        0,
        lambda: [*places.pair_names().named("m")],
        lambda: [*places.pair_names().named("cover")],
    )


def _occurrence(instance: Instance, t: _Tokens) -> _Body:
    """The paper's model repaired: one binary an occurrence, at most one over each symbol."""
    words = instance.words
    places = _Places.of(instance)
    many, pairs, placed = len(t.tokens), len(places.pairs), len(t.which)
    covered = many + np.arange(pairs)
    occurrence = many + pairs + np.arange(placed)
    begin = words.offsets[t.word] + t.start
    rows = Rows()
    cover = rows.add(pairs, -np.inf, 0)
    rows.put(cover + np.arange(pairs), covered, 1)
    which, within = _expand(t.length[t.which] - 1)
    rows.put(cover + places.pair_at[begin[which] + within], occurrence[which], -1)
    use = rows.add(placed, -np.inf, 0)
    rows.put(use + np.arange(placed), occurrence, 1)
    rows.put(use + np.arange(placed), t.which, -1)
    once = rows.add(len(words.data), -np.inf, 1)
    which, within = _expand(t.length[t.which])
    rows.put(once + begin[which] + within, occurrence[which], 1)
    names = _Names(t.word, t.start, t.which)
    return _of_pairs(
        instance,
        places,
        rows,
        placed,
        lambda: [*places.pair_names().named("m"), *names.named("o")],
        lambda: [
            *places.pair_names().named("cover"),
            *names.named("use"),
            *places.symbol_names().named("once"),
        ],
    )


def _printed(instance: Instance, t: _Tokens) -> _Body:
    """Equations (1)–(8), to the letter: a token's pairs are told by their two symbols alone."""
    places = _Places.of(instance)
    bigrams = _Grams(instance, places, 2)
    trigrams = _Grams(instance, places, 3)
    many, pairs = len(t.tokens), len(places.pairs)
    # m^{W,T} for every pair whose two symbols are neighbours somewhere in T
    token, pair, first, last = bigrams.join(t.tokens)
    covered = many + np.arange(pairs)
    part = many + pairs + np.arange(len(token))
    rows = Rows()
    use = rows.add(len(token), -np.inf, 0)  # (3) x_T ≥ m^{W,T}
    rows.put(use + np.arange(len(token)), part, 1)
    rows.put(use + np.arange(len(token)), token, -1)
    cover = rows.add(pairs, -np.inf, 0)  # (4) m^W ≤ Σ_T m^{W,T}
    rows.put(cover + np.arange(pairs), covered, 1)
    rows.put(cover + pair, part, -1)
    once = rows.add(pairs, -np.inf, 1)  # (5) Σ_T m^{W,T} ≤ 1
    rows.put(once + pair, part, 1)
    # (6) the two pairs of three symbols that are neighbours in T are covered together
    key = token * max(pairs, 1) + pair
    order = np.argsort(key, kind="stable")
    joined, left, _, _ = trigrams.join(t.tokens)
    for_left = order[np.searchsorted(key[order], joined * max(pairs, 1) + left)]
    for_right = order[np.searchsorted(key[order], joined * max(pairs, 1) + left + 1)]
    same = rows.add(len(joined), 0, 0)
    rows.put(same + np.arange(len(joined)), part[for_left], 1)
    rows.put(same + np.arange(len(joined)), part[for_right], -1)
    # (7) and (8): beside a pair that begins or ends T, no pair is covered by anything
    position = places.position[places.pairs[pair]]
    size = np.diff(instance.words.offsets)[places.word[places.pairs[pair]]]
    begins = np.flatnonzero(first & (position > 0))
    ends = np.flatnonzero(last & (position + 2 < size))
    start = rows.add(len(begins), -np.inf, 1)
    rows.put(start + np.arange(len(begins)), part[begins], 1)
    rows.put(start + np.arange(len(begins)), covered[pair[begins] - 1], 1)
    end = rows.add(len(ends), -np.inf, 1)
    rows.put(end + np.arange(len(ends)), part[ends], 1)
    rows.put(end + np.arange(len(ends)), covered[pair[ends] + 1], 1)

    def parts(which: Int) -> _Names:
        symbol = places.pairs[pair[which]]
        return _Names(places.word[symbol], places.position[symbol], token[which])

    every = np.arange(len(token))
    return _of_pairs(
        instance,
        places,
        rows,
        len(token),
        lambda: [*places.pair_names().named("m"), *parts(every).named("n")],
        lambda: [
            *parts(every).named("use"),
            *places.pair_names().named("cover"),
            *places.pair_names().named("once"),
            *parts(for_left).named("same"),
            *parts(begins).named("start"),
            *parts(ends).named("end"),
        ],
    )


class _Grams:
    """Where each run of `size` symbols stands in the words, as the pair that it begins with."""

    def __init__(self, instance: Instance, places: _Places, size: int) -> None:
        self.size = size
        self.at: dict[Token, list[int]] = {}
        for word, begin in zip(
            (word for word, _ in instance.words), instance.words.offsets.tolist(), strict=False
        ):
            for position in range(len(word) - size + 1):
                pair = int(places.pair_at[begin + position])
                self.at.setdefault(word[position : position + size], []).append(pair)

    def join(
        self, tokens: tuple[Token, ...]
    ) -> tuple[Int, Int, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """(token, pair, begins the token, ends it) wherever a run of a token stands in a word."""
        which, pairs, first, last = [], [], [], []
        for number, token in enumerate(tokens):
            size = self.size
            runs = dict.fromkeys(token[i : i + size] for i in range(len(token) - size + 1))
            for run in runs:
                found = self.at.get(run, [])
                which += [number] * len(found)
                pairs += found
                first += [run == token[:size]] * len(found)
                last += [run == token[-size:]] * len(found)
        return (
            np.array(which, np.int64),
            np.array(pairs, np.int64),
            np.array(first, bool),
            np.array(last, bool),
        )


def _of_pairs(
    instance: Instance,
    places: _Places,
    rows: Rows,
    others: int,
    variable_names: Callable[[], list[str]],
    row_names: Callable[[], list[str]],
) -> _Body:
    """A body whose first variables after the tokens say which pairs are covered."""
    words = instance.words
    cover = words.counts[places.word[places.pairs]]
    cover = np.concatenate([cover, np.zeros(others, np.int64)])
    return _Body(rows, -cover, cover, words.total_symbols, variable_names, row_names)


@dataclass(frozen=True)
class Formulation:
    """A formulation: what makes its rows, its sense, and whether it is the problem itself."""

    body: Callable[[Instance, _Tokens], _Body]
    sense: Sense  # as it is written in its source
    exact: bool  # its optimum is that of Tok


FORMULATIONS: dict[str, Formulation] = {
    "path": Formulation(_path, "min", True),
    "occurrence": Formulation(_occurrence, "max", True),
    "printed": Formulation(_printed, "max", False),
    "wmc": Formulation(_wmc, "max", False),
}
EXACT = [name for name, form in FORMULATIONS.items() if form.exact]


def require(formulation: str) -> Formulation:
    """The formulation of that name.

    Raises
    ------
    InputError
        For an unknown one, naming those there are.
    """
    if formulation not in FORMULATIONS:
        raise InputError(f"unknown formulation {formulation!r}: use {', '.join(FORMULATIONS)}")
    return FORMULATIONS[formulation]


def build(
    instance: Instance,
    formulation: str = "path",
    *,
    sense: Sense | None = None,
    goal: Goal = "tokens",
    memory: int | None = None,
) -> SparseModel:
    """Build a formulation of an instance; `SparseModel.relaxed` makes its linear relaxation.

    Parameters
    ----------
    instance : Instance
        The instance; fixed tokens get a lower bound of 1 and count within the budgets.
    formulation : {"path", "occurrence", "printed", "wmc"}
        ``path``: Tok itself: a binary for each candidate, and in each word a unit flow over arcs
        of single symbols and occurrences.  Occurrences of one token that share a symbol are
        bounded together by the token's variable.  ``occurrence``: Tok itself: a binary for each
        occurrence, at most one over each symbol.  ``printed``: Equations (1) to (8) of Lim, Choo
        and Lauw (2025) as printed, which are not Tok (see docs/formulations.md).  ``wmc``:
        the relaxation to weighted maximum coverage (their Equations 9 to 11).
    sense : {"min", "max"}, optional
        Minimise tokens or maximise cover; by default as the formulation is written in its
        source: ``path`` minimises, the others maximise.
    goal : {"tokens", "decision", "size"}
        ``tokens``: the fewest tokens, or the most cover.  ``decision``: is there a vocabulary
        that meets the instance's threshold?  (Nothing is optimised.)  ``size``: the fewest
        chosen tokens that meet it, at most k.
    memory : int, optional
        Bytes that model and solver may take; by default what the machine has.

    Returns
    -------
    SparseModel
        Variables and nonzeros: ``path`` O(occurrences); ``occurrence`` and ``wmc`` O(symbols
        under occurrences); ``printed`` up to O(symbols · candidates).

    Raises
    ------
    InputError
        For an unknown formulation, goal or sense, naming those there are; a goal without a
        threshold; a model too large for the memory, before it is built.
    """
    form = require(formulation)
    if sense not in (None, "min", "max"):
        raise InputError(f"unknown sense {sense!r}: use min or max")
    if goal not in ("tokens", "decision", "size"):
        raise InputError(f"unknown goal {goal!r}: use tokens, decision or size")
    if goal != "tokens" and instance.threshold is None:
        raise InputError(f"goal {goal!r} needs a threshold: how many tokens may be needed?")
    refuse_beyond_memory(formulation, entries(instance, formulation), memory)
    index = instance.index
    if formulation == "printed" and not instance.groups:
        # where a token is not treated as Tok does, a dominated one may be the better
        index = instance.candidate_index(dominated=True)
    t = _Tokens.of(instance, index)
    body = form.body(instance, t)
    many = len(t.tokens)
    maximize = goal == "tokens" and (sense or form.sense) == "max"
    zeros = np.zeros(many, np.int64)
    cover = np.concatenate([zeros, body.cover_of]).astype(np.int64)
    objective = cover if maximize else np.concatenate([zeros, body.tokens_of]).astype(np.int64)
    if goal != "tokens":
        objective = np.concatenate([zeros + (goal == "size"), np.zeros_like(body.tokens_of)])
    # a variable fixed to 1 carries the constant, which not every file and solver takes
    constant = body.constant if goal == "tokens" and not maximize else 0
    if constant:
        objective = np.append(objective, constant)
    variables = len(objective)

    head = Rows()
    names = ["budget"]
    budget = head.add(1, -np.inf, instance.k)
    head.put(np.full(many, budget), np.arange(many), 1)
    for number, group in enumerate(instance.groups):
        held = np.flatnonzero([token in group for token in t.tokens])
        row = head.add(1, -np.inf, group.limit)
        head.put(np.full(len(held), row), held, 1)
        names.append(f"group{number}")
    if goal != "tokens" and instance.threshold is not None:
        used = np.flatnonzero(cover)
        row = head.add(1, instance.words.total_symbols - instance.threshold, np.inf)
        head.put(np.full(len(used), row), used, cover[used])
        names.append("reach")
    first = head.count
    head.parts += [(rows + first, columns, values) for rows, columns, values in body.rows.parts]
    head.lower += body.rows.lower
    head.upper += body.rows.upper
    head.count += body.rows.count

    lower = np.zeros(variables)
    lower[:many] = t.fixed
    if constant:
        lower[-1] = 1
    integer = np.zeros(variables, bool)
    integer[:many] = True
    if formulation == "printed":
        integer[:] = True  # all are binary there, and nothing makes them so by themselves
    starts, columns, values, row_lower, row_upper = head.arrays()
    return SparseModel(
        name=formulation,
        goal=goal,
        maximize=maximize,
        objective=objective,
        lower=lower,
        upper=np.ones(variables),
        integer=integer,
        starts=starts,
        columns=columns,
        values=values,
        row_lower=row_lower,
        row_upper=row_upper,
        tokens=t.tokens,
        words=tuple(word for word, _ in instance.words),
        variable_names=lambda: [
            *(f"x{number}" for number in range(many)),
            *body.variable_names(),
            *(["one"] if constant else []),
        ],
        row_names=lambda: [*names, *body.row_names()],
    )


def entries(instance: Instance, formulation: str) -> int:
    """Nonzeros and variables that a formulation would have, at least, without building it.

    Of ``printed`` about: more where pairs of a token repeat.  O(candidates + symbols).
    """
    index = instance.index
    many = (index.hi - index.lo).astype(np.int64)
    placed = int(many.sum())
    symbols = len(instance.words.data)
    if formulation == "path":
        return 2 * len(many) + 2 * symbols + 3 * placed
    if formulation == "wmc":
        return 2 * len(many) + placed
    if formulation == "occurrence":
        return 2 * len(many) + 2 * int((many * index.length).sum())
    # printed: a token meets each of its pairs wherever that stands
    text = index.text.astype(np.int64)
    _, kind, often = np.unique(
        text[:-1] * (int(text.max(initial=0)) + 1) + text[1:],
        return_inverse=True,
        return_counts=True,
    )
    upto = np.concatenate([[0], np.cumsum(often[kind])])
    start = index.sa[index.lo]
    return 2 * len(many) + 5 * int((upto[start + index.length - 1] - upto[start]).sum())
