"""Implements the command ``train``, with every trainer of `partcover.trainers`."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Union, get_args, get_origin, get_type_hints

import click

from ...errors import InputError
from ...trainers import TRAINERS
from ..inputs import read_instance
from ..options import (
    Command,
    command,
    instance_options,
    k_option,
    no_vocabulary_option,
    option,
    output_options,
    pretokenizer_option,
    seconds_option,
)
from ..output import Output
from ..results import write_solution

_COMMON = {"time_limit", "seed", "threads", "progress"}


class _Methods(Command):
    """Help that ends with the methods."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Methods"):
            formatter.write_dl([(name, TRAINERS[name].about) for name in sorted(TRAINERS)])
        super().format_epilog(ctx, formatter)


@command(
    "train",
    keeps_best=True,
    examples=[
        ("partcover train book.tsv -k 1000 --method bpe -o bpe.json", ""),
        ("partcover train book.tsv -k 1000 --method unigram --option shrink=0.8", ""),
    ],
    cls=_Methods,
)
@k_option
@option(
    "--method", required=True, type=click.Choice(sorted(TRAINERS)), help="What chooses the tokens."
)
@option(
    "--option",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the method, by the name it has in Python. Repeatable.",
)
@seconds_option()
@no_vocabulary_option
@pretokenizer_option
@instance_options
@output_options(writes="the vocabulary", kind="text", threads=True, seed=True)
def train_command(
    out: Output,
    corpus: str,
    k: int | None,
    method: str,
    given: tuple[str, ...],
    time_limit: float | None,
    no_vocabulary: bool,
    pretokenizer: str | None,
    **options: Any,
) -> int:
    """Train a vocabulary as other tokenizers do, to set beside.

    Tokens are stated under the method's own rule of segmentation; the fewest that the same
    vocabulary needs is beside it. Whatever the time limit, the words are read and what the method
    starts from is laid out.
    """
    if time_limit is not None and not TRAINERS[method].takes_time:
        raise click.UsageError(f"{method} is done in a moment: leave out --time-limit")
    run = TRAINERS[method].run
    asked = method_options(run, method, given)
    instance = read_instance(corpus, k, options, pretokenizer)
    with out.progress(method) as progress:
        solution = run(
            instance,
            time_limit=time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
            **asked,
        )
    if asked:
        solution = replace(solution, extra={**solution.extra, "options": asked})
    return write_solution(out, solution, instance, no_vocabulary, corpus)


def method_options(run: Callable[..., Any], method: str, given: Sequence[str]) -> dict[str, Any]:
    """Options written ``NAME=VALUE`` as the keyword-only parameters of a trainer.

    Parameters
    ----------
    run : callable
        The trainer.
    method : str
        Its name, for messages.
    given : sequence of str
        As on the command line; of two for one name the last counts.

    Returns
    -------
    dict of str to any
        Values of the annotated types: int, float, bool (``true`` or ``false``), else text.

    Raises
    ------
    InputError
        For what is not ``NAME=VALUE``, an unknown name or a value of another type.
    """
    hints = get_type_hints(run)
    parameters = inspect.signature(run).parameters.values()
    names = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in _COMMON]
    known = f"{method} has {', '.join(names)}" if names else f"{method} has no options of its own"
    values = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--option {text}: NAME=VALUE is expected")
        if name not in names:
            raise InputError(f"--option {text}: {known}")
        values[name] = _value(text, value, hints[name])
    return values


def _value(text: str, value: str, hint: Any) -> Any:
    kinds = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if bool in kinds:
        if value not in ("true", "false"):
            raise InputError(f"--option {text}: true or false is expected")
        return value == "true"
    for kind, what in ((int, "a whole number"), (float, "a number")):
        if kind in kinds:
            try:
                return kind(value)
            except ValueError:
                raise InputError(f"--option {text}: {what} is expected") from None
    return value
