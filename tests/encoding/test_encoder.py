"""Text to ids and back: against a slow twin, other libraries, and whatever bytes there are."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listener import Listener
from oracles import segmentation as segment_oracle
from oracles.encoding import ids_of, pieces_of, spans_of, words_of

from partcover import Encoder, InputError, Vocabulary
from partcover.corpus.pretokenizers import (
    PATTERNS,
    PRETOKENIZER_RULES,
    Pretokenizer,
    character_kinds,
)
from partcover.encoding import encoder, worker
from partcover.kernels import _encoder
from partcover.vocabulary.rules import SEGMENTATION_RULES

NAMES = [*PRETOKENIZER_RULES, "space-prefix:_", "space-prefix:<s>", "space+digit", "gpt2+digit",
         "digit+gpt2", "space-prefix+digit", "first-space+o200k"]  # fmt: skip
BITS = [
    *[" ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "a", "ab", "Bc", "DEF", "'s", "'LL", "'", "ſ"],
    *["'ſ", "'Re", "23", "4567", "٣", "½", "!", "/", "...", "\n/", "é", "e\u0301", "\u0301", "ñ"],
    *["中文", "。", "、字", "\u3000", "\xa0", "\u2003", "\x85", "\x1c", "\x1f", "\u200b", "Ġ", "_"],
    *["ǅ", "ʰ", "и", "Привет", "🙂", "\0", "\ufffd", "-", "foo bar", "<s>", "<", "abab", " ab"],
]
BROKEN = [b"\xff", b"\xe2\x82", b"\xc4", b"\xa0", b"\xed\xa0\x80", b"\xf0\x90", b"\xf4\x90\x80\x80"]
TEXT = st.lists(
    st.one_of(
        st.sampled_from(BITS).map(str.encode),
        st.sampled_from(BROKEN),
        st.characters(codec="utf-8").map(str.encode),
    ),
    max_size=20,
).map(b"".join)
BYTES = st.one_of(TEXT, st.binary(max_size=24))
SIZES = [0, 1, 700, 1 << 20]


@st.composite
def cases(draw):
    """A text, a vocabulary of substrings of its words, a pre-tokenizer and a rule."""
    text = draw(BYTES)
    name = draw(st.sampled_from(NAMES))
    flat = b"".join(words_of(text, name)) + b"abab \xc4\xa0a"
    spans = st.tuples(st.integers(0, len(flat) - 2), st.integers(2, 6))
    tokens = {flat[a : a + n] for a, n in draw(st.lists(spans, max_size=12))}
    tokens = sorted(token for token in tokens if len(token) > 1)
    ids = None
    if draw(st.booleans()):
        ids = draw(st.permutations(range(256 + len(tokens))))
        ids = [number * 300 for number in ids] if draw(st.booleans()) else ids
    scores = draw(st.lists(st.floats(-9, -1), min_size=len(tokens), max_size=len(tokens)))
    tokens = draw(st.permutations(tokens))
    return (
        text,
        Vocabulary(tokens, ids=ids, scores=scores),
        name,
        draw(st.sampled_from(SEGMENTATION_RULES)),
    )


# -- words


@settings(max_examples=300, deadline=None)
@given(BYTES, st.sampled_from([name for name in PRETOKENIZER_RULES if name != "space-prefix"]))
def test_words_end_where_the_rule_ends_them(text, name):
    words = PRETOKENIZER_RULES[name].words(text.decode("utf-8", "surrogateescape"))
    ends = np.cumsum([len(word.encode("utf-8", "surrogateescape")) for word in words])
    assert (
        _encoder.word_ends(text, PRETOKENIZER_RULES[name].finder, character_kinds())
        == ends.tolist()
    )


@pytest.mark.parametrize("name", PATTERNS)
def test_every_character_is_what_the_pattern_takes_it_for(name):
    rule, kinds = PRETOKENIZER_RULES[name], character_kinds()
    plane = [chr(c) for c in (*range(0xD800), *range(0xE000, 0x11000), *range(0x1D400, 0x1D800))]
    for form in ("{}", "a{}b", "{0}{0}A{0}", " {}1"):
        text = "\n".join(form.format(c) for c in plane)
        ends = np.cumsum([len(word.encode()) for word in rule.words(text)])
        assert _encoder.word_ends(text.encode(), rule.finder, kinds) == ends.tolist()


# -- round trips, and the twin


@settings(max_examples=400, deadline=None)
@given(cases(), st.sampled_from(SIZES))
def test_ids_are_the_twins_and_decode_to_the_text(case, cache):
    text, vocabulary, name, rule = case
    ours = Encoder(vocabulary, name, rule, cache=cache)
    ids = ours.encode(text)
    assert ids == ids_of(text, vocabulary, name, rule)
    assert ours.encode(text) == ids  # what is in the table already
    assert ours.decode_bytes(ids) == text
    array = ours.encode_to_numpy(text)
    assert array.dtype == (np.uint16 if max(vocabulary.id_of) < 1 << 16 else np.uint32)
    assert ours.decode(array, "surrogateescape") == text.decode("utf-8", "surrogateescape")


@settings(max_examples=200, deadline=None)
@given(cases(), st.sampled_from(SIZES), st.integers(1, 9), st.integers(1, 9), st.integers(1, 3))
def test_sections_parts_and_threads_do_not_show(case, cache, section, part, threads):
    text, vocabulary, name, rule = case
    expected = Encoder(vocabulary, name, rule).encode(text)
    with pytest.MonkeyPatch.context() as patch:
        for module in (encoder, worker):
            patch.setattr(module, "SECTION", section)
            patch.setattr(module, "PART", part)
        ours = Encoder(vocabulary, name, rule, cache=cache, threads=threads)
        assert ours.encode(text) == expected
        texts = [text, b"", text[::-1], text]
        batch = ours.encode_batch(texts)
        assert batch == [Encoder(vocabulary, name, rule).encode(text) for text in texts]


@settings(max_examples=300, deadline=None)
@given(cases(), st.sampled_from(["bytes", "chars"]))
def test_offsets_are_the_twins(case, unit):
    text, vocabulary, name, rule = case
    ours = Encoder(vocabulary, name, rule)
    ids, offsets = ours.encode_with_offsets(text, unit=unit)
    assert ids == ours.encode(text)
    mark = (Pretokenizer.from_name(name).rules[0].mark or " ").encode()
    assert offsets == spans_of(text, pieces_of(text, vocabulary, name, rule), mark, unit)


def test_a_mark_in_the_text_comes_back():
    ours = Encoder(Vocabulary(["Ġb", "Ġ"]), "space-prefix")
    assert ours.encode("a b") == [97, 256]
    assert ours.encode("aĠb Ġ") == [97, 32, 98, 257, 32]
    assert ours.decode([97, 32, 98, 257, 32]) == "aĠb Ġ"


def test_a_seed_draws_paths():
    vocabulary = Vocabulary(["ab", "bc", "cd", "de"])
    found = set()
    for seed in range(20):
        ours = Encoder(vocabulary, "gpt2", "random_path", seed=seed)
        found.add(tuple(ours.encode("abcde")))
        assert ours.decode(ours.encode("abcde " * 9)) == "abcde " * 9
    assert found == {(256, 258, 101), (256, 99, 259), (97, 257, 259)}


def test_long_words_are_not_kept():
    ours = Encoder(Vocabulary([b"a" * 5, "ab"]), "gpt2", "shortest_path")
    text = b"a" * 100_000 + b" " + b"ab" * 200 + b" " + b"b" * 254 + b" " + b"b" * 255
    assert ours.decode_bytes(ours.encode(text)) == text
    assert len(ours.encode(b"a" * 100_000)) == 20_000
    (one,) = ours._workers.idle
    assert len(one.cache) == 1  # the space and 254 letters


def test_without_a_table_nothing_is_kept():
    ours = Encoder(Vocabulary(["ab"]), "gpt2", cache=0)
    ours.encode("ab abb " * 9)
    (one,) = ours._workers.idle
    held = one.cache.nbytes
    ours.encode("ba bba " * 99)
    assert len(one.cache) == 0
    assert one.cache.nbytes == held


def test_the_table_is_bounded():
    ours = Encoder(Vocabulary(["ab"]), "first-space", cache=50_000)
    text = b" ".join(b"%d" % number for number in range(40_000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder, "SECTION", 1000)
        patch.setattr(worker, "SECTION", 1000)
        assert ours.encode(text) == list(text)
    (one,) = ours._workers.idle
    assert one.cache.nbytes < 70_000


def test_threads_keep_the_order(tmp_path, monkeypatch):
    texts = [f"line {number} of {number**2}\n" for number in range(200)]
    vocabulary = Vocabulary(["line", "of", "12"])
    alone = [Encoder(vocabulary, "first-space").encode(text) for text in texts]
    whole = Encoder(vocabulary, "first-space").encode("".join(texts))
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts))
    for module in (encoder, worker):
        monkeypatch.setattr(module, "SECTION", 20)
        monkeypatch.setattr(module, "PART", 20)
    ours = Encoder(vocabulary, "first-space", threads=2)
    assert ours.encode("".join(texts)) == whole
    assert ours.encode_batch(texts) == alone
    ours.encode_files(tmp_path / "a.jsonl", tmp_path / "o.npy")
    assert np.load(tmp_path / "o.npy").tolist() == [number for ids in alone for number in ids]


# -- special tokens


def test_special_tokens():
    vocabulary = Vocabulary(["ab"], special=["<s>", "<s><s>", "< ab>"])
    ours = Encoder(vocabulary, "space-prefix:_")
    assert ours.encode("<s>") == list(b"<s>")
    assert ours.encode("ab<s>ab", special="parse") == [256, 257, 256]
    assert ours.encode("<s><s><s>", special="parse") == [258, 257]
    text = "_ab < ab> ab_<s>_ "
    ids = ours.encode(text, special="parse")
    assert ids == [32, 256, 95, 259, 95, 256, 32, 257, 32, 95]
    assert ours.decode(ids) == ours.decode(np.array(ids)) == text
    assert ours.encode_with_offsets(text, special="parse", unit="chars")[1] == [
        (0, 1), (1, 3), (3, 4), (4, 9), (9, 10), (10, 12), (12, 13), (13, 16), (16, 17), (17, 18),
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"'<s>' at byte 1: --special parse \(special='parse'\)"):
        ours.encode("a<s>", special="error")
    assert ours.encode("a", special="error") == [97]
    with pytest.raises(InputError, match="special is 'all'"):
        ours.encode("a", special="all")


def test_special_offsets_under_a_wide_mark():
    ours = Encoder(Vocabulary(["Ġa"], special={"<é>": 999}), "space-prefix")
    ids, spans = ours.encode_with_offsets("é a<é> aĠ", special="parse", unit="chars")
    assert ids == [0xC3, 0xA9, 256, 999, 256, 32]
    assert spans == [(0, 1), (0, 1), (1, 3), (3, 6), (6, 8), (8, 9)]


# -- files


@pytest.fixture
def corpus(tmp_path):
    texts = ["the cat  sat\n", "Ġ on the \u3000 mat", "", "the cat " * 5000]
    (tmp_path / "a.txt").write_text(texts[0])
    lines = [json.dumps({"text": text}) for text in texts[1:3]]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    (tmp_path / "c.txt.gz").write_bytes(gzip.compress(texts[3].encode()))
    return [tmp_path / name for name in ("a.txt", "b.jsonl", "c.txt.gz")], texts


@pytest.mark.parametrize("name", ["gpt2", "space-prefix", "none", "space+digit"])
@pytest.mark.parametrize("threads", [1, 3])
def test_files(tmp_path, corpus, monkeypatch, name, threads):
    paths, texts = corpus
    monkeypatch.setattr(encoder, "PART", 500)
    monkeypatch.setattr(worker, "PART", 500)
    ours = Encoder(Vocabulary(["the", " the", "Ġcat"], special=["<end>"]), name)
    expected = [number for text in texts for number in [*ours.encode(text), 259]]
    told = []
    done = ours.encode_files(
        paths, tmp_path / "o.npy", end_of_document="<end>", threads=threads,
        progress=Listener(advance=lambda done, total, remark: told.append((done, total))),
    )  # fmt: skip
    ids = np.load(tmp_path / "o.npy")
    assert ids.tolist() == expected
    assert ids.dtype == np.uint16
    sizes = [len(text.encode()) for text in texts]
    assert done == encoder.Encoded(4, sum(sizes), len(expected), "uint16")
    total = sum(path.stat().st_size for path in paths)
    assert told[-1] == (total, total)
    ours.encode_files(paths, tmp_path / "o.bin", dtype="uint32", threads=threads)
    flat = np.fromfile(tmp_path / "o.bin", "<u4").tolist()
    assert flat == [number for number in expected if number != 259]
    assert sorted(path.name for path in tmp_path.glob("*o.*")) == ["o.bin", "o.npy"]


def test_files_with_special_tokens(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "partcover.corpus.readers.CHUNK", 5
    )  # a special token over the end of a chunk
    (tmp_path / "a.txt").write_text("a <s t> b " * 9)
    ours = Encoder(Vocabulary(["ab"], special=["<s t>"]), "space-prefix")
    ours.encode_files(tmp_path / "a.txt", tmp_path / "o.npy", special="parse")
    ids = np.load(tmp_path / "o.npy").tolist()
    assert ids == ours.encode("a <s t> b " * 9, special="parse")
    assert ids.count(257) == 9
    with pytest.raises(InputError, match="special token '<s t>' at byte 2"):
        ours.encode_files(tmp_path / "a.txt", tmp_path / "p.npy", special="error")
    assert not (tmp_path / "p.npy").exists()


@pytest.mark.parametrize("last", [65_535, 65_536])
def test_two_bytes_hold_ids_up_to_65_535(tmp_path, last):
    (tmp_path / "a.txt").write_text("cab")
    ours = Encoder(Vocabulary(["ab"], ids=[*range(256), last]), "gpt2")
    assert ours.dtype == (np.uint16 if last == 65_535 else np.uint32)
    assert ours.encode("cab") == [99, last]
    if last == 65_536:
        with pytest.raises(InputError, match="dtype uint16 does not hold every id, up to 65,536"):
            ours.encode_files(tmp_path / "a.txt", tmp_path / "o.npy", dtype="uint16")
    else:
        ours.encode_files(tmp_path / "a.txt", tmp_path / "o.npy", dtype="uint16")
        assert np.load(tmp_path / "o.npy").tolist() == [99, last]


def test_files_refused(tmp_path):
    (tmp_path / "a.txt").write_text("ab")
    ours = Encoder(Vocabulary(["ab"], special={"<s>": 70_000}), "gpt2")
    assert ours.dtype == np.uint32
    for options, message in [
        ({"dtype": "uint16"}, r"dtype uint16 does not hold every id, up to 70,000"),
        ({"dtype": "float64"}, "dtype float64 does not hold"),
        ({"dtype": "word"}, "dtype 'word' is none"),
        ({"end_of_document": "<e>"}, "'<e>' is no special token of the vocabulary; there is '<s>'"),
        ({"special": "x"}, "special is 'x'"),
        ({"threads": 0}, "threads is 0"),
        ({"file_format": "NPY"}, "unknown file_format 'NPY': use 'npy' or 'bin'"),
    ]:
        with pytest.raises(InputError, match=message):
            ours.encode_files(tmp_path / "a.txt", tmp_path / "o.npy", **options)
    with pytest.raises(InputError, match=r"b\.txt: cannot be read"):
        ours.encode_files(tmp_path / "b.txt", tmp_path / "o.npy")
    assert not (tmp_path / "o.npy").exists()


# -- at random

STRENGTHS = {
    "merges": {"dropout": 0.4},
    "character_merges": {"dropout": 0.4},
    "longest_match": {"dropout": 0.4},
    "likelihood": {"alpha": 0.3},
    "shortest_path": {"alpha": 0.3},
    "random_path": {},
}


@settings(max_examples=200, deadline=None)
@given(cases(), st.integers(1, 9), st.integers(1, 9), st.integers(1, 3), st.integers(-3, 3))
def test_samples_decode_to_the_text_and_depend_on_the_seed_alone(
    case, section, part, threads, seed
):
    text, vocabulary, name, rule = case
    if rule not in STRENGTHS:
        rule = "merges"
    how = STRENGTHS[rule]
    ours = Encoder(vocabulary, name, rule)
    expected = ours.sample(text, seed=seed, **how)
    assert ours.decode_bytes(expected) == text
    texts = [text, b"", text[::-1], text]
    batch = ours.sampling(seed=seed, **how).encode_batch(texts)
    assert batch[0] == expected
    assert [ours.decode_bytes(ids) for ids in batch] == texts
    with pytest.MonkeyPatch.context() as patch:
        for module in (encoder, worker):
            patch.setattr(module, "SECTION", section)
            patch.setattr(module, "PART", part)
        drawn = Encoder(vocabulary, name, rule, threads=threads).sampling(seed=seed, **how)
        assert drawn.encode(text) == expected
        assert drawn.encode_with_offsets(text)[0] == expected
        assert drawn.encode_batch(texts) == batch


@pytest.mark.parametrize("name", ["space", "gpt2+digit", "space-prefix", "space-prefix+digit"])
@pytest.mark.parametrize("rule", STRENGTHS)
def test_each_occurrence_is_drawn_for_itself(rule, name):
    scores = {"scores": [-1.0, -2.0, -1.5], "symbol_scores": dict.fromkeys("abc ", -1.0)}
    vocabulary = Vocabulary(["ab", "bc", "abc"], **scores)
    if rule == "random_path":
        vocabulary = Vocabulary(["ab", "bc"], **{**scores, "scores": [-1.0, -2.0]})
    ours = Encoder(vocabulary, name, rule)
    how, many = STRENGTHS[rule], 20_000
    text = "abc " * many
    _, spans = ours.sampling(seed=3, **how).encode_with_offsets(text)
    words = [()] * many
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
    for seen, chances in ((words, expected), (neighbours, pairs)):
        counts = Counter(seen)
        assert set(counts) <= set(chances)
        for path, chance in chances.items():
            spread = (len(seen) * chance * (1 - chance)) ** 0.5
            assert abs(counts[path] - len(seen) * chance) < 5 * spread, path


@pytest.mark.parametrize("rule", STRENGTHS)
def test_samples_by_the_seed_of_a_call(rule):
    scores = {"scores": [-1.0, -1.0, -1.0], "symbol_scores": dict.fromkeys("ab ", -1.0)}
    ours = Encoder(Vocabulary(["ab", "ba", "aba"], **scores), "gpt2", rule)
    how, text = STRENGTHS[rule], "abab bababa " * 20
    found = [ours.sample(text, seed=seed, **how) for seed in range(5)]
    assert len(set(map(tuple, found))) == 5


def test_samples_differ_by_seed_and_keep_special_tokens(tmp_path):
    vocabulary = Vocabulary(["ab", "ba", "aba"], rule="merges", special=["<s>"])
    ours = Encoder(vocabulary, "gpt2")
    text = "ababab <s> bababa " * 20
    found = {tuple(ours.sample(text, seed=seed, dropout=0.5)) for seed in range(5)}
    assert len(found) == 5
    parsed = ours.sample(text, seed=1, dropout=0.5, special="parse")
    assert (parsed.count(259), ours.decode(parsed)) == (20, text)
    assert ours.sample(text, seed=1, dropout=0) == ours.encode(text)
    assert ours.decode(ours.sample(text, seed=1, dropout=1)) == text
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
        with pytest.raises(InputError, match=f"rule {rule} cannot be drawn from: use one of"):
            ours.sample("ab", seed=1)
    ours = Encoder(Vocabulary(["ab"]), "gpt2", "merges")
    with pytest.raises(InputError, match="rule merges needs dropout"):
        ours.sample("ab", seed=1)
    for seed in (None, 1.0, True):
        with pytest.raises(InputError, match=f"seed is {seed}: an integer is expected"):
            ours.sample("ab", seed=seed, dropout=0.1)
    big = ours.sample("ab" * 9, seed=2**64 - 1, dropout=0.5)
    assert ours.sample("ab" * 9, seed=np.int64(-1), dropout=0.5) == big
    with pytest.raises(InputError, match="rule merges takes no alpha"):
        ours.sample("ab", seed=1, dropout=0.1, alpha=1)


# -- what is refused


def test_refused():
    with pytest.raises(InputError, match="name the pre-tokenizer"):
        Encoder(Vocabulary(["ab"]))
    assert Encoder(Vocabulary(["ab"], pretokenizer="gpt2")).pretokenizer == "gpt2"
    with pytest.raises(InputError, match="unknown pre-tokenizer 'gpt3'"):
        Encoder(Vocabulary(["ab"], pretokenizer="gpt3"))
    for mark in ("__", "aba", " _"):
        with pytest.raises(InputError, match="cannot be told from text"):
            Encoder(Vocabulary(["ab"]), f"space-prefix:{mark}")
    with pytest.raises(InputError, match="must be the first rule"):
        Encoder(Vocabulary(["ab"]), "digit+space-prefix")
    with pytest.raises(InputError, match="only tokens over bytes have ids; these are over chars"):
        Encoder(Vocabulary(["ab"], "chars"), "gpt2")
    with pytest.raises(InputError, match="unknown rule 'longest'"):
        Encoder(Vocabulary(["ab"]), "gpt2", "longest")
    with pytest.raises(InputError, match="cache is -1"):
        Encoder(Vocabulary(["ab"]), "gpt2", cache=-1)
    ours = Encoder(Vocabulary(["ab"]), "gpt2")
    with pytest.raises(InputError, match="the text has a lone surrogate"):
        ours.encode("a\ud800")
    with pytest.raises(InputError, match="special is 'x': use"):
        ours.encode_batch(["a"], special="x")
    bare = Encoder(Vocabulary([], special="<s>"), "gpt2")
    with pytest.raises(InputError, match="text 2: the text has the special token '<s>' at byte 1"):
        bare.encode_batch(["a", "b<s>"], special="error")
    with pytest.raises(InputError, match="text 2 is 3"):
        ours.encode_batch(["a", 3])
    with pytest.raises(InputError, match="texts is one text"):
        ours.encode_batch("ab")
    with pytest.raises(InputError, match="unknown unit 'lines'"):
        ours.encode_with_offsets("a", unit="lines")


def test_a_byte_without_an_id():
    ids = [*range(255), -1, 300]
    ours = Encoder(Vocabulary([b"a\xff"], ids=ids), "space-prefix")
    assert ours.encode(b"a\xff") == [300]
    with pytest.raises(InputError, match=r"byte 0xFF, in the word 'Ġb\\xFF', has no id"):
        ours.encode(b"a b\xff")
    assert ours.encode(b"a b") == [97, 0xC4, 0xA0, 98]  # nothing is left of what failed
    assert ours.decode_bytes([300, 254]) == b"a\xff\xfe"


def test_decoding_refused():
    ours = Encoder(Vocabulary(["ab"]), "gpt2")
    for ids in ([97, 257, 3], np.array([97, 257]), [97, 257.5], [97, "257"], [97, [257]],
                [97, 97.0], [97, True], [97, np.float64(97)]):  # fmt: skip
        with pytest.raises(InputError, match=r"^id \S+, number 1 of the ids, is not in"):
            ours.decode(ids)
    with pytest.raises(InputError, match=r"id -1, number 0"):
        ours.decode([-1])
    with pytest.raises(InputError, match="array of float64 with 1 axes"):
        ours.decode(np.array([1.0]))
    with pytest.raises(InputError, match="byte 1 of the decoded text is not UTF-8"):
        ours.decode([97, 0xFF])
    assert ours.decode([97, 0xFF], "replace") == "a\ufffd"
    assert ours.decode([97, 0xFF], "ignore") == "a"
    assert ours.decode([97, 0xFF], "backslashreplace") == "a\\xff"
    assert ours.decode([np.uint16(97), 256]) == "aab"
    for errors in ("drop", "xmlcharrefreplace", "namereplace"):
        for ids in ([97], [0xFF]):
            with pytest.raises(InputError, match=f"unknown errors '{errors}'"):
                ours.decode(ids, errors)
    assert ours.decode([97, 0xFF], "surrogateescape") == "a\udcff"
    assert ours.decode([]) == ""


# -- other libraries

PROSE = (
    "It is a truth universally acknowledged, that a single man's fortune — 10,000 a year! —\n\n"
    "  must be \tin want of a wife.\r\n   Ünïcödé words: 中文字符 、日本語 Привет мир 🙂🙂 "
    "١٢٣ e\u0301. "
    "don't WE'LL 'tis  x=[1234567]; return self.words\n"
)


def vocabulary_of(text, size):
    """The most frequent substrings of its words."""
    counts = {}
    for word in words_of(text.encode(), "gpt2"):
        for a in range(len(word)):
            for b in range(a + 2, min(len(word), a + 12) + 1):
                counts[word[a:b]] = counts.get(word[a:b], 0) + 1
    return sorted(counts, key=lambda token: (-counts[token] * len(token), token))[:size]


def test_ids_are_hugging_faces():
    tokenizers = pytest.importorskip("tokenizers")
    tokens = vocabulary_of(PROSE, 150)
    shown = {}  # GPT-2's characters for bytes, in the order of their code points
    spare = 256
    for byte in range(256):
        c = chr(byte)
        if not (33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174):
            c, spare = chr(spare), spare + 1
        shown[byte] = c
    pieces = [*(bytes([byte]) for byte in range(256)), *tokens]
    model = tokenizers.models.Unigram(
        [("".join(shown[byte] for byte in piece), -1.0) for piece in pieces], None, False
    )
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    ours = Encoder(Vocabulary(tokens), "gpt2", "shortest_path")
    for text in (PROSE, PROSE[::-1], PROSE * 20):
        assert ours.encode(text) == theirs.encode(text).ids


@pytest.mark.parametrize("name", PATTERNS)
def test_ids_are_tiktokens(name):
    tiktoken = pytest.importorskip("tiktoken")
    tokens = sorted(vocabulary_of(PROSE, 150), key=len)
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {token: 256 + place for place, token in enumerate(tokens)}
    theirs = tiktoken.Encoding(
        "ours", pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens={"<|end|>": 999}
    )
    ours = Encoder(Vocabulary(tokens, special={"<|end|>": 999}), name, "merges")
    for text in (PROSE, PROSE[::-1], PROSE + "<|end|>" + PROSE):
        assert ours.encode(text) == theirs.encode_ordinary(text)
        parsed = theirs.encode(text, allowed_special="all")
        assert ours.encode(text, special="parse") == parsed
        assert ours.decode(parsed) == theirs.decode(parsed) == text


@pytest.mark.parametrize("section", [1, 2, 3])
def test_sections_of_ids_change_nothing(monkeypatch, section):
    """A mark, or a run of text between special tokens, may go over the end of a section."""
    encoder = Encoder(Vocabulary([b"\xa0a", "Ġa"], special=["<s>"]), "space-prefix")
    text = "<s> a Ġa\u0120 <s>b a <s>".encode() + b"\xc4"
    ids = encoder.encode(text, special="parse")
    monkeypatch.setattr("partcover.encoding.decoding.SECTION", section)
    for either in (ids, np.array(ids)):
        assert encoder.decode_bytes(either) == text
        with pytest.raises(InputError, match=f"id 999, number {len(ids)} of the ids"):
            encoder.decode_bytes([*either, 999])


@pytest.mark.parametrize("strength", ["x", [1], True])
def test_a_strength_that_is_no_number_is_refused(strength):
    vocabulary = Vocabulary(["ab"], pretokenizer="none", rule="longest_match")
    for name, rule in (("dropout", "longest_match"), ("alpha", "shortest_path")):
        with pytest.raises(InputError, match=f"{name} is .*: a number is expected"):
            Encoder(vocabulary, rule=rule).sample("abab", seed=1, **{name: strength})


def test_numpy_numbers_are_strengths():
    encoder = Encoder(Vocabulary(["ab", "aba"], pretokenizer="none"))
    plain = encoder.sample("abab" * 9, seed=1, alpha=0.25)
    assert encoder.sample("abab" * 9, seed=1, alpha=np.float32(0.25)) == plain


def test_texts_without_a_name_are_not_left_out():
    encoder = Encoder(Vocabulary(["ab"], pretokenizer="none"))
    with pytest.raises(InputError, match="fewer names than texts"):
        list(encoder.encode_each(["a", "b"], names=["one"]))
