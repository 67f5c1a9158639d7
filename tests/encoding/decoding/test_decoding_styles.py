"""Ids become text as in the library that a vocabulary comes from, whole and piece by piece."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from partcover import Encoder, InputError, Vocabulary, export
from partcover.vocabulary.decoding import Decoding

LETTERS = ["<unk>", "<s>", "</s>", "▁", "▁a", "a", "b", "é", "▁▁", ".", "▁b"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def drawn(ids, number=300):
    """Lists of ids, with many bytes above ASCII."""
    draw = random.Random(3)
    return [[draw.choice(ids) for _ in range(draw.randrange(9))] for _ in range(number)]


def compare(encoder, ids, there, **options):
    for listed in drawn(ids):
        here = encoder.decode(listed, "replace", **options)
        assert here == there(listed), listed
        assert "".join(encoder.decode_stream(listed, "replace", **options)) == here


@pytest.mark.parametrize(("front", "metaspace"), [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1)])
def test_byte_fallback(tmp_path, front, metaspace):
    tokenizers = pytest.importorskip("tokenizers")
    vocab = {text: number for number, text in enumerate([*LETTERS, *BYTES])}
    steps = [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
             {"type": "ByteFallback"}, {"type": "Fuse"},
             {"type": "Strip", "content": " ", "start": front, "stop": 0}]  # fmt: skip
    data = {
        "version": "1.0",
        "added_tokens": [
            {"id": number, "content": text, "single_word": False, "lstrip": False,
             "rstrip": False, "normalized": False, "special": True}
            for number, text in enumerate(LETTERS[:3])
        ],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": None,
        "decoder": {"type": "Sequence", "decoders": steps},
        "model": {"type": "BPE", "vocab": vocab, "merges": [], "unk_token": "<unk>",
                  "fuse_unk": True, "byte_fallback": True},
    }  # fmt: skip
    if metaspace:  # whose space in front is one of those that are left out
        data |= {"normalizer": None, "pre_tokenizer": {
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True,
        }}  # fmt: skip
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    own = tokenizers.Tokenizer.from_str(json.dumps(data))
    vocabulary = Vocabulary.load(tmp_path / "tokenizer.json")
    assert vocabulary.decoding.style == "byte_fallback"
    again = Vocabulary.from_json(vocabulary.to_json())
    assert again.decoding == vocabulary.decoding
    encoder = Encoder(again)
    ids = [*range(12), *range(60, 64), *range(len(LETTERS) + 0x80, len(vocab))]
    assert encoder.decode([len(LETTERS) + 0xE6, len(LETTERS) + 0x9C], "replace") == "\ufffd" * 2
    for skip in (False, True):
        compare(
            encoder, ids, lambda listed, skip=skip: own.decode(listed, skip_special_tokens=skip),
            skip_special=skip,
        )  # fmt: skip


def test_bytes_in_place_of_characters_without_those_of_all(tmp_path):
    # Gemma has a tab, and no <0x09>
    tokenizers = pytest.importorskip("tokenizers")
    names = [*LETTERS, "\t", *BYTES[:9], *BYTES[10:]]
    data = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"},
        ]},
        "model": {"type": "BPE", "vocab": {name: number for number, name in enumerate(names)},
                  "merges": [], "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True},
    }  # fmt: skip
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    own = tokenizers.Tokenizer.from_str(json.dumps(data))
    encoder = Encoder(Vocabulary.load(tmp_path / "tokenizer.json"))
    text = "\ta\x00 é\u0301日"
    assert encoder.encode(text) == own.encode(text).ids
    ids = [*range(12), *map(names.index, ["<0x61>", *BYTES[0x80:]])]
    compare(encoder, ids, lambda listed: own.decode(listed, skip_special_tokens=False))


@pytest.mark.parametrize("extra", [False, True])
@pytest.mark.parametrize("fallback", [False, True])
def test_sentencepiece(tmp_path, fallback, extra):
    sentencepiece = pytest.importorskip("sentencepiece")
    from partcover.interop.sentencepiece.proto import BPE, BYTE, CONTROL, UNKNOWN, new_model

    model = new_model()
    kinds = {"<unk>": UNKNOWN, "<s>": CONTROL, "</s>": CONTROL}
    for number, text in enumerate(LETTERS + (BYTES if fallback else [])):
        kind = BYTE if text in BYTES else kinds.get(text, 1)
        model.pieces.add(piece=text, score=-number, type=kind)
    model.trainer_spec.model_type = BPE
    model.trainer_spec.byte_fallback = fallback
    model.normalizer_spec.remove_extra_whitespaces = extra
    model.normalizer_spec.name = "identity"
    (tmp_path / "v.model").write_bytes(model.SerializeToString())
    own = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
    encoder = Encoder(Vocabulary.load(tmp_path / "v.model"))
    assert encoder.decode([0, 0], skip_special=True) == " \u2047  \u2047 "
    ids = [*range(len(LETTERS)), *(range(len(LETTERS) + 0x80, len(own)) if fallback else ())]
    ids += [len(LETTERS) + 0x20, len(LETTERS) + 0x41] if fallback else []
    compare(encoder, ids, own.decode, skip_special=True)


@pytest.mark.parametrize("cleanup", [False, True])
def test_word_pieces(tmp_path, cleanup):
    tokenizers = pytest.importorskip("tokenizers")
    pieces = ["[UNK]", "[SEP]", "a", "##a", ".", "##.", "n't", "!", "b", "'", ","]
    model = tokenizers.models.WordPiece({p: n for n, p in enumerate(pieces)}, unk_token="[UNK]")
    own = tokenizers.Tokenizer(model)
    own.add_special_tokens(["[UNK]", "[SEP]"])
    own.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    own.decoder = tokenizers.decoders.WordPiece(cleanup=cleanup)
    own.save(str(tmp_path / "tokenizer.json"))
    encoder = Encoder(Vocabulary.load(tmp_path / "tokenizer.json"))
    for skip in (False, True):
        compare(
            encoder, range(len(pieces)),
            lambda listed, skip=skip: own.decode(listed, skip_special_tokens=skip),
            skip_special=skip,
        )  # fmt: skip
    for text in ("▁", "▁a", "a ▁a", "▁▁"):  # a ▁ in a text is no beginning of a word
        assert encoder.encode(text) == own.encode(text).ids


@pytest.mark.parametrize("first", [False, True])
def test_offsets_without_spaces(first):
    tokenizers = pytest.importorskip("tokenizers")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", "Ġ"), ("Ġ", "a"), ("a", "Ġ"), ("ĠĠ", "Ġ")]
    vocab = {piece: n for n, piece in enumerate([*alphabet, *map("".join, merges)])}
    own = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, merges))
    own.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(False, use_regex=False)
    own.post_processor = tokenizers.processors.ByteLevel(add_prefix_space=first)
    pairs = [(b" ", b" "), (b" ", b"a"), (b"a", b" "), (b"  ", b" ")]
    tokens = [left + right for left, right in pairs]
    vocabulary = Vocabulary(tokens, rule="merges", merges=pairs, pretokenizer="none")
    trim = "later_spaces" if first else "spaces"
    for text in ("a a", " a", "  a", " a ", "é  a\n a", "   a", " ", "  ", ""):
        _, offsets = Encoder(vocabulary).encode_with_offsets(text, unit="chars", trim=trim)
        assert offsets == own.encode(text).offsets
    with pytest.raises(InputError, match="unknown trim 'all'"):
        Encoder(vocabulary).encode_with_offsets("a", trim="all")


@pytest.mark.parametrize("kind", ["text", "bytes", "words"])
def test_without_a_decoder_tokens_are_separated(tmp_path, kind):
    tokenizers = pytest.importorskip("tokenizers")
    pieces = ["[UNK]", "[SEP]", "a", "##a", "é", "ab", "b", "▁b", "##", "Ġa", "Ã", "©"]
    vocab = {piece: number for number, piece in enumerate(pieces)}
    if kind == "words":
        model = tokenizers.models.WordPiece(vocab, unk_token="[UNK]")
    else:
        model = tokenizers.models.BPE(vocab, [("a", "b")], unk_token="[UNK]")
    own = tokenizers.Tokenizer(model)
    own.add_special_tokens(["[UNK]", "[SEP]"])
    own.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    if kind == "bytes":
        own.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    own.save(str(tmp_path / "tokenizer.json"))
    vocabulary = Vocabulary.load(tmp_path / "tokenizer.json")
    remark = "it has no decoder: tokens are decoded with spaces between them, as in the library"
    assert remark in vocabulary.provenance["remarks"]
    again = Vocabulary.from_json(vocabulary.to_json())
    assert again.decoding == vocabulary.decoding
    encoder = Encoder(again)
    for skip in (False, True):
        compare(
            encoder, range(len(pieces)),
            lambda listed, skip=skip: own.decode(listed, skip_special_tokens=skip),
            skip_special=skip,
        )  # fmt: skip
    assert encoder.decode_bytes(encoder.encode("ab")).strip() == b"ab"
    with pytest.raises(InputError, match="id 99, number 1 of the ids, is not in the vocabulary"):
        encoder.decode([2, 99])
    for changed in (again, again.with_(provenance={})):  # as its file, and as it would be written
        target = tmp_path / f"{len(changed.provenance)}"
        export(changed, target, "huggingface", lossy=True)
        exported = tokenizers.Tokenizer.from_file(str(target / "tokenizer.json"))
        ids = [number for number in again.id_of if number >= 0]
        for listed in drawn(ids, 50):
            assert exported.decode(listed) == encoder.decode(listed)


@pytest.mark.parametrize("stripped", [False, True])
def test_white_space_at_the_ends(stripped):
    decoding = Decoding(stripped=stripped)
    encoder = Encoder(Vocabulary(["ab "], pretokenizer="none", decoding=decoding))
    for listed in drawn([256, 32, 10, 0x1C, 0x61, 0xC2, 0x85, 0xA0, 0xFF]):
        text = encoder.decode_bytes(listed).decode("utf-8", "replace")
        compared = text.strip() if stripped else text
        assert encoder.decode(listed, "replace") == compared
        assert "".join(encoder.decode_stream(listed, "replace")) == compared


@pytest.mark.parametrize(
    "wrong",
    [{"style": "other"}, {"front_spaces": -1}, {"front_spaces": True}, {"cleanup": 1},
     {"stripped": 0}, {"continuing": 3}, {"shown": {"a": 1}}, {"shown": []}, {"more": 1}, []],
)  # fmt: skip
def test_what_is_no_way_to_decode_is_refused(wrong):
    data = {**Vocabulary(["ab"]).to_json(), "decoding": wrong}
    with pytest.raises(InputError, match="decoding"):
        Vocabulary.from_json(data)
    assert Decoding.from_json(Decoding().to_json()) == Decoding()
    for name in set(wrong) - {"more"}:
        with pytest.raises(InputError, match=f"^{name} of decoding is"):
            replace(Decoding(shown={"a": "b"}), **wrong)
