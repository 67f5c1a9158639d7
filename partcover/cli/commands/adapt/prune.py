"""Implements the command ``prune``."""

from __future__ import annotations

from typing import Any

import partcover as pc

from ....errors import InputError
from ....runtime.files.writing import atomic_writer
from ...adapted.adapting import show_adaptation
from ...adapted.base_files import read_base, read_corpora
from ...command import Options, command
from ...shown.output import Output


@command("prune", keeps_best=True)
def prune_command(out: Output, k: int, **options: Any) -> int:
    """Make a tokenizer smaller: keep the tokens a corpus needs most.

    The single bytes and special tokens of BASE stay in addition to the k tokens. `prune` splits
    text into words with BASE's own pre-tokenizer.

    `prune` also proves a lower bound: no other k tokens of BASE need fewer tokens. Use the array of
    --ids to select the rows of an embedding matrix. `export` converts the new vocabulary for a
    library.

    Options:
    base <BASE: Vocabulary file, list of tokens, or a tokenizer that `import` reads.
    files <CORPUS...: Text that `count` reads, or one file of word counts.
    -k N>=0 (required): Number of tokens to keep, not counting single bytes and special tokens.
    --ids write_ids >FILE.npy: Write a NumPy array with the new id of each old id, -1 for a removed
      token.
    --rule RULE: Segmentation rule before and after. Default: as BASE says.
    --pretokenizer PRETOKENIZER: Pre-tokenizer, if BASE does not contain one.
    --time-limit SECONDS = 20: Time for search and bound, after the words are counted.
    -o >TABLE: Write the new vocabulary.
    --key, --write-certificate, --write-instance, --all-files, --no-vocabulary, --threads, tables
    $ partcover prune tokenizer.json texts/ -k 32000 -o small.json --ids ids.npy
    $ partcover export small.json --to huggingface -o small  # write it for a library
    """
    import numpy as np

    from ....adaptation.prune import check_prunable
    from ....report.adaptation_tables import pruning_tables

    asked = Options(**options)
    base, write_ids = read_base(asked.base, asked.pretokenizer, asked.rule), asked.write_ids
    check_prunable(base, k)
    if write_ids is not None and base.symbols != "bytes":
        raise InputError(
            f"--ids: only byte vocabularies have ids; the symbols of {asked.base} are characters"
        )
    words, _ = read_corpora(out, base, asked)
    found = out.run("prune", pc.prune, base, words, k, time_limit=asked.time_limit)
    if write_ids is not None:
        with atomic_writer(write_ids) as file:
            np.save(file, found.ids)
        out.wrote(write_ids)
    return show_adaptation(out, found, pruning_tables(found), asked)
