"""Defines `Decoding`, the rules for converting ids to text that the encoding does not imply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from ..errors import InputError
from ..runtime.arguments import shown
from ..runtime.pickling import by_fields

Style: TypeAlias = Literal["bytes", "byte_fallback", "sentencepiece", "pieces", "spelled_bytes"]


@dataclass(frozen=True)
class Decoding:
    """How a vocabulary's own library decodes.

    Parameters
    ----------
    style : {"bytes", "byte_fallback", "sentencepiece", "pieces", "spelled_bytes"}
        What the library joins.  ``bytes``: the bytes of all tokens.  ``byte_fallback``: tokens are
        text, except for single bytes.  If a run of such bytes is not UTF-8, ``errors="replace"``
        writes U+FFFD for each of them, as Hugging Face's ByteFallback does.  ``sentencepiece``: the
        same, but only for bytes that are not part of a character; a ``▁`` in a token is a space;
        and one leading space is removed from each of the first tokens.  ``pieces``: tokens as their
        file has them, with a space between any two, as Hugging Face's tokenizers joins them without
        a decoder.  ``spelled_bytes``: the same, where the file has a character for each byte
        (ByteLevel).  Under these two `decode_bytes` joins the bytes of all tokens.
    front_spaces : int, optional
        Maximum number of leading spaces to remove from a text; by default as many as the
        normalizer adds.
    continuing : str
        The text in front of a token that continues a word, if it is the first token, or under
        ``pieces`` wherever it is: WordPiece's ``##``.
    cleanup : bool
        Whether a space is left out before ``.``, ``?``, ``!``, ``,`` and the ends of contractions
        in a token and in front of it, as Hugging Face's WordPiece decoder does.
    shown : mapping of str to str
        The text that special tokens decode to, if it is not their own; `skip_special` keeps it.
    stripped : bool
        Whether `decode` removes white space at both ends of a text, as Python's `str.strip` does:
        transformers does it for CLIP.

    Raises
    ------
    InputError
        For another style, or another type.

    Examples
    --------
    >>> from partcover import Encoder, Vocabulary
    >>> from partcover.vocabulary.decoding import Decoding
    >>> vocabulary = Vocabulary(["ab"], pretokenizer="none", decoding=Decoding(front_spaces=1))
    >>> Encoder(vocabulary).decode([32, 32, 256])
    ' ab'
    """

    style: Style = "bytes"
    front_spaces: int | None = None
    continuing: str = ""
    cleanup: bool = False
    shown: Mapping[str, str] = field(default_factory=dict)
    stripped: bool = False

    def __post_init__(self) -> None:
        spaces = self.front_spaces
        fits = {
            "style": self.style in get_args(Style),
            "front_spaces": spaces is None or (type(spaces) is int and spaces >= 0),
            "continuing": isinstance(self.continuing, str),
            "cleanup": isinstance(self.cleanup, bool),
            "stripped": isinstance(self.stripped, bool),
            "shown": isinstance(self.shown, Mapping)
            and all(isinstance(text, str) for pair in self.shown.items() for text in pair),
        }
        for name in (name for name in fits if not fits[name]):
            value = shown(getattr(self, name))
            raise InputError(f"{name} of decoding is {value}, which is not a valid value")
        self.__dict__["shown"] = MappingProxyType(dict(self.shown))

    __reduce__ = by_fields

    @classmethod
    def from_json(cls, data: Any) -> Decoding:
        """Returns the rules from the object that `to_json` wrote."""
        if not isinstance(data, Mapping) or not data.keys() <= cls.__dataclass_fields__.keys():
            raise InputError("'decoding' must be an object with the keys of a vocabulary file")
        return cls(**data)

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object in vocabulary files, without defaults."""
        plain = Decoding()
        return {
            key: dict(value) if key == "shown" else value
            for key, value in vars(self).items()
            if value != getattr(plain, key)
        }

    def cleaned(self, text: str) -> str:
        """Returns the text of a token, with the space in front of it if it begins a word."""
        if self.cleanup:
            for old, new in _CLEANUPS:
                text = text.replace(old, new)
        return text


_CLEANUPS = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)
