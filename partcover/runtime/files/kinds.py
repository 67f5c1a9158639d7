"""Recognizes the kind of a file, so that an error can name the likely mistake."""

from __future__ import annotations

import codecs
import re
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "counts",
    "text",
    "vocabulary",
    "instance",
    "certificate",
    "solution",
    "array",
    "tokenizer",
]

HEADER = b"#partcover counts"  # the beginning of the first line of a counts file
_HEAD = 1 << 14
_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_PACKED = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"  # gzip, Zstandard: any bytes may follow, tabs too
_COUNTED = re.compile(rb"[^\t\n]+\t[0-9]+\r?")
_FORMAT = re.compile(rb'"format"\s*:\s*"partcover-(vocabulary|instance|certificate)"')
_TOKENIZER = re.compile(rb'"(added_tokens|pre_tokenizer|post_processor)"\s*:')  # Hugging Face
_RANK = re.compile(
    rb"(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/](?:=|[A-Za-z0-9+/])) \d+\r?"
)
_SOLUTION = re.compile(rb'"(lower_bound|tokens_per_word)"\s*:')

_KINDS: dict[bytes, Kind] = {
    b"vocabulary": "vocabulary",
    b"instance": "instance",
    b"certificate": "certificate",
}
_NAMES: dict[Kind, str] = {
    "counts": "this is a counts file (word, tab, count)",
    "text": "this looks like text",
    "vocabulary": "this is a vocabulary",
    "instance": "this is an instance",
    "certificate": "this is a certificate",
    "solution": "this looks like a solution",
    "array": "this is an array (.npy)",
    "tokenizer": "this looks like a tokenizer of another library",
}


def looks_counted(head: bytes) -> bool:
    """Returns whether a text begins like a counts file: with a header, or a word and a count."""
    head = head[:_HEAD].removeprefix(_BOM)
    if head.startswith(HEADER):
        return True
    lines = head.split(b"\n")
    # the text may end inside the last line
    complete = lines[:-1] if len(lines) > 1 else lines
    return all(map(_COUNTED.fullmatch, complete))


def begins_object(path: str | PathLike[str]) -> bool:
    r"""Returns whether a file begins as a JSON object does.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.runtime.files.kinds import begins_object
    >>> _ = Path("numbers").write_text('\n{"a": 1}')
    >>> begins_object("numbers")
    True
    """
    with open(path, "rb") as file:
        return file.read(_HEAD).removeprefix(_BOM).lstrip().startswith(b"{")


def kind_of(path: str | PathLike[str]) -> Kind | None:
    r"""Recognizes a file by its beginning; None if it is unclear or the file cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.runtime.files.kinds import kind_of
    >>> _ = Path("words.tsv").write_text("hat\t2\n")
    >>> kind_of("words.tsv")
    'counts'
    """
    return kind_of_head(_head_of(path))


def _head_of(path: str | PathLike[str]) -> bytes:
    """Returns the first bytes of a file; none of what cannot be read."""
    if not Path(path).is_file():  # reading from a pipe would consume it
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""


def other_than_utf8(path: str | PathLike[str]) -> str | None:
    r"""Returns what a file begins like where that is no UTF-8 text: UTF-16, UTF-32, or binary data.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.runtime.files.kinds import other_than_utf8
    >>> _ = Path("text.txt").write_text("hat", encoding="utf-16")
    >>> other_than_utf8("text.txt")
    'UTF-16'
    """
    head = _head_of(path)
    for mark, name in _OTHER_BOMS.items():  # that of UTF-32 begins as one of UTF-16 does
        if head.startswith(mark):
            return name
    return "binary data" if b"\0" in head else None


def kind_of_head(head: bytes) -> Kind | None:
    """Recognizes a file by these first bytes; see `kind_of`."""
    head = head[:_HEAD].removeprefix(_BOM)
    if not head or head.startswith(_PACKED):
        return None
    if head.startswith(b"\x93NUMPY"):
        return "array"
    if head.lstrip().startswith(b"{"):
        if match := _FORMAT.search(head):
            return _KINDS[match[1]]
        if _SOLUTION.search(head):
            return "solution"
        return "tokenizer" if _TOKENIZER.search(head) else None
    if looks_counted(head):
        return "counts"
    lines = head.split(b"\n")
    if len(lines) > 2 and all(map(_RANK.fullmatch, lines[:-1])):
        return "tokenizer"
    tabbed = sum(b"\t" in line for line in lines)
    # with many tabs it is more likely a counts file with a mistake
    return None if b"\0" in head or 2 * tabbed >= len(lines) else "text"


def likely_mistake(path: str | PathLike[str], wanted: Kind) -> str:
    """Returns the end of an error message: what the file looks like instead of the wanted kind."""
    head = _head_of(path)
    if head.startswith(_PACKED):
        return "; this file is compressed: decompress it first"
    kind = kind_of_head(head)
    if kind is None or kind == wanted:
        return ""
    if kind == "text" and wanted == "counts":
        return f"; {_NAMES[kind]}: run `partcover count` on it first"
    if kind == "tokenizer":
        return f"; {_NAMES[kind]}: `partcover import` reads it"
    return f"; {_NAMES[kind]}: are two arguments swapped?"
