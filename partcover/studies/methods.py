"""Methods by name, and the runs that give their answers for budgets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..exact.solve import solve
from ..heuristics.greedy import greedtok, greedwmc
from ..heuristics.local_search import local_search
from ..problem.instance import Instance
from ..problem.solution import Solution, Status, Termination
from ..runtime.progress import Progress
from ..segmentation.segmentation import Segmentation, segment
from ..trainers import TRAINERS, Trainer, TrainerRegistry
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.subset import first_tokens
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["METHODS", "Answer", "Runner", "rules_of"]

_OPTIMISERS = (
    Trainer("greedtok", greedtok, "GreedTok, the partition cover", nested=True),
    Trainer("greedwmc", greedwmc, "GreedWMC, the relaxation", nested=True),
    Trainer("improve", local_search, "local search; mind --time-limit"),
    Trainer("solve", solve, "proven optima, of small corpora"),
    TRAINERS["bytes"],
)
_VARIANTS = tuple(
    replace(
        TRAINERS["pathpiece"],
        name=f"pathpiece-{initial}",
        run=partial(TRAINERS["pathpiece"].run, initial=initial),
        about=f"PathPiece, begun from {initial}",
    )
    for initial in ("bpe", "unigram")
)
METHODS = TrainerRegistry(
    {method.name: method for method in (*_OPTIMISERS, *TRAINERS.given.values(), *_VARIANTS)}
)


@dataclass(frozen=True)
class Answer:
    """What a method has for one budget.

    Attributes
    ----------
    method : str
        Its name in `METHODS`.
    k : int
        The budget.
    vocabulary : Vocabulary or None
        None where there is no answer.
    rule : str
        The segmentation rule that the method states its tokens under.
    status, termination : str
        As of a `Solution`.
    seconds : float or None
        Of the run it is from; of a nested method that is the run for the largest budget.
    memory : int or None
        Bytes by which that run raised the peak resident memory of a process of its own; None
        where it was not measured.
    lower_bound : int or None
        If the method proves one.
    relaxed_cover : int or None
        GreedWMC's own objective, of a run that nothing cut short.
    bounded : bool
        Whether bounds hold for it.  They do not for a given vocabulary where candidates are
        limited, which it may not keep to.
    remark : str or None
        Why there is no answer.
    """

    method: str
    k: int
    vocabulary: Vocabulary | None
    rule: SegmentationRule
    status: Status
    termination: Termination
    seconds: float | None
    memory: int | None = None
    lower_bound: int | None = None
    relaxed_cover: int | None = None
    bounded: bool = True
    remark: str | None = None

    @classmethod
    def none(cls, method: str, k: int, remark: str) -> Answer:
        """No answer, and why."""
        return cls(method, k, None, "shortest_path", "none", "error", None, remark=remark)


@dataclass(frozen=True)
class Runner:
    """Runs methods on an instance.

    Attributes
    ----------
    instance : Instance
        The words and what limits the candidates; its k is not used.
    time_limit : float, optional
        Seconds for each run.
    memory : bool
        Run each in a process of its own and measure it (see `partcover.runtime.isolation`).
    seed, threads : int
        Passed on.
    progress : Progress
        Gets the name of each run as it begins.
    """

    instance: Instance
    time_limit: float | None = None
    memory: bool = False
    seed: int = 0
    threads: int = 1
    progress: Progress = field(default_factory=Progress)

    def run(self, method: str, k: int) -> tuple[Solution, int | None]:
        """One run of a method, and its memory."""
        self.progress.stage(f"{method}, k = {k}")
        instance = self.instance.with_k(k)
        options: dict[str, Any] = {
            "time_limit": self.time_limit,
            "seed": self.seed,
            "threads": self.threads,
        }
        if self.memory:
            from ..runtime.isolation import (
                run_isolated,  # only where it is used: it imports multiprocessing
            )

            # without what other runs have made of it: a process of its own starts from the words
            return run_isolated(METHODS[method].train, replace(instance), **options)
        return METHODS[method].train(instance, **options), None

    def answers(self, method: str, budgets: Sequence[int]) -> list[Answer]:
        """A method's answers, in ascending order of the budgets.

        A nested method runs once, for the largest budget.  After a run that was interrupted
        there are no more.  Of others a budget that the method cannot make has no answer, and a
        remark.
        """
        budgets = sorted(set(budgets))
        found = []
        if METHODS[method].nested:
            run, memory = self.run(method, budgets[-1])
            return [self.answer(method, k, run, memory) for k in budgets]
        for k in budgets:
            try:
                run, memory = self.run(method, k)
            except InputError as error:
                # a budget that this method cannot make takes nothing from the others
                METHODS[method].check(self.instance.with_k(k))
                found.append(Answer.none(method, k, str(error)))
                continue
            found.append(self.answer(method, k, run, memory))
            if run.termination == "interrupted":
                break
        rule = next((answer.rule for answer in found if answer.remark is None), None)
        return [
            answer if answer.remark is None or rule is None else replace(answer, rule=rule)
            for answer in found
        ]

    def answer(self, method: str, k: int, run: Solution, memory: int | None = None) -> Answer:
        """What a run says for the budget k: its own, or less for a nested method."""
        vocabulary = run.vocabulary
        termination = run.termination
        if vocabulary is not None:
            if len(vocabulary) >= k < run.k:
                termination = "completed"  # what was cut short came after these tokens
            vocabulary = first_tokens(vocabulary, k)
        greedy = termination == "completed" and "relaxed_cover" in run.extra
        return Answer(
            method,
            k,
            vocabulary,
            run.rule,
            run.status,
            termination,
            run.seconds,
            memory,
            run.lower_bound if run.k == k else None,
            sum(run.gains[:k]) if greedy else None,
        )

    def cut(
        self, words: WordCounts, vocabulary: Vocabulary, rule: SegmentationRule
    ) -> Segmentation:
        """Words cut under a rule."""
        return segment(words, vocabulary, rule, seed=self.seed, threads=self.threads)


def rules_of(answer: Answer, rules: Sequence[str]) -> list[SegmentationRule]:
    """The rules to count a method's tokens under, ``own`` replaced by its own."""
    if answer.rule == "single_symbols":
        return [answer.rule]
    named = (answer.rule if rule == "own" else rule for rule in rules)
    return list(dict.fromkeys(cast(Iterable[SegmentationRule], named)))
