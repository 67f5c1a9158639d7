"""The ``partcover`` command: results on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import NoReturn

import click

from ._version import __version__
from .commands import (
    bound,
    check,
    compare,
    convert,
    count,
    demo,
    domains,
    encode,
    exact,
    greedy,
    hardness,
    improve,
    inspect,
    library,
    report,
    reproduce,
    tables,
    train,
    worst,
)
from .commands.outcome import EXIT_INTERRUPTED, EXIT_USAGE, EXIT_VERIFICATION
from .errors import PartcoverError, VerificationError
from .options import say
from .runtime import signals
from .waiting import left_behind


def entry() -> NoReturn:
    """What the ``partcover`` script runs: `main`, whatever solvers are still at work."""
    signals.install()
    try:
        main()
    except SystemExit as stop:
        if left_behind():
            # it may abort the process while that is taken apart: leave without it
            with contextlib.suppress(OSError, ValueError):  # a closed pipe
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(stop.code if isinstance(stop.code, int) else 0)
        raise


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command and exit with its status; errors are one line on standard error."""
    try:
        status = cli.main(arguments, prog_name="partcover", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        status = EXIT_USAGE
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "partcover"
        message = " ".join(error.format_message().split())
        say(f"{command}: {message} (see {command} --help)")
        status = EXIT_USAGE
    except VerificationError as error:
        say(f"partcover: verification failed: {error}")
        status = EXIT_VERIFICATION
    except PartcoverError as error:
        say(f"partcover: {error}")
        status = EXIT_USAGE
    except (KeyboardInterrupt, click.Abort):
        say("partcover: interrupted")
        status = EXIT_INTERRUPTED
    except MemoryError:
        say("partcover: out of memory: use fewer words (--min-count) or a smaller model")
        status = EXIT_USAGE
    except BrokenPipeError:
        sys.stderr.close()
        status = 0
    sys.exit(status or 0)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="partcover")
def cli() -> None:
    """Choose at most k substrings as tokens so that a corpus needs the fewest tokens.

    \b
    partcover count book.txt -o book.tsv          text to counted words
    partcover greedtok book.tsv -k 1000 -o v.json a vocabulary, in seconds
    partcover improve book.tsv -k 1000 -o v.json --write-certificate p.cert --time-limit 60
                                                  a better one, and how far it is from optimal
    partcover verify book.tsv -k 1000 --vocab v.json --certificate p.cert
    partcover gap book.tsv --vocab v.json         the same for any vocabulary
    partcover solve small.tsv -k 10               the proven optimum of a small instance
    partcover demo                                all of it on text that is on every machine

    Results go to standard output, remarks and progress to standard error. Exit status: 0 done;
    2 bad usage or input; 3 a limit ended it with a feasible answer; 4 infeasible; 5 a limit ended
    it with no answer; 6 verification failed; 130 interrupted (Ctrl-C, SIGTERM,
    SIGHUP), the best so far kept.
    """


for command in (
    count.count,
    greedy.greedtok,
    greedy.greedwmc,
    train.train,
    improve.improve,
    improve.gap_,
    exact.solve,
    exact.formulations,
    exact.solvers,
    bound.bound_,
    bound.prices_,
    check.verify,
    compare.compare,
    reproduce.reproduce,
    tables.ratio,
    domains.domains,
    inspect.inspect_,
    convert.export_,
    convert.import_,
    worst.worst,
    hardness.reduce_,
    hardness.generate_,
    encode.encode,
    encode.decode,
    library.instances_,
    report.report,
    demo.demo,
):
    cli.add_command(command)
