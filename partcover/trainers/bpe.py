"""Trains byte-pair encoding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import pairwise

from ..corpus.symbols import Token
from ..errors import VerificationError
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Threads
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .shared.merge_training import train_merges
from .trainer import LIMITED_MERGES, solution_of, trainer


@trainer(
    "bpe",
    about="byte-pair encoding: merge the most frequent pair",
    supports=LIMITED_MERGES,
    nested=True,
    work="merges",
)
def bpe(
    instance: Instance,
    *,
    end_of_word: str | None = None,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Trains byte-pair encoding: the most frequent pair of neighbours becomes a token, repeatedly.

    The count of a pair is the number of its occurrences, overlapping ones too: in a a a the pair
    a a counts twice, though one merge is made.  The published trainers (Sennrich, GPT-2, Hugging
    Face) count like this; sentencepiece counts without overlap.  Ties go to the smaller left
    piece, then to the smaller right piece: symbols first, bytes in the order of the characters
    that byte-level tokenizers write for them (33 … 126, 161 … 172, 174 … 255, then the others),
    characters and integers by value; then tokens as they were made.  That is the order of Hugging
    Face's trainer, which makes the same merges unless two of them spell one token.

    Parameters
    ----------
    instance : Instance
        The words, and k, the number of tokens.  Keeps to `max_length` and `forbidden` (such
        merges are not made), `min_count` (training ends when no pair occurs as often) and
        `prefix`: training continues from these tokens, which come first.  If the merges before
        it leave two pieces of each of them, as they do of BPE's own tokens, these merges are made
        first (see `merges_that_make`).  Otherwise no merges can make them: the words are first
        segmented by the shortest path, and the vocabulary is for the rule ``shortest_path``.
    end_of_word : str, optional
        Appended to every word, as `WordCounts.with_suffix` does; what is trained, and all that
        is reported, is about these longer words.  A mark of several symbols is learned as any
        other string; one symbol that is in no word costs no token.
    time_limit : float, optional
        Seconds after which the tokens made so far are returned.
    threads : int
        Threads of the segmentations; the result is the same for any number.
    progress : Progress, optional
        Gets the tokens made so far and k.

    Returns
    -------
    Solution
        Method ``bpe``, under the rule ``merges``; the vocabulary's `merges` are in the order
        made, its tokens too.  Where two merges spell one token (ab + c, a + bc) there are more
        merges than tokens: it goes on until there are k distinct tokens.  `gains` are the pairs
        joined for each token (without `prefix`): the first j tokens, with the merges up to the
        one that makes the j-th, answer budget j.  ``extra["nothing_left_to_gain"]``: the corpus
        has no more pairs to merge, and there are fewer than k tokens.

    Raises
    ------
    InputError
        For an option of the instance that it cannot keep to, or symbols past 2^31.
    VerificationError
        If the segmentation does not confirm the gains (a defect).

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> solution = trainers.bpe(Instance({"hugs": 5, "hug": 10, "pug": 5}, 2))
    >>> solution.vocabulary.tokens, solution.vocabulary.merges
    ((b'ug', b'hug'), ((b'u', b'g'), (b'h', b'ug')))
    >>> solution.tokens, solution.gains
    (30, (20, 15))

    Notes
    -----
    Exact; O(symbols · log(pairs)) time, O(symbols) memory, symbols of the distinct words.  The
    words are at any time segmented as the rule ``merges`` segments them: what another merge
    spelled before is joined on with its neighbours as before.

    References
    ----------
    Gage 1994, A new algorithm for data compression; Sennrich, Haddow and Birch 2016, Neural
    machine translation of rare words with subword units, Section 3.2 and Algorithm 1.
    """
    deadline = Deadline(time_limit)
    extra = {}
    if end_of_word is not None:
        # `end_of_word` in the vocabulary says that the words of a text have no mark
        words = replace(instance.words.with_suffix(end_of_word), **instance.words.how)
        instance = replace(instance, corpus=words)
        extra["end_of_word"] = end_of_word
    known = merges_that_make(instance.prefix)
    given = Vocabulary(
        instance.prefix,
        instance.symbols,
        "bpe",
        rule="shortest_path" if known is None else "merges",
        merges=known,
    )
    trained = train_merges(
        instance,
        given,
        scored=False,
        deadline=deadline,
        threads=threads,
        progress=progress or Progress(),
    )
    vocabulary = given.with_(
        tokens=trained.tokens, merges=None if known is None else (*known, *trained.merges)
    )
    solution = solution_of(
        instance,
        vocabulary,
        deadline.seconds,
        termination=trained.termination,
        threads=threads,
        gains=() if len(given) else trained.gains,
        extra={
            "size": len(vocabulary),
            "nothing_left_to_gain": trained.exhausted,
            **extra,
        },
    )
    if not len(given) and solution.cover != sum(trained.gains):
        raise VerificationError(
            f"the merges joined {sum(trained.gains)} pairs, their segmentation {solution.cover}: "
            "this is a defect of partcover, please report it with the instance"
        )
    return solution


def merges_that_make(tokens: Iterable[Token]) -> list[tuple[Token, Token]] | None:
    """Finds the merges that make tokens in their order.

    Parameters
    ----------
    tokens : iterable of token
        In the order in which they are made.

    Returns
    -------
    list of pair of token, or None
        One for each token, which joins the two neighbours that the merges before it leave of the
        token; None if they leave more than two.

    Notes
    -----
    O(symbols · log(symbols)) time, symbols of the tokens.
    """
    numbers: dict[Token, int] = {}  # of pieces
    ranks: dict[tuple[int, int], int] = {}
    made: list[int] = []  # the piece that a rank's pair becomes
    merges: list[tuple[Token, Token]] = []
    for token in tokens:
        symbols = [token[i : i + 1] for i in range(len(token))]
        pieces = [numbers.setdefault(symbol, len(numbers)) for symbol in symbols]
        starts = _joined(pieces, ranks, made)
        if len(starts) > 2:
            return None
        second = starts[1]
        ranks[pieces[0], pieces[second]] = len(merges)
        made.append(numbers.setdefault(token, len(numbers)))
        merges.append((token[:second], token[second:]))
    return merges


def _joined(pieces: list[int], ranks: dict[tuple[int, int], int], made: list[int]) -> list[int]:
    """Joins pieces by merges, the earliest first, then the leftmost; returns where pieces begin.

    A piece stands where its first symbol was.
    """
    before = [*range(-1, len(pieces))]
    after = [*range(1, len(pieces) + 1)]
    known = ((ranks.get(pair), i) for i, pair in enumerate(pairwise(pieces)))
    heap = [(rank, i) for rank, i in known if rank is not None]
    heapify(heap)
    while heap:
        rank, i = heappop(heap)
        j = after[i]
        if j >= len(pieces) or ranks.get((pieces[i], pieces[j])) != rank:
            continue  # one of the two was joined to another
        pieces[i] = made[rank]
        pieces[j] = -1
        after[i] = after[j]
        before[after[i]] = i
        for left in (before[i], i):
            right = after[left]
            if left >= 0 and right < len(pieces):
                new = ranks.get((pieces[left], pieces[right]))
                if new is not None:
                    heappush(heap, (new, left))
    return [i for i, piece in enumerate(pieces) if piece >= 0]
