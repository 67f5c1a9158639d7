"""Pre-tokenizers that are functions given by the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ...errors import InputError
from ...runtime.arguments import is_listed, plain, shown

#: A pre-tokenizer given as a function: it returns all words of a text, in order.
Splitter: TypeAlias = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class CheckedSplitter:
    """Calls a function of the caller's and checks the words that it returns."""

    function: Splitter
    name: str

    def __call__(self, text: str) -> list[str]:
        """Returns the words of a text; empty ones are left out."""
        words = self.function(text)
        if not is_listed(words):
            raise InputError(
                f"the pre-tokenizer {self.name} gives {shown(words)}: it must give a list of texts"
            )
        kept = []
        for word in words:
            if not isinstance(word, str):
                raise InputError(
                    f"the pre-tokenizer {self.name} gives {shown(word)} as a word: it must be text"
                )
            try:
                word.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise InputError(
                    f"the pre-tokenizer {self.name} gives a lone surrogate, not UTF-8"
                ) from None
            if word:
                kept.append(plain(word))
        return kept
