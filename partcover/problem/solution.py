"""The result of every method: a vocabulary, the tokens it needs, and a lower bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from .._version import __version__
from ..corpus import symbols as sym
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..runtime.arguments import checked
from ..runtime.notebook import brief, html_table
from ..runtime.pickling import by_fields
from ..runtime.progress import gap_of
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .instance import Instance

if TYPE_CHECKING:
    from .certificates.certificate import Certificate
else:  # looked up where arguments are checked; training needs no certificates
    Certificate = Any

Status = Literal["optimal", "feasible", "infeasible", "none"]
Termination = Literal["completed", "gap", "time_limit", "interrupted", "error"]


@dataclass(frozen=True)
class Result:
    """What a method knows about an instance: a vocabulary, if it has one, and a lower bound.

    Attributes
    ----------
    method : str
        Name of the method.
    k, words, total_count : int
        The budget, and the number of distinct words and of words counted.
    symbols : {"bytes", "chars", "ints"}
        The alphabet.
    candidates : int or None
        Number of candidates; None for a method that does not use them, such as BPE.
    policy : dict
        Limits on the candidates (see `Instance.policy`), which every claim is relative to.
    vocabulary : Vocabulary or None
        The chosen tokens, in the order of the method.
    rule : str
        The segmentation rule of `tokens` and `cover`.
    tokens, cover : int or None
        Tokens that the counted words need, and adjacent pairs inside tokens.
    lower_bound : int, Fraction or None
        No vocabulary within the budget needs fewer tokens, or has a smaller largest ratio.
    status : {"optimal", "feasible", "infeasible", "none"}
        How good the vocabulary is known to be; ``none`` without one.
    termination : {"completed", "gap", "time_limit", "interrupted", "error"}
        Why the method stopped.
    seconds, seed, threads : float, int, int
        Wall-clock seconds of the method; seed and threads as given.
    gains : tuple of int
        Gain of each token in the method's own objective, for greedy methods.  Their first j tokens
        are their result for budget j.
    extra : dict
        Further keys of the method (``relaxed_cover``, ``tokens_shortest_path``, ...).
    certificate : Certificate or None
        The certificate of `lower_bound`, if the method has one.
    corpora : tuple of CorpusTokens
        The tokens of each corpus, if the instance has several.  Then `lower_bound` and `gap` are
        for the largest ratio, `worst`, and `tokens` is the sum.

    Examples
    --------
    >>> from partcover import Instance, smallest
    >>> from partcover.problem.solution import Result
    >>> result: Result = smallest(Instance({"hat": 2}, k=1), threshold=1)
    >>> result.status, result.vocabulary is None
    ('infeasible', True)
    """

    method: str
    k: int
    words: int
    total_count: int
    symbols: sym.Symbols
    candidates: int | None
    policy: dict[str, Any]
    vocabulary: Vocabulary | None
    rule: SegmentationRule
    tokens: int | None
    cover: int | None
    lower_bound: int | Fraction | None
    status: Status
    termination: Termination
    seconds: float
    seed: int = 0
    threads: int = 1
    gains: tuple[int, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    certificate: Certificate | None = field(default=None, repr=False, compare=False)
    corpora: tuple[CorpusTokens, ...] = ()

    __reduce__ = by_fields

    @classmethod
    @checked
    def of(
        cls,
        instance: Instance,
        vocabulary: Vocabulary | None,
        tokens: int | None,
        *,
        seconds: float,
        method: str | None = None,
        rule: SegmentationRule | None = None,
        lower_bound: int | Fraction | None = None,
        status: Status = "feasible",
        termination: Termination = "completed",
        seed: int = 0,
        threads: int = 1,
        gains: Iterable[int] = (),
        extra: dict[str, Any] | None = None,
        by_corpus: Sequence[int] = (),
        certificate: Certificate | None = None,
    ) -> Self:
        """Makes a result for an instance, and computes what follows from it.

        Without `rule` it is that of the instance, without `method` that of the vocabulary.
        """
        words, one, n_words = instance.tail or instance.words, instance.joined, len(instance.words)
        if certificate is not None and certificate.tail is not None:
            n_words += certificate.tail.words
        corpora: Iterable[CorpusTokens] = ()
        if instance.corpora is not None and by_corpus:
            named = zip(instance.corpora.names, by_corpus, instance.corpora.references, strict=True)
            corpora = (CorpusTokens(*each) for each in named)
        return cls(
            method=method or ("" if vocabulary is None else vocabulary.method),
            k=instance.k,
            words=n_words,
            total_count=words.total_count,
            symbols=instance.symbols,
            candidates=one.promising_index().total if one.is_indexed else None,
            policy=instance.policy,
            vocabulary=vocabulary,
            rule=instance.rule if rule is None else rule,
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
            certificate=certificate,
            corpora=tuple(corpora),
        )

    def __repr__(self) -> str:
        size = None if self.vocabulary is None else f"{len(self.vocabulary)} tokens"
        numbers = f"tokens={self.tokens}, lower_bound={self.lower_bound}"
        parts = [self.method, f"k={self.k}", size, self.rule, numbers]
        gap = None if self.gap is None else f"gap={self.gap:.4%}"
        return brief(type(self).__name__, *parts, gap, self.status, self.termination)

    def _repr_html_(self) -> str:
        """The result and the first tokens, for notebooks."""
        facts = {k: v for k, v in self.to_json(vocabulary=False).items() if k != "policy"}
        simple = [(k, v) for k, v in facts.items() if isinstance(v, str | int | float | None)]
        table = html_table(type(self).__name__, [], simple)
        return table if self.vocabulary is None else table + self.vocabulary._repr_html_()

    @property
    def gap(self) -> float | None:
        """(tokens − lower_bound) / tokens, or the same for `worst`; None without both."""
        return gap_of(self.worst if self.corpora else self.tokens, self.lower_bound)

    @property
    def worst(self) -> Fraction | None:
        """The largest ratio of tokens to reference over several corpora; None for one corpus."""
        return max((corpus.ratio for corpus in self.corpora), default=None)

    @property
    def tokens_per_word(self) -> float | None:
        """Tokens over words counted; None without an answer or without words."""
        if self.tokens is None or not self.total_count:
            return None
        return self.tokens / self.total_count

    def recorded(self, words: WordCounts, **more: Any) -> Vocabulary:
        """Returns the vocabulary with its provenance, to be saved; without one it is refused.

        The provenance is the version of partcover, `more`, the digest of the words that it was made
        for, and the fields of this result: method, options, numbers reached.
        """
        if self.vocabulary is None:
            raise InputError(f"there is no vocabulary to save: the status is {self.status}")
        provenance = {
            "partcover": __version__,
            **more,
            "corpus_sha256": words.digest,
            **self.to_json(vocabulary=False),
        }
        return self.vocabulary.with_(method=self.method, provenance=provenance)

    def to_json(self, *, vocabulary: bool = True) -> dict[str, Any]:
        """Returns the JSON object that every command prints for a solution."""
        about = "method k words total_count symbols candidates policy rule tokens cover"
        run = "gap status termination seconds seed threads"
        bound = self.lower_bound
        data: dict[str, Any] = {
            **{name: getattr(self, name) for name in (*about.split(), "tokens_per_word")},
            "lower_bound": bound,
            **{name: getattr(self, name) for name in run.split()},
            "seconds": round(self.seconds, 6),
            **self.extra,
        }
        if self.corpora:
            data |= {
                "corpora": [corpus.to_json() for corpus in self.corpora],
                "worst": float(self.worst or 0),
                "worst_exact": str(self.worst),
                "lower_bound": None if bound is None else float(bound),
                "lower_bound_exact": None if bound is None else str(bound),
            }
        if vocabulary:
            tokens = None if self.vocabulary is None else list(self.vocabulary)
            data["vocabulary"] = None if tokens is None else [sym.to_json(t) for t in tokens]
            if self.vocabulary is not None:
                data.update(self.vocabulary.use_to_json())
            if self.gains:
                data["gains"] = list(self.gains)
        return data


@dataclass(frozen=True)
class CorpusTokens:
    """The tokens that one of several corpora needs, and its reference count.

    Examples
    --------
    >>> from partcover.problem.solution import CorpusTokens
    >>> CorpusTokens("english", 9, 3).to_json()
    {'name': 'english', 'tokens': 9, 'reference': 3, 'ratio': 3.0}
    """

    name: str
    tokens: int
    reference: int

    @property
    def ratio(self) -> Fraction:
        """Tokens divided by reference."""
        return Fraction(self.tokens, self.reference)

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object, with the ratio."""
        return {**asdict(self), "ratio": self.tokens / self.reference}


@dataclass(frozen=True, repr=False)
class Solution(Result):
    """A result with a vocabulary, as all methods but `smallest` return.

    Attributes are those of `Result`; `vocabulary`, `tokens` and `cover` are never None.

    Examples
    --------
    >>> from partcover import Instance, Solution, solve
    >>> solution: Solution = solve(Instance({"that": 3, "hat": 2}, k=1))
    >>> list(solution.vocabulary), solution.tokens, solution.status
    ([b'hat'], 8, 'optimal')
    """

    vocabulary: Vocabulary
    tokens: int
    cover: int


#: Receives the best solution so far, with its certificate.
Checkpoint: TypeAlias = Callable[[Solution], None]
