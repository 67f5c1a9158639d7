"""Every example in a docstring runs, and every public function and class has one."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import partcover
from partcover.exact.formulations.build import build

PACKAGE = Path(partcover.__file__).parent
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# modules all of whose functions and classes have an example; `build` has one besides
MODULES = [
    "partcover",
    "partcover.adaptation.base",
    "partcover.adaptation.extend",
    "partcover.adaptation.extension",
    "partcover.adaptation.prune",
    "partcover.adaptation.pruning",
    "partcover.analysis.audit",
    "partcover.analysis.difference",
    "partcover.analysis.gap",
    "partcover.analysis.inspection",
    "partcover.analysis.metrics",
    "partcover.analysis.token_gains",
    "partcover.bounds.lower_bound",
    "partcover.bounds.counting.reduced_costs",
    "partcover.corpus.files.holdout",
    "partcover.errors",
    "partcover.exact.infeasibility",
    "partcover.hardness.bottom_up",
    "partcover.hardness.cnf",
    "partcover.hardness.reduction",
    "partcover.heuristics.local_search",
    "partcover.instances.families",
    "partcover.instances.library",
    "partcover.instances.worst_case",
    "partcover.problem.candidates",
    "partcover.problem.certificates.certificate",
    "partcover.problem.certificates.cuts",
    "partcover.problem.group_budget",
    "partcover.problem.word_index",
    "partcover.runtime.arguments",
    "partcover.runtime.notebook",
    "partcover.segmentation.cutters",
    "partcover.studies.domains",
    "partcover.studies.ratios",
    "partcover.studies.targets",
    "partcover.trainers",
    "partcover.verification.certificate_check",
    "partcover.verification.recount",
    "partcover.vocabulary.subset",
]


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
    """The public functions and classes: the name of each, and its docstring."""
    names = {build: f"{build.__module__}.build"}
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) or inspect.isclass(value):
                names.setdefault(value, f"{module.__name__}.{name}")
    return [(name, inspect.getdoc(value)) for value, name in names.items()]


def test_public_names_have_examples():
    sections = {
        name: docstring.partition("\nExamples\n--------\n")[2] for name, docstring in public()
    }
    without = {name for name, section in sections.items() if ">>> " not in section}
    assert without == set(), "public names without an Examples section"
