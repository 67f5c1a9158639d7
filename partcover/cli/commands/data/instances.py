"""Implements the commands ``instances`` and ``records``, of what comes with partcover."""

from __future__ import annotations

import click
import cloup

import partcover as pc

from ....corpus import symbols as sym
from ....report.tables.listing import Listing, columns_of, facts, token_line
from ...command import Group, Options, command
from ...exit_status import EXIT_VERIFICATION
from ...inputs import read_certificate, read_vocabulary
from ...results import write_solution
from ...shown.output import Output, say, say_problems


@cloup.group("instances", cls=Group)
def instances_command() -> None:
    """List, show, and check the instances that come with partcover.

    Each instance has words, its best known vocabulary, and a lower bound with a certificate.
    """


@command("list")
def instances_list(out: Output) -> int:
    """List the instances and what is known about their optima.

    Options:
    -o, tables
    $ partcover instances list
    """
    from ....instances import library

    rows = [library.entry(name).facts() for name in library.names()]
    columns = columns_of(
        "name family symbols words total_symbols candidates k tokens lower_bound proven",
        symbols="alphabet",
        total_symbols="symbols",
        tokens="best",
    )
    out.result({"instances": rows}, Listing(rows, columns))
    return 0


@command("show")
def instances_show(out: Output, name: str) -> int:
    """Show the words, best vocabulary, and source of an instance; -o writes it.

    Options:
    name INSTANCE: Name of the instance.
    -o >FILE: Write the instance.
    tables
    $ partcover instances show papaya-impact -o I.json
    """
    from ....instances import library

    entry = library.entry(name)
    instance, known = entry.instance, entry.facts()
    data = {
        **known,
        "policy": instance.policy,
        "counted_words": [[sym.to_json(word), count] for word, count in instance.words],
        "vocabulary": entry.best.vocabulary,
        "source": {key: v for key, v in instance.source.items() if key != "best"},
    }
    words = [f"{sym.show(word)} ×{count}" for word, count in instance.words][:40]
    if len(instance.words) > len(words):
        words.append(f"… and {len(instance.words) - len(words):,} more")
    out.result(
        data,
        facts(known | {f"policy: {key}": value for key, value in instance.policy.items()}),
        f"from: {instance.source.get('from')}\nwords: {'  '.join(words)}",
        f"best vocabulary: {token_line(tuple(entry.vocabulary), instance.symbols, 1_000)}",
        save=instance.save,
    )
    return 0


@command("check")
def instances_check(out: Output, names: tuple[str, ...]) -> int:
    """Check every claim about the instances without a solver.

    Exit status 6 if a vocabulary, a certificate or the hash of the words is wrong. The default is
    all instances whose certificate is installed; wheels leave out the largest certificates.

    Options:
    names [INSTANCE]...: Names of instances.
    -o >FILE: Write the result, as JSON.
    plain
    $ partcover instances check papaya-impact
    """
    from ....instances import library

    entries = [library.entry(name) for name in names or library.names()]
    left_out = [] if names else [entry.name for entry in entries if not entry.is_complete]
    entries = [entry for entry in entries if entry.name not in left_out]
    wrong = out.run("check", library.wrong_entries, entries)
    data = {"checked": len(entries), "ok": not wrong, "problems": wrong, "left_out": left_out}
    confirmed = f"{len(entries) - len(wrong)} of {len(entries)} instances confirmed"
    out.result(data, confirmed)
    if left_out:
        say(f"partcover: not checked, as wheels leave out their proofs: {', '.join(left_out)}")
    say_problems([f"{name}: {problem}" for name in wrong for problem in wrong[name]])
    return EXIT_VERIFICATION if wrong else 0


for each in (instances_list, instances_show, instances_check):
    instances_command.add_command(each)


@cloup.group("records", cls=Group)
def records_command() -> None:
    """Show, improve, and check the best known results for public texts."""


@command("list")
def records_list(out: Output) -> int:
    """List the gap between the best known vocabulary and bound, for each text and k.

    Options:
    -o, tables
    $ partcover records list
    """
    from ....instances import records
    from ....report.tables.records import record_table

    found = [records.record(name) for name in records.names()]
    rows = [
        {
            "name": record.name,
            **row.best,
            "longest_run": row.longest_run,
            "methods": dict(row.methods),
        }
        for record in found
        for row in record.rows
    ]
    out.result({"records": rows}, record_table(found, rows))
    return 0


@command("run")
def records_run(out: Output, asked: Options) -> int:
    """Search for a better vocabulary and lower bound than the best known ones.

    The search is that of `solve`. It starts from the best known vocabulary and certificate, if
    their files are available. The result is recounted in plain Python. `records show` prints the
    commands that make the word counts.

    Options:
    name RECORD: Name of a record, or its file (.json).
    corpus <COUNTS.tsv: Word counts of the record's text.
    -k budget 64|128|256|512|1024|2048|4096|8192 (required): Vocabulary size, in tokens of two or
      more bytes.
    --start <V.json: Vocabulary to start from. Default: the best known one, if available.
    --start-certificate <P.cert: Certificate to start from, for any k. Default: the best known one,
      if available.
    --time-limit SECONDS = 60: Stop after this many seconds.
    -o >FILE: Write the vocabulary.
    --write-certificate, --no-vocabulary, --threads, --seed, tables
    $ partcover records run emma emma.tsv -k 512 --time-limit 600 -o v.json
    """
    from ....instances import records, submissions

    record, k = records.record(asked.name), int(asked.budget)
    words = pc.WordCounts.load(asked.corpus)
    record.require(words)
    vocabulary = None if asked.start is None else read_vocabulary(asked.start, words.symbols)
    solution = out.run(
        "greedtok",
        submissions.attempt,
        record,
        words,
        k,
        warm_start=vocabulary,
        start_certificate=read_certificate(asked.start_certificate),
        time_limit=asked.time_limit,
    )
    judgment = submissions.judge(record, words, k, solution.vocabulary, solution.certificate)
    instance = pc.Instance(words, k)
    better = {"fewer_tokens": judgment.fewer_tokens, "higher_bound": judgment.higher_bound}
    status = write_solution(
        out, solution, instance, asked.corpus, certificate=asked.write_certificate, more=better
    )
    for remark in judgment.remarks:
        out.note(remark)
    say_problems(judgment.problems)
    return status if judgment.ok else EXIT_VERIFICATION


@command("check")
def records_check(out: Output, asked: Options) -> int:
    """Check a vocabulary or certificate, and say whether it is better than the best known.

    Plain Python code that shares nothing with the search recounts the tokens and the bound. The
    exit status is 6 if a count or the certificate is wrong, and 0 otherwise, whether the submission
    is better or not.

    Options:
    name RECORD: Name of a record, or its file (.json).
    corpus <COUNTS.tsv: Word counts of the record's text.
    -k budget 64|128|256|512|1024|2048|4096|8192 (required): Vocabulary size, in tokens of two or
      more bytes.
    --vocab <V.json: Vocabulary to check.
    --certificate <P.cert: Certificate of a lower bound to check.
    -o >FILE: Write the result, as JSON.
    plain
    $ partcover records check emma emma.tsv -k 8192 --vocab v.json
    """
    from ....instances import records, submissions

    if asked.vocab is None and asked.certificate is None:
        raise click.UsageError("nothing to check: give --vocab V.json or --certificate P.cert")
    record, k = records.record(asked.name), int(asked.budget)
    words = pc.WordCounts.load(asked.corpus)
    judgment = submissions.judge(
        record,
        words,
        k,
        None if asked.vocab is None else read_vocabulary(asked.vocab, words.symbols),
        read_certificate(asked.certificate),
    )
    data = judgment.to_json()
    shown = {key: value for key, value in data.items() if key != "problems" and value is not None}
    out.result(data, facts(shown))
    say_problems(judgment.problems)
    return 0 if judgment.ok else EXIT_VERIFICATION


@command("show")
def records_show(out: Output, name: str) -> int:
    """Show a record: the commands that make its word counts, and its best results.

    Options:
    name RECORD: Name of a record, or its file (.json).
    -o, tables
    $ partcover records show emma
    """
    from ....instances import records

    record = records.record(name)
    data = {"name": record.name, **record.to_json()}
    del data["format"], data["version"]
    about = {key: value for key, value in data.items() if not isinstance(value, list)}
    rows = [{**row.best, **row.methods} for row in record.rows]
    columns = columns_of("k tokens lower_bound gap proven greedtok bpe unigram")
    commands = "\n".join(["Commands that make the word counts:", *record.commands])
    out.result(data, facts(about), commands, Listing(rows, columns))
    return 0


for each in (records_list, records_show, records_run, records_check):
    records_command.add_command(each)
