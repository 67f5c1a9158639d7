"""The part of a certificate about a tail of words, in addition to prices of the head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from ...corpus import symbols as sym
from ...corpus.symbols import Symbols, Token
from ...errors import InputError
from ...runtime.arguments import plain, shown
from ...runtime.pickling import by_fields
from .checksum import listed, token, whole

LONGEST_PRICED = 256
"""Symbols of the longest word of a tail that gets prices; longer ones count as one token."""
MOST_TOKENS = 16
"""A word of a tail whose cost is above this limit has prices that do not depend on multipliers."""

_MOST_CLASS_BITS = 24  # classes then take 128 MiB


class TailDigest:
    """Computes a digest of counted words in any order: the sum of the SHA-256 of all lines."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.words = self.total_count = self._sum = 0

    def add(self, word: Token, count: int) -> None:
        """Adds a word."""
        import hashlib  # OpenSSL takes 4 MiB

        text = word if isinstance(word, bytes) else sym.show(word).encode()
        line = hashlib.sha256(b"%b\t%d" % (text, count)).digest()
        self._sum += int.from_bytes(line, "big")
        self.words += 1
        self.total_count += count

    def include(self, other: TailDigest) -> None:
        """Adds the words of another digest."""
        self._sum += other._sum
        self.words += other.words
        self.total_count += other.total_count

    def hexdigest(self) -> str:
        """Returns the digest of all added words."""
        return f"{self._sum % (1 << 256):064x}"


@dataclass(frozen=True, eq=False)
class TailTerm:
    """The part of a certificate about the tail: how its words are priced.

    The prices of the tail follow from multipliers by a rule, which
    `partcover.verification.tail_check` defines.

    Attributes
    ----------
    head_words : int
        Number of the most frequent words that form the head.
    words, total_count : int
        Number of words in the tail, and the sum of their counts.
    sha256 : str
        The `TailDigest` of these words.
    token_multipliers : mapping of token to int
        Multipliers: the cost of a token beyond 1 in a word of the tail, in units of 2^-scale_bits.
    sixteenths : int
        Number of sixteenths of the tail's prices that follow from the multipliers, 0 to 16.
    class_bits : int
        Tokens without a reward in the head and without a multiplier share 2^class_bits classes.

    Examples
    --------
    >>> from partcover import HeadAndTail, Instance, WordCounts, lower_bound
    >>> words = WordCounts.from_counts({"that": 9, "hat": 5, "chat": 1, "what": 1})
    >>> lower_bound(Instance(HeadAndTail.of(words, 2), 1)).certificate.tail
    TailTerm(2 words in the tail, 0 multipliers)
    """

    head_words: int
    words: int
    total_count: int
    sha256: str
    token_multipliers: Mapping[Token, int] = field(repr=False)
    sixteenths: int
    class_bits: int

    def __post_init__(self) -> None:
        whole(self.head_words, "the words of the head", 1)
        whole(self.words, "the words of the tail", 0)
        whole(self.total_count, "the count of the tail", 0)
        whole(self.sixteenths, "sixteenths", 0, 16)
        whole(self.class_bits, "class_bits", 1, _MOST_CLASS_BITS)
        if not isinstance(self.sha256, str):
            raise InputError(f"the sha256 of the tail is {shown(self.sha256)}: it must be text")
        if not isinstance(self.token_multipliers, Mapping):
            raise InputError(
                f"the multipliers of the tail are {shown(self.token_multipliers)}: "
                "they must be pairs of a token and a number"
            )
        for each, toll in self.token_multipliers.items():
            if len(token(each, "a multiplier is for")) < 2:
                raise InputError(f"a multiplier is for {sym.show(each)!r}, which is not a token")
            whole(toll, f"the multiplier of {sym.glance(each)!r}", 0)
        self.__dict__["sha256"] = plain(self.sha256)
        self.__dict__["token_multipliers"] = MappingProxyType(dict(self.token_multipliers))

    __reduce__ = by_fields

    def __repr__(self) -> str:
        multipliers = len(self.token_multipliers)
        return f"TailTerm({self.words:,} words in the tail, {multipliers:,} multipliers)"

    def to_json(self) -> dict[str, Any]:
        """Returns the term as in a certificate file."""
        tolls = sorted(self.token_multipliers.items())
        data = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**data, "token_multipliers": [[sym.to_json(token), toll] for token, toll in tolls]}

    @classmethod
    def from_json(cls, data: Any, symbols: Symbols) -> TailTerm:
        """Makes the term from the untrusted content of a certificate file."""
        names = {each.name for each in fields(cls)}
        if not isinstance(data, dict) or not names <= data.keys():
            raise InputError("'tail' is not valid: the file is damaged")
        pairs = listed(data["token_multipliers"], "the multipliers of the tail", pairs=True)
        tolls = {sym.from_json(token, symbols): toll for token, toll in pairs}
        if len(tolls) < len(pairs):
            raise InputError("a token has two multipliers in the tail")
        return cls(**{name: data[name] for name in names} | {"token_multipliers": tolls})
