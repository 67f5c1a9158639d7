from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

UInt8 = npt.NDArray[np.uint8]

FIRST_SPACE: int
SPACE: int
DIGIT: int
GPT2: int
CL100K: int
O200K: int
WHOLE: int
QWEN2: int
AFTER_WORD_SPACE: int
DEEPSEEK: int
TEKKEN: int
SPACE_RUNS: int
CLASSES: int
CLIP: int
QWEN35: int
MARKED: int
WORD: int
GAP: int
LETTER: int
NUMBER: int
WHITE: int
UPPER: int
LOWER: int
DECIMAL: int
MARK: int
SIGN: int

def classified_at_once(most: int = 64) -> int: ...
def finds_windows(mode: int, kinds: Buffer | UInt8, phrase: int = 1) -> bool: ...
def word_ends(text: Buffer, mode: int, kinds: Buffer | UInt8, phrase: int = 1) -> list[int]: ...
def cut_words(
    data: Any, offsets: Any, mode: int, kinds: Buffer | UInt8, phrase: int = 1
) -> tuple[memoryview, memoryview]: ...
