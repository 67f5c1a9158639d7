"""Limits on the number of tokens of a group, such as a language, in a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..corpus import symbols as sym
from ..corpus.symbols import Symbols, Token
from ..errors import InputError
from ..runtime.arguments import Int64, checked
from ..runtime.arrays import UInt64, np
from .certificates.checksum import listed, whole

MAX_GROUPS = 64  # kernels store the groups of a token in the bits of one number


@dataclass(frozen=True)
class GroupBudget:
    """A limit on a group of tokens: at most `limit` of a list, or of a range of lengths.

    Parameters
    ----------
    name : str
        Name of the group, for messages and files.
    limit : int
        Maximum number of tokens of the group.
    tokens : iterable of token, optional
        The tokens of the group; if not given, the group is a range of lengths.
    min_length, max_length : int
        The range of lengths, in symbols; without `max_length` there is no upper limit.

    Examples
    --------
    >>> from partcover import GroupBudget, Instance, solve
    >>> short = GroupBudget("short", limit=0, max_length=3)
    >>> instance = Instance({"that": 3, "hat": 2}, k=1, groups=[short])
    >>> list(solve(instance).vocabulary)
    [b'that']
    """

    name: str
    limit: int
    tokens: frozenset[Any] | None = None
    min_length: int = 2
    max_length: int | None = None

    @checked
    def __init__(
        self,
        name: str,
        limit: Int64,
        tokens: Iterable[Any] | None = None,
        min_length: Int64 = 2,
        max_length: Int64 | None = None,
    ) -> None:
        try:
            inside = None if tokens is None else frozenset(tokens)
        except TypeError:  # for example lists of integers
            raise InputError(f"group {name!r}: tokens are texts, bytes or tuples") from None
        self.__dict__.update(name=name, limit=limit, tokens=inside)
        self.__dict__.update(min_length=min_length, max_length=max_length)

    def __reduce__(self) -> tuple[Any, ...]:
        # sorted, because the order of a set differs between processes
        tokens = None if self.tokens is None else sorted(self.tokens, key=repr)
        return type(self), (self.name, self.limit, tokens, self.min_length, self.max_length)

    def over(self, symbols: Symbols) -> GroupBudget:
        """Returns this budget with its tokens converted to an alphabet's type."""
        if self.tokens is None:
            return self
        return replace(self, tokens=frozenset(sym.to_token(t, symbols) for t in self.tokens))

    def __contains__(self, token: Token) -> bool:
        """Returns whether a token is in the group."""
        if self.tokens is not None:
            return token in self.tokens
        longest = len(token) if self.max_length is None else self.max_length
        return self.min_length <= len(token) <= longest

    def check(self, required: Iterable[Token]) -> None:
        """Raises an error for limits that no vocabulary with the required tokens keeps."""
        about, longest = f"group {self.name!r}", self.max_length
        if self.limit < 0:
            raise InputError(f"{about}: its budget is {self.limit}, it must be at least 0")
        if longest is not None and longest < max(2, self.min_length):
            raise InputError(f"{about}: no token has {self.min_length} to {longest} symbols")
        inside = [token for token in required if token in self]
        if len(inside) > self.limit:
            raise InputError(
                f"{len(inside)} required tokens are in {about} "
                f"({sym.show(inside[0])!r} is one), but its budget is {self.limit}"
            )

    def to_json(self) -> dict[str, Any]:
        """Returns the budget as in an instance file."""
        data: dict[str, Any] = {"name": self.name, "at_most": self.limit}
        if self.tokens is not None:
            data["tokens"] = [sym.to_json(token) for token in sorted(self.tokens)]
            return data
        data["min_length"] = self.min_length
        if self.max_length is not None:
            data["max_length"] = self.max_length
        return data

    @classmethod
    def from_json(cls, data: Any, symbols: Symbols) -> GroupBudget:
        """Makes a budget from the content of an instance file."""
        if not isinstance(data, dict) or not isinstance(data.get("name"), str):
            raise InputError("a group is a JSON object with a 'name' and 'at_most'")
        name = data["name"]
        use: dict[str, Any] = {
            key: whole(data[key], f"group {name!r}: {key}")
            for key in ("at_most", "min_length", "max_length")
            if data.get(key) is not None
        }
        if "at_most" not in use:
            raise InputError(f"group {name!r} has no 'at_most'")
        if data.get("tokens") is not None:
            tokens = listed(data["tokens"], f"group {name!r}: 'tokens'")
            use["tokens"] = [sym.from_json(token, symbols) for token in tokens]
        return cls(name, use.pop("at_most"), **use)


class GroupBudgets:
    """Keeps count of at most `MAX_GROUPS` budgets while tokens are chosen one after another.

    `room` is how many further tokens of each group may be chosen.
    """

    def __init__(self, groups: Sequence[GroupBudget], chosen: Iterable[Token] = ()) -> None:
        self.groups = groups
        self.room = np.array([group.limit for group in groups], np.int64)
        for token in chosen:
            self.room[self._of(token)] -= 1

    def _of(self, token: Token) -> list[int]:
        return [number for number, group in enumerate(self.groups) if token in group]

    def admit(self, token: Token) -> bool:
        """Chooses a token if all its groups have room; returns whether it did."""
        own = self._of(token)
        if (self.room[own] <= 0).any():
            return False
        self.room[own] -= 1
        return True

    def bits(self, tokens: Iterable[Token]) -> UInt64:
        """Returns the groups of each token as bits: bit g is set if it is in group g."""
        return np.array([sum(1 << g for g in self._of(token)) for token in tokens], np.uint64)
