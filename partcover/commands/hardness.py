"""``reduce`` and ``generate``."""

from __future__ import annotations

import json
from typing import Any

import click

from ..files import write_atomic
from ..instance import Instance
from ..options import (
    Output,
    output_options,
)


@click.command("reduce")
@click.argument("files", nargs=-1, required=True, metavar="GRAPH | F.cnf | I.json S.json")
@click.option(
    "--problem",
    type=click.Choice(["vertex-cover", "max-2-sat", "max-2-sat-bottom-up"]),
    default="vertex-cover",
    show_default=True,
    help="What is turned into tokenization; bottom-up chooses merges.",
)
@click.option("-k", "k", type=int, help="Size of the vertex cover asked for.")
@click.option("--satisfied", type=int, help="Satisfied clauses asked for (max-2-sat).")
@click.option("--lift", is_flag=True, help="Turn a solution S of instance I back.")
@click.option(
    "--draw", metavar="FILE", help="Draw the problem beside its words (.svg, .png, .pdf)."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["edgelist", "dimacs", "pace"]),
    default="edgelist",
    show_default=True,
    help="Of a graph; edgelist: two names a line.",
)
@output_options
def reduce_(out: Output, files: tuple[str, ...], lift: bool, **options: Any) -> int:
    """Turn vertex cover or max-2-SAT into tokenization, and back.

    \b
    partcover reduce graph.txt -k 3 -o I.json
    partcover solve I.json -o S.json
    partcover reduce --lift I.json S.json
    partcover reduce graph.txt -k 3 --draw figure.svg
    partcover reduce F.cnf --problem max-2-sat --satisfied 7 -o I.json

    The graph has a vertex cover of k vertices exactly if some vocabulary of k tokens needs at
    most the instance's threshold, 3 tokens for each edge.  Likewise for clauses that can be
    satisfied at once, and in the bottom-up problem for k merges: there S.json is a list of
    pairs of tokens, the merges in their order.
    """
    return _lift(out, files, options["draw"]) if lift else _reduce(out, files, **options)


def _reduce(
    out: Output,
    files: tuple[str, ...],
    problem: str,
    k: int | None,
    satisfied: int | None,
    draw: str | None,
    form: Any,
) -> int:
    """A graph or a formula to an instance."""
    from ..formulas import read_formula
    from ..graphs import read_graph
    from ..reduction import (
        BottomUpReduction,
        Reduction,
        reduce_max_2_sat,
        reduce_max_2_sat_bottom_up,
        reduce_vertex_cover,
    )
    from ..report import rows_table

    if len(files) != 1:
        raise click.UsageError("one graph or formula is expected (or --lift I.json S.json)")
    reduction: Reduction
    if problem == "vertex-cover":
        if satisfied is not None:
            raise click.UsageError("--satisfied is for --problem max-2-sat; a vertex cover has -k")
        if k is None:
            raise click.UsageError("-k is missing: how many vertices may cover the graph?")
        reduction = reduce_vertex_cover(read_graph(files[0], form), k)
    else:
        if k is not None:
            raise click.UsageError(f"-k is for vertex covers; {problem} has --satisfied")
        if satisfied is None:
            raise click.UsageError("--satisfied is missing: how many clauses are asked for?")
        make = reduce_max_2_sat if problem == "max-2-sat" else reduce_max_2_sat_bottom_up
        reduction = make(read_formula(files[0]), satisfied)
    if draw is not None:
        from ..drawing import check_drawing, draw_reduction
        from ..exact import solve as run

        if isinstance(reduction, BottomUpReduction):
            raise click.UsageError(
                "merges are not solved for: draw with reduce --lift I.json MERGES.json --draw FILE"
            )
        check_drawing(reduction, draw)
        answer = run(reduction.instance, seed=out.seed, threads=out.threads)
        if answer.vocabulary is None:
            raise click.UsageError(f"{files[0]}: no vocabulary was found to draw")
        draw_reduction(reduction, answer.vocabulary, draw)
        out.note(f"wrote {draw}")
    instance = reduction.instance
    if out.path is not None:
        instance.save(out.path)
        out.note(f"wrote {out.path}")
    facts = reduction.facts()
    if out.json:
        out.object(facts)
    elif out.path is None and draw is None:
        click.echo(json.dumps(instance.to_json(), ensure_ascii=False))
    else:
        out.console.print(rows_table([facts], {key: key for key in facts}))
    return 0


def _lift(out: Output, files: tuple[str, ...], draw: str | None) -> int:
    """An instance and its answer to what the answer says about the graph or formula."""
    from ..reduction import reduction_of
    from ..report import rows_table

    if len(files) != 2:
        raise click.UsageError("--lift takes the instance and the solution: I.json S.json")
    reduction = reduction_of(Instance.load(files[0]))
    answer = reduction.load_answer(files[1])
    data = reduction.lift(answer).to_json()
    if draw is not None:
        from ..drawing import draw_reduction

        draw_reduction(reduction, answer, draw)
        out.note(f"wrote {draw}")
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False) + "\n")
    if out.json:
        out.object(data)
    else:
        row = dict(data)
        if "vertices" in row:
            row["vertices"] = " ".join(map(str, data["vertices"]))
        else:
            row["assignment"] = " ".join(
                name if value else f"¬{name}" for name, value in data["assignment"].items()
            )
        out.console.print(rows_table([row], {key: key.replace("_", " ") for key in row}))
    return 0


@click.command("generate")
@click.argument("name", required=False)
@click.argument("size", type=int, required=False)
@click.option("-k", "k", type=int, help="The budget; each family has its own default.")
@click.option("--list", "list_", is_flag=True, help="Print the families.")
@output_options
def generate_(out: Output, name: str | None, size: int | None, k: int | None, list_: bool) -> int:
    """Make an instance of a family: NAME, SIZE and the seed say it all.

    \b
    partcover generate --list
    partcover generate cubic 20 --seed 7 -o I.json
    partcover solve I.json

    The instance file says family, size and seed under "source".  Without -o the instance is
    printed.
    """
    from ..families import FAMILIES, generate
    from ..report import rows_table

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
        if out.json:
            out.object({"families": rows})
        else:
            columns = ("name", "about", "sizes", "k", "random")
            out.console.print(rows_table(rows, {key: key for key in columns}))
        return 0
    if name is None or size is None:
        raise click.UsageError("NAME and SIZE are expected (or --list)")
    instance = generate(name, size, out.seed, k)
    if out.path is not None:
        instance.save(out.path)
        out.note(f"wrote {out.path}")
    facts = {
        "family": name,
        "size": size,
        "seed": out.seed,
        "k": instance.k,
        "words": len(instance.words),
        "total_count": instance.words.total_count,
        "threshold": instance.threshold,
    }
    if out.json:
        out.object(facts)
    elif out.path is None:
        click.echo(json.dumps(instance.to_json(), ensure_ascii=False))
    else:
        out.console.print(rows_table([facts], {key: key.replace("_", " ") for key in facts}))
    return 0
