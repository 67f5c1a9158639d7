"""Adds tokens where any token may be used in any word: by the shortest path or by priority."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..analysis.token_gains import token_gains
from ..bounds.improve import improve
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..heuristics.greedy import greedtok
from ..interop.huggingface.word_pieces import PREFIX, word_mark
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from .base import (
    Added,
    Task,
    all_substrings,
    extended,
    needs_whole_characters,
    text_of,
    words_within,
)


def extension_instance(task: Task) -> Instance:
    """Returns the instance of an extension: the base's tokens are given, and k counts them.

    Candidates are all substrings, or those that split no character where others are of no use, and
    those within words where tokens of the base reach across (`words_within`).
    """
    base, words = task.base, task.objective
    within = words_within(base, words)
    whole = needs_whole_characters(base) and bool((words.data >= 0x80).any())
    # the mark of WordPiece's words is no piece: a word goes on behind it
    mark = word_mark(base)
    alone = () if mark is None or len(mark.encode()) < 2 else (mark.encode(),)
    instance = Instance(words, len(base) + task.m, prefix=base.tokens, forbidden=alone)
    odd = set() if mark is None else _unspellable(words, mark.encode())
    if within is None and not whole and not odd:
        return instance
    kept = words.subset(pair for pair in words if pair[0] not in odd) if odd else words
    if within is None and all(text_of(word) is not None for word, _ in kept):
        listed = [*replace(instance, corpus=kept).index.tokens()]
    else:  # a word that is no candidate dominates none
        listed = all_substrings(kept if within is None else within)
    if whole:
        listed = [token for token in listed if text_of(token) is not None]
    return replace(instance, candidates=tuple(listed))


def _unspellable(words: WordCounts, mark: bytes) -> set[Token]:
    """Returns the words of WordPiece that no new token is a part of.

    A word of a text that has the mark itself is unknown, whatever is added.  A token of a word that
    begins with the prefix of pieces inside a word would be read as such a piece.
    """
    front = mark + PREFIX.encode()
    return {
        word
        for word, _ in words
        if mark in word[1:] or (word[: len(front)] == front and len(word) > len(front))
    }


def add_by_shortest_path(task: Task) -> Added:
    """Adds the tokens that `improve` finds, those that save most first.

    More tokens never make a corpus longer: every path that was possible still is.
    """
    instance, size = extension_instance(task), len(task.base)
    solution = improve_within(instance, task.limits, task.progress)
    tokens = solution.vocabulary.tokens
    losses, _ = token_gains(task.objective, tokens, threads=task.limits.threads)
    worth = list(zip(losses.tolist(), tokens, strict=True))[size:]
    order = sorted((-loss, token) for loss, token in worth)
    new = [token for _, token in order]
    gains = tuple(-loss for loss, _ in order)
    return _added(task, solution, instance, new, gains)


def add_by_priority(task: Task) -> Added:
    """Adds the tokens of GreedTok, or those of `improve` in its order if they need fewer.

    A token of the lowest priority is placed only where it overlaps no other or contains it, so
    it never makes a corpus longer.
    """
    instance, size = extension_instance(task), len(task.base)
    solution = improve_within(instance, task.limits, task.progress)
    greedy = greedtok(instance, threads=task.limits.threads)
    candidates = None if instance.candidates is None else ()
    new = solution.vocabulary.tokens[size:]
    searched = replace(instance, candidates=candidates, required=new)
    ordered = greedtok(searched, threads=task.limits.threads)
    best = min((greedy, ordered), key=lambda answer: answer.tokens)
    return _added(task, solution, instance, best.vocabulary.tokens[size:], best.gains[size:])


def improve_within(instance: Instance, limits: RunLimits, progress: Progress) -> Solution:
    """Improves a vocabulary within the time limit."""
    return improve(
        instance, time_limit=limits.time_limit, threads=limits.threads, progress=progress
    )


def _added(
    task: Task, solution: Solution, instance: Instance, new: Sequence[Token], gains: tuple[int, ...]
) -> Added:
    assert solution.certificate is not None
    vocabulary = extended(task.base, new)
    return Added(vocabulary, gains, instance, solution.certificate, solution.termination)
