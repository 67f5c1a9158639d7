"""Vocabularies with more tokens, or fewer, of any rule: all of them, counted literally."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise, permutations

from oracles.greedy import all_candidates, priority, shortest_path
from oracles.segmentation import (
    is_text,
    likelihood,
    longest_match,
    merge,
    merge_characters,
    merged,
    possible_merges,
)

from partcover import Vocabulary


@dataclass(frozen=True)
class Plain:
    """A vocabulary as lists, with the rule by which it cuts words."""

    rule: str
    tokens: list
    merges: list | None = None
    scores: list = field(default_factory=list)
    singles: dict = field(default_factory=dict)

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> Plain:
        merges = None if vocabulary.merges is None else list(vocabulary.merges)
        scores, singles = list(vocabulary.scores or ()), dict(vocabulary.symbol_scores)
        return cls(vocabulary.rule, list(vocabulary.tokens), merges, scores, singles)

    def cut(self, word) -> list:
        match self.rule:
            case "shortest_path" | "random_path":  # of as many pieces
                return shortest_path(word, self.tokens)
            case "longest_match":
                return longest_match(word, self.tokens)
            case "priority":
                return priority(word, self.tokens)
            case "merges":
                return merge(word, self.tokens, self.merges)
            case "likelihood":
                return likelihood(word, self.tokens, self.scores, self.singles)
            case "character_merges" if isinstance(word, bytes):
                return merge_characters(word, self.tokens, self.merges)
        pieces = tuple(word[i : i + 1] for i in range(len(word)))
        while possible := possible_merges(pieces, self.tokens, self.merges):
            pieces = merged(pieces, possible[0][1])
        return list(pieces)

    def needed(self, words: dict) -> int:
        return sum(count * len(self.cut(word)) for word, count in words.items())

    def only(self, kept) -> Plain:
        """Those tokens that are kept, and the merges between them."""
        there = set(kept)
        merges = self.merges
        if merges is not None:
            merges = [
                (a, b)
                for a, b in merges
                if all(len(part) == 1 or part in there for part in (a, b, a + b))
            ]
        places = [place for place, token in enumerate(self.tokens) if token in there]
        scores = [self.scores[place] for place in places] if self.scores else []
        tokens = [self.tokens[place] for place in places]
        return replace(self, tokens=tokens, merges=merges, scores=scores)

    def made(self) -> set:
        """The tokens that the rule cuts, as words, into themselves; by rank, by merges alone."""
        alone = self
        if self.rule == "merges" and self.merges is None:
            tokens = self.tokens
            if tokens and isinstance(tokens[0], bytes):
                tokens = [token.decode("latin-1") for token in tokens]
            alone = replace(self, rule="character_merges", tokens=tokens)
        cut = (alone.cut(token) for token in alone.tokens)
        return {token for token, pieces in zip(self.tokens, cut, strict=True) if len(pieces) == 1}

    def parts(self, token) -> set:
        """The tokens that this one is made of: the pieces when its merges have left two."""
        pieces = tuple(token[i : i + 1] for i in range(len(token)))
        if self.rule == "character_merges" and isinstance(token, bytes) and is_text(token):
            pieces = tuple(character.encode() for character in token.decode())
        while len(pieces) > 2 and (ways := possible_merges(pieces, self.tokens, self.merges)):
            pieces = merged(pieces, ways[0][1])
        return {piece for piece in pieces if len(piece) > 1}


def is_whole(token) -> bool:
    return not isinstance(token, bytes) or is_text(token)


def pool_of(base: Plain, words: dict, whole: bool) -> list:
    """The texts that may be added."""
    pool = all_candidates(words) - set(base.tokens)
    return sorted(token for token in pool if not whole or is_whole(token))


def extensions(base: Plain, words: dict, m: int, *, whole: bool = False) -> Iterator[Plain]:
    """The vocabulary with at most m more tokens, in all ways, but without scores."""
    if base.merges is not None:
        yield from _more_merges(base, words, m)
        return
    pool = pool_of(base, words, whole)
    order = base.rule not in ("shortest_path", "random_path", "longest_match")
    choose = permutations if order else combinations
    for size in range(min(m, len(pool)) + 1):
        for new in choose(pool, size):
            yield replace(base, tokens=[*base.tokens, *new])


def _more_merges(base: Plain, words: dict, m: int) -> Iterator[Plain]:
    """Merges of neighbours, those that make a token that is there for nothing."""
    yield base
    neighbours = {pair for word in words for pair in pairwise(base.cut(word))}
    for left, right in sorted(neighbours):
        token = left + right
        is_new = token not in base.tokens
        if (is_new and not m) or (left, right) in base.merges:
            continue
        if base.rule == "character_merges" and not (is_whole(left) and is_whole(right)):
            continue
        more = [*base.tokens, token] if is_new else base.tokens
        merges = [*base.merges, (left, right)]
        yield from _more_merges(replace(base, tokens=more, merges=merges), words, m - is_new)
    if base.rule == "character_merges" and m:
        characters = {c.encode() for w in words if isinstance(w, bytes) for c in w.decode()}
        for character in sorted(c for c in characters if len(c) > 1 and c not in base.tokens):
            more = [*base.tokens, character]
            yield from _more_merges(replace(base, tokens=more), words, m - 1)


def fewest_with_a_score(base: Plain, words: dict, step: float) -> int:
    """The fewest tokens with one more token of any score; all scores are multiples of `step`.

    Every symbol has a score.  Cuts change only where the new score passes a difference of sums,
    which is a multiple of `step`, too: one score between any two of them is enough.
    """
    lowest = min([*base.scores, *base.singles.values()])
    places = range(-1, round(-2 * max(map(len, words)) * lowest / step) + 2)
    tried = [-step * place + more for place in places for more in (0.0, step / 2)]
    best = base.needed(words)
    for token in pool_of(base, words, whole=False):
        for score in tried:
            more = replace(base, tokens=[*base.tokens, token], scores=[*base.scores, score])
            best = min(best, more.needed(words))
    return best


def restrictions(base: Plain, k: int, required=()) -> Iterator[Plain]:
    """The vocabularies of k of its tokens."""
    for kept in combinations(base.tokens, k):
        if set(required) <= set(kept):
            yield base.only(kept)
