"""Implements the command ``prune``."""

from __future__ import annotations

from typing import Any

import click

import partcover as pc

from ....errors import InputError
from ....runtime.files.writing import atomic_writer
from ....vocabulary.rules import SegmentationRule
from ...adapted.adapting import adapting_options, show_adaptation
from ...adapted.base_files import read_base, read_corpora
from ...command import command, option, writing_option
from ...shown.output import Output


@command(
    "prune",
    keeps_best=True,
    examples=[
        ("partcover prune tokenizer.json texts/ -k 32000 -o small.json --ids ids.npy", ""),
        ("partcover export small.json --to huggingface -o small", "write it for a library"),
    ],
)
@adapting_options(
    option(
        "-k",
        "k",
        type=click.IntRange(0),
        required=True,
        help="Number of tokens to keep, not counting single bytes and special tokens.",
    ),
    writing_option(
        "--ids",
        "FILE.npy",
        "Write a NumPy array with the new id of each old id, -1 for a removed token.",
        dest="write_ids",
    ),
)
def prune_command(
    out: Output,
    base: str,
    files: tuple[str, ...],
    k: int,
    write_ids: str | None,
    rule: SegmentationRule | None,
    key: str,
    all_files: bool,
    **options: Any,
) -> int:
    """Make a tokenizer smaller: keep the tokens a corpus needs most.

    The single bytes and special tokens of BASE stay in addition to the k tokens. `prune` splits
    text into words with BASE's own pre-tokenizer.

    `prune` also proves a lower bound: no other k tokens of BASE need fewer tokens. Use the array of
    --ids to select the rows of an embedding matrix. `export` converts the new vocabulary for a
    library.
    """
    import numpy as np

    from ....adaptation.prune import check_prunable
    from ....report.adaptation_tables import pruning_tables

    vocabulary = read_base(base, options["pretokenizer"], rule)
    check_prunable(vocabulary, k)
    if write_ids is not None and vocabulary.symbols != "bytes":
        raise InputError(
            f"--ids: only byte vocabularies have ids; the symbols of {base} are characters"
        )
    reading = {"key": key, "all_files": all_files}
    read = read_corpora(out, vocabulary, {"the corpus": files}, **reading)
    words, limit = read["the corpus"], options["time_limit"]
    found = out.run("prune", pc.prune, vocabulary, words, k, time_limit=limit)
    if write_ids is not None:
        with atomic_writer(write_ids) as file:
            np.save(file, found.ids)
        out.wrote(write_ids)
    return show_adaptation(out, found, pruning_tables(found), options)
