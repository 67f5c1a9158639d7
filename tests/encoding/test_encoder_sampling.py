"""Ids drawn at random: by the seed alone, with the right probabilities."""

from __future__ import annotations

import pickle
from collections import Counter
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from encoding.cases import STRENGTHS, cases
from hypothesis import given
from hypothesis import strategies as st
from oracles import segmentation as segment_oracle
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary
from partcover.encoding import encoder, text_encoder, worker
from partcover.vocabulary.unknown import Unknown


@pytest.mark.long
@tries(200)
@given(cases(), st.integers(1, 9), st.integers(1, 9), st.integers(1, 3), st.integers(-3, 3))
def test_samples_decode_to_the_text_and_depend_on_the_seed_alone(
    case, section, part, threads, seed
):
    text, vocabulary, name, rule = case
    if rule not in STRENGTHS:
        rule = "merges"
    how = STRENGTHS[rule]
    ours = Encoder(vocabulary, name, rule)
    expected = ours.sampling(seed=seed, **how).encode(text)
    assert ours.decode_bytes(expected) == text
    texts = [text, b"", text[::-1], text]
    batch = ours.sampling(seed=seed, **how).encode_batch(texts)
    assert batch[0] == expected
    assert [ours.decode_bytes(ids) for ids in batch] == texts
    with pytest.MonkeyPatch.context() as patch:
        for module in (encoder, text_encoder, worker):
            patch.setattr(module, "SECTION", section, raising=False)
            patch.setattr(module, "PART", part, raising=False)
        drawn = Encoder(vocabulary, name, rule, threads=threads).sampling(seed=seed, **how)
        assert drawn.encode(text) == expected
        assert drawn.encode_with_offsets(text)[0] == expected
        assert drawn.encode_batch(texts) == batch


@pytest.mark.parametrize("rule", ["likelihood", "shortest_path"])
@pytest.mark.parametrize("alpha", [0, 0.1, 1])
def test_what_tokens_cover_is_never_drawn_as_unknown(rule, alpha):
    ids = [-1] * 256
    ids[ord("a")], ids[ord("b")] = 1, 2
    vocabulary = Vocabulary(
        ["é", "aé"], rule=rule, scores=[-9.0, -11.0], symbol_scores={"a": -1.0, "b": -2.0},
        ids=[*ids, 3, 4], special={"<unk>": 0}, unknown=Unknown("<unk>"), pretokenizer="none",
    )  # fmt: skip
    ours = Encoder(vocabulary)
    texts = ["aéb"] * 4000
    drawn = Counter(map(tuple, ours.sampling(seed=3, alpha=alpha).encode_batch(texts)))
    assert set(drawn) == {(1, 3, 2), (4, 2)}
    more = exp(alpha) if rule == "likelihood" else exp(-alpha)
    expected = 4000 * more / (1 + more)
    assert abs(drawn[1, 3, 2] - expected) < 5 * (expected * (1 - expected / 4000)) ** 0.5 + 1
    assert ours.sampling(seed=3, alpha=alpha).encode("aüb") == [1, 0, 2]


@pytest.mark.parametrize("dropout", [0.1, 0.5, 1])
def test_what_characters_cover_is_no_unknown_word(dropout):
    letters = "шкапё"
    tokens = [*letters, *(f"▁{c}" for c in letters), "ка", "▁шка"]
    vocabulary = Vocabulary(
        tokens, rule="longest_match", pretokenizer="space-prefix:▁",
        ids=[-1] * 256 + [*range(1, len(tokens) + 1)], special={"[UNK]": 0},
        unknown=Unknown("[UNK]", "word"),
    )  # fmt: skip
    drawn = Encoder(vocabulary).sampling(seed=1, dropout=dropout)
    text = " шкапка кашка ёшка пак" * 200
    ids = drawn.encode(text)
    assert 0 not in ids
    assert drawn.decode(ids) == text
    assert 0 in drawn.encode(" шкаф")


@pytest.mark.long
@pytest.mark.parametrize("name", ["space", "gpt2+digit", "space-prefix", "space-prefix+digit"])
@pytest.mark.parametrize("rule", STRENGTHS)
def test_each_occurrence_is_drawn_for_itself(rule, name):
    scores = {"scores": [-1.0, -2.0, -1.5], "symbol_scores": dict.fromkeys("abc ", -1.0)}
    vocabulary = Vocabulary(["ab", "bc", "abc"], **scores)
    if rule == "random_path":
        vocabulary = Vocabulary(["ab", "bc"], **{**scores, "scores": [-1.0, -2.0]})
    ours = Encoder(vocabulary, name, rule)
    how, count = STRENGTHS[rule], 20_000
    text = "abc " * count
    _, spans = ours.sampling(seed=3, **how).encode_with_offsets(text)
    words = [()] * count
    for start, end in spans:
        if text[start] != " ":
            words[start // 4] += (text[start:end],)
    tokens = [token.decode() for token in vocabulary]
    if rule in ("merges", "character_merges"):
        expected = segment_oracle.bpe_dropout("abc", tokens, None, Fraction(2, 5))
    elif rule == "longest_match":
        expected = segment_oracle.maxmatch_dropout("abc", tokens, Fraction(2, 5))
    elif rule == "random_path":
        expected = {("ab", "c"): 0.5, ("a", "bc"): 0.5}
    else:
        worth = dict(zip(tokens, vocabulary.scores, strict=True))
        flat = rule == "shortest_path"
        expected = segment_oracle.distribution(
            lambda path: exp(0.3 * sum(-1 if flat else worth.get(t, -1) for t in path)),
            "abc", tokens,
        )  # fmt: skip
    pairs = {(a, b): p * q for a, p in expected.items() for b, q in expected.items()}
    neighbours = list(zip(words[::2], words[1::2], strict=True))
    for drawn, chances in ((words, expected), (neighbours, pairs)):
        counts = Counter(drawn)
        assert set(counts) <= set(chances)
        for path, chance in chances.items():
            spread = (len(drawn) * chance * (1 - chance)) ** 0.5
            assert abs(counts[path] - len(drawn) * chance) < 5 * spread, path


@pytest.mark.parametrize("rule", STRENGTHS)
def test_samples_by_the_seed_of_a_call(rule):
    scores = {"scores": [-1.0, -1.0, -1.0], "symbol_scores": dict.fromkeys("ab ", -1.0)}
    ours = Encoder(Vocabulary(["ab", "ba", "aba"], **scores), "gpt2", rule)
    how, text = STRENGTHS[rule], "abab bababa " * 20
    samples = [ours.sampling(seed=seed, **how).encode(text) for seed in range(5)]
    assert len(set(map(tuple, samples))) == 5


def test_samples_differ_by_seed_and_keep_special_tokens(tmp_path):
    vocabulary = Vocabulary(["ab", "ba", "aba"], rule="merges", special=["<s>"])
    ours = Encoder(vocabulary, "gpt2")
    text = "ababab <s> bababa " * 20
    samples = {tuple(ours.sampling(seed=seed, dropout=0.5).encode(text)) for seed in range(5)}
    assert len(samples) == 5
    parsed = ours.sampling(seed=1, dropout=0.5).encode(text, special="parse")
    assert (parsed.count(259), ours.decode(parsed)) == (20, text)
    assert ours.sampling(seed=1, dropout=0).encode(text) == ours.encode(text)
    assert ours.decode(ours.sampling(seed=1, dropout=1).encode(text)) == text
    (tmp_path / "a.txt").write_text(text)
    drawn = ours.sampling(seed=1, dropout=0.5)
    done = drawn.encode_files([tmp_path / "a.txt"] * 2, tmp_path / "o.npy", special="parse")
    ids = np.load(tmp_path / "o.npy").tolist()
    assert ids == [
        number for ids in drawn.encode_batch([text] * 2, special="parse") for number in ids
    ]
    assert ids[: len(parsed)] == parsed
    assert ids[len(parsed) :] != parsed
    assert done.documents == 2


def test_sampling_refused():
    for rule in ("priority", "single_symbols"):
        ours = Encoder(Vocabulary(["ab"]), "gpt2", rule)
        with pytest.raises(
            InputError, match=f"rule {rule} has no random segmentations: use one of"
        ):
            ours.sampling(seed=1)
    ours = Encoder(Vocabulary(["ab"]), "gpt2", "merges")
    with pytest.raises(InputError, match="rule merges needs dropout"):
        ours.sampling(seed=1)
    for seed in (None, 1.0, True):
        with pytest.raises(InputError, match=f"seed is {seed}: it must be a whole number"):
            ours.sampling(seed=seed, dropout=0.1)
    big = ours.sampling(seed=2**64 - 1, dropout=0.5).encode("ab" * 9)
    assert ours.sampling(seed=np.int64(-1), dropout=0.5).encode("ab" * 9) == big
    with pytest.raises(InputError, match="rule merges does not use alpha"):
        ours.sampling(seed=1, dropout=0.1, alpha=1)


@pytest.mark.parametrize("strength", ["x", [1], True])
def test_a_strength_that_is_no_number_is_refused(strength):
    vocabulary = Vocabulary(["ab"], pretokenizer="none", rule="longest_match")
    for name, rule in (("dropout", "longest_match"), ("alpha", "shortest_path")):
        with pytest.raises(InputError, match=f"{name} is .*: it must be a number"):
            Encoder(vocabulary, rule=rule).sampling(seed=1, **{name: strength})


def test_numpy_numbers_are_strengths():
    encoder = Encoder(Vocabulary(["ab", "aba"], pretokenizer="none"))
    expected = encoder.sampling(seed=1, alpha=0.25).encode("abab" * 9)
    assert encoder.sampling(seed=1, alpha=np.float32(0.25)).encode("abab" * 9) == expected


def test_numbers_of_numpy_are_stored_as_pythons(tmp_path):
    ours = Encoder(Vocabulary(["ab"]), "gpt2")
    (tmp_path / "text.txt").write_text("ab abc " * 9)
    found = []
    for seed, alpha in ((3, 0.5), (np.int64(3), np.float32(0.5))):
        drawn = ours.sampling(seed=seed, alpha=alpha)
        out = tmp_path / "ids.bin"
        drawn.encode_files(tmp_path / "text.txt", out)
        found.append((out.read_bytes(), pickle.dumps(drawn)))
    assert found[0] == found[1]
