import numpy as np
import numpy.typing as npt

DELETED: int
SPACE: int
APART: int

def edited(text: bytes, edits: npt.NDArray[np.uint8]) -> bytes: ...
def holds(text: bytes, kinds: npt.NDArray[np.uint8]) -> bool: ...
