"""Implements the commands ``extend`` and ``prune``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import partcover as pc

from ....errors import InputError
from ....report.tables.adaptation import adaptation_remarks, extension_tables, pruning_tables
from ....report.tables.listing import Listing
from ....runtime.files.writing import atomic_writer
from ...base_files import note_other_than_utf8, read_corpus, read_tokenizer
from ...command import Options, command
from ...exit_status import EXIT_INTERRUPTED
from ...results import save_proof
from ...shown.output import Output

if TYPE_CHECKING:
    from ....adaptation.results import Adaptation


@command("extend", keeps_best=True)
def extend_command(out: Output, m: int, asked: Options) -> int:
    """Add tokens to a tokenizer for a new domain or language.

    The tokens, ids, and special tokens of BASE do not change; the new tokens get the next ids.
    `extend` splits text into words with BASE's own pre-tokenizer. It also proves a lower bound: no
    other choice of the same number of new tokens needs fewer tokens. If BASE is a BPE tokenizer,
    this holds for new merges that come after those of BASE.

    Options:
    base <BASE: Vocabulary file, list of tokens, or a tokenizer that `import` reads.
    files <CORPUS...: Text that `count` reads, or one file of word counts.
    -m N>=1 (required): Number of tokens to add.
    --keep <FILE...: Text or word counts that BASE should still tokenize well, measured before and
      after.
    --keep-weight WEIGHT = 0: Weight of a token of --keep; a token of CORPUS has weight 1.
    --at-most SHARE: Maximum increase in tokens on the --keep corpus, for example 0.1%.
    --time-limit SECONDS = 20: Time for search and bound, after the words are counted.
    -o >TABLE: Write the new vocabulary.
    --pretokenizer, --rule, --key, --write-certificate, --write-instance, --all-files,
    --no-vocabulary, --threads, tables
    $ partcover extend tokenizer.json law/ -m 2000 -o new.json
    $ partcover extend tokenizer.json law/ -m 2000 --keep news.txt --keep-weight 0.1
      # optimize for both corpora
    $ partcover export new.json --to huggingface -o new  # write it for a library
    """
    from ....adaptation.extend import check_extendable

    if not asked.keep and (asked.at_most is not None or asked.keep_weight):
        raise InputError("--keep-weight and --at-most need --keep FILE")
    weights = {"keep_weight": asked.keep_weight, "at_most": asked.at_most}
    base = _read_base(asked)
    check_extendable(base, m, **weights)
    reading = {"key": asked.key, "all_files": asked.all_files}
    words, keep = (
        read_corpus(out, base, files, **reading) if files else None
        for files in (asked.files, asked.keep)
    )
    note_other_than_utf8(out, [*asked.files, *asked.keep], all_files=asked.all_files)
    found = out.run(
        "extend", pc.extend, base, words, m, keep=keep, time_limit=asked.time_limit, **weights
    )
    return _show(out, found, extension_tables(found), asked)


@command("prune", keeps_best=True)
def prune_command(out: Output, k: int, asked: Options) -> int:
    """Make a tokenizer smaller: keep the tokens a corpus needs most.

    The single bytes and special tokens of BASE stay in addition to the k tokens. `prune` splits
    text into words with BASE's own pre-tokenizer. It also proves a lower bound: no other k tokens
    of BASE need fewer tokens. If BASE is a BPE tokenizer, this holds for tokens that stay together
    with the two parts that BASE makes each of them from. Use the array of --ids to select the rows
    of an embedding matrix.

    Options:
    base <BASE: Vocabulary file, list of tokens, or a tokenizer that `import` reads.
    files <CORPUS...: Text that `count` reads, or one file of word counts.
    -k N>=1 (required): Number of tokens to keep, not counting single bytes and special tokens.
    --ids write_ids >FILE.npy: Write a NumPy array with the new id of each old id, -1 for a removed
      token.
    --time-limit SECONDS = 20: Time for search and bound, after the words are counted.
    -o >TABLE: Write the new vocabulary.
    --pretokenizer, --rule, --key, --write-certificate, --write-instance, --all-files,
    --no-vocabulary, --threads, tables
    $ partcover prune tokenizer.json texts/ -k 32000 -o small.json --ids ids.npy
    $ partcover export small.json --to huggingface -o small  # write it for a library
    """
    import numpy as np

    from ....adaptation.prune import check_prunable

    base, write_ids = _read_base(asked), asked.write_ids
    check_prunable(base, k)
    if write_ids is not None and base.symbols != "bytes":
        raise InputError(
            f"--ids: only byte vocabularies have ids; the symbols of {asked.base} are characters"
        )
    words = read_corpus(out, base, asked.files, key=asked.key, all_files=asked.all_files)
    note_other_than_utf8(out, asked.files, all_files=asked.all_files)
    found = out.run("prune", pc.prune, base, words, k, time_limit=asked.time_limit)
    if write_ids is not None:
        with atomic_writer(write_ids) as file:
            np.save(file, found.ids)
        out.wrote(write_ids)
    return _show(out, found, pruning_tables(found), asked)


def _read_base(asked: Options) -> pc.Vocabulary:
    """Reads a tokenizer or a list of tokens, ``.txt`` or ``.list``, under a rule that is named."""
    base = read_tokenizer(asked.base, asked.pretokenizer, pc.Vocabulary.load)
    return base if asked.rule is None else base.with_(rule=asked.rule)


def _show(out: Output, found: Adaptation, tables: Iterable[Listing], asked: Options) -> int:
    """Saves the new vocabulary and its proof, shows what was found, returns the exit status."""
    for remark in adaptation_remarks(found):
        out.note(remark)
    save_proof(out, found, asked.write_certificate, asked.write_instance)
    data = found.to_json(vocabulary=not out.no_vocabulary)
    out.result(data, *tables, save=found.vocabulary.save)
    return EXIT_INTERRUPTED if found.termination == "interrupted" else 0
