"""compare: rows, set measures, held-out words, targets, against slow and obvious counts."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partcover import (
    Encoder,
    GroupBudget,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    segment,
    solve,
    verify,
)
from partcover.analysis.metrics import (
    overlaps,
    renyi_efficiency,
    symbol_uses,
    text_bytes,
    token_uses,
    use,
    whole_words,
)
from partcover.bounds.lower_bound import bounds
from partcover.corpus.holdout import split
from partcover.errors import MissingExtra
from partcover.runtime.isolation import run_apart
from partcover.studies.compare import compare
from partcover.studies.methods import METHODS, Runner, rules_of
from partcover.studies.targets import budgets_for
from partcover.vocabulary.subset import first_tokens

WORDS = WordCounts.from_counts(
    {"banana": 4, "bandana": 3, "ananas": 5, "nab": 2, "an": 9, "band": 1, "a": 3}
)
SLOW = ("improve", "unigram_sentencepiece", "sage")
QUICK = [name for name in METHODS if name not in SLOW]
words_st = st.dictionaries(
    st.text("abc", min_size=1, max_size=7), st.integers(1, 9), min_size=1, max_size=8
)
tokens_st = st.lists(st.text("abc", min_size=2, max_size=4), unique=True, max_size=6)


def pieces(words, cut):
    """The pieces of every occurrence, one by one."""
    found = Counter()
    for index, (_, count) in enumerate(words):
        for piece in cut.of(index):
            found[piece] += count
    return found


@settings(max_examples=150)
@given(words_st, tokens_st, st.sampled_from(["shortest_path", "priority", "longest_match"]))
def test_uses_are_those_of_the_pieces(counts, tokens, rule):
    words = WordCounts.from_counts(counts)
    vocabulary = Vocabulary(tokens)
    cut = segment(words, vocabulary, rule)
    found = pieces(words, cut)
    assert token_uses(cut, len(tokens)).tolist() == [found[token] for token in vocabulary]
    singles = sorted((piece, n) for piece, n in found.items() if len(piece) == 1)
    assert symbol_uses(cut).tolist() == [n for _, n in singles]
    assert sum(found.values()) == cut.tokens
    facts = use(cut, len(tokens))
    assert facts["used"] == sum(found[token] > 0 for token in vocabulary)
    total = sum(found.values())
    power = sum((n / total) ** 2.5 for n in found.values())
    if len(found) > 1:
        expected = math.log(power) / (1 - 2.5) / math.log(len(found))
        assert facts["renyi_efficiency"] == pytest.approx(expected)
    else:
        assert facts["renyi_efficiency"] is None


def test_renyi_efficiency_of_their_tests():
    # the two texts of the authors' tokenization-scorer, and what its tests expect
    for text, expected in (
        ("pick @@ed pick @@l @@ed pick @@les", 0.8265064834225245),
        ("pick @@e @@d pick @@l @@e @@d pick @@l @@e @@s", 0.9204840242168808),
    ):
        uses = np.array(list(Counter(text.split()).values()), np.int64)
        assert renyi_efficiency(uses) == pytest.approx(expected, abs=1e-3)
    assert renyi_efficiency(np.array([3, 3, 3, 0])) == pytest.approx(1)
    assert renyi_efficiency(np.array([1, 1, 2]), 1) == pytest.approx(1.5 / math.log2(3))
    assert renyi_efficiency(np.array([5, 0])) is None


def test_text_is_measured_in_bytes():
    counts = {"né": 2, "€𝄞x": 3}
    expected = sum(len(word.encode()) * count for word, count in counts.items())
    for kind in ("bytes", "chars"):
        assert text_bytes(WordCounts.from_counts(counts, kind)) == expected
    assert text_bytes(WordCounts.from_counts({(1, 2): 1}, "ints")) is None
    assert text_bytes(WordCounts.from_counts({}, "chars")) == 0


@settings(max_examples=100)
@given(tokens_st, tokens_st)
def test_overlaps(a, b):
    (pair,) = overlaps({"a": Vocabulary(a), "b": Vocabulary(b)})
    assert pair["shared"] == len(set(a) & set(b))
    assert pair["union"] == len(set(a) | set(b))
    assert pair["same_rank"] == sum(x == y for x, y in zip(a, b, strict=False))
    first = pair["first_difference"]
    if first is None:
        assert a == b
    else:
        assert a[: first - 1] == b[: first - 1]
        assert a[:first] != b[:first]


def test_whole_words():
    assert whole_words(WORDS, Vocabulary(["an", "ana", "band"])) == 2


@settings(max_examples=100)
@given(words_st, st.floats(0.05, 0.95), st.integers(0, 3))
def test_a_split_loses_nothing(counts, share, seed):
    words = WordCounts.from_counts(counts)
    many = round(share * words.total_count)
    if many in (0, words.total_count):
        with pytest.raises(InputError, match="too few"):
            split(words, share, seed=seed)
        return
    rest, held_out = split(words, share, seed=seed)
    assert held_out.total_count == many
    both = Counter(rest.to_dict()) + Counter(held_out.to_dict())
    assert both == words.to_dict()
    backwards = WordCounts.from_counts(list(reversed(list(words))))
    assert split(backwards, share, seed=seed)[1].to_dict() == held_out.to_dict()


def test_a_split_draws_evenly():
    words = WordCounts.from_counts({"a": 60, "b": 30, "c": 10})
    drawn = [split(words, 0.2, seed=seed)[1].to_dict() for seed in range(300)]
    means = [sum(d.get(word, 0) for d in drawn) / 300 for word in (b"a", b"b", b"c")]
    # standard errors are 0.11, 0.11 and 0.07
    assert means == pytest.approx([12, 6, 2], abs=0.5)
    assert len({tuple(sorted(d.items())) for d in drawn}) > 20
    for share in (0, 1, -1, math.nan):
        with pytest.raises(InputError, match="share"):
            split(words, share)
    with pytest.raises(InputError, match="fewer than"):
        split(WordCounts.from_counts({"a": 10**9}), 0.5)


@pytest.mark.parametrize("method", QUICK)
def test_every_method_and_rule(method):
    instance = Instance(WORDS, 0)
    rules = ("own", "shortest_path", "longest_match", "merges", "likelihood", "single_symbols")
    found = compare(instance, [2, 5], [method], rules)
    assert {row["k"] for row in found.rows} == {2, 5}
    for row in found.rows:
        answer = next(a for a in found.answers if a.k == row["k"])
        assert row["size"] == len(answer.vocabulary) <= row["k"]
        if row["tokens"] is None:
            assert row["rule"] == "likelihood"
            assert row["remark"].startswith(f"{method} has no scores: ")
            continue
        cut = segment(WORDS, answer.vocabulary, row["rule"])
        assert row["tokens"] == sum(pieces(WORDS, cut).values())
        assert row["tokens_per_word"] == row["tokens"] / 27
        assert row["bytes_per_token"] == WORDS.total_symbols / row["tokens"]
        assert row["cover"] == WORDS.total_symbols - row["tokens"]
    own = next(row["rule"] for row in found.rows if row["k"] == 5)
    assert own == METHODS[method].run(instance.with_k(5)).rule


@pytest.mark.parametrize("method", [name for name, t in METHODS.items() if t.nested])
@settings(max_examples=25, deadline=None)
@given(counts=words_st, k=st.integers(1, 8), j=st.integers(0, 8))
def test_nested_methods_are(method, counts, k, j):
    instance = Instance(WordCounts.from_counts(counts), k)
    whole = METHODS[method].run(instance)
    part = METHODS[method].run(instance.with_k(min(j, k)))
    cut = first_tokens(whole.vocabulary, min(j, k))
    assert cut.tokens == part.vocabulary.tokens
    assert cut.merges == part.vocabulary.merges
    assert segment(instance.words, cut, whole.rule).tokens == part.tokens


def test_tokens_take_their_merges_and_scores_along():
    vocabulary = Vocabulary(
        ["ab", "cd", "abcd"],
        merges=[("a", "b"), ("c", "d"), ("ab", "cd")],
        scores=[-1, -2, -3],
        special=["<s>"],
    )
    two = first_tokens(vocabulary, 2)
    assert two.merges == ((b"a", b"b"), (b"c", b"d"))
    assert (two.scores, two.special) == ((-1.0, -2.0), {})
    assert first_tokens(vocabulary, 0).merges == ()
    assert first_tokens(vocabulary, 3) is vocabulary
    pairs = [("a", "b"), ("b", "c"), ("ab", "c"), ("c", "d"), ("a", "bc")]
    twice = Vocabulary(["ab", "bc", "abc", "cd"], merges=pairs)  # abc is made again, but later
    assert first_tokens(twice, 3).merges == twice.merges[:3]


def test_a_bound_holds_for_every_row():
    instance = Instance(WORDS, 0)
    found = compare(instance, [1, 3], ["greedtok", "bpe", "frequent", "bytes"], bound=5)
    for row in found.rows:
        best = solve(instance.with_k(row["k"])).tokens
        assert row["lower_bound"] <= best <= row["tokens"]
        assert row["lower_bound"] > 0.9 * best
        assert row["gap"] == (row["tokens"] - row["lower_bound"]) / row["tokens"]


def test_given_vocabularies():
    instance = Instance(WORDS, 0)
    mine = {"mine": Vocabulary(["ana", "ban", "an"], rule="priority")}
    found = compare(instance, [2], ["solve", "greedtok"], vocabularies=mine)
    rows = [row for row in found.rows if row["method"] == "mine"]
    assert [(row["rule"], row["k"], row["seconds"]) for row in rows] == [
        ("priority", 3, None),
        ("shortest_path", 3, None),
    ]
    best = solve(instance.with_k(3)).tokens
    assert all(row["lower_bound"] == best for row in rows)
    # it is not of the candidates: what is proven of them says nothing of it
    narrow = Instance(WORDS, 0, max_length=2)
    found = compare(narrow, [], ["solve"], vocabularies=mine)
    assert {row["method"]: row["lower_bound"] is None for row in found.rows} == {
        "solve": False,
        "mine": True,
    }
    # nor does it tell where to stop looking for more
    found = compare(narrow, [3], ["greedtok"], vocabularies=mine, bound=5)
    best = solve(narrow.with_k(3)).tokens
    assert found.answers[1].method == "mine"
    assert min(row["tokens"] for row in found.rows if row["method"] == "mine") < 0.9 * best
    assert all(
        0.9 * best < row["lower_bound"] <= best for row in found.rows if row["method"] != "mine"
    )
    with pytest.raises(InputError, match="name it otherwise"):
        compare(instance, [2], ["bpe"], vocabularies={"bpe": mine["mine"]})


def test_set_measures():
    found = compare(Instance(WORDS, 0), [3], ["greedtok", "bpe"], unigram_objective=True)
    assert [(s["method"], s["rule"]) for s in found.sets["vocabularies"]] == [
        (row["method"], row["rule"]) for row in found.rows
    ]
    for facts in found.sets["vocabularies"]:
        answer = next(a for a in found.answers if a.method == facts["method"])
        assert facts["whole_words"] == whole_words(WORDS, answer.vocabulary)
        assert facts["whole_word_share"] == facts["whole_words"] / facts["size"]
        assert facts["used_share"] == facts["used"] / facts["size"]
        assert facts["unigram_objective"] < 0
    (pair,) = found.sets["overlap"]
    assert (pair["first"], pair["second"], pair["k"]) == ("greedtok", "bpe", 3)


def test_held_out_words_are_measured_apart():
    rest, held_out = split(WORDS, 0.3, seed=1)
    rules = ("own", "shortest_path", "single_symbols")
    found = compare(Instance(rest, 0), [3], ["greedtok"], rules, held_out=held_out)
    assert len(found.rows) == 3
    for row in found.rows:
        vocabulary = found.answers[0].vocabulary
        assert row["tokens"] == segment(rest, vocabulary, row["rule"]).tokens
        tokens = segment(held_out, vocabulary, row["rule"]).tokens
        assert row["held_out_tokens"] == tokens
        assert row["held_out_tokens_per_word"] == tokens / held_out.total_count
        assert row["held_out_bytes_per_token"] == held_out.total_symbols / tokens
    instance = Instance(rest, 1, protected=["an"])  # they are split as the words trained on are
    for row in compare(instance, [3], ["greedtok"], held_out=held_out).rows:
        vocabulary = compare(instance, [3], ["greedtok"]).answers[0].vocabulary
        apart = held_out.split_at(instance.protected)
        assert row["held_out_tokens"] == segment(apart, vocabulary, row["rule"]).tokens
        assert row["held_out_tokens_per_word"] == row["held_out_tokens"] / apart.total_count
    with pytest.raises(InputError, match="held out are over chars"):
        compare(Instance(rest, 0), [3], held_out=WordCounts.from_counts({"a": 1}, "chars"))


def test_budgets_of_groups_certify_no_ratio():
    methods = ["greedtok", "greedwmc"]
    free = compare(Instance(WORDS, 0), [3], methods).rows
    assert [row["method"] for row in free if "certified_ratio" in row] == ["greedtok"]
    groups = [GroupBudget("long", 1, min_length=3)]
    assert not any(
        "d" in row for row in compare(Instance(WORDS, 0, groups=groups), [3], methods).rows
    )


@pytest.mark.parametrize(
    "method", ["greedtok", "bpe", "wordpiece", "frequent", "bytes", "pathpiece", "solve"]
)
def test_budgets_for_targets(method):
    instance = Instance(WORDS, 0)
    runner = Runner(instance)
    answers = runner.answers(method, [2, 3])
    rules = rules_of(answers[0], ["own", "shortest_path"])
    targets = [6.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5]
    runs = {k: METHODS[method].run(instance.with_k(k)) for k in range(1, 20)}
    found = budgets_for(runner, answers, rules, targets)
    assert len(found) == len(rules) * len(targets)
    for row in found:
        # under longest match a further token may make more of them
        monotone = row["rule"] in ("shortest_path", "priority", "merges")
        assert row["exact"] == (METHODS[method].nested and monotone)
        needed = [
            k
            for k in range(20)
            if (
                WORDS.total_symbols
                if k == 0
                else segment(WORDS, runs[k].vocabulary, row["rule"]).tokens
            )
            / WORDS.total_count
            <= row["target"]
        ]
        if row["exact"]:
            assert row["k"] == min(needed, default=None)
        else:
            assert (row["k"] is None) == (not needed)
            if row["k"]:
                assert row["k"] in needed
                assert row["k"] - 1 not in needed
        if row["k"] is not None:
            assert row["tokens_per_word"] <= row["target"]
    with pytest.raises(InputError, match="target"):
        budgets_for(runner, answers, rules, [0.0])


def test_what_cannot_be_is_said():
    instance = Instance(WORDS, 0)
    with pytest.raises(InputError, match="unknown method 'magic'"):
        compare(instance, [1], ["magic"])
    with pytest.raises(InputError, match="unknown rule 'magic'"):
        compare(instance, [1], rules=["magic"])
    with pytest.raises(InputError, match="no budget"):
        compare(instance, [])
    with pytest.raises(InputError, match="bytes cannot honour required"):
        compare(Instance(WORDS, 1, required=["an"]), [1], ["greedtok", "bytes"])


def cut_short(method, monkeypatch, after, termination="time_limit"):
    """Let a method stop after so many tokens."""
    run = METHODS[method].run

    def less(instance, **options):
        found = run(instance.with_k(min(after, instance.k)), **options)
        if instance.k <= after:
            return found
        return replace(found, k=instance.k, termination=termination)

    monkeypatch.setitem(METHODS, method, replace(METHODS[method], run=less))


def test_what_a_limit_cut_short_certifies_nothing(monkeypatch):
    whole = compare(Instance(WORDS, 0), [2, 6], ["greedtok", "greedwmc"], ["own"])
    assert all("d" in row for row in whole.rows if row["method"] == "greedtok")
    cut_short("greedwmc", monkeypatch, 3)
    found = compare(Instance(WORDS, 0), [2, 6], ["greedtok", "greedwmc"], ["own"])
    rows = {(row["method"], row["k"]): row for row in found.rows}
    assert rows["greedtok", 2]["d"] == whole.rows[0]["d"]
    assert "d" not in rows["greedtok", 6]
    assert "relaxed_cover" not in rows["greedwmc", 6]
    assert rows["greedwmc", 2]["termination"] == "completed"
    assert rows["greedwmc", 6]["termination"] == "time_limit"
    monkeypatch.undo()
    cut_short("greedtok", monkeypatch, 3)
    found = compare(Instance(WORDS, 0), [6], ["greedtok", "greedwmc"], ["own"])
    assert not any("d" in row for row in found.rows)


def test_targets_of_runs_that_were_cut_short(monkeypatch):
    runner = Runner(Instance(WORDS, 0))
    whole = budgets_for(runner, runner.answers("bpe", [2]), ["merges"], [2.5, 1.2])
    assert [row["termination"] for row in whole] == ["completed"] * 2
    cut_short("bpe", monkeypatch, 3)
    found = budgets_for(runner, runner.answers("bpe", [2]), ["merges"], [2.5, 1.2])
    assert found[0] == {**whole[0], "runs": found[0]["runs"]}
    assert (found[1]["k"], found[1]["exact"]) == (None, False)
    assert found[1]["termination"] == "time_limit"
    cut_short("bpe", monkeypatch, 3, "interrupted")
    found = budgets_for(runner, runner.answers("bpe", [2]), ["merges"], [2.5, 1.2, 3.0])
    assert [row["termination"] for row in found] == ["completed", "interrupted", "interrupted"]
    assert [row["k"] for row in found] == [whole[0]["k"], None, None]


def limited(method, monkeypatch, least, most):
    """Let a method refuse other budgets than from `least` to `most`."""
    run = METHODS[method].run

    def some(instance, **options):
        if not least <= instance.k <= most:
            raise InputError(f"k is {instance.k}")
        return run(instance, **options)

    made = replace(METHODS[method], run=some, nested=False)
    monkeypatch.setitem(METHODS, method, made)


def test_a_budget_that_cannot_be_made_takes_nothing_from_the_others(monkeypatch):
    limited("frequent", monkeypatch, 3, 5)
    found = compare(Instance(WORDS, 0), [2, 4], ["greedtok", "frequent"], ["own"])
    rows = {(row["method"], row["k"]): row for row in found.rows}
    assert rows["frequent", 2]["remark"] == "k is 2"
    assert (rows["frequent", 2]["tokens"], rows["frequent", 2]["termination"]) == (None, "error")
    assert rows["frequent", 4]["tokens"] is not None
    assert rows["frequent", 2]["rule"] == rows["frequent", 4]["rule"]
    assert rows["greedtok", 2]["tokens"] is not None
    with pytest.raises(InputError, match=r"k is 1$"):
        compare(Instance(WORDS, 0), [1, 2], ["frequent"])


@pytest.mark.parametrize("start", [1, 4])
def test_targets_within_what_a_method_can_make(monkeypatch, start):
    plain = METHODS["frequent"]
    per_word = {k: plain.run(Instance(WORDS, k)).tokens / WORDS.total_count for k in range(1, 6)}
    limited("frequent", monkeypatch, 2, 5)
    runner = Runner(Instance(WORDS, 0))
    answers = runner.answers("frequent", [start])
    targets = [per_word[2], per_word[4], per_word[5], per_word[5] - 0.01]
    found = budgets_for(runner, answers, ["longest_match"], targets)
    assert [row["k"] for row in found] == [2, 4, 5, None]


def test_refusals_come_before_the_first_run(monkeypatch):
    def never(instance, **options):
        raise AssertionError

    monkeypatch.setitem(METHODS, "greedtok", replace(METHODS["greedtok"], run=never))
    for method in ("bytes", "wordpiece", "unigram_sentencepiece", "sage"):
        with pytest.raises(InputError, match=f"{method} cannot honour required"):
            compare(Instance(WORDS, 1, required=["an"]), [1], ["greedtok", method])
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtra, match="sentencepiece"):
        compare(Instance(WORDS, 1), [1], ["greedtok", "unigram_sentencepiece"])


def test_ctrl_c_in_a_bound_or_a_measure_keeps_the_rows(monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("partcover.trainers.unigram_objective", stopped)
    found = compare(Instance(WORDS, 0), [2], ["greedtok"], unigram_objective=True)
    assert (found.interrupted, len(found.rows)) == (True, 2)
    (whole,) = bounds(Instance(WORDS, 2), [2])
    ended = replace(whole, termination="interrupted")
    monkeypatch.setattr(sys.modules[compare.__module__], "bounds", lambda *_, **__: [ended])
    found = compare(Instance(WORDS, 0), [2], ["greedtok"], bound=1.0)
    assert found.interrupted
    assert {row["lower_bound"] for row in found.rows} == {whole.lower_bound}


def test_a_vocabulary_of_marked_words_is_for_marked_words():
    marked = WORDS.with_suffix("_")
    trained = METHODS["bpe"].run(Instance(WORDS, 4), end_of_word="_")
    vocabulary = trained.recorded(WORDS)
    assert vocabulary.end_of_word == "_"
    assert segment(marked, vocabulary).tokens == trained.tokens
    assert verify(Instance(marked, 4), vocabulary).ok
    for ask in (
        lambda: segment(WORDS, vocabulary),
        lambda: verify(Instance(WORDS, 4), vocabulary),
        lambda: compare(Instance(WORDS, 0), [], vocabularies={"eow": vocabulary}),
        lambda: Encoder(vocabulary, "gpt2"),
    ):
        with pytest.raises(InputError, match="of words that end in '_'"):
            ask()


def _fill(mebibytes):
    return len(bytearray(mebibytes * 2**20))


def _lack():
    raise MissingExtra("thing", "extra", "this")


def _fill_a_child(mebibytes):
    code = f"len(bytearray({mebibytes} * 2**20))"
    subprocess.run([sys.executable, "-c", code], check=True)


def _wait(begun, answers):
    try:
        begun.touch()
        time.sleep(60)
    except KeyboardInterrupt:
        if answers:
            return "stopped"
        raise


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("answers", [True, False])
def test_ctrl_c_reaches_a_process_of_its_own(answers, tmp_path):
    begun = tmp_path / "begun"

    def stop():
        while not begun.exists():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=stop, daemon=True).start()
    if answers:
        assert run_apart(_wait, begun, answers)[0] == "stopped"
    else:
        with pytest.raises(KeyboardInterrupt):
            run_apart(_wait, begun, answers)


def _end():
    os._exit(1)


def test_a_process_that_ends_without_an_answer():
    with pytest.raises(InputError, match="without an answer"):
        run_apart(_end)


def test_memory_is_of_processes_too():
    _, memory = run_apart(_fill_a_child, 300)
    assert 290 * 2**20 < memory < 420 * 2**20


def test_memory_is_of_the_call():
    size, memory = run_apart(_fill, 48)
    assert size == 48 * 2**20
    assert 40 * 2**20 < memory < 80 * 2**20
    with pytest.raises(InputError, match="this needs 'thing'"):
        run_apart(_lack)


# -- the command


@pytest.fixture
def counts(tmp_path):
    WORDS.save(tmp_path / "C.tsv")
    WordCounts.from_counts({"bananas": 2, "sand": 1}).save(tmp_path / "other.tsv")
    (tmp_path / "tokens.txt").write_text("an\n")
    return "C.tsv"


def test_command_json(run, counts):
    status, out, _ = run(
        *("compare", counts, "-k", "2,4", "--methods", "greedtok,bpe,unigram,bytes"),
        *("--rules", "own,shortest_path", "--targets", "3,1.5", "--held-out", "other.tsv"),
        *("--bound", "2", "--json"),
    )
    data = json.loads(out)
    assert status == 0
    assert len(data["rows"]) == 2 * 7
    assert data["held_out"]["total_count"] == 3
    assert all(row["lower_bound"] and row["held_out_tokens"] for row in data["rows"])
    assert len(data["targets"]) == 2 * 7
    assert {pair["k"] for pair in data["sets"]["overlap"]} == {2, 4}
    again = json.loads(run("compare", counts, "-k", "2", "--split", "0.3", "--json")[1])
    assert again["held_out"]["total_count"] == 8
    assert again["total_count"] == 19
    other = run("compare", counts, "-k", "2", "--split", "0.3", "--seed", "7", "--json")[1]
    assert json.loads(other)["corpus_sha256"] != again["corpus_sha256"]


def test_command_formats(run, counts, tmp_path):
    ask = ("compare", counts, "-k", "2", "--methods", "greedtok,frequent", "--targets", "2")
    status, out, _ = run(*ask, "--format", "csv")
    assert status == 0
    lines = out.splitlines()
    assert lines[0].startswith("method,rule,k,size,tokens,tokens_per_word")
    assert len(lines) == 1 + 3
    out = run(*ask, "--format", "markdown")[1]
    assert out.startswith("| method | rule | k |")
    assert "| k needed |" in out
    for name, begin in (("t.csv", "method,"), ("t.md", "| method |"), ("t.json", "{")):
        assert run(*ask, "-o", name, "--quiet")[0] == 0
        assert (tmp_path / name).read_text().startswith(begin)
    assert (tmp_path / "t.targets.csv").read_text().startswith("method,rule,target,k,")
    assert not (tmp_path / "t.overlap.csv").exists()
    assert run(*ask, "--sets", "--unigram-objective", "-o", "s.csv", "--quiet")[0] == 0
    header = (tmp_path / "s.csv").read_text().splitlines()[0]
    assert header.startswith("method,rule,k,size,tokens,")
    assert {"whole_words", "renyi_efficiency", "unigram_objective"} <= set(header.split(","))
    assert (tmp_path / "s.overlap.csv").read_text().startswith("k,first,second,")
    for form in ("markdown", "table"):
        out = run(*ask, "--sets", "--format", form)[1]
        for heading in ("whole words", "Rényi efficiency", "shared/union", "k needed"):
            assert heading in out
    figure = run(*ask, "--plot", "f.svg", "--quiet")
    assert figure[0] == 0
    assert "greedtok (priority)" in (tmp_path / "f.svg").read_text()


def test_command_refuses(run, counts):
    def fails(part, *arguments):
        status, out, error = run("compare", counts, *arguments)
        assert (status, out, error.count("\n")) == (2, "", 1)
        assert part in error

    fails("'magic'", "-k", "2", "--methods", "magic")
    fails("unknown rule", "-k", "2", "--rules", "magic")
    fails("--targets", "-k", "2", "--targets", "1,x")
    fails("use one of them", "-k", "2", "--held-out", "other.tsv", "--split", "0.5")
    fails("none.tsv", "-k", "2", "--held-out", "none.tsv")
    fails("share", "-k", "2", "--split", "2")
    fails("cannot honour required", "-k", "2", "--methods", "frequent", "--required", "tokens.txt")


def test_ctrl_c_in_targets_ends_the_command(run, counts, monkeypatch):
    cut_short("frequent", monkeypatch, 2, "interrupted")
    ask = ("compare", counts, "-k", "2", "--methods", "frequent,bpe", "--targets", "1.2", "--json")
    status, out, _ = run(*ask)
    assert status == 130
    (row,) = json.loads(out)["targets"][:1]
    assert (row["method"], row["k"], row["termination"]) == ("frequent", None, "interrupted")
    assert {row["method"] for row in json.loads(out)["targets"]} == {"frequent"}


def test_no_files_beside_standard_output(run, counts, tmp_path):
    before = set(tmp_path.iterdir())
    ask = ("compare", counts, "-k", "2", "--sets", "--targets", "2", "--format", "csv")
    assert run(*ask, "-o", "-")[0] == 0
    assert set(tmp_path.iterdir()) == before


def test_a_method_that_can_make_nothing_has_no_targets(monkeypatch):
    limited("frequent", monkeypatch, 99, 99)
    runner = Runner(Instance(WORDS, 0))
    found = budgets_for(runner, runner.answers("frequent", [2]), ["shortest_path"], [2.0])
    assert (found[0]["k"], found[0]["termination"]) == (None, "error")


def test_a_limit_is_told(run, counts):
    ask = ("compare", counts, "-k", "4", "--methods", "bpe", "--time-limit", "0")
    status, out, _ = run(*ask)
    assert (status, "ended by" in out, "time_limit" in out) == (0, True, True)
    status, out, _ = run(*ask[:-2])
    assert (status, "ended by" in out) == (0, False)


def test_vocabularies_of_one_name_are_two(run, counts, tmp_path):
    for folder, token in (("a", "an"), ("b", "na")):
        (tmp_path / folder).mkdir()
        Vocabulary([token]).save(tmp_path / folder / "v.json")
    ask = ("compare", counts, "--vocab", "a/v.json", "--vocab", "b/v.json", "--methods", "bytes")
    rows = json.loads(run(*ask, "--json")[1])["rows"]
    assert {row["method"] for row in rows} == {"v", "b/v.json", "bytes"}


def test_required_tokens_leave_bytes_out(run, counts):
    status, out, _ = run("compare", counts, "-k", "2", "--required", "tokens.txt", "--json")
    assert status == 0
    assert {row["method"] for row in json.loads(out)["rows"]} == {"greedtok", "greedwmc"}


def test_command_names_a_missing_extra(run, counts, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    status, out, error = run("compare", counts, "-k", "2", "--methods", "unigram_sentencepiece")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "sentencepiece" in error


def test_an_interrupt_keeps_what_is_there(run, counts, monkeypatch):
    def interrupted(instance, **options):
        raise KeyboardInterrupt

    monkeypatch.setitem(METHODS, "frequent", replace(METHODS["frequent"], run=interrupted))
    methods = "greedtok,frequent,bytes"
    ask = ("compare", counts, "-k", "2", "--methods", methods, "--targets", "2", "--json")
    status, out, _ = run(*ask)
    assert status == 130
    assert {row["method"] for row in json.loads(out)["rows"]} == {"greedtok"}


def test_command_memory(run, counts):
    out = run("compare", counts, "-k", "2", "--methods", "bpe", "--memory", "--json")[1]
    assert all(row["memory"] >= 0 for row in json.loads(out)["rows"])
