"""Implements the command ``instances``."""

from __future__ import annotations

import cloup

from ....corpus import symbols as sym
from ....errors import PartcoverError
from ....report.tables import Listing, columns_of, facts, token_line
from ...command import Group, command
from ...exit_status import EXIT_VERIFICATION
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
    with out.saved(instance.save):
        out.show(
            data,
            facts(known | {f"policy: {key}": value for key, value in instance.policy.items()}),
            f"from: {instance.source.get('from')}\nwords: {'  '.join(words)}",
            f"best vocabulary: {token_line(tuple(entry.vocabulary), instance.symbols, 1_000)}",
        )
    return 0


@command("check")
def instances_check(out: Output, names: tuple[str, ...]) -> int:
    """Check every claim about the instances without a solver.

    `check` recounts the hash of the words, the tokens of the best vocabulary, the lower bound of
    the certificate, and whether both are equal. Exit status 6 if anything is wrong. The default is
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
    wrong: dict[str, list[str]] = {}
    with out.progress("check") as progress:
        for number, entry in enumerate(entries):
            progress.advance(number, len(entries), entry.name)
            try:
                problems = entry.problems()
            except PartcoverError as error:
                problems = [str(error)]
            if problems:
                wrong[entry.name] = problems
    data = {"checked": len(entries), "ok": not wrong, "problems": wrong, "left_out": left_out}
    confirmed = f"{len(entries) - len(wrong)} of {len(entries)} instances confirmed"
    out.result(data, confirmed)
    if left_out:
        say(f"partcover: not checked, as wheels leave out their proofs: {', '.join(left_out)}")
    say_problems([f"{name}: {problem}" for name in wrong for problem in wrong[name]])
    return EXIT_VERIFICATION if wrong else 0


for each in (instances_list, instances_show, instances_check):
    instances_command.add_command(each)
