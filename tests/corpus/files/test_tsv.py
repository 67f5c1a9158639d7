"""Counted words in order and as lines, beside the same in plain Python."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shared.properties import joined, tries

from partcover import WordCounts
from partcover.corpus.files.tsv import Header, format_header, format_line
from partcover.errors import InputError
from partcover.kernels.words import _word_lines

COUNTS = st.integers(1, 9) | st.sampled_from([10, 99, 2**40, 2**53 + 1])
PARTS = [b"a", b"\\", b"\t", b"\n", b"\r", b"\0", b"\x7f", b"\x80", b"\xc3", b"\xa9", b"\xe6\x97"]
PARTS += [
    "é".encode(),
    "日".encode(),
    "😀".encode(),
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"x" * 9,
]
BYTES = joined(PARTS, 6) | st.binary()
INTEGERS = st.integers(0, 300) | st.integers(0, 2**62 - 1)
CHARS = st.text(st.sampled_from("aé日😀\\\t\n\r\0") | st.characters(codec="utf-8"))


def words_of(text):
    return st.dictionaries(text.filter(len), COUNTS, max_size=12)


def sha(words):
    """The digest, as it is written down: over the sorted words, whatever they are of."""
    total = hashlib.sha256(words.symbols.encode())
    for word, count in sorted(words):
        if isinstance(word, str):
            word = word.encode("utf-8")
        elif isinstance(word, tuple):
            word = " ".join(map(str, word)).encode()
        total.update(b"\n%d:%b\t%d" % (len(word), word, count))
    return total.hexdigest()


def same(counts, symbols, path):
    words = WordCounts.from_counts(counts, symbols)
    assert list(words) == list(counts.items())
    words.save(path)
    expected = format_header(Header(None, symbols))
    assert path.read_bytes() == expected + b"".join(format_line(*pair) for pair in words)
    assert path.read_text("utf-8")
    if counts:
        assert list(WordCounts.load(path, symbols)) == list(words)
    assert words.digest == sha(words)
    ranked = sorted(words, key=lambda pair: (-pair[1], pair[0]))
    for n in (0, 1, len(ranked) // 2, len(ranked)):
        assert list(words.most_frequent(n)) == ranked[:n]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("w") / "C.tsv"


@tries(250)
@given(words_of(BYTES))
@example({b"a" * 9: 1, b"a" * 8: 1, b"a": 1, b"a\0": 1, b"a" * 8 + b"\0": 1})
def test_bytes(path, counts):
    same(counts, "bytes", path)


@tries(100)
@given(words_of(CHARS))
def test_characters(path, counts):
    same(counts, "chars", path)


@tries(100)
@given(words_of(st.lists(INTEGERS, max_size=3).map(tuple)))
def test_integers(path, counts):
    same(counts, "ints", path)


@pytest.mark.long
def test_every_byte_and_pair(path):
    counts = {bytes([a]): 1 for a in range(256)}
    counts |= {bytes([a, b]): 1 for a in range(256) for b in range(0, 256, 3)}
    same(counts, "bytes", path)


def test_blocks_join(path, monkeypatch):
    for module in ("word_arrays", "counting.counts_file"):
        monkeypatch.setattr(f"partcover.corpus.{module}.WORDS_PER_BLOCK", 7)
    for size in (6, 7, 8, 14, 50):
        same({b"w%d\n" % i: i + 1 for i in range(size)}, "bytes", path)


def test_saving_and_hashing_go_through_the_kernel(tmp_path, monkeypatch):
    """No word of bytes or characters is made in Python for it."""
    words = [WordCounts.from_counts({"é": 2, "a": 1}, symbols) for symbols in ("bytes", "chars")]
    monkeypatch.setattr(WordCounts, "word", lambda *_: pytest.fail("a word is made"))
    for one in words:
        one.save(tmp_path / "C.tsv")
        assert one.digest


def test_order():
    words = WordCounts.from_counts({"b": 1, "a": 1, "c": 5, "ab": 1})
    arrays = words.data, words.offsets, words.counts
    assert _word_lines.order_of(*arrays, True).tolist() == [2, 1, 3, 0]
    assert _word_lines.order_of(*arrays, False).tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("between", [b"", b"\xef\xbb\xbf"])
def test_files_joined_with_cat_are_one(tmp_path, between):
    header = format_header(Header("gpt2", "bytes"))
    path = tmp_path / "ab.tsv"
    path.write_bytes(header + b"hat\t2\n" + between + header + b"hat\t3\n")
    words = WordCounts.load(path)
    assert (dict(words), words.pretokenizer) == ({b"hat": 5}, "gpt2")


def test_a_line_feed_that_is_missing_where_files_were_joined(tmp_path):
    path = tmp_path / "ab.tsv"
    path.write_bytes(b"hat\t2" + format_header(Header("gpt2", "bytes")) + b"hat\t3\n")
    with pytest.raises(InputError, match=r"ab\.tsv:1: another counts file begins inside the"):
        WordCounts.load(path)
