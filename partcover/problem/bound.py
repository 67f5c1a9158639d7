"""A certified lower bound, and what it proves about candidates."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..runtime.arguments import Whole, checked
from ..runtime.arrays import Float64, Int32, Int64, keep_arrays
from ..runtime.notebook import brief, html_table
from ..runtime.pickling import by_fields
from ..runtime.progress import gap_of
from .candidates import CandidateIndex
from .certificates.certificate import Certificate
from .instance import Instance
from .solution import Status, Termination


@dataclass(frozen=True, eq=False)
class Bound:
    """A certified lower bound, and what it proves about candidates, in read-only arrays.

    Attributes
    ----------
    instance : Instance
        The instance.
    certificate : Certificate
        The proof, which `check_certificate` confirms: one leaf of prices, or the certificate to
        start from if it proves more.
    lower_bound : int or Fraction
        No vocabulary of at most k tokens needs fewer tokens, or has a smaller largest ratio over
        several corpora.  It is what the prices prove, computed in integers.
    incumbent : int, Fraction or None
        Tokens that some vocabulary needs, or its largest ratio, as given.
    relaxation : float
        An upper bound on the linear relaxation of `path` (in floating point, not certified), and
        so on what prices can prove.
    x : ndarray of float64, shape (candidates,)
        The fraction of each candidate of `index` that the relaxation chooses, 0 to 1.
    reduced_costs : ndarray of int64, shape (candidates,)
        How much the bound rises if a candidate is required (at least 0), or minus the rise if one
        of the best k is forbidden (at most 0), in units of ``1 / unit`` tokens; 0 for required
        tokens.
    unit : int
        A power of two.
    proven_in, proven_out : ndarray of int32
        Candidates fixed by reduced costs, as indices into `index`: if some vocabulary needs fewer
        tokens than the incumbent, some best one contains all of the first and none of the second.
        Empty without an incumbent.
    seconds, iterations : float, int
        Wall-clock seconds, and number of steps.
    termination : {"completed", "gap", "time_limit", "interrupted"}
        Why it stopped; ``completed``: the relaxation is solved, the bound equals the incumbent,
        or the iterations are done.
    seed, threads : int
        The random seed, which is not used, and the number of threads.
    plain_bound, plain_x : int, ndarray of float64
        What prices prove without cuts, and `x` of that relaxation.
    cuts, rounds : dict of str to int, int
        Number of cuts of each kind (triangles, longer cycles, cliques, cycles over groups of
        tokens, and cycles with links), and of rounds of cuts.

    Examples
    --------
    >>> from partcover import Instance, lower_bound
    >>> instance = Instance({"banana": 2, "bandana": 1}, 1)
    >>> bound = lower_bound(instance, incumbent=10)
    >>> bound.lower_bound, bound.status
    (9, 'feasible')
    >>> bound.tokens(bound.proven_in)
    [b'banana']
    """

    instance: Instance
    certificate: Certificate
    lower_bound: int | Fraction
    incumbent: int | Fraction | None
    relaxation: float
    x: Float64
    reduced_costs: Int64
    unit: int
    proven_in: Int32
    proven_out: Int32
    seconds: float
    iterations: int
    termination: Termination
    seed: int = 0
    threads: int = 1
    plain_bound: int | Fraction = 0
    plain_x: Float64 = field(default_factory=lambda: np.zeros(0))
    cuts: dict[str, int] = field(default_factory=dict)
    rounds: int = 0

    def __post_init__(self) -> None:
        keep_arrays(self)

    __reduce__ = by_fields

    def __repr__(self) -> str:
        return brief(
            "Bound",
            f"k={self.instance.k}",
            f"lower_bound={self.lower_bound}",
            None if self.incumbent is None else f"incumbent={self.incumbent}",
            None if self.gap is None else f"gap={self.gap:.4%}",
            self.termination,
        )

    def _repr_html_(self) -> str:
        """Returns a table of what it proves, for notebooks."""
        facts = self.to_json()
        del facts["policy"], facts["cuts_by_kind"]
        return html_table("Bound", [], facts.items())

    @property
    def gap(self) -> float | None:
        """(incumbent − lower_bound) / incumbent; None without an incumbent."""
        return gap_of(self.incumbent, self.lower_bound)

    @property
    def status(self) -> Status:
        """The status of the incumbent: ``optimal`` or ``feasible``; ``none`` without one."""
        if self.incumbent is None:
            return "none"
        return "optimal" if self.incumbent == self.lower_bound else "feasible"

    @property
    def index(self) -> CandidateIndex:
        """The candidates."""
        return self.instance.alone.joined.unmerged.index

    @checked
    def tokens(self, numbers: Collection[Whole]) -> list[Token]:
        """Returns the candidates with these numbers."""
        if (beyond := max(numbers, default=-1)) >= len(self.index):
            raise InputError(f"there is no candidate {beyond}: there are {len(self.index)}")
        return list(self.index.tokens(np.array(numbers, np.int64)))

    @property
    def most_taken(self) -> list[Token]:
        """The required tokens and those with the largest `x`, k in all."""
        fixed = self.instance.fixed
        order = np.argsort(-self.x, kind="stable")[: self.instance.k].astype(np.int32)
        return list(dict.fromkeys([*fixed, *self.tokens(order)]))[: self.instance.k]

    def to_json(self, *, tokens: bool = False) -> dict[str, Any]:
        """Returns the JSON object of ``partcover bound``, with the proven tokens on request."""
        instance, tail = self.instance, self.certificate.tail
        relaxation = self.relaxation if math.isfinite(self.relaxation) else None
        data: dict[str, Any] = {
            "method": "bound",
            "k": instance.k,
            "words": len(instance.words) + (0 if tail is None else tail.words),
            "total_count": (instance.tail or instance.words).total_count,
            **({} if tail is None else {"head_words": len(instance.words)}),
            "symbols": instance.symbols,
            "candidates": self.index.total,
            "policy": instance.policy,
            "tokens": self.incumbent,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "plain_lower_bound": self.plain_bound,
            "cuts": sum(self.cuts.values()),
            "cuts_by_kind": dict(sorted(self.cuts.items())),
            "rounds": self.rounds,
            "relaxation": relaxation,
            **{name: getattr(self, name) for name in ("status", "termination", "iterations")},
            "seconds": round(self.seconds, 6),
            **{name: getattr(self, name) for name in ("seed", "threads")},
            **{name: len(getattr(self, name)) for name in ("proven_in", "proven_out")},
        }
        for name in ("tokens", "lower_bound", "plain_lower_bound"):
            if isinstance(data[name], Fraction):
                data |= {name: float(data[name]), f"{name}_exact": str(data[name])}
        if tokens:
            for name in ("proven_in", "proven_out"):
                data[f"{name}_tokens"] = [sym.to_json(t) for t in self.tokens(getattr(self, name))]
        return data
