"""The readers that are tried on changed files: each reads a file, or refuses it in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from partcover import (
    Certificate,
    Corpora,
    Encoder,
    GroupBudget,
    Instance,
    MergeCondition,
    Vocabulary,
    WordCounts,
    check_certificate,
)
from partcover.cli.inputs import read_group, read_tokens
from partcover.corpus.counting.counts_part import parts_of
from partcover.corpus.counting.head_and_tail import HeadAndTail
from partcover.corpus.counting.runs import is_whole, read_run
from partcover.corpus.files.tsv import read_table
from partcover.corpus.symbols import SYMBOLS
from partcover.encoding.id_files import read_ids
from partcover.errors import PartcoverError
from partcover.exact.formulations.build import build
from partcover.exact.model_files import check_model, read_head, read_solution
from partcover.hardness.cnf import read_formula
from partcover.hardness.graphs import read_graph
from partcover.heuristics.greedy import greedtok
from partcover.instances.records import record
from partcover.instances.submissions import judge
from partcover.interop.registry import FORMATS
from partcover.report.runs import read_runs

SEEDS = Path(__file__).parent / "seeds"
WORDS = {"banana": 2, "bandana": 1, "ana": 3}
_SOME = ((b"a", b"n"), (b"an", b"a"), (b"b", b"an"))
#: Conditions that certificates of merges are about, and the fewest tokens that each allows.
MERGES = {
    MergeCondition(): 13,
    MergeCondition(whole_words=True, characters=True): 10,
    MergeCondition((*_SOME[:2], (b"n", b"a"), _SOME[2])): 13,
    MergeCondition(_SOME, characters=True): 13,
    MergeCondition(((b"n", b"a"), (b"a", b"n"), (b"a", b"na"), *_SOME[1:]), rule="merges"): 13,
}


@cache
def instance() -> Instance:
    """The instance that certificates and solutions are about."""
    return Instance(WORDS, 2)


def each(*calls: Callable[[], Any]) -> None:
    """Makes calls of which any may refuse."""
    for call in calls:
        try:
            call()
        except PartcoverError:
            continue


def counts(path: Path) -> None:
    """Reads counted words over each alphabet, in blocks, and those of the largest counts."""
    each(
        lambda: WordCounts.load(path),
        *(lambda s=s: WordCounts.load(path, s) for s in SYMBOLS),
        lambda: [list(part.blocks()) for part in parts_of(path)],
        lambda: HeadAndTail.load(path, 1),
    )


@cache
def limited() -> Instance:
    """The same words with conditions, whose groups a certificate may have multipliers for."""
    groups = [GroupBudget("short", 1, max_length=3), GroupBudget("one", 0, tokens=[b"nan"])]
    return Instance(WORDS, 2, groups=groups, required=["an"], forbidden=["band"])


def an_instance(path: Path) -> None:
    """Reads an instance and solves it greedily."""
    greedtok(Instance.load(path), time_limit=1)


def vocabulary(path: Path) -> None:
    """Reads a vocabulary and encodes by it."""
    _use(Vocabulary.load(path))


def tokenizer(path: Path) -> None:
    """Reads a vocabulary of another library and encodes by it."""
    form = path.stem if path.stem in FORMATS else None  # of files that are not recognised
    _use(Vocabulary.load(path, form))


def _use(read: Vocabulary) -> None:
    """Encodes texts and decodes them, one with the special tokens, one of few different bytes."""
    encoder = Encoder(read, read.pretokenizer or "gpt2")
    text = "The banana's bandana, café 日本\n"
    around = "".join(f" {name} an" for name in list(read.special)[:4])
    each(
        lambda: encoder.decode_bytes(encoder.encode(text)),
        lambda: encoder.decode(encoder.encode(text + around, special="parse")),
        lambda: encoder.decode_bytes(encoder.encode("banana")),
        lambda: encoder.encode_with_offsets(text),
    )


def certificate(path: Path) -> None:
    """Reads a certificate; none of a bound beyond the optimum is valid."""
    read = Certificate.load(path)
    for about, fewest in ((instance(), 10), (limited(), 13)):
        check = check_certificate(about, read)
        assert not check.ok or check.lower_bound <= fewest


def head_certificate(path: Path) -> None:
    """Reads a certificate of a head; none of a bound beyond the optimum is valid."""
    read = Certificate.load(path)
    words = HeadAndTail.of(instance().words, 2)
    check = check_certificate(Instance(words, instance().k), read)
    assert not check.ok or check.lower_bound <= 10  # the fewest tokens


def corpora_certificate(path: Path) -> None:
    """Reads a certificate for several corpora; none of a bound beyond the optimum is valid."""
    parts = [{"banana": 2}, {"bandana": 1, "ana": 3}]
    corpora = [WordCounts.from_counts(words) for words in parts]
    read = Certificate.load(path)
    check = check_certificate(Instance(Corpora(corpora, [4, 5]), 2), read)
    assert not check.ok or check.lower_bound <= Fraction(6, 5)  # the smallest ratio


def sorted_run(path: Path) -> None:
    """Reads a part of a count."""
    is_whole(path)
    for data, _, counts in read_run(path):
        assert len(data) >= 0 <= len(counts)


def merge_certificate(path: Path) -> None:
    """Reads a certificate of merges; none of a bound beyond the optimum is valid."""
    read = Certificate.load(path)
    for merges, fewest in MERGES.items():
        check = check_certificate(replace(instance(), merges=merges), read)
        assert not check.ok or check.lower_bound <= fewest


def solution(path: Path) -> None:
    """Reads a solver's solution of a model."""
    read_solution(build(instance()), path)


def model(path: Path) -> None:
    """Reads what a model file says of itself."""
    each(lambda: read_head(path), lambda: check_model(build(instance()), path))


def graph(path: Path) -> None:
    """Reads a graph in each format."""
    each(*(lambda form=form: read_graph(path, form) for form in ("edgelist", "dimacs", "pace")))


def text(path: Path) -> None:
    """Counts the words of a text file, whatever holds it."""
    WordCounts.from_files([path], pretokenizer="gpt2")


def ids(path: Path) -> None:
    """Reads ids and decodes them."""
    encoder = Encoder(Vocabulary(["ab", "abc"], "bytes"), "gpt2")
    for _, listed in read_ids(str(path), np.dtype("<u2")):
        encoder.decode_bytes(listed)


def tokens(path: Path) -> None:
    """Reads tokens one a line, a group of them, and their weights."""
    each(
        *(lambda s=s: read_tokens(str(path), s) for s in SYMBOLS),
        lambda: read_group(f"name=3:{path}", "bytes"),
        lambda: read_table(path, "bytes"),
    )


def runs(path: Path) -> None:
    """Reads a result that a report shows."""
    read_runs([path])


def a_record(path: Path) -> None:
    """Reads a record, and compares a vocabulary with it."""
    found = record(str(path))
    found.to_json()
    words = instance().words
    judge(replace(found, words_sha256=words.digest), words, 64, Vocabulary(["an"]))


#: What reads the seeds in the folder of each name.
TARGETS: dict[str, Callable[[Path], Any]] = {
    "certificate": certificate,
    "counts": counts,
    "formula": read_formula,
    "graph": graph,
    "head_certificate": head_certificate,
    "ids": ids,
    "instance": an_instance,
    "merge_certificate": merge_certificate,
    "corpora_certificate": corpora_certificate,
    "model": model,
    "record": a_record,
    "runs": runs,
    "solution": solution,
    "sorted_run": sorted_run,
    "text": text,
    "tokenizer": tokenizer,
    "tokens": tokens,
    "vocabulary": vocabulary,
}
