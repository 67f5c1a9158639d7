"""Measures the vocabularies of a page: tokens needed, gap, and whether the gap is proven."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..analysis.metrics import text_bytes
from ..corpus.word_counts import WordCounts
from ..errors import InputError, VerificationError
from ..problem.instance import Instance
from ..runtime.progress import gap_of
from ..segmentation.segmentation import Segmentation
from ..verification.certificate_check import check_certificate
from ..vocabulary.vocabulary import Vocabulary
from .charts import is_answer
from .runs import Runs, Table
from .tables.listing import cell

_PLAIN = {"candidates": "substrings"}


def checked_bound(runs: Runs) -> tuple[Instance, int] | None:
    """Recounts the certificate of a page.

    Returns
    -------
    (Instance, int) or None
        The instance that the certificate is about, as far as the files say, and the lower bound
        that it proves; None without a certificate.

    Raises
    ------
    InputError
        Without the counted words.
    VerificationError
        If the certificate does not prove what it claims.
    """
    certificate = runs.certificate
    if certificate is None:
        return None
    small = [each for _, each in runs.instances if "reduction" not in each.source]
    words = runs.words or (small[0].words if len(small) == 1 else None)
    if words is None or not runs.vocabularies:
        raise InputError(
            "a certificate needs its counted words and a vocabulary, for example "
            "`partcover report P.cert C.tsv V.json`"
        )
    same = [each for each in small if each.words.digest == words.digest]
    instance = same[0].with_k(certificate.k) if same else Instance(words, certificate.k)
    check = check_certificate(instance, certificate)
    if not check.ok:
        raise VerificationError(f"the certificate does not hold: {check.problems[0]}")
    return instance, int(check.lower_bound)


def measure(
    words: WordCounts,
    vocabularies: Mapping[str, Vocabulary],
    cuts: Mapping[str, Segmentation],
    bounds: Mapping[int, int],
) -> list[dict[str, Any]]:
    """Returns a row for each vocabulary: the tokens that it needs for these words, and its gap.

    Parameters
    ----------
    words : WordCounts
        The corpus.
    vocabularies : mapping of name to Vocabulary
        The vocabularies.
    cuts : mapping of name to Segmentation
        The words as each vocabulary segments them.
    bounds : mapping of int to int
        Lower bounds by k.  A vocabulary gets the bound of the smallest k that is at least its
        size.

    Raises
    ------
    InputError
        If a vocabulary needs fewer tokens than a bound allows.
    """
    size = text_bytes(words)
    rows = []
    for name, vocabulary in vocabularies.items():
        tokens = cuts[name].tokens
        bound = next((bounds[k] for k in sorted(bounds) if k >= len(vocabulary)), None)
        if bound is not None and bound > tokens:
            raise InputError(
                f"{name} needs {tokens:,} tokens, fewer than the lower bound {bound:,} of another "
                "file. The two files are about different words: leave one out"
            )
        rows.append(
            {
                "method": name,
                "rule": vocabulary.rule,
                "k": len(vocabulary),
                "tokens": tokens,
                "tokens_per_word": tokens / max(1, words.total_count),
                "bytes_per_token": None if size is None else size / max(1, tokens),
                "lower_bound": bound,
                "gap": gap_of(tokens, bound),
            }
        )
    return rows


def known_bounds(tables: Sequence[Table], words: WordCounts) -> dict[int, int]:
    """Returns the lower bounds in tables for these words with all substrings as candidates."""
    bounds: dict[int, int] = {}
    for table in tables:
        about = table.about
        if about.get("corpus_sha256") != words.digest or about.get("policy") != _PLAIN:
            continue
        for row in table.rows:
            k, bound = row.get("k"), row.get("lower_bound")
            if type(k) is int and type(bound) is int:
                bounds[k] = max(bound, bounds.get(k, 0))
    return bounds


def under_one_bound(table: Table, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Gives each row the best lower bound of any row with the same k.

    A bound for a limited set of candidates holds only for these, so the rows of such a table are
    returned unchanged.

    Raises
    ------
    InputError
        If a row needs fewer tokens than the bound of another allows.
    """
    if table.about.get("policy") != _PLAIN:
        return [dict(row) for row in rows]
    best: dict[int, int] = {}
    for row in rows:
        if type(bound := row.get("lower_bound")) is int:
            best[row["k"]] = max(bound, best.get(row["k"], 0))
    shown = []
    for row in rows:
        tokens, bound = row.get("tokens"), best.get(row["k"])
        if tokens is not None and bound is not None and tokens < bound:
            raise InputError(
                f"{row['method']} needs {tokens:,} tokens, fewer than the lower bound {bound:,} of "
                "another file. The two files are about different words: leave one out"
            )
        shown.append({**row, "lower_bound": bound, "gap": gap_of(tokens, bound)})
    return shown


@dataclass(frozen=True)
class Headline:
    """The result at the top of a page.

    Attributes
    ----------
    best : dict
        The row of the vocabulary that needs the fewest tokens.
    others : int
        The number of other rows for the same k.
    proof : {"checked", "reported", "none"}
        Whether the lower bound was recounted from a certificate, comes from a file, or is missing.
    words : int or None
        Number of words, counted with repetition.
    limits : dict
        The limits on candidates and the conditions under which the lower bound holds.
    """

    best: Mapping[str, Any]
    others: int
    proof: str
    words: int | None
    limits: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gap(self) -> str:
        """The gap in percent, rounded up."""
        tokens, bound = self.best["tokens"], self.best.get("lower_bound")
        return "unknown" if bound is None else percent(tokens - bound, tokens)

    @property
    def sentences(self) -> list[str]:
        """The result in sentences."""
        best = self.best
        k, tokens, bound = cell(best["k"]), cell(best["tokens"]), best.get("lower_bound")
        counted = "this corpus" if self.words is None else f"{cell(self.words)} words"
        ahead = f", the fewest of the {self.others + 1} compared here" if self.others else ""
        first = f"{best['method']} with {k} tokens segments {counted} into {tokens} tokens{ahead}."
        if bound is None:
            return [first, "How far that is from optimal is unknown: no lower bound was given."]
        limits = [f"{name.replace('_', ' ')} {cell(n)}" for name, n in self.limits.items()]
        others = f"vocabulary of {k} tokens" + f" ({', '.join(limits)})" * bool(limits)
        if bound == best["tokens"]:
            second = f"That is optimal: no {others} needs fewer."
        else:
            gap = self.gap.replace(" ", "\u00a0")  # no line breaks before the percent sign
            second = (
                f"No {others} needs fewer than {cell(bound)}, "
                f"so at most {gap} of them could be saved."
            )
        return [first, second]

    @property
    def certified(self) -> str:
        """How the bound is known, as a sentence."""
        return {
            "checked": "The certificate was checked when this page was made.",
            "reported": "The bound comes from the files; no certificate was given.",
            "none": "To make a certificate, run: partcover bound C.tsv -k K -o P.cert",
        }[self.proof]


def percent(part: int, whole: int) -> str:
    """Returns a share in percent, rounded up because it is an upper limit.

    Examples
    --------
    >>> from partcover.report.standings import percent
    >>> percent(2985, 100_000), percent(1, 10_000_000), percent(0, 7)
    ('2.99 %', '0.001 %', '0.00 %')
    """
    digits = 2 if 1000 * part >= whole or not part else 3
    units = -(-part * 10 ** (2 + digits) // max(1, whole))
    return f"{units / 10**digits:.{digits}f} %"


def headline(
    measured: Sequence[Mapping[str, Any]],
    tables: Sequence[Table],
    words: WordCounts | None,
    proven: tuple[Instance, int] | None,
) -> Headline | None:
    """Chooses the result to show first: the vocabulary with the fewest tokens for one k.

    It is the k that most vocabularies have, among those with a lower bound if there are any, and
    the largest of several.

    Parameters
    ----------
    measured : sequence of dict
        The rows of `measure`; if there are none, those of the tables are used.
    tables : sequence of Table
        The tables.
    words : WordCounts, optional
        The corpus.
    proven : (Instance, int), optional
        What `checked_bound` returned.
    """
    rows = list(measured)
    total = None if words is None else words.total_count
    policy: Any = None
    if not rows:
        # experiments of `reproduce` are not comparisons
        compared = (table for table in tables if "manifest" not in table.about)
        table = next((t for t in compared if any(map(is_answer, t.rows))), None)
        if table is None:
            return None
        rows = list(filter(is_answer, table.rows))
        if type(table.about.get("total_count")) is int:
            total = table.about["total_count"]
        policy = table.about.get("policy")
    groups: dict[int, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["k"], []).append(row)
    _, _, k = max(
        (any(row.get("lower_bound") is not None for row in group), len(group), k)
        for k, group in groups.items()
    )
    best = min(groups[k], key=lambda row: row["tokens"])
    proof = "none" if best.get("lower_bound") is None else "reported"
    if proven is not None and measured:
        instance, bound = proven
        of_any = instance.policy == _PLAIN
        if of_any and best.get("lower_bound") == bound and k <= instance.k:
            proof = "checked"
    policy = policy if isinstance(policy, dict) else {}
    limits = {name: value for name, value in policy.items() if _PLAIN.get(name) != value}
    return Headline(best, len(groups[k]) - 1, proof, total, limits)
