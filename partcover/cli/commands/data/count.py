"""Implements the command ``count``."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import click

from ....corpus.files.sources import find_sources, listed_reasons
from ....runtime.files.writing import shown_path
from ....runtime.memory import available_memory
from ....runtime.processes.engines import executor_of
from ...base_files import note_other_than_utf8
from ...command import Options, command
from ...declared import is_given
from ...kinds import LEAST_MEMORY
from ...shown.output import Output

if TYPE_CHECKING:
    from ....corpus.counting.count import CountSettings
    from ....corpus.counting.count_job import CountJob
    from ....corpus.counting.counts_file import Totals
    from ....corpus.files.tsv import Header


BASE = 150_000_000  # bytes that Python and its libraries take themselves
DEFAULT_MEMORY = 2_000_000_000


def _memory(running: Options, workers: int) -> int:
    """Returns the bytes that each of the workers of a process may take."""
    memory = running.memory
    if memory is None:
        memory = max(LEAST_MEMORY, min(DEFAULT_MEMORY, available_memory() // 2))
    return int((memory - BASE) // workers)


@command("count")
def count_command(out: Output, running: Options) -> int:
    """Count the words of a text or corpus.

    FILE is a text file, .jsonl, .parquet, one of these compressed (.gz, .zst), a directory, a
    pattern ('*.txt'), a URL (s3://…), or - for standard input. The result has one WORD<TAB>COUNT
    per line, after a first line that says how the words were counted. The other commands read it.

    The default pre-tokenizer is the pattern of GPT-2. Use cl100k or o200k to split text as newer
    models of OpenAI do, and first-space to split it as sentencepiece does.

    Options:
    files <FILE...: Text to count; see above.
    --pretokenizer PRETOKENIZER = gpt2: Rule that splits text into words: gpt2, cl100k, o200k,
      qwen2, qwen3.5, deepseek, tekken, space-prefix (the rule of the papers' counts), first-space,
      space, digit, or none. Join several with '+' (first-space+digit). space-prefix:_ marks spaces
      with _. Also JSON as in a tokenizer.json: '{"type": "Whitespace"}'.
    --phrases PHRASES = 1: Join up to P consecutive words (or all) into one, so that tokens can span
      words. Phrases end at punctuation, numbers, and line breaks.
    --normalizer NAME: Normalizer: NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Nmt, or
      BertNormalizer. Join several with '+'. Also JSON as in a tokenizer.json.
    --symbols bytes|chars = bytes: Symbols of the words.
    --merge: Add up word counts instead: each FILE is TSV, or Parquet with the columns word and
      count.
    --resume: Resume an interrupted count from its finished parts, which are in OUTPUT.shards.
    --memory SIZE: Maximum memory of the process, and of each process of --engine. The rest goes to
      disk; the result is the same. Default: 2GB, or half of the free memory if that is less.
    -o >FILE: Write the word counts (as Parquet if FILE ends in .parquet).
    --scratch, --engine, --key, --all-files, --threads, plain
    $ partcover count book.txt -o book.tsv
    $ partcover count book.txt --pretokenizer o200k -o book.tsv  # split as GPT-4o does
    $ partcover count book.txt --symbols chars | head
    $ partcover count book.txt --phrases 4 -o phrases.tsv  # count phrases of up to four words
    $ partcover count '*.txt' --threads 2 -o all.parquet  # write Parquet
    $ partcover count --merge book.tsv small.tsv -o both.tsv  # add up existing counts
    """
    from ....corpus.counting.count import CountSettings
    from ....corpus.counting.count_job import CountJob
    from ....corpus.pretokenizers.phrases import with_phrases

    started = time.monotonic()
    names = {field.name for field in fields(CountSettings)} & vars(running).keys()
    settings = CountSettings(**{name: getattr(running, name) for name in names})
    if running.phrases != 1:
        joined = with_phrases(str(settings.header.pretokenizer), running.phrases)
        settings = replace(settings, pretokenizer=joined)
    skipped: Counter[str] = Counter()
    target = out.path or ("-" if not out.json else os.devnull)
    if running.merge and running.phrases != 1:
        raise click.UsageError("--merge cannot join words into phrases: leave out --phrases")
    if running.merge:
        header, totals = _merged(out, running.files, target, settings, running)
    else:
        header = settings.header
        sources = find_sources(running.files, all_files=settings.all_files, skipped=skipped)
        job = CountJob(
            target, sources, settings, ", ".join(map(shown_path, running.files)), running.scratch
        )
        totals = _run(out, job, running)
        note_other_than_utf8(out, running.files, all_files=running.all_files)
    if skipped:
        out.note(listed_reasons(skipped))
    seconds = time.monotonic() - started
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
    counted_words = f"{totals.words:,} distinct words, {totals.total_count:,} counted"
    out.end(facts, f"{counted_words}, {seconds:.2f} s")
    return 0


def _run(out: Output, job: CountJob, running: Options) -> Totals:
    """Counts with the workers that were asked for."""
    from ....corpus.counting.count_files import Workers

    if running.resume and job.folder is None:
        raise click.UsageError("--resume needs -o FILE: finished parts are kept next to it")
    memory = _memory(running, out.threads if running.engine == "threads" else 1)
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
                f"{job.finished:,} finished parts are kept in {job.folder}; add --resume to reuse "
                "them"
            )
        raise


def _merged(
    out: Output, files: Sequence[str], target: str, settings: CountSettings, running: Options
) -> tuple[Header, Totals]:
    """Adds up counts."""
    from ....corpus.counting.merge_counts import merge_counts
    from ....corpus.files.tsv import Header

    if running.resume or running.engine != "threads":
        raise click.UsageError("--merge cannot be used with --resume or --engine")
    given = settings.header.pretokenizer if is_given("pretokenizer") else None
    with out.progress("merging"):
        return merge_counts(
            files, target, Header(given), memory=_memory(running, 1), scratch=running.scratch
        )
