"""Implements the command ``count``."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import click

from ...corpus.sources import listed_reasons
from ...corpus.word_counts import WordCounts
from ..command import argument, command, option
from ..completion import pretokenizer_names
from ..options import all_files_option, output_options
from ..output import Output
from ..paths import check_not_among


@command(
    "count",
    examples=[
        ("partcover count book.txt -o book.tsv", ""),
        ("partcover count book.txt --pretokenizer gpt2 -o book.tsv", "words as of GPT-2"),
        ("partcover count book.txt --pretokenizer gpt2 --symbols chars | head", ""),
    ],
)
@argument("files", nargs=-1, required=True, metavar="FILE…")
@option(
    "--pretokenizer",
    default="space-prefix",
    show_default=True,
    shell_complete=pretokenizer_names,
    help="How text is cut into words: space-prefix, gpt2, cl100k, o200k, qwen2, deepseek, tekken, "
    "first-space, space, digit, none, or several joined by '+' (first-space+digit). "
    'space-prefix:_ marks with _. Or JSON as in a tokenizer.json: \'{"type": "Whitespace"}\'.',
)
@option(
    "--normalizer",
    metavar="NAME",
    help="What is done to text before: NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Nmt, "
    "BertNormalizer, several joined by '+', or JSON as in a tokenizer.json.",
)
@option("--key", default="text", show_default=True, help="Field of .jsonl and .parquet.")
@option(
    "--symbols",
    type=click.Choice(["bytes", "chars"]),
    default="bytes",
    show_default=True,
    help="What words are made of.",
)
@all_files_option
@output_options(writes="the counted words", kind="text", table=False, threads=True)
def count_command(
    out: Output,
    files: tuple[str, ...],
    pretokenizer: str,
    normalizer: str | None,
    key: str,
    symbols: Any,
    all_files: bool,
) -> int:
    """Count the words of text.

    FILE is text (.txt and any other name), .jsonl, .parquet, .gz or .zst of them, a folder, or -
    for standard input. Without -o the counted words go to standard output: one word, a tab, its
    count a line; the first line says how they were counted.

    The default pre-tokenizer is that of the GreedTok paper: a word begins at each space, which is
    written Ġ in it. An export to huggingface writes that too; tiktoken's own patterns are gpt2,
    cl100k and o200k, and sentencepiece takes first-space.
    """
    check_not_among(out.path, files, all_files=all_files)
    started = time.monotonic()
    skipped: Counter[str] = Counter()
    with out.progress("counting") as progress:
        words = WordCounts.from_files(
            files,
            pretokenizer=pretokenizer,
            normalizer=normalizer,
            symbols=symbols,
            key=key,
            threads=out.threads,
            progress=progress,
            all_files=all_files,
            skipped=skipped,
        )
    if skipped:
        out.note(listed_reasons(skipped))
    seconds = time.monotonic() - started
    if out.path is not None:
        words.save(out.path)
        out.note(f"wrote {out.path}")
    elif not out.json:
        words.save("-")
    facts = {
        "words": len(words),
        "total_count": words.total_count,
        "total_symbols": words.total_symbols,
        "symbols": words.symbols,
        "pretokenizer": pretokenizer,
        "normalizer": words.normalizer,
        "seconds": round(seconds, 6),
        "threads": out.threads,
        "skipped": dict(skipped.most_common()),
    }
    if out.json:
        out.object(facts)
    else:
        out.note(f"{len(words):,} distinct words, {words.total_count:,} counted, {seconds:.2f} s")
    return 0
