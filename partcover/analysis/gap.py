"""Says how far a vocabulary is from the optimum, and how much of that is its segmentation rule."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..errors import InputError
from ..problem.instance import Instance
from ..runtime.arguments import Threads, checked
from ..runtime.progress import gap_of
from ..segmentation.segmentation import segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["Gap", "refuse_beyond_budget", "split_gap"]


@dataclass(frozen=True)
class Gap:
    """The tokens beyond a lower bound, in two parts.

    Attributes
    ----------
    k, size : int
        The budget that the bound is for, and the tokens of the vocabulary.
    never_occur : int
        Tokens of the vocabulary that are in no word.
    rule : str
        The rule it is used under.
    tokens, tokens_shortest_path : int
        What it needs under its own rule, and at least.
    lower_bound : int
        No vocabulary of k tokens needs fewer.
    gap, vocabulary_gap, rule_gap : float
        (tokens − lower bound) / tokens, and its parts: the choice of tokens, (shortest path −
        lower bound) / tokens; and the rule, (tokens − shortest path) / tokens.
    """

    k: int
    size: int
    never_occur: int
    rule: SegmentationRule
    tokens: int
    tokens_shortest_path: int
    lower_bound: int
    gap: float
    vocabulary_gap: float
    rule_gap: float

    def to_json(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return asdict(self)


@checked
def split_gap(
    instance: Instance,
    vocabulary: Vocabulary,
    lower_bound: int,
    rule: SegmentationRule = "shortest_path",
    *,
    threads: Threads = 1,
) -> Gap:
    """Split the gap of a vocabulary.

    Parameters
    ----------
    instance : Instance
        The words, and the k of the bound.
    vocabulary : Vocabulary
        At most k tokens, with all that its rule needs.
    lower_bound : int
        Of the tokens that any vocabulary of this instance needs.
    rule : str
        The rule that the vocabulary is used under.
    threads : int
        Of the segmentation.

    Returns
    -------
    Gap
        Exact counts; O(symbols · longest token) time.

    Raises
    ------
    InputError
        If symbols differ, the vocabulary has more than k tokens or lacks what the rule needs, or it
        needs fewer tokens than the bound allows, because it holds what is no candidate of the
        instance.
    """
    refuse_beyond_budget(instance, vocabulary)
    words = instance.words
    shortest = segment(words, vocabulary, "shortest_path", threads=threads).tokens
    own = segment(words, vocabulary, rule, threads=threads).tokens
    if shortest < lower_bound:
        raise InputError(
            f"the vocabulary needs {shortest} tokens, fewer than the lower bound {lower_bound}: "
            "it holds tokens that are no candidates of this instance"
        )
    occurs = instance.index.find_tokens(vocabulary).occurs
    return Gap(
        k=instance.k,
        size=len(vocabulary),
        never_occur=int((~occurs).sum()),
        rule=rule,
        tokens=own,
        tokens_shortest_path=shortest,
        lower_bound=lower_bound,
        gap=gap_of(own, lower_bound) or 0.0,
        vocabulary_gap=(shortest - lower_bound) / own if own else 0.0,
        rule_gap=(own - shortest) / own if own else 0.0,
    )


def refuse_beyond_budget(instance: Instance, vocabulary: Vocabulary) -> None:
    """Refuse a vocabulary of more tokens than the budget that a bound is for."""
    if len(vocabulary) > instance.k:
        raise InputError(f"the vocabulary has {len(vocabulary)} tokens, and k is {instance.k}")
