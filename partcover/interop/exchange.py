"""Vocabularies written for other libraries, each export measured, and read from them."""

from __future__ import annotations

import hashlib
import tempfile
from os import PathLike, fspath
from pathlib import Path

from .._version import __version__
from ..corpus import WordCounts
from ..errors import InputError
from ..vocabulary import Vocabulary
from .fidelity import Fidelity, measure
from .formats import find_format, recognise

__all__ = ["export", "load"]


def export(
    vocabulary: Vocabulary,
    path: str | PathLike[str],
    format: str,  # noqa: A002 - the word that everyone uses
    *,
    corpus: WordCounts | None = None,
    text: str | None = None,
    lossy: bool = False,
) -> Fidelity:
    """Write a vocabulary for another library, and measure what its tokenizer does.

    What is written is first loaded by its own library and replayed: over the words of a corpus
    where one is given, else over words made of the vocabulary; so an export that cuts otherwise
    than the vocabulary is found out before it takes its name.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens, with the rule and pre-tokenizer they are for.
    path : path
        The file or folder to write.
    format : str
        One of `FORMATS`.
    corpus : WordCounts, optional
        Words to replay.
    text : str, optional
        A text to replay as well, cut by the exported pre-tokenizer.
    lossy : bool
        Write it though it cuts otherwise; the result says at what cost.

    Returns
    -------
    Fidelity
        Exact, or what differs.

    Raises
    ------
    InputError
        If the format cannot express the rule, the pre-tokenizer or the ids, or the replay
        differs, and `lossy` is not set: with the reason and the nearest that it can; or if the
        format does not hold tokens over these symbols, or the file cannot be written.
    MissingExtra
        If the format's library is not installed.
    """
    target, form = Path(path), find_format(format)
    if vocabulary.symbols not in form.symbols:
        raise InputError(
            f"{form.name} holds tokens over {' or '.join(form.symbols)}; these are over "
            f"{vocabulary.symbols}"
        )
    if corpus is not None and corpus.symbols != vocabulary.symbols:
        raise InputError(
            f"the vocabulary is over {vocabulary.symbols}, the words are over {corpus.symbols}"
        )
    fitted, lost = form.fit(vocabulary)
    if lost and not lossy:
        raise InputError(
            f"{form.name} cannot express {'; nor '.join(map(str, lost))}; --lossy (lossy=True) "
            "writes that and measures the cost"
        )
    if not target.absolute().parent.is_dir():
        raise InputError(f"{target}: cannot be written (no folder {target.parent})")
    # beside the target, so that it can be renamed into place
    try:
        folder = tempfile.TemporaryDirectory(
            prefix=".partcover-", dir=target.absolute().parent, ignore_cleanup_errors=True
        )
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror})") from None
    with folder as name:
        draft = Path(name) / target.name
        remarks = form.write(fitted, draft)
        replay = form.replay(draft)
        result = Fidelity(
            form.name,
            fspath(path),
            replay.library,
            vocabulary.rule,
            fitted.rule,
            vocabulary.pretokenizer,
            fitted.pretokenizer,
            tuple(map(str, lost)),
            tuple(remarks),
            **measure(replay, vocabulary, corpus, text),
        )
        if not (result.exact or lossy):
            raise InputError(
                f"{form.name}: {result.cost}; --lossy (lossy=True) writes it all the same"
            )
        try:
            _install(draft, target)
        except OSError as error:
            raise InputError(f"{target}: cannot be written ({error.strerror})") from None
    return result


def _install(draft: Path, target: Path) -> None:
    if not draft.is_dir():
        draft.replace(target)
        return
    target.mkdir(exist_ok=True)
    for part in sorted(draft.iterdir()):
        part.replace(target / part.name)


def load(
    path: str | PathLike[str],
    format: str | None = None,  # noqa: A002
) -> Vocabulary:
    """Read a vocabulary from another library's file or folder.

    Parameters
    ----------
    path : path
        What to read.
    format : str, optional
        One of `FORMATS`; by default what it looks like.

    Returns
    -------
    Vocabulary
        With the rule and pre-tokenizer that the file implies; its provenance holds ``format``,
        ``source`` and, of a file, ``source_sha256``, and ``remarks``, a list of what could not
        be carried.

    Raises
    ------
    InputError
        If it cannot be read, is not recognised, or holds what no vocabulary can express.
    """
    source = Path(path)
    form = recognise(source) if format is None else find_format(format)
    if form.read is None:
        raise InputError(f"{form.name} is only written, not read")
    if not source.exists():
        raise InputError(f"{source}: cannot be read (no such file or folder)")
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


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
