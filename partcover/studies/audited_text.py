"""Splits text into what an audit compares: words that a tokenizer can spell, and the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike
from typing import NamedTuple

import numpy as np

from ..analysis.metrics import text_bytes
from ..corpus.counting.count import Tally, not_counted
from ..corpus.files.readers import Document, documents
from ..corpus.files.sources import check_unchanged, find_sources
from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.pretokenizer import Pretokenizer
from ..corpus.pretokenizers.rules import rule_names
from ..corpus.pretokenizers.steps.read import read_steps
from ..corpus.pretokenizers.steps.step import Steps
from ..corpus.symbols import Token
from ..corpus.word_arrays import arrays_of
from ..corpus.word_counts import WordCounts
from ..encoding.special import Part, SpecialTokens
from ..encoding.text import UnknownNumbers
from ..errors import InputError
from ..runtime.arguments import Threads, checked
from ..runtime.arrays import Bools, Int32, Int64
from ..runtime.files.writing import shown_path
from ..runtime.progress import Progress
from ..segmentation.segmentation import Segmentation, segment
from ..vocabulary.vocabulary import Vocabulary


class TextWords(NamedTuple):
    """The words that a tokenizer splits text into, and the added tokens that it finds first.

    Attributes
    ----------
    words : WordCounts
        The words of the text between added tokens.
    added : dict of str to int
        How often each added token is found, of those that are.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.studies.audited_text import TextWords
    >>> TextWords(WordCounts.from_counts({"hat": 2}), {"   ": 1}).added
    {'   ': 1}
    """

    words: WordCounts
    added: Mapping[str, int]


@checked
def words_of_files(
    vocabulary: Vocabulary,
    paths: Iterable[str | PathLike[str]],
    *,
    key: str = "text",
    threads: Threads = 1,
    progress: Progress | None = None,
    all_files: bool = False,
) -> TextWords:
    """Counts the words that a tokenizer splits files into, and the added tokens that it finds.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokenizer.
    paths, key, threads, progress, all_files
        As for `WordCounts.from_files`.  Where added tokens are looked for, one thread takes a
        document at a time.

    Returns
    -------
    TextWords
        What `Encoder` splits into tokens, and the rest: exact.

    Raises
    ------
    InputError
        As `WordCounts.from_files` does.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from partcover import Vocabulary
    >>> from partcover.studies.audited_text import words_of_files
    >>> spaces = {"special": ["   "], "special_flags": {"   ": ["added"]}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "text.txt")
    ...     _ = path.write_text("a    b")
    ...     found = words_of_files(Vocabulary([], pretokenizer="gpt2", **spaces), [path])
    >>> found.words.to_dict(), found.added
    ({b' b': 1, b'a': 1}, {'   ': 1})
    """
    how = vocabulary.need_pretokenizer()
    normal = Normalizer.of(vocabulary.normalizer)
    special = SpecialTokens(vocabulary, 0, normal)
    if vocabulary.symbols != "bytes" or not special.finds("text"):
        words = WordCounts.from_files(
            paths,
            pretokenizer=how,
            normalizer=vocabulary.normalizer,
            symbols=vocabulary.symbols,
            key=key,
            threads=threads,
            progress=progress,
            all_files=all_files,
        )
        return TextWords(words, {})
    listed = [*paths]
    rules = Pretokenizer.of(how)
    first = following = Tally(rules)
    if rules.steps is not None and rules.steps.only_first:
        following = Tally(Pretokenizer.from_steps(rules.steps.following()))
    names = [*vocabulary.special]
    added: Counter[str] = Counter()
    for document in _documents(listed, key, progress or Progress(), all_files=all_files):
        parts = special.cut(document.together(), "text")
        parts = [part for raw in parts for part in _inner(raw, special, normal)]
        for place, part in enumerate(parts):
            if part.number is None:
                tally = following if place else first
                tally.add(replace(document, chunks=(part.text,), piece=None), False)
            else:
                added[names[part.number]] += 1
    tallies = [first] if following is first else [first, following]
    results = [tally.result(True) for tally in tallies]
    facts = rules.name, None if normal is None else normal.name
    several = [WordCounts(*arrays_of(words), "bytes", *facts) for words in results if len(words[2])]
    if not several:
        beside = " beside added tokens" if added else ""
        named = ", ".join(map(shown_path, listed))
        raise InputError(f"{named}: the corpus is empty: it has no words{beside}")
    words = several[0]
    if len(several) > 1:
        counts: Counter[Token] = Counter()
        for some in several:
            counts.update(dict(some))
        words = words.subset(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
    return TextWords(words, dict(sorted(added.items(), key=lambda pair: (-pair[1], pair[0]))))


def _documents(
    paths: list[str | PathLike[str]], key: str, progress: Progress, *, all_files: bool
) -> Iterator[Document]:
    """Yields the documents of files, and says how far they are read."""
    sources = find_sources(paths, all_files=all_files)
    sizes = [source.size for source in sources]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    read = 0

    def report(more: int) -> None:
        nonlocal read
        read += more
        progress.advance(read, total, f"{read / 1e6:,.0f} MB")

    for source in sources:
        for document in documents(source, key=key, report=report):
            if source.kind == "text" and not all_files:
                document = replace(document, chunks=not_counted(source, document.chunks))
            yield document
        check_unchanged(source)


def _inner(part: Part, special: SpecialTokens, normal: Normalizer | None) -> list[Part]:
    """Normalizes a part of a text, and splits it at the added tokens to look for then."""
    if part.number is not None:
        return [part]
    text = part.text if normal is None else normal.of_bytes(part.text)
    return special.cut_normalized(text, "text")


@dataclass(frozen=True)
class Spelled:
    """The parts of words that a tokenizer has tokens for, and the parts that it does not know.

    Attributes
    ----------
    own : Segmentation
        What is spelled, segmented by the tokenizer's own rule.
    size : int or None
        Bytes of the text in `own`; None for integers.  WordPiece's marks are none, and a mark that
        stands for a space is one.
    symbols : int
        Symbols of the text that are left out: they have no token, or are in a word of which the
        tokenizer makes one unknown token.
    words : int
        How often words occur that have some.
    tokens : int
        The tokens that the tokenizer makes of what is left out: unknown tokens, and the others of
        words that are left out as a whole.  Without an unknown token, which is an error there, 0.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.studies.audited_text import Spelled, spelled
    >>> found: Spelled = spelled(WordCounts.from_counts({"that": 3}), Vocabulary(["hat"]))
    >>> found.own.tokens, found.symbols
    (6, 0)
    """

    own: Segmentation
    size: int | None
    symbols: int
    words: int
    tokens: int


@checked
def spelled(words: WordCounts, vocabulary: Vocabulary, *, threads: Threads = 1) -> Spelled:
    """Leaves out of words what a tokenizer has no token for.

    A word is segmented where the tokenizer finds something unknown, by its own rule: the parts
    beside it need as many tokens as they do in the word.  Should they not, which can be where
    merging keeps a part whole that is a token, the words with unknown parts are left out.

    Parameters
    ----------
    words : WordCounts
        The words.
    vocabulary : Vocabulary
        The tokenizer.
    threads : int
        Number of threads; the result does not depend on it.

    Returns
    -------
    Spelled
        The tokens of `own` and `tokens` are together those that `Encoder` makes: exact.

    Raises
    ------
    InputError
        If nothing is spelled.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.studies.audited_text import spelled
    >>> from partcover.vocabulary.unknown import Unknown
    >>> ids = [number if chr(number) in "aht" else -1 for number in range(256)]
    >>> vocabulary = Vocabulary(["ha"], ids=[*ids, 256], special=["?"], unknown=Unknown("?"))
    >>> found = spelled(WordCounts.from_counts({"that": 3, "he, that": 1}), vocabulary)
    >>> found.own.words.to_dict(), found.symbols, found.words, found.tokens
    ({b'that': 4, b'h': 1}, 3, 1, 1)
    """
    own = segment(words, vocabulary, threads=threads)
    which = _with_unknown(own, vocabulary)
    of_text = _symbols_of_text(words, words.pretokenizer or vocabulary.pretokenizer)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(of_text)])
    n_bytes = text_bytes(words)
    if words.symbols == "bytes":
        n_bytes = int(np.dot(words.counts, np.diff(before[words.offsets])))
    if n_bytes is None or which is None:
        return Spelled(own, n_bytes, 0, 0, 0)
    unknown = which >= len(vocabulary)  # where a part ends, of as many bytes as more, and one
    sizes = (which - len(vocabulary) + 1)[unknown].astype(np.int64)
    ends = np.flatnonzero(unknown)
    word = np.searchsorted(words.offsets, ends, side="right") - 1
    with_some = np.zeros(len(words), bool)
    with_some[word] = True
    times = int(words.counts[with_some].sum())
    n_tokens = int(words.counts[word].sum())
    n_symbols = int(np.dot(words.counts[word], before[ends + 1] - before[ends + 1 - sizes]))
    kept = np.ones(len(words.data), bool)
    for end, size in zip(ends.tolist(), sizes.tolist(), strict=True):
        kept[end - size + 1 : end + 1] = 0
    total = int(np.dot(words.counts, _pieces(words, which)))
    rest = _cut(_parts(words, kept, with_some), words, vocabulary, threads)
    if rest.tokens != total - n_tokens or _with_unknown(rest, vocabulary) is not None:
        lengths = np.diff(before[words.offsets])
        n_symbols = int(np.dot(words.counts[with_some], lengths[with_some]))
        whole = [(w, count) for (w, count), bad in zip(words, with_some, strict=True) if not bad]
        rest = _cut(Counter(dict(whole)), words, vocabulary, threads)
        n_tokens = total - rest.tokens
    n_tokens = 0 if vocabulary.unknown is None else n_tokens
    return Spelled(rest, n_bytes - n_symbols, n_symbols, times, n_tokens)


def _with_unknown(cut: Segmentation, vocabulary: Vocabulary) -> Int32 | None:
    """Returns the pieces of words as `Encoder` numbers them, or None if nothing is unknown."""
    if vocabulary.ids is None or vocabulary.symbols != "bytes":
        return None
    data = cut.words.data.astype(np.uint8, copy=False)
    bad = (cut.which == -1) & (np.array(vocabulary.ids[:256]) < 0)[data]
    unknown = vocabulary.unknown
    part, longest = ("run", None) if unknown is None else (unknown.part, unknown.longest)
    numbers = UnknownNumbers(256 + len(vocabulary) - 1, part, longest)
    if longest is not None:
        bad |= numbers.too_long(data, cut.words.offsets)
    if not bad.any():
        return None
    which = cut.which.copy()
    numbers.mark(which, data, cut.words.offsets, bad)
    return which


def _symbols_of_text(words: WordCounts, pretokenizer: str | None) -> Int64:
    """Returns how many symbols of the text each one of the words stands for.

    That is none for WordPiece's mark in front of a word, and for the second of two that stand for
    one in the text.  The first symbol of a word that lost the prefix of pieces inside words stands
    for that, too.  Another mark is a space.
    """
    counted = np.ones(len(words.data), np.int64)
    given = pretokenizer is not None and not rule_names(pretokenizer)
    steps = read_steps(pretokenizer or "") if given else Steps(())
    if words.symbols != "bytes":
        return counted
    data = words.data.astype(np.uint8, copy=False).tobytes()
    if steps.replacement is not None:
        space = steps.replacement.encode()
        for at in range(1, len(space)):
            counted[_places(space, data) + at] = 0
    if not steps.mark:
        return counted
    mark, starts = steps.mark.encode(), words.offsets[:-1]
    places = _places(mark, data)
    in_front = np.isin(places, starts)
    gone = np.concatenate([places[in_front], places[~in_front][1::2]])
    for at in range(len(mark)):
        counted[gone + at] = 0
    if steps.inside is not None:
        counted[starts[~np.isin(starts, places)]] += len(steps.inside.front.encode()) - len(mark)
    return counted


def _places(part: bytes, data: bytes) -> Int64:
    """Returns where a part is in bytes."""
    return np.array([match.start() for match in re.finditer(re.escape(part), data)], np.int64)


def _pieces(words: WordCounts, which: Int32) -> Int64:
    """Returns the number of tokens of each word."""
    return np.add.reduceat(which != -2, words.offsets[:-1], dtype=np.int64)


def _parts(words: WordCounts, kept: Bools, with_some: Bools) -> Counter[Token]:
    """Returns the words, and of those with unknown symbols the parts beside these."""
    counts: Counter[Token] = Counter()
    begins = words.offsets.tolist()
    for number, (word, count) in enumerate(words):
        if not with_some[number]:
            counts[word] += count
            continue
        here = kept[begins[number] : begins[number + 1]]
        for begin, end in pairwise([0, *(np.flatnonzero(np.diff(here)) + 1).tolist(), len(word)]):
            if here[begin]:
                counts[word[begin:end]] += count
    return counts


def _cut(
    counts: Counter[Token], words: WordCounts, vocabulary: Vocabulary, threads: int
) -> Segmentation:
    """Returns what is spelled, segmented by the vocabulary's rule."""
    if not counts:
        named = (
            "" if vocabulary.unknown is None else f": all of it becomes {vocabulary.unknown.token}"
        )
        raise InputError(f"the tokenizer has no token for any part of the text{named}")
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return segment(words.subset(ranked), vocabulary, threads=threads)
