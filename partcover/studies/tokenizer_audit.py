"""Audits a tokenizer on a text: how far from optimal it is, why, and what would help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..analysis.costly_words import CostlyWord, costly_words
from ..analysis.metrics import token_uses, unknown_symbols
from ..analysis.reachability import unreachable_tokens
from ..analysis.word_borders import are_whole_texts, reaches_across, split_at_spaces
from ..bounds.lower_bound import bounds
from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..problem.bound import Bound
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..problem.word_index import WordIndex
from ..runtime.arguments import Seconds, Threads, Whole, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress, gap_of
from ..segmentation.segmentation import segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .additional_tokens import Additions, Extension, add_tokens
from .audited_text import spelled

ADDED = (100, 1_000)
"""Numbers of additional tokens whose worth is looked at."""

_LONG = (
    1_000  # symbols of a part of a whole text from which on candidates are no longer than tokens
)


@dataclass(frozen=True)
class TokenizerAudit:
    """How far from optimal a tokenizer is on a text, why, and what would help.

    Attributes
    ----------
    words : WordCounts
        The text that is compared: what the tokenizer has tokens for, between added tokens.
    rule : str
        The segmentation rule of the tokenizer.
    pretokenizer : str or None
        What the text was split into words by.
    size : int
        Number of tokens of two or more symbols that the tokenizer holds.
    used : int
        How many of them the text becomes.
    unreachable : tuple of token
        Tokens that no text ever contains (`unreachable_tokens`).
    unknown : int
        Symbols of the text that are left out of `words`: those without a token, and all of a word
        of which the tokenizer makes one unknown token.
    unknown_words : int
        How often words occur that have such symbols.
    unknown_tokens : int
        Tokens that the tokenizer makes of what is left out.
    unknown_token : str or None
        The token that stands for them; None where they are an error.
    added_found : mapping of str to int
        How often each added token is found in the text, before it is split into words.
    tokens : int
        Tokens that `words` need by the tokenizer's own rule.
    tokens_used : int
        Tokens that it needs by the shortest path with the used tokens alone.
    tokens_shortest_path : int
        Tokens that it needs by the shortest path with all tokens.
    bound : Bound
        The lower bound for `size` tokens, with its proof.
    bound_used : Bound or None
        That for `used` tokens; None if Ctrl-C came before it.
    costly : tuple of CostlyWord
        The words that lose most, the most costly first.
    additions : tuple of Additions
        What 100 and 1,000 additional tokens would save, and at most could.
    bytes : int or None
        Bytes of the text that `words` hold, without the marks of words of WordPiece; None for
        integers.
    seconds : float
        The time that it took.
    threads : int
        Number of threads.
    tokens_across : int
        Where whole texts were split at spaces: how many tokens of the tokenizer occur in them that
        reach across such a place.  The bounds are for tokens that do so only where one of these
        does.
    max_length : int or None
        Where a whole text has long parts without such a place: the bounds are for tokens of at
        most so many symbols, as many as the longest token of the tokenizer that occurs has.
    own_tokens : int or None
        Tokens that the tokenizer makes of the text, if it was encoded: `tokens`, those added ones
        that are found, `unknown_tokens` and `rounding`.
    greedy : Solution or None
        GreedTok's solution for `size` tokens, with the gain of each token.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, audit_tokenizer
    >>> from partcover.studies.tokenizer_audit import TokenizerAudit
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> found: TokenizerAudit = audit_tokenizer(Vocabulary(["th", "at"]), words)
    >>> found.tokens, found.lower_bound, found.gap
    (10, 5, 0.5)
    """

    words: WordCounts
    rule: SegmentationRule
    pretokenizer: str | None
    size: int
    used: int
    unreachable: tuple[Token, ...]
    unknown: int
    unknown_words: int
    unknown_tokens: int
    unknown_token: str | None
    added_found: Mapping[str, int]
    tokens: int
    tokens_used: int
    tokens_shortest_path: int
    bound: Bound
    bound_used: Bound | None
    costly: tuple[CostlyWord, ...]
    additions: tuple[Additions, ...]
    bytes: int | None
    seconds: float
    threads: int
    tokens_across: int = 0
    max_length: int | None = None
    own_tokens: int | None = None
    greedy: Solution | None = None

    @property
    def set_apart(self) -> int:
        """Tokens outside the bounds: one for each added token found, and the unknown ones."""
        return sum(self.added_found.values()) + self.unknown_tokens

    @property
    def rounding(self) -> int:
        """How many more tokens whole texts need than their parts, because of rounded scores."""
        return 0 if self.own_tokens is None else self.own_tokens - self.tokens - self.set_apart

    @property
    def own_lower_bound(self) -> int:
        """The lower bound for the whole text, including added and unknown tokens."""
        return self.lower_bound + self.set_apart

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes of the text, as its words hold it, over `tokens`."""
        return None if self.bytes is None else self.bytes / self.tokens

    @property
    def lower_bound(self) -> int:
        """No vocabulary of `size` tokens within the limits of the bounds needs fewer."""
        return int(self.bound.lower_bound)

    @property
    def lower_bound_used(self) -> int:
        """No vocabulary of `used` tokens within the limits of the bounds needs fewer."""
        proven = 0 if self.bound_used is None else int(self.bound_used.lower_bound)
        return max(self.lower_bound, proven)  # fewer tokens never do better

    @property
    def is_split_at_spaces(self) -> bool:
        """Whether whole texts were split at spaces where no token reaches across."""
        return self.pretokenizer == "none" and self.words.pretokenizer is None

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the search for the bounds."""
        proven = [self.bound, self.bound_used, *(more.bound for more in self.additions)]
        return "interrupted" in {bound.termination for bound in proven if bound is not None}

    @property
    def gap(self) -> float:
        """(tokens − lower_bound) / tokens, the sum of the three parts."""
        return gap_of(self.tokens, self.lower_bound) or 0.0

    @property
    def rule_gap(self) -> float:
        """The part due to the rule: what the best segmentation with the same tokens saves."""
        return (self.tokens - self.tokens_used) / self.tokens

    @property
    def vocabulary_gap(self) -> float:
        """The part due to the choice of the tokens that are used, at most."""
        return (self.tokens_used - self.lower_bound_used) / self.tokens

    @property
    def unused_gap(self) -> float:
        """The part due to tokens that are not used on this text, at most."""
        return (self.lower_bound_used - self.lower_bound) / self.tokens

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object of ``partcover audit``."""
        return {
            "rule": self.rule,
            "pretokenizer": self.pretokenizer,
            "split_at_spaces": self.is_split_at_spaces,
            "symbols": self.words.symbols,
            "bytes": self.bytes,
            "words": len(self.words),
            "total_count": self.words.total_count,
            "own_tokens": self.own_tokens,
            "added_found": dict(self.added_found),
            "unknown_tokens": self.unknown_tokens,
            "rounding": self.rounding,
            "tokens": self.tokens,
            "bytes_per_token": self.bytes_per_token,
            "size": self.size,
            "used": self.used,
            "never_used": self.size - self.used,
            "unreachable": len(self.unreachable),
            "unknown": self.unknown,
            "unknown_words": self.unknown_words,
            "unknown_token": self.unknown_token,
            "tokens_across": self.tokens_across,
            "max_length": self.max_length,
            "unreachable_tokens": [sym.to_json(token) for token in self.unreachable],
            "tokens_used": self.tokens_used,
            "tokens_shortest_path": self.tokens_shortest_path,
            "lower_bound": self.lower_bound,
            "lower_bound_used": self.lower_bound_used,
            "own_lower_bound": self.own_lower_bound,
            "gap": self.gap,
            "rule_gap": self.rule_gap,
            "vocabulary_gap": self.vocabulary_gap,
            "unused_gap": self.unused_gap,
            "costly_words": [word.to_json() for word in self.costly],
            "additions": [added.to_json() for added in self.additions],
            "seconds": round(self.seconds, 6),
            "threads": self.threads,
        }


@checked
def audit_tokenizer(
    vocabulary: Vocabulary,
    words: WordCounts,
    *,
    start_certificate: Certificate | None = None,
    top: Whole = 10,
    added: Sequence[int] = ADDED,
    own_tokens: Whole | None = None,
    added_found: Mapping[str, int] | None = None,
    time_limit: Seconds | None = 4.0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> TokenizerAudit:
    """Audits a tokenizer on a text.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokenizer, as `Vocabulary.load` reads it.
    words : WordCounts
        The text, split into words by the tokenizer's own pre-tokenizer.  Words of ``none``, which
        are whole texts, are split further where no token reaches across (`split_at_spaces`).
        Bytes without a token are left out (`spelled`).
    start_certificate : Certificate, optional
        The proof of an earlier audit on the same words, to go on from; its bound is kept.
    top : int
        Number of costly words to list.
    added : sequence of int
        Numbers of additional tokens whose worth is looked at; none saves time.
    own_tokens : int, optional
        Tokens that the tokenizer makes of the text, as `Encoder.count_files` counts them.
    added_found : mapping of str to int, optional
        How often added tokens were found, where they were split off the text before
        (`words_of_files`).
    time_limit : float, optional
        Seconds for the lower bounds together; None until they get no better.
    threads : int
        Number of threads.
    progress : Progress, optional
        Receives the events of the lower bounds.

    Returns
    -------
    TokenizerAudit
        Exact counts and proven bounds.  The bounds are for this text; a general vocabulary serves
        many, and is near the bound of none of them.

    Raises
    ------
    InputError
        If there are no words, the symbols of words and vocabulary differ, the vocabulary lacks
        what its rule needs, or has no token for any part of the text.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, audit_tokenizer
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2, "cat": 2})
    >>> found = audit_tokenizer(Vocabulary(["th", "hat"], rule="priority"), words)
    >>> found.tokens, found.tokens_used, found.lower_bound_used
    (17, 14, 10)
    """
    if not len(words):
        raise InputError("the corpus is empty: it has no words")
    limits = RunLimits(time_limit, threads=threads)
    clock = limits.start()
    pretokenizer = words.pretokenizer or vocabulary.pretokenizer
    is_whole_text = are_whole_texts(words)
    if is_whole_text:
        words = split_at_spaces(words, vocabulary)
    found = spelled(words, vocabulary, threads=threads)
    own, words = found.own, found.own.words
    uses = token_uses(own, len(vocabulary))
    used = [vocabulary.tokens[place] for place in np.flatnonzero(uses).tolist()]
    tokens_used = _fewest(words, used, vocabulary, threads)
    is_whole_text |= pretokenizer == "none" and words.pretokenizer is None
    corpus = Instance(words, 0, max_length=_longest(words, vocabulary) if is_whole_text else None)
    extension = add_tokens(vocabulary, corpus, added, threads=threads)
    across = sum(map(reaches_across, extension.instance.prefix)) if is_whole_text else 0
    unreachable = unreachable_tokens(vocabulary, threads=threads)
    incumbents = {len(vocabulary): extension.before, len(used): tokens_used}
    greedy = greedtok(corpus.with_k(max(incumbents)), threads=threads)
    proven, extended = _bounds(
        corpus, incumbents, extension, greedy, start_certificate, limits, progress
    )
    return TokenizerAudit(
        words=words,
        rule=vocabulary.rule,
        pretokenizer=pretokenizer,
        size=len(vocabulary),
        used=len(used),
        unreachable=unreachable,
        unknown=found.symbols,
        unknown_words=found.words,
        unknown_tokens=found.tokens,
        unknown_token=None if vocabulary.unknown is None else vocabulary.unknown.token,
        added_found=dict(added_found or {}),
        tokens=own.tokens,
        tokens_used=tokens_used,
        tokens_shortest_path=extension.before,
        bound=proven[len(vocabulary)],
        bound_used=proven.get(len(used)),
        costly=costly_words(own, top),
        additions=extension.worth(extended),
        bytes=found.size,
        seconds=clock.seconds,
        threads=threads,
        tokens_across=across,
        max_length=corpus.max_length,
        own_tokens=own_tokens,
        greedy=greedy,
    )


def _fewest(
    words: WordCounts, tokens: Sequence[Token], vocabulary: Vocabulary, threads: int
) -> int:
    """Returns how many of some tokens words need, by the shortest path over symbols with an id."""
    cut = segment(words, Vocabulary(tokens, words.symbols), "shortest_path", threads=threads)
    if not unknown_symbols(cut, vocabulary):
        return cut.tokens
    # a symbol without an id costs more than any path without one
    most = float(np.diff(words.offsets).max()) + 1.0
    symbols = {bytes([n]): -most if vocabulary.id_of[n] < 0 else -1.0 for n in range(256)}
    scores = [-1.0] * len(tokens)
    costs = Vocabulary(tokens, rule="likelihood", scores=scores, symbol_scores=symbols)
    return segment(words, costs, threads=threads).tokens


def _longest(words: WordCounts, vocabulary: Vocabulary) -> int | None:
    """Returns the length of the longest token that occurs, if there are long words."""
    longest = int(np.diff(words.offsets).max())
    if longest <= _LONG:
        return None
    occurs = WordIndex(words).find_tokens(vocabulary).occurs
    lengths = [len(vocabulary.tokens[place]) for place in np.flatnonzero(occurs).tolist()]
    most = max(lengths, default=2)
    return most if most < longest else None


def _bounds(
    corpus: Instance,
    incumbents: dict[int, int],
    extension: Extension,
    greedy: Solution,
    start_certificate: Certificate | None,
    limits: RunLimits,
    progress: Progress | None,
) -> tuple[dict[int, Bound], dict[int, Bound]]:
    """Returns lower bounds by budget, those of `incumbents` and those of `extension`.

    One of the first kind gets twice the time of one of the second.  After Ctrl-C those that are
    there are returned.
    """
    least = corpus.words.total_count
    n_long = int(np.count_nonzero(np.diff(corpus.words.offsets) > 1))
    if corpus.max_length is None:
        # so many tokens can be all words of two or more symbols, which is proven at once
        incumbents = {k: least if k >= n_long else tokens for k, tokens in incumbents.items()}
    added = extension.incumbents
    shares = [2 * (tokens > least) for tokens in incumbents.values()]
    shares += [tokens > least for tokens in added.values()]
    each = None if limits.time_limit is None else limits.time_limit / max(1, sum(shares))
    prove = partial(bounds, threads=limits.threads, progress=progress)
    free = prove(
        corpus,
        incumbents,
        start_certificate,
        greedy=greedy,
        time_limit=None if each is None else 2 * each,
    )
    extended: list[Bound] = []
    if added and free[-1].termination != "interrupted":
        extended = prove(extension.instance, added, greedy=extension.greedy, time_limit=each)
    return {bound.instance.k: bound for bound in free}, {
        bound.instance.k: bound for bound in extended
    }
