"""Hugging Face tokenizers out and in: every rule replayed by the library itself."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partcover import (
    Encoder,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    segment,
    trainers,
)
from partcover.corpus.pretokenizers import Pretokenizer
from partcover.interop import FORMATS, export, load_vocabulary
from partcover.interop.byte_level import from_characters, to_characters
from partcover.interop.huggingface import HUGGINGFACE
from partcover.interop.priority_cutter import PriorityCutter, spell
from partcover.interop.replay import built_in_words

tokenizers = pytest.importorskip("tokenizers")

TOKENS = ["ab", "abc", "bc", "bca", "aa", "aaa", " a", " th", "the", "é", "Ġt", b"\xa9x", "12"]
TEXT = "abca  the théx 123٣4 a_b 12Ġx Ġ\n\n\tab' it's IT'S 😀 12,345 bcab."
SPLITS = [
    "none",
    "gpt2",
    "cl100k",
    "o200k",
    "first-space",
    "space",
    "digit",
    "space-prefix",
    "space-prefix:_",
    "space+digit",
    "first-space+digit",
    "space-prefix:▁+digit",
    "gpt2+digit",
]
USES = {
    "shortest_path": {},
    "longest_match": {},
    "merges": {},
    "merges-pairs": {"merges": [("a", "a"), ("b", "c"), ("a", "bc"), ("a", "b"), ("bc", "a")]},
    "likelihood": {
        "scores": [-1.5 - i / 7 for i in range(len(TOKENS))],
        "symbol_scores": {"a": -2.25, "b": -3.0},
    },
    "single_symbols": {},
    "priority": {},
}
EXACT = [name for name in USES if name != "priority"]


def made(use, **changes):
    facts = {"pretokenizer": "none", **USES[use], **changes}
    return Vocabulary(TOKENS, rule=use.partition("-")[0], **facts)


def same(read, written):
    assert read.with_(provenance={}) == written


@pytest.mark.parametrize("name", ["folder", "one.json"])
@pytest.mark.parametrize("use", EXACT)
def test_a_rule_goes_out_exactly_and_comes_back(tmp_path, use, name):
    vocabulary = made(use, pretokenizer="gpt2", special=["<s>", "</s>"])
    result = export(vocabulary, tmp_path / name, "huggingface", text=TEXT)
    assert result.exact
    assert result.words > 1000
    assert result.text_same
    same(load_vocabulary(tmp_path / name, "huggingface"), vocabulary)
    same(load_vocabulary(tmp_path / name), vocabulary)


@settings(deadline=None, max_examples=8)
@given(st.data())
@pytest.mark.parametrize("rule", ["shortest_path", "longest_match", "merges", "likelihood"])
def test_any_tokens(tmp_path_factory, rule, data):
    symbols = st.sampled_from([b"a", b"b", b" ", b"\xc3", b"\xa9", b"\0"])
    tokens = data.draw(st.lists(st.lists(symbols, min_size=2, max_size=6), unique_by=tuple))
    tokens = [b"".join(token) for token in tokens]
    use = {"rule": rule}
    if rule == "likelihood":
        scores = st.integers(-(10**15), 10**13).map(lambda n: n / 54321987654321)
        count = len(tokens)
        use["scores"] = data.draw(st.lists(scores, min_size=count, max_size=count))
        use["symbol_scores"] = data.draw(st.dictionaries(symbols, scores))
    vocabulary = Vocabulary(tokens, pretokenizer="none", **use)
    path = tmp_path_factory.mktemp("any") / "t.json"
    assert export(vocabulary, path, "huggingface").exact
    read = load_vocabulary(path)
    if rule != "likelihood":
        same(read, vocabulary)
    words = built_in_words(vocabulary)
    own, again = segment(words, vocabulary), segment(words, read)
    assert [own.of(i) for i in range(len(words))] == [again.of(i) for i in range(len(words))]


@pytest.mark.parametrize("use", EXACT)
def test_ids_are_kept(tmp_path, use):
    count = len(TOKENS)
    numbers = random.Random(3).sample(range(1, 2 * (256 + count)), 256 + count)
    numbers[256:] = sorted(numbers[256:])  # tokens come back in the order of their ids
    vocabulary = made(use, pretokenizer="none", ids=numbers, special={"<s>": 0, "<e>": 1000})
    found = use in ("longest_match", "merges")  # <s>, in text that is text
    result = export(vocabulary, tmp_path / "t.json", "huggingface", lossy=found)
    assert (result.ids_differing, result.exact) == (0, not found)
    same(load_vocabulary(tmp_path / "t.json"), vocabulary)
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    ids = tokenizer.encode("<s>abc<e>").ids
    assert (ids[0], ids[-1]) == (0, 1000)
    assert tokenizer.decode(ids) == "abc"


@pytest.mark.parametrize(
    ("use", "special", "found"),
    [
        ("longest_match", {"<s>": 300}, ""),
        ("longest_match", {"<s>": 300, "<e>": 301}, ""),
        ("longest_match", {"<s>": 300, "<e>": 302}, "<s>"),
        ("longest_match", {"< s>": 300, "‹e›": 302}, ""),
        ("merges", {"abca": 300}, ""),
        ("merges", {"abca": 300, "bcab": 302}, "abca"),
        ("merges-reached", {"abca": 300, "bcab": 302}, ""),
        ("merges-reached", {"abca": 0, "<x>": 1}, ""),
        ("merges-pairs", {"abca": 300, "bcab": 302}, ""),
        ("single_symbols", {"abca": 300, "bcab": 302}, ""),
        ("shortest_path", {"abca": 300, "bcab": 302}, ""),
    ],
)
def test_special_tokens_as_text(tmp_path, use, special, found):
    if use == "merges-reached":  # from their own bytes
        ids = range(2, 2 + 256 + 4)
        tokens = ["ab", "abc", "é", "aa"]
        vocabulary = Vocabulary(
            tokens, ids=ids, rule="merges", pretokenizer="none", special=special
        )
    else:
        vocabulary = made(use, pretokenizer="none", special=special)
    path = tmp_path / "t.json"
    words = WordCounts.from_words([*special, *(f"x{text}y" for text in special)])
    if found:
        with pytest.raises(InputError, match=f"cannot express special .* others: {found} \\("):
            export(vocabulary, path, "huggingface")
        result = export(vocabulary, path, "huggingface", corpus=words, lossy=True)
        assert result.words_differing > 0
    else:
        assert export(vocabulary, path, "huggingface").exact
        assert export(vocabulary, path, "huggingface", corpus=words).exact
    same(load_vocabulary(path), vocabulary)
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    assert tokenizer.encode("".join(special)).ids == list(special.values())


@pytest.mark.parametrize("use", ["longest_match", "merges"])
def test_special_tokens_that_are_never_in_a_word(tmp_path, use):
    special = {"<|fim_prefix|>": 300, "<|end|>": 302}  # the first is an entry of the model
    vocabulary = made(use, pretokenizer="cl100k", special=special)
    text = "a<|fim_prefix|>b <|end|>"
    assert export(vocabulary, tmp_path / "t.json", "huggingface", text=text).exact
    with pytest.raises(InputError, match="special tokens as text"):
        export(vocabulary.with_(pretokenizer="first-space"), tmp_path / "t.json", "huggingface")


def test_ids_too_far_apart(tmp_path):
    far = made("shortest_path", ids=[*range(255 + len(TOKENS)), 2**31 - 1])
    with pytest.raises(InputError, match="ids of a Unigram model are places: renumber them"):
        export(far, tmp_path / "t.json", "huggingface")
    assert export(far.with_(rule="longest_match"), tmp_path / "t.json", "huggingface").exact


@pytest.mark.parametrize("use", ["shortest_path", "longest_match", "merges"])
def test_a_byte_without_an_id(tmp_path, use):
    vocabulary = made(use, ids=[*range(255), -1, *range(255, 255 + len(TOKENS))])
    result = export(
        vocabulary, tmp_path / "t.json", "huggingface", corpus=WordCounts.from_words([b"\xff"])
    )
    assert (result.words, result.words_unread) == (0, 1)
    assert any("1 bytes have no id" in remark for remark in result.remarks)
    same(load_vocabulary(tmp_path / "t.json"), vocabulary)


@pytest.mark.parametrize("name", SPLITS)
def test_pretokenizers(tmp_path, name):
    vocabulary = made("shortest_path", pretokenizer=name, special=["<s>"])
    mark = Pretokenizer.from_name(name).rules[0].mark
    text = TEXT.replace("Ġ", "").replace("_", "") if mark else TEXT  # a mark comes back as a space
    result = export(vocabulary, tmp_path / "t", "huggingface", text=text)
    assert result.text_same
    assert result.text_tokens > 40
    same(load_vocabulary(tmp_path / "t"), vocabulary)
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "t" / "tokenizer.json"))
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_a_mark_in_the_text_is_found_out(tmp_path):
    vocabulary = Vocabulary(["Ġb"], pretokenizer="space-prefix", rule="priority")
    plain = vocabulary.with_(rule="shortest_path")
    assert Encoder(plain).encode("aĠb b") == [97, 32, 98, 256]
    with pytest.raises(InputError, match="the text is cut otherwise: 4 tokens here, 3 there"):
        export(plain, tmp_path / "t.json", "huggingface", text="aĠb b")
    remarks = export(plain, tmp_path / "t.json", "huggingface", text="ab b").remarks
    assert remarks == ("a Ġ that stands in a text is read there as the mark of a space",)
    assert export(vocabulary, tmp_path / "t", "priority-class", text="aĠb b").text_same
    cutter = PriorityCutter(str(tmp_path / "t" / "vocab.json"))
    for text in ("aĠb b", " Ġ Ġ", "ĠĠ  a Ġb"):
        assert cutter.text(cutter.tokens(text)) == text


def test_words_of_very_long_tokens_are_few():
    words = [word for word, _ in built_in_words(Vocabulary([b"a" * 3000, *TOKENS]))]
    long = [word for word in words if len(word) > 256]
    assert b"a" * 3000 in long
    assert len(words) - len(long) > 2500
    assert 3000 < sum(map(len, long)) < 2 * 3000 * 5 + 2**15


def test_what_it_cannot_express_is_refused(tmp_path):
    target = tmp_path / "t.json"
    with pytest.raises(InputError, match=r"the rule priority .* nearest is the rule shortest_path"):
        export(made("priority"), target, "huggingface")
    with pytest.raises(InputError, match=r"the pre-tokenizer space-prefix:ab .* one character"):
        export(made("merges", pretokenizer="space-prefix:ab"), target, "huggingface")
    with pytest.raises(InputError, match="unknown pre-tokenizer 'mine'"):
        export(made("merges", pretokenizer="mine"), target, "huggingface")
    with pytest.raises(InputError, match="holds tokens over bytes; these are over chars"):
        export(Vocabulary(["ab"], "chars"), target, "huggingface")
    with pytest.raises(InputError, match="special token 'the' is spelled as a token"):
        export(made("merges", special=["the"]), target, "huggingface")
    with pytest.raises(InputError, match="unknown format 'hf': use huggingface"):
        export(made("merges"), target, "hf")
    with pytest.raises(InputError, match="no folder"):
        export(made("merges"), tmp_path / "no" / "t.json", "huggingface")
    assert list(tmp_path.iterdir()) == []


def test_the_cost_of_a_loss_is_measured(tmp_path):
    words = WordCounts.from_counts({"abca": 10, "ab": 3})
    vocabulary = Vocabulary(["abc", "ab", "bca"], rule="priority", pretokenizer="none")
    result = export(vocabulary, tmp_path / "t.json", "huggingface", corpus=words, lossy=True)
    assert not result.exact
    assert (result.words, result.words_differing, result.occurrences_differing) == (2, 1, 10)
    assert (result.tokens, result.exported_tokens) == (23, 23)  # abc a, and a bca
    assert result.written_rule == "shortest_path"
    assert load_vocabulary(tmp_path / "t.json").rule == "shortest_path"


@pytest.mark.parametrize("target", ["t.json", "folder"])
def test_an_export_that_cuts_otherwise_is_found_out(tmp_path, monkeypatch, target):
    def wrong(vocabulary, path):
        return HUGGINGFACE.write(vocabulary.with_(rule="single_symbols"), path)

    broken = FORMATS["huggingface"].__class__(**{**vars(HUGGINGFACE), "write": wrong})
    monkeypatch.setitem(FORMATS, "huggingface", broken)
    with pytest.raises(InputError, match=r"words .* are cut otherwise: \+[\d,]+ tokens"):
        export(made("shortest_path"), tmp_path / target, "huggingface")
    assert list(tmp_path.iterdir()) == []
    result = export(made("shortest_path"), tmp_path / target, "huggingface", text=TEXT, lossy=True)
    assert not result.exact
    assert result.text_same is False
    assert "the text is cut otherwise" in result.cost


def test_the_alphabet_is_theirs():
    mine = {to_characters(bytes([byte])) for byte in range(256)}
    assert mine == set(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    assert from_characters(to_characters(bytes(range(256)))) == bytes(range(256))
    assert spell(bytes(range(256))) == to_characters(bytes(range(256)))
    assert from_characters(" ") is None


def test_equal_scores_of_all_bytes_are_kept(tmp_path):
    singles = {bytes([byte]): -5.0 for byte in range(256)}
    vocabulary = Vocabulary(
        ["ab", "bc"], rule="likelihood", pretokenizer="none", scores=[-1, -2], symbol_scores=singles
    )
    export(vocabulary, tmp_path / "t.json", "huggingface")
    same(load_vocabulary(tmp_path / "t.json"), vocabulary)


def test_scores_of_nought_are_not_read_as_the_shortest_path(tmp_path):
    """They tell no segmentation from another: equal negative ones do."""
    export(made("shortest_path"), tmp_path / "t.json", "huggingface")
    data = json.loads((tmp_path / "t.json").read_bytes())
    data["model"]["vocab"] = [[text, 0.0] for text, _ in data["model"]["vocab"]]
    (tmp_path / "t.json").write_text(json.dumps(data))
    assert load_vocabulary(tmp_path / "t.json").rule == "likelihood"


@pytest.mark.parametrize(("places", "most"), [(1, 20), (40, 60)])
def test_scores_are_read_back_as_they_are(tmp_path, places, most):
    draw = random.Random(7)
    scores = [-draw.expovariate(0.1) * 10.0 ** -draw.randrange(places) for _ in range(2000)]
    tokens = [f"x{i}" for i in range(len(scores))]
    vocabulary = Vocabulary(tokens, rule="likelihood", scores=scores, pretokenizer="none")
    result = export(vocabulary, tmp_path / "t.json", "huggingface")
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    theirs = dict(json.loads(tokenizer.to_str())["model"]["vocab"])
    changed = sum(theirs[t] != score for t, score in zip(tokens, scores, strict=True))
    assert changed < most
    assert any(remark.startswith(f"{changed} scores come out") for remark in result.remarks)
    same(load_vocabulary(tmp_path / "t.json"), vocabulary)


# what other people's files hold


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


@pytest.mark.parametrize(
    ("kind", "rule"), [("BPE", "merges"), ("Unigram", "likelihood")], ids=["BPE", "Unigram"]
)
def test_a_trained_tokenizer_comes_in_and_cuts_as_it_did(tmp_path, kind, rule):
    tokenizer, text = trained(kind)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    vocabulary = load_vocabulary(tmp_path)
    assert (vocabulary.rule, vocabulary.pretokenizer) == (rule, "gpt2")
    assert vocabulary.special["<pad>"] == 1
    ids = dict(zip([*(bytes([b]) for b in range(256)), *vocabulary], vocabulary.id_of, strict=True))
    own = []
    for word in Pretokenizer.from_name("gpt2").split(text):
        own += segment(WordCounts.from_words([word]), vocabulary).of(0)
    assert [ids[token] for token in own] == tokenizer.encode(text).ids
    assert export(vocabulary, tmp_path / "again", "huggingface", text=text).exact
    same(load_vocabulary(tmp_path / "again"), vocabulary.with_(provenance={}))


def test_merges_written_with_a_space_and_ranks_in_any_order(tmp_path):
    export(made("merges"), tmp_path / "t.json", "huggingface")
    data = json.loads((tmp_path / "t.json").read_bytes())
    data["model"]["merges"] = [" ".join(pair) for pair in data["model"]["merges"]]
    del data["model"]["type"]
    (tmp_path / "t.json").write_text(json.dumps(data))
    same(load_vocabulary(tmp_path / "t.json"), made("merges"))


def damaged(tmp_path, use, change):
    export(made(use, pretokenizer="gpt2"), tmp_path / "t.json", "huggingface")
    data = json.loads((tmp_path / "t.json").read_bytes())
    change(data)
    (tmp_path / "t.json").write_text(json.dumps(data))
    return load_vocabulary(tmp_path / "t.json")


def put(*path):
    *way, key, value = path

    def change(data):
        for step in way:
            data = data[step]
        data[key] = value

    return change


@pytest.mark.parametrize(
    ("use", "change", "message"),
    [
        ("merges", put("normalizer", {"type": "Lowercase"}), r"normalizer \(Lowercase\) changes"),
        (
            "merges",
            put("normalizer", {"type": "Sequence", "normalizers": [{"type": "NFC"}]}),
            "NFC",
        ),
        (
            "merges",
            put("pre_tokenizer", {"type": "Whitespace"}),
            r"pre-tokenizer \(Whitespace\) and pieces of text are not known",
        ),
        (
            "longest_match",
            put("pre_tokenizer", {"type": "Whitespace"}),
            "WordPiece model is over characters",
        ),
        ("merges", put("model", "end_of_word_suffix", "</w>"), "end_of_word_suffix '</w>'"),
        ("merges", put("model", "dropout", 0.1), "dropout 0.1"),
        ("longest_match", put("model", "continuing_subword_prefix", "##"), r"prefix \(##\)"),
        ("merges", put("model", "type", "WordLevel"), "WordLevel cuts by no rule"),
        ("merges", put("model", "vocab", "a b", 999), "'a b' does not stand for bytes"),
        ("merges", put("model", "merges", [["a", "☃"]]), "merge 'a' . '☃' does not stand"),
        ("merges-pairs", put("model", "ignore_merges", True), "keeps whole words .*, 8 of which"),
        ("merges", put("model", "merges", [["a"]]), "not a tokenizer.json"),
        ("merges", put("model", "vocab", 3), "not a tokenizer.json"),
        ("merges", put("model", "merges", [["a", "x"]]), "keeps whole words"),
        ("merges", put("added_tokens", [{"id": 900, "content": "Ã"}]), "as .* spells .* 0xC3: the"),
        (
            "shortest_path",
            put("pre_tokenizer", {"type": "Digits"}),
            r"its pre-tokenizer \(Digits\) and pieces of text",
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
            "words of more than 100 bytes are unknown there, and cut here",
        ),
        ("merges", put("pre_tokenizer", "add_prefix_space", True), "a space is put before"),
        (
            "merges",
            put(
                "added_tokens",
                [{"id": 900, "content": "xyz", "special": False, "lstrip": True}],
            ),
            "1 added tokens, which are cut out of a text",
        ),
        (
            "merges",
            put("added_tokens", [{"id": 900, "content": "<s>", "single_word": True}]),
            "1 special tokens are found only as words of their own there",
        ),
        ("merges", put("truncation", {"max_length": 7}), "a text is cut off after 7 tokens there"),
        ("merges", put("padding", {"pad_id": 0}), "texts are padded there"),
        ("merges", put("post_processor", AROUND), "(TemplateProcessing) puts tokens around every"),
    ],
)
def test_what_is_not_carried_is_remarked(tmp_path, use, change, remark):
    read = damaged(tmp_path, use, change)
    assert any(remark in line for line in read.provenance["remarks"])


def test_a_post_processor_that_adds_nothing_is_not_remarked(tmp_path):
    nothing = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}], "pair": []}
    steps = {"type": "Sequence", "processors": [{"type": "ByteLevel"}, nothing]}
    read = damaged(tmp_path, "merges", put("post_processor", steps))
    assert "remarks" not in read.provenance


@pytest.mark.parametrize(("text", "place"), [("日", 269), ("@", 64)])
def test_an_added_token_of_one_character(tmp_path, text, place):
    added = {"id": place, "content": text, "special": True}
    added |= dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    read = damaged(tmp_path, "merges", put("added_tokens", [added]))
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    assert read.special == {text: place}
    assert theirs.encode(f"abc{text}").ids == Encoder(read).encode(f"abc{text}", special="parse")


SPELLED = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": False,
}


def test_an_unknown_pretokenizer_is_remarked(tmp_path):
    digits = {"type": "Digits", "individual_digits": True}
    steps = {"type": "Sequence", "pretokenizers": [digits, SPELLED]}
    read = damaged(tmp_path, "merges", put("pre_tokenizer", steps))
    assert read.pretokenizer is None
    assert "not known here (Digits)" in read.provenance["remarks"][0]


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
    tokenizer.save(str(tmp_path / "t.json"))
    vocabulary = load_vocabulary(tmp_path / "t.json")
    assert (vocabulary.rule, vocabulary.pretokenizer) == ("likelihood", "space-prefix:▁")
    assert len(vocabulary.provenance["remarks"]) == 2
    ids = dict(zip([*(bytes([b]) for b in range(256)), *vocabulary], vocabulary.id_of, strict=True))
    for text in ["the athe thé a  e", "hat x😀the"]:
        own = []
        for word in Pretokenizer.from_name("space-prefix:▁").split(text):
            own += segment(WordCounts.from_words([word]), vocabulary).of(0)
        assert [ids[token] for token in own] == tokenizer.encode(text).ids


SPACE_BY_NORMALIZER = tokenizers.normalizers.Replace(" ", "▁")


@settings(deadline=None, max_examples=60)
@given(
    more=st.lists(st.text("ab▁", min_size=2, max_size=4), unique=True, max_size=8),
    texts=st.lists(st.text("ab ", max_size=16), max_size=5),
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
    vocabulary = load_vocabulary(path)
    inside = way in ("whole", "normalizer") and any("▁" in text[1:] for text in more)
    expected = "none" if inside or way == "neither" else "space-prefix:▁"
    assert vocabulary.pretokenizer == expected
    remarks = " ".join(vocabulary.provenance["remarks"])
    assert ("pieces hold spaces inside: ▁ is read as a space" in remarks) == inside
    assert ("a ▁ that stands in a text" in remarks) == (way != "neither")
    assert ("1 pieces with a space, which no text has there" in remarks) == (way != "neither")
    encoder = Encoder(vocabulary)
    for text in texts:
        assert encoder.encode(text) == tokenizer.encode(text).ids


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.json", "{}", "not recognised: name its format, huggingface, priority-class"),
        ("t.json", "{", "t.json:1: not JSON"),
        ("t.JSON", "", "t.JSON:1: not JSON"),
        ("t.bin", "", "not recognised"),
        ("other", None, "no such file or folder"),
    ],
)
def test_what_is_no_tokenizer(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        load_vocabulary(tmp_path / name)


# priority


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.text("ab", min_size=2, max_size=5), unique=True),
    st.lists(st.text("ab", min_size=1, max_size=12), min_size=1),
)
def test_the_cutter_covers_as_segment_does(tmp_path_factory, tokens, words):
    path = tmp_path_factory.mktemp("cut") / "vocab.json"
    vocabulary = Vocabulary(tokens, rule="priority")
    path.write_text(json.dumps({"vocab": {t: i for i, t in enumerate(tokens)}, "splits": []}))
    cutter = PriorityCutter(str(path))
    counts = WordCounts.from_words(words)
    own = segment(counts, vocabulary)
    for index, (word, _) in enumerate(counts):
        assert [t.encode() for t in cutter.cut_word(word.decode())] == own.of(index)


@pytest.mark.parametrize("name", [*SPLITS, "space-prefix:ab"])
def test_a_class_for_priority_goes_out_and_comes_back(tmp_path, name):
    numbers = [*range(5, 261), *range(300, 300 + len(TOKENS))]
    vocabulary = made("priority", pretokenizer=name, special={"<s>": 0, "<e>": 999}, ids=numbers)
    result = export(vocabulary, tmp_path / "t", "priority-class", text=TEXT)
    assert result.exact
    assert result.text_same
    same(load_vocabulary(tmp_path / "t"), vocabulary)
    again = export(vocabulary, tmp_path / "t", "priority-class", text=TEXT)  # over what is there
    assert again == result


def test_the_class_is_for_priority_only(tmp_path):
    with pytest.raises(InputError, match=r"the rule merges .* nearest is the rule priority"):
        export(made("merges"), tmp_path / "t", "priority-class")
    (tmp_path / "p").mkdir()
    for file, message in (("priority_cutter.py", "cannot be read"), ("vocab.json", "not the voc")):
        (tmp_path / "p" / file).write_text("{}")
        with pytest.raises(InputError, match=message):
            load_vocabulary(tmp_path / "p")
    export(made("priority"), tmp_path / "q", "priority-class")
    for held in ([1], {"x": {"content": "y"}}, {"1": 5}):
        content = json.dumps({"added_tokens_decoder": held})
        (tmp_path / "q" / "tokenizer_config.json").write_text(content)
        with pytest.raises(InputError, match="does not list added tokens"):
            load_vocabulary(tmp_path / "q")


@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="no transformers")
@pytest.mark.filterwarnings("ignore")  # theirs
@pytest.mark.parametrize("split", ["gpt2", "space-prefix"])
@pytest.mark.parametrize("use", ["shortest_path", "priority"])
def test_transformers_loads_it(tmp_path, monkeypatch, use, split):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    from transformers import AutoTokenizer

    special = {"<s>": 269, "<e>": 300, "<|end of text|>": 301, "‹é>": 302}
    vocabulary = made(use, pretokenizer=split, special=special)
    text = "abca the thé  x bcab 😀 the"
    form = "priority-class" if use == "priority" else "huggingface"
    export(vocabulary, tmp_path / "t", form)
    tokenizer = AutoTokenizer.from_pretrained(str(tmp_path / "t"), trust_remote_code=True)
    ids = tokenizer(f"<s>{text}<e>")["input_ids"]
    own = []
    number = dict(
        zip([*(bytes([b]) for b in range(256)), *vocabulary], vocabulary.id_of, strict=True)
    )
    for word in Pretokenizer.from_name(split).split(text):
        own += segment(WordCounts.from_words([word]), vocabulary).of(0)
    assert ids == [269, *map(number.__getitem__, own), 300]
    assert tokenizer.decode(ids) == f"<s>{text}<e>"
    assert tokenizer.decode(ids, skip_special_tokens=True) == text
    every = "".join(special)
    assert tokenizer(every)["input_ids"] == list(special.values())
    assert tokenizer.decode(list(special.values())) == every


def test_the_class_leaves_special_tokens_as_they_are(tmp_path, monkeypatch):
    """Without transformers: what version 5 calls with special tokens among the others."""

    class Base:
        def __init__(self, **settings):
            self.added_tokens_encoder = {"<|end of text|>": 300, "‹é>": 301, "<s>": 302}

    stand_in = types.ModuleType("transformers")
    stand_in.PreTrainedTokenizer = Base
    monkeypatch.setitem(sys.modules, "transformers", stand_in)
    name = "partcover.interop.tokenization_priority"
    held = sys.modules.pop(name, None)
    from partcover.interop.tokenization_priority import PriorityTokenizer

    sys.modules.pop(name)
    if held is not None:
        sys.modules[name] = held
    vocabulary = Vocabulary(["Ġb"], pretokenizer="space-prefix", rule="priority")
    export(vocabulary, tmp_path / "t", "priority-class")
    tokenizer = PriorityTokenizer(str(tmp_path / "t" / "vocab.json"))
    one, other = tokenizer._tokenize("é b"), tokenizer._tokenize("b")
    tokens = ["‹é>", *one, "<|end of text|>", "<s>", *other]
    assert tokenizer.convert_tokens_to_string(tokens) == "‹é>é b<|end of text|><s>b"
    assert tokenizer.convert_tokens_to_string([]) == ""


# the commands


def test_export_and_import(run, tmp_path):
    made("shortest_path", pretokenizer="gpt2").save(tmp_path / "v.json")
    (tmp_path / "c.tsv").write_text("abca\t5\nthe\t2\n")
    (tmp_path / "text.txt").write_text(TEXT)
    line = ["export", "v.json", "--to", "huggingface", "-o", "t", "--corpus", "c.tsv"]
    status, out, err = run(*line, "--text", "text.txt")
    assert (status, err) == (0, "partcover: wrote t\n")
    assert out.startswith("exact: all 2 words are cut the same: 12 tokens; the text is cut the sam")
    status, out, _ = run(*line, "--json", "--quiet", "--rule", "longest_match")
    result = json.loads(out)
    assert (status, result["exact"], result["rule"]) == (0, True, "longest_match")
    status, out, _ = run("import", "t", "-o", "w.json", "--json")
    assert (status, json.loads(out)["rule"]) == (0, "longest_match")
    assert Vocabulary.load(tmp_path / "w.json").tokens == made("merges").tokens
    status, out, _ = run("import", "t", "--from", "huggingface")
    assert out == "13 tokens over bytes, rule longest_match, pre-tokenizer gpt2\n"


@pytest.mark.parametrize("command", ["export", "import"])
def test_help_names_the_formats(run, command):
    status, out, _ = run(command, "--help")
    assert status == 0
    assert all(name in out.partition("Formats:")[2] for name in FORMATS)


def test_refusals_are_one_line(run, tmp_path):
    made("priority").save(tmp_path / "v.json")
    line = ["export", "v.json", "--to", "huggingface"]
    for more, message in (
        ((), "-o is missing"),
        (("-o", "t", "--rule", "priority"), "huggingface cannot express the rule priority"),
        (("-o", "t", "--pretokenizer", "no"), "unknown pre-tokenizer 'no'"),
        (("-o", "t", "--rule", "likelihood"), "likelihood needs scores"),
    ):
        status, out, err = run(*line, *more)
        assert (status, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1
    status, out, err = run(*line, "-o", "t", "--rule", "priority", "--lossy")
    assert status == 0
    assert out.startswith("not exact: ")
    assert "given up: the rule priority" in err
    assert run("import", "v.json")[0] == 2


def test_what_the_decoder_makes_of_a_special_token_is_said(tmp_path):
    vocabulary = Vocabulary(["ab"], pretokenizer="gpt2", special=["‹été>", "<|end|>", "<a b>"])
    fidelity = export(vocabulary, tmp_path / "hf", "huggingface")
    told = [remark for remark in fidelity.remarks if "special token" in remark]
    assert told == ["the special token '‹été>' is decoded there as '‹\ufffdt\ufffd>'"][: len(told)]
    assert len(told) == (from_characters("‹été>") is not None)
    fidelity = export(vocabulary.with_(special=["ĠA"]), tmp_path / "hf", "huggingface")
    assert "the special token 'ĠA' is decoded there as ' A'" in fidelity.remarks
    over_text = vocabulary.with_(special=["ĠA"], rule="character_merges")
    remarks = export(over_text, tmp_path / "hf", "huggingface").remarks
    assert not any("special token" in remark for remark in remarks)


def test_marked_words_are_to_be_given(tmp_path):
    words = WordCounts.from_counts({"abab": 3, "ba": 2})
    trained = trainers.bpe(Instance(words, 3), end_of_word="_").recorded(words)
    vocabulary = trained.with_(pretokenizer="gpt2")
    for name in ("huggingface", "tiktoken", "list"):
        with pytest.raises(InputError, match="words that end in '_': give such words"):
            export(vocabulary, tmp_path / name, name, lossy=True)
        with pytest.raises(InputError, match="'abab' does not"):
            export(vocabulary, tmp_path / name, name, corpus=words, lossy=True)
        marked = words.with_suffix("_")
        assert export(vocabulary, tmp_path / name, name, corpus=marked, lossy=True).words == 2
