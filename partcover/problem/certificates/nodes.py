"""The nodes of a certificate's tree: branches on tokens, and leaves with prices."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass, replace
from typing import Any

from ...corpus import symbols as sym
from ...corpus.symbols import Symbols, Token
from ...errors import InputError
from ...runtime.arguments import shown
from ...runtime.arrays import Int32, Int64, keep_arrays, np
from ...runtime.notebook import brief
from .checksum import all_of, inflated, listed, token, unpacked_bytes, whole
from .cuts import Cut, PackedPairs, PairPrices, Pairs, packed

Prices = Int32 | Int64

_SHORT_BITS = 30  # with at most so many, a price of 1 fits in 32 bits with its sign


@dataclass(frozen=True)
class Branch:
    """An inner node: vocabularies with `token` are in its first subtree, others in its second."""

    token: Token

    def __post_init__(self) -> None:
        token(self.token, "a branch is on")


@dataclass(frozen=True)
class Charge:
    """What a token pays to its parts, since a vocabulary contains it only together with them.

    Its reward is lower by `pays`, and the rewards of its `parts` are higher by what stands beside
    each, all at least 0, in units of 2^-scale_bits of a token.
    """

    token: Token
    pays: int
    parts: tuple[tuple[Token, int], ...]

    def __post_init__(self) -> None:
        pairs: list[Any] = [(self.token, self.pays), *self.parts]
        for part, number in listed(pairs, "charges", pairs=True):
            token(part, "a charge is for")
            whole(number, f"a charge of {sym.glance(self.token)!r}", 0)

    def to_json(self) -> list[Any]:
        """Returns the charge as in a certificate file."""
        parts = [[sym.to_json(part), gets] for part, gets in self.parts]
        return [sym.to_json(self.token), self.pays, parts]

    @classmethod
    def from_json(cls, data: Any, symbols: Symbols) -> Charge:
        """Makes a charge from untrusted content of a file."""
        if not isinstance(data, list) or len(data) != 3:
            raise InputError("a charge is not a token, a number and a list of parts")
        payer, pays, parts = data
        pairs = listed(parts, "the parts of a charge", pairs=True)
        parts = tuple((sym.from_json(part, symbols), gets) for part, gets in pairs)
        return cls(sym.from_json(payer, symbols), pays, parts)


@dataclass(frozen=True, eq=False)
class Leaf:
    """A leaf: the prices that prove a lower bound for the vocabularies of its case.

    `prices` has one for each symbol of each word, the words in ascending order.  Without prices it
    proves one token for each counted word, which is enough for a case without vocabularies.  Each
    group of the instance may have a multiplier, and each corpus has a weight.  `pairs` are what
    occurrences of two tokens pay where they overlap; for a single token, what it, and all tokens
    that cannot be made without it, pay to it.  `charges` are what tokens
    pay to those that make them.  `orders` has for a merge, by its two parts, the multipliers at
    borders of words where its result may lie, each at the symbol behind it.  `links` have for two
    tokens, and others that bridge them, what these pay in words where one follows the other, each
    at a symbol before the second.  All but weights are in units of 2^-scale_bits of a token.
    Prices, pairs, orders and links may be packed as in a file.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover.problem.certificates.nodes import Leaf
    >>> Leaf(np.array([2, 1, 2], np.int32))
    Leaf(3 prices)
    """

    prices: Prices | bytes | None
    group_multipliers: tuple[int, ...] = ()
    pairs: Pairs = ()
    cuts: tuple[Cut, ...] = ()
    charges: tuple[Charge, ...] = ()
    weights: tuple[int, ...] = ()
    orders: Pairs = ()
    links: Pairs = ()

    def __post_init__(self) -> None:
        named = ("group_multipliers", "a multiplier of a group"), ("weights", "a weight")
        for name, what in named:
            numbers = listed(getattr(self, name), f"the {name} of a leaf")
            self.__dict__[name] = tuple(whole(n, what, 0) for n in numbers)
        if self.weights and not any(self.weights):
            raise InputError("all weights of a leaf are 0")
        prices = self.prices
        if not isinstance(prices, bytes | None):
            about = prices.dtype if isinstance(prices, np.ndarray) else shown(prices)
            if about not in (np.int32, np.int64):
                raise InputError(f"prices are {about}: they must be int32 or int64")
        for name, kind in _KINDS.items():
            part = getattr(self, name)
            if not (kind is PairPrices and isinstance(part, PackedPairs)):
                self.__dict__[name] = all_of(part, kind, f"the {name} of a leaf")
        if self.prices is None and self.has_terms:
            raise InputError("a leaf without prices has pairs, cuts, charges or merges")
        keep_arrays(self)

    def __repr__(self) -> str:
        if self.prices is None:
            return "Leaf()"
        unit = "bytes" if isinstance(self.prices, bytes) else "prices"
        beyond = [f"{len(self.pairs):,} pairs", f"{len(self.cuts):,} cuts"] if self.has_cuts else []
        if self.charges:
            beyond.append(f"{len(self.charges):,} charges")
        if self.orders:
            beyond.append(f"{len(self.orders):,} merges in order")
        return brief("Leaf", f"{len(self.prices):,} {unit}", *beyond, *self.group_multipliers[:3])

    @property
    def has_cuts(self) -> bool:
        """Whether the leaf has pairs, links or cuts, which need more than prices to count."""
        return bool(self.pairs or self.links or self.cuts)

    @property
    def is_plain(self) -> bool:
        """Whether the leaf has prices only."""
        return not (self.group_multipliers or self.has_terms)

    @property
    def has_terms(self) -> bool:
        """Whether the leaf has pairs, cuts, charges or merges."""
        return bool(self.has_cuts or self.charges or self.orders)

    @property
    def pair_tokens(self) -> tuple[tuple[Token, ...], ...]:
        """The tokens of each pair."""
        pairs = self.pairs
        return pairs.tokens if isinstance(pairs, PackedPairs) else tuple(p.tokens for p in pairs)

    @property
    def link_tokens(self) -> tuple[tuple[Token, ...], ...]:
        """The two tokens of each link, and those that bridge them."""
        links = self.links
        return links.tokens if isinstance(links, PackedPairs) else tuple(p.tokens for p in links)

    def packed(self, scale_bits: int) -> Leaf:
        """Returns the leaf compressed, as in a file."""
        prices = self.prices
        if isinstance(prices, np.ndarray):
            prices = zlib.compress(prices.astype(f"<i{_width(scale_bits)}").tobytes())
        pairs, orders, links = map(packed, (self.pairs, self.orders, self.links))
        return replace(self, prices=prices, pairs=pairs, orders=orders, links=links)

    def unpacked(self, symbols: int, scale_bits: int) -> Prices | None:
        """Returns the prices as an array, one for each of so many symbols of the words.

        Compressed prices come from an untrusted file: more is refused, not unpacked.
        """
        prices = self.prices
        if isinstance(prices, bytes):
            width = _width(scale_bits)
            raw, goes_on = inflated(prices, width * symbols, "the prices of a leaf")
            prices = np.frombuffer(raw, f"<i{width}").astype(f"i{width}")
            if goes_on:
                raise InputError(f"a leaf has more prices than the words have symbols, {symbols}")
            prices.setflags(write=False)
        if prices is None:
            return None
        if len(prices) != symbols:
            raise InputError(
                f"a leaf has {len(prices)} prices, but the words have {symbols} symbols"
            )
        largest = int(prices.max(initial=0))
        if largest > 1 << scale_bits:
            raise InputError(f"a price is {largest}: it must be at most 2^{scale_bits}")
        return prices


def _width(scale_bits: int) -> int:
    """The number of bytes of a price in a file."""
    return 4 if scale_bits <= _SHORT_BITS else 8


#: What the parts of a leaf are made of, unless they are packed.
_KINDS: dict[str, type[Any]] = {
    "pairs": PairPrices,
    "orders": PairPrices,
    "links": PairPrices,
    "cuts": Cut,
    "charges": Charge,
}

#: What a leaf may have besides prices, as in a file, and how each part of it is read and written.
_PARTS: dict[str, Any] = {
    "group_multipliers": None,
    "weights": None,
    "charges": Charge,
    "orders": PackedPairs,
    "pairs": PackedPairs,
    "links": PackedPairs,
    "cuts": Cut,
}


def node_to_json(node: Branch | Leaf, scale_bits: int) -> dict[str, Any]:
    """Returns a node as in a certificate file."""
    if isinstance(node, Branch):
        return {"branch": sym.to_json(node.token)}
    node = node.packed(scale_bits)
    assert not isinstance(node.prices, np.ndarray)
    prices = node.prices
    data: dict[str, Any] = {"prices": prices and base64.b64encode(prices).decode("ascii")}
    for name, kind in _PARTS.items():
        part = getattr(node, name)
        if kind is PackedPairs and part:
            data[name] = part.to_json()
        elif part:
            data[name] = [each.to_json() for each in part] if kind else list(part)
    return data


def node_from_json(node: Any, symbols: Symbols) -> Branch | Leaf:
    """Makes a node from the content of a certificate file; raises an error if it is invalid."""
    if isinstance(node, dict) and list(node) == ["branch"]:
        token = sym.from_json(node["branch"], symbols)
        if len(token) < 2:
            raise InputError(f"a branch is on {sym.show(token)!r}, which is not a token")
        return Branch(token)
    if not isinstance(node, dict) or not {"prices"} <= node.keys() <= {"prices", *_PARTS}:
        raise InputError("a node of the tree has neither 'branch' nor 'prices'")
    parts: dict[str, Any] = {}
    for name in filter(node.__contains__, _PARTS):
        kind, part = _PARTS[name], node[name]
        if kind is PackedPairs:
            parts[name] = kind.from_json(part, symbols)
        else:
            rows = listed(part, f"the {name} of a leaf")
            parts[name] = tuple(kind.from_json(row, symbols) for row in rows) if kind else rows
    prices = node["prices"]
    packed_prices = None if prices is None else unpacked_bytes(prices, "the prices of a leaf")
    return Leaf(packed_prices, **parts)
