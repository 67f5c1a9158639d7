"""Decoding follows the file's decoder, or a remark says that it does not."""

from __future__ import annotations

import pytest

from partcover import Encoder, Vocabulary

tokenizers = pytest.importorskip("tokenizers")
D, N, P = tokenizers.decoders, tokenizers.normalizers, tokenizers.pre_tokenizers
MARKS = [D.Replace("▁", " "), D.Fuse(), D.Strip(" ", 1, 0)]


def unigram(path, *pieces, added=(), **steps):
    """A Unigram model of these pieces over text, and what partcover reads of it."""
    listed = [("<unk>", 0.0), *((piece, -1.0) for piece in pieces)]
    own = tokenizers.Tokenizer(tokenizers.models.Unigram(listed, 0, False))
    own.add_special_tokens(["<unk>"])
    return saved(own, path, added, steps)


def bpe(path, added=(), **steps):
    """A BPE model over bytes without merges, and what partcover reads of it."""
    ids = {letter: number for number, letter in enumerate(sorted(P.ByteLevel.alphabet()))}
    own = tokenizers.Tokenizer(tokenizers.models.BPE(ids, []))
    own.pre_tokenizer = P.ByteLevel(add_prefix_space=False)
    return saved(own, path, added, {"decoder": D.ByteLevel(), **steps})


def saved(own, path, added, steps):
    for name, step in steps.items():
        setattr(own, name, step)
    for token in added:
        (own.add_special_tokens if token.special else own.add_tokens)([token])
    own.save(str(path))
    own = tokenizers.Tokenizer.from_file(str(path))
    encoder = Encoder(Vocabulary.load(path))
    remarks = encoder.vocabulary.provenance.get("remarks", [])
    return own, encoder, [line for line in remarks if "decode" in line]


def same(own, encoder, ids):
    for skip in (False, True):
        there = own.decode(ids, skip_special_tokens=skip)
        assert encoder.decode(ids, "replace", skip_special=skip) == there
        assert "".join(encoder.decode_stream(ids, "replace", skip_special=skip)) == there


@pytest.mark.parametrize(
    ("decoder", "names"),
    [
        (D.ByteLevel(), "ByteLevel"),
        (D.WordPiece(), "WordPiece"),
        (D.Replace("▁", " "), "Replace"),
        (D.Metaspace(), "Metaspace"),
        (D.Sequence([D.Strip(" ", 1, 0), D.Fuse()]), "Strip, Fuse"),
    ],
    ids=str,
)
def test_the_decoder_of_another_tokenizer(tmp_path, decoder, names):
    own, encoder, remarks = unigram(tmp_path / "t.json", *"aß▁ ", decoder=decoder)
    remark = f"its decoder ({names}) is not followed: ids become the text that they came of"
    assert remarks == [remark]
    assert encoder.decode([1, 2]) == "aß"
    assert any(own.decode(ids) != encoder.decode(ids) for ids in ([1, 2], [3, 1], [4, 1]))


@pytest.mark.parametrize(
    ("marking", "decoder", "followed"),
    [
        (P.Metaspace("▁", "always"), D.Metaspace("▁", "always"), True),
        (P.Metaspace("▁", "first"), D.Metaspace("▁", "first"), True),
        (P.Metaspace("▁", "never"), D.Metaspace("▁", "never"), True),
        (P.Metaspace("▁", "never"), D.Metaspace("▁", "always"), True),
        (P.Metaspace("▁", "always"), D.Metaspace("▁", "never"), False),
        (P.Metaspace("▁", "always"), D.Metaspace("b", "always"), False),
        (P.Metaspace("▁", "always"), D.Sequence([D.Fuse(), D.Metaspace()]), False),
        (P.Metaspace("▁", "always"), D.Sequence(MARKS), True),
        (P.Metaspace("▁", "never"), D.Sequence(MARKS), True),
        (P.Metaspace("▁", "always"), D.Sequence(MARKS[:2]), False),
        (P.Metaspace("▁", "never"), D.Sequence(MARKS[:2]), True),
        (P.Metaspace("▁", "always"), D.Sequence([D.Fuse(), MARKS[2], MARKS[0]]), False),
        (P.Metaspace("▁", "never"), D.Fuse(), False),
    ],
    ids=str,
)
def test_marks_are_spaces_where_the_decoder_says_so(tmp_path, marking, decoder, followed):
    pieces = ["a", "b", "▁", "▁a"]
    own, encoder, remarks = unigram(
        tmp_path / "t.json", *pieces, pre_tokenizer=marking, decoder=decoder
    )  # fmt: skip
    assert (not remarks) == followed
    if followed:
        for ids in [[4, 2], [1, 4], [3, 3, 1], [3, 4, 2, 3], [0, 4]]:
            same(own, encoder, ids)


def test_a_first_token_with_several_marks(tmp_path):
    own, encoder, remarks = unigram(
        tmp_path / "t.json", "a", "▁", "▁▁", pre_tokenizer=P.Metaspace(), decoder=D.Metaspace()
    )
    assert "leaves out every ▁ of the first token" in remarks[0]
    assert own.decode([3, 1]) == "a"
    assert encoder.decode([3, 1]) == " a"
    same(own, encoder, [2, 3, 1])


def test_added_tokens_found_in_normalized_text(tmp_path):
    """The library decodes them as they are found, and then does not skip them."""
    token = tokenizers.AddedToken
    added = [
        token("[CLS]", normalized=True, special=True),
        token("[A]", normalized=True),
        token("[B]", normalized=False, special=True),
    ]
    own, encoder, remarks = unigram(
        tmp_path / "t.json", "a", "ß", added=added, normalizer=N.Lowercase(), decoder=D.Fuse()
    )
    assert not remarks
    assert own.decode([3, 1], skip_special_tokens=False) == "[cls]a"
    for ids in [[3, 1], [1, 4], [5, 1, 3]]:
        same(own, encoder, ids)


def test_added_tokens_spelled_like_bytes(tmp_path):
    token = tokenizers.AddedToken
    added = [token("éé", normalized=False), token("Éé", normalized=True), token("<m>")]
    own, encoder, remarks = bpe(tmp_path / "t.json", added, normalizer=N.Lowercase())
    assert not remarks
    assert own.decode([256]) == "\ufffd\ufffd"
    for ids in [[256, 64], [257], [258, 257]]:
        same(own, encoder, ids)
    own, encoder, remarks = bpe(tmp_path / "t.json", [token("éé", special=True)])
    assert remarks == ["the special token 'éé' is decoded by the library as '\ufffd\ufffd'"]
    assert encoder.decode([256]) == "éé"
    assert encoder.decode([256], skip_special=True) == own.decode([256]) == ""


def test_a_remark_says_how_a_token_that_merges_make_is_decoded(tmp_path):
    own = tokenizers.Tokenizer(tokenizers.models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    token = tokenizers.AddedToken("ab", normalized=True)
    steps = {"pre_tokenizer": P.ByteLevel(add_prefix_space=False), "decoder": D.ByteLevel()}
    steps["normalizer"] = N.Replace("b", "c")
    own, encoder, remarks = saved(own, tmp_path / "t.json", [token], steps)
    assert own.encode("ab").ids == encoder.encode("ab") == [2]
    assert (own.decode([2]), encoder.decode([2])) == ("ac", "ab")
    assert remarks == ["the added token 'ab' is decoded by the library as 'ac'"]


@pytest.mark.parametrize(
    "steps",
    [
        {"normalizer": N.Replace(" ", "▁")},
        {"normalizer": N.NFC(), "pre_tokenizer": P.Metaspace("▁", "never", False)},
    ],
)
def test_special_tokens_with_spaces_or_marks_are_skipped_as_there(tmp_path, steps):
    """The library skips them by their normalized text, in which marks are not always written."""
    texts = ("▁x", "x x", "x")
    tokens = [tokenizers.AddedToken(text, normalized=True, special=True) for text in texts]
    own, encoder, remarks = unigram(
        tmp_path / "t.json", "▁", "x", added=tokens, decoder=D.Sequence(MARKS[:2]), **steps
    )
    for number in range(own.get_vocab_size()):
        there = own.decode([1, number], skip_special_tokens=True)
        assert encoder.decode([1, number], skip_special=True) == there
    assert remarks == ["the special token '▁x' is decoded by the library as ' x'"]


def test_special_tokens_that_the_normalizer_spells_as_characters_are_kept(tmp_path):
    ids = {letter: number for number, letter in enumerate(sorted(P.ByteLevel.alphabet()))}
    own = tokenizers.Tokenizer(tokenizers.models.BPE(ids, []))
    tokens = [
        tokenizers.AddedToken(text, normalized=True, special=True) for text in ("éa", "a b", "<m>")
    ]
    steps = {"normalizer": N.ByteLevel(), "decoder": D.ByteLevel()}
    own, encoder, _ = saved(own, tmp_path / "t.json", tokens, steps)
    assert encoder.encode("a b<m>éa", special="parse") == own.encode("a b<m>éa").ids
    same(own, encoder, [257, 258, 256, 0])
    assert encoder.decode([256, 257, 258], skip_special=True) == "éaa b"
