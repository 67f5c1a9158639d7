"""Text that nobody writes, through all commands: read and given back, or refused in one line."""

from __future__ import annotations

import json

import pytest

from partcover.runtime.files.writing import read_json

PLANES = " ".join(
    chr(c) for c in range(0, 0x110000, 4999) if not 0xD800 <= c < 0xE000
) + " \U0010ffff\n"  # fmt: skip
TEXTS = {
    "all planes": PLANES.encode(),
    "lone surrogates": b"a\xed\xa0\x80b \xed\xb0\x80 \xed\xa0\x80\xed\xb0\x80 \xff\xfe end \x80\n"
    * 3,
    "symbols 0 and 255": b"\x00\xff \xff\x00 \x00\x00\x00 \xff\xff\xff\n" * 4,
    "one letter": b"a" * 3000 + b" aa" * 2000,
    "line ends": b"the cat\r\nsat on\rthe mat\x0b\x0c\x85\xe2\x80\xa8\r\n\r\n" * 4,
    "byte order marks": b"\xef\xbb\xbfthe \xef\xbb\xbfcat \xff\xfet\x00h\x00e\x00\n" * 3,
    "marks of spaces": "Ġthe Ġ Ċ ▁ ▁the ## </w> <|endoftext|> [UNK] Ġ\n".encode() * 3,
    "tabs and escapes": b"a\tb\\t \\x41 \\ \\\\ \t\t \x1b[31m \x07\n" * 3,
    "spaces": b" " * 500 + b"\n" * 500,
}
K = 6


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "pretokenizer"),
    [*((name, "space-prefix") for name in TEXTS), ("all planes", "gpt2"), ("line ends", "gpt2")],
)
def test_it_goes_through_all_commands(run, tmp_path, name, pretokenizer):
    text = TEXTS[name]
    (tmp_path / "t.txt").write_bytes(text)

    def done(*arguments):
        status, out, error = run(*arguments)
        assert status == 0, error
        return out

    done("count", "t.txt", "--pretokenizer", pretokenizer, "-o", "c.tsv", "--quiet")
    limits = ("-k", K, "--time-limit", 1, "--quiet")
    done("greedtok", "c.tsv", *limits, "-o", "g.json")
    done("train", "c.tsv", "--method", "bpe", "-k", K, "-o", "b.json", "--quiet")
    out = done(
        "improve", "c.tsv", *limits, "-o", "i.json", "--write-certificate", "i.cert", "--json"
    )
    improved = json.loads(out)
    done("bound", "c.tsv", *limits, "-o", "b.cert")
    for proof in ("i.cert", "b.cert"):
        verify = ("verify", "c.tsv", "-k", K, "--vocab", "i.json", "--certificate", proof, "--json")
        checked = json.loads(done(*verify))
        assert checked["certificate"]["lower_bound"] <= checked["tokens"] == improved["tokens"]
    for vocabulary in ("g.json", "b.json", "i.json"):
        done("encode", vocabulary, "t.txt", "-o", "t.npy", "--quiet")
        done("decode", vocabulary, "t.npy", "-o", "back.txt", "--quiet")
        assert (tmp_path / "back.txt").read_bytes() == text
    status, _, error = run(
        "export", "b.json", "--to", "huggingface", "-o", "h.json", "--corpus", "c.tsv"
    )
    assert status in (0, 2, 6)
    if status == 0:
        assert read_json("h.json")["model"]["type"] == "BPE"
        status, _, error = run("audit", "h.json", "t.txt", "--time-limit", 1, "--quiet")
    assert status in (0, 2, 6), error
    assert status == 0 or error.count("\n") == 1


@pytest.mark.parametrize("count", [2**53 - 1, 2**62, 2**63 - 1, 2**63, 10**400])
def test_large_counts_are_exact_or_refused(run, tmp_path, count):
    (tmp_path / "c.tsv").write_text(f"ab\t{count}\nabc\t1\n")
    for command in (
        ("greedtok", "c.tsv", "-k", 1),
        ("train", "c.tsv", "--method", "bpe", "-k", 1),
        ("bound", "c.tsv", "-k", 1, "--time-limit", 1),
        ("improve", "c.tsv", "-k", 1, "--time-limit", 1),
        ("solve", "c.tsv", "-k", 1, "--time-limit", 1),
    ):
        status, out, error = run(*command, "--json", "--quiet")
        if status == 2:
            assert (out, error.count("\n")) == ("", 1)
            continue
        found = json.loads(out)
        assert status == 0
        assert found["total_count"] == count + 1
        assert found["tokens"] in (None, count + 2)
        assert found["lower_bound"] is None or found["lower_bound"] <= count + 2


@pytest.mark.slow
def test_a_word_of_100_megabytes(run, tmp_path):
    (tmp_path / "t.txt").write_bytes(b"ab" * (50 << 20))
    (tmp_path / "v.json").write_text(json.dumps({"version": 1, "tokens": ["abab", "ba"]}))
    assert run("count", "t.txt", "-o", "c.tsv", "--quiet")[0] == 0
    assert run("encode", "v.json", "t.txt", "--pretokenizer", "gpt2", "-o", "t.npy")[0] == 0
    assert run("decode", "v.json", "t.npy", "--pretokenizer", "gpt2", "-o", "back.txt")[0] == 0
    assert (tmp_path / "back.txt").read_bytes() == (tmp_path / "t.txt").read_bytes()


@pytest.mark.slow
def test_all_lengths_of_one_letter(run, tmp_path):
    (tmp_path / "c.tsv").write_bytes(b"".join(b"%s\t1\n" % (b"a" * n) for n in range(1, 1400)))
    for command in ("greedtok", "improve", "bound"):
        assert run(command, "c.tsv", "-k", 5, "--time-limit", 5, "--quiet")[0] == 0
