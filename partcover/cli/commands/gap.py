"""Implements the command ``gap``."""

from __future__ import annotations

from typing import Any

import click

from ...errors import VerificationError
from ...problem.certificate import Certificate
from ...report.tables import Listing
from ...vocabulary.rules import SEGMENTATION_RULES
from ...vocabulary.vocabulary import Vocabulary
from ..inputs import other_words, read_instance, read_tokens
from ..options import (
    command,
    instance_options,
    k_option,
    option,
    output_options,
    seconds_option,
)
from ..output import Output
from ..paths import ReadablePath

_GAP_SECONDS = 30


@command(
    "gap",
    keeps_best=True,
    examples=[
        ("partcover gap book.tsv --vocab v.json", ""),
        (
            "partcover gap book.tsv --vocab v.json -k 1000 --certificate p.cert",
            "its bound, checked",
        ),
    ],
)
@k_option
@option(
    "--vocab",
    type=ReadablePath(),
    metavar="V.json|FILE",
    required=True,
    help="The vocabulary.",
)
@option(
    "--rule",
    type=click.Choice(SEGMENTATION_RULES),
    help="How it is used. Default: as its file says, else shortest_path.",
)
@option(
    "--certificate",
    type=ReadablePath(),
    metavar="P.cert",
    help="The proof of a lower bound for its size.",
)
@seconds_option(
    about=f"For a lower bound, where no certificate has one. Default: {_GAP_SECONDS}.",
)
@instance_options
@output_options(threads=True)
def gap_command(
    out: Output,
    corpus: str,
    k: int | None,
    vocab: str,
    rule: Any,
    certificate: str | None,
    time_limit: float | None,
    **options: Any,
) -> int:
    """Say how far a vocabulary is from the optimum, and why.

    Part of the gap is the choice of tokens: what the vocabulary needs at least, over the lower
    bound for as many tokens. The rest is its segmentation rule. -k: the budget, if it is more
    than the vocabulary's size. Exit status 6 if the certificate does not hold.
    """
    from ...analysis.gap import refuse_beyond_budget, split_gap
    from ...verification.certificate_check import check_certificate

    if certificate is not None and time_limit is not None:
        raise click.UsageError("--certificate and --time-limit exclude each other")
    instance = read_instance(corpus, k, options, free=True)
    if vocab.endswith(".json"):
        vocabulary = Vocabulary.load(vocab)
    else:
        vocabulary = Vocabulary(read_tokens(vocab, instance.symbols), instance.symbols)
    if k is None:
        instance = instance.with_k(len(vocabulary))
    for remark in other_words(vocabulary, instance.words):
        out.note(remark)
    if rule is None:
        said = vocabulary.provenance.get("rule")
        rule = said if said in SEGMENTATION_RULES else vocabulary.rule
    refuse_beyond_budget(instance, vocabulary)
    if certificate is None:
        from ...bounds.lower_bound import lower_bound as find

        if time_limit is None:
            out.note(
                f"looking for a lower bound for at most {_GAP_SECONDS} seconds: --time-limit "
                "says how long, --certificate names a proof that is there"
            )
            time_limit = _GAP_SECONDS
        with out.events(None, phase="bound", time_limit=time_limit) as progress:
            lower_bound = find(
                instance, time_limit=time_limit, threads=out.threads, progress=progress
            ).lower_bound
    else:
        found = check_certificate(instance, Certificate.load(certificate))
        if not found.ok:
            raise VerificationError(f"{certificate}: {found.problems[0]}")
        lower_bound = found.lower_bound
    data = split_gap(instance, vocabulary, lower_bound, rule, threads=out.threads).to_json()
    total = data["tokens"] - data["lower_bound"]
    choice = data["tokens_shortest_path"] - data["lower_bound"]
    rows = [
        {"what": "tokens chosen", "tokens": data["size"]},
        {"what": "of them in no word", "tokens": data["never_occur"]},
        {"what": f"tokens needed, {rule.replace('_', ' ')}", "tokens": data["tokens"]},
        {"what": "tokens needed, shortest path", "tokens": data["tokens_shortest_path"]},
        {"what": f"lower bound for k = {data['k']:,}", "tokens": data["lower_bound"]},
        {"what": "gap", "tokens": total, "gap": data["gap"]},
        {"what": "of it by the vocabulary", "tokens": choice, "gap": data["vocabulary_gap"]},
        {"what": "of it by the rule", "tokens": total - choice, "gap": data["rule_gap"]},
    ]
    out.result(data, Listing(rows, {"what": "", "tokens": "", "gap": ""}, data=[data]))
    return 0
