"""Lists what text is read from: files, folders, patterns and URLs.

The name of a file tells its kind: ``.jsonl`` holds one JSON object a line, ``.parquet`` one
document a row, anything else is one document of plain text; after ``.gz`` and ``.zst`` are
decompressed.  A folder stands for the files below it, sorted by path, whose names end in
``.txt``, ``.md``, ``.jsonl`` (each also with ``.gz`` or ``.zst``), ``.parquet``, or in ``.gz`` or
``.zst`` alone, or for all of them with `all_files`; names that start with a dot, links to folders
and special files are skipped.  A path with ``*``, ``?`` or ``[`` that is no file stands for what it
matches, sorted (``**`` for any folders).  ``-`` is standard input, as plain text.

Files and folders at a URL (``s3://…``, ``hdfs://…``, ``https://…``) are reached by fsspec, the
extra ``remote``, and by its package for that protocol.
"""

from __future__ import annotations

import glob
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fsdecode
from pathlib import PurePath
from typing import IO, Any

from ...errors import InputError, MissingExtra, PartcoverError
from ...runtime.arguments import plain, shown
from ...runtime.files.writing import open_input

_TEXTS = ("", ".txt", ".md", ".jsonl")
_PACKED = {".gz": "gz", ".zst": "zst"}
_ENDINGS = ".txt, .md, .jsonl, .parquet, .gz, .zst"
OTHER_NAMES = f"with other endings than {_ENDINGS}"


@dataclass(frozen=True)
class Source:
    """A file and how it is read.

    Attributes
    ----------
    path : str
        The file or its URL; ``-`` for standard input.
    kind : {"text", "jsonl", "parquet"}
        The kind of its content.
    packing : {"", "gz", "zst"}
        How it is compressed.
    size : int or None
        Its size on disk in bytes, if known.
    modified : int, str or None
        When it was last modified, in nanoseconds; of a URL, what its file system tells the
        version by.
    start, end : int
        The part to read of a file that is not compressed, in bytes; an `end` of -1 is the end of
        the file.  See `partcover.corpus.pretokenizers.seams` for what belongs to a part.
    """

    path: str
    kind: str
    packing: str
    size: int | None
    modified: int | str | None = None
    start: int = 0
    end: int = -1

    @property
    def is_part(self) -> bool:
        """Whether it is less than the whole file."""
        return self.start > 0 or self.end >= 0


def find_sources(
    paths: Iterable[str | PathLike[str]],
    *,
    all_files: bool = False,
    skipped: Counter[str] | None = None,
) -> list[Source]:
    """Returns the files that `paths` stand for, in order.

    Parameters
    ----------
    paths : iterable of path
        Files, folders, patterns and URLs.
    all_files : bool
        Whether to take all files of a folder whatever their names end in, those of unknown kind
        as plain text.
    skipped : Counter, optional
        Receives, by reason, how many files of folders are skipped.

    Raises
    ------
    InputError
        If a path is missing, a pattern matches nothing, or a folder has no file to read.
    MissingExtra
        For a URL, if fsspec is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.corpus.files.sources import find_sources
    >>> for name in ("b.txt", "a.txt", "c.jsonl"):
    ...     _ = Path(name).write_text("")
    >>> [(source.path, source.kind) for source in find_sources(["*.txt"])]
    [('a.txt', 'text'), ('b.txt', 'text')]
    """
    skipped = Counter() if skipped is None else skipped
    sources: list[Source] = []
    for given in paths:
        if not isinstance(given, str | PathLike):
            raise InputError(f"paths have {shown(given)}: each must be text or a path")
        for path in _matched(plain(fsdecode(given))):
            reasons: Counter[str] = Counter()
            inside = _inside(path, all_files, reasons)
            if inside is None:
                sources.append(_source(path))
                continue
            if not inside:
                others = f"; {listed_reasons(reasons)}" if reasons else ""
                raise InputError(f"{path}: there is no text in this folder ({_ENDINGS}){others}")
            sources += map(_source, inside)
            skipped.update(reasons)
    return sources


def listed_reasons(skipped: Counter[str]) -> str:
    """Returns how many files were skipped and why, and the option that takes them if any does."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in skipped.most_common())
    more = "; --all-files (all_files=True) takes these as text" if skipped[OTHER_NAMES] else ""
    return f"{skipped.total():,} files or folders passed over: {reasons}{more}"


def is_url(path: str) -> bool:
    """Returns whether a path is a URL, of two letters or more before ``://``.

    Examples
    --------
    >>> from partcover.corpus.files.sources import is_url
    >>> is_url("s3://bucket/a.txt"), is_url("C:/a.txt")
    (True, False)
    """
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+(::.*)?://", path) is not None


@contextmanager
def open_source(path: str) -> Iterator[IO[bytes]]:
    """Opens a file, a URL or standard input (``-``) to read as bytes.

    Raises
    ------
    InputError
        If it cannot be opened, or cannot be read inside the ``with`` block.
    """
    if not is_url(path):
        with open_input(path) as file:
            yield file
        return
    with _naming(path), _remote(path) as (system, inside), system.open(inside, "rb") as file:
        yield file


def state_of(path: str) -> tuple[int | None, int | str | None]:
    """Returns the size of a file in bytes, None for no plain file, and when it was modified.

    Raises
    ------
    InputError
        If there is no such file.
    """
    if path == "-":
        return None, None
    if is_url(path):
        with _naming(path), _remote(path) as (system, inside):
            return system.info(inside).get("size"), str(system.ukey(inside))
    status = _status(path)
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else (None, None)


def check_unchanged(source: Source) -> None:
    """Checks, once a file is read, that it is still the one that was listed.

    Raises
    ------
    InputError
        With both sizes.
    """
    if source.size is None:
        return
    size, modified = state_of(source.path)
    if (size, modified) != (source.size, source.modified):
        raise InputError(
            f"{source.path}: changed while it was read; it had {source.size:,} bytes and has "
            f"{size or 0:,} now: make a copy of it"
        )


def sha256_of(path: str) -> str:
    """Returns the SHA-256 of a file."""
    import hashlib  # OpenSSL takes 4 MiB

    sha = hashlib.sha256()
    with open_source(path) as file:
        while chunk := file.read(1 << 20):
            sha.update(chunk)
    return sha.hexdigest()


@contextmanager
def _remote(url: str) -> Iterator[tuple[Any, str]]:
    """Yields the file system of a URL and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtra("fsspec", "remote", f"reading {url}") from None
    yield fsspec.core.url_to_fs(url)


@contextmanager
def _naming(url: str) -> Iterator[None]:
    """Names the URL in whatever a file system raises."""
    try:
        yield
    except PartcoverError:
        raise
    except Exception as error:  # each file system has errors of its own
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise InputError(f"{url}: cannot be read ({reason})") from None


def _matched(path: str) -> list[str]:
    """Returns the paths that a pattern matches, or the path itself if it is none."""
    if not re.search(r"[*?[]", path):
        return [path]
    if not is_url(path):
        if os.path.exists(path):  # noqa: PTH110 - paths stay the strings they are given as
            return [path]
        found = sorted(glob.glob(path, recursive=True))  # noqa: PTH207
    elif "::" in path:
        return [path]
    else:
        with _naming(path), _remote(path) as (system, inside):
            if path.startswith("http") and system.exists(inside):  # what follows ? is a query
                return [path]
            found = sorted(map(system.unstrip_protocol, system.glob(inside)))
    if not found:
        raise InputError(f"{path}: no file matches")
    return found


def _inside(path: str, all_files: bool, skipped: Counter[str]) -> list[str] | None:
    """Returns the files of a folder, sorted; None for what is no folder."""
    if is_url(path):
        with _naming(path), _remote(path) as (system, inside):
            if path.startswith("http") or not system.isdir(inside):
                return None
            found = sorted(map(system.unstrip_protocol, system.find(inside)))
        return [name for name in found if _is_taken(PurePath(name).name, all_files, skipped)]
    if not os.path.isdir(path):  # noqa: PTH112
        return None
    return sorted(_walk(path, all_files, skipped), key=lambda name: PurePath(name).parts)


def _walk(folder: str, all_files: bool, skipped: Counter[str]) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror or error})")

    for parent, folders, names in os.walk(folder, onerror=refuse):
        for name in [*folders]:
            if name.startswith("."):
                folders.remove(name)
                skipped["hidden"] += 1
            elif os.path.islink(os.path.join(parent, name)):  # noqa: PTH114, PTH118
                skipped["links to folders"] += 1
        for name in names:
            path = os.path.join(parent, name)  # noqa: PTH118
            if not _is_taken(name, all_files, skipped):
                continue
            status = _status(path)
            if not stat.S_ISREG(status.st_mode):
                skipped["no plain files"] += 1
                continue
            if status.st_size == 0:
                skipped["empty"] += 1
            yield path


def _is_taken(name: str, all_files: bool, skipped: Counter[str]) -> bool:
    """Returns whether a file of a folder is read, by its name."""
    if name.startswith("."):
        skipped["hidden"] += 1
        return False
    kind, packing, suffix = _kind(name)
    known = suffix in _TEXTS[1 - bool(packing) :] or kind == "parquet"
    if not (all_files or known):
        skipped[OTHER_NAMES] += 1
        return False
    return True


def _status(path: str) -> os.stat_result:
    try:
        return os.stat(path)  # noqa: PTH116
    except (OSError, ValueError) as error:  # a null byte in the name
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({reason})") from None


def _kind(path: str) -> tuple[str, str, str]:
    """Returns the kind, the packing, and the suffix before the packing's."""
    name = PurePath(path)
    packing = _PACKED.get(name.suffix.lower(), "")
    suffix = (name.with_suffix("") if packing else name).suffix.lower()
    if suffix == ".jsonl":
        return "jsonl", packing, suffix
    if suffix == ".parquet" and not packing:
        return "parquet", packing, suffix
    return "text", packing, suffix


def _source(path: str) -> Source:
    if path == "-":
        return Source(path, "text", "", None)
    size, modified = state_of(path)
    kind, packing, suffix = _kind(path)
    if packing and suffix in (".parquet", ".tar"):
        raise InputError(f"{path}: unpack it first, {suffix}.{packing} cannot be read")
    return Source(path, kind, packing, size, modified)
