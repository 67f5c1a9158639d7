"""The tree of branch and cut: cases of vocabularies, each with what is proven about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...errors import InputError
from ...problem.certificates.certificate import Branch, Certificate, Leaf
from ...runtime.arrays import Float64
from ..climbing.cut_rounds import CutRounds
from ..climbing.dual_point import Case, DualPoint
from ..climbing.exact_prices import exact_prices
from ..climbing.leaf_prices import LeafReader
from ..counting.price_counter import PriceCounter

__all__ = ["Node", "certificate_of", "leaves_of", "settle", "tree_of"]


@dataclass(eq=False)
class Node:
    """A case, the prices that prove the most about it, and the rounds that find better ones.

    Attributes
    ----------
    case : Case
        The vocabularies that come to it.
    proof : tuple of int and DualPoint
        The lower bound, times `one` of the counter, and what proves it: replaced together.
    x : ndarray of float64, shape (candidates,)
        How much of each candidate the relaxation chooses, as far as is known.
    rounds : CutRounds or None
        None before the first round after a start from a certificate, and where it is closed.
    token : int
        The token that it is split on; −1 for a leaf.
    children : tuple of two Node, or ()
        For the vocabularies with the token, and for those without.
    is_settled : bool
        Whether it is bounded exactly, since there is nothing to choose.
    remark : str
        What it is like, for the log.
    """

    case: Case
    proof: tuple[int, DualPoint]
    x: Float64
    rounds: CutRounds | None = None
    token: int = -1
    children: tuple[Node, ...] = ()
    is_settled: bool = False
    remark: str = ""
    _leaf: tuple[DualPoint, Leaf] | None = field(default=None, repr=False)

    @property
    def value(self) -> int:
        """The lower bound that is proven, times `one` of the counter."""
        return self.proof[0]

    def improve(self, value: int, prices: DualPoint) -> None:
        """Keeps prices if they prove more."""
        if value > self.proof[0]:
            self.proof = value, prices

    def leaf(self, counter: PriceCounter) -> Leaf:
        """Returns the leaf of a certificate, made once for the same prices."""
        prices = self.proof[1]
        if self._leaf is None or self._leaf[0] is not prices:
            self._leaf = prices, prices.leaf(counter).packed(counter.bits)
        return self._leaf[1]


def is_empty(counter: PriceCounter, case: Case) -> bool:
    """Returns whether no vocabulary is of a case: its tokens exceed a budget."""
    instance = counter.instance
    if case.free < 0:
        return True
    if not instance.groups:
        return False
    inside = counter.intervals.take(np.flatnonzero(case.inside))
    tokens = {*instance.fixed, *instance.index.tokens_at(inside)}
    return any(sum(token in group for token in tokens) > group.limit for group in instance.groups)


def settle(counter: PriceCounter, node: Node) -> bool:
    """Bounds a case exactly that holds no vocabulary, or only one; returns whether it is such."""
    case = node.case
    empty = is_empty(counter, case)
    node.is_settled = empty or not case.free or bool((case.inside | case.outside).all())
    if not node.is_settled:
        return False
    if empty:
        node.improve(counter.instance.words.total_symbols * counter.one, node.proof[1])
        return True
    prices = exact_prices(counter, case)
    node.improve(prices.count(counter, case)[0], prices)
    node.x = case.inside[: len(counter.instance.index)].astype(float)
    return True


def leaves_of(root: Node) -> Iterator[Node]:
    """Yields the leaves below a node, in order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.children:
            stack += reversed(node.children)
        else:
            yield node


def certificate_of(counter: PriceCounter, root: Node, lower_bound: int) -> Certificate:
    """Returns the certificate of all cases below a node."""
    instance = counter.instance
    tree: list[Branch | Leaf] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if not node.children:
            tree.append(node.leaf(counter))
            continue
        (token,) = instance.index.tokens_at(counter.intervals.take(np.array([node.token])))
        tree.append(Branch(token))
        stack += reversed(node.children)
    return counter.certificate(instance, tuple(tree), lower_bound)


def tree_of(counter: PriceCounter, case: Case, certificate: Certificate) -> Node:
    """Returns the nodes of a certificate, with what their leaves prove as counted here.

    Branches on tokens that are no candidates, or decided above, have only one subtree that holds
    a vocabulary worth looking at: it takes their place.

    Parameters
    ----------
    counter : PriceCounter
        Counts what the leaves prove.
    case : Case
        All vocabularies.
    certificate : Certificate
        The certificate, for the same budget.

    Raises
    ------
    InputError
        If it is about another instance, or has a leaf that is not valid.
    """
    instance = counter.instance
    counter.refuse_other(certificate)
    if certificate.k != instance.k:
        raise InputError(f"the certificate is for k = {certificate.k}, and k is {instance.k}")
    reader = LeafReader(counter)
    top: list[Node] = []
    # the subtrees to come: the case, and the list that they belong to; no case for those left out
    stack: list[tuple[Case | None, list[Node]]] = [(case, top)]
    split: list[tuple[Node, list[Node]]] = []
    for item in certificate.tree:
        here, siblings = stack.pop()
        if here is None:
            stack += [(None, [])] * (2 * isinstance(item, Branch))
        elif isinstance(item, Leaf):
            siblings.append(_leaf_node(reader, here, item, certificate.scale_bits))
        else:
            token = reader.candidate(item.token)
            if token < 0 or here.outside[token]:
                stack += [(here, siblings), (None, [])]
            elif here.inside[token]:
                stack += [(None, []), (here, siblings)]
            else:
                node = Node(here, (0, _NOTHING), np.zeros(0), token=token)
                children: list[Node] = []
                stack += [(here.without(token), children), (here.with_(token), children)]
                siblings.append(node)
                split.append((node, children))
    for node, children in split:
        node.children = tuple(children)
    return top[0]


def _leaf_node(reader: LeafReader, case: Case, leaf: Leaf, scale_bits: int) -> Node:
    """Returns a leaf of a certificate as a node, with an x that its rewards suggest."""
    counter = reader.counter
    prices = reader.prices(leaf, scale_bits)
    value, rewards = prices.count(counter, case)
    value = max(value, counter.instance.words.total_count * counter.one)
    x = case.inside.astype(float)
    optional = np.flatnonzero(~(case.inside | case.outside))
    best = optional[np.argsort(-rewards.units[optional], kind="stable")[: max(0, case.free)]]
    x[best[rewards.units[best] > 0]] = 1.0
    return Node(case, (value, prices), x[: len(counter.instance.index)])


_NOTHING = DualPoint(np.zeros(0, np.int64))
