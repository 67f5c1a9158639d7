"""Chooses the widths of the columns of a table that is wider than the terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from rich.cells import cell_len

# Characters that a text keeps before a spare column is left out, that a word keeps before any
# other column is, and that a word keeps where no column is left to leave out.
_TEXT, _WORD, _SHORTEST = 16, 8, 3
_DIGITS = r"[\d.,]*\d(?:e[+-]?\d+)?"
_NUMBER = re.compile(
    rf"(?:[≥≤<>~+−-] ?)?{_DIGITS}(?: ?– ?{_DIGITS})?(?: ?(?:%|s|[KMGT]?i?B))?|–|yes|no|"
)


def is_number(text: str) -> bool:
    """Whether a cell is never shortened: a number or range with its unit, yes, no, or nothing."""
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
    """Chooses the widths of the columns of a table such that no number is shortened.

    If there is not enough room, headings are wrapped at spaces, and texts of more than 16
    characters are wrapped or shortened.  If that is not enough, the columns of `drop` are left out
    in their order; then all texts are wrapped, and words are shortened to 8 characters; then
    columns are left out from the right, except the first `keep`.

    Parameters
    ----------
    columns : sequence of sequence of str
        The cells, column by column.
    headings : sequence of str
        The headings.
    room : int or None
        The width of the terminal in characters; None for no limit.
    drop : sequence of int
        The columns to leave out first, the least important first.
    keep : int
        How many columns, from the left, are never left out.
    between : int
        Characters between two columns, and at both ends of a line together.

    Returns
    -------
    list of int or None
        The widths; None for a column that is left out.
    """
    inside = [max(map(cell_len, column), default=0) for column in columns]
    full = [max(size, cell_len(head)) for size, head in zip(inside, headings, strict=True)]
    if room is None or sum(full) + between * len(full) <= room:
        return list(full)
    fixed, words = [], []
    for column, head in zip(columns, headings, strict=True):
        numbers = [text for text in column if is_number(text)]
        broken = {word for text in column if not is_number(text) for word in text.split(" ")}
        fixed.append(max(map(cell_len, [*numbers, *head.split()]), default=0))
        words.append(max(map(cell_len, broken), default=0))
    shown = list(range(len(columns)))
    spare = [number for number in drop if number >= keep]
    others = [number for number in reversed(shown[keep:]) if number not in spare]
    for texts, limit, order in (
        (inside, _TEXT, spare),
        (words, _WORD, others),
        (words, _SHORTEST, []),
    ):
        while True:
            sizes = [max(fixed[n], min(texts[n], limit)) for n in shown]
            missing = sum(sizes) + between * len(shown) - room
            if missing <= 0 or not order:
                break
            shown.remove(order.pop(0))
        if missing <= 0:
            break
    rest = -missing
    for wanted in (inside, full):  # whole names are more important than headings in one line
        rest -= _widen(sizes, [max(fixed[n], wanted[n]) for n in shown], rest)
    widths: list[int | None] = [None] * len(columns)
    for n, size in zip(shown, sizes, strict=True):
        widths[n] = size
    return widths


def _widen(sizes: list[int], wanted: list[int], rest: int) -> int:
    """Widens columns up to what they want, the narrowest first; returns the characters used."""
    used = 0
    while used < rest:
        below = [n for n, size in enumerate(sizes) if size < wanted[n]]
        if not below:
            break
        sizes[min(below, key=lambda n: sizes[n])] += 1
        used += 1
    return used


def fitted_text(text: str, width: int) -> str:
    """Returns a text whose words fit into a width: longer ones lose their middle."""
    if is_number(text) or cell_len(text) <= width:
        return text
    return " ".join(_fitted(word, width) for word in text.split(" "))


def _fitted(word: str, width: int) -> str:
    """Returns a word without its middle, where it is too wide."""
    if cell_len(word) <= width:
        return word
    tail = (width - 1) // 3
    return f"{_front(word, width - 1 - tail)}…{_front(word[::-1], tail)[::-1]}"


def _front(word: str, width: int) -> str:
    """Returns the longest front of a word that fits into a width."""
    return word[: sum(used <= width for used in accumulate(map(cell_len, word)))]
