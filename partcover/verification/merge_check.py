"""Checks certificates about vocabularies that merges make, in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import zip_longest

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificate import Leaf
from ..problem.instance import Instance
from ..problem.merge_certificate import Charge, MergeCertificate
from ..problem.merge_condition import MergeCondition
from ..problem.merge_needs import MergeNeeds
from ..runtime.arguments import checked
from ..vocabulary.vocabulary import Vocabulary
from .certificate_check import CertificateCheck, is_empty, mismatches
from .due_terms import DueTerms
from .leaf_bound import LeafCase, case_values
from .sorted_words import SortedWords

__all__ = ["check_merge_certificate", "made_tokens", "other_merges", "unmade_tokens"]


@checked
def check_merge_certificate(instance: Instance, certificate: MergeCertificate) -> CertificateCheck:
    """Recounts the lower bound that a certificate proves for vocabularies that merges make.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions: of its merges, whatever the certificate was made for.
    certificate : MergeCertificate
        The certificate to check.

    Returns
    -------
    CertificateCheck
        Python integers throughout; one pass over the occurrences of all candidates.

    Notes
    -----
    Let a token T pay u_T ≥ 0, and its parts P get v_TP ≥ 0, where for each way in which two parts
    make T, those of the two that are no single symbols get u_T or more together.  A token P may
    also be due m(W, p, P) ≥ 0 for a symbol p of a word W.  Those who pay it are P and all tokens
    that no merges make without P: so much less are their occurrences over p worth.  With that in
    reward(T), and reward'(T) = reward(T) − u_T + Σ_U v_UT + Σ_W c(W)·Σ_p m(W, p, T), no vocabulary
    of at most k tokens that keeps to the condition needs fewer tokens than ::

        Σ_W c(W)·Σ_p d_p − Σ_{T ∈ R} reward'(T) − (the k − |R| largest reward'(T) above 0 of others)

    where R are the required tokens.  Why: cut the words by a vocabulary S.  The prices of a piece
    are 1, what it is worth, and the dues that it pays.  Over a symbol lies one piece: so each due
    is paid once at most, and only where a token that needs P is in S, and P with it.  All dues that
    are paid are part of what the tokens of S get.  But for them S needs Σ c·Σ d − Σ_{T ∈ S}
    reward(T) or more, as by `check_certificate`.  Each T of S that pays u_T has two parts in S that
    make it, which get u_T or more of it, and what others get is not negative.  So S needs at least
    Σ c·Σ d − Σ_{T ∈ S} reward'(T).  ∎

    Which merges there are `Instance.merges` says.  Tokens that need no parts do not pay: required
    ones, those that may be made of two single symbols, and words where the condition says so.  All
    candidates count: one that occurs in a single word is not dominated by the word here, as the
    word may be made of it.

    Merging by such a vocabulary needs as many tokens as the shortest path at least.  A token that
    merges do not make never comes out, and so the bound is one for all vocabularies cut by merging.

    Examples
    --------
    >>> from partcover import Instance, MergeCondition, check_merge_certificate, merge_bound
    >>> instance = Instance({"abc": 3, "abd": 1}, 1, merges=MergeCondition())
    >>> bound = merge_bound(instance)
    >>> check_merge_certificate(instance, bound.certificate).lower_bound
    7
    """
    problems = mismatches(instance, certificate.prices)
    if instance.merges is None:
        problems = ["the certificate is about tokens that merges make, and the instance is not"]
    bound = 0
    if not problems and instance.merges is not None:
        try:
            bound = _bound(instance, instance.merges, certificate)
        except InputError as error:
            problems.append(str(error))
        else:
            if certificate.lower_bound > bound:
                problems.append(
                    f"lower bound {certificate.lower_bound} claimed, the prices and charges prove "
                    f"{bound}"
                )
    ok = not problems
    return CertificateCheck(ok, certificate.lower_bound, bound, 1, tuple(problems))


def unmade_tokens(
    tokens: Collection[Token], condition: MergeCondition, instance: Instance
) -> list[Token]:
    """Returns the tokens of a vocabulary that no two others make, as a condition asks for it.

    Examples
    --------
    >>> from partcover import Instance, MergeCondition
    >>> from partcover.verification.merge_check import unmade_tokens
    >>> instance = Instance({"that": 1}, 2)
    >>> unmade_tokens([b"th", b"that"], MergeCondition(), instance)
    [b'that']
    """
    made = made_tokens(tokens, condition, instance)
    return [token for token in tokens if token not in made]


def made_tokens(
    tokens: Collection[Token], condition: MergeCondition, instance: Instance
) -> set[Token]:
    """Returns the tokens of a vocabulary that merges make of single symbols and required tokens.

    Examples
    --------
    >>> from partcover import Instance, MergeCondition
    >>> from partcover.verification.merge_check import made_tokens
    >>> sorted(made_tokens([b"th", b"that", b"thi"], MergeCondition(), Instance({"that": 1}, 3)))
    [b'th', b'thi']
    """
    free = {*instance.fixed, *(word for word, _ in instance.words if condition.whole_words)}
    known = set(instance.fixed)
    lengths = set(map(len, (*tokens, *known)))
    for token in sorted(tokens, key=len):
        parts_of = condition.splits(token, lengths)
        if token in free or any(known.issuperset(parts) for parts in parts_of):
            known.add(token)
    return known.intersection(tokens)


def other_merges(vocabulary: Vocabulary, condition: MergeCondition) -> str | None:
    """Says where the merges of what `prune` wrote are not its base's; None if they are.

    They are the base's merges of which both parts and the result stay, in their order.  A base that
    merges by rank has no list of them.

    Examples
    --------
    >>> from partcover import MergeCondition, Vocabulary
    >>> from partcover.verification.merge_check import other_merges
    >>> base = MergeCondition(((b"a", b"t"), (b"h", b"at")))
    >>> pruned = Vocabulary(["at"], method="prune", rule="merges", merges=[("a", "t")])
    >>> other_merges(pruned, base) is None
    True
    >>> other_merges(pruned.with_(merges=()), base)
    "the base merges 'a' + 't' at this place, the vocabulary nothing more"
    """
    if vocabulary.method != "prune" or (condition.pairs is None and vocabulary.merges is None):
        return None
    if condition.pairs is None or vocabulary.merges is None:
        sides = ("the base", "the vocabulary")
        by_rank, by_list = sides if condition.pairs is None else sides[::-1]
        return f"{by_rank} merges by rank, {by_list} by a list of pairs"
    kept = set(vocabulary)

    def stays(part: Token) -> bool:
        return len(part) == 1 or part in kept

    expected = [pair for pair in condition.pairs if all(map(stays, (*pair, pair[0] + pair[1])))]  # type: ignore[operator]
    for ours, theirs in zip_longest(vocabulary.merges, expected):
        if ours != theirs:
            return f"the base merges {_shown(theirs)} at this place, the vocabulary {_shown(ours)}"
    return None


def _shown(pair: tuple[Token, Token] | None) -> str:
    if pair is None:
        return "nothing more"
    return " + ".join(repr(sym.glance(part)) for part in pair)


def _bound(instance: Instance, condition: MergeCondition, certificate: MergeCertificate) -> int:
    """Counts the bound; an `InputError` says what is not valid."""
    tree = certificate.prices.tree
    leaf = tree[0]
    if len(tree) > 1 or not isinstance(leaf, Leaf) or leaf.fees or leaf.cuts:
        raise InputError("the prices are not a single leaf without fees and cuts")
    words = SortedWords(instance)
    n_words = sum(words.counts)
    required = frozenset(instance.fixed)
    scale_bits = certificate.prices.scale_bits
    prices = leaf.unpacked(len(words.count_at), scale_bits)
    if prices is None or is_empty(instance, required, frozenset()):
        return n_words
    exempt = {*required, *(words.words if condition.whole_words else ())}
    terms = DueTerms(leaf, words, MergeNeeds(condition, exempt))
    terms.bonus.update(_bonuses(condition, certificate.charges, exempt))
    case = LeafCase(prices.tolist(), (), required, frozenset(), terms)
    (value,) = case_values(instance, words, [case], 1 << scale_bits, dominated=True)
    return max(-(-value // (1 << scale_bits)), n_words)


def _bonuses(
    condition: MergeCondition, charges: Iterable[Charge], exempt: Collection[Token]
) -> Counter[Token]:
    """Returns what the charges add to the reward of each token, if they are valid."""
    bonuses: Counter[Token] = Counter()
    seen: set[Token] = set()
    for charge in charges:
        name = repr(sym.glance(charge.token))
        if charge.token in seen:
            raise InputError(f"{name} is charged twice")
        seen.add(charge.token)
        gets = dict(charge.parts)
        if len(gets) < len(charge.parts):
            raise InputError(f"the charge of {name} has a part twice")
        if charge.pays and charge.token in exempt:
            raise InputError(f"{name} is charged, and needs no parts")
        for parts in condition.splits(charge.token) if charge.pays else ():
            given = sum(gets.get(part, 0) for part in parts)
            if given < charge.pays:
                named = " and ".join(repr(sym.glance(part)) for part in parts) or "single symbols"
                raise InputError(
                    f"{name} pays {charge.pays}, and {named}, which make it, get {given}"
                )
        bonuses[charge.token] -= charge.pays
        for part, more in gets.items():
            bonuses[part] += more
    return bonuses
