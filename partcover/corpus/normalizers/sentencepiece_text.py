"""Changes text as sentencepiece does before it cuts: its `NormalizerSpec`.

In this order: the longest entry of the map of characters is written wherever one begins, from left
to right, and U+FFFD for a byte that is not UTF-8; spaces at the ends of the text are taken away,
and doubled ones; a space is put in front of a text that is not empty, or behind it.  sentencepiece
then writes ▁ for each space.  Here both are a space, which is the same, since it cannot tell the
two apart either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import regex

from .character_map import CharacterMap

__all__ = ["MARK", "SpaceRules", "alphabet_of", "text_changes"]

Rewriting: TypeAlias = tuple[Any, Callable[[str], str]]  # a pattern, and what is written for it
MARK = "▁"
_KNOWN = 1 << 16  # clusters that are remembered
_BROKEN = r"\uDC80-\uDCFF"  # bytes that are not UTF-8


class SpaceRules(NamedTuple):
    """What is done with spaces; fields as in a model's `normalizer_spec` and `trainer_spec`."""

    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool
    treat_whitespace_as_suffix: bool


class Alphabet(NamedTuple):
    """The characters of a map's entries: alone, first of several, and behind the first."""

    alone: Sequence[int]
    first: Sequence[int]
    later: Sequence[int]


def text_changes(
    map_: CharacterMap | None, spaces: SpaceRules, user_defined: Iterable[str]
) -> list[Rewriting]:
    """Returns the changes one after another: what may change, and what is written for it.

    Parameters
    ----------
    map_ : CharacterMap, optional
        The map of characters.
    spaces : SpaceRules
        What is done with spaces.
    user_defined : iterable of str
        Texts that the map leaves alone.
    """
    changes: list[Rewriting] = []

    def always(pattern: str, new: str) -> None:
        changes.append((regex.compile(pattern), lambda _: new))

    alphabet = Alphabet((), (), ()) if map_ is None else alphabet_of(map_)
    dummy, extra, escaped, as_suffix = spaces
    front, behind = dummy and not as_suffix, dummy and as_suffix
    if extra and behind:
        # what becomes nothing else is no text; what becomes nothing at all is one
        white: list[int] = []
        if map_ is not None:
            white = [p for p in alphabet.alone if map_.prefixes(chr(p).encode())[-1][1] == " "]
        always(rf"\A[ {_class(white)}]+", "")
    # before the map, which may leave nothing of a text that is not empty
    if front:
        always(r"(?s)\A(?=.)", " ")
    elif behind:
        always(r"(?s)(?<=.)\Z", " ")
    kept = sorted(user_defined, key=len, reverse=True)
    changes.append(_mapped(map_, alphabet, kept, after=front))
    last = r"(?= \Z)" if behind else r"\Z"
    if extra:
        if not front:
            always(r"\A +(?!\Z)" if behind else r"\A +", "")
        always(" {2,}", " ")
        always(f"(?r){f'[ {MARK}]' if escaped else ' '}+{last}", "")
    if escaped:
        always(MARK, " ")
    return changes


def _mapped(
    map_: CharacterMap | None, alphabet: Alphabet, kept: Sequence[str], *, after: bool
) -> Rewriting:
    """Returns the change that writes a map's entries; `after`: not at the first character."""
    later = f"[{_class(alphabet.later)}]" if alphabet.later else r"[^\s\S]"
    parts = [*map(re.escape, kept), f"[{_BROKEN}{_class(alphabet.alone)}]{later}*"]
    if alphabet.first:
        parts.append(f"[{_class(alphabet.first)}]{later}+")
    start = r"(?!\A)" if after else ""
    pattern = re.compile(f"{start}(?:{'|'.join(parts)})")  # much faster here than `regex`
    known: dict[str, str] = dict.fromkeys(kept, "")
    known.update((text, text) for text in kept)

    def new(text: str) -> str:
        if (found := known.get(text)) is not None:
            return found
        written = "".join(_longest(map_, text))
        if len(known) < _KNOWN:
            known[text] = written
        return written

    return pattern, new


def _longest(map_: CharacterMap | None, text: str) -> Iterable[str]:
    """Yields what is written for the longest entries of a text, one after another."""
    key = text.encode("utf-8", "surrogateescape")
    at = 0
    while at < len(key):
        entries = map_.prefixes(key[at:]) if map_ is not None else []
        if entries:
            size, written = entries[-1]
            yield written
            at += size
            continue
        lead = key[at]
        size = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        character = key[at : at + size].decode("utf-8", "surrogateescape")
        if len(character) == 1 and not "\udc80" <= character <= "\udcff":
            yield character
            at += size
        else:
            yield "\ufffd"
            at += 1


def _class(points: Sequence[int]) -> str:
    """Returns the inside of a class of characters, given in order."""
    borders = [i for i in range(1, len(points)) if points[i] != points[i - 1] + 1]
    runs = pairwise([0, *borders, len(points)]) if points else ()
    return "".join(f"\\U{points[a]:08X}-\\U{points[b - 1]:08X}" for a, b in runs)


class _States(NamedTuple):
    """Places in the trie of a map, each with what it has read of a character."""

    base: npt.NDArray[np.int64]
    partial: npt.NDArray[np.int64]
    missing: npt.NDArray[np.int64]


def alphabet_of(map_: CharacterMap) -> Alphabet:
    """Returns the characters of a map's entries.

    Places that several entries lead to, as those of Hangul do, are looked at once.
    """
    units = np.asarray(map_.units, np.int64)
    labels = units & 0x800000FF
    bases = np.arange(len(units)) ^ (units >> 10 << ((units & 1 << 9) >> 6))
    # a unit's parents are those whose base, with its label, is its place
    inner = np.flatnonzero((labels > 0) & (labels < 256))
    wanted = inner ^ labels[inner]
    order = np.argsort(wanted, kind="stable")
    inner, wanted = inner[order], wanted[order]
    alone: set[int] = set()
    first: set[int] = set()
    later: set[int] = set()
    if not len(units):
        return Alphabet((), (), ())
    begin = _States(bases[:1], np.zeros(1, np.int64), np.zeros(1, np.int64))
    starts, ends, leaf = _characters(begin, units, bases, inner, wanted)
    alone.update(ends[leaf].tolist())
    reached = starts
    seen = np.zeros(0, np.int64)
    leads = np.isin(starts, wanted)
    first.update(ends[leads].tolist())
    while len(reached := np.setdiff1d(reached, seen)):
        seen = np.union1d(seen, reached)
        zero = np.zeros(len(reached), np.int64)
        states = _States(reached, zero, zero)
        reached, points, _ = _characters(states, units, bases, inner, wanted)
        later.update(points.tolist())
    return Alphabet(sorted(alone), sorted(first), sorted(later))


def _characters(
    states: _States,
    units: npt.NDArray[np.int64],
    bases: npt.NDArray[np.int64],
    inner: npt.NDArray[np.int64],
    wanted: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Follows a trie for one character; returns the places reached, the characters, entries."""
    done: list[tuple[npt.NDArray[np.int64], ...]] = []
    for step in range(4):
        low = np.searchsorted(wanted, states.base)
        high = np.searchsorted(wanted, states.base, "right")
        counts = high - low
        source = np.repeat(np.arange(len(counts)), counts)
        child = inner[np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(len(source))]
        label = units[child] & 0xFF
        if step == 0:
            missing = (label >= 0xC0).astype(np.int64) + (label >= 0xE0) + (label >= 0xF0)
            partial = np.where(missing == 0, label, label & (0x3F >> missing))
            good = (label < 0x80) | ((label >= 0xC2) & (label < 0xF5))
        else:
            missing = states.missing[source] - 1
            partial = states.partial[source] << 6 | label & 0x3F
            good = label & 0xC0 == 0x80
        whole = good & (missing == 0) & (partial < 0x110000)
        done.append((bases[child[whole]], partial[whole], units[child[whole]] >> 8 & 1))
        more = good & (missing > 0)
        states = _States(bases[child[more]], partial[more], missing[more])
    reached, points, leaf = (np.concatenate(parts) for parts in zip(*done, strict=True))
    return reached, points, leaf.astype(bool)
