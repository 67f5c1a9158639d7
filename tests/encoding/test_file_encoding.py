"""The ids of files, written to one array."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from shared.listener import Listener

from partcover import Encoder, InputError, Vocabulary
from partcover.encoding import encoder, worker


@pytest.fixture
def corpus(tmp_path):
    texts = ["the cat  sat\n", "Ġ on the \u3000 mat", "", "the cat " * 5000]
    (tmp_path / "a.txt").write_text(texts[0])
    lines = [json.dumps({"text": text}) for text in texts[1:3]]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    (tmp_path / "c.txt.gz").write_bytes(gzip.compress(texts[3].encode()))
    return [tmp_path / name for name in ("a.txt", "b.jsonl", "c.txt.gz")], texts


@pytest.mark.parametrize("name", ["gpt2", "space-prefix", "none", "space+digit"])
@pytest.mark.parametrize("threads", [1, 3])
def test_files(tmp_path, corpus, monkeypatch, name, threads):
    paths, texts = corpus
    monkeypatch.setattr(encoder, "PART", 500)
    monkeypatch.setattr(worker, "PART", 500)
    ours = Encoder(Vocabulary(["the", " the", "Ġcat"], special=["<end>"]), name)
    expected = [number for text in texts for number in [*ours.encode(text), 259]]
    reports = []
    done = ours.encode_files(
        paths, tmp_path / "o.npy", end_of_document="<end>", threads=threads,
        progress=Listener(advance=lambda done, total, remark: reports.append((done, total))),
    )  # fmt: skip
    ids = np.load(tmp_path / "o.npy")
    assert ids.tolist() == expected
    assert ids.dtype == np.uint16
    sizes = [len(text.encode()) for text in texts]
    assert done == encoder.Encoded(4, sum(sizes), len(expected), "uint16")
    total = sum(path.stat().st_size for path in paths)
    assert reports[-1] == (total, total)
    ours.encode_files(paths, tmp_path / "o.bin", dtype="uint32", threads=threads)
    flat = np.fromfile(tmp_path / "o.bin", "<u4").tolist()
    assert flat == [number for number in expected if number != 259]
    assert sorted(path.name for path in tmp_path.glob("*o.*")) == ["o.bin", "o.npy"]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_file_that_changes_while_it_is_encoded(tmp_path, threads):
    path = tmp_path / "a.txt"
    path.write_text("a b c")

    def change(*_):
        path.write_text("a b d e")

    ours = Encoder(Vocabulary(["ab"]), "gpt2")
    with pytest.raises(InputError, match=r"a\.txt: changed while it was read; it had 5 bytes"):
        ours.encode_files(
            path, tmp_path / "o.npy", threads=threads, progress=Listener(advance=change)
        )
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_files_with_special_tokens(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "partcover.corpus.files.readers.CHUNK", 5
    )  # a special token over the end of a chunk
    (tmp_path / "a.txt").write_text("a <s t> b " * 9)
    ours = Encoder(Vocabulary(["ab"], special=["<s t>"]), "space-prefix")
    ours.encode_files(tmp_path / "a.txt", tmp_path / "o.npy", special="parse")
    ids = np.load(tmp_path / "o.npy").tolist()
    assert ids == ours.encode("a <s t> b " * 9, special="parse")
    assert ids.count(257) == 9
    with pytest.raises(InputError, match="special token '<s t>' at byte 2"):
        ours.encode_files(tmp_path / "a.txt", tmp_path / "p.npy", special="error")
    assert not (tmp_path / "p.npy").exists()


@pytest.mark.parametrize("last", [65_535, 65_536])
def test_two_bytes_hold_ids_up_to_65_535(tmp_path, last):
    (tmp_path / "a.txt").write_text("cab")
    ours = Encoder(Vocabulary(["ab"], ids=[*range(256), last]), "gpt2")
    assert ours.dtype == (np.uint16 if last == 65_535 else np.uint32)
    assert ours.encode("cab") == [99, last]
    if last == 65_536:
        with pytest.raises(InputError, match="dtype uint16 cannot hold all ids, which go up to 65"):
            ours.encode_files(tmp_path / "a.txt", tmp_path / "o.npy", dtype="uint16")
    else:
        ours.encode_files(tmp_path / "a.txt", tmp_path / "o.npy", dtype="uint16")
        assert np.load(tmp_path / "o.npy").tolist() == [99, last]


def test_files_refused(tmp_path):
    (tmp_path / "a.txt").write_text("ab")
    ours = Encoder(Vocabulary(["ab"], special={"<s>": 70_000}), "gpt2")
    assert ours.dtype == np.uint32
    for options, message in [
        ({"dtype": "uint16"}, "dtype uint16 cannot hold all ids, which go up to 70"),
        ({"dtype": "float64"}, "dtype float64 cannot hold all"),
        ({"dtype": "word"}, "dtype 'word' is not a dtype"),
        (
            {"end_of_document": "<e>"},
            "'<e>' is not a special token of the vocabulary; it has '<s>'",
        ),
        ({"special": "x"}, "unknown special 'x': use one of text, parse, error, or a list"),
        ({"threads": 0}, "threads is 0"),
        ({"file_format": "NPY"}, r"unknown file_format 'NPY': did you mean npy\?"),
    ]:
        with pytest.raises(InputError, match=message):
            ours.encode_files(tmp_path / "a.txt", tmp_path / "o.npy", **options)
    with pytest.raises(InputError, match=r"b\.txt: cannot be read"):
        ours.encode_files(tmp_path / "b.txt", tmp_path / "o.npy")
    assert not (tmp_path / "o.npy").exists()
    with pytest.raises(InputError, match="-: the npy format needs a file; use bin"):
        ours.encode_files(tmp_path / "a.txt", "-", file_format="npy")
