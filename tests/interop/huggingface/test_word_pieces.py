"""WordPiece over text, as BERT has it: what a piece is depends on its place in the word."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, extend
from partcover.interop import export

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
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    assert vocabulary.rule == "longest_match"
    assert vocabulary.special == {"[UNK]": 0, "[CLS]": 1}
    text = "abcab  cabéb,日日abcabc.\n bcba ab"
    assert Encoder(vocabulary).encode(text) == own.encode(text).ids
    assert export(vocabulary, tmp_path / "again.json", "huggingface", text=text).exact
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "again.json"))
    assert again.encode(text).ids == own.encode(text).ids


def test_ids_of_any_text(tmp_path):
    own = trained(tmp_path / "t.json")
    encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))

    @tries(300)
    @given(st.text(ALPHABET + " \n", max_size=30))
    def compare(text):
        assert encoder.encode(text) == own.encode(text).ids

    compare()


def test_a_text_may_have_the_mark_of_words(tmp_path):
    """No piece has it, so that its word is unknown: `a▁b` is not a, b."""
    own = trained(tmp_path / "t.json")
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    encoder = Encoder(vocabulary)

    @tries(300)
    @given(st.text("abé,日▁▁ \n", max_size=12))
    def compare(text):
        there = own.encode(text)
        assert encoder.encode(text) == there.ids
        assert encoder.encode_with_offsets(text, unit="chars") == (there.ids, there.offsets)

    compare()
    words = WordCounts.from_texts(["a▁b ▁a caca " * 9], pretokenizer=vocabulary.need_pretokenizer())
    longer = extend(vocabulary, words, 3, time_limit=1)
    assert longer.new == ("▁caca".encode(),)
    assert export(longer.vocabulary, tmp_path / "to.json", "huggingface", text="a▁b caca").exact


@pytest.mark.parametrize("kind", ["WhitespaceSplit", "Whitespace", "BertPreTokenizer"])
def test_words_that_begin_with_the_prefix_are_remarked_on(tmp_path, kind):
    trained(tmp_path / "t.json")
    data = json.loads((tmp_path / "t.json").read_text())
    data["pre_tokenizer"] = {"type": kind}
    data["model"]["vocab"] |= {"#": 90, "##": 91, "###": 92}
    (tmp_path / "t.json").write_text(json.dumps(data))
    own = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    said = "begins with ## may have other tokens" in str(vocabulary.provenance["remarks"])
    differ = Encoder(vocabulary).encode("### ab") != own.encode("### ab").ids
    assert said == differ == (kind != "BertPreTokenizer")


def test_any_ids_are_decoded_as_there(tmp_path):
    own = trained(tmp_path / "t.json")
    own.decoder = tokenizers.decoders.WordPiece(cleanup=False)
    own.save(str(tmp_path / "t.json"))
    encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
    begins = [n for piece, n in own.get_vocab().items() if not piece.startswith("##")]

    @tries(300)
    @given(
        st.sampled_from(begins),
        st.lists(st.integers(0, own.get_vocab_size() - 1) | st.sampled_from([0, 1])),
        st.booleans(),
    )
    def compare(first, rest, skip):
        ids = [first, *rest]
        there = own.decode(ids, skip_special_tokens=skip)
        assert encoder.decode(ids, skip_special=skip) == there
        assert "".join(encoder.decode_stream(ids, skip_special=skip)) == there

    compare()
    assert encoder.decode([0, 1]) == "[UNK] [CLS]"


def test_a_mark_that_no_piece_has(tmp_path):
    trained(tmp_path / "t.json")
    data = json.loads((tmp_path / "t.json").read_bytes())
    data["model"]["vocab"]["▁x"] = 900
    (tmp_path / "t.json").write_text(json.dumps(data))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    assert "\ue000▁x" in vocabulary
    assert (
        "tokens that begin a word are marked with ; the file marks"
        in vocabulary.provenance["remarks"][0]
    )


def test_unknown_words_are_the_unknown_token(tmp_path):
    trained(tmp_path / "t.json")
    data = json.loads((tmp_path / "t.json").read_bytes())
    data["model"]["max_input_chars_per_word"] = 5
    (tmp_path / "t.json").write_text(json.dumps(data))
    own = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    text = "abz ab日ca ab日cab éz, cab"
    ids, places = Encoder(vocabulary).encode_with_offsets(text, unit="chars")
    there = own.encode(text)
    assert (ids, places) == (there.ids, there.offsets)
    assert ids.count(vocabulary.special["[UNK]"]) == 3
    vocabulary.save(tmp_path / "v.json")
    assert Vocabulary.load(tmp_path / "v.json") == vocabulary
    assert export(vocabulary, tmp_path / "again.json", "huggingface", text=text).exact
    again = json.loads((tmp_path / "again.json").read_bytes())["model"]
    assert again == data["model"]


WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "<S>",
    "un",
    "##aff",
    "##able",
    "a",
    "##b",
    "the",
    ",",
    "é",
]


def test_berts_list_of_pieces(tmp_path):
    (tmp_path / "pieces").write_text("\n".join(WORDS) + "\n")
    own = tokenizers.BertWordPieceTokenizer(str(tmp_path / "pieces"))
    vocabulary = Vocabulary.load(tmp_path / "pieces")
    text = "The UNAFFABLE ab, é [CLS] abz\x00un"
    encoder = Encoder(vocabulary)
    assert encoder.encode(text, special="parse") == own.encode(text, add_special_tokens=False).ids
    remarks = vocabulary.provenance["remarks"]
    assert "no token has capital letters, so text is converted to lower case" in remarks
    assert (
        "not converted: post-processor (BertProcessing), which puts tokens around every text"
        in remarks
    )
    numbered = {text: place for place, text in enumerate(WORDS)}
    for name, content in (("a.json", numbered), ("vocab.json", WORDS)):
        (tmp_path / name).write_text(json.dumps(content))
        read = Vocabulary.load(tmp_path / name)
        assert read.with_(provenance={}) == vocabulary.with_(provenance={})


def test_settings_beside_berts_list(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join([*WORDS, "The"]))
    cased = Vocabulary.load(tmp_path)
    assert '"lowercase":false' in cased.normalizer
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": true}')
    assert Vocabulary.load(tmp_path / "vocab.txt").normalizer == "BertNormalizer"
    (tmp_path / "vocab.txt").write_text("\n".join([*WORDS, "a"]))
    with pytest.raises(InputError, match="the piece 'a' is given twice"):
        Vocabulary.load(tmp_path / "vocab.txt")


def test_a_list_with_marks_at_the_beginning_of_words(tmp_path):
    listed = [
        "[PAD]",
        "▁",
        "[UNK]",
        "[SEP]",
        "[CLS]",
        "▁un",
        "aff",
        "able",
        "▁the",
        "▁,",
        "▁b",
        "b",
    ]
    words = [text.removeprefix("▁") if text[0] in "▁[" else "##" + text for text in listed]
    (tmp_path / "vocab.json").write_text(json.dumps(listed))
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n")
    own = tokenizers.BertWordPieceTokenizer(str(tmp_path / "vocab.txt"))
    encoder = Encoder(Vocabulary.load(tmp_path / "vocab.json"))
    text = "THE únaffable, x un " + "b" * 100 + " " + "b" * 101
    assert encoder.encode(text) == own.encode(text, add_special_tokens=False).ids


def test_the_mark_of_words_is_no_new_piece(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS))
    vocabulary = Vocabulary.load(tmp_path)
    text = "é ö ü ñ ç å æ ø ð þ"  # words that share nothing but the mark
    words = WordCounts.from_texts(
        [text], pretokenizer=vocabulary.pretokenizer, normalizer=vocabulary.normalizer
    )
    found = extend(vocabulary, words, 3, time_limit=2)
    assert len(found.new) == 3
    assert "▁".encode() not in found.new
    assert export(found.vocabulary, tmp_path / "out", "huggingface", text=text).exact
