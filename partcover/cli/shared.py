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
from ..vocabulary.rules import SEGMENTATION_RULES
from .command import (
    CANDIDATES,
    LIMITS,
    OUTPUT,
    Decorator,
    Function,
    argument,
    option,
    reading_option,
    writing_option,
)
from .inputs import InstanceSource
from .paths import GroupText, WritablePath
from .shown.completion import pretokenizer_names
from .shown.output import FORMATS, Output

IN_THE_FILE = "Pre-tokenizer, as for `count`. Default: the one in the vocabulary file."
_INPUT = "Word counts, written by `count`, or an instance file."
_TOKENIZER = "Vocabulary file, or a tokenizer that `import` reads."


def together(*decorators: Decorator) -> Decorator:
    """Adds several options, in the order in which they are listed."""

    def decorate(function: Function) -> Function:
        for each in reversed(decorators):
            function = each(function)
        return function

    return decorate


def grouped(name: str, kind: type[Any]) -> Decorator:
    """Passes the options that are fields of a dataclass as one argument of that name."""
    names = {field.name for field in fields(kind)}

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def wrapper(**options: Any) -> Any:
            group = {key: options.pop(key) for key in names & options.keys()}
            return function(**{name: kind(**group)}, **options)

        return wrapper

    return decorate


def output(
    *,
    writes: str = "the result as JSON, or as CSV or Markdown if FILE ends in .csv or .md",
    kind: str = "table",
    table: bool = True,
    threads: bool = False,
    seed: bool = False,
) -> Decorator:
    """Adds ``--json --quiet -o`` and what else the command uses, passed on as an `Output`.

    ``-o`` `writes` something of a `kind` of `WritablePath`.  With `table`, tables are shown, which
    adds ``--format`` and ``--wide``; with `threads` and `seed`, the command makes use of them.
    """
    names = ("-o", "--output", "path")
    add_path = option(
        *names, metavar="FILE", type=WritablePath(kind), heading=OUTPUT, help=f"Write {writes}."
    )
    added = [each for each, is_used in ((_THREADS, threads), (_SEED, seed)) if is_used]
    added += [add_path, _JSON, *(_TABLE if table else ()), _QUIET]
    return together(*added, grouped("out", Output))


_THREADS = option(
    "--threads",
    type=click.IntRange(1, MOST_THREADS),
    default=1,
    heading=LIMITS,
    help="Number of threads. The result does not depend on it.",
)
_SEED = option("--seed", type=int, default=0, heading=LIMITS, help="Random seed.")
_JSON = option("--json", is_flag=True, heading=OUTPUT, help="Print one JSON object.")
_QUIET = option("--quiet", is_flag=True, heading=OUTPUT, help="Show no remarks and no progress.")
_TABLE = [
    option(
        "--format",
        "result_format",
        type=click.Choice(FORMATS),
        heading=OUTPUT,
        help="Format of the result, printed or written by -o. csv: the first table only.",
    ),
    option(
        "--wide",
        is_flag=True,
        heading=OUTPUT,
        help="Show all columns and full texts. By default, the least important columns are left "
        "out if the terminal is too narrow.",
    ),
]


def tokenizer(name: str, metavar: str = "V.json") -> Decorator:
    """Adds an argument that names a vocabulary or a tokenizer."""
    return argument(name, metavar=metavar, help=_TOKENIZER)


def _candidate(*names: str, **attributes: Any) -> Decorator:
    return option(*names, heading=CANDIDATES, **attributes)


def _tokens(name: str, about: str) -> Decorator:
    return reading_option(name, "FILE", about, heading=CANDIDATES)


#: Adds the options that make an instance of an input, passed on as an `InstanceSource`.
conditions = together(
    _candidate(
        "--symbols",
        type=click.Choice(sym.SYMBOLS),
        help="Symbols of the words. Default: as the file says, else bytes.",
    ),
    _candidate("--max-length", type=int, help="Maximum candidate length, in symbols."),
    _candidate("--min-count", type=int, help="Minimum number of occurrences of a candidate."),
    _tokens(
        "--candidates",
        "Candidate tokens: one per line, or a vocabulary file. Default: all substrings.",
    ),
    _tokens("--required", "Tokens that the vocabulary must contain."),
    _tokens("--forbidden", "Tokens that the vocabulary must not contain."),
    _tokens(
        "--protected",
        "Required tokens that are always kept whole: no other token may overlap them.",
    ),
    _tokens("--weights", "Cost of a token in each word: WORD<TAB>WEIGHT per line. Default: 1."),
    reading_option(
        "--group",
        "NAME=N:WHAT",
        "Limit a group to N tokens. WHAT is a file of tokens or a range of lengths, such as 8- "
        "or 2-4. Repeatable.",
        dest="groups",
        multiple=True,
        type=GroupText(),
        heading=CANDIDATES,
    ),
    _tokens("--prefix", "Tokens that the vocabulary must begin with, in this order."),
    grouped("source", InstanceSource),
)
#: Adds the input argument and the options that make an instance of it.
instance = together(argument("corpus", metavar="C.tsv|I.json", help=_INPUT), conditions)


def several_instances(function: Function) -> Function:
    """Adds the same for several inputs, with ``--minimax`` and ``--reference``."""
    function = conditions(function)

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


def k(function: Function, default: str = "k of an instance file") -> Function:
    """Adds ``-k``, with its default in words."""
    return option(
        "-k", "k", type=int, help=f"Maximum number of tokens to choose. Default: {default}."
    )(function)


def vocabulary(
    *,
    seed: bool = True,
    limit: str | None = None,
    several: bool = False,
) -> Decorator:
    """Adds the options of a command that chooses a vocabulary for an instance."""
    return together(
        k,
        seconds() if limit is None else seconds(about=limit),
        no_vocabulary,
        pretokenizer(
            "Pre-tokenizer that made the word counts, if their file does not name it.",
            metavar="NAME",
        ),
        several_instances if several else instance,
        output(writes="the vocabulary", kind="text", threads=True, seed=seed),
    )


def engine(about: str, kept: str | None = None, default: str = "threads") -> Decorator:
    """Adds ``--engine``, with what its workers do, and ``--scratch`` if they share what is kept."""
    added = [
        option(
            "--engine",
            default=default,
            metavar="NAME",
            heading=LIMITS,
            help=f"How to run the N workers of --threads{about}: {ENGINES}.",
        )
    ]
    if kept is not None:
        added.append(writing_option("--scratch", "DIR", kept, kind="folder", heading=LIMITS))
    return together(*added)


def resume(files: str) -> Decorator:
    """Adds ``--resume``, with what a run goes on from."""
    return option(
        "--resume",
        is_flag=True,
        help=f"Resume an interrupted run from {files}. Progress is saved every few seconds.",
    )


def start_certificate(about: str) -> Decorator:
    """Adds ``--start-certificate``."""
    return reading_option("--start-certificate", "P.cert", about)


def events(about: str) -> Decorator:
    """Adds ``--events``, a file of JSON lines."""
    return writing_option("--events", "FILE", about)


def plot(about: str) -> Decorator:
    """Adds ``--plot``, a figure; its ending and matplotlib are checked before the command runs."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def wrapper(*, plot: str | None, **options: Any) -> Any:
            if plot is not None:
                from ..report.figures import check_figure

                check_figure(plot)
            return function(plot=plot, **options)

        return writing_option("--plot", "FILE", about, kind="figure")(wrapper)

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


def seconds(
    name: str = "--time-limit",
    *,
    about: str = "Stop after this many seconds.",
    default: float | None = None,
) -> Decorator:
    """Adds an option for a time: ``--time-limit``, or another of its kind."""
    return option(
        name, type=_Seconds(0), default=default, metavar="SECONDS", heading=LIMITS, help=about
    )


def _within(_: click.Context, __: click.Parameter, gap: float | None) -> float | None:
    if gap is not None and not 0 <= gap < 1:
        raise click.BadParameter(
            f"{gap}: expected a number of at least 0 and below 1, such as 0.01 for 1 %."
        )
    return gap


def _known(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    from ..corpus.pretokenizers.pretokenizer import Pretokenizer

    return None if name is None else Pretokenizer.from_name(name).name


def pretokenizer(about: str, **attributes: Any) -> Decorator:
    """Adds ``--pretokenizer``, which a shell completes; the command gets its full name."""
    return option(
        "--pretokenizer",
        shell_complete=pretokenizer_names,
        callback=_known,
        help=about,
        **attributes,
    )


def rule(about: str) -> Decorator:
    """Adds ``--rule``, a segmentation rule."""
    return option("--rule", type=click.Choice(SEGMENTATION_RULES), help=about)


def key(about: str = "Text field of .jsonl and .parquet files.") -> Decorator:
    """Adds ``--key`` to a command that reads text."""
    return option("--key", default="text", help=about)


gap = option(
    "--gap",
    type=float,
    callback=_within,
    metavar="GAP",
    heading=LIMITS,
    help="Stop at this relative optimality gap, for example 0.01 for 1 %.",
)
no_cuts = option(
    "--no-cuts",
    is_flag=True,
    help="Use the bound of the linear relaxation, without cutting planes.",
)
no_vocabulary = option(
    "--no-vocabulary",
    is_flag=True,
    heading=OUTPUT,
    help="Do not print the tokens of the vocabulary.",
)
all_files = option(
    "--all-files",
    is_flag=True,
    help="Include files with unknown extensions as plain text. Hidden files are always skipped.",
)
write_certificate = writing_option(
    "--write-certificate",
    "FILE",
    "Write the certificate of the lower bound (.cert). A better one in FILE is kept.",
)
write_instance = writing_option(
    "--write-instance", "I.json", "Write the instance of the lower bound, for `verify`."
)
