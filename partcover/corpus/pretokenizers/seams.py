"""Finds where the parts of a large file begin, so that parts of equal size hold whole words.

A part is given by two places in the file, and holds the words, or lines, that begin between its
*seams*: the seam of a place is the first place from there on where the text is split in any case.
Each part finds its two seams itself.  So two parts that meet agree on their seam, no word is
counted twice or lost, and no part has to wait for another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, TypeAlias

from ...kernels.words import _word_table
from .pretokenizer import Pretokenizer

if TYPE_CHECKING:
    from ..normalizers.normalizer import Normalizer

#: Returns the first place from `begin` > 0 on where a text is split in any case, or -1.
FirstCut: TypeAlias = Callable[[bytes, int], int]

_BEFORE = 4  # bytes that are looked at before a place: a character
WINDOW = 1 << 19  # bytes that are searched at a time


def first_line(text: bytes, begin: int) -> int:
    r"""Returns the first place from `begin` on where a line begins, or -1.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.seams import first_line
    >>> first_line(b"one\ntwo\n", 2)
    4
    """
    return text.find(b"\n", begin - 1) + 1 or -1


def cut_finder(pretokenizer: Pretokenizer, normalizer: Normalizer | None) -> FirstCut | None:
    """Returns the function that finds where text is split in any case; None if it may not be split.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
    >>> from partcover.corpus.pretokenizers.seams import cut_finder
    >>> find = cut_finder(Pretokenizer.from_name("gpt2"), None)
    >>> find(b"over the top", 5), cut_finder(Pretokenizer.from_name("none"), None)
    (8, None)
    """
    rule = pretokenizer.rules[0]
    if normalizer is not None or (rule.pieces == _word_table.NOWHERE and rule.place is None):
        return None

    def first_cut(text: bytes, begin: int) -> int:
        found = _word_table.first_cut(text, begin, rule.pieces)
        if found >= 0 or rule.place is None:
            return found
        decoded = text.decode("utf-8", "surrogateescape")
        starts = [match.start() for match in rule.place.finditer(decoded)]
        starts.reverse()  # the last one came first

        def place(start: int) -> int:
            return len(decoded[:start].encode("utf-8", "surrogateescape"))

        # encoding up to each of them would take a time that grows with the square of the text
        first = bisect_left(starts, begin, key=place)
        return place(starts[first]) if first < len(starts) else -1

    return first_cut


def seams(file: IO[bytes], start: int, end: int, first_cut: FirstCut) -> tuple[int, int | None]:
    r"""Returns where the part of a file from `start` to `end` begins and ends.

    Parameters
    ----------
    file : binary file
        The file, which can seek.
    start, end : int
        The two places; an `end` of -1 is the end of the file.
    first_cut : callable
        Finds where the text is split in any case.

    Returns
    -------
    begin : int
        Where the part begins.
    end : int or None
        Where it ends; None for the end of the file.  At most `begin` if the part is empty.

    Examples
    --------
    >>> import io
    >>> from partcover.corpus.pretokenizers.seams import first_line, seams
    >>> file = io.BytesIO(b"one\ntwo\nthree\n")
    >>> seams(file, 0, 5, first_line), seams(file, 5, 10, first_line)
    ((0, 8), (8, 14))
    """
    begin = _seam(file, start, end, first_cut) if start else 0
    if begin is None:  # all of it belongs to what began before
        return start, start
    return begin, None if end < 0 else _seam(file, end, -1, first_cut)


def _seam(file: IO[bytes], place: int, stop: int, first_cut: FirstCut) -> int | None:
    """Returns the seam of a place > 0; None if there is none before `stop`, or the file's end."""
    while stop < 0 or place < stop:
        before = min(place, _BEFORE)
        file.seek(place - before)
        text = file.read(before + WINDOW)
        if len(text) <= before:
            return None
        cut = first_cut(text, before)
        if cut >= 0:
            found = place - before + cut
            return None if 0 <= stop <= found else found
        place += len(text) - before
    return None
