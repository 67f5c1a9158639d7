"""What the commands share: output options, instance options, and what they describe."""

from __future__ import annotations

import contextlib
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import click
from rich.console import Console

from . import symbols as sym
from . import tsv
from .corpus import WordCounts
from .errors import InputError, message_line
from .files import check_writable
from .instance import GroupBudget, Instance
from .pretokenizers import Pretokenizer
from .runtime import signals
from .solution import Event
from .vocabulary import Vocabulary

__all__ = [
    "Output",
    "candidate_options",
    "gap_option",
    "instance_options",
    "k_option",
    "no_vocabulary_option",
    "output_options",
    "parse_budgets",
    "pretokenizer_option",
    "read_instance",
    "read_tokens",
    "say",
    "seconds_option",
]


def say(line: str) -> None:
    """One line on standard error, with nothing in it that a terminal acts on."""
    click.echo(message_line(line), err=True)


@dataclass
class Output:
    """Where results go: options that every subcommand shares."""

    json: bool
    quiet: bool
    path: str | None
    threads: int
    seed: int

    @property
    def console(self) -> Console:
        """Standard output, for people; in a file or a pipe lines are not folded at 80 columns."""
        console = Console(highlight=False)
        return console if console.is_terminal else Console(highlight=False, width=200)

    def note(self, line: str) -> None:
        """A remark on standard error, unless quiet."""
        if not self.quiet:
            say(f"partcover: {line}")

    def object(self, data: dict[str, Any]) -> None:
        """The one JSON object of ``--json``."""
        click.echo(json.dumps(data, ensure_ascii=False))

    @contextmanager
    def progress(self, description: str) -> Iterator[Callable[[float, float | None, str], None]]:
        """A bar on standard error when it is a terminal: call with (done, of, remark)."""
        console = Console(stderr=True)
        if self.quiet or not console.is_terminal:
            yield lambda done, of, remark: None
            return
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %  {task.fields[remark]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        ) as bar:
            task = bar.add_task(description, total=None, remark="")
            yield lambda done, of, remark: bar.update(task, completed=done, total=of, remark=remark)

    @contextmanager
    def events(
        self, path: str | None, *, show: bool = True, plot: str | None = None
    ) -> Iterator[Callable[[Event], None] | None]:
        """What gets the events of a solve: a file of JSON lines, people at a terminal, a plot."""
        shown = show and not self.quiet and sys.stderr.isatty()
        told: list[dict[str, Any]] = []
        with contextlib.ExitStack() as stack:
            file: IO[str] | None = None
            if path is not None:
                try:
                    file = stack.enter_context(open(path, "w"))
                except OSError as error:
                    raise InputError(f"{path}: cannot be written ({error.strerror})") from None
            if not shown and file is None and plot is None:
                yield None
                return
            if shown:
                say("  seconds       incumbent           bound        gap  source")

            def tell(event: Event) -> None:
                nonlocal file
                told.append(event.to_json())
                if file is not None:
                    try:
                        file.write(json.dumps(event.to_json()) + "\n")
                        file.flush()
                    except OSError as error:  # a full disk ends the events, not the run
                        self.note(f"{path}: no more events ({error.strerror})")
                        with contextlib.suppress(OSError):
                            file.close()
                        file = None
                if shown:
                    gap = "–" if event.gap is None else f"{100 * event.gap:.3f} %"
                    tokens, bound = (
                        "–" if number is None else f"{number:,}"
                        for number in (event.tokens, event.lower_bound)
                    )
                    mark = "*" if event.kind == "incumbent" else " "
                    say(
                        f"{event.seconds:9.1f} {mark}{tokens:>14} {bound:>15} {gap:>10}  "
                        f"{event.source}"
                    )

            yield tell
        if plot is not None:
            from .plots import plot_events

            plot_events(told, plot)
            self.note(f"wrote {plot}")


def output_options(function: Callable[..., Any], *, folder: bool = False) -> Callable[..., Any]:
    """Add ``--json --quiet -o --threads --seed``, collected in an `Output`.

    With `folder`, what ``-o`` names may be a folder that is there.
    """

    def wrapper(
        *, json: bool, quiet: bool, output: str | None, threads: int, seed: int, **options: Any
    ) -> Any:
        written = ("plot", "draw", "csv", "write_lp", "write_mps", "write_certificate", "events")
        for path in (output, *map(options.get, written)):
            if path is not None and not (folder and path == output and Path(path).is_dir()):
                check_writable(path)
        if options.get("plot") is not None:
            from .plots import check_plot

            check_plot(options["plot"])
        signals.keeps_best("time_limit" in options)
        return function(Output(json, quiet, output, threads, seed), **options)

    wrapper.__doc__, wrapper.__name__ = function.__doc__, function.__name__
    wrapper.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
    for option in (
        click.option("--seed", default=0, show_default=True, help="Seed, recorded in the result."),
        click.option(
            "--threads",
            type=click.IntRange(1),
            default=1,
            show_default=True,
            help="Threads; the result is the same.",
        ),
        click.option("-o", "--output", metavar="FILE", help="Write the result to FILE."),
        click.option("--quiet", is_flag=True, help="No remarks and no progress."),
        click.option("--json", is_flag=True, help="One JSON object on standard output."),
    ):
        option(wrapper)
    return wrapper


def instance_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the input argument and the options that make an instance of it."""
    return candidate_options(click.argument("corpus", metavar="C.tsv|I.json")(function))


def candidate_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that make an instance of an input."""
    for option in (
        click.option(
            "--prefix", metavar="FILE", help="Tokens given in front, kept first, in order."
        ),
        click.option(
            "--group",
            "groups",
            multiple=True,
            metavar="NAME=N:WHAT",
            help="At most N tokens of a group: WHAT is a file of tokens, or lengths as 8- or 2-4. "
            "Repeatable.",
        ),
        click.option(
            "--weights",
            metavar="FILE",
            help="What a token costs in each word: word, tab, weight a line. Default 1.",
        ),
        click.option(
            "--protected",
            metavar="FILE",
            help="Tokens that are never cut: required, and nothing else overlaps them.",
        ),
        click.option("--forbidden", metavar="FILE", help="Tokens that no vocabulary may hold."),
        click.option("--required", metavar="FILE", help="Tokens that every vocabulary must hold."),
        click.option(
            "--candidates",
            metavar="FILE",
            help="The candidates: one token a line, or a vocabulary file. Default: all substrings.",
        ),
        click.option("--min-count", type=int, help="Fewest occurrences of a candidate."),
        click.option("--max-length", type=int, help="Longest candidate, in symbols."),
        click.option(
            "--symbols",
            type=click.Choice(sym.SYMBOLS),
            help="What words are made of. Default: as the file says, or bytes.",
        ),
    ):
        option(function)
    return function


def k_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``-k``."""
    return click.option(
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
    return click.option(
        name,
        type=_Seconds(0),
        default=default,
        show_default=default is not None,
        metavar="SECONDS",
        help=about,
    )


def gap_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--gap``, the relative gap at which to stop."""

    def within(_: click.Context, __: click.Parameter, gap: float | None) -> float | None:
        if gap is not None and not 0 <= gap < 1:
            raise click.BadParameter(f"{gap}: a number from 0 up to 1 is expected (0.01 is 1 %).")
        return gap

    return click.option(
        "--gap", type=float, callback=within, metavar="GAP", help="Stop at this gap (0.01 is 1 %)."
    )(function)


def no_vocabulary_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--no-vocabulary``."""
    return click.option(
        "--no-vocabulary", is_flag=True, help="Leave the tokens out of the JSON object."
    )(function)


def pretokenizer_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--pretokenizer``, of what makes a vocabulary, for counts that do not say it."""

    def known(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
        if name is not None:
            Pretokenizer.from_name(name)
        return name

    return click.option(
        "--pretokenizer",
        metavar="NAME",
        callback=known,
        help="What the words were counted with, where their file does not say it.",
    )(function)


_TOKEN_FILES = ("candidates", "required", "forbidden", "prefix", "protected")


def read_group(text: str, symbols: sym.Symbols) -> GroupBudget:
    """The group that ``NAME=N:WHAT`` describes."""
    match = re.fullmatch(r"(.+?)=(\d+):(.+)", text)
    if match is None:
        raise InputError(
            f"--group {text}: NAME=N:WHAT is expected, as long=10:8- or de=50:german.txt"
        )
    name, limit, what = match.groups()
    lengths = re.fullmatch(r"(\d*)-(\d*)", what)
    if lengths is None:
        return GroupBudget(name, int(limit), frozenset(read_tokens(what, symbols)))
    least, most = (int(number) if number else None for number in lengths.groups())
    return GroupBudget(name, int(limit), None, 2 if least is None else least, most)


def parse_budgets(text: str | None, option: str = "-k") -> list[int]:
    """Budgets written with commas and ranges: ``1,2,5-10``; none of nothing."""
    budgets: list[int] = []
    for part in text.split(",") if text is not None else ():
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part, re.ASCII)
        if match is None:
            raise InputError(
                f"{option} is {text!r}: whole numbers and ranges with commas are expected "
                "(1,2,5-10)"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= 10_000:
            raise InputError(
                f"{option} is {text!r}: {part.strip()} is not a range of 1 to 10,000 numbers"
            )
        budgets += range(first, last + 1)
    return budgets


def read_instance(
    corpus: str,
    k: int | None,
    options: dict[str, Any],
    pretokenizer: str | None = None,
    *,
    free: bool = False,
) -> Instance:
    """The instance that a command's argument and options describe; `free`: k may be missing.

    `pretokenizer` is what the words were counted with, where their file does not say it.
    """
    symbols = options["symbols"]
    base: Instance | None = None
    if corpus.endswith(".json"):
        base = Instance.load(corpus)
        if symbols not in (None, base.symbols):
            raise InputError(f"{corpus}: the instance is over {base.symbols}, not {symbols}")
        words = base.words
    else:
        words = WordCounts.load(corpus, symbols)
    try:
        words = words.counted_with(pretokenizer)
    except InputError as error:
        raise InputError(f"{corpus}: {error}; leave --pretokenizer out") from None
    if k is None and free and base is None:
        k = len(words.data)  # no vocabulary uses more
    if k is None:
        if base is None:
            raise InputError("-k is missing: how many tokens may be chosen?")
        k = base.k
    given: dict[str, Any] = {}
    if base is not None:
        names = ("max_length", "min_count", "groups", "threshold", "source")
        given = {name: getattr(base, name) for name in (*names, *_TOKEN_FILES)}
    if options["weights"] is not None:
        weights = tsv.read_table(options["weights"], words.symbols)
        try:
            words = words.weighted(dict(weights))
        except InputError as error:
            raise InputError(f"{options['weights']}: {error}") from None
    if options["groups"]:
        groups = list(given.get("groups", ()))
        for text in options["groups"]:
            group = read_group(text, words.symbols)
            if any(group.name == other.name for other in groups):
                raise InputError(f"--group {text}: there is a group {group.name!r} already")
            groups.append(group)
        given["groups"] = groups
    for name in _TOKEN_FILES:
        if options[name] is not None:
            given[name] = read_tokens(options[name], words.symbols)
    for name in ("max_length", "min_count"):
        if options[name] is not None:  # 0 is for Instance to refuse
            given[name] = options[name]
    return Instance(words, k, **given)


def read_tokens(path: str, symbols: sym.Symbols) -> tuple[sym.Token, ...]:
    """Tokens from a vocabulary file (.json) or one a line, escaped as in the TSV."""
    if path.endswith(".json"):
        vocabulary = Vocabulary.load(path)
        if vocabulary.symbols != symbols:
            raise InputError(f"{path}: tokens over {vocabulary.symbols}, words over {symbols}")
        return vocabulary.tokens
    try:
        lines = Path(path).read_bytes().decode("utf-8").split("\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8; write other bytes as \\xHH") from None
    tokens = []
    for number, line in enumerate(lines, 1):
        if line in ("", "\r"):
            continue
        try:
            if symbols == "ints":
                token = sym.to_token([int(part) for part in line.split()], symbols)
            else:
                token = sym.unescape(line.removesuffix("\r"), symbols)
            if len(token) < 2:
                raise InputError(f"token {line!r} has fewer than two symbols")
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}") from None
        tokens.append(token)
    return tuple(tokens)
