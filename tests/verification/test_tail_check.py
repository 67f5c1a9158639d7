"""Certificates of a head: the count of the kernels beside the checker's, and brute force."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles.bounds.certificate import resealed
from oracles.bounds.merge_certificate import fewest_closed
from oracles.brute_force import fewest_tokens, useful
from shared import merge_strategies
from shared.cut_strategies import leaves_with_cuts
from shared.generated import generated_closed
from shared.generated_text import generated_words
from shared.properties import tries
from shared.strategies import HEAD_WORDS, by_head, listed_tokens

from partcover import (
    Certificate,
    Corpora,
    HeadAndTail,
    InputError,
    Instance,
    MergeCondition,
    VerificationError,
    WordCounts,
    check_certificate,
    greedtok,
    improve,
    lower_bound,
    trainers,
    verify,
)
from partcover.bounds.heads import tail_prices, whole_words
from partcover.bounds.heads.whole_words import WholeWords
from partcover.corpus.counting import counts_part
from partcover.problem.certificates.cuts import Cut, PairPrices
from partcover.problem.certificates.nodes import Branch, Charge, Leaf
from partcover.problem.certificates.tail import TailDigest, TailTerm
from partcover.runtime.processes.engines import executor_of
from partcover.verification.recount import recount


def checks(instance, bound):
    """The checker finds what the kernels do."""
    check = check_certificate(instance, bound.certificate)
    assert (check.problems, check.lower_bound) == ((), bound.lower_bound)


def term_of(instance, tolls, sixteenths, class_bits) -> TailTerm:
    """The term of a tail, with its digest."""
    digest = TailDigest(instance.symbols)
    for word, count in instance.tail.tail():
        digest.add(word, count)
    numbers = instance.tail.n, digest.words, digest.total_count, digest.hexdigest()
    return TailTerm(*numbers, tolls, sixteenths, class_bits)


@st.composite
def cases(draw):
    words = WordCounts.from_counts(draw(HEAD_WORDS))
    conditions = draw(listed_tokens())
    fixed = {*conditions["required"], *conditions["protected"]}
    conditions["max_length"] = draw(st.none() | st.integers(2, 4))
    k = len(fixed) + draw(st.integers(0, 2))
    return words, k, draw(st.integers(1, len(words))), conditions


@pytest.mark.long
@tries(100)
@given(cases(), st.sampled_from([1, 2, 3, 1 << 18]), st.booleans())
def test_the_bound_holds_and_is_confirmed(case, most_tried, cuts):
    """Whether all words of the tail say which prices are good, or a sample of them."""
    words, k, n, conditions = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail_prices, "MOST_TRIED", most_tried)
        patch.setattr(whole_words, "MOST_TRIED", most_tried)
        instance = by_head(words, k, n, **conditions)
        bound = lower_bound(instance, iterations=400 if cuts else 64, cuts=cuts)
    checks(instance, bound)
    assert bound.lower_bound <= fewest_tokens(Instance(words, k, **conditions))


@tries(200)
@given(cases(), st.data())
def test_whatever_a_certificate_says_what_it_proves_holds(case, data):
    words, k, n, conditions = case
    instance = by_head(words, k, n, **conditions)
    pool = sorted({word[s:e] for word, _ in words for s in range(6) for e in range(s + 2, 7)})
    pool = [token for token in pool if len(token) > 1]
    leaf = data.draw(leaves_with_cuts(instance.alone, 2))
    tolls = data.draw(st.dictionaries(st.sampled_from(pool or [b"ab"]), st.integers(0, 8)))
    term = term_of(
        instance, tolls, data.draw(st.integers(0, 16)), data.draw(st.sampled_from([1, 3, 12]))
    )
    certificate = Certificate.of(instance, (leaf,), 0, 2, term)
    check = check_certificate(instance, certificate)
    if not tolls.keys().isdisjoint(instance.forbidden):
        assert not check.ok
        tolls = {token: toll for token, toll in tolls.items() if token not in instance.forbidden}
        term = replace(term, token_multipliers=tolls)
        check = check_certificate(instance, replace(certificate, tail=term))
    if check.problems and "which has no reward in the head" in check.problems[0]:
        leaf = replace(leaf, cuts=())
        check = check_certificate(instance, replace(certificate, tree=(leaf,), tail=term))
    assert check.ok, check.problems
    assert check.lower_bound <= fewest_tokens(Instance(words, k, **conditions))


@pytest.mark.long
@tries(200)
@given(cases(), st.data())
def test_whatever_a_certificate_says_of_tokens_that_merges_make_holds(case, data):
    """Any multipliers of the head, also of tokens that only the tail has, and any of the tail."""
    words, k, n, conditions = case
    whole = Instance(words, k, **conditions)
    assume(len(useful(whole)) <= 11)
    merges = data.draw(merge_strategies.conditions(whole))
    instance = by_head(words, k, n, merges=merges, **conditions)
    leaf = data.draw(leaves_with_cuts(instance.alone, 2))
    made = data.draw(merge_strategies.charges(whole, merges, 4))
    dues = data.draw(merge_strategies.dues(instance.alone, 4))
    leaf = replace(leaf, pairs=leaf.pairs + dues, charges=made)
    pool = [token for token in useful(whole) if token not in instance.forbidden]
    tolls = data.draw(st.dictionaries(st.sampled_from(pool), st.integers(0, 8))) if pool else {}
    term = term_of(instance, tolls, data.draw(st.integers(0, 16)), data.draw(st.integers(1, 12)))
    check = check_certificate(instance, Certificate.of(instance, (leaf,), 0, 2, term))
    assert check.ok, check.problems
    assert check.lower_bound <= fewest_closed(whole, merges)


@pytest.mark.long
@tries(60)
@given(st.integers(0, 2**31), st.integers(1, 6))
def test_the_bound_for_tokens_that_merges_make_holds_and_is_confirmed(number, n):
    whole = replace(generated_closed(number), min_count=1, threshold=None)
    assume(len(useful(whole)) <= 11)
    instance = replace(whole, corpus=HeadAndTail.of(whole.words, n))
    bound = lower_bound(instance)
    checks(instance, bound)
    assert bound.lower_bound <= fewest_closed(whole, whole.merges)
    again = lower_bound(instance, start_certificate=bound.certificate, iterations=0)
    checks(instance, again)
    assert again.lower_bound >= bound.lower_bound


def test_multipliers_of_merges_in_the_head_prove_more():
    """A token is only as good as those that make it, whatever the tail has."""
    words = {"abcd": 9, "bcde": 8, "abce": 7, "cdea": 5, "xabcd": 1, "ybcde": 1, "abcz": 1}
    words = WordCounts.from_counts(words)
    pairs = ((b"ab", b"cd"), (b"bc", b"de"), (b"a", b"b"), (b"c", b"d"), (b"b", b"c"), (b"d", b"e"))
    with_merges = by_head(words, 2, 4, merges=MergeCondition(pairs))
    bound, without = lower_bound(with_merges), lower_bound(by_head(words, 2, 4))
    checks(with_merges, bound)
    assert without.lower_bound < bound.lower_bound
    assert bound.lower_bound <= fewest_closed(Instance(words, 2), with_merges.merges)
    (leaf,) = bound.certificate.tree
    assert leaf.charges
    less = replace(bound.certificate, tree=(replace(leaf, charges=()),))
    assert check_certificate(with_merges, less).lower_bound < bound.lower_bound


def test_whole_words_of_the_tail_pay_nothing_where_they_need_no_parts():
    """The tail has the best token of the head as a word, so that its parts are not needed."""
    words = WordCounts.from_counts({"abcx": 9, "yabc": 9, "abc": 1, "z": 1})
    by_rank = by_head(words, 1, 2, merges=MergeCondition(whole_words=True))
    bound = lower_bound(by_rank)
    checks(by_rank, bound)
    assert bound.lower_bound <= 9 * 2 + 9 * 2 + 1 + 1 == fewest_tokens(Instance(words, 1))
    (leaf,) = bound.certificate.tree
    tokens = [charge.token for charge in leaf.charges]
    assert b"abc" not in tokens
    assert b"abcx" not in tokens
    # what pays must not be a word, of the head or of the tail
    term, price = bound.certificate.tail, np.full(8, 2, np.int32)
    for token, problems in (
        (b"abc", ("'abc' is charged, but needs no parts",)),
        (b"bcx", ()),
    ):
        parts = ((token[:2], 9), (token[1:], 9))
        made = Leaf(price, charges=(Charge(token, 9, parts),))
        check = check_certificate(by_rank, Certificate.of(by_rank, (made,), 0, 2, term))
        assert check.problems == problems
    closed = by_head(words, 1, 2, merges=MergeCondition())
    made = Leaf(price, charges=(Charge(b"abc", 9, ((b"ab", 9), (b"bc", 9))),))
    assert check_certificate(closed, Certificate.of(closed, (made,), 0, 2, term)).ok


def test_a_word_of_a_corpus_that_does_not_count_needs_no_parts_either():
    """It is in the tail of a corpus of weight 0, and the best token of the other corpus."""
    tables = {"abcx": 9, "yabc": 9, "z": 1}, {"uv": 9, "vu": 9, "abc": 1}
    corpora = [HeadAndTail.of(WordCounts.from_counts(table), 2) for table in tables]
    instance = Instance(Corpora(corpora, [1, 99]), 1, merges=MergeCondition(whole_words=True))
    assert list(improve(instance).vocabulary) == [b"abc"]
    bound = lower_bound(instance)
    checks(instance, bound)
    (leaf,) = bound.certificate.tree
    charge = Charge(b"abc", 4, ((b"ab", 4), (b"bc", 4)))
    leaf = replace(leaf, charges=(charge,), weights=(1, 0))
    certificate = replace(bound.certificate, tree=(leaf,))
    problems = check_certificate(instance, certificate).problems
    assert problems == ("'abc' is charged, but needs no parts",)


def test_what_needs_a_token_only_to_make_a_word_of_the_tail_does_not_pay():
    """The word abc, which merges make of ab, is in the tail; abcd is made of it."""
    words = WordCounts.from_counts({"abcdx": 9, "yabcd": 9, "abc": 1})
    pairs = ((b"a", b"b"), (b"ab", b"c"), (b"abc", b"d"))
    paid = PairPrices((b"ab",), np.array([0, 6]), np.array([4, 4]))
    prices = np.full(10, 3, np.int32)
    proven = []
    for whole in (False, True):
        merges = MergeCondition(pairs, whole_words=whole)
        conditions = {"merges": merges, "candidates": ["ab", "abc", "abcd"]}
        instance = by_head(words, 2, 2, **conditions)
        leaf = Leaf(prices, pairs=(paid,))
        made = Certificate.of(instance, (leaf,), 0, 2, term_of(instance, {}, 0, 12))
        check = check_certificate(instance, made)
        assert check.ok, check.problems
        assert check.lower_bound <= fewest_closed(Instance(words, 2, **conditions), merges)
        proven.append(check.lower_bound)
    # by hand: 67.5 + 2, less 18 for ab and abcd each; if abc needs no parts, only ab pays
    assert proven == [34, 19]


@pytest.mark.long
def test_the_multipliers_of_a_head_of_all_words_prove_what_they_do_without_a_tail():
    """Tokens of a BPE, which pay for lying over symbols, too, in numbers of many digits."""
    words = generated_words(400)
    bpe = trainers.bpe(Instance(words, 60)).vocabulary
    conditions = {"candidates": list(bpe), "merges": MergeCondition.of(bpe)}
    alone = lower_bound(Instance(words, 30, **conditions), iterations=300)
    for n in (len(words), 100):
        instance = by_head(words, 30, n, **conditions)
        bound = lower_bound(instance, iterations=300)
        checks(instance, bound)
        (leaf,) = bound.certificate.tree
        assert leaf.charges
        assert any(len(tokens) == 1 for tokens in leaf.pair_tokens)
        loss = alone.lower_bound - bound.lower_bound
        assert loss <= (1 if n == len(words) else alone.lower_bound // 10)


def test_a_token_with_a_toll_has_its_worth_in_the_tail_beside_that_in_a_word_of_the_head():
    """Of a word that dominates, one budgeted token may be all that is worth anything."""
    in_tail = {f"ab{last}": 25 for last in "wxyz"}
    instance = by_head(WordCounts.from_counts({**in_tail, "abc": 30}), 1, 1)
    leaf = Leaf(np.array([4, 4, 4], np.int32))
    certificate = Certificate.of(instance, (leaf,), 0, 2, term_of(instance, {b"ab": 2}, 16, 12))
    check = check_certificate(instance, certificate)
    assert check.ok
    # by hand: 90 + 250, less 60 for abc in the head and 50 for ab in the tail
    assert check.lower_bound == 230
    assert fewest_tokens(Instance({"abc": 30, **in_tail}, 1)) == 260


def test_a_cut_is_over_tokens_that_have_a_reward_in_the_head():
    """Of others, which a word of the head dominates, the tail may hold any number."""
    words = WordCounts.from_counts({"abc": 9, "xy": 8, "abx": 1, "bcx": 1})
    instance = by_head(words, 2, 2)
    tokens = [b"ab", b"abc", b"bc"]
    pairs = tuple(
        PairPrices((first, second), np.array([place]), np.array([1]))
        for first, second, place in ((b"ab", b"abc", 0), (b"ab", b"bc", 1), (b"abc", b"bc", 2))
    )
    leaf = Leaf(np.array([1, 1, 1, 1, 0], np.int32), pairs=pairs, cuts=(Cut(tuple(tokens), 40),))
    term = term_of(instance, {}, 0, 12)
    start = Certificate.of(instance, (leaf,), 29, 0, term)
    check = check_certificate(instance, start)
    assert check.problems == ("a cut is over 'ab', which has no reward in the head",)
    for method in (lower_bound, improve):  # of such a start, only what is proven is kept
        checks(instance, method(instance, start_certificate=start, time_limit=0))
    plain = check_certificate(
        instance, Certificate.of(instance, (replace(leaf, cuts=()),), 0, 0, term)
    )
    assert plain.ok


@pytest.mark.long
@tries(60)
@given(st.integers(0, 2**31))
@example(163)  # a word of the head pays, and is among the k that are worth most
def test_what_words_pay_over_themselves_counts(number):
    """Words that overlap in pairs are tokens with cuts, and dominate what is in them."""
    draw = np.random.default_rng(number)
    names = ["abc", "bca", "cab", "xy", "abca", "bcab"]
    names += ["".join(draw.choice(list("abc"), draw.integers(2, 6))) for _ in range(4)]
    words = WordCounts.from_counts({name: 4 * int(draw.integers(1, 9)) for name in names})
    k, n = int(draw.integers(1, 4)), int(draw.integers(3, len(words) + 1))
    instance = by_head(words, k, n)
    bound = lower_bound(instance)
    checks(instance, bound)
    assert bound.lower_bound <= fewest_tokens(Instance(words, k))


def test_tokens_that_only_the_tail_has_get_tolls():
    """The words of the tail have much in common that the head does not show."""
    head = {f"{a}{b}": 900 for a in "abcdef" for b in "abcdef"}
    tail = {f"{a}xyzw{b}xyzwxyz": 9 for a in "abcdefghi" for b in "abcdefghi"}
    words = WordCounts.from_counts({**head, **tail})
    instance = by_head(words, 8, len(head))
    bound = lower_bound(instance)
    checks(instance, bound)
    term = bound.certificate.tail
    assert any(b"xyz" in token for token in term.token_multipliers)
    alone = replace(bound.certificate, tail=replace(term, token_multipliers={}, sixteenths=0))
    assert check_certificate(instance, alone).lower_bound < bound.lower_bound


def test_a_long_word_of_the_head_stands_for_any_token_with_a_toll():
    """What is in it is not looked at: the bound is as low as the check's."""
    head = {"gh" * 150: 900, **{f"{a}{b}": 900 for a in "abcdef" for b in "abcdef"}}
    tail = {f"{a}xyzw{b}xyzwxyz": 9 for a in "abcdefghi" for b in "abcdefghi"}
    instance = by_head(WordCounts.from_counts({**head, **tail}), 8, len(head))
    bound = lower_bound(instance, cuts=False)
    assert any(b"xyz" in token for token in bound.certificate.tail.token_multipliers)
    checks(instance, bound)


@pytest.mark.parametrize("size", [15, 16, 17])
def test_words_of_the_tail_that_cost_about_as_many_tokens_as_tolls_are_for(size):
    head = {f"{a}{b}": 900 for a in "abcdef" for b in "abcdef"}
    tail = {f"{a}xyzw{b}xyzwxyz": 9 for a in "abcdefghi" for b in "abcdefghi"}
    words = WordCounts.from_counts({**head, **tail, "ABCDEFGHIJKLMNOPQ"[:size]: 9})
    instance = by_head(words, 8, len(head))
    bound = lower_bound(instance, cuts=False)
    assert bound.certificate.tail.sixteenths > 0
    checks(instance, bound)


@pytest.mark.long
def test_a_sample_of_a_long_tail_gives_almost_the_bound_of_all(monkeypatch):
    draw = np.random.default_rng(0)
    stems = ["".join(draw.choice(list("abcdef"), 3)) for _ in range(40)]
    rows = draw.zipf(1.4, (6000, 3)) % 40
    distinct = dict.fromkeys("".join(stems[n] for n in row) for row in rows.tolist())
    words = WordCounts.from_counts({word: 1 + 3000 // (1 + i) for i, word in enumerate(distinct)})
    instance = by_head(words, 30, 100)
    by_all = lower_bound(instance, iterations=64)
    for module in (tail_prices, whole_words):
        monkeypatch.setattr(module, "MOST_TRIED", len(words) // 4)
    bound = lower_bound(instance, iterations=64)
    term = replace(by_all.certificate.tail, token_multipliers={}, sixteenths=0)
    without_tolls = check_certificate(instance, replace(by_all.certificate, tail=term)).lower_bound
    assert by_all.lower_bound - bound.lower_bound < (by_all.lower_bound - without_tolls) / 10
    checks(instance, bound)


def test_a_sample_that_is_worth_far_more_than_the_tail_is_not_used():
    """Of one word that is taken for all: sums over it might not fit in 63 bits."""
    short = {a + b: 9 for a in "ghijklmnopqr" for b in "ghijklmnopqr"}
    tail = {**dict(list(short.items())[:72]), "ab" * 100: 9, **dict(list(short.items())[72:])}
    words = WordCounts.from_counts({"abab": 99, **tail})
    split = HeadAndTail.of(words, 1)
    tail = WholeWords(Instance(split, 3), 1).tail
    assert [len(word) for word, _ in split.sample(1)] == [200]
    assert not tail.allows([split.sample(1)])
    assert tail.allows([split.sample(100)])


@pytest.mark.parametrize("symbols", ["bytes", "chars", "ints"])
def test_a_file_holds_all_of_it_and_what_was_changed_is_refused(tmp_path, symbols):
    words = {"that": 9, "hat": 5, "chat": 2, "thät": 1, "what": 1, "hätte": 1}
    turn = {"bytes": str.encode, "chars": str, "ints": lambda word: tuple(map(ord, word))}[symbols]
    counts = WordCounts.from_counts({turn(word): n for word, n in words.items()}, symbols)
    instance = by_head(counts, 1, 3)
    bound = lower_bound(instance)
    path = tmp_path / "P.cert"
    bound.certificate.save(path)
    certificate = Certificate.load(path)
    assert certificate.to_json() == bound.certificate.to_json()
    checks(instance, replace(bound, certificate=certificate))
    fewer = counts.most_frequent(len(counts) - 1)
    double = counts.subset((word, n if n > 1 else 2) for word, n in counts)
    for other, n, problem in (
        (fewer, 3, "a tail of other words"),
        (double, 3, "a tail of other words"),
        (counts, 2, "other words"),
    ):
        assert problem in check_certificate(by_head(other, 1, n), certificate).problems[0]
    assert not check_certificate(instance.with_k(2), certificate).ok
    head, all_words = instance.alone, Instance(counts, 1)
    for about in (head, all_words):
        check = check_certificate(about, certificate)
        assert check.problems == (
            "the certificate is about a head and a tail, but the instance has all words",
        )
    plain = check_certificate(instance, lower_bound(all_words).certificate)
    assert plain.problems == (
        "the certificate is about all words, but the instance has a head and a tail",
    )
    for change in ({"words": 1}, {"total_count": 1}, {"sha256": "0" * 64}):
        other = replace(certificate, tail=replace(certificate.tail, **change))
        assert "a tail of other words" in check_certificate(instance, other).problems[0]
    more = replace(certificate, lower_bound=bound.lower_bound + 1)
    assert "claimed" in check_certificate(instance, more).problems[0]
    data = json.loads(path.read_text())
    data["tail"]["sixteenths"] = (data["tail"]["sixteenths"] + 1) % 16
    path.write_text(json.dumps(data))
    with pytest.raises(VerificationError, match="checksum"):
        Certificate.load(path)
    del data["tail"]["token_multipliers"]
    with pytest.raises(InputError, match="'tail' is not valid"):
        Certificate.from_json(resealed(data))


def test_a_certificate_of_a_head_is_one_leaf_of_prices():
    instance = by_head(WordCounts.from_counts({"that": 9, "hat": 5, "what": 2}), 1, 1)
    certificate = lower_bound(instance, time_limit=0).certificate
    (leaf,) = certificate.tree
    at = np.array([1])
    for tree, message in (
        ((Branch(b"hat"), leaf, leaf), "a head and a tail must have a single leaf"),
        ((Leaf(None),), "the leaf of a head must have prices"),
        ((replace(leaf, orders=(PairPrices((b"h", b"at"), at, at),)),), "merges in order"),
    ):
        with pytest.raises(InputError, match=message):
            replace(certificate, tree=tree)
    data = certificate.to_json()
    data["tail"]["token_multipliers"] = 2 * [["hat", 1]]
    with pytest.raises(InputError, match="a token has two multipliers in the tail"):
        Certificate.from_json(resealed(data))
    words = {"that": 2**30, "hat": 2**29, "what": 2**28, "that's": 2**28, "hatte": 2**28}
    many = by_head(WordCounts.from_counts(words), 1, 1)
    certificate = lower_bound(many, time_limit=0).certificate
    check = check_certificate(many, replace(certificate, scale_bits=52))
    assert check.problems == ("the tokens of a class are worth more than 63 bits hold",)


@tries(40)
@given(HEAD_WORDS, st.integers(1, 6))
def test_words_of_a_file_are_split_as_those_in_memory(tmp_path_factory, words, n):
    counts = WordCounts.from_counts(words)
    path = tmp_path_factory.mktemp("counts") / "C.tsv"
    counts.save(path)
    for split in (HeadAndTail.of(counts, n), HeadAndTail.load(path, n)):
        head, tail = split.head.to_dict(), dict(split.tail())
        assert {**head, **tail} == counts.to_dict()
        assert len(head) == min(n, len(counts))
        assert min(head.values()) >= max(tail.values(), default=0)
        assert split.total_count == counts.total_count


def test_long_words_of_the_tail_are_one_token_at_least():
    words = WordCounts.from_counts({"ab" * 5: 9, "ab" * 200: 1, "ba" * 128: 1})
    instance = by_head(words, 2, 1)
    checks(instance, lower_bound(instance))


@pytest.mark.long
@pytest.mark.filterwarnings("default")  # an error would end the thread of Dask's client
def test_workers_of_dask_count_the_same_integers(tmp_path, monkeypatch, scheduler):
    """Bound, certificate, check and tokens of generated words, as on one machine."""
    monkeypatch.setattr(counts_part, "PART", 700)
    path = tmp_path / "C.tsv"
    with executor_of(f"dask://{scheduler[1]}", 2) as executor:
        draw = np.random.default_rng(1)
        stems = [bytes(draw.integers(97, 106, 4).tolist()) for _ in range(60)]
        rows = enumerate(draw.zipf(1.3, (2000, 3)) % 60)
        words = {b"".join(stems[n] for n in row): 1 + 9000 // (1 + i) for i, row in rows}
        counts = WordCounts.from_counts(words)
        counts.save(path)
        split = HeadAndTail.load(path, 400, executor=executor, scratch=tmp_path)
        here = lower_bound(by_head(counts, 50, 400), iterations=16)
        there = lower_bound(Instance(split, 50), iterations=16)
        assert there.certificate.to_json() == here.certificate.to_json()
        checks(Instance(split, 50), there)
        vocabulary = greedtok(Instance(counts, 50)).vocabulary
        tokens = verify(Instance(counts, 50), vocabulary).tokens
        assert recount(Instance(split, 50), vocabulary)[0] == tokens


def test_counts_that_63_bits_cannot_sum_are_refused(tmp_path):
    words = {"that": 2**50, "hat": 2**49, "ab" * 100: 2**45}
    with pytest.raises(InputError, match="scale the counts down"):
        lower_bound(by_head(WordCounts.from_counts(words), 1, 1))
    large = WordCounts.from_counts({"that": 2**50, "hat": 2**49, "chat": 2**48, "what": 1})
    instance = by_head(large, 1, 2)
    bound = lower_bound(instance)
    checks(instance, bound)
    assert bound.lower_bound <= fewest_tokens(Instance(large, 1))


def test_the_example_with_merges_by_hand():
    instance = by_head(WordCounts.from_counts({"abc": 3, "abd": 1}), 1, 1, merges=MergeCondition())
    charge, more = (Charge(b"abc", n, ((b"ab", n), (b"bc", n))) for n in (1, 3))
    paid = (merge_strategies.due(b"abc", {0: 1}),)  # abc pays itself
    for charges, pairs, proven in (
        ((charge,), (), 6),
        ((more,), (), 5),
        ((), paid, 5),
        ((), (), 5),
    ):
        leaf = Leaf(np.ones(3, np.int32), pairs=pairs, charges=charges)
        certificate = Certificate.of(instance, (leaf,), proven, 0, term_of(instance, {}, 0, 12))
        check = check_certificate(instance, certificate)
        assert (check.problems, check.lower_bound) == ((), proven)
    less = replace(leaf, charges=(replace(charge, parts=((b"ab", 1),)),))
    check = check_certificate(instance, replace(certificate, tree=(less,)))
    assert check.problems == ("'abc' pays 1, and 'bc', which make it, receive 0",)
