"""Adds tokens that join the pieces of a vocabulary: by further merges, or by their scores."""

from __future__ import annotations

from collections import Counter
from ctypes import c_float
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from ..analysis.metrics import token_uses
from ..bounds.improve import improve
from ..bounds.lower_bound import lower_bound
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..exact.solve import solve
from ..problem.instance import Instance
from ..problem.merge_condition import MergeCondition
from ..problem.solution import Solution
from ..runtime.limits import Deadline
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .base import Added, Task, extended, of_merging_characters, text_of
from .merge_search import MergeState, Pair, best_merges, best_share, merge_gains
from .pieces import Pieces, Run
from .whole_paths import extension_instance

_SEARCH = 0.5  # of the time
_PATIENCE = 20.0  # seconds for a proven optimum
_MOST_SOLVED = 400  # candidates of an instance that is solved
_MOST_MADE = 1_000_000  # candidates of which a bound knows what they are made of
_PLACES = 12
_CONTINUES, _NEVER = b"\x80", b"\xff"  # a byte inside a character, and one of no character
# what a token scores above its pieces for each of them that it saves: more than rounding takes off
_JOINING, _JOINING_32 = 1e-6, 1 / 16


def add_merges(task: Task) -> Added:
    """Adds merges after those of the vocabulary.

    The bound is for all m new texts that merges lead to; where merging starts from characters of
    several bytes, or texts are too many, for all ways to join neighbours.
    """
    base, threads = task.base, task.limits.threads
    pieces = Pieces.of(base, task.objective, threads=threads)
    instance = pieces.instance(task.m, free=True)
    clock = task.limits.start()
    left = clock.left
    deadline = clock if left is None else clock.earlier((1 - _SEARCH) * left)
    by_rank = base.merges is None
    start = MergeState(
        merges=(),
        whole=(),
        by_rank=by_rank,
        # a part of a whole text is no word there
        keeps_words=by_rank and base.rule == "merges" and base.pretokenizer != "none",
        given=tuple(pieces.present()),
    )
    characters = _characters(task, pieces, start)
    if characters:
        base = extended(base, characters)
        pieces = Pieces.of(base, task.objective, threads=threads)
        start = replace(start, given=tuple(pieces.present()))
    words = _between_bytes(pieces)
    state = best_merges(words, start, task.m - len(characters), deadline=deadline, threads=threads)
    state = state.reachable(threads)
    best: Solution | None = None
    bounded = made_by_merges(instance, base)
    is_small = instance.promising_index().total <= _MOST_SOLVED
    if base.merges is not None and not (characters or start.given) and is_small:
        left = clock.left
        patience = _PATIENCE if left is None else min(_PATIENCE, _SEARCH * left)
        closed = replace(instance, merges=MergeCondition())
        best = solve(closed, time_limit=patience, threads=threads)
        choices = [state, replace(state, merges=_merges_of(best.vocabulary)).reachable(threads)]
        state = min(choices, key=lambda choice: choice.cut(words, threads).tokens)
    merges = None
    if base.merges is not None:
        spelled = ((pieces.spelled(left), pieces.spelled(right)) for left, right in state.merges)
        merges = (*base.merges, *spelled)
    vocabulary = extended(base, [pieces.spelled(run) for run in state.tokens], merges=merges)
    gains, tokens = _gains(task, vocabulary)
    stopped = best is not None and best.termination == "interrupted"
    proof = None if best is None or bounded.merges is None else best.certificate
    if best is not None and proof is not None and (best.status == "optimal" or stopped):
        return Added(vocabulary, gains, bounded, proof, best.termination)
    left = 0.0 if stopped else clock.left
    limits: Any = {"time_limit": left, "threads": threads, "progress": task.progress}
    bound = lower_bound(bounded, incumbent=tokens, start_certificate=proof, **limits)
    ended = "interrupted" if stopped else bound.termination
    return Added(vocabulary, gains, bounded, bound.certificate, ended)


def _merges_of(vocabulary: Vocabulary) -> tuple[Pair, ...]:
    """Returns for each token the merge that makes it, with the longest possible first part."""
    there: set[Any] = set(vocabulary.tokens)
    ordered: list[Any] = sorted(there, key=lambda token: (len(token), token))
    return tuple(
        next(
            (token[:cut], token[cut:])
            for cut in range(len(token) - 1, 0, -1)
            if all(len(part) == 1 or part in there for part in (token[:cut], token[cut:]))
        )
        for token in ordered
    )


def made_by_merges(instance: Instance, base: Vocabulary) -> Instance:
    """Returns an instance of pieces with the condition that merges make every new token.

    Without it where merging starts from characters of several bytes, and for too many candidates.
    """
    starts_wide = base.rule == "character_merges" and base.symbols == "bytes"
    if starts_wide or instance.promising_index().total > _MOST_MADE:
        return instance
    by_rank = base.merges is None and base.rule == "merges"
    return replace(instance, merges=MergeCondition(whole_words=by_rank))


def add_by_likelihood(task: Task) -> Added:
    """Adds tokens that score a hair more than the pieces that they join.

    Characters without a score of their own make a token that holds them likelier than that.  A
    score may also move words to another segmentation that was as likely, or less.
    """
    threads, progress = task.limits.threads, task.progress
    pieces = Pieces.of(task.base, task.objective, threads=threads)
    clock = task.limits.start()
    solution = improve(
        pieces.instance(task.m, free=False),
        time_limit=None if clock.left is None else _SEARCH * clock.left,
        threads=threads,
        progress=progress,
    )
    known = set(task.base.tokens)
    chosen: list[Any] = list(solution.vocabulary)  # of runs, as the words are
    runs = {pieces.spelled(run): run for run in chosen}
    narrow = _in_32_bits(task.base)
    scored = {text: _score(pieces, run, narrow) for text, run in runs.items() if text not in known}
    new = sorted(scored)
    vocabulary = _with_scores(task.base, new, scored)
    gains, _ = _gains(task, vocabulary)
    by_text = dict(zip(new, gains, strict=True))
    new.sort(key=lambda text: (-by_text[text], text))
    vocabulary = _within_limit(task, _with_scores(task.base, new, scored), scored)
    gains, tokens = _gains(task, vocabulary)
    instance = extension_instance(task)
    left = 0.0 if solution.termination == "interrupted" else clock.left
    bound = lower_bound(
        instance, incumbent=tokens, time_limit=left, threads=threads, progress=progress
    )
    ended = "interrupted" if solution.termination == "interrupted" else bound.termination
    return Added(vocabulary, gains, instance, bound.certificate, ended)


def _in_32_bits(base: Vocabulary) -> bool:
    """Returns whether new scores must survive 32 bits: those of a file with such scores."""
    scores = np.array(base.scores or (), np.float64)
    return base.sums == "text32" or (
        base.sums == "text" and bool((scores.astype(np.float32) == scores).all())
    )


def _score(pieces: Pieces, run: Run, narrow: bool) -> float:
    """Returns the score of a token that joins a run of pieces, in 32 bits if `narrow`.

    In 32 bits a sum of up to 100,000 is wrong by up to 2^-24 of that for each term, 0.006.  So a
    token of k pieces has to score more than theirs by 0.006 (k + 3): for k + 1 terms, and twice
    where sums begin anew.
    """
    base = pieces.base
    size, scores = len(base), base.scores or ()
    unknown = min((*scores, *base.symbol_scores.values()), default=0.0) - 10
    total, lacking = 0.0, 0
    for number in run:
        if number < size:
            total += scores[number]
        elif (score := base.symbol_scores.get(pieces.piece(number))) is not None:
            total += score
        else:  # of the bytes of a character, one counts
            lacking += base.symbols != "bytes" or number - size < 0x80 or number - size >= 0xC0
    score = total + lacking * unknown + (_JOINING_32 if narrow else _JOINING) * (len(run) - 1)
    # so few digits are read back the same by every library
    return c_float(score).value if narrow else round(score, _PLACES)


def _with_scores(base: Vocabulary, new: list[Token], scored: dict[Token, float]) -> Vocabulary:
    scores = (*(base.scores or ()), *(scored[text] for text in new))
    vocabulary = extended(base, new, scores=scores)
    given = base.symbol_scores
    if base.symbols != "bytes" or given.get(_CONTINUES) != 0.0:
        return vocabulary
    # a library computes the score of unknown characters from the lowest score
    unknown = base.symbol_score(_NEVER)
    lower = vocabulary.with_(symbol_scores={}).symbol_score(_NEVER)
    if lower >= unknown:
        return vocabulary
    given = {symbol: lower if score == unknown else score for symbol, score in given.items()}
    return vocabulary.with_(symbol_scores=given)


def _within_limit(task: Task, vocabulary: Vocabulary, scored: dict[Token, float]) -> Vocabulary:
    """Leaves out new tokens until the corpus to keep needs no more than it may.

    Only those of characters without a score can cost it anything.
    """
    words, limit, threads = task.keep, task.limit, task.limits.threads
    if words is None or limit is None:
        return vocabulary
    before = segment(words, task.base, threads=threads).pieces
    while True:
        cut = segment(words, vocabulary, threads=threads)
        if cut.tokens <= limit:
            return vocabulary
        longer = np.flatnonzero(cut.pieces > before).tolist()
        blamed = {piece for word in longer for piece in cut.of(word)}
        there = vocabulary.tokens[len(task.base) :]
        new = [text for text in there if text not in blamed]
        if len(new) == len(there):
            new = []
        vocabulary = _with_scores(task.base, new, scored)


def _gains(task: Task, vocabulary: Vocabulary) -> tuple[tuple[int, ...], int]:
    """Returns what the uses of each new token save, and the tokens that are needed.

    A use saves the tokens that the token's text is in the base, except one.
    """
    threads = task.limits.threads
    cut = segment(task.objective, vocabulary, threads=threads)
    size = len(task.base)
    new = vocabulary.tokens[size:]
    if not new:
        return (), cut.tokens
    uses = token_uses(cut, len(vocabulary))[size:]
    texts = WordCounts.from_counts(dict.fromkeys(new, 1), vocabulary.symbols)
    pieces = segment(texts, task.base, threads=threads).pieces
    return tuple((uses * (pieces - 1)).tolist()), cut.tokens


def _between_bytes(pieces: Pieces) -> WordCounts:
    """Returns the words for new tokens, split where a merged character is not a token."""
    words = pieces.within
    if pieces.base.rule != "character_merges" or pieces.base.symbols != "bytes":
        return words
    made = of_merging_characters(pieces.base)
    lone = {len(pieces.base) + byte for byte in range(256) if not made(bytes([byte]))}
    if not np.isin(words.data, [*lone]).any():
        return words
    counts: Counter[Run] = Counter()
    runs: Any = words
    for word, count in runs:
        for is_lone, part in groupby(word, lone.__contains__):
            if not is_lone:
                counts[tuple(part)] += count
    return WordCounts.from_counts(counts, "ints")


def _characters(task: Task, pieces: Pieces, start: MergeState) -> list[Token]:
    """Returns the characters to add first where merging starts from characters.

    Those that are no tokens are several bytes, and no merge makes them.
    """
    base = task.base
    if base.rule != "character_merges" or base.symbols != "bytes":
        return []
    gains: Counter[Token] = Counter()
    for word, count in task.objective:
        for character in text_of(word) or "":
            encoded = character.encode("utf-8")
            gains[encoded] += count * (len(encoded) - 1)
    gains = +gains  # without those of one byte
    for token in base.tokens:
        gains.pop(token, None)
    listed = sorted(gains, key=lambda token: (-gains[token], token))
    merged = merge_gains(_between_bytes(pieces), start, task.m, deadline=Deadline())
    return listed[: best_share([gains[token] for token in listed], merged, task.m)]
