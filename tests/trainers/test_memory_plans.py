"""The memory that trainers take, against what is planned; and what does not fit."""

from __future__ import annotations

import json
import sys
from collections import Counter

import numpy as np
import pytest
from shared.peak import planned_and_peak

from partcover import InputError, Instance, WordCounts
from partcover.trainers import TRAINERS

RUN = """
import json
from partcover.problem.memory_plan import memory_plan
from partcover.trainers import TRAINERS

trainer, k, options = TRAINERS[sys.argv[1]], int(sys.argv[2]), json.loads(sys.argv[3])
trainer.run(Instance(words, k), **options)
need = memory_plan(Instance(words, k), trainer.work_of(options)).need
"""
PLANNED = [name for name, trainer in TRAINERS.items() if trainer.work is not None]


def words_of_kind(kind):
    random = np.random.default_rng(1)
    if kind == "enormous":
        draw = random.integers(97, 123, (8, 25_000)).astype(np.uint8)
        return WordCounts.from_words([row.tobytes() for row in draw])
    if kind == "integers":
        rows = 10**9 * random.integers(0, 1000, (30_000, 16))
        return WordCounts.from_counts({tuple(row): 1 for row in rows.tolist()}, "ints")
    if kind == "distinct":
        rows = 10**9 * np.arange(480_000).reshape(-1, 16)
        return WordCounts.from_counts({tuple(row): 1 for row in rows.tolist()}, "ints")
    if kind == "characters":
        rows = 0x4E00 + random.integers(0, 9000, (30_000, 16))
        return WordCounts.from_counts({"".join(map(chr, row)): 1 for row in rows.tolist()}, "chars")
    least, most, number = (1, 25, 9_000) if kind == "long" else (2, 5, 30_000)
    how, space = ("gpt2+phrases:4", " ") if kind == "phrases" else (None, "")
    letters, sizes = list("etaoinshrdlu"), random.integers(2, 6, 3000).tolist()
    parts = [space + "".join(random.choice(letters, size)) for size in sizes]
    sizes = random.integers(least, most, number).tolist()
    rows = [np.minimum(random.zipf(1.3, size) - 1, 2999).tolist() for size in sizes]
    words = ["".join(parts[i] for i in row) for row in rows]
    return WordCounts.from_counts(Counter(words), pretokenizer=how)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="no peak memory")
@pytest.mark.parametrize(
    ("method", "kind", "k", "options"),
    [
        ("unigram", "words", 500, {}),
        ("unigram", "long", 500, {}),
        ("unigram", "enormous", 50, {}),
        ("pathpiece", "words", 5_000, {}),
        ("pathpiece", "long", 5_000, {}),
        ("unigram", "words", 500, {"seed_size": 9_000, "max_length": 6}),
        ("pathpiece", "words", 500, {"initial_size": 9_000, "max_length": 6}),
        ("superbpe", "phrases", 500, {}),
        ("boundlessbpe", "phrases", 500, {}),
        ("greedyphrase", "words", 500, {}),
        ("greedyphrase", "phrases", 5_000, {}),
        ("randtrain", "words", 500, {}),
        ("frequent", "words", 5_000, {}),
        ("frequent", "enormous", 50, {}),
        ("bytes", "long", 0, {}),
        ("frequent", "integers", 5_000, {}),
        ("frequent", "distinct", 500, {}),
        ("frequent", "characters", 30_000, {}),
        ("greedyphrase", "integers", 500, {}),
        ("greedyphrase", "characters", 500, {}),
        ("unigram", "integers", 500, {}),
        ("bpe", "distinct", 500, {}),
        ("wordpiece", "distinct", 500, {}),
        ("wordpiece", "integers", 500, {}),
    ],
    ids=str,
)
def test_a_run_takes_between_half_of_the_plan_and_all_of_it(method, kind, k, options):
    need, peak = planned_and_peak(RUN, words_of_kind(kind), method, k, json.dumps(options))
    assert need / 2 <= peak <= need


def test_all_but_those_of_other_libraries_have_a_plan():
    assert {*TRAINERS} - {*PLANNED} == {"sage", "unigram_sentencepiece"}


@pytest.mark.parametrize("method", PLANNED)
def test_what_does_not_fit_is_refused_at_once(method, monkeypatch):
    monkeypatch.setattr("partcover.problem.memory_plan.available_memory", lambda: 2**12)
    monkeypatch.setattr("partcover.problem.memory_plan.SMALL", 0)
    words = {f"{n * n}x{n}": 1 + n % 7 for n in range(2000)}
    with pytest.raises(InputError, match=r"^this needs about .* are available: "):
        TRAINERS[method].train(Instance(words, 5))
