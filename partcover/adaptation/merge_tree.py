"""Finds the parts of each token, and the tokens to keep so that merges still make all."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..analysis.metrics import token_uses
from ..corpus.symbols import Token
from ..segmentation.segmentation import Segmentation
from ..vocabulary.merging import merge, ranks
from ..vocabulary.vocabulary import Vocabulary
from .base import text_of

__all__ = ["MergeTree", "closed_choice", "first_with_parts"]


@dataclass(frozen=True)
class MergeTree:
    """The parts that merges make each token of, if they are tokens.

    `parts` has for each token the two neighbours that its last merge joins, without single symbols;
    none for a token that no merges make.  `children` has the tokens that a token is a part of.
    """

    parts: dict[Token, tuple[Token, ...]]
    children: dict[Token, set[Token]]

    @classmethod
    def of(cls, base: Vocabulary) -> MergeTree:
        """Finds the parts of all tokens."""
        rank = ranks(base)
        known = set(base.tokens)
        parts: dict[Token, tuple[Token, ...]] = {}
        children: dict[Token, set[Token]] = defaultdict(set)
        for token in base.tokens:
            found = merge(_symbols(base, token), rank, 2)
            parts[token] = tuple(dict.fromkeys(p for p in found if p in known and p != token))
            for part in parts[token]:
                children[part].add(token)
        return cls(parts, children)

    def with_parts(self, tokens: Iterable[Token]) -> set[Token]:
        """Returns tokens with all their parts."""
        closed: set[Token] = set()
        front = list(tokens)
        while front:
            token = front.pop()
            if token not in closed:
                closed.add(token)
                front += self.parts[token]
        return closed


def closed_choice(
    base: Vocabulary, tree: MergeTree, cut: Segmentation, k: int, fixed: set[Token]
) -> list[Token]:
    """Returns k tokens of a vocabulary that merges still make, and that a corpus uses most.

    A token that no other kept one is made of falls into its parts, which costs a token for each of
    its uses.  Those that cost least go first; what their parts are worth then grows.
    """
    worth: Counter[Token] = Counter()
    for token, uses in zip(base.tokens, token_uses(cut, len(base)).tolist(), strict=True):
        worth[token] = uses
    place = {token: number for number, token in enumerate(base.tokens)}
    left = {token: len(tree.children[token]) for token in base.tokens}
    kept = set(base.tokens)
    heap = [
        (worth[token], -place[token], token)
        for token in base.tokens
        if not left[token] and token not in fixed
    ]
    heapq.heapify(heap)
    while len(kept) > k and heap:
        loss, _, token = heapq.heappop(heap)
        if token not in kept or loss != worth[token]:
            continue
        kept.discard(token)
        for part in tree.parts[token]:
            worth[part] += worth[token]
            left[part] -= 1
            if not left[part] and part not in fixed:
                heapq.heappush(heap, (worth[part], -place[part], part))
    return [token for token in base.tokens if token in kept]


def first_with_parts(
    tree: MergeTree, tokens: Iterable[Token], k: int, fixed: set[Token] | None = None
) -> list[Token]:
    """Returns `fixed`, then the first of some tokens, each with all its parts: at most k."""
    kept = dict.fromkeys(fixed or ())
    for token in tokens:
        more = tree.with_parts([token]).difference(kept)
        if len(kept) + len(more) <= k:
            kept.update(dict.fromkeys(more))
    return list(kept)


def _symbols(base: Vocabulary, token: Token) -> list[Any]:
    """Returns what merging starts from."""
    if base.rule == "character_merges" and base.symbols == "bytes":
        text = text_of(token)
        if text is not None:
            return [character.encode("utf-8") for character in text]
    return [token[place : place + 1] for place in range(len(token))]
