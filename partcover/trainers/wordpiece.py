"""Trains WordPiece as its papers state it."""

from __future__ import annotations

from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Threads
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .shared.merge_training import train_merges
from .trainer import LIMITED_MERGES, solution_of, trainer


def _hint(instance: Instance) -> str | None:
    if instance.min_count > 1:
        return None
    return (
        "wordpiece divides the count of a pair by those of its two parts, so pairs of rare parts "
        "come first and most of its first tokens hardly occur: --min-count (min_count) leaves "
        "rare pairs out"
    )


@trainer(
    "wordpiece",
    about="WordPiece: merge pairs that rarely occur apart; set --min-count to skip rare pairs",
    supports=LIMITED_MERGES,
    nested=True,
    work="merges",
    hint=_hint,
)
def wordpiece(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Trains WordPiece: merges the pair whose parts seldom occur without each other, repeatedly.

    The score of a pair is freq(ab) / (freq(a) · freq(b)), each counted in the words as they are
    segmented at that step: the pair that most raises the likelihood of the corpus under a model of
    independent pieces, for each time it occurs.  Hugging Face's ``WordPieceTrainer`` is not this:
    it is BPE under another name.  Without its ``##`` marks a token is the same at the start of
    a word and inside it.

    Parameters
    ----------
    instance : Instance
        The words, and k, the number of tokens.  Keeps to `max_length` and `forbidden` (such
        merges are not made), `min_count` (a pair that occurs less often is not merged; without it
        the rarest strings come first) and `prefix` (these tokens come first, and the words are
        segmented with them by longest match to begin with).
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

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> solution = trainers.wordpiece(Instance({"hugs": 5, "hug": 10, "pug": 5}, 2))
    >>> solution.vocabulary.tokens, solution.rule
    ((b'ug', b'hug'), 'longest_match')

    Notes
    -----
    Scores are compared exactly, as fractions.  Ties go to the more frequent pair, then as in
    `bpe`; pairs are counted, and merges that spell one token are treated, as there.  After each
    merge only the pairs that share a part with it get new scores.

    References
    ----------
    Schuster and Nakajima 2012, Japanese and Korean voice search, Section 3, with the score that is
    commonly read into it; longest match: Song et al. 2021, Fast WordPiece tokenization, Section 2.
    """
    deadline = Deadline(time_limit)
    given = Vocabulary(instance.prefix, instance.symbols, "wordpiece", rule="longest_match")
    trained = train_merges(
        instance,
        given,
        scored=True,
        deadline=deadline,
        threads=threads,
        progress=progress or Progress(),
    )
    extra = {"size": len(trained.tokens), "nothing_left_to_gain": trained.exhausted}
    return solution_of(
        instance,
        given.with_(tokens=trained.tokens),
        deadline.seconds,
        termination=trained.termination,
        threads=threads,
        extra=extra,
    )
