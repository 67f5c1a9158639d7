"""The multipliers between tokens and their parts, in a leaf of a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...corpus import symbols as sym
from ...corpus.symbols import Symbols, Token
from ...errors import InputError
from ...runtime.arguments import shown
from .checksum import whole

__all__ = ["Charge"]


def _token(token: Token) -> str:
    """Returns a token of a charge for messages; raises an error if it is not a token."""
    if not isinstance(token, bytes | str | tuple):
        raise InputError(f"a charge is for {shown(token)}, which is not a token")
    return sym.glance(token)


@dataclass(frozen=True)
class Charge:
    """What a token pays to its parts, since a vocabulary contains it only together with them.

    Attributes
    ----------
    token : token
        The token.
    pays : int
        The amount by which its reward is lower, at least 0, in units of 2^-scale_bits of a token.
    parts : tuple of (token, int)
        The amounts by which the rewards of its parts are higher, at least 0.

    Examples
    --------
    >>> from partcover.problem.certificates.charges import Charge
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
        """Returns the charge as in a certificate file."""
        parts = [[sym.to_json(part), gets] for part, gets in self.parts]
        return [sym.to_json(self.token), self.pays, parts]

    @classmethod
    def from_json(cls, data: Any, symbols: Symbols) -> Charge:
        """Makes a charge from untrusted content of a file."""
        if not isinstance(data, list) or len(data) != 3 or not isinstance(data[2], list):
            raise InputError("a charge is not a token, a number and a list of parts")
        token, pays, parts = data
        pairs = []
        for part in parts:
            if not isinstance(part, list) or len(part) != 2:
                raise InputError("a part of a charge is not a token and a number")
            pairs.append((sym.from_json(part[0], symbols), part[1]))
        return cls(sym.from_json(token, symbols), pays, tuple(pairs))
