"""Names the methods, and runs them for their answers to budgets."""

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
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..segmentation.segmentation import Segmentation, segment
from ..trainers import TRAINERS, Trainer, TrainerRegistry
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.subset import first_tokens
from ..vocabulary.vocabulary import Vocabulary

_OPTIMISERS = (
    Trainer("greedtok", greedtok, "GreedTok, the partition cover", nested=True),
    Trainer("greedwmc", greedwmc, "GreedWMC, the relaxation", nested=True),
    Trainer("improve", local_search, "local search; mind --time-limit"),
    Trainer("solve", solve, "proven optima; mind --time-limit"),
    TRAINERS["bytes"],
)


def _variant(method: str, option: str, value: str, about: str) -> Trainer:
    """Returns a trainer with another value of one of its options, which its name ends in."""
    trainer = TRAINERS[method]
    run = partial(trainer.run, **{option: value})
    return replace(trainer, name=f"{method}-{value}", run=run, about=about)


_VARIANTS = (
    _variant("pathpiece", "initial", "bpe", "PathPiece, begun from bpe"),
    _variant("pathpiece", "initial", "unigram", "PathPiece, begun from unigram"),
    _variant("convextok", "rounding", "bias", "ConvexTok, rounded by draws"),
    _variant("convextok", "rounding", "int", "ConvexTok: what its relaxation takes whole, filled"),
)
METHODS = TrainerRegistry(
    {method.name: method for method in (*_OPTIMISERS, *TRAINERS.given.values(), *_VARIANTS)}
)


@dataclass(frozen=True)
class Answer:
    """The answer of a method for one budget.

    Attributes
    ----------
    method : str
        The name of the method in `METHODS`.
    k : int
        The budget.
    vocabulary : Vocabulary or None
        None where there is no answer.
    rule : str
        The method's own segmentation rule.
    status, termination : str
        As in a `Solution`.
    seconds : float or None
        Seconds of the run; for a nested method, of the run for the largest budget.
    memory : int or None
        Bytes by which that run raised the peak resident memory of a process of its own; None
        where it was not measured.
    lower_bound : int or None
        The lower bound that the method proves, if any.
    relaxed_cover : int or None
        GreedWMC's own objective, of a run that was not stopped early.
    bounded : bool
        Whether lower bounds hold for it.  They do not for a given vocabulary where candidates are
        limited, since it may hold others.
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
        """Makes an answer without a vocabulary, with the reason."""
        return cls(method, k, None, "shortest_path", "none", "error", None, remark=remark)


@dataclass(frozen=True)
class Runner:
    """Runs methods on an instance.

    Attributes
    ----------
    instance : Instance
        The words and candidates; its k is not used.
    limits : RunLimits
        The time limit of each run, the random seed and the number of threads.
    memory : bool
        Whether to run each method in a process of its own and measure its memory (see
        `partcover.runtime.processes.isolation`).
    progress : Progress
        Receives the name of each run as it begins.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.studies.methods import Runner
    >>> runner = Runner(Instance({"banana": 2, "bandana": 1}, 0))
    >>> [answer.vocabulary.tokens for answer in runner.answers("greedtok", [1, 2])]
    [(b'banana',), (b'banana', b'bandana')]
    """

    instance: Instance
    limits: RunLimits = RunLimits()  # noqa: RUF009 - frozen
    memory: bool = False
    progress: Progress = field(default_factory=Progress)

    def run(self, method: str, k: int) -> tuple[Solution, int | None]:
        """Runs a method for one budget; returns its solution and memory."""
        self.progress.stage(f"{method}, k = {k}")
        instance = self.instance.with_k(k)
        options: dict[str, Any] = {
            "time_limit": self.limits.time_limit,
            "seed": self.limits.seed,
            "threads": self.limits.threads,
        }
        if self.memory:
            from ..runtime.processes.isolation import run_isolated  # imports multiprocessing

            # a copy, which has no index yet: the process makes its own, and that is measured
            return run_isolated(METHODS[method].train, replace(instance), **options)
        return METHODS[method].train(instance, **options), None

    def answers(self, method: str, budgets: Sequence[int]) -> list[Answer]:
        """Returns a method's answers, in ascending order of the budgets.

        A nested method runs once, for the largest budget.  Another runs for each budget, up to a
        run that is interrupted; a budget for which it has no vocabulary gets an answer with a
        remark.
        """
        budgets = sorted(set(budgets))
        if METHODS[method].nested:
            run, memory = self.run(method, budgets[-1])
            return [self.answer(method, k, run, memory) for k in budgets]
        answers = []
        for k in budgets:
            try:
                run, memory = self.run(method, k)
            except InputError as error:
                METHODS[method].check(self.instance.with_k(k))  # raises what holds for every k
                answers.append(Answer.none(method, k, str(error)))
                continue
            answers.append(self.answer(method, k, run, memory))
            if run.termination == "interrupted":
                break
        rule = next((answer.rule for answer in answers if answer.remark is None), None)
        return [
            answer if answer.remark is None or rule is None else replace(answer, rule=rule)
            for answer in answers
        ]

    def answer(self, method: str, k: int, run: Solution, memory: int | None = None) -> Answer:
        """Returns the answer of a run for its own budget, or a smaller one of a nested method."""
        vocabulary = run.vocabulary
        termination = run.termination
        if vocabulary is not None:
            if len(vocabulary) >= k < run.k:
                termination = "completed"  # the run was cut short after these tokens
            vocabulary = first_tokens(vocabulary, k)
        complete = termination == "completed" and "relaxed_cover" in run.extra
        return Answer(
            method,
            k,
            vocabulary,
            run.rule,
            run.status,
            termination,
            run.seconds,
            memory,
            int(run.lower_bound) if run.k == k and run.lower_bound is not None else None,
            sum(run.gains[:k]) if complete else None,
        )

    def cut(
        self, words: WordCounts, vocabulary: Vocabulary, rule: SegmentationRule
    ) -> Segmentation:
        """Segments words under a rule."""
        return segment(words, vocabulary, rule, seed=self.limits.seed, threads=self.limits.threads)


def rules_of(answer: Answer, rules: Sequence[str]) -> list[SegmentationRule]:
    """Returns the rules to count tokens under, with ``own`` replaced by the method's rule."""
    if answer.rule == "single_symbols":
        return [answer.rule]
    named = (answer.rule if rule == "own" else rule for rule in rules)
    return list(dict.fromkeys(cast(Iterable[SegmentationRule], named)))
