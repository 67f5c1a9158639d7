"""Chooses the widths of a table's columns where not all of it fits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len

__all__ = ["column_widths", "fitted_text", "is_number"]

# what is left of the longest texts before columns that can be done without are left out, of the
# longest words before others are, and where there are none left to leave out
_TEXT, _WORD, _LEAST = 16, 8, 3
_DIGITS = r"[\d.,]*\d(?:e[+-]?\d+)?"
_NUMBER = re.compile(
    rf"(?:[≥≤<>~+−-] ?)?{_DIGITS}(?: ?– ?{_DIGITS})?(?: ?(?:%|s|[KMGT]?i?B))?|–|yes|no|"
)


def is_number(text: str) -> bool:
    """Whether a cell is never cut: a number, a range of numbers, with its unit; yes and no."""
    return len(text) <= 40 and _NUMBER.fullmatch(text) is not None


def column_widths(
    columns: Sequence[Sequence[str]],
    headings: Sequence[str],
    room: int | None = None,
    drop: Sequence[int] = (),
    *,
    keep: int = 1,
    between: int = 2,
) -> list[int | None]:
    """Give the columns of a table their widths, so that every number is whole.

    Where there is no room for all of it, headings break at their spaces, and texts of more than 16
    characters break or are cut. Where that is not enough, columns of `drop` are left out in their
    order; then texts break wherever they have spaces, and words are cut to 8 characters; then
    columns go from the right, all but the first `keep`.

    Parameters
    ----------
    columns : sequence of sequence of str
        The cells, column by column.
    headings : sequence of str
    room : int or None
        Characters of the terminal; None for no limit.
    drop : sequence of int
        Columns that can be done without, the least important first.
    keep : int
        How many, from the left, are never left out.
    between : int
        Characters between two columns, and at both ends of a line together.

    Returns
    -------
    list of int or None
        None for a column that is left out.
    """
    inside = [max(map(cell_len, column), default=0) for column in columns]
    whole = [max(size, cell_len(head)) for size, head in zip(inside, headings, strict=True)]
    if room is None or sum(whole) + between * len(whole) <= room:
        return list(whole)
    fixed, words = [], []
    for column, head in zip(columns, headings, strict=True):
        numbers = [text for text in column if is_number(text)]
        broken = {word for text in column if not is_number(text) for word in text.split(" ")}
        fixed.append(max(map(cell_len, [*numbers, *head.split()]), default=0))
        words.append(max(map(cell_len, broken), default=0))
    kept = list(range(len(columns)))
    first = [number for number in drop if number >= keep]
    then = [number for number in reversed(kept[keep:]) if number not in first]
    for texts, most, order in ((inside, _TEXT, first), (words, _WORD, then), (words, _LEAST, [])):
        while True:
            sizes = [max(fixed[n], min(texts[n], most)) for n in kept]
            lacking = sum(sizes) + between * len(kept) - room
            if lacking <= 0 or not order:
                break
            kept.remove(order.pop(0))
        if lacking <= 0:
            break
    spare = -lacking
    for wanted in (inside, whole):  # names whole before headings in one line
        spare -= _widen(sizes, [max(fixed[n], wanted[n]) for n in kept], spare)
    found: list[int | None] = [None] * len(columns)
    for n, size in zip(kept, sizes, strict=True):
        found[n] = size
    return found


def _widen(sizes: list[int], most: list[int], spare: int) -> int:
    """Share what is left among those below their most, the narrowest first; how much it took."""
    took = 0
    while took < spare:
        below = [n for n, size in enumerate(sizes) if size < most[n]]
        if not below:
            break
        sizes[min(below, key=lambda n: sizes[n])] += 1
        took += 1
    return took


def fitted_text(text: str, width: int) -> str:
    """A text whose words are at most as wide as its column: longer ones lose their middle."""
    if is_number(text) or cell_len(text) <= width:
        return text
    return " ".join(_fitted(word, width) for word in text.split(" "))


def _fitted(word: str, width: int) -> str:
    if cell_len(word) <= width:
        return word
    tail = (width - 1) // 3
    return f"{_front(word, width - 1 - tail)}…{_front(word[::-1], tail)[::-1]}"


def _front(word: str, width: int) -> str:
    """As much of the front of a word as is at most so wide."""
    used = 0
    for end, char in enumerate(word):
        used += cell_len(char)
        if used > width:
            return word[:end]
    return word
