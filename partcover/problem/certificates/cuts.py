"""The parts of a certificate's leaf besides prices: multipliers of pairs, and cuts."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import Any, Literal, TypeAlias

from ...corpus import symbols as sym
from ...corpus.symbols import Symbols, Token
from ...errors import InputError
from ...runtime.arrays import Int64, np
from ...runtime.memory import refuse_beyond
from ...runtime.notebook import brief
from .checksum import inflated, listed, unpacked_bytes, whole

CutKind: TypeAlias = Literal["cycle", "clique", "signed"]
_NUMBERS = "coef", "rhs", "multiplier"

_WIDTH = 8  # bytes of a number in packed multipliers
_BYTES_A_MULTIPLIER = 400  # bytes of a multiplier during the check, including what its tokens pay


@dataclass(frozen=True, eq=False)
class PairPrices:
    """The multipliers of the tokens of two nodes of a cut, at symbols where the tokens overlap.

    The `tokens` of both nodes ascend; in a certificate with merges there may be a single one.  The
    `positions` are numbers of symbols, ascending, in the order of a leaf's prices; there
    occurrences of the tokens pay the `multipliers`, above 0, in units of 2^-scale_bits of a token.
    """

    tokens: tuple[Token, ...]
    positions: Int64
    multipliers: Int64

    def __post_init__(self) -> None:
        for array in (self.positions, self.multipliers):
            if array.dtype != np.int64 or array.shape != (self.positions.size,):
                raise InputError(
                    "the positions and multipliers of a pair are not equally many numbers of int64"
                )

    def __repr__(self) -> str:
        tokens = map(sym.glance, self.tokens[:3])
        return brief("PairPrices", *tokens, f"{len(self.positions):,} multipliers")


@dataclass(frozen=True)
class Cut:
    """A valid inequality: if few of some tokens are chosen, few of their edges are touched.

    A node is a token, or several tokens that are treated as one.  An edge of a cycle is a node with
    the next, or the last with the first; of a clique any pair.  It is touched if one of its tokens
    is in the vocabulary.  If the vocabulary contains s tokens of all nodes, at most
    ``coef · s + rhs`` edges are touched, which `check_certificate` confirms.  The multiplier is at
    least 0, in units of 2^-scale_bits of a token.

    A signed cycle also has links, which count if both of their tokens are in the vocabulary.  Its
    nodes are single tokens.  A link i joins node i and the next, with the token of node i first; a
    link −1 − i joins them with that token second.

    Examples
    --------
    >>> from partcover.problem.certificates.cuts import Cut
    >>> cut = Cut.cycle([[b"ab"], [b"bc"], [b"ca", b"cab"]], 1)
    >>> cut.kind, cut.coef, cut.rhs
    ('cycle', 1, 1)
    """

    nodes: tuple[tuple[Token, ...], ...]
    kind: CutKind
    coef: int
    rhs: int
    multiplier: int
    links: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.__dict__["nodes"] = tuple(map(tuple, self.nodes))
        self.__dict__["links"] = tuple(whole(n, "a link of a cut") for n in self.links)
        for name in _NUMBERS:
            self.__dict__[name] = whole(getattr(self, name), f"the {name} of a cut")

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of all nodes."""
        return tuple(token for node in self.nodes for token in node)

    @property
    def n_ends(self) -> int:
        """The number of tokens of all its edges, counted for each edge."""
        each = len(self.nodes) - 1 if self.kind == "clique" else 2
        return each * sum(map(len, self.nodes))

    @property
    def edges(self) -> Iterator[tuple[Token, ...]]:
        """The tokens of each edge, ascending."""
        pairs: Iterable[tuple[tuple[Token, ...], tuple[Token, ...]]]
        if self.kind == "clique":
            pairs = combinations(self.nodes, 2)
        else:
            pairs = pairwise((*self.nodes, self.nodes[0]))
        linked = {max(n, -1 - n) for n in self.links}
        for number, (one, other) in enumerate(pairs):
            if number in linked:
                continue
            edge: list[Any] = [*one, *other]
            yield tuple(sorted(edge))

    @property
    def linked(self) -> Iterator[tuple[Token, ...]]:
        """The first and the second token of each link."""
        for n in self.links:
            at = max(n, -1 - n)
            (one,), (other,) = self.nodes[at], self.nodes[(at + 1) % len(self.nodes)]
            yield (one, other) if n >= 0 else (other, one)

    @classmethod
    def cycle(cls, nodes: Iterable[Iterable[Token]], multiplier: int) -> Cut:
        """Makes the cut of an odd cycle: s chosen tokens touch at most s + (n − 1)/2 of n edges."""
        cycle = tuple(map(tuple, nodes))
        return cls(cycle, "cycle", 1, len(cycle) // 2, multiplier)

    @classmethod
    def clique(cls, nodes: Iterable[Iterable[Token]], r: int, multiplier: int) -> Cut:
        """Makes the cut of a clique that is tight if r or r + 1 of its n nodes are chosen.

        h nodes touch C(n, 2) − C(n − h, 2) edges.  This is concave in h, so the line through its
        values at r and r + 1 is nowhere below it.
        """
        clique = tuple(map(tuple, nodes))
        n = len(clique)
        if not 1 <= r <= n - 2:
            raise InputError(f"r is {r}: it must be from 1 to {n - 2} in a clique of {n} nodes")
        coef = n - r - 1
        return cls(clique, "clique", coef, comb(n, 2) - comb(n - r, 2) - coef * r, multiplier)

    def to_json(self) -> dict[str, Any]:
        """Returns the cut as in a certificate file."""
        nodes = [[sym.to_json(token) for token in node] for node in self.nodes]
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        return {self.kind: nodes} | numbers | ({"links": list(self.links)} if self.links else {})

    @classmethod
    def from_json(cls, data: Any, symbols: Symbols) -> Cut:
        """Makes a cut from untrusted content of a file."""
        kinds: tuple[CutKind, ...] = ("cycle", "clique", "signed")
        given = [known for known in kinds if isinstance(data, dict) and known in data]
        kind: CutKind = given[0] if given else "cycle"
        more = {"links"} if kind == "signed" else set()
        if not isinstance(data, dict) or data.keys() != {kind, *_NUMBERS, *more}:
            raise InputError(
                "a cut of a leaf does not have the keys 'cycle', 'clique' or 'signed' (with "
                "'links'), 'coef', 'rhs' and 'multiplier'"
            )
        nodes = listed(data[kind], f"the nodes of a {kind}")
        named = tuple(tokens_from_json(node, "the tokens of a node", symbols) for node in nodes)
        links = tuple(listed(data.get("links", []), "the links of a cut"))
        coef, rhs, multiplier = (data[name] for name in _NUMBERS)
        return cls(named, kind, coef, rhs, multiplier, links)


@dataclass(frozen=True, eq=False)
class PackedPairs:
    """The tokens of a leaf's pairs, and their compressed multipliers, as in a file.

    The `data` are the number of multipliers of each pair; the positions of all pairs, as
    differences to the previous one in the same pair (the first one as it is); the multipliers.  The
    numbers of each of these three parts are signed and have 64 bits.  The lowest bytes of all
    numbers come first, then the second bytes, and so on.  The data are compressed with zlib.
    """

    tokens: tuple[tuple[Token, ...], ...]
    data: bytes

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        return brief("PackedPairs", f"{len(self.tokens):,} pairs", f"{len(self.data):,} bytes")

    @classmethod
    def of(cls, pairs: Sequence[PairPrices]) -> PackedPairs:
        """Compresses the multipliers of pairs."""
        sizes = np.array([len(pair.positions) for pair in pairs], np.int64)
        steps = [np.diff(pair.positions, prepend=np.int64(0)) for pair in pairs]
        multipliers = [pair.multipliers for pair in pairs]
        parts = sizes, *(np.concatenate([sizes[:0], *each]) for each in (steps, multipliers))
        data = zlib.compress(b"".join(map(_to_bytes, parts)), 9)
        return cls(tuple(pair.tokens for pair in pairs), data)

    def unpacked(self, limit: int) -> tuple[PairPrices, ...]:
        """Returns the pairs with their multipliers, of each at least one and at most so many.

        The data come from an untrusted file: more is refused, not unpacked.
        """
        if not self.tokens:
            return ()
        n = len(self.tokens)
        ((sizes,), _) = _numbers(self.data, n)
        for tokens, size in zip(self.tokens, sizes.tolist(), strict=True):
            if not 1 <= size <= limit:
                raise InputError(
                    f"{names(tokens)} have {size} multipliers: there must be 1 to {limit}, at most "
                    "one for each symbol"
                )
        total = int(sizes.sum())
        what = f"the pairs of a leaf have {total:,} multipliers, which need"
        refuse_beyond(total * _BYTES_A_MULTIPLIER, what, "so large a proof needs more memory")
        (_, steps, multipliers), goes_on = _numbers(self.data, n, total, total)
        if goes_on:
            raise InputError("the multipliers of a leaf continue after the last pair")
        parts = (np.split(each, np.cumsum(sizes)[:-1]) for each in (steps, multipliers))
        return tuple(
            PairPrices(tokens, np.cumsum(steps), multipliers)
            for tokens, steps, multipliers in zip(self.tokens, *parts, strict=True)
        )

    def to_json(self) -> dict[str, Any]:
        """Returns the pairs as in a certificate file."""
        return {
            "tokens": [[sym.to_json(token) for token in pair] for pair in self.tokens],
            "multipliers": base64.b64encode(self.data).decode("ascii"),
        }

    @classmethod
    def from_json(cls, data: Any, symbols: Symbols) -> PackedPairs:
        """Makes pairs from untrusted content of a file."""
        if not isinstance(data, dict) or data.keys() != {"tokens", "multipliers"}:
            raise InputError("pairs of a leaf are not an object with 'tokens' and 'multipliers'")
        name = "the tokens of a pair"
        pairs = listed(data["tokens"], "the pairs of a leaf")
        tokens = tuple(tokens_from_json(pair, name, symbols) for pair in pairs)
        return cls(tokens, unpacked_bytes(data["multipliers"], "the multipliers of a leaf"))


#: The pairs of a leaf, or what merges in order pay, which are kept in the same form.
Pairs: TypeAlias = tuple[PairPrices, ...] | PackedPairs


def packed(pairs: Pairs) -> PackedPairs:
    """Returns pairs compressed, as in a file."""
    return pairs if isinstance(pairs, PackedPairs) else PackedPairs.of(pairs)


def unpacked(pairs: Pairs, limit: int) -> tuple[PairPrices, ...]:
    """Returns pairs that may be compressed, of each at most so many multipliers."""
    return pairs.unpacked(limit) if isinstance(pairs, PackedPairs) else pairs


def tokens_from_json(data: Any, name: str, symbols: Symbols) -> tuple[Token, ...]:
    """Returns the tokens of an untrusted list of a file, at least one."""
    tokens = tuple(sym.from_json(token, symbols) for token in listed(data, name))
    if not tokens:
        raise InputError(f"{name} are none")
    return tokens


def names(tokens: Sequence[Token]) -> str:
    """Returns tokens in the form used in messages."""
    return " and ".join(repr(sym.glance(token)) for token in tokens)


def _to_bytes(numbers: Int64) -> bytes:
    """Stores the lowest bytes of all numbers, then the second ones, and so on: compresses well."""
    return numbers.astype(f"<i{_WIDTH}").view(np.uint8).reshape(-1, _WIDTH).T.tobytes()


def _numbers(packed: bytes, *counts: int) -> tuple[list[Int64], bool]:
    """Returns so many numbers of each part that `_to_bytes` stored, and whether there are more."""
    raw, goes_on = inflated(packed, _WIDTH * sum(counts), "the multipliers of a leaf")
    parts = []
    for planes in np.split(np.frombuffer(raw, np.uint8), _WIDTH * np.cumsum(counts)[:-1]):
        numbers: Int64 = planes.reshape(_WIDTH, -1).T.copy().view(f"<i{_WIDTH}").reshape(-1)
        parts.append(numbers.astype(np.int64))
    return parts, goes_on
