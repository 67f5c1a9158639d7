"""Group budgets against counting the tokens of each group."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partcover.problem.group_budget import GroupBudget, GroupBudgets

TOKENS = [b"ab", b"ba", b"aab", b"abb", b"abab"]
tokens_st = st.lists(st.sampled_from(TOKENS), unique=True)
groups_st = st.lists(
    st.builds(
        GroupBudget, st.just("list"), st.integers(0, 3), st.frozensets(st.sampled_from(TOKENS))
    )
    | st.builds(GroupBudget, st.just("lengths"), st.integers(0, 3), max_length=st.integers(2, 4)),
    max_size=4,
)


@given(groups=groups_st, chosen=tokens_st, others=tokens_st)
def test_tokens_are_admitted_while_their_groups_have_room(groups, chosen, others):
    budgets = GroupBudgets(groups, chosen)
    for token in others:
        sizes = {g: sum(t in group for t in chosen) for g, group in enumerate(groups)}
        own = [g for g, group in enumerate(groups) if token in group]
        assert budgets.room.tolist() == [groups[g].limit - size for g, size in sizes.items()]
        assert budgets.bits([token]).tolist() == [sum(2**g for g in own)]
        fits = all(sizes[g] < groups[g].limit for g in own)
        assert budgets.admit(token) == fits
        chosen = [*chosen, token] if fits else chosen
