"""One file given for another: understood, or refused with the likely mistake."""

from __future__ import annotations

import gzip
import json
import os

import numpy as np
import pytest

from partcover import InputError, Instance, Vocabulary, WordCounts
from partcover.cli.inputs import read_tokens
from partcover.interop import export
from partcover.runtime.files.kinds import kind_of, kind_of_head, likely_mistake, looks_counted
from partcover.runtime.files.writing import load_json, read_text

TEXT = "It is a truth universally acknowledged\nthat a single man\n"
WORDS = {"the": 5, "then": 3, "that": 2}


@pytest.fixture
def files(tmp_path):
    words = WordCounts.from_counts(WORDS, pretokenizer="gpt2")
    words.save(tmp_path / "C.tsv")
    (tmp_path / "bare.tsv").write_text("the\t5\nthen\t3\n")
    Vocabulary(["th", "the"], pretokenizer="gpt2").save(tmp_path / "V.json")
    Instance(words, 2).save(tmp_path / "I.json")
    (tmp_path / "S.json").write_text('{"method": "solve", "lower_bound": 3}')
    (tmp_path / "book.txt").write_text(TEXT)
    np.save(tmp_path / "ids.npy", np.arange(5))
    (tmp_path / "hf.json").write_text('{"version": "1.0", "added_tokens": [], "model": {}}')
    (tmp_path / "ranks.tiktoken").write_text("IQ== 0\nIg== 1\ndGhl 2\ndGhlbg== 3\n")
    return tmp_path


@pytest.fixture
def certificates(run, files):
    """A certificate of each kind."""
    WordCounts.from_counts({"lower": 7, "low": 2}).save(files / "D.tsv")
    Vocabulary(["th", "the"], rule="merges", pretokenizer="gpt2").save(files / "B.json")
    for line in (
        "bound C.tsv -k 2 -o P.cert",
        "bound C.tsv -k 2 --head 2 -o head.cert",
        "bound C.tsv D.tsv -k 2 --minimax -o several.cert",
        "prune B.json C.tsv -k 1 -o N.json --write-certificate merge.cert",
        "extend B.json book.txt -m 1 -o E.json --write-certificate new.cert",
    ):
        assert run(*line.split(), "--quiet")[0] == 0
    return files


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "status", "part"),
    [
        (
            "verify book.txt --vocab E.json --certificate head.cert",
            6,
            "about a head and a tail, but the instance has all",
        ),
        (
            "verify C.tsv D.tsv -k 2 --minimax --certificate head.cert",
            2,
            "own references need all words in memory",
        ),
        (
            "verify C.tsv D.tsv -k 2 --minimax --reference bytes --certificate head.cert",
            6,
            "other words",
        ),
        ("verify C.tsv D.tsv -k 2 --certificate several.cert", 2, "several inputs need --minimax"),
        ("verify C.tsv -k 2 --certificate several.cert", 6, "other words"),
        ("prices C.tsv the -k 2 --certificate head.cert", 2, "about a head and a tail"),
    ],
)
def test_how_another_certificate_is_checked(run, certificates, line, status, part):
    code, _, err = run(*line.split())
    assert code == status, err
    assert part in err


def test_what_files_look_like(files):
    kinds = {path.name: kind_of(path) for path in files.iterdir()}
    assert kinds == {
        "C.tsv": "counts",
        "bare.tsv": "counts",
        "V.json": "vocabulary",
        "I.json": "instance",
        "S.json": "solution",
        "book.txt": "text",
        "ids.npy": "array",
        "hf.json": "tokenizer",
        "ranks.tiktoken": "tokenizer",
    }
    (files / "x").write_bytes(b"a\t-1\nb\t2\n")  # a counts file with a mistake
    assert kind_of(files / "x") is None
    (files / "x").write_bytes(b"")
    assert kind_of(files / "x") is None
    assert kind_of("-") is kind_of(files / "missing") is None
    os.mkfifo(files / "pipe")
    assert kind_of(files / "pipe") is None  # and nobody waits for somebody to write into it
    assert likely_mistake(files / "C.tsv", "counts") == ""
    (files / "C.tsv.gz").write_bytes(gzip.compress((files / "C.tsv").read_bytes()))
    with pytest.raises(InputError, match="; this file is compressed: decompress it first"):
        WordCounts.load(files / "C.tsv.gz")


@pytest.mark.parametrize("second", range(ord("0"), ord("9") + 1))
def test_packed_files_whose_time_looks_like_a_count(second):
    time = int.from_bytes(bytes([ord("\t"), second, ord("\n"), 0]), "little")
    packed = gzip.compress(b"", mtime=time)
    assert packed.split(b"\n")[0] == b"\x1f\x8b\x08\x00\t" + bytes([second])
    assert kind_of_head(packed) is None


@pytest.mark.parametrize(
    ("head", "counted"),
    [
        (b"a\t1", True),
        (b"a\t1\nb\t22\r\nc\t3", True),
        (b"a\t1\nb\t2\nhalf a li", True),
        (b"\xef\xbb\xbfa\t1\n", True),
        (b"#partcover counts 1\n", True),
        (b"a\t1\nb\n", False),
        (b"a\tb\t1\n", False),
        (b"a 1\n", False),
        (b"", False),
        (b"\n", False),
    ],
)
def test_looks_counted(head, counted):
    assert looks_counted(head) is counted


SWAPPED = "are two arguments swapped?"


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("verify V.json -k 2 --vocab C.tsv", ["V.json: ", "this is a vocabulary", SWAPPED]),
        ("verify C.tsv -k 2 --vocab C.tsv", ["C.tsv:1: ", "this is a counts file", SWAPPED]),
        ("verify C.tsv -k 2 --vocab bare.tsv", ["bare.tsv:1: ", "this is a counts file", SWAPPED]),
        ("verify C.tsv -k 2 --vocab I.json", ["I.json: ", "this is an instance", SWAPPED]),
        ("inspect C.tsv V.json", ["C.tsv:1: ", "this is a counts file", SWAPPED]),
        ("inspect V.json book.txt", ["book.txt:1: ", "looks like text: run `partcover count`"]),
        ("greedtok book.txt -k 3", ["book.txt:1: ", "looks like text: run `partcover count`"]),
        ("greedtok ids.npy -k 3", ["ids.npy:1: ", "this is an array"]),
        ("greedtok V.json -k 3", ["V.json: ", "this is a vocabulary"]),
        ("greedtok S.json -k 3", ["S.json: ", "this looks like a solution"]),
        ("improve C.tsv -k 2 --start C.tsv", ["C.tsv:1: ", "this is a counts file", SWAPPED]),
        ("encode book.txt V.json", ["book.txt:1: ", "this looks like text", SWAPPED]),
        ("decode ids.npy V.json", ["ids.npy:1: ", "this is an array", SWAPPED]),
        ("export C.tsv --to list -o x", ["C.tsv:1: ", "this is a counts file", SWAPPED]),
        ("export V.json --to list -o x --corpus V.json", ["V.json:1: ", "this is a vocabulary"]),
        ("compare C.tsv --vocab C.tsv", ["C.tsv:1: ", "this is a counts file", SWAPPED]),
        ("compare C.tsv -k 2 --held-out book.txt", ["book.txt:1: ", "this looks like text"]),
        ("greedtok C.tsv -k 2 --candidates bare.tsv", ["bare.tsv:1: ", "this is a counts file"]),
        ("import C.tsv --from list -o x", ["C.tsv:1: ", "this is a counts file"]),
        ("verify C.tsv -k 2 --certificate V.json", ["V.json: ", "this is a vocabulary", SWAPPED]),
        ("verify C.tsv -k 2 --certificate C.tsv", ["C.tsv:1: ", "this is a counts file", SWAPPED]),
        ("export V.json --to list -o x --text C.tsv", ["C.tsv: ", "give it as --corpus"]),
        ("count V.json", ["V.json: this is a file of partcover (vocabulary), not text;"]),
        ("count C.tsv", ["C.tsv: this is a counts file"]),
        ("count bare.tsv", ["bare.tsv: this is a counts file"]),
    ],
)
def test_mistakes_are_named(run, files, line, parts):
    status, out, err = run(*line.split())
    assert (status, out, err.count("\n")) == (2, "", 1), err
    for part in parts:
        assert part in err
    assert not (files / "x").exists()


def test_a_mistake_further_down_is_no_other_file(files):
    (files / "C.tsv").write_text("a\t1\nwrong\n")
    with pytest.raises(InputError, match=r"C\.tsv:2: count is missing. Expected WORD<TAB>COUNT$"):
        WordCounts.load(files / "C.tsv")


@pytest.mark.parametrize("symbols", ["bytes", "chars", "ints"])
def test_a_token_list_has_no_tabs(tmp_path, symbols):
    (tmp_path / "t").write_text("1 2\n3 4\t5\n")
    with pytest.raises(InputError, match=r"t:2: .* write a tab in a token as \\t"):
        read_tokens(str(tmp_path / "t"), symbols)


def test_a_byte_order_mark_is_no_part_of_anything(run, files):
    for name in ("C.tsv", "bare.tsv", "V.json", "I.json"):
        content = (files / name).read_bytes()
        (files / name).write_bytes(b"\xef\xbb\xbf" + content)
    assert WordCounts.load(files / "C.tsv").to_dict()[b"the"] == 5
    assert WordCounts.load(files / "bare.tsv").to_dict() == {b"the": 5, b"then": 3}
    assert Vocabulary.load(files / "V.json").tokens == (b"th", b"the")
    assert Instance.load(files / "I.json").k == 2
    (files / "t.txt").write_bytes(b"\xef\xbb\xbfth\nthe\n")
    assert read_tokens(str(files / "t.txt"), "bytes") == (b"th", b"the")
    assert Vocabulary.load(files / "t.txt", "list").tokens == (b"th", b"the")
    (files / "t.jsonl").write_bytes(b"\xef\xbb\xbf" + json.dumps({"text": "a b"}).encode() + b"\n")
    assert WordCounts.from_files(files / "t.jsonl").total_count == 2


def test_a_mark_that_is_part_of_a_word_stays(tmp_path):
    words = WordCounts.from_counts({"\ufeffa": 2})
    words.save(tmp_path / "C.tsv")
    assert WordCounts.load(tmp_path / "C.tsv").to_dict() == words.to_dict()
    vocabulary = Vocabulary(["\ufeffa"], pretokenizer="none")
    assert export(vocabulary, tmp_path / "t", "list").exact
    assert Vocabulary.load(tmp_path / "t", "list").tokens == vocabulary.tokens


def test_utf_16_is_named(tmp_path):
    (tmp_path / "C.tsv").write_bytes("a\t1\n".encode("utf-16"))
    with pytest.raises(InputError, match=r"C\.tsv:1: this is UTF-16: save it as UTF-8"):
        WordCounts.load(tmp_path / "C.tsv")


def test_a_counts_file_from_standard_input_or_called_text_is_known(files):
    (files / "c.txt").write_bytes((files / "C.tsv").read_bytes())
    with pytest.raises(InputError, match=r"c\.txt: this is a counts file"):
        WordCounts.from_files(files / "c.txt")
    words = WordCounts.from_files(files / "c.txt", pretokenizer="first-space", all_files=True)
    assert words.total_count == 5
    # words and numbers by another name are text
    (files / "d.txt").write_bytes(b"a\t1\nb\t2\n")
    assert WordCounts.from_files(files / "d.txt", pretokenizer="first-space").total_count == 1


def test_mappings_are_for_from_counts():
    for counts in (WORDS, WordCounts.from_counts(WORDS).to_dict()):
        with pytest.raises(InputError, match=r"use WordCounts\.from_counts"):
            WordCounts.from_words(counts)
    assert WordCounts.from_words(WORDS.keys()).total_count == 3


def test_a_tokenizer_of_another_library_gives_its_tokens(files):
    """Its lines would be tokens of their own, of which none is in the text."""
    assert sorted(read_tokens(str(files / "ranks.tiktoken"), "bytes")) == [b"the", b"then"]
    with pytest.raises(InputError, match=r"not a tokenizer\.json"):
        read_tokens(str(files / "hf.json"), "bytes")


def test_errors_say_where_bytes_are_not_utf8(tmp_path):
    path = tmp_path / "t.json"
    path.write_bytes(b'{"a":\n "b\xff"}')
    with pytest.raises(InputError, match=r"t\.json:2: byte 4, 0xFF: not JSON \(the bytes are not"):
        load_json(path)
    with pytest.raises(InputError, match=r"t\.json:2: byte 4, 0xFF: not text in UTF-8"):
        read_text(path)


def test_a_json_file_larger_than_the_memory_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "huge.json"
    path.write_bytes(b" " * (1 << 21))
    monkeypatch.setattr("partcover.runtime.memory.available_memory", lambda: 1 << 20)
    with pytest.raises(InputError, match=r"huge\.json: reading needs about 2\.0 MiB of memory"):
        load_json(path)
