"""Checks certificates in plain Python that shares nothing with the kernels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from heapq import nlargest
from itertools import accumulate, chain
from typing import Any

from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificate import Certificate, Leaf, policy_digest
from ..problem.instance import Instance
from ..runtime.arguments import checked

__all__ = ["CertificateCheck", "case_bound", "check_certificate", "is_empty"]

ENTRIES_A_PASS = 1 << 20
"""Prices and tokens of leaves that are counted in one pass over the words."""


@dataclass(frozen=True)
class CertificateCheck:
    """The result of an independent recount of a certificate.

    Attributes
    ----------
    ok : bool
        Whether the certificate is about this instance and proves what it claims.
    claimed : int
        The lower bound that it claims.
    lower_bound : int
        The lower bound that its prices prove for this instance: at most the optimum, whatever
        the prices are; 0 where the certificate is about another instance.
    leaves : int
        Number of leaves in its tree.
    problems : tuple of str
        One line for each thing that is wrong.

    Examples
    --------
    >>> from partcover import Instance, check_certificate, lower_bound
    >>> instance = Instance({"abc": 1, "abd": 1}, k=1)
    >>> check_certificate(instance, lower_bound(instance).certificate).to_json()["leaves"]
    1
    """

    ok: bool
    claimed: int
    lower_bound: int
    leaves: int
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return {**asdict(self), "problems": list(self.problems)}


@checked
def check_certificate(instance: Instance, certificate: Certificate) -> CertificateCheck:
    """Recounts the lower bound that a certificate proves.

    For a leaf with prices d, required tokens R and excluded tokens F, no vocabulary of at most k
    tokens that holds R and nothing of F needs fewer tokens than ::

        Σ_W c(W)·Σ_p d_p − Σ_{T ∈ R} reward(T) − (the k − |R| largest rewards of other candidates)

    where W is a word that is counted c(W) times, p a symbol of W, and reward(T) is Σ_W c(W) times
    the best set of occurrences of T in W that do not overlap, each worth max(0, Σ d − 1).  Every
    vocabulary comes to one leaf, so the smallest bound of a leaf holds for all.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    certificate : Certificate
        The certificate to check.

    Returns
    -------
    CertificateCheck
        Python integers throughout.  One pass over the occurrences of candidates that are not
        dominated, for many leaves together: as many as have a million prices and tokens of the
        branches above.  Memory is a few numbers for each of these, and the distinct candidates
        of one length; no prices are unpacked before it is known how many there must be.

    Notes
    -----
    Why the bound holds, for a vocabulary S of the case, and the words cut by S into the fewest
    pieces:

    1. The prices of a word are the prices of its pieces.
    2. A piece that is a single symbol has a price of at most 1: no more than it costs.
    3. A piece that is a token has prices of at most 1 + max(0, Σ d − 1): its cost and its worth.
    4. Pieces of a word that are the token T do not overlap: over all words they are worth at
       most reward(T).
    5. So Σ c·Σ d ≤ (the tokens needed) + Σ_{T ∈ S} reward(T), and S holds R, nothing of F, and
       at most k − |R| other candidates, whose rewards are at most the largest ones.  ∎

    Group budgets: a leaf may have a fee f_g ≥ 0 for each group.  A reward outside R is then less
    the fees of its token's groups, and the bound is less f_g for each token that group g has room
    for besides R.  The tokens of S outside R pay no more fees than that, so line 5 holds.

    Dominated candidates, which occur in one distinct word only that is a candidate too, are left
    out: some optimum holds none of them (`partcover.problem.candidates.CandidateIndex` says
    why), it comes to one leaf as every vocabulary does, and the bound need hold for no other.
    Not so with group budgets, where the word may be of a group that is full: all candidates count
    there.

    Examples
    --------
    The words and prices of "By hand" in docs/certificates.md:

    >>> import numpy as np
    >>> from partcover import Certificate, Instance, check_certificate
    >>> from partcover.problem.certificate import Leaf
    >>> instance = Instance({"abc": 1, "abd": 1}, k=1)
    >>> prices = np.array([2, 1, 2, 2, 1, 2], np.int32)  # in units of 1/2
    >>> certificate = Certificate.of(instance, (Leaf(prices),), lower_bound=4, scale_bits=1)
    >>> check_certificate(instance, certificate)
    CertificateCheck(ok=True, claimed=4, lower_bound=4, leaves=1, problems=())
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
    """Returns the lower bound that a leaf proves for its case, as `check_certificate` counts it.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    leaf : Leaf
        Its prices.
    scale_bits : int
        Binary digits behind the point of a price.
    required, excluded : frozenset of token
        Tokens that the vocabularies of this case hold beyond the fixed ones, and tokens that they
        lack; the case is not empty.

    Returns
    -------
    int
        At most the fewest tokens that a vocabulary of this case needs, if it holds no dominated
        candidate; and at least a token for each counted word.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover import Instance
    >>> from partcover.problem.certificate import Leaf
    >>> from partcover.verification.certificate_check import case_bound
    >>> instance = Instance({"abc": 1, "abd": 1}, k=1)
    >>> leaf = Leaf(np.array([2, 2, 2, 2, 2, 2], np.int32))  # prices of 1
    >>> case_bound(instance, leaf, 1), case_bound(instance, leaf, 1, required=frozenset([b"abc"]))
    (4, 4)
    """
    prices = leaf.unpacked(_symbols(instance), scale_bits)
    if prices is None:
        return sum(count for _, count in instance.words)
    case = _Case(prices.tolist(), leaf.fees, required | frozenset(instance.fixed), excluded)
    return _bounds(instance, [case], 1 << scale_bits)[0]


def is_empty(instance: Instance, required: frozenset[Token], excluded: frozenset[Token]) -> bool:
    """Returns whether no vocabulary holds the required tokens and lacks the excluded ones.

    That is so where the required tokens exceed a budget, or where a token is both.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.verification.certificate_check import is_empty
    >>> is_empty(Instance({"hat": 2}, k=1), frozenset([b"ha", b"at"]), frozenset())
    True
    """
    return (
        len(required) > instance.k
        or bool(required & excluded)
        or any(sum(token in group for token in required) > group.limit for group in instance.groups)
    )


class _Case:
    """A leaf, with the tokens of the branches above it, while its rewards are summed."""

    def __init__(
        self,
        prices: list[int],
        fees: tuple[int, ...],
        required: frozenset[Token],
        excluded: frozenset[Token],
    ) -> None:
        self.prices = prices
        self.fees = fees
        self.before = list(accumulate(prices, initial=0))  # the prices before each symbol
        self.required = required
        self.decided = required | excluded
        self.required_reward = 0
        self.rewards: list[int] = []


def _bound(instance: Instance, certificate: Certificate) -> int:
    """The smallest bound of the leaves that a vocabulary may come to."""
    fixed = frozenset(instance.fixed)
    symbols, scale = _symbols(instance), 1 << certificate.scale_bits
    bounds: list[int] = []
    cases: list[_Case] = []
    n_entries = 0
    for leaf, inside, outside in certificate.leaves():
        required = fixed | inside
        if is_empty(instance, required, outside):
            continue
        prices = leaf.unpacked(symbols, certificate.scale_bits)
        if prices is None:  # no leaf proves less
            return sum(count for _, count in instance.words)
        n_entries += symbols + len(inside) + len(outside)
        cases.append(_Case(prices.tolist(), leaf.fees, required, outside))
        if n_entries > ENTRIES_A_PASS:
            bounds += _bounds(instance, cases, scale)
            cases, n_entries = [], 0
    if cases:
        bounds += _bounds(instance, cases, scale)
    return min(bounds)


def _symbols(instance: Instance) -> int:
    return sum(len(word) for word, _ in instance.words)


def _bounds(instance: Instance, cases: Sequence[_Case], scale: int) -> list[int]:
    """The bound of each case; a token for each counted word at least."""
    text = _Text(instance)
    for token, starts in text.occurrences(frozenset().union(*(case.required for case in cases))):
        for case in cases:
            if token in case.required:
                case.required_reward += _reward(case, len(token), starts, text.count_at, scale)
    for token, starts in _candidates(instance, text):
        for case in cases:
            if token not in case.decided:
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
    """The largest worth of occurrences that do not overlap; `starts` ascend."""
    before = case.before
    best = [0]  # best[i]: the largest worth among the first i occurrences
    n_ended = 0  # occurrences that end where the present one starts, or before
    for start in starts:
        while starts[n_ended] + length <= start:
            n_ended += 1
        worth = count_at[start] * (before[start + length] - before[start] - scale)
        best.append(max(best[-1], best[n_ended] + worth))
    return best[-1]


class _Text:
    """The words in ascending order, one after another."""

    def __init__(self, instance: Instance) -> None:
        pairs = sorted(instance.words)
        self.words = [word for word, _ in pairs]
        self.counts = [count for _, count in pairs]
        self.sizes = [len(word) for word in self.words]
        self.first = list(accumulate(self.sizes, initial=0))[:-1]
        self.word_at = [n for n, size in enumerate(self.sizes) for _ in range(size)]
        self.count_at = [self.counts[number] for number in self.word_at]
        words: list[Any] = self.words
        self.text: Any
        if instance.symbols == "ints":
            self.text = tuple(chain.from_iterable(words))
        else:
            self.text = (b"" if instance.symbols == "bytes" else "").join(words)

    def starts(self, length: int) -> list[int]:
        """Where a substring of `length` symbols starts."""
        return [
            start
            for first, size in zip(self.first, self.sizes, strict=True)
            for start in range(first, first + size - length + 1)
        ]

    def by_substring(self, starts: Sequence[int], length: int) -> dict[Token, list[int]]:
        """The substrings at `starts`, each with its starts."""
        groups: dict[Token, list[int]] = defaultdict(list)
        for start in starts:
            groups[self.text[start : start + length]].append(start)
        return groups

    def occurrences(self, tokens: Collection[Token]) -> Iterator[tuple[Token, list[int]]]:
        """Yields those of the tokens that occur, each with its starts."""
        for length in sorted(set(map(len, tokens))):
            for token, starts in self.by_substring(self.starts(length), length).items():
                if token in tokens:
                    yield token, starts

    def only_word(self, starts: Sequence[int]) -> int | None:
        """The number of the one word that all the starts are in, None if there are several."""
        number = self.word_at[starts[0]]
        return number if number == self.word_at[starts[-1]] else None


def _candidates(instance: Instance, text: _Text) -> Iterator[tuple[Token, list[int]]]:
    """Yields the candidates that are not dominated, each with its starts."""
    if instance.candidates is not None:
        pool = set(instance.candidates) - set(instance.forbidden)
        for token, starts in text.occurrences(pool):
            number = text.only_word(starts)
            word = None if number is None or instance.groups else text.words[number]
            if word is None or word == token or word not in pool:
                yield token, starts
        return
    forbidden = set(instance.forbidden)
    longest = min(max(text.sizes, default=0), instance.max_length or 2**63)
    # whether a word dominates the candidates that occur in it alone
    dominates = [
        2 <= len(word) <= longest
        and count >= instance.min_count
        and word not in forbidden
        and not instance.groups
        for word, count in zip(text.words, text.counts, strict=True)
    ]
    whole: dict[int, list[int]] = defaultdict(list)  # starts of these words, by length
    for first, size, does in zip(text.first, text.sizes, dominates, strict=True):
        if does:
            whole[size].append(first)
    starts = text.starts(2)
    for length in range(2, longest + 1):
        extensible: list[int] = []
        for token, places in text.by_substring(starts, length).items():
            if sum(map(text.count_at.__getitem__, places)) < instance.min_count:
                continue  # nor is anything frequent enough that contains it
            number = text.only_word(places)
            if number is not None and dominates[number] and length < text.sizes[number]:
                continue  # and so is all that contains it, but the whole word
            extensible += places
            if token not in forbidden:
                yield token, places
        known = set(extensible)
        longer = {start for start in extensible if start + 1 in known}
        starts = sorted(longer | {*whole[length + 1]})
