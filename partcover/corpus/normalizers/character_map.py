"""Applies the map of characters that sentencepiece compiles into its models.

sentencepiece itself does it in another way: see `partcover.corpus.normalizers.sentencepiece_text`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from ...errors import InputError
from ...kernels.texts import _character_map
from ...runtime.arrays import UInt8, UInt32, np
from ...runtime.patterns import regex
from ..pretokenizers.character_kinds import code_points
from .changes import characters, utf8

# A text is written for each entry found, so that this is how much larger a text may become.
_LONGEST = 1 << 12
# what a character may be to the grapheme clusters beside it, and more rather than less
_KINDS = {
    r"[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]+": (
        _character_map.BEFORE | _character_map.MARK
    ),
    r"[\p{GCB=V}\p{GCB=T}\p{GCB=RI}]+": _character_map.BEFORE,
    r"[\p{GCB=ZWJ}\p{GCB=Prepend}\p{GCB=L}\p{GCB=RI}\r]+": _character_map.AFTER,
    r"[\p{GCB=Extend}\p{InCB=Extend}\p{InCB=Linker}]+": _character_map.LINKING,
    r"\p{InCB=Consonant}+": _character_map.LINKED,
    r"[\p{GCB=Control}\r\n]+": _character_map.CONTROL,
}
_CLUSTERS = r"\X"


@dataclass(frozen=True, eq=False)
class CharacterMap:
    """A map from short texts to others, as a double-array trie.

    Parameters
    ----------
    units : ndarray of uint32
        The trie.
    texts : bytes
        What is written, each ended by a zero byte.
    """

    units: UInt32
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
            raise InputError("the normalizer's character map is not base64") from None
        return cls.from_bytes(decoded)

    @classmethod
    def from_bytes(cls, data: bytes) -> CharacterMap:
        """Returns the map that a sentencepiece model has.

        Raises
        ------
        InputError
            If it is none, or writes a text of more than 4,096 bytes.
        """
        size = int.from_bytes(data[:4], "little")
        if len(data) < 4 or size % 4 or size > len(data) - 4:
            raise InputError("the normalizer's character map ends too early")
        texts = data[4 + size :]
        if max(map(len, texts.split(b"\0"))) > _LONGEST:
            raise InputError(
                f"the normalizer's character map has texts of more than {_LONGEST:,} bytes"
            )
        return cls(np.frombuffer(data[4 : 4 + size], "<u4").astype(np.uint32), texts)

    @cached_property
    def _map(self) -> _character_map.CharacterMap:
        return _character_map.CharacterMap(self.units, self.texts)

    def of_bytes(self, text: bytes) -> bytes:
        """Returns what tokenizers writes for a text in UTF-8; other bytes are kept."""
        return self._map.applied(text, _kinds(), self._of_clusters)

    def _of_clusters(self, text: bytes) -> bytes:
        return utf8("".join(map(self.of_cluster, regex.findall(_CLUSTERS, characters(text)))))

    @cached_property
    def _known(self) -> dict[str, str]:
        return {}

    def of_cluster(self, cluster: str) -> str:
        """Returns what tokenizers writes for a grapheme cluster."""
        if (known := self._known.get(cluster)) is not None:
            return known
        new = "".join(new for _, new in self._parts(cluster))
        if len(self._known) < 1 << 16:
            self._known[cluster] = new
        return new

    def replaced(self, text: str) -> Iterator[tuple[str, str]]:
        """Yields the parts of a text, a cluster or a character each, and what is written for it."""
        for cluster in regex.findall(_CLUSTERS, text):
            yield from self._parts(cluster)

    def _parts(self, cluster: str) -> list[tuple[str, str]]:
        whole = self._shortest(cluster) if len(utf8(cluster)) < 6 else None
        if whole is not None:
            return [(cluster, whole)]
        news = ((character, self._shortest(character)) for character in cluster)
        return [(character, character if new is None else new) for character, new in news]

    def _shortest(self, text: str) -> str | None:
        found = self._map.shortest(utf8(text))
        return None if found is None else found.decode()


@cache
def _kinds() -> UInt8:
    """Returns the kinds of all characters, of the version of Unicode that finds clusters."""
    return code_points(_KINDS)
