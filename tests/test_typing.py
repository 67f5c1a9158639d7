"""Programs that use partcover pass a strict type checker, those of the documents first of all."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from shared.documents import blocks

import partcover

PACKAGE = Path(partcover.__file__).parent
ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "how-to" / "tokenizers" / "use.md"]

USES = """
from collections import Counter
from typing import assert_type

import numpy as np

from partcover import (
    Encoder,
    GroupBudget,
    Instance,
    Solution,
    Vocabulary,
    WordCounts,
    trainers,
    decide,
    greedtok,
    improve,
    segment,
    smallest,
    solve,
    verify,
)
from partcover.problem.solution import Result

words = WordCounts.from_counts(Counter(["the", "red"]))
WordCounts.from_words(word for word in ["the"])
WordCounts.from_texts(["the red"], pretokenizer=str.split)
Instance("C.tsv", k=3)
Instance({"the": 2}, k=3)
tokens = {"the", "red"}
instance = Instance(
    words, k=3, candidates=tokens, required=[b"the"], forbidden=(t for t in ["ed"]),
    groups=[GroupBudget("a", 1, ["the"])],
)
for solution in (
    greedtok(instance), solve(instance), improve(instance), solve(instance),
    decide(instance, 5)[1], trainers.bpe(instance),
):
    assert_type(solution, Solution)
    assert_type(solution.vocabulary, Vocabulary)
    assert_type(solution.tokens, int)
    assert_type(solution.cover, int)
    solution.vocabulary.save("v.json")
    improve(instance, warm_start=solution)
result = smallest(instance, 5)
assert_type(result, Result)
assert_type(result.vocabulary, Vocabulary | None)
vocabulary = Vocabulary(iter(["the"]), ids=range(257), special=["<s>"])
assert_type(vocabulary[0], bytes | str | tuple[int, ...])
assert_type(vocabulary[:2], tuple[bytes | str | tuple[int, ...], ...])
assert_type("the" in vocabulary, bool)
segment(words, vocabulary, "longest_match")
verify(instance, vocabulary, claim=solve(instance))
encoder = Encoder(vocabulary, lambda text: [text], threads=2)
assert_type(encoder.decode(np.array([1, 2])), str)
assert_type(encoder.decode(range(2)), str)
"""

MISTAKES = """
from partcover import Instance, WordCounts, greedtok, smallest, solve

words = WordCounts.from_words(["the"])
solve(words)  # no instance
solve(Instance(words, k=1), time_limit="10")  # no number
smallest(Instance(words, k=1), 1).vocabulary.save("v.json")  # perhaps None
greedtok(Instance(words, k=1), seeds=1)  # no such argument
"""


def strictly(code, tmp_path, cache):
    """What mypy says of a program outside the repository, with the package as it is installed.

    Of what it read before, and has not changed, mypy finds in `cache` what it needs.
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(code))
    environment = dict(os.environ)
    environment.pop("MYPYPATH", None)
    if "site-packages" not in PACKAGE.parts:  # an import hook, which mypy does not see
        environment["MYPYPATH"] = str(PACKAGE.parent)
        config = "[mypy]\nstrict = True\n[mypy-partcover.*]\nfollow_imports = silent\n"
        (tmp_path / "mypy.ini").write_text(config)
    options = ["--strict", "--no-error-summary", "--cache-dir", cache]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "program.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    return done.stdout.splitlines()


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.long
def test_programs_pass_a_strict_type_checker(tmp_path, pytestconfig):
    """One run for all, since most of its time goes to reading the package."""
    pytest.importorskip("mypy")
    found = [
        block.text for path in DOCUMENTS for block in blocks(path) if block.language == "python"
    ]
    assert len(found) >= 3
    shown = "\n".join(found)
    (tmp_path / "uses.py").write_text(USES)
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    kept = getattr(pytestconfig, "cache", None)  # none with -p no:cacheprovider
    cache = kept.mkdir("mypy") if kept else tmp_path / "cache"
    said = strictly(f"import mistakes\nimport uses\n{shown}", tmp_path, cache)
    assert [line for line in said if not line.startswith("mistakes.py")] == []
    places = [int(line.split(":")[1]) for line in said if "error" in line]
    assert places == [5, 6, 7, 8]
