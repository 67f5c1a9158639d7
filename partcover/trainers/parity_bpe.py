"""Trains byte-pair encoding that merges for the corpus that is served worst."""

from __future__ import annotations

from collections import defaultdict, deque
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise

from ..analysis.by_corpus import tokens_by_corpus
from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..problem.corpora import Corpora
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Threads, Whole, checked
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from .shared.merge_training import ordered_symbols
from .trainer import refuse_unsupported

_Pair = tuple[int, int]


@checked
def parity_bpe(
    instance: Instance,
    *,
    global_merges: Whole = 0,
    window: Whole = 0,
    alpha: float = 2.0,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Trains parity-aware BPE: each merge is the most frequent pair of the corpus served worst.

    The corpus with the largest ratio of tokens to reference picks its most frequent pair of
    neighbours, and the pair is merged in all corpora.  A reference of the same number for all is
    for parallel text, as in the paper, whose unit is a line of it; the ratios are those of the
    training text, not of another one.

    Parameters
    ----------
    instance : Instance
        The corpora, their references, and k, the number of tokens.  Keeps to no conditions.
    global_merges : int
        So many merges come first that are picked by the counts of all corpora together (the
        paper's hybrid variant).
    window : int
        Where it is not 0, a corpus that picked more than ``alpha / corpora`` of the last `window`
        merges is passed over (the paper's moving-window variant, there of 100 merges).
    alpha : float
        See `window`.
    time_limit : float, optional
        Seconds after which the tokens made so far are returned.
    threads : int
        Threads of the segmentation.
    progress : Progress, optional
        Gets the tokens made so far and k.

    Returns
    -------
    Solution
        Method ``parity-bpe``, tokens under the rule ``merges``.  ``extra["picked"]`` is how
        many merges each corpus picked.

    Raises
    ------
    InputError
        For conditions on the vocabulary, and an instance of one corpus.
    VerificationError
        If the segmentation does not confirm the tokens (a defect).

    Examples
    --------
    >>> from partcover import Corpora, Instance, WordCounts, trainers
    >>> words = [WordCounts.from_counts({"abab": 9}), WordCounts.from_counts({"cdcd": 9})]
    >>> solution = trainers.parity_bpe(Instance(Corpora(words, [9, 6]), 2))
    >>> solution.vocabulary.tokens, solution.worst, solution.extra["picked"]
    ((b'cd', b'ab'), Fraction(3, 1), {'1': 1, '2': 1})

    Notes
    -----
    Pairs are counted, and ties broken, as `bpe` does; of corpora with the same ratio, the first
    picks.  A corpus without pairs is passed over.

    References
    ----------
    Foroutan et al. 2025, Parity-aware byte-pair encoding: improving cross-lingual fairness in
    tokenization, Algorithm 1 and its two variants.
    """
    corpora = instance.corpora
    if corpora is None:
        raise InputError("parity-bpe needs several corpora: one is given")
    refuse_unsupported(instance.joined, "parity-bpe", ())
    deadline = Deadline(time_limit)
    reports = progress or Progress()
    merger = _Merger(instance, corpora)
    recent: deque[int] = deque(maxlen=window or 1)
    picked = [0] * len(corpora)
    termination: Termination = "completed"
    try:
        while len(merger.tokens) < instance.k:
            if deadline.is_over:
                termination = "time_limit"
                break
            order = merger.worst_first(corpora.references)
            if window:
                most = alpha / len(picked) * window
                order.sort(key=lambda n: recent.count(n) > most)
            together = len(merger.merges) < global_merges
            found = next(
                ((n, pair) for n in ([-1] if together else order) if (pair := merger.best(n))), None
            )
            if found is None:
                break
            corpus, pair = found
            merger.merge(pair)
            if not together:
                picked[corpus] += 1
                recent.append(corpus)
            reports.advance(len(merger.tokens), instance.k)
    except KeyboardInterrupt:
        termination = "interrupted"
    vocabulary = instance.vocabulary(
        merger.tokens, "parity-bpe", rule="merges", merges=merger.spelled_merges()
    )
    tokens = tokens_by_corpus(instance, vocabulary, rule="merges", threads=threads)
    if tokens != tuple(merger.lengths) and termination != "interrupted":
        raise VerificationError(
            f"the merges leave {merger.lengths} tokens, their segmentation {list(tokens)}: this "
            "is a defect of partcover, please report it with the corpora"
        )
    return Solution.of(
        instance,
        vocabulary,
        sum(tokens),
        by_corpus=tokens,
        rule="merges",
        termination=termination,
        seconds=deadline.seconds,
        threads=threads,
        extra={"picked": dict(zip(corpora.names, picked, strict=True))},
    )


class _Merger:
    """Words segmented into pieces, and how often each pair of neighbours occurs in each corpus.

    Pieces are numbers: symbols in the order that decides ties, then tokens as they are made.  The
    last corpus, −1, is all of them together.
    """

    def __init__(self, instance: Instance, corpora: Corpora) -> None:
        self.spelling: list[Token] = ordered_symbols(instance)
        self.number = {piece: number for number, piece in enumerate(self.spelling)}
        self.n_symbols = len(self.spelling)
        self.merges: list[_Pair] = []
        words = [word for word, _ in instance.words]
        self.pieces = [
            [self.number[word[place : place + 1]] for place in range(len(word))] for word in words
        ]
        counts = [*corpora.counts.tolist(), instance.words.counts.tolist()]
        self.counts = list(zip(*counts, strict=True))  # of each word, by corpus
        self.lengths = [words.total_symbols for words in corpora.words]
        self.table: list[dict[_Pair, int]] = [defaultdict(int) for _ in counts]
        self.words_of: dict[_Pair, set[int]] = defaultdict(set)
        self.heaps: list[list[tuple[int, _Pair]]] = [[] for _ in counts]
        for word in range(len(words)):
            self._add(word, 1)
        for heap, table in zip(self.heaps, self.table, strict=True):
            heap[:] = sorted((-count, pair) for pair, count in table.items() if count)

    @property
    def tokens(self) -> list[Token]:
        """The tokens made so far."""
        return self.spelling[self.n_symbols :]

    def spelled_merges(self) -> list[tuple[Token, Token]]:
        """Returns the merges in order."""
        return [(self.spelling[left], self.spelling[right]) for left, right in self.merges]

    def worst_first(self, references: tuple[int, ...]) -> list[int]:
        """Returns the corpora by tokens over reference, the largest first."""
        ratios = list(map(Fraction, self.lengths, references))
        return sorted(range(len(ratios)), key=lambda n: -ratios[n])

    def best(self, corpus: int) -> _Pair | None:
        """Returns the most frequent pair of a corpus; None where it has no pairs."""
        heap, table = self.heaps[corpus], self.table[corpus]
        while heap:
            count, pair = heap[0]
            if table[pair] == -count:
                return pair
            heappop(heap)  # the count has changed since
            if table[pair]:
                heappush(heap, (-table[pair], pair))
        return None

    def merge(self, pair: _Pair) -> None:
        """Merges a pair in all words, from left to right."""
        token = self.spelling[pair[0]] + self.spelling[pair[1]]  # type: ignore[operator]
        made = self.number.setdefault(token, len(self.spelling))
        if made == len(self.spelling):
            self.spelling.append(token)
        self.merges.append(pair)
        for word in sorted(self.words_of[pair]):
            before = len(self.pieces[word])
            self._add(word, -1)
            self.pieces[word] = _joined(self.pieces[word], pair, made)
            self._add(word, 1)
            saved = before - len(self.pieces[word])
            for corpus, count in enumerate(self.counts[word][:-1]):
                self.lengths[corpus] -= saved * count

    def _add(self, word: int, sign: int) -> None:
        """Adds the pairs of a word to the counts, or takes them out."""
        pieces, counts = self.pieces[word], self.counts[word]
        present = [(corpus, count) for corpus, count in enumerate(counts) if count]
        for pair in pairwise(pieces):
            if sign > 0:
                self.words_of[pair].add(word)
            else:
                self.words_of[pair].discard(word)
            for corpus, count in present:
                table = self.table[corpus]
                table[pair] += sign * count
                if sign > 0 and self.merges:
                    heappush(self.heaps[corpus], (-table[pair], pair))


def _joined(pieces: list[int], pair: _Pair, made: int) -> list[int]:
    """Returns pieces with each occurrence of a pair joined, from left to right."""
    left, right = pair
    joined = []
    place = 0
    while place < len(pieces):
        if pieces[place] == left and place + 1 < len(pieces) and pieces[place + 1] == right:
            joined.append(made)
            place += 2
        else:
            joined.append(pieces[place])
            place += 1
    return joined
