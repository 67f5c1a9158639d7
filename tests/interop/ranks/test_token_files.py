"""Files of tokens: those of GreedTok, SaGe and PathPiece, and plain lists."""

from __future__ import annotations

import json
import sys

import pytest
from interop.cases import WORDS, chosen, need

from partcover import InputError, Vocabulary, WordCounts
from partcover.errors import MissingExtra
from partcover.interop import export


def test_greedtok_is_exact_but_for_neighbouring_copies(tmp_path):
    need("pcatt.greedy_encoder")
    words = WordCounts.from_words([w for w in WORDS if w.isascii() or w[0] == "Ġ"])
    vocabulary = chosen(words, 30, rule="priority", pretokenizer="gpt2")
    corpus = WordCounts.from_counts({"the": 3, "cat": 1, "that": 1})
    result = export(vocabulary, tmp_path / "g", "greedtok", corpus=corpus, text="the cat sat")
    assert result.exact
    back = Vocabulary.load(tmp_path / "g")
    assert (back.tokens, back.id_of, back.rule, back.pretokenizer) == (
        vocabulary.tokens,
        vocabulary.id_of,
        "priority",
        "gpt2",
    )
    with pytest.raises(InputError, match="1 tokens that hold a NUL"):
        export(Vocabulary(["ab", "a\0"], rule="priority"), tmp_path / "h", "greedtok")
    # the authors' encoder takes two neighbouring copies of ab for one token: ba and abab, which
    # begin or end between them, are kept out
    words = WordCounts.from_counts({"ababab": 2})
    copies = Vocabulary(["ab", "abab"], rule="priority", pretokenizer="none")
    with pytest.raises(InputError, match="1 of 1 words"):
        export(copies, tmp_path / "g", "greedtok", corpus=words)
    result = export(copies, tmp_path / "g", "greedtok", corpus=words, lossy=True)
    assert (result.tokens, result.exported_tokens) == (4, 6)


def test_a_library_that_cannot_be_loaded_is_not_called_absent(tmp_path, monkeypatch):
    package = tmp_path / "pcatt"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('no libtbb')")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pcatt"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingExtra, match=r"which cannot be loaded \(no libtbb\): install that"):
        export(Vocabulary(["ab"], rule="priority", pretokenizer="gpt2"), tmp_path / "g", "greedtok")
    assert not (tmp_path / "g").exists()


def test_greedtok_folder_as_its_authors_write_it(tmp_path):
    tokens = [b"<eos>", b" the", b"in", *(bytes([b]) for b in range(256))]
    (tmp_path / "added_tokens.txt").write_text("".join(t.hex() + "\n" for t in tokens))
    (tmp_path / "special_tokens_map.json").write_text('{"eos_token": "<eos>"}')
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "GreedTok"}')
    vocabulary = Vocabulary.load(tmp_path)
    assert (vocabulary.tokens, vocabulary.special) == ((b" the", b"in"), {"<eos>": 0})
    assert vocabulary.id_of[:2] == (3, 4)
    assert vocabulary.id_of[256:] == (1, 2)
    assert (vocabulary.rule, vocabulary.pretokenizer) == ("priority", "gpt2")
    (tmp_path / "tokens.txt").write_text("c4 a0 74 \n69 6e \n")
    assert Vocabulary.load(tmp_path / "tokens.txt", "greedtok").tokens == ("Ġt".encode(), b"in")
    (tmp_path / "special_tokens_map.json").write_text('{"pad_token": "a"}')
    vocabulary = Vocabulary.load(tmp_path)  # a byte that is a special token is none
    assert (vocabulary.special, vocabulary.id_of[ord("a")]) == ({"a": 3 + ord("a")}, -1)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tokenizer_config.json", {"pattern": [5]}, r"the pattern \[5\] is not text"),
        ("special_tokens_map.json", {"x": "\ud800"}, r"x is '\\ud800', which added_tokens"),
        ("special_tokens_map.json", {"x": 5}, "x is 5, which added_tokens"),
    ],
)
def test_broken_greedtok_folders(tmp_path, name, content, message):
    (tmp_path / "added_tokens.txt").write_text("6162\n")
    (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"{name}: {message}"):
        Vocabulary.load(tmp_path)


def test_a_pattern_that_is_no_text_of_utf_8_can_be_shown(tmp_path):
    (tmp_path / "added_tokens.txt").write_text("6162\n")
    (tmp_path / "tokenizer_config.json").write_text('{"pattern": "\\ud800"}')
    vocabulary = Vocabulary.load(tmp_path)
    assert "its pattern is not a known pre-tokenizer: \\ud800" in vocabulary.provenance["remarks"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "rule"), [("sage", "longest_match"), ("pathpiece", "shortest_path")]
)
def test_vocab_files(tmp_path, counted, name, rule):
    if name == "sage":
        need("sage_tokenizer.model")
    vocabulary = chosen(counted, rule=rule)
    vocabulary = vocabulary.with_(tokens=[*vocabulary, "abababababababababababab"])
    path = tmp_path / "v.vocab"
    assert export(vocabulary, path, name, corpus=counted).exact
    assert export(vocabulary, path, name).exact
    assert path.read_text().split("\n")[97] == "61"
    back = Vocabulary.load(path, name)
    assert (back.tokens, back.id_of, back.rule) == (vocabulary.tokens, vocabulary.id_of, rule)
    gaps = vocabulary.with_(ids=[*range(256), *(300 + i for i in range(len(vocabulary)))])
    with pytest.raises(InputError, match="ids with gaps"):
        export(gaps, path, name)
    assert export(gaps, path, name, lossy=True).ids_differing == len(vocabulary)
    turned = Vocabulary(["ab", "bc"], rule=rule, ids=[*range(256), 900, 700], pretokenizer="none")
    export(turned, path, name, lossy=True)
    assert Vocabulary.load(path, name).tokens == (b"bc", b"ab")  # in the order of their ids


def test_list(tmp_path, counted):
    vocabulary = Vocabulary(["a b", "a\tb", b"\xffa", "ab\\", " the", "é\n"], pretokenizer="none")
    path = tmp_path / "v.txt"
    assert export(vocabulary, path, "list").exact
    assert path.read_text() == "a b\na\\tb\n\\xFFa\nab\\\\\n the\né\\n\n"
    back = Vocabulary.load(path)
    assert (back.tokens, back.rule) == (vocabulary.tokens, "shortest_path")
    with pytest.raises(InputError, match="a list holds no rule"):
        export(vocabulary.with_(rule="priority"), path, "list")
