"""Makes a list of many numbers with several threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

from ..kernels.encoding import _shares
from ..runtime.processes.parallel import ordered_map
from .text import Numbers, joined

_Part = TypeVar("_Part")

_SHARE = 1 << 18  # with fewer numbers, counting the uses of all values takes longer


def listed(arrays: Sequence[Numbers], values: list[int] | None, threads: int = 1) -> list[int]:
    """Returns the value of each number of the arrays; without values, the numbers.

    It creates no new objects, since that would take most of the time.
    """
    if values is None:
        found: list[int] = joined(arrays).tolist()
        return found
    starts = list(accumulate(map(len, arrays), initial=0))
    if starts[-1] < _SHARE:
        return _shares.listed(joined(arrays), values)
    out = _shares.unwritten_list(starts[-1])
    # shared by the threads: each takes the next part
    parts = deque(zip(starts, arrays, strict=False))

    def write(_: int) -> None:
        _shares.write_values(_taken(parts), values, out)

    for _ in ordered_map(write, range(threads), threads):
        pass
    return _shares.written(out)


def _taken(parts: deque[_Part]) -> Iterator[_Part]:
    """Yields parts that no other thread takes; of an iterator two threads could take the same."""
    while parts:
        try:
            yield parts.popleft()
        except IndexError:  # another thread took the last one
            return
