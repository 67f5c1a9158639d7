"""Reading text files of every kind, whole and broken, and counting them in threads."""

import gzip
import io
import json
import os
import random
from collections import Counter

import pytest
from shared.listener import Listener

from partcover.corpus.counting import count_files
from partcover.corpus.files import readers, sources
from partcover.corpus.pretokenizers import seams
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.corpus.word_counts import WordCounts
from partcover.errors import InputError, MissingExtra

TEXT = "the cat  sat\r\non the\tmat é 中 \0 end".encode()


def counted(*paths, **options):
    return WordCounts.from_files(paths, **options)


def texts_of(path, **options):
    (source,) = sources.find_sources([path])
    return [b"".join(document.chunks) for document in readers.documents(source, **options)]


def zstandard():
    return pytest.importorskip("zstandard")


def write(path, data, packing=""):
    if packing == ".gz":
        data = gzip.compress(data)
    elif packing == ".zst":
        data = zstandard().ZstdCompressor().compress(data)
    path = path.with_name(path.name + packing)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a", "a.TXT"])
def test_plain_text_passes_as_it_is(tmp_path, name, packing):
    assert texts_of(write(tmp_path / name, TEXT, packing)) == [TEXT]


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_json_lines(tmp_path, packing, monkeypatch):
    monkeypatch.setattr(readers, "CHUNK", 64)
    rows = [{"text": "a b", "id": 1}, {"text": "é\n中" * 40}, {"text": None}, {"text": ""}]
    data = "\n".join(map(json.dumps, rows)).encode() + b"\n\n  \n" + b'{"text": "last"}'
    path = write(tmp_path / "a.jsonl", data, packing)
    assert texts_of(path) == [b"a b", "é\n中".encode() * 40, b"", b"last"]
    other = write(tmp_path / "b.jsonl", b'{"body": "x y"}\n', packing)
    assert texts_of(other, key="body") == [b"x y"]
    # a document boundary is a word boundary
    assert counted(path).to_dict()[b"last"] == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"text": "a"', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"text": "\xff"}', "not UTF-8"),
        (b'["text"]', "expected a JSON object"),
        (b'{"body": "a", "id": 3}', "no key 'text'; found 'body', 'id'"),
        (b"{}", "no key 'text'; found none"),
        (b'{"text": 3}', "not text"),
        (b'{"text": "\\ud800"}', "lone surrogate"),
    ],
)
def test_a_broken_json_line_is_named(tmp_path, line, message):
    path = write(tmp_path / "a.jsonl", b'{"text": "fine"}\n\n' + line + b'\n{"text": "fine"}\n')
    with pytest.raises(InputError, match=rf"a\.jsonl:3: .*{message}") as caught:
        counted(path)
    assert "\n" not in str(caught.value)


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    rows = [f"row {i}" for i in range(10_000)]
    table = {"text": [*rows, None], "raw": [b"\xff"] * 10_000 + [b"x"], "n": list(range(10_001))}
    pq.write_table(pa.table(table), path, row_group_size=1000)
    assert texts_of(path) == [row.encode() for row in rows]
    assert counted(path, key="raw").to_dict() == {b"\xff": 10_000, b"x": 1}
    with pytest.raises(InputError, match=r"a\.parquet, row 1: byte 0 is not UTF-8"):
        counted(path, key="raw", symbols="chars")
    with pytest.raises(InputError, match="no column 'body'; found 'text', 'raw'"):
        counted(path, key="body")
    with pytest.raises(InputError, match="column 'n' is int64, not text"):
        counted(path, key="n")
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InputError, match=r"a\.parquet: cannot be read as Parquet") as caught:
        counted(path)
    assert "\n" not in str(caught.value)


def test_folders(tmp_path):
    for name in ["b/x.txt", "b/a.md", "a.txt", "c.jsonl.gz", "d.gz", ".hidden.txt", ".git/e.txt",
                 "f.py", "g.csv.gz", "h.tar.gz", "i", "b-a.txt", "j.parquet.gz"]:  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    names = [os.path.relpath(s.path, tmp_path) for s in sources.find_sources([tmp_path])]
    assert names == ["a.txt", "b/a.md", "b/x.txt", "b-a.txt", "c.jsonl.gz", "d.gz"]
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "f.py").touch()
    with pytest.raises(InputError, match="empty: there is no text in this folder"):
        counted(tmp_path / "empty")


def test_standard_input(monkeypatch):
    class Stream:
        buffer = io.BytesIO(b"a b\nc")

    monkeypatch.setattr("sys.stdin", Stream)
    assert counted("-", pretokenizer="first-space").to_dict() == {b"a": 1, b" b\nc": 1}
    with pytest.raises(InputError, match=r"^standard input: the corpus is"):
        counted("-")
    Stream.buffer = io.BytesIO(b"a \xff")
    with pytest.raises(InputError, match=r"^standard input: byte 2 is not UTF-8"):
        counted("-", symbols="chars")


@pytest.mark.parametrize("threads", [1, 3])
def test_broken_files_are_named(tmp_path, threads, monkeypatch):
    monkeypatch.setattr(readers, "CHUNK", 1 << 15)
    text = random.Random(1).randbytes(200_000)
    whole = write(tmp_path / "a.txt", text, ".gz")
    data = whole.read_bytes()
    bad = tmp_path / "b.txt.gz"
    for broken in (data[:-5], data[: len(data) // 2], b"no gzip", data[:99] + b"zzz" + data[102:],
                   data + b"trailing rubbish"):  # fmt: skip
        bad.write_bytes(broken)
        with pytest.raises(InputError, match=r"b\.txt\.gz: ") as caught:
            counted(whole, bad, whole, threads=threads)
        assert "\n" not in str(caught.value)
    whole = write(tmp_path / "a.txt", text, ".zst")
    data = whole.read_bytes()
    bad = tmp_path / "b.txt.zst"
    for broken in (data[:-1], data[: len(data) // 2], b"no zstd at all", data + b"trailing"):
        bad.write_bytes(broken)
        with pytest.raises(InputError, match=r"b\.txt\.zst: .*Zstandard"):
            counted(whole, bad, threads=threads)


def test_several_frames_and_members(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a b") + gzip.compress(b"c d"))
    assert texts_of(path) == [b"a bc d"]
    pack = zstandard().ZstdCompressor().compress
    path = tmp_path / "a.zst"
    path.write_bytes(pack(b"a b") + pack(b"") + pack(b"c d"))
    assert texts_of(path) == [b"a bc d"]


def test_bad_paths_and_options(tmp_path):
    path = write(tmp_path / "a.txt", b"a b")
    with pytest.raises(InputError, match=r"none\.txt: cannot be read \(No such file"):
        counted(path, tmp_path / "none.txt")
    with pytest.raises(InputError, match="no files: the corpus is empty"):
        counted()
    write(tmp_path / "empty.txt", b"")
    with pytest.raises(InputError, match=r"empty\.txt: the corpus is empty"):
        counted(tmp_path / "empty.txt")
    with pytest.raises(InputError, match="threads is 0"):
        counted(path, threads=0)
    with pytest.raises(InputError, match="unknown pre-tokenizer"):
        counted(path, pretokenizer="gpt5")
    write(tmp_path / "a.parquet", b"", ".gz")
    with pytest.raises(InputError, match="unpack it first"):
        counted(tmp_path / "a.parquet.gz")
    assert WordCounts.from_files(path).to_dict() == WordCounts.from_files(str(path)).to_dict()


def test_missing_extras_say_what_to_install(tmp_path, monkeypatch):
    for name, module, extra in [
        ("a.zst", "zstandard", "zstd"),
        ("a.parquet", "pyarrow", "parquet"),
    ]:
        path = write(tmp_path / name, b"x")
        monkeypatch.setitem(__import__("sys").modules, module, None)
        with pytest.raises(MissingExtra, match=rf"{name}.*partcover\[{extra}\]"):
            counted(path)


def test_the_offset_of_what_is_not_utf8(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "CHUNK", 5)
    monkeypatch.setattr(count_files, "SHARD", 16)
    monkeypatch.setattr(count_files, "LEAST", 16)
    good = "aé b 中c ".encode() * 9
    for bad, offset in [(b"\xff", 0), (b"\xe4\xb8 x", 0), (b"\xe4\xb8", 0), (b"\xc3\xa9\x80 ", 2)]:
        path = write(tmp_path / "a.txt", good + bad)
        for threads in (1, 2):
            for name in ("space-prefix", "gpt2", "none"):
                with pytest.raises(InputError, match=rf"byte {len(good) + offset} is not UTF-8"):
                    counted(path, symbols="chars", pretokenizer=name, threads=threads)
        assert counted(path).total_count > 20


@pytest.mark.parametrize("name", ["space-prefix", "space+digit", "cl100k", "none"])
def test_threads_do_not_show(tmp_path, name, monkeypatch):
    monkeypatch.setattr(readers, "CHUNK", 64)
    monkeypatch.setattr(count_files, "SHARD", 1000)
    monkeypatch.setattr(seams, "WINDOW", 64)
    monkeypatch.setattr(count_files, "LEAST", 1000)
    rng = random.Random(5)
    texts = [
        " ".join(rng.choices(["a", "bb", "", "ccc\n", "é", "12", "x" * 150], k=rng.randrange(200)))
        for _ in range(12)
    ]
    for number, text in enumerate(texts):
        write(tmp_path / f"{number:02}.txt", text.encode(), rng.choice(["", "", ".gz"]))
    expected = list(WordCounts.from_texts(texts, pretokenizer=name))
    for threads in (1, 2, 5):
        assert list(counted(tmp_path, pretokenizer=name, threads=threads)) == expected


def test_the_first_place_where_a_pattern_cuts():
    pretokenizer = Pretokenizer.from_name('{"type": "Whitespace"}')
    first_cut = seams.cut_finder(pretokenizer, None)
    text = "é, ab  中.c\n\n d".encode() + b"\xff e"
    rule = pretokenizer.rules[0]
    decoded = text.decode("utf-8", "surrogateescape")
    places = [
        len(decoded[: match.start()].encode("utf-8", "surrogateescape"))
        for match in rule.place.finditer(decoded)
    ]
    assert len(places) > 2
    for begin in range(1, len(text) + 1):
        assert first_cut(text, begin) == min((p for p in places if p >= begin), default=-1)


@pytest.mark.long
def test_parts_of_a_file_are_the_file(tmp_path, monkeypatch):
    rng = random.Random(6)
    for _ in range(150):
        monkeypatch.setattr(readers, "CHUNK", rng.randrange(1, 12))
        monkeypatch.setattr(count_files, "SHARD", rng.randrange(1, 20))
        monkeypatch.setattr(seams, "WINDOW", rng.randrange(1, 12))
        text = bytes(rng.choices(b"  ab", k=rng.randrange(1, 60)))
        path = write(tmp_path / "a.txt", text)
        words = counted(path, pretokenizer="first-space").to_dict()
        rest = b" " + text.replace(b" ", b"\0 ").removeprefix(b"\0 ")
        pieces = rest.split(b"\0")
        if text[:1] != b" ":
            pieces[0] = pieces[0][1:]
        assert words == Counter(pieces), text


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_ends_at_the_total(tmp_path, threads, monkeypatch):
    monkeypatch.setattr(count_files, "LEAST", 1 << 20)
    paths = [
        write(tmp_path / "a.txt", b"some words " * 300_000),
        write(tmp_path / "b.txt", b"some words " * 300_000, ".gz"),
        write(tmp_path / "c.jsonl", b'{"text": "some words"}\n' * 10_000),
    ]
    seen = []
    listener = Listener(advance=lambda done, total, remark: seen.append((done, total)))
    counted(*paths, threads=threads, progress=listener)
    total = sum(path.stat().st_size for path in paths)
    assert seen[-1] == (total, total)
    assert seen == sorted(seen)
    assert len(seen) > 5
