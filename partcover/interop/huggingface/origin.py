"""Knows what a vocabulary keeps of the tokenizer.json that it came from, and of files beside it.

What reading finds (`reading.rest`) is a part of the vocabulary's provenance: the text of the
tokenizer.json without most pieces and merges (`layout`), how its pieces are spelled, and the texts
of the files beside it.  A vocabulary that was made of it, by `extend` or `prune`, carries it on.
Writing (`writing.into`) puts the new pieces, merges and added tokens in, and their ids wherever the
rest names them; all else stays as it was, to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...corpus import symbols as sym
from ...corpus.pretokenizers.rules import rule_names
from ...corpus.pretokenizers.steps.read import leaving_out
from ...vocabulary.vocabulary import Vocabulary
from ..origin import kept_origin
from ..splitting import steps_of
from .layout import parsed
from .spelling import own_speller
from .word_pieces import without_prefix

CONFIG = "tokenizer_config.json"
#: The files beside a tokenizer.json that are kept.
KEPT = (CONFIG, "special_tokens_map.json", "chat_template.jinja", "chat_template.json")
_NUMBER = re.compile(r"[0-9]{1,9}")
_PART = "tokenizer"
_USE = ("rule", "pretokenizer", "normalizer")
_ROLES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


def origin_in(
    vocabulary: Vocabulary, part: str = _PART, file: str = "tokenizer.json"
) -> tuple[dict[str, Any] | None, list[str]]:
    """Returns what a vocabulary's file held besides, if it is still used so, and remarks."""
    given = kept_origin(vocabulary, part)
    if not given:
        return None, []
    if given.get("use") != use_of(vocabulary):
        why = "because the vocabulary is used in another way than in that file"
        return None, [f"other contents of its {file} are left out, {why}"]
    return dict(given), []


def tokenizer_in(vocabulary: Vocabulary) -> Mapping[str, Any]:
    """Returns the tokenizer.json that a vocabulary is written into, without most pieces, or {}."""
    try:
        return mapping(content_of((origin_in(vocabulary)[0] or {}).get(_PART, "{}")))
    except (TypeError, ValueError, RecursionError):
        return {}  # damaged: writing it says so


def settings_ids(vocabulary: Vocabulary) -> dict[str, int]:
    """Returns the tokens that only the settings beside a tokenizer.json name, with their ids.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.interop.huggingface.origin import settings_ids
    >>> entries = '{"256": {"content": "<s>"}, "300": {"content": "<user>"}}'
    >>> files = {"tokenizer_config.json": f'{{"added_tokens_decoder": {entries}}}'}
    >>> origin = {"tokenizer": "{}", "files": files}
    >>> settings_ids(Vocabulary([], special=["<s>"], provenance={"origin": origin}))
    {'<user>': 300}
    """
    origin = kept_origin(vocabulary, _PART)
    try:
        listed = mapping(settings_of(origin).get("added_tokens_decoder"))
        renamed = mapping(origin.get("renames"))
    except (AttributeError, TypeError, ValueError, RecursionError):
        return {}  # damaged: writing it says so
    taken = {*vocabulary.id_of, *vocabulary.special.values(), *vocabulary.decode_only}
    found: dict[str, int] = {}
    for number, entry in listed.items():
        if not isinstance(entry, Mapping) or number in renamed or not _NUMBER.fullmatch(number):
            continue
        text = entry.get("content")
        if isinstance(text, str) and text and text not in vocabulary.special:
            found[text] = int(number)
    return {text: number for text, number in found.items() if number not in taken}


def needed_pieces(vocabulary: Vocabulary) -> list[sym.Token]:
    """Returns the tokens that the rest of its files names, though no text need have them.

    The template, the padding and the roles of tokens in the settings name some, and the settings
    may rename others.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.interop.huggingface.origin import needed_pieces
    >>> rest = '{"post_processor": {"cls": ["<s>", 256]}, "padding": null}'
    >>> origin = {"tokenizer": rest, "spelling": {"bytes": True}}
    >>> needed_pieces(Vocabulary(["<s>", "th"], provenance={"origin": origin}))
    [b'<s>']
    """
    origin = kept_origin(vocabulary, _PART)
    if not origin:
        return []
    try:
        rest = content_of(origin["tokenizer"])
        named = _templated(rest.get("post_processor"))
        if isinstance(padding := rest.get("padding"), Mapping):
            named.add(padding["pad_token"])
        config = settings_of(origin)
        for role in _ROLES:
            value = config.get(f"{role}_token")
            named.add(value.get("content") if isinstance(value, Mapping) else value)
        named.update(mapping(origin.get("renames")).values())
        named -= {*vocabulary.special}
        spell = own_speller(origin["spelling"], vocabulary)
        return [token for token in vocabulary.tokens if spell(token) in named]  # type: ignore[arg-type]
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, RecursionError):
        return []  # damaged: writing it says so


def _templated(post_processor: Any) -> set[Any]:
    """Returns the tokens that a post-processor names."""
    named: set[Any] = set()
    for step in steps_of(post_processor, "processors"):
        named.update(step[key][0] for key in ("sep", "cls") if isinstance(step.get(key), list))
        if isinstance(tokens := step.get("special_tokens"), Mapping):
            named.update(token for entry in tokens.values() for token in entry["tokens"])
    return named


def use_of(vocabulary: Vocabulary) -> dict[str, Any]:
    """Returns what must not change if a vocabulary is to fit into the file that it came from."""
    unknown = vocabulary.unknown
    return {
        **{name: getattr(vocabulary, name) for name in _USE},
        # what depends on the pieces changes with them
        "pretokenizer": _without_pieces(vocabulary.pretokenizer),
        "unknown": None if unknown is None else unknown.to_json(),
    }


def _without_pieces(pretokenizer: str | None) -> str | None:
    """Returns the pre-tokenizer without the steps that depend on the pieces."""
    name = leaving_out(pretokenizer)
    return name if name is None or rule_names(name) else without_prefix(name)


def settings_of(origin: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the content of the settings beside a tokenizer.json."""
    return mapping(content_of(origin.get("files", {}).get(CONFIG, "{}")))


@lru_cache(maxsize=4)
def content_of(text: str) -> Any:
    """Returns what the text of a file says, which is not to be changed."""
    return parsed(text)


def mapping(value: Any) -> Mapping[str, Any]:
    """Returns a JSON object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}
