"""Finds the tokens that merges can make, in plain Python."""

from __future__ import annotations

from collections.abc import Collection
from itertools import zip_longest

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..problem.instance import Instance
from ..problem.merge_condition import MergeCondition
from ..vocabulary.vocabulary import Vocabulary


def unmade_tokens(
    tokens: Collection[Token], condition: MergeCondition, instance: Instance
) -> list[Token]:
    """Returns the tokens of a vocabulary that no two other tokens make, under a condition."""
    made = made_tokens(tokens, condition, instance)
    return [token for token in tokens if token not in made]


def made_tokens(
    tokens: Collection[Token], condition: MergeCondition, instance: Instance
) -> set[Token]:
    """Returns the tokens of a vocabulary that merges make from single symbols and required tokens.

    A token that needs no parts is among them.
    """
    known, free = set(instance.fixed), set(instance.fixed)
    if condition.whole_words and instance.tail is not None:
        free |= instance.tail.among(tokens)
    elif condition.whole_words:
        free.update(word for word, _ in instance.words)
    lengths = set(map(len, (*tokens, *known)))
    for token in sorted(tokens, key=len):
        parts_of = condition.splits(token, lengths)
        if token in free or any(known.issuperset(parts) for parts in parts_of):
            known.add(token)
    return known.intersection(tokens)


def other_merges(vocabulary: Vocabulary, condition: MergeCondition) -> str | None:
    """Returns the first difference of a pruned vocabulary's merges to its base's; None if none.

    The expected merges are those of the base whose two parts and result all remain, in their order.
    A base that merges by rank has no list of merges.
    """
    if vocabulary.method != "prune" or (condition.pairs is None and vocabulary.merges is None):
        return None
    if condition.pairs is None or vocabulary.merges is None:
        sides = ("the base", "the vocabulary")
        by_rank, by_list = sides if condition.pairs is None else sides[::-1]
        return f"{by_rank} merges by rank, {by_list} by a list of pairs"
    for ours, theirs in zip_longest(vocabulary.merges, condition.kept(vocabulary)):
        if ours != theirs:
            return f"the base merges {_shown(theirs)} at this place, the vocabulary {_shown(ours)}"
    return None


def _shown(pair: tuple[Token, Token] | None) -> str:
    if pair is None:
        return "nothing more"
    return " + ".join(repr(sym.glance(part)) for part in pair)
