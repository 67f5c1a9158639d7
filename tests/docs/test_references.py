"""Names and files that the documents and docstrings refer to are there."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

import partcover

PACKAGE = Path(partcover.__file__).parent
ROOT = Path(__file__).parents[2]
NAME = re.compile(r"(?<!/)\bpartcover(?:\.[A-Za-z_]\w*)+")
FILE = re.compile(r"\b(?:partcover|tests|benchmarks|docs)/[\w./-]+\.(?:py|pyx|pxi|md)\b")
GROUPS = {"partcover.trainers", "partcover.formats"}  # of entry points
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]


def docstrings(path: Path) -> str:
    """All docstrings of a Python file."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    nodes = [
        node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, kinds)
    ]
    return "\n".join(ast.get_docstring(node) or "" for node in nodes)


def exists(name: str) -> bool:
    """Whether a dotted name is a module, something in one, or a group of entry points."""
    if name in GROUPS:
        return True
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:size]))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("partcover"):
                return True  # the library of an extra is missing, not the module
            continue
        for part in parts[size:]:
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


@pytest.mark.long
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_refer_to_what_is_there(path):
    text = re.sub(r"https://\S+", "", path.read_text("utf-8"))
    assert [name for name in NAME.findall(text) if not exists(name)] == []
    assert [file for file in FILE.findall(text) if not (ROOT / file).exists()] == []


@pytest.mark.long
def test_docstrings_refer_to_what_is_there():
    texts = {path: docstrings(path) for path in sorted(PACKAGE.rglob("*.py"))}
    pairs = [(path.name, name) for path, text in texts.items() for name in NAME.findall(text)]
    assert [(path, name) for path, name in pairs if not exists(name)] == []
    pairs = [(path.name, file) for path, text in texts.items() for file in FILE.findall(text)]
    assert [(path, file) for path, file in pairs if not (ROOT / file).exists()] == []


def test_links_of_the_readme_are_absolute_and_lead_to_files():
    """As on the page of a package index, which knows no folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    source = project["urls"]["Source"]
    starts = f"{source}/blob/main/", f"{source}/raw/main/"
    text = (ROOT / "README.md").read_text("utf-8")
    named = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", text, re.MULTILINE))
    assert set(re.findall(r"\]\[([^\]]+)\]", text)) == set(named)
    links = re.findall(r"\]\(([^)\s]+)\)", text) + list(named.values())
    assert [link for link in links if not link.startswith("https://")] == []
    ours = [link.removeprefix(start) for link in links for start in starts if start in link]
    assert len(ours) > 8
    ours += [url.removeprefix(starts[0]) for url in project["urls"].values() if starts[0] in url]
    assert [path for path in ours if not (ROOT / path).is_file()] == []


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {partcover.__version__}\n" in citation
