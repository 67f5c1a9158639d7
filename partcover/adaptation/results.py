"""Holds the results of extending and pruning a vocabulary: tokens, counts, ids and the proof."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Termination
from ..runtime.arrays import Int64, read_only
from ..runtime.notebook import brief
from ..runtime.progress import gap_of
from ..verification.certificate_check import CertificateCheck, check_certificate
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class BeforeAfter:
    """The tokens of a corpus before and after a vocabulary was adapted, by the same rule."""

    words: WordCounts
    before: int
    after: int

    def to_json(self) -> dict[str, Any]:
        """Returns the counts as a JSON object."""
        return {
            "words": len(self.words),
            "total_count": self.words.total_count,
            "before": self.before,
            "after": self.after,
            "saved": self.before - self.after,
        }


@dataclass(frozen=True)
class Adaptation:
    """A vocabulary made of another one by `extend` or `prune`, and how close it is to optimal.

    Attributes
    ----------
    base : Vocabulary
        The vocabulary that was there.
    vocabulary : Vocabulary
        The new one.
    asked : int
        How many tokens to add, of which fewer are added where no more help, or how many to keep.
    corpus : BeforeAfter
        The tokens of the corpus.
    tokens : int
        What was minimized: the tokens after it, by the vocabulary's own rule.
    instance : Instance
        The instance that the bound is about, by the shortest path.
    certificate : Certificate
        The proof of the bound.
    unreachable : tuple of token
        Tokens of the base that no text ever contains (`unreachable_tokens`).
    seconds : float
        The time that it took.
    termination : {"completed", "gap", "time_limit", "interrupted"}
        Why it stopped.
    gains : tuple of int
        For each new token, how many tokens less the objective needs because of it.  By the
        shortest path: how many more it would need without that one token.  By priority and by
        longest match: what the token saves behind those before it.  Of merges and by likelihood:
        what its uses save, each of them the tokens that its text is in the base, except one;
        0 for a token that only leads to others.
    keep : BeforeAfter or None
        The tokens of the corpus that must not cost more, if one was given.
    limit : int or None
        The most tokens that `keep` may need.
    is_within_words : bool
        Whether new tokens, and those of the bound, are parts of words: so it is where tokens of the
        base reach across words of the corpus, which is whole texts.
    required : tuple of token
        Those that had to stay, whatever they save.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, extend, prune
    >>> from partcover.adaptation.results import Adaptation
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2, "cat": 2})
    >>> found: Adaptation = extend(Vocabulary(["th"]), words, 1)
    >>> found.new, found.gains, found.corpus.before, found.tokens, found.lower_bound
    ((b'at',), (7,), 21, 14, 14)
    >>> found = prune(Vocabulary(["th", "at", "hat"], special=["<s>"]), words, 1)
    >>> found.vocabulary.tokens, found.corpus.before, found.tokens, found.lower_bound
    ((b'hat',), 12, 14, 14)
    >>> found.ids[255:].tolist(), dict(found.vocabulary.special)
    ([255, -1, -1, 256, 257], {'<s>': 257})
    """

    base: Vocabulary
    vocabulary: Vocabulary
    asked: int
    corpus: BeforeAfter
    tokens: int
    instance: Instance
    certificate: Certificate
    unreachable: tuple[Token, ...]
    seconds: float
    termination: Termination
    gains: tuple[int, ...] = ()
    keep: BeforeAfter | None = None
    limit: int | None = None
    is_within_words: bool = False
    required: tuple[Token, ...] = ()

    def __repr__(self) -> str:
        return brief(
            type(self).__name__,
            f"{len(self.base):,} → {len(self.vocabulary):,} tokens",
            self.rule,
            f"tokens={self.tokens}, lower_bound={self.lower_bound}",
            f"gap={self.gap:.4%}",
            self.termination,
        )

    @property
    def rule(self) -> SegmentationRule:
        """The segmentation rule that counts are stated under."""
        return self.vocabulary.rule

    @property
    def lower_bound(self) -> int:
        """No other choice needs fewer tokens; under merges, of those that the function names."""
        return int(self.certificate.lower_bound)

    @property
    def gap(self) -> float:
        """(tokens − lower_bound) / tokens."""
        return gap_of(self.tokens, self.lower_bound) or 0.0

    @property
    def new(self) -> tuple[Token, ...]:
        """The new tokens, in the order of their ids."""
        return self.vocabulary.tokens[len(self.base) :]

    @property
    def new_ids(self) -> tuple[int, ...]:
        """The ids of the new tokens; none over other symbols than bytes."""
        if self.base.symbols != "bytes":
            return ()
        return self.vocabulary.id_of[256 + len(self.base) :]

    @cached_property
    def ids(self) -> Int64:
        """The new id of each old one, −1 for a removed token; empty unless symbols are bytes.

        Row ``old`` of an embedding matrix becomes row ``ids[old]``.
        """
        if self.base.symbols != "bytes":
            return np.zeros(0, np.int64)
        old, new = (_numbers(vocabulary) for vocabulary in (self.base, self.vocabulary))
        ids = np.full(max(old.values()) + 1, -1, np.int64)
        for name, number in old.items():
            ids[number] = new.get(name, -1)
        return read_only(ids)

    def check(self) -> CertificateCheck:
        """Recounts the lower bound that the certificate proves, independently."""
        return check_certificate(self.instance, self.certificate)

    def to_json(self, *, vocabulary: bool = True) -> dict[str, Any]:
        """Returns the JSON object of the command, with the tokens unless they are left out."""
        data: dict[str, Any] = {
            "method": self.vocabulary.method,
            "rule": self.rule,
            "symbols": self.base.symbols,
            "base_size": len(self.base),
            "size": len(self.vocabulary),
            "corpus": self.corpus.to_json(),
            "tokens": self.tokens,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "unreachable": len(self.unreachable),
            "termination": self.termination,
            "seconds": round(self.seconds, 6),
        }
        if vocabulary:
            data["unreachable_tokens"] = [sym.to_json(token) for token in self.unreachable]
        if self.vocabulary.method == "prune":
            data |= {"k": self.asked, "required": len(self.required)}
            if self.base.symbols == "bytes":
                both = (len(_numbers(each)) for each in (self.base, self.vocabulary))
                data["ids_before"], data["ids_after"] = both
            return data
        data |= {
            "m": self.asked,
            "added": len(self.new),
            "within_words": self.is_within_words,
            "keep": None if self.keep is None else self.keep.to_json(),
            "keep_limit": self.limit,
        }
        if vocabulary:
            data["new_tokens"] = [sym.to_json(token) for token in self.new]
            data["new_ids"] = list(self.new_ids)
            data["gains"] = list(self.gains)
        return data


def _numbers(vocabulary: Vocabulary) -> dict[Token, int]:
    """Returns the ids of the bytes that have one, the tokens and the special tokens."""
    names: list[Token] = [*(bytes([byte]) for byte in range(256)), *vocabulary.tokens]
    ids = dict(zip(names, vocabulary.id_of, strict=True))
    ids.update(vocabulary.special)
    return {name: number for name, number in ids.items() if number >= 0}
