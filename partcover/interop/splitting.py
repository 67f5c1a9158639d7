"""Expresses pre-tokenizers as Hugging Face's tokenizer.json does."""

from __future__ import annotations

from typing import Any

from ..corpus.pretokenizers import PATTERNS, Pretokenizer
from ..errors import InputError

__all__ = ["described", "patterns", "read_splitting", "unmark", "why_not", "write_splitting"]

SPACED = " [^ ]*|[^ ]+"
_SPLITS = {"first-space": SPACED, "space": " |[^ ]+", "digit": r"\p{Nd}|\P{Nd}+", **PATTERNS}
# the later spelling of cl100k's pattern, which cuts the same: possessive where nothing is given
# back, and the last line feed of \s*[\r\n]+ found by \s* itself
_KNOWN = {pattern: name for name, pattern in _SPLITS.items()} | {
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|"
    r"\s*[\r\n]|\s+(?!\S)|\s+": "cl100k",
}
_BYTES = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": False,
}


def _split(pattern: str) -> dict[str, Any]:
    return {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }


def _mark(rule: str) -> str | None:
    """Returns the mark of a rule ``space-prefix``; None for another rule."""
    base, _, mark = rule.partition(":")
    return (mark or "Ġ") if base == "space-prefix" else None


def described(name: str) -> str:
    """Describes a pre-tokenizer in a remark: its name, and its marks for spaces."""
    marks = [mark for rule in name.split("+") if (mark := _mark(rule))]
    return name + "".join(f" (a {mark} in its words is a space in the text)" for mark in marks)


def why_not(name: str | None) -> str | None:
    """Returns why a pre-tokenizer cannot be written; None where it can."""
    if name is None:
        return None
    try:
        Pretokenizer.from_name(name)
    except InputError as error:
        return str(error)
    for rule in name.split("+"):
        if len(_mark(rule) or "") > 1:
            return "Metaspace, which puts a mark for a space, takes one character"
    return None


def write_splitting(name: str | None, *, byte_level: bool) -> dict[str, Any] | None:
    """Returns the JSON object of a pre-tokenizer that `why_not` allows.

    Parameters
    ----------
    name : str or None
        The pre-tokenizer.
    byte_level : bool
        Whether ByteLevel, which spells bytes as characters, follows it.
    """
    steps: list[dict[str, Any]] = []
    if name == "gpt2" and byte_level:
        return {**_BYTES, "use_regex": True}
    for rule in (name or "none").split("+"):
        if (mark := _mark(rule)) is not None:
            # first cut, then put the mark: a mark in the text itself is no place to cut
            steps.append(_split(SPACED))
            steps.append(
                {
                    "type": "Metaspace",
                    "replacement": mark,
                    "prepend_scheme": "never",
                    "split": False,
                }
            )
        elif rule != "none":
            steps.append(_split(_SPLITS[rule]))
    if byte_level:
        steps.append(_BYTES)
    if not steps:
        return None
    return steps[0] if len(steps) == 1 else {"type": "Sequence", "pretokenizers": steps}


def patterns(name: str | None) -> list[tuple[str, str | None]]:
    """Returns for each rule the pattern whose matches are its words, and its mark for a space."""
    rules = [rule for rule in (name or "none").split("+") if rule != "none"]
    return [(SPACED if _mark(rule) else _SPLITS[rule], _mark(rule)) for rule in rules]


def unmark(name: str | None) -> list[dict[str, Any]]:
    """Returns the decoders that turn marks back into spaces."""
    marks = [mark for rule in (name or "").split("+") if (mark := _mark(rule))]
    return [
        {"type": "Replace", "pattern": {"String": mark}, "content": " "} for mark in reversed(marks)
    ]


def read_splitting(data: dict[str, Any] | None) -> tuple[str | None, bool, list[str]]:
    """Reads the pre-tokenizer of a tokenizer.json.

    Returns
    -------
    tuple of str or None, bool, list of str
        Its name, or None where it is unknown here; whether it ends in ByteLevel; remarks.
    """
    steps = _flat(data)
    byte_level = bool(steps) and steps[-1].get("type") == "ByteLevel"
    remarks: list[str] = []
    names: list[str | None] = []
    for step in steps[:-1] if byte_level else steps:
        names.append(_name(step, names))
    if byte_level:
        if steps[-1].get("add_prefix_space", True):
            remarks.append("a space is put before every text there, not here")
        if steps[-1].get("use_regex", True):
            names.append("gpt2")
    if None in names:
        step = steps[names.index(None)]
        remarks.append(
            f"the pre-tokenizer is not known here ({_shown(step)}): count words with its library"
        )
        return None, byte_level, remarks
    kept = [name for name in names if name]
    return "+".join(kept) or ("none" if byte_level else None), byte_level, remarks


def _flat(data: dict[str, Any] | None) -> list[dict[str, Any]]:
    if data is None:
        return []
    if data.get("type") == "Sequence":
        return [step for part in data.get("pretokenizers", []) for step in _flat(part)]
    return [data]


def _name(step: dict[str, Any], before: list[str | None]) -> str | None:
    """Returns the rule of one step; empty for one that belongs to the step before, as a mark."""
    kind = step.get("type")
    if kind == "Split":
        behaviour = (step.get("behavior"), step.get("invert", False))
        if behaviour in (("Isolated", False), ("Removed", True)):
            return _KNOWN.get(step.get("pattern", {}).get("Regex"))
    marks = kind == "Metaspace" and step.get("prepend_scheme") == "never"
    if marks and not step.get("split", True) and before[-1:] == ["first-space"]:
        mark = step.get("replacement")
        before[-1] = "space-prefix" if mark == "Ġ" else f"space-prefix:{mark}"
        return ""
    return None


def _shown(step: dict[str, Any]) -> str:
    pattern = step.get("pattern")
    text = next(iter(pattern.values()), "") if isinstance(pattern, dict) else ""
    shown = f"{step.get('type')} {text}".strip()
    return shown if len(shown) <= 60 else shown[:59] + "…"
