"""Fixtures that tests of several commands share."""

from __future__ import annotations

import pytest
from cli.helpers import TEXT


@pytest.fixture
def counts(run, tmp_path):
    """A counted-words file made by ``partcover count``."""
    (tmp_path / "text.txt").write_text(TEXT)
    assert run("count", "text.txt", "-o", "C.tsv", "--quiet")[0] == 0
    return "C.tsv"
