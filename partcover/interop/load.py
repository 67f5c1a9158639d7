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
from .registry import find_format, recognise, recognised
from .token_list import LIST

__all__ = ["load_any", "load_vocabulary", "other_format"]


def load_vocabulary(
    path: str | PathLike[str],
    format: str | None = None,  # noqa: A002
) -> Vocabulary:
    r"""Reads a vocabulary from another library's file or folder.

    Parameters
    ----------
    path : path
        A file or folder.
    format : str, optional
        One of `FORMATS`; by default the one that it looks like.

    Returns
    -------
    Vocabulary
        Its rule and pre-tokenizer are those that the file implies; its provenance holds
        ``format``, ``source`` and, of a file, ``source_sha256``, and ``remarks``, a list of what
        of the file it does not hold.

    Raises
    ------
    InputError
        If it cannot be read, is not recognised, or holds what no vocabulary can express.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover import load_vocabulary
    >>> lines = Path("v.vocab").write_text("61\n62\n6162\n")
    >>> vocabulary = load_vocabulary("v.vocab", "pathpiece")
    >>> vocabulary.tokens, vocabulary.rule, vocabulary.id_of[256]
    ((b'ab',), 'shortest_path', 2)
    >>> vocabulary.provenance["remarks"]
    ['254 of the 256 bytes are not listed: they have no id']
    """
    source = Path(path)
    form = recognise(source) if format is None else find_format(format)
    if form.read is None:
        raise InputError(f"{form.name} is only written, not read")
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


def load_any(path: str | PathLike[str]) -> Vocabulary:
    """Reads a vocabulary from partcover's own file, or from one of another library.

    Raises
    ------
    InputError
        If it is neither, cannot be read, or holds what no vocabulary can express.

    Examples
    --------
    >>> from partcover import Vocabulary, export
    >>> from partcover.interop.load import load_any
    >>> vocabulary = Vocabulary(["ab", "abc"], rule="merges", pretokenizer="gpt2")
    >>> vocabulary.save("v.json")
    >>> _ = export(vocabulary, "v.tiktoken", "tiktoken")
    >>> load_any("v.json").tokens == load_any("v.tiktoken").tokens
    True
    """
    named = other_format(path)
    if named is None and not Path(path).is_dir():
        return Vocabulary.load(path)
    return load_vocabulary(path, named)


def other_format(path: str | PathLike[str]) -> str | None:
    """Returns the name of the format of another library that a path looks like, if any.

    A list of tokens looks as any text, so it is not recognised here.
    """
    if kind_of(path) not in (None, "tokenizer", "text"):
        return None  # partcover's own; or missing, or a pipe, which is in no format
    return next((form.name for form in recognised(Path(path)) if form is not LIST), None)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
