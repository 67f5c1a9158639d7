"""Joins adjacent words to phrases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from ...errors import InputError
from ..pretokenizers.unicode_tables import compiled

#: As a number of words: all in a row.
ALL_WORDS = 2**31 - 1
#: The most words otherwise: libraries that write a repetition out take no thousands.
LONGEST = 64

_ENDS_IN_LETTER = r"\p{L}\p{M}*\Z"
_BEGINS_WITH_LETTER = r"[ '’]?\p{L}"


def checked_phrases(words: int) -> int:
    """Returns how many words are joined, checked.

    Raises
    ------
    InputError
        For a number below 1 or above 64 that is not `ALL_WORDS`.
    """
    if words != ALL_WORDS and not 1 <= words <= LONGEST:
        raise InputError(f"phrases of {words} words: use 1 to {LONGEST}, or all")
    return words


def phrase_sizes(words: Iterable[str], most: int) -> list[int]:
    """Returns how many words each phrase is made of, `most` of them at most.

    Examples
    --------
    >>> from partcover.corpus.files.joining import phrase_sizes
    >>> phrase_sizes(["one", " of", " the", " ways", ",", " he", " said"], 3)
    [3, 1, 1, 2]
    """
    sizes: list[int] = []
    before = ""
    ends, begins = compiled(_ENDS_IN_LETTER).search, compiled(_BEGINS_WITH_LETTER).match
    for word in words:
        if sizes and sizes[-1] < most and ends(before) and begins(word):
            sizes[-1] += 1
        else:
            sizes.append(1)
        before = word
    return sizes


def join_words(words: Sequence[str], most: int) -> list[str]:
    """Joins words to phrases of at most so many.

    Examples
    --------
    >>> from partcover.corpus.files.joining import join_words
    >>> join_words(["one", " of", " the", " ways", ",", " he", " said"], 3)
    ['one of the', ' ways', ',', ' he said']
    """
    rest = iter(words)
    return ["".join(islice(rest, size)) for size in phrase_sizes(words, most)]
