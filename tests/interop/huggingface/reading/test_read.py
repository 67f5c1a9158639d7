"""Tokenizers that others wrote, read as vocabularies."""

from __future__ import annotations

import json
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interop.vocabularies import TEXT, made, same
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, extend, prune, segment
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.interop import export
from partcover.interop.byte_level import from_characters

tokenizers = pytest.importorskip("tokenizers")


def trained(kind, **options):
    """A tokenizer that the library trained on a text."""
    special = ["<s>", "<pad>"]
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    if kind == "BPE":
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(**options))
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        )
    else:
        tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram())
        trainer = tokenizers.trainers.UnigramTrainer(
            vocab_size=330, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    draw = random.Random(5)
    words = ["".join(draw.choices("abcdé", k=draw.randint(1, 8))) for _ in range(60)]
    texts = [" ".join(draw.choices(words, k=200)) for _ in range(5)]
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer, texts[0] + " abcdedcba ééé\nnew"


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "rule"), [("BPE", "merges"), ("Unigram", "likelihood")], ids=["BPE", "Unigram"]
)
def test_a_trained_tokenizer_comes_in_and_cuts_as_it_did(tmp_path, kind, rule):
    tokenizer, text = trained(kind)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    vocabulary = Vocabulary.load(tmp_path)
    assert (vocabulary.rule, vocabulary.pretokenizer) == (rule, "gpt2")
    assert vocabulary.special["<pad>"] == 1
    ids = dict(zip([*(bytes([b]) for b in range(256)), *vocabulary], vocabulary.id_of, strict=True))
    own = []
    for word in Pretokenizer.from_name("gpt2").split(text):
        own += segment(WordCounts.from_words([word]), vocabulary).of(0)
    assert [ids[token] for token in own] == tokenizer.encode(text).ids
    assert export(vocabulary, tmp_path / "again", "huggingface", text=text).exact
    same(Vocabulary.load(tmp_path / "again"), vocabulary.with_(provenance={}))


def test_merges_written_with_a_space_and_ranks_in_any_order(tmp_path):
    export(made("merges"), tmp_path / "t.json", "huggingface")
    data = json.loads((tmp_path / "t.json").read_bytes())
    data["model"]["merges"] = [" ".join(pair) for pair in data["model"]["merges"]]
    del data["model"]["type"]
    (tmp_path / "t.json").write_text(json.dumps(data))
    same(Vocabulary.load(tmp_path / "t.json"), made("merges"))


def damaged(tmp_path, use, change):
    export(made(use, pretokenizer="gpt2"), tmp_path / "t.json", "huggingface")
    data = json.loads((tmp_path / "t.json").read_bytes())
    change(data)
    (tmp_path / "t.json").write_text(json.dumps(data))
    return Vocabulary.load(tmp_path / "t.json")


def put(*path):
    *way, key, value = path

    def change(data):
        for step in way:
            data = data[step]
        data[key] = value

    return change


@pytest.mark.long
@pytest.mark.parametrize(
    ("use", "change", "message"),
    [
        ("merges", put("normalizer", {"type": "ByteLevel"}), "unknown normalizer 'ByteLevel'"),
        (
            "merges",
            put("pre_tokenizer", {"type": "UnicodeScripts"}),
            r"pre-tokenizer \(UnicodeScripts\) with pieces of text is not supported",
        ),
        ("merges", put("model", "end_of_word_suffix", "</w>"), "and ends them in </w>"),
        ("merges", put("model", "dropout", 0.1), "dropout 0.1"),
        ("longest_match", put("model", "continuing_subword_prefix", "##"), r"prefix \(##\)"),
        ("merges", put("model", "type", "WordLevel"), "model WordLevel is not supported"),
        ("merges", put("model", "merges", [["a", "☃"]]), "merge 'a' . '☃' does not stand"),
        (
            "merges-pairs",
            put("model", "ignore_merges", True),
            "merging does not build 8 of them",
        ),
        ("merges", put("model", "merges", [["a"]]), "its merge 'a' does not have two parts"),
        ("merges", put("model", "merges", ["a b c"]), "its merge 'a b c' does not have two parts"),
        ("merges", put("model", "merges", [3]), "not a tokenizer.json"),
        ("merges", put("model", "vocab", 3), "not a tokenizer.json"),
        ("merges", put("model", "merges", [["a", "x"]]), "keeps whole words"),
        (
            "merges",
            put("added_tokens", [{"id": 900, "content": "Ã"}]),
            "is spelled like the byte 0xC3",
        ),
        (
            "shortest_path",
            put("pre_tokenizer", {"type": "UnicodeScripts"}),
            r"its pre-tokenizer \(UnicodeScripts\) with pieces of text",
        ),
    ],
)
def test_what_cannot_be_represented_is_named(tmp_path, use, change, message):
    with pytest.raises(InputError, match=f"t.json: .*{message}"):
        damaged(tmp_path, use, change)


AROUND = {
    "type": "Sequence",
    "processors": [
        {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}]}
    ],
}


@pytest.mark.parametrize(
    ("use", "change", "remark"),
    [
        (
            "longest_match",
            put("model", "max_input_chars_per_word", 100),
            "words of more than 100 bytes become unknown tokens in the library, but are split",
        ),
        (
            "merges",
            put("truncation", {"max_length": 7}),
            "not converted: truncation after 7 tokens",
        ),
        ("merges", put("padding", {"pad_id": 0}), "not converted: padding"),
        ("merges", put("post_processor", AROUND), "(TemplateProcessing), which puts tokens"),
        ("merges", put("decoder", {"type": "CTC"}), "its decoder (CTC) is not followed"),
        (
            "merges",
            put("decoder", None),
            "it has no decoder: tokens are decoded with spaces between them, as in the library",
        ),
    ],
)
def test_what_is_not_carried_is_remarked(tmp_path, use, change, remark):
    read = damaged(tmp_path, use, change)
    assert any(remark in line for line in read.provenance["remarks"])


def test_bytes_spelled_by_the_normalizer(tmp_path):
    export(made("merges-pairs"), tmp_path / "t.json", "huggingface")
    data = json.loads((tmp_path / "t.json").read_bytes())
    steps = [{"type": "NFC"}, {"type": "ByteLevel"}]
    data |= {"pre_tokenizer": None, "normalizer": {"type": "Sequence", "normalizers": steps}}
    (tmp_path / "t.json").write_text(json.dumps(data))
    own = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    assert (vocabulary.normalizer, vocabulary.pretokenizer) == ("NFC", "none")
    text = "abca  the théx e\u0301 日"
    assert Encoder(vocabulary).encode(text) == own.encode(text).ids


@pytest.mark.long
def test_a_post_processor_that_adds_nothing_is_not_remarked(tmp_path):
    nothing = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}], "pair": []}
    steps = {"type": "Sequence", "processors": [{"type": "ByteLevel"}, nothing]}
    read = damaged(tmp_path, "merges", put("post_processor", steps))
    assert "remarks" not in read.provenance


def as_in_falcon(step):
    split = {"type": "Split", "pattern": {"Regex": "[0-9][0-9][0-9]"}, "behavior": "Isolated"}
    behind = [{"type": "Digits", "individual_digits": False}, {**split, "invert": False}]
    return {"type": "Sequence", "pretokenizers": [step, *behind]}


@pytest.mark.long
@pytest.mark.parametrize("splitting", [dict, as_in_falcon])
def test_what_a_model_without_bytes_leaves_out(tmp_path, splitting):
    letters = ["a", "b", "c", "Ġ", "1", "Ã", "¿", "ï"]  # of é and ￿, the first byte alone
    merges = [["a", "b"], ["ab", "c"], ["Ġ", "ab"], ["Ã", "a"]]
    listed = [*letters, *map("".join, merges)]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    data = {
        "version": "1.0",
        "model": {
            "type": "BPE", "merges": merges, "vocab": {t: n for n, t in enumerate(listed)},
        },
        "added_tokens": [],
        "pre_tokenizer": splitting({**byte_level, "use_regex": True}),
        "post_processor": None,
        "decoder": byte_level,
    }  # fmt: skip
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(data))
    own = tokenizers.Tokenizer.from_file(str(path))
    vocabulary = Vocabulary.load(path)
    assert "248 bytes have no id, and are left out" in vocabulary.provenance["remarks"][0]
    encoder = Encoder(vocabulary)
    draw = random.Random(3)
    texts = ["".join(draw.choices("aabbc 1éd日￿!²ò\n", k=draw.randint(0, 12))) for _ in range(400)]
    for text in texts:
        ids = own.encode(text).ids
        assert encoder.encode(text) == ids
        assert encoder.count(text) == len(ids)
        assert encoder.decode(ids, errors="replace") == own.decode(ids)
    assert encoder.encode_batch(texts) == [own.encode(text).ids for text in texts]
    assert encoder.encode_with_offsets("xa éb") == ([0, 3, 5, 1], [(1, 2), (2, 3), (3, 5), (5, 6)])
    assert export(vocabulary, tmp_path / "again.json", "huggingface", text="".join(texts)).exact
    assert json.loads((tmp_path / "again.json").read_text()) == data
    counts = WordCounts.from_texts(texts, pretokenizer=vocabulary.pretokenizer)
    for changed in (
        extend(vocabulary, counts, 3, time_limit=0.1).vocabulary,
        prune(vocabulary, counts, 2, time_limit=0.1).vocabulary,
    ):
        export(changed, tmp_path / "changed.json", "huggingface")
        there = tokenizers.Tokenizer.from_file(str(tmp_path / "changed.json"))
        ours = Encoder(changed).encode_batch(texts)
        assert ours == [there.encode(text).ids for text in texts]
    bare = vocabulary.with_(provenance={})
    with pytest.raises(InputError, match="leaves parts of words out"):
        export(bare, tmp_path / "bare.json", "huggingface")


@pytest.mark.long
@pytest.mark.parametrize("unknown", [None, "<unk>"])
@pytest.mark.parametrize("splitting", [None, {"type": "Whitespace"}])
def test_what_a_model_over_text_has_no_piece_for(tmp_path, unknown, splitting):
    letters = ["a", "b", "é", "日", "語"]
    merges = [["a", "b"], ["é", "a"], ["日", "語"], ["ab", "ab"]]
    listed = ["<unk>", *letters, *map("".join, merges)]
    model = {
        "type": "BPE", "unk_token": unknown, "byte_fallback": False, "fuse_unk": False,
        "vocab": {text: place for place, text in enumerate(listed)}, "merges": merges,
    }  # fmt: skip
    special = {"id": 0, "content": "<unk>", "single_word": False, "lstrip": False,
               "rstrip": False, "normalized": False, "special": True}  # fmt: skip
    data = {"model": model, "pre_tokenizer": splitting, "added_tokens": [special]}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", **data}))
    own = tokenizers.Tokenizer.from_file(str(path))
    vocabulary = Vocabulary.load(path)
    remarks = " ".join(vocabulary.provenance["remarks"])
    assert ("a character without a token is left out" in remarks) is (unknown is None)
    draw = random.Random(4)
    texts = ["".join(draw.choices("aabé日語x= ü\n", k=draw.randint(0, 12))) for _ in range(300)]
    assert Encoder(vocabulary).encode_batch(texts) == [own.encode(text).ids for text in texts]
    counts = WordCounts.from_texts(
        [text.replace("語", "") for text in texts], pretokenizer=vocabulary.pretokenizer
    )
    for changed in (
        vocabulary,
        extend(vocabulary, counts, 3, time_limit=0.1).vocabulary,
        prune(vocabulary, counts, 2, time_limit=0.1).vocabulary,  # 語 is not in the texts
    ):
        export(changed, tmp_path / "changed.json", "huggingface")
        there = tokenizers.Tokenizer.from_file(str(tmp_path / "changed.json"))
        ours = Encoder(changed).encode_batch(texts)
        assert ours == [there.encode(text).ids for text in texts]


@pytest.mark.parametrize(("text", "place"), [("日", 269), ("@", 64)])
def test_an_added_token_of_one_character(tmp_path, text, place):
    added = {"id": place, "content": text, "special": True}
    added |= dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    read = damaged(tmp_path, "merges", put("added_tokens", [added]))
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    assert read.special == {text: place}
    assert theirs.encode(f"abc{text}").ids == Encoder(read).encode(f"abc{text}", special="parse")


@pytest.mark.parametrize(
    ("listed", "special", "remark"),
    [
        ([("<a>", 900), ("<b>", 950)], {"<a>": 269, "<b>": 270}, "2 added tokens have other ids"),
        ([("<a>", 270), ("<b>", 269)], {"<a>": 269, "<b>": 270}, "'<a>' has 269 there, and 270"),
        ([("the", 9), ("<b>", 900)], {"the": 264, "<b>": 269}, "'<b>' has the id 900 in the file"),
        ([("<a>", 269), ("<b>", 270)], {"<a>": 269, "<b>": 270}, ""),
    ],
)
def test_added_tokens_have_the_ids_that_the_library_gives_them(tmp_path, listed, special, remark):
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized", "special"], False)
    added = [{"id": number, "content": text, **flags} for text, number in listed]
    read = damaged(tmp_path, "merges", put("added_tokens", added))
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    text = "that <b><a> hat"
    assert read.special == special
    assert Encoder(read).encode(text, special="parse") == theirs.encode(text).ids
    assert remark in " ".join(read.provenance.get("remarks", ""))
    assert "other ids" not in remark or export(read, tmp_path / "again", "huggingface").exact


def test_an_added_token_keeps_its_id_where_the_library_gives_it_that_of_another(tmp_path):
    def change(data):
        data["model"]["vocab"] |= {max(data["model"]["vocab"], key=data["model"]["vocab"].get): 269}
        data["added_tokens"] = [{"id": 900, "content": "<a>", "special": True}]

    read = damaged(tmp_path, "merges", change)
    assert read.special == {"<a>": 900}
    assert "so partcover takes those of the file" in read.provenance["remarks"][0]


def test_of_an_added_token_listed_twice_the_last_entry_holds(tmp_path):
    plain = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    plain |= {"id": 269, "content": "<a>", "special": True}
    for added in ([{**plain, "lstrip": True}, plain], [plain, {**plain, "lstrip": True}]):
        read = damaged(tmp_path, "merges", put("added_tokens", added))
        theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
        ids = Encoder(read).encode("hat <a> hat", special="parse")
        assert ids == theirs.encode("hat <a> hat").ids


SPELLED = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": False,
}


def test_an_unknown_pretokenizer_is_remarked(tmp_path):
    scripts = {"type": "UnicodeScripts"}
    steps = {"type": "Sequence", "pretokenizers": [scripts, SPELLED]}
    read = damaged(tmp_path, "merges", put("pre_tokenizer", steps))
    assert read.pretokenizer is None
    remark = "does not have its pre-tokenizer (type is 'UnicodeScripts'"
    assert remark in read.provenance["remarks"][0]


DIGITS = {"type": "Digits", "individual_digits": True}
BEHIND = {"type": "Split", "pattern": {"Regex": r"\s+"}, "behavior": "MergedWithPrevious"}


@pytest.mark.long
@pytest.mark.parametrize(
    "steps",
    [
        [DIGITS, SPELLED],
        [BEHIND | {"invert": False}, DIGITS, SPELLED],
        [{"type": "BertPreTokenizer"}, SPELLED],
        [SPELLED | {"add_prefix_space": True, "use_regex": True}],
        [{"type": "Metaspace", "replacement": "a", "prepend_scheme": "first"}, SPELLED],
    ],
)
def test_steps_come_in_encode_alike_and_go_out_again(tmp_path, steps):
    step = {"type": "Sequence", "pretokenizers": steps} if len(steps) > 1 else steps[0]
    read = damaged(tmp_path, "merges", put("pre_tokenizer", step))
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    for text in (TEXT, "abc 12 ab\n3abc", "", " ab"):
        there = theirs.encode(text)
        assert Encoder(read).encode(text) == there.ids
        assert Encoder(read).encode_with_offsets(text, unit="chars") == (there.ids, there.offsets)
    assert export(read, tmp_path / "again.json", "huggingface", text=TEXT).exact
    same(Vocabulary.load(tmp_path / "again.json"), read.with_(provenance={}))
    read.save(tmp_path / "v.json")
    assert Vocabulary.load(tmp_path / "v.json").pretokenizer == read.pretokenizer


def test_a_normalizer_without_steps_is_none(tmp_path):
    empty = put("normalizer", {"type": "Sequence", "normalizers": []})
    same(damaged(tmp_path, "merges", empty), made("merges", pretokenizer="gpt2"))


def test_later_patterns_of_cl100k_are_known(tmp_path):
    later = (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|"
        r"\s*[\r\n]|\s+(?!\S)|\s+"
    )
    split = {"type": "Split", "pattern": {"Regex": later}, "behavior": "Removed", "invert": True}
    steps = {"type": "Sequence", "pretokenizers": [split, SPELLED]}
    read = damaged(tmp_path, "merges", put("pre_tokenizer", steps))
    assert read.pretokenizer == "cl100k"
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    spans = theirs.pre_tokenizer.pre_tokenize_str(TEXT + " \n \n x\n\n")
    cut = [from_characters(piece).decode() for piece, _ in spans]
    assert cut == Pretokenizer.from_name("cl100k").split(TEXT + " \n \n x\n\n")


def test_a_unigram_model_as_sentencepiece_makes_it(tmp_path):
    pieces = {"<unk>": 0.0, "▁the": -2.0, "▁": -3.0, "é": -4.0, "the": -4.5, "a": -3.5, "▁a": -3.7}
    pieces |= {"t": -5.0, "h": -5.0, "e": -5.0}
    pieces |= {f"<0x{byte:02X}>": 0.0 for byte in range(256)}
    model = tokenizers.models.Unigram(list(pieces.items()), unk_id=0, byte_fallback=True)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="never")
    steps = [tokenizers.decoders.ByteFallback(), tokenizers.decoders.Metaspace()]
    tokenizer.decoder = tokenizers.decoders.Sequence(steps)
    tokenizer.save(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    assert vocabulary.rule == "likelihood"
    assert json.loads(vocabulary.pretokenizer)["type"] == "Metaspace"
    assert "remarks" not in vocabulary.provenance
    for text in ["the athe thé a  e", "hat x😀the", "▁the"]:
        assert Encoder(vocabulary).encode(text) == tokenizer.encode(text).ids
    # bytes whose character is a piece come out of no text, but models may say them
    assert set(vocabulary.decode_only.values()) == {b"a", b"t", b"h", b"e"}
    tokenizer.decoder = tokenizers.decoders.ByteFallback()
    for byte in b"the":
        number = tokenizer.token_to_id(f"<0x{byte:02X}>")
        assert Encoder(vocabulary).decode([number]) == tokenizer.decode([number]) == chr(byte)


def test_pieces_that_stand_for_no_bytes_only_decode(tmp_path):
    read = damaged(tmp_path, "merges", put("model", "vocab", "a☃", 999))
    [remark] = read.provenance["remarks"]
    assert remark.startswith("1 token does not stand for bytes, 'a☃'; it is unreachable")
    own = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    assert Encoder(read).decode([999]) == own.decode([999]) == "a☃"
    assert Encoder(read).encode("a☃") == own.encode("a☃").ids
    export(read, tmp_path / "out", "huggingface")
    assert Vocabulary.load(tmp_path / "out").with_(provenance={}) == read.with_(provenance={})
    listed = export(read, tmp_path / "r.tiktoken", "tiktoken", lossy=True)
    assert "left out 1 ids that no text is encoded to" in listed.remarks


SPACE_BY_NORMALIZER = tokenizers.normalizers.Replace(" ", "▁")


@tries(60)
@given(
    more=st.lists(st.text("ab▁", min_size=2, max_size=4), unique=True, max_size=8),
    texts=st.lists(st.text("ab ▁é日", max_size=16), max_size=5),
    way=st.sampled_from(["split", "whole", "normalizer", "neither"]),
    numbers=st.randoms(use_true_random=False),
)
def test_pieces_that_reach_over_spaces(tmp_path_factory, more, texts, way, numbers):
    pieces = [("<unk>", 0.0), *((text, -1.0) for text in "ab▁ ")]
    # sums of quarters are exact, so that no reader of JSON matters
    pieces += [(text, -numbers.randrange(1, 40) / 4) for text in more]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, unk_id=0))
    if way in ("split", "whole"):
        metaspace = tokenizers.pre_tokenizers.Metaspace(
            prepend_scheme="never", split=way == "split"
        )
        tokenizer.pre_tokenizer = metaspace
    if way == "normalizer":
        tokenizer.normalizer = SPACE_BY_NORMALIZER
    path = tmp_path_factory.mktemp("pieces") / "t.json"
    tokenizer.save(str(path))
    vocabulary = Vocabulary.load(path)
    if way in ("whole", "normalizer"):
        over = any(re.search("[^▁]▁", text) for text in more)
        leading = any("▁" in text[1:] for text in more)
        runs = "Split" if leading else "first-space"
        assert ("none" if over else runs) in vocabulary.pretokenizer
    remarks = " ".join(vocabulary.provenance.get("remarks", ()))
    assert ("left out 1 unreachable token with a space" in remarks) == (way != "neither")
    encoder = Encoder(vocabulary)
    for text in texts:
        assert encoder.encode(text) == tokenizer.encode(text).ids


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.json", "{}", "no list of tokens"),
        ("t.json", "{", "t.json:1: not JSON"),
        ("t.JSON", "", "t.JSON:1: not JSON"),
        ("t.bin", "", r"not recognized\. Name it with"),
        ("other", None, "No such file"),
    ],
)
def test_what_is_no_tokenizer(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        Vocabulary.load(tmp_path / name)
