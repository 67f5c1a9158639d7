"""Implements the command ``import``."""

from __future__ import annotations

import partcover as pc

from ...command import command
from ...shown.output import Output
from .export import listed_formats


@command("import", listed=("Formats", listed_formats))
def import_command(
    out: Output, tokenizer: str, format_: str | None, pretokenizer: str | None
) -> int:
    """Convert a tokenizer of another library into a vocabulary file.

    The segmentation rule and the pre-tokenizer come from it. Remarks say what could not be
    converted. Without -o, `import` only shows what it found.

    Options:
    tokenizer <PATH: File or directory of the tokenizer.
    --from format_ FORMAT: Format of PATH; see the list below. Default: detected.
    --pretokenizer PRETOKENIZER: Pre-tokenizer, if PATH does not contain one.
    -o >FILE: Write the vocabulary.
    plain
    $ partcover import cl100k_base.tiktoken -o v.json
    $ partcover inspect v.json book.tsv --scores  # measure how far it is from optimal
    """
    from ....corpus.normalizers.normalizer import glance

    vocabulary = pc.Vocabulary.load(tokenizer, format_)
    if pretokenizer is not None:
        vocabulary = vocabulary.with_(pretokenizer=pretokenizer)
    remarks = list(vocabulary.provenance.get("remarks", ()))
    data = {
        "format": vocabulary.provenance.get("format", "partcover"),
        "tokens": len(vocabulary),
        "symbols": vocabulary.symbols,
        "rule": vocabulary.rule,
        "pretokenizer": vocabulary.pretokenizer,
        "normalizer": vocabulary.normalizer,
        "special": dict(vocabulary.special),
        "remarks": remarks,
    }
    with out.saved(vocabulary.save):
        for line in remarks:
            out.note(line)
        out.show(
            data,
            f"{len(vocabulary):,} tokens over {vocabulary.symbols}, rule {vocabulary.rule}, "
            f"pre-tokenizer {vocabulary.pretokenizer or 'unknown'}"
            + (f", normalizer {glance(vocabulary.normalizer)}" if vocabulary.normalizer else ""),
        )
    return 0
