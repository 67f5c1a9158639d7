"""Implements the command ``generate``."""

from __future__ import annotations

from collections.abc import Iterator

from ...command import command
from ...results import write_instance
from ...shown.output import Output


def _listed() -> Iterator[tuple[str, str]]:
    from ....instances.families import FAMILIES

    for name, family in FAMILIES.items():
        yield name, "{} (SIZE from {:,} to {:,})".format(family.about, *family.sizes)


@command("generate", listed=("Families", _listed))
def generate_command(out: Output, name: str, size: int, k: int | None) -> int:
    """Generate a test instance of a known family.

    NAME, SIZE, and --seed determine the instance; its file records them under "source". Without -o
    the instance goes to standard output.

    Options:
    name NAME: Name of the family; see the list below.
    size N: Size of the instance; the list says what it counts.
    -k N: Number of tokens to choose. Default: set by the family.
    -o >FILE: Write the instance.
    --seed, tables
    $ partcover generate cubic 20 --seed 7 -o I.json
    $ partcover solve I.json
    """
    from ....instances.families import generate

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
