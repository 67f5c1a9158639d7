"""Compares ids with those that llama.cpp keeps beside its test vocabularies.

    python benchmarks/published/gguf_cases.py FOLDER

FOLDER is ``models`` of llama.cpp's sources, which the sdist of llama-cpp-python on PyPI holds, too,
in ``vendor/llama.cpp``.  A vocabulary without such results is exported and read back only.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from partcover import Encoder, Vocabulary, export

_BETWEEN = "\n__ggml_vocab_test__\n"


def cases(path: Path) -> list[tuple[str, list[int]]]:
    """Returns the texts of a vocabulary and their ids; none where there are no results."""
    texts, results = (path.with_name(path.name + end) for end in (".inp", ".out"))
    if not (texts.is_file() and results.is_file()):
        return []
    given = texts.read_bytes().decode().split(_BETWEEN)[:-1]
    lines = results.read_text("utf-8").split("\n")
    return [(text, [*map(int, line.split())]) for text, line in zip(given, lines, strict=False)]


def main(folder: Path) -> int:
    """Prints a line for each vocabulary, and returns how many results differ."""
    wrong = 0
    print("file\tequal\tof\tkeys written back")
    for path in sorted(folder.glob("ggml-vocab-*.gguf")):
        vocabulary = Vocabulary.load(path)
        encoder = Encoder(vocabulary, vocabulary.pretokenizer)
        listed = cases(path)
        equal = sum(encoder.encode(text) == ids for text, ids in listed)
        wrong += len(listed) - equal
        with tempfile.TemporaryDirectory() as empty:
            target = Path(empty) / "v.gguf"
            export(vocabulary, target, "gguf")
            # the version may be another
            same = target.read_bytes()[8:] == path.read_bytes()[8:]
        print(path.name, equal, len(listed), "the same" if same else "other", sep="\t", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1])), 1))
