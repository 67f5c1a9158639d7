"""Extends a vocabulary: its tokens and ids stay, and new tokens follow them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from ..analysis.reachability import unreachable_tokens
from ..corpus.word_counts import WordCounts
from ..errors import InputError, VerificationError
from ..runtime.arguments import Seconds, Threads, Whole, checked, shown
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .base import Added, Task, adapted, check_words, refuse_rule, split_texts, weighed, words_within
from .joined_pieces import add_by_likelihood, add_merges
from .longest_match import add_by_longest_match
from .results import Adaptation, BeforeAfter
from .whole_paths import add_by_priority, add_by_shortest_path

_MOST = 2**31 - 1

_WAYS: Mapping[SegmentationRule, Callable[[Task], Added]] = {
    "shortest_path": add_by_shortest_path,
    "random_path": add_by_shortest_path,  # draws one of the shortest paths
    "priority": add_by_priority,
    "merges": add_merges,
    "character_merges": add_merges,
    "likelihood": add_by_likelihood,
    "longest_match": add_by_longest_match,
}


@checked
def extend(
    base: Vocabulary,
    words: WordCounts,
    m: Whole,
    *,
    keep: WordCounts | None = None,
    keep_weight: Fraction | float | int = 0,
    at_most: Fraction | float | int | None = None,
    rule: SegmentationRule | None = None,
    time_limit: Seconds | None = 20.0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Adaptation:
    """Adds tokens to a vocabulary such that a corpus needs as few tokens as possible.

    Parameters
    ----------
    base : Vocabulary
        The existing vocabulary.  Its tokens, ids and special tokens do not change, and the new
        tokens get the ids after them, and after those that only the settings beside its file name
        (the ``added_tokens_decoder`` of tokenizer_config.json).
    words : WordCounts
        The corpus, split into words by the base's own pre-tokenizer.  Words of ``none``, which are
        whole texts, are split further where no token of the base reaches across
        (`split_at_spaces`); if some do, new tokens are parts of words
        (`Adaptation.is_within_words`).
    m : int
        Number of tokens to add, at least 1.  Fewer are added if no more of them help.
    keep : WordCounts, optional
        A corpus that the base is used for, counted before and after.
    keep_weight : number
        Weight of each token of `keep` in the sum to minimize; tokens of the corpus have weight 1.
        By default 0.
    at_most : number, optional
        Maximum increase of the tokens of `keep`, as a share: 0.001 is 0.1 %.  The limit is
        computed in integers and rounded down.
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
        The new vocabulary, exact counts, and a lower bound for all extensions by m tokens.

    Raises
    ------
    InputError
        If new tokens cannot be chosen for the base's rule, m is 0, the words are over other symbols
        or another pre-tokenizer, or `at_most` is given without `keep`.

    Notes
    -----
    The base's tokens are given, so this is the tokenization problem with a prefix
    (`Instance.prefix`), and its lower bounds apply.

    Under ``shortest_path`` and ``priority``, no corpus ever needs more tokens than before, so
    `at_most` is always satisfied: every path over the base's tokens is still possible, and a token
    with the last priority only joins what the others leave.

    New merges come after those of the base.  While one of these applies, it is applied first, so a
    word is first segmented as before; then new merges join neighbors.  This is the problem with the
    pieces as symbols (`Pieces`), and no corpus needs more tokens than before.  The bound holds for
    any m strings of pieces, whether merges can make them or not; it does not hold for merges
    between those of the base.  Merging characters by rank could also join a character that is no
    token.  Here a character of several bytes is joined only if it is a token or becomes one of the
    m, so more tokens may be needed than by the best m.

    Under ``likelihood``, a new token gets a score slightly above the sum of the pieces that it
    joins, so the most likely segmentations stay most likely, and are joined as far as possible.
    The bound is that of the shortest path and holds for any m tokens with any scores.

    Under ``longest_match``, a new token may leave a worse rest of a word.  Tokens are chosen one by
    one, and each is first counted on both corpora.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, extend
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2, "cat": 2})
    >>> found = extend(Vocabulary(["th"]), words, 2, keep=WordCounts.from_counts({"than": 5}))
    >>> found.new, found.corpus.after, found.lower_bound
    ((b'hat', b'cat'), 10, 10)
    >>> found.keep.before, found.keep.after
    (15, 15)
    """
    if rule is not None and rule != base.rule:
        base = base.with_(rule=rule)
    check_extendable(base, m, keep_weight=keep_weight, at_most=at_most)
    check_words(base, words)
    weight, share = _fraction(keep_weight, "keep_weight"), _fraction(at_most or 0, "at_most")
    if keep is not None:
        check_words(base, keep, "the corpus to keep")
    elif weight or at_most is not None:
        name = "keep_weight" if weight else "at_most"
        raise InputError(f"{name} is for a corpus to keep (keep=…, --keep), and none is given")
    weights = weight.denominator, weight.numerator
    limits = RunLimits(time_limit, threads=threads)
    clock = limits.start()
    words, keep = split_texts(base, words, keep)

    def needed(corpus: WordCounts, vocabulary: Vocabulary) -> int:
        return segment(corpus, vocabulary, threads=threads).tokens

    unreachable = unreachable_tokens(base, threads=threads)
    objective = weighed(words, keep, weights)
    before = needed(words, base)
    kept_before = 0 if keep is None else needed(keep, base)
    limit = None if at_most is None else kept_before + int(kept_before * share)
    task = Task(base, objective, m, limits, progress or Progress(), keep, limit)
    added = _WAYS[base.rule](task)
    vocabulary = added.vocabulary
    corpus = BeforeAfter(words, before, needed(words, vocabulary))
    tokens, kept = weights[0] * corpus.after, None
    if keep is not None:
        kept = BeforeAfter(keep, kept_before, needed(keep, vocabulary))
        tokens += weights[1] * kept.after
        if limit is not None and kept.after > limit:
            raise VerificationError(
                f"the corpus to keep needs {kept.after} tokens, more than {limit}: this is a "
                "defect of partcover, please report it"
            )
    facts = {"base_size": len(base), "m": m, "weights": list(weights)}
    facts |= {"corpus_sha256": objective.digest, "tokens": tokens}
    return Adaptation(
        base=base,
        vocabulary=adapted(vocabulary, base, "extend", **facts, rule=base.rule),
        corpus=corpus,
        tokens=tokens,
        instance=added.instance,
        certificate=added.certificate,
        unreachable=unreachable,
        seconds=clock.seconds,
        termination=added.termination,
        asked=m,
        gains=added.gains,
        keep=kept,
        limit=limit,
        is_within_words=words_within(base, objective) is not None,
    )


def check_extendable(
    base: Vocabulary,
    m: int = 1,
    *,
    keep_weight: Fraction | float | int = 0,
    at_most: Fraction | float | int | None = None,
) -> None:
    """Refuses a rule that no tokens can be chosen for, and invalid numbers, before any work."""
    if m < 1:
        raise InputError(f"m is {m}: it must be at least 1")
    if m > _MOST - len(base):
        raise InputError(f"m is {m:,}: the limit is {_MOST:,} tokens")
    _fraction(keep_weight, "keep_weight")
    _fraction(at_most or 0, "at_most")
    refuse_rule(base)


def _fraction(value: Fraction | float, name: str) -> Fraction:
    """Returns a number as the fraction that is written: 0.1 is 1/10."""
    try:
        number = Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    except ValueError:  # infinite, or not a number
        raise InputError(f"{name} is {shown(value)}: it must be a number of at least 0") from None
    if number < 0 or number.denominator > 10**6 or number > 10**6:
        raise InputError(
            f"{name} is {shown(value)}: it must be from 0 to a million, with at most six decimals"
        )
    return number
