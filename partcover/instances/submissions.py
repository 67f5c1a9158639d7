"""Searches for a better result than a record's, and judges what is submitted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..bounds.branch_and_cut import branch_and_cut
from ..corpus.word_counts import WordCounts
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Seed, Threads, Whole, checked
from ..runtime.progress import Progress
from ..verification.certificate_check import check_certificate
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .records import Record


@dataclass(frozen=True)
class Judgment:
    """What a vocabulary, a certificate, or both are worth beside a record.

    Attributes
    ----------
    name : str
        The record.
    k : int
        The budget.
    tokens, lower_bound : int or None
        What the vocabulary needs and the certificate proves, recounted; None if not given.
    best_tokens, best_lower_bound : int or None
        What is known; None where there is no row.
    problems : tuple of str
        One line for each thing that is wrong.

    Examples
    --------
    >>> from partcover.instances.submissions import Judgment
    >>> found = Judgment("emma", 64, 90, None, 100, 80, ())
    >>> found.fewer_tokens, found.higher_bound
    (True, False)
    """

    name: str
    k: int
    tokens: int | None
    lower_bound: int | None
    best_tokens: int | None
    best_lower_bound: int | None
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    @property
    def fewer_tokens(self) -> bool:
        """Whether the vocabulary is valid and needs fewer tokens than the best known."""
        if not self.ok or self.tokens is None:
            return False
        return self.best_tokens is None or self.tokens < self.best_tokens

    @property
    def higher_bound(self) -> bool:
        """Whether the certificate is valid and proves a higher bound than the best known."""
        if not self.ok or self.lower_bound is None:
            return False
        return self.best_lower_bound is None or self.lower_bound > self.best_lower_bound

    @property
    def remarks(self) -> list[str]:
        """How what was given compares with the best known, a line for each."""
        remarks = []
        for what, value, best, is_better in (
            ("tokens", self.tokens, self.best_tokens, self.fewer_tokens),
            ("lower bound", self.lower_bound, self.best_lower_bound, self.higher_bound),
        ):
            if value is not None and best is None:
                remarks.append(f"{what}: {value:,}; no other result is known")
            elif value is not None:
                verdict = "better than" if is_better else "no better than"
                remarks.append(f"{what}: {value:,}, {verdict} the best known, {best:,}")
        return remarks

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object of ``partcover records check``."""
        better = {"fewer_tokens": self.fewer_tokens, "higher_bound": self.higher_bound}
        return {**asdict(self), "problems": list(self.problems), "ok": self.ok, **better}


@checked
def judge(
    record: Record,
    words: WordCounts,
    k: Whole,
    vocabulary: Vocabulary | None = None,
    certificate: Certificate | None = None,
) -> Judgment:
    """Recounts a submission in plain Python, and compares it with what is known.

    Parameters
    ----------
    record : Record
        What is known.
    words : WordCounts
        The counted words of the record.
    k : int
        The budget, one of `partcover.instances.records.BUDGETS`.
    vocabulary : Vocabulary, optional
        At most `k` tokens of two or more bytes.
    certificate : Certificate, optional
        The proof of a lower bound.

    Returns
    -------
    Judgment
        The recount shares nothing with the kernels that search.

    Raises
    ------
    InputError
        If the words are not those of the record, or `k` is none of its budgets.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.instances.records import Record
    >>> from partcover.instances.submissions import judge
    >>> words = WordCounts.from_counts({"banana": 2, "bandana": 1})
    >>> record = Record("bananas", "", "", (), words.digest, 2, 3)
    >>> found = judge(record, words, 64, Vocabulary(["an", "ban"]))
    >>> found.tokens, found.fewer_tokens
    (10, True)
    """
    record.require(words)
    row = record.row(k)
    instance = Instance(words, k)
    problems: list[str] = []
    tokens = lower_bound = None
    if vocabulary is not None:
        recounted = verify(instance, vocabulary)
        problems += recounted.problems
        tokens = recounted.tokens
    if certificate is not None:
        proof = check_certificate(instance, certificate)
        problems += proof.problems
        lower_bound = int(proof.lower_bound)
    best_tokens = None if row is None else row.tokens.value
    best_bound = None if row is None else row.lower_bound.value
    for fewest, bound, which in (
        (tokens, best_bound, "the known lower bound"),
        (best_tokens, lower_bound, "the certificate's lower bound"),
        (tokens, lower_bound, "the certificate's lower bound"),
    ):
        if not problems and fewest is not None and bound is not None and fewest < bound:
            problems.append(f"{fewest} tokens are fewer than {which}, {bound}: please report this")
    return Judgment(record.name, k, tokens, lower_bound, best_tokens, best_bound, tuple(problems))


@checked
def attempt(
    record: Record,
    words: WordCounts,
    k: Whole,
    *,
    warm_start: Vocabulary | None = None,
    start_certificate: Certificate | None = None,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Searches by branch and cut for a better vocabulary and a higher bound.

    It starts from the best that are at hand.

    Parameters
    ----------
    record : Record
        What is known.
    words : WordCounts
        The counted words of the record.
    k : int
        The budget, one of `partcover.instances.records.BUDGETS`.
    warm_start, start_certificate : optional
        What to start from.  Default: the files of the record, where they are.
    time_limit, seed, threads, progress
        As for `partcover.solve`.

    Returns
    -------
    Solution
        As `partcover.solve` returns it; `judge` compares it with the record.

    Raises
    ------
    InputError
        If the words are not those of the record, or `k` is none of its budgets.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.instances.records import Record
    >>> from partcover.instances.submissions import attempt
    >>> words = WordCounts.from_counts({"banana": 2, "bandana": 1})
    >>> record = Record("bananas", "", "", (), words.digest, 2, 3)
    >>> attempt(record, words, 64).tokens
    3
    """
    record.require(words)
    vocabulary, certificate = record.start(k)
    return branch_and_cut(
        Instance(words, k),
        warm_start=warm_start or vocabulary,
        start_certificate=start_certificate or certificate,
        time_limit=time_limit,
        seed=seed,
        threads=threads,
        progress=progress,
    )
