"""Formats of other packages, which an entry point names."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from partcover import InputError, Vocabulary
from partcover.interop import FORMATS, FormatRegistry
from partcover.interop.registry import recognised

SOURCE = '''
"""A format: the tokens as one JSON list of lists of bytes."""
import json
from partcover import Vocabulary, segment, WordCounts
from partcover.interop import Format, Nearest, Replay
from partcover.vocabulary.rules import SEGMENTATION_RULES

def write(vocabulary, path):
    path.write_text(json.dumps([list(token) for token in vocabulary]))
    return ["the pre-tokenizer is not in the file"]

def read(path):
    return Vocabulary([bytes(token) for token in json.loads(path.read_text())]), []

def replay(path):
    vocabulary, _ = read(path)
    ids = {token: number for token, number in zip(vocabulary, vocabulary.id_of[256:])}

    def words(pieces):
        counted = WordCounts.from_counts(dict.fromkeys(pieces, 1))
        cut = segment(counted, vocabulary)
        found = {word: cut.of(number) for number, (word, _) in enumerate(counted)}
        return [list(found[piece]) for piece in pieces]

    return Replay("other 1.0", words, None, lambda token: ids.get(token, token[0]))

OTHER = Format(
    name="other",
    title="bytes as numbers",
    rules={rule: "as it is" if rule == "shortest_path" else Nearest("shortest_path", "simple")
           for rule in SEGMENTATION_RULES},
    write=write,
    replay=replay,
    read=read,
    recognises=lambda path: path.suffix == ".other",
)
'''
ENTRY_POINTS = """[partcover.formats]
gone = other_formats_gone:GONE
list = other_formats:OTHER
other = other_formats:OTHER
wrong = other_formats:OTHER
"""


@pytest.fixture
def other_package(tmp_path):
    """A folder with a package that names formats, as pip installs it."""
    folder = tmp_path / "site"
    facts = folder / "other_package-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS)
    (folder / "other_formats.py").write_text(SOURCE)
    return folder


def test_a_format_of_another_package_is_there_by_name(other_package, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(other_package)
    registry = FormatRegistry({"list": FORMATS["list"]})
    assert list(registry) == ["list", "gone", "other", "wrong"]
    assert "other" in registry
    assert "other_formats" not in sys.modules  # not before it is asked for
    assert registry["other"].title == "bytes as numbers"
    assert registry["list"] is FORMATS["list"]  # theirs does not replace it
    with pytest.raises(InputError, match=r"format gone of other-package cannot be loaded \(other_"):
        registry["gone"]
    with pytest.raises(InputError, match="of other-package is not a format named wrong: make"):
        registry["wrong"]
    monkeypatch.setattr("partcover.interop.registry.FORMATS", registry)
    assert [form.name for form in recognised(tmp_path / "v.other")] == ["other"]


@pytest.mark.long
def test_the_commands_write_and_read_it(other_package, tmp_path):
    Vocabulary(["ab", "abc"], pretokenizer="gpt2").save(tmp_path / "v.json")
    environment = {**os.environ, "PYTHONPATH": str(other_package)}

    def run(*arguments):
        line = [sys.executable, "-m", "partcover", *arguments]
        return subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True)

    help_ = " ".join(run("export", "--help").stdout.split())
    assert "other bytes as numbers" in help_
    assert "the format gone of other-package cannot be loaded" in help_
    done = run("export", "v.json", "--to", "other", "-o", "v.other", "--json")
    assert (done.returncode, json.loads(done.stdout)["library"]) == (0, "other 1.0")
    assert json.loads((tmp_path / "v.other").read_text()) == [[97, 98], [97, 98, 99]]
    done = run("import", "v.other", "-o", "w.json", "--json")
    assert (done.returncode, json.loads(done.stdout)["format"]) == (0, "other")
    assert Vocabulary.load(tmp_path / "w.json").tokens == (b"ab", b"abc")
    gone = run("export", "v.json", "--to", "gone", "-o", "v.gone")
    assert (gone.returncode, gone.stderr.count("\n")) == (2, 1)
    assert "cannot be loaded" in gone.stderr
