"""Implements the commands ``improve`` and ``gap``."""

from __future__ import annotations

from typing import Any

import click

from ...errors import InputError, VerificationError
from ...problem.certificate import Certificate
from ...report.tables import Listing
from ...vocabulary.rules import RULES
from ...vocabulary.vocabulary import Vocabulary
from ..exit_status import EXIT_USAGE
from ..inputs import other_words, read_instance, read_tokens
from ..options import (
    command,
    gap_option,
    instance_options,
    k_option,
    no_vocabulary_option,
    option,
    output_options,
    pretokenizer_option,
    seconds_option,
)
from ..outcome import finish
from ..output import Output, say
from ..paths import ReadablePath, WritablePath
from .proof import save_certificate


@command(
    "improve",
    keeps_best=True,
    examples=[
        ("partcover improve book.tsv -k 1000 -o v.json --time-limit 60", ""),
        (
            "partcover improve book.tsv -k 1000 --write-certificate p.cert --gap 0.005",
            "with the proof, until half a percent is left",
        ),
    ],
)
@k_option
@option(
    "--start",
    type=ReadablePath(),
    metavar="V.json",
    help="A vocabulary to start from, besides GreedTok's.",
)
@option(
    "--start-certificate",
    type=ReadablePath(),
    metavar="P.cert",
    help="A proof to start from; its bound is kept.",
)
@gap_option
@seconds_option(about="Stop after this long; two fifths of it go to the lower bound.")
@option("--no-bound", is_flag=True, help="Only search; nothing says how far from optimal.")
@option(
    "--write-certificate",
    type=WritablePath(),
    metavar="FILE",
    help="Write the proof of the bound (.cert), unless FILE proves more already.",
)
@option(
    "--events",
    type=WritablePath(),
    metavar="FILE",
    help="A JSON line for each phase, better vocabulary or bound.",
)
@option(
    "--plot",
    type=WritablePath("figure"),
    metavar="FILE",
    help="Draw incumbent and bound over time (.png, .svg).",
)
@no_vocabulary_option
@pretokenizer_option
@instance_options
@output_options(writes="the vocabulary", kind="text", threads=True, seed=True)
def improve(
    out: Output,
    corpus: str,
    k: int | None,
    start: str | None,
    start_certificate: str | None,
    gap: float | None,
    time_limit: float | None,
    no_bound: bool,
    write_certificate: str | None,
    events: str | None,
    plot: str | None,
    no_vocabulary: bool,
    pretokenizer: str | None,
    **options: Any,
) -> int:
    """Search for a better vocabulary, and bound the optimum.

    First GreedTok; then a lower bound, whose prices guide the search; then tokens are exchanged
    by what adding and dropping them is worth under the shortest path, exactly. Without a time
    limit all ends by itself; with one the search goes on until then. Whatever the limit, the
    words are read, their substrings enumerated, half a second given to GreedTok, and the result
    recounted.
    """
    from ...bounds.improve import improve as find

    if no_bound and (write_certificate or start_certificate):
        option = "--write-certificate" if write_certificate else "--start-certificate"
        raise click.UsageError(f"--no-bound and {option} exclude each other")
    given = None if start is None else Vocabulary.load(start)
    proof = None if start_certificate is None else Certificate.load(start_certificate)
    instance = read_instance(corpus, k, options, pretokenizer)
    with out.events(events, phase="greedtok", plot=plot, time_limit=time_limit) as progress:
        solution = find(
            instance,
            given,
            bound=not no_bound,
            start_certificate=proof,
            gap=gap or 0.0,
            time_limit=time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
        )
    unsaved = False
    if write_certificate is not None and solution.certificate is not None:
        try:
            save_certificate(out, write_certificate, solution.certificate, instance)
        except InputError as error:  # a full disk must not take the vocabulary along
            say(f"partcover: {error}")
            unsaved = True
    status = finish(out, solution, instance, no_vocabulary, corpus)
    return EXIT_USAGE if unsaved else status


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
    type=click.Choice(RULES),
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
def gap_(
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
        rule = said if said in RULES else vocabulary.rule
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
