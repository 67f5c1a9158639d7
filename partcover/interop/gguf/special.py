"""Finds special tokens that llama.cpp finds elsewhere in a text than partcover does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ...vocabulary.merging import halves
from ..sentencepiece.proto import USER_DEFINED

_STEPS = 10**7


def merged(special: Iterable[str], texts: Collection[str]) -> Iterator[str]:
    """Yields the special tokens that characters merge into, by steps that are all tokens.

    Examples
    --------
    >>> from partcover.interop.gguf.special import merged
    >>> list(merged(["<a>", "<b>"], {"<a>", "<b>", "<a"}))
    ['<a>']
    """
    special, lengths = list(special), {1, *map(len, texts)}
    parts, left = {*special}, [*special]
    while left:
        new = {part for pair in halves(left.pop(), lengths) for part in pair if part in texts}
        left += new - parts
        parts |= new
    made = {text for text in parts if len(text) == 1}
    for text in sorted(parts, key=len):
        if any(all(len(p) == 1 or p in made for p in pair) for pair in halves(text, lengths)):
            made.add(text)
    yield from filter(made.__contains__, special)


def overlapping(kinds: Mapping[str, int]) -> tuple[str, str] | None:
    """Returns two special tokens that may begin in each other, so that it matters which is found.

    llama.cpp finds the longest first, wherever it is, and no control tokens in ordinary text.  The
    search ends after `_STEPS` steps, which only a file that is made for it takes.

    Parameters
    ----------
    kinds : mapping
        The types of the special tokens.

    Examples
    --------
    >>> from partcover.interop.gguf.special import overlapping
    >>> overlapping({"<a>": 3, ">>>": 3}), overlapping({"<a>": 3, ">>": 3})
    (('<a>', '>>>'), None)
    """
    by_begin: dict[str, list[str]] = {}
    for text in kinds:
        by_begin.setdefault(text[:1], []).append(text)
    steps = 0
    for text, kind in kinds.items():
        for at in range(1, len(text)):
            for other in by_begin.get(text[at], ()):
                steps += len(text) - at
                if steps > _STEPS:
                    return None
                inside, over = text.startswith(other, at), other.startswith(text[at:])
                hidden = kind != USER_DEFINED and kinds[other] == USER_DEFINED
                late = over and len(other.encode()) >= len(text.encode())
                if (late or (hidden and (inside or over))) and len({*text, *other}) > 1:
                    return text, other
    return None
