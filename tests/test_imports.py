"""What is heavy is imported only when it is used, and its absence is one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from partcover import InputError, Vocabulary, WordCounts, export
from partcover.report.plots import plot_rows

VOCABULARY = Vocabulary(["ab"], pretokenizer="gpt2")

HEAVY = ["networkx", "ortools", "pulp", "rich", "matplotlib", "pyarrow", "zstandard", "click"]
HEAVY += ["tokenizers", "transformers", "tiktoken", "sentencepiece"]


def test_import_is_light():
    code = "import partcover, sys; print([m for m in sys.argv[1:] if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("library", "extra", "use"),
    [
        ("matplotlib.figure", "plot", lambda path: plot_rows([], path / "figure.svg")),
        ("zstandard", "zstd", lambda path: WordCounts.from_files(path / "a.txt.zst")),
        ("pyarrow.parquet", "parquet", lambda path: WordCounts.from_files(path / "a.parquet")),
        ("tokenizers", "huggingface", lambda p: export(VOCABULARY, p / "t.json", "huggingface")),
    ],
)
def test_a_missing_extra_is_named(monkeypatch, tmp_path, library, extra, use):
    for name in ("a.txt.zst", "a.parquet"):
        (tmp_path / name).write_bytes(b"x")
    for part in (library, library.split(".")[0]):
        monkeypatch.setitem(sys.modules, part, None)
    with pytest.raises(ImportError, match=rf"not installed: pip install 'partcover\[{extra}\]'"):
        use(tmp_path)


def test_errors_are_value_errors_too():
    with pytest.raises(ValueError, match="a word is empty"):
        WordCounts.from_counts({"": 1})
    assert issubclass(InputError, ValueError)
