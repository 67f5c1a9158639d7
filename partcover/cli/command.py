"""Defines commands: help with headings and examples, and files checked before the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import click
import cloup
from click.core import ParameterSource

from ..errors import InputError
from ..runtime.processes import signals
from .paths import ReadablePath, WritablePath, check_paths, held_outputs

Function = Callable[..., Any]


class Options(SimpleNamespace):
    """The options of a command, as attributes."""


Decorator = Callable[[Function], Function]
Listed = tuple[str, Callable[[], Iterable[tuple[str, str | Callable[[], str]]]]]
OPTIONS, CANDIDATES, LIMITS, OUTPUT = HEADINGS = (
    "Options",
    "Words and candidates",
    "Limits and execution",
    "Output",
)
_METAVAR = 32  # characters of choices that fit beside an option


class Command(cloup.Command):
    """A command whose help has examples and which checks its files before it starts.

    Its help may end with a list, of a heading and a function that returns each name and its line:
    what is listed is loaded only then.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[tuple[str, str]] = (),
        keeps_best: bool = False,
        listed: Listed | None = None,
        **attributes: Any,
    ) -> None:
        groups = {title: cloup.OptionGroup(title) for title in HEADINGS}
        for parameter in attributes.get("params") or ():
            if isinstance(parameter, click.Option):
                title = getattr(parameter, "heading", OPTIONS)
                parameter.group = groups[title]  # type: ignore[attr-defined]
        super().__init__(*args, **attributes)
        self.option_groups.sort(key=lambda group: HEADINGS.index(group.title))
        self.examples = examples
        self.keeps_best = keeps_best
        self.listed = listed

    def invoke(self, ctx: click.Context) -> Any:
        """Checks the files to write and keeps other runs from them, then runs the command."""
        check_paths(self.params, ctx.params)
        signals.keeps_best(self.keeps_best)
        with held_outputs(self.params, ctx.params):
            return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list and the examples below the options."""
        if self.listed is not None:
            heading, rows = self.listed
            with formatter.section(heading):
                formatter.write_dl([(name, _line(about)) for name, about in rows()])
        if self.examples:
            with formatter.section("Examples"):
                for line, about in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")
                    if about:
                        formatter.write(f"{'':{formatter.current_indent}}    {about}\n")
        super().format_epilog(ctx, formatter)


class Group(cloup.Group):
    """A group of commands."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command that the first argument names, and the other arguments."""
        if args[0].startswith("-"):  # after --, where cloup would fail
            raise click.UsageError(f"No such command {args[0]!r}.", ctx)
        return super().resolve_command(ctx, args)


def command(name: str, **attributes: Any) -> Callable[[Function], Command]:
    """Makes a function a `Command`, with its attributes."""
    decorator: Callable[[Function], Command] = cloup.command(name, cls=Command, **attributes)
    return decorator


def _line(about: str | Callable[[], str]) -> str:
    """Returns the line of something listed, or why another package's cannot be loaded."""
    if isinstance(about, str):
        return about
    try:
        return about()
    except InputError as error:
        return str(error)


class _Parameter(click.Parameter):
    """An option or argument whose numbers are written in ASCII digits, without underscores."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Converts a value, as Click does, and refuses the other digits that Python reads."""
        if isinstance(self.type, click.types.IntParamType | click.types.FloatParamType):
            what = "integer" if isinstance(self.type, click.types.IntParamType) else "number"
            for text in value if isinstance(value, tuple | list) else (value,):
                if isinstance(text, str) and ("_" in text or not text.isascii()):
                    self.type.fail(f"{text!r} is not a valid {what}.", self, ctx)
        return super().type_cast_value(ctx, value)


class _Argument(_Parameter, click.Argument):
    """An argument."""


class _Option(_Parameter, cloup.Option):
    """An option that stands below a heading, and whose help says its default."""

    def __init__(self, *args: Any, heading: str = OPTIONS, **attributes: Any) -> None:
        kind = attributes.get("type")
        attributes.setdefault("show_default", attributes.get("default") is not None)
        if isinstance(kind, click.Choice) and len("|".join(kind.choices)) > _METAVAR:
            listed = f"{attributes.get('help', '')} One of {', '.join(kind.choices)}."
            attributes |= {"metavar": attributes.get("metavar") or "NAME", "help": listed}
        super().__init__(*args, **attributes)
        self.heading = heading


def option(*names: str, heading: str = OPTIONS, **attributes: Any) -> Decorator:
    """Adds an option below a heading of the help."""
    decorator: Decorator = cloup.option(*names, cls=_Option, heading=heading, **attributes)
    return decorator


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


def reading_option(
    name: str, metavar: str, about: str, *, dest: str | None = None, **attributes: Any
) -> Decorator:
    """Adds an option that names a file to read, passed on as `dest`."""
    names = (name,) if dest is None else (name, dest)
    attributes.setdefault("type", ReadablePath())
    return option(*names, metavar=metavar, help=about, **attributes)


def writing_option(
    name: str, metavar: str, about: str, kind: str = "text", **more: Any
) -> Decorator:
    """Adds an option that names a file to write, of a kind of `WritablePath`."""
    return reading_option(name, metavar, about, type=WritablePath(kind), **more)


def argument(name: str, *, type: Any = None, **attributes: Any) -> Decorator:  # noqa: A002
    """Adds an argument, a file to read unless another type is given."""
    decorator: Decorator = cloup.argument(
        name, cls=_Argument, type=type or ReadablePath(), **attributes
    )
    return decorator
