"""Implements the command ``encode``."""

from __future__ import annotations

import itertools
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import partcover as pc

from ....corpus.files.sources import Source, find_sources, listed_reasons
from ....errors import InputError
from ....runtime.arguments import counted
from ....runtime.files.writing import atomic_writer
from ....runtime.processes import signals
from ....runtime.progress import Progress
from ... import shared
from ...command import Options, argument, command, option
from ...id_files import ID_FORMATS, id_format, write_numbers
from ...inputs import read_any_vocabulary
from ...paths import TextPath
from ...shown.output import Output

if TYPE_CHECKING:
    from ....encoding.encoder import Ids, Special, Unit


@command(
    "encode",
    examples=[
        ("partcover encode v.json book.txt -o book.npy", "write an array for training"),
        ("partcover encode v.json book.txt | partcover decode v.json", "encode and decode"),
        ("partcover encode v.json book.txt -o 7.npy --sample --alpha 0.5 --seed 7", ""),
        ("partcover encode v.json texts/ -o all.npy --resume", "continue an interrupted run"),
        ("partcover encode v.json book.txt --count", "count the tokens"),
    ],
)
@shared.tokenizer("vocabulary")
@argument(
    "files",
    type=TextPath(),
    nargs=-1,
    metavar="[FILE]…",
    help="Text that `count` reads. Default: standard input.",
)
@shared.pretokenizer(shared.IN_THE_FILE)
@shared.rule("Segmentation rule. Default: as the vocabulary file says.")
@option(
    "--format",
    "form",
    type=click.Choice(ID_FORMATS),
    help="ids: one line of numbers per document. json: one JSON object per document, with `ids`. "
    "npy: one NumPy array of all ids. bin: the same without a header (little-endian). Default: by "
    "the ending of -o, else ids.",
)
@option(
    "--special",
    type=click.Choice(["text", "parse", "error"]),
    default="text",
    help="How to treat special tokens in the text: as ordinary text, as their ids (parse), or as "
    "an error. Added tokens that are not special always become their ids.",
)
@option(
    "--allow-special",
    metavar="TOKEN",
    multiple=True,
    help="Encode only this special token as its id. Repeatable.",
)
@option(
    "--end-of-document",
    metavar="TOKEN",
    help="Special token to write after each document (npy and bin).",
)
@option(
    "--dtype",
    type=click.Choice(["uint16", "uint32", "int32", "int64"]),
    help="Number type (npy and bin). Default: uint16 if every id fits, else uint32.",
)
@option(
    "--offsets",
    type=click.Choice(["bytes", "chars"]),
    help="Also write the position of each token (json).",
)
@option("--count", is_flag=True, help="Write only the number of tokens of each document.")
@shared.key()
@option(
    "--sample",
    is_flag=True,
    help="Sample the segmentation of each word with --seed, for subword regularization.",
)
@option(
    "--dropout",
    type=float,
    metavar="P",
    help="With --sample, for the merge rules and longest_match: probability of skipping a token.",
)
@option(
    "--alpha",
    type=float,
    metavar="A",
    help="With --sample, for likelihood and shortest_path: 0 makes all segmentations equally "
    "likely; larger values prefer good ones.",
)
@shared.all_files
@shared.resume("FILE.part of -o FILE (npy and bin)")
@shared.output(writes="the ids", kind="text", table=False, threads=True, seed=True)
def encode_command(
    out: Output, vocabulary: str, files: tuple[str, ...], all_files: bool, **options: Any
) -> int:
    """Tokenize text into ids.

    `decode` restores every byte of the text. With --json, one object contains the ids of all
    documents. While `encode` writes an array (npy and bin), the file is called FILE.part; add
    --resume to continue an interrupted run.
    """
    allowed = options.pop("allow_special")
    if allowed and options["special"] != "text":
        raise InputError("--allow-special needs --special text, to which it makes exceptions")
    options["special"] = allowed or options["special"]
    request = Options(**{**options, "form": options["form"] or id_format(out.path or "")})
    request.array = request.form in ("npy", "bin")
    strength = {name: options[name] for name in ("dropout", "alpha")}
    request.strength = {name: value for name, value in strength.items() if value is not None}
    _check(request, out.path)
    signals.keeps_best(request.array)
    encoder = pc.Encoder(
        read_any_vocabulary(vocabulary),
        request.pretokenizer,
        request.rule,
        threads=out.threads,
        seed=out.seed,
    )
    if request.sample:
        encoder = encoder.sampling(seed=out.seed, **request.strength)
    skipped: Counter[str] = Counter()
    sources = find_sources(files or ("-",), all_files=all_files, skipped=skipped)
    if skipped:
        out.note(listed_reasons(skipped))
    started = time.monotonic()
    with out.progress("encoding") as progress:
        if request.array:
            facts = _write_array(out, encoder, files, all_files, request, progress)
        else:
            texts = _texts(sources, request.key, progress)
            write = _write_counts if request.count else _write_lines
            facts = write(out, encoder, texts, request)
    _show(out, encoder, facts, request, time.monotonic() - started)
    return 0


def _check(request: Options, path: str | None) -> None:
    """Refuses options that the format, or encoding without sampling, has no use for."""
    lines = request.form == "json"
    for value, fits, name, forms in (
        (request.end_of_document, request.array, "--end-of-document", "npy and bin"),
        (request.dtype, request.array, "--dtype", "npy and bin"),
        (request.offsets, lines, "--offsets", "json"),
    ):
        if value is not None and not fits:
            raise InputError(f"{name} is for --format {forms}")
    if request.count and (request.form != "ids" or request.sample):
        raise InputError("--count writes lines of numbers: leave out --format and --sample")
    if request.resume and not request.array:
        raise InputError("--resume is for --format npy and bin")
    for name in request.strength if not request.sample else ():
        raise InputError(f"--{name} is for --sample")
    if request.array and path is None:
        raise InputError(f"--format {request.form} needs a file to write: add -o FILE")


def _write_array(
    out: Output,
    encoder: pc.Encoder,
    files: tuple[str, ...],
    all_files: bool,
    request: Options,
    progress: Progress,
) -> dict[str, Any]:
    """Writes the ids of all files as one array; returns facts."""
    try:
        encoded = encoder.encode_files(
            files or ("-",),
            out.path or "",
            file_format=request.form,
            dtype=request.dtype,
            key=request.key,
            end_of_document=request.end_of_document,
            special=request.special,
            progress=progress,
            all_files=all_files,
            resume=request.resume,
        )
    except (KeyboardInterrupt, InputError):
        if Path(f"{out.path}.part.json").is_file():
            out.note(f"{out.path}.part contains the finished files; add --resume to continue")
        raise
    return {"documents": encoded.documents, "ids": encoded.ids, **asdict(encoded)}


def _write_lines(
    out: Output, encoder: pc.Encoder, texts: Iterable[tuple[str, bytes]], request: Options
) -> dict[str, Any]:
    """Writes a line of ids for each document, or lists them for --json; returns facts."""
    facts: dict[str, Any] = {"documents": 0, "ids": 0}
    listed = []
    with atomic_writer(out.path or "-") as file:
        for ids, spans in _encoded(encoder, texts, request.special, request.offsets):
            facts["documents"] += 1
            facts["ids"] += len(ids)
            if out.json and out.path is None:
                offsets = {} if spans is None else {"offsets": spans}
                listed.append({"ids": ids.tolist(), **offsets})
            elif request.form == "json":
                file.write(b'{"ids": [')
                write_numbers(file, ids, b", ")
                more = "" if spans is None else f', "offsets": {json.dumps(spans)}'
                file.write(f"]{more}}}\n".encode())
            else:
                write_numbers(file, ids, b" ")
                file.write(b"\n")
    if out.json and out.path is None:
        facts["encoded"] = listed
    return facts


def _write_counts(
    out: Output, encoder: pc.Encoder, texts: Iterable[tuple[str, bytes]], request: Options
) -> dict[str, Any]:
    """Writes how many tokens each document has, or lists it for --json; returns facts."""
    counts = []
    for where, text in texts:
        try:
            counts.append(encoder.count(text, special=request.special))
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
    if out.path is not None or not out.json:
        with atomic_writer(out.path or "-") as file:
            file.writelines(f"{count}\n".encode() for count in counts)
    facts: dict[str, Any] = {"documents": len(counts), "ids": sum(counts)}
    if out.json and out.path is None:
        facts["counts"] = counts
    return facts


def _show(
    out: Output, encoder: pc.Encoder, facts: dict[str, Any], request: Options, seconds: float
) -> None:
    """Remarks what is written, or prints facts as JSON."""
    how: dict[str, Any] = {"pretokenizer": encoder.pretokenizer, "rule": encoder.rule}
    if encoder.normalizer is not None:
        how["normalizer"] = encoder.normalizer
    if request.sample:
        how |= {"seed": out.seed, **request.strength}
    data = {**facts, **how, "seconds": round(seconds, 6), "threads": out.threads}
    documents = counted(facts["documents"], "document")
    out.end(data, f"{documents}, {facts['ids']:,} ids, {seconds:.2f} s")


def _texts(sources: list[Source], key: str, progress: Progress) -> Iterator[tuple[str, bytes]]:
    """Yields each document, and where it stands."""
    from ....corpus.files.readers import documents

    read = 0

    def report(more: int) -> None:
        nonlocal read
        read += more
        progress.advance(read, None, f"{read / 1e6:,.0f} MB")

    for source in sources:
        for document in documents(source, key=key, report=report):
            yield document.where, b"".join(document.chunks)


def _encoded(
    encoder: pc.Encoder, texts: Iterable[tuple[str, bytes]], special: Special, offsets: Unit | None
) -> Iterator[tuple[Ids, list[tuple[int, int]] | None]]:
    """Yields the ids of each text, and their offsets where these are wanted."""
    import numpy as np

    if offsets is None:
        named, bare = itertools.tee(texts)
        names, data = (where for where, _ in named), (text for _, text in bare)
        for ids in encoder.encode_each(data, names=names, special=special):
            yield ids, None
        return
    before = 0
    for where, text in texts:
        try:
            listed, spans = encoder.encode_with_offsets(
                text, unit=offsets, special=special, after=before
            )
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        before += len(text)
        yield np.array(listed, encoder.dtype), spans
