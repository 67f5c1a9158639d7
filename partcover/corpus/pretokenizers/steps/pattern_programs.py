r"""Makes programs of patterns, which the kernel that splits text runs.

A pattern, as `partcover.corpus.pretokenizers.oniguruma.translated` writes it for `regex`, is read
into a tree, and the tree becomes nodes: `partcover.kernels.texts._step_cutter` says what they do.
Each set of characters is what `regex` matches, character by character, with the properties of
Unicode 16.  What has no program, as lazy quantifiers have none, is left to `regex`.

Greedy quantifiers try the most first and give back one by one, as `regex` does.  Where what follows
a set cannot begin with a character of it, nothing that is given back could help, and it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, TypeAlias

from ....kernels.texts import _step_cutter as kernel
from ....runtime.arrays import Bools, UInt32, np
from ....runtime.patterns import regex
from ..character_kinds import code_points
from ..unicode_tables import in_unicode_16

_MOST_NODES = 1_000  # of a pattern, with repetitions written out
_BITS = 32  # of a table
_ANY = -1


class Unsupported(Exception):
    """A pattern has no program."""


class _Set(NamedTuple):
    """One character; `source` is what `regex` reads."""

    source: str


class _Repeat(NamedTuple):
    inner: _Tree
    least: int
    most: int
    possessive: bool


class _Look(NamedTuple):
    inner: _Tree
    ahead: bool
    negative: bool


class _Place(NamedTuple):
    """The begin or the end of the text."""

    op: int


class _Sequence(NamedTuple):
    parts: tuple[_Tree, ...]


class _Choice(NamedTuple):
    parts: tuple[_Tree, ...]


_Tree: TypeAlias = _Set | _Repeat | _Look | _Place | _Sequence | _Choice

_QUANTIFIER = re.compile(r"(?:([*+?])|\{([0-9]*)(,?)([0-9]*)\})([?+]?)")
_ATOM = re.compile(
    r"\\[pP]\{\^?[A-Za-z_ ]+\}|\\x[0-9A-Fa-f]{2}|\\U[0-9A-Fa-f]{8}|\\u[0-9A-Fa-f]{4}|"
    r"\\[sSdDntrfa]|\\[^\w\s]|\\\s|[^\\\[\](){}*+?|^$.]|\.",
    re.DOTALL,
)
_GROUP = re.compile(r"\(\?(?::|(-?i):|(<?)([=!]))")
# parts of characters that are as one where case is ignored: ß is ss, and ligatures
_ONE_IN_ANY_CASE = re.compile("ss|ff|fi|fl|st", re.IGNORECASE)


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def all(self) -> _Tree:
        tree = self._choice(False, 0)
        if self.at < len(self.pattern):
            raise Unsupported
        return tree

    def _choice(self, any_case: bool, depth: int) -> _Tree:
        if depth > 20:
            raise Unsupported
        parts = [self._sequence(any_case, depth)]
        while self.pattern.startswith("|", self.at):
            self.at += 1
            parts.append(self._sequence(any_case, depth))
        return parts[0] if len(parts) == 1 else _Choice(tuple(parts))

    def _sequence(self, any_case: bool, depth: int) -> _Tree:
        parts: list[_Tree] = []
        start = self.at
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self._quantified(any_case, depth))
        if any_case and _ONE_IN_ANY_CASE.search(self.pattern[start : self.at]):
            raise Unsupported
        return parts[0] if len(parts) == 1 else _Sequence(tuple(parts))

    def _quantified(self, any_case: bool, depth: int) -> _Tree:
        tree = self._item(any_case, depth)
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None:
            return tree
        self.at = found.end()
        if found[1]:
            least, most = {"*": (0, _ANY), "+": (1, _ANY), "?": (0, 1)}[found[1]]
        else:
            least = int(found[2] or 0)
            most = least if not found[3] else int(found[4]) if found[4] else _ANY
        if found[5] == "?" or (most != _ANY and most < least):
            raise Unsupported
        possessive = found[5] == "+"
        if _QUANTIFIER.match(self.pattern, self.at) or (
            not isinstance(tree, _Set) and (possessive or _is_empty(tree))
        ):
            raise Unsupported
        return _Repeat(tree, least, most, possessive)

    def _item(self, any_case: bool, depth: int) -> _Tree:
        pattern, at = self.pattern, self.at
        if pattern[at] == "(":
            return self._group(any_case, depth)
        if pattern[at] == "[":
            source = self._bracket()
        elif pattern.startswith(r"\Z", at) or pattern.startswith(r"\A", at):
            self.at += 2
            return _Place(kernel.END if pattern[at + 1] == "Z" else kernel.BEGIN)
        elif found := _ATOM.match(pattern, at):
            self.at = found.end()
            source = found[0]
        else:
            raise Unsupported
        if any_case:
            if not source.isascii() or (source[0] == "[" and re.search("[A-Za-z]", source)):
                raise Unsupported
            source = f"(?i:{source})"
        return _Set(source)

    def _bracket(self) -> str:
        """Returns a class of characters, whose brackets may be nested."""
        start, depth = self.at, 0
        while self.at < len(self.pattern):
            letter = self.pattern[self.at]
            self.at += 2 if letter == "\\" else 1
            depth += {"[": 1, "]": -1}.get(letter, 0)
            if depth == 0:
                return self.pattern[start : self.at]
        raise Unsupported

    def _group(self, any_case: bool, depth: int) -> _Tree:
        found = _GROUP.match(self.pattern, self.at)
        if found is None:
            raise Unsupported
        self.at = found.end()
        case, behind, look = found.groups()
        inner = self._choice(any_case if case is None else case == "i", depth + 1)
        if not self.pattern.startswith(")", self.at):
            raise Unsupported
        self.at += 1
        if look is None:
            return inner
        if behind and not isinstance(inner, _Set):
            raise Unsupported
        return _Look(inner, ahead=not behind, negative=look == "!")


def may_be_empty(pattern: str) -> bool:
    """Returns whether a pattern may match nothing; True, too, for what has no program."""
    try:
        return _is_empty(_Reader(pattern).all())
    except Unsupported:
        return True


def _is_empty(tree: _Tree) -> bool:
    """Returns whether a tree may match nothing."""
    if isinstance(tree, _Set):
        return False
    if isinstance(tree, _Repeat):
        return tree.least == 0 or _is_empty(tree.inner)
    if isinstance(tree, _Sequence):
        return all(map(_is_empty, tree.parts))
    if isinstance(tree, _Choice):
        return any(map(_is_empty, tree.parts))
    return True


def _first(tree: _Tree) -> set[str]:
    """Returns the sets that a match, where it is not empty, begins with one of."""
    if isinstance(tree, _Set):
        return {tree.source}
    if isinstance(tree, _Repeat):
        return _first(tree.inner)
    if isinstance(tree, _Choice):
        return set().union(*map(_first, tree.parts))
    found: set[str] = set()
    if isinstance(tree, _Sequence):
        for part in tree.parts:
            found |= _first(part)
            if not _is_empty(part):
                break
    return found


@dataclass
class Programs:
    r"""The programs of several patterns, and the sets of characters that they share.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.steps.pattern_programs import Programs
    >>> programs = Programs()
    >>> programs.add(r"\d+| ")
    (3, [' ', '\\d'])
    >>> len(programs.nodes), programs.sets
    (4, {' ': 0, '\\d': 1})
    """

    #: the bit of each set
    sets: dict[str, int] = field(default_factory=dict)
    nodes: list[list[int]] = field(default_factory=list)
    # nodes of a repeated set, and what may follow
    _greedy: list[tuple[int, str, set[str]]] = field(default_factory=list)

    def add(self, pattern: str) -> tuple[int, list[str]]:
        """Adds the program of a pattern, as `regex` reads it.

        Returns
        -------
        start : int
            Its first node.
        first : list of str
            The sets that a match begins with one of.

        Raises
        ------
        Unsupported
            If it has none, as for lazy quantifiers and for patterns that match nothing.
        """
        tree = _Reader(pattern).all()
        if _is_empty(tree):
            raise Unsupported
        before = len(self.nodes)
        start = self._compiled(tree, self._node(kernel.FOUND), set())
        if len(self.nodes) - before > _MOST_NODES:
            raise Unsupported
        return start, sorted(_first(tree), key=self._bit)

    def fits(self, firsts: int) -> bool:
        """Returns whether there are bits for all sets, and for so many unions of them."""
        return len(self.sets) + firsts <= _BITS

    def table(self, firsts: list[list[str]]) -> UInt32:
        """Returns the sets that each code point is in, a bit each, and settles what is kept.

        Behind them is a bit for each of `firsts`: whether it is in one of these sets.
        """
        for place, source, behind in self._greedy:
            self.nodes[place][6] |= not any(_meet(source, each) for each in behind)
        table = np.zeros(0x110000, np.uint32)
        for source, bit in self.sets.items():
            table |= points_of(source).astype(np.uint32) << np.uint32(bit)
        for place, sources in enumerate(firsts):
            mask = sum(1 << self.sets[source] for source in sources)
            table |= (table & np.uint32(mask) != 0).astype(np.uint32) << np.uint32(
                len(self.sets) + place
            )
        table.setflags(write=False)
        return table

    def _bit(self, source: str) -> int:
        if len(self.sets) >= _BITS and source not in self.sets:
            raise Unsupported
        return self.sets.setdefault(source, len(self.sets))

    def _node(
        self, op: int, following: int = -1, other: int = -1, sets: Iterable[str] = (),
        least: int = 0, most: int = 0, flag: bool = False,
    ) -> int:  # fmt: skip
        if len(self.nodes) > 4 * _MOST_NODES:
            raise Unsupported
        mask = sum(1 << self._bit(source) for source in sets)
        self.nodes.append([op, following, other, mask, least, most, int(flag)])
        return len(self.nodes) - 1

    def _compiled(self, tree: _Tree, following: int, behind: set[str] | None) -> int:
        """Returns the node of a tree that `following` follows.

        What follows begins with one of the sets `behind`, or the match ends; None where more may
        be asked of it.
        """
        if isinstance(tree, _Set):
            return self._node(kernel.SET, following, sets=[tree.source], least=1, most=1)
        if isinstance(tree, _Place):
            return self._node(tree.op, following)
        if isinstance(tree, _Look):
            if isinstance(tree.inner, _Set) and not tree.ahead:
                sets = [tree.inner.source]
                return self._node(kernel.BEHIND, following, sets=sets, flag=tree.negative)
            inner = self._compiled(tree.inner, self._node(kernel.FOUND), set())
            return self._node(kernel.AHEAD, following, inner, flag=tree.negative)
        if isinstance(tree, _Choice):
            place = self._compiled(tree.parts[-1], following, behind)
            for part in reversed(tree.parts[:-1]):
                begins = set() if _is_empty(part) else _first(part)
                first = self._compiled(part, following, behind)
                place = self._node(kernel.EITHER, first, place, begins)
            return place
        if isinstance(tree, _Sequence):
            for part in reversed(tree.parts):
                following = self._compiled(part, following, behind)
                behind = _first(part) if not _is_empty(part) else _joined(part, behind)
            return following
        return self._repeated(tree, following, behind)

    def _repeated(self, tree: _Repeat, following: int, behind: set[str] | None) -> int:
        inner, least, most, possessive = tree
        if isinstance(inner, _Set):
            place = self._node(
                kernel.SET, following, sets=[inner.source], least=least, most=most,
                flag=possessive,
            )  # fmt: skip
            if behind is not None:
                self._greedy.append((place, inner.source, behind))
            return place
        if most == _ANY:
            place = self._node(kernel.EITHER, -1, following, _first(inner))
            self.nodes[place][1] = self._compiled(inner, place, None)
        else:
            place = following
            for _ in range(most - least):
                first = self._compiled(inner, place, None)
                place = self._node(kernel.EITHER, first, following, _first(inner))
        for _ in range(least):
            place = self._compiled(inner, place, None)
        return place


def _joined(part: _Tree, behind: set[str] | None) -> set[str] | None:
    """Returns what a part that may be empty, and what is behind it, begin with."""
    return None if behind is None or _looks(part) else behind | _first(part)


def _looks(tree: _Tree) -> bool:
    """Returns whether a tree looks at what is beside a match."""
    if isinstance(tree, _Repeat):
        return _looks(tree.inner)
    if isinstance(tree, _Sequence | _Choice):
        return any(map(_looks, tree.parts))
    return isinstance(tree, _Look | _Place)


# where else Unicode has characters for private use, and none
_ELSEWHERE: dict[tuple[int, int], int] = {
    (0x40000, 0xE0000): 0x50000, (0xE1000, 0xF0000): 0x50000, (0xF0000, 0xFFFFE): 0xF5000,
    (0xFFFFE, 0x100000): 0x50000, (0x100000, 0x10FFFE): 0xF5000, (0x10FFFE, 0x110000): 0x50000,
}  # fmt: skip


@cache
def points_of(source: str) -> Bools:
    r"""Returns which code points match a pattern for one character; `in_unicode_16` says how.

    Returns
    -------
    ndarray of bool, shape (0x110000,)
        Read-only.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.steps.pattern_programs import points_of
    >>> points_of(r"\s").nonzero()[0][:6].tolist()
    [9, 10, 11, 12, 13, 32]
    """
    run = f"(?V1)(?:{in_unicode_16(source)})+"
    far = max(map(ord, source)) > 0x3FFFF or any(
        int(code, 16) > 0x3FFFF for code in re.findall(r"\\U([0-9A-Fa-f]{8})", source)
    )
    if far or "oncharacter" in source.lower():
        points = code_points({run: 1}, [range(0x110000)]).astype(np.bool_)
    else:
        points = code_points({run: 1}).astype(np.bool_)
        for (begin, end), point in _ELSEWHERE.items():
            points[begin:end] = regex.fullmatch(run, chr(point)) is not None
    points.setflags(write=False)
    return points


@cache
def _meet(one: str, other: str) -> bool:
    """Returns whether two sets have a character in common."""
    return one == other or bool((points_of(one) & points_of(other)).any())
