from typing import Any

class MergeTrainer:
    tokens: int
    n_spelled: int
    displacement: int
    def __init__(
        self,
        text: Any,
        offsets: Any,
        counts: Any,
        which: Any,
        starts: Any,
        lengths: Any,
        given: int,
        merges: Any,
        alphabet: int,
        room: int,
        max_length: int,
        min_count: int,
        scored: bool,
    ) -> None: ...
    def run(self, tokens: int) -> bool: ...
    def merges(self) -> tuple[memoryview, memoryview, memoryview, memoryview]: ...
    def places(self) -> tuple[memoryview, memoryview]: ...
