"""Defines `Unknown`, the special token for text without an id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from ..errors import InputError
from ..runtime.arguments import shown

Part: TypeAlias = Literal["run", "character", "word"]


@dataclass(frozen=True)
class Unknown:
    """The special token for bytes without an id that no token covers.

    Parameters
    ----------
    token : str
        The special token.
    part : {"run", "character", "word"}
        The text that one token represents: a run of such bytes inside a word, as in Unigram models;
        each character of the run; or the word that contains one, as in WordPiece.
    longest : int, optional
        For words: longer words, in characters, are unknown too.

    Raises
    ------
    InputError
        For an unknown part, or a length that is invalid or not for words.

    Examples
    --------
    >>> from partcover import Encoder, Vocabulary
    >>> from partcover.vocabulary.unknown import Unknown
    >>> vocabulary = Vocabulary(["ab"], ids=[-1] * 256 + [1], special={"<unk>": 0},
    ...                         unknown=Unknown("<unk>"), pretokenizer="none")
    >>> Encoder(vocabulary).encode("ab??ab")
    [1, 0, 1]
    """

    token: str
    part: Part = "run"
    longest: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.token, str) or self.part not in get_args(Part):
            raise InputError(
                f"unknown is {shown((self.token, self.part))}: it must be a special token and "
                f"one of {', '.join(get_args(Part))}"
            )
        if self.longest is not None and (type(self.longest) is not int or self.part != "word"):
            raise InputError(
                f"unknown: longest is {shown(self.longest)}: it is only possible for words"
            )

    @classmethod
    def from_json(cls, data: Any) -> Unknown:
        """Returns the object from what `to_json` wrote."""
        if not isinstance(data, Mapping) or data.keys() - {"longest"} != {"token", "part"}:
            raise InputError("'unknown' must be an object of a token and a part")
        return cls(**data)

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object in vocabulary files."""
        longest = {} if self.longest is None else {"longest": self.longest}
        return {"token": self.token, "part": self.part, **longest}
