"""Implements the command ``solvers``."""

from __future__ import annotations

from ....report.tables import Listing, columns_of
from ...command import command
from ...shown.output import Output


@command("solvers")
def solvers_command(out: Output) -> int:
    """List the solvers for `solve`, which are installed, and what each supports.

    Options:
    -o, tables
    $ partcover solvers
    $ partcover solvers --format csv
    """
    from ....exact.solvers.registry import features

    rows = features()
    out.result({"rows": rows}, Listing(rows, columns_of(" ".join(rows[0]))))
    return 0
