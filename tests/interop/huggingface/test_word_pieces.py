"""WordPiece over text, as BERT has it: what a piece is depends on its place in the word."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, extend, prune
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


def of_pieces(path, begins, inside, kind="WhitespaceSplit", **model):
    """A WordPiece model of these pieces, written to a file and read by its library."""
    texts = ["[UNK]", *begins, *("##" + piece for piece in inside)]
    ids = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    words = tokenizers.models.WordPiece(ids, unk_token="[UNK]", **model)
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = getattr(tokenizers.pre_tokenizers, kind)()
    tokenizer.add_special_tokens(["[UNK]"])
    tokenizer.decoder = tokenizers.decoders.WordPiece(cleanup=False)
    tokenizer.save(str(path))
    return tokenizer


PIECES = st.text("#.a", min_size=1, max_size=3)
BEGINS = st.sets(PIECES.filter(lambda text: not text.startswith("##") or text == "##"), max_size=5)


@pytest.mark.long
@tries(100)
@given(
    BEGINS, st.sets(PIECES, max_size=6),
    st.sampled_from(["WhitespaceSplit", "Whitespace", "BertPreTokenizer"]),
    st.sampled_from([5, 100]), st.lists(st.text("##.a▁ ", max_size=12), max_size=8),
)  # fmt: skip
def test_words_that_begin_with_the_prefix(tmp_path_factory, begins, inside, kind, longest, texts):
    """The library takes a piece inside a word, as it is spelled, for the begin of such a word."""
    folder = tmp_path_factory.mktemp("t")
    own = of_pieces(folder / "t.json", begins, inside, kind, max_input_chars_per_word=longest)
    vocabulary = Vocabulary.load(folder / "t.json")
    encoder = Encoder(vocabulary)
    for text in texts:
        there = own.encode(text)
        assert encoder.encode(text) == there.ids
        assert encoder.encode_with_offsets(text, unit="chars") == (there.ids, there.offsets)
    if kind == "WhitespaceSplit":  # the library would find [UNK] in text
        return
    anew = vocabulary.with_(provenance={})
    export(anew, folder / "again.json", "huggingface")
    again = tokenizers.Tokenizer.from_file(str(folder / "again.json"))
    assert [again.encode(text).ids for text in texts] == [own.encode(text).ids for text in texts]


def of_steps(path, texts, **steps):
    """A WordPiece model of these pieces, with normalizer, pre-tokenizer and decoder."""
    ids = {text: number for number, text in enumerate(["[UNK]", *texts])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids, unk_token="[UNK]"))
    for name, step in steps.items():
        setattr(tokenizer, name, step)
    tokenizer.add_special_tokens(["[UNK]"])
    tokenizer.save(str(path))
    return tokenizer, Encoder(Vocabulary.load(path))


STEPS, NORMALIZERS = tokenizers.pre_tokenizers, tokenizers.normalizers


@pytest.mark.parametrize(
    "steps",
    [
        {},
        {"pre_tokenizer": STEPS.Digits()},
        {"pre_tokenizer": STEPS.Punctuation()},
        {"pre_tokenizer": STEPS.Split("b", "isolated")},
        {"pre_tokenizer": STEPS.CharDelimiterSplit("b")},
        {"normalizer": NORMALIZERS.BertNormalizer(), "pre_tokenizer": STEPS.Digits()},
        {"pre_tokenizer": STEPS.Sequence([STEPS.Metaspace("_"), STEPS.Digits()])},
    ],
    ids=str,
)
def test_a_word_may_have_spaces(tmp_path, steps):
    pieces = [" ", "a", "##b", "## ", "b", "## b", "1", "##▁", "_", "_a", "##a"]
    decoder = tokenizers.decoders.WordPiece(cleanup=False)
    own, encoder = of_steps(tmp_path / "t.json", pieces, decoder=decoder, **steps)
    for text in ["a b", " ", "a a", "ab  ab", " a1 b", "a, b", "a▁", "  a", "日 a"]:
        there = own.encode(text)
        assert encoder.encode(text) == there.ids
        assert encoder.encode_with_offsets(text, unit="chars") == (there.ids, there.offsets)
        for ids in (there.ids, there.ids[::-1]):
            whole = own.decode(ids, skip_special_tokens=False)
            assert encoder.decode(ids) == whole
            assert "".join(encoder.decode_stream(ids)) == whole


def test_a_step_may_write_the_prefix(tmp_path):
    marking = STEPS.Sequence([STEPS.BertPreTokenizer(), STEPS.Metaspace("#", split=False)])
    model = tokenizers.models.WordPiece(
        {"[UNK]": 0, "#": 1, "#a": 2, "b": 3}, unk_token="[UNK]", continuing_subword_prefix="#"
    )
    own = tokenizers.Tokenizer(model)
    own.pre_tokenizer = marking
    own.save(str(tmp_path / "t.json"))
    encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
    for text in ["a", "b", "a a", "aa #", "#a"]:
        assert encoder.encode(text) == own.encode(text).ids


def test_the_mark_of_words_is_not_shown(tmp_path):
    pieces = ["▁a", "a", "##b", "▁"]
    marking = STEPS.Metaspace()
    metaspace = tokenizers.decoders.Metaspace()
    own, encoder = of_steps(
        tmp_path / "a.json", pieces, pre_tokenizer=marking, decoder=metaspace
    )  # fmt: skip
    assert encoder.decode([1, 0]) == own.decode([1, 0], skip_special_tokens=False) == "a[UNK]"
    assert encoder.decode([0]) == "[UNK]"
    remark = "its decoder (Metaspace) is not followed: ids become the text that they came of"
    assert remark in encoder.vocabulary.provenance["remarks"]
    own, encoder = of_steps(
        tmp_path / "b.json",
        pieces,
        normalizer=NORMALIZERS.Prepend("▁"),
        pre_tokenizer=STEPS.Sequence([marking, STEPS.Digits(), STEPS.BertPreTokenizer()]),
        decoder=tokenizers.decoders.WordPiece(),
    )
    assert own.decode([4, 0], skip_special_tokens=False) == encoder.decode([4, 0]) == "▁ [UNK]"


@pytest.mark.parametrize(
    ("prefix", "decoder"),
    [
        ("##", tokenizers.decoders.WordPiece("@")),
        ("", tokenizers.decoders.WordPiece("##")),
        ("##", tokenizers.decoders.Metaspace()),
        ("##", tokenizers.decoders.ByteLevel()),
    ],
    ids=str,
)
def test_a_decoder_for_another_model_is_not_followed(tmp_path, prefix, decoder):
    own = trained(tmp_path / "t.json", prefix)
    own.decoder = decoder
    own.save(str(tmp_path / "t.json"))
    remarks = Vocabulary.load(tmp_path / "t.json").provenance["remarks"]
    assert any("is not followed" in remark for remark in remarks)


def test_pieces_for_words_with_the_prefix_come_and_go(tmp_path):
    """What a word with the prefix goes on with depends on the pieces that are there."""
    of_pieces(tmp_path / "t.json", ["#", "##", "a", "b", "bb"], ["#", "a", "b", "cd", "cdd", "ab"])
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    text = "##abab ##cda ##cdb ### ##xa axa abab ##éa aéa é " * 9
    words = WordCounts.from_texts([text], pretokenizer=vocabulary.pretokenizer)
    longer = extend(vocabulary, words, 6, time_limit=1).vocabulary
    few = WordCounts.from_texts(["abab bb"], pretokenizer=vocabulary.pretokenizer)
    shorter = prune(vocabulary, few, 3).vocabulary
    begins = [
        json.loads(one.pretokenizer)["pretokenizers"][-1]["begins"]
        for one in (vocabulary, longer, shorter)
    ]
    assert begins == [["#", "a", "b", "cd"], ["#", "a", "b", "cd", "é"], ["#", "a", "b"]]
    for number, changed in enumerate([vocabulary, longer, shorter]):
        export(changed, tmp_path / f"{number}.json", "huggingface", text=text)
        own = tokenizers.Tokenizer.from_file(str(tmp_path / f"{number}.json"))
        assert Encoder(changed).encode(text) == own.encode(text).ids
        again = Vocabulary.load(tmp_path / f"{number}.json")
        assert again.pretokenizer == changed.pretokenizer


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


def test_an_added_token_that_is_a_piece_inside_words_is_remarked(tmp_path):
    for name, remarked in (("##b", True), ("b", False), ("##", False)):
        of_pieces(tmp_path / "t.json", ["a", "b", "##"], ["b"])
        data = json.loads((tmp_path / "t.json").read_bytes())
        number = data["model"]["vocab"].setdefault(name, 9)
        data["added_tokens"].append({"content": name, "id": number, "special": True})
        (tmp_path / "t.json").write_text(json.dumps(data))
        remarks = " ".join(Vocabulary.load(tmp_path / "t.json").provenance["remarks"])
        assert ("is a piece of the model, too" in remarks) == remarked


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
