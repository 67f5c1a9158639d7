"""Runs ``partcover``: results go to standard output, everything else to standard error."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click
import cloup

from .._version import __version__
from ..errors import PartcoverError, VerificationError
from ..runtime.processes import signals
from ..runtime.processes.native_output import lead_to_standard_error
from ..runtime.processes.threads import left_behind
from .command import Group
from .commands import BESIDE, SECTIONS
from .exit_status import EXIT_INTERRUPTED, EXIT_USAGE, EXIT_VERIFICATION
from .shown.output import say

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_COMPLETE = "_PARTCOVER_COMPLETE"  # how a shell asks for completions


def entry() -> NoReturn:
    """Runs `main` for the ``partcover`` script, and ends though a solver may still be running."""
    signals.install()
    lead_to_standard_error()
    for stream in (sys.stdout, sys.stderr):
        # characters that the encoding lacks are written as escapes: no table ends in an error
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    try:
        main()
    except SystemExit as stop:
        if left_behind():
            # a running solver may abort the process while Python shuts down: skip that
            os._exit(stop.code if isinstance(stop.code, int) else 0)
        raise


def main(arguments: list[str] | None = None) -> NoReturn:
    """Runs the command and exits with its status; an error is one line on standard error."""
    status = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        status = status or _system_error(error)
    sys.exit(status)


def _run(arguments: list[str] | None) -> int:
    """Runs the command, reports what goes wrong, and returns the exit status."""
    try:
        try:
            status = cli.main(arguments, prog_name="partcover", standalone_mode=False)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            return EXIT_USAGE
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "partcover"
        say(f"{command}: {error.format_message()} (see {command} --help)")
        return EXIT_USAGE
    except VerificationError as error:
        say(f"partcover: verification failed: {error}")
        return EXIT_VERIFICATION
    except PartcoverError as error:
        say(f"partcover: {error}")
        return EXIT_USAGE
    except SystemExit as stop:  # click ends so after a completion, and on a closed pipe
        if (asked := os.environ.get(_COMPLETE)) is None:
            return _system_error(BrokenPipeError())
        if not stop.code:
            return 0
        say(f"partcover: {_COMPLETE}={asked}: use bash_source, zsh_source or fish_source")
        return EXIT_USAGE
    except (KeyboardInterrupt, click.Abort):
        say("partcover: interrupted")
        return EXIT_INTERRUPTED
    except MemoryError:
        say("partcover: out of memory: use fewer words (--min-count) or a smaller model")
        return EXIT_USAGE
    except OSError as error:
        return _system_error(error)
    except UnicodeError as error:
        say(f"partcover: text cannot be read or written: {error}")
        return EXIT_USAGE
    # a method that an interrupt ends may return what it has, as if it had finished
    return EXIT_INTERRUPTED if signals.was_interrupted() else status or 0


def _system_error(error: OSError) -> int:
    """Reports what the system refused; returns the exit status, 0 for a reader that has gone."""
    with contextlib.suppress(OSError, ValueError):  # so that Python's last flush cannot fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    is_output = error.filename is None
    # Windows says by an invalid argument that the reader of standard output has gone
    of_windows = sys.platform == "win32" and error.errno == errno.EINVAL and is_output
    if isinstance(error, BrokenPipeError) or of_windows:
        return 0
    name = "standard output" if is_output else error.filename
    reason = error.strerror or error
    if error.errno == errno.EBADF and is_output:
        reason = "it is closed, so the result cannot be written to it"
    say(f"partcover: {name}: {reason}")
    return EXIT_USAGE


class _LazyCommand(click.Command):
    """A command of which only the line in the list is known until its module is imported."""

    def __init__(self, name: str, room: str, line: str) -> None:
        super().__init__(name, short_help=line)
        self._room = room

    def load(self) -> click.Command:
        """Imports the module of the command and returns the command."""
        assert self.name is not None
        place = f".commands.{self._room}.{BESIDE.get(self.name, self.name)}"
        command = getattr(importlib.import_module(place, __package__), f"{self.name}_command")
        assert isinstance(command, click.Command)
        return command


class _Commands(Group):
    """All commands, each imported when it is asked for."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Completes the name of a command, from the list alone, or an option."""
        from click.shell_completion import CompletionItem

        listed = [
            CompletionItem(name, help=self.commands[name].short_help)
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return listed + click.Command.shell_complete(self, ctx, incomplete)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns a command by its name, None if there is none."""
        command = super().get_command(ctx, cmd_name)
        return command.load() if isinstance(command, _LazyCommand) else command

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; `main` reports an interrupt, once."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None


def _show_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Shows the versions of all parts, and how the kernels were compiled, and ends the command."""
    if not value:
        return
    from ..runtime.versions import describe_installation

    installed = describe_installation()
    click.echo(f"partcover, version {__version__}")
    for key in ("python", "platform"):
        click.echo(f"{key:<9} {installed[key]}")
    extras = {f"partcover[{extra}]": found for extra, found in installed["extras"].items()}
    for title, rows in {
        "compiled": installed["build"],
        "libraries": installed["libraries"],
        **extras,
    }.items():
        click.echo(title)
        for name, text in rows.items():
            click.echo(f"  {name:<15} {text or 'not installed'}")
    ctx.exit()


@cloup.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    callback=_show_version,
    help="Show the versions of all parts, how partcover was compiled, and exit.",
)
def cli() -> None:
    """Choose vocabularies that need few tokens, and prove how far a tokenizer is from optimal.

    \b
    partcover count book.txt -o book.tsv           Count the words of a text.
    partcover greedtok book.tsv -k 1000 -o v.json  Choose 1,000 tokens in seconds.
    partcover improve book.tsv -k 1000 -o v.json --write-certificate p.cert
                                                   Choose better tokens, and prove
                                                   a lower bound.
    partcover verify book.tsv -k 1000 --vocab v.json --certificate p.cert
                                                   Check both independently.
    partcover audit tokenizer.json book.txt        Measure how far a tokenizer is
                                                   from optimal on a text.
    partcover solve small.tsv -k 10                Prove the optimum of a small
                                                   instance.
    partcover demo                                 Try all of this on a text that
                                                   comes with Python.

    An instance is a file of word counts together with k, the number of tokens to choose. Every
    vocabulary also contains all single symbols (bytes or characters), which do not count toward k.

    Results go to standard output; remarks and progress go to standard error. Exit status: 0 for
    success, including a time limit that leaves an answer; 2 for wrong usage, bad input, or a file
    that cannot be written; 3 if a limit ends `solve` with an answer but without a proof; 4 if the
    instance is infeasible; 5 if a limit leaves no answer; 6 if verification fails; 7 if the gap is
    above `audit --max-gap`; 130 after an interrupt (Ctrl-C, SIGTERM, SIGHUP), which keeps the best
    result so far.
    """


for heading, commands in SECTIONS.items():
    room = heading.split()[0].lower()
    cli.section(heading, *(_LazyCommand(name, room, line) for name, line in commands.items()))
