"""The tree of branch and cut: cases, each with the best bound proven for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from ...analysis.by_corpus import tokens_by_corpus
from ...corpus.symbols import Token
from ...problem.certificates.certificate import Certificate
from ...problem.certificates.nodes import Branch, Leaf
from ...problem.instance import Instance
from ...runtime.arrays import Float64
from ...segmentation.segmentation import segment
from ...verification.certificate_check import is_empty
from ...vocabulary.vocabulary import Vocabulary
from ..climbing.best_prices import BestPrices
from ..climbing.cut_rounds import CutRounds
from ..climbing.dual_point import Case, DualPoint
from ..climbing.leaf_prices import LeafReader
from ..counting.price_counter import PriceCounter


@dataclass(frozen=True)
class Proof:
    """A proven bound of a case."""

    value: int  # the lower bound, times `scale` of the counter
    prices: DualPoint  # the prices and multipliers that prove it
    counter: PriceCounter  # the counter of the bound; for several corpora, with its weights
    # the tokens, or the largest ratio, of the only vocabulary of the case; None if there are
    # several
    counted: int | Fraction | None = None
    packed: Leaf | None = None  # the leaf of a case that is done; it then has no `prices`

    @classmethod
    def of_words(cls, counter: PriceCounter) -> Proof:
        """Returns the bound of every case: one token for each counted word."""
        value = counter.instance.words.total_count * counter.one
        return cls(value, DualPoint.of_words(counter), counter)

    @property
    def level(self) -> Fraction:
        """The lower bound, not rounded up."""
        if self.counted is not None:
            return Fraction(self.counted)
        return Fraction(self.value, self.counter.scale)

    @property
    def proven(self) -> int | Fraction:
        """The lower bound, as tokens or as the largest ratio over several corpora."""
        return self.counter.proven(self.value) if self.counted is None else self.counted

    def closes(self, best: int | Fraction) -> bool:
        """Whether it proves that no vocabulary of the case is better than the incumbent."""
        return self.value >= self.counter.goal(best)

    @cached_property
    def leaf(self) -> Leaf:
        """The leaf of a certificate."""
        if self.packed is not None:
            return self.packed
        if self.counted is not None:
            return Leaf(None, weights=self.counter.weights)
        return self.prices.leaf(self.counter).packed(self.counter.bits)


@dataclass(eq=False)
class Node:
    """A case with its best bound, and the rounds that improve it."""

    case: Case  # the vocabularies of the node
    proof: Proof  # the best proven bound
    x: Float64  # x of each candidate in the relaxation, as far as known; shape (candidates,)
    # None before the first round after a start from a certificate, and in a closed case
    rounds: CutRounds | None = None
    token: int = -1  # the token that the case is split on; −1 for a leaf
    # the cases with the token and without it
    children: list[Node] = field(default_factory=list)
    is_settled: bool = False  # whether it is bounded exactly because nothing is left to choose
    # whether its only vocabulary has been offered, so that the node is done
    is_offered: bool = False
    remark: str = ""  # a description for the log

    @property
    def level(self) -> Fraction:
        """The lower bound that is proven, not rounded up."""
        return self.proof.level

    @property
    def depth(self) -> int:
        """How many tokens are decided in its case."""
        return int(np.count_nonzero(self.case.inside | self.case.outside))

    def improve(self, proof: Proof) -> None:
        """Keeps a bound if it is better."""
        if proof.level > self.level:
            self.proof = proof

    def divide(self, token: int, children: list[Node]) -> None:
        """Replaces the case by its two cases with a token and without it."""
        self.token, self.children = token, children
        self.proof, self.x, self.rounds = Proof(0, _NOTHING, self.proof.counter), _NO_X, None

    def pack(self) -> None:
        """Keeps no more than the leaf of a case that is done, a tenth of the memory."""
        if self.proof.packed is None:
            self.proof = replace(self.proof, prices=_NOTHING, packed=self.proof.leaf)
            self.x, self.rounds = _NO_X, None


def root_of(best: BestPrices, rounds: CutRounds | None) -> Node:
    """Returns the case of all vocabularies with the best prices, counted with more digits."""
    counter = best.counter
    best.refine(counter.digits_of_cuts)
    root = Node(best.case, Proof.of_words(counter), best.x, rounds)
    if best.prices is not None:
        root.improve(Proof(best.value, best.prices, counter))
    return root


def settle(node: Node) -> bool:
    """Counts the tokens of a case that has at most one vocabulary; returns whether it has."""
    case, counter = node.case, node.proof.counter
    inside, outside = _chosen(node), counter.tokens(np.flatnonzero(case.outside))
    empty = is_empty(counter.asked, frozenset(inside), frozenset(outside))
    node.is_settled = empty or not case.free or bool((case.inside | case.outside).all())
    if not node.is_settled:
        return False
    # without tokens, the most that a vocabulary can need: an empty case then bounds no other
    _, counted = _counted(counter.asked, [] if empty else inside)
    node.improve(Proof(counter.goal(counted), node.proof.prices, counter, counted))
    return True


def only_vocabulary(node: Node) -> tuple[Vocabulary, int | Fraction]:
    """Returns the vocabulary of a settled case, and the tokens or the largest ratio of it."""
    return _counted(node.proof.counter.asked, _chosen(node))


def _chosen(node: Node) -> list[Token]:
    """Returns the tokens that every vocabulary of a case contains."""
    counter = node.proof.counter
    inside = counter.tokens(np.flatnonzero(node.case.inside))
    return list(dict.fromkeys([*counter.instance.fixed, *inside]))


def _counted(instance: Instance, tokens: list[Token]) -> tuple[Vocabulary, int | Fraction]:
    """Returns a vocabulary, and the tokens or the largest ratio of it."""
    vocabulary = instance.vocabulary(tokens, "case")
    if instance.corpora is None:
        return vocabulary, segment(instance.words, vocabulary, instance.rule).tokens
    return vocabulary, max(instance.corpora.ratios(tokens_by_corpus(instance, vocabulary)))


def leaves_of(root: Node) -> Iterator[Node]:
    """Yields the leaves below a node, in order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.children:
            stack += reversed(node.children)
        else:
            yield node


def certificate_of(counter: PriceCounter, root: Node, lower_bound: int | Fraction) -> Certificate:
    """Returns the certificate of all leaves below a node."""
    tree: list[Branch | Leaf] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if not node.children:
            tree.append(node.proof.leaf)
            continue
        (token,) = counter.tokens(np.array([node.token]))
        tree.append(Branch(token))
        stack += reversed(node.children)
    return counter.certificate(tuple(tree), lower_bound)


def tree_of(
    counter: PriceCounter, case: Case, certificate: Certificate, *, checks: bool = True
) -> Node:
    """Returns the nodes of a certificate, with the bounds of its leaves recounted.

    If a branch is on a token that is not a candidate, or that was decided above, only one of its
    subtrees contains a vocabulary that matters.  This subtree replaces the branch.  `case` has all
    vocabularies; without `checks`, the terms of leaves are not checked (`LeafReader`).  Raises an
    InputError if the certificate is for another instance, or has an invalid leaf.
    """
    counter.refuse_other(certificate)
    reader = LeafReader(counter, checks=checks)
    readers = {counter.weights: reader}
    top: list[Node] = []
    # subtrees still to read: the case, and the list to append to; no case for skipped ones
    stack: list[tuple[Case | None, list[Node]]] = [(case, top)]
    for item in certificate.tree:
        here, siblings = stack.pop()
        if here is None:
            stack += [(None, [])] * (2 * isinstance(item, Branch))
        elif isinstance(item, Leaf):
            if item.weights not in readers:
                readers[item.weights] = LeafReader(
                    _counted_by(counter, item.weights), checks=checks
                )
            siblings.append(_leaf_node(readers[item.weights], here, item, certificate.scale_bits))
        else:
            token = counter.numbers([item.token])[item.token]
            if token < 0 or here.outside[token]:
                stack += [(here, siblings), (None, [])]
            elif here.inside[token]:
                stack += [(None, []), (here, siblings)]
            else:
                node = Node(here, Proof(0, _NOTHING, counter), _NO_X, token=token)
                stack += [(here.without(token), node.children), (here.with_(token), node.children)]
                siblings.append(node)
    return top[0]


def _leaf_node(reader: LeafReader, case: Case, leaf: Leaf, scale_bits: int) -> Node:
    """Returns a leaf of a certificate as a node, with an x estimated from its rewards."""
    counter = reader.counter
    prices = reader.prices(leaf, scale_bits)
    value, rewards = prices.count(counter, case)
    value = max(value, counter.instance.words.total_count * counter.one)
    x = case.inside.astype(float)
    optional = np.flatnonzero(~(case.inside | case.outside))
    best = optional[np.argsort(-rewards.units[optional], kind="stable")[: max(0, case.free)]]
    x[best[rewards.units[best] > 0]] = 1.0
    return Node(case, Proof(value, prices, counter), x[: len(counter.instance.index)])


def _counted_by(counter: PriceCounter, weights: tuple[int, ...]) -> PriceCounter:
    """Returns a counter for the weights of a leaf; a weight of 0 counts as the smallest other."""
    corpora = counter.corpora
    if corpora is None:
        return counter
    if min(weights) == 0:
        weights = corpora.integer_weights(corpora.shares(weights))
    return counter if weights == counter.weights else counter.counted_by(weights)


_NOTHING = DualPoint(np.zeros(0, np.int64))
_NO_X = np.zeros(0)
