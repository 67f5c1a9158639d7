"""Imports go one way: a module imports only from rows above its own."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterable
from pathlib import Path

import pytest

import partcover

ROWS = [
    {"errors", "kernels", "_version"},
    {"runtime"},
    {"symbols", "columns", "files", "file_kinds", "candidates", "in_order", "spans"},
    {"pretokenizers", "readers", "tsv", "arcs"},
    {"counting"},
    {"corpus", "vocabulary"},
    {"instance"},
    {"certificate"},
    {"solution"},
    {"segment", "verify", "held_out", "apart"},
    {"encoder", "graphs", "formulas", "merges", "measures"},
    {"sparse"},
    {"formulation", "vertex_cover", "max_2_sat", "greedy"},
    {"reduction", "families", "pricing", "domains"},
    {"model_files", "solver_io", "bounds"},
    {"gap"},
    {"solver_logs", "waiting"},
    {"mathopt", "cbc"},
    {"solvers"},
    {"exact", "library", "search", "anatomy"},
    {"prove", "conflicts", "side_by_side", "improve"},
    {"baselines", "interop"},
    {"fitting", "plots", "drawing"},
    {"report"},
    {"compare", "ratio", "worst", "explorer"},
    {"targets"},
    {"reproduce"},
    {"demo", "inputs", "page", "paths", "renamed", "status_line"},
    {"output"},
    {"options"},
    {"commands"},
    {"cli"},
]
# what the methods of a class may import when they are called, though it stands above: they are
# the short way there for who holds the object, and nothing at import time depends on it
LAZY = {"vocabulary": {"encoder", "interop", "pretokenizers"}}
PACKAGE = Path(partcover.__file__).parent
ROW = {module: row for row, modules in enumerate(ROWS) for module in modules}


def lazy(tree: ast.Module) -> set[ast.AST]:
    """What stands in the methods of classes, and under ``if TYPE_CHECKING:``."""
    found: set[ast.AST] = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            found |= {inner for method in methods for inner in ast.walk(method)}
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            found |= set(ast.walk(node))
    return found


def imported(path: Path) -> set[str]:
    """Modules of partcover that a file imports, wherever in the file but for `LAZY`."""
    tree = ast.parse(path.read_text())
    later = lazy(tree)
    now = [node for node in ast.walk(tree) if node not in later]
    return imports(path, now) | (imports(path, later) - LAZY.get(path.stem, set()))


def imports(path: Path, nodes: Iterable[ast.AST]) -> set[str]:
    """Modules of partcover that import statements among `nodes` name."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.level:
            inside = path.parent != PACKAGE
            assert node.level <= 1 + inside, f"{path.name} reaches above its package"
            if node.level == 1 + inside:
                names = [node.module] if node.module else [a.name for a in node.names]
                found |= {name.split(".")[0] for name in names}
        elif isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "partcover":
            found |= {node.module.split(".")[1]}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("partcover.")}
    return found


MODULES = sorted(p for p in PACKAGE.glob("*.py") if p.name not in {"__init__.py", "__main__.py"})
PACKAGES = ["baselines", "commands", "interop", "runtime"]
INSIDE = sorted(path for name in PACKAGES for path in PACKAGE.glob(f"{name}/*.py"))


@pytest.mark.parametrize("path", [*MODULES, *INSIDE], ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_imports_go_one_way(path):
    own = path.stem if path.parent == PACKAGE else path.parent.name
    assert own in ROW, f"{own} has no row: give it one in tests/test_layers.py"
    for module in imported(path):
        assert ROW[module] < ROW[own], f"{path.name} must not import {module}"


def test_every_row_exists():
    names = {p.stem for p in MODULES} | {"kernels", *PACKAGES}
    assert {module for row in ROWS for module in row} == names


def test_kernels_import_nothing_of_partcover():
    for path in [*PACKAGE.glob("kernels/*.py*"), *Path("partcover/kernels").glob("*.pyx")]:
        if path.suffix in {".py", ".pyi", ".pyx"}:
            text = path.read_text()
            assert "from partcover" not in text
            assert "from ." not in text
            assert "import partcover" not in text


@pytest.mark.parametrize("stub", sorted(PACKAGE.glob("kernels/*.pyi")), ids=lambda p: p.stem)
def test_stubs_name_what_kernels_have(stub):
    module = importlib.import_module(f"partcover.kernels.{stub.stem}")
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            assert callable(getattr(module, node.name))
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    assert hasattr(getattr(module, node.name), part.name)
                elif isinstance(part, ast.AnnAssign):
                    assert hasattr(getattr(module, node.name), part.target.id)
    public = {n for n in vars(module) if callable(getattr(module, n)) and n[0] != "_"}
    named = {n.name for n in ast.parse(stub.read_text()).body if hasattr(n, "name")}
    assert public - {"np"} <= named, "the stub leaves something out"
