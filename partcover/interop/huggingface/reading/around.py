"""Finds what a tokenizer.json does to a text before and after its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....corpus.normalizers.normalizer import Normalizer
from ....corpus.pretokenizers.oniguruma import translated
from ....corpus.pretokenizers.pretokenizer import Pretokenizer
from ....corpus.pretokenizers.steps.pattern_programs import may_be_empty
from ....corpus.pretokenizers.steps.read import read_steps
from ....errors import InputError
from ....vocabulary.vocabulary import Vocabulary
from ...splitting import steps_of
from ...whole_texts import marking_steps
from ..normalizer import normalizer_of
from ..word_pieces import PREFIX

# steps of normalizers that may write several characters for one
_LONGER = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Prepend", "Precompiled", "BertNormalizer"}

# steps that write all of a text anew, as the library keeps track of it
_REWRITES = _LONGER - {"Prepend"} | {"Strip", "StripAccents", "Nmt", "ByteLevel"}


def not_carried(data: Mapping[str, Any], left_out: Sequence[str]) -> list[str]:
    """Returns remarks on what is not carried; `left_out` are added tokens that merges make."""
    remarks = []
    if left_out:
        remarks.append(
            f"{len(left_out):,} special tokens, such as {left_out[0]!r}, are ordinary tokens, "
            "because merges can build them; the library splits text at them first"
        )
    steps = steps_of(data.get("post_processor"), "processors")
    if names := ", ".join(str(step.get("type")) for step in steps if _adds(step)):
        remarks.append(
            f"not converted: post-processor ({names}), which puts tokens around every text"
        )
    if truncation := data.get("truncation"):
        remarks.append(f"not converted: truncation after {truncation.get('max_length')} tokens")
    if data.get("padding"):
        remarks.append("not converted: padding")
    return remarks


def first_word(data: Mapping[str, Any]) -> list[str]:
    """Returns a remark if another word may be the first of a text there.

    Metaspace, with the scheme ``first``, marks the words that stand for the begin of the text
    before it was normalized: none if that was removed, and several if it became several.
    """
    try:
        steps = read_steps(data.get("pre_tokenizer") or {"type": "Sequence", "pretokenizers": []})
    except InputError:
        return []  # no text is split
    last = max((n for n, step in enumerate(steps.steps) if step.only_first), default=None)
    if last is None or (normal := Normalizer.of(normalizer_of(data))) is None:
        return []
    # in front of what no mark is put
    begun = steps.steps[last].prefix
    if all(step.replacement is None for step in steps.steps[:last]):
        begun += " "
    is_split = any(step.cut for step in steps.steps[:last])
    names = [
        step["type"]
        for step in normal.steps
        if _moves_begin(step, begun) or (is_split and _may_lengthen(step))
    ]
    if not names:
        return []
    named = ", ".join(dict.fromkeys(names))
    remark = (
        "its pre-tokenizer puts a mark in front of the first word alone (prepend_scheme: first): "
        f"where its normalizer ({named}) removes or expands the first characters of a text, the "
        "library may mark no word, or several"
    )
    return [remark]


def written_twice(data: Mapping[str, Any]) -> list[str]:
    """Returns a remark if the library may write twice what its normalizer puts in front of a text.

    To the library, what replaces nothing there belongs to no character: a later step keeps it, and
    writes it once more with the text behind it, if it does not fail.
    """
    steps = [*steps_of(data.get("normalizer"), "normalizers")]
    later = [*steps, *steps_of(data.get("pre_tokenizer"), "pretokenizers")]
    for place, step in enumerate(steps, 1):
        pattern = step.get("pattern", {}).get("Regex")
        kinds = [after["type"] for after in later[place:] if after.get("type") in _REWRITES]
        if pattern and step["content"] and kinds and may_be_empty(translated(pattern)):
            remark = (
                f"its normalizer replaces {pattern!r}, which may match nothing at the start of a "
                f"text: there the library may write the replacement twice, or fail, in {kinds[0]}"
            )
            return [remark]
    return []


def found_otherwise(data: Mapping[str, Any], vocabulary: Vocabulary, *, spelled: bool) -> list[str]:
    """Returns remarks on added tokens that the library finds elsewhere in normalized text.

    `spelled` tells that its bytes are spelled as characters before.
    """
    added = {entry["content"] for entry in data.get("added_tokens") or []}
    remarks = [
        f"the special token {name!r} is no added token: the library does not find it in a text, "
        "and does not leave it out where it skips special tokens"
        for name in vocabulary.special
        if name not in added
    ]
    normal = Normalizer.of(vocabulary.normalizer)
    mark = "Ġ" if spelled else "▁" if marking_steps(data) is not None else ""
    marked_later = mark == "▁" and (data.get("pre_tokenizer") or {}).get("type") == "Metaspace"
    first: dict[str, str] = {}
    for name, flags in vocabulary.special_flags.items():
        if "normalized" not in flags:
            continue
        text = name if normal is None else normal(name)
        if first.setdefault(text, name) != name:
            remarks.append(
                f"the added tokens {first[text]!r} and {name!r} are the same in normalized text: "
                "the library takes either, not always the same one"
            )
        if not text:
            remarks.append(
                f"nothing is left of the added token {name!r} in normalized text: the library "
                "finds it between any two characters"
            )
        elif mark and {"lstrip", "rstrip"} & {*flags}:
            remarks.append(
                f"the added token {name!r} includes the spaces beside it in normalized text, where "
                f"the library has {mark} for them, which it does not include"
            )
        elif marked_later and not {" ", "▁"}.isdisjoint(text):
            remarks.append(
                f"the added token {name!r} has a space or ▁ in normalized text: the library, which "
                "writes ▁ for spaces later (Metaspace), does not find one for the other"
            )
        elif spelled and "single_word" in flags:
            remarks.append(
                f"the added token {name!r} is a single word beside spaces in normalized text, "
                f"where the library has {mark} for them, a letter"
            )
    return remarks


def made_otherwise(data: Mapping[str, Any], vocabulary: Vocabulary) -> list[str]:
    """Returns a remark on added tokens that the library's model makes where they are not found."""
    model = data["model"]
    vocab = model["vocab"]
    pieces = vocab.keys() if isinstance(vocab, dict) else {text for text, _ in vocab}
    by_merges = "merges" in model and not model.get("ignore_merges")
    normal = Normalizer.of(vocabulary.normalizer)
    kept = set(vocabulary.id_of)  # pieces here, too
    splits = Pretokenizer.from_name(vocabulary.pretokenizer or "none").split
    flags = vocabulary.special_flags
    later = {name for name in flags if "normalized" in flags[name]}  # in normalized text
    spelled = {
        name: normal.of_token(name) if normal is not None and name in later else name
        for name in vocabulary.special
    }
    # tokens that may be passed over, and others with them
    single = [name for name in flags if "single_word" in flags[name]]
    as_text = [name for name in vocabulary.special if "added" not in flags.get(name, ())]
    marks = [
        step.get("replacement", "▁")
        for step in steps_of(data.get("pre_tokenizer"), "pretokenizers")
        if step.get("type") == "Metaspace"
    ]
    word_pieces = model.get("type") == "WordPiece"
    prefix = model.get("continuing_subword_prefix", PREFIX) if word_pieces else ""

    def continues(name: str) -> bool:
        """Returns whether it is a piece inside words, which stands there without its prefix."""
        return bool(prefix) and name.startswith(prefix) and name != prefix

    def otherwise(name: str) -> bool:
        """Returns whether a word may have it where it is not found in a text."""
        hiding = [*single, *as_text] if "added" in flags.get(name, ()) else single
        if any(
            (name in later) == (other in later) and _hides(spelled[other], spelled[name])
            for other in hiding
        ) or any(mark in name for mark in marks):
            return True
        # the normalizer may write it, or something else for it
        return normal is not None and (name not in later or normal(name) != name)

    names = [
        name
        for name, number in vocabulary.special.items()
        if name in pieces
        and number not in kept
        and not (by_merges and len(name) > 1)  # no merge makes it
        # inside a word, or if the model is given it whole
        and (continues(name) or (otherwise(name) and len(splits(name)) <= 1))
    ]
    if not names:
        return []
    which = f"the added token {names[0]!r} is a piece"
    if len(names) > 1:
        which = f"{len(names):,} added tokens, such as {names[0]!r}, are pieces"
    remark = (
        f"{which} of the model, too: where the library does not find it in a text (single_word, "
        "inside a special token that is ordinary text, or without the prefix of pieces inside "
        "words), or it is written later (normalizer, Metaspace), its model may still make it"
    )
    return [remark]


def _hides(other: str, text: str) -> bool:
    """Returns whether a text is not looked for where another is passed over."""
    overlaps = any(
        other.startswith(text, at) or text.startswith(other[at:]) for at in range(1, len(other))
    )
    return overlaps or other.startswith(text)  # of several that begin at a place the longest


def _moves_begin(step: Mapping[str, Any], begun: str) -> bool:
    """Returns whether a text may begin with what did not stand at its begin before the step.

    Characters that are `begun` do not count: nothing is put in front of them.
    """
    kind = step["type"]
    if kind == "Replace":
        # what is written stands where the last character did
        longer = len(step["pattern"].get("String", "  ")) > 1
        return not step["content"] or (longer and step["content"][0] not in begun)
    if kind == "BertNormalizer":
        bare = step["lowercase"] if step["strip_accents"] is None else step["strip_accents"]
        return bool(step["clean_text"] or bare)
    return kind in ("StripAccents", "Nmt") or (kind == "Strip" and bool(step["strip_left"]))


def _may_lengthen(step: Mapping[str, Any]) -> bool:
    """Returns whether a step may write several characters for the first."""
    if step["type"] == "Replace":
        return "Regex" in step["pattern"] or len(step["content"]) > 1
    return step["type"] in _LONGER


def _adds(step: Mapping[str, Any]) -> bool:
    """Returns whether a step of a post-processor adds tokens."""
    if step.get("type") == "TemplateProcessing":
        pieces = [*step.get("single", []), *step.get("pair", [])]
        return any("SpecialToken" in piece for piece in pieces)
    return step.get("type") != "ByteLevel"
