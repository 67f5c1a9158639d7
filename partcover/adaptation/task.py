"""The input and the result of the functions that add tokens to a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..corpus.word_counts import WordCounts
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Termination
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["Added", "Task"]


@dataclass(frozen=True)
class Task:
    """What is to be added: m tokens to the base, so that the words of `objective` need few.

    With a `limit`, the words of `keep` must not need more tokens.
    """

    base: Vocabulary
    objective: WordCounts
    m: int
    limits: RunLimits = field(default_factory=RunLimits)
    progress: Progress = field(default_factory=Progress)
    keep: WordCounts | None = None
    limit: int | None = None


@dataclass(frozen=True)
class Added:
    """What was added, with its gains (`Extension.gains`), and the proof of how good it is."""

    vocabulary: Vocabulary
    gains: tuple[int, ...]
    instance: Instance
    certificate: Certificate
    termination: Termination
