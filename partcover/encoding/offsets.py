"""Converts spans from bytes to characters, and from marked text to the original text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.steps.step import Piece

Spans: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
#: The spaces at the ends of a token that are not part of its span.
Trim: TypeAlias = Literal["nothing", "spaces", "later_spaces"]


def spans(
    lengths: npt.NDArray[np.int64], start: npt.NDArray[np.int64], end: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Converts spans over positions to spans over items with these lengths.

    A span covers every item that it overlaps; an item of length 0 belongs to the item before it.
    """
    ends = np.cumsum(lengths)
    last = np.searchsorted(ends, end, "right")
    inside = (last == 0) | (ends[last - 1] != end) if len(ends) else np.zeros(0, np.int64)
    return np.searchsorted(ends, start, "right"), last + inside


def original_spans(text: bytes, normalizer: Normalizer, given: Spans) -> Spans:
    """Converts spans in the normalized text to spans in the text."""
    original = text.decode("utf-8", "surrogateescape")
    done = normalizer.changes(original)
    begins, ends = np.array([*done.begin, len(original)]), np.array([0, *done.end])
    first, last = spans(character_lengths(done.text), *given)
    begin = begins[first]
    end = np.where(last > first, ends[last], begin)
    if normalizer.has_sentencepiece:
        # a token ends where the next one begins, even inside the text of one original character
        ahead = begins[np.maximum(last - 1, 0)]
        shared = (last < len(done.begin)) & (begins[last] == ahead)
        end = np.where(shared & (ahead > begin), ahead, end)
    place = np.concatenate([np.zeros(1, np.int64), np.cumsum(character_lengths(text))])
    return place[begin], place[end]


def character_lengths(text: bytes | str) -> npt.NDArray[np.int64]:
    """Returns the bytes of each character; a byte that is not part of one counts as a character."""
    decoded = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    points = np.frombuffer(decoded.encode("utf-32-le", "surrogatepass"), "<u4")
    lengths = np.ones(len(points), np.int64)
    for first in (0x80, 0x800, 0x10000):
        lengths += points >= first
    lengths[(points >= 0xDC80) & (points <= 0xDCFF)] = 1
    return lengths


def token_spans(text: bytes, lengths: npt.NDArray[np.int64], mark: bytes) -> Spans:
    """Returns the spans of tokens with these lengths in the text that they form."""
    end = np.cumsum(lengths)
    start = end - lengths
    return spans(exchanged_lengths(text, mark), start, end) if len(mark) > 1 else (start, end)


def exchanged_lengths(text: bytes, mark: bytes) -> npt.NDArray[np.int64]:
    """Returns the length of each byte of a text after mark and space are exchanged."""
    lengths = np.ones(len(text), np.int64)
    lengths[np.frombuffer(text, np.uint8) == 0x20] = len(mark)
    for match in re.finditer(re.escape(mark), text):
        lengths[match.start() + 1 : match.end()] = 0
    return lengths


def traced_spans(text: bytes, pieces: Iterable[Piece], lengths: npt.NDArray[np.int64]) -> Spans:
    """Returns the spans of tokens with these lengths, in words with their positions.

    A byte of an unchanged character is a byte of the text.  A byte of a character that replaces
    another represents all of that one.  A byte of an added prefix represents the first character.
    """
    decoded = text.decode("utf-8", "surrogateescape")
    place = np.concatenate([np.zeros(1, np.int64), np.cumsum(character_lengths(text))]).tolist()
    begins: list[int] = []
    ends: list[int] = []
    for piece in pieces:
        for character, (begin, end) in zip(piece.text, piece.spans(), strict=True):
            size = len(character.encode("utf-8", "surrogateescape"))
            first, last = place[begin], place[end]
            if decoded[begin:end] == character:
                begins += range(first, last)
                ends += range(first + 1, last + 1)
            else:
                begins += [first] * size
                ends += [last] * size
    stop = np.cumsum(lengths)
    start = stop - lengths
    return np.array(begins, np.int64)[start], np.array(ends, np.int64)[stop - 1]


def joined_runs(given: Spans, inside: npt.NDArray[np.bool_]) -> Spans:
    """Returns spans in which each span of an `inside` run is replaced by that of the whole run."""
    edges = np.diff(np.concatenate([[False], inside, [False]]).astype(np.int8))
    first, end = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    start, stop = given[0].copy(), given[1].copy()
    start[inside] = np.repeat(given[0][first], end - first)
    stop[inside] = np.repeat(given[1][end - 1], end - first)
    return start, stop


def without_spaces(
    given: Spans, before: npt.NDArray[np.int64], behind: npt.NDArray[np.int64], *, first: bool
) -> Spans:
    """Returns spans without the spaces at their ends, as Hugging Face's ``trim_offsets`` does.

    Parameters
    ----------
    given : Spans
        The spans.
    before, behind : ndarray of int64
        Number of spaces at the beginning and at the end of each token.
    first : bool
        Whether to keep a single space at the start of the text.
    """
    start, end = given
    if first and len(start):
        at_start = start == 0
        at_start[0] = True
        before = np.where(at_start & (before == 1), 0, before)
    begin = np.minimum(start + before, end)
    return begin, np.where(end >= behind, np.maximum(end - behind, begin), end)
