"""A lower bound that anyone can check: prices of symbols at the leaves of a tree."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike, fspath
from typing import Any

from ...corpus.symbols import Symbols, Token
from ...errors import InputError, VerificationError
from ...runtime.arguments import checked, shown
from ...runtime.files.kinds import likely_mistake
from ...runtime.files.writing import read_json, write_atomic
from ...runtime.fractions import read_fraction
from ...runtime.notebook import brief
from ...runtime.pickling import by_fields
from ..instance import Instance
from .checksum import digest, symbols_of, whole
from .nodes import Branch, Leaf, node_from_json, node_to_json
from .tail import TailTerm

SCALE_BITS = 20
"""Binary digits after the point of a price, unless a certificate needs more or allows fewer."""

_FIELDS = {
    "symbols": str,
    "words_sha256": str,
    "policy_sha256": str,
    "k": int,
    "lower_bound": int | str,
    "scale_bits": int,
    "tree": list,
}

_FINEST_BITS = 52  # prices are computed in floating point, which is no finer
_MOST_CHECKED = 1 << 26  # prices that can be checked in about a minute


@dataclass(frozen=True, eq=False)
class Certificate:
    """A proof that no vocabulary within the budget needs fewer tokens than `lower_bound`.

    `check_certificate` checks it; docs/concepts/certificates.md says why it holds.

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

    Examples
    --------
    >>> from partcover import Certificate, Instance, check_certificate, lower_bound
    >>> instance = Instance({"abc": 1, "abd": 1}, k=1)
    >>> certificate = lower_bound(instance).certificate
    >>> certificate.save("P.cert")
    >>> Certificate.load("P.cert")
    Certificate(k=1, lower_bound=4, 1 leaf, bytes)
    >>> check_certificate(instance, certificate).ok
    True
    """

    symbols: Symbols
    words_sha256: str
    policy_sha256: str
    k: int
    lower_bound: int | Fraction
    tree: tuple[Branch | Leaf, ...]
    scale_bits: int = SCALE_BITS
    tail: TailTerm | None = None

    @checked
    def __init__(
        self,
        symbols: Symbols,
        words_sha256: str,
        policy_sha256: str,
        k: int,
        lower_bound: int | Fraction,
        tree: Iterable[Branch | Leaf],
        scale_bits: int = SCALE_BITS,
        tail: TailTerm | None = None,
    ) -> None:
        whole(k, "k", 0)
        whole(scale_bits, "scale_bits", 0, _FINEST_BITS)
        self.__dict__.update(symbols=symbols, words_sha256=words_sha256)
        self.__dict__.update(policy_sha256=policy_sha256, k=k, lower_bound=lower_bound)
        self.__dict__.update(tree=tuple(tree), scale_bits=scale_bits, tail=tail)
        self._check_tree()
        if tail is not None:
            self._check_leaf_of_head()
        is_weighted = any(isinstance(node, Leaf) and node.weights for node in self.tree)
        if isinstance(self.lower_bound, Fraction) and not is_weighted:
            raise InputError("'lower_bound' is a fraction, but no leaf has weights of corpora")

    __reduce__ = by_fields

    def _check_tree(self) -> None:
        """Refuses what is no tree, and a small file whose check would take hours."""
        ends = decided = 0
        above = [0]  # the number of branches above each subtree still to be read
        for node in self.tree:
            if not isinstance(node, Branch | Leaf):
                raise InputError(f"the tree has {shown(node)}: it must be of Branch and Leaf")
            if not above:
                raise InputError("the tree continues after its last leaf")
            depth = above.pop()
            if isinstance(node, Branch):
                above += [depth + 1] * 2
            else:
                decided += depth
                ends += sum(cut.n_ends for cut in node.cuts)
        if above:
            raise InputError(f"the tree has {len(above)} subtree(s) too few")
        for number, what in (
            (ends, "tokens of edges of cuts"),
            (decided, "branches above its leaves"),
        ):
            if number > _MOST_CHECKED:
                raise InputError(
                    f"the certificate has {number:,} {what} together: at most {_MOST_CHECKED:,} "
                    "are checked"
                )

    def _check_leaf_of_head(self) -> None:
        """Refuses what proves nothing about a tail."""
        leaf = self.tree[0]
        if not isinstance(leaf, Leaf):
            raise InputError("a certificate for a head and a tail must have a single leaf")
        if leaf.prices is None:
            raise InputError("the leaf of a head must have prices")
        if leaf.orders:
            raise InputError("the leaf of a head has multipliers of merges in order")

    def __repr__(self) -> str:
        leaves = sum(isinstance(node, Leaf) for node in self.tree)
        size = f"{leaves:,} {'leaf' if leaves == 1 else 'leaves'}"
        about = [f"k={self.k}", f"lower_bound={self.lower_bound}", size]
        if self.tail is not None:
            about.append(f"{self.tail.words:,} words in the tail")
        return brief("Certificate", *about, self.symbols)

    @classmethod
    @checked
    def of(
        cls,
        instance: Instance,
        tree: tuple[Branch | Leaf, ...],
        lower_bound: int | Fraction,
        scale_bits: int = SCALE_BITS,
        tail: TailTerm | None = None,
    ) -> Certificate:
        """Makes a certificate for an instance; the prices are in ascending order of the words."""
        about = instance.symbols, instance.words.digest, policy_digest(instance), instance.k
        return cls(*about, lower_bound, tree, scale_bits, tail)

    def leaves(self) -> Iterator[tuple[Leaf, frozenset[Token], frozenset[Token]]]:
        """Yields each leaf in order, with the tokens that are required and excluded in it."""
        # for each subtree still to be read: a token, whether it is required, and the same above it
        waiting: list[Any] = [None]
        for node in self.tree:
            above = waiting.pop()
            if isinstance(node, Branch):
                waiting += [(node.token, False, above), (node.token, True, above)]
                continue
            tokens: tuple[set[Token], set[Token]] = set(), set()  # excluded, required
            while above is not None:
                token, is_required, above = above
                tokens[is_required].add(token)
            yield node, frozenset(tokens[True]), frozenset(tokens[False])

    def to_json(self) -> dict[str, Any]:
        """Returns the content of a certificate file."""
        bound = self.lower_bound
        content: dict[str, Any] = {"format": "partcover-certificate", "version": 1}
        content |= {name: getattr(self, name) for name in _FIELDS} | {
            "lower_bound": str(bound) if isinstance(bound, Fraction) else bound,
            "tree": [node_to_json(node, self.scale_bits) for node in self.tree],
        }
        if self.tail is not None:
            content["tail"] = self.tail.to_json()
        return {**content, "sha256": digest(content)}

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the certificate file atomically."""
        # one line for each number of a cut would make a file much longer
        is_plain = all(node.is_plain for node in self.tree if isinstance(node, Leaf))
        indent = 1 if is_plain and self.tail is None else None
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=indent)
        write_atomic(path, text + "\n")

    @classmethod
    @checked
    def from_json(cls, data: dict[str, Any]) -> Certificate:
        """Makes a certificate from the content of its file; errors as of `load`."""
        symbols = symbols_of(data, "certificate")
        for field, kind in _FIELDS.items():
            if not isinstance(data.get(field), kind) or isinstance(data[field], bool):
                raise InputError(f"{field!r} is missing or not valid: the file is damaged")
        if data.get("sha256") != digest({n: value for n, value in data.items() if n != "sha256"}):
            raise VerificationError(
                "the certificate was changed after it was written: its checksum differs"
            )
        use = {field: data[field] for field in _FIELDS} | {
            "lower_bound": _bound_from_json(data["lower_bound"]),
            "tree": tuple(node_from_json(node, symbols) for node in data["tree"]),
        }
        if "tail" in data:
            use["tail"] = TailTerm.from_json(data["tail"], symbols)
        return cls(**use)

    @classmethod
    @checked
    def load(cls, path: str | PathLike[str]) -> Certificate:
        """Reads a certificate file; errors name it, a VerificationError a wrong checksum."""
        about = ""  # `read_json` names the file itself
        try:
            data = read_json(path)
            about = f"{fspath(path)}: "
            return cls.from_json(data)
        except (InputError, VerificationError) as error:
            raise type(error)(f"{about}{error}{likely_mistake(path, 'certificate')}") from None


def _bound_from_json(bound: int | str) -> int | Fraction:
    if not isinstance(bound, str):
        return bound
    try:
        return read_fraction(bound)
    except (ValueError, ZeroDivisionError):
        raise InputError("'lower_bound' is not valid: the file is damaged") from None


def of_weighted(instance: Instance, weights: Sequence[int], proof: Certificate) -> Certificate:
    """Returns the certificate of the largest ratio that follows from one of weighted words.

    `proof` is that of ``instance.weighted(weights)``, with a weight of at least 1 for each corpus.
    """
    assert instance.corpora is not None
    tree = tuple(
        replace(node, weights=tuple(weights)) if isinstance(node, Leaf) else node
        for node in proof.tree
    )
    assert isinstance(proof.lower_bound, int)
    bound = instance.corpora.proven(proof.lower_bound, weights)
    return Certificate.of(instance, tree, bound, proof.scale_bits, proof.tail)


def leaves_weighted(certificate: Certificate) -> Iterator[tuple[int, ...]]:
    """Yields the weights of the leaves that have weights."""
    for node in certificate.tree:
        if isinstance(node, Leaf) and node.weights:
            yield node.weights


def policy_digest(instance: Instance) -> str:
    """Returns the SHA-256 of the limits on the candidates.

    It covers everything in an instance except words, k, threshold and source; for several corpora
    it also covers their words and references.
    """
    about = {"symbols": instance.symbols, **instance.conditions_to_json()}
    if instance.corpora is not None:
        about["corpora_sha256"] = [words.digest for words in instance.corpora.words]
        about["references"] = list(instance.corpora.references)
    return digest(about)
