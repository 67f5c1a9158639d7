"""Each page of the site stands in one section, with a line that says what it is for."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

DOCS = Path(__file__).parents[2] / "docs"
OTHERS = {"_build", "generated", "api"}
# the pages that list others
INDEXES = sorted(path for path in DOCS.rglob("*/index.md") if path.parent.name not in OTHERS)
LONGEST = 10
PAGES = sorted(
    path for path in DOCS.rglob("*.md") if not OTHERS & set(path.relative_to(DOCS).parts)
)
_TOCTREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)


def name(path):
    return path.relative_to(DOCS).as_posix()


def whole(path, link):
    """A link of a page as a path from docs/."""
    return posixpath.normpath(posixpath.join(name(path.parent), link))


def lists(path):
    """The lists of pages of a page's tables of contents, as paths from docs/ without an ending."""
    return [
        [whole(path, line) for line in block.splitlines() if line and not line.startswith(":")]
        for block in _TOCTREE.findall(path.read_text("utf-8"))
    ]


def listed():
    everywhere = [DOCS / "index.md", *INDEXES]
    return Counter(page for path in everywhere for pages in lists(path) for page in pages)


@pytest.mark.parametrize("path", INDEXES, ids=name)
def test_no_list_is_longer_than_ten(path):
    assert lists(path)
    assert [pages for pages in lists(path) if len(pages) > LONGEST] == []


@pytest.mark.parametrize("path", INDEXES, ids=name)
def test_each_page_of_a_section_has_a_line(path):
    links = re.findall(r"\]\(([\w./-]+)\.(?:md|rst)\)", path.read_text("utf-8"))
    linked = {whole(path, link) for link in links}
    pages = {page for pages in lists(path) for page in pages}
    assert sorted(pages - linked) == [], f"docs/{name(path)} has no line on these"


def test_each_page_stands_in_one_section():
    written = {name(path).removesuffix(".md") for path in PAGES} - {"index"}
    found = listed()
    assert sorted(written - found.keys()) == [], "in no section: add a line and the toctree's entry"
    assert [page for page, times in found.items() if times > 1] == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_each_page_begins_with_what_it_is_for(path):
    text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text("utf-8"), flags=re.DOTALL)
    kinds = [token.type for token in MarkdownIt("commonmark").parse(text) if token.level == 0]
    assert kinds[:3] == ["heading_open", "heading_close", "paragraph_open"]
