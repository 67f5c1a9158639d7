"""Checks vocabularies and certificates in plain Python that shares nothing with the kernels."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from heapq import nlargest
from itertools import accumulate, chain
from typing import Any

import numpy as np

from ..corpus.symbols import Token, show, slices
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.certificate import Certificate, Leaf, policy_digest
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import checked
from ..vocabulary.vocabulary import Vocabulary

__all__ = [
    "CertificateCheck",
    "Verification",
    "case_bound",
    "check_certificate",
    "is_empty",
    "recount",
    "recount_seconds",
    "verify",
]

_TOGETHER = 1 << 20  # numbers of leaves that are looked at in one pass


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


@checked
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

    Raises
    ------
    InputError
        If the vocabulary is of words with an end-of-word mark, and these have none.
    """
    problems: list[str] = []
    if vocabulary.symbols != instance.symbols:
        problems.append(f"tokens over {vocabulary.symbols}, words over {instance.symbols}")
        return Verification(
            False, 0, 0, 0, 0, len(vocabulary), instance.k, None, None, tuple(problems)
        )
    if vocabulary.end_of_word is not None:
        instance.words.refuse_without(vocabulary.end_of_word)
    ranks = {token: rank for rank, token in enumerate(vocabulary)}
    openings = _openings(ranks)
    seen: dict[Token, int] = dict.fromkeys(ranks, 0)
    fewest = _fewest(instance.words, openings, seen)
    total = in_order = relaxed = 0
    for word, count in instance.words:
        total += count * len(word)
        places = _places(word, ranks, openings)
        in_order += count * _priority(word, ranks, places)
        relaxed += count * _relaxed_cover(places)

    problems += _broken(instance, seen)
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


def recount(instance: Instance, vocabulary: Vocabulary) -> tuple[int, tuple[str, ...]]:
    """The fewest tokens that a vocabulary needs, and the conditions that it breaks.

    The part of `verify` that a search needs, in a third of the time.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    vocabulary : Vocabulary
        Over the same symbols.

    Returns
    -------
    tokens : int
        Fewest tokens over the counted words.
    problems : tuple of str
        One line for each condition that is broken.
    """
    seen: dict[Token, int] = dict.fromkeys(vocabulary, 0)
    tokens = _fewest(instance.words, _openings(seen), seen)
    return tokens, tuple(_broken(instance, seen))


def recount_seconds(words: WordCounts, vocabulary: Vocabulary, sample: int = 4000) -> float:
    """About how long `recount` takes here and now, from the time that some of the words take.

    Parameters
    ----------
    words : WordCounts
        All words.
    vocabulary : Vocabulary
        One like that to be recounted.
    sample : int
        Words to measure on, evenly spread; five times, of which the one in the middle counts.
    """
    if not len(words):
        return 0.0
    some = np.arange(0, len(words), max(1, len(words) // sample))
    listed = list(slices(words.data, words.offsets[some], words.offsets[some + 1], words.symbols))
    seen: dict[Token, int] = dict.fromkeys(vocabulary, 0)
    openings = _openings(seen)
    seconds = []
    for _ in range(5):
        begun = time.perf_counter()
        _fewest([(word, 1) for word in listed], openings, seen)
        seconds.append(time.perf_counter() - begun)
    return sorted(seconds)[2] * len(words) / len(some)


def _broken(instance: Instance, seen: dict[Token, int]) -> list[str]:
    """The conditions that a vocabulary breaks, whose tokens occur so many times."""
    problems = []
    if len(seen) > instance.k:
        problems.append(f"{len(seen)} tokens, and the budget k is {instance.k}")
    for group in instance.groups:
        held = sum(token in group for token in seen)
        if held > group.limit:
            problems.append(f"{held} tokens of group {group.name!r}, whose budget is {group.limit}")
    fixed = set(instance.fixed)
    for token in instance.fixed:
        if token not in seen:
            problems.append(f"required token {show(token)!r} is missing")
    for token in instance.forbidden:
        if token in seen:
            problems.append(f"forbidden token {show(token)!r} is used")
    listed = None if instance.candidates is None else set(instance.candidates)
    for token in seen:
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
    return problems


def _openings(tokens: Collection[Token]) -> dict[Token, tuple[int, ...]]:
    """The lengths of the tokens that begin with two symbols, ascending."""
    lengths: dict[Token, set[int]] = defaultdict(set)
    for token in tokens:
        lengths[token[:2]].add(len(token))
    return {opening: tuple(sorted(found)) for opening, found in lengths.items()}


def _fewest(
    words: Iterable[tuple[Token, int]],
    openings: dict[Token, tuple[int, ...]],
    seen: dict[Token, int],
) -> int:
    """Fewest tokens over counted words; adds the occurrences of each token to `seen`."""
    total = 0
    none: tuple[int, ...] = ()
    for word, count in words:
        size = len(word)
        best = list(range(size + 1))
        for start in range(size):
            cost = best[start] + 1
            if cost < best[start + 1]:
                best[start + 1] = cost
            for length in openings.get(word[start : start + 2], none):
                end = start + length
                if end > size:
                    break
                token = word[start:end]
                if token in seen:
                    seen[token] += count
                    if cost < best[end]:
                        best[end] = cost
        total += count * best[size]
    return total


def _places(
    word: Token, tokens: Collection[Token], openings: dict[Token, tuple[int, ...]]
) -> list[tuple[int, int]]:
    """(start, end) of every occurrence of every token, by start, then end."""
    size = len(word)
    return [
        (start, start + length)
        for start in range(size)
        for length in openings.get(word[start : start + 2], ())
        if start + length <= size and word[start : start + length] in tokens
    ]


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


@dataclass(frozen=True)
class CertificateCheck:
    """What an independent recount of a certificate finds.

    Attributes
    ----------
    ok : bool
        The certificate is about this instance and proves what it claims.
    claimed : int
        The lower bound it claims.
    lower_bound : int
        The lower bound its prices prove for this instance: at most the optimum, whatever the
        prices are; 0 where the certificate is about another instance.
    leaves : int
        Leaves of its tree.
    problems : tuple of str
        One line for each thing that is wrong.
    """

    ok: bool
    claimed: int
    lower_bound: int
    leaves: int
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return {**asdict(self), "problems": list(self.problems)}


@checked
def check_certificate(instance: Instance, certificate: Certificate) -> CertificateCheck:
    """Recount the lower bound that a certificate proves.

    For a leaf with prices d, required tokens R and excluded tokens F, no vocabulary of at most k
    tokens that holds R and nothing of F needs fewer tokens than ::

        Σ_W c(W)·Σ_p d_p − Σ_{T ∈ R} reward(T) − (the k − |R| largest rewards of other candidates)

    where reward(T) is Σ_W c(W) times the best set of occurrences of T in W that do not overlap,
    each worth max(0, Σ d − 1).  Every vocabulary comes to one leaf: the least leaf is the bound.
    Fees of group budgets are taken off the rewards of a group's candidates, and, once for each
    token that the group has room for besides R, off the bound.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    certificate : Certificate
        What to check.

    Returns
    -------
    CertificateCheck
        Python integers throughout.  One pass over the occurrences of candidates that are not
        dominated, for many leaves together: as many as have a million prices and tokens of the
        branches above.  Memory is a few numbers for each of these, and the distinct candidates
        of one length; no prices are unpacked before it is known how many there must be.

    Notes
    -----
    Candidates that occur in one distinct word only are left out where that word is a candidate:
    some optimum holds none of them, and all branches are the same for it.
    Not so with group budgets, where the word may be of a group that is full: all count there.
    """
    problems = []
    leaves = [node for node in certificate.tree if isinstance(node, Leaf)]
    if certificate.words_sha256 != instance.words.digest:
        problems.append("the certificate is about other words or counts")
    elif certificate.policy_sha256 != policy_digest(instance):
        problems.append("the certificate is about other candidates or conditions")
    if certificate.k != instance.k:
        problems.append(f"the certificate is for k = {certificate.k}, and k is {instance.k}")
    for leaf in leaves:
        if len(leaf.fees) not in (0, len(instance.groups)):
            problems.append(f"a leaf has {len(leaf.fees)} fees for {len(instance.groups)} groups")
            break
    bound = 0
    if not problems:
        try:
            bound = _bound(instance, certificate)
        except InputError as error:
            problems.append(str(error))
        else:
            if certificate.lower_bound > bound:
                problems.append(
                    f"lower bound {certificate.lower_bound} claimed, the prices prove {bound}"
                )
    return CertificateCheck(
        not problems, certificate.lower_bound, bound, len(leaves), tuple(problems)
    )


def case_bound(
    instance: Instance,
    leaf: Leaf,
    scale_bits: int,
    required: frozenset[Token] = frozenset(),
    excluded: frozenset[Token] = frozenset(),
) -> int:
    """The lower bound that a leaf proves for its case, as `check_certificate` counts it.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    leaf : Leaf
        Its prices.
    scale_bits : int
        Binary digits behind the point of a price.
    required, excluded : frozenset of token
        What the vocabularies of this case hold beyond the fixed tokens, and what they lack; the
        case is not empty.

    Returns
    -------
    int
        At most the fewest tokens that a vocabulary of this case needs, if it holds no dominated
        candidate; and at least a token for each counted word.
    """
    prices = leaf.unpacked(_symbols(instance), scale_bits)
    if prices is None:
        return sum(count for _, count in instance.words)
    case = _Case(prices.tolist(), leaf.fees, required | frozenset(instance.fixed), excluded)
    return _bounds(instance, [case], 1 << scale_bits)[0]


def is_empty(instance: Instance, required: frozenset[Token], excluded: frozenset[Token]) -> bool:
    """Whether no vocabulary can hold and lack these tokens: a budget is exceeded, or both."""
    return (
        len(required) > instance.k
        or bool(required & excluded)
        or any(sum(token in group for token in required) > group.limit for group in instance.groups)
    )


class _Case:
    """A leaf while its rewards are summed."""

    def __init__(
        self,
        prices: list[int],
        fees: tuple[int, ...],
        required: frozenset[Token],
        excluded: frozenset[Token],
    ) -> None:
        self.prices = prices
        self.fees = fees
        self.before = list(accumulate(self.prices, initial=0))
        self.required = required
        self.apart = required | excluded
        self.required_reward = 0
        self.rewards: list[int] = []


def _bound(instance: Instance, certificate: Certificate) -> int:
    """The least bound of the leaves that a vocabulary may come to."""
    fixed = frozenset(instance.fixed)
    symbols, scale = _symbols(instance), 1 << certificate.scale_bits
    found: list[int] = []
    cases: list[_Case] = []
    held = 0
    for leaf, inside, outside in certificate.leaves():
        required = fixed | inside
        if is_empty(instance, required, outside):
            continue
        prices = leaf.unpacked(symbols, certificate.scale_bits)
        if prices is None:  # no leaf proves less
            return sum(count for _, count in instance.words)
        held += symbols + len(inside) + len(outside)
        cases.append(_Case(prices.tolist(), leaf.fees, required, outside))
        if held > _TOGETHER:
            found += _bounds(instance, cases, scale)
            cases, held = [], 0
    if cases:
        found += _bounds(instance, cases, scale)
    return min(found)


def _symbols(instance: Instance) -> int:
    return sum(len(word) for word, _ in instance.words)


def _bounds(instance: Instance, cases: Sequence[_Case], scale: int) -> list[int]:
    """The bound of each case; a token for each counted word at least."""
    text = _Text(instance)
    for token, starts in text.places(frozenset().union(*(case.required for case in cases))):
        for case in cases:
            if token in case.required:
                case.required_reward += _reward(case, len(token), starts, text.count_at, scale)
    for token, starts in _candidates(instance, text):
        for case in cases:
            if token not in case.apart:
                reward = _reward(case, len(token), starts, text.count_at, scale)
                for fee, group in zip(case.fees, instance.groups, strict=False):
                    reward -= fee * (token in group)
                if reward > 0:
                    case.rewards.append(reward)
    bounds = []
    for case in cases:
        value = sum(n * price for n, price in zip(text.count_at, case.prices, strict=True))
        value -= case.required_reward
        value -= sum(nlargest(instance.k - len(case.required), case.rewards))
        for fee, group in zip(case.fees, instance.groups, strict=False):
            value -= fee * (group.limit - sum(token in group for token in case.required))
        bounds.append(max(-(-value // scale), sum(text.counts)))
    return bounds


def _reward(
    case: _Case, length: int, starts: Sequence[int], count_at: Sequence[int], scale: int
) -> int:
    """The most that occurrences which do not overlap are worth; `starts` ascend."""
    before = case.before
    best = [0]  # best[i]: among the first i occurrences
    clear = 0  # how many end where the present one starts, or before
    for start in starts:
        while starts[clear] + length <= start:
            clear += 1
        worth = count_at[start] * (before[start + length] - before[start] - scale)
        best.append(max(best[-1], best[clear] + worth))
    return best[-1]


class _Text:
    """The words, ascending, one after another."""

    def __init__(self, instance: Instance) -> None:
        words = sorted(instance.words)
        self.words = [word for word, _ in words]
        self.counts = [count for _, count in words]
        self.sizes = [len(word) for word in self.words]
        self.first = list(accumulate(self.sizes, initial=0))[:-1]
        self.word_at = [n for n, size in enumerate(self.sizes) for _ in range(size)]
        self.count_at = [self.counts[number] for number in self.word_at]
        words_alone: list[Any] = self.words
        self.text: Any
        if instance.symbols == "ints":
            self.text = tuple(chain.from_iterable(words_alone))
        else:
            self.text = (b"" if instance.symbols == "bytes" else "").join(words_alone)

    def starts(self, length: int) -> list[int]:
        """Where a substring of `length` symbols starts."""
        return [
            start
            for first, size in zip(self.first, self.sizes, strict=True)
            for start in range(first, first + size - length + 1)
        ]

    def group(self, starts: Sequence[int], length: int) -> dict[Token, list[int]]:
        """Substrings at `starts`, each with its starts."""
        groups: dict[Token, list[int]] = defaultdict(list)
        for start in starts:
            groups[self.text[start : start + length]].append(start)
        return groups

    def places(self, tokens: Collection[Token]) -> Iterator[tuple[Token, list[int]]]:
        """Given tokens that occur, each with its starts."""
        for length in sorted(set(map(len, tokens))):
            for token, starts in self.group(self.starts(length), length).items():
                if token in tokens:
                    yield token, starts

    def alone(self, starts: Sequence[int]) -> int | None:
        """The number of the one word that all the starts are in, None if there are several."""
        number = self.word_at[starts[0]]
        return number if number == self.word_at[starts[-1]] else None


def _candidates(instance: Instance, text: _Text) -> Iterator[tuple[Token, list[int]]]:
    """Candidates that are not dominated, each with its starts."""
    if instance.candidates is not None:
        pool = set(instance.candidates) - set(instance.forbidden)
        for token, starts in text.places(pool):
            number = text.alone(starts)
            word = None if number is None or instance.groups else text.words[number]
            if word is None or word == token or word not in pool:
                yield token, starts
        return
    forbidden = set(instance.forbidden)
    longest = min(max(text.sizes, default=0), instance.max_length or 2**63)
    # may the whole word stand in for what only it holds?
    stands_in = [
        2 <= len(word) <= longest
        and count >= instance.min_count
        and word not in forbidden
        and not instance.groups
        for word, count in zip(text.words, text.counts, strict=True)
    ]
    whole: dict[int, list[int]] = defaultdict(list)
    for first, size, does in zip(text.first, text.sizes, stands_in, strict=True):
        if does:
            whole[size].append(first)
    starts = text.starts(2)
    for length in range(2, longest + 1):
        longer: list[int] = []
        for token, places in text.group(starts, length).items():
            if sum(map(text.count_at.__getitem__, places)) < instance.min_count:
                continue  # and so is whatever contains it
            number = text.alone(places)
            if number is not None and stands_in[number] and length < text.sizes[number]:
                continue  # and so is all that contains it, but the whole word
            longer += places
            if token not in forbidden:
                yield token, places
        there = set(longer)
        starts = sorted({start for start in longer if start + 1 in there} | {*whole[length + 1]})
