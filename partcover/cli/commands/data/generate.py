"""Implements the commands ``generate`` and ``reduce``, which make instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

import partcover as pc

from ....report.tables.listing import facts
from ...command import command
from ...results import write_instance
from ...shown.output import Output

if TYPE_CHECKING:
    from ....hardness.reduction import Reduction


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


@command("reduce")
def reduce_command(
    out: Output, files: tuple[str, ...], lift: bool, plot: str | None, **options: Any
) -> int:
    """Reduce vertex cover or max-2-SAT to tokenization, and map back.

    The graph has a vertex cover of k vertices if and only if some vocabulary needs at most as many
    tokens as the threshold of the instance. In the same way, max-2-SAT asks whether k clauses can
    be true at once. `solve` finds the vocabulary, and --lift turns it into a cover or an
    assignment.

    Options:
    files <GRAPH | F.cnf | I.json S.json...: Graph or formula to reduce; with --lift an instance and
      its solution.
    --problem vertex-cover|vertex-cover-unary|max-2-sat|max-2-sat-binary|max-2-sat-bottom-up =
      vertex-cover: Problem to reduce. unary: words of one symbol. binary: words of two symbols, if
      each variable is in at most three clauses. bottom-up: choose merges instead of a vocabulary.
    -k N: Size of the vertex cover, or number of clauses to satisfy.
    --lift: Map a solution S of instance I back to the graph or formula.
    --plot >FIGURE: With --lift: plot problem and words (.svg, .png, .pdf).
    --from source_format edgelist|dimacs|pace = edgelist: Format of the graph. edgelist: two vertex
      names per line.
    -o >TABLE: Write the instance, or the answer of --lift.
    tables
    $ partcover reduce graph.txt -k 3 -o I.json
    $ partcover solve I.json -o S.json
    $ partcover reduce --lift I.json S.json  # map the solution back to the graph
    $ partcover reduce --lift I.json S.json --plot figure.svg
    $ partcover reduce F.cnf --problem max-2-sat -k 7 -o I.json
    $ partcover reduce F.cnf --problem max-2-sat-binary -k 4
      # use words of zeros and ones
    """
    if lift:
        return _lift(out, files, plot)
    if len(files) != 1:
        raise click.UsageError("expected one graph or formula (or --lift I.json S.json)")
    if plot is not None:
        raise click.UsageError("--plot needs the solution: --lift I.json S.json --plot FILE")
    reduction = _reduction(files[0], **options)
    write_instance(out, reduction.instance, reduction.facts())
    return 0


def _reduction(path: str, problem: str, k: int | None, source_format: Any) -> Reduction:
    """Reads a graph or a formula and reduces it to an instance."""
    from ....hardness import reduction
    from ....hardness.cnf import read_formula
    from ....hardness.graphs import read_graph

    is_graph = problem.startswith("vertex-cover")
    if k is None:
        what = "vertices may cover the graph" if is_graph else "clauses are true"
        raise click.UsageError(f"-k is missing: how many {what}?")
    reduce = getattr(reduction, f"reduce_{problem.replace('-', '_')}")
    made: Reduction = reduce(read_graph(path, source_format) if is_graph else read_formula(path), k)
    return made


def _lift(out: Output, files: tuple[str, ...], plot: str | None) -> int:
    """Turns the answer of an instance into an answer for the graph or formula."""
    from ....hardness.reduction import reduction_of

    if len(files) != 2:
        raise click.UsageError("--lift takes the instance and the solution: I.json S.json")
    reduction = reduction_of(pc.Instance.load(files[0]))
    answer = reduction.load_answer(files[1])
    data = reduction.lift(answer).to_json()
    if plot is not None:
        from ....report.reduction_figure import draw_reduction

        draw_reduction(reduction, answer, plot)
        out.wrote(plot)
    if "vertices" in data:
        key, names = "vertices", [str(vertex) for vertex in data["vertices"]]
    else:
        key, values = "assignment", data["assignment"]
        names = [name if value else f"¬{name}" for name, value in values.items()]
    shown = " ".join(names)
    known = {name: value for name, value in data.items() if name != key}
    out.result(data, facts(known, data={**data, key: shown}), f"{key}: {shown}")
    return 0
