"""Merges counts files into one, with a limit on memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...runtime.files.writing import in_place, shown_path
from ..files.sources import sha256_of
from ..files.tsv import Header
from .count import BLOCK_SHARE, TABLE_SHARE
from .counts_file import Totals, check_text, read_blocks, write_counts
from .manifest import describe_merge, write_manifest
from .runs import Spill


def merge_counts(
    paths: Sequence[str],
    target: str,
    given: Header,
    *,
    memory: int | None = None,
    scratch: str | None = None,
) -> tuple[Header, Totals]:
    r"""Adds up the counts of files of counted words, and writes them most frequent first.

    The manifest is written beside them.

    Parameters
    ----------
    paths : sequence of str
        The files, TSV or Parquet, over bytes or characters.
    target : str
        The file that is written; ``-`` for standard output.
    given : Header
        How the words were counted, where the files do not say it.
    memory : int, optional
        Bytes that may be taken.
    scratch : str, optional
        A folder for what does not fit; by default that of the target.

    Returns
    -------
    header : Header
        How the words were counted.
    totals : Totals
        How many there are.

    Raises
    ------
    InputError
        If a file cannot be read or changes meanwhile, two were not counted alike, or a sum does
        not fit in int64.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.corpus.counting.merge_counts import merge_counts
    >>> from partcover.corpus.files.tsv import Header
    >>> _ = Path("a.tsv").write_text("hat\t2\nhot\t1\n"), Path("b.tsv").write_text("hot\t4\n")
    >>> header, totals = merge_counts(["a.tsv", "b.tsv"], "both.tsv", Header("gpt2"))
    >>> Path("both.tsv").read_text().splitlines()
    ['#partcover counts 1 pretokenizer=gpt2 symbols=bytes', 'hot\t5', 'hat\t2']
    """
    if scratch is None and not in_place(target):
        scratch = str(Path(target).parent)
    room = None if memory is None else memory // BLOCK_SHARE
    before = describe_merge(paths, given)["inputs"]
    with Spill(scratch, room) as by_word, Spill(scratch, room, by_count=True) as by_count:
        header = Header()
        for path in paths:
            found, blocks = read_blocks(path, None if memory is None else memory // TABLE_SHARE)
            header = _agreed(header, found, given.pretokenizer, path)
            for block in blocks:
                if header.symbols == "chars":
                    check_text(block, path)
                by_word.add(block)
        for block in by_word.blocks():
            by_count.add(block)
        source = ", ".join(map(shown_path, paths))
        header = header._replace(
            symbols=header.symbols or "bytes",
            pretokenizer=header.pretokenizer or given.pretokenizer,
        )
        plan = describe_merge(paths, header)
        hashes = {} if in_place(target) else _hashes(before, plan["inputs"])
        totals = write_counts(target, header, by_count.blocks(), source)
        if not in_place(target):
            write_manifest(plan, hashes, target, totals)
        return header, totals


def _hashes(
    before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """Returns the SHA-256 of each file, by its absolute path, and refuses one that has changed."""
    hashes = {}
    for file, then in zip(now, before, strict=True):
        if file != then:
            path = shown_path(file["path"])
            raise InputError(f"{path}: changed while it was read: make a copy of it")
        if file["size"] is not None:
            hashes[os.path.abspath(file["path"])] = sha256_of(file["path"])  # noqa: PTH100
    return hashes


def _agreed(header: Header, found: Header, given: str | None, path: str) -> Header:
    """Returns what files say of how words were counted, if one more does not contradict it."""
    symbols, known = found.symbols or "bytes", header.pretokenizer or given
    facts = [
        ("over", symbols, header.symbols or symbols),
        ("counted with", found.pretokenizer or known, known or found.pretokenizer),
    ]
    if _says_how(found) and _says_how(header):
        normalizers = found.normalizer or "nothing", header.normalizer or "nothing"
        facts.append(("normalized by", *normalizers))
    for what, here, before in facts:
        if here != before:
            raise InputError(
                f"{shown_path(path)}: its words are {what} {here}, those of other files {before}: "
                "they cannot be added up"
            )
    return Header(
        header.pretokenizer or found.pretokenizer, symbols, header.normalizer or found.normalizer
    )


def _says_how(header: Header) -> bool:
    """Returns whether words with no normalizer are known to have been counted without one."""
    return header.pretokenizer is not None or header.normalizer is not None
