"""Declares options that are sizes, as ``500MB`` or ``all`` words, and shares, as ``0.1%``."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import click

from ..errors import InputError
from ..runtime.fractions import read_fraction

_UNITS = {unit: 1000**power for power, unit in enumerate(("", "k", "m", "g", "t"))}
_BINARY = {f"{unit}i": 1024**power for power, unit in enumerate(("", "k", "m", "g", "t")) if unit}


class Size(click.ParamType[int]):
    """A size in bytes, with a unit or without."""

    name = "size"

    def __init__(self, least: int = 1) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Returns the number of bytes."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([kmgt]?i?)b?\s*", value.lower())
        unit = None if match is None else (_UNITS | _BINARY).get(match[2])
        if match is None or unit is None:
            self.fail(
                f"{value!r} is not a size. Expected a size such as 500MB or 2GiB.", param, ctx
            )
        size = int(float(match[1]) * unit)
        if size < self.least:
            least = f"{self.least / 1e6:,.0f} MB"
            self.fail(f"{value} is too little: at least {least} is needed.", param, ctx)
        return size


class Words(click.ParamType[int]):
    """The most words of a phrase: a number, or ``all`` in a row."""

    name = "words"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Returns the number of words."""
        from ..corpus.files.joining import ALL_WORDS, checked_phrases

        if value == "all":
            return ALL_WORDS
        if not re.fullmatch("-?[0-9]{1,18}", str(value), re.ASCII):
            self.fail(
                f"{value!r} is not a number of words. Expected a number such as 4, or all.",
                param,
                ctx,
            )
        try:
            return checked_phrases(int(value))
        except InputError as error:
            self.fail(str(error), param, ctx)


class Share(click.ParamType[Fraction]):
    """A share, as 0.001 or 0.1%."""

    name = "share"
    example = "0.1% or 0.001"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Fraction:
        """Returns the share as it is written."""
        if isinstance(value, Fraction):
            return value
        text = str(value).strip()
        try:
            number = read_fraction(text.removesuffix("%").strip())
        except (ValueError, ZeroDivisionError):
            self.fail(
                f"{value!r} is not a {self.name}. Expected a value such as {self.example}.",
                param,
                ctx,
            )
        return number / 100 if text.endswith("%") else number


class Weight(Share):
    """A weight, as 0.5 or 1/3."""

    name = "weight"
    example = "0.5 or 1/3"
