"""Trains published tokenizers, all on the same counted words."""

from __future__ import annotations

from .boundlessbpe import boundlessbpe as boundlessbpe
from .bpe import bpe as bpe
from .convextok import convextok as convextok
from .frequent_words import frequent as frequent
from .greedyphrase import greedyphrase as greedyphrase
from .parity_bpe import parity_bpe as parity_bpe
from .pathpiece import pathpiece as pathpiece
from .random_tokens import randtrain as randtrain
from .registry import TrainerRegistry as TrainerRegistry
from .sage import sage as sage
from .sentencepiece import unigram_sentencepiece as unigram_sentencepiece
from .single_symbols import plain_bytes as plain_bytes
from .superbpe import superbpe as superbpe
from .trainer import DECLARED
from .trainer import Trainer as Trainer
from .trainer import solution_of as solution_of
from .trainer import trainer as trainer
from .unigram import unigram as unigram
from .unigram import unigram_objective as unigram_objective
from .wordpiece import wordpiece as wordpiece

__all__ = [
    "TRAINERS",
    "Trainer",
    "TrainerRegistry",
    "boundlessbpe",
    "bpe",
    "convextok",
    "frequent",
    "greedyphrase",
    "parity_bpe",
    "pathpiece",
    "plain_bytes",
    "randtrain",
    "sage",
    "solution_of",
    "superbpe",
    "trainer",
    "unigram",
    "unigram_objective",
    "unigram_sentencepiece",
    "wordpiece",
]

#: Every trainer by name, in alphabetical order, and behind them those of other packages.
TRAINERS = TrainerRegistry(dict(sorted(DECLARED.items())))
