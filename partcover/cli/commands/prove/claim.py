"""Implements the command ``claim``."""

from __future__ import annotations

import re
from fractions import Fraction
from math import floor

import partcover as pc

from ....corpus.symbols import Symbols
from ....errors import InputError
from ....runtime.numerals import read_digits
from ...command import Options, command
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, note_other_words, read_vocabulary
from ...shown.output import Output


@command("claim", keeps_best=True)
def claim_command(out: Output, source: InstanceSource, asked: Options) -> int:
    """Check whether a claimed saving over a baseline is possible.

    A lower bound limits what any vocabulary of k tokens can save, so it can refute a claim even if
    the claimed vocabulary is not available. The verdict is *impossible* if the bound is above the
    claimed number of tokens, *possible* if a vocabulary found here needs no more than that, and
    *undecided* otherwise.

    If the baseline is a file, `claim` also lists the most frequent words that are not tokens of it.

    Options:
    corpus
    -k N: Maximum number of tokens to choose. Default: the size of the larger vocabulary.
    --baseline N|FILE (required): Number of tokens of the baseline, or its vocabulary or tokenizer.
    --claimed N|SHARE|FILE (required): Claimed number of tokens, claimed saving (11%), or a
      vocabulary or tokenizer.
    --time-limit SECONDS = 30: Time for the lower bound.
    conditions, --threads, -o, tables
    $ partcover claim book.tsv -k 8000 --baseline 1250000 --claimed 11%
    $ partcover claim book.tsv --baseline bpe.json --claimed new.json
      # compare two tokenizers on the corpus
    """
    from ....report.tables.studies import claim_tables
    from ....studies.claims import check_claim

    instance = source.read(any_k=True)
    before, after = (
        _amount(text, name, instance.symbols)
        for text, name in ((asked.baseline, "--baseline"), (asked.claimed, "--claimed"))
    )
    if isinstance(before, Fraction):
        raise InputError(
            f"--baseline is {asked.baseline}: expected a number of tokens or a file; only "
            "--claimed can be a share"
        )
    sizes = [len(given) for given in (before, after) if isinstance(given, pc.Vocabulary)]
    if source.k is None:
        if not sizes:
            raise InputError("-k is missing: how many tokens may be chosen?")
        instance = instance.with_k(max(sizes))
    for given in (before, after):
        if isinstance(given, pc.Vocabulary):
            note_other_words(out, given, instance.words)
    if isinstance(after, Fraction):
        tokens = before
        if isinstance(tokens, pc.Vocabulary):
            tokens = pc.segment(instance.words, tokens, threads=out.threads).tokens
        after = max(1, floor(tokens * (1 - after)))  # at least that share is saved
    found = out.run("bound", check_claim, instance, before, after, time_limit=asked.time_limit)
    out.result(found.to_json(), *claim_tables(found))
    for remark in found.remarks:
        out.note(remark)
    return EXIT_INTERRUPTED if found.bound.termination == "interrupted" else 0


def _amount(text: str, name: str, symbols: Symbols) -> int | Fraction | pc.Vocabulary:
    """Reads a number of tokens, a share, or a vocabulary."""
    if re.fullmatch(r"[0-9][0-9,_]*", text):
        return read_digits(re.sub("[,_]", "", text))
    share = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,9})?) ?%", text)
    if share is not None:
        part = Fraction(share[1]) / 100
        if not 0 <= part < 1:
            raise InputError(f"{name} is {text}: expected a share of at least 0 % and below 100 %")
        return part
    return read_vocabulary(text, symbols)
