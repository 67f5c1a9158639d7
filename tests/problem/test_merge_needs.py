"""What a token cannot be made without, against leaving out each other one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import MergeCondition
from partcover.problem.merge_condition import MergeNeeds

TOKENS = st.text("ab", min_size=2, max_size=5)


def made(pairs, exempt, absent):
    """The tokens that there can be without one."""
    there = {*exempt} - {absent}
    while new := {
        left + right
        for left, right in pairs
        if all(len(part) == 1 or part in there for part in (left, right))
        and left + right not in {*there, absent}
    }:
        there |= new
    return there


@tries(300)
@given(st.sets(st.tuples(TOKENS, st.integers(1, 4))), st.sets(TOKENS, max_size=2))
def test_needed_is_what_it_cannot_be_made_without(cuts, exempt):
    pairs = tuple((token[:cut], token[cut:]) for token, cut in cuts if cut < len(token))
    needs = MergeNeeds(MergeCondition(pairs), exempt)
    possible = made(pairs, exempt, None)
    for token in possible:
        for other in needs.of(token):
            assert token not in made(pairs, exempt, other)
    anything = MergeNeeds(MergeCondition(), exempt)
    assert all(anything.of(token) == {token} for token in possible)


def test_long_chains_are_no_recursion():
    text = "ab" * 800
    pairs = tuple((text[:n], text[n]) for n in range(1, 1500))
    assert len(MergeNeeds(MergeCondition(pairs), ()).of(text[:1500])) == 1499
