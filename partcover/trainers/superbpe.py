"""Trains SuperBPE: byte-pair encoding within words first, then across words."""

from __future__ import annotations

from dataclasses import replace

from ..corpus.pretokenizers.words_within import words_within
from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Threads, Whole
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .shared.merge_training import train_merges
from .trainer import LIMITED_MERGES, solution_of, trainer


@trainer(
    "superbpe",
    about="SuperBPE: BPE within words first, then across words",
    supports=LIMITED_MERGES - {"prefix"},
    phrases=True,
    work="merges",
)
def superbpe(
    instance: Instance,
    *,
    transition: Whole | None = None,
    words: str | None = None,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Trains SuperBPE: byte-pair encoding within words, and from a transition point on across them.

    The words of the instance are phrases, as ``count --phrases`` makes them, or whole lines.  The
    first stage is `bpe` on the words within these.  The second applies its merges to the phrases,
    where words are no border any more, and goes on merging the most frequent pair.  Where the words
    of the instance are no phrases, both stages see the same words, and the result is `bpe`'s.

    Parameters
    ----------
    instance : Instance
        The phrases, and k.  Keeps to `max_length`, `min_count` and `forbidden` as `bpe` does, in
        both stages.
    transition : int, optional
        The transition point: the number of tokens that the first stage makes, by default nine
        tenths of k.
    words : str, optional
        The pre-tokenizer of the words within phrases; by default the one whose words were joined.
    time_limit : float, optional
        Seconds after which the tokens made so far are returned.
    threads : int
        Threads of the segmentations; the result is the same for any number.
    progress : Progress, optional
        Gets the tokens made so far and k.

    Returns
    -------
    Solution
        Method ``superbpe``, under the rule ``merges``.  ``extra["transition"]`` is the number of
        tokens made in the first stage.  ``extra["nothing_left_to_gain"]``: there are no more pairs
        to merge, and fewer than k tokens.

    Raises
    ------
    InputError
        For a transition point above k, an unknown pre-tokenizer, or one whose words, joined, are
        not the phrases again.

    Examples
    --------
    >>> from partcover import Instance, WordCounts, trainers
    >>> text = ["one of the ways", "one of the days", "some of the ways"]
    >>> words = WordCounts.from_texts(text, pretokenizer="gpt2+phrases:4")
    >>> solution = trainers.superbpe(Instance(words, 10), transition=8)
    >>> solution.vocabulary.tokens[-2:]
    (b' of the', b' of the ')

    Notes
    -----
    Exact.  The tokens of the first stage are those of `bpe` on the words, the ties its own; the
    second is `bpe` on the phrases, begun with these merges.  The authors' trainer also leaves out
    tokens of more than four words, and a colon with a space behind it: up to four words are what
    ``--phrases 4`` joins, and no phrase holds a colon.

    References
    ----------
    Liu, Hayase, Hofmann, Oh, Smith and Choi 2025, SuperBPE: Space Travel for Language Models,
    Section 2.2.
    """
    deadline = Deadline(time_limit)
    first = 9 * instance.k // 10 if transition is None else transition
    if first > instance.k:
        raise InputError(f"transition is {first}: at most k = {instance.k} tokens can be subwords")
    progress = progress or Progress()
    within = replace(instance, corpus=words_within(instance.words, words), k=first)
    empty = Vocabulary((), instance.symbols, "superbpe", rule="merges", merges=())
    subwords = train_merges(
        within,
        empty,
        scored=False,
        deadline=deadline,
        threads=threads,
        progress=progress,
    )
    vocabulary = empty.with_(tokens=subwords.tokens, merges=subwords.merges)
    termination, exhausted = subwords.termination, False
    if termination == "completed":
        trained = train_merges(
            instance,
            vocabulary,
            scored=False,
            deadline=deadline,
            threads=threads,
            progress=progress,
        )
        vocabulary = vocabulary.with_(
            tokens=trained.tokens, merges=(*subwords.merges, *trained.merges)
        )
        termination, exhausted = trained.termination, trained.exhausted
    return solution_of(
        instance,
        vocabulary,
        deadline.seconds,
        termination=termination,
        threads=threads,
        extra={
            "size": len(vocabulary),
            "transition": len(subwords.tokens),
            "nothing_left_to_gain": exhausted,
        },
    )
