"""Changes text as sentencepiece does before it splits: its `NormalizerSpec`.

In this order: the longest entry of the map of characters is written wherever one begins, from left
to right, and U+FFFD for a byte that is not UTF-8; spaces at the ends of the text are taken away,
and doubled ones; a space is put in front of a text that is not empty, or behind it.  sentencepiece
then writes ▁ for each space.  Here both are a space, which is the same, since it cannot tell the
two apart either.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...kernels.texts import _sentencepiece_text
from ...runtime.arrays import np
from .changes import OfBytes, utf8
from .character_map import CharacterMap

MARK = "▁"


class SpaceRules(NamedTuple):
    """What is done with spaces; fields as in a model's `normalizer_spec` and `trainer_spec`."""

    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool
    treat_whitespace_as_suffix: bool


class SentencePieceText:
    """What is done to a text; as `partcover.corpus.normalizers.steps.Change`.

    Parameters
    ----------
    map_ : CharacterMap, optional
        The map of characters.
    spaces : SpaceRules
        What is done with spaces.
    user_defined : iterable of str
        Texts that the map leaves alone.
    """

    reach = 2
    keeps = False

    def __init__(
        self, map_: CharacterMap | None, spaces: SpaceRules, user_defined: Iterable[str]
    ) -> None:
        dummy, extra, escaped, as_suffix = spaces
        self._text = _sentencepiece_text.SentencePieceText(
            np.zeros(0, np.uint32) if map_ is None else map_.units,
            b"" if map_ is None else map_.texts,
            sorted({text.encode() for text in user_defined}),
            front=dummy and not as_suffix,
            behind=dummy and as_suffix,
            extra=extra,
            escaped=escaped,
        )
        self.of_bytes: OfBytes | None = self._text.applied

    def apply(self, text: str) -> str:
        """Returns the changed text."""
        return self._text.applied(utf8(text)).decode()

    def traced(self, text: str) -> tuple[str, list[int], list[int]]:
        """Returns the changed text, and for each character the part of the text it stands for."""
        new, begin, end = self._text.traced(utf8(text))
        return new.decode(), begin, end
