"""Converts ids to text."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.files.columns import values_of
from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.byte_spelling import spelled_bytes
from ..corpus.pretokenizers.steps.step import Steps
from ..errors import InputError
from ..runtime.arguments import shown
from ..vocabulary.decoding import Decoding
from .decode_stream import Stages
from .pieces import Pieces
from .text import exchange, is_integer_type, naming

_MARK = "▁".encode()  # of a space in sentencepiece
SECTION = 1 << 18  # ids that are converted to Python objects at once


class Decoder:
    """Converts ids to text; special tokens become their text.

    Parameters
    ----------
    text_of : dict of int to bytes
        The bytes of each id.
    special : iterable of int
        The ids of special tokens.
    skipped : iterable of int
        Those that `skip_special` omits.
    mark : bytes
        The mark that stands for a space.
    steps : Steps, optional
        The steps of the pre-tokenizer.  What they write for a space becomes a space again.  The
        space that they add in front of a text, or after its last word, is removed.  Text that they
        remove is not restored.  If they put a mark in front of each word, as for WordPiece, that
        becomes the space between words, of which a special token is one too.
    normal : Normalizer, optional
        The normalizer.  The space that it adds in front of a text is removed; all leading spaces
        are, if the normalizer leaves no others.
    how : Decoding, optional
        Further rules of decoding.
    fallback : iterable of int
        The ids of single bytes that represent parts of characters without a token.
    named : iterable of int
        The ids, besides those of special tokens, whose file has their text as it is.
    """

    def __init__(
        self,
        text_of: dict[int, bytes],
        special: Iterable[int],
        skipped: Iterable[int],
        mark: bytes,
        steps: Steps | None = None,
        normal: Normalizer | None = None,
        how: Decoding | None = None,
        fallback: Iterable[int] = (),
        named: Iterable[int] = (),
    ) -> None:
        self._special_ids = frozenset(special)
        self._how = how = how or Decoding()
        if how.style == "sentencepiece" and mark == b" ":  # where the mark stands in tokens, too
            text_of = {
                number: text if number in self._special_ids else text.replace(_MARK, b" ")
                for number, text in text_of.items()
            }
        self._text_of = text_of
        self._fallback = frozenset(fallback)
        self._skipped = frozenset(skipped)
        #: the text of each id where it is the first, if that is another than elsewhere
        self._firsts: dict[int, bytes] = {}
        #: the text of each id, if `decode` separates them by spaces
        self._piece_of: dict[int, bytes] | None = None
        self._mark = mark
        written = None if steps is None else steps.replacement
        self._written = None if written is None else written.encode()
        self._ended = steps is not None and steps.ends_words
        self._fronted = steps is not None and any(s.prefix for s in steps.steps if not s.again)
        self._front: int | None = 0 if normal is None else normal.front_spaces
        if how.front_spaces is not None:
            self._front = how.front_spaces
        marks = b"" if steps is None else steps.mark.encode()
        kept = self._special_ids.union(named)
        if how.style in ("pieces", "spelled_bytes"):
            self._piece_of = _spelled_texts(text_of, kept, marks, how)
        if marks and how.continuing and self._piece_of is None:
            spelled = _spelled_texts(text_of, kept, marks, how)
            self._firsts = {number: _cleaned(text, how) for number, text in spelled.items()}
            self._text_of = {n: _cleaned(_later(text, how), how) for n, text in spelled.items()}
            self._written, self._front = None, 0  # that decoder does nothing else
        elif marks and steps is not None:
            # where a space is written for spaces, or none was removed, there is none to put back
            removed = any(not step.keeps for step in steps.steps if not (step.again or step.inside))
            begin = b" " if removed and written is None else b""
            self._firsts = {
                number: text if number in self._special_ids else text.removeprefix(marks)
                for number, text in text_of.items()
                if number in self._special_ids or text.startswith(marks)
            }
            self._text_of = text_of | {n: begin + text for n, text in self._firsts.items()}

    def decode_bytes(
        self, ids: Iterable[int] | npt.NDArray[Any], *, skip_special: bool = False
    ) -> bytes:
        """Returns the bytes that ids stand for; special tokens become their text.

        Parameters
        ----------
        ids : iterable of int, or ndarray of integers
            The ids.
        skip_special : bool
            Whether to omit special tokens, except those with the flag ``added``.

        Raises
        ------
        InputError
            For an id that the vocabulary does not have, with its position; for an array that is
            not of integers.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> Encoder(Vocabulary(["ab"]), "gpt2").decode_bytes([256, 99])
        b'abc'
        """
        return self._joined(ids, skip_special, replaces=False)

    @staticmethod
    def _checked(
        ids: Iterable[int] | npt.NDArray[Any], skip_special: bool
    ) -> Sequence[int] | npt.NDArray[Any]:
        """Checks the arguments of decoding, and returns the ids."""
        if not isinstance(skip_special, bool | np.bool_):
            raise InputError(f"skip_special is {shown(skip_special)}: use True or False")
        if isinstance(ids, deque | str | bytes) or not isinstance(ids, Sequence | np.ndarray):
            ids = list(values_of(ids, "ids", "a list or array of integers"))  # they have no slices
        if isinstance(ids, np.ndarray):
            kinds = "iu" if ids.size else "iuf"  # NumPy takes an empty list as one of floats
            if ids.ndim != 1 or ids.dtype.kind not in kinds:
                raise InputError(
                    f"ids are an array of {ids.dtype} with {ids.ndim} axes: they must be integers "
                    "along one axis"
                )
        return ids

    def _joined(
        self, given: Iterable[int] | npt.NDArray[Any], skip_special: bool, *, replaces: bool
    ) -> bytes:
        """Returns the bytes of ids; with `replaces`, U+FFFD may be written for single bytes."""
        ids = self._checked(given, skip_special)
        done: list[bytes] = []
        run: list[bytes] = []  # since the last special token, before marks are replaced
        pieces = self._pieces(replaces=replaces)
        for first in range(0, len(ids), SECTION):
            # in sections, since ids as Python objects take twenty times the memory of an array
            part = ids[first : first + SECTION]
            numbers = part.tolist() if isinstance(part, np.ndarray) else part
            texts = self._texts(numbers, first)
            if skip_special and not self._skipped.isdisjoint(numbers):
                # there special tokens separate bytes
                if pieces is not None and self._how.style == "sentencepiece":
                    texts = [
                        b"" if number in self._skipped else text
                        for number, text in zip(numbers, texts, strict=True)
                    ]
                else:
                    numbers, texts = self._without_skipped(numbers, texts)
            if pieces is not None:
                texts = pieces.more(numbers, texts)
            begin = 0
            if self._mark != b" " and not self._special_ids.isdisjoint(numbers):
                for place, number in enumerate(numbers):
                    if number in self._special_ids:
                        run.append(b"".join(texts[begin:place]))
                        done += [exchange(b"".join(run), self._mark), texts[place]]
                        run = []
                        begin = place + 1
            run.append(b"".join(texts[begin:]))
        if pieces is not None:
            run.append(pieces.rest())
        text = b"".join(run)
        text = b"".join([*done, text if self._mark == b" " else exchange(text, self._mark)])
        if self._written is not None:
            text = text.replace(self._written, b" ")
            text = text[1:] if self._fronted and text.startswith(b" ") else text
        if self._front != 0 and self._how.style != "sentencepiece":
            spaces = len(text) - len(text.lstrip(b" "))
            text = text[spaces if self._front is None else min(spaces, self._front) :]
        return text[:-1] if self._ended and text.endswith(b" ") else text

    def _separated(self, given: Iterable[int] | npt.NDArray[Any], skip_special: bool) -> bytes:
        """Returns the pieces of ids with a space between any two."""
        assert self._piece_of is not None
        ids = self._checked(given, skip_special)
        numbers = ids.tolist() if isinstance(ids, np.ndarray) else ids
        self._texts(numbers, 0)  # checks them
        skipped = self._skipped if skip_special else ()
        return b" ".join(self._piece_of[number] for number in numbers if number not in skipped)

    def _without_skipped(
        self, numbers: Sequence[int], texts: list[bytes]
    ) -> tuple[list[int], list[bytes]]:
        kept = [number not in self._skipped for number in numbers]
        return list(compress(numbers, kept)), list(compress(texts, kept))

    def _pieces(self, *, replaces: bool) -> Pieces | None:
        """Returns the changes to the text of single tokens; None if there are none."""
        style = self._how.style
        front = self._front if style == "sentencepiece" else 0
        fallback = self._fallback if replaces and style != "bytes" else frozenset()
        if front == 0 and not fallback and not self._firsts:
            return None
        special = self._special_ids
        texts = {text.encode() for text in self._how.shown.values()}
        shown = frozenset(n for n in special - self._skipped if self._text_of[n] in texts)
        return Pieces(
            front=front, bare=self._fallback | shown, passed=special & self._skipped,
            fallback=fallback, whole=style == "byte_fallback", firsts=self._firsts,
        )  # fmt: skip

    def _texts(self, numbers: Sequence[int], first: int) -> list[bytes]:
        """Returns the bytes of each id; `first` is the index of the first one among all ids."""
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
        """Returns the text that ids stand for, as the tokenizer's own library shows it.

        Without a decoder in its file, it shows tokens with spaces between them (`Decoding`), where
        `decode_bytes` returns what was encoded.

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
            if self._piece_of is not None:
                joined = self._separated(ids, skip_special)
            else:
                joined = self._joined(ids, skip_special, replaces=errors == "replace")
            text = joined.decode("utf-8", errors)
            return text.strip() if self._how.stripped else text
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
        for number, ids in enumerate(values_of(texts, "texts", "a list of lists of ids"), 1):
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
            The ids, as a model produces them; the next id is requested after the text of the
            earlier ones has been consumed.
        errors, skip_special
            As for `decode`.

        Yields
        ------
        str
            The text that is complete with an id, never empty; joined it is the text of `decode`.

        Raises
        ------
        InputError
            As `decode`, when the invalid id is reached.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> encoder = Encoder(Vocabulary(["ab"]), "gpt2")
        >>> list(encoder.decode_stream([256, 195, 169, 99]))
        ['ab', 'é', 'c']
        """
        _check_errors(errors)
        ids = values_of(ids, "ids", "a list of integers")
        if self._piece_of is not None:
            yield from self._separated_stream(ids, errors, skip_special)
            return
        front = 0 if self._how.style == "sentencepiece" else self._front
        stages = Stages(
            self._mark, self._written, fronted=self._fronted, front=front,
            ended=self._ended, errors=errors, stripped=self._how.stripped,
        )  # fmt: skip
        pieces = self._pieces(replaces=errors == "replace")
        for place, number in enumerate(ids):
            [text] = self._texts([number], place)
            if skip_special and number in self._skipped:
                if pieces is None or self._how.style != "sentencepiece":
                    continue
                text = b""
            if pieces is not None:
                [text] = pieces.more([number], [text])
            more = stages.of_special if number in self._special_ids else stages.of_token
            if characters := more(text):
                yield characters
        if pieces is not None and (characters := stages.of_token(pieces.rest())):
            yield characters
        if characters := stages.end():
            yield characters

    def _separated_stream(
        self, ids: Iterable[int], errors: str, skip_special: bool
    ) -> Iterator[str]:
        """Yields the pieces of ids with a space between any two."""
        before = ""
        for place, number in enumerate(ids):
            self._texts([number], place)
            text = self.decode([number], errors, skip_special=skip_special)
            if not (skip_special and number in self._skipped):
                if before + text:
                    yield before + text
                before = " "


def _spelled_texts(
    text_of: dict[int, bytes], kept: Set[int], marks: bytes, how: Decoding
) -> dict[int, bytes]:
    """Returns the text of each id as its file has it; that of `kept` is given so."""

    def spelled(token: bytes) -> bytes:
        if how.style == "spelled_bytes":
            return spelled_bytes(token).encode()
        if not how.continuing:
            return token
        if token.startswith(marks):
            return token.removeprefix(marks)
        return how.continuing.encode() + token

    return {number: text if number in kept else spelled(text) for number, text in text_of.items()}


def _later(spelled: bytes, how: Decoding) -> bytes:
    """Returns what WordPiece's decoder takes a token for that is not the first."""
    prefix = how.continuing.encode()
    return spelled.removeprefix(prefix) if spelled.startswith(prefix) else b" " + spelled


def _cleaned(text: bytes, how: Decoding) -> bytes:
    """Returns the text of a token as WordPiece's decoder shows it."""
    if b" " not in text:
        return text
    return how.cleaned(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _check_errors(errors: str) -> None:
    """Checks the handling of bytes that are not UTF-8."""
    try:
        codecs.lookup_error(errors)(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "a trial"))
    except UnicodeDecodeError:
        pass
    except (LookupError, TypeError, ValueError):  # some handlers only work for encoding
        raise InputError(
            f"unknown errors {errors!r}: use 'strict', 'replace', 'ignore', "
            "'backslashreplace' or 'surrogateescape'"
        ) from None
