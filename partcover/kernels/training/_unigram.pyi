from typing import Any

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float = npt.NDArray[np.float64]

def take_logarithms(values: Float) -> None: ...
def exponentials(values: Float, results: npt.NDArray[Any]) -> None: ...
def expect(
    begin: Int64,
    arcs: Int32,
    length: Int32,
    share: npt.NDArray[Any],
    offsets: Int64,
    counts: Int64,
    first: int,
    last: int,
    expected: Float,
) -> float: ...
def best(
    begin: Int64,
    arcs: Int32,
    length: Int32,
    score: Float,
    offsets: Int64,
    counts: Int64,
    first: int,
    last: int,
    uses: Int64,
) -> float: ...
def losses(
    begin: Int64,
    arcs: Int32,
    length: Int32,
    score: Float,
    place: Int64,
    uses: Int64,
    singles: int,
    loss: Float,
) -> None: ...
