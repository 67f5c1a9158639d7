"""Splits text into words by rules, one after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...kernels.words import _word_ends, _word_table
from .rules import PRETOKENIZER_RULES, PretokenizerRule, rule_names, rule_of_name
from .splitters import CheckedSplitter, Splitter

if TYPE_CHECKING:
    from .steps.step import Steps


@dataclass(frozen=True)
class Pretokenizer:
    """A pre-tokenizer: rules applied one after another.

    Parameters
    ----------
    name : str
        The rules' names joined by ``+``; `space-prefix` takes its mark after a colon.
    rules : tuple of PretokenizerRule
        The rules.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
    >>> Pretokenizer.from_name("first-space+digit").split("in 1984")
    ['in', ' ', '1', '9', '8', '4']
    """

    name: str
    rules: tuple[PretokenizerRule, ...]
    steps: Steps | None = None

    @classmethod
    def from_name(cls, name: str) -> Pretokenizer:
        """Returns the pre-tokenizer of a name, or of a JSON object.

        Raises
        ------
        InputError
            For an unknown rule (the message lists the known ones), an empty mark, or JSON that
            `read_steps` refuses.

        Examples
        --------
        >>> from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
        >>> Pretokenizer.from_name('{"type": "Whitespace"}').split("a tip, a rule")
        ['a', 'tip', ',', 'a', 'rule']
        """
        if name.lstrip().startswith("{"):
            from .steps.read import read_steps  # slow to import, rarely needed

            return cls.from_steps(read_steps(name))
        return cls(name, tuple(map(rule_of_name, rule_names(name))))

    @classmethod
    def from_steps(cls, steps: Steps) -> Pretokenizer:
        """Returns the pre-tokenizer of steps; the named one, if its rules split in the same way."""
        from .steps.rules_of_steps import name_of_steps, rules_of_steps  # slow to import

        named = name_of_steps(steps)
        if named is not None:
            return cls.from_name(named)
        return cls(steps.name, rules_of_steps(steps), steps)

    @classmethod
    def of(cls, given: str | Splitter) -> Pretokenizer:
        """Returns the pre-tokenizer of a name, or of a function that returns all words of a text.

        When words are counted, a function may leave text out (``str.split``: white space); empty
        words are skipped.

        Raises
        ------
        InputError
            As `from_name` does; later, when the function returns anything but texts.
        """
        if isinstance(given, str):
            return cls.from_name(given)
        name = getattr(given, "__qualname__", type(given).__name__)
        own = PretokenizerRule(
            CheckedSplitter(given, name), _word_table.NOWHERE, _word_ends.WHOLE, given=True
        )
        return cls(name, (PRETOKENIZER_RULES["none"], own))

    def split(self, text: str) -> list[str]:
        """Returns all words of a text, in order."""
        if self.steps is not None:
            return self.steps.words(text)
        words = self.rules[0].words(text)
        for rule in self.rules[1:]:
            words = [part for word in words for part in rule.words(word)]
        return words

    @property
    def mark(self) -> str | None:
        """The mark of the only rule, if its pieces become words by the mark alone."""
        only = len(self.rules) == 1 and self.rules[0].phrase == 1
        return self.rules[0].mark if only else None


def published_pattern(name: str | None) -> str | None:
    """Returns the pattern of a pre-tokenizer that is one Split whose matches are all words."""
    from .steps.rules_of_steps import cuts_after_words  # slow to import, rarely needed

    steps = None if name is None else Pretokenizer.from_name(name).steps
    if steps is None or len(steps.steps) != 1 or not cuts_after_words(steps.steps[0].data):
        return None
    pattern = steps.steps[0].data.get("pattern", {}).get("Regex")
    return pattern if isinstance(pattern, str) else None
