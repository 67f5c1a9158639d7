"""Implements the commands ``export`` and ``import``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import partcover as pc

from ....errors import InputError
from ....interop import FORMATS
from ....runtime.files.kinds import kind_of
from ...command import Options, command, described
from ...inputs import note_other_words, note_remarks, read_vocabulary
from ...shown.output import Output

_LISTED = "Formats", lambda: described(FORMATS, "title")


@command("export", listed=_LISTED)
def export_command(
    out: Output,
    vocabulary: str,
    format_: str,
    corpus: str | None,
    text: str | None,
    lossy: bool,
    key: str,
    all_files: bool,
    **changes: Any,
) -> int:
    """Convert a vocabulary for another library, and check it there.

    `export` loads the written file with the other library and compares how both tokenize the words
    of --corpus, the --text, or words made from the vocabulary. If the format cannot express the
    vocabulary exactly, `export` refuses and names the closest possible conversion; --lossy writes
    that and measures the difference.

    Options:
    vocabulary
    --to format_ FORMAT (required): Target format; see the list below.
    --corpus <C.tsv: Word counts to compare on.
    --text <FILE|DIR: UTF-8 text to compare on: a file or directory that `count` reads.
    --lossy: Write it even if it tokenizes differently, and measure how many tokens that costs.
    -o >FOLDER: Write the converted vocabulary, a file or a directory.
    --pretokenizer, --rule, --key, --all-files, plain
    $ partcover export v.json --to huggingface -o folder --text book.txt
    $ partcover export v.json --to tiktoken -o v.tiktoken --corpus book.tsv --lossy
      # accept differences and measure their cost
    """
    if out.path is None:
        raise InputError("-o is missing: which file or directory should be written?")
    given = {name: value for name, value in changes.items() if value is not None}
    exported = read_vocabulary(vocabulary).with_(**given)
    words = None if corpus is None else pc.WordCounts.load(corpus, exported.symbols)
    if words is not None:
        note_other_words(out, exported, words)
    if text is not None and kind_of(text) == "counts":
        raise InputError(f"{text}: this is a file of word counts, not a text: give it as --corpus")
    content = None if text is None else _content(text, key, all_files)
    fidelity = pc.export(exported, out.path, format_, corpus=words, text=content, lossy=lossy)
    if out.path != "-":
        out.wrote(out.path)
    for line in (*(f"not preserved: {lost}" for lost in fidelity.given_up), *fidelity.remarks):
        out.note(line)
    if out.json:
        out.object(fidelity.to_json())
    else:
        click.echo(f"{fidelity.verdict}: {fidelity.cost}", err=out.path == "-")
    return 0


def _content(path: str, key: str, all_files: bool) -> str:
    """Returns the text of a file, or of all files in a folder, one after another."""
    from ....corpus.files.readers import texts_of

    texts = texts_of([path], key=key, all_files=all_files)
    try:
        return b"\n".join(text for _, text in texts).decode("utf-8-sig")
    except UnicodeDecodeError:
        what = "some of its files are" if Path(path).is_dir() else "this is"
        raise InputError(f"{path}: {what} not UTF-8 text") from None


@command("import", listed=_LISTED)
def import_command(out: Output, asked: Options) -> int:
    """Convert a tokenizer of another library into a vocabulary file.

    The segmentation rule and the pre-tokenizer come from it. Remarks say what could not be
    converted. Without -o, `import` only shows what it found.

    Options:
    tokenizer <PATH: File or directory of the tokenizer.
    --from format_ FORMAT: Format of PATH; see the list below. Default: detected.
    -o >FILE: Write the vocabulary.
    --pretokenizer, plain
    $ partcover import cl100k_base.tiktoken -o v.json
    $ partcover score v.json book.tsv  # measure how far it is from optimal
    """
    from ....corpus.normalizers import glance

    vocabulary = pc.Vocabulary.load(asked.tokenizer, asked.format_)
    if asked.pretokenizer is not None:
        vocabulary = vocabulary.with_(pretokenizer=asked.pretokenizer)
    data = {
        "format": vocabulary.provenance.get("format", "partcover"),
        "tokens": len(vocabulary),
        "symbols": vocabulary.symbols,
        "rule": vocabulary.rule,
        "pretokenizer": vocabulary.pretokenizer,
        "normalizer": vocabulary.normalizer,
        "special": dict(vocabulary.special),
        "remarks": note_remarks(out, vocabulary),
    }
    out.result(
        data,
        f"{len(vocabulary):,} tokens over {vocabulary.symbols}, rule {vocabulary.rule}, "
        f"pre-tokenizer {vocabulary.pretokenizer or 'unknown: name it with --pretokenizer'}"
        + (f", normalizer {glance(vocabulary.normalizer)}" if vocabulary.normalizer else ""),
        save=vocabulary.save,
    )
    return 0
