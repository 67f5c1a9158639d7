"""The word table and the counted-words TSV against slow, obvious twins."""

import io
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import joined, tries

from partcover.corpus.files.tsv import parse_line
from partcover.corpus.word_counts import WordCounts
from partcover.errors import InputError
from partcover.kernels.words import _word_table

BIG = 2**63 - 1
ODD = ["é", "…", "\u00a0", "\u0085", "\u1680", "\u2003", "\u2028", "\u202f", "\u205f", "\u3000"]
BITS = b"|".join([b" ", b" ", b" ", b"a", b"b", b"Z", b"'", b"/", b"1", b"\n", b"\t", b"\0"])
BROKEN = [b"\xff", b"\x1f", b"\xe3\x80", b"\xc2", b"\x80"]
TEXT = joined([*BITS.split(b"|"), *BROKEN, b"longerword", *map(str.encode, ODD)], 40)
MODES = [_word_table.EVERY_SPACE, _word_table.AFTER_WORD, _word_table.NOWHERE]


def cuts(text, mode):
    """Where a text is cut, one place at a time."""
    for i in range(1, len(text)):
        here, last = text[i : i + 1], text[i - 1 : i]
        if mode == _word_table.EVERY_SPACE:
            cut = here == b" "
        elif mode == _word_table.NOWHERE:
            cut = False
        else:
            letter = last.isalpha() and last.isascii()
            other = here < b"\x80" and not here.isalpha() and here != b"'"
            cut = letter and other
            if here == b" " and not cut:
                tails = [text[max(i - n, 0) : i].decode("utf-8", "replace")[-1] for n in (1, 2, 3)]
                cut = not any(tail.isspace() or tail <= " " for tail in tails)
        if cut:
            yield i


def pieces(text, mode):
    # a piece is judged by what stands in it: nothing before its first byte is looked at
    start, words = 0, []
    while start < len(text):
        end = start + next(cuts(text[start:], mode), len(text) - start)
        words.append(text[start:end])
        start = end
    return words


def exported(arrays):
    data, offsets, counts = arrays
    assert data.dtype == np.uint8
    assert offsets.dtype == counts.dtype == np.int64
    raw = data.tobytes()
    return [
        (raw[a:b], c)
        for a, b, c in zip(offsets.tolist(), offsets.tolist()[1:], counts.tolist(), strict=False)
    ]


def ordered(table):
    return sorted(table.items(), key=lambda pair: (-pair[1], pair[0]))


@tries(700)
@given(st.lists(TEXT, max_size=4), st.sampled_from(MODES))
def test_text_is_counted_as_by_the_twin(texts, mode):
    table, twin = _word_table.WordTable(), Counter()
    for text in texts:
        table.add_text(text, mode)
        twin.update(pieces(text, mode))
        assert _word_table.last_cut(text, mode) == max(cuts(text, mode), default=-1)
    assert len(table) == len(twin)
    assert exported(table.export(True)) == ordered(twin)
    assert len(table) == 0  # it can be filled again
    for text in texts:
        table.add_text(text, mode)
    assert exported(table.export(False)) == list(twin.items())  # first appearance


def test_many_words_grow_the_table():
    words = [b" %d" % (i * i % 70_001) for i in range(200_000)]
    table = _word_table.WordTable()
    table.add_text(b"".join(words), _word_table.EVERY_SPACE)
    assert exported(table.export(True)) == ordered(Counter(words))
    assert table.nbytes < 1 << 23


MARKED = [b" a", b"_a", b" _a", b"_ a", b" ", b"_", b"__a", b"a", b"_long er"]


@tries(300)
@given(
    st.lists(st.sampled_from([(word, count) for word in MARKED for count in range(1, 10)])),
    st.sampled_from([b"_", b" ", b"__", "Ġ".encode(), b"a"]),
)
def test_mark_replaces_the_leading_space(pairs, mark):
    table, twin = _word_table.WordTable(), Counter()
    for word, count in pairs:
        table.add_words(np.frombuffer(word, np.uint8), np.array([0, len(word)]), np.array([count]))
        twin[mark + word[1:] if word[:1] == b" " else word] += count
    assert exported(table.export(True, mark)) == ordered(twin)


@tries(300)
@given(
    st.lists(
        st.lists(st.tuples(st.binary(min_size=1, max_size=20), st.integers(1, 2**40)), max_size=5),
        max_size=5,
    )
)
def test_merge_adds(tables):
    total, twin = _word_table.WordTable(), Counter()
    for pairs in tables:
        table = _word_table.WordTable()
        for word, count in pairs:
            table.add_words(
                np.frombuffer(word, np.uint8), np.array([0, len(word)]), np.array([count])
            )
            twin[word] += count
        total.merge(table)
    assert exported(total.export(True)) == ordered(twin)


def test_counts_that_overflow_are_an_error():
    word, offsets = np.frombuffer(b" a", np.uint8), np.array([0, 2])
    table = _word_table.WordTable()
    table.add_words(word, offsets, np.array([BIG]))
    with pytest.raises(OverflowError):
        table.add_words(word, offsets, np.array([1]))
    with pytest.raises(OverflowError):
        table.add_text(b"x a", _word_table.EVERY_SPACE)
    with pytest.raises(OverflowError):
        table.merge(table)
    table.add_words(np.frombuffer(b"_a", np.uint8), offsets, np.array([1]))
    with pytest.raises(OverflowError):
        table.export(True, b"_")
    assert dict(exported(table.export(True)))[b" a"] == BIG


# --- the counted-words TSV ---------------------------------------------------------------------

FIELD = joined(
    [
        *[b"a", b"b", b"\\\\", b"\\t", b"\\n", b"\\r", b"\\x00", b"\\xfF", b"\\x9", b"\\", b"\\q"],
        *[b"\t", b"\xff", b"\0", b" ", "é".encode()],
    ],
    6,
)
ODD_NUMBERS = [
    *[b"0", b"00", b"007", b"-3", b"-0", b"1.5", b".5", b"1.", b".", b"", b"x", b"+1", b"1e5"],
    *[b" 1", b"1 ", b"1\r", b"\r", b"1\r\r", b"%d" % BIG, b"%d" % (BIG + 1), b"0" * 30 + b"1"],
    *[b"9" * 30, "٣".encode()],
]
NUMBER = st.sampled_from([*(b"%d" % n for n in range(1, 51)), *ODD_NUMBERS, *ODD_NUMBERS])
LINE = st.one_of(
    st.tuples(FIELD, NUMBER).map(b"\t".join),
    st.tuples(st.sampled_from([b"a", b"\\\\b", b"c"]), st.integers(1, 9)).map(
        lambda pair: b"%b\t%d" % pair
    ),
    st.sampled_from([b"", b"a", b"a\tb\t1", b"a\t1\t"]),
)


def twin_line(line):
    """One TSV line, or None if it is bad: written from the format's description alone."""
    match = re.fullmatch(rb"((?:[^\\\t]|\\[\\tnr]|\\x[0-9a-fA-F]{2})+)\t([0-9]+)\r?", line, re.S)
    if not match or not 1 <= int(match[2]) <= BIG:
        return None
    escapes = {b"\\\\": b"\\", b"\\t": b"\t", b"\\n": b"\n", b"\\r": b"\r"}
    word = re.sub(
        rb"\\(x..|.)",
        lambda m: escapes.get(m[0]) or bytes([int(m[1][1:], 16)]),
        match[1],
        flags=re.S,
    )
    return word, int(match[2])


@tries(700)
@given(st.lists(LINE, max_size=5), st.booleans())
def test_tsv_is_parsed_as_by_the_twin(lines, final):
    text = b"\n".join(lines) + (b"\n" if final else b"")
    rows = text.split(b"\n")
    rows = rows[:-1] if rows[-1] == b"" else rows
    table, twin, status, at = _word_table.WordTable(), {}, _word_table.DONE, len(rows)
    for number, row in enumerate(rows, 1):
        parsed = twin_line(row)
        if parsed is None:
            with pytest.raises(InputError):
                parse_line(row, "bytes")
            status, at = _word_table.BAD_LINE, number
            break
        assert parse_line(row, "bytes") == parsed
        word, count = parsed
        if twin.get(word, 0) + count > BIG:
            status, at = _word_table.TOO_MANY, number
            break
        twin[word] = twin.get(word, 0) + count
    got, line, start = table.add_tsv(text)
    assert (got, line) == (status, at)
    assert start == (0 if status == _word_table.DONE else sum(len(r) + 1 for r in rows[: at - 1]))
    assert exported(table.export(False)) == list(twin.items())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"word", "count is missing"),
        (b"", "count is missing"),
        (b"a\tb\t3", "more than one tab"),
        (b"\t3", "the word is empty"),
        (b"a\\q\t3", "backslash"),
        (b"a\\x4\t3", "backslash"),
        (b"a\\\t3", "backslash"),
        (b"a\t", "not a whole number"),
        (b"a\tthree", "not a whole number"),
        (b"a\t1e3", "not a whole number"),
        (b"a\t-3", "negative"),
        (b"a\t-3.5", "negative"),
        (b"a\t2.5", "not a whole number"),
        (b"a\t0", "zero"),
        (b"a\t9223372036854775808", "is larger than 9,223,372,036,854,775,807"),
        (b"d\t9223372036854775808", "is larger than 9,223,372,036,854,775,807"),
        (b"a\t" + b"9" * 5000, "is larger than 9,223,372,036,854,775,807"),
        (b"b\t9223372036854775807", "summed count"),
    ],
)
@pytest.mark.parametrize("symbols", ["bytes", "chars"])
def test_a_bad_line_is_named(tmp_path, line, message, symbols):
    path = tmp_path / "c.tsv"
    path.write_bytes(b"a\t1\nb\t1\n" + line + b"\nc\t1\n")
    with pytest.raises(InputError, match=rf"c\.tsv:3: .*{message}") as caught:
        WordCounts.load(path, symbols)
    assert "\n" not in str(caught.value)


def test_line_numbers_go_on_over_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("partcover.corpus.files.tsv.CHUNK", 7)
    path = tmp_path / "c.tsv"
    rows = [b"word%d\t%d\n" % (i % 30, i) for i in range(1, 90)]
    path.write_bytes(b"".join(rows))
    twin = Counter()
    for i in range(1, 90):
        twin[b"word%d" % (i % 30)] += i
    assert WordCounts.load(path).to_dict() == twin
    path.write_bytes(b"".join(rows) + b"bad")
    with pytest.raises(InputError, match=r":90: count is missing\. Expected"):
        WordCounts.load(path)


def test_integers_and_characters(tmp_path):
    path = tmp_path / "c.tsv"
    path.write_text("1 2 3\t4\n0\t1\n1 2 3\t1\n")
    assert WordCounts.load(path, "ints").to_dict() == {(1, 2, 3): 5, (0,): 1}
    for bad in ("1  2", "-1", "x", " 1", "9" * 30, str(2**62)):
        path.write_text(f"5\t1\n{bad}\t1\n")
        with pytest.raises(InputError, match=r"c\.tsv:2: "):
            WordCounts.load(path, "ints")
    with pytest.raises(InputError, match=r"an integer symbol is 2\*\*62 or more"):
        WordCounts.from_counts({(0, 2**62): 1}, "ints")
    path.write_bytes("é€\\xc3\\xa9\t2\n".encode())
    assert WordCounts.load(path, "chars").to_dict() == {"é€é": 2}
    for bad in (b"\xff", b"\\xff"):
        path.write_bytes(b"a\t1\n" + bad + b"\t1\n")
        assert WordCounts.load(path).to_dict() == {b"a": 1, b"\xff": 1}
        with pytest.raises(InputError, match=r"c\.tsv:2: .*UTF-8"):
            WordCounts.load(path, "chars")


def test_standard_streams(monkeypatch, capfdbinary):
    class Stream:
        buffer = io.BytesIO(b"a\t1\nb\t2\n")

    monkeypatch.setattr("sys.stdin", Stream)
    WordCounts.load("-").save("-")
    assert capfdbinary.readouterr().out == b"#partcover counts 1 symbols=bytes\na\t1\nb\t2\n"
    Stream.buffer = io.BytesIO(b"a\n")
    with pytest.raises(InputError, match=r"^standard input:1: count is missing"):
        WordCounts.load("-")


def test_empty_missing_unwritable(tmp_path):
    path = tmp_path / "c.tsv"
    with pytest.raises(InputError, match=r"c\.tsv: cannot be read \(No such file"):
        WordCounts.load(path)
    path.write_bytes(b"")
    for symbols in ("bytes", "chars", "ints"):
        with pytest.raises(InputError, match=r"c\.tsv: the corpus is empty"):
            WordCounts.load(path, symbols)
    with pytest.raises(InputError, match="this is a folder"):
        WordCounts.load(tmp_path)
    with pytest.raises(InputError, match="cannot be written"):
        WordCounts.from_counts({"a": 1}).save(tmp_path / "no" / "c.tsv")


@given(st.lists(st.text(max_size=4).filter(bool), unique=True), st.sampled_from(["bytes", "chars"]))
def test_words_in_turn_are_the_words(listed, symbols):
    words = WordCounts.from_counts({word: n + 1 for n, word in enumerate(listed)}, symbols)
    assert list(words) == [(words.word(n), int(words.counts[n])) for n in range(len(words))]
    ints = WordCounts.from_counts({tuple(map(ord, word)): 1 for word in listed}, "ints")
    assert [word for word, _ in ints] == [ints.word(n) for n in range(len(ints))]
