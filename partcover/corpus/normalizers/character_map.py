"""Reads the map of characters that sentencepiece compiles into its models."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...errors import InputError

__all__ = ["CharacterMap"]


@dataclass(frozen=True)
class CharacterMap:
    """A map from short texts to others, as a double-array trie.

    Parameters
    ----------
    units : sequence of int
        The trie.
    texts : bytes
        What is written, each ended by a zero byte.
    """

    units: Sequence[int]
    texts: bytes

    @classmethod
    def from_base64(cls, data: str) -> CharacterMap:
        """Returns the map that a tokenizer.json has.

        Raises
        ------
        InputError
            If it is none.
        """
        try:
            decoded = base64.b64decode(data, validate=True)
        except ValueError:
            raise InputError("the normalizer's map of characters is no base64") from None
        return cls.from_bytes(decoded)

    @classmethod
    def from_bytes(cls, data: bytes) -> CharacterMap:
        """Returns the map that a sentencepiece model has.

        Raises
        ------
        InputError
            If it is none.
        """
        size = int.from_bytes(data[:4], "little")
        if len(data) < 4 or size % 4 or size > len(data) - 4:
            raise InputError("the normalizer's map of characters is cut short")
        units: list[int] = np.frombuffer(data[4 : 4 + size], "<u4").tolist()
        return cls(units, data[4 + size :])

    def prefixes(self, key: bytes) -> list[tuple[int, str]]:
        """Returns the entries that a text begins with, the shortest first, as length and text."""
        found = []
        place, units = 0, self.units
        try:
            unit = units[place]
            place ^= _offset(unit)
            for length, byte in enumerate(key, 1):
                place ^= byte
                unit = units[place]
                if byte == 0 or unit & 0x800000FF != byte:
                    break
                place ^= _offset(unit)
                if unit >> 8 & 1:
                    found.append((length, self._text(units[place] & 0x7FFFFFFF)))
        except IndexError:
            pass  # a trie that leads nowhere
        return found

    def _text(self, start: int) -> str:
        end = self.texts.find(b"\0", start)
        return self.texts[start : end if end >= 0 else None].decode("utf-8", "replace")

    @cached_property
    def _known(self) -> dict[str, str]:
        return {}

    def of_cluster(self, cluster: str) -> str:
        """Returns what tokenizers writes for a grapheme cluster."""
        if (known := self._known.get(cluster)) is not None:
            return known
        key = cluster.encode("utf-8", "surrogateescape")
        found = self.prefixes(key) if len(key) < 6 else []
        new = found[0][1] if found else "".join(map(self._of_character, cluster))
        if len(self._known) < 1 << 16:
            self._known[cluster] = new
        return new

    def _of_character(self, character: str) -> str:
        found = self.prefixes(character.encode("utf-8", "surrogateescape"))
        return found[0][1] if found else character


def _offset(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)
