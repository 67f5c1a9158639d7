"""Implements the command ``bound``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import VerificationError
from ...report.tables import Listing
from ...vocabulary.vocabulary import Vocabulary
from ..exit_status import EXIT_INTERRUPTED
from ..inputs import parse_budgets, read_instance
from ..options import (
    command,
    gap_option,
    instance_options,
    option,
    output_options,
    seconds_option,
)
from ..output import Output
from ..paths import ReadablePath, WritablePath, check_apart
from ..results import save_certificate


@command(
    "bound",
    keeps_best=True,
    examples=[
        ("partcover bound book.tsv -k 1000 --time-limit 60 -o p.cert", ""),
        ("partcover bound book.tsv -k 1000 --vocab v.json --gap 0.01", "the gap of a vocabulary"),
    ],
)
@option("-k", "ks", help="Budgets: 1000 or 100,1000 or 1-5.", metavar="K,K,…")
@option(
    "--vocab",
    type=ReadablePath(),
    metavar="V.json",
    help="A vocabulary to measure the gap to, and to prove tokens by.",
)
@option(
    "--start-certificate",
    "start",
    type=ReadablePath(),
    metavar="P.cert",
    help="Prices to start from, of any k; for its own k its bound is kept.",
)
@gap_option
@seconds_option(about="For each budget.")
@option("--iterations", type=int, metavar="N", help="Most steps, for each budget.")
@option("--tokens", is_flag=True, help="List the proven tokens in the JSON object.")
@option(
    "--events",
    type=WritablePath(),
    metavar="FILE",
    help="A JSON line for each better bound.",
)
@option(
    "--plot",
    type=WritablePath("figure"),
    metavar="FILE",
    help="Draw the bound over time (.png, .svg, .pdf).",
)
@instance_options
@output_options(writes="the certificate", kind="text", threads=True)
def bound_command(
    out: Output,
    corpus: str,
    ks: str | None,
    vocab: str | None,
    start: str | None,
    gap: float | None,
    tokens: bool,
    events: str | None,
    plot: str | None,
    **options: Any,
) -> int:
    """Prove a lower bound on the tokens that are needed.

    For corpora of any size. -o P.cert writes the proof, which verify checks (of several budgets:
    P-100.cert, P-1000.cert). Without --vocab the gap is not known, and --gap is to GreedTok's
    vocabulary. A time limit or Ctrl-C leaves the best bound so far. Whatever the limit, the words
    are read and hashed, and their substrings enumerated.
    """
    from ...bounds.bound import Bound
    from ...bounds.lower_bound import bounds
    from ...problem.certificate import Certificate
    from ...verification.recount import verify as check

    limits = {name: options.pop(name) for name in ("time_limit", "iterations")}
    budgets = parse_budgets(ks)
    instance = read_instance(corpus, max(budgets, default=None), options)
    budgets = budgets or [instance.k]
    incumbents = {}
    if vocab is not None:
        vocabulary = Vocabulary.load(vocab)
        result = check(instance, vocabulary)
        if not result.ok:
            raise VerificationError(f"{vocab}: {result.problems[0]}")
        incumbents = {k: result.tokens for k in budgets if k >= result.size}
    first = None if start is None else Certificate.load(start)

    def where(k: int) -> Path:
        path = Path(out.path or "")
        return path if len(budgets) == 1 else path.with_name(f"{path.stem}-{k}{path.suffix}")

    if out.path is not None:
        read = [("the command", corpus), ("--vocab", vocab), ("--start-certificate", start)]
        check_apart(
            [("-o", str(where(k))) for k in budgets], [(o, path) for o, path in read if path]
        )

    def save(found: Bound) -> None:
        if out.path is not None:
            save_certificate(out, where(found.instance.k), found.certificate, found.instance)

    one = limits["time_limit"] if len(budgets) == 1 else None  # else it is for each
    with out.events(events, phase="bound", plot=plot, time_limit=one) as progress:
        found = bounds(
            instance,
            budgets,
            incumbents=incumbents,
            start=first,
            target_gap=gap,
            threads=out.threads,
            progress=progress,
            done=save,
            **limits,
        )
    rows = [bound.to_json(tokens=tokens) for bound in found]
    names = ("k", "tokens", "lower_bound", "gap", "relaxation", "proven_in", "proven_out")
    columns = {name: name.replace("_", " ") for name in (*names, "termination", "seconds")}
    whole = [
        {**row, "relaxation": None if row["relaxation"] is None else round(row["relaxation"])}
        for row in rows
    ]
    out.show(rows[0] if len(budgets) == 1 else {"rows": rows}, Listing(whole, columns, data=rows))
    return EXIT_INTERRUPTED if any(b.termination == "interrupted" for b in found) else 0
