"""Implements the command ``improve``."""

from __future__ import annotations

import partcover as pc

from ...checkpoint_files import CheckpointFiles, SearchOptions
from ...command import Options, command
from ...declared import exclude
from ...inputs import InstanceSource
from ...results import write_solution
from ...shown.output import Output


@command("improve", keeps_best=True, plan="search")
def improve_command(
    out: Output, source: InstanceSource, search: SearchOptions, asked: Options
) -> int:
    """Choose a better vocabulary by search, and bound its gap.

    `improve` starts from GreedTok's vocabulary, computes a lower bound, and exchanges tokens as
    long as that saves tokens under the best segmentation (shortest path). With --threads 2 it
    computes the bound and searches at the same time.

    Without --time-limit the search stops when it no longer improves; with it, the search runs until
    the limit, of which the lower bound may take up to two fifths.

    With --head N, tokens and bound still hold for all words: the file of word counts is read
    several times.

    Options:
    corpora
    --no-bound: Search only; do not compute a lower bound.
    --time-limit SECONDS: Stop after this many seconds. Default: when the search no longer improves.
    -o >FILE: Write the vocabulary.
    --no-cuts, --head, --engine, --scratch, --start, --start-certificate, --gap,
    --write-certificate, --resume, --events, --plot, -k, --no-vocabulary, --pretokenizer, --minimax,
    --reference, conditions, --threads, --seed, tables, --plan
    $ partcover improve book.tsv -k 1000 -o v.json --time-limit 60
    $ partcover improve book.tsv -k 1000 --write-certificate p.cert --gap 0.005
      # with a certificate; stop at a gap of 0.5 %
    $ partcover improve de.tsv en.tsv fi.tsv -k 1000 --minimax --time-limit 60
      # minimize the largest ratio over three languages
    $ partcover improve large.tsv -k 10000 --head 100000 -o v.json
      # keep only 100,000 words in memory
    """
    if asked.no_bound:
        exclude("--no-bound", "--write-certificate", "--start-certificate")
    with source.opened(out) as instance:
        files = CheckpointFiles(out, out.path, search.write_certificate, instance, source.name)
        start, certificate = search.starts(files)
        with search.watched(out) as progress:
            solution = pc.improve(
                instance,
                warm_start=start,
                start_certificate=certificate,
                bound=not asked.no_bound,
                cuts=not asked.no_cuts,
                progress=progress,
                checkpoint=files,
                gap=float(search.gap or 0),
                time_limit=search.time_limit,
                seed=out.seed,
                threads=out.threads,
            )
        return write_solution(
            out, solution, instance, source.name, certificate=search.write_certificate
        )
