"""Holds a lower bound for vocabularies whose tokens merges make."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from ..corpus import symbols as sym
from ..corpus.symbols import Symbols, Token
from ..errors import InputError
from ..runtime.arguments import shown
from ..runtime.notebook import brief
from ..vocabulary.merging import halves
from .certificate import Certificate
from .certificate_file import SavedCertificate, whole

__all__ = ["Charge", "MergeCertificate", "MergeCondition"]


@dataclass(frozen=True)
class MergeCondition:
    """A condition on vocabularies: every token is made of two that are there, as merging needs it.

    Single symbols and required tokens are there.

    Attributes
    ----------
    pairs : tuple of (token, token), or None
        The merges that there are; None if any two tokens may be merged.
    whole_words : bool
        Whether a token that is a word needs no parts, as where merging is by rank.
    characters : bool
        Whether merging starts from characters, so that those of several bytes need no parts.

    Examples
    --------
    >>> from partcover.problem.merge_certificate import MergeCondition
    >>> list(MergeCondition().splits(b"that"))
    [(b'hat',), (b'th', b'at'), (b'tha',)]
    >>> list(MergeCondition(((b"th", b"at"), (b"a", b"t"))).splits(b"that"))
    [(b'th', b'at')]
    >>> list(MergeCondition().splits(b"th"))
    [()]
    """

    pairs: tuple[tuple[Token, Token], ...] | None = None
    whole_words: bool = False
    characters: bool = False

    def __repr__(self) -> str:
        merges = "any merges" if self.pairs is None else f"{len(self.pairs):,} merges"
        flags = [name for name in ("whole_words", "characters") if getattr(self, name)]
        return brief("MergeCondition", merges, *flags)

    @cached_property
    def _pairs_of(self) -> dict[Token, list[tuple[Token, Token]]]:
        made: dict[Token, list[tuple[Token, Token]]] = defaultdict(list)
        for left, right in dict.fromkeys(self.pairs or ()):
            made[left + right].append((left, right))  # type: ignore[operator]  # of one type
        return made

    def splits(
        self, token: Token, lengths: Collection[int] | None = None
    ) -> Iterator[tuple[Token, ...]]:
        """Yields, for each way in which two parts make a token, those that have to be there.

        With `lengths` only the ways whose parts have such lengths, or are what merging starts from:
        of a long token all parts together are far longer than itself.
        """
        if self._is_given(token):
            yield ()
            return
        pairs: Iterable[tuple[Token, Token]]
        if self.pairs is None:
            if lengths is None:
                lengths = range(1, len(token))
            pairs = halves(token, {*range(1, 5 if self.characters else 2), *lengths})
        else:
            pairs = self._pairs_of.get(token, ())
        for pair in pairs:
            yield tuple(dict.fromkeys(part for part in pair if not self._is_given(part)))

    def _is_given(self, part: Token) -> bool:
        """Whether a part is what merging starts from."""
        if len(part) < 2:
            return True
        if not self.characters or not isinstance(part, bytes) or len(part) > 4:
            return False
        try:
            return len(part.decode("utf-8")) == 1
        except UnicodeDecodeError:
            return False

    def to_json(self) -> dict[str, Any]:
        """Returns what a certificate file holds of it."""
        pairs = None
        if self.pairs is not None:
            pairs = [[sym.to_json(part) for part in pair] for pair in self.pairs]
        return {"pairs": pairs, "whole_words": self.whole_words, "characters": self.characters}

    @classmethod
    def from_json(cls, data: dict[str, Any], symbols: Symbols) -> MergeCondition:
        """Makes a condition from what a file holds, which may be anything."""
        if data.keys() != {"pairs", "whole_words", "characters"}:
            raise InputError("the condition has not 'pairs', 'whole_words' and 'characters'")
        pairs = data["pairs"]
        if pairs is not None:
            if not isinstance(pairs, list) or not all(
                isinstance(pair, list) and len(pair) == 2 for pair in pairs
            ):
                raise InputError("the merges of the condition are not pairs")
            left_right = [[sym.from_json(part, symbols) for part in pair] for pair in pairs]
            pairs = tuple((left, right) for left, right in left_right)
        if not all(isinstance(data[name], bool) for name in ("whole_words", "characters")):
            raise InputError("whole_words and characters are not true or false")
        return cls(pairs, data["whole_words"], data["characters"])


def _token(token: Token) -> str:
    """Returns a token of a charge for messages, and refuses what is none."""
    if not isinstance(token, bytes | str | tuple):
        raise InputError(f"a charge is of {shown(token)}: a token is expected")
    return sym.glance(token)


@dataclass(frozen=True)
class Charge:
    """What a token pays to its parts, since it is there only where they are.

    Attributes
    ----------
    token : token
        The token.
    pays : int
        By how much its reward is less, at least 0, in units of 2^-scale_bits of a token.
    parts : tuple of (token, int)
        By how much the rewards of its parts are more, at least 0.

    Examples
    --------
    >>> from partcover.problem.merge_certificate import Charge
    >>> Charge(b"that", 3, ((b"th", 1), (b"at", 2)))
    Charge(token=b'that', pays=3, parts=((b'th', 1), (b'at', 2)))
    """

    token: Token
    pays: int
    parts: tuple[tuple[Token, int], ...]

    def __post_init__(self) -> None:
        about = f"a charge of {_token(self.token)!r}"
        whole(self.pays, about, 0)
        if not isinstance(self.parts, tuple) or not all(
            isinstance(pair, tuple) and len(pair) == 2 for pair in self.parts
        ):
            raise InputError(f"the parts of {about} are not pairs of a token and a number")
        for part, gets in self.parts:
            _token(part)
            whole(gets, about, 0)

    def to_json(self) -> list[Any]:
        """Returns what a certificate file holds of it."""
        parts = [[sym.to_json(part), gets] for part, gets in self.parts]
        return [sym.to_json(self.token), self.pays, parts]

    @classmethod
    def from_json(cls, data: Any, symbols: Symbols) -> Charge:
        """Makes a charge from what a file holds, which may be anything."""
        if not isinstance(data, list) or len(data) != 3 or not isinstance(data[2], list):
            raise InputError("a charge is not a token, a number and a list of parts")
        token, pays, parts = data
        pairs = []
        for part in parts:
            if not isinstance(part, list) or len(part) != 2:
                raise InputError("a part of a charge is not a token and a number")
            pairs.append((sym.from_json(part[0], symbols), part[1]))
        return cls(sym.from_json(token, symbols), pays, tuple(pairs))


@dataclass(frozen=True, eq=False)
class MergeCertificate(SavedCertificate):
    """A proof that no vocabulary whose tokens merges make needs fewer tokens than `lower_bound`.

    `partcover.verification.merge_check.check_merge_certificate` checks it, and says why it holds.

    Attributes
    ----------
    prices : Certificate
        Prices of the symbols: a single leaf, without fees and cuts.  Its pairs are each of a token
        with itself, and hold what that one is due for symbols, from itself and all that need it.
    condition : MergeCondition
        What the vocabularies keep to.
    charges : tuple of Charge
        What tokens pay to their parts, each token once.
    lower_bound : int
        The lower bound that is claimed.

    Examples
    --------
    >>> from partcover import Instance, MergeCertificate, MergeCondition, merge_bound
    >>> instance = Instance({"abc": 3, "abd": 1}, 1)
    >>> merge_bound(instance, MergeCondition()).certificate.save("M.cert")
    >>> MergeCertificate.load("M.cert")
    MergeCertificate(k=1, lower_bound=7, any merges)
    """

    _KIND = "merge-certificate"
    _ABOUT = "a certificate of merges"
    _FIELDS: ClassVar = {"lower_bound": int, "condition": dict, "charges": list, "prices": dict}

    prices: Certificate
    condition: MergeCondition
    charges: tuple[Charge, ...] = field(repr=False)
    lower_bound: int

    def __repr__(self) -> str:
        pairs = self.condition.pairs
        merges = "any merges" if pairs is None else f"{len(pairs):,} merges"
        about = [f"k={self.prices.k}", f"lower_bound={self.lower_bound}", merges]
        return brief("MergeCertificate", *about)

    def _content(self) -> dict[str, Any]:
        return {
            "lower_bound": self.lower_bound,
            "condition": self.condition.to_json(),
            "charges": [charge.to_json() for charge in self.charges],
            "prices": self.prices.to_json(),
        }

    @classmethod
    def _of_content(cls, data: dict[str, Any]) -> MergeCertificate:
        prices = Certificate.from_json(data["prices"])
        return cls(
            prices,
            MergeCondition.from_json(data["condition"], prices.symbols),
            tuple(Charge.from_json(charge, prices.symbols) for charge in data["charges"]),
            data["lower_bound"],
        )
