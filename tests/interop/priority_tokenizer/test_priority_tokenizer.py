"""The tokenizer that covers in order of priority, with the code that goes along."""

from __future__ import annotations

import json
import sys
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interop.vocabularies import SPLITS, TEXT, TOKENS, made, same
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, segment
from partcover.corpus.pretokenizers.byte_spelling import spelled_bytes
from partcover.interop import export
from partcover.interop.priority_tokenizer.priority_cutter import PriorityCutter, spell


@tries(60)
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


@pytest.mark.long
@pytest.mark.parametrize("name", [*SPLITS, "space-prefix:ab"])
def test_a_class_for_priority_goes_out_and_comes_back(tmp_path, name):
    numbers = [*range(5, 261), *range(300, 300 + len(TOKENS))]
    vocabulary = made("priority", pretokenizer=name, special={"<s>": 0, "<e>": 999}, ids=numbers)
    result = export(vocabulary, tmp_path / "t", "priority-class", text=TEXT)
    assert result.exact
    assert result.text_same
    same(Vocabulary.load(tmp_path / "t"), vocabulary)
    again = export(vocabulary, tmp_path / "t", "priority-class", text=TEXT)  # over what is there
    assert again == result


def test_the_class_is_for_priority_only(tmp_path):
    with pytest.raises(InputError, match=r"the rule merges .* nearest is the rule priority"):
        export(made("merges"), tmp_path / "t", "priority-class")
    (tmp_path / "p").mkdir()
    for file, message in (("priority_cutter.py", "cannot be read"), ("vocab.json", "not the voc")):
        (tmp_path / "p" / file).write_text("{}")
        with pytest.raises(InputError, match=message):
            Vocabulary.load(tmp_path / "p")
    for vocab in ({"日": 256}, {"ab": "256"}):
        content = json.dumps({"format": "partcover-priority", "vocab": vocab})
        (tmp_path / "p" / "vocab.json").write_text(content)
        (tmp_path / "p" / "tokenizer_config.json").write_text("{}")
        with pytest.raises(InputError, match="is not a token and its id"):
            Vocabulary.load(tmp_path / "p")
    export(made("priority"), tmp_path / "q", "priority-class")
    for added in ([1], {"x": {"content": "y"}}, {"٣": {"content": "y"}}, {"1": 5}):
        content = json.dumps({"added_tokens_decoder": added})
        (tmp_path / "q" / "tokenizer_config.json").write_text(content)
        with pytest.raises(InputError, match="does not list added tokens"):
            Vocabulary.load(tmp_path / "q")


def test_the_class_leaves_special_tokens_as_they_are(tmp_path, monkeypatch):
    """Without transformers: what version 5 calls with special tokens among the others."""

    class Base:
        def __init__(self, **settings):
            self.added_tokens_encoder = {"<|end of text|>": 300, "‹é>": 301, "<s>": 302}

    stand_in = types.ModuleType("transformers")
    stand_in.PreTrainedTokenizer = Base
    monkeypatch.setitem(sys.modules, "transformers", stand_in)
    name = "partcover.interop.priority_tokenizer.tokenization_priority"
    before = sys.modules.pop(name, None)
    from partcover.interop.priority_tokenizer.tokenization_priority import PriorityTokenizer

    sys.modules.pop(name)
    if before is not None:
        sys.modules[name] = before
    vocabulary = Vocabulary(["Ġb"], pretokenizer="space-prefix", rule="priority")
    export(vocabulary, tmp_path / "t", "priority-class")
    tokenizer = PriorityTokenizer(str(tmp_path / "t" / "vocab.json"))
    one, other = tokenizer.cutter.tokens("é b"), tokenizer.cutter.tokens("b")
    tokens = ["‹é>", *one, "<|end of text|>", "<s>", *other]
    assert tokenizer.convert_tokens_to_string(tokens) == "‹é>é b<|end of text|><s>b"
    assert tokenizer.convert_tokens_to_string([]) == ""


@pytest.mark.long
def test_a_mark_in_the_text_is_found_out(tmp_path):
    vocabulary = Vocabulary(["Ġb"], pretokenizer="space-prefix", rule="priority")
    shortest = vocabulary.with_(rule="shortest_path")
    assert Encoder(shortest).encode("aĠb b") == [97, 32, 98, 256]
    with pytest.raises(InputError, match="4 tokens in partcover, 3 in the library"):
        export(shortest, tmp_path / "t.json", "huggingface", text="aĠb b")
    remarks = export(shortest, tmp_path / "t.json", "huggingface", text="ab b").remarks
    assert remarks == (
        "a Ġ in a text is read by the library as the mark of a space",
        "equal on 115 test texts: ids, decoding, offsets and templates",
    )
    assert export(vocabulary, tmp_path / "t", "priority-class", text="aĠb b").text_same
    cutter = PriorityCutter(str(tmp_path / "t" / "vocab.json"))
    for text in ("aĠb b", " Ġ Ġ", "ĠĠ  a Ġb"):
        assert cutter.text(cutter.tokens(text)) == text


def test_its_code_spells_bytes_as_partcover_does():
    assert spell(bytes(range(256))) == spelled_bytes(bytes(range(256)))
