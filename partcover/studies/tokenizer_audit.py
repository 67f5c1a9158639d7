"""Audits a tokenizer on a text: how far from optimal it is, why, and what would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..analysis.metrics import text_bytes, token_uses, unknown_symbols
from ..analysis.reachability import unreachable_tokens
from ..analysis.word_borders import cut_at_spaces
from ..bounds.lower_bound import bounds
from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..heuristics.greedy import greedtok
from ..problem.bound import Bound
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..runtime.arguments import Seconds, Threads, Whole, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress, gap_of
from ..segmentation.segmentation import Segmentation, segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .additional_tokens import Additions, Extension, extend

__all__ = ["CostlyWord", "TokenizerAudit", "audit_tokenizer"]

ADDED = (100, 1_000)
"""Numbers of additional tokens whose worth is looked at."""


@dataclass(frozen=True)
class CostlyWord:
    """A word that more tokens than one are spent on.

    Attributes
    ----------
    word : token
        The word.
    count : int
        How often it occurs.
    pieces : tuple of token
        The tokens that it is cut into.

    Examples
    --------
    >>> from partcover.studies.tokenizer_audit import CostlyWord
    >>> CostlyWord(b"hat", 5, (b"h", b"at")).loss
    5
    """

    word: Token
    count: int
    pieces: tuple[Token, ...]

    @property
    def loss(self) -> int:
        """The tokens that are spent on it beyond one each time."""
        return self.count * (len(self.pieces) - 1)

    def to_json(self) -> dict[str, Any]:
        """Returns the word as a JSON object."""
        return {
            "word": sym.to_json(self.word),
            "count": self.count,
            "pieces": [sym.to_json(piece) for piece in self.pieces],
            "loss": self.loss,
        }


@dataclass(frozen=True)
class TokenizerAudit:
    """How far from optimal a tokenizer is on a text, why, and what would help.

    Attributes
    ----------
    words : WordCounts
        The text, as the bounds are for it.
    rule : str
        The segmentation rule of the tokenizer.
    pretokenizer : str or None
        What the text was cut into words by.
    size : int
        Number of tokens of two or more symbols that the tokenizer holds.
    used : int
        How many of them the text is cut into.
    unreachable : tuple of token
        Tokens that can never come out (`unreachable_tokens`).
    unknown : int
        Symbols of the text without an id that no token covers.  Each is a token here; there
        `Vocabulary.unknown` stands for them, and the text is lost.
    tokens : int
        Tokens that the text needs by the tokenizer's own rule, as its words hold it.
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
    seconds : float
        The time that it took.
    threads : int
        Number of threads.
    own_tokens : int or None
        Tokens that the tokenizer makes of the text, if it was encoded.  They are others where it
        finds added tokens, or writes one token for what it does not know.

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
    tokens: int
    tokens_used: int
    tokens_shortest_path: int
    bound: Bound
    bound_used: Bound | None
    costly: tuple[CostlyWord, ...]
    additions: tuple[Additions, ...]
    seconds: float
    threads: int
    own_tokens: int | None = None

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes of the text, as its words hold it, over `tokens`."""
        size = text_bytes(self.words)
        return None if size is None else size / self.tokens

    @property
    def lower_bound(self) -> int:
        """No vocabulary of `size` tokens needs fewer for this text."""
        return int(self.bound.lower_bound)

    @property
    def lower_bound_used(self) -> int:
        """No vocabulary of `used` tokens needs fewer for this text."""
        proven = 0 if self.bound_used is None else int(self.bound_used.lower_bound)
        return max(self.lower_bound, proven)  # fewer tokens never do better

    @property
    def is_cut_at_spaces(self) -> bool:
        """Whether the bounds are for tokens that, as these, do not reach across words."""
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
        """The part of the rule: the same tokens, cut as well as possible."""
        return (self.tokens - self.tokens_used) / self.tokens

    @property
    def vocabulary_gap(self) -> float:
        """The part of the choice of the tokens that are used, at most."""
        return (self.tokens_used - self.lower_bound_used) / self.tokens

    @property
    def unused_gap(self) -> float:
        """The part of the tokens that are not used on this text, at most."""
        return (self.lower_bound_used - self.lower_bound) / self.tokens

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object of ``partcover audit``."""
        return {
            "rule": self.rule,
            "pretokenizer": self.pretokenizer,
            "cut_at_spaces": self.is_cut_at_spaces,
            "symbols": self.words.symbols,
            "bytes": text_bytes(self.words),
            "words": len(self.words),
            "total_count": self.words.total_count,
            "own_tokens": self.own_tokens,
            "tokens": self.tokens,
            "bytes_per_token": self.bytes_per_token,
            "size": self.size,
            "used": self.used,
            "never_used": self.size - self.used,
            "unreachable": len(self.unreachable),
            "unknown": self.unknown,
            "unreachable_tokens": [sym.to_json(token) for token in self.unreachable],
            "tokens_used": self.tokens_used,
            "tokens_shortest_path": self.tokens_shortest_path,
            "lower_bound": self.lower_bound,
            "lower_bound_used": self.lower_bound_used,
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
    limit: Whole = 10,
    added: Sequence[int] = ADDED,
    own_tokens: Whole | None = None,
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
        The text, cut into words by the tokenizer's own pre-tokenizer.  Words of ``none``, which
        are whole texts, are cut further where no token reaches across (`cut_at_spaces`).
    start_certificate : Certificate, optional
        The proof of an earlier audit on the same words, to go on from; its bound is kept.
    limit : int
        Number of costly words to list.
    added : sequence of int
        Numbers of additional tokens whose worth is looked at; none saves time.
    own_tokens : int, optional
        Tokens that the tokenizer makes of the text, as `Encoder.count_files` counts them.
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
        If the symbols of words and vocabulary differ, or the vocabulary lacks what its rule needs.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, audit_tokenizer
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2, "cat": 2})
    >>> found = audit_tokenizer(Vocabulary(["th", "hat"], rule="priority"), words)
    >>> found.tokens, found.tokens_used, found.lower_bound_used
    (17, 14, 10)
    """
    limits = RunLimits(time_limit, threads=threads)
    clock = limits.start()
    pretokenizer = words.pretokenizer or vocabulary.pretokenizer
    if words.pretokenizer == "none":
        words = cut_at_spaces(words, vocabulary)
    own = segment(words, vocabulary, threads=threads)
    uses = token_uses(own, len(vocabulary))
    used = [vocabulary.tokens[place] for place in np.flatnonzero(uses).tolist()]
    chosen = Vocabulary(used, vocabulary.symbols)
    tokens_used = segment(words, chosen, "shortest_path", threads=threads).tokens
    corpus = Instance(words, 0)
    extension = extend(vocabulary, corpus, added, threads=threads)
    unreachable = unreachable_tokens(vocabulary, threads=threads)
    incumbents = {len(vocabulary): extension.before, len(used): tokens_used}
    proven, extended = _bounds(corpus, incumbents, extension, start_certificate, limits, progress)
    return TokenizerAudit(
        words=words,
        rule=vocabulary.rule,
        pretokenizer=pretokenizer,
        size=len(vocabulary),
        used=len(used),
        unreachable=unreachable,
        unknown=unknown_symbols(own, vocabulary),
        tokens=own.tokens,
        tokens_used=tokens_used,
        tokens_shortest_path=extension.before,
        bound=proven[len(vocabulary)],
        bound_used=proven.get(len(used)),
        costly=_costly(own, limit),
        additions=extension.worth(extended),
        seconds=clock.seconds,
        threads=threads,
        own_tokens=own_tokens,
    )


def _costly(cut: Segmentation, limit: int) -> tuple[CostlyWord, ...]:
    """Returns the words that most tokens beyond one are spent on; of equal ones, the first."""
    words = cut.words
    losses = words.counts * (cut.pieces - 1)
    order = np.argsort(-losses, kind="stable")[:limit].tolist()
    return tuple(
        CostlyWord(words.word(w), int(words.counts[w]), tuple(cut.of(w)))
        for w in order
        if losses[w] > 0
    )


def _bounds(
    corpus: Instance,
    incumbents: dict[int, int],
    extension: Extension,
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
    # so many tokens can be all words of two or more symbols, which is proven at once
    incumbents = {k: least if k >= n_long else tokens for k, tokens in incumbents.items()}
    added = extension.incumbents
    shares = [2 * (tokens > least) for tokens in incumbents.values()]
    shares += [tokens > least for tokens in added.values()]
    each = None if limits.time_limit is None else limits.time_limit / max(1, sum(shares))
    prove = partial(bounds, threads=limits.threads, progress=progress)
    greedy = greedtok(corpus.with_k(max(incumbents)), threads=limits.threads)
    free = prove(
        corpus,
        [*incumbents],
        incumbents=incumbents,
        greedy=greedy,
        start_certificates=[] if start_certificate is None else [start_certificate],
        time_limit=None if each is None else 2 * each,
    )
    extended: list[Bound] = []
    if added and free[-1].termination != "interrupted":
        extended = prove(
            extension.instance,
            [*added],
            incumbents=added,
            greedy=extension.greedy,
            time_limit=each,
        )
    return {bound.instance.k: bound for bound in free}, {
        bound.instance.k: bound for bound in extended
    }
