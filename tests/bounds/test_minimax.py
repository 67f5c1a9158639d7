"""Bounds and vocabularies for the worst of several corpora."""

from __future__ import annotations

import importlib
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.minimax import ratios, smallest_worst
from properties import tries
from strategies import random_instance

from partcover import (
    InputError,
    MinimaxCertificate,
    MinimaxInstance,
    Progress,
    VerificationError,
    Vocabulary,
    WordCounts,
    bound_minimax,
    check_minimax_certificate,
    greedtok_minimax,
    improve,
    improve_minimax,
    lower_bound,
    reference_counts,
    verify_minimax,
)
from partcover.bounds.minimax import round_seconds
from partcover.heuristics.minimax_search import ExchangeSearch
from partcover.problem.certificates.file import with_checksum
from partcover.runtime.limits import Deadline


def three(k: int = 10) -> MinimaxInstance:
    corpora = [random_instance(seed, 1).words.most_frequent(25) for seed in (1, 2, 3)]
    return MinimaxInstance(corpora, k, reference_counts(corpora, "own", k), ["x", "y", "z"])


def checks(instance: MinimaxInstance, solution) -> None:
    """The numbers of a solution are those of slow recounts."""
    assert list(solution.ratios) == ratios(instance, solution.vocabulary)
    recount = verify_minimax(instance, solution.vocabulary)
    assert (recount.ok, recount.tokens, recount.worst) == (True, solution.tokens, solution.worst)


@pytest.mark.long
def test_weights_close_the_gap_of_real_words():
    instance = three()
    equal = greedtok_minimax(instance)
    found = improve_minimax(instance)
    checks(instance, found)
    assert found.gap < 0.08
    assert found.lower_bound <= found.worst <= equal.worst
    bound = bound_minimax(instance, incumbent=equal.vocabulary)
    assert (bound.worst, bound.tokens) == (equal.worst, equal.tokens)
    assert bound.lower_bound == pytest.approx(found.lower_bound, rel=0.01)
    again = improve_minimax(instance, found.vocabulary, gap=0.5)
    assert (again.worst <= found.worst, again.rounds) == (True, 1)


@pytest.mark.long
def test_exchanges_from_elsewhere_find_what_single_ones_do_not():
    corpora = [random_instance(seed, 1).words.most_frequent(6) for seed in (1, 2, 3)]
    instance = MinimaxInstance(corpora, 8, [words.total_symbols for words in corpora])
    greedy = greedtok_minimax(instance).vocabulary
    worst = []
    for kicks in (0, 12):
        tokens = ExchangeSearch(instance, Deadline()).run(list(greedy), [], kicks=kicks)
        worst.append(max(ratios(instance, tokens)))
    assert worst[1] < worst[0]
    assert improve_minimax(instance).worst == worst[1]


@pytest.mark.long
def test_threads_change_nothing():
    instance = three(4)
    one, two = (improve_minimax(instance, threads=threads) for threads in (1, 2))
    assert one.vocabulary == two.vocabulary
    assert one.certificate.to_json() == two.certificate.to_json()


def test_a_time_limit_of_nothing_has_an_answer():
    instance = three()
    for run in (greedtok_minimax, improve_minimax):
        solution = run(instance, time_limit=0)
        assert solution.termination == "time_limit"
        checks(instance, solution)


@pytest.mark.long
@pytest.mark.parametrize("method", [greedtok_minimax, improve_minimax, bound_minimax])
def test_ctrl_c_keeps_the_best(method):
    class Interrupting(Progress):
        def advance(self, done, total, remark=""):
            if done == 2:
                raise KeyboardInterrupt

    instance = three(4)
    solution = method(instance, progress=Interrupting())
    assert (solution.termination, solution.rounds) == ("interrupted", 2)
    if method is bound_minimax:
        assert solution.status == "none"
    else:
        checks(instance, solution)
    if method is not greedtok_minimax:
        assert check_minimax_certificate(instance, solution.certificate).ok


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
    instance = MinimaxInstance(corpora, draw.randint(0, 2), references)
    weights = [draw.choice([0, 1, draw.randint(1, 9), 10**9]) for _ in corpora]
    weights[draw.randrange(len(corpora))] = draw.choice([1, 10**9])
    alone = lower_bound(instance.weighted(weights)).certificate
    check = check_minimax_certificate(instance, MinimaxCertificate.of(instance, weights, alone))
    assert check.problems == ()
    assert check.lower_bound <= smallest_worst(instance)


@pytest.mark.long
def test_checkpoints_are_valid():
    instance, kept = three(4), []

    def keep(solution):
        kept.append(solution)
        raise OSError("no room")

    found = improve_minimax(instance, checkpoint=keep)
    assert kept[0].worst >= found.worst
    assert kept[0].certificate is None  # the first one is there before any bound
    for solution in kept:
        checks(instance, solution)
        if solution.certificate is not None:
            assert check_minimax_certificate(instance, solution.certificate).ok


@pytest.mark.long
def test_a_start_is_never_lost():
    instance = three(4)
    first = improve_minimax(instance)
    again = improve_minimax(
        instance, first.vocabulary, start_certificate=first.certificate, time_limit=0
    )
    assert again.worst <= first.worst
    assert again.lower_bound >= first.lower_bound
    assert check_minimax_certificate(instance, again.certificate).ok
    # a proof alone, whose weights may be 0
    weights = (1, 0, 2)
    proof = MinimaxCertificate.of(
        instance, weights, lower_bound(instance.weighted(weights)).certificate
    )
    found = improve_minimax(instance, start_certificate=proof)
    assert found.lower_bound >= proof.lower_bound
    checks(instance, found)
    other = MinimaxInstance(instance.corpora, 4, (1, *instance.references[1:]))
    with pytest.raises(VerificationError, match="about other references"):
        improve_minimax(other, start_certificate=proof)
    false = replace(proof, lower_bound=proof.lower_bound + 1)
    with pytest.raises(VerificationError, match="claimed"):
        improve_minimax(instance, start_certificate=false)


@pytest.mark.parametrize("name", ["greedtok", "tokens_by_corpus"])
def test_ctrl_c_in_the_first_rounds_keeps_the_best(monkeypatch, name):
    """Whatever it meets, once there is a vocabulary."""
    module = importlib.import_module("partcover.heuristics.minimax_greedy")
    called, calls = getattr(module, name), []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return called(*arguments, **options)

    monkeypatch.setattr(module, name, interrupted)
    instance = three(4)
    solution = improve_minimax(instance)
    assert solution.termination == "interrupted"
    checks(instance, solution)


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
    module = importlib.import_module("partcover.bounds.minimax")
    called, limits = improve, []

    def noted(*arguments, time_limit, **options):
        limits.append(time_limit)
        return called(*arguments, time_limit=0.1, **options)

    monkeypatch.setattr(module, "improve", noted)
    improve_minimax(three(4), time_limit=6000)
    assert limits
    assert all(3500 < limit <= 3600 for limit in limits[:5])
    assert all(5250 < limit <= 5400 for limit in limits[5:])


def test_large_counts_do_not_overflow():
    """References and counts far apart, and sums next to what prices can count."""
    small = WordCounts.from_counts({"abab": 1, "cd": 3})
    large = WordCounts.from_counts({"abcab": 10**14, "xyxy": 3})
    instance = MinimaxInstance([small, large], 2, [10**15, 1])
    solution = improve_minimax(instance)
    checks(instance, solution)
    assert check_minimax_certificate(instance, solution.certificate).ok
    assert solution.lower_bound <= smallest_worst(instance) == solution.worst
    with pytest.raises(InputError, match="too large for weights"):
        improve_minimax(MinimaxInstance([small, WordCounts.from_counts({"ab": 2**60})], 2, [1, 1]))
    with pytest.raises(InputError, match="more than int64 holds"):
        instance.weighted([2**40, 2**40])


@pytest.mark.long
def test_certificates_are_about_one_instance(tmp_path):
    instance = three(5)
    certificate = bound_minimax(instance).certificate
    certificate.save(tmp_path / "P.cert")
    loaded = MinimaxCertificate.load(tmp_path / "P.cert")
    assert loaded.to_json() == certificate.to_json()
    assert check_minimax_certificate(instance, loaded).ok

    def problem(other, changed=loaded):
        check = check_minimax_certificate(other, changed)
        assert not check.ok
        return check.problems[0]

    x, y, z = instance.corpora
    r = instance.references
    assert "here are 2" in problem(MinimaxInstance([x, y], 5, r[:2]))
    assert "than those of 1" in problem(MinimaxInstance([y, x, z], 5, r))
    assert "other references" in problem(MinimaxInstance([x, y, z], 5, (1, *r[1:])))
    assert "k = 5" in problem(MinimaxInstance([x, y, z], 6, r))
    assert "candidates" in problem(MinimaxInstance([x, y, z], 5, r, max_length=3))
    assert "other words" in problem(instance, replace(loaded, weights=(1, 1, 1)))
    assert "claimed" in problem(instance, replace(loaded, lower_bound=Fraction(9)))
    text = (tmp_path / "P.cert").read_text()
    (tmp_path / "P.cert").write_text(text.replace('"weights": [', '"weights": [1'))
    with pytest.raises(VerificationError, match="checksum"):
        MinimaxCertificate.load(tmp_path / "P.cert")
    endless = {**loaded.to_json(), "lower_bound": "1e999999999"}
    del endless["sha256"]
    with pytest.raises(InputError, match="'lower_bound' is broken"):
        MinimaxCertificate.from_json(with_checksum(endless))
    (tmp_path / "P.cert").write_text("{}")
    with pytest.raises(InputError, match="not a minimax certificate"):
        MinimaxCertificate.load(tmp_path / "P.cert")


def test_mistakes():
    words, chars = WordCounts.from_counts({"ab": 2}), WordCounts.from_counts({"ab": 2}, "chars")
    for arguments, message in (
        (([words], 1, [1]), "1 corpus is given"),
        (([words, words], 1, [1, 0]), "the reference of 2 is 0"),
        (([words, words], 1, [1]), "1 references for 2 corpora"),
        (([words, words], 1, [1, 2.5]), "the reference of 2 is 2.5"),
        (([words, chars], 1, [1, 1]), "different symbols: bytes, chars"),
        (([words, words], 1, [1, 1], ["a", "a"]), "as many different names"),
        ((["a.tsv", words], 1, [1, 1]), "counted words are expected"),
    ):
        with pytest.raises(InputError, match=message):
            MinimaxInstance(*arguments)
    gpt2 = words.counted_with("gpt2")
    with pytest.raises(InputError, match="different pre-tokenizers: gpt2, none"):
        MinimaxInstance([gpt2, words.counted_with("none")], 1, [1, 1])
    assert MinimaxInstance([gpt2, words], 1, [1, 1]).whole.words.pretokenizer is None
    instance = MinimaxInstance([words, words], 1, [1, 1])
    for weights in ([1], [0, 0], [1, -1], [1, 1.5]):
        with pytest.raises(InputError, match="weight"):
            instance.weighted(weights)
    with pytest.raises(VerificationError, match="occurs in no word"):
        improve_minimax(instance, Vocabulary(["xy"]))
    assert not verify_minimax(instance, Vocabulary(["ab"], "chars")).ok
    with pytest.raises(InputError, match="unknown reference 'tokens'"):
        reference_counts([words, words], "tokens", 1)
    ints = WordCounts.from_counts({(1, 2): 2}, "ints")
    with pytest.raises(InputError, match="no bytes"):
        reference_counts([ints, ints], "bytes", 1)
