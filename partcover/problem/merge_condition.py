"""The condition that a merge of two available parts makes every token of a vocabulary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..corpus import symbols as sym
from ..corpus.symbols import Symbols, Token
from ..errors import InputError
from ..runtime.arguments import checked
from ..runtime.notebook import brief
from ..vocabulary.merging import halves, parts_of, ranks
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .certificates.checksum import listed

_FLAGS = ("whole_words", "characters", "by_rank")
_RULES = ("shortest_path", "merges", "character_merges")


@dataclass(frozen=True)
class MergeCondition:
    """A condition on vocabularies: a merge of two parts makes every token.

    Each part is a single symbol or a token of the vocabulary.  Required tokens need no parts.

    Attributes
    ----------
    pairs : tuple of (token, token), or None
        The possible merges; None if any two parts may be merged.
    whole_words : bool
        Whether a token that is a whole word needs no parts, as in merging by rank.
    characters : bool
        Whether merging starts from characters, so that characters of several bytes need no parts.
    rule : str
        How a vocabulary of such tokens segments words: by the shortest path, or by ``merges`` or
        ``character_merges``, those whose parts and results are chosen, in their order.
    by_rank : bool
        Whether that order is one of tokens, the instance's list of candidates.  Tokens that none of
        the merges makes then need no parts: they are found where they are whole words.
    given : frozenset of token, or None
        For a head: whole words of the tail, which need no parts.  Bounds then do not use the order.
        Files do not have them.

    Examples
    --------
    >>> from partcover import MergeCondition
    >>> list(MergeCondition().splits(b"that"))
    [(b'hat',), (b'th', b'at'), (b'tha',)]
    >>> list(MergeCondition(((b"th", b"at"), (b"a", b"t"))).splits(b"that"))
    [(b'th', b'at')]
    >>> list(MergeCondition().splits(b"th"))
    [()]
    """

    pairs: tuple[tuple[Token, Token], ...] | None = None
    whole_words: bool = False
    characters: bool = False
    rule: SegmentationRule = "shortest_path"
    by_rank: bool = False
    given: frozenset[Token] | None = field(default=None, init=False, compare=False)

    @checked
    def __init__(
        self,
        pairs: Sequence[Any] | None = None,
        whole_words: bool = False,
        characters: bool = False,
        rule: str = "shortest_path",
        by_rank: bool = False,
    ) -> None:
        self.__dict__.update(pairs=None if pairs is None else tuple(pairs), given=None)
        self.__dict__.update(whole_words=whole_words, characters=characters)
        self.__dict__.update(rule=rule, by_rank=by_rank)
        if self.rule not in _RULES:
            raise InputError(f"the rule of merges is {self.rule!r}: use {', '.join(_RULES)}")
        if self.pairs is None and self.in_order:
            raise InputError("merges are applied in order, but 'pairs' does not list them")
        if self.characters and self.rule == "merges":
            raise InputError("the rule of merges starts from single symbols, not from characters")

    @property
    def in_order(self) -> bool:
        """Whether words are segmented by these merges in their order, not by rank."""
        return self.rule != "shortest_path" and not self.by_rank

    def __repr__(self) -> str:
        merges = "any merges" if self.pairs is None else f"{len(self.pairs):,} merges"
        flags = [name for name in _FLAGS if getattr(self, name)]
        return brief("MergeCondition", merges, *flags)

    @property
    def about(self) -> str:
        """The condition, for messages."""
        merges = "merges" if self.pairs is None else f"one of {len(self.pairs):,} merges"
        start = " of characters" if self.characters else ""
        order = ", applied in order" * self.in_order + ", applied by rank" * self.by_rank
        end = order + ", or is a whole word" * self.whole_words
        return f"every token is made by {merges}{start}{end}"

    @classmethod
    @checked
    def of(cls, vocabulary: Vocabulary) -> MergeCondition | None:
        """Returns the condition that a vocabulary's own merges make every token.

        By rank, the merges are those that make its own tokens, each by two parts.  None if its rule
        does not merge.
        """
        if vocabulary.rule not in _RULES[1:]:
            return None
        characters = vocabulary.rule == "character_merges" and vocabulary.symbols == "bytes"
        by_rank = vocabulary.merges is None
        pairs = vocabulary.merges
        if by_rank:
            rank, there = ranks(vocabulary), set(vocabulary)
            made = (parts_of(token, vocabulary, rank) for token in vocabulary)
            pairs = tuple(
                (parts[0], parts[1])
                for parts in made
                if len(parts) == 2 and all(len(part) == 1 or part in there for part in parts)
            )
        whole_words = by_rank and vocabulary.rule == "merges"
        return cls(pairs, whole_words, characters, vocabulary.rule, by_rank)

    def over(self, symbols: Symbols) -> MergeCondition:
        """Returns this condition with its merges converted to an alphabet's type."""
        if self.pairs is None:
            return self
        pairs: Any = tuple(
            tuple(sym.to_token(part, symbols) for part in pair)
            for pair in listed(self.pairs, "merges", pairs=True)
        )
        if not all(map(all, pairs)):
            raise InputError("a merge has a part without symbols")
        return self if pairs == self.pairs else replace(self, pairs=pairs)

    @cached_property
    def _pairs_of(self) -> dict[Token, list[tuple[Token, Token]]]:
        made: dict[Token, list[tuple[Token, Token]]] = defaultdict(list)
        for left, right in dict.fromkeys(self.pairs or ()):
            made[left + right].append((left, right))  # type: ignore[operator]  # of one type
        return made

    def splits(
        self, token: Token, lengths: Collection[int] | None = None
    ) -> Iterator[tuple[Token, ...]]:
        """Yields, for each way in which two parts make a token, the tokens that must be available.

        With `lengths`, only the ways whose parts have such lengths or need not be made are tried:
        all parts of a long token together are much longer than the token.
        """
        if token in (self.given or ()) or self.is_given(token):
            yield ()
            return
        pairs: Iterable[tuple[Token, Token]]
        if self.pairs is None:
            if lengths is None:
                lengths = range(1, len(token))
            pairs = halves(token, {*range(1, 5 if self.characters else 2), *lengths})
        else:
            pairs = self._pairs_of.get(token, ())
            if self.by_rank and not pairs:
                yield ()
        for pair in pairs:
            yield tuple(dict.fromkeys(part for part in pair if len(part) > 1))

    def kept(self, tokens: Iterable[Token]) -> list[tuple[Token, Token]]:
        """Returns the merges whose parts and results are single symbols or some tokens."""
        there = set(tokens)

        def stays(part: Token) -> bool:
            return len(part) == 1 or part in there

        pairs = dict.fromkeys(self.pairs or ())
        return [pair for pair in pairs if all(map(stays, (*pair, pair[0] + pair[1])))]  # type: ignore[operator]

    def giving(self, tokens: Collection[Token]) -> MergeCondition:
        """Returns this condition for a head, with further tokens that need no parts."""
        other = copy(self)
        object.__setattr__(other, "given", frozenset(tokens))
        return other

    def is_given(self, part: Token) -> bool:
        """Whether a part is available from the start of merging."""
        if len(part) < 2:
            return True
        if not self.characters or not isinstance(part, bytes) or len(part) > 4:
            return False
        try:
            return len(part.decode("utf-8")) == 1
        except UnicodeDecodeError:
            return False

    def to_json(self) -> dict[str, Any]:
        """Returns the condition as in an instance file."""
        pairs = None
        if self.pairs is not None:
            pairs = [[sym.to_json(part) for part in pair] for pair in self.pairs]
        return {"pairs": pairs} | {name: getattr(self, name) for name in ("rule", *_FLAGS)}

    @classmethod
    def from_json(cls, data: Any, symbols: Symbols) -> MergeCondition:
        """Makes a condition from untrusted content of a file."""
        if not isinstance(data, dict) or data.keys() != {"pairs", "rule", *_FLAGS}:
            names = ", ".join(map(repr, _FLAGS))
            raise InputError(f"'merges' must be an object with 'pairs', 'rule', {names}")
        if data["pairs"] is not None:
            rows = listed(data["pairs"], "the 'pairs' of 'merges'", pairs=True)
            pairs = tuple(tuple(sym.from_json(part, symbols) for part in row) for row in rows)
            data = {**data, "pairs": pairs}
        if not all(isinstance(data[name], bool) for name in _FLAGS):
            raise InputError(f"{', '.join(_FLAGS)} are not true or false")
        return cls(**data)


class MergeNeeds:
    """Finds the tokens that merges cannot make a token without, including the token itself.

    If any two parts may be merged, a token needs only itself; so do `exempt` tokens.  For each
    token, only a few tokens whose needs together are its own are stored, so memory is proportional
    to the number of merges, however deep they are.  Nothing is stored for tokens that no merge
    makes.
    """

    def __init__(self, condition: MergeCondition, exempt: Collection[Token]) -> None:
        self._condition = condition
        self._exempt = exempt
        # for each token, tokens that with all their needs are what it needs besides itself
        self._below: dict[Token, tuple[Token, ...]] = {}

    def of(self, token: Token) -> frozenset[Token]:
        """Returns the tokens that a token needs: those that all ways to make it need."""
        if self._condition.pairs is None or not self._ways(token):
            return frozenset({token})
        waiting = [token]
        while waiting:
            last = waiting[-1]
            if last in self._below:
                waiting.pop()
                continue
            ways = self._ways(last)
            missing = [part for parts in ways for part in parts if part not in self._below]
            if missing:
                waiting += missing  # they are shorter
                continue
            waiting.pop()
            self._below[last] = ways[0] if len(ways) == 1 else self._shared(ways)
        return frozenset(self._closure([token]))

    def _ways(self, token: Token) -> list[tuple[Token, ...]]:
        return [] if token in self._exempt else list(self._condition.splits(token))

    def _closure(self, tokens: Iterable[Token]) -> set[Token]:
        """Returns tokens together with all that they need."""
        found: set[Token] = set()
        waiting = list(tokens)
        while waiting:
            token = waiting.pop()
            if token not in found:
                found.add(token)
                waiting += self._below[token]
        return found

    def _shared(self, ways: list[tuple[Token, ...]]) -> tuple[Token, ...]:
        """Returns the fewest tokens whose needs together are what all ways need."""
        common = set.intersection(*map(self._closure, ways)) if ways else set()
        largest: list[Token] = []
        covered: set[Token] = set()
        # what a token needs is shorter than the token
        for token in sorted(common, key=len, reverse=True):
            if token not in covered:
                largest.append(token)
                covered |= self._closure([token])
        return tuple(largest)
