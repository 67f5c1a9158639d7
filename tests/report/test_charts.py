"""What charts show, without a browser."""

import pytest

from partcover import Vocabulary, WordCounts, audit_tokenizer, greedtok
from partcover.analysis.costly_words import CostlyWord
from partcover.report.audit_page import size_rows
from partcover.report.charts import (
    costly_bars,
    events_chart,
    experiment_chart,
    gap_bar,
    parts_bar,
)
from partcover.runtime.limits import RunLimits
from partcover.runtime.progress import Progress
from partcover.studies.paper_tables import EXPERIMENTS


@pytest.fixture(scope="module")
def audit():
    words = WordCounts.from_texts(
        ["the price of a symbol is the price that it pays; it is not the price of a token\n" * 3],
        pretokenizer="gpt2",
    )
    tokens = [" the", " pri", " price", " is", " it", "ce", " of", " a", "zz", "yy"]
    return audit_tokenizer(Vocabulary(tokens, rule="priority"), words, added=())


@pytest.mark.long
def test_the_parts_are_all_tokens(audit):
    bar = parts_bar(audit)
    assert bar["total"] == audit.tokens == sum(part["tokens"] for part in bar["parts"])
    assert sum(part["share"] for part in bar["parts"]) == pytest.approx(1)
    assert min(part["tokens"] for part in bar["parts"]) >= 0
    unused = audit.size - audit.used
    assert unused > 1
    assert f"the {unused} tokens that this text does not use" in bar["parts"][1]["about"]
    assert gap_bar({"k": 1, "tokens": 3, "lower_bound": None}) is None


@pytest.mark.long
def test_sizes_lie_between_the_bound_and_greedtok(audit):
    rows = size_rows(audit, RunLimits(2.0), Progress())
    sizes = [row["size"] for row in rows]
    assert sizes == [*range(1, 11)]
    corpus = audit.bound.instance
    for row in rows:
        assert row["greedtok"] == greedtok(corpus.with_k(row["size"])).tokens
        assert 0 < row["lower_bound"] <= row["greedtok"]
    bounds = [row["lower_bound"] for row in rows]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] == audit.lower_bound


def test_a_bar_for_each_costly_word():
    words = [CostlyWord(b" hat", 4, (b" h", b"at")), CostlyWord(b"x" * 20, 1, (b"x",) * 4)]
    first, second = costly_bars(words, "bytes")
    assert (first["word"], first["share"]) == ("␣hat", 1)
    assert first["pieces"] == [("␣h", 0), ("at", 1)]
    assert second["pieces"] == [("x", 0)] * 4
    assert (second["loss"], second["share"], second["further"]) == (3, 0.75, 0)
    long = costly_bars([CostlyWord(b"x" * 20, 1, (b"x",) * 20)], "bytes")
    assert (len(long[0]["pieces"]), long[0]["further"]) == (12, 8)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_odd_rows_of_an_experiment_have_no_chart(name):
    experiment = EXPERIMENTS[name]
    *texts, up = experiment.line
    row = {**dict.fromkeys(texts, "bpe"), experiment.across: 2, up: 3}
    assert experiment_chart(name, [row])["short"] == name
    for odd in ({texts[0]: 1}, {experiment.across: "2"}, {up: "3"}):
        assert experiment_chart(name, [row, {**row, **odd}]) is None
    assert experiment_chart(name, []) is None


def test_the_gap_over_time():
    assert events_chart("search", [{"seconds": 0.5, "tokens": None, "lower_bound": None}]) is None
    events = [
        {"seconds": 0.5, "tokens": 10, "lower_bound": None},
        {"seconds": 1.0, "tokens": 10, "lower_bound": 6},
        {"seconds": 2.0, "tokens": 8, "lower_bound": 8},
    ]
    gap, tokens = events_chart("search", events)["measures"]
    assert [line["points"] for line in gap["lines"]] == [[[1.0, 40.0], [2.0, 0.0]]]
    assert {line["name"]: line["points"] for line in tokens["lines"]} == {
        "tokens needed": [[0.5, 10], [1.0, 10], [2.0, 8]],
        "lower bound": [[1.0, 6], [2.0, 8]],
    }
