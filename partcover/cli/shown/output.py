"""Writes the results of a command to a file or standard output, with remarks beside them."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from ...errors import InputError, message_line, printable
from ...runtime.files.writing import write_atomic
from ...runtime.progress import Event, EventLog, Progress

if TYPE_CHECKING:
    from ...report.tables.listing import Listing

_Result = TypeVar("_Result")
FORMATS = ("table", "csv", "markdown", "json")
_ENDINGS = {".csv": "csv", ".md": "markdown", ".markdown": "markdown"}
_UNLIMITED = 1_000_000  # columns: nothing is folded
_SAID = 20  # problems, a line each


def say(line: str) -> None:
    """Writes one line to standard error, without control characters."""
    with contextlib.suppress(OSError):  # nobody reads it any more: the work goes on
        click.echo(message_line(line), err=True)


def say_problems(problems: Sequence[str]) -> None:
    """Writes what is wrong to standard error, a line each, of many the first."""
    for problem in problems[:_SAID]:
        say(f"partcover: {problem}")
    if len(problems) > _SAID:
        say(f"partcover: … and {len(problems) - _SAID:,} more; --json lists them all")


def _printable_lines(text: str) -> str:
    """Returns lines without control characters."""
    return "\n".join(map(printable, text.split("\n")))


@dataclass
class Output:
    """Where the results of a command go: the options that commands share."""

    json: bool = False
    quiet: bool = False
    path: str | None = None
    result_format: str | None = None
    wide: bool = False
    no_vocabulary: bool = False
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.path == "-" and (self.json or self.result_format == "json"):
            raise click.UsageError("-o - and --json both write to standard output: leave out one")

    @property
    def width(self) -> int | None:
        """The width of the terminal in columns; None, for no limit, where there is no terminal."""
        if self.wide or not sys.stdout.isatty():
            return None
        return shutil.get_terminal_size().columns

    @property
    def file_form(self) -> str:
        """The format of a result in the file of ``-o``: ``--format``, else by the file's ending."""
        return self.result_format or _ENDINGS.get(Path(self.path or "").suffix.lower(), "json")

    def note(self, line: str) -> None:
        """Writes a remark to standard error, unless quiet."""
        if not self.quiet:
            say(f"partcover: {line}")

    def wrote(self, path: str | os.PathLike[str]) -> None:
        """Remarks that a file is written."""
        self.note(f"wrote {os.fspath(path)}")

    def end(self, data: dict[str, Any], remark: str | None = None) -> None:
        """Remarks what is written, and prints the JSON object of ``--json`` or remarks a line."""
        if self.path not in (None, "-"):
            self.wrote(str(self.path))
        if self.json:
            self.object(data)
        elif remark is not None:
            self.note(remark)

    def object(self, data: dict[str, Any]) -> None:
        """Prints a JSON object."""
        # what is not UTF-8 has not every character
        is_utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
        click.echo(json.dumps(data, ensure_ascii=not is_utf8))

    def result(
        self,
        data: dict[str, Any],
        *parts: Listing | str,
        save: Callable[[str], None] | None = None,
    ) -> None:
        """Saves a result in the file of ``-o``, then shows it; CSV has the first table.

        A reader of standard output that goes away leaves the file whole, and a file that cannot be
        written, which is an error at the end, leaves the output whole.
        """

        def write(path: str) -> None:
            write_atomic(path, self.text(data, parts, self.file_form))

        failed = None
        if self.path is not None:
            try:
                (save or write)(self.path)
            except InputError as error:
                failed = error
            else:
                if self.path != "-":
                    self.wrote(self.path)
        self.show(data, *parts)
        if failed is not None:
            raise failed

    def text(self, data: dict[str, Any], parts: tuple[Listing | str, ...], form: str) -> str:
        """Returns a result as the text of a file."""
        from ...report.tables.listing import rows_csv, rows_markdown

        tables = [part for part in parts if not isinstance(part, str)]
        if tables and form == "csv":
            return rows_csv(tables[0].records)
        if tables and form in ("markdown", "table"):
            return "\n".join(
                f"{_printable_lines(part)}\n"
                if isinstance(part, str)
                else rows_markdown(part.rows, part.columns)
                for part in parts
            )
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"

    def show(self, data: dict[str, Any], *parts: Listing | str) -> None:
        """Prints a result in the format asked for, unless ``-o`` is standard output."""
        if self.path == "-":
            return
        if self.json or self.result_format == "json":
            self.object(data)
        elif self.result_format in ("csv", "markdown"):
            click.echo(self.text(data, parts, self.result_format), nl=False)
        else:
            self.tables(*parts)

    def tables(self, *parts: Listing | str) -> None:
        """Prints tables and lines, fitted to the terminal."""
        from rich.console import Console
        from rich.text import Text

        from ...report.tables.listing import fitted_table

        width = self.width
        # without a height the width is 80 where TERM is dumb
        console = Console(highlight=False, width=width or _UNLIMITED, height=25)
        left_out: list[str] = []
        with console.capture() as captured:
            for part in parts:
                if isinstance(part, str):
                    console.print(Text(_printable_lines(part)))
                    continue
                table, without = fitted_table(part, width)
                console.print(table)
                left_out += [heading for heading in without if heading not in left_out]
        click.echo(captured.get(), nl=False)
        if left_out:
            self.note(
                f"columns left out at width {width}: {', '.join(left_out)} (--wide shows all)"
            )

    def run(self, phase: str, verb: Callable[..., _Result], *given: Any, **options: Any) -> _Result:
        """Calls a verb and shows its progress; adds the threads and the seed if it takes them."""
        takes = inspect.signature(verb).parameters
        own = {"threads": self.threads, "seed": self.seed}
        options |= {name: value for name, value in own.items() if name in takes}
        with self.progress(phase, time_limit=options.get("time_limit")) as progress:
            return verb(*given, progress=progress, **options)

    @contextmanager
    def progress(
        self,
        phase: str,
        *,
        time_limit: float | None = None,
        events: str | None = None,
        plot: str | None = None,
        show: bool = True,
    ) -> Iterator[Progress]:
        """Shows the progress of the block on a line of a terminal, from a first phase on.

        Its events are also written to the file `events`, as JSON lines, and to the figure `plot`.
        `time_limit` is for verbs whose events do not tell how much time is left.
        """
        with contextlib.ExitStack() as stack:
            line = Progress()
            if show and not self.quiet and sys.stderr.isatty():
                from .status_line import shown_line

                line = stack.enter_context(shown_line(phase, time_limit))
            watched = _Watched(line, events, self.note)
            stack.callback(watched.close)
            yield watched
        if plot is not None:
            from ...report.plots import plot_events

            plot_events([event.to_json() for event in watched.events], plot)
            self.wrote(plot)


class _Watched(EventLog):
    """Shows what happens on a line, and writes events as JSON lines; a full disk ends these."""

    def __init__(self, line: Progress, path: str | None, note: Callable[[str], None]) -> None:
        super().__init__()
        self.line = line
        self.path = path
        self.note = note
        self.file: IO[str] | None = None
        try:
            if path is not None:
                self.file = open(path, "w", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None

    def advance(self, done: float, total: float | None, remark: str = "") -> None:
        """Shows how far the work is."""
        self.line.advance(done, total, remark)

    def stage(self, name: str) -> None:
        """Shows which part of the work begins."""
        self.line.stage(name)

    def event(self, event: Event) -> None:
        """Shows an event and writes it as one line."""
        super().event(event)
        self.line.event(event)
        try:
            if self.file is not None:
                self.file.write(json.dumps(event.to_json()) + "\n")
                self.file.flush()
        except OSError as error:
            self.note(f"{self.path}: no more events ({error.strerror})")
            self.close()

    def close(self) -> None:
        """Closes the file."""
        if self.file is not None:
            with contextlib.suppress(OSError):  # what could not be written is tried again
                self.file.close()
        self.file = None
