from typing import Any, Self

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

UInt8 = npt.NDArray[np.uint8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

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
def finds_windows(mode: int, kinds: UInt8 | bytes, phrase: int = 1) -> bool: ...
def word_ends(text: Buffer, mode: int, kinds: UInt8 | bytes, phrase: int = 1) -> list[int]: ...
def cut_words(
    data: Any, offsets: Any, mode: int, kinds: UInt8 | bytes, phrase: int = 1
) -> tuple[memoryview, memoryview]: ...

class TokenTable:
    def __init__(self, data: UInt8, offsets: Int64, numbers: Int32) -> None: ...

class ShortMerges:
    def __init__(self, left: Int32, right: Int32, rank: Int32) -> None: ...

class WordCache:
    def __init__(
        self,
        mode: int,
        kinds: UInt8 | bytes,
        mark: bytes,
        limit: int,
        tokens: TokenTable | None = None,
        phrase: int = 1,
        merges: ShortMerges | None = None,
        ids: Int32 | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def displacement(self) -> int: ...
    def set_marks(self, marks: UInt8, at: int = 0) -> None: ...
    def start_text(self) -> None: ...
    def find(self, text: bytes | str, at: int, upto: int) -> tuple[int, int]: ...
    def find_texts(self, data: bytes, offsets: Int64) -> int: ...
    def ends(self) -> Int64: ...
    def new_words(self, text: bytes | str) -> tuple[UInt8, Int64]: ...
    def uncached_starts(self) -> Int64: ...
    def add_pieces(self, offsets: Int64, data: UInt8, which: Int32) -> None: ...
    @property
    def total(self) -> int: ...
    def write(self, out: npt.NDArray[Any], at: int) -> None: ...
    def count_of(self, text: bytes | str) -> int | None: ...
    def array_of(self, text: bytes | str, kind: npt.DTypeLike) -> npt.NDArray[Any] | None: ...
    def array_of_words(self, kind: npt.DTypeLike) -> npt.NDArray[Any]: ...
    def values_of(self, text: bytes | str, values: list[int]) -> list[int] | None: ...
    def values_of_words(self, values: list[int]) -> list[int]: ...

class RunningCache(WordCache):
    def set_scores(
        self,
        scores: object,
        lacks: UInt8,
        unknown: int,
        apart: bool,
        scores_of: npt.NDArray[np.float32] | None = None,
    ) -> Self: ...
