r"""Joins words to phrases, so that tokens may reach across words.

A rule of a pre-tokenizer that ends in ``+phrases:4`` splits a text into its words, and joins up to
four of them in a row.  A word is joined to the one before it if that one ends in a letter (marks
behind the letter aside), and this one begins with a letter, or with a space or an apostrophe
(``'`` or ``’``) and then a letter.  So a phrase ends where a sentence, a clause or a line does, at
numbers and at signs.  A row of such words is taken from its beginning: the first four are a phrase,
the next four another.  ``+phrases`` without a number joins all words of a row.

Of a pre-tokenizer that is JSON, the last step joins: ``{"type": "Phrases", "words": 4}``.

Phrases do not overlap, and joined they are the text: each symbol of a text is counted once.
"""

from __future__ import annotations

import re

from ...errors import InputError
from ...runtime.patterns import regex
from ..files.joining import ALL_WORDS, checked_phrases
from .published_patterns import NAME_OF_SPLIT, PATTERNS, SPLITS

_NAME = r"([^+]*)\+phrases(?::([0-9]{1,18}))?"
_NUMBER = r"\)\{0,([0-9]{1,9})\}"

#: Rules to whose words nothing is joined: a text is one, or spaces are words of their own.
APART = ("none", "space", "digit")

_ENDING = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_FRONT = r"[^\r\n\p{L}\p{N}]?"


def _cased(front: str, ending: str) -> str:
    return f"{front}(?:{_UPPER}*{_LOWER}+|{_UPPER}+{_LOWER}*){ending}"


def _marks(ending: str) -> str:
    """Returns the pattern of a word of o200k's that holds marks alone."""
    return rf"{_FRONT}\p{{M}}+(?![\p{{Lu}}\p{{Lt}}]*{_LOWER}){ending}"


# For each rule: the words that nothing follows in a phrase, where they would be found as others;
# the words that others may follow; those that may follow.
_PARTS = {
    "gpt2": ("", r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+", r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+"),
    "cl100k": ("", rf"{_ENDING}|{_FRONT}\p{{L}}+", rf"{_ENDING}|[ '’]?\p{{L}}+"),
    "qwen2": ("", rf"{_ENDING}|{_FRONT}\p{{L}}+", rf"{_ENDING}|[ '’]?\p{{L}}+"),
    "qwen3.5": (
        rf"{_FRONT}\p{{M}}+(?![\p{{L}}\p{{M}}])|",
        rf"{_ENDING}|{_FRONT}[\p{{L}}\p{{M}}]+",
        rf"{_ENDING}|[ '’]?(?=\p{{L}})[\p{{L}}\p{{M}}]+",
    ),
    "o200k": (
        _marks(f"(?!{_ENDING})") + "|",
        _cased(_FRONT, _ENDING + "?"),
        _cased(r"[ '’]?(?=\p{L})", _ENDING + "?"),
    ),
    "tekken": (_marks("") + "|", _cased(_FRONT, ""), _cased(r"[ '’]?(?=\p{L})", "")),
}
# What a pattern has besides words that end in a letter: numbers, signs, white space.
_REST = {
    name: found[1]
    for name, pattern in PATTERNS.items()
    if (found := re.search(r"\|((?: \?)?\\p\{N\}.*)", pattern))
}


def phrase_of(rule: str) -> tuple[str, int]:
    """Returns the rule whose words are joined, and how many at most; 1 for words alone.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.phrases import phrase_of
    >>> phrase_of("gpt2+phrases:4"), phrase_of("gpt2")
    (('gpt2', 4), ('gpt2', 1))
    """
    found = regex.fullmatch(_NAME, rule) if "+" in rule else None
    if found is None:
        return rule, 1
    if found[1].partition(":")[0] in APART:
        raise InputError(
            f"words of the pre-tokenizer {found[1]} cannot be joined to phrases, because none "
            "begins with a space and a letter; use gpt2, cl100k, o200k, first-space, …"
        )
    return found[1], ALL_WORDS if found[2] is None else checked_phrases(int(found[2]))


def with_phrases(pretokenizer: str, phrases: int) -> str:
    """Returns the name of a pre-tokenizer that joins the words of a pre-tokenizer's first rule.

    Parameters
    ----------
    pretokenizer : str
        The pre-tokenizer.
    phrases : int
        The most words that are joined, or `ALL_WORDS`; 1 joins none.

    Raises
    ------
    InputError
        For a number below 1, or a pre-tokenizer whose words cannot be joined.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.phrases import with_phrases
    >>> with_phrases("first-space+digit", 4)
    'first-space+phrases:4+digit'
    """
    checked_phrases(phrases)
    first, plus, others = pretokenizer.partition("+")
    if pretokenizer.lstrip().startswith("{"):
        from .steps.read import PHRASES, read_steps  # slow to import, rarely needed

        steps = [step.data for step in read_steps(pretokenizer).steps]
        joining = {"type": PHRASES, "words": None if phrases == ALL_WORDS else phrases}
        joined = {"type": "Sequence", "pretokenizers": [*steps, joining]}
        return pretokenizer if phrases == 1 else read_steps(joined).name
    if others.startswith("phrases"):
        raise InputError(f"the pre-tokenizer {pretokenizer} already joins words")
    if phrases == 1:
        return pretokenizer
    number = "" if phrases == ALL_WORDS else f":{phrases}"
    name = f"{first}+phrases{number}"
    phrase_of(name)
    return name + plus + others


def without_phrases(pretokenizer: str) -> str:
    """Returns the name of a pre-tokenizer without the joining of words.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.phrases import without_phrases
    >>> without_phrases("first-space+phrases:4+digit")
    'first-space+digit'
    """
    if pretokenizer.lstrip().startswith("{"):
        from .steps.read import read_steps  # slow to import, rarely needed
        from .steps.step import Steps

        return Steps(tuple(s for s in read_steps(pretokenizer).steps if s.joins == 1)).name
    joined: str = re.sub(r"\+phrases(?::[0-9]*)?(?=\+|\Z)", "", pretokenizer)
    return joined


def split_pattern(rule: str) -> str | None:
    r"""Returns the pattern whose matches are the words, or the phrases, of a rule; None for none.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.phrases import split_pattern
    >>> split_pattern("digit")
    '\\p{Nd}|\\P{Nd}+'
    """
    base, most = phrase_of(rule)
    if most == 1:
        return SPLITS.get(base)
    more = "*" if most == ALL_WORDS else f"{{0,{most - 1}}}"
    if base == "first-space":
        return rf"(?: ?[^ ]*\p{{L}}\p{{M}}*(?= \p{{L}})){more}(?: [^ ]*|[^ ]+)"
    if base not in _PARTS:
        return None
    alone, first, following = _PARTS[base]
    return f"{alone}(?:{first})(?:{following}){more}|{_REST[base]}"


def name_of_pattern(pattern: str) -> str | None:
    """Returns the rule whose words, or phrases, the matches of a pattern are; None if none is.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.phrases import name_of_pattern, split_pattern
    >>> name_of_pattern(split_pattern("o200k+phrases:4"))
    'o200k+phrases:4'
    """
    named = NAME_OF_SPLIT.get(pattern)
    if named is not None:
        return named
    numbers = {f":{int(n) + 1}" for n in regex.findall(_NUMBER, pattern)} | {""}
    names = (f"{base}+phrases{n}" for base in (*_PARTS, "first-space") for n in numbers)
    return next((name for name in names if split_pattern(name) == pattern), None)
