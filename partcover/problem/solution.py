"""Defines what every method returns: a vocabulary, its cost, and how good that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from .._version import __version__
from ..corpus import symbols as sym
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..runtime.notebook import brief, html_table
from ..runtime.pickling import by_fields
from ..runtime.progress import gap_of
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .certificate import Certificate
from .instance import Instance

__all__ = ["Result", "Solution", "Status", "Termination"]

Status = Literal["optimal", "feasible", "infeasible", "none"]
Termination = Literal["completed", "gap", "time_limit", "interrupted", "error"]


@dataclass(frozen=True)
class Result:
    """What a method knows of an instance: a vocabulary with its cost, or that there is none yet.

    Attributes
    ----------
    method : str
        What made it.
    k : int
        The budget it was made for.
    words, total_count : int
        Distinct words and occurrences of the corpus.
    symbols : {"bytes", "chars", "ints"}
        The alphabet.
    candidates : int
        Number of candidate tokens.
    policy : dict
        What limits the candidates (see `Instance.policy`): the claim is about these.
    vocabulary : Vocabulary or None
        The chosen tokens, in the order of the method; None where there is no answer.
    rule : str
        The segmentation rule that `tokens` and `cover` are stated under.
    tokens, cover : int or None
        Tokens needed, and adjacent pairs inside tokens, over the counted corpus.
    lower_bound : int or None
        No vocabulary within the budget needs fewer tokens.
    status : {"optimal", "feasible", "infeasible", "none"}
        What it has.
    termination : {"completed", "gap", "time_limit", "interrupted", "error"}
        Why it stopped.
    seconds : float
        Wall-clock seconds of the method.
    seed, threads : int
        As given.
    gains : tuple of int
        For greedy methods: the gain in the method's own objective of each token, in order, so
        that the first j tokens answer every budget j.
    extra : dict
        Further keys of the method (``relaxed_cover``, ``tokens_shortest_path``, ...).
    certificate : Certificate or None
        What proves `lower_bound`, where the method has a proof that can be checked.
    """

    method: str
    k: int
    words: int
    total_count: int
    symbols: sym.Symbols
    candidates: int
    policy: dict[str, Any]
    vocabulary: Vocabulary | None
    rule: SegmentationRule
    tokens: int | None
    cover: int | None
    lower_bound: int | None
    status: Status
    termination: Termination
    seconds: float
    seed: int = 0
    threads: int = 1
    gains: tuple[int, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    certificate: Certificate | None = field(default=None, repr=False, compare=False)

    __reduce__ = by_fields

    @classmethod
    def of(
        cls,
        instance: Instance,
        vocabulary: Vocabulary | None,
        tokens: int | None,
        *,
        seconds: float,
        method: str | None = None,
        rule: SegmentationRule = "shortest_path",
        lower_bound: int | None = None,
        status: Status = "feasible",
        termination: Termination = "completed",
        seed: int = 0,
        threads: int = 1,
        gains: Iterable[int] = (),
        extra: dict[str, Any] | None = None,
    ) -> Self:
        """Returns what is known of an instance, which fills in all that follows from it.

        Parameters
        ----------
        instance : Instance
            The instance.
        vocabulary : Vocabulary or None
            The chosen tokens; their method is the method, unless one is given.
        tokens : int or None
            Tokens that the words need under `rule`.
        seconds, method, rule, lower_bound, status, termination, seed, threads, gains, extra
            As the attributes.
        """
        words = instance.words
        return cls(
            method=method or ("" if vocabulary is None else vocabulary.method),
            k=instance.k,
            words=len(words),
            total_count=words.total_count,
            symbols=instance.symbols,
            candidates=instance.index.total,
            policy=instance.policy,
            vocabulary=vocabulary,
            rule=rule,
            tokens=tokens,
            cover=None if tokens is None else words.total_symbols - tokens,
            lower_bound=lower_bound,
            status=status,
            termination=termination,
            seconds=seconds,
            seed=seed,
            threads=threads,
            gains=tuple(gains),
            extra=extra or {},
        )

    def __repr__(self) -> str:
        size = None if self.vocabulary is None else f"{len(self.vocabulary)} tokens"
        numbers = f"tokens={self.tokens}, lower_bound={self.lower_bound}"
        parts = [self.method, f"k={self.k}", size, self.rule, numbers]
        gap = None if self.gap is None else f"gap={self.gap:.4%}"
        return brief(type(self).__name__, *parts, gap, self.status, self.termination)

    def _repr_html_(self) -> str:
        """What it is, and the first tokens, for notebooks."""
        facts = {k: v for k, v in self.to_json(vocabulary=False).items() if k != "policy"}
        simple = [(k, v) for k, v in facts.items() if isinstance(v, str | int | float | None)]
        table = html_table(type(self).__name__, [], simple)
        return table if self.vocabulary is None else table + self.vocabulary._repr_html_()

    @property
    def gap(self) -> float | None:
        """(tokens − lower_bound) / tokens; None without a bound or an answer."""
        return gap_of(self.tokens, self.lower_bound)

    @property
    def tokens_per_word(self) -> float | None:
        """Tokens over occurrences of words."""
        if self.tokens is None or not self.total_count:
            return None
        return self.tokens / self.total_count

    def recorded(self, words: WordCounts, **more: Any) -> Vocabulary:
        """The vocabulary with where it comes from, to be saved.

        Parameters
        ----------
        words : WordCounts
            What it was made for.
        **more
            Anything else to note, as JSON can hold it.

        Returns
        -------
        Vocabulary
            Its provenance is the version of partcover, `more`, the hash of the words, and what
            the solution is: method, options, numbers reached.

        Raises
        ------
        InputError
            If the solution has no vocabulary.
        """
        if self.vocabulary is None:
            raise InputError(f"there is no vocabulary to record: {self.status}")
        provenance = {
            "partcover": __version__,
            **more,
            "corpus_sha256": words.digest,
            **self.to_json(vocabulary=False),
        }
        return self.vocabulary.with_(method=self.method, provenance=provenance)

    def to_json(self, *, vocabulary: bool = True) -> dict[str, Any]:
        """The JSON object that every command prints for a solution."""
        data: dict[str, Any] = {
            "method": self.method,
            "k": self.k,
            "words": self.words,
            "total_count": self.total_count,
            "symbols": self.symbols,
            "candidates": self.candidates,
            "policy": self.policy,
            "rule": self.rule,
            "tokens": self.tokens,
            "cover": self.cover,
            "tokens_per_word": self.tokens_per_word,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "status": self.status,
            "termination": self.termination,
            "seconds": round(self.seconds, 6),
            "seed": self.seed,
            "threads": self.threads,
            **self.extra,
        }
        if vocabulary:
            tokens = None if self.vocabulary is None else list(self.vocabulary)
            data["vocabulary"] = None if tokens is None else [sym.to_json(t) for t in tokens]
            if self.vocabulary is not None:
                data.update(self.vocabulary.use_to_json())
            if self.gains:
                data["gains"] = list(self.gains)
        return data


@dataclass(frozen=True, repr=False)
class Solution(Result):
    """A vocabulary for an instance, with its cost and what is known about the optimum.

    All methods but `smallest` always have one.  Attributes are those of `Result`; these are
    never None:

    Attributes
    ----------
    vocabulary : Vocabulary
        The chosen tokens, in the order of the method.
    tokens, cover : int
        Tokens needed, and adjacent pairs inside tokens, over the counted corpus.
    """

    vocabulary: Vocabulary
    tokens: int
    cover: int
