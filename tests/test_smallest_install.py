"""The smallest install, ``pip install partcover`` alone, is enough; what it lacks is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from shared.command_server import CAN_FORK, quick_command

TEXT = "the cat and the hat and the bat sat on the mat; the rat ran at the cat. " * 40


def needed(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """A distribution and those that it declares to need, without any extra."""
    if name not in found:
        found[name] = distribution(name)
        for line in found[name].requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                needed(requirement.name.lower(), found)
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder of packages with the declared ones and no others, as links."""
    folder = tmp_path_factory.mktemp("site")
    for one in needed("partcover", {}).values():
        for top in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            (folder / top).symlink_to(Path(str(one.locate_file(top))).absolute())
    return folder


@pytest.fixture
def light(site, tmp_path):
    """Run Python in an empty folder, with the packages of the smallest install alone."""
    (tmp_path / "topics.txt").write_text(TEXT)

    def call(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        code = f"import site, sys; site.addsitedir({os.fspath(site)!r})\n{code}"
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        return subprocess.run(
            [sys.executable, "-S", "-c", code, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
        )

    return call


@pytest.fixture(scope="module")
def command(site, tmp_path_factory):
    """A ``partcover`` that starts at once, with the packages of the smallest install alone."""
    with quick_command(tmp_path_factory.mktemp("command"), site) as folder:
        yield folder / "partcover"


@pytest.fixture
def slow_partcover(light):
    """Run the command with the packages of the smallest install: its status and output."""
    code = "from partcover.__main__ import entry; sys.argv[0] = 'partcover'; entry()"

    def call(line: str) -> tuple[int, str, str]:
        done = light(code, *line.split())
        return done.returncode, done.stdout, done.stderr

    return call


@pytest.fixture
def partcover(request, slow_partcover, tmp_path):
    """Run the command likewise, without waiting for its imports where that can be done."""
    if not CAN_FORK:
        return slow_partcover
    command = request.getfixturevalue("command")

    def call(line: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [command, *line.split()], capture_output=True, text=True, cwd=tmp_path
        )
        return done.returncode, done.stdout, done.stderr

    return call


def test_what_it_brings(light):
    names = "numpy ortools pulp networkx pandas matplotlib tokenizers transformers jinja2 psutil"
    code = "from importlib.util import find_spec; print(*filter(find_spec, sys.argv[1:]))"
    assert light(code, *names.split()).stdout == "numpy\n"


@pytest.mark.long
def test_a_command_is_imported_on_its_own(slow_partcover, tmp_path):
    for line in ("count topics.txt -o c.tsv", "solve c.tsv -k 3 -o v.json", "inspect v.json c.tsv"):
        status, out, error = slow_partcover(line)
        assert status == 0, f"{line}: {error}{out}"


@pytest.mark.long
def test_text_to_a_vocabulary_that_is_used_and_exported(partcover, tmp_path):
    for line in (
        "count topics.txt --pretokenizer gpt2 -o c.tsv",
        "greedtok c.tsv -k 5 -o v.json --quiet",
        "train c.tsv --method bpe -k 5 -o bpe.json --quiet",
        "improve c.tsv -k 5 -o better.json --write-certificate p.cert --time-limit 2 --quiet",
        "verify c.tsv -k 5 --vocab better.json --certificate p.cert",
        "solve c.tsv -k 5 -o best.json --write-certificate best.cert --quiet",
        "verify c.tsv -k 5 --vocab best.json --certificate best.cert",
        "score v.json c.tsv",
        "compare c.tsv -k 3,5 --methods greedtok,bpe,unigram,solve",
        "inspect v.json c.tsv",
        "encode v.json topics.txt -o ids.npy",
        "decode v.json ids.npy -o again.txt",
        "export best.json --to list -o tokens.txt",
        "export v.json --rule priority --to priority-class -o folder --corpus c.tsv",
        "import tokens.txt -o back.json",
        "solvers",
    ):
        status, out, error = partcover(line)
        assert status == 0, f"{line}: {error}{out}"
    assert (tmp_path / "again.txt").read_text() == TEXT
    status, out, _ = partcover("solve c.tsv -k 5 --json")
    answer = json.loads(out)
    assert (answer["status"], answer["solver"]) == ("optimal", "branch and cut")


@pytest.mark.long
def test_the_demo_says_what_its_last_part_needs(light):
    code = """
from partcover.cli.main import main
from partcover.studies import compare, demo
demo.compare = lambda instance, budgets, *rest, **options: compare.compare(instance, [9], ["bpe"])
demo.Instance = lambda words, k: compare.Instance(words.most_frequent(40), 4)
main(["demo", "--quiet"])
"""
    done = light(code)
    assert done.returncode == 0, done.stderr
    assert "confirmed by the independent check" in done.stdout
    assert "a vertex cover needs 'networkx', which is not installed: pip install" in done.stdout


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("solve c.tsv -k 3 --solver highs", "the solver highs needs 'ortools'|solvers"),
        ("solve c.tsv -k 3 --solver cbc", "the solver cbc needs 'pulp'|solvers"),
        ("formulations c.tsv -k 3", "the solver glop needs 'ortools'|solvers"),
        ("ratio c.tsv -k 3", "the solver glop needs 'ortools'|solvers"),
        ("reduce graph.txt -k 1", "a graph needs 'networkx'|graphs"),
        ("generate cycle 5", "a graph needs 'networkx'|graphs"),
        ("compare c.tsv -k 3 --plot a.svg", "a plot needs 'matplotlib'|plot"),
        ("export v.json --to huggingface -o h", "the format huggingface needs 'tokenizers'|hugg"),
        ("count c.parquet", "reading c.parquet needs 'pyarrow'|parquet"),
        ("count c.txt.zst", "reading c.txt.zst needs 'zstandard'|zstd"),
    ],
)
def test_what_is_missing_is_named_by_the_command_that_wants_it(partcover, tmp_path, line, what):
    (tmp_path / "c.tsv").write_text("hat\t2\ncat\t1\n")
    (tmp_path / "v.json").write_text(
        '{"tokens": ["at"], "symbols": "bytes", "pretokenizer": "gpt2"}'
    )
    (tmp_path / "graph.txt").write_text("a b\n")
    (tmp_path / "c.parquet").write_bytes(b"PAR1PAR1")
    (tmp_path / "c.txt.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    needs, _, extra = what.partition("|")
    status, _, error = partcover(line)
    assert status == 2
    assert f"{needs}, which is not installed: pip install 'partcover[{extra}" in error
    assert error.count("\n") == 1
