"""Expresses pre-tokenizers as Hugging Face's tokenizer.json does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..corpus.pretokenizers.phrases import phrase_of, split_pattern
from ..corpus.pretokenizers.pretokenizer import Pretokenizer
from ..corpus.pretokenizers.published_patterns import DEEPSEEK
from ..corpus.pretokenizers.rules import rule_names
from ..corpus.pretokenizers.steps.read import read_steps, split_steps
from ..errors import InputError
from ..vocabulary.vocabulary import Vocabulary
from .given_up import GivenUp, split_otherwise

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
    base, _, mark = phrase_of(rule)[0].partition(":")
    return (mark or "Ġ") if base == "space-prefix" else None


def _pattern(rule: str) -> str | None:
    """Returns the pattern whose matches are a rule's words before it marks them; None for none."""
    base, _ = phrase_of(rule)
    return split_pattern("first-space" + rule.removeprefix(base) if _mark(rule) else rule)


def described(name: str) -> str:
    """Describes a pre-tokenizer in a remark: its name, and its marks for spaces."""
    rules = rule_names(name)
    if not rules:
        return _short(name)
    marks = [mark for rule in rules if (mark := _mark(rule))]
    return name + "".join(f" (a {mark} in its words is a space in the text)" for mark in marks)


def why_not(name: str | None, *, byte_level: bool = True) -> str | None:
    """Returns why a pre-tokenizer cannot be written; None where it can."""
    if name is None:
        return None
    try:
        given = Pretokenizer.from_name(name)
    except InputError as error:
        return str(error)
    for rule in rule_names(name):
        if rule not in ("none", "deepseek") and _pattern(rule) is None:
            return f"the words of {phrase_of(rule)[0]} are joined by no pattern"
    if any(len(_mark(rule) or "") > 1 for rule in rule_names(name)):
        return "Metaspace, which puts a mark for a space, takes one character"
    steps = given.steps.steps if given.steps else ()
    if given.steps and given.steps.joins > 1:
        return "no step of the library's joins words"
    if any(step.leaves_out for step in steps):
        return "only a model that has no pieces for them leaves parts of words out"
    if any(step.again or step.inside for step in steps):
        return "only a WordPiece model marks where words begin"
    if not byte_level and any(step.data["type"] == "ByteLevel" for step in steps):
        return "ByteLevel spells bytes as characters, and its pieces are text"
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
    if name is not None and not byte_level:  # ByteLevel's own pattern may be given as its step
        name = Pretokenizer.from_name(name).name
    if name == "gpt2" and byte_level:
        return {**_BYTES, "use_regex": True}
    for rule in rule_names(name):
        if (pattern := _pattern(rule)) is not None:
            steps.append(_split(pattern))
        elif rule == "deepseek":
            steps += split_steps(DEEPSEEK)["pretokenizers"]
        if (mark := _mark(rule)) is not None:
            # first split, then put the mark: a mark in the text itself is no place to split at
            scheme = {"prepend_scheme": "never", "split": False}
            steps.append({"type": "Metaspace", "replacement": mark, **scheme})
    if name is not None and not rule_names(name):
        # the model puts an end to words
        steps = [step.data for step in read_steps(name).steps if not step.suffix]
    if byte_level and all(step["type"] != "ByteLevel" for step in steps):
        steps.append(_BYTES)
    if not steps:
        return None
    return steps[0] if len(steps) == 1 else {"type": "Sequence", "pretokenizers": steps}


def patterns(name: str | None) -> list[tuple[str, str | None]] | None:
    """Returns for each rule the pattern whose matches are its words, and its mark for a space.

    None for a pre-tokenizer of steps, whose words are no matches.
    """
    rules = [rule for rule in rule_names(name) if rule != "none"]
    if name is not None and not rule_names(name):
        return None
    found = [(pattern, _mark(rule)) for rule in rules if (pattern := _pattern(rule)) is not None]
    return found if len(found) == len(rules) else None


def split_as(
    vocabulary: Vocabulary,
    lost: list[GivenUp],
    expressed: Callable[[str | None], object],
    reason: str,
) -> Vocabulary:
    """Returns a vocabulary whose pre-tokenizer a format has.

    ``expressed(name)`` returns None for those that it has not, for the `reason`; what is no
    pre-tokenizer here is given up, too.
    """
    try:
        Pretokenizer.from_name(vocabulary.pretokenizer or "none")
        if expressed(vocabulary.pretokenizer) is not None:
            return vocabulary
    except InputError as error:
        reason = str(error)
    return split_otherwise(vocabulary, lost, reason)


def unmark(name: str | None) -> list[dict[str, Any]]:
    """Returns the decoders that turn marks back into spaces."""
    if name is not None and not rule_names(name):
        return [s.data for s in read_steps(name).steps if s.data["type"] == "Metaspace"][:1]
    marks = [mark for rule in rule_names(name) if (mark := _mark(rule))]
    return [
        {"type": "Replace", "pattern": {"String": mark}, "content": " "} for mark in reversed(marks)
    ]


def steps_of(step: Any, inside: str) -> Iterator[Mapping[str, Any]]:
    """Yields the steps of a part of a tokenizer.json; `inside` names those of a Sequence."""
    if isinstance(step, Mapping) and isinstance(parts := step.get(inside), list):
        for part in parts:
            yield from steps_of(part, inside)
    elif step is not None:
        yield step


def read_splitting(data: dict[str, Any] | None) -> tuple[str | None, bool, list[str]]:
    """Reads the pre-tokenizer of a tokenizer.json.

    Returns
    -------
    tuple of str or None, bool, list of str
        Its name, or None where it is unknown here; whether ByteLevel is a part of it; remarks.
    """
    steps = steps_of(data, "pretokenizers")
    byte_level = any(step.get("type") == "ByteLevel" for step in steps)
    if data is None:
        return None, byte_level, []
    try:
        return Pretokenizer.from_steps(read_steps(data)).name, byte_level, []
    except InputError as error:
        why = str(error).removeprefix("a pre-tokenizer as JSON: ")
        remark = f"partcover does not have its pre-tokenizer ({why}): count words with its library"
        return None, byte_level, [remark]


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
