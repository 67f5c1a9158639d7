"""Adds tokens to a published tokenizer for a domain: `extend` beside what people do.

    python benchmarks/published/audit_people.py --fetch    once: tokenizers and texts into a cache
    python benchmarks/published/extending.py               GPT-2 and cl100k_base, the kernel's pages
    python benchmarks/published/extending.py --text novel -m 500 --base gpt2

The tokenizers and texts are those of `published_tokenizers.py` and `audit_people.py`, which stand
in a cache and not in the repository; another file may be named as well.  The text is taken by
blocks of 50 lines, and every fifth is held out.  All ways see the others, and add m tokens:

- the most frequent words, as tokens that are added to a tokenizer are found: before anything else,
  anywhere in a text (`add_tokens` of Hugging Face's tokenizers, which counts them here);
- the merges of a new BPE of the text, behind the tokenizer's own, without those that it has;
- the tokenizer's own merges, continued: BPE over the pieces that it leaves;
- `extend`, as merges, and by the shortest path.

The last two columns are the new tokens that no text is ever cut into, and seconds of the processor.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
from published_tokenizers import PUBLISHED, cache

from partcover import (
    Instance,
    Vocabulary,
    WordCounts,
    export,
    extend,
    segment,
    trainers,
)
from partcover.adaptation.base import extended
from partcover.adaptation.pieces import Pieces
from partcover.adaptation.results import Adaptation
from partcover.analysis.reachability import unreachable_tokens

_LINES = 50  # of a block
_EVERY = 5  # blocks, of which one is held out


@dataclass(frozen=True)
class Corpus:
    """A part of a text: as it is, and as a tokenizer's words."""

    text: str
    words: WordCounts


def parts_of(path: Path, base: Vocabulary) -> tuple[Corpus, Corpus]:
    """Returns the text to add tokens for, and the one that is held out."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    blocks = ["".join(lines[at : at + _LINES]) for at in range(0, len(lines), _LINES)]
    how = {"pretokenizer": base.need_pretokenizer(), "normalizer": base.normalizer}

    def part(texts: list[str]) -> Corpus:
        return Corpus("".join(texts), WordCounts.from_texts(texts, **how))

    held_out = blocks[_EVERY - 1 :: _EVERY]
    return part([b for n, b in enumerate(blocks) if n % _EVERY != _EVERY - 1]), part(held_out)


def frequent_words(base: Vocabulary, words: WordCounts, m: int) -> list[str]:
    """Returns the words that occur most of those that are several tokens."""
    pieces = segment(words, base).pieces
    order = np.argsort(-words.counts, kind="stable").tolist()
    spelled = [words.word(word) for word in order if pieces[word] > 1]
    texts = [bytes(word).decode("utf-8", "replace") for word in spelled]
    return [text for text in texts if "\ufffd" not in text][:m]


def appended_bpe(base: Vocabulary, words: WordCounts, m: int) -> Vocabulary:
    """Returns the base with m tokens of BPE on the words behind its own."""
    known, k = set(base.tokens), m
    while True:
        trained = trainers.bpe(Instance(words, k)).vocabulary
        new = [token for token in trained.tokens if token not in known]
        if len(new) >= m:
            return with_merges(base, new[:m], trained.merges or ())
        k *= 2


def continued(base: Vocabulary, words: WordCounts, m: int) -> Vocabulary:
    """Returns the base with m merges of the most frequent pairs of the pieces that it leaves."""
    pieces = Pieces.of(base, words)
    trained: Any = trainers.bpe(Instance(pieces.words, m)).vocabulary
    new = [pieces.spelled(run) for run in trained.tokens]
    merges = [tuple(map(pieces.spelled, pair)) for pair in trained.merges]
    return with_merges(base, new, merges)


def with_merges(base: Vocabulary, new: list[Any], merges: Any) -> Vocabulary:
    """Returns the base with tokens and, where it merges by pairs, the merges that make them."""
    if base.merges is None:
        return extended(base, new)
    made, known = set(new), set(base.merges)
    mine = [pair for pair in merges if reduce(add, pair) in made and tuple(pair) not in known]
    return extended(base, new, merges=(*base.merges, *mine))


def added_tokens(base: Vocabulary, texts: list[str]) -> Callable[[str], int]:
    """Returns the count of tokens by Hugging Face's library, with texts as added tokens."""
    from tokenizers import Tokenizer

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        export(base, path, "huggingface")
        tokenizer = Tokenizer.from_file(str(path))
    tokenizer.add_tokens(texts)
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def row(name: str, *cells: Any) -> None:
    """Prints a line of the table."""
    shown = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells]
    print(f"| {name} | " + " | ".join(shown) + " |", flush=True)


def measure(base: Vocabulary, path: Path, m: int, time_limit: float) -> None:
    """Prints the table of a tokenizer."""
    words, held_out = parts_of(path, base)
    sizes = [len(part.text.encode("utf-8")) for part in (words, held_out)]
    print(f"\n{path.stem}: {sizes[0]:,} bytes, {sizes[1]:,} held out; {m:,} tokens more\n")
    print("| | tokens | above the bound | held out | | never | s |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    started = time.process_time()
    found = extend(base, words.words, m, time_limit=time_limit)
    seconds = time.process_time() - started
    assert found.check().ok
    bound, before = found.lower_bound, segment(held_out.words, base).tokens

    def counted(name: str, tokens: int, held: int, never: int, seconds: float) -> None:
        above = f"{(tokens - bound) / bound:.2%}"
        row(name, tokens, above, held, f"{held / before - 1:+.2%}", never, f"{seconds:.1f}")

    def measured(name: str, vocabulary: Vocabulary, seconds: float) -> None:
        new = set(vocabulary.tokens) - set(base.tokens)
        never = len(new & set(unreachable_tokens(vocabulary)))
        needed = [segment(part.words, vocabulary).tokens for part in (words, held_out)]
        counted(name, *needed, never, seconds)

    measured("as it is", base, 0)
    started = time.process_time()
    count = added_tokens(base, frequent_words(base, words.words, m))
    took = time.process_time() - started
    counted("most frequent words, added", count(words.text), count(held_out.text), 0, took)
    for name, way in (("new BPE, appended", appended_bpe), ("merges, continued", continued)):
        started = time.process_time()
        vocabulary = way(base, words.words, m)
        measured(name, vocabulary, time.process_time() - started)
    measured("`extend`, as merges", found.vocabulary, seconds)
    row("at least, as merges", bound, "", "", "", "", "")
    by_path(base, words, held_out, m, time_limit)


def by_path(
    base: Vocabulary, words: Corpus, held_out: Corpus, m: int, time_limit: float
) -> Adaptation:
    """Prints what the shortest path needs."""
    path = base.with_(rule="shortest_path")
    found = extend(path, words.words, m, time_limit=time_limit)
    before = segment(held_out.words, path).tokens
    after = segment(held_out.words, found.vocabulary).tokens
    print(
        f"\nBy the shortest path: {found.corpus.before:,} tokens before, {found.tokens:,} after, "
        f"at least {found.lower_bound:,}; held out {before:,} before, {after:,} after."
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", action="append", choices=[p.name for p in PUBLISHED])
    parser.add_argument("--text", default="kernel", help="of the cache, or a file")
    parser.add_argument("-m", type=int, default=1000)
    parser.add_argument("--time-limit", type=float, default=40.0)
    given = parser.parse_args()
    path = Path(given.text)
    path = path if path.is_file() else cache() / "texts" / f"{given.text}.txt"
    for name in given.base or ("gpt2", "cl100k_base"):
        (published,) = [p for p in PUBLISHED if p.name == name]
        base = Vocabulary.load(published.path)
        print(f"\n## {name}: {len(base):,} tokens, rule {base.rule}")
        measure(base, path, given.m, given.time_limit)


if __name__ == "__main__":
    main()
