"""Help, labels and documents use no word that was given up for one of the glossary."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

import click
import pytest

from partcover.cli.main import cli

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MOST_TERMS = 25
# what is written instead of what
RETIRED = {
    r"tolls?": "multiplier",
    r"fees?": "multiplier or penalty",
    r"promis(?:e|es|ed|ing)": "upper bound, or what the sentence is about",
    r"minimis\w+|maximis\w+": "American spelling, with z",
    r"colours?|catalogues?|towards(?! zero)|greys?": "American spelling",
    r"(?:comes?|came|coming) out": "is produced",
    r"dues?(?! to\b)": "multiplier, or what is paid",
    # a cut is a cutting plane, so the noun may be used; the verb is split (text), segment (words)
    r"(?:is|are|was|were|be|been|being|to|can|cannot|may|must|not|they|it|which|words?|texts?|once"
    r"|already) cuts?|(?<!branch )(?:and|then) cut(?!-)": "split or segment",
    r"(?<!branch and )cuts? (?:a|an|the|into|by|at|as|from|through|words?|texts?|each(?= \w)|every"
    r"|them|it|anew|differently|otherwise|alike)": "split or segment",
    r"cutting(?! planes?)|cutters?|uncut": "splitting or segmenting",
}
_RETIRED = re.compile(rf"\b(?:{'|'.join(RETIRED)})\b", re.IGNORECASE)
_CODE = re.compile(r"^(```+|~~~+).*?^\1|`[^`]*`|^    .*?$", re.DOTALL | re.MULTILINE)
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(p for p in sorted(DOCS.rglob("*.md")) if not {"_build", "generated"} & set(p.parts)),
]
# what is shown: labels of tables and pages, remarks, errors
SHOWN = sorted((ROOT / "partcover").rglob("*.py"))
PAGES = sorted(
    [
        *(ROOT / "partcover" / "report" / "templates").glob("*.html"),
        *(DOCS / "extra").glob("*.html"),
        *(DOCS / "gallery").glob("*.py"),
    ]
)


def name(path):
    return path.relative_to(ROOT).as_posix()


def contexts(command, name, parent=None):
    """A context of the command and of all below it."""
    with command.make_context(name, [], parent=parent, resilient_parsing=True) as context:
        yield context
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                yield from contexts(command.get_command(context, inner), inner, context)


def strings(path):
    """The strings of a module; its docstrings, comments and list of names are left out."""
    tree = ast.parse(path.read_text("utf-8"))
    said = {
        id(name)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for name in ast.walk(node.value)
    }
    said |= {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in said:
            yield node.lineno, node.value


def test_help_uses_no_retired_word():
    pages = {c.command_path: c.command.get_help(c) for c in contexts(cli, "partcover")}
    assert len(pages) > 30
    found = {path: _RETIRED.findall(text) for path, text in pages.items()}
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize("path", SHOWN, ids=name)
def test_what_is_shown_uses_no_retired_word(path):
    found = [(line, _RETIRED.findall(text)) for line, text in strings(path)]
    assert [hit for hit in found if hit[1]] == []


def test_the_reference_uses_no_retired_word():
    pages = [
        (DOCS / "reference" / "api" / page).read_text("utf-8")
        for page in ("index.md", "modules.md")
    ]
    names = re.findall(r"^   ~?(?:partcover\.)?(\w[\w.]*)$", "\n".join(pages), re.MULTILINE)
    assert len(names) > 100
    found = {}
    for path in names:
        module, _, member = f"partcover.{path}".rpartition(".")
        documented = getattr(importlib.import_module(module), member)
        members = vars(documented).values() if inspect.isclass(documented) else ()
        for each in (documented, *members):
            text = re.sub(r"`[^`]*`|>>>.*", "", inspect.getdoc(each) or "")
            found[path] = [*found.get(path, []), *_RETIRED.findall(text)]
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_pages_use_no_retired_word(path):
    assert _RETIRED.findall(path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_documents_use_no_retired_word(path):
    text = _CODE.sub("", path.read_text("utf-8"))
    assert _RETIRED.findall(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("A toll is paid.", "of much promise", "Fees", "minimise it", "It comes out.", "a due"),
        *("Words are cut by merges.", "It cuts the text.", "a place to cut", "cutting words"),
        *("what cuts into words", "cut at spaces", "the cutter of words", "read and cut here"),
    ],
)
def test_a_retired_word_is_found(text):
    assert _RETIRED.search(text)


@pytest.mark.parametrize(
    "text",
    [
        *("With cuts, a bound is higher.", "A cut has n tokens.", "Branch and cut the whole day."),
        *("cutting planes", "--no-cuts", "what cuts leave", "due to its rule"),
    ],
)
def test_cutting_planes_keep_their_name(text):
    assert not _RETIRED.search(text)


def test_the_glossary_has_few_terms_and_lists_each():
    text = (DOCS / "concepts" / "glossary.md").read_text("utf-8")
    terms = re.findall(r"^### (.+)$", text, re.MULTILINE)
    listed = re.findall(r"\[([^]]+)\]\(#[\w-]+\)", text.split("\n## ")[0])
    assert len(terms) <= MOST_TERMS
    assert listed == sorted(terms, key=str.lower)
