"""A tokenization instance: counted words, candidates, a budget and conditions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from types import MappingProxyType
from typing import Any

from ..corpus import symbols as sym
from ..corpus.counting.head_and_tail import HeadAndTail
from ..corpus.symbols import Symbols, Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..runtime.arguments import Budget, Int64, Threads, Whole, checked
from ..runtime.files.kinds import likely_mistake
from ..runtime.files.writing import facts_of, read_json, write_atomic
from ..runtime.notebook import brief, html_table
from ..runtime.pickling import by_fields
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .candidates import MOST_HELD, CandidateIndex
from .certificates.checksum import listed, symbols_of, whole
from .corpora import Corpora, corpora_from_json, split_at
from .group_budget import MAX_GROUPS, GroupBudget
from .merge_condition import MergeCondition

_TOKEN_LISTS = ("candidates", "required", "forbidden", "prefix", "protected")


@dataclass(frozen=True, eq=False)
class Instance:
    """An instance of the problem: choose `k` tokens so that counted words need few tokens.

    Parameters
    ----------
    corpus : WordCounts, mapping, path, Corpora or HeadAndTail
        Counted words, a mapping of words to counts, or the path of a TSV of counted words.  With
        several `corpora`, the largest ratio of tokens to reference is minimized instead of the
        number of tokens, and the attribute `words` has all words with the sums of their counts.
        With a head and a `tail`, `words` has the head; the tail is read in parts, in the memory of
        the head, which `lower_bound`, `improve` and `verify` support.
    k : int
        Maximum number of tokens of two or more symbols, including required and prefix tokens.
    candidates : iterable of token, optional
        A list of candidates.  By default every substring of a word with two or more symbols is a
        candidate, without a limit of length or frequency.
    max_length : int, optional
        Only substrings of at most this many symbols are candidates.
    min_count : int, optional
        Only substrings with at least this many occurrences (positions, weighted by the counts
        of their words) are candidates.
    required : iterable of token
        Tokens that every vocabulary must contain.
    forbidden : iterable of token
        Tokens that no vocabulary may contain.
    prefix : iterable of token
        Required tokens that come first in the vocabulary, in this order.
    protected : iterable of token
        Required tokens that are never split: each of their occurrences (leftmost first, longest
        first) becomes a word of its own, so that no other token overlaps it.  The attributes
        have the words after this step; they need the same number of tokens.
    groups : iterable of GroupBudget
        Limits on groups of tokens.
    merges : MergeCondition, optional
        The merges that must make every token that is not required.  `prune`, `extend`, `improve`
        and `solve` find such vocabularies and prove bounds for them, `lower_bound` proves bounds,
        and `verify` checks both; all other methods refuse such an instance.
    threshold : int, optional
        The number of tokens of the decision problem: is there a vocabulary that needs at most
        this many?
    source : mapping, optional
        Where the instance comes from, as in its file.

    Raises
    ------
    InputError
        If k is negative, a token has fewer than two symbols, a token is both required and
        forbidden, options contradict each other, there are more required tokens than k or than a
        group's budget, or a range of lengths is empty.

    Notes
    -----
    All limits on the candidates are part of `policy`, which every claim about the instance
    states.  Required and prefix tokens are always candidates.

    Examples
    --------
    >>> from partcover import Instance, solve
    >>> instance = Instance({"that": 3, "hat": 2, "cat": 2}, k=2, max_length=3)
    >>> instance
    Instance(k=2, 3 words, 7 counted, bytes, candidates=substrings, max_length=3)
    >>> list(solve(instance).vocabulary)
    [b'hat', b'cat']
    """

    corpus: WordCounts | Corpora | HeadAndTail
    k: int
    candidates: tuple[Token, ...] | None = None
    max_length: int | None = None
    min_count: int = 1
    required: tuple[Token, ...] = ()
    forbidden: tuple[Token, ...] = ()
    prefix: tuple[Token, ...] = ()
    protected: tuple[Token, ...] = ()
    groups: tuple[GroupBudget, ...] = ()
    merges: MergeCondition | None = None
    threshold: int | None = None
    source: Mapping[str, Any] = field(default_factory=dict)

    @checked
    def __init__(
        self,
        corpus: WordCounts | Corpora | HeadAndTail | Mapping[Any, int] | str | PathLike[str],
        k: Budget,
        candidates: Iterable[Any] | None = None,
        max_length: Int64 | None = None,
        min_count: Int64 = 1,
        required: Iterable[Any] = (),
        forbidden: Iterable[Any] = (),
        prefix: Iterable[Any] = (),
        protected: Iterable[Any] = (),
        groups: Sequence[GroupBudget] = (),
        merges: MergeCondition | None = None,
        threshold: Int64 | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(corpus, Mapping):
            corpus = WordCounts.from_counts(corpus)
        elif not isinstance(corpus, WordCounts | Corpora | HeadAndTail):
            corpus = WordCounts.load(corpus)
        symbols = (corpus.head if isinstance(corpus, HeadAndTail) else corpus).symbols
        lists = candidates, required, forbidden, prefix, protected
        for name, tokens in zip(_TOKEN_LISTS, lists, strict=True):
            self.__dict__[name] = None if tokens is None else _tokens(name, tokens, symbols)
        self.__dict__.update(
            corpus=split_at(corpus, self.protected) if self.protected else corpus,
            groups=tuple(group.over(symbols) for group in groups),
            merges=None if merges is None else merges.over(symbols),
            source=MappingProxyType(facts_of(source or {}, "source")),
        )
        self.__dict__.update(k=k, max_length=max_length, min_count=min_count, threshold=threshold)
        self._check()

    __reduce__ = by_fields

    @cached_property
    def words(self) -> WordCounts:
        """The counted words, of all corpora together, or of the head."""
        if isinstance(self.corpus, HeadAndTail):
            return self.corpus.head
        return self.corpus.joined if isinstance(self.corpus, Corpora) else self.corpus

    @property
    def corpora(self) -> Corpora | None:
        """The corpora, if there are several."""
        return self.corpus if isinstance(self.corpus, Corpora) else None

    @cached_property
    def tail(self) -> HeadAndTail | None:
        """All words, of which `words` is the head, if there are a head and a tail."""
        if isinstance(self.corpus, HeadAndTail):
            return self.corpus
        return None if self.corpora is None else self.corpora.all_words

    def __repr__(self) -> str:
        return brief("Instance", f"k={self.k}", *self._summary)

    @property
    def _summary(self) -> list[str]:
        policy = {**self.policy, "threshold": self.threshold}
        if self.candidates is not None:
            policy["candidates"] = f"{len(self.candidates):,}"
        words = self.words.summary
        if self.tail is not None:
            words = [f"{self.tail.n:,} words in the head", self.symbols]
        elif self.corpora is not None:
            words = [*self.corpora.sizes, self.symbols]
        return [*words, *(f"{name}={value}" for name, value in policy.items() if value is not None)]

    def _repr_html_(self) -> str:
        """The instance as a table, for notebooks."""
        words = self.words
        facts: dict[str, Any] = {"k": self.k, "words": len(words), "counted": words.total_count}
        facts |= {"symbols": self.symbols, "pre-tokenizer": words.pretokenizer, **self.policy}
        facts |= {} if self.threshold is None else {"threshold": self.threshold}
        return html_table("Instance", [], facts.items())

    def _check(self) -> None:
        if self.max_length is not None and self.max_length < 2:
            raise InputError(f"max_length is {self.max_length}: a token has two symbols or more")
        if self.min_count < 1:
            raise InputError(f"min_count is {self.min_count}: it must be at least 1")
        if not isinstance(self.corpus, WordCounts):
            what = "several corpora" if self.corpora is not None else "a head and a tail"
            if self.min_count != 1 or self.threshold is not None:
                raise InputError(f"min_count and a threshold are not possible with {what}")
        if self.candidates is not None and (self.max_length is not None or self.min_count != 1):
            raise InputError("max_length and min_count are not possible with a list of candidates")
        if self.merges is not None and self.merges.by_rank:
            unranked = set(self.fixed).difference(self.candidates or ())
            if self.candidates is None or unranked:
                raise InputError(
                    "merging by rank needs a list of candidates in the order of their ranks, which "
                    "has all required tokens"
                )
        both = set(self.fixed) & set(self.forbidden)
        if both:
            raise InputError(f"token {sym.show(min(both))!r} is both required and forbidden")
        if len(self.fixed) > self.k:
            raise InputError(
                f"{len(self.fixed)} tokens are required, k is {self.k}: raise k or require fewer"
            )
        for group in self.groups:
            group.check(self.fixed)
        if len(self.groups) > MAX_GROUPS:
            raise InputError(f"{len(self.groups)} groups: at most {MAX_GROUPS} are possible")

    @cached_property
    def fixed(self) -> tuple[Token, ...]:
        """The tokens that must be chosen: prefix, required and protected ones, in this order."""
        return tuple(dict.fromkeys(self.prefix + self.required + self.protected))

    @property
    def policy(self) -> dict[str, Any]:
        """Limits on the candidates; ``{"candidates": "substrings"}`` if there are none."""
        policy: dict[str, Any] = {"candidates": "substrings" if self.candidates is None else "list"}
        policy |= self._limits
        for name in (*_TOKEN_LISTS[1:], "groups"):
            if getattr(self, name):
                policy[name] = len(getattr(self, name))
        if self.merges is not None:
            policy["merges"] = "any" if self.merges.pairs is None else len(self.merges.pairs)
        return policy

    @property
    def _limits(self) -> dict[str, Any]:
        limits = {"max_length": self.max_length, "min_count": self.min_count}
        return {name: n for name, n in limits.items() if n not in (None, 1)}

    @cached_property
    def index(self) -> CandidateIndex:
        """The index of the candidates, built on first use; O(total symbols) memory."""
        if "_promising" in self.__dict__:
            return self.promising_index().held(0)
        # with groups, a word that dominates a candidate may be in a group that is full
        return self.candidate_index(dominated=bool(self.groups))

    @cached_property
    def unmerged(self) -> Instance:
        """The same instance without merges, with an index that keeps dominated candidates.

        The dominating word may be made from them.
        """
        if self.merges is None:
            return self
        free = replace(self, merges=None)
        free.__dict__["index"] = free.candidate_index(dominated=True)
        return free

    @cached_property
    def joined(self) -> Instance:
        """The same instance as one corpus with the words of all corpora."""
        return self if self.corpora is None else replace(self, corpus=self.tail or self.words)

    @cached_property
    def alone(self) -> Instance:
        """The same instance with the words of the head only."""
        if self.tail is None:
            return self
        return replace(self, corpus=self.words if self.corpora is None else self.corpora.alone)

    @checked
    def weighted(self, weights: Iterable[int]) -> Instance:
        """Returns an instance of one corpus: all words, with counts weighted by corpus."""
        if self.corpora is None:
            raise InputError("the instance has one corpus: weights are for several corpora")
        if self.corpora.tails:
            return replace(self, corpus=self.corpora.all_weighted(tuple(weights)))
        words = self.corpora.weighted(tuple(weights))
        other = replace(self, corpus=words)
        if len(words) == len(self.words) and "index" in self.joined.__dict__:
            other.__dict__["index"] = self.joined.index.with_counts(words)
        return other

    @property
    def is_indexed(self) -> bool:
        """Whether the index of candidates has been built."""
        return "index" in self.__dict__ or "_promising" in self.__dict__

    def forget_index(self) -> None:
        """Frees the memory of the index, which is built again when needed."""
        for name in ("index", "_promising", "unmerged"):
            self.__dict__.pop(name, None)

    @checked
    def promising_index(self, threads: Threads = 1) -> CandidateIndex:
        """Returns an index of the `MOST_HELD` candidates with the highest upper bounds, or `index`.

        It can list the others.  If candidates are listed or there are group budgets, it holds all.
        """
        if "index" in self.__dict__ or self.groups or self.candidates is not None:
            return self.index
        held: CandidateIndex | None = self.__dict__.get("_promising")
        if held is None:
            held = self.candidate_index(dominated=False, most=MOST_HELD, threads=threads)
            self.__dict__["_promising"] = held
            if held.min_promise == 0:
                self.__dict__["index"] = held
        return held

    def of_promise(self, least: int) -> Instance:
        """Returns the same instance with an index that lacks candidates of smaller upper bounds."""
        index = self.promising_index()
        if index.min_promise == 0:
            return self
        other = replace(self)
        other.__dict__["index"] = index if least == index.min_promise else index.held(least)
        return other

    @checked
    def candidate_index(
        self,
        *,
        dominated: bool,
        most: Budget | None = None,
        longest: Whole | None = None,
        threads: Threads = 1,
    ) -> CandidateIndex:
        """Builds an index of the candidates, with or without dominated ones, or of `most` of them.

        If all substrings are candidates, those longer than `longest` are left out.  An instance
        with merges, several corpora or a tail is refused: only few methods support it.
        """
        for condition, what, only in (
            (self.tail, "has a head and a tail", ""),
            (self.corpora, "has several corpora", ", `solve`, `greedtok`"),
            (self.merges, "requires that merges make every token", ", `solve`, `prune`, `extend`"),
        ):
            if condition is not None:
                supported = f"`lower_bound`, `improve`{only} and `verify`"
                raise InputError(f"the instance {what}, which only {supported} support")
        limits = filter(None, (self.max_length, longest))
        return CandidateIndex(
            self.words,
            explicit=self.candidates,
            forbidden=self.forbidden,
            max_length=min(limits, default=None),
            min_count=self.min_count,
            dominated=dominated,
            most=most,
            threads=threads,
        )

    @property
    def symbols(self) -> Symbols:
        """The alphabet."""
        return self.words.symbols

    def vocabulary(self, tokens: Iterable[Any], method: str, **use: Any) -> Vocabulary:
        """Makes a vocabulary over the symbols of the words, with their pre-tokenizer.

        If merges are applied in their order, it has those that make its tokens from each other, or
        its tokens are in the order of their ranks, those without a rank last.
        """
        if self.rule != "shortest_path":
            assert self.merges is not None
            tokens = [sym.to_token(token, self.symbols) for token in tokens]
            use["rule"] = self.rule
            if self.merges.by_rank:
                tokens.sort(key=lambda token: self._ranks.get(token, len(self._ranks)))
            else:
                use["merges"] = self.merges.kept(tokens)
        return Vocabulary(tokens, self.symbols, method, **self.words.how, **use)

    @cached_property
    def _ranks(self) -> dict[Token, int]:
        return {token: rank for rank, token in enumerate(self.candidates or ())}

    @property
    def rule(self) -> SegmentationRule:
        """The rule by which a vocabulary's tokens are counted: the shortest path, or merges."""
        return "shortest_path" if self.merges is None else self.merges.rule

    @checked
    def with_k(self, k: Budget) -> Instance:
        """Returns the same instance with another budget; it shares the candidate index."""
        other = replace(self, k=k)
        for name in ("index", "_promising"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    def to_json(self) -> dict[str, Any]:
        """Returns the content of an instance file."""
        if self.tail is not None:
            raise InputError(
                "an instance with a head and a tail cannot be saved: save its counted words"
            )
        several = self.corpora
        counts = (self.words if several is None else several).counts.T.tolist()
        pairs = zip(self.words, counts, strict=True)
        data: dict[str, Any] = {
            "format": "partcover-instance",
            "version": 1,
            "symbols": self.symbols,
            "k": self.k,
            "words": [[sym.to_json(word), count] for (word, _), count in pairs],
            **({} if several is None else several.to_json()),
        }
        data |= {name: value for name, value in self.words.how.items() if value is not None}
        data |= self.conditions_to_json()
        data |= {} if self.threshold is None else {"threshold": self.threshold}
        return {**data, "source": deepcopy(dict(self.source))} if self.source else data

    def conditions_to_json(self) -> dict[str, Any]:
        """Returns the conditions on vocabularies besides k, as in an instance file."""
        data = self._limits
        for name in _TOKEN_LISTS:
            tokens = getattr(self, name)
            if tokens is not None and (tokens or name == "candidates"):
                data[name] = [sym.to_json(token) for token in tokens]
        if self.groups:
            data["groups"] = [group.to_json() for group in self.groups]
        if self.merges is not None:
            data["merges"] = self.merges.to_json()
        return data

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the instance file atomically."""
        write_atomic(path, json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n")

    @classmethod
    @checked
    def from_json(cls, data: dict[str, Any]) -> Instance:
        """Makes an instance from the content of its file."""
        symbols = symbols_of(data, "instance")
        content = {name: value for name, value in data.items() if value is not None}
        pairs = listed(content.get("words"), "'words'", pairs=True)
        if "k" not in content:
            raise InputError("'k' is missing")
        how = {name: content.get(name) for name in ("pretokenizer", "normalizer")}
        for name, value in how.items():
            if not isinstance(value, str | None):
                raise InputError(f"{name!r} must be a name")
        named = [(sym.from_json(w, symbols), c) for w, c in pairs]
        if "references" in content:
            corpus: Any = corpora_from_json(content, named, symbols, how)
        else:
            corpus = WordCounts.from_counts(named, symbols, **how)
        use: dict[str, Any] = {}
        for name in ("k", "max_length", "min_count", "threshold"):
            if name in content:
                use[name] = whole(content[name], repr(name))
        for name in _TOKEN_LISTS:
            if name in content:
                tokens = listed(content[name], repr(name))
                use[name] = [sym.from_json(token, symbols) for token in tokens]
        groups = listed(content.get("groups", []), "'groups'")
        use["groups"] = [GroupBudget.from_json(group, symbols) for group in groups]
        if "merges" in content:
            use["merges"] = MergeCondition.from_json(content["merges"], symbols)
        return cls(corpus, source=content.get("source"), **use)

    @classmethod
    @checked
    def load(cls, path: str | PathLike[str]) -> Instance:
        """Reads an instance file; errors name the file."""
        data = read_json(path)
        try:
            return cls.from_json(data)
        except InputError as error:
            mistake = likely_mistake(path, "instance")
            raise InputError(f"{fspath(path)}: {error}{mistake}") from None


def _tokens(name: str, values: Iterable[Any], symbols: Symbols) -> tuple[Token, ...]:
    """Returns distinct tokens of an alphabet's type, each of two symbols or more."""
    tokens = dict.fromkeys(sym.to_token(value, symbols) for value in values)
    for token in tokens:
        if len(token) < 2:
            raise InputError(
                f"{name}: token {sym.show(token)!r} has fewer than two symbols: leave it out, "
                "single symbols are always available"
            )
    return tuple(tokens)
