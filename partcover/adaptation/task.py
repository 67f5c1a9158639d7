"""The input and the result of the functions that add tokens to a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

from ..corpus.word_counts import WordCounts
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Termination
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["Added", "Keep", "Task"]


@dataclass(frozen=True)
class Keep:
    """A corpus that must not need more than a number of tokens."""

    words: WordCounts
    limit: int


@dataclass(frozen=True)
class Task:
    """What is to be added, and to what.

    Attributes
    ----------
    base : Vocabulary
        The tokens that are there, with the rule by which words are segmented before and after.
    objective : WordCounts
        The words that are to need few tokens.
    m : int
        How many tokens may be added.
    keep : Keep or None
        The side constraint, where there is one.
    limits : RunLimits
        Time limit and threads.
    progress : Progress
        Receives events.
    """

    base: Vocabulary
    objective: WordCounts
    m: int
    keep: Keep | None
    limits: RunLimits
    progress: Progress


@dataclass(frozen=True)
class Added:
    """What was added, and the proof of how good it is.

    Attributes
    ----------
    vocabulary : Vocabulary
        The base with the new tokens behind its own.
    gains : tuple of int
        As `Extension.gains`.
    instance : Instance
        The instance that the bound is about.
    certificate : Certificate
        The proof: what it proves, no addition of m tokens needs fewer.
    termination : {"completed", "gap", "time_limit", "interrupted"}
        Why the search stopped.
    """

    vocabulary: Vocabulary
    gains: tuple[int, ...]
    instance: Instance
    certificate: Certificate
    termination: Termination
