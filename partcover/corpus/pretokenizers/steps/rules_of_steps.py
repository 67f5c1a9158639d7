"""Finds the rules that split as steps do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....kernels.words import _word_ends, _word_table
from ....runtime.patterns import regex
from ...files.joining import ALL_WORDS
from ..oniguruma import translated
from ..phrases import APART, name_of_pattern, phrase_of
from ..published_patterns import CLIP, CUTTING, DEEPSEEK, NAME_OF_SPLIT, PATTERNS, SPACE_RUNS
from ..rules import PRETOKENIZER_RULES, WORD_END, PretokenizerRule, joining, pattern_rule
from ..unicode_tables import compiled
from .compiled_steps import CompiledSteps
from .read import PHRASES, split_steps
from .step import Step, Steps

# One class of characters, once or several times.
_CLASS = (
    r"(\\[pP]\{\^?\w+\}|\\d|\[(?!\^)(?:[^\[\]\\&]|\\p\{\w+\})*\])(?:\+|\{[0-9]+(?:,[0-9]+)?\})?"
)

_WHITE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

# steps that have no name, and are run in compiled code
_SPACE_RUNS = pattern_rule(SPACE_RUNS, _word_table.NOWHERE, _word_ends.SPACE_RUNS)

# what other steps are run over where they allow it
_AFTER_WORDS = pattern_rule(
    r"(?s).+?(?:(?<=\S)(?= )|\Z)", _word_table.NOWHERE, _word_ends.AFTER_WORD_SPACE
)


def rules_of_steps(steps: Steps) -> tuple[PretokenizerRule, ...]:
    """Returns the rules of steps that have no names."""
    if [step.data for step in steps.steps] == split_steps([SPACE_RUNS])["pretokenizers"]:
        return (_SPACE_RUNS,)
    programs = CompiledSteps.of(steps)
    own = PretokenizerRule(
        steps.words, _word_table.NOWHERE, _word_ends.WHOLE, given=True, keeps=steps.keeps,
        compiled=programs,
    )  # fmt: skip
    in_words = _in_words(steps)
    if programs is not None and not programs.writes:
        between = compiled(WORD_END) if in_words else programs.place
        return (replace(own, finder=_word_ends.MARKED, between=between),)
    front = _AFTER_WORDS if in_words else PRETOKENIZER_RULES["none"]
    if steps.joins > 1 and front is _AFTER_WORDS:  # where no words are joined
        front = joining(front, ALL_WORDS)
    return (front, own)


def name_of_steps(steps: Steps) -> str | None:
    """Returns the names of rules that split as steps do, joined; None where there are none."""
    names: list[str] = []
    if any(step.spelled for step in steps.steps):
        return None
    # a ByteLevel that splits nothing is gone already
    if [step.data for step in steps.steps] == split_steps(DEEPSEEK)["pretokenizers"]:
        return "deepseek"
    for step in steps.steps:
        data = step.data
        if data["type"] == "Split" and (data["behavior"], data["invert"]) in (
            ("Isolated", False), ("Removed", True),
        ):  # fmt: skip
            name = name_of_pattern(data["pattern"].get("Regex", ""))
        elif data["type"] == "ByteLevel" and not data["add_prefix_space"]:
            if not data["use_regex"]:
                continue
            name = "gpt2"
        elif data["type"] == "Metaspace" and "".join(names[-1:]).startswith("first-space"):
            # first split, then put the mark
            mark = data["replacement"]
            name = "space-prefix" if mark == "Ġ" else f"space-prefix:{mark}"
            name += names[-1].removeprefix("first-space")
            if data["prepend_scheme"] != "never" or data["split"] or mark == "+":
                return None
            del names[-1]
        elif (
            data["type"] == PHRASES
            and len(names) == 1
            and names[0] not in APART
            and phrase_of(names[0])[1] == 1
        ):
            words = data["words"]
            name = names.pop() + ("+phrases" if words is None else f"+phrases:{words}")
        else:
            name = None
        if name is None:
            return None
        names.append(name)
    return "+".join(names) or "none"


def _in_words(steps: Steps) -> bool:
    """Returns whether steps may be run over pieces split at the places (a) of `rules`."""
    if any(step.spelled for step in steps.steps):
        return False
    for place, step in enumerate(steps.steps):
        if cuts_after_words(step.data):
            # what is put in front of the text alone would be put in front of each piece
            later = steps.steps[place + 1 :]
            return all(each.data.get("prepend_scheme") != "first" for each in later)
        if not _within_words(step):
            return False
    return False


def cuts_after_words(data: dict[str, Any]) -> bool:
    """Returns whether a step splits at (a) of `rules` in any case, and between these alike."""
    if data["type"] == "Split":
        known = CUTTING | {pattern for pattern, name in NAME_OF_SPLIT.items() if name in PATTERNS}
        how, pattern = (data["behavior"], data["invert"]), data["pattern"].get("Regex")
        if how == ("Removed", True):
            return bool(pattern == CLIP)
        return how == ("Isolated", False) and pattern in known
    if data["type"] in ("ByteLevel", "Metaspace"):
        # what follows a place begins with a space: nothing is put in front of it
        return bool(data.get("use_regex", data.get("split")))
    return data["type"] in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")


def _within_words(step: Step) -> bool:
    """Returns whether no match of a step holds white space, or depends on what is around it."""
    data = step.data
    if data["type"] == "Digits":
        return True
    if data["type"] == "Punctuation":
        return bool(data["behavior"] == "Isolated")
    if data["type"] != "Split" or (data["behavior"], data["invert"]) != ("Isolated", False):
        return False
    found = regex.fullmatch(_CLASS, data["pattern"].get("Regex", ""))
    return found is not None and not compiled(translated(found[1])).search(_WHITE)
