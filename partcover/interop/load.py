"""Reads vocabularies from the files of other libraries."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path

from .._version import __version__
from ..errors import InputError
from ..runtime.collector import collector_paused
from ..runtime.files.kinds import kind_of
from ..vocabulary.vocabulary import Vocabulary
from .registry import FORMATS, recognise, recognised
from .token_list import LIST

_NOT_OWN = None, "tokenizer", "text"  # None: of no kind that is known


def read_other(path: str | PathLike[str], name: str | None) -> Vocabulary | None:
    r"""Reads another library's file or folder, for `Vocabulary.load`.

    Parameters
    ----------
    path : path
        A file or folder.
    name : str or None
        A format; None for the one that it looks like.

    Returns
    -------
    Vocabulary or None
        None where partcover's own reader reads it, or says what is wrong with it.

    Raises
    ------
    InputError
        If it cannot be read, is not recognized, or holds what no vocabulary can express.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.interop.load import read_other
    >>> _ = Path("v.txt").write_text("ab\n")
    >>> read_other("v.txt", None).provenance["format"]
    'list'
    """
    source = Path(path)
    if name is None:
        is_own = not source.exists() or kind_of(path) not in _NOT_OWN
        if is_own or (source.suffix.lower() == ".json" and other_format(path) is None):
            return None
    form = recognise(source) if name is None else FORMATS[name]
    if form.read is None:
        raise InputError(f"{form.name} can be written but not read")
    if not source.exists():
        raise InputError(f"{source}: cannot be read (no such file or folder)")
    with collector_paused():  # a third of the time for 200,000 tokens
        vocabulary, remarks = form.read(source)
    provenance = {
        "partcover": __version__,
        "format": form.name,
        "source": source.name,
        **({"source_sha256": _sha256(source)} if source.is_file() else {}),
        **vocabulary.provenance,
    }
    if remarks:
        provenance["remarks"] = list(remarks)
    return vocabulary.with_(provenance=provenance)


def other_format(path: str | PathLike[str]) -> str | None:
    """Returns the name of the format of another library that a path looks like, if any.

    A list of tokens looks as any text, so it is not recognized here.
    """
    if kind_of(path) not in _NOT_OWN:
        return None  # partcover's own; or missing, or a pipe, which is in no format
    return next((form.name for form in recognised(Path(path)) if form is not LIST), None)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
