"""Checks certificates in plain Python, without the code of the kernels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificates.certificate import Certificate, policy_digest
from ..problem.certificates.nodes import Leaf
from ..problem.instance import Instance
from ..runtime.arguments import checked
from .leaf_bound import LeafCase, least_bound, lower_bounds, ratio_bound
from .leaf_terms import LeafTerms
from .recount import reached
from .sorted_words import SortedWords, occurring_candidates
from .tail_check import head_of, tail_bound

ENTRIES_A_PASS = 1 << 20
"""Prices, multipliers and tokens of leaves that are counted in one pass over the words."""


@dataclass(frozen=True)
class CertificateCheck:
    """The result of an independent recount of a certificate.

    Attributes
    ----------
    ok : bool
        Whether the certificate is about this instance and proves what it claims.
    claimed : int or Fraction
        The lower bound that it claims.
    lower_bound : int or Fraction
        The lower bound that its prices and cuts prove for this instance: at most the optimum,
        whatever they are; 0 where the certificate is about another instance, or a cut not valid.
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
    claimed: int | Fraction
    lower_bound: int | Fraction
    leaves: int
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        data = {**asdict(self), "problems": list(self.problems)}
        if Fraction in map(type, (self.lower_bound, self.claimed)):
            data |= {"lower_bound": float(self.lower_bound)}
            data |= {"lower_bound_exact": str(self.lower_bound), "claimed": str(self.claimed)}
        return data


@checked
def check_certificate(instance: Instance, certificate: Certificate) -> CertificateCheck:
    """Recounts the lower bound that a certificate proves.

    Take a leaf with prices d, required tokens R and excluded tokens F.  No vocabulary of at most k
    tokens that contains all of R and none of F needs fewer tokens than ::

        Σ_W c(W)·Σ_p d_p − Σ_{T ∈ R} reward(T) − (the k − |R| largest rewards of other candidates)

    where W is a word that is counted c(W) times, p a symbol of W, and reward(T) is Σ_W c(W) times
    the best set of occurrences of T in W that do not overlap, each worth max(0, Σ d − 1).  Every
    vocabulary belongs to the case of one leaf, so the smallest bound of a leaf holds for all.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    certificate : Certificate
        The certificate to check.

    Returns
    -------
    CertificateCheck
        All arithmetic is in Python integers.  One pass over the occurrences of undominated
        candidates serves many leaves: as many as together have a million prices, multipliers and
        tokens of the branches above.  Memory is a few numbers for each of these, and the distinct
        candidates of one length.  Prices and multipliers are unpacked only after their number has
        been checked.

    Notes
    -----
    Why the bound holds: let S be a vocabulary of the case, and let the words be segmented with S
    into the fewest pieces.

    1. The prices of a word sum to the prices of its pieces.
    2. A piece that is a single symbol has a price of at most 1, which is what it costs.
    3. A piece that is a token has prices of at most 1 + max(0, Σ d − 1): its cost and its worth.
    4. Pieces of a word that are the same token T do not overlap.  So over all words they are worth
       at most reward(T).
    5. So Σ c·Σ d ≤ (the tokens needed) + Σ_{T ∈ S} reward(T).  S contains R, nothing of F, and at
       most as many other candidates as R leaves of k, whose rewards are at most the largest.  ∎

    A leaf with pairs E of tokens that overlap has multipliers m(W, p, E) ≥ 0, and for cuts C
    multipliers μ_C ≥ 0 (`partcover.problem.certificates.cuts`).  An occurrence of T is then worth
    max(0, Σ_p (d − Σ_{E ∋ T} m(W, p, E)) − 1).  The reward of a token is higher by
    Σ_{C ∋ T} μ_C·coef_C, and the bound is lower by Σ_E max(0, ρ_E − Σ_{C ∋ E} μ_C) + Σ_C μ_C·rhs_C,
    where ρ_E is Σ_W c(W) Σ_p m(W, p, E).  Why:

    6. In line 3, a piece that is T has prices of at most 1 + its worth + what T pays over it.
    7. Only one piece lies over a symbol.  So the multiplier m of a pair and a symbol is paid at
       most once, and only if a token of the pair is in S.  Let y_E be 1 if one of them is, and 0 if
       none is.  Then at most Σ ρ_E·y_E is paid, and line 5 becomes
       Σ c·Σ d ≤ (the tokens needed) + Σ_{T ∈ S} reward(T) + Σ ρ_E·y_E.
    8. The last sum is Σ (ρ_E − Σ μ)·y_E + Σ_C μ_C Σ_{E ∈ C} y_E, and its first part is at most
       Σ max(0, ρ_E − Σ μ).
    9. If s of its tokens are in S, a cut has Σ_{E ∈ C} y_E ≤ coef_C·s + rhs_C, whether its edges
       have multipliers or not.  In a clique of n tokens, C(n, 2) − C(n − s, 2) edges have a token
       in S: a concave function of s, of which coef_C·s + rhs_C is the line through the values at r
       and r + 1.  For a cycle see line 11.  So each T of C in S adds μ_C·coef_C, and C itself adds
       μ_C·rhs_C.  ∎

    Links: a leaf may have multipliers m ≥ 0 for two tokens A and B at symbols of words.  Let p be
    such a symbol, and q the first symbol of the next B that begins behind p in the word.  A pays m
    if it lies over p, B if it lies over q, and each of some other tokens D that are listed if it
    lies over both.  (D pays at p if all its occurrences in the word over p lie over q too, or else
    at q if all those over q lie over p; or else not at all.)  Then the bound is lower by
    ρ + max(0, ρ − Σ μ_C), where ρ is Σ c(W)·m and the sum is over the cuts with this link.  Such a
    cut is a cycle: neighbors have an edge or a link, and the number e of edges is odd; coef is 1
    and rhs (e − 1)/2.  Why:

    10. At most one piece lies over p, and one over q.  If both are different pieces and both pay,
        they are A and B.  So m is paid at most 1 + w times, where w is 1 if A and B are both in S,
        and 0 otherwise.  Lines 7 and 8 hold for ρ·(1 + w) as they do for ρ_E·y_E.
    11. For an edge, y is half the sum of x of its two tokens, where x is 1 if a token is in S; half
        a one more if exactly one of them is in S.  For a link, w is half a one less in that case.
        Around a cycle this happens an even number of times.  So if it happens at all e edges, it
        also happens at a link, and Σ y + Σ w ≤ Σ x + (e − 1)/2.  ∎

    Group budgets: a leaf may have a multiplier f_g ≥ 0 for each group.  A reward is then lower by
    the multipliers of its token's groups, and the bound is lower by f_g for each token that group g
    allows.  The tokens of S pay at most that much, so line 5 holds.

    Merges (`Instance.merges`): a token T may pay u_T ≥ 0, and its parts P get v_TP ≥ 0.  For each
    way in which two parts make T, those of the two that are not single symbols must together get at
    least u_T.  A token P may also get m(W, p, P) ≥ 0 for a symbol p of a word W.  This multiplier
    is paid by P and by all tokens that no merges make without P: their occurrences over p are worth
    that much less.  The reward of T is then lower by u_T, and higher by
    Σ_U v_UT + Σ_W c(W)·Σ_p m(W, p, T).  Tokens that need no parts do not pay: required tokens,
    tokens that may be made of two single symbols, and whole words if the condition says so.

    Why, for a vocabulary S that satisfies the condition: only one piece lies over a symbol, so each
    multiplier m is paid at most once.  It is paid only if a token that needs P is in S, and then P
    is in S too, so all payments go to tokens of S.  Each T of S that pays u_T has two parts in S
    that make it.  They get at least u_T from it, and what other tokens get is not negative.  So
    line 5 holds with these rewards.  ∎  Merging with such a vocabulary needs at least as many
    tokens as the shortest path, and a token that merges do not make is never used.  So the bound
    holds for all vocabularies segmented by these merges.  By rank (`MergeCondition.by_rank`), other
    neighbors may be merged, too; the bound is then only for vocabularies with these parts.

    Merges in their order (`MergeCondition.rule`): take a merge of a and b, and a symbol p of a
    word W with a before p and b from p on.  `partcover.problem.merge_order.MergeOrder` says which
    tokens A that end before p keep a as their last part until after the merge (L), and which tokens
    B that begin with p keep b as their first part (R), and proves: if ab is in S, no A of L is
    followed by a B of R.  So (B of R) ≤ (pieces not in L that end before p) + 1 − [ab in S].  With
    a multiplier m ≥ 0 for this row, tokens of R pay m where they begin with p, and tokens not in L
    get m where they end before p.  A single symbol p that is in R has a price that is higher by m,
    and one before p that is not in L a price that is lower by m.  The reward of ab and the bound
    are lower by c(W)·m.

    Why, for the segmentation of W by the merges with S: in lines 2 and 3 a piece that pays costs
    its payments in addition, so line 5 holds if the payments are added to the tokens needed.  Over
    the pieces of a word they sum to at most m·(1 − [ab in S]) for each row, which is what the bound
    and the reward of ab are lower by.  A token that also pays elsewhere would make this wrong, so
    a token of which an earlier occurrence contains p is not in R; one that gets more does not.  ∎

    Several corpora (`Instance.corpora`): a leaf has weights w ≥ 0, not all 0, and c(W) is
    Σ w_i·c_i(W) for the counts c_i(W) of corpus i.  Let L be the bound of the leaf, t_i the tokens
    of corpus i and r_i its reference.  Then L ≤ Σ w_i·t_i ≤ z·Σ w_i·r_i for the largest ratio
    z = max t_i / r_i.  This ratio is an integer divided by one of the references, so it is at least
    the smallest such number that is not below L / Σ w_i·r_i.  ∎

    A head and a tail (`Instance.tail`): the leaf is for the head, and the words of the tail get
    their prices by a rule.  `partcover.verification.tail_check` defines it.

    A leaf without prices: if the case leaves nothing to choose (R has k tokens, or R and F are all
    candidates), R is its only vocabulary that matters, and the leaf proves the tokens that it
    needs.  Otherwise the leaf proves one token for each counted word.

    Dominated candidates occur in only one distinct word, which is a candidate too.  They are left
    out: some optimum contains none of them (`partcover.problem.candidates.CandidateIndex` says
    why), it belongs to the case of one leaf as every vocabulary does, and the bound need not hold
    for other vocabularies.  With group budgets the word may be in a group that is full, and with
    merges the word may be made from the candidate.  In both cases all candidates are counted.

    Examples
    --------
    The words and prices of "By hand" in docs/concepts/certificates.md:

    >>> import numpy as np
    >>> from partcover import Certificate, Instance, check_certificate
    >>> from partcover.problem.certificates.nodes import Leaf
    >>> instance = Instance({"abc": 1, "abd": 1}, k=1)
    >>> prices = np.array([2, 1, 2, 2, 1, 2], np.int32)  # in units of 1/2
    >>> certificate = Certificate.of(instance, (Leaf(prices),), lower_bound=4, scale_bits=1)
    >>> check_certificate(instance, certificate)
    CertificateCheck(ok=True, claimed=4, lower_bound=4, leaves=1, problems=())

    The cut of "By hand, with a cut" there:

    >>> from partcover.problem.certificates.cuts import Cut, PairPrices
    >>> instance = Instance({"abc": 2, "bca": 2, "cab": 2, "xy": 2}, k=2, max_length=2)
    >>> def pair(first, second, position):
    ...     return PairPrices((first, second), np.array([position]), np.array([1]))
    >>> pairs = (pair(b"ab", b"bc", 1), pair(b"bc", b"ca", 4), pair(b"ab", b"ca", 7))
    >>> cut = Cut((b"ab", b"bc", b"ca"), 2)
    >>> leaf = Leaf(np.ones(11, np.int32), pairs=pairs, cuts=(cut,))
    >>> check_certificate(instance, Certificate.of(instance, (leaf,), 16, scale_bits=0)).ok
    True
    """
    problems = mismatches(instance, certificate)
    leaves = [node for node in certificate.tree if isinstance(node, Leaf)]
    bound: int | Fraction = 0
    if not problems:
        try:
            bound = _proven(instance, certificate)
        except InputError as error:
            problems.append(str(error))
        else:
            if certificate.lower_bound > bound:
                problems.append(
                    f"lower bound {certificate.lower_bound} is claimed, but the prices prove "
                    f"{bound}"
                )
    return CertificateCheck(
        not problems, certificate.lower_bound, bound, len(leaves), tuple(problems)
    )


def mismatches(instance: Instance, certificate: Certificate) -> list[str]:
    """Returns the differences between the instance of a certificate and another, one line each."""
    problems = []
    here, other = (
        "all words" if about.tail is None else "a head and a tail"
        for about in (instance, certificate)
    )
    if here != other:
        return [f"the certificate is about {other}, but the instance has {here}"]
    if certificate.words_sha256 != instance.words.digest:
        problems.append("the certificate is about other words or counts")
    elif certificate.policy_sha256 != policy_digest(instance):
        what = "candidates or conditions"
        if instance.corpora is not None:
            what = "corpora, references, candidates or conditions"
        problems.append(f"the certificate is about other {what}")
    else:
        n_corpora = 0 if instance.corpora is None else len(instance.corpora)
        leaves = (node for node in certificate.tree if isinstance(node, Leaf))
        if others := [leaf.weights for leaf in leaves if len(leaf.weights) != n_corpora]:
            mismatch = f"{len(others[0])} weights for {n_corpora} corpora"
            if not n_corpora:
                mismatch = "weights of corpora, the instance has none"
            problems.append(f"a leaf has {mismatch}")
    if certificate.k != instance.k:
        problems.append(f"the certificate is for k = {certificate.k}, but k is {instance.k}")
        if instance.corpora is not None:  # references may depend on k
            problems.reverse()
    return problems


def _proven(instance: Instance, certificate: Certificate) -> int | Fraction:
    """Returns the bound that a certificate of the instance proves."""
    scale_bits, term = certificate.scale_bits, certificate.tail
    if instance.tail is None or term is None:
        return _smallest_bound(instance, certificate)
    leaf = certificate.tree[0]
    assert isinstance(leaf, Leaf)
    corpora = instance.corpora
    words = instance.tail if corpora is None else corpora.all_weighted(leaf.weights)
    bound = tail_bound(head_of(instance, leaf), words, leaf, scale_bits, term)
    return bound if corpora is None else ratio_bound(corpora, leaf.weights, bound)


def is_empty(instance: Instance, required: frozenset[Token], excluded: frozenset[Token]) -> bool:
    """Returns whether no vocabulary contains the required tokens and none of the excluded ones.

    This is true if the required tokens exceed a budget, if a token is both, or if merges have to
    make a required token and each way to do so has a part that no vocabulary here contains.
    """
    return (
        len(required) > instance.k
        or bool(required & excluded)
        or any(sum(token in group for token in required) > group.limit for group in instance.groups)
        or (instance.merges is not None and _lacks_parts(instance, required, excluded))
    )


def _lacks_parts(
    instance: Instance, required: frozenset[Token], excluded: frozenset[Token]
) -> bool:
    """Returns whether each way to make some required token has a part that is not available."""
    merges, is_full = instance.merges, len(required) == instance.k
    assert merges is not None
    absent = excluded.union(instance.forbidden)
    listed = None if instance.candidates is None else set(instance.candidates)

    def is_gone(part: Token) -> bool:
        if part in required:
            return False
        return is_full or part in absent or (listed is not None and part not in listed)

    unmade = {
        token
        for token in required.difference(instance.fixed)
        if all(any(map(is_gone, parts)) for parts in merges.splits(token))
    }
    if unmade and merges.whole_words:  # whole words need no parts
        unmade -= {word for word, _ in instance.words}
    return bool(unmade)


def _is_decided(
    instance: Instance, words: SortedWords, required: frozenset[Token], excluded: frozenset[Token]
) -> bool:
    """Returns whether a case leaves nothing to choose beyond the required tokens."""
    candidates = (token for token, _ in occurring_candidates(instance, words))
    decided = required | excluded
    return len(required) == instance.k or all(token in decided for token in candidates)


def _smallest_bound(instance: Instance, certificate: Certificate) -> int | Fraction:
    """Returns the smallest bound of the leaves of cases that some vocabulary belongs to."""
    words = SortedWords(instance)
    least, fixed = least_bound(instance), frozenset(instance.fixed)
    bounds: list[int | Fraction] = []
    cases: list[LeafCase] = []
    n_entries = 0
    for leaf, inside, excluded in certificate.leaves():
        required = fixed | inside
        if is_empty(instance, required, excluded):
            continue
        prices = leaf.unpacked(len(words.count_at), certificate.scale_bits)
        counted = words.weighted(leaf.weights)
        if prices is None:
            if not _is_decided(instance, words, required, excluded):
                return least
            bounds.append(reached(instance, instance.vocabulary(sorted(required), "case")))
            continue
        terms = LeafTerms(leaf, counted, instance)
        cases.append(LeafCase(prices.tolist(), required, excluded, terms, counted, leaf.weights))
        n_entries += cases[-1].n_entries
        if n_entries > ENTRIES_A_PASS:
            bounds += lower_bounds(instance, words, cases, certificate.scale_bits)
            cases, n_entries = [], 0
            if min(bounds) == least:
                return least
    if cases:
        bounds += lower_bounds(instance, words, cases, certificate.scale_bits)
    return min(bounds)
