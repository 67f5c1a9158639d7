"""Expresses pre-tokenizers as one pattern whose matches are the words, as tiktoken takes it."""

from __future__ import annotations

from ...corpus.pretokenizers.pretokenizer import published_pattern
from ...vocabulary.vocabulary import Vocabulary
from ..given_up import GivenUp
from ..splitting import patterns, read_splitting, split_as

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


def adapt_to_pattern(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    """Returns a vocabulary whose words one pattern splits."""
    reason = "tiktoken splits a text by one pattern, and has no mark for a space"
    return split_as(vocabulary, lost, one_pattern, reason)
