"""Reads what a command is given: an instance, a vocabulary, tokens, budgets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import partcover as pc

from ..corpus import symbols as sym
from ..errors import InputError, shorten
from ..runtime.files.kinds import kind_of, kind_of_head
from ..runtime.files.writing import json_of
from ..runtime.numerals import read_digits
from ..runtime.processes.engines import executor_of
from .declared import exclude, is_given

if TYPE_CHECKING:
    from .shown.output import Output

_NO_BUDGET = "-k is missing: how many tokens may be chosen?"
_OWN_KINDS = "vocabulary", "solution"  # of files with a vocabulary
_TOKEN_FILES = ("candidates", "required", "forbidden", "prefix", "protected")


def read_group(text: str, symbols: sym.Symbols) -> pc.GroupBudget:
    """Returns the group that ``NAME=N:WHAT`` describes."""
    match = re.fullmatch(r"(.+?)=([0-9]+):(.+)", text)
    if match is None:
        raise InputError(
            f"--group {text}: expected NAME=N:WHAT, such as long=10:8- or de=50:german.txt"
        )
    name, limit, what = match.groups()
    lengths = re.fullmatch(r"([0-9]*)-([0-9]*)", what)
    if lengths is None:
        return pc.GroupBudget(name, read_digits(limit), frozenset(read_tokens(what, symbols)))
    shortest, longest = (read_digits(number) if number else None for number in lengths.groups())
    return pc.GroupBudget(
        name, read_digits(limit), None, 2 if shortest is None else shortest, longest
    )


def parse_budgets(text: str | None) -> list[int]:
    """Returns the budgets of ``-k``, with commas and ranges, as ``1,2,5-10``; none for None."""
    budgets: list[int] = []
    for part in text.split(",") if text is not None else ():
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part, re.ASCII)
        if match is None:
            raise InputError(
                f"-k is {text!r}: expected whole numbers and ranges separated by commas, "
                "such as 1,2,5-10"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= 10_000:
            raise InputError(
                f"-k is {text!r}: {part.strip()} must go from a smaller number to a larger "
                "one and hold at most 10,000 numbers"
            )
        budgets += range(first, last + 1)
    return budgets


def names_of(paths: Iterable[str], taken: Collection[str] = ()) -> dict[str, str]:
    """Names files without folder and ending.

    The name is the whole path where two are alike, it is taken, or it has no letter or digit.

    Examples
    --------
    >>> from partcover.cli.inputs import names_of
    >>> names_of(["a/law.txt", "b/law.txt", "b/news.txt", "b/*.md"])
    {'a/law.txt': 'a/law.txt', 'b/law.txt': 'b/law.txt', 'b/news.txt': 'news', 'b/*.md': 'b/*.md'}
    """
    stems = {path: Path(path).stem for path in paths}
    often = Counter([*stems.values(), *taken])
    return {
        path: stem if often[stem] == 1 and any(map(str.isalnum, stem)) else path
        for path, stem in stems.items()
    }


def note_other_words(
    out: Output, vocabulary: pc.Vocabulary, words: pc.WordCounts, name: str | None = None
) -> None:
    """Remarks that a vocabulary is for words of another pre-tokenizer or normalizer than these."""
    from ..corpus.normalizers import glance

    of = "" if name is None else f"{name}: "
    names = vocabulary.pretokenizer, words.pretokenizer
    if None not in names and names[0] != names[1]:
        out.note(
            f"{of}the vocabulary was made for pre-tokenizer {names[0]}; these words were counted "
            f"with {names[1]}"
        )
    before = [
        "not normalized" if name is None else f"normalized by {glance(name)}"
        for name in (vocabulary.normalizer, words.normalizer)
    ]
    if words.pretokenizer is not None and before[0] != before[1]:
        out.note(
            f"{of}the vocabulary was made for text that is {before[0]}; the text of these words is "
            f"{before[1]}"
        )


def note_remarks(out: Output, vocabulary: pc.Vocabulary) -> list[str]:
    """Repeats the remarks on a tokenizer that was read, and returns them."""
    listed = vocabulary.provenance.get("remarks")  # a file may hold anything there
    remarks = list(map(str, listed)) if isinstance(listed, list) else []
    for remark in remarks:
        out.note(remark)
    return remarks


@dataclass
class InstanceSource:
    """Where an instance comes from: the inputs of a command and the options that change them."""

    corpus: str | None = None
    corpora: tuple[str, ...] = ()
    minimax: bool = False
    reference: str | None = None
    k: int | None = None
    pretokenizer: str | None = None
    symbols: sym.Symbols | None = None
    max_length: int | None = None
    min_count: int | None = None
    candidates: str | None = None
    required: str | None = None
    forbidden: str | None = None
    prefix: str | None = None
    protected: str | None = None
    weights: str | None = None
    groups: tuple[str, ...] = ()
    head: int | None = None  # words in memory, all if None; these read the others:
    engine: str = "threads"
    scratch: str | None = None

    def __post_init__(self) -> None:
        if self.corpora:
            self.corpus = self.corpora[0]
        if self.reference is not None and not self.minimax:
            raise click.UsageError("--reference needs --minimax")

    @property
    def several(self) -> tuple[str, ...]:
        """The inputs where they are corpora of one instance."""
        return self.corpora if self.minimax else ()

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return Path(self.corpus or "").name

    def refuse_readers(self, *names: str) -> None:
        """Refuses options that have no effect without a head."""
        for name in filter(is_given, ("engine", "scratch", *names)):
            command = click.get_current_context().command
            own = any(parameter.name == "head" for parameter in command.params)
            head = "--head N" if own else "bound --head N"
            raise click.UsageError(f"--{name} needs a head ({head}): leave out --{name}")

    @contextmanager
    def opened(self, out: Output) -> Iterator[pc.Instance]:
        """Yields the instance; the workers that read outside of a head run until the block ends."""
        if self.head is None:
            self.refuse_readers()
        if self.scratch is None and out.path not in (None, "-"):
            self.scratch = str(Path(str(out.path)).parent)
        with ExitStack() as stack:
            executor = None  # this thread
            if self.head and (out.threads > 1 or self.engine not in ("threads", "processes")):
                executor = stack.enter_context(executor_of(self.engine, out.threads))
            yield self.read(several=True, threads=out.threads, executor=executor)

    def read(
        self,
        *,
        any_k: bool = False,
        several: bool = False,
        threads: int = 1,
        executor: Executor | None = None,
    ) -> pc.Instance:
        """Reads the instance.

        With `any_k`, where no k is given, it is one that no vocabulary reaches.  `several`: whether
        the command takes several corpora, whose references are counted by so many `threads`.  With
        a head, all other words are the tail, which `executor` reads, by default this thread.
        """
        if self.several:
            return self._of_several(any_k=any_k, threads=threads, executor=executor)
        if len(self.corpora) > 1:
            raise click.UsageError(
                "several inputs need --minimax: give one input, or add --minimax"
            )
        assert self.corpus is not None
        if self.head is not None and not self.corpus.endswith(".json"):
            tail = self._head_and_tail(self.head, executor)
            conditions = self._conditions(tail.head.symbols)
            if self.k is None and not any_k:
                raise InputError(_NO_BUDGET)
            n_required = sum(len(conditions.get(name, ())) for name in ("required", "prefix"))
            return pc.Instance(tail, n_required if self.k is None else self.k, **conditions)
        base = pc.Instance.load(self.corpus) if self.corpus.endswith(".json") else None
        if base is not None and base.corpora is not None and not several:
            raise InputError(
                f"{self.corpus}: the instance has several corpora; only greedtok, bound, improve, "
                "solve, and verify accept that"
            )
        words = self._words(base)
        k = self.k
        if k is None and base is not None:
            k = base.k
        if k is None and any_k:
            k = len(words.data)  # no vocabulary uses more
        if k is None:
            raise InputError(_NO_BUDGET)
        if base is None:
            instance = pc.Instance(words, k, **self._conditions(words.symbols))
        else:
            if base.corpora is not None and self.weights is not None:
                raise InputError(f"{self.corpus}: --weights are for the words of one corpus")
            conditions = self._conditions(words.symbols, base)
            instance = replace(base, corpus=base.corpora or words, k=k, **conditions)
        return instance if self.head is None else _by_head(instance, self.head)

    def _conditions(self, symbols: sym.Symbols, base: pc.Instance | None = None) -> dict[str, Any]:
        """Returns the conditions of the options; groups with those of an instance file."""
        settings: dict[str, Any] = {}
        if self.groups:
            settings["groups"] = self._groups(() if base is None else base.groups, symbols)
        for name in _TOKEN_FILES:
            path = getattr(self, name)
            if path is not None:
                settings[name] = read_tokens(path, symbols)
        for name in ("max_length", "min_count"):
            if getattr(self, name) is not None:  # 0 is for Instance to refuse
                settings[name] = getattr(self, name)
        return settings

    def _head_and_tail(self, head: int, executor: Executor | None) -> pc.HeadAndTail:
        """Reads the head of a file of counted words."""
        assert self.corpus is not None
        if self.corpus == "-":
            raise InputError("-: a head needs a file of word counts, which is read several times")
        exclude("a head", "--min-count", "--weights")
        return pc.HeadAndTail.load(
            self.corpus, head, self.symbols, executor=executor, scratch=self.scratch
        )

    def _of_several(self, *, any_k: bool, threads: int, executor: Executor | None) -> pc.Instance:
        """Reads the inputs as corpora, with the conditions of the options."""
        from ..heuristics.references import CONDITIONS

        exclude("--minimax", "--min-count", "--weights")
        for path in self.several:
            if path.endswith(".json"):
                raise InputError(f"{path}: --minimax takes word counts, not instance files")
        twice = [path for path in self.several if self.several.count(path) > 1]
        if twice:
            raise InputError(f"{twice[0]} is given twice")
        alone = replace(self, corpora=(), minimax=False, reference=None)
        read = [
            replace(alone, corpus=path).read(any_k=any_k, executor=executor)
            for path in self.several
        ]
        words, first = [instance.tail or instance.words for instance in read], read[0]
        k = max(instance.k for instance in read)
        names = list(names_of(self.several).values())
        conditions = {name: getattr(first, name) for name in CONDITIONS}
        # what cannot be put together is refused before references are counted
        _ = pc.Instance(pc.Corpora(words, [1] * len(words), names), k, **conditions)
        references = self._references(words, k, conditions, threads)
        return pc.Instance(pc.Corpora(words, references, names), k, **conditions)

    def _references(
        self,
        words: Sequence[pc.WordCounts | pc.HeadAndTail],
        k: int,
        conditions: dict[str, Any],
        threads: int,
    ) -> Sequence[int]:
        """Returns the references that the option says; one number is for all."""
        from ..corpus.word_arrays import MAX_COUNT

        how = self.reference or "own"
        if not how[:1].isdigit():
            return pc.reference_counts(words, how, k, conditions=conditions, threads=threads)
        parts = how.split(",")
        if not all(part.isascii() and part.isdecimal() for part in parts):
            raise InputError(f"--reference is {how!r}: expected whole numbers separated by commas")
        numbers = [read_digits(part) for part in parts]
        for part, number in zip(parts, numbers, strict=True):
            if number > MAX_COUNT:
                raise InputError(
                    f"--reference: {shorten(part, 40)} is too large: at most {MAX_COUNT:,} "
                    "(2^63 - 1) is possible"
                )
        return numbers * len(words) if len(numbers) == 1 else numbers

    def _words(self, base: pc.Instance | None) -> pc.WordCounts:
        """Reads the words, weighted, with the name of what they were counted with."""
        from ..corpus.files import tsv

        assert self.corpus is not None
        if base is None:
            words = pc.WordCounts.load(self.corpus, self.symbols)
        elif self.symbols in (None, base.symbols):
            words = base.words
        else:
            raise InputError(
                f"{self.corpus}: the symbols of the instance are {base.symbols}, not {self.symbols}"
            )
        try:
            words = words.counted_with(self.pretokenizer)
        except InputError as error:
            raise InputError(f"{self.corpus}: {error}; leave out --pretokenizer") from None
        if self.weights is None:
            return words
        weights = tsv.read_table(self.weights, words.symbols)
        try:
            return words.weighted(dict(weights))
        except InputError as error:
            raise InputError(f"{self.weights}: {error}") from None

    def _groups(
        self, before: Sequence[pc.GroupBudget], symbols: sym.Symbols
    ) -> list[pc.GroupBudget]:
        """Adds the groups of the options to those of the instance file."""
        groups = list(before)
        for text in self.groups:
            group = read_group(text, symbols)
            if any(group.name == other.name for other in groups):
                raise InputError(f"--group {text}: a group named {group.name!r} already exists")
            groups.append(group)
        return groups


def read_vocabulary(path: str, symbols: sym.Symbols | None = None) -> pc.Vocabulary:
    """Reads a vocabulary file, or one of another library that is recognized.

    With `symbols`, any other file has tokens over these, one a line, escaped as in word counts; it
    may be a pipe, or ``-``.
    """
    from ..interop.load import other_format
    from ..interop.token_list import lines_of, tokens_of_lines

    other = other_format(path)
    is_own = path.endswith(".json") or kind_of(path) in _OWN_KINDS
    if symbols is None or other is not None or is_own:
        return pc.Vocabulary.load(path, other or (None if Path(path).is_dir() else "partcover"))
    lines = lines_of(Path(path))
    text = b"\n".join(lines)
    content: Any
    kind = kind_of_head(text)
    if kind == "tokenizer":  # through a pipe: `other_format` recognizes a file
        raise InputError(
            f"{path}: this looks like a tokenizer of another library: `partcover import` reads it, "
            "from a file"
        )
    if kind in _OWN_KINDS:
        content = json_of(text, path)
    else:
        content = tokens_of_lines(lines, symbols, Path(path))
    try:
        if isinstance(content, dict):
            return pc.Vocabulary.from_json(content)
        return pc.Vocabulary(content, symbols)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def read_certificate(path: str | None) -> pc.Certificate | None:
    """Reads the file of a certificate, if one is named."""
    return None if path is None else pc.Certificate.load(path)


def read_tokens(path: str, symbols: sym.Symbols) -> tuple[sym.Token, ...]:
    """Reads the tokens of what `read_vocabulary` reads."""
    vocabulary = read_vocabulary(path, symbols)
    if vocabulary.symbols != symbols:
        raise InputError(
            f"{path}: its symbols are {vocabulary.symbols}, those of the words are {symbols}"
        )
    return vocabulary.tokens


def with_pretokenizer(path: str, vocabulary: pc.Vocabulary, name: str | None) -> pc.Vocabulary:
    """Returns a vocabulary with the pre-tokenizer that is named, where it has none of its own."""
    if name is None or name == vocabulary.pretokenizer:
        return vocabulary
    if vocabulary.pretokenizer is not None:
        raise InputError(
            f"{path}: its pre-tokenizer is {vocabulary.pretokenizer}, not {name}; leave out "
            "--pretokenizer"
        )
    return vocabulary.with_(pretokenizer=name)


def read_words(path: str, vocabulary: pc.Vocabulary) -> pc.WordCounts:
    """Reads the words of counts or of an instance, over the symbols of the vocabulary."""
    if not path.endswith(".json"):
        return pc.WordCounts.load(path, vocabulary.symbols)
    words = pc.Instance.load(path).words
    if words.symbols != vocabulary.symbols:
        raise InputError(
            f"{path}: the symbols of its words are {words.symbols}, those of the vocabulary are "
            f"{vocabulary.symbols}"
        )
    return words


def _by_head(instance: pc.Instance, n: int) -> pc.Instance:
    """Returns an instance whose n most frequent words, or those of each corpus, are the head."""
    words: Any
    if instance.corpora is None:
        words = pc.HeadAndTail.of(instance.words, n)
    else:
        several = instance.corpora
        parts = [pc.HeadAndTail.of(each, n) for each in several.words]
        words = pc.Corpora(parts, several.references, several.names)
    return replace(instance, corpus=words)
