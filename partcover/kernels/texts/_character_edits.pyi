import numpy as np
import numpy.typing as npt

DELETED: int
SPACE: int
APART: int
CLASS: int
JOINS: int
CHANGES: int

def edited(text: bytes, edits: npt.NDArray[np.uint8]) -> bytes: ...
def kinds_at_once(allowed: bool = True) -> bool: ...
def holds(text: bytes, kinds: npt.NDArray[np.uint8], leads: npt.NDArray[np.uint8]) -> bool: ...
def first_change(
    text: bytes,
    at: int,
    kinds: npt.NDArray[np.uint8],
    leads: npt.NDArray[np.uint8],
    joined: npt.NDArray[np.int64],
) -> int: ...
