"""Tokenizers of Hugging Face out and back: every rule replayed by the library itself."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interop.vocabularies import EXACT, SPLITS, TEXT, TOKENS, made, same
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, segment
from partcover.corpus.pretokenizers.byte_spelling import spelled_bytes
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.interop import FORMATS, export
from partcover.interop.byte_level import from_characters
from partcover.interop.huggingface import HUGGINGFACE
from partcover.interop.replay import built_in_words

tokenizers = pytest.importorskip("tokenizers")


@pytest.mark.long
@pytest.mark.parametrize("name", ["folder", "one.json"])
@pytest.mark.parametrize("use", EXACT)
def test_a_rule_goes_out_exactly_and_comes_back(tmp_path, use, name):
    vocabulary = made(use, pretokenizer="gpt2", special=["<s>", "</s>"])
    result = export(vocabulary, tmp_path / name, "huggingface", text=TEXT)
    assert result.exact
    assert result.words > 1000
    assert result.text_same
    same(Vocabulary.load(tmp_path / name, "huggingface"), vocabulary)
    same(Vocabulary.load(tmp_path / name), vocabulary)


@tries(8)
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
    read = Vocabulary.load(path)
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
    as_text = use in ("longest_match", "merges")  # <s>, in text that is text
    result = export(vocabulary, tmp_path / "t.json", "huggingface", lossy=as_text)
    assert (result.ids_differing, result.exact) == (0, not as_text)
    same(Vocabulary.load(tmp_path / "t.json"), vocabulary)
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    ids = tokenizer.encode("<s>abc<e>").ids
    assert (ids[0], ids[-1]) == (0, 1000)
    assert tokenizer.decode(ids) == "abc"


@pytest.mark.long
@pytest.mark.parametrize(
    ("use", "special", "as_text"),
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
def test_special_tokens_as_text(tmp_path, use, special, as_text):
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
    if as_text:
        with pytest.raises(InputError, match=f"cannot express special .* others: {as_text} \\("):
            export(vocabulary, path, "huggingface")
        result = export(vocabulary, path, "huggingface", corpus=words, lossy=True)
        assert result.words_differing > 0
    else:
        assert export(vocabulary, path, "huggingface").exact
        assert export(vocabulary, path, "huggingface", corpus=words).exact
    same(Vocabulary.load(path), vocabulary)
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
    with pytest.raises(InputError, match="ids of a Unigram model must have no gaps: renumber"):
        export(far, tmp_path / "t.json", "huggingface")
    assert export(far.with_(rule="longest_match"), tmp_path / "t.json", "huggingface").exact


@pytest.mark.parametrize("use", ["shortest_path", "longest_match", "merges"])
def test_a_byte_without_an_id(tmp_path, use):
    vocabulary = made(use, ids=[*range(255), -1, *range(255, 255 + len(TOKENS))])
    result = export(
        vocabulary, tmp_path / "t.json", "huggingface", corpus=WordCounts.from_words([b"\xff"])
    )
    assert (result.words, result.words_unread) == (0, 1)
    assert any("1 byte has no id" in remark for remark in result.remarks)
    same(Vocabulary.load(tmp_path / "t.json"), vocabulary)


@pytest.mark.long
@pytest.mark.parametrize("name", SPLITS)
def test_pretokenizers(tmp_path, name):
    vocabulary = made("shortest_path", pretokenizer=name, special=["<s>"])
    mark = Pretokenizer.from_name(name).rules[0].mark
    text = TEXT.replace("Ġ", "").replace("_", "") if mark else TEXT  # a mark comes back as a space
    result = export(vocabulary, tmp_path / "t", "huggingface", text=text)
    assert result.text_same
    assert result.text_tokens > 40
    same(Vocabulary.load(tmp_path / "t"), vocabulary)
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "t" / "tokenizer.json"))
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_what_it_cannot_express_is_refused(tmp_path):
    target = tmp_path / "t.json"
    with pytest.raises(InputError, match=r"the rule priority .* nearest is the rule shortest_path"):
        export(made("priority"), target, "huggingface")
    with pytest.raises(InputError, match=r"the pre-tokenizer space-prefix:ab .* one character"):
        export(made("merges", pretokenizer="space-prefix:ab"), target, "huggingface")
    for step, message in (
        ({"type": "Phrases", "words": 2}, "no step of the library's joins words"),
        ({"type": "BeginOfWord", "mark": "▁"}, "only a WordPiece model marks where words begin"),
    ):
        split = {"type": "Split", "pattern": {"String": " "}, "behavior": "Isolated"}
        steps = {"type": "Sequence", "pretokenizers": [{**split, "invert": False}, step]}
        with pytest.raises(InputError, match=message):
            export(made("merges", pretokenizer=json.dumps(steps)), target, "huggingface")
    steps = json.dumps({"type": "ByteLevel", "add_prefix_space": True, "use_regex": True})
    text = Vocabulary(["ab"], rule="character_merges", pretokenizer=steps)
    with pytest.raises(InputError, match="ByteLevel spells bytes as characters, and its pieces"):
        export(text, target, "huggingface")
    with pytest.raises(InputError, match="unknown pre-tokenizer 'mine'"):
        export(made("merges", pretokenizer="mine"), target, "huggingface")
    with pytest.raises(InputError, match="holds tokens over bytes; these are over chars"):
        export(Vocabulary(["ab"], "chars"), target, "huggingface")
    with pytest.raises(InputError, match="special token are both spelled 'the': rename"):
        export(made("merges", special=["the"]), target, "huggingface")
    with pytest.raises(InputError, match="unknown format 'hf': use huggingface"):
        export(made("merges"), target, "hf")
    with pytest.raises(InputError, match="no folder"):
        export(made("merges"), tmp_path / "no" / "t.json", "huggingface")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_pattern_given_as_byte_level_splits_text_too(tmp_path):
    steps = json.dumps({"type": "ByteLevel", "add_prefix_space": False, "use_regex": True})
    vocabulary = Vocabulary(["ab", " ab", "é"], rule="character_merges", pretokenizer=steps)
    assert export(vocabulary, tmp_path / "t.json", "huggingface", text="ab é ab").text_same
    assert Vocabulary.load(tmp_path / "t.json").pretokenizer == "gpt2"


def test_the_cost_of_a_loss_is_measured(tmp_path):
    words = WordCounts.from_counts({"abca": 10, "ab": 3})
    vocabulary = Vocabulary(["abc", "ab", "bca"], rule="priority", pretokenizer="none")
    result = export(vocabulary, tmp_path / "t.json", "huggingface", corpus=words, lossy=True)
    assert not result.exact
    assert (result.words, result.words_differing, result.occurrences_differing) == (2, 1, 10)
    assert (result.tokens, result.exported_tokens) == (23, 23)  # abc a, and a bca
    assert result.written_rule == "shortest_path"
    assert Vocabulary.load(tmp_path / "t.json").rule == "shortest_path"


@pytest.mark.parametrize("target", ["t.json", "folder"])
def test_an_export_that_cuts_otherwise_is_found_out(tmp_path, monkeypatch, target):
    def wrong(vocabulary, path):
        return HUGGINGFACE.write(vocabulary.with_(rule="single_symbols"), path)

    broken = FORMATS["huggingface"].__class__(**{**vars(HUGGINGFACE), "write": wrong})
    monkeypatch.setitem(FORMATS, "huggingface", broken)
    with pytest.raises(InputError, match=r"words .* are tokenized differently: \+[\d,]+ tokens"):
        export(made("shortest_path"), tmp_path / target, "huggingface")
    assert list(tmp_path.iterdir()) == []
    result = export(made("shortest_path"), tmp_path / target, "huggingface", text=TEXT, lossy=True)
    assert not result.exact
    assert result.text_same is False
    assert "the text is tokenized differently" in result.cost


def test_the_alphabet_is_theirs():
    mine = {spelled_bytes(bytes([byte])) for byte in range(256)}
    assert mine == set(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    assert from_characters(spelled_bytes(bytes(range(256)))) == bytes(range(256))
    assert from_characters(" ") is None


def test_equal_scores_of_all_bytes_are_kept(tmp_path):
    singles = {bytes([byte]): -5.0 for byte in range(256)}
    vocabulary = Vocabulary(
        ["ab", "bc"], rule="likelihood", pretokenizer="none", scores=[-1, -2], symbol_scores=singles
    )
    export(vocabulary, tmp_path / "t.json", "huggingface")
    same(Vocabulary.load(tmp_path / "t.json"), vocabulary)


def test_scores_of_nought_are_not_read_as_the_shortest_path(tmp_path):
    """They tell no segmentation from another: equal negative ones do."""
    export(made("shortest_path"), tmp_path / "t.json", "huggingface")
    data = json.loads((tmp_path / "t.json").read_bytes())
    data["model"]["vocab"] = [[text, 0.0] for text, _ in data["model"]["vocab"]]
    (tmp_path / "t.json").write_text(json.dumps(data))
    assert Vocabulary.load(tmp_path / "t.json").rule == "likelihood"


@pytest.mark.long
@pytest.mark.parametrize(("places", "limit"), [(1, 20), (40, 60)])
def test_scores_are_read_back_as_they_are(tmp_path, places, limit):
    draw = random.Random(7)
    scores = [-draw.expovariate(0.1) * 10.0 ** -draw.randrange(places) for _ in range(2000)]
    tokens = [f"x{i}" for i in range(len(scores))]
    vocabulary = Vocabulary(tokens, rule="likelihood", scores=scores, pretokenizer="none")
    result = export(vocabulary, tmp_path / "t.json", "huggingface")
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    theirs = dict(json.loads(tokenizer.to_str())["model"]["vocab"])
    changed = sum(theirs[t] != score for t, score in zip(tokens, scores, strict=True))
    assert changed < limit
    assert any(remark.startswith(f"{changed} scores differ") for remark in result.remarks)
    same(Vocabulary.load(tmp_path / "t.json"), vocabulary)


def test_added_tokens_that_are_spelled_as_bytes_decode_as_in_the_library(tmp_path):
    """As DeepSeek Coder's, of bytes that are in no UTF-8."""
    added = dict.fromkeys(["õ", "Ġx", "☃", "plain"], ("added",)) | {"<é>": ()}
    ids = [-1 if number == 0xF5 else number for number in range(257)]
    named = {"special": [*added], "special_flags": added}
    vocabulary = Vocabulary(["ab"], rule="merges", pretokenizer="gpt2", ids=ids, **named)
    export(vocabulary, tmp_path / "hf", "huggingface")
    read = Vocabulary.load(tmp_path / "hf")
    assert read.decoding.shown == {"õ": "\ufffd", "Ġx": " x"}
    library = tokenizers.Tokenizer.from_file(str(tmp_path / "hf" / "tokenizer.json"))
    for name in added:
        ids = library.encode(f"a{name}b").ids
        for skip in (False, True):
            there = library.decode(ids, skip_special_tokens=skip)
            if name != "<é>" or skip:
                assert Encoder(read).decode(ids, "replace", skip_special=skip) == there
    remarks = export(read, tmp_path / "again", "huggingface").remarks
    assert not any("'õ'" in remark for remark in remarks)


def test_what_the_decoder_makes_of_a_special_token_is_said(tmp_path):
    vocabulary = Vocabulary(["ab"], pretokenizer="gpt2", special=["‹été>", "<|end|>", "<a b>"])
    fidelity = export(vocabulary, tmp_path / "hf", "huggingface")
    remarks = [remark for remark in fidelity.remarks if "the special token" in remark]
    assert (
        remarks
        == ["the special token '‹été>' is decoded there as '‹\ufffdt\ufffd>'"][: len(remarks)]
    )
    assert len(remarks) == (from_characters("‹été>") is not None)
    fidelity = export(vocabulary.with_(special=["ĠA"]), tmp_path / "hf", "huggingface")
    assert "the special token 'ĠA' is decoded by the library as ' A'" in fidelity.remarks
    over_text = vocabulary.with_(special=["ĠA"], rule="character_merges")
    remarks = export(over_text, tmp_path / "hf", "huggingface").remarks
    assert not any("the special token" in remark for remark in remarks)
