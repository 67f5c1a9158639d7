"""inspect: uses, gains, parts and the audit against their definitions written out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import segmentation as oracle
from oracles.greedy import priority, shortest_path

from partcover import Vocabulary, WordCounts, segment
from partcover.analysis import token_gains as module
from partcover.analysis.token_gains import anatomy, audit, difference, gains

words_st = st.dictionaries(
    st.text("ab", min_size=1, max_size=10) | st.text("abcé", min_size=1, max_size=7),
    st.integers(1, 9),
    min_size=1,
    max_size=6,
)
odd_token = st.lists(
    st.sampled_from(["a", "b", "é", "日", "\udce6", "\udc97", "\udcc3"]), min_size=1, max_size=8
)
odd_token = odd_token.map(lambda parts: "".join(parts).encode("utf-8", "surrogateescape"))
odd_token = odd_token.filter(lambda token: len(token) > 1)
tokens_st = st.lists(
    st.text("ab", min_size=2, max_size=5) | st.text("abcé", min_size=2, max_size=4),
    unique=True,
    max_size=8,
)
TURN = {"bytes": str.encode, "chars": str, "ints": lambda w: tuple(ord(c) * 2**33 for c in w)}


def needed(words, tokens, cut=shortest_path):
    return sum(count * len(cut(word, tokens)) for word, count in words.items())


@settings(max_examples=200, deadline=None)
@pytest.mark.parametrize("kind", TURN)
@given(words=words_st, tokens=tokens_st, others=tokens_st, threads=st.integers(1, 2))
def test_gains_are_what_leaving_out_and_adding_one_changes(kind, words, tokens, others, threads):
    words = {TURN[kind](word): count for word, count in words.items()}
    others = [TURN[kind](token) for token in others if token not in tokens]
    tokens = [TURN[kind](token) for token in tokens]
    all_tokens = needed(words, tokens)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SLICE", 7)  # several lots
        losses, more = gains(WordCounts.from_counts(words, kind), tokens, others, threads=threads)
    assert losses.tolist() == [
        needed(words, [t for t in tokens if t != left]) - all_tokens for left in tokens
    ]
    assert more.tolist() == [all_tokens - needed(words, [*tokens, new]) for new in others]


@settings(max_examples=200, deadline=None)
@given(words=words_st, tokens=tokens_st, rule=st.sampled_from(["shortest_path", "priority"]))
def test_uses_are_counted_under_the_rule(words, tokens, rule):
    words = {word.encode(): count for word, count in words.items()}
    vocabulary = Vocabulary(tokens, rule=rule)
    found = anatomy(vocabulary, WordCounts.from_counts(words))
    cut = {"shortest_path": shortest_path, "priority": priority}[rule]
    pieces = {word: cut(word, vocabulary.tokens) for word in words}
    assert found.uses.tolist() == [
        sum(count * pieces[word].count(token) for word, count in words.items())
        for token in vocabulary.tokens
    ]
    assert found.tokens == needed(words, vocabulary.tokens, cut)
    assert found.tokens == found.single_symbols + found.uses.sum()
    assert found.whole_words.tolist() == [token in words for token in vocabulary.tokens]
    rows = found.to_json()["vocabulary"]
    assert [row["uses"] for row in rows] == found.uses.tolist()
    assert [row["occurrences"] for row in rows] == [
        sum(c * sum(w.startswith(token, i) for i in range(len(w))) for w, c in words.items())
        for token in vocabulary.tokens
    ]
    assert sum(row["uses"] for row in found.by_length()) == found.uses.sum()


def test_uses_beyond_what_floats_hold():
    words = WordCounts.from_counts({"ab": 2**53 + 1, "abx": 1})
    assert anatomy(Vocabulary(["ab"]), words).uses.tolist() == [2**53 + 2]


def test_characters_cut_and_lengths():
    found = anatomy(Vocabulary(["é", b"\xc3\xa9a", b"\xa9a", b"a\xc3", "ab"]))
    assert found.cuts_character.tolist() == [False, False, True, True, False]
    assert found.by_length() == [{"length": 2, "tokens": 4}, {"length": 3, "tokens": 1}]
    assert not anatomy(Vocabulary(["éa"], "chars")).cuts_character.any()


def test_parts_of_merges():
    pairs = [("a", "b"), ("ab", "c"), ("c", "d")]
    vocabulary = Vocabulary(["ab", "abc", "cd"], rule="merges", merges=pairs)
    assert anatomy(vocabulary).parts.tolist() == [True, False, False]
    # without pairs: what a token is merged from by those before it
    vocabulary = Vocabulary(["ab", "abc", "cd", "bcd", "abab"], rule="merges")
    assert anatomy(vocabulary).parts.tolist() == [True, False, True, False, False]
    # the long one first: its symbols merge into it by those that come later
    vocabulary = Vocabulary(["abcd", "ab", "cd", "bc"], rule="merges")
    assert anatomy(vocabulary).parts.tolist() == [False, True, True, False]


def last_parts(pieces, tokens):
    while len(pieces) > 2:
        possible = oracle.possible_merges(pieces, tokens, None)
        if not possible:
            break
        pieces = oracle.merged(pieces, possible[0][1])
    return pieces


@settings(max_examples=200, deadline=None)
@given(tokens=st.lists(odd_token, unique=True, max_size=9))
@example(tokens=["日".encode(), "日a".encode(), "é".encode(), b"a\xc3", b"aaa\xc3", b"aa"])
def test_parts_of_merges_are_those_just_before_the_whole(tokens):
    def characters(token):
        text = token.decode("utf-8", "surrogateescape")
        return tuple(c.encode("utf-8", "surrogateescape") for c in text)

    bytes_of = [tuple(oracle.split(token)) for token in tokens]
    texts = [characters(token) if oracle.is_text(token) else () for token in tokens]
    texts = [parts if len(parts) > 1 else () for parts in texts]
    for rule, pieces in (("merges", bytes_of), ("character_merges", texts), ("priority", [])):
        expected = {part for parts in pieces for part in last_parts(parts, tokens)}
        vocabulary = Vocabulary(tokens, rule=rule)
        found = anatomy(vocabulary).parts
        assert found.tolist() == [token in expected for token in tokens]
        assert (
            anatomy(vocabulary.with_(rule="shortest_path"), rule=rule).parts.tolist()
            == found.tolist()
        )


def test_parts_of_pairs():
    pairs = [("a", "b"), ("b", "c"), ("a", "bc"), ("日", "b")]
    for rule, expected in (
        ("merges", [0, 1, 0]),
        ("character_merges", [0, 1, 0]),
        ("priority", [0, 0, 0]),
    ):
        vocabulary = Vocabulary(["ab", "bc", "abc"], "chars", rule=rule, merges=pairs[:3])
        assert anatomy(vocabulary).parts.tolist() == expected


def reference_audit(words, tokens, most):
    pieces = {word: len(shortest_path(word, tokens)) for word in words}
    saves = sorted((-count * (pieces[w] - 1), w) for w, count in words.items() if pieces[w] > 1)
    all_tokens = needed(words, tokens)
    losses = sorted(needed(words, [t for t in tokens if t != left]) - all_tokens for left in tokens)
    listed = []
    for (less, word), loss in zip(saves, losses, strict=False):
        if -less <= loss:
            break
        gain = all_tokens - needed(words, [*tokens, word])
        listed.append((word, words[word], pieces[word], -less, gain))
    return len(listed), listed[:most]


@settings(max_examples=300, deadline=None)
@given(words=words_st, tokens=tokens_st, most=st.integers(0, 4))
def test_audit_is_its_criterion(words, tokens, most):
    vocabulary = Vocabulary(tokens, "chars")
    found = audit(vocabulary, WordCounts.from_counts(words, "chars"), most=most)
    total, listed = reference_audit(words, vocabulary.tokens, most)
    assert found.total == total
    assert [(m.word, m.count, m.pieces, m.saves, m.gain) for m in found.missing] == listed
    assert found.tokens == needed(words, vocabulary.tokens)


def test_of_words_that_save_the_same_the_smaller_is_listed():
    words = WordCounts.from_counts({"cd": 1, "ab": 1, "ef": 1})
    found = audit(Vocabulary(["xx", "yy", "zz"]), words, most=1)
    assert (found.total, [m.word for m in found.missing]) == (3, [b"ab"])


def test_audit_finds_the_word_that_an_overflow_lost():
    counts = {" the": 5000, " of": 3000, " then": 40, " xy": 3, " often": 2}
    words = WordCounts.from_counts(counts)
    found = audit(Vocabulary([" of", " then", "xy"]), words)
    first = found.missing[0]
    assert (first.word, first.pieces, first.saves, first.gain) == (b" the", 4, 15000, 15000)
    assert found.total == 1  # " often" would save less than the weakest token gains
    assert audit(Vocabulary([" of", " then", " the"]), words).total == 0


def test_difference():
    words = WordCounts.from_counts({"abab": 3, "cd": 2})
    here = anatomy(Vocabulary(["ab", "abab", "cd"]), words)
    there = anatomy(Vocabulary(["ba", "cd", "ab"], rule="priority"), words)
    found = difference(here, there)
    assert (found.shared, found.only_here, found.only_there) == (2, ((b"abab", 3),), ((b"ba", 3),))
    assert (found.tokens_here, found.tokens_there) == (5, 11)
    sizes = difference(anatomy(Vocabulary(["ab"])), anatomy(Vocabulary(["ab", "cd"])))
    assert (sizes.only_there, sizes.tokens_here) == (((b"cd", None),), None)


def test_command(run, tmp_path):
    WordCounts.from_counts({" the": 9, " they": 3, "é": 2, "x": 1}).save(tmp_path / "C.tsv")
    Vocabulary([" th", "ey", b"\xc3\xa9"], "bytes", "m").save(tmp_path / "V.json")
    Vocabulary([" the", "ey"]).save(tmp_path / "W.json")
    arguments = ("inspect", "V.json", "C.tsv", "--audit", "--diff", "W.json")
    status, out, err = run(*arguments, "--json", "-o", "I.json")
    assert (status, err) == (0, "partcover: wrote I.json\n")
    data = json.loads(out)
    assert json.loads((tmp_path / "I.json").read_text()) == data
    assert (data["tokens"], data["never_used"], data["size"]) == (9 * 2 + 3 * 2 + 2 + 1, 0, 3)
    assert [row["gain"] for row in data["vocabulary"]] == [24, 3, 2]
    assert data["audit"]["missing"][0]["word"] == " the"
    assert data["diff"]["only_there"] == [{"token": " the", "uses": 12}]
    status, out, _ = run(*arguments, "--sort", "gain", "--top", "2")
    assert status == 0
    for text in ("␣the", "tokens needed there", "would save", "only here"):
        assert text in out
    status, out, _ = run("inspect", "V.json", "--json", "--no-vocabulary")
    assert status == 0
    assert set(json.loads(out)) == {
        "method", "rule", "symbols", "size", "special", "cut_characters", "by_length",
        "pretokenizer",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["V.json", "--audit"], "--audit needs a corpus"),
        (["V.json", "--sort", "uses"], "--sort uses needs a corpus"),
        (["V.json", "C.tsv", "--no-gains", "--sort", "gain"], "exclude each other"),
        (["V.json", "C.tsv", "--no-gains", "--only", "absent"], "exclude each other"),
        (["V.json", "--only", "unused"], "--only unused needs a corpus"),
        (["V.json", "none.tsv"], "none.tsv: cannot be read"),
        (["none.json"], "none.json: cannot be read"),
        (["V.json", "C.tsv", "--diff", "W.json"], "W.json: over chars, V.json is over bytes"),
        (["V.json", "I.json"], "I.json: words over chars"),
    ],
)
def test_mistakes(run, tmp_path, arguments, message):
    from partcover import Instance

    words = WordCounts.from_counts({"ab": 1})
    words.save(tmp_path / "C.tsv")
    Instance(WordCounts.from_counts({"ab": 1}, "chars"), 1).save(tmp_path / "I.json")
    Vocabulary(["ab"]).save(tmp_path / "V.json")
    Vocabulary(["ab"], "chars").save(tmp_path / "W.json")
    status, out, err = run("inspect", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("only", "shown"),
    [
        ("unused", {"abc", "xyz", "bcd"}),
        ("absent", {"xyz"}),
        ("parts", {"abc"}),
        ("words", {"abcd"}),
        ("cut", {"\\xC3z"}),
    ],
)
def test_some_tokens_alone(run, tmp_path, only, shown):
    WordCounts.from_counts({"abcd": 3, b"\xc3z": 1, "ab": 1, "q": 1}).save(tmp_path / "C.tsv")
    tokens = ["ab", "abc", "abcd", "bcd", b"\xc3z", "xyz"]
    Vocabulary(tokens, rule="merges").save(tmp_path / "V.json")
    status, out, _ = run("inspect", "V.json", "C.tsv", "--only", only)
    rows = [line.split() for line in out.partition("cuts a character")[2].splitlines()[2:]]
    listed = {row[1] for row in rows if row}
    assert status == 0
    assert shown <= listed
    assert not (only in ("absent", "parts", "cut") and listed - shown)


def test_threads_and_order_of_words_change_nothing():
    generator = np.random.default_rng(5)
    words = {
        bytes(generator.integers(97, 101, size)): int(generator.integers(1, 50))
        for size in generator.integers(1, 12, 200).tolist()
    }
    tokens = sorted({word[:3] for word in words if len(word) > 2})
    vocabulary = Vocabulary(tokens)
    one = WordCounts.from_counts(words)
    other = WordCounts.from_counts(sorted(words.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SLICE", 100)
        first = anatomy(vocabulary, one).to_json(), audit(vocabulary, one).to_json()
        again = (
            anatomy(vocabulary, other, threads=2).to_json(),
            audit(vocabulary, other, threads=2).to_json(),
        )
    assert first == again
    assert first[0]["tokens"] == segment(one, vocabulary).tokens
