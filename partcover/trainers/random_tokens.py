"""Trains RandTrain: tokens drawn at random, the baseline that any training must beat."""

from __future__ import annotations

from typing import Literal

from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seed, Threads
from ..runtime.arrays import Array, Int64, np
from ..runtime.limits import Deadline
from ..vocabulary.vocabulary import Vocabulary
from .trainer import LIMITED_CANDIDATES, solution_of, trainer

Weight = Literal["count", "symbols", "uniform"]

_MAX_CANDIDATES = 2**26  # candidates, of some 20 bytes each
_BATCH = 4096  # numbers drawn at a time; part of the rule


@trainer(
    "randtrain",
    about="random substrings, drawn by their counts",
    supports=LIMITED_CANDIDATES,
    nested=True,
    work="draws",
)
def randtrain(
    instance: Instance,
    *,
    seed: Seed = 0,
    threads: Threads = 1,
    weight: Weight = "count",
) -> Solution:
    """Draws candidates one by one, each with a chance in proportion to its weight.

    Parameters
    ----------
    instance : Instance
        The words, candidates and budget.  Fixed tokens come first.  Group budgets are not
        supported.
    seed : int
        Random seed of the draws.
    threads : int
        Threads of the final segmentation; the result is the same for any number.
    weight : {"count", "symbols", "uniform"}
        A candidate's occurrences (overlapping ones included), these times its length, or 1.

    Returns
    -------
    Solution
        Method ``randtrain``, rule ``shortest_path``.  The first j of k tokens are the answer to
        the budget j.  O(candidates · log(candidates) + k) for usual weights.

    Raises
    ------
    InputError
        For groups, an unknown weight, more than 2^26 candidates, or weights that add up to 2^62
        or more.

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> solution = trainers.randtrain(Instance({"low": 5, "lower": 2}, 2), seed=1)
    >>> solution.vocabulary.tokens
    (b'lo', b'ow')

    Notes
    -----
    All candidates take part, dominated ones too, in lexicographic order; `draw` says how they
    are drawn.  A vocabulary drawn at random is the control of Schmidt et al. (2024),
    "Tokenization Is More Than Compression" (RandTrain); the candidates and chances are those
    written here, and may differ from theirs.
    """
    deadline = Deadline()
    if instance.index.total > _MAX_CANDIDATES:
        raise InputError(
            f"there are {instance.index.total:,} candidates, but randtrain is limited to "
            f"{_MAX_CANDIDATES:,}: limit them by max_length or min_count"
        )
    index = instance.candidate_index(dominated=True)
    count = index.weight
    weights = {
        "count": count,
        "symbols": count * index.length,
        "uniform": np.ones_like(count),
    }[weight]
    if float(np.multiply(count, index.length, dtype=float).sum()) >= 2.0**62:
        raise InputError("occurrences of candidates add up to 2^62 or more: scale the counts down")
    # fixed tokens may be drawn again and do not count then, so k draws are enough
    drawn = index.tokens(draw(weights, instance.k, seed))
    tokens = list(dict.fromkeys([*instance.fixed, *drawn]))[: instance.k]
    vocabulary = Vocabulary(tokens, instance.symbols, "randtrain")
    extra = {
        "size": len(vocabulary),
        "weight": weight,
        "nothing_left_to_gain": len(vocabulary) < instance.k,
    }
    return solution_of(
        instance,
        vocabulary,
        deadline.seconds,
        threads=threads,
        candidates=index.total,
        extra=extra,
    )


def draw(weights: Array, k: int, seed: int) -> Int64:
    """Draws numbers one by one without replacement, in proportion to weights.

    Parameters
    ----------
    weights : ndarray of int64, shape (n,)
        Positive, of a sum below 2^62.
    k : int
        How many to draw; all n if there are no more.
    seed : int
        Random seed, modulo 2^64.

    Returns
    -------
    ndarray of int64, shape (min(k, n),)
        In the order drawn; for a smaller k its beginning.

    Notes
    -----
    Exact and in integers, so that platform and version change nothing.  The raw 64-bit numbers
    of PCG64 come in batches of 4,096.  Of a batch, with S the sum of the weights that are left
    when it begins, numbers from the last multiple of S below 2^64 on are skipped; any other
    number r takes the first item at which the running sum of the weights left exceeds r mod S,
    unless that batch has taken it already.  To skip what is taken is to draw from the rest
    in proportion to weight, so each order of items has exactly the chance of successive sampling
    (but for the generator).
    """
    bits = np.random.PCG64(seed & (2**64 - 1))
    left = np.arange(len(weights))
    taken: list[Int64] = []
    missing = min(k, len(weights))
    while missing > 0:
        sums = np.cumsum(weights[left], dtype=np.int64)
        total = int(sums[-1])
        raw = bits.random_raw(_BATCH)
        raw = raw[raw <= np.uint64(2**64 - 2**64 % total - 1)]
        places = np.searchsorted(sums, (raw % np.uint64(total)).astype(np.int64), side="right")
        first = np.sort(np.unique(places, return_index=True)[1])
        drawn = places[first]
        taken.append(left[drawn[:missing]])
        missing -= len(drawn)
        left = np.delete(left, drawn)
    return np.concatenate([np.zeros(0, np.int64), *taken])
