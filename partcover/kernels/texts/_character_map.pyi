from collections.abc import Callable

import numpy as np
import numpy.typing as npt

BEFORE: int
AFTER: int
MARK: int
CONTROL: int
LINKING: int
LINKED: int

class CharacterMap:
    def __init__(self, units: npt.NDArray[np.uint32], texts: bytes) -> None: ...
    def shortest(self, key: bytes) -> bytes | None: ...
    def applied(
        self, text: bytes, kinds: npt.NDArray[np.uint8], clusters: Callable[[bytes], bytes]
    ) -> bytes: ...
