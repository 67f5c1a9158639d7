"""Expresses BPE that marks the ends of words by `end_of_word_suffix`, ``</w>`` in most files.

There the last symbol of a word, with the suffix, is a symbol of its own.  Here a space stands
behind each word (`EndOfWord` of `partcover.corpus.pretokenizers.steps.read`), and before all other
merges it merges
with the byte before it.  So the symbols are the same, and so is every merge after.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from ..corpus.pretokenizers.byte_spelling import spelled_bytes
from ..corpus.pretokenizers.pretokenizer import Pretokenizer
from ..corpus.pretokenizers.rules import rule_names
from ..corpus.pretokenizers.steps.read import END_OF_WORD, read_steps
from ..corpus.pretokenizers.steps.step import Steps
from ..errors import InputError
from ..vocabulary.vocabulary import Vocabulary
from .byte_level import from_characters

SUFFIX = "</w>"
END = b" "  # behind each word


def ends_words(pretokenizer: str | None) -> bool:
    """Returns whether a pre-tokenizer puts a space after each word."""
    if pretokenizer is None or rule_names(pretokenizer):
        return False
    return read_steps(pretokenizer).ends_words


def with_ends(pretokenizer: str | None) -> str:
    """Returns the pre-tokenizer that also puts a space after each word.

    Raises
    ------
    InputError
        If there is none, or its words hold spaces.
    """
    if pretokenizer is None or " " in "".join(Pretokenizer.from_name(pretokenizer).split("a b")):
        raise InputError(
            f"its BPE model marks ends of words with {SUFFIX}, but its pre-tokenizer leaves "
            "spaces in words"
        )
    data = {"type": "Sequence", "pretokenizers": [*_data(pretokenizer), END_OF_WORD]}
    return Pretokenizer.from_steps(read_steps(data)).name


def without_ends(pretokenizer: str) -> str:
    """Returns the pre-tokenizer without the space after each word."""
    steps = read_steps(pretokenizer).steps
    return Pretokenizer.from_steps(Steps(steps[:-1])).name


def _data(pretokenizer: str) -> list[dict[str, object]]:
    return [step.data for step in read_steps(pretokenizer).steps]


def read_ended(suffix: str) -> Callable[[str], bytes | None]:
    """Returns the function from a piece, as ByteLevel spells it, to its bytes."""

    def spell(text: str) -> bytes | None:
        if not suffix or not text.endswith(suffix) or text == suffix:
            return from_characters(text)
        piece = from_characters(text.removesuffix(suffix))
        return None if piece is None else piece + END

    return spell


def spell_ended(piece: bytes) -> str:
    """Spells a piece, the space at its end as the suffix."""
    if len(piece) > 1 and piece.endswith(END):
        return spelled_bytes(piece[:-1]) + SUFFIX
    return spelled_bytes(piece)


def end_merges(pieces: Container[bytes]) -> list[tuple[bytes, bytes]]:
    """Returns the merges of each byte with the end of a word that make a piece."""
    singles = (bytes([byte]) for byte in range(256))
    return [(single, END) for single in singles if single + END in pieces]


def merges_inside(vocabulary: Vocabulary) -> list[tuple[bytes, bytes]] | None:
    """Returns the merges but those of `end_merges`; None where BPE with a suffix has no equal."""
    ends = end_merges(vocabulary)
    merges: list[tuple[bytes, bytes]] = list(vocabulary.merges or ())  # type: ignore[arg-type]
    inside = merges[len(ends) :]
    tokens: tuple[bytes, ...] = vocabulary.tokens  # type: ignore[assignment]
    others = [token for token in tokens if len(token) > 2]
    if vocabulary.rule != "merges" or set(merges[: len(ends)]) != set(ends):
        return None
    if any(END in token[:-1] for token in others):
        return None
    return None if any(END in pair for pair in inside) else inside
