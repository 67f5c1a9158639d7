"""Cuts a tokenizer down for a text: `prune` beside what people do.

    python benchmarks/published/audit_people.py --fetch      once: tokenizers and texts into a cache
    python benchmarks/published/pruning.py                   the documentation of Python and Linux
    python benchmarks/published/pruning.py --base gpt2 --text novel -k 3000

The tokenizers and texts are those of `published_tokenizers.py` and `audit_people.py`, but for
``bpe``, which is a BPE of 8,000 tokens trained here, and ``python``, the help texts of Python; a
file may be named as well.  The text is taken by blocks of 50 lines, and every fifth is held out.
All ways see the others, and keep k tokens of two or more bytes:

- the first k: those that were merged first;
- the k that the text is cut into most often, which is lm-vocab-trimmer's rule;
- the same, each with all that it is made of;
- `prune`.

The last column is seconds of the processor.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from pydoc_data.topics import topics

from extending import Corpus, parts_of, row
from published_tokenizers import PUBLISHED, cache

from partcover import Instance, Vocabulary, lower_bound, prune, segment, trainers
from partcover.adaptation.prune import first_with_parts, most_used, restricted

_TRAINED = 8000  # tokens of a BPE of the text itself
_ALREADY = (("bpe", "python", 4000), ("gpt2", "python", 4000), ("cl100k_base", "kernel", 4000))


def base_and_parts(name: str, path: Path) -> tuple[Vocabulary, Corpus, Corpus]:
    """Returns a tokenizer, the text that it is cut down for, and the one that is held out."""
    if name == "bpe":
        words, held_out = parts_of(path, Vocabulary([], pretokenizer="gpt2"))
        return trainers.bpe(Instance(words.words, _TRAINED)).vocabulary, words, held_out
    (published,) = [p for p in PUBLISHED if p.name == name]
    base = Vocabulary.load(published.path)
    return base, *parts_of(path, base)


def measure(name: str, path: Path, k: int, time_limit: float) -> None:
    """Prints the table of a tokenizer and a text."""
    base, words, held_out = base_and_parts(name, path)
    print(f"\n## {name}, {len(base):,} tokens, for {path.stem}: {k:,} stay\n")
    print("| | tokens | above the bound | held out | s |")
    print("|---|---:|---:|---:|---:|")
    started = time.process_time()
    found = prune(base, words.words, k, time_limit=time_limit)
    seconds = time.process_time() - started
    assert found.check().ok
    bound = found.lower_bound

    def measured(about: str, vocabulary: Vocabulary, seconds: float) -> None:
        needed = [segment(part.words, vocabulary).tokens for part in (words, held_out)]
        row(about, needed[0], f"{(needed[0] - bound) / bound:.2%}", needed[1], f"{seconds:.1f}")

    measured("as it is", base, 0)
    measured("the first", restricted(base, [], k), 0)
    used = most_used(base, segment(words.words, base))
    measured("the most used (lm-vocab-trimmer)", restricted(base, used, k), 0)
    started = time.process_time()
    kept = first_with_parts(base, used, k)
    measured("the same, with their parts", restricted(base, kept, k), time.process_time() - started)
    measured("`prune`", found.vocabulary, seconds)
    row("at least", bound, "", "", "")
    plain = lower_bound(replace(found.instance, merges=None), time_limit=time_limit / 2).lower_bound
    row("at least, if any token may be used", plain, "", "", "")


def text_file(name: str) -> Path:
    """Returns the file of a text."""
    if name == "python":
        path = cache() / "texts" / "python.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(topics.values()) + "\n", "utf-8")
        return path
    return Path(name) if Path(name).is_file() else cache() / "texts" / f"{name}.txt"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", choices=["bpe", *(p.name for p in PUBLISHED)])
    parser.add_argument("--text", help="of the cache, python, or a file")
    parser.add_argument("-k", type=int, default=4000)
    parser.add_argument("--time-limit", type=float, default=100.0)
    given = parser.parse_args()
    asked = [(given.base or "bpe", given.text or "python", given.k)]
    for name, text, k in asked if given.base or given.text else _ALREADY:
        measure(name, text_file(text), k, given.time_limit)


if __name__ == "__main__":
    main()
