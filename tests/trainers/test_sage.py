"""SaGe's own package, where it is installed; the way there and back, where it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from partcover import InputError, Instance, Vocabulary, WordCounts
from partcover.runtime.processes import children
from partcover.trainers import bpe, sage

WORDS = WordCounts.from_counts(
    {b"the cat sat": 6, b"the cats sat": 4, b"a mat, the mat": 5, b"that hat": 3, b"\xff\xfe": 1}
)
PEERS = str(Path(__file__).parents[2] / ".venv-peers/bin/python")  # by `make peers`


@pytest.fixture
def package(monkeypatch):
    """A stand-in for the process of the package: keeps the last tokens of the start."""
    seen = {}

    def run(command, *, cwd, env, timeout, **_):
        if cwd is None:  # is the package there?
            return subprocess.CompletedProcess(command, 0, "", "")
        folder = Path(cwd)
        seen["lines"] = (folder / "corpus.txt").read_text("utf-8").splitlines()
        seen["start"] = (folder / "start.vocab").read_text().split()
        seen["options"] = (folder / "options.json").read_text()
        seen["env"] = env
        if seen.get("late"):
            raise subprocess.TimeoutExpired(command, timeout)
        if seen.get("fails"):
            return subprocess.CompletedProcess(command, 1, "", "Traceback\nIndexError: list\n")
        k = int(seen["keep"])
        (folder / "results/run/sage_vocabs").mkdir(parents=True)
        kept = seen["start"][:256] + seen["start"][-k:]
        path = folder / f"results/run/sage_vocabs/active_vocab_{256 + k}.vocab"
        path.write_text("".join(f"{line}\n" for line in kept))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(children, "run", run)
    return seen


def test_a_python_without_the_package_is_one_line(tmp_path):
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    with pytest.raises(InputError, match=r"needs 'sage-tokenizer', which .*bare does not have"):
        sage(Instance(WORDS, 3), python=bare)
    with pytest.raises(InputError, match=r"none: cannot be run \(No such file"):
        sage(Instance(WORDS, 3), python=tmp_path / "none")


def test_words_are_lines_and_what_is_kept_comes_back(package):
    package["keep"] = 3
    solution = sage(Instance(WORDS, 3), seed=7)
    start = bpe(Instance(WORDS, 12)).vocabulary
    assert package["start"] == [f"{b:02x}" for b in range(256)] + [t.hex() for t in start]
    assert sorted(package["lines"]) == sorted(
        word.decode() for word, count in WORDS for _ in range(count) if word != b"\xff\xfe"
    )
    assert solution.vocabulary.tokens == start.tokens[-3:]
    assert (solution.method, solution.rule) == ("sage", "longest_match")
    assert solution.extra["contexts"] == "words"
    assert solution.extra["left_out"] == 1
    assert package["env"]["PYTHONHASHSEED"] == "0"
    assert '"seed": 7' in package["options"]
    assert '"schedule": [268, 264, 262, 260, 259]' in package["options"]


def test_a_text_is_taken_as_it_is_and_a_start_as_it_is_given(package, tmp_path):
    package["keep"] = 1
    (tmp_path / "text.txt").write_text("ein Satz\nnoch é\n", encoding="utf-8")
    start = Vocabulary([b"th", b"at", b"cat"])
    start.save(tmp_path / "start.json")
    for given in (start, tmp_path / "start.json"):
        solution = sage(Instance(WORDS, 1), text=tmp_path / "text.txt", start=given, rounds=2)
    assert package["lines"] == ["ein Satz", "noch é"]
    assert '"schedule": [259, 258, 257]' in package["options"]
    assert solution.vocabulary.tokens == (b"cat",)
    assert solution.extra["contexts"] == "text"


def test_of_many_words_each_has_its_part_of_the_lines(package):
    package["keep"] = 2
    words = WordCounts.from_counts({b"abab": 10**12, b"baba": 3 * 10**12, b"aa": 5})
    solution = sage(Instance(words, 2), lines=8)
    assert sorted(package["lines"]) == ["abab"] + ["baba"] * 5
    assert solution.extra["left_out"] == 1


def test_a_limit_leaves_the_start(package):
    package["late"] = True
    solution = sage(Instance(WORDS, 3), time_limit=5.0)
    assert solution.termination == "time_limit"
    assert solution.vocabulary.tokens == bpe(Instance(WORDS, 3)).vocabulary.tokens


def test_words_with_too_few_tokens_give_what_there_is(package):
    words = WordCounts.from_counts({b"abab": 3, b"ba": 2})
    solution = sage(Instance(words, 50))
    assert solution.vocabulary.tokens == bpe(Instance(words, 50)).vocabulary.tokens
    assert solution.extra["nothing_left_to_gain"]
    solution = sage(Instance(words, 1), time_limit=0.0)  # before there is a start
    assert (solution.termination, len(solution.vocabulary)) == ("time_limit", 0)
    assert "options" not in package


def test_what_goes_wrong_is_one_line(package, tmp_path):
    package["fails"] = True
    with pytest.raises(InputError, match=r"sage_tokenizer failed \(IndexError: list\)"):
        sage(Instance(WORDS, 3))
    for options, message in (
        ({"text": tmp_path / "none.txt"}, "none.txt: cannot be read"),
        ({"start": Vocabulary([b"th"])}, "the start has 1 tokens, and 3 are to remain: sage"),
        ({"start": Vocabulary(["th"], "chars")}, "the start is over chars"),
        ({"times": 1.0}, "times is 1.0"),
        ({"rounds": 0}, "rounds 0"),
    ):
        with pytest.raises(InputError, match=message):
            sage(Instance(WORDS, 3), **options)
    with pytest.raises(InputError, match="sage needs words over bytes"):
        sage(Instance(WordCounts.from_counts({"ab": 1}, "chars"), 1))
    with pytest.raises(InputError, match="sage does not support min_count"):
        sage(Instance(WORDS, 3, min_count=2))
    with pytest.raises(InputError, match="sage does not support required"):
        sage(Instance(WORDS, 3, required=[b"th"]))
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"bad.txt: not UTF-8"):
        sage(Instance(WORDS, 3), text=tmp_path / "bad.txt")
    with pytest.raises(InputError, match="sage has no words to use: all 1"):
        sage(Instance(WordCounts.from_counts({b"\xff\xfe\xff\xfe": 2}), 1))


@pytest.mark.long
def test_the_package_itself():
    python = os.environ.get("SAGE_PYTHON", PEERS if Path(PEERS).exists() else sys.executable)
    command = [python, "-c", "import sage_tokenizer.SaGeVocabBuilder"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("sage-tokenizer is not installed: make peers, or name its Python: SAGE_PYTHON")
    options = {"python": python, "rounds": 1, "seed": 3}
    one, two = (sage(Instance(WORDS, 4), **options) for _ in range(2))
    assert len(one.vocabulary) == 4
    assert set(one.vocabulary) <= set(bpe(Instance(WORDS, 16)).vocabulary)
    assert one.vocabulary.tokens == two.vocabulary.tokens
    unused = Vocabulary([b"xx", b"yy", b"zz", b"ww", b"vv"])
    with pytest.raises(InputError, match="sage_tokenizer failed"):
        sage(Instance(WORDS, 4), start=unused, **options)
