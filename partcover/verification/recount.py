"""Recounts the tokens that a vocabulary needs in plain Python, without the code of the kernels."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from ..corpus.counting.head_and_tail import HeadAndTail, WordShard
from ..corpus.symbols import Token, show, slices
from ..corpus.word_counts import WordCounts
from ..problem.instance import Instance
from ..problem.merge_condition import MergeCondition
from ..problem.solution import Solution
from ..runtime.arguments import checked
from ..vocabulary.vocabulary import Vocabulary
from .merge_check import made_tokens, unmade_tokens
from .rule_recount import COUNTED, tokens_by_rule
from .sorted_words import openings_of

_SAMPLE = 4000  # words whose recount is timed


@dataclass(frozen=True)
class Verification:
    """The result of an independent recount of a vocabulary.

    Attributes
    ----------
    ok : bool
        Whether nothing is wrong.
    tokens, cover : int
        Fewest tokens over the counted words, and adjacent pairs inside these tokens; those of
        merging, if the instance has merges in their order.
    tokens_priority : int
        Tokens under GreedTok's priority order, the vocabulary in its own order.
    relaxed_cover : int
        Pairs under any occurrence of any token, overlaps allowed: the objective of WMC.
    size, k : int
        Number of tokens in the vocabulary, and the budget.
    threshold, meets_threshold : int or None, bool or None
        The instance's threshold, and whether the vocabulary needs at most that many tokens.
    problems : tuple of str
        One line for each thing that is wrong.
    by_corpus, worst : tuple of int, Fraction or None
        The fewest tokens of each of several corpora, and the largest ratio to the references.

    Examples
    --------
    >>> from partcover import Instance, Vocabulary, verify
    >>> verification = verify(Instance({"hat": 2}, k=1, threshold=4), Vocabulary(["ha"]))
    >>> verification.meets_threshold, verification.to_json()["tokens"]
    (True, 4)
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
    by_corpus: tuple[int, ...] = ()
    worst: Fraction | None = None

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        data = {**asdict(self), "problems": list(self.problems)}
        del data["by_corpus"], data["worst"]
        if self.worst is not None:
            data |= {"worst": float(self.worst), "worst_exact": str(self.worst)}
            data["by_corpus"] = list(self.by_corpus)
        return data


@checked
def verify(
    instance: Instance, vocabulary: Vocabulary, *, claim: Solution | None = None
) -> Verification:
    """Recounts tokens, cover and budget of a vocabulary, and checks every condition.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    vocabulary : Vocabulary
        The vocabulary to check.
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
        If the vocabulary is for words with an end-of-word mark, and these have none.

    Examples
    --------
    >>> from partcover import Instance, Vocabulary, verify
    >>> instance = Instance({"that": 3, "hat": 2}, k=1, required=["at"])
    >>> verification = verify(instance, Vocabulary(["hat"]))
    >>> verification.tokens, verification.problems
    (8, ("required token 'at' is missing",))
    """
    if vocabulary.symbols != instance.symbols:
        other = f"the tokens are over {vocabulary.symbols}, but the words are over "
        size, about = len(vocabulary), other + instance.symbols
        return Verification(False, 0, 0, 0, 0, size, instance.k, None, None, (about,))
    if vocabulary.end_of_word is not None:
        instance.words.refuse_without(vocabulary.end_of_word)
    sums, occurrences = _recounted(instance, vocabulary, every=True)
    fewest, total, relaxed = sums["fewest"], sums["symbols"], sums["relaxed_cover"]
    problems = _broken(instance, vocabulary, occurrences)
    by_corpus, worst = _by_corpus(instance, vocabulary)
    if instance.corpora is not None and sum(by_corpus) != fewest:
        problems.append(
            f"{sum(by_corpus)} tokens are counted over the corpora, but {fewest} over all words"
        )
    if claim is not None:
        counted = sums["by_priority"] if claim.rule == "priority" else fewest
        if claim.rule == vocabulary.rule and claim.rule in COUNTED:
            counted = tokens_by_rule(instance.tail or instance.words, vocabulary)
        problems += [
            f"{stated} {what} are claimed ({claim.rule}), but {found} are counted"
            for stated, found, what in (
                (claim.tokens, counted, "tokens"),
                (claim.cover, total - counted, "covered pairs"),
                (claim.extra.get("relaxed_cover", relaxed), relaxed, "pairs of the relaxed cover"),
            )
            if stated != found
        ]
        if worst is not None and tuple(each.tokens for each in claim.corpora) != by_corpus:
            problems.append("the tokens claimed for the corpora differ")
        least, stated = (fewest, counted) if worst is None else (worst, worst)
        what = "tokens suffice" if worst is None else "is the largest ratio"
        bound = claim.lower_bound
        if bound is not None and bound > least:
            problems.append(f"the lower bound {bound} is claimed, but {least} {what}")
        if "smallest_size" in claim.extra:  # the status is about the size
            bound, stated = claim.extra["smallest_size"], len(occurrences)
            what = "tokens are chosen"
        if claim.status == "optimal" and bound != stated:
            problems.append(f"optimality is claimed with the bound {bound}, but {stated} {what}")
    return Verification(
        ok=not problems,
        tokens=fewest,
        cover=total - fewest,
        tokens_priority=sums["by_priority"],
        relaxed_cover=relaxed,
        size=len(occurrences),
        k=instance.k,
        threshold=instance.threshold,
        meets_threshold=None if instance.threshold is None else fewest <= instance.threshold,
        problems=tuple(problems),
        by_corpus=by_corpus,
        worst=worst,
    )


#: Sums over words by name (of what is counted), and the occurrences of each token.
_Counts: TypeAlias = tuple[Counter[str], Counter[Token]]


def _count(words: WordCounts | HeadAndTail, vocabulary: Vocabulary, *, every: bool) -> _Counts:
    """Counts all words; without `every`, only the fewest tokens and the occurrences."""
    ranks = {token: rank for rank, token in enumerate(vocabulary)}
    if isinstance(words, WordCounts):
        return _counted([words], ranks, every)
    sums, occurrences = _counted([], ranks, every)
    for more, found in words.map(_counted_in, ranks, every):
        sums.update(more)
        occurrences.update(found)
    return sums, occurrences


def _recounted(instance: Instance, vocabulary: Vocabulary, *, every: bool) -> _Counts:
    """Counts all words of an instance; the fewest tokens are those of its rule."""
    words = instance.tail or instance.words
    sums, occurrences = _count(words, vocabulary, every=every)
    if instance.rule != "shortest_path":
        sums["fewest"] = _tokens(instance, words, vocabulary)
    return sums, occurrences


def _counted(blocks: Iterable[WordCounts], ranks: dict[Token, int], every: bool) -> _Counts:
    """Counts blocks of words."""
    openings = openings_of(ranks)
    sums, occurrences = Counter[str](), Counter(dict.fromkeys(ranks, 0))
    for words in blocks:
        sums["fewest"] += _fewest(words, openings, occurrences)
        for word, count in words if every else ():
            places = _places(word, ranks, openings)
            sums["symbols"] += count * len(word)
            sums["by_priority"] += count * _priority(word, ranks, places)
            sums["relaxed_cover"] += count * _relaxed_cover(places)
    return sums, occurrences


def _counted_in(shard: WordShard, ranks: dict[Token, int], every: bool) -> _Counts:
    """Counts the words of a shard."""
    return _counted(shard.blocks(), ranks, every)


def _by_corpus(
    instance: Instance, vocabulary: Vocabulary
) -> tuple[tuple[int, ...], Fraction | None]:
    """Returns the fewest tokens of each of several corpora, and the largest ratio."""
    if instance.corpora is None:
        return (), None
    corpora = instance.corpora.tails or instance.corpora.words
    tokens = tuple(_tokens(instance, words, vocabulary) for words in corpora)
    return tokens, max(map(Fraction, tokens, instance.corpora.references))


def _tokens(instance: Instance, words: WordCounts | HeadAndTail, vocabulary: Vocabulary) -> int:
    """Returns the tokens that words need by the shortest path, or by the instance's merges."""
    if instance.rule == "shortest_path":
        return _count(words, vocabulary, every=False)[0]["fewest"]
    return tokens_by_rule(words, instance.vocabulary(vocabulary, vocabulary.method))


def reached(instance: Instance, vocabulary: Vocabulary) -> int | Fraction:
    """Recounts the tokens of a vocabulary, or its largest ratio over several corpora."""
    worst = _by_corpus(instance, vocabulary)[1]
    return _tokens(instance, instance.words, vocabulary) if worst is None else worst


def recount(instance: Instance, vocabulary: Vocabulary) -> tuple[int, tuple[str, ...]]:
    """Recounts the fewest tokens that a vocabulary needs, and lists the conditions it violates.

    This is the part of `verify` that a search needs; it takes a third of the time.

    Examples
    --------
    >>> from partcover import Instance, Vocabulary
    >>> from partcover.verification.recount import recount
    >>> recount(Instance({"that": 3, "hat": 2}, k=1), Vocabulary(["hat"]))
    (8, ())
    """
    sums, occurrences = _recounted(instance, vocabulary, every=False)
    return sums["fewest"], tuple(_broken(instance, vocabulary, occurrences))


def recount_seconds(words: WordCounts, vocabulary: Vocabulary) -> float:
    """Estimates the time of a `recount` from the median of five runs on evenly spaced words."""
    if not len(words):
        return 0.0
    drawn = np.arange(0, len(words), max(1, len(words) // _SAMPLE))
    ends = words.offsets[drawn], words.offsets[drawn + 1]
    pairs = [(word, 1) for word in slices(words.data, *ends, words.symbols)]
    occurrences: dict[Token, int] = dict.fromkeys(vocabulary, 0)
    openings, seconds = openings_of(occurrences), []
    for _ in range(5):
        begun = time.perf_counter()
        _fewest(pairs, openings, occurrences)
        seconds.append(time.perf_counter() - begun)
    return median(seconds) * len(words) / len(drawn)


def _broken(instance: Instance, vocabulary: Vocabulary, occurrences: dict[Token, int]) -> list[str]:
    """Returns the conditions that a vocabulary violates, given the occurrences of its tokens."""
    problems = []
    if len(occurrences) > instance.k:
        problems.append(f"{len(occurrences)} tokens, but k is {instance.k}")
    for group in instance.groups:
        size = sum(token in group for token in occurrences)
        if size > group.limit:
            problems.append(
                f"{size} tokens are in group {group.name!r}, whose budget is {group.limit}"
            )
    fixed = set(instance.fixed)
    missing = [token for token in instance.fixed if token not in occurrences]
    problems += [f"required token {show(token)!r} is missing" for token in missing]
    used = filter(occurrences.__contains__, instance.forbidden)
    problems += [f"forbidden token {show(token)!r} is used" for token in used]
    if instance.merges is not None:
        own = MergeCondition.of(vocabulary)
        # no word contains a token that the vocabulary's own merges do not make
        tokens = vocabulary if own is None else made_tokens(vocabulary, own, instance)
        problems += [
            f"the instance's merges do not make token {show(token)!r} from other tokens of the "
            "vocabulary"
            for token in unmade_tokens(tokens, instance.merges, instance)
        ]
    listed = None if instance.candidates is None else set(instance.candidates)
    for token, count in occurrences.items():
        if token in fixed:
            continue
        if listed is not None:
            if token not in listed:
                problems.append(f"token {show(token)!r} is not in the candidate list")
        elif not count:
            problems.append(f"token {show(token)!r} occurs in no word")
        elif instance.max_length is not None and len(token) > instance.max_length:
            problems.append(f"token {show(token)!r} is longer than {instance.max_length} symbols")
        elif count < instance.min_count:
            problems.append(
                f"token {show(token)!r} occurs {count} times, fewer than {instance.min_count}"
            )
    return problems


def _fewest(
    words: Iterable[tuple[Token, int]],
    openings: dict[Token, tuple[int, ...]],
    occurrences: dict[Token, int],
) -> int:
    """Returns the fewest tokens of counted words; adds to the occurrences of each token."""
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
                if token in occurrences:
                    occurrences[token] += count
                    if cost < best[end]:
                        best[end] = cost
        total += count * best[size]
    return total


def _places(
    word: Token, tokens: Collection[Token], openings: dict[Token, tuple[int, ...]]
) -> list[tuple[int, int]]:
    """Returns every occurrence of every token as (start, end), sorted by start, then end."""
    size = len(word)
    return [
        (start, start + length)
        for start in range(size)
        for length in openings.get(word[start : start + 2], ())
        if start + length <= size and word[start : start + length] in tokens
    ]


def _relaxed_cover(places: Sequence[tuple[int, int]]) -> int:
    """Returns the number of pairs inside at least one occurrence; `places` ascend by start."""
    pairs = reached = 0
    for start, end in places:
        if end - 1 > reached:
            pairs += end - 1 - max(start, reached)
            reached = end - 1
    return pairs


def _priority(word: Token, ranks: dict[Token, int], places: Sequence[tuple[int, int]]) -> int:
    """Returns the number of tokens if each token in turn is placed, from left to right.

    Algorithm 4 of Lim, Choo and Lauw (2025).
    """
    size = len(word)
    inside = [False] * (size + 1)  # inside[i]: the pair of symbols i − 1 and i is in a token
    for start, end in sorted(places, key=lambda place: (ranks[word[place[0] : place[1]]], place)):
        if not inside[start] and not inside[end]:
            for pair in range(start + 1, end):
                inside[pair] = True
    return size - sum(inside)
