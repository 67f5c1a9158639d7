"""Implements the command ``bound``."""

from __future__ import annotations

from fractions import Fraction

import partcover as pc

from ....errors import VerificationError
from ....report.tables.listing import Listing, columns_of
from ...checkpoint_files import CheckpointFiles, SearchOptions
from ...command import Options, command
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, read_vocabulary
from ...shown.output import Output


@command("bound", keeps_best=True, plan="bound")
def bound_command(
    out: Output, source: InstanceSource, search: SearchOptions, asked: Options
) -> int:
    """Prove a lower bound on the tokens of any vocabulary.

    No vocabulary of k tokens needs fewer tokens for the corpus than the bound. `bound` works for
    corpora of any size. It writes a certificate to -o every few seconds, which `verify` checks. A
    time limit or Ctrl-C keeps the best bound so far. Without --vocab, --gap refers to GreedTok's
    vocabulary. With --head N, the bound still holds for all words.

    Options:
    corpora
    --vocab <V.json: Vocabulary whose gap to show; it also helps to prove single tokens in or out.
    --resume: Resume an interrupted run from the certificate of -o. Progress is saved every few
      seconds.
    --iterations N: Maximum number of steps.
    -o >FILE: Write the certificate.
    --plot, --events, --start-certificate, -k, --gap, --no-cuts, --time-limit, --head, --engine,
    --scratch, --minimax, --reference, conditions, --threads, tables, --plan
    $ partcover bound book.tsv -k 1000 --time-limit 60 -o p.cert
    $ partcover bound book.tsv -k 1000 --vocab v.json --gap 0.01
      # also show the gap of a vocabulary
    $ partcover bound book.tsv -k 1000 -o p.cert --resume  # continue an interrupted run
    $ partcover bound large.tsv -k 10000 --head 100000 -o p.cert
      # keep only 100,000 words in memory
    $ partcover bound de.tsv en.tsv -k 1000 --minimax  # bound the largest ratio over two languages
    """
    with source.opened(out) as instance:
        files = CheckpointFiles(out, None, out.path, instance)
        _, start = search.starts(files)
        with search.watched(out, "bound") as progress:
            bound = pc.lower_bound(
                instance,
                incumbent=None if asked.vocab is None else _incumbent(instance, asked.vocab),
                start_certificate=start,
                cuts=not asked.no_cuts,
                gap=None if search.gap is None else float(search.gap),
                iterations=asked.iterations,
                time_limit=search.time_limit,
                threads=out.threads,
                progress=progress,
                checkpoint=files.proof,
            )
    files.proof.finish(bound.certificate)
    data = bound.to_json()
    columns = "k tokens lower_bound gap relaxation cuts proven_in proven_out termination seconds"
    relaxation = None if data["relaxation"] is None else round(data["relaxation"])
    row = {**data, "relaxation": relaxation}
    out.show(data, Listing([row], columns_of(columns), data=[data]))
    return EXIT_INTERRUPTED if bound.termination == "interrupted" else 0


def _incumbent(instance: pc.Instance, path: str) -> int | Fraction:
    """Returns the tokens that a vocabulary needs, if it keeps to the budget."""
    recount = pc.verify(instance, read_vocabulary(path))
    if not recount.ok:
        raise VerificationError(f"{path}: {recount.problems[0]}")
    return recount.tokens if recount.worst is None else recount.worst
