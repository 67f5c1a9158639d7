"""Declares the options that commands share, each group of them passed on as one value."""

from __future__ import annotations

import functools
import math
from dataclasses import fields
from typing import Any

import click

from ..corpus import symbols as sym
from ..runtime.arguments import MOST_THREADS
from ..runtime.processes.engines import ENGINES
from .command import CANDIDATES, LIMITS, OUTPUT, Decorator, Function, argument, option
from .inputs import InstanceSource
from .paths import GroupText, ReadablePath, WritablePath
from .shown.completion import pretokenizer_names
from .shown.output import FORMATS, Output

__all__ = [
    "all_files_option",
    "applied",
    "candidate_options",
    "engine_option",
    "engine_options",
    "events_option",
    "gap_option",
    "grouped",
    "instance_options",
    "k_option",
    "no_cuts_option",
    "no_vocabulary_option",
    "output_options",
    "plot_option",
    "resume_option",
    "seconds_option",
    "several_options",
    "start_certificate_option",
    "text_pretokenizer_option",
    "vocabulary_options",
]


_INPUT = "Word counts, written by `count`, or an instance file."


def applied(function: Function, *decorators: Decorator) -> Function:
    """Adds options in the order in which they are listed."""
    for decorate in reversed(decorators):
        function = decorate(function)
    return function


def grouped(function: Function, name: str, kind: type[Any]) -> Function:
    """Passes the options that are fields of a dataclass as one argument of that name."""
    names = {field.name for field in fields(kind)}

    @functools.wraps(function)
    def wrapper(**options: Any) -> Any:
        group = {key: options.pop(key) for key in names & options.keys()}
        return function(**{name: kind(**group)}, **options)

    return wrapper


class _Format(click.Choice[str]):
    """``--format`` of a table; formats of other things have options of their own."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in ("edgelist", "dimacs", "pace"):
            self.fail(f"the format of a graph is --from {value}", param, ctx)
        return super().convert(value, param, ctx)


# options, and the attributes of `Output` that hold them
_OUTPUT = {"output": "path", "result_format": "form"} | {
    name: name for name in ("json", "quiet", "wide", "no_vocabulary", "threads", "seed")
}


def output_options(
    *,
    writes: str = "the result as JSON, or as CSV or Markdown if FILE ends in .csv or .md",
    kind: str = "table",
    table: bool = True,
    threads: bool = False,
    seed: bool = False,
) -> Decorator:
    """Adds ``--json --quiet -o`` and what else the command uses, passed on as an `Output`.

    Parameters
    ----------
    writes : str
        What ``-o`` writes.
    kind : str
        Its kind, of `WritablePath`.
    table : bool
        Whether tables are shown, which adds ``--format`` and ``--wide``.
    threads, seed : bool
        Whether the command makes use of ``--threads``, ``--seed``.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def wrapper(**options: Any) -> Any:
            names = _OUTPUT.keys() & options.keys()
            out = Output(**{_OUTPUT[name]: options.pop(name) for name in names})
            if out.path == "-" and (out.json or out.form == "json"):
                raise click.UsageError(
                    "-o - and --json both write to standard output: leave out one"
                )
            return function(out=out, **options)

        return applied(wrapper, *_output_options(writes, kind, table, threads, seed))

    return decorate


def _output_options(
    writes: str, kind: str, table: bool, threads: bool, seed: bool
) -> list[Decorator]:
    """Returns the options of `output_options`, in the order of the help."""
    running = []
    if threads:
        running.append(
            option(
                "--threads",
                type=click.IntRange(1, MOST_THREADS),
                default=1,
                show_default=True,
                heading=LIMITS,
                help="Number of threads. The result does not depend on it.",
            )
        )
    if seed:
        running.append(
            option(
                "--seed",
                type=int,
                default=0,
                show_default=True,
                heading=LIMITS,
                help="Random seed.",
            )
        )
    shown = [
        option(
            "-o",
            "--output",
            metavar="FILE",
            type=WritablePath(kind),
            heading=OUTPUT,
            help=f"Write {writes}.",
        ),
        option("--json", is_flag=True, heading=OUTPUT, help="Print one JSON object."),
    ]
    if table:
        shown += [
            option(
                "--format",
                "result_format",
                type=_Format(FORMATS),
                heading=OUTPUT,
                help="Format of the result, printed or written by -o. csv: the first table only.",
            ),
            option(
                "--wide",
                is_flag=True,
                heading=OUTPUT,
                help="Show all columns and full texts. By default, the least important columns are "
                "left out if the terminal is too narrow.",
            ),
        ]
    quiet = option("--quiet", is_flag=True, heading=OUTPUT, help="Show no remarks and no progress.")
    return [*running, *shown, quiet]


def instance_options(function: Function) -> Function:
    """Adds the input argument and the options that make an instance of it."""
    return argument("corpus", metavar="C.tsv|I.json", help=_INPUT)(candidate_options(function))


def several_options(function: Function) -> Function:
    """Adds the same, and ``--minimax`` for several inputs."""
    return minimax_option(candidate_options(function))


def minimax_option(function: Function) -> Function:
    """Adds the input argument, which may be several files, ``--minimax`` and ``--reference``."""

    @functools.wraps(function)
    def wrapper(
        *, corpora: tuple[str, ...], minimax: bool, reference: str | None, **options: Any
    ) -> Any:
        if not minimax and len(corpora) > 1:
            raise click.UsageError(
                "several inputs need --minimax: give one input, or add --minimax"
            )
        if not minimax and reference is not None:
            raise click.UsageError("--reference needs --minimax")
        several = corpora if minimax else ()
        return function(corpus=corpora[0], several=several, reference=reference, **options)

    add_inputs = argument("corpora", metavar="C.tsv|I.json", nargs=-1, required=True, help=_INPUT)
    add_flag = option(
        "--minimax",
        is_flag=True,
        help="For several C.tsv: minimize the largest ratio of tokens to the reference count.",
    )
    add_reference = option(
        "--reference",
        metavar="own|bytes|words|N,N,…",
        help="With --minimax: the reference count of each corpus. own (default): its tokens with a "
        "vocabulary of its own; its bytes; its words; or the given numbers.",
    )
    return add_inputs(add_flag(add_reference(wrapper)))


def refuse_with_minimax(**options: Any) -> None:
    """Refuses options that are not for several inputs; each is named as its parameter."""
    for name, value in options.items():
        if value not in (None, False):
            raise click.UsageError(f"--minimax and --{name.replace('_', '-')} exclude each other")


def candidate_options(function: Function) -> Function:
    """Adds the options that make an instance of an input, passed on as an `InstanceSource`."""
    return applied(
        grouped(function, "source", InstanceSource),
        _candidate(
            "--symbols",
            type=click.Choice(sym.SYMBOLS),
            help="Symbols of the words. Default: as the file says, else bytes.",
        ),
        _candidate("--max-length", type=int, help="Maximum candidate length, in symbols."),
        _candidate("--min-count", type=int, help="Minimum number of occurrences of a candidate."),
        _candidate(
            "--candidates",
            type=ReadablePath(),
            metavar="FILE",
            help="Candidate tokens: one per line, or a vocabulary file. Default: all substrings.",
        ),
        _candidate(
            "--required",
            type=ReadablePath(),
            metavar="FILE",
            help="Tokens that the vocabulary must contain.",
        ),
        _candidate(
            "--forbidden",
            type=ReadablePath(),
            metavar="FILE",
            help="Tokens that the vocabulary must not contain.",
        ),
        _candidate(
            "--protected",
            type=ReadablePath(),
            metavar="FILE",
            help="Required tokens that are always kept whole: no other token may overlap them.",
        ),
        _candidate(
            "--weights",
            type=ReadablePath(),
            metavar="FILE",
            help="Cost of a token in each word: WORD<TAB>WEIGHT per line. Default: 1.",
        ),
        _candidate(
            "--group",
            "groups",
            multiple=True,
            type=GroupText(),
            metavar="NAME=N:WHAT",
            help="Limit a group to N tokens. WHAT is a file of tokens or a range of lengths, such "
            "as 8- or 2-4. Repeatable.",
        ),
        _candidate(
            "--prefix",
            type=ReadablePath(),
            metavar="FILE",
            help="Tokens that the vocabulary must begin with, in this order.",
        ),
    )


def _candidate(*names: str, **attributes: Any) -> Decorator:
    return option(*names, heading=CANDIDATES, **attributes)


def k_option(function: Function, default: str = "k of an instance file") -> Function:
    """Adds ``-k``, with its default in words."""
    return option(
        "-k", "k", type=int, help=f"Maximum number of tokens to choose. Default: {default}."
    )(function)


def vocabulary_options(
    *,
    writes: str = "the vocabulary",
    seed: bool = True,
    limit: str | None = None,
    several: bool = False,
) -> Decorator:
    """Adds the options of a command that chooses a vocabulary for an instance.

    Parameters
    ----------
    writes : str
        What ``-o`` writes.
    seed : bool
        Whether the command makes use of ``--seed``.
    limit : str, optional
        The help of ``--time-limit``.
    several : bool
        Whether there may be several inputs, with ``--minimax``.
    """

    def decorate(function: Function) -> Function:
        return applied(
            function,
            k_option,
            seconds_option() if limit is None else seconds_option(about=limit),
            no_vocabulary_option,
            _pretokenizer_option,
            several_options if several else instance_options,
            output_options(writes=writes, kind="text", threads=True, seed=seed),
        )

    return decorate


def engine_option(about: str, default: str = "threads") -> Decorator:
    """Adds ``--engine``, with what its workers do."""
    return option(
        "--engine",
        default=default,
        show_default=True,
        metavar="NAME",
        heading=LIMITS,
        help=f"How to run the N workers of --threads{about}: {ENGINES}.",
    )


def engine_options(about: str, default: str, kept: str) -> Decorator:
    """Adds ``--engine`` and ``--scratch``.

    Parameters
    ----------
    about : str
        What the workers of the engine do.
    default : str
        The engine by default.
    kept : str
        The help of ``--scratch``.
    """

    def decorate(function: Function) -> Function:
        return applied(
            function,
            engine_option(about, default),
            option(
                "--scratch",
                type=WritablePath("folder"),
                metavar="DIR",
                heading=LIMITS,
                help=kept,
            ),
        )

    return decorate


def resume_option(files: str) -> Decorator:
    """Adds ``--resume``.

    Parameters
    ----------
    files : str
        What a run goes on from.
    """
    return option(
        "--resume",
        is_flag=True,
        help=f"Resume an interrupted run from {files}. Progress is saved every few seconds.",
    )


def start_certificate_option(about: str) -> Decorator:
    """Adds ``--start-certificate``."""
    return option("--start-certificate", type=ReadablePath(), metavar="P.cert", help=about)


def events_option(about: str) -> Decorator:
    """Adds ``--events``, a file of JSON lines."""
    return option("--events", type=WritablePath(), metavar="FILE", help=about)


def plot_option(about: str) -> Decorator:
    """Adds ``--plot``, a figure; its ending and matplotlib are checked before the command runs."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def wrapper(*, plot: str | None, **options: Any) -> Any:
            if plot is not None:
                from ..report.figures import check_figure

                check_figure(plot)
            return function(plot=plot, **options)

        add = option("--plot", type=WritablePath("figure"), metavar="FILE", help=about)
        return add(wrapper)

    return decorate


class _Seconds(click.FloatRange):
    """At least 0 seconds; the range of click takes NaN, too."""

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
    about: str = "Stop after this many seconds.",
    default: float | None = None,
) -> Decorator:
    """Adds an option for a time: ``--time-limit``, or another of its kind."""
    return option(
        name,
        type=_Seconds(0),
        default=default,
        show_default=default is not None,
        metavar="SECONDS",
        heading=LIMITS,
        help=about,
    )


def no_cuts_option(function: Function) -> Function:
    """Adds ``--no-cuts``, for the bound of the linear relaxation alone."""
    return option(
        "--no-cuts",
        is_flag=True,
        help="Use the bound of the linear relaxation, without cutting planes.",
    )(function)


def gap_option(function: Function) -> Function:
    """Adds ``--gap``, the relative gap at which to stop."""

    def within(_: click.Context, __: click.Parameter, gap: float | None) -> float | None:
        if gap is not None and not 0 <= gap < 1:
            raise click.BadParameter(
                f"{gap}: expected a number of at least 0 and below 1, such as 0.01 for 1 %."
            )
        return gap

    return option(
        "--gap",
        type=float,
        callback=within,
        metavar="GAP",
        heading=LIMITS,
        help="Stop at this relative optimality gap, for example 0.01 for 1 %.",
    )(function)


def no_vocabulary_option(function: Function) -> Function:
    """Adds ``--no-vocabulary``."""
    return option(
        "--no-vocabulary",
        is_flag=True,
        heading=OUTPUT,
        help="Do not print the tokens of the vocabulary.",
    )(function)


def all_files_option(function: Function) -> Function:
    """Adds ``--all-files`` to a command that reads folders of text."""
    return option(
        "--all-files",
        is_flag=True,
        help="Include files with unknown extensions as plain text. Hidden files are always "
        "skipped.",
    )(function)


def _pretokenizer_option(function: Function) -> Function:
    """Adds ``--pretokenizer`` to a command that makes a vocabulary, for counts without its name."""

    def known(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
        from ..corpus.pretokenizers.pretokenizer import Pretokenizer

        return None if name is None else Pretokenizer.from_name(name).name

    return option(
        "--pretokenizer",
        metavar="NAME",
        callback=known,
        shell_complete=pretokenizer_names,
        help="Pre-tokenizer that made the word counts, if their file does not name it.",
    )(function)


def text_pretokenizer_option(function: Function) -> Function:
    """Adds ``--pretokenizer`` to a command that splits text into words for a vocabulary."""
    return option(
        "--pretokenizer",
        shell_complete=pretokenizer_names,
        help="Pre-tokenizer, as for `count`. Default: the one in the vocabulary file.",
    )(function)
