"""``instances``."""

from __future__ import annotations

import json

import click
from rich.text import Text

from .. import symbols as sym
from ..errors import PartcoverError
from ..files import write_atomic
from ..options import (
    Output,
    output_options,
    say,
)
from .outcome import (
    EXIT_VERIFICATION,
)


@click.group("instances")
def instances_() -> None:
    """The instances that come with partcover.

    Each has its words, its best known vocabulary and a lower bound that a certificate proves.
    """


@instances_.command("list")
@output_options
def instances_list(out: Output) -> int:
    """What instances there are, and what is known of their optima."""
    from .. import library
    from ..report import rows_table

    rows = [library.entry(name).facts() for name in library.names()]
    if out.path is not None:
        write_atomic(out.path, json.dumps({"instances": rows}, ensure_ascii=False, indent=1) + "\n")
        out.note(f"wrote {out.path}")
    if out.json:
        out.object({"instances": rows})
    else:
        columns = {
            "name": "name",
            "family": "family",
            "symbols": "alphabet",
            "words": "words",
            "total_symbols": "symbols",
            "candidates": "candidates",
            "k": "k",
            "tokens": "best",
            "lower_bound": "lower bound",
            "proven": "proven",
        }
        out.console.print(rows_table(rows, columns))
    return 0


@instances_.command("show")
@click.argument("name")
@output_options
def instances_show(out: Output, name: str) -> int:
    """One instance: words, best vocabulary and source; -o writes its instance file."""
    from .. import library
    from ..report import rows_table

    entry = library.entry(name)
    instance, facts = entry.instance, entry.facts()
    if out.path is not None:
        instance.save(out.path)
        out.note(f"wrote {out.path}")
    if out.json:
        out.object(
            {
                **facts,
                "policy": instance.policy,
                "counted_words": [[sym.to_json(word), count] for word, count in instance.words],
                "vocabulary": entry.best.vocabulary,
                "source": {key: v for key, v in instance.source.items() if key != "best"},
            }
        )
        return 0
    rows = [{"what": key.replace("_", " "), "value": value} for key, value in facts.items()]
    origin = instance.source.get("from")
    rows += [{"what": f"policy: {key}", "value": value} for key, value in instance.policy.items()]
    out.console.print(rows_table(rows, {"what": "", "value": ""}))
    first = [f"{sym.show(word)} ×{count}" for word, count in instance.words][:40]
    if len(instance.words) > len(first):
        first.append(f"… and {len(instance.words) - len(first):,} more")
    out.console.print(Text(f"from: {origin}"), soft_wrap=True)
    out.console.print(Text("words: " + "  ".join(first)), soft_wrap=True)
    tokens = "  ".join(map(sym.show, entry.vocabulary))
    out.console.print(Text(f"best vocabulary: {tokens}"), soft_wrap=True)
    return 0


@instances_.command("check")
@click.argument("names", nargs=-1, metavar="[NAME…]")
@output_options
def instances_check(out: Output, names: tuple[str, ...]) -> int:
    """Check every claim of the instances, without any solver.

    The words' hash, what the best vocabulary needs, the lower bound by its certificate, and
    whether they meet. Exit status 6 if anything is wrong.
    """
    from .. import library

    entries = [library.entry(name) for name in names or library.names()]
    wrong: dict[str, list[str]] = {}
    with out.progress("check") as report:
        for number, entry in enumerate(entries):
            report(number, len(entries), entry.name)
            try:
                problems = entry.problems()
            except PartcoverError as error:
                problems = [str(error)]
            if problems:
                wrong[entry.name] = problems
    data = {"checked": len(entries), "ok": not wrong, "problems": wrong}
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    if out.json:
        out.object(data)
    else:
        click.echo(f"{len(entries) - len(wrong)} of {len(entries)} instances confirmed")
    for name, problems in wrong.items():
        for problem in problems:
            say(f"partcover: {name}: {problem}")
    return EXIT_VERIFICATION if wrong else 0
