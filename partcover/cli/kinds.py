"""Declares the kinds of what options and arguments take: sizes, shares, numbers, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import Any

import click

from ..runtime.arguments import closest
from ..runtime.fractions import read_fraction
from ..runtime.processes.engines import ENGINES
from ..vocabulary.rules import SEGMENTATION_RULES
from .paths import GroupText, ReadablePath, WritablePath

LEAST_MEMORY = 300_000_000  # bytes for Python, its libraries, and some words
_UNITS = {unit: 1000**power for power, unit in enumerate(("", "k", "m", "g", "t"))}
_UNITS |= {f"{unit}i": 1024**power for power, unit in enumerate(_UNITS) if unit}
_METAVAR = 32  # characters of choices that fit beside an option


class _Written(click.ParamType[Any]):
    """What a function reads from text; its error says what is wrong."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns what the text says."""
        try:
            return self.read(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


class _Name(click.types.StringParamType):
    """A name of a listing of partcover, which a shell completes; it is looked up only then.

    The listing is an iterable of names in a module, or a function that returns one.  With a
    separator, the last of several names is completed.
    """

    def __init__(self, module: str, listing: str, separator: str = "") -> None:
        self.listing = module, listing
        self.separator = separator

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        """Returns the names that begin as the last one does."""
        from click.shell_completion import CompletionItem

        module, listing = self.listing
        names = getattr(import_module(f"partcover.{module}"), listing)
        place = incomplete.rfind(self.separator) + 1 if self.separator else 0
        before, last = incomplete[:place], incomplete[place:]
        listed: Iterable[str] = names() if callable(names) else names
        return [CompletionItem(before + name) for name in listed if name.startswith(last)]


class _Pretokenizer(_Name):
    """A pre-tokenizer; a command gets its full name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the full name."""
        from ..corpus.pretokenizers.pretokenizer import Pretokenizer

        return Pretokenizer.from_name(value).name


class _Choice(click.Choice[Any]):
    """One of some names; the error for any other suggests the closest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Returns the suggestion, or the names where none is close."""
        every = super().get_invalid_choice_message(value, ctx)
        hint = closest(value, self.choices, every)
        return hint if hint == every else f"{value!r} is unknown: {hint}"


class _Listed(_Choice):
    """A choice of so many names that the help lists them behind the text."""

    @property
    def listed(self) -> str:
        """The names."""
        return f" One of {', '.join(self.choices)}."


class _Engine(click.types.StringParamType):
    listed = f" One of {ENGINES}."


def _size(text: str) -> int:
    """Reads a size in bytes, with a unit or without."""
    match = re.fullmatch(r"\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([kmgt]?i?)b?\s*", text.lower())
    unit = None if match is None else _UNITS.get(match[2])
    if match is None or unit is None:
        raise ValueError(f"{text!r} is not a size. Expected a size such as 500MB or 2GiB.")
    size = int(float(match[1]) * unit)
    if size < LEAST_MEMORY:
        raise ValueError(f"{text} is too little: at least {LEAST_MEMORY / 1e6:,.0f} MB is needed.")
    return size


def _phrases(text: str) -> int:
    """Reads the most words of a phrase: a number, or ``all`` in a row."""
    from ..corpus.files.joining import ALL_WORDS, checked_phrases

    if text == "all":
        return ALL_WORDS
    if not re.fullmatch("-?[0-9]{1,18}", text, re.ASCII):
        raise ValueError(f"{text!r} is not a number of words. Expected a number such as 4, or all.")
    return checked_phrases(int(text))


def _fraction(name: str, example: str, text: str) -> Fraction:
    """Reads a number, a fraction or a percentage, taken as it is written."""
    try:
        number = read_fraction(text.strip().removesuffix("%").strip())
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{text!r} is not a {name}. Expected a value such as {example}.") from None
    return number / 100 if text.strip().endswith("%") else number


def _trainer() -> click.ParamType[Any]:
    from ..trainers import TRAINERS

    return _Listed(sorted(TRAINERS))


_KINDS: dict[str, Callable[[], click.ParamType[Any]]] = {
    "ENGINE": _Engine,
    "FORMAT": partial(_Name, "interop", "FORMATS"),
    "FORMULATION": partial(_Name, "exact.formulations.build", "FORMULATIONS"),
    "INSTANCE": partial(_Name, "instances.library", "names"),
    "METHODS": partial(_Name, "studies.methods", "METHODS", ","),
    "NAME=N:WHAT": GroupText,
    "PHRASES": partial(_Written, "words", _phrases),
    "PRETOKENIZER": partial(_Pretokenizer, "corpus.pretokenizers.rules", "PRETOKENIZER_RULES", "+"),
    "RECORD": partial(_Name, "instances.records", "names"),
    "RULE": partial(_Listed, SEGMENTATION_RULES),
    "SECONDS": partial(click.FloatRange, 0),
    "SHARE": partial(_Written, "share", partial(_fraction, "share", "0.1% or 0.001")),
    "SIZE": partial(_Written, "size", _size),
    "SOLVER": partial(_Name, "exact.solvers.registry", "SOLVERS"),
    "TRAINER": _trainer,
    "WEIGHT": partial(_Written, "weight", partial(_fraction, "weight", "0.5 or 1/3")),
}
# files that are written, by what they hold, and how the help calls them
_WRITTEN = {"TABLE": "FILE", "FIGURE": "FILE", "FOLDER": "FILE", "DIR": "DIR"}


def kind_of(kind: str) -> tuple[click.ParamType[Any], str | None]:
    """Returns the type of a kind that a docstring names, and how the help calls it."""
    if kind.startswith("<"):
        return ReadablePath(), kind[1:]
    if kind.startswith(">"):
        return WritablePath(kind[1:]), _WRITTEN.get(kind[1:], kind[1:])
    if number := re.fullmatch(r"N(?:>=(\d+))?(?:<=(\d+))?", kind):
        least, most = (None if bound is None else int(bound) for bound in number.groups())
        return (click.INT if least is None else click.IntRange(least, most)), "N"
    if kind.strip("[]") in _KINDS:
        return _KINDS[kind.strip("[]")](), kind
    if re.fullmatch(r"[a-z0-9_-]+(\|[a-z0-9_-]+)+", kind):
        if len(kind) > _METAVAR:
            return _Listed(kind.split("|")), "NAME"
        return _Choice(kind.split("|")), None
    return click.STRING, kind
