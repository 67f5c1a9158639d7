"""Implements the command ``generate``."""

from __future__ import annotations

import click

from ....report.tables import Listing, columns_of
from ...command import argument, command, option
from ...options import output_options
from ...results import write_instance
from ...shown.output import Output


@command(
    "generate",
    examples=[
        ("partcover generate --list", ""),
        ("partcover generate cubic 20 --seed 7 -o I.json", ""),
        ("partcover solve I.json", ""),
    ],
)
@argument("name", type=str, required=False, help="Name of the family; see --list.")
@argument(
    "size", type=int, required=False, help="Size of the instance. --list says what it counts."
)
@option("-k", "k", type=int, help="Number of tokens to choose. Default: set by the family.")
@option("--list", "list_", is_flag=True, help="List the families.")
@output_options(writes="the instance", kind="text", seed=True)
def generate_command(
    out: Output, name: str | None, size: int | None, k: int | None, list_: bool
) -> int:
    """Generate a test instance of a known family.

    NAME, SIZE, and --seed determine the instance; its file records them under "source". Without -o
    the instance goes to standard output.
    """
    from ....instances.families import FAMILIES, generate

    if list_:
        rows = [
            {
                "name": family.name,
                "about": family.about,
                "sizes": "{}–{}".format(*family.sizes),
                "k": family.k,
                "random": family.random,
                "from": family.paper,
            }
            for family in FAMILIES.values()
        ]
        out.show({"families": rows}, Listing(rows, columns_of("name about sizes k random")))
        return 0
    if name is None or size is None:
        raise click.UsageError("expected NAME and SIZE (or --list)")
    instance = generate(name, size, out.seed, k)
    data = {
        "family": name,
        "size": size,
        "seed": out.seed,
        "k": instance.k,
        "words": len(instance.words),
        "total_count": instance.words.total_count,
        "threshold": instance.threshold,
    }
    write_instance(out, instance, data)
    return 0
