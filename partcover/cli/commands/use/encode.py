"""Implements the commands ``encode`` and ``decode``."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import partcover as pc

from ....corpus import symbols as sym
from ....corpus.files.sources import listed_reasons
from ....encoding.id_files import id_format, read_ids, write_line
from ....errors import InputError
from ....runtime.arguments import counted
from ....runtime.files.writing import atomic_writer
from ....runtime.processes import signals
from ....runtime.progress import Progress
from ...base_files import note_other_than_utf8
from ...command import Options, command
from ...inputs import read_vocabulary
from ...shown.output import Output

if TYPE_CHECKING:
    from ....encoding.encoder import Ids


@command("encode")
def encode_command(out: Output, request: Options) -> int:
    """Tokenize text into ids.

    `decode` restores every byte of the text. An array has the numbers of all documents, as uint16
    if every id fits, else uint32. Without -o, ids are printed, one line for each document; with
    --json, in one object.

    Options:
    vocabulary
    files <[FILE]...: Text that `count` reads. Default: standard input.
    --special text|parse|error = text: How to treat special tokens in the text: as ordinary text, as
      their ids (parse), or as an error. Added tokens that are not special always become their ids.
    --end-of-document TOKEN: Special token to write after each document (.npy and .bin).
    --count: Write only the number of tokens of each document.
    --resume: Resume an interrupted run from FILE.part of -o FILE (.npy and .bin). Progress is saved
      every few seconds.
    -o >FILE: Write the ids: one array (.npy, or .bin without a header), or a line for each document
      (JSON in a .json or .jsonl file, else numbers).
    --rule, --pretokenizer, --key, --all-files, --threads, --seed, plain
    $ partcover encode v.json book.txt -o book.npy  # write an array for training
    $ partcover encode v.json book.txt | partcover decode v.json  # encode and decode
    $ partcover encode v.json texts/ -o all.npy --resume  # continue an interrupted run
    $ partcover encode v.json book.txt --count  # count the tokens
    """
    request.form = id_format(out.path or "")
    request.array = request.form in ("npy", "bin")
    _check(request)
    from ....corpus.files.readers import texts_of

    signals.keeps_best(request.array)
    encoder = pc.Encoder(
        read_vocabulary(request.vocabulary),
        request.pretokenizer,
        request.rule,
        threads=out.threads,
        seed=out.seed,
    )
    skipped: Counter[str] = Counter()
    files = request.files or ("-",)
    started = time.monotonic()
    with out.progress("encoding") as progress:
        texts = texts_of(
            files, key=request.key, all_files=request.all_files, skipped=skipped, progress=progress
        )
        if skipped:
            out.note(listed_reasons(skipped))
        if request.array:
            facts = _write_array(out, encoder, files, request, progress)
        else:
            facts = _write_lines(out, encoder, texts, request)
    note_other_than_utf8(out, files, all_files=request.all_files)
    seconds = time.monotonic() - started
    facts |= {"pretokenizer": encoder.pretokenizer, "rule": encoder.rule}
    if encoder.normalizer is not None:
        facts["normalizer"] = encoder.normalizer
    documents = counted(facts["documents"], "document")
    out.end(
        {**facts, "seconds": round(seconds, 6), "threads": out.threads},
        f"{documents}, {facts['ids']:,} ids, {seconds:.2f} s",
    )
    return 0


def _check(request: Options) -> None:
    """Refuses options that the file has no use for."""
    for given, name in (
        (request.end_of_document is not None, "--end-of-document"),
        (request.resume, "--resume"),
    ):
        if given and not request.array:
            raise InputError(f"{name} is for -o FILE.npy and -o FILE.bin")
    if request.count and request.form != "ids":
        raise InputError("--count writes lines of numbers: use another ending")


def _write_array(
    out: Output,
    encoder: pc.Encoder,
    files: Sequence[str],
    request: Options,
    progress: Progress,
) -> dict[str, Any]:
    """Writes the ids of all files as one array; returns facts."""
    try:
        encoded = encoder.encode_files(
            files,
            out.path or "",
            file_format=request.form,
            key=request.key,
            end_of_document=request.end_of_document,
            special=request.special,
            progress=progress,
            all_files=request.all_files,
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
    """Writes a line for each document, or lists them for --json; returns facts."""
    documents = ids = 0
    is_listed = out.json and out.path is None
    listed: list[Any] = []
    with atomic_writer(out.path or "-") as file:
        for row in _encoded(encoder, texts, request):
            documents += 1
            ids += row if isinstance(row, int) else len(row)
            if is_listed:
                listed.append(row if isinstance(row, int) else {"ids": row.tolist()})
            else:
                write_line(file, row, request.form)
    name = "counts" if request.count else "encoded"
    return {"documents": documents, "ids": ids, **({name: listed} if is_listed else {})}


def _encoded(
    encoder: pc.Encoder, texts: Iterable[tuple[str, bytes]], request: Options
) -> Iterator[Ids | int]:
    """Yields the ids of each text, or with --count how many there are."""
    if not request.count:
        named, bare = itertools.tee(texts)
        names, data = (where for where, _ in named), (text for _, text in bare)
        yield from encoder.encode_each(data, names=names, special=request.special)
        return
    counts = []
    for where, text in texts:
        try:
            counts.append(encoder.count(text, special=request.special))
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
    yield from counts


@command("decode")
def decode_command(out: Output, asked: Options) -> int:
    """Turn ids back into text.

    `decode` writes the documents one after another, with nothing between them. The result equals
    the encoded text byte for byte, except for changes by the vocabulary's normalizer.

    Options:
    vocabulary
    file <[FILE] = -: Output of `encode`. Default: standard input.
    --skip-special: Leave out special tokens.
    -o >TABLE: Write the text.
    --pretokenizer, plain
    $ partcover decode v.json book.npy -o book.txt
    """
    import numpy as np

    from ....corpus.normalizers import glance

    encoder = pc.Encoder(read_vocabulary(asked.vocabulary), asked.pretokenizer)
    if encoder.normalizer is not None:
        out.note(
            f"the vocabulary normalizes text with {glance(encoder.normalizer)}; decoding cannot "
            "undo that"
        )
    texts = []
    count = 0
    with atomic_writer(out.path or "-") as written:
        for where, ids in read_ids(asked.file, np.dtype(encoder.dtype)):
            try:
                text = encoder.decode_bytes(ids, skip_special=asked.skip_special)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
            count += len(ids)
            if out.json and out.path is None:
                texts.append(sym.escape(text, tsv=False))
            else:
                written.write(text)
    out.end({"ids": count, **({"texts": texts} if out.path is None else {})})
    return 0
