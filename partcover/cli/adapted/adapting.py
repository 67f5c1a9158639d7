"""Declares what ``extend`` and ``prune`` share: options, what they read, and what they show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from ...corpus import symbols as sym
from ...report.tables import Listing
from ...vocabulary.rules import SEGMENTATION_RULES, SegmentationRule
from ..command import Decorator, Function, option
from ..exit_status import EXIT_INTERRUPTED
from ..options import all_files_option, no_vocabulary_option, output_options, seconds_option
from ..paths import WritablePath
from ..results import save_certificate
from ..shown.completion import pretokenizer_names
from ..shown.output import Output
from .base_files import read_base

if TYPE_CHECKING:
    from ...adaptation.extension import Adaptation
    from ...vocabulary.vocabulary import Vocabulary

__all__ = ["adapting_options", "read_adaptable", "show_adaptation"]

_NAMED = 10  # tokens in a remark


def adapting_options(*, writes: str) -> Decorator:
    """Adds the options that both commands have, but for their own."""
    added = [
        option(
            "--rule",
            type=click.Choice(SEGMENTATION_RULES),
            help="Segmentation rule before and after. Default: as BASE says.",
        ),
        option(
            "--pretokenizer",
            shell_complete=pretokenizer_names,
            help="Pre-tokenizer, if BASE does not contain one.",
        ),
        option(
            "--key",
            default="text",
            show_default=True,
            help="Text field of .jsonl and .parquet files.",
        ),
        option(
            "--write-certificate",
            type=WritablePath(),
            metavar="FILE",
            help="Write the certificate of the lower bound (.cert). A better one in FILE is kept.",
        ),
        option(
            "--write-instance",
            type=WritablePath(),
            metavar="I.json",
            help="Write the instance of the lower bound, for `verify`.",
        ),
        seconds_option(
            default=20.0, about="Time for search and bound, after the words are counted."
        ),
        all_files_option,
        no_vocabulary_option,
        output_options(writes=writes, threads=True),
    ]

    def decorate(function: Function) -> Function:
        for decorator in reversed(added):
            function = decorator(function)
        return function

    return decorate


def read_adaptable(
    path: str, pretokenizer: str | None, rule: SegmentationRule | None
) -> Vocabulary:
    """Reads the vocabulary that is to be adapted, under the rule that is asked for."""
    vocabulary = read_base(path, pretokenizer)
    return vocabulary if rule is None else vocabulary.with_(rule=rule)


def show_adaptation(
    out: Output,
    found: Adaptation,
    tables: Iterable[Listing],
    certificate: str | None,
    instance: str | None,
) -> int:
    """Saves the new vocabulary and its proof, and shows what was found.

    Parameters
    ----------
    out : Output
        Where to.
    found : Adaptation
        The vocabulary; its unreachable tokens of the base are named.
    tables : iterable of Listing
        What is shown.
    certificate, instance : str or None
        The files of the proof, where they are asked for.

    Returns
    -------
    int
        The exit status.
    """
    tokens = found.unreachable
    if tokens:
        named = ", ".join(sym.glance(token) for token in tokens[:_NAMED])
        more = ", …" if len(tokens) > _NAMED else ""
        out.note(f"{len(tokens):,} unreachable tokens in the base: {named}{more}")
    if certificate is not None:
        save_certificate(out, certificate, found.certificate, found.instance)
    if instance is not None:
        found.instance.save(instance)
        out.wrote(instance)
    with out.saved(found.vocabulary.save):
        out.show(found.to_json(vocabulary=not out.no_vocabulary), *tables)
    return EXIT_INTERRUPTED if found.termination == "interrupted" else 0
