"""WordPiece over text, as BERT has it: what a piece is depends on its place in the word."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partcover import Encoder, InputError
from partcover.interop import export, load_vocabulary

tokenizers = pytest.importorskip("tokenizers")
ALPHABET = "abcé日,."


def trained(path, prefix="##", words=("abcab", "cabé", "日abc", "ab", "ca", "bcb")):
    """BERT's tokenizer without its normalizer, trained on words until none is unknown."""
    model = tokenizers.models.WordPiece(unk_token="[UNK]", continuing_subword_prefix=prefix)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=80,
        special_tokens=["[UNK]", "[CLS]"],
        initial_alphabet=list(ALPHABET),
        continuing_subword_prefix=prefix,
        show_progress=False,
    )
    tokenizer.train_from_iterator([" ".join(words * 9) + " , .", ALPHABET * 2], trainer)
    data = json.loads(tokenizer.to_str())
    vocab = data["model"]["vocab"]
    for text in [text for c in ALPHABET for text in (c, prefix + c)]:
        vocab.setdefault(text, len(vocab))
    path.write_text(json.dumps(data))
    return tokenizers.Tokenizer.from_file(str(path))


@pytest.mark.parametrize("prefix", ["##", "@", ""])
def test_ids_are_the_librarys(tmp_path, prefix):
    own = trained(tmp_path / "t.json", prefix)
    vocabulary = load_vocabulary(tmp_path / "t.json")
    assert vocabulary.rule == "longest_match"
    assert vocabulary.special == {"[UNK]": 0, "[CLS]": 1}
    text = "abcab  cabéb,日日abcabc.\n bcba ab"
    assert Encoder(vocabulary).encode(text) == own.encode(text).ids
    assert export(vocabulary, tmp_path / "again.json", "huggingface", text=text).exact
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "again.json"))
    assert again.encode(text).ids == own.encode(text).ids


def test_ids_of_any_text(tmp_path):
    own = trained(tmp_path / "t.json")
    encoder = Encoder(load_vocabulary(tmp_path / "t.json"))

    @settings(max_examples=300, deadline=None)
    @given(st.text(ALPHABET + " \n", max_size=30))
    def compare(text):
        assert encoder.encode(text) == own.encode(text).ids

    compare()


def test_a_mark_that_no_piece_has(tmp_path):
    trained(tmp_path / "t.json")
    data = json.loads((tmp_path / "t.json").read_bytes())
    data["model"]["vocab"]["▁x"] = 900
    (tmp_path / "t.json").write_text(json.dumps(data))
    vocabulary = load_vocabulary(tmp_path / "t.json")
    assert "\ue000▁x" in vocabulary
    assert "every word gets \ue000 in front here" in vocabulary.provenance["remarks"][0]


def test_what_is_unknown_there_is_said(tmp_path):
    own = trained(tmp_path / "t.json")
    vocabulary = load_vocabulary(tmp_path / "t.json")
    assert own.encode("abz").tokens == ["[UNK]"]
    remarks = vocabulary.provenance["remarks"]
    assert "words with a character that is no piece are unknown there, and cut here" in remarks
    with pytest.raises(InputError, match="byte 0x7A, in the word '▁abz', has no id"):
        Encoder(vocabulary).encode("abz")
