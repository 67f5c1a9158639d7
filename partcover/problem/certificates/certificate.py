"""Holds a lower bound that anyone can check: prices for symbols at the leaves of a tree."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ...corpus import symbols as sym
from ...corpus.symbols import Symbols, Token
from ...corpus.word_counts import WordCounts
from ...errors import InputError
from ...runtime.arrays import Int32, Int64
from ...runtime.fractions import read_fraction
from ...runtime.notebook import brief
from ...runtime.pickling import by_fields
from ..instance import Instance
from .charges import Charge
from .cuts import CUT_KEYS, Cut, PackedPairs, PairPrices, cuts_from_json, cuts_to_json
from .file import SavedCertificate, digest, whole
from .tail import TailTerm

__all__ = ["SCALE_BITS", "Branch", "Certificate", "Leaf", "policy_digest", "sorted_symbols"]

Prices = Int32 | Int64

SCALE_BITS = 20
"""Binary digits behind the point of a price, unless a certificate is finer or coarser."""

_FINEST_BITS = 52  # no finer than the floating point that prices are computed in
_MOST_CHECKED = 1 << 26  # takes a minute
_SHORT_BITS = 30  # up to here a price of 1 fits in 32 bits with its sign


@dataclass(frozen=True)
class Branch:
    """An inner node: vocabularies with `token` go to its first subtree, the others to its second.

    Attributes
    ----------
    token : token
        The token that splits the cases.

    Examples
    --------
    >>> from partcover.problem.certificates.certificate import Branch
    >>> Branch(b"hat")
    Branch(token=b'hat')
    """

    token: Token


@dataclass(frozen=True, eq=False)
class Leaf:
    """A leaf: the prices that prove a lower bound for the vocabularies that come to it.

    Attributes
    ----------
    prices : ndarray of int32 or int64, shape (symbols,), or bytes, or None
        A price for each symbol of each word, in units of 2^-scale_bits, at most 1; words
        ascending.  Bytes are such prices compressed, as a file holds them: `unpacked` returns
        the array.  None claims no more than a token for each counted word, which suffices for a
        leaf that no vocabulary comes to.
    fees : tuple of int
        A fee for each of the instance's groups, at least 0, in units of 2^-scale_bits of a token:
        rewards of tokens of the group are less by it.  Without fees group budgets are ignored.
    pairs : tuple of PairPrices, or PackedPairs
        What occurrences of two tokens pay where they overlap; of a token with itself, what it and
        all that cannot be made without it pay to it.  Packed as a file holds them:
        `unpacked_pairs` returns the tuple.
    cuts : tuple of Cut
        Cuts over these pairs.
    charges : tuple of Charge
        What tokens pay to those that make them, where the instance has merges.
    weights : tuple of int
        A weight for each corpus, at least 0 and not all 0, where the instance has several: the
        counts of a word are added up with these weights.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover.problem.certificates.certificate import Leaf
    >>> Leaf(np.array([2, 1, 2], np.int32))
    Leaf(3 prices)
    """

    prices: Prices | bytes | None
    fees: tuple[int, ...] = ()
    pairs: tuple[PairPrices, ...] | PackedPairs = ()
    cuts: tuple[Cut, ...] = ()
    charges: tuple[Charge, ...] = ()
    weights: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        fees = tuple(whole(fee, "a fee", 0) for fee in self.fees)
        object.__setattr__(self, "fees", fees)
        weights = tuple(whole(weight, "a weight", 0) for weight in self.weights)
        object.__setattr__(self, "weights", weights)
        if weights and not any(weights):
            raise InputError("all weights of a leaf are 0")
        if isinstance(self.prices, np.ndarray) and self.prices.dtype not in (np.int32, np.int64):
            raise InputError(f"prices are {self.prices.dtype}: int32 or int64 is expected")

    def __repr__(self) -> str:
        if self.prices is None:
            return "Leaf()"
        unit = "bytes" if isinstance(self.prices, bytes) else "prices"
        beyond = [f"{len(self.pairs):,} pairs", f"{len(self.cuts):,} cuts"] if self.has_cuts else []
        if self.charges:
            beyond.append(f"{len(self.charges):,} charges")
        return brief("Leaf", f"{len(self.prices):,} {unit}", *beyond, *self.fees[:3])

    @property
    def has_cuts(self) -> bool:
        """Whether the leaf has pairs or cuts, which prices alone do not count."""
        return bool(self.pairs or self.cuts)

    @property
    def is_plain(self) -> bool:
        """Whether it has prices alone."""
        return not (self.fees or self.pairs or self.cuts or self.charges)

    @property
    def pair_tokens(self) -> tuple[tuple[Token, Token], ...]:
        """The two tokens of each pair."""
        if isinstance(self.pairs, PackedPairs):
            return self.pairs.tokens
        return tuple((pair.first, pair.second) for pair in self.pairs)

    def packed(self, scale_bits: int) -> Leaf:
        """Returns the leaf compressed, as a file holds it."""
        prices, pairs = self.prices, self.pairs
        if isinstance(prices, np.ndarray):
            prices = zlib.compress(prices.astype(f"<i{_width(scale_bits)}").tobytes(), 9)
        if not isinstance(pairs, PackedPairs) and pairs:
            pairs = PackedPairs.of(pairs)
        return replace(self, prices=prices, pairs=pairs)

    def unpacked_pairs(self, limits: Sequence[int]) -> tuple[PairPrices, ...]:
        """Returns the pairs with their multipliers.

        Packed pairs come from a file that may claim anything: no more is unpacked than the
        limits allow.

        Parameters
        ----------
        limits : sequence of int
            How many multipliers each pair may have, if they are packed: no more than the words
            have symbols.

        Raises
        ------
        InputError
            If a packed pair has none or more than its limit, or they are damaged.
        """
        return self.pairs.unpacked(limits) if isinstance(self.pairs, PackedPairs) else self.pairs

    def unpacked(self, symbols: int, scale_bits: int) -> Prices | None:
        """Returns the prices as an array.

        Compressed prices come from a file that may claim anything: no more is unpacked than
        words of so many symbols have prices.

        Parameters
        ----------
        symbols : int
            Number of symbols in the words, each word once.
        scale_bits : int
            A price of 1 is stored as 2^scale_bits.

        Raises
        ------
        InputError
            If the number of prices is not that of the symbols, one is above 1, or they are damaged.
        """
        prices = self.prices
        if isinstance(prices, bytes):
            inflater = zlib.decompressobj()
            try:
                width = _width(scale_bits)
                raw = inflater.decompress(prices, width * symbols + 1)
            except zlib.error:
                raise InputError("the prices of a leaf cannot be unpacked") from None
            if len(raw) > width * symbols:
                raise InputError(f"a leaf has more prices than the words have symbols, {symbols}")
            if not inflater.eof or len(raw) % width:
                raise InputError("the prices of a leaf cannot be unpacked: they are cut short")
            prices = np.frombuffer(raw, f"<i{width}").astype(f"i{width}")
            prices.setflags(write=False)
        if prices is None:
            return None
        if len(prices) != symbols:
            raise InputError(f"a leaf has {len(prices)} prices, the words {symbols} symbols")
        _check_prices(prices, scale_bits)
        return prices


@dataclass(frozen=True, eq=False)
class Certificate(SavedCertificate):
    """A proof that no vocabulary within the budget needs fewer tokens than `lower_bound`.

    `partcover.verification.certificate_check.check_certificate` checks it, and says why it holds.

    Attributes
    ----------
    symbols : {"bytes", "chars", "ints"}
        The alphabet.
    words_sha256, policy_sha256 : str
        Digests of the words (`WordCounts.digest`) and of the limits on the candidates
        (`policy_digest`).
    k : int
        The budget.
    lower_bound : int or Fraction
        The lower bound that is claimed: of tokens, or of the largest ratio over several corpora.
    tree : tuple of Branch and Leaf
        Branch and bound with the cases written down: a binary tree in preorder, a branch, its
        first subtree, its second.  A single leaf is the form for whole corpora.
    scale_bits : int
        A price of 1 is stored as 2^scale_bits.
    tail : TailTerm or None
        How the words of the tail are priced, where the words are a head and a tail: digest and
        prices are then of the head, in a single leaf.

    Raises
    ------
    InputError
        If the tree is not one, a price is above 1, or leaves have different numbers of prices;
        of prices that are still compressed, `Leaf.unpacked` checks that.

    Examples
    --------
    >>> from partcover import Certificate, Instance, check_certificate, lower_bound
    >>> instance = Instance({"abc": 1, "abd": 1}, k=1)
    >>> certificate = lower_bound(instance).certificate
    >>> certificate.save("P.cert")
    >>> Certificate.load("P.cert")
    Certificate(k=1, lower_bound=4, 1 leaves, bytes)
    >>> check_certificate(instance, certificate).ok
    True
    """

    _KIND = "certificate"
    _ABOUT = "a partcover certificate"
    _FIELDS: ClassVar = {
        "symbols": str,
        "words_sha256": str,
        "policy_sha256": str,
        "k": int,
        "lower_bound": int | str,
        "scale_bits": int,
        "tree": list,
    }

    symbols: Symbols
    words_sha256: str
    policy_sha256: str
    k: int
    lower_bound: int | Fraction
    tree: tuple[Branch | Leaf, ...]
    scale_bits: int = SCALE_BITS
    tail: TailTerm | None = None

    def __post_init__(self) -> None:
        whole(self.scale_bits, "scale_bits", 0, _FINEST_BITS)
        whole(self.k, "k", 0)
        if not isinstance(self.lower_bound, Fraction):
            whole(self.lower_bound, "the lower bound")
        missing = 1  # subtrees that the branches so far lack
        sizes = set()
        for node in self.tree:
            if not missing:
                raise InputError("the tree goes on after its last leaf")
            missing += 1 if isinstance(node, Branch) else -1
            if isinstance(node, Leaf) and node.prices is None and (node.has_cuts or node.charges):
                raise InputError("a leaf without prices has pairs, cuts or charges")
            if isinstance(node, Leaf) and isinstance(node.prices, np.ndarray):
                sizes.add(len(node.prices))
                _check_prices(node.prices, self.scale_bits)
        if missing:
            raise InputError(f"the tree lacks {missing} subtree(s)")
        is_weighted = any(isinstance(node, Leaf) and node.weights for node in self.tree)
        if isinstance(self.lower_bound, Fraction) and not is_weighted:
            raise InputError("'lower_bound' is a fraction, and no leaf has weights of corpora")
        if len(sizes) > 1:
            raise InputError(f"leaves with {min(sizes)} and with {max(sizes)} prices")
        self._refuse_endless()

    __reduce__ = by_fields

    def _refuse_endless(self) -> None:
        """Refuses a small file whose check would take hours."""
        edges = decided = 0
        above = [0]  # the branches above each subtree that is to come
        for node in self.tree:
            depth = above.pop()
            if isinstance(node, Branch):
                above += [depth + 1] * 2
            else:
                decided += depth
                edges += sum(cut.n_edges for cut in node.cuts)
        for number, what in ((edges, "edges of cuts"), (decided, "branches above its leaves")):
            if number > _MOST_CHECKED:
                raise InputError(
                    f"the certificate has {number:,} {what} together: at most {_MOST_CHECKED:,} "
                    "are checked"
                )

    def __repr__(self) -> str:
        leaves = sum(isinstance(node, Leaf) for node in self.tree)
        about = [f"k={self.k}", f"lower_bound={self.lower_bound}", f"{leaves:,} leaves"]
        if self.tail is not None:
            about.append(f"{self.tail.words:,} words in the tail")
        return brief("Certificate", *about, self.symbols)

    @classmethod
    def of(
        cls,
        instance: Instance,
        tree: tuple[Branch | Leaf, ...],
        lower_bound: int | Fraction,
        scale_bits: int = SCALE_BITS,
        tail: TailTerm | None = None,
    ) -> Certificate:
        """Makes a certificate for an instance; prices follow the words in ascending order.

        `sorted_symbols` brings prices that follow the words as stored into that order.
        """
        return cls(
            instance.symbols,
            instance.words.digest,
            policy_digest(instance),
            instance.k,
            lower_bound,
            tree,
            scale_bits,
            tail,
        )

    def leaves(self) -> Iterator[tuple[Leaf, frozenset[Token], frozenset[Token]]]:
        """Yields each leaf in order, with the tokens that are required and excluded there."""
        # `inside` and `outside` are the tokens of the branches above.  The path has for each of
        # these whether its second subtree is reached, and whether it was this branch that added
        # its token, which it then removes
        inside: set[Token] = set()
        outside: set[Token] = set()
        path: list[tuple[Token, bool, bool]] = []
        for node in self.tree:
            if isinstance(node, Branch):
                path.append((node.token, False, node.token not in inside))
                inside.add(node.token)
                continue
            yield node, frozenset(inside), frozenset(outside)
            while path:
                token, second, new = path.pop()
                if new:
                    (outside if second else inside).remove(token)
                if not second:
                    path.append((token, True, token not in outside))
                    outside.add(token)
                    break

    @property
    def _indent(self) -> int | None:
        # a line for each number of a cut would make a file much longer
        is_plain = all(node.is_plain for node in self.tree if isinstance(node, Leaf))
        return 1 if is_plain else None

    def _content(self) -> dict[str, Any]:
        tail = {} if self.tail is None else {"tail": self.tail.to_json()}
        return tail | {
            "symbols": self.symbols,
            "words_sha256": self.words_sha256,
            "policy_sha256": self.policy_sha256,
            "k": self.k,
            "lower_bound": _bound_to_json(self.lower_bound),
            "scale_bits": self.scale_bits,
            "tree": [_node_to_json(node, self.scale_bits) for node in self.tree],
        }

    @classmethod
    def _of_content(cls, data: dict[str, Any]) -> Certificate:
        if data["symbols"] not in sym.SYMBOLS:
            raise InputError(f"unknown symbols {data['symbols']!r}")
        return cls(
            data["symbols"],
            data["words_sha256"],
            data["policy_sha256"],
            data["k"],
            _bound_from_json(data["lower_bound"]),
            tuple(_node_from_json(node, data["symbols"]) for node in data["tree"]),
            data["scale_bits"],
            TailTerm.from_json(data["tail"], data["symbols"]) if "tail" in data else None,
        )


def _bound_to_json(bound: int | Fraction) -> int | str:
    return str(bound) if isinstance(bound, Fraction) else bound


def _bound_from_json(bound: int | str) -> int | Fraction:
    if not isinstance(bound, str):
        return bound
    try:
        return read_fraction(bound)
    except (ValueError, ZeroDivisionError):
        raise InputError("'lower_bound' is broken: the file is damaged") from None


def _check_prices(prices: Prices, scale_bits: int) -> None:
    largest = int(prices.max(initial=0))
    if largest > 1 << scale_bits:
        raise InputError(f"a price is {largest}: at most 2^{scale_bits} is expected")


def policy_digest(instance: Instance) -> str:
    """Returns the SHA-256 of what limits the candidates.

    That is all of an instance but words, k, threshold and source; of several corpora their words
    and references, too.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.problem.certificates.certificate import policy_digest
    >>> policy_digest(Instance({"hat": 2}, k=1)) == policy_digest(Instance({"cat": 1}, k=3))
    True
    """
    about = {"symbols": instance.symbols, **instance.conditions_to_json()}
    if instance.corpora is not None:
        about["corpora_sha256"] = [words.digest for words in instance.corpora.words]
        about["references"] = list(instance.corpora.references)
    return digest(about)


def sorted_symbols(words: WordCounts) -> Int64:
    """Returns the positions of the symbols in ``words.data``, words ascending.

    ``prices[sorted_symbols(words)]`` brings prices from the order of the words as stored into
    the order of a certificate.  O(symbols · log words).

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.problem.certificates.certificate import sorted_symbols
    >>> words = WordCounts.from_counts({"hat": 2, "cat": 1})
    >>> words.data[sorted_symbols(words)].tobytes()
    b'cathat'
    """
    all_words = [word for word, _ in words]
    order = np.array(sorted(range(len(all_words)), key=all_words.__getitem__), np.int64)
    lengths = np.diff(words.offsets)[order]
    ends = np.cumsum(lengths)
    first = np.repeat(words.offsets[order] - (ends - lengths), lengths)
    positions: Int64 = first + np.arange(len(words.data))
    return positions


def _width(scale_bits: int) -> int:
    """The number of bytes of a price in a file."""
    return 4 if scale_bits <= _SHORT_BITS else 8


def _node_to_json(node: Branch | Leaf, scale_bits: int) -> dict[str, Any]:
    if isinstance(node, Branch):
        return {"branch": sym.to_json(node.token)}
    node = node.packed(scale_bits)
    data: dict[str, Any] = {"prices": None}
    if node.prices is not None:
        assert isinstance(node.prices, bytes)
        data["prices"] = base64.b64encode(node.prices).decode("ascii")
    if node.fees:
        data["fees"] = list(node.fees)
    if node.weights:
        data["weights"] = list(node.weights)
    if node.charges:
        data["charges"] = [charge.to_json() for charge in node.charges]
    return data | cuts_to_json(node.pairs, node.cuts)


def _node_from_json(node: Any, symbols: Symbols) -> Branch | Leaf:
    if isinstance(node, dict) and list(node) == ["branch"]:
        token = sym.from_json(node["branch"], symbols)
        if len(token) < 2:
            raise InputError(f"a branch is on {sym.show(token)!r}, which is no token")
        return Branch(token)
    if not isinstance(node, dict) or not (
        {"prices"} <= node.keys() <= {"prices", "fees", "charges", "weights", *CUT_KEYS}
    ):
        raise InputError("a node of the tree has neither 'branch' nor 'prices'")
    fees, charges, weights = (node.get(name, []) for name in ("fees", "charges", "weights"))
    for what, listed in (("fees", fees), ("charges", charges), ("weights", weights)):
        if not isinstance(listed, list):
            raise InputError(f"the {what} of a leaf are no list")
    has_cuts = not CUT_KEYS.isdisjoint(node)
    if has_cuts and not node.keys() >= CUT_KEYS:
        raise InputError(
            f"a leaf has some of {', '.join(sorted(CUT_KEYS))}: all or none are expected"
        )
    if node["prices"] is None and not has_cuts and not charges:
        return Leaf(None, tuple(fees), weights=tuple(weights))
    try:
        packed = base64.b64decode(node["prices"], validate=True)
    except (TypeError, ValueError):
        raise InputError("the prices of a leaf cannot be unpacked: the file is damaged") from None
    pairs, cuts = cuts_from_json(node, symbols) if has_cuts else ((), ())
    charged = tuple(Charge.from_json(charge, symbols) for charge in charges)
    return Leaf(packed, tuple(fees), pairs, cuts, charged, tuple(weights))
