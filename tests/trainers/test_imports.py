"""Training BPE from a text imports no library that takes longer than a small text."""

from __future__ import annotations

import subprocess
import sys

import pytest

TRAIN = """
import sys
from partcover import Instance, WordCounts, trainers

words = WordCounts.from_files([sys.argv[1]], pretokenizer=sys.argv[2])
vocabulary = trainers.bpe(Instance(words, 10)).vocabulary
before = {*sys.modules}
vocabulary.save(sys.argv[3])
large = {"numpy", "regex", "partcover.runtime.processes.children"}  # that has subprocess
print(sorted(large & before), len(vocabulary))
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "text", ["the cat and the hat and the catalogue " * 20, "über ähnliche Wörter " * 20]
)
@pytest.mark.parametrize("pretokenizer", ["gpt2", "cl100k", "o200k"])
def test_training_needs_no_large_library(tmp_path, pretokenizer, text):
    (tmp_path / "text").write_text(text, "utf-8")
    command = [sys.executable, "-c", TRAIN, tmp_path / "text", pretokenizer, tmp_path / "bpe.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[] 10\n"


@pytest.mark.long
def test_the_command_needs_no_large_library(tmp_path):
    (tmp_path / "counts.tsv").write_text("the\t5\ncat\t3\nthat\t2\n", "utf-8")
    options = ["--method", "bpe", "-k", "3", "-o", tmp_path / "bpe.json"]
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "partcover",
        "train",
        tmp_path / "counts.tsv",
    ]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    imported = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert "partcover.trainers.bpe" in imported
    assert not {"numpy", "regex"} & imported
