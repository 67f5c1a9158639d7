"""Models of sentencepiece's kind in a tokenizer.json give the library's ids of any text."""

import base64

import hypothesis.strategies as st
import pytest
from hypothesis import given
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary

tokenizers = pytest.importorskip("tokenizers")
models, normalizers = tokenizers.models, tokenizers.normalizers
pre_tokenizers = tokenizers.pre_tokenizers

TEXTS = st.text(st.sampled_from("ab  ▁éﬁⅧ日😀\t\n1\u0301\x01") | st.characters(codec="utf-8"))
PIECES = ["a", "b", "▁", "é", "fi", "V", "I", "▁a", "ab", "▁▁", "日", "▁ab", "II", "b▁"]


@pytest.fixture(scope="module")
def charsmap(tmp_path_factory):
    """Sentencepiece's own map nmt_nfkc."""
    spm = pytest.importorskip("sentencepiece")
    folder = tmp_path_factory.mktemp("map")
    (folder / "c.txt").write_text("a b\n" * 9)
    spm.SentencePieceTrainer.train(
        input=str(folder / "c.txt"), model_prefix=str(folder / "m"), vocab_size=5,
        model_type="char", minloglevel=2,
    )  # fmt: skip
    from partcover.interop.sentencepiece.read import parse

    return parse(folder / "m.model").normalizer_spec.precompiled_charsmap


WAYS = ["always", "first", "never", "xlm-roberta", "llama", "gemma", "whole"]


def tokenizer_of(way, charsmap, model):
    tokenizer = tokenizers.Tokenizer(model)
    steps = []
    if charsmap is not None:
        steps.append(normalizers.Precompiled(charsmap))
    if way in ("always", "first", "never", "whole"):
        steps += [
            normalizers.Strip(False, True),
            normalizers.Replace(tokenizers.Regex(" {2,}"), "▁"),
        ]
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
            prepend_scheme="always" if way == "whole" else way, split=way != "whole"
        )
    elif way == "xlm-roberta":
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )
    else:
        steps += [normalizers.Prepend("▁")] * (way == "llama") + [normalizers.Replace(" ", "▁")]
        if way == "gemma":
            tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.normalizer = normalizers.Sequence(steps)
    return tokenizer


@tries(80)
@given(
    st.sampled_from(WAYS), st.booleans(), st.booleans(), st.sampled_from(["unigram", "bpe", "one"]),
    st.lists(TEXTS, min_size=1, max_size=5), st.lists(st.sampled_from(PIECES), unique=True),
)  # fmt: skip
def test_ids_are_the_librarys(
    tmp_path_factory, charsmap, way, mapped, fallback, kind, texts, chosen
):
    names = ["<unk>", *chosen, *(f"<0x{b:02X}>" for b in range(256) if fallback)]
    if kind == "unigram":
        # sums of eighths are exact, so that no reader of JSON matters
        scored = [(name, -(i * 7 % 13 + 1) / 8) for i, name in enumerate(names)]
        model = models.Unigram(scored, unk_id=0, byte_fallback=fallback)
    else:
        pairs = [(a, b) for a in chosen for b in chosen if a + b in chosen]
        model = models.BPE(
            {name: place for place, name in enumerate(names)}, pairs, unk_token="<unk>",
            fuse_unk=kind == "bpe", byte_fallback=fallback,
        )  # fmt: skip
    tokenizer = tokenizer_of(way, charsmap if mapped else None, model)
    path = tmp_path_factory.mktemp("running") / "t.json"
    tokenizer.save(str(path))
    vocabulary = Vocabulary.load(path)
    encoder = Encoder(vocabulary)
    for text in texts:
        ids = encoder.encode(text)
        assert ids == tokenizer.encode(text).ids
        assert encoder.encode_with_offsets(text)[0] == ids


def test_a_prefix_is_left_out_in_decoding(tmp_path):
    model = models.BPE({"<unk>": 0, "▁": 1, "a": 2}, [], unk_token="<unk>", fuse_unk=True)
    for way, back in (("llama", " a a"), ("gemma", " a a"), ("always", "a a")):
        tokenizer_of(way, None, model).save(str(tmp_path / "t.json"))
        encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
        assert encoder.decode_bytes(encoder.encode(" a a")).decode() == back


def test_a_broken_map_is_one_line(tmp_path):
    model = models.BPE({"a": 0}, [])
    tokenizer_of("llama", None, model).save(str(tmp_path / "t.json"))
    broken = base64.b64encode(b"\x08\0\0\0").decode()
    content = (tmp_path / "t.json").read_text()
    step = '{"type": "Precompiled", "precompiled_charsmap": "' + broken + '"},'
    at = content.index("[", content.index('"normalizers"')) + 1
    (tmp_path / "t.json").write_text(content[:at] + step + content[at:])
    with pytest.raises(InputError, match="the normalizer's character map"):
        Vocabulary.load(tmp_path / "t.json")


@tries(100)
@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_unknown_characters_in_a_row_have_one_place(tmp_path_factory, texts):
    names = ["<unk>", "a", "b", "▁", "é", "▁a", "日", *(f"<0x{byte:02X}>" for byte in range(256))]
    model = models.Unigram([(name, -1.0) for name in names], unk_id=0, byte_fallback=True)
    own = tokenizers.Tokenizer(model)
    own.pre_tokenizer = pre_tokenizers.Metaspace()
    decoders = tokenizers.decoders
    own.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Fuse(), decoders.Replace("▁", " "),
         decoders.Strip(" ", 1, 0)]
    )  # fmt: skip
    path = tmp_path_factory.getbasetemp() / "tokenizer.json"
    own.save(str(path))
    encoder = Encoder(Vocabulary.load(path))
    for text in texts:
        there = own.encode(text)
        assert encoder.encode_with_offsets(text, unit="chars") == (there.ids, there.offsets)
