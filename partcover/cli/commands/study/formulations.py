"""Implements the command ``formulations``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....corpus import symbols as sym
from ....report.tables import Listing, columns_of
from ...command import command
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource
from ...shown.output import Output

if TYPE_CHECKING:
    from ....studies.formulations import Difference


@command("formulations", keeps_best=True)
def formulations_command(
    out: Output,
    source: InstanceSource,
    solvers: str | None,
    time_limit: float,
) -> int:
    """Compare the integer programs for an instance.

    The table shows the size of each formulation, its linear relaxation, its optimum, and the
    seconds that each solver needs to prove it. The formulation `printed` has the equations as
    printed in the paper on GreedTok. If its optimum differs, `formulations` also prints the fewest
    words on which it does.

    Options:
    corpus
    --solvers A,B: Solvers to use. Default: all that are installed.
    --time-limit SECONDS = 60: Time limit for each formulation and solver.
    -k, conditions, --threads, --seed, -o, tables
    $ partcover formulations small.tsv -k 3 --solvers highs
    """
    from ....studies.formulations import formulations, smallest_difference

    instance = source.read()
    rows = out.run(
        "formulations",
        formulations,
        instance,
        solvers=None if solvers is None else solvers.split(","),
        time_limit=time_limit,
    )
    interrupted = "interrupted" in rows[-1].get("termination", {}).values()
    difference = None
    if not interrupted and _differs(rows):
        try:
            difference = smallest_difference(instance, time_limit=time_limit)
        except KeyboardInterrupt:
            interrupted = True
    _show(out, rows, difference)
    return EXIT_INTERRUPTED if interrupted else 0


def _differs(rows: list[dict[str, Any]]) -> bool:
    """Whether the printed formulation has another optimum than the exact ones."""
    from ....exact.formulations.build import require

    optima = {row["cover"] for row in rows if require(row["formulation"]).exact} - {None}
    printed = [row.get("cover") for row in rows if row["formulation"] == "printed"]
    return bool(optima and printed) and printed[0] not in (None, *optima)


def _show(out: Output, rows: list[dict[str, Any]], difference: Difference | None) -> None:
    """Shows the rows, and the part of the words on which the printed formulation differs."""
    data: dict[str, Any] = {"rows": rows, "printed_differs": None}
    columns = columns_of(
        "formulation variables rows nonzeros lp_tokens tokens", lp_tokens="LP tokens"
    )
    columns |= {name: name for row in rows for name in row.get("seconds", ())}
    shown = [{**row, **_seconds(row)} for row in rows]
    parts: list[Listing | str] = [Listing(shown, columns, data=rows)]
    for row in rows:
        if "refused" in row:
            out.note(row["refused"])
    if difference is not None:
        instance = difference.instance
        data["printed_differs"] = {
            "words": [sym.to_json(word) for word, _ in instance.words],
            "k": instance.k,
            "printed_cover": difference.cover,
            "cover": difference.true_cover,
            "smallest": difference.smallest,
        }
        words = " ".join(sym.show(word) for word, _ in instance.words)
        kind = "the smallest set of words" if difference.smallest else "a set of words"
        parts.append(
            f"printed differs from the problem; {kind} that shows it: {words}, k = "
            f"{instance.k}: printed cover {difference.cover}, true cover {difference.true_cover}"
        )
    out.result(data, *parts)


def _seconds(row: dict[str, Any]) -> dict[str, str]:
    """Returns what each solver took, or why it proved nothing."""
    return {
        name: f"> {row['termination'][name]}".replace("_", " ") if took is None else f"{took:.2f} s"
        for name, took in row.get("seconds", {}).items()
    }
