"""Trains the other tokenizers of the literature, each from the same counted words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..problem.instance import Instance
from ..problem.solution import Solution
from .bpe import bpe as bpe
from .convextok import convextok as convextok
from .frequent_words import frequent as frequent
from .greedyphrase import greedyphrase as greedyphrase
from .pathpiece import pathpiece as pathpiece
from .random_tokens import randtrain as randtrain
from .sage import check_sage
from .sage import sage as sage
from .sentencepiece import check_sentencepiece
from .sentencepiece import unigram_sentencepiece as unigram_sentencepiece
from .single_symbols import plain_bytes as plain_bytes
from .trainer import refuse_unhonoured
from .unigram import unigram as unigram
from .unigram import unigram_objective as unigram_objective
from .wordpiece import wordpiece as wordpiece

__all__ = [
    "TRAINERS",
    "Trainer",
    "bpe",
    "convextok",
    "frequent",
    "greedyphrase",
    "pathpiece",
    "plain_bytes",
    "randtrain",
    "sage",
    "unigram",
    "unigram_objective",
    "unigram_sentencepiece",
    "wordpiece",
]


@dataclass(frozen=True)
class Trainer:
    """A way to train a vocabulary.

    Attributes
    ----------
    run : callable
        ``run(instance, *, time_limit=None, seed=0, threads=1, progress=None)`` returns a
        Solution; further keyword-only parameters are options of the method.  `progress` is
        a `Progress`.
    nested : bool
        Whether the first j tokens of a run for k (with the merges up to the one that makes the
        last of them) are its answer for every budget j ≤ k.
    about : str
        One line for people.
    check : callable
        ``check(instance)`` raises what `run` would before it does anything: InputError for an
        option of the instance that cannot be honoured, MissingExtra for a library that is not
        there.
    takes_time : bool
        Whether there is a time for `time_limit` to cut; else it changes nothing.
    """

    run: Callable[..., Solution]
    nested: bool
    about: str
    check: Callable[[Instance], None] = lambda instance: None
    takes_time: bool = True


def _keeps(method: str) -> Callable[[Instance], None]:
    """What checks that a method can honour an instance's options."""
    return partial(refuse_unhonoured, method=method)


TRAINERS: dict[str, Trainer] = {
    "bpe": Trainer(bpe, True, "byte-pair encoding: merge the most frequent pair", _keeps("bpe")),
    "bytes": Trainer(
        plain_bytes, True, "no token at all: every symbol alone", _keeps("bytes"), False
    ),
    "convextok": Trainer(
        convextok, False, "the linear relaxation, rounded; with its bound", _keeps("convextok")
    ),
    "frequent": Trainer(frequent, True, "the most frequent words", _keeps("frequent"), False),
    "greedyphrase": Trainer(
        greedyphrase, False, "frequent phrases, pairs of them, and BPE", _keeps("greedyphrase")
    ),
    "pathpiece": Trainer(
        pathpiece, False, "top down, by what each token's absence costs", _keeps("pathpiece")
    ),
    "randtrain": Trainer(
        randtrain, True, "drawn at random, by their counts", _keeps("randtrain"), False
    ),
    "sage": Trainer(
        sage, False, "drop what contexts miss least (needs sage-tokenizer)", check_sage
    ),
    "unigram": Trainer(unigram, False, "a language model of pieces, pruned", _keeps("unigram")),
    "unigram_sentencepiece": Trainer(
        unigram_sentencepiece, False, "the same by sentencepiece", check_sentencepiece
    ),
    "wordpiece": Trainer(
        wordpiece,
        True,
        "merge the pair seldom apart; rare ones first, so set --min-count",
        _keeps("wordpiece"),
    ),
}
