"""The kernels need no interpreter lock, and threads that share what they read agree."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from shared.at_once import THREADS, at_once
from shared.generated_text import generated_words
from shared.strategies import random_instance

import partcover
from partcover import Instance, Vocabulary, WordCounts, greedtok, improve, lower_bound, segment
from partcover.corpus.pretokenizers.character_kinds import character_kinds
from partcover.kernels.steps._word_steps import WordSteps
from partcover.kernels.words import _word_ends
from partcover.kernels.words._word_table import WordTable

KERNELS = Path(partcover.__file__).parent / "kernels"
IMPORT_ALL = """
import importlib, pkgutil, sys
import partcover
for module in pkgutil.walk_packages(partcover.__path__, "partcover."):
    if module.name.startswith("partcover.kernels.") or module.name.count(".") == 1:
        importlib.import_module(module.name)
        print(module.name)
for name in partcover.__all__:
    getattr(partcover, name)
print(getattr(sys, "_is_gil_enabled", lambda: True)())
"""


@pytest.mark.long
def test_no_kernel_asks_for_the_interpreter_lock():
    """Where Python can do without, it still does when all kernels are imported."""
    run = [sys.executable, "-W", "error", "-c", IMPORT_ALL]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    *names, locked = done.stdout.split()
    kernels = {f"partcover.kernels.{p.parent.name}.{p.stem}" for p in KERNELS.glob("*/_*.pyi")}
    assert kernels
    assert kernels <= set(names)
    assert locked == str(not sysconfig.get_config_var("Py_GIL_DISABLED"))


def test_words_of_one_text():
    text = b" the cat's 12 mats \xc3\xa9\xe4\xb8\xad" * 300
    kinds = character_kinds()

    def counted(mode):
        table, other = WordTable(), WordTable()
        table.add_words_of(text, mode, kinds)
        other.merge(table)
        words = [array.tolist() for array in other.export(True)]
        return words, _word_ends.word_ends(text, mode, kinds)

    alone = counted(_word_ends.GPT2)
    assert at_once(lambda _: counted(_word_ends.GPT2)) == [alone] * THREADS


def test_shards_of_steps():
    shards, rounds = 4 * THREADS, 100
    instance = random_instance(5, 8)
    words, index = instance.words, instance.index
    order = np.argsort(index.intervals.lo - index.intervals.hi, kind="stable")
    lo, hi, length = (np.asarray(part, np.int32)[order] for part in index.intervals)
    x = np.full(len(lo), 0.5)

    def stepped(do):
        arrays = np.asarray(index.sa, np.int32), index.word_of, lo, hi, length
        prices = np.zeros((3, len(words.data)))
        borders = np.ones(len(lo), np.uint8)
        steps = WordSteps(words.offsets, words.counts, *arrays, borders, prices, shards)
        steps.start(np.zeros(len(words.data), np.int32), np.zeros(len(words.data) + 1), x)
        told = np.zeros((shards, len(lo)))

        def work(number):
            for _ in range(rounds):
                for shard in range(number, shards, THREADS):
                    steps.step(shard, 1.0, 0.8, x, told[shard], np.zeros(2))

        do(work)
        return told.tolist(), steps.price.tolist(), [part.tolist() for part in steps.used()]

    alone = stepped(lambda work: [*map(work, range(THREADS))])
    assert any(alone[2][2])
    assert stepped(at_once) == alone


def test_one_instance_and_its_words():
    def told(instance):
        counts = instance.words
        solution = greedtok(instance, threads=2)
        cut = segment(counts, solution.vocabulary, threads=2)
        bound = lower_bound(instance, iterations=3, threads=2)
        return [
            list(solution.vocabulary),
            (cut.tokens, cut.pieces.tolist()),
            (counts.digest, counts.total_symbols, counts.to_dict()),
            len(instance.index),
            bound.lower_bound,
        ]

    def made():
        return Instance(generated_words(60), 8)

    alone, shared = told(made()), made()
    assert at_once(lambda _: told(shared)) == [alone] * THREADS


def test_proven_optima_of_one_instance():
    words = WordCounts.from_counts({"banana": 2, "bandana": 1, "nanny": 3})
    shared = Instance(words, 3)
    found = at_once(lambda _: improve(shared, threads=2))
    assert {(f.tokens, f.lower_bound) for f in found} == {(found[0].tokens, found[0].lower_bound)}
    assert isinstance(found[0].vocabulary, Vocabulary)
    alone = improve(Instance(words, 3))
    assert (alone.tokens, alone.lower_bound) == (found[0].tokens, found[0].lower_bound)
