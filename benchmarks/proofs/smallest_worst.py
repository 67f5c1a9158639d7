"""The least ratio of a greedy method's cover to the optimum's, among all words of so many letters.

    python benchmarks/proofs/smallest_worst.py [METHOD K SYMBOLS LETTERS [LETTERS]]

METHOD is of `partcover worst`.  Every multiset of words of two letters or more is tried that has
LETTERS letters in all (from the first number to the second), over an alphabet of SYMBOLS, with all
namings of its symbols, by which ties may be broken.  Two symbols and 15 letters take a minute.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations_with_replacement, product

from partcover.instances.worst_case_search import LETTERS, METHODS, kernel_arrays
from partcover.kernels.search import _worst_case

Word = tuple[int, ...]


def lengths(letters: int, longest: int) -> Iterator[tuple[int, ...]]:
    """Yields the multisets of word lengths, two or more, that add up."""
    if not letters:
        yield ()
    for length in range(min(letters, longest), 1, -1):
        for rest in lengths(letters - length, length):
            yield (length, *rest)


def multisets(letters: int, symbols: int) -> Iterator[list[Word]]:
    """Yields every multiset of words with so many letters in all."""
    words = {n: list(product(range(symbols), repeat=n)) for n in range(2, letters + 1)}
    for shape in lengths(letters, letters):
        alike = [
            combinations_with_replacement(words[n], times) for n, times in Counter(shape).items()
        ]
        for chosen in product(*alike):
            yield list(chain.from_iterable(chosen))


def least(method: str, k: int, symbols: int, letters: int) -> tuple[Fraction, list[str]]:
    """Returns the least ratio, and the first words that have it."""
    number, relaxed = METHODS.index(method), method == "greedwmc-relaxed"
    lowest, worst = Fraction(1), [(0,) * letters]
    for words in multisets(letters, symbols):
        arrays = kernel_arrays(words)
        cover = _worst_case.method_cover(*arrays, k, number)[0]
        if cover >= lowest * (letters - len(words)):
            continue  # all pairs are more than any optimum covers
        ratio = Fraction(cover, _worst_case.optimum(*arrays, k, relaxed)[0])
        if ratio < lowest:
            lowest, worst = ratio, words
    return lowest, ["".join(LETTERS[symbol] for symbol in word) for word in worst]


def main() -> None:
    """Run and print."""
    method, *given = sys.argv[1:] or ["greedtok"]
    k, symbols, first, *last = [int(number) for number in given] or [2, 2, 4, 12]
    for letters in range(first, (last or [first])[0] + 1):
        ratio, words = least(method, k, symbols, letters)
        print(f"{letters}: {ratio} = {float(ratio):.4f}, {' '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
