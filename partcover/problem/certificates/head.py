"""Holds a proof about all words that has prices for the most frequent ones alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...corpus import symbols as sym
from ...corpus.symbols import Symbols, Token
from ...errors import InputError
from ...runtime.arguments import shown
from ...runtime.notebook import brief
from .certificate import Certificate
from .file import SavedCertificate, whole

__all__ = ["LONGEST_PRICED", "MOST_TOKENS", "HeadCertificate", "TailDigest"]

LONGEST_PRICED = 256
"""Symbols of the longest word of a tail that gets prices; longer ones count as one token."""
MOST_TOKENS = 16
"""A word of a tail that costs more by the tolls has prices that these do not change."""

_MOST_CLASS_BITS = 24  # 128 MiB


class TailDigest:
    """Sums up a digest of counted words that does not depend on their order.

    It is the sum of the SHA-256 of all lines, modulo 2^256.

    Examples
    --------
    >>> from partcover.problem.certificates.head import TailDigest
    >>> digests = TailDigest("bytes"), TailDigest("bytes")
    >>> for digest, words in zip(digests, ([b"ab", b"cd"], [b"cd", b"ab"])):
    ...     for word in words:
    ...         digest.add(word, 2)
    >>> digests[0].hexdigest() == digests[1].hexdigest()
    True
    """

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.words = self.total_count = self._sum = 0

    def add(self, word: Token, count: int) -> None:
        """Adds a word."""
        text = word if isinstance(word, bytes) else sym.show(word).encode()
        line = hashlib.sha256(b"%b\t%d" % (text, count)).digest()
        self._sum += int.from_bytes(line, "big")
        self.words += 1
        self.total_count += count

    def include(self, other: TailDigest) -> None:
        """Adds the words that were added to another digest."""
        self._sum += other._sum
        self.words += other.words
        self.total_count += other.total_count

    def hexdigest(self) -> str:
        """Returns the digest of all words that were added."""
        return f"{self._sum % (1 << 256):064x}"


@dataclass(frozen=True, eq=False)
class HeadCertificate(SavedCertificate):
    """A proof that no vocabulary within the budget needs fewer tokens than `lower_bound`.

    The words are a head, whose symbols have prices in an ordinary certificate, and a tail, whose
    prices follow from the tolls by a rule.
    `partcover.verification.head_check.check_head_certificate` checks it, and says why it holds.

    Attributes
    ----------
    head : Certificate
        Prices for the words of the head: a single leaf, without cuts.
    head_words : int
        How many of the most frequent words are the head.
    tail_words, tail_count : int
        Words of the tail, and how often they are counted.
    tail_sha256 : str
        Their `TailDigest`.
    tolls : mapping of token to int
        What a token costs in a word of the tail beyond 1, in units of 2^-scale_bits.
    sixteenths : int
        How many sixteenths of the prices of the tail are by the tolls, 0 to 16.
    class_bits : int
        Tokens that have no reward in the head and no toll are in 2^class_bits classes.
    lower_bound : int
        The lower bound that is claimed, for all words.

    Examples
    --------
    >>> from partcover import HeadCertificate, WordCounts, head_bound
    >>> words = WordCounts.from_counts({"that": 9, "hat": 5, "chat": 1, "what": 1})
    >>> head_bound(words, 1, head=2).certificate.save("P.cert")
    >>> HeadCertificate.load("P.cert")
    HeadCertificate(k=1, lower_bound=27, 2 words in the tail)
    """

    _KIND = "head-certificate"
    _ABOUT = "a certificate of a head"
    _FIELDS: ClassVar = {
        "lower_bound": int,
        "head_words": int,
        "tail_words": int,
        "tail_count": int,
        "tail_sha256": str,
        "sixteenths": int,
        "class_bits": int,
        "tolls": list,
        "head": dict,
    }

    head: Certificate
    head_words: int
    tail_words: int
    tail_count: int
    tail_sha256: str
    tolls: Mapping[Token, int] = field(repr=False)
    sixteenths: int
    class_bits: int
    lower_bound: int

    def __post_init__(self) -> None:
        whole(self.sixteenths, "sixteenths", 0, 16)
        whole(self.class_bits, "class_bits", 1, _MOST_CLASS_BITS)
        whole(self.lower_bound, "the lower bound")
        if not isinstance(self.tolls, Mapping):
            raise InputError(f"the tolls are {shown(self.tolls)}: tokens with numbers are expected")
        for token, toll in self.tolls.items():
            if not isinstance(token, bytes | str | tuple):
                raise InputError(f"a toll is of {shown(token)}, which is no token")
            if len(token) < 2:
                raise InputError(f"a toll is of {sym.show(token)!r}, which is no token")
            whole(toll, f"the toll of {sym.glance(token)!r}", 0)

    def __repr__(self) -> str:
        about = [f"k={self.head.k}", f"lower_bound={self.lower_bound}"]
        return brief("HeadCertificate", *about, f"{self.tail_words:,} words in the tail")

    def _content(self) -> dict[str, Any]:
        return {
            "lower_bound": self.lower_bound,
            "head_words": self.head_words,
            "tail_words": self.tail_words,
            "tail_count": self.tail_count,
            "tail_sha256": self.tail_sha256,
            "sixteenths": self.sixteenths,
            "class_bits": self.class_bits,
            "tolls": [[sym.to_json(token), toll] for token, toll in sorted(self.tolls.items())],
            "head": self.head.to_json(),
        }

    @classmethod
    def _of_content(cls, data: dict[str, Any]) -> HeadCertificate:
        head = Certificate.from_json(data["head"])
        return cls(
            head,
            data["head_words"],
            data["tail_words"],
            data["tail_count"],
            data["tail_sha256"],
            _tolls(data["tolls"], head.symbols),
            data["sixteenths"],
            data["class_bits"],
            data["lower_bound"],
        )


def _tolls(pairs: list[Any], symbols: Symbols) -> dict[Token, int]:
    tolls: dict[Token, int] = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise InputError("a toll is not a token and a number: the file is damaged")
        token = sym.from_json(pair[0], symbols)
        if token in tolls:
            raise InputError(f"the toll of {sym.show(token)!r} comes twice")
        tolls[token] = pair[1]
    return tolls
