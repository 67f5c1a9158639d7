"""Declares trainers, and makes the Solution that each of them returns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from ..errors import InputError
from ..problem.instance import Instance
from ..problem.memory_plan import Work, refuse_beyond_memory
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Seed, Threads, checked, closest
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary

_P = ParamSpec("_P")

#: What an instance may ask for besides its words and k.
OPTIONS = (
    "candidates",
    "max_length",
    "min_count",
    "required",
    "forbidden",
    "prefix",
    "protected",
    "groups",
)
#: What trainers that add tokens one by one support.
LIMITED_MERGES = frozenset({"max_length", "min_count", "forbidden", "prefix"})
#: What trainers that choose from a list of candidates support.
LIMITED_CANDIDATES = LIMITED_MERGES | {"candidates", "required", "protected"}

#: The trainers declared so far, by name.
DECLARED: dict[str, Trainer] = {}


@dataclass(frozen=True)
class Trainer:
    """A way to train a vocabulary.

    Attributes
    ----------
    name : str
        The method, as ``--method`` takes it.
    run : callable
        ``run(instance, **options)`` returns a Solution.  It takes those of the keywords
        `time_limit`, `seed`, `threads` and `progress` that it has a use for; further
        keyword-only parameters are options of the method.
    about : str
        One line for people.
    supports : collection of str
        The options of an instance (see `OPTIONS`) that it keeps to.
    nested : bool
        Whether the first j tokens of a run for k (with the merges up to the one that makes the
        last of them) are its answer for every budget j ≤ k.
    phrases : bool
        Whether it is for phrases, as ``count --phrases`` makes them.
    work : str or callable, optional
        What takes the memory, as `partcover.problem.memory_plan.memory_plan` has it, or a function
        that says it of the keywords of `run`; None where no estimate is known.
    requires : callable, optional
        ``requires(instance)`` raises what `run` would before it does anything: MissingExtra for
        a library that is not installed, InputError for words it cannot train on.
    hint : callable, optional
        ``hint(instance)`` returns what to know about its result, as a remark, or None.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.trainers import TRAINERS
    >>> TRAINERS["bpe"].about
    'byte-pair encoding: merge the most frequent pair'
    >>> solution = TRAINERS["bpe"].train(Instance({"abab": 3, "ab": 2}, 1), threads=2)
    >>> solution.vocabulary.tokens
    (b'ab',)
    """

    name: str
    run: Callable[..., Solution]
    about: str
    supports: Collection[str] = frozenset(OPTIONS)
    nested: bool = False
    phrases: bool = False
    work: Work | Callable[[Mapping[str, Any]], Work] | None = None
    requires: Callable[[Instance], None] | None = None
    hint: Callable[[Instance], str | None] | None = None

    @property
    def takes_time(self) -> bool:
        """Whether a time limit can take effect."""
        return "time_limit" in signature(self.run).parameters

    def work_of(self, options: Mapping[str, Any]) -> Work | None:
        """Returns what takes the memory of a run with these options; None if it is not known."""
        _refuse_unknown(self.name, self.run, options)
        if not callable(self.work):
            return self.work
        parameters = signature(self.run).parameters.values()
        try:
            return self.work({p.name: p.default for p in parameters} | {**options})
        except TypeError:  # of a comparison: a run would name the option
            raise InputError(f"{self.name}: the type of an option is wrong: {options}") from None

    def check(self, instance: Instance) -> None:
        """Checks that the method supports an instance's options and has what it needs.

        Raises
        ------
        InputError
            Naming the first option that is set and not supported, or as `requires` does.
        MissingExtra
            For a library that is not installed.
        """
        refuse_unsupported(instance, self.name, self.supports)
        if self.requires is not None:
            self.requires(instance)

    @checked
    def train(
        self,
        instance: Instance,
        *,
        time_limit: Seconds | None = None,
        seed: Seed = 0,
        threads: Threads = 1,
        progress: Progress | None = None,
        **options: Any,
    ) -> Solution:
        """Trains, whichever of the common keywords the method has a use for.

        Parameters
        ----------
        instance : Instance
            The words, the budget and the conditions.
        time_limit, seed, threads, progress
            Passed on to `run` if it takes them; `seed` and `threads` are recorded in any case.
        **options
            Options of the method.

        Returns
        -------
        Solution
            As `run` returns it.

        Raises
        ------
        InputError
            For an option that the method does not take: with the closest one.
        """
        common = {
            "time_limit": time_limit,
            "seed": seed,
            "threads": threads,
            "progress": progress,
        }
        _refuse_unknown(self.name, self.run, options, common)
        taken = common.keys() & signature(self.run).parameters.keys()
        solution = self.run(instance, **{name: common[name] for name in taken}, **options)
        return replace(solution, seed=seed, threads=threads)


def trainer(
    name: str,
    *,
    about: str,
    supports: Collection[str] = (),
    nested: bool = False,
    phrases: bool = False,
    work: Work | Callable[[Mapping[str, Any]], Work] | None = None,
    requires: Callable[[Instance], None] | None = None,
    hint: Callable[[Instance], str | None] | None = None,
) -> Callable[[Callable[_P, Solution]], Callable[_P, Solution]]:
    """Declares a function as a trainer.

    The function then checks its arguments against their annotations, refuses an instance with
    options that it would have to ignore, or whose `work` does not fit in memory, and on Ctrl-C
    before it has chosen any token returns the fixed tokens alone.  (After that each trainer itself
    returns what it has.)  Another package names its trainers in the entry point group
    ``partcover.trainers``, see `TrainerRegistry`.

    Parameters
    ----------
    name, about, supports, nested, phrases, work, requires, hint
        See `Trainer`.

    Returns
    -------
    callable
        Declares the function that it decorates.

    Examples
    --------
    >>> from partcover import Instance, Vocabulary
    >>> from partcover.trainers import solution_of, trainer
    >>> @trainer("longest", about="the longest words", supports={"prefix"})
    ... def longest(instance):
    ...     words = sorted((word for word, _ in instance.words), key=len, reverse=True)
    ...     vocabulary = Vocabulary(words[: instance.k], instance.symbols, "longest")
    ...     return solution_of(instance, vocabulary, seconds=0)
    >>> longest(Instance({"low": 5, "lowest": 2}, 1)).tokens
    17
    >>> longest(Instance({"low": 5}, 1, max_length=3))
    Traceback (most recent call last):
        ...
    partcover.errors.InputError: longest does not support max_length: leave it out for this method
    """

    def declare(train: Callable[_P, Solution]) -> Callable[_P, Solution]:
        parameters = signature(train)

        @checked
        @wraps(train)
        def run(*arguments: _P.args, **options: _P.kwargs) -> Solution:
            deadline = Deadline()
            try:
                given = parameters.bind(*arguments, **options).arguments
            except TypeError:  # Python's own message names the function
                _refuse_unknown(name, train, options)
                return train(*arguments, **options)
            instance: Instance = given["instance"]
            try:
                refuse_unsupported(instance, name, supports)
                if (task := declared.work_of(given)) is not None:
                    refuse_beyond_memory(instance, task)
                solution = train(*arguments, **options)
            except KeyboardInterrupt:
                solution = solution_of(
                    instance,
                    Vocabulary(instance.fixed, instance.symbols, name),
                    deadline.seconds,
                    termination="interrupted",
                    extra={"size": len(instance.fixed)},
                )
            return replace(solution, seed=given.get("seed", 0), threads=given.get("threads", 1))

        declared = Trainer(name, run, about, supports, nested, phrases, work, requires, hint)
        DECLARED[name] = declared
        return run

    return declare


def _refuse_unknown(
    name: str, run: Callable[..., Any], options: Iterable[str], common: Iterable[str] = ()
) -> None:
    """Refuses a keyword that a method does not take; `common` are taken besides."""
    known = signature(run).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for option in options:
        if option not in known:
            others = [*dict.fromkeys((*common, *list(known)[1:]))]
            raise InputError(f"{name} has no option {option}: {closest(option, others)}")


def refuse_unsupported(instance: Instance, name: str, supports: Collection[str]) -> None:
    """Refuses an instance with a tail or options that a method would have to ignore."""
    if instance.tail is not None:
        raise InputError(f"{name} does not support a head and a tail: give it all words")
    unset = {field.name: field.default for field in fields(Instance)}
    for option in (*OPTIONS, "merges", "corpora"):
        if getattr(instance, option) != unset.get(option) and option not in supports:
            prefix = option == "required" and "prefix" in supports
            instead = ", or give these tokens as prefix" if prefix else ""
            raise InputError(
                f"{name} does not support {option}: leave it out for this method{instead}"
            )


@checked
def solution_of(
    instance: Instance,
    vocabulary: Vocabulary,
    seconds: float,
    *,
    termination: Termination = "completed",
    threads: int = 1,
    gains: tuple[int, ...] = (),
    candidates: int | None = None,
    extra: dict[str, Any] | None = None,
) -> Solution:
    """Makes the Solution of a trainer: counts its tokens by `segment` under its own rule.

    Parameters
    ----------
    instance : Instance
        The words.
    vocabulary : Vocabulary
        What was trained; its method names the method.  The Solution's also records the
        pre-tokenizer that the words were counted with.
    seconds : float
        Seconds that the training took.
    termination : str
        Why it stopped; Ctrl-C while tokens are counted makes it ``interrupted``.
    threads : int
        Threads that segment the words.
    gains : tuple of int
        See `Solution`; empty where the method has none.
    candidates : int, optional
        How many candidates the method looked at; None of one that looks at none.
    extra : dict, optional
        Further keys; ``tokens_shortest_path`` is added where the rule is another.

    Returns
    -------
    Solution
        Without a lower bound.

    Examples
    --------
    >>> from partcover import Instance, Vocabulary
    >>> from partcover.trainers import solution_of
    >>> instance = Instance({"abab": 3, "ab": 2}, 1)
    >>> solution_of(instance, Vocabulary(["ab"], method="mine"), seconds=0.5).tokens
    8
    """
    vocabulary = vocabulary.with_(**instance.words.how)

    def count(termination: Termination) -> Solution:
        tokens = segment(instance.words, vocabulary, threads=threads).tokens
        shortest = {}
        if vocabulary.rule not in ("shortest_path", "single_symbols"):
            other = segment(instance.words, vocabulary, "shortest_path", threads=threads)
            shortest["tokens_shortest_path"] = other.tokens
        solution = Solution.of(
            instance,
            vocabulary,
            tokens,
            rule=vocabulary.rule,
            termination=termination,
            seconds=seconds,
            threads=threads,
            gains=gains,
            extra={**(extra or {}), **shortest},
        )
        return replace(solution, candidates=candidates)

    try:
        return count(termination)
    except KeyboardInterrupt:  # what is trained is not lost
        return count("interrupted")
