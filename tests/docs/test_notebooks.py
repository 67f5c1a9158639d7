"""The cells of docs/how-to/integrations/notebooks.md run and show what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared.documents import blocks

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "integrations" / "notebooks.md"


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of Jupyter's own libraries
def test_the_page_runs_in_a_notebook(tmp_path, monkeypatch):
    for library in ("ipykernel", "matplotlib"):
        pytest.importorskip(library)
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.delenv("PYTHONWARNINGS", raising=False)
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    code = [block.text for block in blocks(PAGE) if block.language == "python"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in code])
    folder = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources=folder
    ).execute()
    instance, search, events, methods = [cell.outputs for cell in notebook.cells]
    assert "<caption>Instance" in instance[0].data["text/html"]
    line, found = search
    assert "tokens, gap" in line.data["text/plain"]
    assert "<caption>Solution" in found.data["text/html"]
    for (picture,) in (events, methods):
        assert picture.data["image/svg+xml"].startswith("<svg")
