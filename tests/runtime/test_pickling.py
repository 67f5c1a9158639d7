"""Objects in other processes: pickled, copied, and pickled alike."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from partcover import (
    Encoder,
    GroupBudget,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    check_certificate,
    greedtok,
    lower_bound,
    segment,
    solve,
    trainers,
)
from partcover.kernels.search._local_search import State
from partcover.kernels.segmentation._segment import Segmenter
from partcover.studies.compare import compare

TEXT = "the red heart, the pearl; roé <s> the\xa0red\n\n the pearls"
WORDS = WordCounts.from_texts([TEXT] * 3, pretokenizer="gpt2")


def sentences(text):
    """A pre-tokenizer of one's own, that a pickle can name."""
    return [part + ";" for part in text.split(";")[:-1]] + [text.rpartition(";")[2]]


def encoders():
    instance = Instance(WORDS, 8)
    bpe = trainers.bpe(instance).vocabulary
    unigram = trainers.unigram(instance).vocabulary
    tokens = greedtok(instance).vocabulary.with_(special={"<s>": 7000})
    marked = Vocabulary(["Ġthe", "red"], pretokenizer="space-prefix")
    yield "shortest_path", Encoder(tokens, "gpt2")
    yield "large ids, own rule", Encoder(tokens.with_(special={"<s>": 70000}), "o200k", "priority")
    yield "merges", Encoder(bpe, threads=2, cache=0)
    yield "likelihood", Encoder(unigram, "cl100k+digit")
    yield "random_path", Encoder(tokens, "gpt2", "random_path", seed=5)
    yield "mark", Encoder(marked)
    yield "function", Encoder(tokens, sentences)
    yield "dropout", Encoder(bpe).sampling(seed=3, dropout=0.5)
    yield "alpha", Encoder(unigram).sampling(seed=2**64 + 3, alpha=0.3)


ENCODERS = dict(encoders())


def encoded(encoder):
    ids = encoder.encode(TEXT, special="parse")
    return ids, encoder.decode(ids), encoder.encode_batch([TEXT, "red heart"]), repr(encoder)


@pytest.mark.parametrize("name", ENCODERS)
def test_encoders_after_a_pickle_and_copies_give_the_same_ids(name):
    encoder = ENCODERS[name]
    expected = encoded(encoder)
    assert expected[1] == TEXT
    again = pickle.loads(pickle.dumps(encoder))
    for other in (
        again,
        copy.copy(encoder),
        copy.deepcopy(encoder),
        pickle.loads(pickle.dumps(again)),
    ):
        assert encoded(other) == expected
        assert other.vocabulary == encoder.vocabulary
        assert (other.threads, other.dtype) == (encoder.threads, encoder.dtype)
    if encoder.rule == "merges":
        one, two = (e.sampling(seed=9, dropout=0.3).encode(TEXT) for e in (encoder, again))
        assert one == two


@pytest.mark.parametrize("name", ENCODERS)
def test_encoders_pickle_alike_before_and_after_use(name):
    encoder = ENCODERS[name]
    first = pickle.dumps(encoder)
    encoder.encode(TEXT * 10)
    assert pickle.dumps(encoder) == first
    again = pickle.loads(first)
    assert pickle.dumps(again) == first
    again.encode(TEXT)
    assert pickle.dumps(again) == first


@pytest.mark.long
def test_equal_encoders_pickle_alike_in_processes_of_any_hash_seed(tmp_path):
    (tmp_path / "C.tsv").write_text("".join(f"w{i % 7}{i}\t{i + 1}\n" for i in range(40)))
    code = (
        "import hashlib, pickle, sys; from partcover import *;"
        "g = GroupBudget('g', 9, ['w1', 'w2', 'w3', 'w4', 'w5']);"
        "i = Instance('C.tsv', 9, groups=[g]); s = greedtok(i);"
        "e = Encoder(s.vocabulary.with_(special=['<s>']), 'gpt2'); e.encode('w12 w13');"
        "made = e, i, s.vocabulary, i.words;"
        "print([hashlib.sha256(pickle.dumps(o)).hexdigest() for o in made])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(said) == 1


@pytest.mark.long
def test_encoders_in_a_spawned_pool():
    names = ["shortest_path", "merges", "mark", "function", "dropout"]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        results = list(pool.map(encoded, [ENCODERS[name] for name in names]))
    assert results == [encoded(ENCODERS[name]) for name in names]


def test_a_copy_has_a_table_of_its_own():
    encoder = ENCODERS["shortest_path"]
    encoder.encode(TEXT)
    other = copy.copy(encoder)
    assert other.encode(TEXT) == encoder.encode(TEXT)
    one, two = (e.sampling(seed=1, alpha=1.0).encode(TEXT) for e in (encoder, other))
    assert one == two


def test_a_function_without_a_name_is_pickles_own_error():
    encoder = Encoder(ENCODERS["shortest_path"].vocabulary, lambda text: [text])
    assert encoder.decode(encoder.encode(TEXT)) == TEXT
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(encoder)
    assert encoded(copy.copy(encoder)) == encoded(encoder)


def test_a_pretokenizer_of_ones_own():
    vocabulary = Vocabulary(["the", "the red", "red", "; "])
    encoder = Encoder(vocabulary, sentences)
    assert encoder.pretokenizer == "sentences"
    assert encoder.decode(encoder.encode(TEXT)) == TEXT
    assert encoder.encode("a;the red") == [97, 59, 257]
    assert encoder.encode("; ") == [59, 32]  # cut between the two
    assert encoder.encode(b"\xff;the") == [255, 59, 256]
    for wrong in (str.split, lambda text: [text.upper()], lambda text: []):
        with pytest.raises(InputError, match="joined, are not the original text"):
            Encoder(vocabulary, wrong).encode("the red")
    counted = WordCounts.from_texts(["the red", "the  red\n"], pretokenizer=str.split)
    assert counted.to_dict() == {b"the": 2, b"red": 2}
    assert counted.pretokenizer is None
    chars = WordCounts.from_texts(["roé a"], pretokenizer=str.split, symbols="chars")
    assert chars.to_dict() == {"roé": 1, "a": 1}
    for wrong, line in (
        (len, "gives 7: it must give a list"),
        (str.upper, "gives 'THE RED': it must give a list of texts"),
        (str.encode, "gives b'the red': it must give a list of texts"),
        (lambda text: [text, 3], "gives 3 as a word: it must be text"),
        (lambda text: ["\ud800"], "gives a lone surrogate"),
    ):
        with pytest.raises(InputError, match=line):
            WordCounts.from_texts(["the red"], pretokenizer=wrong)


def test_files_are_counted_with_a_function(tmp_path):
    (tmp_path / "a.txt").write_text("the red\nthe")
    counted = WordCounts.from_files(tmp_path / "a.txt", pretokenizer=str.split, threads=2)
    assert counted.to_dict() == {b"the": 2, b"red": 1}


# -- everything else


def test_counts_instances_and_results():
    group = GroupBudget("short", 4, ["th", "he", "re"])
    instance = Instance(WORDS, 6, required=["the"], groups=[group], source={"a": [1]})
    first = Instance(WORDS, 3, protected=["pea"])
    assert len(instance.index)  # which is not part of the pickle
    solution = solve(Instance(WordCounts.from_words(["abab", "ab"]), 1))
    certificate = solution.certificate
    bound = lower_bound(first, iterations=3, incumbent=10**6)
    for one in (instance, first):
        other = pickle.loads(pickle.dumps(one))
        assert other.words == one.words
        assert other.words.pretokenizer == "gpt2"
        assert other.to_json() == one.to_json()
        assert greedtok(other).vocabulary == greedtok(one).vocabulary
        assert copy.deepcopy(one).to_json() == one.to_json()
        assert pickle.dumps(other) == pickle.dumps(one)
    again = pickle.loads(pickle.dumps(solution))
    assert again == solution
    proof = pickle.loads(pickle.dumps(certificate))
    assert proof.lower_bound == certificate.lower_bound
    assert check_certificate(Instance(WordCounts.from_words(["abab", "ab"]), 1), proof).ok
    other = pickle.loads(pickle.dumps(bound))
    assert other.to_json(tokens=True) == bound.to_json(tokens=True)
    assert np.array_equal(other.x, bound.x)
    assert check_certificate(first, other.certificate).lower_bound == bound.lower_bound
    words = pickle.loads(pickle.dumps(WORDS))
    assert not words.counts.flags.writeable
    assert segment(words, solution.vocabulary).tokens == segment(WORDS, solution.vocabulary).tokens
    compared = compare(Instance(WORDS, 3), [2], ["greedtok", "bytes"])
    assert pickle.loads(pickle.dumps(compared)).rows == compared.rows


@pytest.mark.parametrize(
    "vocabulary",
    [
        *(encoder.vocabulary for encoder in ENCODERS.values()),
        Vocabulary([(1, 2)], "ints"),
        Vocabulary(["roé", "a\\b"], "chars", provenance={"end_of_word": "é", "seconds": 0.1 + 0.2}),
        Vocabulary([b"\xff\xfe", "\x00\\"], special={"</s>": 9}, ids=[*range(10, 266), 2, 3]),
    ],
    ids=lambda vocabulary: vocabulary.method,
)
def test_vocabularies(vocabulary):
    for other in (pickle.loads(pickle.dumps(vocabulary)), copy.deepcopy(vocabulary)):
        assert other == vocabulary
        assert pickle.dumps(other) == pickle.dumps(vocabulary)
    assert Vocabulary.from_json(vocabulary.to_json()) == vocabulary


def test_what_a_kernel_holds_is_not_pickled():
    """A kernel's object is made anew from what Python holds, never copied without its memory."""
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(State.__new__(State))
    with pytest.raises(TypeError, match="cannot pickle"):
        copy.copy(Segmenter.__new__(Segmenter))
