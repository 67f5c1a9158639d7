"""Files that are read as UTF-8 text and are something else: one remark, and the work is done."""

from __future__ import annotations

import gzip
import json

import pytest

READERS = {
    "count": "count {} -o out.tsv",
    "encode": "encode V.json {} -o out.npy",
    "audit": "audit V.json {} --time-limit 0",
    "score": "score V.json V.json {} --time-limit 0",
    "extend": "extend V.json {} -m 1 --time-limit 0",
    "extend --keep": "extend V.json text.txt -m 1 --time-limit 0 --keep {}",
    "prune": "prune V.json {} -k 1 --time-limit 0",
}
OTHERS = {
    "utf-16": ("UTF-16", "banana bandana".encode("utf-16")),
    "utf-16-be": ("UTF-16", b"\xfe\xff" + "banana bandana".encode("utf-16-be")),
    "utf-32": ("UTF-32", "banana bandana".encode("utf-32")),
    "unmarked": ("binary data", "banana bandana".encode("utf-16-le")),
    "picture": ("binary data", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
}


@pytest.fixture
def _files(tmp_path):
    tokens = {"tokens": ["an", "na"], "pretokenizer": "gpt2"}
    (tmp_path / "V.json").write_text(json.dumps(tokens))
    (tmp_path / "text.txt").write_text("\ufeffbanana bandana € banana")


def remarks(result):
    status, _, said = result
    assert status == 0, said
    return [line for line in said.splitlines() if "looks like" in line]


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("line", READERS.values(), ids=READERS)
def test_each_command_remarks_once(run, tmp_path, line):
    what, content = OTHERS["utf-16"]
    (tmp_path / "other.txt").write_bytes(content)
    (said,) = remarks(run(*line.format("other.txt").split()))
    assert said == (
        f"partcover: other.txt: this looks like {what}, and its bytes were taken as UTF-8 text; "
        "convert it to UTF-8 first, if it is text"
    )
    assert run(*line.format("other.txt").split(), "--quiet")[2] == ""
    assert remarks(run(*line.format("text.txt").split())) == []


@pytest.mark.usefixtures("_files")
def test_verify_remarks_too(run, tmp_path):
    (tmp_path / "other.txt").write_bytes(OTHERS["utf-16"][1])
    assert len(remarks(run(*READERS["extend"].format("other.txt").split(), "-o", "E.json"))) == 1
    assert len(remarks(run("verify", "other.txt", "--vocab", "E.json"))) == 1


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("name", OTHERS)
def test_what_a_file_looks_like(run, tmp_path, name):
    what, content = OTHERS[name]
    (tmp_path / "other.txt").write_bytes(content)
    (said,) = remarks(run("count", "other.txt", "-o", "out.tsv"))
    assert said.startswith(f"partcover: other.txt: this looks like {what}, ")
    (tmp_path / "other.txt.gz").write_bytes(gzip.compress(content))  # what is inside is not known
    assert remarks(run("count", "other.txt.gz", "-o", "out.tsv")) == []


@pytest.mark.usefixtures("_files")
def test_several_files_have_one_remark(run, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("banana")
    for name in ("b", "c", "d"):
        (tmp_path / "texts" / f"{name}.txt").write_bytes(OTHERS["picture"][1])
    (said,) = remarks(run("count", "texts", "-o", "out.tsv"))
    assert said.startswith("partcover: texts/b.txt (and 2 more files): this looks like binary data")
