"""The cases of Hugging Face's own tests of training: what it trains, and what `bpe` does.

Inputs and expected values are those of https://github.com/huggingface/tokenizers (the modules
``tests`` in tokenizers/src/models, tokenizers/tests/documentation.rs and bindings/python/tests;
Apache License 2.0).  Each test names the file and the test that it is of.
"""

from __future__ import annotations

import json

import pytest

from partcover import Encoder, InputError, Instance, Vocabulary, WordCounts
from partcover.trainers import bpe

tokenizers = pytest.importorskip("tokenizers")
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers  # noqa: E402

ROSES = {
    "roses": 1, "are": 2, "red": 1, "voilets": 1, "blue": 1, "BERT": 1, "is": 2, "big": 1, "and": 1,
    "so": 1, "GPT-2": 1,
}  # fmt: skip
SHORT = [
    "sin",
    "Sin",
    "Lon",
    "Ano",
    "짧은한",
    "긴한글",
    "短字符",
    "长字符",
    "短い文",
    "長い文",
    "so",
    "GP",
]
LONG = [
    *["singlelongtokenwithoutcasechange", "singleLongTokenWithCamelCaseChange", "so", "GPT-2"],
    *["Longsingletokenwithpunctu@t!onwithin", "Anotherlongsingletokenwithnumberw1th1n"],
    *["짧은한글문자열짧은한", "긴한글문자열긴한글문자열긴한글문", "短字符串短字符串短字"],
    *[
        "长字符串长字符串长字符串长字符串",
        "短い文字列短い文字列",
        "長い文字列長い文字列長い文字列長",
    ],
]
SENTENCES = ["A first sentence", "Another sentence", "And a last one"]


def trained_there(words, **options):
    """The merges that the library trains of words and their counts."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    text = [" ".join([word] * count) for word, count in words.items()]
    trainer = trainers.BpeTrainer(show_progress=False, **options)
    tokenizer.train_from_iterator(text, trainer)
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


def trained_here(words, **options):
    counts = WordCounts.from_counts(words, "chars")
    return [tuple(pair) for pair in bpe(Instance(counts, 10_000, **options)).vocabulary.merges]


def loaded(tokenizer, folder):
    tokenizer.save(str(folder / "tokenizer.json"))
    return Vocabulary.load(folder / "tokenizer.json")


def test_merges_that_occur_twice():  # bpe/trainer.rs test_train
    there = trained_there(ROSES, min_frequency=2)
    assert trained_here(ROSES, min_count=2) == there == [("r", "e"), ("a", "re"), ("i", "s")]


def test_tokens_of_two_characters():  # bpe/trainer.rs bpe_test_max_token_length_direct_assert
    words = dict.fromkeys(SHORT, 2)
    tokens = ["in", "い文", "字符", "An", "GP", "Lo", "so", "긴한", "은한"]
    there = trained_there(words, max_token_length=2, min_frequency=0)
    here = trained_here(words, max_length=2)
    assert list(map("".join, here)) == list(map("".join, there)) == tokens
    assert here == there


def test_no_token_is_too_long():  # bpe/trainer.rs bpe_test_max_token_length_16
    words = dict.fromkeys(LONG, 2)
    for merges in (
        trained_there(words, max_token_length=16, min_frequency=0),
        trained_here(words, max_length=16),
    ):
        assert 12 < max(len("".join(pair)) for pair in merges) <= 16


def test_byte_level_bpe(tmp_path):  # implementations/test_byte_level_bpe.py
    own = tokenizers.ByteLevelBPETokenizer()
    own.train_from_iterator(SENTENCES, show_progress=False)
    vocabulary = loaded(own, tmp_path)
    encoding = own.encode("A sentence")
    assert encoding.tokens == ["A", "Ġsentence"]
    assert Encoder(vocabulary).encode("A sentence") == encoding.ids
    counts = WordCounts.from_texts(SENTENCES, pretokenizer="gpt2")
    here = bpe(Instance(counts, 1000, min_count=2)).vocabulary
    assert (here.tokens, here.merges) == (vocabulary.tokens, vocabulary.merges)
    assert Encoder(here).decode(Encoder(here).encode("A sentence")) == "A sentence"


def test_word_pieces(tmp_path):  # implementations/test_bert_wordpiece.py
    own = tokenizers.BertWordPieceTokenizer()
    own.train_from_iterator(SENTENCES, show_progress=False)
    encoder = Encoder(loaded(own, tmp_path))
    encoding = own.encode("A sentence", add_special_tokens=False)
    assert encoding.tokens == ["a", "sentence"]
    assert encoder.encode("A sentence") == encoding.ids
    assert encoder.decode(encoding.ids) == own.decode(encoding.ids) == "a sentence"


def test_bpe_of_characters_with_ends_of_words(tmp_path):  # implementations/test_char_bpe.py
    own = tokenizers.CharBPETokenizer()
    own.train_from_iterator(SENTENCES, show_progress=False)
    assert own.encode("A sentence").tokens == ["A</w>", "sentence</w>"]
    with pytest.raises(InputError, match="end_of_word_suffix, '</w>'"):
        loaded(own, tmp_path)


ZEN = [
    *["The Zen of Python, by Tim Peters", "Beautiful is better than ugly."],
    *["Explicit is better than implicit.", "Simple is better than complex."],
    *["Complex is better than complicated.", "Flat is better than nested."],
    *["Sparse is better than dense.", "Readability counts."],
    "Special cases aren't special enough to break the rules.",
    *["Although practicality beats purity.", "Errors should never pass silently."],
    *["Unless explicitly silenced.", "In the face of ambiguity, refuse the temptation to guess."],
    "There should be one-- and preferably only one --obvious way to do it.",
    "Although that way may not be obvious at first unless you're Dutch.",
    *["Now is better than never.", "Although never is often better than *right* now."],
    "If the implementation is hard to explain, it's a bad idea.",
    "If the implementation is easy to explain, it may be a good idea.",
    "Namespaces are one honking great idea -- let's do more of those!",
]


def test_unigram_with_special_tokens(tmp_path):  # test_trainers.py test_train_with_special_tokens
    lines = ["\n", *(f"[CLS] {line} [SEP]\n" for line in ZEN), "            "]
    text = "[CLS] This is a test [SEP]"
    first = ["[CLS]", " T", "h", "i", "s", " is ", "a", " ", "te", "s", "t ", "[SEP]"]
    special = ["[PAD]", "[SEP]", "[CLS]"]
    for names, options, tokens in (
        (special, {}, first),
        (special, {"vocab_size": 100}, None),
        ([*special, "[UNK]"], {"vocab_size": 100}, None),
    ):
        own = tokenizers.Tokenizer(models.Unigram())
        trainer = trainers.UnigramTrainer(
            show_progress=False, special_tokens=names, unk_token="[UNK]", **options
        )
        own.train_from_iterator(lines, trainer)
        vocabulary = loaded(own, tmp_path)
        encoder = Encoder(vocabulary)
        found = own.encode(text)
        assert tokens is None or found.tokens == tokens
        assert encoder.encode(text, special="parse") == found.ids
        for line in ZEN:
            assert encoder.encode(line) == own.encode(line).ids
        assert not options or own.get_vocab_size() == 100


def test_unigram_over_bytes(tmp_path):  # test_tutorial_train_from_iterators.py test_train_basic
    own = tokenizers.Tokenizer(models.Unigram())
    own.normalizer = normalizers.NFKC()
    own.pre_tokenizer, own.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    trainer = trainers.UnigramTrainer(
        vocab_size=20000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<PAD>", "<BOS>", "<EOS>"], show_progress=False,
    )  # fmt: skip
    own.train_from_iterator(["".join([*ZEN[1:6], ZEN[6], ZEN[7]])], trainer=trainer)
    encoder = Encoder(loaded(own, tmp_path))
    for text in (*ZEN, "ﬁne Ⅷ Beautiful日本"):
        ids = own.encode(text).ids
        assert encoder.encode(text) == ids
        assert encoder.decode(ids) == own.decode(ids)


def test_bpe_behind_normalizers(tmp_path):  # documentation.rs train_tokenizer
    own = tokenizers.Tokenizer(models.BPE())
    own.normalizer = normalizers.Sequence([normalizers.Strip(), normalizers.NFC()])
    own.pre_tokenizer, own.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        show_progress=False, vocab_size=100, min_frequency=0, special_tokens=special
    )
    own.train_from_iterator(ZEN, trainer)
    vocabulary = loaded(own, tmp_path)
    assert list(vocabulary.special.values()) == [0, 1, 2, 3, 4]
    letters = set("".join(ZEN)) | set(" <s>/")
    for text in (*ZEN, "  <s>Simple</s> is <mask> "):
        if set(text) <= letters | set("mask"):
            ids = own.encode(text).ids
            assert Encoder(vocabulary).encode(text, special="parse") == ids


@pytest.mark.parametrize("given", [{}, {"continuing_subword_prefix": "##"}])
def test_bpe_of_a_continuing_prefix(tmp_path, given):
    # training.rs bpe_continuing_subword_prefix_error, test_trainers.py
    # test_continuing_prefix_trainer_mismatch
    own = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]", **given))
    own.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    trainer = trainers.BpeTrainer(show_progress=False, special_tokens=["[UNK]"], **given)
    own.train_from_iterator(ZEN, trainer)
    if given:
        with pytest.raises(InputError, match="continuing_subword_prefix '##'"):
            loaded(own, tmp_path)
        return
    encoder = Encoder(loaded(own, tmp_path))
    for text in (*ZEN, "Beautiful 123 日本"):
        assert encoder.encode(text) == own.encode(text).ids
