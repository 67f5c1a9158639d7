"""Checks special tokens, their ids, and how they are found in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from ..errors import InputError
from ..runtime.arguments import is_listed, plain, shown

Role: TypeAlias = Literal["bos", "eos", "pad", "unk", "sep", "cls", "mask"]
SpecialFlag: TypeAlias = Literal["single_word", "lstrip", "rstrip", "normalized", "added", Role]
_FLAGS: tuple[SpecialFlag, ...] = get_args(SpecialFlag)
_Value = TypeVar("_Value")


def whole_number(number: Any, where: str = "") -> int:
    """Returns an id as int; errors begin with `where`."""
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise InputError(f"{where}id {shown(number)} is not a whole number")
    return int(number)


def checked_special(
    special: Mapping[str, int] | Iterable[str] | str,
    next_id: int,
    used: set[int],
    others: Mapping[int, bytes],
    flags: Mapping[str, Sequence[str]],
) -> dict[str, int]:
    """Returns the special tokens and their ids; by default the ids begin at `next_id`.

    Only a token with the flag ``added`` may have an id in `used`, the ids of the tokens; none may
    have one of `others`, the ids that only decode.

    Raises
    ------
    InputError
        If a token is not text, is empty, is not UTF-8 or is given twice, or an id is not a whole
        number, is out of range or is taken.
    """
    if not isinstance(special, Mapping):
        listed = [special] if isinstance(special, str) else list(special)
        for text in listed:
            if not isinstance(text, str):
                raise InputError(f"special token {shown(text)}: it must be text")
        special = {text: next_id + i for i, text in enumerate(map(plain, listed))}
        if len(special) < len(listed):
            raise InputError("a special token is given twice")
    named = {t: whole_number(n, f"special token {t!r}: ") for t, n in _by_text(special).items()}
    taken: set[int] = set(others)
    for text, number in named.items():
        if not isinstance(text, str) or not text:
            raise InputError(f"special token {text!r}: it must be text that is not empty")
        if re.search("[\ud800-\udfff]", text):
            raise InputError(
                f"special token {text!r} has a lone surrogate, which UTF-8 cannot encode"
            )
        if not 0 <= number < 2**31:
            raise InputError(f"special token {text!r}: id {number} is out of range")
        shares = number in used and "added" not in flags.get(text, ())
        if shares or number in taken:
            raise InputError(f"special token {text!r}: id {number} is given twice")
        taken.add(number)
    return named


def checked_others(
    others: Mapping[int, bytes] | None, symbols: str, used: set[int]
) -> dict[int, bytes]:
    """Returns the ids that are only decoded, in ascending order, and their bytes.

    Raises
    ------
    InputError
        If an id is not a whole number, is out of range or is in `used`, a value is not bytes, or
        the vocabulary is not over bytes.
    """
    found: dict[int, bytes] = {}
    for given, text in (others or {}).items():
        number = whole_number(given, "decode_only: ")
        if symbols != "bytes" or not isinstance(text, bytes):
            raise InputError(f"decode_only: id {number} is {shown(text)}, which is not bytes")
        if not 0 <= number < 2**31:
            raise InputError(f"decode_only: id {number} is out of range")
        if number in used:
            raise InputError(f"decode_only: id {number} is given twice")
        found[number] = plain(text)
    return dict(sorted(found.items()))


def listed_flags(flags: Mapping[str, Iterable[str]] | None) -> dict[str, list[str]]:
    """Returns the flags of each text as a list of flags that are known."""
    listed: dict[str, list[str]] = {}
    for text, given in _by_text(flags or {}).items():
        if not is_listed(given):
            raise InputError(f"special_flags of {text!r}: it must be a list of flags")
        listed[text] = [plain(flag) if isinstance(flag, str) else flag for flag in given]
        if wrong := [f for f in listed[text] if not isinstance(f, str) or f not in _FLAGS]:
            raise InputError(
                f"special_flags of {text!r}: {shown(wrong[0])} is not a flag: use "
                f"{', '.join(_FLAGS)}"
            )
    return listed


def checked_flags(
    flags: Mapping[str, Sequence[str]], special: Mapping[str, int]
) -> dict[str, tuple[SpecialFlag, ...]]:
    """Returns the flags of special tokens in their order, without tokens that have no flags."""
    for text in flags:
        if text not in special:
            raise InputError(f"special_flags: {shown(text)} is not a special token")
    ordered = {text: tuple(f for f in _FLAGS if f in given) for text, given in flags.items()}
    return {text: given for text, given in ordered.items() if given}


def _by_text(table: Mapping[Any, _Value]) -> dict[Any, _Value]:
    """Returns a mapping whose keys are str where they are texts: an Enum has a hash of its own."""
    return {plain(key) if isinstance(key, str) else key: value for key, value in table.items()}
