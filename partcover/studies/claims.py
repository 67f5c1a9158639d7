"""Decides whether a claimed saving of tokens over a baseline is possible on a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ..analysis.costly_words import CostlyWord
from ..analysis.metrics import token_uses
from ..analysis.token_gains import occurrences_and_gains
from ..bounds.lower_bound import lower_bound
from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..problem.bound import Bound
from ..problem.instance import Instance
from ..problem.merge_condition import MergeCondition
from ..runtime.arguments import Seconds, Threads, Whole, checked
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..verification.recount import recount
from ..vocabulary.vocabulary import Vocabulary

Verdict: TypeAlias = Literal["impossible", "possible", "undecided"]

_MERGED = ("merges", "character_merges")


@dataclass(frozen=True)
class Claim:
    """Whether some vocabulary of k tokens can need as few tokens as was claimed.

    Attributes
    ----------
    k : int
        Number of tokens of two or more symbols that a vocabulary may hold.
    baseline : int
        Tokens that the baseline needs.
    claimed : int
        Tokens that are claimed.
    bound : Bound
        The lower bound for k tokens, with its proof.
    attained : int
        Tokens that GreedTok's vocabulary of k tokens needs, by the shortest path.
    lacking : tuple of CostlyWord
        The most frequent words that are no tokens of the baseline.
    impossible_words : int
        Number of words that occur more often than some token that the baseline's merges make does,
        and are no tokens; 0 for a baseline that is a number, or whose rule is not that of merges.
        BPE merges the most frequent pair first, so that BPE of this corpus has all of them as
        tokens, unless its trainer limits the length of tokens or the characters.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.studies.claims import Claim, check_claim
    >>> found: Claim = check_claim(Instance({"hat": 9, "that": 4}, 1), 30, 13)
    >>> found.verdict, found.lower_bound, round(found.most_saved, 3)
    ('impossible', 17, 0.433)
    """

    k: int
    baseline: int
    claimed: int
    bound: Bound
    attained: int
    lacking: tuple[CostlyWord, ...]
    impossible_words: int

    @property
    def lower_bound(self) -> int:
        """No vocabulary of k tokens needs fewer."""
        return int(self.bound.lower_bound)

    @property
    def claimed_saving(self) -> float:
        """(baseline − claimed) / baseline."""
        return (self.baseline - self.claimed) / self.baseline

    @property
    def most_saved(self) -> float:
        """(baseline − lower_bound) / baseline: no vocabulary of k tokens saves a larger share."""
        return (self.baseline - self.lower_bound) / self.baseline

    @property
    def verdict(self) -> Verdict:
        """``impossible`` below the bound, ``possible`` if GreedTok needs no more than claimed."""
        if self.claimed < self.lower_bound:
            return "impossible"
        return "possible" if self.claimed >= self.attained else "undecided"

    @property
    def reason(self) -> str:
        """Why the verdict is what it is, in words."""
        bound, attained = f"{self.lower_bound:,}", f"{self.attained:,}"
        size = f"k = {self.k:,}{self._conditions}"
        if self.verdict == "impossible":
            return f"every vocabulary with {size} needs at least {bound} tokens"
        if self.verdict == "possible":
            return f"a vocabulary with {size} is known that needs {attained} tokens"
        return f"for {size} the optimum is between {bound} and {attained} tokens"

    @property
    def _conditions(self) -> str:
        """What limits the vocabularies besides k, as part of a sentence."""
        is_free = self.bound.instance.policy == {"candidates": "substrings"}
        return "" if is_free else " under the given conditions"

    @property
    def remarks(self) -> list[str]:
        """What is wrong with the baseline itself, in lines."""
        remarks = []
        if self.baseline < self.lower_bound:
            remarks.append(
                f"the baseline itself is impossible{self._conditions}: it is below the lower bound"
            )
        if self.impossible_words:
            remarks.append(
                f"{self.impossible_words:,} words occur more often than the baseline's rarest "
                "merged token but are not tokens: the baseline is not BPE trained on this corpus, "
                "unless its trainer limits the length of tokens or the characters"
            )
        return remarks

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object of ``partcover claim``."""
        return {
            "k": self.k,
            "baseline": self.baseline,
            "claimed": self.claimed,
            "claimed_saving": self.claimed_saving,
            "lower_bound": self.lower_bound,
            "most_saved": self.most_saved,
            "attained": self.attained,
            "verdict": self.verdict,
            "baseline_is_possible": self.baseline >= self.lower_bound,
            "lacking_words": [word.to_json() for word in self.lacking],
            "impossible_words": self.impossible_words,
        }


@checked
def check_claim(
    instance: Instance,
    baseline: Whole | Vocabulary,
    claimed: Whole | Vocabulary,
    *,
    top: Whole = 10,
    time_limit: Seconds | None = 30.0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Claim:
    """Decides by a lower bound for all vocabularies whether a claimed number of tokens is possible.

    Parameters
    ----------
    instance : Instance
        The words, and k: the number of tokens of two or more symbols of both vocabularies.
    baseline, claimed : int or Vocabulary
        Numbers of tokens, or vocabularies, whose tokens are counted by their own rules.
    top : int
        Number of words to list that the baseline lacks.
    time_limit : float, optional
        Seconds for the lower bound; None until it is no longer raised.
    threads : int
        Number of threads.
    progress : Progress, optional
        Receives the events of the lower bound.

    Returns
    -------
    Claim
        The verdict and its reasons.  *impossible* and *possible* are proven, for any way of
        segmenting the words.

    Raises
    ------
    InputError
        If there are no words, a number of tokens is 0, or a vocabulary holds more than k tokens or
        is over other symbols.

    Examples
    --------
    >>> from partcover import Instance, Vocabulary
    >>> from partcover.studies.claims import check_claim
    >>> words = {"that": 9, "hat": 4, "tat": 2}
    >>> found = check_claim(Instance(words, 2), Vocabulary(["th", "at"], rule="merges"), 20)
    >>> found.baseline, found.lower_bound, found.verdict
    (30, 19, 'possible')
    """
    if not len(instance.words):
        raise InputError("the corpus is empty: it has no words")
    for given in (baseline, claimed):
        if isinstance(given, Vocabulary) and len(given) > instance.k:
            raise InputError(
                f"a vocabulary of {len(given):,} tokens is larger than k = {instance.k:,}"
            )
        if given == 0:
            raise InputError("a number of tokens is 0: every word needs one")
    lacking: tuple[CostlyWord, ...] = ()
    impossible = 0
    if isinstance(baseline, Vocabulary):
        lacking, impossible = _lacking(instance, baseline, top, threads)
    before, after = (
        segment(instance.words, given, threads=threads).tokens
        if isinstance(given, Vocabulary)
        else given
        for given in (baseline, claimed)
    )
    greedy = greedtok(instance, threads=threads)
    attained = segment(instance.words, greedy.vocabulary, "shortest_path", threads=threads).tokens
    if isinstance(claimed, Vocabulary) and _is_allowed(instance, claimed):
        attained = min(attained, after)
    bound = lower_bound(
        instance,
        greedy=greedy,
        incumbent=attained,
        time_limit=time_limit,
        threads=threads,
        progress=progress,
    )
    return Claim(instance.k, before, after, bound, attained, lacking, impossible)


def _is_allowed(instance: Instance, vocabulary: Vocabulary) -> bool:
    """Whether the tokens that the words become, with the required ones, keep the conditions."""
    cut = segment(instance.words, vocabulary)
    used = np.flatnonzero(token_uses(cut, len(vocabulary))).tolist()
    tokens = dict.fromkeys([*instance.fixed, *(vocabulary.tokens[place] for place in used)])
    return not recount(instance, instance.vocabulary(tokens, "claim"))[1]


def _lacking(
    instance: Instance, baseline: Vocabulary, top: int, threads: int
) -> tuple[tuple[CostlyWord, ...], int]:
    """Returns the frequent words that the baseline lacks, and how many BPE would have as tokens."""
    words = instance.words
    cut = segment(words, baseline, threads=threads)
    split = np.flatnonzero(cut.pieces > 1)
    first = split[np.argsort(-words.counts[split], kind="stable")[:top]].tolist()
    lacking = tuple(CostlyWord.of(cut, number) for number in first)
    if baseline.rule not in _MERGED or not len(baseline):
        return lacking, 0
    condition = MergeCondition(characters=baseline.rule == "character_merges")
    made = [token for token in baseline if not condition.is_given(token)]
    occurrences, _ = occurrences_and_gains(words, made, threads=threads)
    # a pair occurs at most as often as the token that it makes
    rarest = int(occurrences.min(initial=words.total_count))
    return lacking, int((words.counts[split] > rarest).sum())
