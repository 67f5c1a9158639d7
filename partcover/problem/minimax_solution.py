"""Holds what a method finds for a minimax instance: a vocabulary, its ratios, a lower bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .._version import __version__
from ..corpus import symbols as sym
from ..errors import InputError
from ..runtime.notebook import brief, html_table
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .certificates.minimax import MinimaxCertificate
from .minimax import MinimaxInstance
from .solution import Status, Termination

__all__ = ["MinimaxSolution"]


@dataclass(frozen=True, eq=False)
class MinimaxSolution:
    """What a method knows about a minimax instance.

    Attributes
    ----------
    instance : MinimaxInstance
        The instance.
    method : str
        Name of the method.
    vocabulary : Vocabulary or None
        The chosen tokens; None of a bound alone.
    tokens : tuple of int
        The tokens that each corpus needs; empty without a vocabulary.
    lower_bound : Fraction or None
        No vocabulary within the budget has a smaller largest ratio.
    certificate : MinimaxCertificate or None
        The proof of `lower_bound`, where it can be checked.
    termination : {"completed", "gap", "time_limit", "interrupted", "error"}
        Why the method stopped; ``error`` where a solver cannot tell so large counts apart.
    seconds : float
        Wall-clock seconds.
    rounds : int
        How many weightings of the corpora were tried.
    seed, threads : int
        As given.
    extra : dict
        Further keys of the method.
    rule : str
        The segmentation rule that `tokens` are counted under.

    Examples
    --------
    >>> from partcover import MinimaxInstance, WordCounts, improve_minimax
    >>> corpora = [WordCounts.from_counts({"abab": 1}), WordCounts.from_counts({"cdcd": 1})]
    >>> solution = improve_minimax(MinimaxInstance(corpora, 2, [4, 4]))
    >>> solution.tokens, solution.worst, solution.status
    ((1, 1), Fraction(1, 4), 'optimal')
    """

    instance: MinimaxInstance
    method: str
    vocabulary: Vocabulary | None
    tokens: tuple[int, ...]
    lower_bound: Fraction | None
    certificate: MinimaxCertificate | None
    termination: Termination
    seconds: float
    rounds: int = 0
    seed: int = 0
    threads: int = 1
    extra: dict[str, Any] = field(default_factory=dict)
    rule: SegmentationRule = "shortest_path"

    def __repr__(self) -> str:
        gap = None if self.gap is None else f"gap={self.gap:.4%}"
        numbers = f"worst={self.worst}, lower_bound={self.lower_bound}"
        about = [self.method, f"k={self.instance.k}", numbers, gap, self.status, self.termination]
        return brief("MinimaxSolution", *about)

    def _repr_html_(self) -> str:
        """Returns a table of the corpora, for notebooks."""
        head = ["corpus", "tokens", "reference", "ratio"]
        rows = [[row[key] for key in ("name", *head[1:])] for row in self.rows]
        return html_table(repr(self), head, rows)

    @property
    def ratios(self) -> tuple[Fraction, ...]:
        """The tokens of each corpus over its reference."""
        return self.instance.ratios(self.tokens) if self.tokens else ()

    @property
    def worst(self) -> Fraction | None:
        """The largest ratio; None without a vocabulary."""
        return max(self.ratios, default=None)

    @property
    def gap(self) -> float | None:
        """(worst − lower_bound) / worst; None without a bound or a vocabulary."""
        if self.worst is None or self.lower_bound is None:
            return None
        return float(1 - self.lower_bound / self.worst) if self.worst else 0.0

    @property
    def status(self) -> Status:
        """``optimal`` where the bound is the largest ratio, else ``feasible``, or ``none``."""
        if self.worst is None:
            return "none"
        return "optimal" if self.worst == self.lower_bound else "feasible"

    @property
    def rows(self) -> list[dict[str, Any]]:
        """For each corpus its name, reference, and with a vocabulary its tokens and ratio."""
        instance = self.instance
        tokens: Sequence[int | None] = self.tokens or [None] * len(instance.corpora)
        return [
            {
                "name": name,
                "tokens": count,
                "reference": reference,
                "ratio": None if count is None else count / reference,
            }
            for name, count, reference in zip(
                instance.names, tokens, instance.references, strict=True
            )
        ]

    def recorded(self) -> Vocabulary:
        """Returns the vocabulary with its provenance, to be saved.

        Raises
        ------
        InputError
            If there is none.
        """
        if self.vocabulary is None:
            raise InputError("there is no vocabulary to record")
        corpora = [words.digest for words in self.instance.corpora]
        facts = {**self.to_json(vocabulary=False), "corpora_sha256": corpora}
        return self.vocabulary.with_(
            method=self.method, provenance={"partcover": __version__, **facts}
        )

    def to_json(self, *, vocabulary: bool = True) -> dict[str, Any]:
        """Returns the JSON object that the commands print."""
        instance = self.instance
        data: dict[str, Any] = {
            "method": self.method,
            "k": instance.k,
            "words": len(instance.whole.words),
            "symbols": instance.symbols,
            "policy": instance.whole.policy,
            "rule": self.rule,
            "corpora": self.rows,
            "worst": None if self.worst is None else float(self.worst),
            "worst_exact": None if self.worst is None else str(self.worst),
            "lower_bound": None if self.lower_bound is None else float(self.lower_bound),
            "lower_bound_exact": None if self.lower_bound is None else str(self.lower_bound),
            "gap": self.gap,
            "status": self.status,
            "termination": self.termination,
            "rounds": self.rounds,
            "seconds": round(self.seconds, 6),
            "seed": self.seed,
            "threads": self.threads,
            **self.extra,
        }
        if self.certificate is not None:
            data["weights"] = list(self.certificate.weights)
        if vocabulary and self.vocabulary is not None:
            data["vocabulary"] = [sym.to_json(token) for token in self.vocabulary]
            data.update(self.vocabulary.use_to_json())
        return data
