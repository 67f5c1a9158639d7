"""Keeps the other keys of a GGUF file, so that a changed vocabulary can be written into it."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...errors import InputError
from ...vocabulary.vocabulary import Vocabulary
from ..huggingface.origin import origin_in as _origin_in
from ..huggingface.origin import use_of
from ..sentencepiece.proto import NORMAL
from .container import Value, is_numbers

# what is written anew
_LISTS = ("tokens", "scores", "token_type", "merges")
_ID = re.compile(r"tokenizer\.ggml\.\w+_token_id")
_SUPPRESSED = "tokenizer.ggml.suppress_tokens"
_HUGGINGFACE = "tokenizer.huggingface.json"
_LARGEST = 1 << 22  # bytes of a value that is kept
#: Returns what a vocabulary's file held besides, if it is still used so, and remarks.
origin_in = partial(_origin_in, part="keys", file="GGUF file")


def origin_of(
    keys: Mapping[str, Value], n_tensors: int, texts: Sequence[str], vocabulary: Vocabulary
) -> dict[str, Any]:
    """Returns what else a file holds, in a form for JSON.

    Parameters
    ----------
    keys : dict
        The keys of the file.
    n_tensors : int
        How many tensors it has.
    texts : sequence of str
        Its tokens, as they are spelled.
    vocabulary : Vocabulary
        What was read of it.
    """
    lists = {f"tokenizer.ggml.{name}": name for name in _LISTS}
    kept: list[list[str | None]] = []
    for name, value in keys.items():
        raw = b"" if name in lists else value.raw
        if len(raw) <= _LARGEST:
            kept.append([name, None if name in lists else base64.b64encode(raw).decode()])
    named = {
        name: texts[value.content]
        for name, value in keys.items()
        if _ID.fullmatch(name) and _is_place(value.content, len(texts))
    }
    suppressed = keys.get(_SUPPRESSED)
    taken = {*vocabulary.id_of, *vocabulary.special.values(), *vocabulary.decode_only}
    free = [number for number in range(len(texts)) if number not in taken]
    origin: dict[str, Any] = {"keys": kept, "named": named, "use": use_of(vocabulary)}
    if suppressed is not None and is_numbers(suppressed):
        origin["suppressed"] = [
            texts[number] for number in suppressed.content.tolist() if _is_place(number, len(texts))
        ]
    if free:
        origin["free"] = {str(number): texts[number] for number in free}
    if n_tensors:
        origin["tensors"] = n_tensors
    scores, types = (keys.get(f"tokenizer.ggml.{name}") for name in ("scores", "token_type"))
    if scores is not None and is_numbers(scores) and len(scores.content):
        listed = scores.content.tolist()
        by_score = vocabulary.rule == "character_merges" and vocabulary.merges is None
        origin["score"] = 0.0 if by_score else Counter(listed).most_common(1)[0][0]
        origin["scores"] = {
            text: score
            for text, score in zip(texts, listed, strict=False)
            if by_score or score != origin["score"]
        }
        if vocabulary.scores is not None:  # which the vocabulary holds itself
            own = {*vocabulary.special, *(texts[number] for number in free)}
            origin["score"] = 0.0
            origin["scores"] = {
                text: score for text, score in zip(texts, listed, strict=False) if text in own
            }
    if types is not None and is_numbers(types):
        origin["types"] = {
            text: number
            for text, number in zip(texts, types.content.tolist(), strict=False)
            if number != NORMAL or text in vocabulary.special
        }
    return origin


def _is_place(content: Any, size: int) -> bool:
    return isinstance(content, int) and not isinstance(content, bool) and 0 <= content < size


def kept_keys(origin: Mapping[str, Any]) -> dict[str, Value | None]:
    """Returns the keys of the file in their order; None for the values that are written anew.

    Raises
    ------
    AttributeError, LookupError, TypeError, ValueError
        If what was kept is damaged.
    """
    try:
        return {
            str(name): None if raw is None else Value.from_raw(base64.b64decode(raw, validate=True))
            for name, raw in origin["keys"]
        }
    except InputError as error:
        raise ValueError(str(error)) from None


def numbers_of(
    origin: Mapping[str, Any], keys: dict[str, Value | None], number_of: Mapping[str, int]
) -> list[str]:
    """Puts the ids that tokens have now into the keys that name them, and returns remarks.

    Parameters
    ----------
    origin : mapping
        What the file held besides.
    keys : dict
        Its keys.
    number_of : mapping
        The ids of the tokens, as they are spelled.
    """
    remarks = []
    for name, text in origin.get("named", {}).items():
        kind = keys[name].kind  # type: ignore[union-attr]
        if text in number_of:
            keys[name] = Value(kind, number_of[text])
        else:
            del keys[name]
            remarks.append(f"{name} is left out, because the token {text!r} was removed")
    if keys.get(_SUPPRESSED) is not None and "suppressed" in origin:
        left = [number_of[text] for text in origin["suppressed"] if text in number_of]
        keys[_SUPPRESSED] = Value.of_numbers(left, "<i4")
    if keys.pop(_HUGGINGFACE, None) is not None:
        remarks.append(f"{_HUGGINGFACE} is left out, because it has the old vocabulary")
    for name, value in keys.items():
        if name.endswith(".vocab_size") and value is not None and isinstance(value.content, int):
            keys[name] = Value(value.kind, max(number_of.values()) + 1)
    return remarks
