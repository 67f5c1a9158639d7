"""Generated vocabularies of every rule, extended and cut down, against all that there are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from adaptation.cases import KINDS, Case, extension_case, pruning_case
from hypothesis import given
from hypothesis import strategies as st
from oracles.adaptation import Plain, extensions, restrictions
from shared.properties import tries

from partcover import Instance, check_certificate, extend, extension_instances, prune, verify
from partcover.verification.rule_recount import COUNTED, tokens_by_rule


def check_proof(found) -> None:
    """The certificate holds, and what is changed in it is refused."""
    check = found.check()
    assert (check.ok, check.lower_bound) == (True, found.lower_bound)
    more = replace(found.certificate, lower_bound=check.lower_bound + 1)
    assert not replace(found, certificate=more).check().ok
    assert not replace(found, instance=found.instance.with_k(found.instance.k + 1)).check().ok


def check_recount(found, instance: Instance) -> None:
    """The vocabulary keeps to the conditions, and a recount in plain Python says the same."""
    vocabulary = found.vocabulary
    recount = verify(instance, vocabulary)
    assert recount.problems == ()
    counts = {"shortest_path": recount.tokens, "priority": recount.tokens_priority}
    counts["random_path"] = recount.tokens
    if vocabulary.rule in COUNTED:
        counts[vocabulary.rule] = tokens_by_rule(instance.words, vocabulary)
    assert counts[vocabulary.rule] == found.tokens


def check_extension(kind: str, number: int) -> bool:
    """Checks one extension; returns whether no other needs fewer tokens."""
    case = extension_case(kind, number)
    base, m = case.plain, case.size
    keep = None if case.keep is None else case.counted(case.keep)
    found = extend(
        case.base,
        case.counted(case.words),
        m,
        keep=keep,
        keep_weight=case.weight,
        at_most=case.at_most,
        time_limit=None,
    )
    new = Plain.of(found.vocabulary)
    size = len(base.tokens)
    assert new.tokens[:size] == base.tokens
    assert (new.merges or [])[: len(base.merges or [])] == (base.merges or [])
    assert new.scores[:size] == base.scores
    assert len(found.new) == len(found.gains) <= m
    # the counts
    assert (found.corpus.before, found.corpus.after) == (
        base.needed(case.words),
        new.needed(case.words),
    )
    assert found.tokens == new.needed(case.objective)
    limit = None
    if case.keep is not None:
        before = base.needed(case.keep)
        limit = None if case.at_most is None else before + int(before * case.at_most)
        assert (found.keep.before, found.keep.after) == (before, new.needed(case.keep))
        assert limit is None or found.keep.after <= limit
    assert found.limit == limit
    check_gains(kind, base, new, found, case)
    # the bound, and that nothing was found which is not allowed
    if kind == "likelihood":  # the bound holds for all scores
        base, limit = replace(base, rule="shortest_path"), None
    ways = extensions(base, case.objective, m, whole=case.whole)
    legal = (way for way in ways if limit is None or way.needed(case.keep) <= limit)
    best = min(way.needed(case.objective) for way in legal)
    assert found.lower_bound <= best <= found.tokens
    check_proof(found)
    check_recount(found, Instance(case.counted(case.objective), size + m, prefix=case.base.tokens))
    words = case.counted(case.words)
    instance, bounded = extension_instances(found.vocabulary, words, keep=keep)
    check_recount(found, instance)
    check = check_certificate(bounded, found.certificate)
    assert (check.problems, check.lower_bound) == ((), found.lower_bound)
    return found.tokens == best


def check_gains(kind: str, base: Plain, new: Plain, found, case: Case) -> None:
    """What new tokens save is what is saved; under most rules no word needs more than before."""
    if kind in ("shortest_path", "random_path"):
        expected = [
            new.only(set(new.tokens) - {token}).needed(case.objective) - found.tokens
            for token in found.new
        ]
        assert list(found.gains) == expected == sorted(expected, reverse=True)
    elif kind in ("priority", "longest_match"):
        assert sum(found.gains) == base.needed(case.objective) - found.tokens
    else:
        uses: Counter = Counter()
        for word, count in case.objective.items():
            for piece in new.cut(word):
                uses[piece] += count
        expected = [uses[token] * (len(base.cut(token)) - 1) for token in found.new]
        assert list(found.gains) == expected
    if kind not in ("longest_match", "likelihood"):
        for word in {*case.words, *(case.keep or {})}:
            assert len(new.cut(word)) <= len(base.cut(word))
    if kind in ("merges", "characters", "character_ranks"):
        assert set(found.new) <= new.made()


def check_pruning(kind: str, number: int) -> bool:
    """Checks one vocabulary that is cut down; returns whether no other needs fewer tokens."""
    case = pruning_case(kind, number)
    base, k = case.plain, case.size
    required = []
    if -1 in (case.base.ids or ()):
        held = set("".join(word.decode() for word in case.words))
        required = [token for token in base.tokens if token.decode("utf-8", "replace") in held]
        k = max(k, len(required))
    found = prune(case.base, case.counted(case.words), k, time_limit=None)
    new = Plain.of(found.vocabulary)
    assert new == base.only(new.tokens)
    assert len(new.tokens) == k
    assert found.required == tuple(required)
    assert found.corpus.before == base.needed(case.words)
    assert found.tokens == found.corpus.after == new.needed(case.words)
    ways = list(restrictions(base, k, required))
    assert new in ways
    if base.rule in ("merges", "character_merges"):
        made = base.made()
        ways = [way for way in ways if closed(way, base)]
        assert made & {*new.tokens} == new.made() & made
        assert new in ways
    best = min(way.needed(case.words) for way in ways)
    assert found.lower_bound <= best
    check_proof(found)
    check_recount(found, found.instance)
    check_ids(case, found)
    return found.tokens == best


def closed(way: Plain, base: Plain) -> bool:
    """Whether each token that the merges of a vocabulary make has the parts it is made of."""
    there = {*way.tokens}
    parts = [base.parts(token) for token in there & base.made()]
    return all(those <= there for those in parts if those <= {*base.tokens})


def check_ids(case: Case, found) -> None:
    """New ids have no gaps and keep the order of the old ones; what stays is told by them."""
    if case.base.symbols != "bytes":
        return
    old, new = (numbered(vocabulary) for vocabulary in (case.base, found.vocabulary))
    ids = found.ids.tolist()
    assert [n for n in ids if n >= 0] == list(range(len(new)))
    assert {text: ids[n] for text, n in old.items() if ids[n] >= 0} == new


def numbered(vocabulary) -> dict:
    """The ids by the bytes, tokens and special tokens."""
    texts = [*(bytes([byte]) for byte in range(256)), *vocabulary.tokens]
    ids = {text: n for text, n in zip(texts, vocabulary.id_of, strict=True) if n >= 0}
    return {**ids, **vocabulary.special}


CHECKS = {"extend": check_extension, "prune": check_pruning}


EACH = [(job, kind) for job in CHECKS for kind in KINDS]


@pytest.mark.long
@pytest.mark.parametrize(("job", "kind"), EACH)
def test_the_search_often_finds_the_optimum(job, kind):
    best = Counter(CHECKS[job](kind, number) for number in range(10))
    assert best[True] >= 5, best


@pytest.mark.parametrize(("job", "kind"), EACH)
@tries(15)
@given(number=st.integers(0, 2**31))
def test_counts_bounds_and_proofs(job, kind, number):
    CHECKS[job](kind, number)
