"""Implements the command ``bound``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import partcover as pc

from ....errors import VerificationError
from ....report.tables import Listing, columns_of
from ... import shared
from ...checkpoint_files import CertificateFile, require_earlier
from ...command import command, exclude, option, reading_option
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, parse_budgets, read_any_vocabulary
from ...paths import check_apart
from ...plan import plan_option
from ...readers import Readers, head_options
from ...results import save_certificate
from ...search_options import SearchOptions
from ...shown.output import Output


@command(
    "bound",
    keeps_best=True,
    examples=[
        ("partcover bound book.tsv -k 1000 --time-limit 60 -o p.cert", ""),
        (
            "partcover bound book.tsv -k 1000 --vocab v.json --gap 0.01",
            "also show the gap of a vocabulary",
        ),
        ("partcover bound book.tsv -k 1000 -o p.cert --resume", "continue an interrupted run"),
        (
            "partcover bound large.tsv -k 10000 --head 100000 -o p.cert",
            "keep only 100,000 words in memory",
        ),
        (
            "partcover bound de.tsv en.tsv -k 1000 --minimax",
            "bound the largest ratio over two languages",
        ),
    ],
)
@option("-k", "ks", help="Numbers of tokens to choose: 1000, or 100,1000, or 1-5.", metavar="K,K,…")
@reading_option(
    "--vocab",
    "V.json",
    "Vocabulary whose gap to show; it also helps to prove single tokens in or out.",
)
@shared.start_certificate(
    "Certificate to start from, for any k. For its own k its bound is never made worse."
)
@shared.resume("the certificates of -o")
@shared.gap
@shared.no_cuts
@shared.seconds(about="Time limit for each k.")
@option("--iterations", type=int, metavar="N", help="Maximum number of steps for each k.")
@head_options
@option(
    "--tokens",
    is_flag=True,
    help="With --json: list the tokens proven to be in or out of every optimum.",
)
@shared.events("Write a JSON line for each better bound.")
@shared.plot("Plot the bound over time (.png, .svg, .pdf).")
@shared.several_instances
@shared.output(writes="the certificate", kind="text", threads=True)
@plan_option("bound")
@partial(shared.grouped, name="search", kind=SearchOptions)
def bound_command(
    out: Output,
    source: InstanceSource,
    ks: str | None,
    vocab: str | None,
    tokens: bool,
    readers: Readers,
    search: SearchOptions,
    iterations: int | None,
    no_cuts: bool,
) -> int:
    """Prove a lower bound on the tokens of any vocabulary.

    No vocabulary of k tokens needs fewer tokens for the corpus than the bound. `bound` works for
    corpora of any size. It writes a certificate to -o every few seconds, which `verify` checks;
    with several k, -o P.cert writes P-100.cert, P-1000.cert, and so on. A time limit or Ctrl-C
    keeps the best bound so far. The limit does not cover reading the words and listing their
    substrings. Without --vocab, --gap refers to GreedTok's vocabulary.

    With --minimax and several inputs, the bound is for the largest ratio of tokens to the reference
    count. With --head N, the bound still holds for all words; the workers of --engine read the file
    of word counts several times.
    """
    from ....bounds.lower_bound import bounds

    budgets = parse_budgets(ks)
    if readers.head is not None:
        exclude("--head", "--tokens")
    source = replace(source, k=max(budgets, default=None))
    with readers.instance(out, source) as instance:
        budgets = budgets or [instance.k]
        read = [
            *(("the command", path) for path in source.several or (source.corpus,)),
            ("--vocab", vocab),
            ("--start-certificate", search.start_certificate),
        ]
        files = _files(out, instance, budgets, read)
        _, starts = search.starts(partial(_earlier, out, files))
        incumbents = {} if vocab is None else _incumbents(instance, vocab, budgets)
        # with several budgets the limit is for each
        shown = search if len(budgets) == 1 else replace(search, time_limit=None)
        with shown.watched(out, "bound") as progress:
            found = bounds(
                instance,
                budgets,
                incumbents=incumbents,
                start_certificates=starts,
                cuts=not no_cuts,
                gap=search.gap,
                iterations=iterations,
                time_limit=search.time_limit,
                threads=out.threads,
                progress=progress,
                checkpoint=lambda proof: files[proof.k](proof) if files else None,
                done=lambda bound: _save(out, files, bound),
            )
    rows = [bound.to_json(tokens=tokens) for bound in found]
    columns = "k tokens lower_bound gap relaxation cuts proven_in proven_out termination seconds"
    listed = [
        {**row, "relaxation": None if row["relaxation"] is None else round(row["relaxation"])}
        for row in rows
    ]
    data = {"rows": rows} if len(budgets) > 1 else rows[0]
    out.show(data, Listing(listed, columns_of(columns), data=rows))
    return EXIT_INTERRUPTED if any(b.termination == "interrupted" for b in found) else 0


def _files(
    out: Output,
    instance: pc.Instance,
    budgets: Sequence[int],
    read: Sequence[tuple[str, str | None]],
) -> dict[int, CertificateFile]:
    """Returns the file of each budget, with the budget in its name among several."""
    if out.path is None:
        return {}
    path = Path(out.path)
    paths = {
        k: str(path if len(budgets) == 1 else path.with_name(f"{path.stem}-{k}{path.suffix}"))
        for k in budgets
    }
    inputs = [(label, name) for label, name in read if name]
    check_apart([("-o", name) for name in paths.values()], inputs)
    return {k: CertificateFile(out, paths[k], instance.with_k(k)) for k in budgets}


def _incumbents(
    instance: pc.Instance, path: str, budgets: Sequence[int]
) -> dict[int, int | Fraction]:
    """Returns the tokens that a vocabulary needs, for each budget that it keeps to."""
    vocabulary = read_any_vocabulary(path)
    recount = pc.verify(instance, vocabulary)
    if not recount.ok:
        raise VerificationError(f"{path}: {recount.problems[0]}")
    needed = recount.tokens if recount.worst is None else recount.worst
    return {k: needed for k in budgets if k >= recount.size}


def _earlier(out: Output, files: dict[int, CertificateFile]) -> tuple[None, list[pc.Certificate]]:
    """Reads the certificates that an earlier run has written."""
    require_earlier(out, *(file.path for file in files.values()))
    found = [file.load() for file in files.values()]
    return None, [certificate for certificate in found if certificate is not None]


def _save(out: Output, files: dict[int, CertificateFile], bound: pc.Bound) -> None:
    """Saves the certificate of a budget that is done."""
    if files:
        path = files[bound.instance.k].path
        save_certificate(out, path, bound.certificate, bound.instance)
