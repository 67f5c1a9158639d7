"""Compressed input that is little on disk and much in memory: read in pieces, or refused."""

import contextlib
import gzip
import json
import os
import threading
import tracemalloc

import pytest

from partcover import Encoder, InputError, Vocabulary, WordCounts
from partcover.corpus.counting import counts_file
from partcover.corpus.files import readers, sources

MIB = 1 << 20


def packed(data, packing):
    if packing == "gz":
        return gzip.compress(data)
    return pytest.importorskip("zstandard").ZstdCompressor().compress(data)


def read(path):
    """The bytes of all documents, and the peak of memory that Python knows of."""
    (source,) = sources.find_sources([path])
    size = 0
    tracemalloc.start()
    try:
        for document in readers.documents(source):
            size += sum(map(len, document.chunks))
        return size, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.long
@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_what_is_unpacked_is_not_held(tmp_path, packing):
    path = tmp_path / f"a.txt.{packing}"
    path.write_bytes(packed(bytes(100 * MIB), packing))
    assert path.stat().st_size < MIB
    size, peak = read(path)
    assert size == 100 * MIB
    assert peak < 48 * MIB


@pytest.mark.long
@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_a_word_of_a_bomb(tmp_path, packing, monkeypatch):
    monkeypatch.setattr(readers, "PIECE", 2 * MIB)
    path = tmp_path / f"a.txt.{packing}"
    path.write_bytes(packed(b"first " + b"a" * (16 * MIB), packing))
    message = rf"^{path}: unpacks to more than 2 MiB without a place to split at; unpack it"
    with pytest.raises(InputError, match=message):
        WordCounts.from_files([path])
    encoder = Encoder(Vocabulary(["aa"], special=("<|end|>",)), "gpt2")
    for special in ("text", "parse"):
        with pytest.raises(InputError, match=message):
            encoder.encode_files([path], tmp_path / "out.bin", special=special)
    # words that end are no such piece, nor is what is not compressed
    monkeypatch.setattr(readers, "PIECE", 8 * MIB)
    path.write_bytes(packed(b"abcd " * (2 * MIB), packing))
    assert WordCounts.from_files([path]).total_count > 2 * MIB
    path = tmp_path / "a.txt"
    path.write_bytes(b"a" * (9 * MIB))
    assert len(WordCounts.from_files([path])) == 1


@pytest.mark.parametrize("pretokenizer", ["space-prefix", "none"])
def test_a_text_that_has_no_end(pretokenizer, tmp_path, monkeypatch):
    """Here of 100 MB, from a pipe."""
    monkeypatch.setattr("partcover.runtime.memory.available_memory", lambda: 100 * MIB)
    monkeypatch.setattr(readers, "LONG_PIECE", 0)
    os.mkfifo(tmp_path / "pipe")

    def write():
        with contextlib.suppress(BrokenPipeError), open(tmp_path / "pipe", "wb") as pipe:
            pipe.write(bytes(100 * MIB))

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(InputError, match=r"without a place to split at take about .* MiB"):
        WordCounts.from_files([tmp_path / "pipe"], pretokenizer=pretokenizer)
    writer.join(20)
    assert not writer.is_alive()


@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_a_line_of_a_bomb(tmp_path, packing, monkeypatch):
    monkeypatch.setattr(readers, "PIECE", 2 * MIB)
    path = tmp_path / f"a.jsonl.{packing}"
    row = json.dumps({"text": "first"}).encode() + b"\n"
    path.write_bytes(packed(row * 2 + b'{"text": "' + b" " * (16 * MIB), packing))
    with pytest.raises(InputError, match=rf"^{path}:3: unpacks to more than 2 MiB"):
        WordCounts.from_files([path])


def test_a_window_of_a_bomb(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=28)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    path = tmp_path / "a.zst"
    path.write_bytes(packer.compress(b"text " * 1000) + packer.flush())
    with pytest.raises(InputError, match=rf"^{path}: its window is larger than 128 MiB; unpack"):
        WordCounts.from_files([path])


@pytest.mark.long
def test_one_value_in_many_rows_of_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    values = pa.array(["a " * MIB])
    rows = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), values)
    pq.write_table(pa.table({"text": rows}), path)
    assert path.stat().st_size < MIB
    before = pa.default_memory_pool()
    taken = before.bytes_allocated()
    (source,) = sources.find_sources([path])
    for number, document in enumerate(readers.documents(source)):
        (text,) = document.chunks
        assert len(text) == 2 * MIB
        assert before.bytes_allocated() - taken < 64 * MIB
        if number == 20:
            break


@pytest.mark.long
def test_row_groups_and_values_of_parquet(tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    rows = ["one", None, "two", "one", "b" * (2 * MIB)]
    for kind in (pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), "str")):
        values = [r and r.encode() for r in rows] if kind == pa.binary() else rows
        table = pa.table({"text": pa.array(values, kind), "n": range(5)})
        pq.write_table(table, path, row_group_size=2)
        (source,) = sources.find_sources([path])
        texts = [b"".join(document.chunks) for document in readers.documents(source)]
        assert texts == [row.encode() for row in rows if row]
        where = [document.where for document in readers.documents(source)]
        assert where == [f"{path}, row {row}" for row in (1, 3, 4, 5)]
    monkeypatch.setattr(readers, "PIECE", MIB)
    with pytest.raises(InputError, match=r"a\.parquet, row 5: unpacks to more than 1 MiB"):
        WordCounts.from_files([path])
    monkeypatch.setattr(readers, "ROW_GROUP", MIB)
    with pytest.raises(InputError, match=r"row group 1 unpacks to 0\.0 GiB of 'text', more than"):
        WordCounts.from_files([path])


@pytest.mark.long
def test_one_counted_word_in_many_rows_of_parquet(tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "c.parquet"

    def write(many, size, **how):
        words = pa.array(["ab", "a" * size])
        rows = pa.DictionaryArray.from_arrays(pa.array([0] + [1] * many, pa.int32()), words)
        table = {"word": rows.dictionary_decode(), "count": range(1, many + 2)}
        pq.write_table(pa.table(table), path, **how)
        return {b"ab": 1, b"a" * size: sum(range(2, many + 2))}

    monkeypatch.setattr(counts_file, "_REPEATED", 8 * MIB)
    for many, size in ((5, MIB), (30_000, 9)):
        assert write(many, size) == dict(WordCounts.load(path))
    write(40, MIB)
    assert path.stat().st_size < MIB
    with pytest.raises(InputError, match=r"41 rows from 1 on repeat 1\.0 MiB of words as 40\.0"):
        WordCounts.load(path)
    # each with the beginning that it shares with the last
    write(40, MIB, use_dictionary=False, column_encoding={"word": "DELTA_BYTE_ARRAY"})
    with pytest.raises(InputError, match=rf"^{path}: cannot be read as Parquet"):
        WordCounts.load(path)
