"""Implements the command ``count``."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import click
from click.core import ParameterSource

from ....corpus.counting.count import CountSettings
from ....corpus.counting.count_files import Workers
from ....corpus.counting.count_job import CountJob
from ....corpus.counting.counts_file import Totals
from ....corpus.counting.merge_counts import merge_counts
from ....corpus.files.sources import find_sources, listed_reasons
from ....corpus.files.tsv import Header
from ....corpus.pretokenizers.phrases import with_phrases
from ....runtime.files.writing import shown
from ....runtime.memory import available_memory
from ....runtime.processes.engines import executor_of
from ...command import LIMITS, argument, command, option
from ...options import all_files_option, engine_options, grouped, output_options
from ...paths import check_not_among
from ...shown.completion import pretokenizer_names
from ...shown.output import Output
from ...sizes import Size, Words

BASE = 150_000_000  # bytes that Python and its libraries take themselves
LEAST_MEMORY = 2 * BASE
DEFAULT_MEMORY = 2_000_000_000


@dataclass(frozen=True)
class _Running:
    """Who counts, and within what.

    Attributes
    ----------
    engine : str
        What the workers are.
    memory : int or None
        Bytes that a process may take.
    resume : bool
        Whether to go on from finished parts.
    scratch : str or None
        Where these are kept.
    """

    engine: str
    memory: int | None
    resume: bool
    scratch: str | None

    def bytes_of(self, workers: int) -> int:
        """Returns the bytes that each of the workers of a process may take."""
        memory = self.memory
        if memory is None:
            memory = max(LEAST_MEMORY, min(DEFAULT_MEMORY, available_memory() // 2))
        return (memory - BASE) // workers


@command(
    "count",
    examples=[
        ("partcover count book.txt -o book.tsv", ""),
        ("partcover count book.txt --pretokenizer gpt2 -o book.tsv", "words as of GPT-2"),
        ("partcover count book.txt --pretokenizer gpt2 --symbols chars | head", ""),
        (
            "partcover count book.txt --pretokenizer gpt2 --phrases 4 -o phrases.tsv",
            "whole phrases",
        ),
        ("partcover count '*.txt' --threads 2 -o all.parquet", "files that match, as Parquet"),
        ("partcover count --merge book.tsv small.tsv -o both.tsv", "counts of others"),
    ],
)
@argument("files", nargs=-1, required=True, metavar="FILE…")
@option(
    "--pretokenizer",
    default="space-prefix",
    show_default=True,
    shell_complete=pretokenizer_names,
    help="How text is cut into words: space-prefix, gpt2, cl100k, o200k, qwen2, qwen3.5, deepseek, "
    "tekken, first-space, space, digit, none, or several joined by '+' (first-space+digit). "
    'space-prefix:_ marks with _. Or JSON as in a tokenizer.json: \'{"type": "Whitespace"}\'.',
)
@option(
    "--phrases",
    type=Words(),
    default=1,
    metavar="P",
    help="Join up to P words in a row to one, so that tokens may reach across words; all for all "
    "in a row. Phrases end at signs, numbers and lines.",
)
@option(
    "--normalizer",
    metavar="NAME",
    help="What is done to text before: NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Nmt, "
    "BertNormalizer, several joined by '+', or JSON as in a tokenizer.json.",
)
@option("--key", default="text", show_default=True, help="Field of .jsonl and .parquet.")
@option(
    "--symbols",
    type=click.Choice(["bytes", "chars"]),
    default="bytes",
    show_default=True,
    help="What words are made of.",
)
@all_files_option
@option(
    "--merge",
    is_flag=True,
    help="FILE is counted words, TSV or Parquet (columns word and count), whoever counted them: "
    "their counts are added up.",
)
@option(
    "--resume",
    is_flag=True,
    heading=LIMITS,
    help="Go on from the finished parts of a count that was stopped or killed; they are in "
    "OUTPUT.shards.",
)
@option(
    "--memory",
    type=Size(LEAST_MEMORY),
    metavar="SIZE",
    heading=LIMITS,
    help="Most memory of the process, and of each process of --engine. What does not fit is "
    "written to disk; the result is the same. Default: 2GB, or half of what is free.",
)
@engine_options(
    "",
    "threads",
    "Where parts are kept meanwhile, a folder that all workers see. Default: beside -o.",
)
@output_options(
    writes="the counted words (.parquet: as Parquet)", kind="text", table=False, threads=True
)
@partial(grouped, name="running", kind=_Running)
@partial(grouped, name="settings", kind=CountSettings)
def count_command(
    out: Output,
    files: tuple[str, ...],
    settings: CountSettings,
    phrases: int,
    merge: bool,
    running: _Running,
) -> int:
    """Count the words of text.

    FILE is text (.txt and any other name), .jsonl, .parquet, .gz or .zst of them, a folder, a
    pattern ('*.txt'), a URL (s3://…), or - for standard input. Without -o the counted words go to
    standard output: one word, a tab, its count a line; the first line says how they were counted.

    The default pre-tokenizer is that of the GreedTok paper: a word begins at each space, which is
    written Ġ in it. An export to huggingface writes that too; tiktoken's own patterns are gpt2,
    cl100k and o200k, and sentencepiece takes first-space.
    """
    started = time.monotonic()
    if phrases != 1:
        joined = with_phrases(str(settings.header.pretokenizer), phrases)
        settings = replace(settings, pretokenizer=joined)
    skipped: Counter[str] = Counter()
    target = out.path or ("-" if not out.json else os.devnull)
    if merge and phrases != 1:
        raise click.UsageError("--merge joins no words: leave out --phrases")
    if merge:
        header, totals = _merged(out, files, target, settings, running)
    else:
        header = settings.header
        check_not_among(out.path, files, all_files=settings.all_files)
        sources = find_sources(files, all_files=settings.all_files, skipped=skipped)
        job = CountJob(target, sources, settings, ", ".join(map(shown, files)), running.scratch)
        totals = _run(out, job, running)
    if skipped:
        out.note(listed_reasons(skipped))
    seconds = time.monotonic() - started
    if out.path is not None:
        out.note(f"wrote {out.path}")
    facts = {
        "words": totals.words,
        "total_count": totals.total_count,
        "total_symbols": totals.total_symbols,
        "symbols": header.symbols,
        "pretokenizer": header.pretokenizer,
        "normalizer": header.normalizer,
        "seconds": round(seconds, 6),
        "threads": out.threads,
        "engine": running.engine,
        "skipped": dict(skipped.most_common()),
    }
    if out.json:
        out.object(facts)
    else:
        out.note(
            f"{totals.words:,} distinct words, {totals.total_count:,} counted, {seconds:.2f} s"
        )
    return 0


def _run(out: Output, job: CountJob, running: _Running) -> Totals:
    """Counts with the workers that were asked for."""
    if running.resume and job.folder is None:
        raise click.UsageError("--resume needs -o FILE, beside which finished parts are kept")
    memory = running.bytes_of(out.threads if running.engine == "threads" else 1)
    try:
        with (
            out.progress("counting") as progress,
            executor_of(running.engine, out.threads) as executor,
        ):
            workers = Workers(executor, out.threads, memory)
            return job.run(workers, resume=running.resume, progress=progress)
    except BaseException:
        if job.finished:
            out.note(
                f"{job.finished:,} finished parts are kept in {job.folder}; --resume goes on with "
                "them"
            )
        raise


def _merged(
    out: Output, files: Sequence[str], target: str, settings: CountSettings, running: _Running
) -> tuple[Header, Totals]:
    """Adds up counts."""
    if running.resume or running.engine != "threads":
        raise click.UsageError("--merge takes neither --resume nor --engine")
    source = click.get_current_context().get_parameter_source("pretokenizer")
    given = None if source is ParameterSource.DEFAULT else settings.header.pretokenizer
    with out.progress("merging"):
        return merge_counts(
            files,
            target,
            Header(given),
            memory=running.bytes_of(1),
            scratch=running.scratch,
        )
