"""Implements the commands ``export`` and ``import``."""

from __future__ import annotations

from typing import Any

import click

from ...corpus.pretokenizers import Pretokenizer
from ...corpus.word_counts import WordCounts
from ...errors import InputError
from ...runtime.file_kinds import kind_of
from ...runtime.files import read_text
from ...vocabulary.rules import RULES
from ...vocabulary.vocabulary import Vocabulary
from ..inputs import other_words
from ..options import Command, argument, command, option, output_options
from ..output import Output
from ..paths import ReadablePath


class _Formats(Command):
    """Help that ends with the formats, which are loaded only then."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from ...interop import FORMATS

        with formatter.section("Formats"):
            formatter.write_dl([(name, format_.title) for name, format_ in FORMATS.items()])
        super().format_epilog(ctx, formatter)


@command(
    "export",
    cls=_Formats,
    examples=[
        ("partcover export v.json --to huggingface -o folder --text book.txt", ""),
        (
            "partcover export v.json --to tiktoken -o v.tiktoken --corpus book.tsv --lossy",
            "not the same, and at what cost",
        ),
    ],
)
@argument("vocabulary", metavar="V.json")
@option("--to", "format_", required=True, metavar="FORMAT", help="One of those below.")
@option("--rule", type=click.Choice(RULES), help="Default: the vocabulary's own.")
@option("--pretokenizer", help="Default: the vocabulary's own; see partcover count.")
@option("--corpus", type=ReadablePath(), metavar="C.tsv", help="Counted words to replay.")
@option(
    "--text",
    type=ReadablePath(),
    metavar="FILE",
    help="A text (UTF-8) to replay, cut into words there.",
)
@option("--lossy", is_flag=True, help="Write it though it cuts otherwise; say at what cost.")
@output_options(writes="the vocabulary; a file or a folder", kind="folder", table=False)
def export_(
    out: Output,
    vocabulary: str,
    format_: str,
    rule: Any,
    pretokenizer: str | None,
    corpus: str | None,
    text: str | None,
    lossy: bool,
) -> int:
    """Write a vocabulary for another library, and check it there.

    What is written is loaded by its own library and replayed over the words of --corpus, or over
    words made of the vocabulary. What a format cannot express is refused, with the nearest it
    can; --lossy writes that and measures what it costs.
    """
    from ...interop import export

    if out.path is None:
        raise InputError("-o is missing: what file or folder is to be written?")
    held = Vocabulary.load(vocabulary)
    if rule is not None:
        held = held.with_(rule=rule)
    if pretokenizer is not None:
        Pretokenizer.from_name(pretokenizer)
        held = held.with_(pretokenizer=pretokenizer)
    words = None if corpus is None else WordCounts.load(corpus, held.symbols)
    for remark in [] if words is None else other_words(held, words):
        out.note(remark)
    if text is not None and kind_of(text) == "counts":
        raise InputError(f"{text}: this is a counts file, no text: give it as --corpus")
    content = None if text is None else read_text(text)
    result = export(held, out.path, format_, corpus=words, text=content, lossy=lossy)
    if out.path != "-":
        out.wrote(out.path)
    for line in (*(f"given up: {lost}" for lost in result.given_up), *result.remarks):
        out.note(line)
    if out.json:
        out.object(result.to_json())
    else:
        click.echo(f"{result.verdict}: {result.cost}", err=out.path == "-")
    return 0


@command(
    "import",
    cls=_Formats,
    examples=[
        ("partcover import cl100k_base.tiktoken -o v.json", ""),
        ("partcover gap book.tsv --vocab v.json", "how far from the best it is"),
    ],
)
@argument("path", metavar="PATH")
@option("--from", "format_", metavar="FORMAT", help="Default: what PATH looks like.")
@option("--pretokenizer", help="What the words are cut by, where PATH does not hold it.")
@output_options(writes="the vocabulary", kind="text", table=False)
def import_(out: Output, path: str, format_: str | None, pretokenizer: str | None) -> int:
    """Read a vocabulary of another library; -o writes it.

    PATH is a file or a folder. The rule of segmentation and the pre-tokenizer are those that it
    implies; what could not be carried is said.
    """
    from ...interop import load_vocabulary

    vocabulary = load_vocabulary(path, format_)
    if pretokenizer is not None:
        Pretokenizer.from_name(pretokenizer)
        vocabulary = vocabulary.with_(pretokenizer=pretokenizer)
    if out.path is not None:
        vocabulary.save(out.path)
        out.note(f"wrote {out.path}")
    for line in vocabulary.provenance.get("remarks", ()):
        out.note(line)
    if out.json:
        out.object(
            {
                "format": vocabulary.provenance["format"],
                "tokens": len(vocabulary),
                "symbols": vocabulary.symbols,
                "rule": vocabulary.rule,
                "pretokenizer": vocabulary.pretokenizer,
                "special": dict(vocabulary.special),
                "remarks": list(vocabulary.provenance.get("remarks", ())),
            }
        )
    else:
        click.echo(
            f"{len(vocabulary):,} tokens over {vocabulary.symbols}, rule {vocabulary.rule}, "
            f"pre-tokenizer {vocabulary.pretokenizer or 'not known'}"
        )
    return 0
