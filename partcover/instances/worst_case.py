"""Searches for the tiny instances on which a method falls furthest behind the optimum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from ..corpus.symbols import to_json
from ..corpus.word_counts import WordCounts
from ..errors import InputError, VerificationError
from ..heuristics.greedy import greedtok, greedwmc
from ..kernels.search import _worst_case
from ..problem.instance import Instance
from ..runtime.arguments import Seconds, Seed, checked
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .worst_case_search import (
    ENUMERABLE,
    LETTERS,
    METHODS,
    Climb,
    Enumeration,
    Space,
    kernel_arrays,
)

__all__ = ["ENUMERABLE", "METHODS", "WorstCase", "worst"]

_Stop = Literal["completed", "time_limit", "interrupted"]


@dataclass(frozen=True)
class WorstCase:
    """An instance on which a method is far from the optimum.

    Attributes
    ----------
    instance : Instance
        The instance; its ``source`` says which search made it, and gives the optimum.
    method : str
        The method.
    vocabulary, optimal : Vocabulary
        The method's tokens in its order, and an optimal set.
    cover, optimum_cover : int
        The method's cover and the largest one: under the method's own rule, and for
        ``greedwmc-relaxed`` with overlaps allowed on both sides.
    tokens, optimum_tokens : int
        Tokens that the method needs, and the fewest; None for ``greedwmc-relaxed``, whose
        cover is not a segmentation.
    exhausted : bool
        Whether every multiset of the space was examined, so that none has a smaller ratio.
    seen, examined : int
        Multisets generated (or steps of the search), and instances whose ratio was computed: of
        an enumeration, one for each class under renaming and reversal.
    termination : {"completed", "time_limit", "interrupted"}
        Why it ended.
    seconds : float
        Wall-clock seconds.

    Examples
    --------
    >>> from partcover.instances.worst_case import worst
    >>> case = worst("greedtok", k=1, words=1, length=4)
    >>> case.cover, case.optimum_cover, case.exhausted
    (1, 1, True)
    """

    instance: Instance
    method: str
    vocabulary: Vocabulary
    optimal: Vocabulary
    cover: int
    optimum_cover: int
    tokens: int | None
    optimum_tokens: int | None
    exhausted: bool
    seen: int
    examined: int
    termination: _Stop
    seconds: float

    @property
    def ratio(self) -> float:
        """Cover over the optimum's."""
        return self.cover / self.optimum_cover

    @property
    def tokens_ratio(self) -> float | None:
        """Tokens over the optimum's."""
        if self.tokens is None or self.optimum_tokens is None:
            return None
        return self.tokens / self.optimum_tokens

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object that the command prints."""
        return {
            "method": self.method,
            "k": self.instance.k,
            "words": [[to_json(word), count] for word, count in self.instance.words],
            "cover": self.cover,
            "optimum_cover": self.optimum_cover,
            "ratio": self.ratio,
            "tokens": self.tokens,
            "optimum_tokens": self.optimum_tokens,
            "tokens_ratio": self.tokens_ratio,
            "vocabulary": [to_json(token) for token in self.vocabulary],
            "optimal_vocabulary": [to_json(token) for token in self.optimal],
            "exhausted": self.exhausted,
            "seen": self.seen,
            "examined": self.examined,
            "termination": self.termination,
            "seconds": round(self.seconds, 6),
        }


@checked
def worst(
    method: str = "greedtok",
    *,
    measure: str = "cover",
    k: int = 2,
    alphabet: int = 2,
    words: int = 3,
    length: int = 5,
    restarts: int = 20,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> WorstCase:
    """Finds the instance on which a method is furthest from the optimum.

    The space is every multiset of one to `words` words (a word that is there twice counts
    twice) of 2 to `length` symbols, all substrings being candidates.

    Parameters
    ----------
    method : {"greedtok", "greedwmc", "greedwmc-relaxed", "bpe"}
        ``greedtok``: its own cover, priority order.  ``greedwmc``: the shortest path over its
        vocabulary.  ``greedwmc-relaxed``: its relaxed cover, against the optimum of WMC.
        ``bpe``: k merges of the most frequent adjacent pair, segmented by the merges themselves; a
        pair of equal tokens is counted and merged without overlaps, from the left; ties go to
        the lexicographically smallest pair of tokens; merging goes on while there is a pair,
        even one that occurs once, for k tokens may be used.  (A merge counts even if it
        spells a token that is there already.)
    measure : {"cover", "tokens"}
        What is made smallest: the method's cover over the optimum's, or the optimum's tokens over
        the method's.  ``greedwmc-relaxed`` has no tokens.
    k : int
        The budget.
    alphabet, words, length : int
        At most this many symbols (up to 16), words, and symbols in a word (up to 16); no more
        than 64 symbols in all.
    restarts : int
        Number of climbs of the local search.
    time_limit : float, optional
        Seconds after which the worst so far is returned; the result then depends on the machine.
    seed : int
        Random seed of the local search.
    progress : Progress, optional
        Called with (done, of, remark): multisets, or restarts.

    Returns
    -------
    WorstCase
        The instance of smallest ratio by the measure, then of fewest symbols, then the first one.
        It is recounted by `verify`, and by `greedtok` and `greedwmc` where they are the method.

    Raises
    ------
    InputError
        For an unknown method, or sizes that the kernel does not hold.
    VerificationError
        If the recount contradicts the kernel.

    Examples
    --------
    >>> from partcover.instances.worst_case import worst
    >>> case = worst("bpe", k=2, words=2, length=4)
    >>> case.instance.words.to_dict(), round(case.ratio, 3)
    ({b'aaab': 1, b'bbba': 1}, 0.333)

    Notes
    -----
    A space of at most `ENUMERABLE` multisets is enumerated, unless its words have more than a
    million images under renaming, and ``exhausted`` says so.
    Renaming the symbols and reversing the words change no optimum, so one of each class is
    solved; the method, whose ties and left-to-right placing may follow them, runs on every
    image.  A larger space is climbed from random instances: a step changes, inserts, drops or
    doubles a symbol or a word, and is taken unless the ratio grows.  The optimum is found by
    branch and bound on the relaxed cover, exponential in k: instants for k up to about 5,
    seconds for k = 8 and 64 symbols.
    """
    deadline = Deadline(time_limit)
    space = Space(method, k, alphabet, words, length, measure)
    if restarts < 1:
        raise InputError(f"restarts is {restarts}: it must be at least 1")
    search = Enumeration(space) if space.is_enumerable else Climb(space, restarts, seed)
    progress = progress or Progress()
    termination: _Stop = "completed"
    try:
        for done, total in search.steps():
            progress.advance(done, total, f"{float(search.ratio):.4f}")
            if deadline.is_over:
                termination = "time_limit"
                break
    except KeyboardInterrupt:
        termination = "interrupted"
    return _recounted(space, search, seed, termination, deadline)


def _recounted(
    space: Space,
    search: Enumeration | Climb,
    seed: int,
    termination: _Stop,
    deadline: Deadline,
) -> WorstCase:
    """Names the symbols of the worst instance, recounts it, and makes the result."""
    method, k, worst_words = space.method, space.k, search.worst()
    exhausted = termination == "completed" and isinstance(search, Enumeration)
    arrays = kernel_arrays(worst_words)
    relaxed = method == "greedwmc-relaxed"
    cover, places = _worst_case.method_cover(*arrays, k, space.number)
    best_cover, best_places = _worst_case.optimum(*arrays, k, relaxed)
    best_tokens = best_places if not relaxed else _worst_case.optimum(*arrays, k)[1]
    parameters = {"alphabet": space.alphabet, "words": space.words, "length": space.length}

    text = "".join(LETTERS[symbol] for symbol in arrays[0].tolist())

    def vocabulary(places: Iterable[tuple[int, int]], made_by: str) -> Vocabulary:
        # two merges of BPE may spell one token
        tokens = dict.fromkeys(text[start : start + size] for start, size in places)
        return Vocabulary([token.encode() for token in tokens], "bytes", made_by)

    words = WordCounts.from_counts(
        Counter("".join(LETTERS[symbol] for symbol in word) for word in worst_words)
    )
    chosen, optimal = vocabulary(places, method), vocabulary(best_places, "solve")
    optimum = verify(Instance(words, k), vocabulary(best_tokens, "solve"))
    total = words.total_symbols
    case = {"ratio": cover / best_cover, "cover": cover, "optimum_cover": best_cover}
    instance = Instance(
        words,
        k,
        source={
            "family": "worst-case",
            "from": f"partcover worst --method {method} -k {k}"
            + " --measure tokens" * space.of_tokens
            + "".join(f" --{name} {value}" for name, value in parameters.items())
            + f" --seed {seed}",
            "method": method,
            **case,
            "vocabulary": [to_json(token) for token in chosen],
            "parameters": parameters,
            "seed": seed,
            "exhausted": exhausted,
            "examined": search.examined,
            "best": {
                "tokens": optimum.tokens,
                "vocabulary": [to_json(token) for token in vocabulary(best_tokens, "solve")],
                "proven": True,
                "by": "enumeration of all vocabularies",
                "lower_bound": optimum.tokens,
                "certificate": None,
            },
        },
    )
    recounted = _recount(instance, method, chosen)
    stated = verify(instance, optimal)
    best = stated.relaxed_cover if relaxed else stated.cover
    if not (stated.ok and optimum.ok) or best != best_cover or recounted not in (None, cover):
        raise VerificationError(
            f"{method} covers {recounted} of {best}, the search has {cover} of {best_cover}: "
            "please report the instance"
        )
    return WorstCase(
        instance=instance,
        method=method,
        vocabulary=chosen,
        optimal=optimal,
        cover=cover,
        optimum_cover=best_cover,
        tokens=None if relaxed else total - cover,
        optimum_tokens=None if relaxed else optimum.tokens,
        exhausted=exhausted,
        seen=search.seen,
        examined=search.examined,
        termination=termination,
        seconds=deadline.seconds,
    )


def _recount(instance: Instance, method: str, chosen: Vocabulary) -> int | None:
    """Computes the method's cover by the code for whole corpora; None for BPE, which has none."""
    if method == "bpe":
        return None
    if method == "greedtok":
        solution = greedtok(instance)
        cover = solution.cover
    else:
        solution = greedwmc(instance)
        cover = solution.extra["relaxed_cover"]
        if method == "greedwmc":
            cover = segment(instance.words, chosen).cover
    if solution.vocabulary is None or solution.vocabulary.tokens != chosen.tokens:
        raise VerificationError(f"{method} chooses other tokens: please report the instance")
    return cover
