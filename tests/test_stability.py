"""What is public is as the snapshot says, so that a change of it is a decision."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from public_api import names, snapshot

HERE = Path(__file__).parent
SNAPSHOT = HERE / "public_api.txt"
RENEW = "python tests/public_api.py > tests/public_api.txt"


@pytest.mark.long
def test_the_public_api_is_as_before():
    before = SNAPSHOT.read_text("utf-8").splitlines()
    changes = difflib.unified_diff(before, snapshot().splitlines(), "before", "now", "", "", 0, "")
    told = "\n".join(changes)
    assert not told, (
        f"the public API or the command line has changed:\n{told}\n"
        f"If this is meant, read docs/reference/stability.md, name it in CHANGELOG.md, run {RENEW}"
    )


def test_the_snapshot_holds_names_methods_and_options():
    lines = SNAPSHOT.read_text("utf-8").splitlines()
    assert {"partcover.Vocabulary.tokens", "partcover.Instance.with_k(k)"} <= set(lines)
    assert any(line.startswith("    --max-gap") for line in lines)
    assert len(names()) > 60


def test_the_page_says_how_to_renew_it():
    page = (HERE.parent / "docs" / "reference" / "stability.md").read_text("utf-8")
    assert RENEW in page
