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
# what the README and docs/ name: modules, with all that they offer, and functions
MODULES = [
    "partcover",
    "partcover.analysis.gap",
    "partcover.analysis.metrics",
    "partcover.analysis.token_gains",
    "partcover.hardness.bottom_up",
    "partcover.hardness.cnf",
    "partcover.hardness.reduction",
    "partcover.instances.families",
    "partcover.instances.library",
    "partcover.studies.domains",
    "partcover.trainers",
]
FUNCTIONS = [build]
# names whose example is still to be written
WITHOUT_EXAMPLE = {
    # analysis
    "partcover.analysis.gap.Gap",
    "partcover.analysis.gap.refuse_beyond_budget",
    "partcover.analysis.gap.split_gap",
    "partcover.analysis.metrics.overlaps",
    "partcover.analysis.metrics.renyi_efficiency",
    "partcover.analysis.metrics.symbol_uses",
    "partcover.analysis.metrics.text_bytes",
    "partcover.analysis.metrics.token_uses",
    "partcover.analysis.metrics.use",
    "partcover.analysis.metrics.whole_words",
    "partcover.analysis.token_gains.Anatomy",
    "partcover.analysis.token_gains.Audit",
    "partcover.analysis.token_gains.Difference",
    "partcover.analysis.token_gains.Missing",
    "partcover.analysis.token_gains.anatomy",
    "partcover.analysis.token_gains.audit",
    "partcover.analysis.token_gains.difference",
    "partcover.analysis.token_gains.gains",
    # bounds
    "partcover.bounds.bound.Bound",
    "partcover.bounds.improve.improve",
    "partcover.bounds.lower_bound.lower_bound",
    # encoding
    "partcover.encoding.encoder.Encoder",
    # exact
    "partcover.exact.branch_and_bound.prove",
    "partcover.exact.decide.decide",
    "partcover.exact.decide.smallest",
    "partcover.exact.formulations.build.build",
    "partcover.exact.relax.relax",
    "partcover.exact.solve.solve",
    # hardness
    "partcover.hardness.bottom_up.Merges",
    "partcover.hardness.bottom_up.apply_merges",
    "partcover.hardness.bottom_up.merged_tokens",
    "partcover.hardness.cnf.Formula",
    "partcover.hardness.cnf.read_formula",
    "partcover.hardness.max_2_sat.BottomUpReduction",
    "partcover.hardness.max_2_sat.DirectReduction",
    "partcover.hardness.max_2_sat.reduce_max_2_sat",
    "partcover.hardness.max_2_sat.reduce_max_2_sat_bottom_up",
    "partcover.hardness.reduction.Lifted",
    "partcover.hardness.reduction.Reduction",
    "partcover.hardness.reduction.reduction_of",
    "partcover.hardness.vertex_cover.Lift",
    "partcover.hardness.vertex_cover.VertexCoverReduction",
    "partcover.hardness.vertex_cover.reduce_vertex_cover",
    # heuristics
    "partcover.heuristics.greedy.certified_ratio",
    "partcover.heuristics.greedy.greedtok",
    "partcover.heuristics.greedy.greedwmc",
    "partcover.heuristics.rounding.round_relaxation",
    # instances
    "partcover.instances.families.Family",
    "partcover.instances.families.generate",
    "partcover.instances.families.least_vertex_cover",
    "partcover.instances.library.Best",
    "partcover.instances.library.Entry",
    "partcover.instances.library.entry",
    "partcover.instances.library.names",
    # interop
    "partcover.interop.load.export",
    "partcover.interop.load.load_vocabulary",
    "partcover.interop.replay.Fidelity",
    # problem
    "partcover.problem.certificate.Certificate",
    "partcover.problem.instance.GroupBudget",
    "partcover.problem.instance.Instance",
    "partcover.problem.solution.Event",
    "partcover.problem.solution.Result",
    "partcover.problem.solution.Solution",
    # report
    "partcover.report.plots.plot_events",
    "partcover.report.plots.plot_ratios",
    "partcover.report.plots.plot_rows",
    # segmentation
    "partcover.segmentation.segmentation.segment",
    # studies
    "partcover.studies.compare.Comparison",
    "partcover.studies.compare.compare",
    "partcover.studies.domains.by_domain",
    "partcover.studies.domains.compare_domains",
    "partcover.studies.domains.joined",
    # trainers
    "partcover.trainers.Trainer",
    "partcover.trainers.bpe.bpe",
    "partcover.trainers.convextok.convextok",
    "partcover.trainers.frequent_words.frequent",
    "partcover.trainers.greedyphrase.greedyphrase",
    "partcover.trainers.pathpiece.pathpiece",
    "partcover.trainers.random_tokens.randtrain",
    "partcover.trainers.sage.sage",
    "partcover.trainers.sentencepiece.unigram_sentencepiece",
    "partcover.trainers.single_symbols.plain_bytes",
    "partcover.trainers.unigram.unigram",
    "partcover.trainers.unigram.unigram_objective",
    "partcover.trainers.wordpiece.wordpiece",
    # verification
    "partcover.verification.certificate_check.check_certificate",
    "partcover.verification.recount.verify",
    # vocabulary
    "partcover.vocabulary.vocabulary.Vocabulary",
}


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


@pytest.mark.parametrize(("path", "first_line", "docstring"), list(examples()))
def test_examples_run(path, first_line, docstring, tmp_path, monkeypatch):
    """As a user types them: with nothing but what they import, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(docstring, {}, path.stem, str(path), first_line)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    if result.failed and "MissingExtra" in "".join(report):
        pytest.skip("an optional library is not installed")
    assert not result.failed, "".join(report)


def public():
    """The public functions and classes: where each is defined, and its docstring."""
    modules = [importlib.import_module(name) for name in MODULES]
    listed = [getattr(module, name) for module in modules for name in module.__all__]
    for value in [*listed, *FUNCTIONS]:
        if inspect.isfunction(value) or inspect.isclass(value):
            yield f"{value.__module__}.{value.__qualname__}", inspect.getdoc(value)


def test_public_names_have_examples():
    without = {name for name, docstring in public() if "Examples\n--------\n>>> " not in docstring}
    assert without - WITHOUT_EXAMPLE == set(), "public names without an Examples section"
    assert WITHOUT_EXAMPLE - without == set(), "these have examples: take them off the list"
