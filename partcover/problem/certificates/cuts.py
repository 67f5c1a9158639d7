"""The parts of a certificate's leaf besides prices: multipliers of pairs, and cuts."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import Any, Literal, TypeAlias

from ...corpus import symbols as sym
from ...corpus.symbols import Symbols, Token
from ...errors import InputError
from ...runtime.arrays import Int64, keep_arrays, np
from ...runtime.memory import refuse_beyond
from ...runtime.notebook import brief
from .checksum import inflated, listed, token, unpacked_bytes, whole

CutKind: TypeAlias = Literal["cycle", "clique"]

_WIDTH = 8  # bytes of a number in packed multipliers
_BYTES_A_MULTIPLIER = 400  # bytes of a multiplier during the check, including what its tokens pay


@dataclass(frozen=True, eq=False)
class PairPrices:
    """The multipliers of two tokens, at symbols where they overlap.

    The `tokens` ascend; in a certificate with merges there may be a single one.  The `positions`
    are numbers of symbols, ascending, in the order of a leaf's prices; there occurrences of the
    tokens pay the `multipliers`, above 0, in units of 2^-scale_bits of a token.
    """

    tokens: tuple[Token, ...]
    positions: Int64
    multipliers: Int64

    def __post_init__(self) -> None:
        self.__dict__["tokens"] = tokens_of(self.tokens, "a pair")
        for array in (self.positions, self.multipliers):
            is_array = isinstance(array, np.ndarray) and array.dtype == np.int64
            if not is_array or array.shape != (self.positions.size,):
                raise InputError(
                    "the positions and multipliers of a pair are not equally many numbers of int64"
                )
        keep_arrays(self)

    def __repr__(self) -> str:
        tokens = map(sym.glance, self.tokens[:3])
        return brief("PairPrices", *tokens, f"{len(self.positions):,} multipliers")


@dataclass(frozen=True)
class Cut:
    """A valid inequality over edges and links of some tokens.

    An edge counts if one of its two tokens is in the vocabulary, a link if both are.  In a cycle,
    each token has an edge or a link with the next one, and so has the last with the first; in a
    clique all pairs have edges.  If the vocabulary contains s of the tokens, edges and links count
    at most ``coef · s + rhs``; `check_certificate` says why.  The multiplier is at least 0, in
    units of 2^-scale_bits of a token.

    Examples
    --------
    >>> from partcover.problem.certificates.cuts import Cut
    >>> cut = Cut((b"ab", b"bc", b"ca"), 1)
    >>> cut.kind, cut.coef, cut.rhs
    ('cycle', 1, 1)
    """

    tokens: tuple[Token, ...]
    multiplier: int
    # of a clique: it is tight if r or r + 1 of its tokens are chosen; 0 for a cycle
    r: int = 0
    # of a cycle: i for a link of token i and the next one; −1 − i if token i is its second token
    links: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.__dict__["tokens"] = tokens_of(self.tokens, "a cut")
        links = listed(self.links, "the links of a cut")
        self.__dict__["links"] = tuple(whole(n, "a link of a cut") for n in links)
        for name in ("multiplier", "r"):
            self.__dict__[name] = whole(getattr(self, name), f"the {name} of a cut")

    @property
    def kind(self) -> CutKind:
        """Which pairs of its tokens have edges: neighbors, or all."""
        return "clique" if self.r else "cycle"

    @property
    def coef(self) -> int:
        """What each chosen token allows."""
        return len(self.tokens) - self.r - 1 if self.r else 1

    @property
    def rhs(self) -> int:
        """What is allowed in addition.

        h tokens of a clique touch C(n, 2) − C(n − h, 2) edges.  This is concave in h, so the line
        through its values at r and r + 1 is nowhere below it.
        """
        n, r = len(self.tokens), self.r
        return comb(n, 2) - comb(n - r, 2) - self.coef * r if r else (n - len(self.links)) // 2

    @property
    def n_ends(self) -> int:
        """The number of tokens of all its edges and links, counted for each."""
        return len(self.tokens) * (len(self.tokens) - 1 if self.r else 2)

    @property
    def edges(self) -> Iterator[tuple[Token, ...]]:
        """The tokens of each edge, ascending."""
        linked = {max(n, -1 - n) for n in self.links}
        around = pairwise((*self.tokens, *self.tokens[:1]))
        for number, pair in enumerate(combinations(self.tokens, 2) if self.r else around):
            if number not in linked:
                ends: list[Any] = [*pair]
                yield tuple(sorted(ends))

    @property
    def linked(self) -> Iterator[tuple[Token, ...]]:
        """The first and the second token of each link."""
        for n in self.links:
            at = max(n, -1 - n)
            one, other = self.tokens[at], self.tokens[(at + 1) % len(self.tokens)]
            yield (one, other) if n >= 0 else (other, one)

    def to_json(self) -> dict[str, Any]:
        """Returns the cut as in a certificate file."""
        data: dict[str, Any] = {self.kind: [sym.to_json(token) for token in self.tokens]}
        if self.r:
            data["r"] = self.r
        if self.links:
            data["links"] = list(self.links)
        return data | {"multiplier": self.multiplier}

    @classmethod
    def from_json(cls, data: Any, symbols: Symbols) -> Cut:
        """Makes a cut from untrusted content of a file."""
        keys = set(data) if isinstance(data, dict) else set()
        kind = "clique" if "clique" in keys else "cycle"
        needed = {kind, "multiplier"} | ({"r"} if kind == "clique" else keys & {"links"})
        if keys != needed:
            raise InputError(
                "a cut of a leaf does not have the keys 'cycle' and 'multiplier', perhaps with "
                "'links', or 'clique', 'r' and 'multiplier'"
            )
        tokens = tokens_from_json(data[kind], f"the tokens of a {kind}", symbols)
        links = tuple(listed(data.get("links", []), "the links of a cut"))
        if kind == "clique" and data["r"] == 0:
            raise InputError("the r of a clique is 0: it must be at least 1")
        return cls(tokens, data["multiplier"], data.get("r", 0), links)


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
        positions = np.concatenate([sizes[:0], *(pair.positions for pair in pairs)])
        multipliers = np.concatenate([sizes[:0], *(pair.multipliers for pair in pairs)])
        steps = np.diff(positions, prepend=np.int64(0))
        first = (np.cumsum(sizes) - sizes)[sizes > 0]
        steps[first] = positions[first]
        data = zlib.compress(b"".join(map(_to_bytes, (sizes, steps, multipliers))))
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


def tokens_of(tokens: Any, what: str) -> tuple[Token, ...]:
    """Returns the tokens that Python gave a pair or a cut; refuses others."""
    about = f"{what} has"
    return tuple([token(each, about) for each in listed(tokens, f"the tokens of {what}")])


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
