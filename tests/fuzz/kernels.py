"""Runs every kernel on random small input: `make sanitize` begins with it.

    python tests/fuzz/kernels.py --tries 300 --seed 0

Nothing is checked but that counts agree: a sanitizer ends the process where memory is misused.
"""

from __future__ import annotations

import argparse
import tempfile
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from partcover import (
    Corpora,
    Encoder,
    GroupBudget,
    Instance,
    MergeCondition,
    Vocabulary,
    WordCounts,
    check_certificate,
    extend,
    greedtok,
    greedwmc,
    improve,
    lower_bound,
    prune,
    segment,
    trainers,
    verify,
)
from partcover.bounds.branch_and_cut import branch_and_cut
from partcover.corpus.counting.head_and_tail import HeadAndTail
from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.corpus.pretokenizers.rules import PRETOKENIZER_RULES
from partcover.corpus.pretokenizers.steps.compiled_steps import CompiledSteps
from partcover.corpus.pretokenizers.steps.read import read_steps
from partcover.errors import InputError
from partcover.instances.worst_case import worst
from partcover.vocabulary.rules import SEGMENTATION_RULES

ALPHABETS = ("ab", "aaab", "abcdefgh", "\x00\x7f", "aé日\U0010ffff ", " the.\n1'", "a")
METHODS = (
    "bpe",
    "superbpe",
    "boundlessbpe",
    "unigram",
    "wordpiece",
    "pathpiece",
    "sage",
    "greedyphrase",
    "frequent",
)

SLOW = "(?:a|aa)+b"  # a pattern that compiled code gives up, and an encoder refuses after seconds


def main() -> None:
    """Makes as many tries as asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    draw = Random(arguments.seed)
    for _ in range(arguments.tries):
        attempt(draw)
    print(f"{arguments.tries:,} tries")


def attempt(draw: Random) -> None:
    """Takes a random text through counting, all methods, cutting and encoding."""
    alphabet = draw.choice(ALPHABETS)
    words = [
        "".join(draw.choices(alphabet, k=draw.choice([1, 2, 3, 7, 20, 70])))
        for _ in range(draw.choice([1, 2, 10, 30]))
    ]
    text = " ".join(draw.choices(words, k=2 * len(words)))
    phrases = ("gpt2+phrases:2", "space-prefix+phrases", "o200k+phrases:3")
    pretokenizer = draw.choice([*PRETOKENIZER_RULES, "space-prefix:▁+digit", *phrases])
    counts = WordCounts.from_texts([text], pretokenizer=pretokenizer)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c.tsv")
        counts.save(path)
        assert WordCounts.load(path).digest == counts.digest
    k = draw.choice([0, 1, 2, 5, 20, 300])
    limits: dict[str, Any] = (
        {} if draw.random() < 0.5 else {"max_length": draw.randrange(2, 9), "min_count": 2}
    )
    threads = draw.choice([1, 2])
    if k > 1 and draw.random() < 0.3:
        limits["groups"] = [GroupBudget("short", k // 2, max_length=2)]
    instance = Instance(counts, k, **limits)
    greedwmc(instance)
    solutions = [
        greedtok(instance),
        improve(instance, time_limit=0.2, threads=threads),
        branch_and_cut(instance, time_limit=0.2),
    ]
    for solution in solutions:
        assert verify(instance, solution.vocabulary, claim=solution).ok
        if solution.certificate is not None:
            assert check_certificate(instance, solution.certificate).ok
    half = Instance(HeadAndTail.of(counts, (len(counts) + 1) // 2), k)
    assert check_certificate(half, lower_bound(half, iterations=8).certificate).ok
    vocabularies = [solution.vocabulary for solution in solutions]
    for method in METHODS:
        try:
            vocabularies.append(trainers.TRAINERS[method].train(instance).vocabulary)
        except InputError:  # a method that has no answer for this
            continue
    for vocabulary in vocabularies:
        for rule in SEGMENTATION_RULES:
            try:
                segment(counts, vocabulary, rule, threads=threads)
                encoder = Encoder(vocabulary, pretokenizer, rule, threads=threads)
            except InputError:  # without merges or scores
                continue
            assert encoder.decode_bytes(encoder.encode(text)) == text.encode()
    encode_much(draw, draw.choice(vocabularies), pretokenizer, text)
    encode_by_sums(draw, text)
    normalize(draw, text)
    cut_by_steps(draw, text)
    other_sizes(draw, counts, k)
    adapt(draw, draw.choice(vocabularies), counts)
    if k < 20:
        bound_others(instance.with_k(k))


def encode_much(draw: Random, vocabulary: Vocabulary, pretokenizer: str, text: str) -> None:
    """Encodes a text of many parts, by threads, as bytes and with characters that are no text."""
    encoder = Encoder(vocabulary, pretokenizer, threads=2)
    much = (text + draw.choice(["\n", " \udcff", "日 \U0010ffff"])) * (1 + (1 << 19) // len(text))
    ids = encoder.encode(much)
    for how in ({}, {"dropout": 0.3}, {"alpha": 0.5}):
        try:
            encoder.sampling(seed=draw.randrange(9), **how).encode(text)
        except InputError:  # not of this rule
            continue
    assert len(ids) == len(encoder.encode_to_numpy(much))
    assert encoder.decode_bytes(ids) == much.encode("utf-8", "surrogateescape")


def encode_by_sums(draw: Random, text: str) -> None:
    """Encodes a text by scores that are added up over all of it."""
    scale = draw.choice([1.0, 300.0, 60_000.0])
    pieces = {text[at : at + draw.randrange(1, 9)] for at in draw.choices(range(len(text)), k=30)}
    tokens = sorted(piece for piece in pieces if len(piece.encode()) > 1)
    vocabulary = Vocabulary(
        tokens,
        rule="likelihood",
        sums=draw.choice(["text", "text32"]),
        scores=[scale * draw.choice([-1, -0.5, 0.1, -1 / 3]) for _ in tokens],
        pretokenizer=draw.choice(["none", "first-space"]),
    )
    encoder = Encoder(vocabulary, cache=draw.choice([0, 1000, 1 << 20]), threads=2)
    much = text * (1 + (1 << draw.choice([4, 17])) // len(text))
    assert encoder.decode_bytes(encoder.encode(much)) == much.encode()
    encoder.encode_batch([text, much, text])
    segment(WordCounts.from_counts({text: 1}), vocabulary)


def normalize(draw: Random, text: str) -> None:
    """Normalizes a text, and one that is no UTF-8, with maps of characters that lead anywhere."""
    labels = [*text.encode()[:20], 0]
    units = [
        draw.choice(labels)
        | draw.choice([0, 1 << 8, 1 << 9])
        | draw.randrange(300) << 10
        | draw.choice([0, 0, 1 << 31])
        for _ in range(draw.choice([0, 1, 300]))
    ]
    data = b"".join(unit.to_bytes(4, "little") for unit in units)
    map_ = b64encode(len(data).to_bytes(4, "little") + data + b"a\0\xff b\0").decode()
    flags = ("remove_extra_whitespaces", "escape_whitespaces", "treat_whitespace_as_suffix")
    own: dict[str, Any] = {flag: draw.random() < 0.5 for flag in flags}
    kept = [text[at : at + 3] for at in range(len(text))[: draw.choice([0, 1, 5])]]
    for step in (
        {"type": "SentencePiece", "precompiled_charsmap": map_, "user_defined": kept, **own},
        {"type": "Precompiled", "precompiled_charsmap": map_},
        {"type": "BertNormalizer"},
    ):
        normalizer = Normalizer(step)
        for given in (text, text + "e\u0301 \u0915\u094d\u0937\r\n\x01中"):
            new = normalizer.of_bytes(given.encode())
            assert new == normalizer.of_bytes(given.encode())
            assert normalizer.changes(given).text.encode() == new
        normalizer.of_bytes(text.encode() + b"\xe2\x96")


def cut_by_steps(draw: Random, text: str) -> None:
    """Cuts a text, and the bytes of one, by steps whose patterns are compiled."""
    pattern = draw.choice([r" ?\p{L}+|\d{1,2}(?!\d)", "(?:ab)+|[^a]", r"(?<=a)\s|.\b", SLOW])
    split = {"type": "Split", "pattern": {"Regex": pattern}, "invert": draw.random() < 0.5}
    split["behavior"] = draw.choice(["Isolated", "Removed", "MergedWithNext", "Contiguous"])
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}
    marking = draw.choice([metaspace, {"type": "BeginOfWord", "mark": "▁"}])
    steps = read_steps(
        {"type": "Sequence", "pretokenizers": [split, marking][: draw.choice([1, 2])]}
    )
    compiled = CompiledSteps.of(steps)
    assert compiled is not None
    for given in (text.encode(), text.encode() + b"\xe2\x96", b""):
        data = np.frombuffer(given, np.uint8)
        half = len(given) // 2
        compiled.cutter.cut(data, np.array([0, half, half, len(given)]))
        if not compiled.writes:
            compiled.cutter.marks(data, np.array([0, half, len(given)]))
            if pattern != SLOW:
                Encoder(Vocabulary(["ab"]), steps.name).encode(given)


def other_sizes(draw: Random, counts: WordCounts, k: int) -> None:
    """Does what only large instances ask for, and the search of tiny ones for the worst."""
    tokens = greedtok(Instance(counts, k)).tokens
    with patch("partcover.bounds.steps.word_ascent.MOST_HELD_ARCS", 0):
        lower_bound(Instance(counts, k), iterations=40, threads=draw.choice([1, 2]))
    with patch("partcover.problem.word_index.NARROW_POSITIONS", 0):
        assert greedtok(Instance(counts, k)).tokens == tokens
        greedwmc(Instance(counts, k))
    method = draw.choice(["greedtok", "greedwmc", "greedwmc-relaxed", "bpe"])
    worst(method, k=draw.choice([1, 2]), words=2, length=4, restarts=2, time_limit=0.2)


def adapt(draw: Random, base: Vocabulary, counts: WordCounts) -> None:
    """Adds tokens to a vocabulary, and keeps fewer of them."""
    try:
        extended = extend(base, counts, draw.choice([1, 3]), time_limit=0.2)
        assert extended.corpus.after >= (extended.lower_bound or 0)
        pruned = prune(base, counts, len(base) // 2, time_limit=0.2)
        assert pruned.tokens >= (pruned.lower_bound or 0)
    except InputError:  # a rule or a vocabulary that cannot be adapted
        return


def bound_others(instance: Instance) -> None:
    """Bounds vocabularies that merges make, and one for two corpora."""
    closed = replace(instance, merges=MergeCondition())
    merges = lower_bound(closed, time_limit=0.2)
    assert check_certificate(closed, merges.certificate).ok
    words = instance.words
    both = Instance(Corpora([words, words], [words.total_symbols] * 2), instance.k)
    solution = improve(both, time_limit=0.2)
    assert solution.lower_bound <= solution.worst


if __name__ == "__main__":
    main()
