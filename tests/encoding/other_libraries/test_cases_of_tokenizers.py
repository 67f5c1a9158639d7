"""The cases of Hugging Face's own tests of tokenizers, asked of it and of `Encoder`.

Inputs and expected values are those of https://github.com/huggingface/tokenizers
(bindings/python/tests, tokenizers/tests and the modules ``tests`` in tokenizers/src; Apache License
2.0).  Where its tests load a vocabulary from the network, a small one here has the tokens that they
expect; `benchmarks/published/published_cases.py` runs them with the real files.  Each test names
the file and the test that it is of.
"""

from __future__ import annotations

import json

import pytest
from encoding.both import chained, loaded, two_of

tokenizers = pytest.importorskip("tokenizers")
from tokenizers import decoders, models, normalizers, pre_tokenizers  # noqa: E402

LOWER = {"type": "Lowercase"}
PLAIN = {"special": False, "normalized": True}
BOTH_SIDES = {"lstrip": True, "rstrip": True}
MASKED = "I saw a <mask> 😺"
DANCING = "ĠI Ġsaw Ġa ĠðŁĺ I Ġlike Ġdancing Ġd anc Ġl"


def byte_level(folder, words="", added=(), prefix=False, normalizer=None):
    """Both sides of a byte-level BPE of some words, with added tokens."""
    step = {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": False,
        "use_regex": True,
    }
    model = chained(words)
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    entries = [
        {"id": len(model["vocab"]) + place, "content": name, "special": True, **flags, **own}
        for place, (name, own) in enumerate(added)
    ]
    parts = {"pre_tokenizer": step, "decoder": step, "post_processor": step}
    return loaded(
        {"model": model, "added_tokens": entries, "normalizer": normalizer, **parts}, folder
    )


def names(count, **flags):
    return [(name, flags) for name in ["my", "name", "is", "john", "pair"][:count]]


LIKE = "I like dancing"
CLS = "[CLS] My name is Anthony [SEP]"
ANTHONY = "i s |a n t h o n y"
TWICE = "Hi <mask> there\t<mask>\t<mask>\u2000 <pad> <mask><pad><pad>"
# name: words, added tokens, prefix, lower case, text, the tokens
ADDED = {
    "added_tokens.rs lstrip_tokens": (
        DANCING, [("<mask>", {"lstrip": True})], True, False, MASKED,
        ["ĠI", "Ġsaw", "Ġa", " <mask>", "ĠðŁĺ", "º"],
    ),
    "added_tokens.rs rstrip_tokens": (
        f"{DANCING} ðŁĺ", [("<mask>", {"rstrip": True})], False, False, MASKED,
        ["I", "Ġsaw", "Ġa", "Ġ", "<mask> ", "ðŁĺ", "º"],
    ),
    "added_tokens.rs rstrip_tokens, prefix": (
        DANCING, [("<mask>", {"rstrip": True})], True, False, MASKED,
        ["ĠI", "Ġsaw", "Ġa", "Ġ", "<mask> ", "ĠðŁĺ", "º"],
    ),
    "added_tokens.rs single_word_tokens": (
        DANCING, [("ing", {"single_word": True})], False, False, LIKE, ["I", "Ġlike", "Ġdancing"]
    ),
    "added_tokens.rs single_word_tokens, false": (
        "I Ġlike Ġd anc", [("ing", {})], False, False, LIKE, ["I", "Ġlike", "Ġd", "anc", "ing"]
    ),
    "added_tokens.rs overlapping_tokens": (
        DANCING, [("danc", {}), ("nci", {}), ("ing", {})], False, False, LIKE,
        ["I", "Ġlike", "Ġ", "danc", "ing"],
    ),
    "added_tokens.rs overlapping_tokens, another order": (
        DANCING, [("nci", {}), ("danc", {}), ("ing", {}), ("ike", {})], False, False, LIKE,
        ["I", "Ġl", "ike", "Ġ", "danc", "ing"],
    ),
    "added_vocabulary.rs can_extract_added_tokens": (
        "ĠMy Ġis ĠAnthony", [("my", PLAIN), ("name", PLAIN), ("[CLS]", {}), ("[SEP]", {})],
        False, False, CLS, ["[CLS]", "ĠMy", "Ġ", "name", "Ġis", "ĠAnthony", "Ġ", "[SEP]"],
    ),
    "added_vocabulary.rs options_use_cases": (
        "Ġis Ġanthony",
        [("my", PLAIN | BOTH_SIDES), ("name", PLAIN), ("ony", PLAIN | {"single_word": True}),
         ("[CLS]", {}), ("[SEP]", {})],
        False, True, CLS, ["[CLS]", " my ", "name", "Ġis", "Ġanthony", "Ġ", "[SEP]"],
    ),
    "added_vocabulary.rs test_single_word_is_correct": (
        "Ġmy Ġname Ġa Ġ< mask > ony", [("<mask>", PLAIN | {"single_word": True})], False, True,
        "<mask> My name <mask> A<mask> <mask>ony <mask>",
        ["<mask>", "Ġmy", "Ġname", "Ġ", "<mask>", "Ġa", "<", "mask", ">", "Ġ<", "mask", ">", "ony",
         "Ġ", "<mask>"],
    ),
    "added_vocabulary.rs test_single_word_is_unicode_correct": (
        "ĠâĹĮ Ì°< mask", [("<mask>", PLAIN | {"single_word": True})], False, True,
        "<mask>, <mask>- ◌̰<mask>",
        ["<mask>", ",", "Ġ", "<mask>", "-", "ĠâĹĮ", "Ì°<", "mask", ">"],
    ),
    "added_vocabulary.rs test_lstrip_unicode_space": (
        "hi there", [("<mask>", PLAIN | BOTH_SIDES | {"single_word": True})], False, True,
        "Hi <mask> there\t<mask>\t<mask>\u2000",
        ["hi", " <mask> ", "there", "\t<mask>\t", "<mask>\u2000"],
    ),
    "added_vocabulary.rs test_encode_special_tokens, off": (
        "hi there",
        [("<mask>", BOTH_SIDES | {"single_word": True}), ("ask>", PLAIN), ("<pad>", {})],
        False, True, TWICE,
        ["hi", " <mask> ", "there", "\t<mask>\t", "<mask>\u2000 ", "<pad>", " <mask>", "<pad>",
         "<pad>"],
    ),
    "added_vocabulary.rs refresh_normalized_tokens_on_normalizer_change": (
        "Ġworld", [("Hello", PLAIN)], False, True, "Hello world", ["hello", "Ġworld"]
    ),
    "test_tokenizer.py test_encode": (
        "", names(5, special=False), False, False, "mynameisjohnpair",
        ["my", "name", "is", "john", "pair"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "added", "prefix", "lower", "text", "published"), ADDED.values(), ids=ADDED
)
def test_added_tokens(tmp_path, words, added, prefix, lower, text, published):
    pair = byte_level(tmp_path, words, added, prefix, LOWER if lower else None)
    ids = two_of(pair, text)
    there = pair[0].encode(text, add_special_tokens=False)
    assert there.tokens == published
    assert pair[1].encode_with_offsets(text, special="parse", unit="chars") == (ids, there.offsets)
    if not any("normalized" in flags for _, flags in added):
        assert pair[1].decode(ids) == pair[0].decode(ids, skip_special_tokens=False)


def test_special_tokens_as_text(tmp_path):
    # added_vocabulary.rs and test_tokenizer.py, test_encode_special_tokens
    added = [("<mask>", BOTH_SIDES | {"single_word": True}), ("ask>", PLAIN), ("<pad>", {})]
    pair = byte_level(tmp_path, "hi Ġ< Ġthere pad", added, normalizer=LOWER)
    pair[0].encode_special_tokens = True
    ids = two_of(pair, TWICE, "text")
    assert [pair[0].id_to_token(number) for number in ids[:4]] == ["hi", "Ġ<", "m", "ask>"]
    assert pair[1].vocabulary.special["<mask>"] not in ids

    words = "friend Hey Ġthere < end _ of text > Ġdear !"
    added = [("<eot>", PLAIN), ("<end_of_text>", {})]
    text = "Hey there<end_of_text> dear<eot>friend!"
    pair = byte_level(tmp_path, words, added)
    there = ["Hey", "Ġthere", "<end_of_text>", "Ġdear", "<eot>", "friend", "!"]
    assert [pair[0].id_to_token(number) for number in two_of(pair, text)] == there
    pair[0].encode_special_tokens = True
    parts = ["<", "end", "_", "of", "_", "text", ">"]
    for more, expected in ([], parts), ([("of_text>", PLAIN)], ["<", "end", "_", "of_text>"]):
        pair = byte_level(tmp_path, words, added + more)
        pair[0].encode_special_tokens = True
        shown = [pair[0].id_to_token(number) for number in two_of(pair, text, "text")]
        assert shown == [*there[:2], *expected, *there[3:]]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # test_tokenizer.py test_add_tokens_with_normalizer, test_normalizer_change_refreshes_…
        ("Začnimokuća međa", ["Začnimo", "kuÄĩa", "Ġ", "meÄĳa"]),
        ("my今", ["my", "ä»Ĭ"]),  # added_vocabulary.rs byte_level_normalizer
        ("Hello 我今", ["H", "e", "l", "l", "o", "Ġ", "æ", "Ī", "ĳ", "ä»Ĭ"]),  # byte_level.rs
    ],
)
def test_bytes_spelled_by_the_normalizer(tmp_path, text, tokens):
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps({"version": "1.0", "model": chained("")}))
    tokenizer.normalizer, tokenizer.decoder = normalizers.ByteLevel(), decoders.ByteLevel()
    own = tokenizers.AddedToken("Začnimo", normalized=False, special=True)
    tokenizer.add_tokens([own, "kuća", "međa", "my", "今"])
    pair = loaded(tokenizer, tmp_path)
    ids = two_of(pair, text)
    assert pair[0].encode(text).tokens == tokens
    # there the decoder takes Začnimo for spelled bytes
    assert pair[1].decode(ids) == text


HELLO = "Hello there, how are you?"


@pytest.mark.parametrize(
    ("words", "text", "offsets"),
    [
        # offsets.rs: byte_level_basic, byte_level_unicode, byte_level_double_sequence
        ("ĠHello Ġthere Ġhow Ġare Ġyou", HELLO, "0-5 5-11 11-12 12-16 16-20 20-24 24-25"),
        ("Ġi", "i⭢j", "0-1 1-2 1-2 1-2 2-3"),
        ("ĠMy Ġname Ġis ĠAnthony", "My name is Anthony", "0-2 2-7 7-10 10-18"),
        ("ĠWhat Ġis Ġmy Ġname", "What is my name?", "0-4 4-7 7-10 10-15 15-16"),
    ],
)
def test_offsets(tmp_path, words, text, offsets):
    theirs, ours = byte_level(tmp_path, words, prefix=True)
    spans = [tuple(map(int, span.split("-"))) for span in offsets.split()]
    assert theirs.encode(text).offsets == spans
    assert ours.encode_with_offsets(text, unit="chars") == (theirs.encode(text).ids, spans)


def bert(folder, words):
    """Both sides of BERT's tokenizer with some pieces."""
    pieces = ["[UNK]", "[CLS]", "[SEP]", "[MASK]", *words.split()]
    model = models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.add_special_tokens(pieces[:4])
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    return loaded(tokenizer, folder)


@pytest.mark.parametrize(
    ("text", "tokens", "offsets"),
    [
        (  # offsets.rs split_on_added_tokens_bert
            "Yesterday I saw a [MASK] far away",
            "yesterday i saw a [MASK] far away", "0-9 10-11 12-15 16-17 18-24 25-28 29-33",
        ),
        # test_bert_wordpiece.py test_basic_encode; test_encode_formats
        ("My name is John", "my name is john", "0-2 3-7 8-10 11-15"),
        ("My name is Georges", "my name is georges", "0-2 3-7 8-10 11-18"),
        # test_encoding.py test_word_to_tokens, test_token_to_chars
        ("I love HuggingFace", "i love hugging ##face", "0-1 2-6 7-14 14-18"),
        ("Do you?", "do you ?", "0-2 3-6 6-7"),
        # test_pipeline.py test_bert_example
        (
            "Welcome to the 🤗 Tokenizers library.",
            "welcome to the [UNK] tok ##eni ##zer ##s library .",
            "0-7 8-10 11-14 15-16 17-20 20-23 23-26 26-27 28-35 35-36",
        ),
    ],
)  # fmt: skip
def test_word_pieces(tmp_path, text, tokens, offsets):
    pair = bert(
        tmp_path,
        "yesterday i saw a far away my name is john georges love hugging ##face do you ? welcome "
        "to the tok ##eni ##zer ##s library .",
    )
    spans = [tuple(map(int, span.split("-"))) for span in offsets.split()]
    there = pair[0].encode(text, add_special_tokens=False)
    assert (there.tokens, there.offsets) == (tokens.split(), spans)
    two_of(pair, text)
    found = pair[1].encode_with_offsets(text, unit="chars", special="parse")
    assert found == (there.ids, spans)
    for skip in (False, True):
        decoded = pair[1].decode(there.ids, skip_special=skip)
        assert decoded == pair[0].decode(there.ids, skip_special_tokens=skip)


def model_of(kind, vocab, **options):
    if kind == "BPE":
        return models.BPE({piece: n for n, piece in enumerate(vocab)}, **{"merges": [], **options})
    return models.Unigram(vocab, 0, **options)


UNKNOWN = ["<unk>", "a", "b"]
SENTENCE = [
    ("<unk>", 0.0), ("A", -0.03), ("sen", -0.02), ("te", -0.03), ("n", -0.04), ("ce", -0.05),
    ("<0xF0>", -0.06), ("<0x9F>", -0.06), ("<0xA4>", -0.06), ("<0x97>", -0.06), (" ", -0.4),
]  # fmt: skip
ABCD = [
    ("<unk>", 0.0), ("a", 0.0), ("b", 0.0), ("c", 0.0), ("d", 0.0), ("cd", 1.0), ("ab", 2.0),
    ("abc", 5.0), ("abcd", 10.0),
]  # fmt: skip
PIECES = [
    ("<unk>", 0.0), ("ab", 0.0), ("cd", -0.1), ("abc", -0.2), ("a", -0.3), ("b", -0.4), ("c", -0.5),
    ("ABC", -0.5), ("abcdabcd", 20.0), ("q", 20.5), ("r", 20.5), ("qr", -0.5),
]  # fmt: skip
LATTICE = [("<unk>", 0.0), ("A", 0.0), ("B", 0.0), ("C", 0.0)]
RELATED = [*"unrelatd", "re", "at", "ed", "un", "ated", "rel", "related", "unrelated"]
MERGES = [("r", "e"), ("a", "t"), ("e", "d"), ("u", "n"), ("at", "ed"), ("re", "l"),
          ("rel", "ated"), ("un", "related")]  # fmt: skip
DOTS = [
    *[".:.:", "Ġbelirtilen", ".", ":", "bel", "irtilen", "Ġ", ".:", "belirtilen", ".:.", "be", "l"],
    *["ir", "ti", "en", "irtil", "irti", "i", "r", "t", "b", "e", "n"],
]
DOT_MERGES = [(".", ":"), ("b", "e"), ("be", "l"), ("i", "r"), ("t", "i"), ("ir", "ti"),
              ("e", "n"), ("irti", "l")]  # fmt: skip
# name: kind, pieces, options, text, published tokens
MODELS = {
    "bpe/model.rs test_unk_not_fused": (
        "BPE", UNKNOWN, {"unk_token": "<unk>"},
        {"c": "<unk>", "cc": "<unk> <unk>", "accb": "a <unk> <unk> b"},
    ),
    "bpe/model.rs test_unk_get_fused": (
        "BPE", UNKNOWN, {"unk_token": "<unk>", "fuse_unk": True},
        {"c": "<unk>", "cc": "<unk>", "accb": "a <unk> b"},
    ),
    "bpe/model.rs test_tokenize_with_and_without_dropout": (
        "BPE", RELATED, {"merges": MERGES}, {"unrelated": "unrelated"}
    ),
    "bpe/model.rs test_bpe_with_dropout_0": (
        "BPE", RELATED, {"merges": MERGES, "dropout": 0.0}, {"unrelated": "unrelated"}
    ),
    "bpe/model.rs test_cache_is_per_bpe_instance, a": (
        "BPE", ["h", "e", "l", "o", "he", "hel", "hell", "hello"],
        {"merges": [("h", "e"), ("he", "l"), ("hel", "l"), ("hell", "o")]}, {"hello": "hello"},
    ),
    "bpe/model.rs test_cache_is_per_bpe_instance, b": (
        "BPE", [*"helo"], {"merges": []}, {"hello": "h e l l o"}
    ),
    "bpe/model.rs test_bpe_byte_fallback": (
        "BPE", ["<unk>", "<0x61>"], {"unk_token": "<unk>", "byte_fallback": True},
        {"c": "<unk>", "a": "<0x61>"},
    ),
    "bpe/model.rs test_bpe_byte_fallback_newline": (
        "BPE", ["<unk>", "<0x0A>"], {"unk_token": "<unk>", "byte_fallback": True},
        {"\n": "<0x0A>"},
    ),
    "bpe/model.rs test_ignore_merges, false": (
        "BPE", DOTS, {"merges": DOT_MERGES}, {".:.:": ".: .:", "Ġbelirtilen": "Ġ bel irtil en"}
    ),
    "unigram/model.rs test_encode": ("Unigram", ABCD, {}, {"abcd": "abcd"}),
    "unigram/model.rs test_encode2": (
        "Unigram", PIECES, {},
        {"abc": "abc", "AB": "AB", "abcd": "ab cd", "abcc": "abc c", "ABC": "ABC",
         "xabcabaabcdd": "x abc ab a ab cd d", "xyz東京": "xyz東京", "abABCcd": "ab ABC cd",
         "ababcdabcdcd": "ab abcdabcd cd", "abqrcd": "ab q r cd"},
    ),
    "unigram/lattice.rs test_viterbi2, 1": ("Unigram", LATTICE, {}, {"ABC": "A B C"}),
    "unigram/lattice.rs test_viterbi2, 2": (
        "Unigram", [*LATTICE, ("AB", 2.0)], {}, {"ABC": "AB C"}
    ),
    "unigram/lattice.rs test_viterbi2, 3": (
        "Unigram", [*LATTICE, ("AB", 2.0), ("BC", 5.0)], {}, {"ABC": "A BC"}
    ),
    "unigram/lattice.rs test_viterbi2, 4": (
        "Unigram", [*LATTICE, ("AB", 2.0), ("BC", 5.0), ("ABC", 10.0)], {}, {"ABC": "ABC"}
    ),
    "unigram/model.rs test_unigram_bytefallback": (
        "Unigram", [("<unk>", 0.0), ("<0xC3>", -0.01), ("<0xA9>", -0.03)], {"byte_fallback": True},
        {"é": "<0xC3> <0xA9>"},
    ),
    "test_tokenizer.py test_unigram_byte_fallback, false": (
        "Unigram", SENTENCE, {"byte_fallback": False},
        {"A sentence 🤗": ["A", " ", "sen", "te", "n", "ce", " ", "🤗"]},
    ),
    "test_tokenizer.py test_unigram_byte_fallback, true": (
        "Unigram", SENTENCE, {"byte_fallback": True},
        {"A sentence 🤗": ["A", " ", "sen", "te", "n", "ce", " ", "<0xF0>", "<0x9F>", "<0xA4>",
                          "<0x97>"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "vocab", "options", "texts"), MODELS.values(), ids=MODELS)
def test_models(tmp_path, kind, vocab, options, texts):
    pair = loaded(tokenizers.Tokenizer(model_of(kind, vocab, **options)), tmp_path)
    for text, published in texts.items():
        there = pair[0].encode(text)
        assert there.tokens == (published.split() if isinstance(published, str) else published)
        assert two_of(pair, text, "text") == there.ids
        assert pair[1].encode_with_offsets(text, unit="chars")[1] == there.offsets
