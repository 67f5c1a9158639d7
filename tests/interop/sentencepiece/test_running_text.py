"""Models that sentencepiece trains give its ids of any text."""

import random
from functools import partial

import pytest

from partcover import Encoder, Vocabulary, export

spm = pytest.importorskip("sentencepiece")

LINES = [
    "the cat sat on the mat, 1984 times",
    "café — ﬁne naïve Ⅷ the hat",
    "日本語 한국 the sat  on",
    "x = [f(a)  for a in b]  # 12",
    "ελληνικά и кириллица",
] * 12
PARTS = ["the", "cat", " ", "  ", "▁", "é", "e\u0301", "ﬁ", "日", "語", "한", "1", "84", "😀", "\t",
         "\n", "X", "\u200b", "@@", "ั", "sat", "ж", "\0"]  # fmt: skip
KINDS = {
    "t5": {},
    "lower": {"normalization_rule_name": "nfkc_cf", "split_digits": True},
    "bytes": {"byte_fallback": True, "normalization_rule_name": "identity", "vocab_size": 400},
    "bare": {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
    "suffix": {"treat_whitespace_as_suffix": True},
    "own": {"user_defined_symbols": "@@,the,@@the,▁sat,X", "normalization_rule_name": "identity"},
    "code": {"remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True},
}


def texts():
    draw = random.Random(5)
    return [*LINES[:5], "", " ", *("".join(draw.choices(PARTS, k=12)) for _ in range(300))]


@pytest.fixture(params=["unigram", "bpe", "char"])
def train(request, tmp_path):
    (tmp_path / "c.txt").write_text("\n".join(LINES))

    def trained(**options):
        spm.SentencePieceTrainer.train(
            input=str(tmp_path / "c.txt"), model_prefix=str(tmp_path / "m"), minloglevel=2,
            model_type=request.param, hard_vocab_limit=False, **{"vocab_size": 150, **options},
        )  # fmt: skip
        return request.param, tmp_path / "m.model"

    return trained


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_ids_are_the_librarys(train, name):
    kind, path = train(**KINDS[name])
    vocabulary = Vocabulary.load(path)
    encoder, processor = Encoder(vocabulary), spm.SentencePieceProcessor(model_file=str(path))
    proto = partial(processor.encode, return_type="proto")
    for text in texts():
        ids, theirs = encoder.encode(text), processor.encode(text)
        assert ids == theirs, text
        assert encoder.count(text) == len(ids)
        assert encoder.decode_batch([ids], "replace") == [processor.decode(ids)]
        places = encoder.encode_with_offsets(text)[1]
        for place, piece in zip(places, proto(text).pieces, strict=True):
            # of the pieces of one character only the last one has a place there
            assert place == (piece.begin, piece.end) or piece.begin == piece.end, text
            assert place[0] <= piece.begin <= piece.end <= place[1], text
    saved = path.with_name("v.json")
    vocabulary.save(saved)
    assert Vocabulary.load(saved) == vocabulary
    if kind != "char":
        again = path.with_name("again.model")
        export(vocabulary, again, "sentencepiece", lossy=True)
        assert Vocabulary.load(again).with_(provenance={}) == vocabulary.with_(provenance={})
