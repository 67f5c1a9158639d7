from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class SentencePieceText:
    def __init__(
        self,
        units: npt.NDArray[np.uint32],
        texts: bytes,
        kept: Sequence[bytes],
        *,
        front: bool,
        behind: bool,
        extra: bool,
        escaped: bool,
    ) -> None: ...
    def applied(self, text: bytes) -> bytes: ...
    def traced(self, text: bytes) -> tuple[bytes, list[int], list[int]]: ...
