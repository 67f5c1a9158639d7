"""Reads what a command's docstring declares: its help, arguments, options and examples.

Behind the line ``Options:`` each entry is a line, with its continuation indented::

    corpus <C.tsv: Word counts.                an argument, a file to read
    --top N>=0 = 10: Number of rows.           a number with its least value and its default
    --sort uses|gain: Order.                   a choice
    --keep <FILE...: Text.                     a file that may be given several times
    -m N (required): How many.                 must be given
    --log show_log: Show the log.              a flag, passed on as `show_log`
    -o, --threads, conditions                  options that commands share, and groups of them
    $ partcover inspect v.json  # see tokens   an example, and what it does

A word in capitals is a kind of `KINDS`, else text that is named so.  A file that is written begins
with ``>``.  A line such as ``Output:`` is the heading of what follows; an option with
the name of a shared one stands below the heading of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any, NamedTuple

import click
import cloup
from click.core import ParameterSource

from .kinds import kind_of
from .shared import GROUPS, SHARED

HEADINGS = ("Options", "Words and candidates", "Limits and execution", "Output")
OPTIONS, CANDIDATES = HEADINGS[:2]


class Declared(NamedTuple):
    """What a docstring declares."""

    help: str
    parameters: list[click.Parameter]
    examples: list[tuple[str, str]]


class _Parameter(click.Parameter):
    """An option or argument whose numbers are written in ASCII digits, without underscores."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Converts a value, as Click does, and refuses what else Python reads as a number."""
        if isinstance(self.type, click.types.IntParamType | click.types.FloatParamType):
            what = "integer" if isinstance(self.type, click.types.IntParamType) else "number"
            for text in value if isinstance(value, tuple | list) else (value,):
                if isinstance(text, str) and (
                    "_" in text or not text.isascii() or "nan" in text.lower()
                ):
                    self.type.fail(f"{text!r} is not a valid {what}.", self, ctx)
        return super().type_cast_value(ctx, value)


class Argument(_Parameter, cloup.Argument):
    """An argument."""


class Option(_Parameter, cloup.Option):
    """An option that stands below a heading."""

    heading = OPTIONS


def declared(text: str) -> Declared:
    """Reads a docstring."""
    about, _, listed = cleandoc(text).partition("\nOptions:\n")
    parameters: list[click.Parameter] = []
    examples = []
    for heading, entry in _entries(listed):
        if entry.startswith("$ "):
            line, _, what = entry.removeprefix("$ ").partition(" # ")
            examples.append((line.rstrip(), what))
        else:
            parameters += _parameters(heading, entry)
    groups = {title: cloup.OptionGroup(title) for title in HEADINGS}
    for parameter in parameters:
        if isinstance(parameter, Option):
            parameter.group = groups[parameter.heading]
    return Declared(about.strip(), parameters, examples)


def _entries(listed: str) -> Iterator[tuple[str, str]]:
    """Yields each entry as one line, with the heading that it stands below."""
    heading = OPTIONS
    for entry in re.split(r"\n(?! )", listed):
        line = re.sub(r"\n +", " ", entry)
        if line.rstrip(":") in HEADINGS:
            heading = line.rstrip(":")
        elif line:
            yield heading, line


def _parameters(heading: str, entry: str) -> Iterator[click.Parameter]:
    """Yields the parameter that an entry declares, or those that it takes from the shared ones."""
    declaration, colon, about = entry.partition(": ")
    if colon:
        yield _parameter(heading, declaration, about)
        return
    for name in entry.rstrip(",").split(", "):
        yield from _parameters(*_SHARED[name])


def _parameter(heading: str, declaration: str, about: str) -> click.Parameter:
    """Makes the parameter of a declaration: names, a name for Python, a kind, a default."""
    declaration, _, default = declaration.partition(" = ")
    words = declaration.removesuffix(" (required)").split(" ")
    flags = [word for word in words if word.startswith("-")]
    rest = words[len(flags) :]
    names = flags + (rest[:1] if rest and re.fullmatch("[a-z_]+", rest[0]) else [])
    kind = " ".join(rest[len(names) - len(flags) :])
    names = ["-o", "--output", "path"] if flags == ["-o"] else names
    several = kind.endswith("...")
    attributes: dict[str, Any] = {"default": default} if default else {}
    if not kind:
        attributes["is_flag"] = True
    else:
        attributes["type"], attributes["metavar"] = kind_of(kind.removesuffix("..."))
        about += getattr(attributes["type"], "listed", "")
    if not flags:
        attributes |= {"nargs": -1 if several else 1, "required": "[" not in kind}
        attributes["metavar"] = names[0].upper() if kind == "N" else attributes["metavar"]
        attributes["metavar"] += "..." if several else ""
        return Argument(names, help=about, **attributes)
    attributes |= {"multiple": several, "required": declaration.endswith(" (required)")}
    about += " Repeatable." if several else ""
    option = Option(names, show_default=bool(default), help=about, **attributes)
    option.heading = _SHARED.get(flags[0], (heading,))[0]
    return option


def is_given(name: str) -> bool:
    """Returns whether a parameter of the running command is given on its command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def exclude(first: str, *others: str) -> None:
    """Refuses other options beside the first, which is given, where they are given too."""
    for parameter in click.get_current_context().command.params:
        for other in parameter.opts:
            if other in others and is_given(str(parameter.name)):
                raise click.UsageError(f"{first} and {other} exclude each other")


_SHARED = {
    re.split("[: ]", entry)[0]: (heading, entry) for heading, entry in _entries(SHARED.strip())
}
_SHARED |= {name: (OPTIONS, names) for name, names in GROUPS.items()}
