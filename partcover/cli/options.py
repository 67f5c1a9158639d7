"""Declares the options that commands share, and what all commands have in common."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import click
import cloup

from ..corpus import symbols as sym
from ..corpus.pretokenizers import Pretokenizer
from ..runtime import signals
from .output import FORMATS, Output
from .paths import GroupText, ReadablePath, WritablePath, check_paths
from .renamed import renamed

__all__ = [
    "Command",
    "all_files_option",
    "argument",
    "candidate_options",
    "command",
    "gap_option",
    "instance_options",
    "k_option",
    "no_vocabulary_option",
    "option",
    "output_options",
    "pretokenizer_option",
    "seconds_option",
    "text_pretokenizer_option",
]

_Function = Callable[..., Any]
_Decorator = Callable[[_Function], _Function]
_METAVAR = 32  # characters of choices that fit beside an option
_HEADINGS = ("Options", "Words and candidates", "Limits and running", "Output")


class Command(cloup.Command):
    """A command whose help has examples, and which checks its files before it starts.

    Parameters
    ----------
    examples : sequence of (str, str)
        A command line and what it does.
    keeps_best : bool
        Whether it keeps the best so far when it is interrupted.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[tuple[str, str]] = (),
        keeps_best: bool = False,
        **attributes: Any,
    ) -> None:
        groups = {title: cloup.OptionGroup(title) for title in _HEADINGS}
        for parameter in attributes.get("params") or ():
            if isinstance(parameter, click.Option):
                title = getattr(parameter, "heading", _HEADINGS[0])
                parameter.group = groups[title]  # type: ignore[attr-defined]
        super().__init__(*args, **attributes)
        self.option_groups.sort(key=lambda group: _HEADINGS.index(group.title))
        self.examples = examples
        self.keeps_best = keeps_best

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; an option that is gone gets a line that says the new one."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            line = renamed(self.name or "", error.option_name)
            if line is None:
                raise
            raise click.UsageError(line, ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Check what is to be written, then run."""
        check_paths(self.params, ctx.params)
        signals.keeps_best(self.keeps_best)
        return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples below the options."""
        if self.examples:
            with formatter.section("Examples"):
                for line, what in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")
                    if what:
                        formatter.write(f"{'':{formatter.current_indent}}    {what}\n")
        super().format_epilog(ctx, formatter)


def command(
    name: str,
    *,
    examples: Sequence[tuple[str, str]],
    keeps_best: bool = False,
    cls: type[Command] = Command,
    **attributes: Any,
) -> Callable[[_Function], Command]:
    """Make a function a `Command`, or one of a class derived from it."""
    made: Callable[[_Function], Command] = cloup.command(
        name, cls=cls, examples=examples, keeps_best=keeps_best, **attributes
    )
    return made


class _Option(cloup.Option):
    """An option that stands below a heading."""

    def __init__(self, *args: Any, heading: str = _HEADINGS[0], **attributes: Any) -> None:
        kind = attributes.get("type")
        if isinstance(kind, click.Choice) and len("|".join(kind.choices)) > _METAVAR:
            listed = f"{attributes.get('help', '')} One of {', '.join(kind.choices)}."
            attributes |= {"metavar": "NAME", "help": listed}
        super().__init__(*args, **attributes)
        self.heading = heading


def option(*names: str, heading: str = _HEADINGS[0], **attributes: Any) -> _Decorator:
    """Add an option below a heading of the help."""
    made: _Decorator = cloup.option(*names, cls=_Option, heading=heading, **attributes)
    return made


def argument(name: str, *, type: Any = None, **attributes: Any) -> _Decorator:  # noqa: A002
    """Add an argument; a file to read unless another type is given."""
    made: _Decorator = cloup.argument(name, type=type or ReadablePath(), **attributes)
    return made


class _Format(click.Choice[str]):
    """``--format`` of what is shown; other formats have options of their own."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in ("edgelist", "dimacs", "pace"):
            self.fail(f"the format of a graph is --from {value} now", param, ctx)
        return super().convert(value, param, ctx)


def output_options(
    *,
    writes: str = "the result, as JSON, or as CSV or Markdown by its ending (.csv, .md)",
    kind: str = "table",
    table: bool = True,
    threads: bool = False,
    seed: bool = False,
) -> _Decorator:
    """Add ``--json --quiet -o``, and what else the command makes use of, as an `Output`.

    Parameters
    ----------
    writes : str
        What ``-o`` writes.
    kind : str
        Its kind, of `WritablePath`.
    table : bool
        Are tables shown? Then ``--format`` and ``--wide``.
    threads, seed : bool
        Does the command make use of ``--threads``, ``--seed``?
    """

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def wrapper(
            *,
            json: bool,
            quiet: bool,
            output: str | None,
            result_format: str | None = None,
            wide: bool = False,
            **options: Any,
        ) -> Any:
            used = {name: options.pop(name) for name in ("threads", "seed") if name in options}
            if output == "-" and (json or result_format == "json"):
                raise click.UsageError("-o - and --json both want standard output: leave out one")
            if options.get("plot") is not None:
                from ..report.plots import check_plot

                check_plot(options["plot"])
            return function(Output(json, quiet, output, result_format, wide, **used), **options)

        for add in reversed(_shared(writes, kind, table, threads, seed)):
            add(wrapper)
        return wrapper

    return decorate


def _shared(writes: str, kind: str, table: bool, threads: bool, seed: bool) -> list[_Decorator]:
    running = []
    if threads:
        about = "Threads; the result is the same."
        running.append(
            option(
                "--threads",
                type=click.IntRange(1),
                default=1,
                show_default=True,
                heading=_HEADINGS[2],
                help=about,
            )
        )
    if seed:
        running.append(
            option(
                "--seed",
                type=int,
                default=0,
                show_default=True,
                heading=_HEADINGS[2],
                help="Seed of what is drawn.",
            )
        )
    shown = [
        option(
            "-o",
            "--output",
            metavar="FILE",
            type=WritablePath(kind),
            heading=_HEADINGS[3],
            help=f"Write {writes}.",
        ),
        option(
            "--json", is_flag=True, heading=_HEADINGS[3], help="One JSON object on standard output."
        ),
    ]
    if table:
        shown += [
            option(
                "--format",
                "result_format",
                type=_Format(FORMATS),
                heading=_HEADINGS[3],
                help="Of the result on standard output, and in a file that is one; csv: the first "
                "table.",
            ),
            option(
                "--wide",
                is_flag=True,
                heading=_HEADINGS[3],
                help="All columns and whole texts, however wide the terminal is. Else the least "
                "important columns are left out where there is no room.",
            ),
        ]
    quiet = option("--quiet", is_flag=True, heading=_HEADINGS[3], help="No remarks, no progress.")
    return [*running, *shown, quiet]


def instance_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the input argument and the options that make an instance of it."""
    return candidate_options(argument("corpus", metavar="C.tsv|I.json")(function))


def candidate_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that make an instance of an input."""
    for add in (
        _candidate(
            "--prefix",
            type=ReadablePath(),
            metavar="FILE",
            help="Tokens given in front, kept first, in order.",
        ),
        _candidate(
            "--group",
            "groups",
            multiple=True,
            type=GroupText(),
            metavar="NAME=N:WHAT",
            help="At most N tokens of a group: WHAT is a file of tokens, or lengths as 8- or 2-4. "
            "Repeatable.",
        ),
        _candidate(
            "--weights",
            type=ReadablePath(),
            metavar="FILE",
            help="What a token costs in each word: word, tab, weight a line. Default 1.",
        ),
        _candidate(
            "--protected",
            type=ReadablePath(),
            metavar="FILE",
            help="Tokens that are never cut: required, and nothing else overlaps them.",
        ),
        _candidate(
            "--forbidden",
            type=ReadablePath(),
            metavar="FILE",
            help="Tokens that no vocabulary may hold.",
        ),
        _candidate(
            "--required",
            type=ReadablePath(),
            metavar="FILE",
            help="Tokens that every vocabulary must hold.",
        ),
        _candidate(
            "--candidates",
            type=ReadablePath(),
            metavar="FILE",
            help="The candidates: one token a line, or a vocabulary file. Default: all substrings.",
        ),
        _candidate("--min-count", type=int, help="Fewest occurrences of a candidate."),
        _candidate("--max-length", type=int, help="Longest candidate, in symbols."),
        _candidate(
            "--symbols",
            type=click.Choice(sym.SYMBOLS),
            help="What words are made of. Default: as the file says, or bytes.",
        ),
    ):
        add(function)
    return function


def _candidate(*names: str, **attributes: Any) -> _Decorator:
    return option(*names, heading=_HEADINGS[1], **attributes)


def k_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``-k``."""
    return option(
        "-k", "k", type=int, help="How many tokens may be chosen (an instance file has its own k)."
    )(function)


class _Seconds(click.FloatRange):
    """At least 0; click's own range takes what is no number."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


def seconds_option(
    name: str = "--time-limit",
    *,
    about: str = "Stop after this long.",
    default: float | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option for a time: ``--time-limit``, or another of its kind."""
    return option(
        name,
        type=_Seconds(0),
        default=default,
        show_default=default is not None,
        metavar="SECONDS",
        heading=_HEADINGS[2],
        help=about,
    )


def gap_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--gap``, the relative gap at which to stop."""

    def within(_: click.Context, __: click.Parameter, gap: float | None) -> float | None:
        if gap is not None and not 0 <= gap < 1:
            raise click.BadParameter(f"{gap}: a number from 0 up to 1 is expected (0.01 is 1 %).")
        return gap

    return option(
        "--gap",
        type=float,
        callback=within,
        metavar="GAP",
        heading=_HEADINGS[2],
        help="Stop at this gap (0.01 is 1 %).",
    )(function)


def no_vocabulary_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--no-vocabulary``."""
    return option(
        "--no-vocabulary",
        is_flag=True,
        heading=_HEADINGS[3],
        help="Leave the tokens out of what is printed.",
    )(function)


def all_files_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--all-files``, of what reads folders of text."""
    return option(
        "--all-files",
        is_flag=True,
        help="Of folders, files of every name but hidden ones; unknown ones are plain text.",
    )(function)


def pretokenizer_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--pretokenizer``, of what makes a vocabulary, for counts that do not say it."""

    def known(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
        if name is not None:
            Pretokenizer.from_name(name)
        return name

    return option(
        "--pretokenizer",
        metavar="NAME",
        callback=known,
        help="What the words were counted with, where their file does not say it.",
    )(function)


def text_pretokenizer_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--pretokenizer``, of what cuts text into words for a vocabulary."""
    return option(
        "--pretokenizer",
        help="How text is cut into words, as for `count`. Default: as the vocabulary file says.",
    )(function)
