"""Implements the command ``extend``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from ....errors import InputError
from ....vocabulary.rules import SegmentationRule
from ...adapted.adapting import adapting_options, read_adaptable, show_adaptation
from ...adapted.base_files import read_corpora
from ...command import argument, command, option
from ...paths import ReadablePath, check_not_among
from ...shown.output import Output
from ...sizes import Share, Weight


@command(
    "extend",
    keeps_best=True,
    examples=[
        ("partcover extend tokenizer.json law/ -m 2000 -o new.json", ""),
        (
            "partcover extend tokenizer.json law/ -m 2000 --keep news.txt --keep-weight 0.1",
            "for both corpora",
        ),
        ("partcover export new.json --to huggingface -o new", "as a library loads it"),
    ],
)
@argument("base", type=ReadablePath(), metavar="BASE")
@argument("files", nargs=-1, required=True, metavar="CORPUS…")
@option(
    "-m",
    "m",
    type=click.IntRange(0),
    required=True,
    help="How many tokens to add.",
)
@option(
    "--keep",
    multiple=True,
    type=ReadablePath(),
    metavar="FILE",
    help="Text or counted words of what BASE is for, counted before and after. Repeatable.",
)
@option(
    "--keep-weight",
    type=Weight(),
    default=Fraction(0),
    metavar="W",
    help="What a token of --keep counts where one of CORPUS counts 1. Default: 0.",
)
@option(
    "--at-most",
    type=Share(),
    metavar="SHARE",
    help="How much more --keep may need than before: 0.1%, say.",
)
@adapting_options(writes="the new vocabulary")
def extend_command(
    out: Output,
    base: str,
    files: tuple[str, ...],
    m: int,
    keep: tuple[str, ...],
    keep_weight: Fraction,
    at_most: Fraction | None,
    rule: SegmentationRule | None,
    **options: Any,
) -> int:
    """Add tokens to a tokenizer for a new domain or language.

    BASE is any file or folder that `import` reads, a vocabulary file or a list of tokens. Its
    tokens, ids and special tokens stay, and the new ones get the ids behind them. CORPUS is text,
    counted by BASE's own pre-tokenizer, or one file of counted words.

    The bound is proven: no other new tokens, as many as were asked for, need fewer; of merges,
    none that come behind those of BASE. `export` writes the new vocabulary for a library.
    """
    from ....adaptation.extend import check_extendable, extend
    from ....report.adaptation_tables import extension_tables

    if not keep and (at_most is not None or keep_weight):
        raise InputError("--keep-weight and --at-most are about --keep, which is not given")
    vocabulary = read_adaptable(base, options["pretokenizer"], rule)
    check_extendable(vocabulary, m, keep_weight=keep_weight, at_most=at_most)
    check_not_among(out.path, (*files, *keep), all_files=options["all_files"])
    reading = {"key": options["key"], "all_files": options["all_files"]}
    corpora = {"the corpus": files, "the corpus to keep": keep}
    read = read_corpora(out, vocabulary, corpora, **reading)
    with out.events(None, phase="extend", time_limit=options["time_limit"]) as progress:
        found = extend(
            vocabulary,
            read["the corpus"],
            m,
            keep=read.get("the corpus to keep"),
            keep_weight=keep_weight,
            at_most=at_most,
            time_limit=options["time_limit"],
            threads=out.threads,
            progress=progress,
        )
    if len(found.new) < m:
        out.note(f"{len(found.new):,} tokens were added: no more of them help")
    if found.is_within_words:
        out.note(
            "tokens of BASE reach across words here: new tokens are parts of words, and the bound "
            "is for such tokens"
        )
    proof = options["write_certificate"], options["write_instance"]
    return show_adaptation(out, found, extension_tables(found), *proof)
