"""Prunes a vocabulary to the tokens that a corpus needs most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain, islice, pairwise

import numpy as np

from ..analysis.metrics import token_uses
from ..analysis.reachability import unreachable_tokens
from ..corpus.pretokenizers.steps.read import leaving_out
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..interop.huggingface.origin import needed_pieces
from ..problem.instance import Instance
from ..problem.merge_condition import MergeCondition
from ..runtime.arguments import Budget, Seconds, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..segmentation.segmentation import Segmentation, segment
from ..vocabulary.merging import parts_of, ranks
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.subset import only
from ..vocabulary.vocabulary import Vocabulary
from .base import adapted, check_words, refuse_rule, split_texts, text_of
from .results import Adaptation, BeforeAfter
from .whole_paths import improve_within


@checked
def prune(
    base: Vocabulary,
    words: WordCounts,
    k: Budget,
    *,
    rule: SegmentationRule | None = None,
    time_limit: Seconds | None = 20.0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Adaptation:
    """Keeps k tokens of a vocabulary such that a corpus needs as few tokens as possible.

    Parameters
    ----------
    base : Vocabulary
        The vocabulary.  In addition to the k tokens, special tokens and single symbols stay.
        Among the k tokens are those that the template, the padding and the roles of its file name,
        and, if some symbols have no id, the characters of the corpus that are tokens.
    words : WordCounts
        The corpus, split into words by the base's own pre-tokenizer; those of ``none`` are split
        further, as in `extend`.
    k : int
        How many tokens of two or more symbols to keep, at least 1.
    rule : str, optional
        The segmentation rule before and after; by default the base's own.
    time_limit : float, optional
        Seconds for search and bound; None until they no longer improve.
    threads : int
        Number of threads.
    progress : Progress, optional
        Receives the events of the search.

    Returns
    -------
    Adaptation
        The new vocabulary in the order of the base, with ids from 0 in the order of the old ones,
        exact counts, and a lower bound for any k tokens of the base; under merges, for those that
        stay together with the two parts that the base makes each of them of.

    Raises
    ------
    InputError
        If k is 0, larger than the number of tokens or smaller than the number that has to stay, the
        rule uses no tokens, or the words are over other symbols or another pre-tokenizer.

    Notes
    -----
    This is the tokenization problem with the base's tokens as candidates.  If fewer than k help,
    the first of the others fill up the rest.

    Under merges, the merges that stay can still make every token that stays.  Where the base lists
    its merges, others would never be used, so that the bound is for any k tokens, and it includes
    what merging in their order costs beyond the shortest path.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, prune
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2, "cat": 2})
    >>> found = prune(Vocabulary(["th", "at", "hat", "zz"]), words, 2)
    >>> found.vocabulary.tokens, found.tokens, found.lower_bound
    ((b'at', b'hat'), 12, 12)
    """
    if rule is not None and rule != base.rule:
        base = base.with_(rule=rule)
    check_prunable(base, k)
    check_words(base, words)
    limits = RunLimits(time_limit, threads=threads)
    clock = limits.start()
    words, _ = split_texts(base, words)
    unreachable = unreachable_tokens(base, threads=threads)
    required = _required(base, words)
    merges = MergeCondition.of(base)
    if merges is not None:  # a word would be found only where it is the whole word
        merges = replace(merges, whole_words=False)
    instance = Instance(words, k, candidates=base.tokens, required=required, merges=merges)
    cut = segment(words, base, threads=threads)
    solution = improve_within(instance, limits, progress or Progress())
    certificate = solution.certificate
    if merges is None:
        choices = [[*solution.vocabulary.tokens], [*required, *most_used(base, cut)]]
    else:
        choices = [first_with_parts(base, base, k, solution.vocabulary)]
    smaller = [restricted(base, choice, k) for choice in choices]
    needed = [segment(words, choice, threads=threads).tokens for choice in smaller]
    tokens = min(needed)
    vocabulary = smaller[needed.index(tokens)]
    assert certificate is not None
    facts = {"base_size": len(base), "corpus_sha256": words.digest, "tokens": tokens}
    return Adaptation(
        base=base,
        vocabulary=adapted(_leaving_out(vocabulary), base, "prune", **facts, rule=base.rule),
        corpus=BeforeAfter(words, cut.tokens, tokens),
        tokens=tokens,
        instance=instance,
        certificate=certificate,
        unreachable=unreachable,
        seconds=clock.seconds,
        termination=solution.termination,
        asked=k,
        required=required,
    )


def check_prunable(base: Vocabulary, k: int) -> None:
    """Refuses a rule that no tokens can be chosen for, and an impossible k, before any work."""
    if k == 0:
        raise InputError("k is 0: it must be at least 1")
    if k > len(base):
        raise InputError(
            f"k is {k:,}: it must be at most {len(base):,}, the tokenizer's number of tokens of "
            "two or more symbols"
        )
    refuse_rule(base)


def most_used(base: Vocabulary, cut: Segmentation) -> list[Token]:
    """Returns the tokens that a corpus is segmented into, those of most uses first."""
    uses = token_uses(cut, len(base))
    order = np.argsort(-uses, kind="stable").tolist()
    return [base.tokens[place] for place in order if uses[place]]


def restricted(base: Vocabulary, tokens: Iterable[Token], k: int) -> Vocabulary:
    """Returns the vocabulary of the first k of some tokens, in its own order, with ids from 0 on.

    If there are fewer than k, the first others of the vocabulary fill up.
    """
    kept = set(islice(dict.fromkeys(chain(tokens, base.tokens)), k))
    smaller = only(base, [place for place, token in enumerate(base.tokens) if token in kept])
    if base.symbols != "bytes":
        return smaller
    others = smaller.decode_only
    used = sorted({*smaller.id_of, *smaller.special.values(), *others} - {-1})
    new = {-1: -1} | {number: place for place, number in enumerate(used)}
    return smaller.with_(
        ids=[new[number] for number in smaller.id_of],
        special={text: new[number] for text, number in smaller.special.items()},
        decode_only={new[number]: text for number, text in others.items()},
    )


def _leaving_out(vocabulary: Vocabulary) -> Vocabulary:
    """Lets its pre-tokenizer leave out, as its library does, what is no token any more."""
    if vocabulary.symbols != "bytes":
        return vocabulary
    singles = {chr(byte) for byte in range(0x80) if vocabulary.id_of[byte] >= 0}
    there = singles.union(filter(None, map(text_of, vocabulary.tokens)))
    name = leaving_out(vocabulary.pretokenizer, there.__contains__)
    return vocabulary.with_(pretokenizer=name)


def _required(base: Vocabulary, words: WordCounts) -> tuple[Token, ...]:
    """Returns the tokens without which a text of the corpus could not be written any more.

    Where some bytes have no id, those are the characters of the corpus that are tokens.  Others are
    those without which the rest of its files could not stay as it is.
    """
    if base.symbols != "bytes":
        return ()
    needed = set(needed_pieces(base))
    if -1 in base.id_of:
        text = words.data.tobytes().decode("utf-8", "replace")
        known = {chr(byte) for byte in range(0x80) if base.id_of[byte] >= 0}
        known.update(filter(None, map(text_of, base.tokens)))
        # WordPiece's mark before a word is no token: only the first character with it is
        held = set(text) | {"".join(pair) for pair in {*pairwise(text)} if pair[0] not in known}
        needed.update(token for token in base.tokens if text_of(token) in held)
    if base.rule in ("merges", "character_merges"):
        needed = _maker(base)(needed)
    return tuple(token for token in base.tokens if token in needed)


def first_with_parts(
    base: Vocabulary, tokens: Iterable[Token], k: int, kept: Iterable[Token] = ()
) -> list[Token]:
    """Returns k tokens: those kept, then others, each with all that merges make it of."""
    with_parts, kept = _maker(base), dict.fromkeys(kept)
    for token in tokens:
        if len(kept) == k:
            break
        more = with_parts([token]).difference(kept)
        if len(kept) + len(more) <= k:
            kept |= dict.fromkeys(more)
    return list(kept)


def _maker(base: Vocabulary) -> Callable[[Iterable[Token]], set[Token]]:
    """Returns the function that adds to tokens all those that the base's merges make them of."""
    rank, known = ranks(base), set(base.tokens)

    def with_parts(tokens: Iterable[Token]) -> set[Token]:
        closed: set[Token] = set()
        front = list(tokens)
        while front:
            token = front.pop()
            if token in known and token not in closed:
                closed.add(token)
                front += parts_of(token, base, rank)
        return closed

    return with_parts
