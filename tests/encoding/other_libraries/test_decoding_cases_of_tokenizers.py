"""The cases of Hugging Face's own tests of decoding, batches, sampling and files, asked of both.

Inputs and expected values are those of https://github.com/huggingface/tokenizers
(bindings/python/tests and the modules ``tests`` in tokenizers/src; Apache License 2.0).  Each test
names the file and the test that it is of.
"""

from __future__ import annotations

import json
import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from encoding.both import chained, loaded

from partcover import Encoder, InputError, Vocabulary

tokenizers = pytest.importorskip("tokenizers")
from tokenizers import decoders, models, normalizers, pre_tokenizers  # noqa: E402


def byte_level(words, special=()):
    tokenizer = tokenizers.Tokenizer.from_str(
        json.dumps({"version": "1.0", "model": chained(" ".join(words))})
    )
    tokenizer.add_special_tokens([*special])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def of_text(pieces, decoder, pre_tokenizer=None, **options):
    vocab = {piece: place for place, piece in enumerate(pieces)}
    tokenizer = tokenizers.Tokenizer(models.BPE(vocab, [], **options))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizer, decoder
    return tokenizer


def metaspace(pieces, mark="▁", scheme="always"):
    steps = (kind(mark, scheme) for kind in (decoders.Metaspace, pre_tokenizers.Metaspace))
    return of_text(pieces, *steps)


def word_pieces(pieces, prefix="##"):
    vocab = {piece: place for place, piece in enumerate(["[UNK]", *pieces])}
    tokenizer = tokenizers.Tokenizer(
        models.WordPiece(vocab, unk_token="[UNK]", continuing_subword_prefix=prefix)
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix, cleanup=False)
    return tokenizer


def llama(pieces):
    """As Llama 2: ▁ for spaces and in front, bytes, and one space in front taken away."""
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)])
    tokenizer = of_text(pieces, decoder, byte_fallback=True)
    steps = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    tokenizer.normalizer = normalizers.Sequence(steps)
    return tokenizer


def with_ends(pieces):
    """As CLIP: words that end in </w>."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {
        piece: n for n, piece in enumerate([*letters, *(c + "</w>" for c in letters), *pieces])
    }
    model = models.BPE(vocab, [], end_of_word_suffix="</w>")
    tokenizer = tokenizers.Tokenizer(model)
    split = pre_tokenizers.Split(tokenizers.Regex(r"\w+"), "removed", invert=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(False, True, False)]
    )
    tokenizer.decoder = decoders.BPEDecoder("</w>")
    return tokenizer


NAME = ["My", "Ġname", "Ġis", "ĠJohn"]
DAY = ["Hello", "Ġmy", "Ġfriend", ",", "Ġhow", "Ġis", "Ġyour", "Ġday", "Ġgoing", "?"]
GEORGIAN = 'A Nuskhuri abbreviation of იესუ ქრისტე ( iesu kriste ) " Jesus Christ "'
SPELLED = pre_tokenizers.ByteLevel(False, True, False).pre_tokenize_str(GEORGIAN)[0][0]
FALLBACK = ["<0xE5>", "<0x8F>", "<0xAB>", "a", "▁", "My", "▁na", "me", "▁My"]
# name: the tokenizer, tokens, the text
DECODED = {
    "test_decoders.py TestByteLevel": (byte_level(NAME), NAME, "My name is John"),
    "byte_level.rs decoding": (
        byte_level(DAY), DAY, "Hello my friend, how is your day going?"
    ),
    "byte_level.rs decode_works_on_separated_tokens": (byte_level([]), [*SPELLED], GEORGIAN),
    "byte_level.rs decode_unknown_characters": (
        byte_level(["Hello", "Ġthere", "Ġdear", "Ġfriend!"], ["[PA D]"]),
        ["Hello", "Ġthere", "Ġdear", "Ġfriend!", "Ġ", "[PA D]"], "Hello there dear friend! [PA D]",
    ),
    "test_decoders.py TestMetaspace": (
        metaspace(["▁My", "▁name", "▁is", "▁John"]), ["▁My", "▁name", "▁is", "▁John"],
        "My name is John",
    ),
    "test_decoders.py TestMetaspace, never": (
        metaspace(["-My", "-name", "-is", "-John"], "-", "never"), ["-My", "-name", "-is", "-John"],
        " My name is John",
    ),
    "metaspace.rs decode": (
        metaspace(["▁Hey", "▁friend!"]), ["▁Hey", "▁friend!"], "Hey friend!"
    ),
    "metaspace.rs decode, never": (
        metaspace(["▁Hey", "▁friend!"], scheme="never"), ["▁Hey", "▁friend!"], " Hey friend!"
    ),
    "test_decoders.py TestWordPiece": (
        word_pieces(["My", "na", "##me", "is", "Jo", "##hn"]),
        ["My", "na", "##me", "is", "Jo", "##hn"], "My name is John",
    ),
    "test_decoders.py TestWordPiece, prefix": (
        word_pieces(["My", "na", "__me", "is", "Jo", "__hn"], "__"),
        ["My", "na", "__me", "is", "Jo", "__hn"], "My name is John",
    ),
    "test_decoders.py TestWordPiece, no cleanup": (
        word_pieces(["I", "'m", "Jo", "__hn"], "__"), ["I", "'m", "Jo", "__hn"], "I 'm John"
    ),
    "wordpiece.rs wordpiece_decoder": (
        word_pieces(["Ara", "##új", "##o", "No", "##guera"]),
        ["Ara", "##új", "##o", "No", "##guera"], "Araújo Noguera",
    ),
    "test_decoders.py TestByteFallback, 1": (llama(FALLBACK), ["▁My", "▁na", "me"], "My name"),
    "test_decoders.py TestByteFallback, 2": (llama(["<0x61>"]), ["<0x61>"], "a"),
    "test_decoders.py TestByteFallback, 3": (llama(FALLBACK), ["<0xE5>"], "�"),
    "test_decoders.py TestByteFallback, 4": (
        llama(FALLBACK), ["<0xE5>", "<0x8F>", "<0xAB>"], "叫"
    ),
    "test_decoders.py TestByteFallback, 5": (
        llama(FALLBACK), ["<0xE5>", "<0x8F>", "<0xAB>", "a"], "叫a"
    ),
    "test_decoders.py TestFuse, TestReplace": (llama(FALLBACK), ["My", "▁na", "me"], "My name"),
    "test_decoders.py TestBPEDecoder": (
        with_ends(["My</w>", "na", "me</w>", "is</w>", "Jo", "hn</w>"]),
        ["My</w>", "na", "me</w>", "is</w>", "Jo", "hn</w>"], "My name is John",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("tokenizer", "tokens", "text"), DECODED.values(), ids=DECODED)
def test_decoded_tokens(tmp_path, tokenizer, tokens, text):
    theirs, ours = loaded(tokenizer, tmp_path)
    ids = [theirs.token_to_id(token) for token in tokens]
    assert ours.decode(ids, "replace") == theirs.decode(ids, skip_special_tokens=False) == text
    assert "".join(ours.decode_stream(ids, "replace")) == text
    assert ours.decode(np.array(ids), "replace") == ours.decode_batch([ids], "replace")[0] == text


def test_decoding_token_by_token(tmp_path):  # test_tokenizer.py test_decode, test_decode_special
    theirs, ours = loaded(byte_level(["my", "Ġname", "Ġis", "Ġjohn", "pair"], ["<s>"]), tmp_path)
    ids = [theirs.token_to_id(token) for token in ("my", "Ġname", "Ġis", "Ġjohn")]
    pair = [theirs.token_to_id("pair")]
    assert ours.decode(ids) == theirs.decode(ids) == "my name is john"
    both = ["my name is john", "pair"]
    assert ours.decode_batch([ids, pair]) == theirs.decode_batch([ids, pair]) == both
    stream = decoders.DecodeStream(skip_special_tokens=False)
    there = [stream.step(theirs, number) for number in ids]
    assert list(ours.decode_stream(ids)) == there == ["my", " name", " is", " john"]
    marked = [theirs.token_to_id("<s>"), *ids]
    assert ours.decode(marked) == theirs.decode(marked, skip_special_tokens=False)
    assert ours.decode(marked, skip_special=True) == theirs.decode(marked) == "my name is john"


def test_decoding_bytes_one_by_one(tmp_path):  # test_tokenizer.py test_decode_stream
    vocab = [("<unk>", 0.0), ("<0x20>", -0.1), ("<0xC3>", -0.2), ("<0xA9>", -0.3)]
    tokenizer = tokenizers.Tokenizer(models.Unigram(vocab, 0, byte_fallback=True))
    tokenizer.decoder = decoders.ByteFallback()
    theirs, ours = loaded(tokenizer, tmp_path)
    stream = decoders.DecodeStream(skip_special_tokens=False)
    assert [stream.step(theirs, number) for number in (1, 2, 3)] == [" ", None, "é"]
    assert list(ours.decode_stream([1, 2, 3])) == [" ", "é"]

    vocab = [("<unk>", 0.0), ("▁This", -0.1)]
    tokenizer = tokenizers.Tokenizer(models.Unigram(vocab, 0, byte_fallback=False))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    theirs, ours = loaded(tokenizer, tmp_path)
    stream = decoders.DecodeStream(skip_special_tokens=False)
    assert [stream.step(theirs, number) for number in (1, 1)] == ["This", " This"]
    assert list(ours.decode_stream([1, 1])) == ["This", " This"]


NAMES = ["My", "Ġname", "Ġis", "ĠJohn", "ĠGeorges"]


@pytest.mark.parametrize("form", [list, tuple, np.array, iter])
def test_batches(tmp_path, form):  # test_tokenizer.py test_encode_formats
    theirs, ours = loaded(byte_level(NAMES), tmp_path)
    texts = ["My name is John", "My name is Georges"]
    there = [encoding.ids for encoding in theirs.encode_batch(texts)]
    assert ours.encode_batch(form(texts)) == there
    assert [theirs.id_to_token(n) for n in there[1]] == [*NAMES[:3], NAMES[4]]
    with pytest.raises(InputError, match="texts is a single text: give"):
        ours.encode_batch(texts[0])


def test_many_threads_share_an_encoder(tmp_path):  # test_multithreaded_concurrency
    theirs, ours = loaded(byte_level(["my", "Ġname", "Ġis", "Ġjohn"]), tmp_path)
    batches = [[f"my name is {name} " * 50] * 20 for name in ("john", "paul", "ringo")]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(ours.encode_batch, batches * 10))
    there = [[encoding.ids for encoding in theirs.encode_batch(batch)] for batch in batches]
    assert results == there * 10
    again = pickle.loads(pickle.dumps(ours))  # test_multiprocessing_with_parallelism
    assert [again.encode_batch(batch) for batch in batches] == there


@pytest.mark.parametrize(("most", "length"), [(None, None), (2, None), (2, 4), (3, 3)])
def test_rows_for_a_model(tmp_path, most, length):  # test_truncation, test_padding
    theirs, ours = loaded(byte_level(["my", "Ġname", "Ġis", "Ġjohn"], ["[PAD]"]), tmp_path)
    pad = theirs.token_to_id("[PAD]")
    texts = ["my name", "my name is john", ""]
    if most:
        theirs.enable_truncation(most)
    for side in ("right", "left"):
        theirs.enable_padding(pad_id=pad, direction=side)
        there = [encoding.ids for encoding in theirs.encode_batch(texts)]
        rows = ours.encode_batch_padded(texts, pad=pad, max_length=most, side=side)
        assert rows.tolist() == there


def test_special_tokens_and_their_ids(tmp_path):  # added_tokens.rs add_tokens, test_get_vocab
    tokenizer = byte_level([])
    tokenizer.add_special_tokens(["<cls>", "<sep>"])
    tokenizer.add_tokens(["hello", "world", "hello"])
    theirs, ours = loaded(tokenizer, tmp_path)
    added = {token.content: n for n, token in theirs.get_added_tokens_decoder().items()}
    assert ours.vocabulary.special == added == {
        "<cls>": 256, "<sep>": 257, "hello": 258, "world": 259
    }  # fmt: skip
    assert len(ours.vocabulary.id_of) + len(ours.vocabulary.special) == theirs.get_vocab_size()


RELATED = ["re", "at", "ed", "un", "ated", "rel", "related", "unrelated"]
MERGES = [("r", "e"), ("a", "t"), ("e", "d"), ("u", "n"), ("at", "ed"), ("re", "l"),
          ("rel", "ated"), ("un", "related")]  # fmt: skip


def test_dropout(tmp_path):  # bpe/model.rs test_tokenize_with_and_without_dropout
    vocab = {piece: place for place, piece in enumerate([*"unrelatd", *RELATED])}
    theirs, ours = loaded(tokenizers.Tokenizer(models.BPE(vocab, MERGES)), tmp_path)
    assert ours.encode("unrelated") == theirs.encode("unrelated").ids == [15]
    assert ours.sampling(seed=0, dropout=0.0).encode("unrelated") == [15]
    theirs.model.dropout = 1.0
    letters = [0, 1, 2, 3, 4, 5, 6, 3, 7]
    assert theirs.encode("unrelated").ids == letters
    assert ours.sampling(seed=0, dropout=1.0).encode("unrelated") == letters
    drawn = [ours.sampling(seed=seed, dropout=0.5).encode("unrelated") for seed in range(20)]
    assert all(1 <= len(ids) <= 9 and ours.decode_bytes(ids) == b"unrelated" for ids in drawn)
    assert len(set(map(tuple, drawn))) > 1


@pytest.mark.long
@pytest.mark.parametrize("theta", [0.0, 0.01, 0.5, 0.7, 1.0])
def test_sampled_segmentations(tmp_path, theta):  # tests/unigram.rs test_sample
    scores = {"A": 1.0, "B": 1.2, "C": 1.5, "AB": 1.6, "BC": 1.7, "ABC": 1.8}
    model = models.Unigram([("<unk>", 0.0), *scores.items()], 0)
    _, ours = loaded(tokenizers.Tokenizer(model), tmp_path)
    ways = {"A B C": 3.7, "AB C": 3.1, "A BC": 2.7, "ABC": 1.8}
    weights = {way: math.exp(theta * score) for way, score in ways.items()}
    pieces = ["<unk>", *scores]
    drawn = ours.sampling(seed=1, alpha=theta).encode_batch(["ABC"] * 10_000)
    found = [" ".join(pieces[number] for number in ids) for ids in drawn]
    assert set(found) == set(weights)
    for way, weight in weights.items():
        assert abs(found.count(way) / 10_000 - weight / sum(weights.values())) < 0.03


def test_a_list_of_merges(tmp_path):  # bpe/model.rs test_bpe_from_file and its errors
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1, "c": 2, "ab": 3}')
    merges = tmp_path / "merges.txt"
    merges.write_text("#version: 0.2\na b")
    theirs = models.BPE.from_file(str(tmp_path / "vocab.json"), str(merges))
    ids = [token.id for token in theirs.tokenize("abc")]
    assert Encoder(Vocabulary.load(tmp_path)).encode("abc") == ids
    for line, message in (("a d", "'ad' is not a token"), ("c", "two parts of a merge")):
        merges.write_text(f"#version: 0.2\na b\n{line}")
        with pytest.raises(Exception, match=r"Merges text file invalid|out of vocabulary"):
            models.BPE.from_file(str(tmp_path / "vocab.json"), str(merges))
        with pytest.raises(InputError, match=message):
            Vocabulary.load(tmp_path)


BPE = {
    "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
    "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": True,
    "vocab": {"<unk>": 0, "a": 1, "b": 2, "ab": 3},
}  # fmt: skip
FEW = {"vocab": {"<unk>": 0, "a": 1, "b": 2}, "merges": []}
UNIGRAM = {"type": "Unigram", "byte_fallback": False}
FILES = {
    "models/mod.rs serialization, legacy": BPE | {"merges": ["a b"]},
    "models/mod.rs serialization": BPE | {"merges": [["a", "b"]]},
    "models/mod.rs serialization, no type": {
        key: value for key, value in BPE.items() if key != "type"
    } | {"merges": ["a b"]},
    "bpe/serialization.rs test_serialization_ignore_merges": BPE | FEW,
    "bpe/serialization.rs test_serialization_ignore_merges, false": {
        key: value for key, value in (BPE | FEW).items() if key != "ignore_merges"
    },
    "unigram/serialization.rs test_serialization": UNIGRAM | {
        "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -0.5]]
    },
    "unigram/serialization.rs test_serialization_unk_id_not_zero": UNIGRAM | {
        "unk_id": 1, "vocab": [["a", -0.5], ["<unk>", 0.0]]
    },
    "wordpiece/serialization.rs serde": {
        "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "a": 1, "##b": 2},
    },
}  # fmt: skip


@pytest.mark.parametrize("model", FILES.values(), ids=FILES)
def test_files(tmp_path, model):
    theirs, ours = loaded({"model": model}, tmp_path)
    for text in ("", "a", "ab", "aab", "ba", "ca", "cc", "aba"):
        assert ours.encode(text) == theirs.encode(text).ids


def test_a_model_without_an_unknown_token(tmp_path):  # test_serialization_no_unk_id
    model = UNIGRAM | {"unk_id": None, "vocab": [["a", -0.5]]}
    theirs, ours = loaded({"model": model}, tmp_path)
    assert ours.encode("aa") == theirs.encode("aa").ids == [0, 0]
    with pytest.raises(Exception, match="unknown token"):
        theirs.encode("b")
    with pytest.raises(InputError, match="byte 0x62, in the word 'b', has no id"):
        ours.encode("b")


@pytest.mark.parametrize("merge", ["a b c", "a", ["a"], ["a", "b", "c"]])
def test_a_merge_that_is_no_pair(tmp_path, merge):  # models/mod.rs serialization, invalid
    with pytest.raises(Exception, match="at line 1 column"):
        tokenizers.Tokenizer.from_str(
            json.dumps({"version": "1.0", "model": BPE | {"merges": [merge]}})
        )
    (tmp_path / "t.json").write_text(json.dumps({"model": BPE | {"merges": [merge]}}))
    with pytest.raises(InputError, match=r"its merge '(a|a b c)' does not have two"):
        Vocabulary.load(tmp_path / "t.json")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        # wordlevel/mod.rs, bpe/model.rs test_bpe_with_continuing_subword_prefix and
        # test_ignore_merges, true; test_models.py
        (models.WordLevel({"<unk>": 0, "a": 1}, unk_token="<unk>"), "WordLevel"),
        (models.BPE({"a": 0}, [], continuing_subword_prefix="##"), "continuing_subword_prefix"),
        (models.BPE({"a": 0}, [], dropout=0.5), "dropout"),
        (models.BPE({"a": 0, "b": 1, "ab": 2}, [], ignore_merges=True), "ignore_merges"),
    ],
)
def test_models_that_are_refused(tmp_path, model, message):
    with pytest.raises(InputError, match=message):
        loaded(tokenizers.Tokenizer(model), tmp_path)
