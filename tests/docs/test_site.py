"""The documentation site builds without a warning, with every link inside it whole."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import partcover
from partcover import trainers
from partcover.cli import exit_status
from partcover.cli.commands import SECTIONS

DOCS = Path(__file__).parents[2] / "docs"

for needed in ("sphinx", "myst_nb", "pydata_sphinx_theme", "sphinx_gallery", "ipykernel"):
    pytest.importorskip(needed)


def test_every_public_name_stands_in_the_reference():
    text = (DOCS / "reference" / "api" / "index.md").read_text("utf-8")
    listed = re.findall(r"^   (\w+)$", text, re.MULTILINE)
    assert sorted(set(partcover.__all__) - set(listed) - {"__version__", "trainers"}) == []
    assert len(listed) == len(set(listed))


def test_every_trainer_stands_in_the_reference():
    text = (DOCS / "reference" / "api" / "modules.md").read_text("utf-8")
    listed = re.findall(r"^   ~partcover\.trainers\.(\w+)$", text, re.MULTILINE)
    assert sorted(set(trainers.__all__) - set(listed)) == []


def test_everything_in_the_reference_has_an_example():
    pages = [
        (DOCS / "reference" / "api" / name).read_text("utf-8")
        for name in ("index.md", "modules.md")
    ]
    names = re.findall(r"^   ~?(?:partcover\.)?(\w[\w.]*)$", "\n".join(pages), re.MULTILINE)
    assert len(names) > 100
    without = []
    for name in names:
        module, _, member = f"partcover.{name}".rpartition(".")
        docstring = inspect.getdoc(getattr(importlib.import_module(module), member))
        if ">>> " not in (docstring or ""):
            without.append(name)
    assert without == []


def test_every_exit_status_is_explained():
    text = (DOCS / "reference" / "exit-statuses.md").read_text("utf-8")
    listed = re.findall(r"^\| (\d+) \|", text, re.MULTILINE)
    statuses = [value for name, value in vars(exit_status).items() if name.startswith("EXIT_")]
    assert sorted(map(int, listed)) == sorted([0, *statuses])


NOTEBOOK = """\
---
orphan: true
file_format: mystnb
kernelspec:
  language: python
  name: python3
---

# Cells run

```{code-cell}
%%sh
echo first > text.txt
partcover count text.txt
echo last >&2
```

```{code-cell}
print(open("text.txt").read() * 2)
```
"""


@pytest.mark.long
def test_the_site_builds(tmp_path):
    """From nothing, as `make docs` builds it, without what takes long.

    The gallery is not drawn, sources have no pages, those of the API and the commands list no
    others, and the example of a report is small.  One
    notebook of a few cells is executed; the cells of the tutorials run in tests/test_documents.py.
    """
    source = tmp_path / "docs"
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("_build", "generated"))
    (source / "tutorials" / "notebook.md").write_text(NOTEBOOK, "utf-8")
    tutorials = [path.name for path in (DOCS / "tutorials").iterdir()]
    with (source / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(f"\nnb_execution_excludepatterns = {tutorials}\n")
        conf.write('extensions.remove("sphinx.ext.viewcode")\n')
        conf.write('html_sidebars["generated/**"] = []\n')
    site = source / "_build"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    command += ["-D", "sphinx_gallery_conf.plot_gallery=0"]
    command += ["-D", "example_report_words=300", "-D", "example_report_k=40"]
    # Sphinx tells its warnings itself; those of Python are about its extensions
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    build = subprocess.run(
        [*command, source, site], capture_output=True, text=True, timeout=900, env=environment
    )
    assert build.returncode == 0, build.stdout + build.stderr

    printed = re.sub("<[^>]+>", "", (site / "tutorials" / "notebook.html").read_text("utf-8"))
    assert re.search(r"\nfirst.*\t1\n(.+\n)*last\n", printed), "streams are not in order"
    assert "\nfirst\nfirst\n" in printed

    for name in [name for names in SECTIONS.values() for name in names]:
        page = (site / "generated" / "commands" / f"{name}.html").read_text("utf-8")
        assert f"partcover {name}" in page

    # it is read without a network; a canonical address is only named
    named = """(?! rel="canonical")"""
    loaded = re.compile(rf"""<(?:script|img|link{named})[^>]*(?:src|href)="(?:https?:)?//[^"]*""")
    pages = [*site.rglob("*.html")]
    assert len(pages) > 150
    found = {page.name: loaded.search(page.read_text("utf-8")) for page in pages}
    assert {name: match[0] for name, match in found.items() if match} == {}
