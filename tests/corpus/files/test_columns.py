"""Words and counts out of mappings, series, data frames and tables, and what is refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from partcover import InputError, Instance, WordCounts

COUNTS = {"the": 5, "pearl": 2, "roé": 1}
TRUE = WordCounts.from_counts(COUNTS)


class Frame:
    """As pandas and polars have them."""

    def __init__(self, **columns):
        self.data = columns
        self.columns = list(columns)
        self.shape = (3, len(columns))

    def __getitem__(self, name):
        return Column(self.data[name])


class Column:
    shape = (3,)

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(self.values)

    def to_list(self):
        return list(self.values)


class ArrowTable:
    def __init__(self, **columns):
        self.data = columns
        self.column_names = list(columns)
        self.columns = list(columns.values())
        self.shape = (3, len(columns))

    def column(self, name):
        return ArrowColumn(self.data[name])


class ArrowColumn:
    """Its elements are scalars of its own."""

    def __init__(self, values):
        self.values = values

    def to_pylist(self):
        return list(self.values)


@pytest.mark.parametrize("kind", [Frame, ArrowTable])
def test_tables(kind):
    words, counts = zip(*COUNTS.items(), strict=True)
    assert WordCounts.from_counts(kind(a=words, b=counts)) == TRUE
    assert WordCounts.from_counts(kind(count=counts, other="xyz", word=words)) == TRUE
    with pytest.raises(InputError, match=r"columns of an? \w+ are a: name two of them 'word' and"):
        WordCounts.from_counts(kind(a=words))
    with pytest.raises(InputError, match="give one column of it"):
        WordCounts.from_words(kind(a=words))
    with pytest.raises(InputError, match="give one column of it"):
        WordCounts.from_texts(kind(a=words), pretokenizer="none")


def test_two_columns_of_one_name():
    frame = Frame(word=["a"], count=[1])
    frame.columns, frame.shape = ["word", "count", "count"], (1, 3)
    with pytest.raises(InputError, match="a Frame has 2 columns named 'count': keep one of each"):
        WordCounts.from_counts(frame)
    frame.columns, frame.shape = ["x", "x"], (1, 2)
    with pytest.raises(InputError, match="a Frame has 2 columns named 'x'"):
        WordCounts.from_counts(frame)
    frame.columns = ["word", "other", "other", "count"]
    assert WordCounts.from_counts(frame).to_dict() == {b"a": 1}


def test_two_columns_of_one_name_in_parquet(tmp_path):
    arrow, path = pytest.importorskip("pyarrow"), tmp_path / "two.parquet"
    table = arrow.Table.from_arrays([arrow.array(["a"]), arrow.array(["b"])], names=["x", "x"])
    pytest.importorskip("pyarrow.parquet").write_table(table, path)
    with pytest.raises(InputError, match=r"two\.parquet: has 2 columns named 'x': keep one"):
        WordCounts.load(path)
    with pytest.raises(InputError, match=r"two\.parquet: has 2 columns named 'x': keep one"):
        WordCounts.from_files(path, key="x")


@pytest.mark.parametrize("kind", [Column, ArrowColumn])
def test_one_column(kind):
    words = [word for word, count in COUNTS.items() for _ in range(count)]
    assert WordCounts.from_words(kind(words)) == TRUE
    assert WordCounts.from_texts(kind(words), pretokenizer="none") == TRUE
    with pytest.raises(InputError, match="is a single column: give"):
        WordCounts.from_counts(kind(words))


def test_pandas():
    pandas = pytest.importorskip("pandas")
    words = pandas.Series([word for word, count in COUNTS.items() for _ in range(count)])
    assert WordCounts.from_words(words) == TRUE
    assert WordCounts.from_counts(words.value_counts()) == TRUE
    assert WordCounts.from_counts(words.value_counts().reset_index()) == TRUE
    table = pandas.DataFrame({"n": [1, 2], "count": [3, 4], "word": ["ab", "cd"]})
    assert WordCounts.from_counts(table).to_dict() == {b"ab": 3, b"cd": 4}
    with pytest.raises(InputError, match="columns of a DataFrame are n, count"):
        WordCounts.from_counts(table[["n", "count"]].assign(c=1))
    with pytest.raises(InputError, match=r"is 0\.5: it must be a whole"):
        WordCounts.from_counts(pandas.Series({"ab": 0.5}))
    with pytest.raises(InputError, match="a DataFrame has 2 columns named 'x'"):
        WordCounts.from_counts(pandas.DataFrame([["ab", 1]], columns=["x", "x"]))
    assert WordCounts.from_texts(pandas.Series(["a b", "a"])).total_count == 3


@pytest.mark.long
def test_polars():
    polars = pytest.importorskip("polars")
    words = polars.Series("w", [word for word, count in COUNTS.items() for _ in range(count)])
    assert WordCounts.from_words(words) == TRUE
    assert WordCounts.from_counts(words.value_counts()) == TRUE
    with pytest.raises(InputError, match="is a single column"):
        WordCounts.from_counts(words)
    with pytest.raises(InputError, match="give one column of it"):
        WordCounts.from_words(polars.DataFrame({"w": words}))


def test_arrow():
    arrow = pytest.importorskip("pyarrow")
    words = arrow.chunked_array([[word] * count for word, count in COUNTS.items()])
    assert WordCounts.from_words(words) == TRUE
    table = arrow.table({"word": list(COUNTS), "count": list(COUNTS.values())})
    assert WordCounts.from_counts(table) == TRUE
    assert WordCounts.from_counts(table.to_batches()[0]) == TRUE
    with pytest.raises(InputError, match="a Table has 2 columns named 'count'"):
        WordCounts.from_counts(table.append_column("count", table["count"]))
    with pytest.raises(InputError, match="a Table: give one column of it as a list of words"):
        WordCounts.from_words(table)


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ("the", "counts are 'the': they must be"),
        (7, "counts are 7: they must be a mapping of words"),
        ([("a", 1), "bc"], "counts have 'bc': each must be a pair of a word"),
        ([("a", 1, 2)], "counts have a tuple: each"),
        ({"a": 2.0}, "the count of 'a' is 2.0"),
        ({"a": True}, "the count of 'a' is True"),
        ({None: 1}, "None is not text or bytes"),
        ({"\ud800": 1}, "has a lone surrogate, which UTF-8 cannot encode"),
    ],
)
def test_refused_counts(counts, line):
    with pytest.raises(InputError) as caught:
        WordCounts.from_counts(counts)
    assert line in str(caught.value)


@pytest.mark.parametrize("symbols", ["bytes", "chars"])
def test_lone_surrogates_are_no_words(symbols):
    with pytest.raises(InputError, match=r"'\\ud800' has a lone surrogate"):
        WordCounts.from_words(["\ud800"], symbols)


def test_one_text_is_no_list_of_words():
    with pytest.raises(InputError, match="words are 'the red': they must be a list of words"):
        WordCounts.from_words("the red")


def test_instances_of_what_is_clear(tmp_path):
    TRUE.save(tmp_path / "C.tsv")
    for words in (TRUE, COUNTS, Counter(COUNTS), tmp_path / "C.tsv", str(tmp_path / "C.tsv")):
        instance = Instance(words, k=np.int64(3))
        assert instance.words == TRUE
        assert (instance.k, type(instance.k)) == (3, int)
    with pytest.raises(InputError, match="nowhere"):
        Instance("nowhere.tsv", k=3)
    with pytest.raises(
        InputError, match="corpus is a list: it must be a WordCounts or a Corpora or a"
    ):
        Instance(["the"], k=3)
    with pytest.raises(InputError, match="k is '3': it must be a whole number from 0 to 2,147"):
        Instance(TRUE, k="3")


def test_words_of_integers_may_be_arrays():
    words = WordCounts.from_words([np.array([1, 2]), (1, 2), [3]], "ints")
    assert words.to_dict() == {(1, 2): 2, (3,): 1}


def test_a_word_that_is_not_there():
    assert TRUE.word(np.int64(0)) == b"the"
    for index in (3, -1):
        with pytest.raises(InputError):
            TRUE.word(index)
