"""What objects say of themselves: short whatever their size, and no markup from strangers."""

from __future__ import annotations

import html
from html.parser import HTMLParser

import numpy as np
import pytest

from partcover import (
    Encoder,
    GroupBudget,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    greedtok,
    lower_bound,
    relax,
    smallest,
)
from partcover.runtime.notebook import brief, html_table
from partcover.studies.compare import compare

EVIL = "<script>alert(1)</script>&\"'\x1b[31m\u202e"


class Reader(HTMLParser):
    """The tags of a text and what stands between them; fails where a tag is left open."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.said = set(), [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert all(name == "style" for name, _ in attrs)
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.said.append(data)


def things(word, count=3, k=2):
    words = WordCounts.from_counts({word: 10**13, "the": count, "red" * count: 1})
    instance = Instance(words, k)
    solution = greedtok(instance)
    bound = lower_bound(instance, iterations=2)
    vocabulary = solution.vocabulary.with_(special=[EVIL], method=EVIL)
    return [
        words,
        instance,
        solution,
        vocabulary,
        bound,
        compare(instance, [1, 2], vocabularies={EVIL: vocabulary}),
        bound.certificate,
        bound.certificate.tree[0],
        Encoder(vocabulary, "gpt2"),
    ]


@pytest.mark.long
def test_reprs_are_short_and_on_one_line_whatever_the_size():
    tokens = [f"token{i}" for i in range(5000)]
    words = WordCounts.from_counts(
        {f"{token} {'x' * 300}": i + 1 for i, token in enumerate(tokens)}
    )
    instance = Instance(words, 10**9, candidates=tokens, required=tokens[:1000])
    long = Instance(Instance(words, 5000).words, 5000, forbidden=["yy"] * 3)
    made = greedtok(Instance(words, 5000, candidates=tokens))
    assert len(made.vocabulary) == 5000
    vocabulary = Vocabulary(["y" * 10**6, *tokens], method="m" * 10**6)
    for thing in (words, instance, long, made, vocabulary, Encoder(vocabulary, "gpt2")):
        assert len(repr(thing)) < 400
        assert repr(thing).isprintable()
        assert repr(thing).startswith(type(thing).__name__ + "(")


def test_a_relaxation_is_shown_without_its_model():
    pytest.importorskip("ortools")
    relaxation = relax(Instance({"the": 1, "theatre": 1, "heart": 1}, 2))
    assert repr(relaxation) == (
        f"Relaxation(path, glop, tokens={relaxation.tokens:.6f}, "
        f"0 of {len(relaxation.x)} fractional, completed)"
    )
    rows, variables = relaxation.model.shape
    assert repr(relaxation.model) == f"SparseModel(path, {rows} rows, {variables} variables)"
    stopped = relax(Instance({"the": 1}, 1), time_limit=0)
    assert repr(stopped) == "Relaxation(path, glop, 0 of 0 fractional, time_limit)"


def test_reprs_say_what_is_there():
    words, instance, solution, _, bound, compared, certificate, leaf, encoder = things("heart")
    assert repr(words) == "WordCounts(3 words, 10,000,000,000,004 counted, bytes)"
    assert repr(instance).startswith("Instance(k=2, 3 words")
    assert "2 tokens" in repr(solution)
    assert f"tokens={solution.tokens}" in repr(solution)
    assert f"lower_bound={bound.lower_bound}" in repr(bound)
    assert f"lower_bound={certificate.lower_bound}" in repr(certificate)
    assert repr(leaf).startswith("Leaf(17 prices")
    assert repr(compared).startswith(f"Comparison({len(compared.rows)} rows, greedtok, greedwmc")
    assert repr(encoder) == "Encoder(2 tokens, gpt2, shortest_path)"
    assert repr(encoder.sampling(seed=7, alpha=1.0)).endswith("drawn with seed 7)")
    tokens = Vocabulary(["ab", "a b\n", b"\xff\xff", "cd"], pretokenizer="gpt2")
    assert repr(tokens) == (
        r"Vocabulary(4 tokens, bytes, shortest_path, given, gpt2, ab a b\n \xFF\xFF …)"
    )


def test_without_a_vocabulary():
    none = smallest(Instance(WordCounts.from_words(["pearl"]), 0), threshold=2)
    assert none.vocabulary is None
    assert repr(none).startswith("Result(solve, k=0, shortest_path, tokens=None")
    Reader(none._repr_html_())


def test_html_holds_no_markup_of_strangers():
    for thing in things(EVIL):
        assert "\x1b" not in repr(thing)
        assert "\u202e" not in repr(thing)
        if not hasattr(thing, "_repr_html_"):
            continue
        page = thing._repr_html_()
        read = Reader(page)
        assert read.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
        assert "\x1b" not in page
        assert "\u202e" not in page
        assert len(page) < 40_000
    words, *_ = things(EVIL)
    assert html.escape(EVIL[:20]) in words._repr_html_()


@pytest.mark.long
def test_html_tables():
    words = WordCounts.from_counts({"the": 5, "pearl": 12_000, "x" * 10**6: 1})
    said = Reader(words._repr_html_()).said
    assert said.index("pearl") < said.index("12,000") < said.index("the")
    table = html_table("title", ["a", "b"], [(None, True), (2.5, "x"), (np.float64(0.25), -1000)])
    assert Reader(table).said[0] == "title"
    assert [text for text in Reader(table).said if text.strip()][1:] == [
        *("a", "b", "–", "True", "2.5", "x", "0.25", "-1,000")
    ]
    compared = compare(Instance(words, 1, max_length=9), [1])
    cells = [text for text in Reader(compared._repr_html_()).said if text.strip()]
    assert cells[1:4] == ["method", "rule", "k"]


def test_brief_leaves_out_what_is_none():
    assert brief("Kind", "a", None, "b" * 100, 3).startswith("Kind(a, bbb")
    assert brief("Kind") == "Kind()"


# -- vocabularies as sequences


def test_vocabularies_are_indexed():
    vocabulary = Vocabulary(["the", "red", "heart"])
    assert vocabulary[0] == b"the"
    assert vocabulary[np.int64(-1)] == b"heart"
    assert vocabulary[1:] == (b"red", b"heart")
    assert [vocabulary[i] for i in range(3)] == list(vocabulary)
    with pytest.raises(IndexError):
        vocabulary[3]


@pytest.mark.parametrize(
    ("symbols", "present", "absent"),
    [
        ("bytes", ["roé", "roé".encode(), bytearray(b"the"), b"\xff\xff", "\udcff\udcff"], ["ro"]),
        ("chars", ["roé", "roé".encode(), "the"], [b"\xff\xff", "\ud800"]),
        ("ints", [(1, 2), [1, 2], np.array([1, 2])], [(2, 1), "12"]),
    ],
)
def test_text_is_looked_for_in_the_alphabet_of_the_tokens(symbols, present, absent):
    given = {"bytes": ["roé", "the", b"\xff\xff"], "chars": ["roé", "the"], "ints": [(1, 2)]}
    vocabulary = Vocabulary(given[symbols], symbols)
    for token in present:
        assert token in vocabulary
    for token in [*absent, None, 3, object(), ["x"], "t", ""]:
        assert token not in vocabulary


# -- equality of counts


def test_counts_are_equal_in_any_order():
    words = WordCounts.from_counts({"the": 2, "red": 1})
    same = WordCounts.from_counts({"red": 1, "the": 2}, pretokenizer="gpt2")
    assert words == same
    assert hash(words) == hash(same)
    assert len({words, same}) == 1


@pytest.mark.parametrize(
    "other",
    [
        WordCounts.from_counts({"the": 2, "red": 2}),
        WordCounts.from_counts({"the": 2, "rod": 1}),
        WordCounts.from_counts({"the": 2}),
        WordCounts.from_counts({"the": 1, "red": 2}),
        WordCounts.from_counts({"the": 2, "red": 1}, "chars"),
        {b"the": 2, b"red": 1},
    ],
)
def test_other_counts_are_not_equal(other):
    assert WordCounts.from_counts({"the": 2, "red": 1}) != other


def test_groups_take_any_iterable():
    words = WordCounts.from_words(["the", "red"])
    instance = Instance(words, 2, groups=[GroupBudget("two", 0, ["the", "re"])])
    assert not {"the", "re"} & {token.decode() for token in greedtok(instance).vocabulary}
    with pytest.raises(InputError, match="tokens is 'the': it must be a list"):
        GroupBudget("two", 0, "the")
