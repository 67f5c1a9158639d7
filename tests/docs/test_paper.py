"""The paper has the numbers of its results, the sections that JOSS asks for, and its references."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

PAPER = Path(__file__).parents[2] / "paper"
TEXT = (PAPER / "paper.md").read_text("utf-8")
SECTIONS = [
    "Summary",
    "Statement of need",
    "State of the field",
    "Certificates",
    "Software design",
    "Research impact statement",
    "AI usage disclosure",
    "Acknowledgements",
    "References",
]


def figures():
    spec = importlib.util.spec_from_file_location("figures", PAPER / "figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_numbers_are_those_of_the_results():
    script = figures()
    assert script.filled(script.load()) == TEXT, "python paper/figures.py writes it again"
    assert "{" not in re.sub(r"\\(label|autoref)\{\w+\}", "", TEXT.partition("# Summary")[2])


def test_numbers_stand_in_the_results_alone():
    """A number of more than three digits in the template would be no result."""
    body = (PAPER / "template.md").read_text("utf-8").partition("# Summary")[2]
    assert re.findall(r"\d[\d,.]{3,}", re.sub(r"@\w+", "", body)) == []


def test_sections_and_length():
    assert re.findall(r"^# (.*)$", TEXT, re.MULTILINE) == SECTIONS
    body = TEXT.partition("# Summary")[2].partition("# References")[0]
    assert 750 <= len(body.split()) <= 1750


def test_references_are_there_and_cited():
    listed = re.findall(r"^@\w+\{(\w+),", (PAPER / "paper.bib").read_text("utf-8"), re.MULTILINE)
    cited = set(re.findall(r"@(\w+)", TEXT.partition("# Summary")[2]))
    assert sorted(listed) == sorted(cited)
    for name in re.findall(r"\]\((\w+\.pdf)\)", TEXT):
        assert (PAPER / name).read_bytes().startswith(b"%PDF")
