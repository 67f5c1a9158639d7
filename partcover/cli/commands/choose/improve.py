"""Implements the command ``improve``."""

from __future__ import annotations

from functools import partial

import click

from ....errors import InputError
from ....problem.certificates.certificate import Certificate
from ....problem.instance import Instance
from ....problem.solution import Solution
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


@command(
    "improve",
    keeps_best=True,
    examples=[
        ("partcover improve book.tsv -k 1000 -o v.json --time-limit 60", ""),
        (
            "partcover improve book.tsv -k 1000 --write-certificate p.cert --gap 0.005",
            "with the proof, until half a percent is left",
        ),
        (
            "partcover improve de.tsv en.tsv fi.tsv -k 1000 --minimax --time-limit 60",
            "for the language that is served worst",
        ),
        (
            "partcover improve large.tsv -k 10000 --head 100000 -o v.json",
            "in the memory of the head",
        ),
    ],
)
@option("--no-bound", is_flag=True, help="Only search; nothing says how far from optimal.")
@no_cuts_option
@option(
    "--head",
    type=click.IntRange(1),
    metavar="N",
    help="Search with the N most frequent words and a sample: the memory is theirs.",
)
@engine_options(
    ", which read the words outside of the head",
    "threads",
    "For what the workers share, a folder that all see. Default: that of -o.",
)
@search_options(
    limit="Stop after this long; up to two fifths of it go to the lower bound alone.",
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
    """Search for a better vocabulary, and bound the optimum.

    First GreedTok; then a lower bound, whose prices guide the search: tokens are exchanged by what
    adding and dropping them is worth under the shortest path, exactly. Bound and search go on
    together, side by side with --threads 2. Without a time limit all ends by itself; with one the
    search goes on until then. Whatever the limit, the words are read, their substrings enumerated,
    half a second given to GreedTok, and the result recounted.

    With --minimax and several inputs the largest ratio of tokens to reference is made small: the
    same runs on all words, round by round, with more weight for inputs that are served worse.

    With --head N the N most frequent words have prices, and the search is with these and as many
    that stand for all others. Tokens and bound are of all words: a file of counted words is read
    several times, and a vocabulary is kept only if it needs fewer tokens for all of them.
    """
    from ....bounds.improve import improve

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
