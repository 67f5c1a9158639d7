"""Implements the command ``solvers``."""

from __future__ import annotations

from ....report.tables import Listing, columns_of
from ... import shared
from ...command import command
from ...shown.output import Output


@command(
    "solvers",
    examples=[("partcover solvers", ""), ("partcover solvers --format csv", "")],
)
@shared.output()
def solvers_command(out: Output) -> int:
    """List the solvers for `solve`, which are installed, and what each supports."""
    from ....exact.solvers.registry import features

    rows = features()
    out.result({"rows": rows}, Listing(rows, columns_of(" ".join(rows[0]))))
    return 0
