"""Writes the decoder of a tokenizer.json, and reads what it does besides joining tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...corpus.normalizers.normalizer import Normalizer
from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...corpus.pretokenizers.rules import rule_names
from ...corpus.pretokenizers.steps.read import read_steps
from ...vocabulary.decoding import Decoding, Style
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import from_characters
from ..end_of_word import END, SUFFIX, ends_words
from ..splitting import steps_of, unmark
from .word_pieces import PREFIX, word_mark

_MARK = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
_IGNORED = ("add_prefix_space", "trim_offsets", "use_regex")  # of ByteLevel, whatever they are
Steps = list[dict[str, Any]]


def write_decoder(vocabulary: Vocabulary) -> dict[str, Any] | None:
    """Returns the decoder of a vocabulary; None if tokens are separated by spaces."""
    how = vocabulary.decoding
    of_text = word_mark(vocabulary) is not None or vocabulary.rule == "character_merges"
    if how.style == ("pieces" if of_text else "spelled_bytes"):
        return None
    if word_mark(vocabulary) is not None:
        return {"type": "WordPiece", "prefix": PREFIX, "cleanup": how.cleanup}
    spelled: Steps = [
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    ]
    if vocabulary.rule == "character_merges":
        spelled = [{"type": "ByteFallback"}, {"type": "Fuse"}]
        if how.front_spaces:
            spelled.append({"type": "Strip", "content": " ", "start": how.front_spaces, "stop": 0})
    if ends_words(vocabulary.pretokenizer):  # but for the last space, Ġ is its spelling
        end = {"type": "Replace", "pattern": {"String": SUFFIX}, "content": spelled_bytes(END)}
        spelled = [end, *spelled, {"type": "Strip", "content": " ", "start": 0, "stop": 1}]
    steps = [*spelled, *unmark(vocabulary.pretokenizer)]
    return {"type": "Sequence", "decoders": steps} if len(steps) > 1 else steps[0]


def read_decoding(
    decoder: Mapping[str, Any] | None,
    vocabulary: Vocabulary,
    *,
    of_text: bool,
    fallback: bool,
    changed: bool = False,
    inside: str = "",
    normalized: bool = False,
) -> tuple[Decoding, list[str]]:
    """Returns what a decoder does beside joining tokens, and remarks on what is not done here.

    Parameters
    ----------
    decoder : mapping, optional
        The decoder of the file.
    vocabulary : Vocabulary
        What is read of the file.
    of_text : bool
        Whether its pieces are text.
    fallback : bool
        Whether all bytes are pieces, beside text.
    changed : bool
        Whether pieces are not what the file has: bytes, or spaces for ``▁``.
    inside : str
        The prefix of pieces inside a word.
    normalized : bool
        Whether the normalizer spells bytes as characters, also those of added tokens.
    """
    steps = [dict(step) for step in steps_of(decoder, "decoders")]
    kinds = [step.get("type") for step in steps]
    plain = Decoding()
    if decoder is None and not changed:
        there = Decoding("pieces" if of_text else "spelled_bytes", continuing=inside)
        remark = "it has no decoder: tokens are decoded with spaces between them, as in the library"
        return there, [remark]
    if inside and kinds == ["WordPiece"] and steps[0].get("prefix", PREFIX) == inside:
        return Decoding(continuing=inside, cleanup=bool(steps[0].get("cleanup", True))), []
    own = list(steps_of(write_decoder(vocabulary), "decoders"))
    spelled = not of_text or vocabulary.rule == "character_merges"
    if spelled and (_bare(steps) == _bare(own) or kinds == ["ByteLevel", "Fuse"]):
        return Decoding(shown={} if of_text else _added_bytes(vocabulary, normalized)), []
    if of_text and not inside and (found := _of_pieces(steps, vocabulary, fallback)) is not None:
        return found, []
    names = ", ".join(map(str, kinds)) if kinds else "none, which joins pieces by spaces"
    return plain, [f"its decoder ({names}) is not followed: ids become the text that they came of"]


def _added_bytes(vocabulary: Vocabulary, normalized: bool) -> dict[str, str]:
    """Returns what added tokens decode to that ByteLevel takes for spelled bytes.

    For DeepSeek Coder's ``õ`` that is U+FFFD.
    """
    pieces = {*vocabulary.id_of}
    found = {}
    for name, flags in vocabulary.special_flags.items():
        spelled = from_characters(name)
        # tokens that are special stay themselves: `skip_special` leaves them out
        if spelled is None or "added" not in flags or vocabulary.special[name] in pieces:
            continue
        if normalized and "normalized" in flags:  # its own bytes are spelled
            continue
        if spelled != name.encode():
            found[name] = spelled.decode("utf-8", "replace")
    return found


def _bare(steps: list[Any]) -> Steps:
    return [{key: step[key] for key in step if key not in _IGNORED} for step in steps]


def _of_pieces(steps: Steps, vocabulary: Vocabulary, fallback: bool) -> Decoding | None:
    """Returns what decoders of pieces that are text do; None where that is not known here."""
    kinds = [step.get("type") for step in steps]
    front = 0
    for place, step in enumerate(steps):
        kind = step.get("type")
        if kind == "Strip":
            after = "Fuse" in kinds[:place]  # else of each piece
            if not after or (step.get("content"), step.get("stop")) != (" ", 0):
                return None
            front += int(step.get("start", 0))
        elif not (kind in ("ByteFallback", "Fuse", "Metaspace") or step == _MARK):
            return None
    if not steps or fallback > ("ByteFallback" in kinds):  # bytes are shown as they are spelled
        return None
    style: Style = "byte_fallback" if fallback else "bytes"
    normal = Normalizer.of(vocabulary.normalizer)
    implied = 0 if normal is None else normal.front_spaces
    if "Metaspace" in kinds:
        return Decoding(style)
    front -= _puts_a_space(vocabulary.pretokenizer)
    if front < 0:
        return None
    return Decoding(style, front_spaces=None if front == implied else front)


def _puts_a_space(pretokenizer: str | None) -> bool:
    """Returns whether steps put a space in front of a text, which decoding always leaves out."""
    if pretokenizer is None or rule_names(pretokenizer):
        return False
    return any(step.prefix for step in read_steps(pretokenizer).steps)
