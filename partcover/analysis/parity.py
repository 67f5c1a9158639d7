"""Measures how evenly a vocabulary serves several corpora."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError


@dataclass(frozen=True)
class Parity:
    """How evenly a vocabulary serves several corpora, relative to a reference count of each.

    Attributes
    ----------
    per : str
        What the tokens of each corpus are divided by, as ``"word"``.
    ratios : dict of str to float
        Tokens over reference, by corpus.
    worst_over_best : float
        The largest ratio over the smallest: 1 if all are served alike.
    gini : float
        The Gini coefficient of the ratios: 0 if all are served alike, and always below 1.

    Examples
    --------
    >>> from partcover.analysis.parity import Parity, parity
    >>> even: Parity = parity({"en": 20, "de": 20})
    >>> even.worst_over_best, even.gini
    (1.0, 0.0)
    """

    per: str
    ratios: dict[str, float]
    worst_over_best: float
    gini: float

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return dict(vars(self))


def gini(values: Iterable[float]) -> float:
    """Returns the Gini coefficient of values above zero.

    Σ_i Σ_j |x_i − x_j| / (2·n²·mean), in the form that sorts: O(n·log n).

    Examples
    --------
    >>> from partcover.analysis.parity import gini
    >>> gini([1, 1, 1]), gini([1, 3])
    (0.0, 0.25)
    """
    ascending = sorted(values)
    n = len(ascending)
    weighted = sum(
        (2 * place - n + 1) * value for place, value in enumerate(ascending)
    )  # by how many are smaller less how many are larger
    return weighted / (n * sum(ascending))


def parity(
    tokens: Mapping[str, int], references: Mapping[str, int] | None = None, *, per: str = "text"
) -> Parity:
    """Measures how evenly tokens are spent on several corpora.

    Parameters
    ----------
    tokens : mapping of str to int
        The tokens that each corpus needs; each at least one.
    references : mapping of str to int, optional
        What the tokens of each corpus are divided by, such as its words, its bytes, or its tokens
        under a vocabulary of its own.  Without it, the tokens themselves are compared: for
        corpora that say the same in several languages.
    per : str
        What the references are, for tables.

    Returns
    -------
    Parity
        The ratios and what is told from them.

    Raises
    ------
    InputError
        If there is no corpus, or a number is missing or below one.

    Notes
    -----
    Petrov et al. (2023), "Language model tokenizers introduce unfairness between languages", call
    the ratio of two languages' tokens for the same text the premium; the worst over the best is
    the largest of all.  Foroutan et al. (2025), "Parity-aware byte-pair encoding", compare
    vocabularies by the Gini coefficient of the languages' costs.

    Examples
    --------
    >>> from partcover.analysis.parity import parity
    >>> uneven = parity({"en": 30, "de": 90}, {"en": 20, "de": 30}, per="word")
    >>> uneven.ratios, uneven.worst_over_best, uneven.gini
    ({'en': 1.5, 'de': 3.0}, 2.0, 0.16...)
    """
    if not tokens:
        raise InputError("parity needs at least one corpus")
    known = dict.fromkeys(tokens, 1) if references is None else references
    for name, needed in tokens.items():
        if min(needed, known.get(name, 0)) < 1:
            raise InputError(
                f"{name}: {needed} tokens over a reference of {known.get(name, 0)}; both must be 1 "
                "or more"
            )
    ratios = {name: needed / known[name] for name, needed in tokens.items()}
    worst, best = max(ratios.values()), min(ratios.values())
    return Parity(per, ratios, worst / best, gini(ratios.values()))
