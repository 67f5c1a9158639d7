"""What is heavy is imported only when it is used, and its absence is one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from partcover import InputError, Vocabulary, WordCounts, export
from partcover.cli.commands import SECTIONS
from partcover.report.plots import plot_rows

VOCABULARY = Vocabulary(["ab"], pretokenizer="gpt2")

# what the text of a command's help and the names of the package need nothing of
SOLVERS = ["networkx", "ortools", "pulp"]
OPTIONAL = ["matplotlib", "pandas", "pyarrow", "sentencepiece", "tiktoken", "tokenizers"]
OPTIONAL += ["transformers", "zstandard"]
LIGHT = {"click", "cloup", "lazy_loader", "partcover", "typing_extensions"}


def loaded(code):
    """The modules, by the first part of their names, that a fresh process has imported in the end.

    Those that Python itself starts with are left out.
    """
    tail = "print(*sorted({m.partition('.')[0] for m in set(sys.modules) - before}), sep='\\n')"
    lines = ["import sys", "before = set(sys.modules)", code, tail]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    # Cython enters the module that kernels share under its short name, too
    found = {m for m in done.stdout.split() if "cython" not in m} - {"_memory_views"}
    return found - sys.stdlib_module_names


def help_of(*arguments):
    return f"""
import contextlib, io
from partcover.cli.main import main
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as out:
    main({list(arguments)})
assert out.getvalue().startswith(("Usage: ", "partcover, version"))
"""


@pytest.mark.long
def test_the_package_loads_what_is_used():
    assert loaded("import partcover") == {"partcover"}
    light = {"lazy_loader", "numpy", "partcover"}
    text = 'partcover.WordCounts.from_texts(["a b a"])'
    assert loaded(f"import partcover\npartcover.greedtok(partcover.Instance({text}, 1))") == light


@pytest.mark.long
@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_little(arguments):
    assert loaded(help_of(*arguments)) <= LIGHT


@pytest.mark.long
def test_the_help_of_commands_loads_neither_numpy_nor_kernels():
    # these list what there is, from where it works
    listing = {"train", "export", "import", "generate", "reproduce"}
    commands = {name for section in SECTIONS.values() for name in section}
    assert listing < commands
    every = [help_of(command, "--help") for command in sorted(commands - listing)]
    kernels = "assert not [m for m in sys.modules if m.startswith('partcover.kernels.')]"
    assert loaded("".join([*every, kernels])) <= LIGHT


@pytest.mark.long
def test_help_needs_nothing_optional():
    commands = [name for section in SECTIONS.values() for name in section]
    every = "".join(help_of(command, "--help") for command in commands)
    assert not loaded(every) & {*SOLVERS, *OPTIONAL}


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
