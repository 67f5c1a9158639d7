"""Every block of the README and of the pages of docs/ runs and prints what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared.command_server import quick_command
from shared.documents import CLOCK, Missing, Reader, blocks, is_known, matches

ROOT = Path(__file__).parents[1]
GENERATED = {"_build", "generated"}  # by Sphinx, from what is tested elsewhere
DOCUMENTS = [
    ROOT / "README.md",
    *(p for p in sorted((ROOT / "docs").rglob("*.md")) if not GENERATED & set(p.parts)),
]


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """The folder of a ``partcover`` that starts at once."""
    with quick_command(tmp_path_factory.mktemp("command"), clock=CLOCK) as folder:
        yield folder


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_blocks_are_of_a_known_language(path):
    found = [(block.line, block.language) for block in blocks(path)]
    assert [place for place in found if not is_known(place[1])] == []


@pytest.mark.long
@pytest.mark.parametrize("path", [path for path in DOCUMENTS if blocks(path)], ids=name)
def test_blocks_run_as_printed(path, tmp_path, command, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))  # where libraries keep what they make
    if path.parent.name == "tutorials":
        pytest.importorskip("IPython")
    reader = Reader(tmp_path, command)
    for block in blocks(path):
        try:
            reader.read(block)
        except Missing as missing:
            pytest.skip(str(missing))


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a  1\n──────\n\nb", " a 1 \n ────────── \n b\n"),
        ("in [0.1–2.5] s", "in 1.07 s"),
        ("[135,000–136,000] tokens", "135,526 tokens"),
        ("first\n...\nlast", "first\n2\n3\nlast"),
        ("exact (tokenizers ...)", "exact (tokenizers 0.23.3)"),
        ("...", ""),
    ],
)
def test_outputs_match(shown, printed):
    assert matches(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a 1", "a 2"),
        ("in [0.1–2.5] s", "in 3.07 s"),
        ("[135,000–136,000] tokens", "13,552 tokens"),
        ("first\nlast", "first\n2\nlast"),
        ("", "a remark"),
        ("a.b", "axb"),
    ],
)
def test_outputs_differ(shown, printed):
    assert not matches(shown, printed)
