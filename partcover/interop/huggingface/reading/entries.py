"""Reads the entries of a model and the added tokens, whatever the model."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ....errors import InputError
from ....runtime.arguments import counted, shown
from ....vocabulary.vocabulary import Vocabulary
from ...byte_level import from_characters
from ..spelling import FREE

Spell: TypeAlias = Callable[[str], bytes | None]
_FOUND = ("single_word", "lstrip", "rstrip", "normalized")
BYTE = re.compile(r"<0x([0-9A-F]{2})>")
MARK = "▁"


def special_of(data: dict[str, Any], *, spelled: bool) -> dict[str, int]:
    """Returns the added tokens and their ids; those that merges make too are left out.

    Parameters
    ----------
    data : dict
        The file.
    spelled : bool
        Whether the model spells bytes as characters.
    """
    made = made_tokens(data["model"])
    vocab = data["model"]["vocab"]
    ids = vocab if isinstance(vocab, dict) else {text: n for n, (text, _) in enumerate(vocab)}
    special: dict[str, int] = {}
    for entry in data.get("added_tokens") or []:
        text = entry["content"]
        byte = from_characters(text) if spelled and len(text) == 1 and text in ids else None
        if byte is not None and byte != text.encode("utf-8"):
            raise InputError(
                f"its added token {text!r} is spelled like the byte "
                f"0x{byte[0]:02X}: both would have the same id"
            )
        if text not in made:  # the id in the model goes first, if it is there too
            special[text] = checked_id(text, ids.get(text, entry["id"]))
    return special


def flags_of(
    added: Iterable[Mapping[str, Any]], special: Mapping[str, int]
) -> dict[str, list[str]]:
    """Returns how special tokens are found in a text, of entries as in `added_tokens`."""
    flags: dict[str, list[str]] = {}
    for entry in added:
        found = [flag for flag in _FOUND if entry.get(flag)]
        if not entry.get("special"):
            found.append("added")
        flags[entry["content"]] = found  # of those listed twice, the last
    return {text: found for text, found in flags.items() if found and text in special}


def as_numbered(data: dict[str, Any], remarks: list[str]) -> dict[str, Any]:
    """Returns the content of a file with the ids that the library gives to added tokens.

    It ignores those in the file, and numbers the tokens that the model does not have one by one,
    from the size of the model on.
    """
    vocab, added = data["model"]["vocab"], data.get("added_tokens") or []
    ids = vocab if isinstance(vocab, dict) else {text: n for n, (text, _) in enumerate(vocab)}
    new: dict[str, int] = {}
    for entry in added:
        if entry["content"] not in ids:
            checked_id(entry["content"], entry["id"])
            new.setdefault(entry["content"], len(vocab) + len(new))
    other = [entry for entry in added if new.get(entry["content"], entry["id"]) != entry["id"]]
    if not other:
        return data
    text, before = other[0]["content"], other[0]["id"]
    what = (
        f"the added token {text!r} has the id {before} in the file: the library, which numbers "
        f"added tokens in turn, gives it {new[text]}"
    )
    if len(other) > 1:
        what = (
            f"{len(other):,} added tokens have other ids in the library, which numbers them in "
            f"turn: {text!r} has {new[text]} there, and {before} in the file"
        )
    if not {*ids.values()}.isdisjoint(new.values()):
        remarks.append(f"{what}; other tokens have such ids, so partcover takes those of the file")
        return data
    remarks.append(what)
    listed = [{**entry, "id": new.get(entry["content"], entry["id"])} for entry in added]
    return {**data, "added_tokens": listed}


def made_tokens(model: dict[str, Any]) -> set[str]:
    """Returns the tokens of a BPE model's merges, as they are spelled."""
    pairs = map(sides_of, model.get("merges") or [])
    return {text for left, right in pairs for text in (left, right, left + right)}


def sides_of(merge: Any) -> Sequence[str]:
    """Returns the two sides of a merge, which older files write with a space between."""
    sides: Sequence[str] = merge.split(" ") if isinstance(merge, str) else merge
    if len(sides) != 2:
        raise InputError(f"its merge {shown(' '.join(map(str, sides)))} does not have two parts")
    return sides


def checked_id(text: str, value: Any) -> int:
    """Returns the id of a piece; raises an error if it is none."""
    if type(value) is not int or not 0 <= value < 2**31:
        raise InputError(
            f"the id of {text!r} is {value!r}, which is not a whole number from 0 to 2^31 - 1"
        )
    return value


def checked_score(text: str, value: Any) -> float:
    """Returns the score of a piece; raises an error if it is no finite number."""
    if type(value) not in (int, float) or not -sys.float_info.max <= value <= sys.float_info.max:
        raise InputError(f"the score of {text!r} is {value!r}, which is not a finite number")
    return float(value)


def entries_of(
    vocab: Mapping[str, int], special: Mapping[str, int], spell: Spell = from_characters
) -> dict[bytes, int]:
    """Returns the pieces of a model and their ids, without special tokens and placeholders.

    What does not stand for bytes is left out: no text becomes it (`other_entries`).
    """
    pieces: dict[bytes, int] = {}
    for text, number in vocab.items():
        if text in special or FREE.fullmatch(text) or not text:
            continue
        if (piece := spell(text)) is not None:
            pieces[piece] = checked_id(text, number)
    return pieces


def other_entries(
    vocab: Mapping[str, int], special: Mapping[str, int], spell: Spell, remarks: list[str]
) -> dict[int, bytes]:
    """Returns the ids of pieces that do not stand for bytes, and what they decode to there."""
    texts = [t for t in vocab if t and t not in special and not FREE.fullmatch(t)]
    others = {checked_id(t, vocab[t]): t.encode() for t in texts if spell(t) is None}
    if others:
        first = next(iter(others.values())).decode()
        if len(others) == 1:
            what = f"1 token does not stand for bytes, {first!r}; it is unreachable, and its id"
            remarks.append(f"{what} only decodes")
        else:
            remarks.append(
                f"{len(others):,} tokens do not stand for bytes, such as {first!r}; they are "
                "unreachable, and their ids only decode"
            )
    return others


def vocabulary_of(
    use: dict[str, Any], special: Mapping[str, int], pretokenizer: str | None, remarks: list[str]
) -> Vocabulary:
    """Makes the vocabulary; remarks are added on bytes without an id.

    Parameters
    ----------
    use : dict
        ``pieces``, the id of each; maybe ``order``, the tokens by rank, and ``scores``, one for
        each piece; the rest are arguments of `Vocabulary`.
    special : dict
        The id of each special token.
    pretokenizer : str or None
        The name of the pre-tokenizer.
    remarks : list of str
        What the vocabulary does not hold.
    """
    pieces: dict[bytes, int] = use.pop("pieces")
    order: list[bytes] = use.pop("order", None) or sorted(pieces, key=pieces.__getitem__)
    tokens = [piece for piece in order if len(piece) > 1]
    singles = [pieces.get(bytes([byte]), -1) for byte in range(256)]
    if missing := singles.count(-1):
        remarks.append(f"{counted(missing, 'byte', 'has', 'have')} no id")
    ids = [*singles, *map(pieces.__getitem__, tokens)]
    scores: dict[bytes, float] | None = use.pop("scores", None)
    if scores is not None:
        use["scores"] = [scores[token] for token in tokens]
        use["symbol_scores"] = _given({p: s for p, s in scores.items() if len(p) == 1}, scores)
    return Vocabulary(
        tokens,
        pretokenizer=pretokenizer,
        ids=None if ids == list(range(len(ids))) else ids,
        special=special,
        **use,
    )


def _given(singles: dict[bytes, float], scores: Mapping[bytes, float]) -> dict[bytes, float]:
    """Returns the scores of symbols that are not the default, the lowest of all others − 10."""
    lowest = min(scores.values(), default=0.0)
    others = [score for score in scores.values() if score != lowest]
    if others and min(others) - 10 == lowest:
        return {symbol: score for symbol, score in singles.items() if score != lowest}
    return singles
