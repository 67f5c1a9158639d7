"""Turns ids back into text."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.steps import Step, Steps
from ..errors import InputError
from ..runtime.arguments import shown
from .decode_stream import Stages
from .text import exchange, is_integer_type, naming

__all__ = ["Decoder"]

SECTION = 1 << 18  # ids that are converted to Python objects at a time


class Decoder:
    """Turns ids into text; special tokens become their text.

    Parameters
    ----------
    text_of : dict of int to bytes
        The bytes of each id.
    special : iterable of int
        The ids of special tokens.
    skipped : iterable of int
        Those that `skip_special` leaves out.
    mark : bytes
        The mark that stands for a space.
    steps : Steps, optional
        The steps of the pre-tokenizer.  What they write for a space becomes one again, and the
        space that they put in front of a text, or behind its last word, is left out; what they
        leave out does not come back.  Where they put a mark in front of each word, as for
        WordPiece, a special token is a word, too.
    normal : Normalizer, optional
        The normalizer.  The space that it puts in front of a text is left out; all that stand
        there where it leaves no others.
    """

    def __init__(
        self,
        text_of: dict[int, bytes],
        special: Iterable[int],
        skipped: Iterable[int],
        mark: bytes,
        steps: Steps | None = None,
        normal: Normalizer | None = None,
    ) -> None:
        self._text_of = text_of
        self._special_ids = frozenset(special)
        if steps is not None and (mark_of_words := _mark_of_words(steps)):
            self._text_of = text_of | {
                number: mark_of_words + text_of[number] for number in self._special_ids
            }
        self._skipped = frozenset(skipped)
        self._mark = mark
        written = None if steps is None else steps.replacement
        self._written = None if written is None else written.encode()
        self._ended = steps is not None and steps.ends_words
        self._fronted = steps is not None and any(step.prefix for step in steps.steps)
        self._front = 0 if normal is None else normal.front_spaces

    def decode_bytes(
        self, ids: Iterable[int] | npt.NDArray[Any], *, skip_special: bool = False
    ) -> bytes:
        """Returns the bytes that ids stand for; special tokens become their text.

        Parameters
        ----------
        ids : iterable of int, or ndarray of integers
            The ids.
        skip_special : bool
            Whether special tokens are left out, but for those with the flag ``added``.

        Raises
        ------
        InputError
            For an id that the vocabulary does not have, with its place; for an array of anything
            but integers.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> Encoder(Vocabulary(["ab"]), "gpt2").decode_bytes([256, 99])
        b'abc'
        """
        if not isinstance(skip_special, bool):
            raise InputError(f"skip_special is {shown(skip_special)}: use True or False")
        if not isinstance(ids, Sequence | np.ndarray) or isinstance(ids, str | bytes):
            if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
                raise InputError(f"ids are {shown(ids)}: a list or array of integers is expected")
            ids = list(ids)
        if isinstance(ids, np.ndarray) and (ids.ndim != 1 or ids.dtype.kind not in "iu"):
            raise InputError(
                f"ids are an array of {ids.dtype} with {ids.ndim} axes: integers along one "
                "are expected"
            )
        done: list[bytes] = []
        run: list[bytes] = []  # since the last special token; marks are not exchanged yet
        for first in range(0, len(ids), SECTION):
            # a section at a time: as Python objects, ids take twenty times the space of an array
            part = ids[first : first + SECTION]
            numbers = part.tolist() if isinstance(part, np.ndarray) else part
            texts = self._texts(numbers, first)
            if skip_special and not self._skipped.isdisjoint(numbers):
                kept = [number not in self._skipped for number in numbers]
                numbers, texts = list(compress(numbers, kept)), list(compress(texts, kept))
            begin = 0
            if self._mark != b" " and not self._special_ids.isdisjoint(numbers):
                for place, number in enumerate(numbers):
                    if number in self._special_ids:
                        run.append(b"".join(texts[begin:place]))
                        done += [exchange(b"".join(run), self._mark), texts[place]]
                        run = []
                        begin = place + 1
            run.append(b"".join(texts[begin:]))
        text = b"".join(run)
        text = b"".join([*done, text if self._mark == b" " else exchange(text, self._mark)])
        if self._written is not None:
            text = text.replace(self._written, b" ")
            text = text[1:] if self._fronted and text.startswith(b" ") else text
        if self._front != 0:
            spaces = len(text) - len(text.lstrip(b" "))
            text = text[spaces if self._front is None else min(spaces, self._front) :]
        return text[:-1] if self._ended and text.endswith(b" ") else text

    def _texts(self, numbers: Sequence[int], first: int) -> list[bytes]:
        """Returns the bytes of each id; `first` is the place of the first among all ids."""
        try:
            if all(map(is_integer_type, set(map(type, numbers)))):
                return [self._text_of[number] for number in numbers]
        except KeyError:
            pass
        place, wrong = next(
            (place, number)
            for place, number in enumerate(numbers, first)
            if not is_integer_type(type(number)) or number not in self._text_of
        )
        raise InputError(f"id {wrong!r}, number {place} of the ids, is not in the vocabulary")

    def decode(
        self,
        ids: Iterable[int] | npt.NDArray[Any],
        errors: str = "strict",
        *,
        skip_special: bool = False,
    ) -> str:
        """Returns the text that ids stand for.

        Parameters
        ----------
        ids : iterable of int, or ndarray of integers
            The ids.
        errors : str
            How bytes that are not UTF-8 are handled, as in `bytes.decode`: ``strict`` is an
            error, ``replace`` writes U+FFFD, ``surrogateescape`` keeps them.
        skip_special : bool
            As for `decode_bytes`.

        Raises
        ------
        InputError
            As `decode_bytes`; for bytes that are not UTF-8 under ``strict``; for an unknown
            `errors`.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> Encoder(Vocabulary(["ab"]), "gpt2").decode([256, 99])
        'abc'
        """
        _check_errors(errors)
        try:
            return self.decode_bytes(ids, skip_special=skip_special).decode("utf-8", errors)
        except UnicodeDecodeError as error:
            raise InputError(
                f"byte {error.start} of the decoded text is not UTF-8: --errors replace "
                "(errors='replace') puts U+FFFD there, keep (decode_bytes) keeps it"
            ) from None

    def decode_batch(
        self,
        texts: Iterable[Iterable[int] | npt.NDArray[Any]],
        errors: str = "strict",
        *,
        skip_special: bool = False,
    ) -> list[str]:
        """Returns the text that the ids of each text stand for; otherwise as `decode`.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> Encoder(Vocabulary(["ab"]), "gpt2").decode_batch([[256], [256, 99]])
        ['ab', 'abc']
        """
        found = []
        for number, ids in enumerate(texts, 1):
            with naming(f"text {number}"):
                found.append(self.decode(ids, errors, skip_special=skip_special))
        return found

    def decode_stream(
        self, ids: Iterable[int], errors: str = "strict", *, skip_special: bool = False
    ) -> Iterator[str]:
        """Yields the text that ids stand for as they come, in whole characters.

        Parameters
        ----------
        ids : iterable of int
            The ids, as a model writes them; the next one is asked for when the text of those
            before has been taken.
        errors, skip_special
            As for `decode`.

        Yields
        ------
        str
            What is complete with an id, never empty; all together is what `decode` returns.

        Raises
        ------
        InputError
            As `decode`, when it gets there.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> encoder = Encoder(Vocabulary(["ab"]), "gpt2")
        >>> list(encoder.decode_stream([256, 195, 169, 99]))
        ['ab', 'é', 'c']
        """
        _check_errors(errors)
        stages = Stages(
            self._mark, self._written, fronted=self._fronted, front=self._front,
            ended=self._ended, errors=errors,
        )  # fmt: skip
        for place, number in enumerate(ids):
            [text] = self._texts([number], place)
            if skip_special and number in self._skipped:
                continue
            more = stages.of_special if number in self._special_ids else stages.of_token
            if characters := more(text):
                yield characters
        if characters := stages.end():
            yield characters


def _mark_of_words(steps: Steps) -> bytes:
    """Returns the mark that is put in front of each word, without the spaces between; or nothing.

    So WordPiece over text is read: see `partcover.interop.huggingface.word_pieces`.
    """
    *before, last = steps.steps or (Step({}),)
    whole = {"type": "Metaspace", "prepend_scheme": "always", "split": False}
    marks = whole.items() <= last.data.items() and not all(step.keeps for step in before)
    return last.prefix.encode() if marks else b""


def _check_errors(errors: str) -> None:
    """Checks how bytes that are not UTF-8 shall be handled."""
    try:
        codecs.lookup_error(errors)(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "a trial"))
    except UnicodeDecodeError:
        pass
    except (LookupError, TypeError, ValueError):  # some are for encoding alone
        raise InputError(
            f"unknown errors {errors!r}: use 'strict', 'replace', 'ignore', "
            "'backslashreplace' or 'surrogateescape'"
        ) from None
