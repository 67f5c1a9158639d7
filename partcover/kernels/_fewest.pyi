from typing import Any

import numpy as np
import numpy.typing as npt

class Automaton:
    def __init__(self, tokens: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64]) -> None: ...
    def shortest_path(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
    ) -> None: ...
