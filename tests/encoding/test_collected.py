"""Numbers of the parts of a text, which threads collect at the same time."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from partcover.encoding.collected import CollectedInOrder


class Section:
    """Stands for a cache that holds the numbers of a section."""

    def __init__(self, *numbers):
        self.numbers, self.total = numbers, len(numbers)

    def write(self, array, at):
        array[at : at + self.total] = self.numbers


def test_parts_are_in_order_whichever_is_collected_first():
    sections = [
        [Section(1), Section(2, 3)],
        [Section(4, 5, 6), Section(7)],
        [Section(), Section(8)],
    ]
    for order in {*permutations([0, 0, 1, 1, 2, 2])}:
        whole = CollectedInOrder(size=6, kind=np.int32)
        parts = [whole.new(2) for _ in sections]
        done = [0, 0, 0]
        for number in order:
            parts[number].add(sections[number][done[number]], 1)
            done[number] += 1
            while whole.taken < 3 and done[whole.taken] == 2:
                whole.take(parts[whole.taken])
        assert whole.result().tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
