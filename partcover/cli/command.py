"""Defines commands: a function, and its docstring, which declares the options."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
import cloup

from ..errors import InputError
from ..runtime.files.locks import held_output
from ..runtime.processes import signals
from .declared import HEADINGS, declared
from .paths import check_paths

if TYPE_CHECKING:
    from ..problem.memory_plan import Work

Function = Callable[..., Any]
Listed = tuple[str, Callable[[], Iterable[tuple[str, str]]]]


class Options(SimpleNamespace):
    """The options of a command, as attributes."""


class Command(cloup.Command):
    """A command whose help has examples and which checks its files before it starts.

    Its help may end with a list, of a heading and a function that returns each name and its line:
    what is listed is loaded only then.
    """

    def __init__(
        self,
        name: str,
        function: Function,
        *,
        plan: Work | Callable[[Mapping[str, Any]], Work] | None = None,
        keeps_best: bool = False,
        listed: Listed | None = None,
    ) -> None:
        if not function.__doc__:
            raise InputError("commands need their docstrings: run Python without -OO")
        text, parameters, self.examples = declared(function.__doc__)
        super().__init__(name, callback=_caller(function, plan), help=text, params=parameters)
        self.option_groups.sort(key=lambda group: HEADINGS.index(group.title))
        self.keeps_best = keeps_best
        self.listed = listed

    def invoke(self, ctx: click.Context) -> Any:
        """Checks the files to write and keeps other runs from them, then runs the command."""
        with contextlib.ExitStack() as stack:
            for path in check_paths(self.params, ctx.params):
                stack.enter_context(held_output(Path(path)))
            signals.keeps_best(self.keeps_best)
            return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list and the examples below the options."""
        if self.listed is not None:
            heading, rows = self.listed
            with formatter.section(heading):
                formatter.write_dl(list(rows()))
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
    """Makes a function a `Command`, with what its docstring declares.

    The function gets an option by the name of a parameter.  A parameter of a dataclass gets the
    options that are its fields, and one of `Options` all others.  With ``--plan`` only the memory
    of the work `plan` is shown.
    """
    return lambda function: Command(name, function, **attributes)


def _caller(
    function: Function, plan: Work | Callable[[Mapping[str, Any]], Work] | None
) -> Function:
    """Returns what calls the function of a command with the options of the command line."""
    there = function.__globals__
    notes: dict[str, Any] = {key: there.get(n) for key, n in function.__annotations__.items()}
    groups: dict[str, Any] = {key: kind for key, kind in notes.items() if is_dataclass(kind)}

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
        for key in [key for key, kind in notes.items() if kind is Options]:
            others = given.keys() - notes.keys()
            given[key] = Options(**{other: given.pop(other) for other in others})
        return function(**given)

    return run


def described(registry: Mapping[str, Any], attribute: str) -> Iterator[tuple[str, str]]:
    """Yields each name and its line, or why what another package registers cannot be loaded."""
    for name in registry:
        try:
            yield name, getattr(registry[name], attribute)
        except InputError as error:
            yield name, str(error)
