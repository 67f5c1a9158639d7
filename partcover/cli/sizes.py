"""Declares options that are sizes, as ``500MB`` or ``all`` words, and shares, as ``0.1%``."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import click

from ..runtime.fractions import read_fraction

_UNITS = {unit: 1000**power for power, unit in enumerate(("", "k", "m", "g", "t"))}
_BINARY = {f"{unit}i": 1024**power for power, unit in enumerate(("", "k", "m", "g", "t")) if unit}


class _Written(click.ParamType[Any]):
    """What a function reads from text; its error says what is wrong."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns what the text says; a default stays as it is."""
        try:
            return self.read(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


def size(least: int) -> _Written:
    """Declares a size in bytes, with a unit or without."""

    def read(text: str) -> int:
        match = re.fullmatch(r"\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([kmgt]?i?)b?\s*", text.lower())
        unit = None if match is None else (_UNITS | _BINARY).get(match[2])
        if match is None or unit is None:
            raise ValueError(f"{text!r} is not a size. Expected a size such as 500MB or 2GiB.")
        size = int(float(match[1]) * unit)
        if size < least:
            raise ValueError(f"{text} is too little: at least {least / 1e6:,.0f} MB is needed.")
        return size

    return _Written("size", read)


def _phrases(text: str) -> int:
    """Reads the most words of a phrase: a number, or ``all`` in a row."""
    from ..corpus.files.joining import ALL_WORDS, checked_phrases

    if text == "all":
        return ALL_WORDS
    if not re.fullmatch("-?[0-9]{1,18}", text, re.ASCII):
        raise ValueError(f"{text!r} is not a number of words. Expected a number such as 4, or all.")
    return checked_phrases(int(text))


def _fraction(name: str, example: str) -> _Written:
    """Declares a number, a fraction or a percentage, taken as it is written."""

    def read(text: str) -> Fraction:
        try:
            number = read_fraction(text.strip().removesuffix("%").strip())
        except (ValueError, ZeroDivisionError):
            raise ValueError(
                f"{text!r} is not a {name}. Expected a value such as {example}."
            ) from None
        return number / 100 if text.strip().endswith("%") else number

    return _Written(name, read)


WORDS = _Written("words", _phrases)
SHARE = _fraction("share", "0.1% or 0.001")
WEIGHT = _fraction("weight", "0.5 or 1/3")
