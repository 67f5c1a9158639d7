"""Implements the command ``train``, with every trainer of `partcover.trainers`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ....errors import InputError
from ....trainers import TRAINERS
from ...command import Options, command, described
from ...inputs import InstanceSource
from ...results import write_solution
from ...shown.output import Output

if TYPE_CHECKING:
    from ....problem.memory_plan import Work


_COMMON = {"time_limit", "seed", "threads", "progress"}


def _work(options: Mapping[str, Any]) -> Work:
    """Returns what takes the memory."""
    method = options["method"]
    trainer = TRAINERS[method]
    work = trainer.work_of(method_options(options["settings"]))
    if work is None:
        raise click.UsageError(
            f"{method} runs in another library, whose memory is not known: leave out --plan"
        )
    return work


@command(
    "train",
    keeps_best=True,
    listed=("Methods", lambda: sorted(described(TRAINERS, "about"))),
    plan=_work,
)
def train_command(out: Output, source: InstanceSource, asked: Options) -> int:
    """Train a vocabulary with BPE, Unigram, or another known method.

    The result shows the tokens that the corpus needs under the method's own segmentation rule and
    under the best segmentation (shortest path).

    Options:
    corpus
    --method TRAINER (required): Training method; see the list below.
    --option settings NAME=VALUE...: Option of the method, named as in Python.
    -o >FILE: Write the vocabulary.
    -k, --time-limit, --no-vocabulary, --pretokenizer, conditions, --threads, --seed, tables, --plan
    $ partcover train book.tsv -k 1000 --method bpe -o bpe.json
    $ partcover train book.tsv -k 1000 --method unigram --option shrink=0.8
    """
    from ....corpus.pretokenizers.phrases import without_phrases

    trainer = TRAINERS[asked.method]
    if asked.time_limit is not None and not trainer.takes_time:
        raise click.UsageError(
            f"{asked.method} takes no time limit, because it is fast: leave out --time-limit"
        )
    options = method_options(asked.settings)
    instance = source.read()
    cut = instance.words.pretokenizer or "none"
    if trainer.phrases and "words" not in options and without_phrases(cut) == cut:
        out.note(
            f"the words have no phrases, so {asked.method} gives the result of bpe; count them "
            "with `count --phrases 4`"
        )
    if trainer.hint is not None and (hint := trainer.hint(instance)):
        out.note(hint)
    solution = out.run(
        asked.method, trainer.train, instance, time_limit=asked.time_limit, **options
    )
    if options:
        solution = replace(solution, extra={**solution.extra, "options": options})
    return write_solution(out, solution, instance, source.name)


def method_options(settings: Sequence[str]) -> dict[str, Any]:
    """Reads options written ``NAME=VALUE``; a value is JSON, or else text, as for ``a=b``."""
    values: dict[str, Any] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals or name in _COMMON:
            raise InputError(f"--option {text}: expected NAME=VALUE, an option of the method alone")
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    return values
