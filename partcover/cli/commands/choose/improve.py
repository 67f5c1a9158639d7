"""Implements the command ``improve``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ....errors import InputError
from ...checkpoint_files import CheckpointFiles
from ...command import command, option
from ...exit_status import EXIT_USAGE
from ...inputs import InstanceSource
from ...options import engine_options, grouped, no_cuts_option, refuse_with_minimax
from ...plan import plan_option
from ...readers import Readers
from ...results import save_certificate, write_solution
from ...search_options import SearchOptions, search_options
from ...shown.output import Output, say

if TYPE_CHECKING:
    from ....problem.instance import Instance
    from ....problem.solution import Solution


@command(
    "improve",
    keeps_best=True,
    examples=[
        ("partcover improve book.tsv -k 1000 -o v.json --time-limit 60", ""),
        (
            "partcover improve book.tsv -k 1000 --write-certificate p.cert --gap 0.005",
            "with a certificate; stop at a gap of 0.5 %",
        ),
        (
            "partcover improve de.tsv en.tsv fi.tsv -k 1000 --minimax --time-limit 60",
            "minimize the largest ratio over three languages",
        ),
        (
            "partcover improve large.tsv -k 10000 --head 100000 -o v.json",
            "keep only 100,000 words in memory",
        ),
    ],
)
@option("--no-bound", is_flag=True, help="Search only; do not compute a lower bound.")
@no_cuts_option
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
@search_options(
    limit="Stop after this many seconds. Default: when the search no longer improves.",
    several=True,
)
@plan_option("search")
@partial(grouped, name="readers", kind=Readers)
def improve_command(
    out: Output,
    source: InstanceSource,
    search: SearchOptions,
    no_bound: bool,
    no_cuts: bool,
    head: int | None,
    readers: Readers,
) -> int:
    """Choose a better vocabulary by search, and bound its gap.

    `improve` starts from GreedTok's vocabulary, computes a lower bound, and exchanges tokens as
    long as that saves tokens under the best segmentation (shortest path). With --threads 2 it
    computes the bound and searches at the same time.

    Without --time-limit the search stops when it no longer improves; with it, the search runs until
    the limit, of which the lower bound may take up to two fifths. Some work is always done: reading
    the words, listing their substrings, half a second of GreedTok, and the final recount.

    With --minimax and several inputs, `improve` minimizes the largest ratio of tokens to the
    reference count over all inputs.

    With --head N, the search uses the N most frequent words and a sample of the others. Tokens and
    bound still hold for all words: the file of word counts is read several times, and a vocabulary
    is kept only if it needs fewer tokens for all words.
    """
    from ....bounds.improve import improve
    from ....problem.certificates.certificate import Certificate

    if no_bound and (search.write_certificate or search.start_certificate):
        name = "--write-certificate" if search.write_certificate else "--start-certificate"
        raise click.UsageError(f"--no-bound and {name} exclude each other")
    if source.several:
        refuse_with_minimax(no_bound=no_bound, head=head)
    if head is not None and no_bound:
        raise click.UsageError("--head and --no-bound exclude each other")
    readers = readers.beside(out.path)
    with readers.started(out.threads, head) as executor:
        instance = source.read(
            several=True,
            threads=out.threads,
            head=head,
            executor=executor,
            scratch=readers.scratch,
        )
        files = CheckpointFiles(out, search.write_certificate, instance, source.name)
        start, certificate = search.starts(files.load, Certificate.load)
        with search.watched(out) as progress:
            solution = improve(
                instance,
                warm_start=start,
                start_certificate=certificate,
                bound=not no_bound,
                cuts=not no_cuts,
                progress=progress,
                checkpoint=files,
                **search.limits(out),
            )
        saved = _save_certificate(out, search.write_certificate, solution, instance)
    status = write_solution(out, solution, instance, source.name)
    return status if saved else EXIT_USAGE


def _save_certificate(
    out: Output, path: str | None, solution: Solution, instance: Instance
) -> bool:
    """Writes the certificate; returns False if that fails, which must not lose the vocabulary."""
    if path is None or solution.certificate is None:
        return True
    try:
        save_certificate(out, path, solution.certificate, instance)
    except InputError as error:
        say(f"partcover: {error}")
        return False
    return True
