"""Declares what ``extend`` and ``prune`` share: options, remarks, and the files of the proof."""

from __future__ import annotations

import click

from ..adaptation.extension import Adaptation
from ..corpus import symbols as sym
from ..vocabulary.rules import SEGMENTATION_RULES
from .command import Decorator, Function, option
from .completion import pretokenizer_names
from .options import all_files_option, no_vocabulary_option, output_options, seconds_option
from .output import Output
from .paths import WritablePath
from .results import save_certificate

__all__ = ["adapting_options", "write_proof"]

_NAMED = 10  # tokens in a remark


def adapting_options(*, writes: str) -> Decorator:
    """Adds the options that both commands have, but for their own."""
    added = [
        option(
            "--rule",
            type=click.Choice(SEGMENTATION_RULES),
            help="How words are cut, before and after. Default: as BASE says.",
        ),
        option(
            "--pretokenizer",
            shell_complete=pretokenizer_names,
            help="What text is cut into words by, where BASE does not hold it.",
        ),
        option("--key", default="text", show_default=True, help="Field of .jsonl and .parquet."),
        option(
            "--write-certificate",
            type=WritablePath(),
            metavar="FILE",
            help="Write the proof of the bound (.cert), unless FILE proves more already.",
        ),
        option(
            "--write-instance",
            type=WritablePath(),
            metavar="I.json",
            help="Write the instance that the bound is about, for `verify`.",
        ),
        seconds_option(default=20.0, about="For search and bound, once the words are counted."),
        all_files_option,
        no_vocabulary_option,
        output_options(writes=writes, threads=True),
    ]

    def decorate(function: Function) -> Function:
        for decorator in reversed(added):
            function = decorator(function)
        return function

    return decorate


def write_proof(
    out: Output, found: Adaptation, certificate: str | None, instance: str | None
) -> None:
    """Names the base's tokens that can never come out; writes the proof where it is asked for."""
    tokens = found.unreachable
    if tokens:
        named = ", ".join(sym.glance(token) for token in tokens[:_NAMED])
        more = ", …" if len(tokens) > _NAMED else ""
        out.note(f"{len(tokens):,} tokens of the base can never come out: {named}{more}")
    if certificate is not None:
        save_certificate(out, certificate, found.certificate, found.instance)
    if instance is not None:
        found.instance.save(instance)
        out.wrote(instance)
