"""The independent check: plain Python that shares nothing with the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .instance import Instance
from .solution import Solution
from .symbols import Token, show
from .vocabulary import Vocabulary

__all__ = ["Verification", "verify"]


@dataclass(frozen=True)
class Verification:
    """What an independent recount finds.

    Attributes
    ----------
    ok : bool
        Nothing is wrong.
    tokens, cover : int
        Fewest tokens over the counted words, and the pairs inside them.
    tokens_priority : int
        Tokens under GreedTok's priority order, the vocabulary in its own order.
    relaxed_cover : int
        Pairs under any occurrence of any token, overlaps allowed: the objective of WMC.
    size, k : int
        Tokens in the vocabulary, and the budget.
    threshold : int or None
        The instance's question, if it asks one.
    meets_threshold : bool or None
        Its answer for this vocabulary.
    problems : tuple of str
        One line for each thing that is wrong.
    """

    ok: bool
    tokens: int
    cover: int
    tokens_priority: int
    relaxed_cover: int
    size: int
    k: int
    threshold: int | None
    meets_threshold: bool | None
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return {**asdict(self), "problems": list(self.problems)}


def verify(
    instance: Instance, vocabulary: Vocabulary, *, claim: Solution | None = None
) -> Verification:
    """Recount tokens, cover and budget of a vocabulary, and check every condition.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    vocabulary : Vocabulary
        The tokens to check.
    claim : Solution, optional
        Numbers to confirm: tokens and cover under its rule, its ``relaxed_cover`` if it has
        one, and its lower bound against them.

    Returns
    -------
    Verification
        O(symbols · distinct lengths of tokens) dictionary look-ups, all in Python integers.
    """
    problems: list[str] = []
    if vocabulary.symbols != instance.symbols:
        problems.append(f"tokens over {vocabulary.symbols}, words over {instance.symbols}")
        return Verification(
            False, 0, 0, 0, 0, len(vocabulary), instance.k, None, None, tuple(problems)
        )
    ranks = {token: rank for rank, token in enumerate(vocabulary)}
    lengths = sorted(set(map(len, ranks)))
    total = fewest = in_order = relaxed = 0
    seen: dict[Token, int] = dict.fromkeys(ranks, 0)
    for word, count in instance.words:
        total += count * len(word)
        places = _places(word, ranks, lengths)
        for start, end in places:
            seen[word[start:end]] += count
        fewest += count * _shortest(len(word), places)
        in_order += count * _priority(word, ranks, places)
        relaxed += count * _relaxed_cover(places)

    if len(ranks) > instance.k:
        problems.append(f"{len(ranks)} tokens, and the budget k is {instance.k}")
    for group in instance.groups:
        held = sum(token in group for token in ranks)
        if held > group.limit:
            problems.append(f"{held} tokens of group {group.name!r}, whose budget is {group.limit}")
    fixed = set(instance.fixed)
    for token in instance.fixed:
        if token not in ranks:
            problems.append(f"required token {show(token)!r} is missing")
    for token in instance.forbidden:
        if token in ranks:
            problems.append(f"forbidden token {show(token)!r} is used")
    listed = None if instance.candidates is None else set(instance.candidates)
    for token in ranks:
        if token in fixed:
            continue
        if listed is not None:
            if token not in listed:
                problems.append(f"token {show(token)!r} is not in the candidate list")
        elif not seen[token]:
            problems.append(f"token {show(token)!r} occurs in no word")
        elif instance.max_length is not None and len(token) > instance.max_length:
            problems.append(f"token {show(token)!r} is longer than {instance.max_length} symbols")
        elif seen[token] < instance.min_count:
            problems.append(
                f"token {show(token)!r} occurs {seen[token]} times, fewer than {instance.min_count}"
            )
    if claim is not None:
        found = in_order if claim.rule == "priority" else fewest
        if claim.tokens != found:
            problems.append(f"{claim.tokens} tokens claimed ({claim.rule}), {found} counted")
        if claim.cover != total - found:
            problems.append(f"cover {claim.cover} claimed ({claim.rule}), {total - found} counted")
        claimed = claim.extra.get("relaxed_cover", relaxed)
        if claimed != relaxed:
            problems.append(f"relaxed cover {claimed} claimed, {relaxed} counted")
        if claim.lower_bound is not None and claim.lower_bound > fewest:
            problems.append(f"lower bound {claim.lower_bound} claimed, {fewest} tokens suffice")
        if claim.status == "optimal" and claim.lower_bound != found:
            problems.append(f"optimal claimed: bound {claim.lower_bound}, {found} tokens")
    return Verification(
        ok=not problems,
        tokens=fewest,
        cover=total - fewest,
        tokens_priority=in_order,
        relaxed_cover=relaxed,
        size=len(ranks),
        k=instance.k,
        threshold=instance.threshold,
        meets_threshold=None if instance.threshold is None else fewest <= instance.threshold,
        problems=tuple(problems),
    )


def _places(word: Token, ranks: dict[Token, int], lengths: Sequence[int]) -> list[tuple[int, int]]:
    """(start, end) of every occurrence of every token, by start, then end."""
    size = len(word)
    fit = [length for length in lengths if length <= size]
    return [
        (start, start + length)
        for start in range(size)
        for length in fit
        if start + length <= size and word[start : start + length] in ranks
    ]


def _shortest(size: int, places: Sequence[tuple[int, int]]) -> int:
    """Fewest pieces; `places` ascend by start."""
    best = list(range(size + 1))
    reached = 0
    for start, end in places:
        while reached < start:  # single symbols up to here
            reached += 1
            best[reached] = min(best[reached], best[reached - 1] + 1)
        best[end] = min(best[end], best[start] + 1)
    while reached < size:
        reached += 1
        best[reached] = min(best[reached], best[reached - 1] + 1)
    return best[size]


def _relaxed_cover(places: Sequence[tuple[int, int]]) -> int:
    """Pairs under at least one occurrence; `places` ascend by start."""
    pairs = reached = 0
    for start, end in places:
        if end - 1 > reached:
            pairs += end - 1 - max(start, reached)
            reached = end - 1
    return pairs


def _priority(word: Token, ranks: dict[Token, int], places: Sequence[tuple[int, int]]) -> int:
    """Algorithm 4 of Lim, Choo and Lauw (2025): tokens in their order, each left to right."""
    size = len(word)
    inside = [False] * (size + 1)  # inside[i]: the pair of symbols i − 1 and i is in a token
    for start, end in sorted(places, key=lambda place: (ranks[word[place[0] : place[1]]], place)):
        if not inside[start] and not inside[end]:
            for pair in range(start + 1, end):
                inside[pair] = True
    return size - sum(inside)
