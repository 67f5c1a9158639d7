"""Imports go one way: a folder imports only from those before it; tests have the same folders."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from shared.public_modules import WHOLE, public_modules

import partcover

# folders in their order: one imports only from those in rows above its own
ROWS = [
    {"errors", "kernels", "_version"},
    {"runtime"},
    {"corpus"},
    {"vocabulary"},
    {"segmentation", "problem"},
    {"verification", "encoding", "analysis"},
    {"heuristics", "hardness", "interop"},
    {"bounds"},
    {"exact", "instances"},
    {"trainers"},
    {"adaptation", "studies"},
    {"report"},
    {"cli"},
]
PACKAGE = Path(partcover.__file__).parent
TESTS = Path(__file__).parent
ROW = {folder: row for row, folders in enumerate(ROWS) for folder in folders}
AT_ROOT = {
    "__init__.py",
    "__init__.pyi",
    "__main__.py",
    "_version.py",
    "errors.py",
    "meson.build",
    "py.typed",
}
SOURCES = {".build", ".css", ".html", ".js", ".pxi", ".py", ".pyi", ".pyx"}
NO_ROOMS = {"_build", "generated", "seeds"}  # what the site's build writes, and data of the fuzzer
TEST_FILES = {path.stem for path in TESTS.rglob("test_*.py")}
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.parent != PACKAGE]


def parts(path: Path) -> tuple[str, ...]:
    """Where a file stands in the package, as its module is named."""
    return path.relative_to(PACKAGE).with_suffix("").parts


def imports(path: Path) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports of a file, inside functions too.  An import is a statement, in no expression."""
    nodes: list[ast.AST] = [ast.parse(path.read_text())]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.expr):
            nodes.extend(ast.iter_child_nodes(node))


@cache
def is_module(path: Path) -> bool:
    """Whether a folder, a file of Python or a kernel's stub has a path without its ending."""
    files = [path.with_name(f"{path.name}{ending}") for ending in (".py", ".pyi")]
    return path.is_dir() or any(file.exists() for file in files)


@cache
def imported(path: Path) -> set[tuple[str, ...]]:
    """Modules of partcover that a file imports, inside functions too.

    Commands take public names from the whole package, as users do.
    """
    modules: set[tuple[str, ...]] = set()
    text = path.read_text() if parts(path)[0] == "cli" else ""
    if WHOLE in text:
        modules = public_modules(text)
    for node in imports(path):
        if isinstance(node, ast.ImportFrom):
            named = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                named = parts(path)[: -node.level] + named
            elif named[0] == "partcover":
                named = named[1:]
            else:
                continue
            inside = PACKAGE.joinpath(*named)
            for name in (alias.name for alias in node.names):
                modules.add((*named, name) if is_module(inside / name) else named)
        elif not modules or ast.unparse(node) != WHOLE:
            names = [alias.name.split(".") for alias in node.names]
            modules |= {tuple(name[1:]) for name in names if name[0] == "partcover"}
    return modules


@pytest.mark.long
@pytest.mark.parametrize("path", FILES, ids=lambda path: "-".join(parts(path)))
def test_imports_go_one_way(path):
    own = parts(path)[0]
    assert own in ROW, f"the folder {own} has no row: give it one in tests/test_layers.py"
    for module in imported(path):
        assert module, "nothing imports the whole package"
        assert module[0] == own or ROW[module[0]] < ROW[own], (
            f"{'/'.join(parts(path))} must not import {'.'.join(module)}"
        )


def test_no_circle():
    """Within a folder, too, whoever is imported does not import back."""
    imports = {parts(path): imported(path) for path in FILES if path.name != "__init__.py"}
    done: set[tuple[str, ...]] = set()

    def visit(module: tuple[str, ...], above: tuple[tuple[str, ...], ...]) -> None:
        circle = [".".join(name) for name in (*above, module)]
        assert module not in above, f"a circle: {' -> '.join(circle)}"
        if module not in done:
            for other in imports.get(module, ()):
                visit(other, (*above, module))
            done.add(module)

    for module in imports:
        visit(module, ())


def test_a_folder_shows_what_is_in_it():
    """More than 16 files, beside the one that makes it a package, are for rooms."""
    for top in (PACKAGE, TESTS, TESTS.parent / "benchmarks", TESTS.parent / "docs"):
        for folder in [top, *filter(Path.is_dir, top.rglob("*"))]:
            if not NO_ROOMS & {*folder.relative_to(top).parts}:
                own = [path for path in folder.iterdir() if path.suffix in {*SOURCES, ".md"}]
                own = [path for path in own if path.stem != "__init__"]
                assert len(own) <= 16, f"{folder} has {len(own)} files"


def test_nothing_is_loose_at_the_root():
    names = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"}
    folders = {folder for folder in ROW if folder not in ("errors", "_version")}
    assert names == AT_ROOT | folders | {"schemas"}


def test_kernels_import_nothing_of_partcover():
    """A stub alone may take what it names from another kernel's."""
    for path in [*PACKAGE.glob("kernels/**/*.py*"), *Path("partcover/kernels").rglob("*.pyx")]:
        if path.suffix in {".py", ".pyi", ".pyx"}:
            text = path.read_text()
            assert "from partcover" not in text
            assert ("from .." if path.suffix == ".pyi" else "from .") not in text
            assert "import partcover" not in text


def definitions(stub: Path) -> list[ast.FunctionDef | ast.ClassDef]:
    """The functions and classes that a stub names, those that it takes from another's too."""
    found = []
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            others = {
                other.name: other for other in definitions(stub.parent / f"{node.module}.pyi")
            }
            found += [others[alias.name] for alias in node.names]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node)
    return found


@pytest.mark.parametrize("stub", sorted(PACKAGE.glob("kernels/**/*.pyi")), ids=lambda p: p.stem)
def test_stubs_name_what_kernels_have(stub):
    module = importlib.import_module(f"partcover.{'.'.join(parts(stub))}")
    named = definitions(stub)
    for node in named:
        if isinstance(node, ast.FunctionDef):
            assert callable(getattr(module, node.name))
        else:
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    assert hasattr(getattr(module, node.name), part.name)
                elif isinstance(part, ast.AnnAssign):
                    assert hasattr(getattr(module, node.name), part.target.id)
    public = {n for n in vars(module) if callable(getattr(module, n)) and n[0] != "_"}
    assert public - {"np"} <= {node.name for node in named}, "the stub leaves something out"


def test_tests_have_the_folders_of_the_package():
    folders = {path.relative_to(TESTS).parts[0] for path in TESTS.rglob("*/*.py")}
    assert folders - ROW.keys() == {"docs", "fuzz", "oracles", "shared"}


@pytest.mark.long
@pytest.mark.parametrize(
    "path", sorted(TESTS.rglob("*.py")), ids=lambda path: "-".join(path.relative_to(TESTS).parts)
)
def test_no_test_is_imported(path):
    """What several tests need stands in a module that holds no test."""
    for node in imports(path):
        if isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            assert not node.level, "an import names its module in full"
        else:
            names = [part for alias in node.names for part in alias.name.split(".")]
        assert not TEST_FILES & set(names), f"{TEST_FILES & set(names)} is a file of tests"


def test_the_rooms_of_a_bound_import_one_way_and_are_drawn_so():
    pytest.importorskip("networkx")
    from walk import drawn

    page = Path(__file__).parents[1] / "CONTRIBUTING.md"
    assert drawn() in page.read_text(encoding="utf-8")
