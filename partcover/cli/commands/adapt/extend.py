"""Implements the command ``extend``."""

from __future__ import annotations

from typing import Any

import partcover as pc

from ....errors import InputError
from ...adapted.adapting import show_adaptation
from ...adapted.base_files import read_base, read_corpora
from ...command import Options, command
from ...shown.output import Output


@command("extend", keeps_best=True)
def extend_command(out: Output, m: int, **options: Any) -> int:
    """Add tokens to a tokenizer for a new domain or language.

    The tokens, ids, and special tokens of BASE do not change; the new tokens get the next ids.
    `extend` splits text into words with BASE's own pre-tokenizer.

    `extend` also proves a lower bound: no other choice of the same number of new tokens needs fewer
    tokens. If BASE is a BPE tokenizer, this holds for new merges that come after those of BASE.
    `export` converts the new vocabulary for a library.

    Options:
    base <BASE: Vocabulary file, list of tokens, or a tokenizer that `import` reads.
    files <CORPUS...: Text that `count` reads, or one file of word counts.
    -m N>=0 (required): Number of tokens to add.
    --keep <FILE...: Text or word counts that BASE should still tokenize well, measured before and
      after.
    --keep-weight WEIGHT = 0: Weight of a token of --keep; a token of CORPUS has weight 1.
    --at-most SHARE: Maximum increase in tokens on the --keep corpus, for example 0.1%.
    --rule RULE: Segmentation rule before and after. Default: as BASE says.
    --pretokenizer PRETOKENIZER: Pre-tokenizer, if BASE does not contain one.
    --time-limit SECONDS = 20: Time for search and bound, after the words are counted.
    -o >TABLE: Write the new vocabulary.
    --key, --write-certificate, --write-instance, --all-files, --no-vocabulary, --threads, tables
    $ partcover extend tokenizer.json law/ -m 2000 -o new.json
    $ partcover extend tokenizer.json law/ -m 2000 --keep news.txt --keep-weight 0.1
      # optimize for both corpora
    $ partcover export new.json --to huggingface -o new  # write it for a library
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
