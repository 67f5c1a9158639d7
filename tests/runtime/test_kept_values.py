"""Arrays and mappings that an object keeps cannot be changed through what it hands out."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

from partcover import (
    Corpora,
    HeadAndTail,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    lower_bound,
    prune,
    relax,
    segment,
)
from partcover.analysis.inspection import inspect_vocabulary
from partcover.problem.certificates.tail import TailTerm
from partcover.vocabulary.decoding import Decoding

COUNTS = {"banana": 2, "bandana": 1, "ananas": 3, "band": 2}
WORDS = WordCounts.from_counts(COUNTS)
CORPORA = Corpora([WORDS, WordCounts.from_counts({"and": 1})], [2, 1])
VOCABULARY = Vocabulary(["an", "ana", "ban"])


def arrays_in(value: object, place: str, seen: set[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Yields the kept arrays that public attributes lead to, with the attributes on the way."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield place, value
    elif type(value) is tuple:
        for number, part in enumerate(value):
            yield from arrays_in(part, f"{place}[{number}]", seen)
    elif type(value).__module__.startswith("partcover."):
        methods = {name for name in dir(value) if callable(getattr(type(value), name, None))}
        for name in {*dir(value)}.difference(methods):
            with suppress(InputError):  # properties that only other instances have
                part = None if name.startswith("_") else getattr(value, name)
                if not isinstance(part, np.ndarray) or np.shares_memory(part, getattr(value, name)):
                    yield from arrays_in(part, f"{place}.{name}", seen)


HOLDERS = {
    "words": lambda: WORDS,
    "words of characters": lambda: WordCounts.from_counts(COUNTS, "chars"),
    "index": lambda: Instance(WORDS, 2).index,
    "index of a list": lambda: Instance(WORDS, 2, candidates=["an", "ana", "band"]).index,
    "index with other counts": lambda: Instance(WORDS, 2).index.with_counts(WORDS),
    "index of some": lambda: Instance(WORDS, 2).candidate_index(dominated=False, most=2).held(3),
    "corpora": lambda: CORPORA,
    "bound": lambda: lower_bound(Instance(WORDS, 2), incumbent=20),
    "bound of corpora": lambda: lower_bound(Instance(CORPORA, 2)),
    "relaxation": lambda: relax(Instance(WORDS, 2)),
    "inspection": lambda: inspect_vocabulary(VOCABULARY, WORDS),
    "adaptation": lambda: prune(VOCABULARY, WORDS, 2),
    "shortest path": lambda: segment(WORDS, VOCABULARY),
    "merges": lambda: segment(WORDS, VOCABULARY, "merges"),
    "numbers": lambda: segment(
        WordCounts.from_counts({(1, 2, 3): 1}, "ints"), Vocabulary([(1, 2)], "ints")
    ),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_arrays_that_are_kept_are_read_only(name):
    found = dict(arrays_in(HOLDERS[name](), name, set()))
    assert found
    assert not [place for place, array in found.items() if array.flags.writeable]


def test_a_segmentation_cannot_be_changed_through_its_buffer():
    segmentation = segment(WORDS, VOCABULARY)
    with pytest.raises(TypeError, match="read-only"):
        segmentation.cut[0] = 7


def test_copies_of_a_bound_are_read_only():
    bound = lower_bound(Instance(COUNTS, 2), incumbent=20)
    for other in (copy.copy(bound), copy.deepcopy(bound), pickle.loads(pickle.dumps(bound))):
        assert not other.x.flags.writeable
        assert other.x.tolist() == bound.x.tolist()


def test_what_only_the_caller_holds_can_be_changed():
    index = Instance(COUNTS, 2).index
    found = index.find_tokens([b"an", b"ban"])
    assert found.lo.flags.writeable
    assert index.numbers(found).flags.writeable
    assert index.weight_of(found).flags.writeable


def special_vocabulary():
    return Vocabulary(
        ["ab", "abc"],
        special={"<s>": 900},
        special_flags={"<s>": ["lstrip"]},
        decode_only={901: b"x"},
        scores=[-1, -2],
        symbol_scores={"a": -3},
        provenance={"seconds": 1},
    )


MAPPINGS = ("special", "special_flags", "decode_only", "symbol_scores", "provenance")


@pytest.mark.parametrize("name", MAPPINGS)
def test_mappings_of_a_vocabulary_are_read_only(name):
    given = special_vocabulary()
    others = [given.with_(provenance={"seconds": 2}), given.with_(method="other")]
    others += [copy.copy(given), copy.deepcopy(given), pickle.loads(pickle.dumps(given))]
    for vocabulary in (given, *others):
        mapping = getattr(vocabulary, name)
        content = dict(mapping)
        assert content
        for change in (
            lambda kept=mapping: kept.update({}),
            lambda kept=mapping: kept.clear(),
            lambda kept=mapping: kept.pop(next(iter(kept))),
        ):
            with pytest.raises(AttributeError):
                change()
        with pytest.raises(TypeError):
            mapping[next(iter(mapping))] = 7
        assert mapping == content
    assert others[2:] == [given] * 3
    assert Vocabulary.from_json(given.to_json()) == given


def test_what_ids_decode_to_is_read_only():
    shown = {"<s>": "S"}
    given = Decoding(shown=shown)
    shown["<s>"] = "T"
    for decoding in (given, copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
        with pytest.raises(TypeError):
            decoding.shown["<s>"] = "T"
        assert decoding == given
        assert decoding.to_json() == {"shown": {"<s>": "S"}}


@pytest.mark.parametrize(
    ("kept", "name"),
    [
        (Vocabulary(["ab"], provenance={"remarks": ["one"]}), "provenance"),
        (Instance(COUNTS, 2, source={"remarks": ["one"]}), "source"),
    ],
)
def test_a_json_object_shares_nothing_with_what_it_was_made_of(kept, name):
    kept.to_json()[name]["remarks"].append("two")
    assert getattr(kept, name) == {"remarks": ["one"]}


def test_mappings_of_an_instance_and_a_proof_are_read_only():
    instance = Instance(COUNTS, 2, max_length=3, source={"from": "here"})
    instance.policy["max_length"] = 9
    assert instance.policy["max_length"] == 3
    for other in (instance, instance.with_k(1), pickle.loads(pickle.dumps(instance))):
        with pytest.raises(TypeError):
            other.source["from"] = "there"
        assert other.to_json()["source"] == {"from": "here"}
    given = {b"an": 1}
    term = TailTerm(1, 2, 3, "", given, 0, 1)
    given[b"an"] = 2
    for other in (term, pickle.loads(pickle.dumps(term)), copy.deepcopy(term)):
        with pytest.raises(TypeError):
            other.token_multipliers[b"an"] = 3
        assert other.to_json()["token_multipliers"] == [["an", 1]]
    proof = lower_bound(Instance(HeadAndTail.of(WORDS, 2), 1)).certificate
    assert pickle.loads(pickle.dumps(proof)).to_json() == proof.to_json()
