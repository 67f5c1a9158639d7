"""Certificates of a head: the count of the kernels beside the checker's, and brute force."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from properties import tries

from partcover import HeadCertificate, InputError, Instance, VerificationError, WordCounts
from partcover.bounds.heads import tail_prices, whole_words
from partcover.bounds.heads.head_bound import head_bound
from partcover.bounds.heads.whole_words import WholeWords
from partcover.corpus.counting import counts_part
from partcover.corpus.counting.head_and_tail import HeadAndTail
from partcover.problem.certificates.certificate import Certificate, Leaf
from partcover.problem.certificates.head import TailDigest
from partcover.runtime.processes.engines import executor_of
from partcover.verification.head_check import check_head_certificate
from partcover.verification.recount import recount

WORDS = st.dictionaries(
    st.text("ab", min_size=1, max_size=5) | st.text("abc", min_size=1, max_size=6),
    st.integers(1, 9),
    min_size=1,
    max_size=6,
)
TOKENS = st.lists(st.text("abc", min_size=2, max_size=4), max_size=2, unique=True)


@st.composite
def cases(draw):
    words = WordCounts.from_counts(draw(WORDS))
    required = draw(TOKENS)
    forbidden = [token for token in draw(TOKENS) if token not in required]
    conditions = {"required": required, "forbidden": forbidden}
    conditions["max_length"] = draw(st.none() | st.integers(2, 4))
    k = len(required) + draw(st.integers(0, 2))
    return words, k, draw(st.integers(1, len(words))), conditions


@pytest.mark.long
@tries(100)
@given(cases(), st.sampled_from([1, 2, 3, 1 << 18]))
def test_the_bound_holds_and_is_confirmed(case, most_tried):
    """Whether all words of the tail say which prices are good, or a sample of them."""
    words, k, n, conditions = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail_prices, "MOST_TRIED", most_tried)
        patch.setattr(whole_words, "MOST_TRIED", most_tried)
        bound = head_bound(words, k, head=n, iterations=64, **conditions)
    split = HeadAndTail.of(words, n)
    check = check_head_certificate(bound.head, split, bound.certificate)
    assert check.ok
    assert check.lower_bound == bound.lower_bound
    assert bound.lower_bound <= fewest_tokens(Instance(words, k, **conditions))
    assert bound.tokens >= bound.lower_bound


@tries(150)
@given(cases(), st.data())
def test_whatever_a_certificate_says_what_it_proves_holds(case, data):
    words, k, n, conditions = case
    split = HeadAndTail.of(words, n)
    head = Instance(split.head, k, **conditions)
    size = len(head.words.data)
    prices = data.draw(st.lists(st.integers(-4, 4), min_size=size, max_size=size))
    leaf = Leaf(np.array(prices, np.int32))
    pool = sorted({word[s:e] for word, _ in words for s in range(6) for e in range(s + 2, 7)})
    pool = [token for token in pool if len(token) > 1]
    tolls = data.draw(st.dictionaries(st.sampled_from(pool or [b"ab"]), st.integers(0, 8)))
    digest = TailDigest("bytes")
    for word, count in split.tail():
        digest.add(word, count)
    certificate = HeadCertificate(
        Certificate.of(head, (leaf,), 0, scale_bits=2),
        n,
        digest.words,
        digest.total_count,
        digest.hexdigest(),
        tolls,
        data.draw(st.integers(0, 16)),
        data.draw(st.sampled_from([1, 3, 12])),
        0,
    )
    check = check_head_certificate(head, split, certificate)
    if not tolls.keys().isdisjoint(head.forbidden):
        assert check.problems == ("a forbidden token has a toll",)
        tolls = {token: toll for token, toll in tolls.items() if token not in head.forbidden}
        certificate = replace(certificate, tolls=tolls)
        check = check_head_certificate(head, split, certificate)
    assert check.ok
    assert check.lower_bound <= fewest_tokens(Instance(words, k, **conditions))


def test_a_token_with_a_toll_has_its_worth_in_the_tail_beside_that_in_a_word_of_the_head():
    """Of a word that dominates, one budgeted token may be all that is worth anything."""
    in_tail = {f"ab{last}": 25 for last in "wxyz"}
    head, tail = Instance({"abc": 10}, 1), WordCounts.from_counts(in_tail)
    digest = TailDigest("bytes")
    for word, count in tail:
        digest.add(word, count)
    certificate = HeadCertificate(
        Certificate.of(head, (Leaf(np.array([4, 4, 4], np.int32)),), 0, scale_bits=2),
        1,
        digest.words,
        digest.total_count,
        digest.hexdigest(),
        {b"ab": 2},
        16,
        12,
        0,
    )
    check = check_head_certificate(head, tail, certificate)
    assert check.ok
    # by hand: 30 + 250, less 20 for abc in the head and 50 for ab in the tail
    assert check.lower_bound == 210
    assert fewest_tokens(Instance({"abc": 10, **in_tail}, 1)) == 220


def test_tokens_that_only_the_tail_has_get_tolls():
    """The words of the tail have much in common that the head does not show."""
    head = {f"{a}{b}": 900 for a in "abcdef" for b in "abcdef"}
    tail = {f"{a}xyzw{b}xyzwxyz": 9 for a in "abcdefghi" for b in "abcdefghi"}
    words = WordCounts.from_counts({**head, **tail})
    bound = head_bound(words, 8, head=len(head))
    split = HeadAndTail.of(words, len(head))
    check = check_head_certificate(bound.head, split, bound.certificate)
    assert (check.ok, check.lower_bound) == (True, bound.lower_bound)
    assert any(b"xyz" in token for token in bound.certificate.tolls)
    alone = replace(bound.certificate, tolls={}, sixteenths=0)
    assert check_head_certificate(bound.head, split, alone).lower_bound < bound.lower_bound


@pytest.mark.long
def test_a_sample_of_a_long_tail_gives_almost_the_bound_of_all(monkeypatch):
    draw = np.random.default_rng(0)
    stems = ["".join(draw.choice(list("abcdef"), 3)) for _ in range(40)]
    rows = draw.zipf(1.4, (6000, 3)) % 40
    distinct = dict.fromkeys("".join(stems[n] for n in row) for row in rows.tolist())
    words = WordCounts.from_counts({word: 1 + 3000 // (1 + i) for i, word in enumerate(distinct)})
    by_all = head_bound(words, 30, head=100, iterations=64)
    for module in (tail_prices, whole_words):
        monkeypatch.setattr(module, "MOST_TRIED", len(words) // 4)
    bound = head_bound(words, 30, head=100, iterations=64)
    plain = replace(by_all.certificate, tolls={}, sixteenths=0)
    split = HeadAndTail.of(words, 100)
    without_tolls = check_head_certificate(by_all.head, split, plain).lower_bound
    assert by_all.lower_bound - bound.lower_bound < (by_all.lower_bound - without_tolls) / 10
    check = check_head_certificate(bound.head, split, bound.certificate)
    assert (check.ok, check.lower_bound) == (True, bound.lower_bound)


def test_a_sample_that_is_worth_far_more_than_the_tail_is_not_used():
    """Of one word that is taken for all: sums over it might not fit in 63 bits."""
    short = {a + b: 9 for a in "ghijklmnopqr" for b in "ghijklmnopqr"}
    tail = {**dict(list(short.items())[:72]), "ab" * 100: 9, **dict(list(short.items())[72:])}
    words = WordCounts.from_counts({"abab": 99, **tail})
    split = HeadAndTail.of(words, 1)
    tail = WholeWords(split, Instance(split.head, 3), 1).tail
    assert [len(word) for word, _ in split.sample(1)] == [200]
    assert not tail.allows([split.sample(1)])
    assert tail.allows([split.sample(100)])


@pytest.mark.parametrize("symbols", ["bytes", "chars", "ints"])
def test_a_file_holds_all_of_it_and_what_was_changed_is_refused(tmp_path, symbols):
    words = {"that": 9, "hat": 5, "chat": 2, "thät": 1, "what": 1, "hätte": 1}
    turn = {"bytes": str.encode, "chars": str, "ints": lambda word: tuple(map(ord, word))}[symbols]
    counts = WordCounts.from_counts({turn(word): n for word, n in words.items()}, symbols)
    bound = head_bound(counts, 1, head=3)
    path = tmp_path / "P.cert"
    bound.certificate.save(path)
    certificate = HeadCertificate.load(path)
    split = HeadAndTail.of(counts, 3)
    check = check_head_certificate(bound.head, split, certificate)
    assert (check.ok, check.lower_bound) == (True, bound.lower_bound)
    tail = counts.subset(split.tail())
    double = counts.subset((word, 2 * n) for word, n in tail)
    for other in (tail.most_frequent(2), double, counts):
        assert not check_head_certificate(bound.head, other, certificate).ok
    assert not check_head_certificate(bound.head.with_k(2), tail, certificate).ok
    more = replace(certificate, lower_bound=bound.lower_bound + 1)
    assert "claimed" in check_head_certificate(bound.head, tail, more).problems[0]
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "sixteenths": (data["sixteenths"] + 1) % 16}))
    with pytest.raises(VerificationError, match="checksum"):
        HeadCertificate.load(path)
    with pytest.raises(InputError, match="not a certificate of a head"):
        HeadCertificate.from_json(certificate.head.to_json())


@tries(40)
@given(WORDS, st.integers(1, 6))
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
    bound = head_bound(words, 2, head=1)
    split = HeadAndTail.of(words, 1)
    check = check_head_certificate(bound.head, split, bound.certificate)
    assert (check.ok, check.lower_bound) == (True, bound.lower_bound)


@pytest.mark.long
@pytest.mark.filterwarnings("default")  # an error would end the thread of Dask's client
def test_workers_of_dask_count_the_same_integers(tmp_path, monkeypatch, scheduler):
    """Bound, certificate, check and tokens of generated words, as on one machine."""
    monkeypatch.setattr(counts_part, "PART", 2000)
    path = tmp_path / "C.tsv"
    with executor_of(f"dask://{scheduler[1]}", 2) as executor:
        for seed in (1, 2):
            draw = np.random.default_rng(seed)
            stems = [bytes(draw.integers(97, 97 + 9 * seed, 4).tolist()) for _ in range(60)]
            pairs = draw.zipf(1.3, (4000, 3)) % 60
            counts = WordCounts.from_counts(
                {
                    b"".join(stems[n] for n in row): 1 + 9000 // (1 + i)
                    for i, row in enumerate(pairs)
                }
            )
            counts.save(path)
            options = {"head": 400, "iterations": 16}
            here = head_bound(counts, 50, **options)
            there = head_bound(path, 50, **options, executor=executor, scratch=tmp_path)
            assert there.certificate.to_json() == here.certificate.to_json()
            assert (there.tokens, there.lower_bound) == (here.tokens, here.lower_bound)
            split = HeadAndTail.load(path, 400, executor=executor, scratch=tmp_path)
            check = check_head_certificate(there.head, split, there.certificate)
            assert check.ok
            assert check.lower_bound == here.lower_bound
            assert recount(there.head, there.vocabulary, split)[0] == here.tokens


def test_counts_that_63_bits_cannot_sum_are_refused(tmp_path):
    words = {"that": 2**50, "hat": 2**49, "ab" * 100: 2**45}
    with pytest.raises(InputError, match="scale the counts down"):
        head_bound(WordCounts.from_counts(words), 1, head=1)
    large = WordCounts.from_counts({"that": 2**50, "hat": 2**49, "chat": 2**48, "what": 1})
    bound = head_bound(large, 1, head=2)
    check = check_head_certificate(bound.head, HeadAndTail.of(large, 2), bound.certificate)
    assert (check.ok, check.lower_bound) == (True, bound.lower_bound)
    assert bound.lower_bound <= fewest_tokens(Instance(large, 1)) <= bound.tokens
    with ThreadPoolExecutor(1) as executor, pytest.raises(InputError, match="give its path"):
        head_bound(large, 1, head=2, executor=executor)
