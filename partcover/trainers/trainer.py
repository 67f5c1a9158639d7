"""Makes the Solution that every trainer returns, and refuses options it cannot honour."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Set
from functools import wraps
from typing import Any, TypeVar, cast

from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["outcome", "refuse_unhonoured", "stoppable"]

_Trains = TypeVar("_Trains", bound=Callable[..., Solution])

_OPTIONS = (
    "candidates",
    "max_length",
    "min_count",
    "required",
    "forbidden",
    "prefix",
    "protected",
    "groups",
)


# what each method keeps to
_MERGES = frozenset({"max_length", "min_count", "forbidden", "prefix"})
_CANDIDATES = _MERGES | {"candidates", "required", "protected"}
_HONOURED: Mapping[str, Set[str]] = {
    "bpe": _MERGES,
    "bytes": {"candidates", "max_length", "min_count", "forbidden", "groups"},
    "convextok": frozenset(_OPTIONS),
    "frequent": _MERGES,
    "greedyphrase": _MERGES,
    "pathpiece": _CANDIDATES,
    "randtrain": _CANDIDATES,
    "sage": frozenset(),
    "unigram": _CANDIDATES,
    "unigram_sentencepiece": frozenset(),
    "wordpiece": _MERGES,
}


def refuse_unhonoured(instance: Instance, method: str) -> None:
    """Refuse an instance with options that a method would have to ignore.

    Parameters
    ----------
    instance : Instance
        What is asked.
    method : str
        One of `partcover.trainers.TRAINERS`.

    Raises
    ------
    InputError
        Naming the first option that is set and not honoured.
    """
    honoured = _HONOURED[method]
    for name in _OPTIONS:
        value = getattr(instance, name)
        unset = value == 1 if name == "min_count" else value in (None, ())
        if not unset and name not in honoured:
            prefix = name == "required" and "prefix" in honoured
            instead = ", or give these tokens as prefix" if prefix else ""
            raise InputError(
                f"{method} cannot honour {name}: leave it out for this method{instead}"
            )


def stoppable(train: _Trains) -> _Trains:
    """Let Ctrl-C end a trainer that has chosen nothing yet with the fixed tokens alone.

    Later each trainer itself ends with what it has.
    """

    @wraps(train)
    def run(instance: Instance, **options: Any) -> Solution:
        started = time.monotonic()
        try:
            return train(instance, **options)
        except KeyboardInterrupt:
            return outcome(
                instance,
                Vocabulary(instance.fixed, instance.symbols, train.__name__),
                started,
                termination="interrupted",
                seed=options.get("seed", 0),
                threads=options.get("threads", 1),
                extra={"size": len(instance.fixed)},
            )

    return cast("_Trains", run)


def outcome(
    instance: Instance,
    vocabulary: Vocabulary,
    started: float,
    *,
    termination: Termination = "completed",
    seed: int = 0,
    threads: int = 1,
    gains: tuple[int, ...] = (),
    extra: dict[str, Any] | None = None,
) -> Solution:
    """The Solution of a trainer, its tokens counted by `segment` under the vocabulary's rule.

    Parameters
    ----------
    instance : Instance
        The words.
    vocabulary : Vocabulary
        What was trained; its method names the method.  It is noted what the words were
        counted with.
    started : float
        `time.monotonic` when it began.
    termination : str
        Why it stopped; Ctrl-C while tokens are counted makes it ``interrupted``.
    seed, threads : int
        As given.
    gains : tuple of int
        See `Solution`; empty where the method has none.
    extra : dict, optional
        Further keys; ``tokens_shortest_path`` is added where the rule is another.
    """
    seconds = time.monotonic() - started
    vocabulary = vocabulary.with_(pretokenizer=instance.words.pretokenizer)

    def counted(termination: Termination) -> Solution:
        cut = segment(instance.words, vocabulary, threads=threads)
        fewest = {}
        if vocabulary.rule not in ("shortest_path", "single_symbols"):
            shortest = segment(instance.words, vocabulary, "shortest_path", threads=threads)
            fewest["tokens_shortest_path"] = shortest.tokens
        return Solution.of(
            instance,
            vocabulary,
            cut.tokens,
            rule=vocabulary.rule,
            termination=termination,
            seconds=seconds,
            seed=seed,
            threads=threads,
            gains=gains,
            extra={**(extra or {}), **fewest},
        )

    try:
        return counted(termination)
    except KeyboardInterrupt:  # what is trained is not lost
        return counted("interrupted")
