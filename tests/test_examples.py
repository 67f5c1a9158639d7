"""Every example in a docstring runs, and every public function and class has one."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import partcover

PACKAGE = Path(partcover.__file__).parent
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "api" / "modules.md"


def examples():
    """The docstrings of the package that hold examples, each with its module and its name."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        if ">>> " not in text:
            continue
        module = ".".join(("partcover", *path.relative_to(PACKAGE).with_suffix("").parts))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                docstring = ast.get_docstring(node)
                if docstring and ">>> " in docstring:
                    name = getattr(node, "name", "module")
                    first_line = node.body[0].lineno - 1
                    yield pytest.param(path, first_line, docstring, id=f"{module}-{name}")


@pytest.mark.long
@pytest.mark.parametrize(("path", "first_line", "docstring"), list(examples()))
def test_examples_run(path, first_line, docstring, tmp_path, monkeypatch):
    """As a user types them: with nothing but what they import, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    test = doctest.DocTestParser().get_doctest(docstring, names, path.stem, str(path), first_line)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    said = "".join(report)
    if result.failed and ("MissingExtra" in said or "No module named 'networkx'" in said):
        pytest.skip("an optional library is not installed")
    assert not result.failed, said


def public():
    """The documented functions and classes: the name of each, and its docstring."""
    names = [f"partcover.{name}" for name in partcover.__all__]
    names += [f"partcover.trainers.{name}" for name in partcover.trainers.__all__]
    names += re.findall(r"~(partcover\.\S+)", PAGE.read_text("utf-8"))
    for path in names:
        module, _, name = path.rpartition(".")
        value = getattr(importlib.import_module(module), name)
        if inspect.isfunction(value) or inspect.isclass(value):
            yield path, inspect.getdoc(value)


def test_public_names_have_examples():
    sections = {
        name: docstring.partition("\nExamples\n--------\n")[2] for name, docstring in public()
    }
    without = {name for name, section in sections.items() if ">>> " not in section}
    assert without == set(), "public names without an Examples section"
