"""RWKV's vocabulary: an id, a Python literal and its size a line."""

from __future__ import annotations

import random

import pytest
from interop.cases import need
from interop.vocabularies import TEXT, made, same

from partcover import Encoder, InputError, Vocabulary, export
from partcover.interop import FORMATS

LINES = r"""
1 '\x00' 1
258 '\n\n' 2
259 "it's" 4
260 'it\'s "' 6
261 '日本' 6
262 b'\xe6\x97' 2
263 '\u200b' 3
264 '\\' 1
265 '            ' 12
"""


def listed(path, more=""):
    path.write_text(LINES.strip() + "\n" + more, "utf-8")
    return path


def test_lines_are_tokens(tmp_path):
    vocabulary = Vocabulary.load(listed(tmp_path / "v.txt"))
    assert vocabulary.provenance["format"] == "rwkv"
    assert (vocabulary.rule, vocabulary.pretokenizer) == ("longest_match", "none")
    assert vocabulary.tokens == (
        b"\n\n", b"it's", b"it's \"", "日本".encode(), b"\xe6\x97", "\u200b".encode(), 12 * b" ",
    )  # fmt: skip
    assert (vocabulary.id_of[0], vocabulary.id_of[0x5C], vocabulary.id_of[1]) == (1, 264, -1)
    assert "254 of the 256 bytes have no id" in vocabulary.provenance["remarks"]


def test_lines_come_back_as_they_were(tmp_path):
    source = listed(tmp_path / "v.txt")
    FORMATS["rwkv"].write(Vocabulary.load(source), tmp_path / "w.txt")
    assert (tmp_path / "w.txt").read_bytes() == source.read_bytes()
    ended = tmp_path / "crlf.txt"
    ended.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert Vocabulary.load(ended).tokens == Vocabulary.load(source).tokens
    FORMATS["rwkv"].write(Vocabulary.load(ended), tmp_path / "e.txt")
    assert (tmp_path / "e.txt").read_bytes() == ended.read_bytes()


def test_there_and_back(tmp_path):
    vocabulary = made("longest_match")
    result = export(vocabulary, tmp_path / "v.txt", "rwkv", text=TEXT)
    assert result.exact
    assert result.text_same
    same(Vocabulary.load(tmp_path / "v.txt").with_(method="given", ids=None), vocabulary)
    with pytest.raises(InputError, match="RWKV takes the longest match of a whole text"):
        export(vocabulary.with_(pretokenizer="gpt2"), tmp_path / "no", "rwkv")


def test_ids_are_those_of_its_own_library(tmp_path):
    tokenizers = need("rwkv.rwkv_tokenizer")
    vocabulary = made("longest_match")
    export(vocabulary, tmp_path / "v.txt", "rwkv")
    own = tokenizers.TRIE_TOKENIZER(str(tmp_path / "v.txt"))
    draw = random.Random(1)
    encoder = Encoder(Vocabulary.load(tmp_path / "v.txt"))
    for _ in range(300):
        text = "".join(draw.choices([*"abc the12é😀\n", "abc", " th", "bca"], k=12))
        assert encoder.encode(text) == own.encode(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 '' 0", "the token is empty"),
        ("9 'ab' 3", "has 2 bytes, not 3"),
        ("9 '日本' 6", ":10: token '日本' is given twice"),
        ("261 'ab' 2", ":10: id 261 is given twice"),
        ("4294967296 'ab' 2", "is too large"),
        ("9 __import__('os') 2", "expected an id, a token as"),
        ("9 'a' + 'b' 2", "expected an id, a token as"),
        ("9 ('ab') 2", "expected an id, a token as"),
        (r"9 'a\d' 3", "expected an id, a token as"),
        (r"9 '\ud800' 3", "is not a Python literal of"),
        (r"9 '\UFFFFFFFF' 3", "is not a Python literal of"),
        ("9 b'é' 2", "is not a Python literal of"),
        ("9 'a\\", "expected an id, a token as"),
        ("9 '" + 70_000 * "a" + "' 70000", "expected an id, a token as"),
    ],
)
def test_other_lines_are_refused_by_number(line, message, tmp_path):
    with pytest.raises(InputError, match=message) as error:
        Vocabulary.load(listed(tmp_path / "v.txt", line + "\n"))
    assert str(error.value).startswith(f"{tmp_path / 'v.txt'}:10: ")
