"""``worst``."""

from __future__ import annotations

import click

from ..options import (
    Output,
    output_options,
    seconds_option,
)
from .outcome import (
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
)


@click.command()
@click.option(
    "--method",
    default="greedtok",
    show_default=True,
    help="greedtok, greedwmc (its vocabulary, shortest path), greedwmc-relaxed (its own cover, "
    "against the optimum with overlaps) or bpe.",
)
@click.option("-k", "k", type=int, default=2, show_default=True, help="Tokens to choose.")
@click.option("--alphabet", type=int, default=2, show_default=True, help="Most symbols.")
@click.option("--words", type=int, default=3, show_default=True, help="Most words.")
@click.option("--length", type=int, default=5, show_default=True, help="Most symbols in a word.")
@click.option(
    "--restarts", type=int, default=20, show_default=True, help="Climbs where it cannot enumerate."
)
@seconds_option()
@output_options
def worst(
    out: Output,
    method: str,
    k: int,
    alphabet: int,
    words: int,
    length: int,
    restarts: int,
    time_limit: float | None,
) -> int:
    """Find the tiny instance on which a method is furthest from the optimum.

    All multisets of words within the sizes are looked at where they are at most a hundred
    million ("exhausted: yes": none has a smaller ratio); beyond that a seeded local search goes
    as far as it gets. -o writes the instance, its optimum included. A time limit that ends the
    search gives exit status 3.
    """
    from ..report import rows_table
    from ..worst import worst as run

    with out.progress("worst") as report:
        case = run(
            method,
            k=k,
            alphabet=alphabet,
            words=words,
            length=length,
            restarts=restarts,
            time_limit=time_limit,
            seed=out.seed,
            progress=report,
        )
    if out.path is not None:
        case.instance.save(out.path)
        out.note(f"wrote {out.path}")
    data = case.to_json()
    if out.json:
        out.object(data)
    else:
        pairs = [f"{word} × {count}" if count > 1 else word for word, count in data["words"]]
        shown = {
            **data,
            "words": "  ".join(pairs),
            "vocabulary": "  ".join(data["vocabulary"]),
            "optimal_vocabulary": "  ".join(data["optimal_vocabulary"]),
        }
        rows = [{"what": key.replace("_", " "), "value": shown[key]} for key in shown]
        out.console.print(rows_table(rows, {"what": "", "value": ""}))
    if case.termination == "interrupted":
        return EXIT_INTERRUPTED
    return EXIT_LIMIT if case.termination == "time_limit" else 0
