"""Defines commands: a function, and its docstring, which declares the options."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
import cloup

from ..errors import InputError
from ..runtime.processes import signals
from .declared import HEADINGS, OPTIONS, declared
from .paths import check_paths, held_outputs

if TYPE_CHECKING:
    from ..problem.memory_plan import Work

Function = Callable[..., Any]
Listed = tuple[str, Callable[[], Iterable[tuple[str, str | Callable[[], str]]]]]


class Options(SimpleNamespace):
    """The options of a command, as attributes."""


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
                parameter.group = groups[getattr(parameter, "heading", OPTIONS)]  # type: ignore[attr-defined]
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


def command(
    name: str, *, plan: Work | Callable[[Mapping[str, Any]], Work] | None = None, **attributes: Any
) -> Callable[[Function], Command]:
    """Makes a function a `Command`, with what its docstring declares.

    The function gets an option by the name of a parameter.  A parameter of a dataclass gets the
    options that are its fields, and one of `Options` all others.  With ``--plan`` only the memory
    of the work `plan` is shown.
    """

    def decorate(function: Function) -> Command:
        text, parameters, examples = declared(function.__doc__ or "")
        there = function.__globals__
        notes: dict[str, Any] = {key: there.get(n) for key, n in function.__annotations__.items()}
        groups: dict[str, Any] = {key: kind for key, kind in notes.items() if is_dataclass(kind)}
        rest = [key for key, kind in notes.items() if kind is Options]

        @functools.wraps(function)
        def run(**given: Any) -> Any:
            is_planned = given.pop("plan", False)
            work: Any = plan(given) if is_planned and callable(plan) else plan
            for key, kind in groups.items():
                own = {field.name for field in fields(kind)} & given.keys()
                given[key] = kind(**{field: given.pop(field) for field in own})
            if is_planned:
                from .plan import show_plan

                return show_plan(work, given["out"], given["source"])
            for key in rest:
                others = given.keys() - notes.keys()
                given[key] = Options(**{other: given.pop(other) for other in others})
            return function(**given)

        return Command(
            name, callback=run, help=text, params=parameters, examples=examples, **attributes
        )

    return decorate


def _line(about: str | Callable[[], str]) -> str:
    """Returns the line of something listed, or why another package's cannot be loaded."""
    if isinstance(about, str):
        return about
    try:
        return about()
    except InputError as error:
        return str(error)
