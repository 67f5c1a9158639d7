"""Expresses pre-tokenizers as one pattern whose matches are the words, as tiktoken takes it."""

from __future__ import annotations

from ...corpus.pretokenizers.pretokenizer import Pretokenizer, published_pattern
from ...errors import InputError
from ...vocabulary.vocabulary import Vocabulary
from ..format import GivenUp
from ..splitting import patterns, read_splitting

_WHOLE = r"[\s\S]+"  # a text is one word


def one_pattern(pretokenizer: str | None) -> str | None:
    """Returns the pattern whose matches are all words; None where there is no single one."""
    rules = patterns(pretokenizer)
    if rules is None:
        return published_pattern(pretokenizer)
    if not rules:
        return _WHOLE
    pattern, mark = rules[0]
    return pattern if len(rules) == 1 and mark is None else None


def named_pattern(pattern: str) -> tuple[str | None, list[str]]:
    """Returns the pre-tokenizer of a pattern, None where it is not known, and remarks."""
    if pattern == _WHOLE:
        return "none", []
    step = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    name, _, remarks = read_splitting(step)
    return name, remarks


def adapt_to_pattern(vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
    """Returns a vocabulary whose words one pattern splits, and what was left out for that."""
    name = vocabulary.pretokenizer
    reason = "tiktoken splits a text by one pattern, and has no mark for a space"
    try:
        Pretokenizer.from_name(name or "none")
        if one_pattern(name) is not None:
            return vocabulary, []
    except InputError as error:
        reason = str(error)
    lost = GivenUp(f"the pre-tokenizer {name}", reason, "none")
    return vocabulary.with_(pretokenizer="none"), [lost]
