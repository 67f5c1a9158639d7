"""SIGHUP in the middle of each long command, and `kill -9` where it writes: real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from cli.helpers import TEXT
from shared.generated_text import generated_words

from partcover import Instance, Vocabulary, WordCounts, trainers
from partcover.report.runs import read_runs

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

# the process sends itself a signal when so many reports of its progress of a kind have come
AT_WORK = """
import os, signal, sys
from partcover.runtime.progress import Progress
heard = 0
def hear(*_, **__):
    global heard
    heard += 1
    if heard == {after}:
        os.kill(os.getpid(), signal.SIGHUP)
Progress.{report} = hear
from partcover.__main__ import entry
entry()
"""
# it is killed where its file, written aside, is about to get its name
WHILE_WRITING = """
import os, pathlib, signal, sys
def killed(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
os.replace = os.rename = pathlib.Path.replace = pathlib.Path.rename = killed
from partcover.__main__ import entry
entry()
"""

# the command, what it writes, the report at which it is stopped, and whether it has a best then
COMMANDS = {
    "count": ("count texts --pretokenizer gpt2 -o", "out.tsv", "advance 1", False),
    "encode": ("encode bpe.json texts -o", "out.npy", "advance 3", False),
    "bpe": ("train words.tsv --method bpe -k 2000 -o", "out.json", "advance 2", True),
    "unigram": ("train words.tsv --method unigram -k 20 -o", "out.json", "advance 1", True),
    "extend": ("extend bpe.json texts -m 3 -o", "out.json", "event 1", True),
    "prune": ("prune bpe.json texts -k 2 -o", "out.json", "event 1", True),
    "solve": ("solve words.tsv -k 30 -o", "out.json", "event 3", True),
    "compare": ("compare words.tsv -k 20,40 -o", "out.json", "advance 2", True),
    "reproduce": ("reproduce all words.tsv -k 20,40 -o", "out.json", "stage 6", True),
}


@pytest.fixture
def folder(tmp_path):
    generated_words(300).save(tmp_path / "words.tsv")
    (tmp_path / "texts").mkdir()
    for number in range(4):
        (tmp_path / "texts" / f"{number}.txt").write_text(TEXT * 3)
    words = WordCounts.from_texts([TEXT], pretokenizer="gpt2")
    trainers.bpe(Instance(words, 6)).vocabulary.save(tmp_path / "bpe.json")
    return tmp_path


def started(folder, code, command, out):
    arguments = [sys.executable, "-c", code, *command.split(), out]
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=600)


def is_valid(path):
    """Whether a result can be read by what reads such results."""
    if path.suffix == ".npy":
        np.load(path)
    elif path.suffix == ".tsv":
        WordCounts.load(path)
    elif "tokens" in (data := json.loads(path.read_text())):
        Vocabulary.from_json(data)
    else:
        read_runs([path])
    return True


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_a_hangup(folder, name):
    command, out, at, has_best = COMMANDS[name]
    report, after = at.split()
    before = {path.name for path in folder.iterdir()}
    done = started(folder, AT_WORK.format(report=report, after=after), command, out)
    lines = done.stderr.splitlines()
    assert done.returncode == 130, done.stderr
    assert lines[0].startswith("partcover: stopping"), "it says at once that it heard"
    assert all(line.startswith("partcover: ") for line in lines)
    assert (folder / out).exists() == has_best
    assert not has_best or is_valid(folder / out)
    left = {path.name for path in folder.iterdir()} - before - {out}
    assert left <= {f"{out}.shards", f"{out}.part", f"{out}.part.json"}


@pytest.mark.long
@pytest.mark.parametrize("name", ["count", "encode", "prune"])
def test_killed_while_it_writes(folder, name):
    command, out, *_ = COMMANDS[name]
    (folder / out).write_text("what was there before")
    done = started(folder, WHILE_WRITING, command, out)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (folder / out).read_text() == "what was there before"


# what is at work when the signal comes ends as if it had finished
UNHEARD = """
import signal
from partcover import WordCounts
load = WordCounts.load
def unheard(*given):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        return load(*given)
WordCounts.load = unheard
from partcover.__main__ import entry
entry()
"""


@pytest.mark.long
def test_the_status_says_that_a_signal_came(folder):
    done = started(folder, UNHEARD, "greedtok words.tsv -k 2 -o", "out.json")
    assert done.returncode == 130, done.stderr
    assert is_valid(folder / "out.json")
