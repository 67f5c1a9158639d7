"""Implements the command ``export``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ....corpus.files.readers import documents
from ....corpus.files.sources import find_sources
from ....corpus.pretokenizers.pretokenizer import Pretokenizer
from ....corpus.word_counts import WordCounts
from ....errors import InputError
from ....runtime.files.kinds import kind_of
from ....runtime.files.writing import read_text
from ....vocabulary.rules import SEGMENTATION_RULES
from ....vocabulary.vocabulary import Vocabulary
from ...command import argument, command, option
from ...inputs import other_words, read_any_vocabulary
from ...options import output_options
from ...paths import ReadablePath
from ...shown.completion import format_names, pretokenizer_names
from ...shown.formats_help import FormatsCommand
from ...shown.output import Output


@command(
    "export",
    cls=FormatsCommand,
    examples=[
        ("partcover export v.json --to huggingface -o folder --text book.txt", ""),
        (
            "partcover export v.json --to tiktoken -o v.tiktoken --corpus book.tsv --lossy",
            "not the same, and at what cost",
        ),
    ],
)
@argument("vocabulary", metavar="V.json")
@option(
    "--to",
    "format_",
    required=True,
    metavar="FORMAT",
    shell_complete=format_names,
    help="One of those below.",
)
@option("--rule", type=click.Choice(SEGMENTATION_RULES), help="Default: the vocabulary's own.")
@option(
    "--pretokenizer",
    shell_complete=pretokenizer_names,
    help="Default: the vocabulary's own; see partcover count.",
)
@option("--corpus", type=ReadablePath(), metavar="C.tsv", help="Counted words to replay.")
@option(
    "--text",
    type=ReadablePath(),
    metavar="FILE|FOLDER",
    help="A text (UTF-8) to replay, cut into words there; of a folder, all that count reads.",
)
@option("--lossy", is_flag=True, help="Write it though it cuts otherwise; say at what cost.")
@output_options(writes="the vocabulary; a file or a folder", kind="folder", table=False)
def export_command(
    out: Output,
    vocabulary: str,
    format_: str,
    corpus: str | None,
    text: str | None,
    lossy: bool,
    **changes: Any,
) -> int:
    """Write a vocabulary for another library, and check it there.

    What is written is loaded by its own library and replayed over the words of --corpus, or over
    words made of the vocabulary. What a format cannot express is refused, with the nearest it
    can; --lossy writes that and measures what it costs.
    """
    from ....interop import export

    if out.path is None:
        raise InputError("-o is missing: what file or folder is to be written?")
    exported = _changed(read_any_vocabulary(vocabulary), **changes)
    words = None if corpus is None else WordCounts.load(corpus, exported.symbols)
    for remark in [] if words is None else other_words(exported, words):
        out.note(remark)
    if text is not None and kind_of(text) == "counts":
        raise InputError(f"{text}: this is a counts file, no text: give it as --corpus")
    content = None if text is None else _content(text)
    fidelity = export(exported, out.path, format_, corpus=words, text=content, lossy=lossy)
    if out.path != "-":
        out.wrote(out.path)
    for line in (*(f"given up: {lost}" for lost in fidelity.given_up), *fidelity.remarks):
        out.note(line)
    if out.json:
        out.object(fidelity.to_json())
    else:
        click.echo(f"{fidelity.verdict}: {fidelity.cost}", err=out.path == "-")
    return 0


def _content(path: str) -> str:
    """Returns the text of a file, or of all files in a folder, one after another."""
    if not Path(path).is_dir():
        return read_text(path)
    texts = [
        b"".join(document.chunks)
        for source in find_sources([path])
        for document in documents(source)
    ]
    try:
        return b"\n".join(texts).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not all of its files are text in UTF-8") from None


def _changed(vocabulary: Vocabulary, rule: Any, pretokenizer: str | None) -> Vocabulary:
    """Returns a vocabulary with another rule and pre-tokenizer, where they are given."""
    if rule is not None:
        vocabulary = vocabulary.with_(rule=rule)
    if pretokenizer is not None:
        name = Pretokenizer.from_name(pretokenizer).name
        vocabulary = vocabulary.with_(pretokenizer=name)
    return vocabulary
