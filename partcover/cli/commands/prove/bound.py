"""Implements the command ``bound``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....errors import VerificationError
from ....report.tables import Listing
from ...checkpoint_files import CertificateFile
from ...command import command, option
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, parse_budgets, read_any_vocabulary
from ...options import (
    engine_options,
    events_option,
    gap_option,
    grouped,
    no_cuts_option,
    output_options,
    plot_option,
    refuse_with_minimax,
    resume_option,
    seconds_option,
    several_options,
    start_certificate_option,
)
from ...paths import ReadablePath, check_apart
from ...plan import plan_option
from ...readers import Readers
from ...results import save_certificate
from ...shown.output import Output

if TYPE_CHECKING:
    from ....problem.bound import Bound
    from ....problem.certificates.certificate import Certificate
    from ....problem.instance import Instance


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
@option(
    "--vocab",
    type=ReadablePath(),
    metavar="V.json",
    help="Vocabulary whose gap to show; it also helps to prove single tokens in or out.",
)
@start_certificate_option(
    "Certificate to start from, for any k. For its own k its bound is never made worse."
)
@resume_option("the certificates of -o")
@gap_option
@no_cuts_option
@seconds_option(about="Time limit for each k.")
@option("--iterations", type=int, metavar="N", help="Maximum number of steps for each k.")
@option(
    "--head",
    type=click.IntRange(1),
    metavar="N",
    help="Keep only the N most frequent words in memory and read the rest from disk as needed.",
)
@engine_options(
    ", which read the words that --head keeps on disk",
    "threads",
    "Directory that all workers can read and write. Default: the directory of -o.",
)
@option(
    "--tokens",
    is_flag=True,
    help="With --json: list the tokens proven to be in or out of every optimum.",
)
@events_option("Write a JSON line for each better bound.")
@plot_option("Plot the bound over time (.png, .svg, .pdf).")
@several_options
@output_options(writes="the certificate", kind="text", threads=True)
@plan_option("bound")
@partial(grouped, name="readers", kind=Readers)
def bound_command(
    out: Output,
    source: InstanceSource,
    ks: str | None,
    vocab: str | None,
    tokens: bool,
    head: int | None,
    readers: Readers,
    **options: Any,
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
    search = _Search(**options)
    budgets = parse_budgets(ks)
    if source.several:
        refuse_with_minimax(tokens=tokens, head=head, iterations=search.iterations)
    if head is not None:
        _refuse_with_head(search, tokens=tokens)
    source = replace(source, k=max(budgets, default=None))
    readers = readers.beside(out.path)
    with readers.started(out.threads, head) as executor:
        instance = source.read(
            several=True,
            threads=out.threads,
            head=head,
            executor=executor,
            scratch=readers.scratch,
        )
        bounds = _proven(out, source, instance, vocab, search, budgets)
    rows = [bound.to_json(tokens=tokens) for bound in bounds]
    _show(out, rows, {"rows": rows} if len(budgets) > 1 else rows[0])
    return EXIT_INTERRUPTED if any(b.termination == "interrupted" for b in bounds) else 0


def _refuse_with_head(search: _Search, *, tokens: bool) -> None:
    """Refuses options that do not go with ``--head``."""
    for name in ("start_certificate", "resume"):
        if getattr(search, name):
            raise click.UsageError(f"--head and --{name.replace('_', '-')} exclude each other")
    if tokens:
        raise click.UsageError("--head and --tokens exclude each other")


def _proven(
    out: Output,
    source: InstanceSource,
    instance: Instance,
    vocab: str | None,
    search: _Search,
    budgets: Sequence[int],
) -> list[Bound]:
    """Reads what else is given, and proves a bound for each budget."""
    budgets = budgets or [instance.k]
    incumbents = {} if vocab is None else _incumbents(instance, vocab, budgets)
    files = {}
    if out.path is not None:
        paths = {k: str(_file(Path(out.path), k, budgets)) for k in budgets}
        files = {k: CertificateFile(out, paths[k], instance.with_k(k)) for k in budgets}
        read = [
            *(("the command", path) for path in source.several or (source.corpus,)),
            ("--vocab", vocab),
            ("--start-certificate", search.start_certificate),
        ]
        check_apart(
            [("-o", path) for path in paths.values()],
            [(label, path) for label, path in read if path],
        )
    return _bounds(out, instance, incumbents, search, files, budgets)


@dataclass(frozen=True)
class _Search:
    """What the search starts from, when it stops, and what it writes beside."""

    start_certificate: str | None
    resume: bool
    gap: float | None
    time_limit: float | None
    iterations: int | None
    no_cuts: bool
    events: str | None
    plot: str | None


def _incumbents(instance: Instance, path: str, budgets: Sequence[int]) -> dict[int, int | Fraction]:
    """Returns the tokens that a vocabulary needs, for each budget that it keeps to."""
    from ....verification.recount import verify

    vocabulary = read_any_vocabulary(path)
    recount = verify(instance, vocabulary)
    if not recount.ok:
        raise VerificationError(f"{path}: {recount.problems[0]}")
    needed = recount.tokens if recount.worst is None else recount.worst
    return {k: needed for k in budgets if k >= recount.size}


def _file(path: Path, k: int, budgets: Sequence[int]) -> Path:
    """Returns the file of a budget's certificate, with the budget in its name among several."""
    return path if len(budgets) == 1 else path.with_name(f"{path.stem}-{k}{path.suffix}")


def _bounds(
    out: Output,
    instance: Instance,
    incumbents: dict[int, int | Fraction],
    search: _Search,
    files: dict[int, CertificateFile],
    budgets: Sequence[int],
) -> list[Bound]:
    """Searches for a bound for each budget, and saves the certificates as it goes."""
    from ....bounds.lower_bound import bounds

    starts = _starts(out, search, files)

    def keep(certificate: Certificate) -> None:
        if files:
            files[certificate.k](certificate)

    def save(bound: Bound) -> None:
        if files:
            path = files[bound.instance.k].path
            save_certificate(out, path, bound.certificate, bound.instance)

    with out.events(
        search.events,
        phase="bound",
        plot=search.plot,
        time_limit=search.time_limit if len(budgets) == 1 else None,  # else it is for each
    ) as progress:
        return bounds(
            instance,
            budgets,
            incumbents=incumbents,
            start_certificates=starts,
            gap=search.gap,
            time_limit=search.time_limit,
            iterations=search.iterations,
            cuts=not search.no_cuts,
            threads=out.threads,
            progress=progress,
            checkpoint=keep,
            done=save,
        )


def _starts(out: Output, search: _Search, files: dict[int, CertificateFile]) -> list[Certificate]:
    """Returns the certificates to start from."""
    from ....problem.certificates.certificate import Certificate

    if not search.resume:
        start = search.start_certificate
        return [] if start is None else [Certificate.load(start)]
    if search.start_certificate is not None:
        raise click.UsageError(
            "--resume starts from the files of the earlier run: leave out --start-certificate"
        )
    if out.path in (None, "-"):
        raise click.UsageError("--resume continues from the file of -o: add -o FILE")
    found = [file.load() for file in files.values()]
    if not any(found):
        out.note(f"{out.path}: no earlier run found; starting from the beginning")
    return [certificate for certificate in found if certificate is not None]


def _show(out: Output, rows: list[dict[str, Any]], data: dict[str, Any]) -> None:
    """Shows a row for each budget."""
    names = ("k", "tokens", "lower_bound", "gap", "relaxation", "cuts", "proven_in", "proven_out")
    columns = {name: name.replace("_", " ") for name in (*names, "termination", "seconds")}
    shown = [
        {**row, "relaxation": None if row["relaxation"] is None else round(row["relaxation"])}
        for row in rows
    ]
    out.show(data, Listing(shown, columns, data=rows))
