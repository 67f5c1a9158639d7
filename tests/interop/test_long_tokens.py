"""Tokens of 200,000 bytes: each format takes them or refuses them, and none takes hours."""

from __future__ import annotations

import json

import pytest
from interop.cases import need

from partcover import InputError, Vocabulary, WordCounts, export
from partcover.interop.sentencepiece.proto import BPE, BYTE, UNKNOWN, model_proto
from partcover.verification.rule_recount import COUNTED, cut_by_rule

LONG = "ab" * 100_000
TOKENS = ["ab", "abab", LONG, "aba"]


@pytest.mark.parametrize("name", ["vocab-merges", "huggingface", "tiktoken", "list", "pathpiece"])
def test_long_tokens_go_out_and_come_back(tmp_path, name):
    rule = "shortest_path" if name in ("list", "pathpiece") else "merges"
    vocabulary = Vocabulary(TOKENS, rule=rule, pretokenizer="none")
    export(vocabulary, tmp_path / "v", name, lossy=True)
    read = Vocabulary.load(tmp_path / "v", format=name)
    assert LONG.encode() in read.tokens


@pytest.mark.long
def test_a_unigram_model_that_would_end_the_process_is_refused(tmp_path):
    need("tokenizers")
    path = tmp_path / "tokenizer.json"
    fits = Vocabulary(["a" * 8000, "é" * 2000, "ab"], pretokenizer="none")
    words = WordCounts.from_counts({"abab": 2, "é" * 2000: 1}, pretokenizer="none")
    assert export(fits, path, "huggingface", corpus=words).exact
    for rule in ("shortest_path", "likelihood"):
        scores = {"scores": [-1.0] * 4} if rule == "likelihood" else {}
        for token in ("a" * 8001, "é" * 2001, LONG):
            longer = Vocabulary([token, "ab", "ba", "aa"], rule=rule, pretokenizer="none", **scores)
            with pytest.raises(InputError, match="1 tokens of more than 8,000 bytes"):
                export(longer, path, "huggingface")
            export(longer, path, "huggingface", corpus=words, lossy=True)
            assert len(Vocabulary.load(path)) == 3


@pytest.mark.long
def test_a_long_token_is_not_written_into_a_unigram_model(tmp_path):
    """As `extend` may find one where a whole text is a word."""
    tokenizers = need("tokenizers")
    model = tokenizers.models.Unigram([("<unk>", 0.0), ("▁", -2.0), ("a", -1.0)], unk_id=0)
    own = tokenizers.Tokenizer(model)
    own.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(split=False)
    own.save(str(tmp_path / "own.json"))
    read = Vocabulary.load(tmp_path / "own.json")
    longer = read.with_(
        tokens=[*read.tokens, b"a" * 8001], ids=[*read.id_of, 3], scores=[*read.scores, -1.0]
    )
    with pytest.raises(InputError, match="1 tokens of more than 8,000 bytes"):
        export(longer, tmp_path / "to.json", "huggingface")
    export(longer, tmp_path / "to.json", "huggingface", lossy=True)
    assert Vocabulary.load(tmp_path / "to.json").tokens == read.tokens


@pytest.mark.long
def test_a_tokenizer_file_with_long_tokens_is_read(tmp_path):
    vocab = {chr(97 + place): place for place in range(26)}
    for token in (*TOKENS, "ab" * 90_000):
        vocab[token] = len(vocab)
    merges = [["a", "b"], ["ab", "ab"], ["ab", "a"]]
    model = {"type": "BPE", "vocab": vocab, "merges": merges}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"version": "1.0", "model": model}))
    assert len(Vocabulary.load(tmp_path / "tokenizer.json")) == 5


def test_a_sentencepiece_model_with_long_pieces_is_read(tmp_path):
    need("sentencepiece")
    model = model_proto()()
    model.trainer_spec.model_type = BPE
    model.trainer_spec.byte_fallback = True
    model.normalizer_spec.add_dummy_prefix = False
    model.normalizer_spec.remove_extra_whitespaces = False
    pieces = [("<unk>", UNKNOWN), *((f"<0x{byte:02X}>", BYTE) for byte in range(256))]
    for text, kind in [*pieces, ("ab", 1), ("abab", 1), (LONG, 1), (LONG + "a", 5)]:
        piece = model.pieces.add()
        piece.piece, piece.type, piece.score = text, kind, -float(len(model.pieces))
    (tmp_path / "v.model").write_bytes(model.SerializeToString())
    assert len(Vocabulary.load(tmp_path / "v.model")) == 3


@pytest.mark.long
@pytest.mark.parametrize("rule", sorted(COUNTED))
def test_the_recount_of_a_long_word_takes_seconds(rule):
    more = {"scores": [-1.0] * 4} if rule == "likelihood" else {}
    vocabulary = Vocabulary(TOKENS, rule=rule, pretokenizer="none", **more)
    words = WordCounts.from_counts({LONG[2:]: 1, "abab": 2}, pretokenizer="none")
    cut, other = cut_by_rule(words, vocabulary)
    assert b"".join(cut) in (LONG[2:].encode(), b"abab")
    assert min(len(cut), len(other)) < 5
