"""The other tokenizers of the literature, each trained from the same counted words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..solution import Solution
from .bpe import bpe as bpe
from .convextok import convextok as convextok
from .frequent import frequent as frequent
from .greedyphrase import greedyphrase as greedyphrase
from .pathpiece import pathpiece as pathpiece
from .plain import plain_bytes as plain_bytes
from .randtrain import randtrain as randtrain
from .sage import sage as sage
from .sentencepiece import unigram_sentencepiece as unigram_sentencepiece
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
        called with (done, of, remark).
    nested : bool
        Whether the first j tokens of a run for k (with the merges up to the one that makes the
        last of them) are its answer for every budget j ≤ k.
    about : str
        One line for people.
    """

    run: Callable[..., Solution]
    nested: bool
    about: str


TRAINERS: dict[str, Trainer] = {
    "bpe": Trainer(bpe, True, "byte-pair encoding: merge the most frequent pair"),
    "convextok": Trainer(convextok, False, "the linear relaxation, rounded; with its bound"),
    "frequent": Trainer(frequent, True, "the most frequent words"),
    "greedyphrase": Trainer(greedyphrase, False, "frequent phrases, pairs of them, and BPE"),
    "pathpiece": Trainer(pathpiece, False, "top down, by what each token's absence costs"),
    "randtrain": Trainer(randtrain, True, "drawn at random, by their counts"),
    "sage": Trainer(sage, False, "drop what contexts miss least (needs sage-tokenizer)"),
    "unigram": Trainer(unigram, False, "a language model of pieces, pruned"),
    "unigram_sentencepiece": Trainer(unigram_sentencepiece, False, "the same by sentencepiece"),
    "wordpiece": Trainer(wordpiece, True, "merge the pair that its parts explain least"),
}
