"""Finds the fewest tokens with which a method reaches a number of tokens per word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import InputError
from ..problem.solution import Termination
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.subset import first_tokens
from .methods import METHODS, Answer, Runner

__all__ = ["budgets_for"]

# Rules under which one more token at the end, or one more merge, never makes more tokens.
_MONOTONE = {"shortest_path", "random_path", "priority", "merges", "character_merges"}


def budgets_for(
    runner: Runner,
    answers: Sequence[Answer],
    rules: Sequence[SegmentationRule],
    targets: Sequence[float],
) -> list[dict[str, Any]]:
    """The k that a method needs to reach each target.

    Parameters
    ----------
    runner : Runner
        Runs the method where more is needed.
    answers : sequence of Answer
        Of one method, to start from.
    rules : sequence of str
        The segmentation rules to count under.
    targets : sequence of float
        Tokens per word.

    Returns
    -------
    list of dict
        For each rule and target: ``method``, ``rule``, ``target``, ``k`` (None if no k reaches
        it, or where a run for it was cut short), ``tokens``, ``tokens_per_word``, ``runs`` of
        the method that were needed beside `answers`, over all targets; ``exact``: whether ``k``
        is proven the least; and ``termination``: ``completed``, what cut a run short that was
        looked at for this, or ``error`` where the method could make nothing.  It is proven for a
        nested method under a rule by which further tokens never hurt, if no run was cut short.
        Else k is found by bisection: it reaches the target and k − 1 does not, but a smaller one
        might.  Ctrl-C leaves open what it comes before: those rows are ``interrupted``.

    Raises
    ------
    InputError
        For a target that is not above 0.
    """
    for target in targets:
        if not target > 0:
            raise InputError(f"a target of {target} tokens per word: more than 0 is expected")
    search = _Search(runner, answers)
    rows = []
    for rule in rules:
        for target in targets:
            k, tokens = None, None
            search.termination = "interrupted" if search.interrupted else "completed"
            if not search.interrupted:
                try:
                    k = search.least(rule, target)
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
    """A method's answers, and its tokens for any k."""

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
        """Whether the method could make anything at all."""
        return any(answer.remark is None for answer in self._answers.values())

    def _answer(self, k: int) -> Answer:
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
        """Tokens needed; None where there is no answer, or none under this rule."""
        if k == 0:
            return self.runner.instance.words.total_symbols
        vocabulary = self._answer(k).vocabulary
        if (k, rule) not in self._tokens:
            cut = None
            if vocabulary is not None and (rule != "likelihood" or vocabulary.scores is not None):
                cut = self.runner.cut(self.runner.instance.words, vocabulary, rule).tokens
            self._tokens[k, rule] = cut
        return self._tokens[k, rule]

    def least(self, rule: SegmentationRule, target: float) -> int | None:
        """The k, by doubling and bisection."""
        instance = self.runner.instance

        def reached(k: int) -> bool:
            tokens = self.tokens(k, rule)
            if tokens is None:  # more than the method can make ends the search as well
                return self._beyond(k)
            return tokens / self.occurrences <= target

        low, high = len(instance.fixed) - 1, None  # no k is as small as this low
        for k in sorted(self._answers):
            if reached(k):
                high = k
                break
            low = k
        while high is None:
            if low > 0:
                answer = self._answer(low)
                all_there_is = answer.vocabulary is None or len(answer.vocabulary) < low
                if all_there_is and answer.remark is None:
                    return None
            more = min(max(2 * low, 1), instance.index.total)
            if more <= low:
                return None
            low, high = (low, more) if reached(more) else (more, None)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return None if self.tokens(high, rule) is None else high

    def _beyond(self, k: int) -> bool:
        """Whether the method cannot make k tokens, but can make fewer."""
        fewer = (a for j, a in self._answers.items() if j < k and a.vocabulary is not None)
        return self._answers[k].remark is not None and any(fewer)
