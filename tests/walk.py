"""Draws how a bound is made, from the imports of the code: ``python tests/walk.py`` prints it."""

from __future__ import annotations

import ast
from pathlib import Path

import networkx
from shared.public_modules import WHOLE, public_modules

ROOT = Path(__file__).parents[1]
ROOMS = {  # by folder, the more special first
    "partcover/bounds/climbing": "bounds/climbing: plain steps, rounds of cuts, exact counts",
    "partcover/bounds/counting": "bounds/counting: what prices prove, in integers",
    "partcover/bounds/heads": "bounds/heads: a head and a tail",
    "partcover/bounds/rows": "bounds/rows: a file for each family",
    "partcover/bounds/steps": "bounds/steps: the first-order method",
    "partcover/bounds/tree": "bounds/tree: cases, split and bounded",
    "partcover/bounds": "bounds: lower_bound, improve, branch_and_cut",
    "partcover/kernels": "kernels: Cython",
    "partcover/problem/certificates": "problem/certificates: what is proven, as a file",
    "partcover/verification": "verification: the check, in plain Python",
    "partcover/exact/solve.py": "exact: solve",
    "partcover/cli/commands": "cli/commands: bound, improve, solve, verify",
}


def drawn() -> str:
    """Returns the rooms and what they import of one another, as a Mermaid chart.

    What follows from other lines is left out.
    """
    graph = networkx.DiGraph()
    for path in sorted(ROOT.glob("partcover/**/*.py")):
        here = _room(path.relative_to(ROOT).as_posix())
        for name in _imported(path) if here else ():
            there = _room(name)
            if there and there != here:
                graph.add_edge(here, there)
    graph = networkx.transitive_reduction(graph)
    number = {room: f"r{n}" for n, room in enumerate(ROOMS)}
    lines = ["flowchart TD"]
    lines += [f'    {number[room]}["{ROOMS[room]}"]' for room in ROOMS if room in graph]
    lines += [
        f"    {number[a]} --> {number[b]}" for a in ROOMS for b in ROOMS if (a, b) in graph.edges
    ]
    return "\n".join(lines)


def _room(path: str) -> str | None:
    """Returns the room of a module."""
    return next((room for room in ROOMS if path.startswith(room)), None)


def _imported(path: Path) -> list[str]:
    """Returns the modules of partcover that a file imports, as paths."""
    text = path.read_text(encoding="utf-8")
    found = [f"partcover/{'/'.join(m)}.py" for m in (public_modules(text) if WHOLE in text else ())]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.relative_to(ROOT).parents[node.level - 1]
            inside = (node.module or "").replace(".", "/")
            found.append(f"{(folder / inside).as_posix()}.py")
    return found


if __name__ == "__main__":
    print(drawn())
