"""Writes the decoder of a tokenizer.json, and reads what it does besides joining tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...corpus.normalizers.normalizer import Normalizer
from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...corpus.pretokenizers.rules import rule_names
from ...corpus.pretokenizers.steps.read import read_steps
from ...corpus.symbols import text_of
from ...vocabulary.decoding import Decoding, Style
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import from_characters, pieces_of
from ..end_of_word import END, SUFFIX, ends_words
from ..splitting import steps_of, unmark
from .word_pieces import PREFIX, word_mark

_SPACE = "▁"
_IGNORED = ("add_prefix_space", "trim_offsets", "use_regex")  # of ByteLevel, whatever they are
Steps = list[dict[str, Any]]


def write_decoder(vocabulary: Vocabulary) -> dict[str, Any] | None:
    """Returns the decoder of a vocabulary; None if tokens are separated by spaces."""
    how = vocabulary.decoding
    of_text = word_mark(vocabulary) is not None or vocabulary.rule == "character_merges"
    if how.style == ("pieces" if of_text else "spelled_bytes"):
        return None
    steps = _joining(vocabulary)
    front = how.front_spaces
    if front is None and (normal := Normalizer.of(vocabulary.normalizer)) is not None:
        front = normal.front_spaces
    if front and steps[0]["type"] != "WordPiece":  # it leaves pieces apart, each with a space
        steps.append({"type": "Strip", "content": " ", "start": front, "stop": 0})
    return {"type": "Sequence", "decoders": steps} if len(steps) > 1 else steps[0]


def _joining(vocabulary: Vocabulary) -> Steps:
    """Returns the decoders that join a vocabulary's pieces, as they are written."""
    if word_mark(vocabulary) is not None:
        return [{"type": "WordPiece", "prefix": PREFIX, "cleanup": vocabulary.decoding.cleanup}]
    steps: Steps = [
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    ]
    if vocabulary.rule == "character_merges":
        steps = [{"type": "ByteFallback"}, {"type": "Fuse"}]
    if ends_words(vocabulary.pretokenizer):  # but for the last space, Ġ is its spelling
        end = {"type": "Replace", "pattern": {"String": SUFFIX}, "content": spelled_bytes(END)}
        steps = [end, *steps, {"type": "Strip", "content": " ", "start": 0, "stop": 1}]
    return [*steps, *unmark(vocabulary.pretokenizer)]


def read_decoding(
    decoder: Mapping[str, Any] | None,
    vocabulary: Vocabulary,
    *,
    of_text: bool,
    fallback: bool,
    changed: bool = False,
    spaced: bool = False,
    inside: str = "",
    normal: Normalizer | None = None,
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
        Whether bytes are pieces, beside text.
    changed : bool
        Whether pieces are not what the file has: bytes.
    spaced : bool
        Whether they have a space for each ``▁`` of the file.
    inside : str
        The prefix of pieces inside a word.
    normal : Normalizer, optional
        The library's normalizer; that of the vocabulary may write a space for ``▁``, too.
    normalized : bool
        Whether the normalizer spells bytes as characters, also those of added tokens.
    """
    steps = [dict(step) for step in steps_of(decoder, "decoders")]
    kinds = [step.get("type") for step in steps]
    plain = Decoding()
    found: Decoding | None
    if decoder is None and not (changed or spaced):
        found = Decoding("pieces" if of_text else "spelled_bytes", continuing=inside)
        remark = "it has no decoder: tokens are decoded with spaces between them, as in the library"
        return _with_added(found, [remark], vocabulary, normal, str)
    if inside and kinds == ["WordPiece"] and steps[0].get("prefix", PREFIX) == inside:
        found = Decoding(continuing=inside, cleanup=bool(steps[0].get("cleanup", True)))
        return _with_added(found, [], vocabulary, normal, str)
    stripped = [step for step in steps[-1:] if _letter(step, None) == "S"]
    joining = steps[:-1] if stripped else steps
    if not of_text and (
        _bare(joining) == _bare(_joining(vocabulary)) or kinds == ["ByteLevel", "Fuse"]
    ):
        front = sum(int(step.get("start", 0)) for step in stripped)
        implied = 0 if normal is None else normal.front_spaces
        how = Decoding(front_spaces=None if front == implied else front)
        return _with_added(how, [], vocabulary, normal, _unspelled, spelled=normalized)
    remarks: list[str] = []
    if of_text and not inside:
        found = _of_pieces(steps, vocabulary, fallback, spaced, remarks)
        if found is not None:
            shown = (lambda text: text.replace(_SPACE, " ")) if spaced else str
            return _with_added(found, remarks, vocabulary, normal, shown)
    names = ", ".join(map(str, kinds)) if kinds else "none, which joins pieces by spaces"
    return plain, [f"its decoder ({names}) is not followed: ids become the text that they came of"]


def _unspelled(text: str) -> str:
    """Returns what ByteLevel decodes a text to: for DeepSeek Coder's ``õ`` that is U+FFFD."""
    spelled = from_characters(text)
    return text if spelled is None else spelled.decode("utf-8", "replace")


def _with_added(
    how: Decoding,
    remarks: list[str],
    vocabulary: Vocabulary,
    normal: Normalizer | None,
    shown: Callable[[str], str],
    *,
    spelled: bool = False,
) -> tuple[Decoding, list[str]]:
    """Returns the rules with what added tokens decode to, and remarks.

    The library decodes an added token that is found in normalized text as it is found there.

    Parameters
    ----------
    how, remarks
        What is known.
    vocabulary : Vocabulary
        What is read of the file.
    normal : Normalizer, optional
        The library's normalizer.
    shown : callable
        What the decoder makes of a token.
    spelled : bool
        Whether the normalizer spells bytes as characters, too, which the decoder undoes.
    """
    pieces = {*vocabulary.id_of}
    texts: dict[str, str] = {}
    special = {
        name for name in vocabulary.special if "added" not in vocabulary.special_flags.get(name, ())
    }
    for name, number in vocabulary.special.items():
        flags = vocabulary.special_flags.get(name, ())
        in_normal = "normalized" in flags
        text = normal(name) if in_normal and normal is not None else name
        if number in pieces:
            if text != name:
                about = f"the added token {name!r} is decoded by the library as {text!r}"
                remarks = [*remarks, about]
            continue
        # there `skip_special_tokens` knows special tokens by their text
        found = spelled_bytes(text.encode()) if spelled and in_normal else text
        kept = "added" in flags or found != name
        if found != name and found in special:
            about = f"the added token {name!r} becomes {text!r}, which is a special token, in "
            about += "normalized text: the library leaves it out where it skips special tokens"
            remarks = [*remarks, about]
        text = text if spelled and in_normal else shown(text)
        if kept and (text != name or "added" not in flags):
            texts[name] = text
        elif text != name:
            remark = f"the special token {name!r} is decoded by the library as {text!r}"
            remarks = [*remarks, remark]
    return replace(how, shown=texts), remarks


def _bare(steps: list[Any]) -> Steps:
    return [{key: step[key] for key in step if key not in _IGNORED} for step in steps]


def _of_pieces(
    steps: Steps, vocabulary: Vocabulary, fallback: bool, spaced: bool, remarks: list[str]
) -> Decoding | None:
    """Returns what decoders of pieces that are text do; None where that is not known here."""
    name = vocabulary.pretokenizer
    known = () if name is None or rule_names(name) else read_steps(name).steps
    mark = _SPACE if spaced else _mark_in(unmark(name))
    order = "".join(_letter(step, mark) for step in steps)
    # spaces before a text is fused are those of each piece; marks behind are those of one
    if not re.fullmatch("(R?B?|BR)(FS*)?|B?FRS*|MB?F?|BM", order) or not steps:
        return None
    # bytes are shown as they are spelled, or marks
    if fallback > ("B" in order) or (mark is not None and not {"R", "M"} & {*order}):
        return None
    normal = Normalizer.of(vocabulary.normalizer)
    front = sum(int(step.get("start", 0)) for step in steps if step.get("type") == "Strip")
    if "M" in order and any(step.get("prepend_scheme", "always") != "never" for step in steps):
        front = 1
        here = " " if spaced else str(mark)
        texts = [text_of(piece) or "" for piece in pieces_of(vocabulary)]
        added = {*vocabulary.special, *map(normal or str, vocabulary.special)}
        if any(here in text[1:] for text in texts) or any(
            text.startswith(" ") or str(mark) in text[1:] for text in added
        ):
            remarks.append(
                f"its decoder (Metaspace) leaves out every {mark} of the first token and no space, "
                "partcover one of either"
            )
    # a space that is put in front of a text is always left out
    front -= any(step.prefix for step in known)
    if front < 0:
        return None
    implied = 0 if normal is None else normal.front_spaces
    style: Style = "byte_fallback" if fallback else "bytes"
    return Decoding(style, front_spaces=None if front == implied else front)


def _mark_in(decoders: Steps) -> str | None:
    """Returns the character that the steps of `unmark` make a space; None where there are none."""
    if not decoders:
        return None
    return str(decoders[0].get("replacement") or decoders[0]["pattern"]["String"])


def _letter(step: Mapping[str, Any], mark: str | None) -> str:
    """Returns a letter for what a decoder does; ? for what is not known here."""
    kind = step.get("type")
    if kind == "Replace" and (step.get("pattern"), step.get("content")) == ({"String": mark}, " "):
        return "R"
    if kind == "Metaspace" and step.get("replacement", _SPACE) == mark:
        return "M"
    if kind == "Strip" and (step.get("content"), step.get("stop")) == (" ", 0):
        return "S"
    return {"ByteFallback": "B", "Fuse": "F"}.get(str(kind), "?")
