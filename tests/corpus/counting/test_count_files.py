"""Counting in shards, with spills and merges, against a counter over the pre-tokenized texts."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.listener import Listener
from shared.properties import joined, tries

from partcover import InputError, WordCounts
from partcover.corpus.counting import count_files, runs
from partcover.corpus.counting.count import CountSettings
from partcover.corpus.counting.count_files import Workers, counted_words
from partcover.corpus.counting.counts_file import check_text
from partcover.corpus.files.sources import find_sources
from partcover.corpus.pretokenizers import seams
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.runtime.progress import Progress

NAMES = [
    "space-prefix", "first-space", "space+digit", "gpt2", "cl100k", "o200k", "deepseek", "none",
    "gpt2+phrases:2", "space-prefix+phrases", "cl100k+phrases:3+digit", "deepseek+phrases:2",
    '{"type": "Whitespace"}', '{"type": "Digits", "individual_digits": true}',
]  # fmt: skip
TEXTS = joined(
    ["a", "bb", "don't", " ", "  ", "\n", "\r\n", "é", "中文", "12", "\u00a0", ".", "Ġ"], 40
)
KINDS = st.sampled_from([".txt", ".txt.gz", ".jsonl", ".jsonl.gz", ".parquet"])


def written(folder, files):
    """Writes files of these texts, and returns the texts that are counted apart."""
    documents = []
    for number, (kind, texts) in enumerate(files):
        path = folder / f"{number}{kind}"
        if kind.startswith(".txt"):
            texts = ["".join(texts)]
            data = texts[0].encode()
        elif kind.startswith(".jsonl"):
            lines = [json.dumps({"text": text}, ensure_ascii=bool(number % 2)) for text in texts]
            data = "\n".join(lines).encode()
        else:
            pa = pytest.importorskip("pyarrow")
            pq = pytest.importorskip("pyarrow.parquet")
            table = pa.table({"text": pa.array(texts, pa.string())})
            pq.write_table(table, path, row_group_size=2)
            data = path.read_bytes()
        path.write_bytes(gzip.compress(data) if kind.endswith(".gz") else data)
        documents += texts
    return documents


@pytest.mark.long
@tries(80)
@given(
    files=st.lists(
        st.tuples(KINDS, st.lists(TEXTS, min_size=1, max_size=6)), min_size=1, max_size=5
    ),
    name=st.sampled_from(NAMES),
    shards=st.integers(1, 20),
    sizes=st.tuples(st.integers(1, 30), st.integers(1, 200)),
    memory=st.sampled_from([None, 1, 100_000]),
    threads=st.sampled_from([1, 2]),
)
def test_any_shards_are_the_twin(tmp_path_factory, files, name, shards, sizes, memory, threads):
    folder = tmp_path_factory.mktemp("text")
    documents = written(folder, files)
    pretokenizer = Pretokenizer.from_name(name)
    expected = Counter(word for text in documents for word in pretokenizer.split(text))
    size = sum(path.stat().st_size for path in folder.iterdir()) // shards + 1
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(threads) as pool:
        for module, constant, value in zip(
            (count_files, seams, runs), ("SHARD", "WINDOW", "BLOCK"), (size, *sizes), strict=True
        ):
            patch.setattr(module, constant, value)
        patch.setattr(count_files, "LEAST", 1)
        patch.setattr(runs, "FAN_IN", 3)
        patch.setattr(count_files, "FAN_IN", 3)
        data, offsets, counts = counted_words(
            find_sources([folder]),
            CountSettings(name),
            Workers(pool, threads, memory),
            None,
            Progress(),
        )
    words = [bytes(data[a:b]) for a, b in pairwise(offsets)]
    found = list(zip(words, counts.tolist(), strict=True))
    twin = [(word.encode(), count) for word, count in expected.items()]
    assert found == sorted(twin, key=lambda pair: (-pair[1], pair[0]))


def block(pairs):
    words = [word for word, _ in pairs]
    offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
    counts = np.array([count for _, count in pairs], np.int64)
    return np.frombuffer(b"".join(words), np.uint8), offsets, counts


def test_sums_that_overflow_and_damaged_runs_are_errors(tmp_path):
    with pytest.raises(InputError, match="the sum of the counts of 'ab' does not fit into"):
        list(runs.merge([[block([(b"ab", 2**62)])], [block([(b"ab", 2**62)])]]))
    path = tmp_path / "run"
    runs.write_run(path, [block([(b"ab", 1), (b"b" * 100, 2)])])
    assert runs.joined(list(runs.read_run(path)))[2].tolist() == [1, 2]
    whole = path.read_bytes()
    for broken in (b"", whole[:-1], whole[:-20], whole[:50] + b"x" + whole[51:]):
        path.write_bytes(broken)
        with pytest.raises(InputError, match="damaged"):
            list(runs.read_run(path))


def test_a_line_in_a_later_part_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(count_files, "SHARD", 100)
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "fine"}\n' * 40 + "broken\n" + '{"text": "fine"}\n' * 40)
    with pytest.raises(InputError, match=r"a\.jsonl:41: not JSON"):
        WordCounts.from_files(path)


def test_a_file_that_changes_while_it_is_counted(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a b c")

    def change(*_):
        path.write_text("a b d")

    with pytest.raises(InputError, match=r"a\.txt: changed while it was read; it had 5 bytes"):
        WordCounts.from_files(path, progress=Listener(advance=change))


def test_patterns_and_urls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name, text in {"a.txt": "x", "[b].txt": "y", "sub/c.txt": "x y", "d.md": "z"}.items():
        (tmp_path / name).write_text(text)
    assert WordCounts.from_files("*.txt").total_count == 2
    assert WordCounts.from_files("**/*.txt").total_count == 4
    assert WordCounts.from_files("[b].txt").to_dict() == {b"y": 1}  # a file, not a pattern
    with pytest.raises(InputError, match=r"^\*\.csv: no file matches"):
        WordCounts.from_files("*.csv")
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/t/a.txt": b"x y " * 99, "/t/b.jsonl": b'{"text": "x"}\n', "/t/c.bin": b"?"})
    monkeypatch.setattr(count_files, "SHARD", 50)
    assert WordCounts.from_files("memory://t/a.txt", pretokenizer="gpt2").total_count == 199
    both = WordCounts.from_files("memory://t").total_count
    assert both == 200
    assert WordCounts.from_files("memory://t/*.jsonl").to_dict() == {b"x": 1}
    assert WordCounts.from_files("memory://t/c.bin").total_count == 1  # a file, not a folder
    for url in ("memory://t/none.txt", "memory://t/*.csv", "nonesuch://t/a"):
        with pytest.raises(InputError, match=f"^{url.replace('*', '.*')}: "):
            WordCounts.from_files(url)


@pytest.mark.parametrize("character", ["\u0080", "©", "日", "😀"])
def test_words_that_are_no_text_are_named(character):
    """As a whole, and where one begins inside a character of the one before."""
    data = np.frombuffer(f"a{character}".encode(), np.uint8)
    counts = np.ones(2, np.int64)
    check_text((data, np.array([0, 1, len(data)]), counts), "c.arrow")
    for inside in range(2, len(data)):
        with pytest.raises(InputError, match="a word is not UTF-8"):
            check_text((data, np.array([0, inside, len(data)]), counts), "c.arrow")
    with pytest.raises(InputError, match="a word is not UTF-8"):
        check_text((data[:-1], np.array([0, 1, len(data) - 1]), counts), "c.arrow")
