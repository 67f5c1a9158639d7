"""Bounds and vocabularies for the worst of several corpora."""

from __future__ import annotations

import importlib
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles.bounds.corpora import ratios, smallest_worst, smallest_worst_closed
from oracles.brute_force import useful
from shared.generated import generated_corpora
from shared.properties import tries
from shared.strategies import random_instance

from partcover import (
    Certificate,
    Corpora,
    HeadAndTail,
    InputError,
    Instance,
    MergeCondition,
    Progress,
    VerificationError,
    Vocabulary,
    WordCounts,
    check_certificate,
    greedtok,
    improve,
    lower_bound,
    reference_counts,
    solve,
    verify,
)
from partcover.analysis.by_corpus import tokens_by_corpus
from partcover.bounds.branch_and_cut import branch_and_cut
from partcover.bounds.weighted_rounds import round_seconds
from partcover.heuristics.corpora_exchange import ExchangeSearch
from partcover.problem.certificates.checksum import digest
from partcover.problem.certificates.nodes import Leaf
from partcover.runtime.limits import Deadline


def three(k: int = 10) -> Instance:
    corpora = [random_instance(seed, 1).words.most_frequent(25) for seed in (1, 2, 3)]
    return Instance(Corpora(corpora, reference_counts(corpora, "own", k), ["x", "y", "z"]), k)


def checks(instance: Instance, solution) -> None:
    """The numbers of a solution are those of slow recounts."""
    assert [corpus.ratio for corpus in solution.corpora] == ratios(instance, solution.vocabulary)
    recount = verify(instance, solution.vocabulary, claim=solution)
    assert (recount.problems, recount.worst) == ((), solution.worst)


@pytest.mark.long
def test_weights_close_the_gap_of_real_words():
    instance = three()
    equal = greedtok(instance)
    found = improve(instance)
    checks(instance, found)
    assert found.gap < 0.08
    assert found.lower_bound <= found.worst <= equal.worst
    bound = lower_bound(instance, incumbent=equal.worst)
    assert bound.incumbent == equal.worst
    assert bound.lower_bound == pytest.approx(found.lower_bound, rel=0.01)
    again = improve(instance, warm_start=found.vocabulary, gap=0.5)
    assert (again.worst <= found.worst, again.extra["rounds"]) == (True, 1)


@pytest.mark.long
def test_exchanges_from_elsewhere_find_what_single_ones_do_not():
    corpora = [random_instance(seed, 1).words.most_frequent(6) for seed in (1, 2, 3)]
    instance = Instance(Corpora(corpora, [words.total_symbols for words in corpora]), 8)
    greedy = greedtok(instance).vocabulary
    worst = []
    for kicks in (0, 12):
        tokens = ExchangeSearch(instance, Deadline()).run(list(greedy), [], kicks=kicks)
        worst.append(max(ratios(instance, tokens)))
    assert worst[1] < worst[0]
    assert improve(instance).worst == worst[1]


def test_incumbents_that_meet_a_start_or_are_too_small():
    instance = Instance(
        Corpora([WordCounts.from_counts(w) for w in ({"abab": 2}, {"abb": 1})], [8, 3]), 1
    )
    proof = solve(instance).certificate
    bound = lower_bound(instance, incumbent=proof.lower_bound, start_certificate=proof)
    assert (bound.lower_bound, bound.gap) == (proof.lower_bound, 0)
    with pytest.raises(InputError, match="given as enough"):
        lower_bound(instance, incumbent=proof.lower_bound / 2)


@pytest.mark.long
def test_threads_change_nothing():
    instance = three(4)
    one, two = (improve(instance, threads=threads) for threads in (1, 2))
    assert one.vocabulary == two.vocabulary
    assert one.certificate.to_json() == two.certificate.to_json()


def test_a_time_limit_of_nothing_has_an_answer():
    instance = three()
    for run in (greedtok, improve):
        solution = run(instance, time_limit=0)
        assert solution.termination == "time_limit"
        checks(instance, solution)


@pytest.mark.long
@pytest.mark.parametrize("method", [greedtok, improve, lower_bound])
def test_ctrl_c_keeps_the_best(method):
    class Interrupting(Progress):
        def advance(self, done, total, remark=""):
            if done == 2:
                raise KeyboardInterrupt

    instance = three(4)
    solution = method(instance, progress=Interrupting())
    assert solution.termination == "interrupted"
    if method is lower_bound:
        assert (solution.status, solution.rounds) == ("none", 2)
    else:
        assert solution.extra["rounds"] == 2
        checks(instance, solution)
    if method is not greedtok:
        assert check_certificate(instance, solution.certificate).ok


@pytest.mark.long
@tries(60)
@given(st.integers(0, 2**31))
def test_no_weights_prove_too_much(number):
    """Whatever weights a certificate has, 0 included, its bound is at most the optimum."""
    draw = random.Random(number)
    corpora = []
    for _ in range(draw.choice([2, 2, 3])):
        words = ["".join(draw.choices("ab", k=draw.randint(1, 5))) for _ in range(2)]
        corpora.append(WordCounts.from_counts({word: draw.randint(1, 9) for word in words}))
    most = draw.choice([2, 20])
    references = [draw.randint(1, most) for _ in corpora]
    instance = Instance(Corpora(corpora, references), draw.randint(0, 2))
    weights = [draw.choice([0, 1, draw.randint(1, 9), 10**9]) for _ in corpora]
    weights[draw.randrange(len(corpora))] = draw.choice([1, 10**9])
    certificate = lower_bound(instance).certificate
    (leaf,) = certificate.tree
    tree = (replace(leaf, weights=tuple(weights)),)
    check = check_certificate(instance, replace(certificate, tree=tree, lower_bound=Fraction(0)))
    assert check.problems == ()
    assert check.lower_bound <= smallest_worst(instance)


@pytest.mark.long
def test_checkpoints_are_valid():
    instance, kept = three(4), []

    def keep(solution):
        kept.append(solution)
        raise OSError("no room")

    found = improve(instance, checkpoint=keep)
    assert kept[0].worst >= found.worst
    assert kept[0].certificate is None  # the first one is there before any bound
    for solution in kept:
        checks(instance, solution)
        if solution.certificate is not None:
            assert check_certificate(instance, solution.certificate).ok


@pytest.mark.long
def test_a_start_is_never_lost():
    instance = three(4)
    first = improve(instance)
    again = improve(
        instance, warm_start=first.vocabulary, start_certificate=first.certificate, time_limit=0
    )
    assert again.worst <= first.worst
    assert again.lower_bound >= first.lower_bound
    assert check_certificate(instance, again.certificate).ok
    # a proof alone, whose weights may be 0
    (leaf,) = first.certificate.tree
    proof = replace(first.certificate, tree=(replace(leaf, weights=(1, 0, 2)),))
    proof = replace(proof, lower_bound=check_certificate(instance, proof).lower_bound)
    found = improve(instance, start_certificate=proof)
    assert found.lower_bound >= proof.lower_bound
    checks(instance, found)
    corpora = instance.corpora
    other = Instance(Corpora(corpora.words, (1, *corpora.references[1:])), 4)
    with pytest.raises(VerificationError, match="about other corpora, references"):
        improve(other, start_certificate=proof)
    false = replace(proof, lower_bound=proof.lower_bound + 1)
    with pytest.raises(VerificationError, match="claimed"):
        improve(instance, start_certificate=false)


@pytest.mark.parametrize("weights", [(10**400, 1), (1, 10**400), (0, 10**400)])
def test_weights_of_a_start_may_be_of_any_size(weights):
    words = [WordCounts.from_counts(w) for w in ({}, {"abab": 2, "cabab": 1})]
    for parts in (words, words[::-1], words[1:] * 2):
        instance = Instance(Corpora(parts, [1, 2]), 1)
        proof = Certificate.of(instance, (Leaf(None, weights=weights),), 0)
        bound = lower_bound(instance, start_certificate=proof, time_limit=0)
        check = check_certificate(instance, bound.certificate)
        assert (check.problems, check.lower_bound) == ((), bound.lower_bound)


def interrupt(monkeypatch, name: str, number: int) -> None:
    """Lets the call of this number be interrupted, of a function in greedy rounds."""
    module = importlib.import_module("partcover.heuristics.corpora_greedy")
    called, calls = getattr(module, name), []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == number:
            raise KeyboardInterrupt
        return called(*arguments, **options)

    monkeypatch.setattr(module, name, interrupted)


@pytest.mark.parametrize("method", [improve, solve])
@pytest.mark.parametrize("name", ["lazy_greedy", "tokens_by_corpus"])
def test_ctrl_c_in_the_first_rounds_keeps_the_best(monkeypatch, name, method):
    """Whatever it meets, once there is a vocabulary, also where there is no certificate yet."""
    interrupt(monkeypatch, name, 3)
    instance = three(4)
    solution = method(instance)
    assert solution.termination == "interrupted"
    checks(instance, solution)


def test_ctrl_c_before_there_is_a_vocabulary(monkeypatch):
    """Only `solve` then has one, without any token."""
    instance = three(4)
    interrupt(monkeypatch, "lazy_greedy", 1)
    with pytest.raises(KeyboardInterrupt):
        greedtok(instance)
    interrupt(monkeypatch, "lazy_greedy", 1)
    solution = solve(instance)
    assert (solution.termination, len(solution.vocabulary)) == ("interrupted", 0)
    checks(instance, solution)
    assert check_certificate(instance, solution.certificate).lower_bound == solution.lower_bound


def test_ctrl_c_within_a_round_ends_the_rounds(monkeypatch):
    module = importlib.import_module("partcover.heuristics.corpora_greedy")
    called = module.lazy_greedy
    monkeypatch.setattr(
        module, "lazy_greedy", lambda *given, **use: replace(called(*given, **use),
                                                             termination="interrupted")
    )  # fmt: skip
    solution = greedtok(three(4))
    assert (solution.termination, solution.extra["rounds"]) == ("interrupted", 1)


def test_branch_and_cut_begins_anew_where_a_certificate_is_for_another_k():
    instance = three(2)
    start = lower_bound(instance.with_k(1), time_limit=0).certificate
    solution = branch_and_cut(instance, start_certificate=start, time_limit=0)
    check = check_certificate(instance, solution.certificate)
    assert (check.ok, check.lower_bound) == (True, solution.lower_bound)


@pytest.mark.long
def test_rounds_share_the_time(monkeypatch):
    """Each has two thirds of what is left, a tenth of the time is for exchanges."""
    left, given = 60.0, []
    for rounds in (6, 5, 4, 3, 2, 1):
        given.append(round_seconds(left, rounds))
        left -= given[-1]
    assert given[:2] == [40.0, pytest.approx(40 / 3)]
    assert sum(given) == pytest.approx(60)
    assert left == pytest.approx(0)
    assert round_seconds(None, 6) is None
    # and so do those that are made, here in no time
    module = importlib.import_module("partcover.bounds.improve")
    called, limits = improve, []

    def noted(*arguments, time_limit, **options):
        limits.append(time_limit)
        return called(*arguments, time_limit=0.1, **options)

    monkeypatch.setattr(module, "improve", noted)
    called(three(4), time_limit=6000)
    assert limits
    assert all(3500 < limit <= 3600 for limit in limits[:5])
    assert all(5250 < limit <= 5400 for limit in limits[5:])


def test_large_counts_do_not_overflow():
    """References and counts far apart, and sums next to what prices can count."""
    small = WordCounts.from_counts({"abab": 1, "cd": 3})
    large = WordCounts.from_counts({"abcab": 10**14, "xyxy": 3})
    instance = Instance(Corpora([small, large], [10**15, 1]), 2)
    solution = improve(instance)
    checks(instance, solution)
    assert check_certificate(instance, solution.certificate).ok
    assert solution.lower_bound <= smallest_worst(instance) == solution.worst
    with pytest.raises(InputError, match="too large to multiply by"):
        improve(Instance(Corpora([small, WordCounts.from_counts({"ab": 2**60})], [1, 1]), 2))
    with pytest.raises(InputError, match=r"at most 2\^62 are possible"):
        instance.weighted([2**40, 2**40])


@pytest.mark.long
def test_certificates_are_about_one_instance(tmp_path):
    instance = three(5)
    certificate = lower_bound(instance).certificate
    certificate.save(tmp_path / "P.cert")
    loaded = Certificate.load(tmp_path / "P.cert")
    assert loaded.to_json() == certificate.to_json()
    assert check_certificate(instance, loaded).ok

    def problem(other, changed=loaded):
        check = check_certificate(other, changed)
        assert not check.ok
        return check.problems[0]

    x, y, z = instance.corpora.words
    r = instance.corpora.references
    assert "other words" in problem(Instance(Corpora([x, y], r[:2]), 5))
    assert "other corpora" in problem(Instance(Corpora([y, x, z], r), 5))
    assert "references" in problem(Instance(Corpora([x, y, z], (1, *r[1:])), 5))
    assert "k = 5" in problem(Instance(Corpora([x, y, z], r), 6))
    assert "candidates" in problem(Instance(Corpora([x, y, z], r), 5, max_length=3))
    (leaf,) = loaded.tree
    weighted = replace(loaded, tree=(replace(leaf, weights=(1, 1, 1)),))
    assert "claimed" in problem(instance, weighted)
    assert "claimed" in problem(instance, replace(loaded, lower_bound=Fraction(9)))
    text = (tmp_path / "P.cert").read_text()
    (tmp_path / "P.cert").write_text(text.replace('"weights": [', '"weights": [1'))
    with pytest.raises(VerificationError, match="checksum"):
        Certificate.load(tmp_path / "P.cert")
    endless = {**loaded.to_json(), "lower_bound": "1e999999999"}
    del endless["sha256"]
    with pytest.raises(InputError, match="'lower_bound' is not valid"):
        Certificate.from_json({**endless, "sha256": digest(endless)})
    (tmp_path / "P.cert").write_text("{}")
    with pytest.raises(InputError, match="not a partcover certificate"):
        Certificate.load(tmp_path / "P.cert")


def test_mistakes():
    words, chars = WordCounts.from_counts({"ab": 2}), WordCounts.from_counts({"ab": 2}, "chars")
    for arguments, message in (
        (([words], [1]), "1 corpus is given"),
        (([words, words], [1, 0]), "the reference of 2 is 0"),
        (([words, words], [1]), "1 references for 2 corpora"),
        (([words, words], [1, 2.5]), "the reference of 2 is 2.5"),
        (([words, words], [1, 10**400]), r"it must be from 1 to 4611686018427387904"),
        (([words, chars], [1, 1]), "different symbols: bytes, chars"),
        (([words, words], [1, 1], ["a", "a"]), "needs a name of its own"),
        ((["a.tsv", words], [1, 1]), "each corpus must be counted words"),
        (([HeadAndTail.of(three().words, n) for n in (1, 2)], [1, 1]), "must have equally many"),
    ):
        with pytest.raises(InputError, match=message):
            Corpora(*arguments)
    gpt2 = words.counted_with("gpt2")
    with pytest.raises(InputError, match="different pre-tokenizers: gpt2, none"):
        Instance(Corpora([gpt2, words.counted_with("none")], [1, 1]), 1)
    assert Instance(Corpora([gpt2, words], [1, 1]), 1).words.pretokenizer is None
    instance = Instance(Corpora([words, words], [1, 1]), 1)
    for counts in (1, [1], [1, 1, 1]):
        with pytest.raises(InputError, match="'ab' must have a count for each of the 2 corpora"):
            Instance.from_json({**instance.to_json(), "words": [["ab", counts]]})
    for weights in ([1], [0, 0], [1, -1], [1, 1.5]):
        with pytest.raises(InputError, match="weight"):
            instance.weighted(weights)
    with pytest.raises(VerificationError, match="occurs in no word"):
        improve(instance, warm_start=Vocabulary(["xy"]))
    assert not verify(instance, Vocabulary(["ab"], "chars")).ok
    with pytest.raises(InputError, match="unknown reference 'tokens'"):
        reference_counts([words, words], "tokens", 1)
    ints = WordCounts.from_counts({(1, 2): 2}, "ints")
    for part in (ints, HeadAndTail.of(ints, 1)):
        with pytest.raises(InputError, match="no bytes"):
            reference_counts([part, part], "bytes", 1)


def with_merges(number, any_merges, whole_words):
    """Generated corpora whose tokens merges must make, and the smallest largest ratio."""
    assume(len(useful(generated_corpora(number))) <= 11)
    closed, optimum = with_merges_of(number, any_merges, whole_words)
    assume(optimum is not None)
    return closed, optimum


def with_merges_of(number, any_merges, whole_words):
    """The same for any number; the ratio is None if no vocabulary has the required tokens."""
    instance = generated_corpora(number)
    pool = useful(instance)
    draw = random.Random(number)
    pairs = [(token[:at], token[at:]) for token in pool for at in range(1, len(token))]
    some = None if any_merges else tuple(pair for pair in pairs if draw.randrange(2))
    closed = replace(instance, merges=MergeCondition(some, whole_words=whole_words))
    return closed, smallest_worst_closed(closed)


@pytest.mark.long
@tries(25)
@given(st.integers(0, 2**31), st.booleans(), st.booleans())
def test_bounds_for_tokens_that_merges_make(number, any_merges, whole_words):
    """With several corpora, merges, and often group budgets and cuts."""
    closed, optimum = with_merges(number, any_merges, whole_words)
    bound = lower_bound(closed)
    assert bound.lower_bound <= optimum
    check = check_certificate(closed, bound.certificate)
    assert (check.problems, check.lower_bound >= bound.lower_bound) == ((), True)


@pytest.mark.long
@tries(40)
@given(st.integers(0, 2**31), st.booleans(), st.booleans())
# weights move while flows save more tokens than there are
@example(398, True, True)
def test_solve_finds_the_best_tokens_that_merges_make(number, any_merges, whole_words):
    closed, optimum = with_merges(number, any_merges, whole_words)
    stored = []
    found = solve(closed, checkpoint=stored.append)
    checks(closed, found)
    assert found.lower_bound == optimum == found.worst
    for solution in (found, *stored):
        check = check_certificate(closed, solution.certificate)
        assert (check.problems, check.lower_bound >= solution.lower_bound) == ((), True)
        assert verify(closed, solution.vocabulary).ok
    again = solve(closed, warm_start=stored[0])
    assert (again.worst, again.lower_bound) == (optimum, optimum)


@pytest.mark.long
@pytest.mark.parametrize("number", [5, 9, 43])
def test_vocabularies_of_cases_are_compared_by_their_largest_ratio(monkeypatch, number):
    """The tree begins with a poor vocabulary, and finds the best one itself."""
    start = importlib.import_module("partcover.bounds.branch_and_cut")
    called = start.improve
    monkeypatch.setattr(start, "improve", lambda one, **how: called(one, **how | {"time_limit": 0}))
    closed, optimum = with_merges_of(number, any_merges=True, whole_words=False)
    assert improve(closed, time_limit=0).worst > optimum
    found = solve(closed)
    assert (found.worst, found.lower_bound, found.status) == (optimum, optimum, "optimal")


def by_heads(instance, n) -> Instance:
    """The same instance with n words of each corpus in the head."""
    corpora = instance.corpora
    parts = [HeadAndTail.of(words, n) for words in corpora.words]
    return replace(instance, corpus=Corpora(parts, corpora.references, corpora.names))


@pytest.mark.long
@tries(40)
@given(
    st.integers(0, 2**31), st.integers(1, 3), st.sampled_from(["none", "any", "some"]), st.data()
)
def test_bounds_by_heads(number, n, kind, data):
    """Of words in heads and tails, with any conditions, protected tokens and merges among them."""
    instance = generated_corpora(number)
    pool = useful(instance)
    assume(len(pool) <= 11)
    protected = data.draw(st.lists(st.sampled_from(pool), max_size=2)) if pool else []
    free = instance.k - len(instance.fixed)
    if not instance.groups and len(set(protected)) <= free:
        instance = replace(instance, protected=protected)
    if kind != "none":
        whole_words = data.draw(st.booleans())
        pairs = [
            (token[:at], token[at:]) for token in useful(instance) for at in range(1, len(token))
        ]
        some = tuple(data.draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else ()
        instance = replace(
            instance,
            merges=MergeCondition(some if kind == "some" else None, whole_words=whole_words),
        )
        optimum = smallest_worst_closed(instance)
        assume(optimum is not None)
    else:
        optimum = smallest_worst(instance)
    split = by_heads(instance, n)
    bound = lower_bound(split, cuts=data.draw(st.booleans()))
    check = check_certificate(split, bound.certificate)
    assert (check.problems, check.lower_bound >= bound.lower_bound) == ((), True)
    assert check.lower_bound <= optimum
    tokens = list(dict.fromkeys([*instance.fixed, *pool]))[: instance.k]
    chosen = Vocabulary(tokens, instance.symbols)
    assert verify(split, chosen) == verify(instance, chosen)
    assert tokens_by_corpus(split, chosen) == tokens_by_corpus(instance, chosen)
    found = improve(split, time_limit=data.draw(st.sampled_from([None, 0])))
    checks(instance, found)
    assert verify(split, found.vocabulary, claim=found).ok
    check = check_certificate(split, found.certificate)
    assert (check.problems, check.lower_bound >= found.lower_bound) == ((), True)
    assert found.lower_bound <= optimum <= found.worst
    again = improve(split, warm_start=found, time_limit=0)
    assert again.worst <= found.worst
    assert again.lower_bound >= found.lower_bound
    # no vocabulary of the heads is taken for one of all words
    assert lower_bound(split, gap=0.5, cuts=False).incumbent is None


@pytest.mark.long
@tries(25)
@given(st.integers(0, 2**31), st.booleans(), st.booleans())
def test_vocabularies_of_tokens_that_merges_make(number, any_merges, whole_words):
    closed, optimum = with_merges(number, any_merges, whole_words)
    stored = []
    found = improve(closed, checkpoint=stored.append)
    checks(closed, found)
    assert found.lower_bound <= optimum <= found.worst
    check = check_certificate(closed, found.certificate)
    assert (check.problems, check.lower_bound >= found.lower_bound) == ((), True)
    for solution in stored:
        assert verify(closed, solution.vocabulary).ok
    again = improve(closed, warm_start=found, time_limit=0)
    assert again.worst <= found.worst
    assert again.lower_bound >= found.lower_bound


@pytest.mark.parametrize("sizes", [(0, 0), (0, 2)])
def test_corpora_without_words_need_no_tokens(sizes):
    words = [WordCounts.from_counts({"ab": size} if size else {}) for size in sizes]
    corpora = Corpora(words, [1, 1])
    assert corpora.integer_weights([0.5, 0.5])[0] == 1
    instance = Instance(corpora, 1)
    for method in (greedtok, improve, solve):
        solution = method(instance)
        assert (solution.tokens, solution.worst) == (sum(sizes), max(sizes))
        assert solution.lower_bound in (None, max(sizes))
    bound = lower_bound(instance)
    assert bound.lower_bound == max(sizes)
    assert check_certificate(instance, bound.certificate).ok
    assert bound.most_taken == [b"ab"] * any(sizes)


@pytest.mark.parametrize("largest", [10**7, 10**9, 10**12])
def test_a_corpus_that_needs_little_of_its_reference_takes_no_part_of_the_bound(largest):
    words = [WordCounts.from_counts(w) for w in ({"banana": 3, "bandana": 2}, {"hats": 4})]
    for references, parts in (([1, largest], words), ([largest, 1], words[::-1])):
        corpora = Corpora(parts, references)
        weights = corpora.integer_weights([0.5, 0.5])
        shares = corpora.shares(weights)
        assert shares == pytest.approx((0.5, 0.5), rel=0.02)
        instance = Instance(corpora, 2)
        bound = lower_bound(instance)
        assert check_certificate(instance, bound.certificate).ok
        assert 4.99 < bound.lower_bound <= 5


def test_weights_are_not_too_large_for_bounds():
    words = [WordCounts.from_counts({"banana": 3}), WordCounts.from_counts({"hats": 4})]
    corpora = Corpora(words, [1, 2**62])
    for shares in ([0.5, 0.5], [1.0, 1e-300], [1.0, 0.0]):
        weights = corpora.integer_weights(shares)
        assert weights[1] == 1
        assert Instance(corpora, 1).weighted(weights).words.total_symbols < 2**57


def test_all_words_are_of_heads_and_tails():
    words = WordCounts.from_counts({"ab": 2, "abc": 1})
    assert Corpora([words, words], [1, 1]).all_words is None
    every = Corpora([HeadAndTail.of(words, 1)] * 2, [1, 1]).all_words
    assert (every.head.to_dict(), list(every.tail())) == ({b"ab": 4}, [(b"abc", 1)] * 2)
