"""Reads and writes WordPiece over text, as BERT's: a piece's place in the word is part of it.

There pieces inside a word have a prefix, ``##``.  Here the others have a mark, which every word
gets in front (BeginOfWord of `partcover.corpus.pretokenizers.steps.read`): so what a piece is
depends on its bytes alone, and the longest match is the same.  A mark that a text has is written
twice: no piece holds two, so its word is unknown, as there.

There a piece inside a word is also found at the start of a word that has its prefix: of a word
``##ab`` the first token may be the piece ``ab`` inside words.  A last step, InsideWord, removes the
mark and the prefix of such words here.  It knows the pieces, so it is renewed when they change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...corpus import symbols as sym
from ...corpus.pretokenizers.pretokenizer import Pretokenizer
from ...corpus.pretokenizers.rules import rule_names
from ...corpus.pretokenizers.steps.read import (
    BEGIN_OF_WORD,
    PUNCTUATION,
    inside_word,
    read_steps,
)
from ...corpus.pretokenizers.steps.step import Step, Steps
from ...corpus.pretokenizers.unicode_tables import compiled
from ...vocabulary.unknown import Unknown
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of

PREFIX = "##"
# what may mark the beginning of words: ▁, or a character of private use
_MARKS = (0x2581, *range(0xE000, 0xF900))


def free_mark(pieces: Iterable[str]) -> str:
    """Returns the first mark that no piece has."""
    held = set().union(*pieces)
    return next(mark for mark in map(chr, _MARKS) if mark not in held)


def mark_steps(splitting: Mapping[str, Any] | None, mark: str) -> dict[str, Any]:
    """Returns the pre-tokenizer that puts a mark in front of each word, too, as JSON."""
    begin = {"type": BEGIN_OF_WORD, "mark": mark}
    return {"type": "Sequence", "pretokenizers": [*([splitting] if splitting else []), begin]}


def inside_steps(
    splitting: Mapping[str, Any],
    mark: str,
    prefix: str,
    inside: Iterable[str],
    longest: int | None,
) -> dict[str, Any]:
    """Returns the pre-tokenizer with the last step for words that begin with the prefix, as JSON.

    Parameters
    ----------
    splitting : mapping
        The pre-tokenizer of `mark_steps`.
    mark, prefix : str
        The mark of words, and the prefix of pieces inside them.
    inside : iterable of str
        Those pieces, without the prefix.
    longest : int, optional
        The most characters of a word that is not unknown.
    """
    if _isolates(splitting, prefix):
        return dict(splitting)
    last = inside_word(mark, prefix, inside, longest)
    return {"type": "Sequence", "pretokenizers": [splitting, last]}


def _isolates(splitting: Mapping[str, Any], prefix: str) -> bool:
    """Returns whether no word goes on behind the prefix, as each punctuation mark is a word."""
    if not compiled(PUNCTUATION).fullmatch(prefix[:1]):
        return False
    each = {"BertPreTokenizer", "Punctuation"}
    known = read_steps(splitting).steps
    if any(step.replacement is not None for step in known):  # which may be the prefix
        return False
    steps = [step.data for step in known]
    return any(s["type"] in each and s.get("behavior", "Isolated") == "Isolated" for s in steps)


def read_piece(mark: str, prefix: str) -> Callable[[str], bytes]:
    """Returns the function from a piece as it is spelled to its bytes."""

    def read(text: str) -> bytes:
        if prefix and text.startswith(prefix) and text != prefix:
            return text.removeprefix(prefix).encode("utf-8")
        return (mark + text).encode("utf-8")

    return read


def spell_piece(mark: str) -> Callable[[bytes], str | None]:
    """Returns the function that spells a piece; None for one that is no text."""

    def spell(piece: bytes) -> str | None:
        text = sym.text_of(piece)
        if text is None or text == mark:
            return None
        return text.removeprefix(mark) if text.startswith(mark) else PREFIX + text

    return spell


def unknown_words(
    model: Mapping[str, Any], special: Mapping[str, int], marked: bool
) -> Unknown | None:
    """Returns what stands for words that are unknown to a WordPiece model over text."""
    token = model.get("unk_token", "[UNK]")
    longest = model.get("max_input_chars_per_word", 100)
    if token not in special:
        return None
    return Unknown(token, "word", longest + marked if longest < 2**31 else None)


def word_mark(vocabulary: Vocabulary) -> str | None:
    """Returns the mark of words if WordPiece over text segments like the vocabulary; else None."""
    mark = _mark_of(vocabulary)
    if mark is None or vocabulary.pretokenizer != _renewed(vocabulary, mark, PREFIX):
        return None
    spell = spell_piece(mark)
    spelled = [
        spell(piece)
        for piece, number in zip(pieces_of(vocabulary), vocabulary.id_of, strict=True)
        if number >= 0
    ]
    texts = [text for text in spelled if text]
    whole = len(texts) == len(spelled) == len(set(texts))
    held = [*texts, *vocabulary.special]
    return mark if whole and not any(mark in t for t in texts) and free_mark(held) == mark else None


def _mark_of(vocabulary: Vocabulary) -> str | None:
    """Returns what the pre-tokenizer puts in front of every word, as `mark_steps` has it."""
    name = vocabulary.pretokenizer
    if vocabulary.rule != "longest_match" or name is None or rule_names(name):
        return None
    last = (read_steps(without_prefix(name)).steps or (Step({}),))[-1]
    return last.prefix if last.again else None


def _renewed(vocabulary: Vocabulary, mark: str, prefix: str) -> str:
    """Returns the pre-tokenizer with the last step that a vocabulary needs."""
    name = without_prefix(vocabulary.pretokenizer or "")
    longest = None if vocabulary.unknown is None else vocabulary.unknown.longest
    texts = (
        sym.text_of(piece)
        for piece, number in zip(pieces_of(vocabulary), vocabulary.id_of, strict=True)
        if number >= 0
    )
    inside = [text for text in texts if text and not text.startswith(mark)]
    most = None if longest is None else longest - len(mark)
    return read_steps(inside_steps(json.loads(name), mark, prefix, inside, most)).name


def with_own_begins(vocabulary: Vocabulary) -> Vocabulary:
    """Returns the vocabulary with the last step for its pieces, if it has such a step.

    Examples
    --------
    >>> import json
    >>> from partcover import Vocabulary
    >>> from partcover.interop.huggingface.word_pieces import inside_steps, mark_steps
    >>> from partcover.interop.huggingface.word_pieces import with_own_begins
    >>> steps = inside_steps(mark_steps({"type": "WhitespaceSplit"}, "▁"), "▁", "##", "a", None)
    >>> vocabulary = Vocabulary(["ba"], rule="longest_match", pretokenizer=json.dumps(steps),
    ...                         ids=[-1] * 256 + [0])
    >>> with_own_begins(vocabulary).pretokenizer[-33:]
    '"begins":["ba"],"longest":null}]}'
    """
    mark = _mark_of(vocabulary)
    if mark is None or vocabulary.pretokenizer is None:
        return vocabulary
    steps = read_steps(vocabulary.pretokenizer)
    if steps.inside is None:
        return vocabulary
    prefix = steps.inside.front.removeprefix(mark)
    return vocabulary.with_(pretokenizer=_renewed(vocabulary, mark, prefix))


def without_prefix(pretokenizer: str) -> str:
    """Returns the pre-tokenizer without the step for words that begin with the prefix."""
    steps = read_steps(pretokenizer).steps
    return Steps(tuple(step for step in steps if step.inside is None)).name


def without_mark(pretokenizer: str) -> str:
    """Returns the pre-tokenizer without the steps of `mark_steps` and `inside_steps`."""
    return Pretokenizer.from_steps(Steps(read_steps(without_prefix(pretokenizer)).steps[:-1])).name
