"""Edge cases of models over text, as Llama 2's, Gemma's, T5's and BERT's: asked of both sides."""

from __future__ import annotations

import json
import random

import pytest
from encoding.both import LONG, ODD, SCRIPTS, WHITE, loaded

tokenizers = pytest.importorskip("tokenizers")
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers  # noqa: E402

MARKED = normalizers.Replace(" ", "▁")
SPACED = decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()


def character_bpe(normalizer, pre_tokenizer, decoder):
    """BPE over characters with byte fallback."""
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.normalizer, tokenizer.decoder = normalizer, decoders.Sequence(list(decoder))
    names = ["<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=names, show_progress=False)
    tokenizer.train_from_iterator([SCRIPTS], trainer)
    data = json.loads(tokenizer.to_str())
    data["added_tokens"] = data["added_tokens"][:2]
    data["model"] |= {"byte_fallback": True, "fuse_unk": True}
    data["pre_tokenizer"] = pre_tokenizer
    return data


def llama():
    front = normalizers.Sequence([normalizers.Prepend("▁"), MARKED])
    return character_bpe(front, None, [*SPACED, decoders.Strip(" ", 1, 0)])


def gemma():
    split = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious"}
    return character_bpe(MARKED, split | {"invert": False}, SPACED)


def unigram(*before, scheme="always", normalizer=None):
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    mark = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*before, mark]) if before else mark
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    trainer = trainers.UnigramTrainer(
        vocab_size=300, special_tokens=["<unk>", "<s>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator([SCRIPTS], trainer)
    return tokenizer


def bert():
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    names = ["[UNK]", "<s>"]
    trainer = trainers.WordPieceTrainer(vocab_size=600, special_tokens=names, show_progress=False)
    tokenizer.train_from_iterator([SCRIPTS], trainer)
    return tokenizer


MADE = {
    "llama": llama,
    "gemma": gemma,
    "t5": lambda: unigram(pre_tokenizers.WhitespaceSplit()),
    "t5, NFKC": lambda: unigram(pre_tokenizers.WhitespaceSplit(), normalizer=normalizers.NFKC()),
    "first": lambda: unigram(scheme="first"),
    "never": lambda: unigram(scheme="never"),
    "bert": bert,
}


@pytest.fixture(scope="module", params=MADE)
def pair(request, tmp_path_factory):
    """Both sides, and whether a character is never put together of several."""
    own = loaded(MADE[request.param](), tmp_path_factory.mktemp("text"))
    return *own, "NFKC" not in request.param


def same(pair, texts):
    theirs, ours, apart = pair
    for text, there in zip(
        texts, theirs.encode_batch(texts, add_special_tokens=False), strict=True
    ):
        ids, spans = ours.encode_with_offsets(text, unit="chars", special="parse")
        assert ids == there.ids == ours.encode(text, special="parse")
        if apart:  # é of e and a mark stands for both here, and for the e there
            assert spans == there.offsets
        decoded = theirs.decode(ids, skip_special_tokens=False)
        assert ours.decode(ids, "replace") == decoded
        assert "".join(ours.decode_stream(ids, "replace")) == decoded


@pytest.mark.parametrize("around", ["{}", "a{}b", "{}<s>{}"])
def test_runs_of_white_space(pair, around):
    runs = [part * count for part in WHITE for count in (1, 2, 3, 7, 100)]
    same(pair, [around.format(run, run) for run in runs])


def test_odd_texts(pair):
    same(pair, ODD)


@pytest.mark.long
def test_long_words(pair):
    # WordPiece takes words of 100 characters
    same(pair, [part * count for part in LONG for count in (99, 100, 101, 2000)])


@pytest.mark.long
def test_texts_of_everything(pair):
    draw = random.Random(0)
    parts = [*WHITE, *LONG, *ODD, "hello", "World", "don't", "123", "<s>", "##a"]
    if pair[1].rule != "longest_match":  # a word that begins with ▁ gets no mark, a remark says
        parts.append("▁")
    same(pair, ["".join(draw.choices(parts, k=draw.randint(1, 12))) for _ in range(300)])
