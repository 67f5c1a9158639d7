"""Trains WordPiece as its papers state it."""

from __future__ import annotations

import time

from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Threads
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .merge_training import merge_words
from .trainer import LIMITED_MERGES, solution_of, trainer

__all__ = ["wordpiece"]


@trainer(
    "wordpiece",
    about="merge the pair seldom apart; rare ones first, so set --min-count",
    honours=LIMITED_MERGES,
    nested=True,
)
def wordpiece(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """WordPiece: merge the pair whose parts are seldom apart, again and again.

    The score of a pair is freq(ab) / (freq(a) · freq(b)), each in the words as they are cut
    then: the pair that most raises the likelihood of the corpus under a model of independent
    pieces, for each time it occurs.  Hugging Face's ``WordPieceTrainer`` is not this: it is BPE
    under another name.  Without its ``##`` marks a token is the same at the start of a word and
    inside it.

    Parameters
    ----------
    instance : Instance
        The words, and k, the number of tokens.  Keeps to `max_length` and `forbidden` (such
        merges are not made), `min_count` (a pair with fewer neighbours is not merged; without it
        the rarest strings come first) and `prefix` (these tokens come first, and the words are
        cut with them by longest match to begin with).
    time_limit : float, optional
        Seconds after which the tokens made so far are returned.
    threads : int
        Threads of the segmentations; the result is the same for any number.
    progress : Progress, optional
        Called with (tokens, k, remark).

    Returns
    -------
    Solution
        Method ``wordpiece``, under the rule ``longest_match``.  The first j tokens answer every
        budget j.  ``extra["nothing_left_to_gain"]``: the corpus has no more pairs to merge, and
        there are fewer than k tokens.

    Raises
    ------
    InputError
        For an option of the instance that it cannot keep to, or symbols past 2^31.

    Notes
    -----
    Scores are compared exactly, as fractions.  Ties go to the more frequent pair, then as in
    `bpe`; pairs are counted, and merges that spell one token treated, as there.  Each merge
    scores the pairs again that share a part with it, and no others.

    References
    ----------
    Schuster and Nakajima 2012, Japanese and Korean voice search, Section 3, with the score that is
    commonly read into it; longest match: Song et al. 2021, Fast WordPiece tokenization, Section 2.
    """
    started = time.monotonic()
    given = Vocabulary(instance.prefix, instance.symbols, "wordpiece", rule="longest_match")
    merged = merge_words(
        instance,
        given,
        scored=True,
        started=started,
        time_limit=time_limit,
        threads=threads,
        progress=progress or Progress(),
    )
    extra = {"size": len(merged.tokens), "nothing_left_to_gain": merged.exhausted}
    return solution_of(
        instance,
        given.with_(tokens=merged.tokens),
        started,
        termination=merged.termination,
        threads=threads,
        extra=extra,
    )
