"""Implements the command ``gap``."""

from __future__ import annotations

from functools import partial
from typing import Any

import partcover as pc

from ....errors import VerificationError
from ....report.tables import Listing
from ....vocabulary.rules import SEGMENTATION_RULES
from ... import shared
from ...command import command, exclude, reading_option
from ...inputs import InstanceSource, note_other_words, read_vocabulary
from ...shown.output import Output


@command(
    "gap",
    keeps_best=True,
    examples=[
        ("partcover gap book.tsv --vocab v.json", ""),
        (
            "partcover gap book.tsv --vocab v.json -k 1000 --certificate p.cert",
            "check this certificate and use its bound",
        ),
    ],
)
@partial(shared.k, default="the size of the vocabulary")
@reading_option("--vocab", "V.json|FILE", "Vocabulary or tokenizer to measure.", required=True)
@shared.rule("Segmentation rule. Default: as its file says, else shortest_path.")
@reading_option("--certificate", "P.cert", "Certificate of a lower bound for its size.")
@shared.seconds(default=30.0, about="Time for the lower bound, if there is no --certificate.")
@shared.instance
@shared.output(threads=True)
def gap_command(
    out: Output,
    source: InstanceSource,
    vocab: str,
    rule: Any,
    certificate: str | None,
    time_limit: float,
) -> int:
    """Measure how far a vocabulary is from optimal, and why.

    The gap has two parts. Segmentation rule: what the best segmentation (shortest path) with the
    same tokens saves. Choice of tokens: what other tokens could save at most, by a proven lower
    bound for k tokens. Exit status 6 if the certificate does not hold.
    """
    from ....analysis.gap import refuse_beyond_budget

    if certificate is not None:
        exclude("--certificate", "--time-limit")
    instance = source.read(any_k=True)
    vocabulary = read_vocabulary(vocab, instance.symbols)
    if source.k is None:
        instance = instance.with_k(len(vocabulary))
    note_other_words(out, vocabulary, instance.words)
    if rule is None:
        recorded = vocabulary.provenance.get("rule")
        rule = recorded if recorded in SEGMENTATION_RULES else vocabulary.rule
    refuse_beyond_budget(instance, vocabulary)
    if certificate is None:
        proven = out.run("bound", pc.lower_bound, instance, time_limit=time_limit).lower_bound
    else:
        proven = _proven_bound(instance, certificate)
    gap = pc.split_gap(instance, vocabulary, int(proven), rule, threads=out.threads)
    _show(out, gap.to_json(), rule)
    return 0


def _proven_bound(instance: pc.Instance, path: str) -> int:
    """Returns the lower bound that a certificate proves, once it is checked."""
    check = pc.check_certificate(instance, pc.Certificate.load(path))
    if not check.ok:
        raise VerificationError(f"{path}: {check.problems[0]}")
    return int(check.lower_bound)


def _show(out: Output, data: dict[str, Any], rule: str) -> None:
    """Shows the gap, and its parts by the vocabulary and by the rule."""
    total = data["tokens"] - data["lower_bound"]
    choice = data["tokens_shortest_path"] - data["lower_bound"]
    rows = [
        {"what": "tokens chosen", "tokens": data["size"]},
        {"what": "tokens in no word", "tokens": data["never_occur"]},
        {"what": f"tokens needed, {rule.replace('_', ' ')}", "tokens": data["tokens"]},
        {"what": "tokens needed, shortest path", "tokens": data["tokens_shortest_path"]},
        {"what": f"lower bound, k = {data['k']:,}", "tokens": data["lower_bound"]},
        {"what": "gap", "tokens": total, "gap": data["gap"]},
        {"what": "choice of tokens", "tokens": choice, "gap": data["vocabulary_gap"]},
        {"what": "segmentation rule", "tokens": total - choice, "gap": data["rule_gap"]},
    ]
    out.result(data, Listing(rows, {"what": "", "tokens": "", "gap": ""}, data=[data]))
