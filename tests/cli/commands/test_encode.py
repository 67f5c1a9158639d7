"""The commands ``encode`` and ``decode``."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from partcover import Encoder, Vocabulary

TEXT = "the cat  sat on\tĠthe mat\n".encode() + b"\xff\xfe"


@pytest.fixture
def out(tmp_path):
    """The files that are read, and the encoder of the vocabulary."""
    (tmp_path / "t.txt").write_bytes(TEXT)
    vocabulary = Vocabulary(
        ["Ġcat", "the", "Ġthe"], special=["<end>", "<a>"], pretokenizer="space-prefix"
    )
    vocabulary.save(tmp_path / "v.json")
    (tmp_path / "d.jsonl").write_text('{"text": "a the"}\n{"text": ""}\n{"text": "<a>é"}\n')
    return Encoder(vocabulary)


def test_ids_there_and_back(run, out, tmp_path):
    status, ids, error = run("encode", "v.json", "t.txt")
    assert status == 0
    assert re.fullmatch(rf"partcover: 1 document, {len(ids.split())} ids, \d+\.\d\d s\n", error)
    assert list(map(int, ids.split())) == out.encode(TEXT)
    (tmp_path / "ids").write_text(ids)
    assert run("decode", "v.json", "ids", "-o", "back", "--quiet") == (0, "", "")
    assert (tmp_path / "back").read_bytes() == TEXT


@pytest.mark.parametrize("name", ["o.npy", "o.bin", "o.jsonl", "o.txt"])
@pytest.mark.parametrize("threads", [1, 2])
def test_files_there_and_back(run, out, tmp_path, name, threads):
    done = run("encode", "v.json", "t.txt", "d.jsonl", "-o", name, "--threads", threads, "--json")
    assert done[::2] == (0, f"partcover: wrote {name}\n")
    facts = json.loads(done[1])
    texts = [TEXT, b"a the", b"", "<a>é".encode()]
    assert facts["documents"] == 4
    assert facts["ids"] == sum(len(out.encode(text)) for text in texts)
    assert (facts["pretokenizer"], facts["rule"]) == ("space-prefix", "shortest_path")
    assert run("decode", "v.json", name, "-o", "back", "--quiet")[0] == 0
    assert (tmp_path / "back").read_bytes() == b"".join(texts)


@pytest.mark.parametrize("name", ["o.jsonl", "o.txt"])
def test_numbers_are_written_and_read_in_parts(run, out, tmp_path, monkeypatch, name):
    monkeypatch.setattr("partcover.encoding.id_files.SECTION", 2)
    assert run("encode", "v.json", "t.txt", "d.jsonl", "-o", name, "--quiet")[0] == 0
    expected = [out.encode(text) for text in (TEXT, b"a the", b"", "<a>é".encode())]
    lines = (tmp_path / name).read_text().splitlines()
    if name == "o.txt":
        assert [list(map(int, line.split())) for line in lines] == expected
    else:
        assert [json.loads(line) for line in lines] == [{"ids": ids} for ids in expected]
    assert run("decode", "v.json", name, "-o", "back", "--quiet")[0] == 0
    assert (tmp_path / "back").read_bytes() == TEXT + "a the<a>é".encode()


def test_standard_input_and_json(run, out, tmp_path, monkeypatch):
    with open(tmp_path / "t.txt", "rb") as file:
        monkeypatch.setattr(sys, "stdin", type("In", (), {"buffer": file}))
        status, text, _ = run("encode", "v.json", "--json", "--quiet")
    facts = json.loads(text)
    assert (status, facts["documents"], facts["encoded"]) == (0, 1, [{"ids": out.encode(TEXT)}])
    (tmp_path / "ids").write_text("97\n255 98\n")
    status, text, _ = run("decode", "v.json", "ids", "--json")
    assert json.loads(text) == {"ids": 3, "texts": ["a", "\\xFFb"]}


def test_options(run, out, tmp_path):
    arguments = ("encode", "v.json", "d.jsonl", "--quiet", "--special", "parse")
    assert run(*arguments, "-o", "o.json")[0] == 0
    rows = [json.loads(line) for line in (tmp_path / "o.json").read_text().splitlines()]
    assert rows[2] == {"ids": [260, 195, 169]}
    more = ("-o", "o.npy", "--end-of-document", "<end>")
    assert run(*arguments, *more) == (0, "", "")
    ids = np.load(tmp_path / "o.npy")
    assert ids.tolist() == [97, 258, 259, 259, 260, 195, 169, 259]
    assert ids.dtype == np.uint16
    status, text, _ = run("encode", "v.json", "d.jsonl", "--rule", "single_symbols", "--quiet",
                          "--pretokenizer", "none")  # fmt: skip
    assert (status, text.splitlines()[0]) == (0, "97 32 116 104 101")
    Vocabulary(["ab"], pretokenizer="gpt2", normalizer="NFC").save(tmp_path / "n.json")
    (tmp_path / "ids").write_text("97\n")
    remark = "partcover: the vocabulary normalizes text with NFC; decoding cannot undo that\n"
    assert run("decode", "n.json", "ids") == (0, "a", remark)


def test_a_dash_is_standard_output(run, out, tmp_path):
    status, ids, _ = run("encode", "v.json", "t.txt", "-o", "-", "--quiet")
    assert (status, list(map(int, ids.split()))) == (0, out.encode(TEXT))
    assert run("import", "v.txt", "-o", "-")[0] == 2
    assert not (tmp_path / "-").exists()


def test_a_seed_draws_other_paths(run, out, tmp_path):
    Vocabulary(["ab", "ba", "aba"], rule="random_path", pretokenizer="space").save("r.json")
    (tmp_path / "r.txt").write_text(" ".join("ab" * n + "a" for n in range(1, 30)))
    drawn = {run("encode", "r.json", "r.txt", "--quiet", "--seed", seed)[1] for seed in range(4)}
    assert len(drawn) > 1


def test_counts(run, out, tmp_path):
    expected = [len(out.encode(text)) for text in (TEXT, "a the", "", "<a>é")]
    lines = "".join(f"{count}\n" for count in expected)
    for threads in (1, 2):
        command_line = ("encode", "v.json", "t.txt", "d.jsonl", "--count", "--threads", threads)
        status, written, error = run(*command_line)
        assert (status, written) == (0, lines)
        assert error.startswith(f"partcover: 4 documents, {sum(expected)} ids, ")
    facts = json.loads(run(*command_line, "--json")[1])
    assert (facts["documents"], facts["ids"], facts["counts"]) == (4, sum(expected), expected)
    assert run(*command_line, "-o", "counts", "--quiet") == (0, "", "")
    assert (tmp_path / "counts").read_text() == lines
    assert run(*command_line, "--special", "parse")[1].splitlines()[2:] == ["0", "3"]
    for more in (("-o", "o.json"), ("-o", "o.npy")):
        fails(run(*command_line, *more), "--count writes lines of numbers")
    fails(run(*command_line, "--special", "error"), "d.jsonl:3: the text has", "'<a>'")


def fails(result, *parts):
    assert result[:2] == (2, "")
    assert result[2].count("\n") == 1
    for part in parts:
        assert part in result[2]


def test_encode_refuses(run, out, tmp_path):
    Vocabulary(["ab"]).save(tmp_path / "bare.json")
    Vocabulary(["ab"], "chars").save(tmp_path / "chars.json")
    fails(run("encode", "bare.json", "t.txt"), "--pretokenizer")
    fails(run("encode", "chars.json", "t.txt", "--pretokenizer", "gpt2"), "over chars")
    fails(run("encode", "v.json", "none.txt"), "none.txt", "cannot be read")
    fails(run("encode", "v.json", "t.txt", "--resume"), "--resume is for -o FILE.npy")
    end = ("--end-of-document", "<end>")
    fails(run("encode", "v.json", "t.txt", *end), "--end-of-document is for -o FILE.npy")
    special = ("--special", "error", "--threads", 2)
    for more in ((), ("-o", "o.json"), ("-o", "o.npy")):
        done = run("encode", "v.json", "t.txt", "d.jsonl", *special, *more)
        fails(done, "d.jsonl:3: the text has", "'<a>' at byte 0: --special parse (")
    Vocabulary(["ab"], ids=[*range(122), -1, *range(123, 257)]).save(tmp_path / "z.json")
    (tmp_path / "z.txt").write_text("ab z")
    for more in ((), ("-o", "o.npy")):
        done = run("encode", "z.json", "t.txt", "z.txt", "--pretokenizer", "gpt2", *more)
        fails(done, "z.txt: byte 0x7A, in the word ' z', has no id")
    more = ("-o", "o.npy", "--end-of-document", "<e>")
    fails(run("encode", "v.json", "t.txt", *more), "partcover: end of document")
    assert not (tmp_path / "o.npy").exists()


def test_decode_refuses(run, out, tmp_path):
    (tmp_path / "ids").write_text("97\n98 300\n")
    fails(run("decode", "v.json", "ids", "-o", "x"), "ids:2: id 300, number 1 of the ids")
    assert not (tmp_path / "x").exists()
    (tmp_path / "ids").write_text(f"97 {2**70}\n")
    fails(run("decode", "v.json", "ids", "-o", "x"), "ids:1: ")
    (tmp_path / "ids").write_text("97\n98 x\n")
    fails(run("decode", "v.json", "ids", "-o", "x"), "ids:2: expected a line of whole numbers")
    (tmp_path / "ids").write_text("97\n9_8\n")
    fails(run("decode", "v.json", "ids", "-o", "x"), "ids:2: expected a line of whole numbers")
    for wrong in ("1.0", "true"):
        (tmp_path / "ids.json").write_text(f"[97]\n[97, {wrong}]\n")
        fails(run("decode", "v.json", "ids.json", "-o", "x"), "ids.json:2: id", "number 1")
    (tmp_path / "ids.json").write_text('{"id": 3}\n')
    fails(
        run("decode", "v.json", "ids.json"), "ids.json:1: expected a line of JSON with a list 'ids'"
    )
    (tmp_path / "ids.bin").write_bytes(b"abc")
    fails(run("decode", "v.json", "ids.bin"), "3 bytes, does not fit uint16 numbers")
    np.save(tmp_path / "f.npy", np.ones(3))
    fails(run("decode", "v.json", "f.npy"), "f.npy: ids are an array of float64")
    (tmp_path / "g.npy").write_bytes(b"abc")
    fails(run("decode", "v.json", "g.npy"), "g.npy: not an array")
    np.save(tmp_path / "z.npy", np.array(5))
    fails(run("decode", "v.json", "z.npy"), "z.npy: ids are an array of int64 with 0 axes")
    np.savez(tmp_path / "z.npz", np.array([5]))
    (tmp_path / "z.npz").rename(tmp_path / "zip.npy")
    fails(run("decode", "v.json", "zip.npy"), "zip.npy: not an array")
    fails(run("decode", "v.json", "missing.npy"), "missing.npy: cannot be read")


@pytest.mark.long
def test_an_array_that_python_2_wrote(run, out, tmp_path):
    header = "{'descr': '<u2', 'fortran_order': False, 'shape': (2L,), }".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    (tmp_path / "old.npy").write_bytes(data + np.array([97, 98], "<u2").tobytes())
    command = [sys.executable, "-m", "partcover", "decode", "v.json", "old.npy", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("ab", "")


def test_special_tokens_are_text_unless_asked_for(run, out, tmp_path):
    (tmp_path / "s.txt").write_text("the<a>the<end>")
    plain = run("encode", "v.json", "s.txt", "--quiet")[1]
    assert list(map(int, plain.split())) == out.encode("the<a>the<end>")
    parsed = run("encode", "v.json", "s.txt", "--quiet", "--special", "parse")[1]
    (tmp_path / "ids").write_text(parsed)
    assert out.vocabulary.special["<a>"] in map(int, parsed.split())
    assert run("decode", "v.json", "ids", "--skip-special")[1] == "thethe"
