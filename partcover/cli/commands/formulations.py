"""Implements the command ``formulations``."""

from __future__ import annotations

from typing import Any

from ...corpus import symbols as sym
from ...report.tables import Listing
from ..exit_status import EXIT_INTERRUPTED
from ..inputs import read_instance
from ..options import (
    command,
    instance_options,
    k_option,
    option,
    output_options,
    seconds_option,
)
from ..output import Output


@command(
    "formulations",
    keeps_best=True,
    examples=[("partcover formulations small.tsv -k 3 --solvers highs", "")],
)
@k_option
@option("--names", metavar="A,B", help="Which formulations; all by default.")
@option("--solvers", metavar="A,B", help="Which solvers; all installed by default.")
@seconds_option(default=60.0, about="For each formulation and solver.")
@instance_options
@output_options(threads=True, seed=True)
def formulations_command(
    out: Output,
    corpus: str,
    k: int | None,
    names: str | None,
    solvers: str | None,
    time_limit: float,
    **options: Any,
) -> int:
    """Compare the formulations of an instance.

    Their size, relaxation, optimum, and seconds to prove it. Where the paper's equations as
    printed have another optimum than the problem, the smallest part of the words that shows it
    follows.
    """
    from ...exact.formulations.build import require
    from ...studies.formulations import formulations as compare
    from ...studies.formulations import smallest_difference

    instance = read_instance(corpus, k, options)
    with out.progress("formulations") as progress:
        rows = compare(
            instance,
            names=None if names is None else names.split(","),
            solvers=None if solvers is None else solvers.split(","),
            time_limit=time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
        )
    optima = {row["cover"] for row in rows if require(row["formulation"]).exact} - {None}
    printed = [row.get("cover") for row in rows if row["formulation"] == "printed"]
    found = None
    interrupted = "interrupted" in rows[-1].get("termination", {}).values()
    if optima and printed and printed[0] not in (None, *optima) and not interrupted:
        try:
            found = smallest_difference(instance, time_limit=time_limit)
        except KeyboardInterrupt:
            interrupted = True
    status = EXIT_INTERRUPTED if interrupted else 0
    data: dict[str, Any] = {"rows": rows, "printed_differs": None}
    if found is not None:
        data["printed_differs"] = {
            "words": [sym.to_json(word) for word, _ in found.instance.words],
            "k": found.instance.k,
            "printed_cover": found.cover,
            "cover": found.true_cover,
            "smallest": found.smallest,
        }
    shown = [{**row, **_seconds(row)} for row in rows]
    columns = {
        "formulation": "formulation",
        "variables": "variables",
        "rows": "rows",
        "nonzeros": "nonzeros",
        "lp_tokens": "LP tokens",
        "tokens": "tokens",
        **{name: name for row in rows for name in row.get("seconds", ())},
    }
    parts: list[Listing | str] = [Listing(shown, columns, data=rows)]
    for row in rows:
        if "refused" in row:
            out.note(row["refused"])
    if found is not None:
        words = " ".join(sym.show(word) for word, _ in found.instance.words)
        kind = "the smallest part" if found.smallest else "a part"
        parts.append(
            f"printed is not the problem; {kind} that shows it: {words}, k = "
            f"{found.instance.k}: printed cover {found.cover}, true cover {found.true_cover}"
        )
    out.result(data, *parts)
    return status


def _seconds(row: dict[str, Any]) -> dict[str, str]:
    return {
        name: f"> {row['termination'][name]}".replace("_", " ") if took is None else f"{took:.2f} s"
        for name, took in row.get("seconds", {}).items()
    }
