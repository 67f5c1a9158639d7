"""Writes vocabularies for other libraries, and compares each export with the vocabulary."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import IO

from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..runtime.arguments import checked
from ..runtime.files.locks import held_folder
from ..runtime.files.writing import atomic_writer, check_writable, in_place, remove_left_behind
from ..runtime.processes.signals import deferred
from ..vocabulary.vocabulary import Vocabulary
from .compared_texts import compare_texts
from .format import Format
from .registry import FORMATS, recognised
from .replay import Fidelity, measure


@checked
def export(
    vocabulary: Vocabulary,
    path: str | PathLike[str],
    format: str,  # noqa: A002 - the word that everyone uses
    *,
    corpus: WordCounts | None = None,
    text: str | None = None,
    lossy: bool = False,
) -> Fidelity:
    """Writes a vocabulary for another library, and checks that it gives the same tokens there.

    The file is first written to a temporary folder and loaded by the other library, which
    tokenizes the words of a corpus, or words made from the vocabulary.  An export that gives other
    tokens is noticed before anything is written to `path`.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens, their rule and their pre-tokenizer.
    path : path
        The file or folder to write; ``-`` is standard output, for a format of one file.
    format : str
        One of `FORMATS`.
    corpus : WordCounts, optional
        Words to compare.
    text : str, optional
        A text to compare as well, with the exported pre-tokenizer.  If the format has none, a
        remark says that the text was not compared.
    lossy : bool
        Whether to write the export even if it gives other tokens; the result states the cost.

    Returns
    -------
    Fidelity
        Whether it is exact, and what differs.

    Raises
    ------
    InputError
        If the vocabulary has no pre-tokenizer; if `lossy` is not set and the tokens differ, or the
        format cannot express the rule, the pre-tokenizer or the ids (the message says what it can
        express); if the format does not support tokens over these symbols, the file cannot be
        written, or the folder has a vocabulary in another format.
    MissingExtra
        If the format's library is not installed.

    Examples
    --------
    >>> from partcover import Vocabulary, export
    >>> vocabulary = Vocabulary(["ab", "abc"], pretokenizer="gpt2")
    >>> result = export(vocabulary, "tokens.txt", "list")
    >>> result.exact, result.remarks
    (True, ('not in the file: the rule shortest_path, the pre-tokenizer gpt2',))
    >>> Vocabulary.load("tokens.txt").tokens
    (b'ab', b'abc')

    What a format cannot express is refused:

    >>> export(vocabulary, "tokens.vocab", "sage")
    Traceback (most recent call last):
        ...
    partcover.errors.InputError: sage cannot express the rule shortest_path (SaGe takes the ...
    """
    form = FORMATS[format]
    if vocabulary.symbols not in form.symbols:
        raise InputError(
            f"{form.name} holds tokens over {' or '.join(form.symbols)}; these are over "
            f"{vocabulary.symbols}"
        )
    if corpus is not None and corpus.symbols != vocabulary.symbols:
        raise InputError(
            f"the vocabulary is over {vocabulary.symbols}, the words are over {corpus.symbols}"
        )
    if (mark := vocabulary.end_of_word) is not None:
        if corpus is None:
            raise InputError(
                f"the vocabulary is for words that end in {mark!r}: give counted words with this "
                "ending to compare with (--corpus, corpus=…)"
            )
        corpus.refuse_without(mark)
        # from here on its tokens are segmented as words too, and these have no mark
        unmarked = {
            key: fact for key, fact in vocabulary.provenance.items() if key != "end_of_word"
        }
        vocabulary = vocabulary.with_(provenance=unmarked)
    fitted, lost = form.fit(vocabulary)
    if lost and not lossy:
        raise InputError(
            f"{form.name} cannot express {'; nor '.join(map(str, lost))}: --lossy (lossy=True) "
            "writes the nearest and measures the cost"
        )
    vocabulary.need_pretokenizer()
    _check_target(path, form)
    with _draft(path) as draft:
        remarks = form.write(fitted, draft)
        if vocabulary.decode_only and not form.unreached:
            others = len(vocabulary.decode_only)
            remarks.append(f"left out {others:,} ids that no text is encoded to")
        replay = form.replay(draft)
        if text is not None and replay.text is None:
            remarks.append(
                "the text was not compared, because the file holds no pre-tokenizer; give its "
                "counted words with --corpus (corpus=…)"
            )
        if replay.whole is not None:
            remarks += compare_texts(replay.whole, vocabulary, text)
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
            known = f" ({'; '.join(remarks)})" if remarks else ""
            raise InputError(
                f"{form.name}: {result.cost}{known}; --lossy (lossy=True) writes it anyway"
            )
        _install(draft, path, form)
    return result


def _check_target(path: str | PathLike[str], form: Format) -> None:
    """Checks before the replay that the target can be written."""
    target = Path(path)
    if not fspath(path):
        raise InputError("the path to write to is empty: name a file or folder")
    if not target.absolute().parent.is_dir():
        raise InputError(f"{target}: cannot be written (no folder {target.parent})")
    is_folder = False
    with contextlib.suppress(OSError):  # as of a name too long, which writing refuses
        is_folder = target.is_dir()
    if not is_folder:
        check_writable(path)
        return
    check_writable(target / "part")
    _check_format(target, form)


def _check_format(target: Path, form: Format) -> None:
    """Refuses a folder that holds a vocabulary in another format."""
    for other in recognised(target):
        if other is not form:
            raise InputError(
                f"{target}: has a vocabulary in the format {other.name}, which would be read "
                "instead of this one: name another folder, or remove it first"
            )


@contextlib.contextmanager
def _draft(path: str | PathLike[str]) -> Iterator[Path]:
    """Offers a path to write to first; errors name the target instead.

    It is in the system's folder for temporary files: writing and replaying take time, and a
    process that is killed leaves nothing beside the target.
    """
    target = Path(path)
    try:
        with tempfile.TemporaryDirectory(prefix="partcover-", ignore_cleanup_errors=True) as folder:
            name = target.name if target.name not in ("", "..") else target.resolve().name
            draft = Path(folder) / (name or "draft")
            try:
                yield draft
            except InputError as error:
                raise InputError(str(error).replace(str(draft), str(target))) from None
    except BrokenPipeError:  # the reader of standard output has gone, as `head` does
        raise
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error})") from None


def _install(draft: Path, path: str | PathLike[str], form: Format) -> None:
    """Moves the draft to the target, or writes it into a pipe or device.

    No file of a folder gets its name before all of them are written.
    """
    target = Path(path)
    if not draft.is_dir():
        with contextlib.nullcontext() if in_place(path) else deferred():
            _place(draft, path)
        return
    if in_place(path) or target.is_file():
        raise InputError(
            f"{target}: {form.name} writes a folder, but this is a file: name another path"
        )
    made = [] if target.is_dir() else [target]
    with deferred(), held_folder(target):
        try:
            _check_format(target, form)
            with contextlib.ExitStack() as stack:
                for part in sorted(draft.rglob("*")):  # a folder before what is in it
                    place = target / part.relative_to(draft)
                    if not part.is_dir():
                        _copy(part, stack.enter_context(atomic_writer(place)))
                    elif not place.is_dir():
                        place.mkdir(exist_ok=True)
                        made.append(place)
        except BaseException:
            for folder in reversed(made):
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise
        for folder in (target, *(target / part.relative_to(draft) for part in draft.rglob("*"))):
            if folder.is_dir():
                remove_left_behind(folder)


def _place(draft: Path, target: str | PathLike[str]) -> None:
    """Copies a file to its target, all of it or nothing."""
    with atomic_writer(target) as file:
        _copy(draft, file)


def _copy(draft: Path, file: IO[bytes]) -> None:
    """Copies a file into an open one, to the last byte: a full disk is noticed here."""
    with draft.open("rb") as written:
        shutil.copyfileobj(written, file)
    file.flush()
