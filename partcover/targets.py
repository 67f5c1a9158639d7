"""The fewest tokens with which a method reaches a number of tokens per word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .compare import METHODS, Answer, Runner, first_tokens
from .errors import InputError
from .vocabulary import Rule

__all__ = ["budgets_for"]

# Rules under which one more token at the end, or one more merge, never makes more tokens.
_MONOTONE = {"shortest_path", "random_path", "priority", "merges"}


def budgets_for(
    runner: Runner, answers: Sequence[Answer], rules: Sequence[Rule], targets: Sequence[float]
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
        it), ``tokens``, ``tokens_per_word``, ``runs`` of the method that were needed beside
        `answers`, over all targets, and ``exact``: whether ``k`` is proven the least.  It is for
        a nested method under a rule by which further tokens never hurt.  Else k is found by
        bisection: it reaches the target and k − 1 does not, but a smaller one might.

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
            k = search.least(rule, target)
            tokens = None if k is None else search.tokens(k, rule)
            rows.append(
                {
                    "method": search.method,
                    "rule": rule,
                    "target": target,
                    "k": k,
                    "tokens": tokens,
                    "tokens_per_word": None if tokens is None else tokens / search.occurrences,
                    "exact": search.nested and rule in _MONOTONE,
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
        self._answers = {answer.k: answer for answer in answers}
        self._tokens: dict[tuple[int, Rule], int | None] = {}

    def _answer(self, k: int) -> Answer:
        if k not in self._answers:
            largest = self._answers[max(self._answers)]
            if self.nested and largest.k > k and largest.vocabulary is not None:
                vocabulary = first_tokens(largest.vocabulary, k)
                self._answers[k] = replace(largest, k=k, vocabulary=vocabulary)
            else:
                self._answers[k] = self.runner.answers(self.method, [k])[0]
                self.runs += 1
        return self._answers[k]

    def tokens(self, k: int, rule: Rule) -> int | None:
        """Tokens needed; None where there is no answer, or none under this rule."""
        if k == 0:
            return self.runner.instance.words.total_symbols
        if (k, rule) not in self._tokens:
            vocabulary = self._answer(k).vocabulary
            cut = None
            if vocabulary is not None and (rule != "likelihood" or vocabulary.scores is not None):
                cut = self.runner.cut(self.runner.instance.words, vocabulary, rule).tokens
            self._tokens[k, rule] = cut
        return self._tokens[k, rule]

    def least(self, rule: Rule, target: float) -> int | None:
        """The k, by doubling and bisection."""
        instance = self.runner.instance

        def reached(k: int) -> bool:
            tokens = self.tokens(k, rule)
            return tokens is not None and tokens / self.occurrences <= target

        low, high = len(instance.fixed) - 1, None  # no k is as small as this low
        for k in sorted(self._answers):
            if reached(k):
                high = k
                break
            low = k
        while high is None:
            vocabulary = self._answer(low).vocabulary if low > 0 else None
            if low > 0 and (vocabulary is None or len(vocabulary) < low):
                return None
            more = min(max(2 * low, 1), instance.index.total)
            if more <= low:
                return None
            low, high = (low, more) if reached(more) else (more, None)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return high
