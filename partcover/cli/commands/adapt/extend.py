"""Implements the command ``extend``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

import partcover as pc

from ....errors import InputError
from ...adapted.adapting import adapting_options, show_adaptation
from ...adapted.base_files import read_base, read_corpora
from ...command import Options, command, option, reading_option
from ...paths import TextPath
from ...shown.output import Output
from ...sizes import SHARE, WEIGHT


@command(
    "extend",
    keeps_best=True,
    examples=[
        ("partcover extend tokenizer.json law/ -m 2000 -o new.json", ""),
        (
            "partcover extend tokenizer.json law/ -m 2000 --keep news.txt --keep-weight 0.1",
            "optimize for both corpora",
        ),
        ("partcover export new.json --to huggingface -o new", "write it for a library"),
    ],
)
@adapting_options(
    option("-m", "m", type=click.IntRange(0), required=True, help="Number of tokens to add."),
    reading_option(
        "--keep",
        "FILE",
        "Text or word counts that BASE should still tokenize well, measured before and after. "
        "Repeatable.",
        multiple=True,
        type=TextPath(),
    ),
    option(
        "--keep-weight",
        type=WEIGHT,
        default=Fraction(0),
        metavar="W",
        help="Weight of a token of --keep; a token of CORPUS has weight 1.",
    ),
    option(
        "--at-most",
        type=SHARE,
        metavar="SHARE",
        help="Maximum increase in tokens on the --keep corpus, for example 0.1%.",
    ),
)
def extend_command(out: Output, m: int, **options: Any) -> int:
    """Add tokens to a tokenizer for a new domain or language.

    The tokens, ids, and special tokens of BASE do not change; the new tokens get the next ids.
    `extend` splits text into words with BASE's own pre-tokenizer.

    `extend` also proves a lower bound: no other choice of the same number of new tokens needs fewer
    tokens. If BASE is a BPE tokenizer, this holds for new merges that come after those of BASE.
    `export` converts the new vocabulary for a library.
    """
    from ....adaptation.extend import check_extendable
    from ....report.adaptation_tables import extension_tables

    asked = Options(**options)
    if not asked.keep and (asked.at_most is not None or asked.keep_weight):
        raise InputError("--keep-weight and --at-most need --keep FILE")
    weights = {"keep_weight": asked.keep_weight, "at_most": asked.at_most}
    base = read_base(asked.base, asked.pretokenizer, asked.rule)
    check_extendable(base, m, **weights)
    words, keep = read_corpora(out, base, asked, keep=asked.keep)
    found = out.run(
        "extend", pc.extend, base, words, m, keep=keep, time_limit=asked.time_limit, **weights
    )
    if len(found.new) < m:
        out.note(f"only {len(found.new):,} of {m:,} tokens added: no further token saves anything")
    if found.is_within_words:
        out.note(
            "tokens of BASE span several words here; new tokens lie within words, and the bound "
            "holds for such tokens"
        )
    return show_adaptation(out, found, extension_tables(found), asked)
