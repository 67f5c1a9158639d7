"""Finds the smallest budget for which a method reaches a number of tokens per word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import InputError
from ..problem.solution import Termination
from ..runtime.arguments import checked
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.subset import first_tokens
from .methods import METHODS, Answer, Runner

# rules under which one more token at the end, or one more merge, never makes more tokens
_MONOTONE = {"shortest_path", "random_path", "priority", "merges", "character_merges"}


@checked
def budgets_for(
    runner: Runner,
    answers: Sequence[Answer],
    rules: Sequence[SegmentationRule],
    targets: Sequence[float],
) -> list[dict[str, Any]]:
    """Finds the k that a method needs to reach each target.

    Parameters
    ----------
    runner : Runner
        The runner, for budgets beyond the answers.
    answers : sequence of Answer
        Answers of one method to start from.
    rules : sequence of str
        The segmentation rules to count tokens under.
    targets : sequence of float
        The tokens per word to reach.

    Returns
    -------
    list of dict
        For each rule and target: ``method``, ``rule``, ``target``, ``k`` (None if no k reaches
        it, or a run for it was stopped early), ``tokens``, ``tokens_per_word``; ``runs``: the
        further runs of the method, over all targets; ``exact``: whether ``k`` is proven the
        smallest; and ``termination``: ``completed``, what stopped a run for this row, or
        ``error`` if the method has no vocabulary for any budget.  ``k`` is proven the smallest
        for a nested method under a rule by which further tokens never hurt, if no run was stopped
        early.  Else bisection stops at a k that reaches the target while k − 1 does not, but a
        smaller one might.  After Ctrl-C the remaining rows are ``interrupted``.

    Raises
    ------
    InputError
        For a target that is not above 0.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.studies.methods import Runner
    >>> from partcover.studies.targets import budgets_for
    >>> runner = Runner(Instance({"banana": 2, "bandana": 1, "ananas": 3}, 0))
    >>> answers = runner.answers("greedtok", [1])
    >>> (row,) = budgets_for(runner, answers, ["shortest_path"], [2.5])
    >>> row["k"], row["exact"], row["tokens_per_word"] <= 2.5
    (2, True, True)
    """
    for target in targets:
        if not target > 0:
            raise InputError(f"the target is {target} tokens per word: it must be more than 0")
    search = _Search(runner, answers)
    rows = []
    for rule in rules:
        for target in targets:
            k, tokens = None, None
            search.termination = "interrupted" if search.interrupted else "completed"
            if not search.interrupted:
                try:
                    k = search.smallest_budget(rule, target)
                    tokens = None if k is None else search.tokens(k, rule)
                except KeyboardInterrupt:
                    search.interrupted, search.termination = True, "interrupted"
            if k is None and not search.possible:
                search.termination = "error"
            rows.append(
                {
                    "method": search.method,
                    "rule": rule,
                    "target": target,
                    "k": k,
                    "tokens": tokens,
                    "tokens_per_word": None if tokens is None else tokens / search.occurrences,
                    "exact": search.nested
                    and rule in _MONOTONE
                    and search.termination == "completed",
                    "termination": search.termination,
                }
            )
    return [{**row, "runs": search.runs} for row in rows]


class _Search:
    """Answers of a method, run for further budgets as they are needed."""

    def __init__(self, runner: Runner, answers: Sequence[Answer]) -> None:
        self.runner = runner
        self.method = answers[0].method
        self.nested = METHODS[self.method].nested
        self.occurrences = max(1, runner.instance.words.total_count)
        self.runs = 0
        self.termination: Termination = "completed"
        self.interrupted = False
        self._answers = {answer.k: answer for answer in answers}
        self._tokens: dict[tuple[int, SegmentationRule], int | None] = {}

    @property
    def possible(self) -> bool:
        """Whether the method has a vocabulary for some budget."""
        return any(answer.remark is None for answer in self._answers.values())

    def _answer(self, k: int) -> Answer:
        """Returns the answer for k, from the largest one of a nested method, or a new run."""
        if k not in self._answers:
            largest = self._answers[max(self._answers)]
            if self.nested and largest.k > k and largest.vocabulary is not None:
                vocabulary = first_tokens(largest.vocabulary, k)
                self._answers[k] = replace(largest, k=k, vocabulary=vocabulary)
            else:
                self._answers[k] = self.runner.answers(self.method, [k])[0]
                self.runs += 1
        answer = self._answers[k]
        if answer.termination == "interrupted":
            raise KeyboardInterrupt
        if answer.termination != "completed" and answer.remark is None:
            self.termination = answer.termination
        return answer

    def tokens(self, k: int, rule: SegmentationRule) -> int | None:
        """Returns the tokens needed; None without an answer, or without scores for the rule."""
        if k == 0:
            return self.runner.instance.words.total_symbols
        vocabulary = self._answer(k).vocabulary
        if (k, rule) not in self._tokens:
            cut = None
            if vocabulary is not None and (rule != "likelihood" or vocabulary.scores is not None):
                cut = self.runner.cut(self.runner.instance.words, vocabulary, rule).tokens
            self._tokens[k, rule] = cut
        return self._tokens[k, rule]

    def smallest_budget(self, rule: SegmentationRule, target: float) -> int | None:
        """Finds the k by doubling and bisection; None if no k reaches the target."""
        instance = self.runner.instance

        def reached(k: int) -> bool:
            tokens = self.tokens(k, rule)
            if tokens is None:  # a budget too large for the method ends the search as well
                return self._beyond(k)
            return tokens / self.occurrences <= target

        low, high = len(instance.fixed) - 1, None  # below every possible k
        for k in sorted(self._answers):
            if reached(k):
                high = k
                break
            low = k
        while high is None:
            if low > 0:
                answer = self._answer(low)
                exhausted = answer.vocabulary is None or len(answer.vocabulary) < low
                if exhausted and answer.remark is None:
                    return None
            larger = min(max(2 * low, 1), instance.index.total)
            if larger <= low:
                return None
            low, high = (low, larger) if reached(larger) else (larger, None)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return None if self.tokens(high, rule) is None else high

    def _beyond(self, k: int) -> bool:
        """Whether the method has no vocabulary for k, but one for a smaller budget."""
        fewer = (a for j, a in self._answers.items() if j < k and a.vocabulary is not None)
        return self._answers[k].remark is not None and any(fewer)
