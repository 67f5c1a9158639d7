"""Checks what ``--minimax`` has made: a vocabulary for several corpora, and a certificate."""

from __future__ import annotations

from typing import Any

from ...problem.certificates.minimax import MinimaxCertificate
from ...problem.minimax import MinimaxInstance
from ...report.tables import Listing, facts
from ...verification.minimax_check import check_minimax_certificate, verify_minimax
from ...vocabulary.vocabulary import Vocabulary
from ..exit_status import EXIT_VERIFICATION
from ..inputs import InstanceSource, other_words, read_any_vocabulary
from ..shown.output import Output, say_problems
from .minimax import MinimaxSource

__all__ = ["verify_with_minimax"]


def verify_with_minimax(
    out: Output,
    source: InstanceSource,
    vocab: str | None,
    certificate: str | None,
    minimax: MinimaxSource,
) -> int:
    """Checks a vocabulary and a certificate, shows what is found and returns the exit status."""
    vocabulary = None if vocab is None else read_any_vocabulary(vocab)
    proof = None if certificate is None else MinimaxCertificate.load(certificate)
    instance = minimax.read(source, threads=out.threads)
    data: dict[str, Any] = {"ok": True, "references": list(instance.references)}
    problems: list[str] = []
    rows: list[dict[str, Any]] = [
        {"name": name, "reference": reference}
        for name, reference in zip(instance.names, instance.references, strict=True)
    ]
    if vocabulary is not None:
        for remark in other_words(vocabulary, instance.whole.words):
            out.note(remark)
        recount = verify_minimax(instance, vocabulary)
        problems += [f"{vocab}: {problem}" for problem in recount.problems]
        problems += [
            f"{vocab}: {line}" for line in _false_claims(instance, vocabulary, recount.tokens)
        ]
        for row, count, ratio in zip(rows, recount.tokens, recount.ratios, strict=False):
            row |= {"tokens": count, "ratio": float(ratio)}
        data |= {"worst": float(recount.worst), "worst_exact": str(recount.worst)}
    if proof is not None:
        check = check_minimax_certificate(instance, proof)
        if check.ok:
            for row, weight in zip(rows, check.weights, strict=True):
                row["weight"] = weight
        problems += [f"{certificate}: {problem}" for problem in check.problems]
        data |= {
            "weights": list(check.weights),
            "weighted_bound": check.weighted_bound,
            "lower_bound": float(check.lower_bound),
            "lower_bound_exact": str(check.lower_bound),
            "claimed_lower_bound": str(check.claimed),
        }
        if vocabulary is not None and recount.worst and check.ok:
            data["gap"] = float(1 - check.lower_bound / recount.worst)
            data["proves_optimal"] = check.lower_bound == recount.worst
    data |= {"corpora": rows, "ok": not problems, "problems": problems}
    flat = {key: value for key, value in data.items() if not isinstance(value, list)}
    shown = ("name", "tokens", "reference", "ratio", "weight")
    columns = {key: key for key in shown if key in rows[0]}
    out.result(data, Listing(rows, columns), facts(flat))
    say_problems(problems)
    return EXIT_VERIFICATION if problems else 0


def _false_claims(
    instance: MinimaxInstance, vocabulary: Vocabulary, tokens: tuple[int, ...]
) -> list[str]:
    """Returns a line for each corpus whose tokens the vocabulary's file states otherwise."""
    claim = vocabulary.provenance
    digests = [words.digest for words in instance.corpora]
    rows = claim.get("corpora")
    if claim.get("corpora_sha256") != digests or not isinstance(rows, list):
        return []
    claimed = [row.get("tokens") if isinstance(row, dict) else None for row in rows]
    return [
        f"the file claims {stated} tokens for {name}, it needs {count}"
        for name, stated, count in zip(instance.names, claimed, tokens, strict=False)
        if stated != count
    ]
