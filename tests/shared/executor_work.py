"""What tests have executors do: count files, and bound and check all words by a head."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from partcover import (
    HeadAndTail,
    Instance,
    WordCounts,
    check_certificate,
    greedtok,
    lower_bound,
)
from partcover.corpus.counting import count_files, counts_part
from partcover.verification.recount import recount


def texts(folder):
    """Writes texts into a folder, which are cut into many shards from now on."""
    count_files.SHARD = count_files.LEAST = 500
    counts_part.PART = 1000
    random = np.random.default_rng(3)
    stems = ["".join(random.choice(list("abcdefgh"), 3)) for _ in range(40)]
    for number in range(8):
        rows = np.minimum(random.zipf(1.4, (400, 3)) - 1, 39).tolist()
        text = " ".join("".join(stems[place] for place in row) for row in rows)
        Path(folder, f"{number}.txt").write_text(text)


def counted(folder, executor):
    """Returns what is counted and proven of the texts; an executor makes no difference."""
    path = Path(folder, "none.tsv" if executor is None else "some.tsv")
    words = WordCounts.from_files(
        [Path(folder, f"{number}.txt") for number in range(8)],
        pretokenizer="gpt2",
        executor=executor,
        scratch=folder,
    )
    words.save(path)
    workers = {"executor": executor, "scratch": folder}
    instance = Instance(HeadAndTail.load(path, 100, **workers), 20)
    bound = lower_bound(instance, iterations=8)
    check = check_certificate(instance, bound.certificate)
    vocabulary = greedtok(instance.alone).vocabulary
    return {
        "words": path.read_text(),
        "certificate": bound.certificate.to_json(),
        "tokens": recount(instance, vocabulary)[0],
        "checked": [check.ok, check.lower_bound],
    }
