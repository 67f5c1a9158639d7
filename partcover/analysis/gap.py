"""Splits the gap of a vocabulary into the choice of its tokens and its segmentation rule."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..errors import InputError
from ..problem.instance import Instance
from ..runtime.arguments import Threads, Whole, checked
from ..runtime.progress import gap_of
from ..segmentation.segmentation import segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class Gap:
    """The gap between a vocabulary and a lower bound, in two parts.

    Attributes
    ----------
    k, size : int
        The budget that the bound is for, and the number of tokens in the vocabulary.
    never_occur : int
        Number of tokens of the vocabulary that are in no word.
    rule : str
        The segmentation rule that the vocabulary is used under.
    tokens, tokens_shortest_path : int
        Tokens that the words need under that rule, and under the shortest path.
    lower_bound : int
        No vocabulary of k tokens needs fewer.
    gap : float
        (tokens − lower_bound) / tokens, the sum of the two parts.
    vocabulary_gap : float
        The part of the choice of tokens: (tokens_shortest_path − lower_bound) / tokens.
    rule_gap : float
        The part of the rule: (tokens − tokens_shortest_path) / tokens.

    Examples
    --------
    >>> from partcover import Instance, Vocabulary, split_gap
    >>> from partcover.analysis.gap import Gap
    >>> gap: Gap = split_gap(Instance({"hat": 2}, k=1), Vocabulary(["ha"]), lower_bound=2)
    >>> gap.tokens, gap.gap
    (4, 0.5)
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
        """Returns the fields as a JSON object."""
        return asdict(self)


@checked
def split_gap(
    instance: Instance,
    vocabulary: Vocabulary,
    lower_bound: Whole,
    rule: SegmentationRule = "shortest_path",
    *,
    threads: Threads = 1,
) -> Gap:
    """Splits the gap of a vocabulary into the choice of tokens and the segmentation rule.

    Parameters
    ----------
    instance : Instance
        The words, and the k of the bound.
    vocabulary : Vocabulary
        At most k tokens, with all that its rule needs.
    lower_bound : int
        A lower bound on the tokens that any vocabulary of this instance needs.
    rule : str
        The segmentation rule that the vocabulary is used under.
    threads : int
        Number of threads.

    Returns
    -------
    Gap
        Exact counts; O(symbols · longest token) time.

    Raises
    ------
    InputError
        If symbols differ, the vocabulary has more than k tokens or lacks what the rule needs, or it
        needs fewer tokens than the bound allows, because it holds tokens that are no candidates
        of the instance.

    Examples
    --------
    >>> from partcover import Instance, Vocabulary, split_gap
    >>> instance = Instance({"that": 3, "hat": 2, "cat": 2}, k=2)
    >>> gap = split_gap(instance, Vocabulary(["th", "hat"]), lower_bound=12, rule="priority")
    >>> gap.tokens_shortest_path, gap.tokens, round(gap.rule_gap, 3)
    (14, 17, 0.176)
    """
    if len(vocabulary) > instance.k:
        raise InputError(f"the vocabulary has {len(vocabulary)} tokens, but k is {instance.k}")
    words = instance.words
    shortest = segment(words, vocabulary, "shortest_path", threads=threads).tokens
    own = segment(words, vocabulary, rule, threads=threads).tokens
    if shortest < lower_bound:
        raise InputError(
            f"the vocabulary needs {shortest} tokens, fewer than the lower bound {lower_bound}: "
            "it has tokens that are not candidates of this instance"
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
