"""The audit of a tokenizer against optima found by trying everything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries
from studies.cases import few_words, needed, optimum

from partcover import InputError, Vocabulary, WordCounts, audit_tokenizer, check_certificate

TOKENS = st.lists(st.text("ab", min_size=2, max_size=4), unique=True, max_size=4)


@pytest.mark.long
@tries(60)
@given(
    words=few_words, tokens=TOKENS, rule=st.sampled_from(["merges", "priority", "longest_match"])
)
def test_bounds_hold_and_the_parts_add_up(words, tokens, rule):
    vocabulary = Vocabulary(tokens, "chars", rule=rule)
    found = audit_tokenizer(vocabulary, WordCounts.from_counts(words, "chars"), time_limit=1)
    assert found.lower_bound <= optimum(words, len(tokens))
    assert found.lower_bound_used <= optimum(words, found.used)
    assert check_certificate(found.bound.instance, found.bound.certificate).ok
    data = found.to_json()
    parts = [data[name] for name in ("rule_gap", "vocabulary_gap", "unused_gap")]
    assert min(parts) >= 0
    assert abs(sum(parts) - found.gap) < 1e-12
    assert found.tokens_shortest_path == needed(words, tokens)
    assert found.tokens_shortest_path <= found.tokens_used <= found.tokens
    for more in found.additions:
        assert found.tokens_shortest_path - more.saves == needed(words, [*tokens, *more.tokens])
        best = optimum(words, len(more.tokens), tokens)
        assert more.saves <= found.tokens_shortest_path - best <= more.at_most
        assert check_certificate(more.bound.instance, more.bound.certificate).ok
    assert sum(word.loss for word in found.costly) == found.tokens - sum(words.values())


def test_an_earlier_proof_is_kept():
    words = WordCounts.from_counts({"banana": 2, "bandana": 1, "ban": 3})
    vocabulary = Vocabulary(["an"])
    first = audit_tokenizer(vocabulary, words)
    again = audit_tokenizer(
        vocabulary, words, start_certificate=first.bound.certificate, top=1, time_limit=0
    )
    assert again.lower_bound == first.lower_bound > words.total_count
    assert [word.word for word in again.costly] == [b"banana"]
    assert not again.is_interrupted
    more = audit_tokenizer(Vocabulary(["an", "zz"]), words)
    assert (more.used, more.lower_bound_used) == (1, first.lower_bound)
    assert more.lower_bound < first.lower_bound


@pytest.mark.parametrize("pretokenizer", ["none", "gpt2"])
def test_a_text_without_words_is_refused(pretokenizer):
    words = WordCounts.from_counts({}, pretokenizer=pretokenizer)
    with pytest.raises(InputError, match="the corpus is empty"):
        audit_tokenizer(Vocabulary(["ab"], pretokenizer=pretokenizer), words)
