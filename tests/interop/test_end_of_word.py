"""BPE that tells the ends of words, as CLIP's."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts
from partcover.interop import export

tokenizers = pytest.importorskip("tokenizers")
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
TEXT = "A cat's  hat\n\nthat hath 12 hats, é!! </w> CAFÉ cafe\u0301 \t日本 x"


def clip():
    """Returns a tokenizer as transformers makes CLIP's, trained on a few words."""
    own = tokenizers.Tokenizer(tokenizers.models.BPE(end_of_word_suffix="</w>"))
    own.normalizer = tokenizers.normalizers.Sequence(
        [
            tokenizers.normalizers.NFC(),
            tokenizers.normalizers.Replace(tokenizers.Regex(r"\s+"), " "),
            tokenizers.normalizers.Lowercase(),
        ]
    )
    own.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(CLIP), "removed", invert=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=alphabet, end_of_word_suffix="</w>",
        special_tokens=["<|end|>"], show_progress=False,
    )  # fmt: skip
    own.train_from_iterator([TEXT] * 3, trainer)
    data = json.loads(own.to_str())
    vocab = data["model"]["vocab"]
    for character in alphabet:
        vocab.setdefault(character + "</w>", len(vocab))
    return tokenizers.Tokenizer.from_str(json.dumps(data)), data


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    own, data = clip()
    path = tmp_path_factory.mktemp("clip") / "tokenizer.json"
    path.write_text(json.dumps(data))
    return own, Vocabulary.load(path)


@pytest.mark.long
def test_ids_and_places_are_the_librarys(read):
    own, vocabulary = read
    encoder = Encoder(vocabulary)

    @tries(300)
    @given(
        st.text(
            st.sampled_from("athsAT'. \n<é日1/w>") | st.characters(exclude_categories=["Cs", "Cn"])
        )
    )
    def compare(text):
        there = own.encode(text)
        ids, places = encoder.encode_with_offsets(text, unit="chars")
        assert ids == encoder.encode(text) == there.ids
        if text.isascii():  # parts of a character are all of it here
            assert places == there.offsets

    compare()
    ids = encoder.encode(TEXT)
    assert encoder.decode(ids) == "a cat 's hat that hath 1 2 hats , é !! </ w > café café 日本 x"


def test_words_are_counted_with_their_ends(read):
    _, vocabulary = read
    words = WordCounts.from_texts(
        [TEXT], pretokenizer=vocabulary.pretokenizer, normalizer=vocabulary.normalizer
    )
    assert dict(words)[b"hats "] == 1
    assert all(word.count(b" ") == 1 and word.endswith(b" ") for word, _ in words)


@pytest.mark.parametrize(("form", "name"), [("huggingface", "t.json"), ("vocab-merges", "pair")])
def test_exact_there_and_back(tmp_path, read, form, name):
    own, vocabulary = read
    result = export(vocabulary, tmp_path / name, form, text=TEXT)
    assert result.exact
    assert result.text_same
    again = Vocabulary.load(tmp_path / name)
    assert again.decoding.stripped == (form == "vocab-merges")  # as CLIP's class does
    there = again.with_(provenance={}, decoding=vocabulary.decoding)
    assert there == vocabulary.with_(provenance={})
    if form == "huggingface":
        back = tokenizers.Tokenizer.from_file(str(tmp_path / name))
        ids = own.encode(TEXT).ids
        assert back.encode(TEXT).ids == ids
        assert back.decode(ids) == own.decode(ids)


def test_the_pair_of_files_without_a_class_is_clips(tmp_path, read):
    _, vocabulary = read
    export(vocabulary, tmp_path / "pair", "vocab-merges")
    (tmp_path / "pair" / "tokenizer_config.json").unlink()
    again = Vocabulary.load(tmp_path / "pair" / "merges.txt")
    assert again.with_(provenance={}) == vocabulary.with_(provenance={})
    assert "are CLIP's: the files hold none" in again.provenance["remarks"][0]


def test_the_published_list_of_merges_stands_alone(tmp_path):
    lines = '"bpe_simple_vocab_16e6.txt#version: 0.2\nt h\nth e</w>\n'
    (tmp_path / "bpe.txt.gz").write_bytes(gzip.compress(lines.encode()))
    vocabulary = Vocabulary.load(tmp_path / "bpe.txt.gz")
    # the bytes, the bytes with the end of a word, the merges, and the special tokens
    assert Encoder(vocabulary).encode("THE the!") == [513, 513, 256]
    assert vocabulary.special == {"<start_of_text>": 514, "<end_of_text>": 515}


def test_what_bpe_does_not_merge_first_is_refused(tmp_path, read):
    _, vocabulary = read
    other = Vocabulary([b"a "], rule="longest_match", pretokenizer=vocabulary.pretokenizer)
    with pytest.raises(InputError, match=r"a space behind each word \(the library can add"):
        export(other, tmp_path / "t.json", "huggingface")


def test_spaces_inside_words_are_refused(tmp_path):
    _, data = clip()
    (tmp_path / "t.json").write_text(json.dumps({**data, "pre_tokenizer": {"type": "ByteLevel"}}))
    with pytest.raises(InputError, match="its pre-tokenizer leaves spaces in words"):
        Vocabulary.load(tmp_path / "t.json")
    steps = '{"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "EndOfWord"}]}'
    with pytest.raises(InputError, match="the word 'a b' contains a space"):
        Encoder(Vocabulary([], pretokenizer=steps)).encode("a b")
    with pytest.raises(InputError, match="EndOfWord must be the last step"):
        Encoder(Vocabulary([], pretokenizer=steps.replace("Digits", "EndOfWord")))
