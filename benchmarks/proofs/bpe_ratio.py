"""How much of what k merges can save BPE saves: the numbers of docs/results/bpe-ratio.md.

    python benchmarks/proofs/bpe_ratio.py table [2 12]            the family bpe-across, every size
    python benchmarks/proofs/bpe_ratio.py text [2 4]              the same as one text
    python benchmarks/proofs/bpe_ratio.py search [K CLIMBS SEED]  small instances, by local search

All numbers are exact; the table asserts every bound that the page's proof states.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, count, pairwise

from partcover.corpus.symbols import to_json
from partcover.instances.families import generate

Pair = tuple[Hashable, Hashable]
Choose = Callable[[list[Pair]], Pair]

TIES: dict[str, Choose] = {
    "the smallest": lambda pairs: min(pairs, key=repr),
    "the largest": lambda pairs: max(pairs, key=repr),
    **{f"at random, {seed}": random.Random(seed).choice for seed in range(20)},
}


def pairs_of(pieces: Sequence[Hashable]) -> Counter[Pair]:
    """Counts neighbours; two of an equal pair do not overlap."""
    counted: Counter[Pair] = Counter()
    ends: dict[Pair, int] = {}
    for place, pair in enumerate(pairwise(pieces)):
        if ends.get(pair, -1) < place:
            counted[pair] += 1
            ends[pair] = place + 1
    return counted


def merged(pieces: Sequence[Hashable], pair: Pair) -> list[Hashable]:
    """Joins a pair wherever it is, from left to right; a token is the pair that made it."""
    joined: list[Hashable] = []
    place = 0
    while place < len(pieces):
        here = tuple(pieces[place : place + 2]) == pair
        joined.append(pair if here else pieces[place])
        place += 2 if here else 1
    return joined


def bpe(words: Iterable[tuple[Sequence[Hashable], int]], k: int, choose: Choose) -> int:
    """Returns what k merges of the most frequent pair save; `choose` breaks ties."""
    cut = [list(word) for word, _ in words]
    counts = [number for _, number in words]
    totals: Counter[Pair] = Counter()
    where: dict[Pair, set[int]] = {}

    def enter(index: int, sign: int) -> None:
        for pair, times in pairs_of(cut[index]).items():
            totals[pair] += sign * times * counts[index]
            where.setdefault(pair, set()).add(index)

    for index in range(len(cut)):
        enter(index, 1)
    saved = 0
    for _ in range(k):
        largest = max(totals.values(), default=0)
        if largest <= 0:
            break
        pair = choose([pair for pair, total in totals.items() if total == largest])
        saved += largest
        for index in where[pair]:
            if pair in pairs_of(cut[index]):
                enter(index, -1)
                cut[index] = merged(cut[index], pair)
                enter(index, 1)
    assert saved == sum(
        number * (len(word) - len(pieces))
        for (word, number), pieces in zip(words, cut, strict=True)
    )
    return saved


def table(first: int, last: int) -> None:
    """Prints a row for each size: what is saved, and the bounds of what can be."""
    print("| n | words | k | W | BPE saves | k merges save | k tokens save | ratio |")
    for size in range(first, last + 1):
        instance = generate("bpe-across", size)
        words = [(to_json(word), number) for word, number in instance.words]
        k, often = instance.k, 100 * size**2
        rules = len(TIES) if size < 5 else 4 if size < 8 else 2
        saved = {bpe(words, k, choose) for choose in list(TIES.values())[:rules]}
        pairs: Counter[str] = Counter()
        good: Counter[str] = Counter()
        for word, number in words:
            for pair in pairwise(word):
                pairs["".join(pair)] += number
            good[word[:2]] += number
            good[word[2:]] += number
        assert len(good) == k  # the merges Xy and zX
        assert set(good.values()) == {often}
        substrings: Counter[str] = Counter()
        for word, number in words:
            for start, end in combinations(range(5), 2):
                substrings[word[start:end]] += number
        worth = max((len(token) - 1) * number for token, number in substrings.items())
        assert max(pairs.values()) == often + size
        tokens = f"{k * often:,}–{k * worth:,}" if worth > often + size else "the same"
        shown = "–".join(f"{value:,}" for value in sorted({min(saved), max(saved)}))
        print(
            f"| {size} | {len(words):,} | {k} | {often:,} | {shown} "
            f"| {k * often:,}–{k * (often + size):,} | {tokens} "
            f"| {min(saved) / (k * (often + size)):.4f}–{max(saved) / (k * often):.4f} |",
            flush=True,
        )
    print("limit: 0.4323")


def text(first: int, last: int) -> None:
    """Trains on one text: all words, each as often as its count, and separators that differ."""
    for size in range(first, last + 1):
        instance = generate("bpe-across", size)
        separators = count()
        symbols: list[Hashable] = []
        for word, number in instance.words:
            for _ in range(number):
                symbols += [*to_json(word), next(separators)]
        pieces = symbols
        for _ in range(instance.k):  # nothing is kept from one merge to the next
            counted = pairs_of(pieces)
            largest = max(counted.values())
            pair = min((p for p, n in counted.items() if n == largest), key=repr)
            pieces = merged(pieces, pair)
        saved = len(symbols) - len(pieces)
        best = instance.k * 100 * size**2
        print(f"{size}: {len(symbols):,} symbols, saves {saved:,} of {best:,}, {saved / best:.4f}")


def best_merges(words: Counter[str], k: int) -> int:
    """Returns the most that k merges save if each may be applied anywhere, or nowhere.

    Such merges are k tokens, each of two letters or earlier tokens, and a word is cut into the
    fewest.
    """
    parts = {
        token: [(token[:i], token[i:]) for i in range(1, len(token))]
        for word in words
        for start, end in combinations(range(len(word) + 1), 2)
        if len(token := word[start:end]) > 1
    }
    reached = {frozenset[str]()}
    for _ in range(k):
        reached = {
            tokens | {token}
            for tokens in reached
            for token, cuts in parts.items()
            if token not in tokens
            and any(all(len(part) == 1 or part in tokens for part in cut) for cut in cuts)
        } or reached
    return max(sum(n * saves(word, tokens) for word, n in words.items()) for tokens in reached)


def saves(word: str, tokens: frozenset[str]) -> int:
    """Returns by how many pieces tokens shorten a word at most."""
    most = [0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        most[end] = most[end - 1]
        for start in range(end - 1):
            if word[start:end] in tokens:
                most[end] = max(most[end], most[start] + end - start - 1)
    return most[-1]


def search(k: int, climbs: int, seed: int) -> Fraction:
    """Climbs from random small instances, and prints each that has a smaller ratio."""
    draw = random.Random(seed)
    lowest = Fraction(2)
    for _ in range(climbs):
        letters = "abcdefgh"[: draw.randint(3, 8)]
        words = Counter({start(draw, letters): draw.randint(1, 6) for _ in range(2 * k)})
        value = ratio(words, k)
        idle = 0
        while idle < 300:
            other = changed(words, letters, draw)
            new = ratio(other, k)
            idle = 0 if new < value else idle + 1
            if new <= value:
                words, value = other, new
            if value < lowest:
                lowest = value
                shown = " ".join(f"{word}×{number}" for word, number in sorted(words.items()))
                print(f"{lowest} = {float(lowest):.4f}: {shown}", flush=True)
    return lowest


def ratio(words: Counter[str], k: int) -> Fraction:
    """Returns what byte-pair encoding saves over what k merges can, with ties against it."""
    listed = list(words.items())
    saved = min(bpe(listed, k, choose) for choose in (TIES["the smallest"], TIES["the largest"]))
    best = best_merges(words, k)
    return Fraction(saved, best) if best else Fraction(1)


def start(draw: random.Random, letters: str) -> str:
    """Returns a word of the family's form XyzX, or any."""
    x, y, z = (draw.choice(letters) for _ in range(3))
    return draw.choice((x + y + z + x, x + y + z, word(draw, letters)))


def word(draw: random.Random, letters: str) -> str:
    """Returns a random word."""
    return "".join(draw.choice(letters) for _ in range(draw.randint(2, 4)))


def changed(words: Counter[str], letters: str, draw: random.Random) -> Counter[str]:
    """Returns the instance with one to three small changes."""
    other = Counter(words)
    for _ in range(draw.choice((1, 1, 2, 3))):
        chosen = draw.choice(list(other))
        kind = draw.randrange(4)
        if kind == 0:
            other[chosen] = max(1, other[chosen] + draw.choice((-3, -1, 1, 3)))
        elif kind == 1 and len(other) > 1:
            del other[chosen]
        elif kind == 2:
            other[word(draw, letters)] += draw.randint(1, 4)
        else:
            number = other.pop(chosen)
            place = draw.randrange(len(chosen))
            other[chosen[:place] + draw.choice(letters) + chosen[place + 1 :]] += number
    return other


def main() -> None:
    """Run what the command line names."""
    job, *given = sys.argv[1:] or ["table"]
    numbers = [int(number) for number in given]
    if job == "search":
        search(*[*numbers, *[2, 10, 0][len(numbers) :]])
    elif job == "text":
        text(*(numbers or [2, 3]))
    else:
        table(*(numbers or [2, 12]))


if __name__ == "__main__":
    main()
