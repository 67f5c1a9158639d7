"""Defines `Encoder`, which converts text to ids and back.

Compiled code finds the words one after another by the first rule of the pre-tokenizer, and looks
them up in a table of limited size.  Words that are not in the table are looked up among the tokens.
Short words are merged immediately if the vocabulary needs no other processing of words.  All other
words go through the remaining rules and are segmented into tokens, once for each section of text.
So the time grows with the number of distinct words.  The ids do not depend on the table, on threads
or on how a file is read.

Encoding is lossless: `Encoder.decode_bytes` returns the encoded bytes, whatever they are.  If the
vocabulary has a normalizer (`Encoder.normalizer`), it returns the normalized text, and offsets are
positions in the original text.  Under ``space-prefix`` the mark represents a space.  A mark in the
text itself becomes a space inside a word, where no other space can be.  Decoding exchanges the two
again, so it is exact.  This requires that a mark does not overlap itself and contains no space.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterable
from functools import partial
from os import PathLike, fspath
from typing import Any

import numpy.typing as npt

from .._version import __version__
from ..corpus.pretokenizers.splitters import Splitter
from ..errors import InputError
from ..runtime.arguments import checked
from ..runtime.processes.parallel import batches, ordered_map
from ..runtime.progress import Progress
from ..segmentation.cutters import sampler
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .batch_encoder import BatchEncoder
from .file_encoding import Block, Encoded, FileFormat, FileText, checked_dtype, format_of, write_ids
from .file_encoding import Ids as FileIds
from .part_file import Mark, PartFile
from .special import Mode, Special, check_special
from .text import (
    Numbers,
    joined,
    naming,
)
from .text_encoder import Ids, Unit, thread_count
from .worker import PART

__all__ = ["Encoded", "Encoder", "Ids", "Mode", "Special", "Unit"]


class Encoder(BatchEncoder):
    """Encodes text to the ids of a vocabulary, and decodes them.

    Internally, ``numbers`` are 0 to 255 for the bytes, 256 + t for token t, and then the special
    tokens in order; ids are those of the vocabulary.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens, over bytes.
    pretokenizer : str or callable, optional
        How text is split into words (`partcover.corpus.pretokenizers.rules`); by default
        the vocabulary's own pre-tokenizer.  ``space-prefix`` may only be the first rule.  It may
        be a function that returns all words of a text, whose concatenation is the text.  Its name
        is then stored with the encoder's vocabulary, and the encoder can be pickled if the
        function can.
    rule : str, optional
        How words are segmented into tokens, see `partcover.segment`; by default the vocabulary's
        own.
    threads : int
        Number of threads that share a long text, a batch or files; the ids do not depend on it.
    cache : int
        Size of each thread's table of words and their tokens, in bytes; words longer than an
        eighth of it are not cached, and with 0 none are.
    seed : int
        Random seed of the rule ``random_path``, which segments equal words in the same way;
        `sampling` does not.

    Raises
    ------
    InputError
        If the tokens are not over bytes, the rule or pre-tokenizer is unknown, there is no
        pre-tokenizer, or its mark cannot be removed in decoding.

    Examples
    --------
    >>> from partcover import Encoder, Vocabulary
    >>> encoder = Encoder(Vocabulary(["the", " cat"]), "gpt2")
    >>> encoder.encode("the cat")
    [256, 257]
    >>> encoder.decode([256, 257])
    'the cat'
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # pickled by its arguments: the kernels' tables are rebuilt, and equal encoders pickle alike
        options = {"threads": self.threads, "cache": self._cache, "seed": self._seed}
        return _restored, (self.vocabulary, self._given, self.rule, options, self._drawn)

    @checked
    def sampling(
        self, *, seed: int, dropout: float | None = None, alpha: float | None = None
    ) -> Encoder:
        """Returns an encoder that segments words at random under the rule: subword regularization.

        A model that sees a word in many segmentations learns more about its parts.  The draw of an
        occurrence depends on the seed, the word and the bytes of text before it in the call.  So
        the same call returns the same ids for any number of threads, and another seed (for
        example for each epoch) returns other ids.

        Parameters
        ----------
        seed : int
            Random seed, any integer, taken modulo 2^64.
        dropout : float
            For ``merges`` (BPE-dropout, Provilkov et al. 2020) and ``longest_match``
            (MaxMatch-dropout, Hiraoka 2022): the probability that a merge, or a token, is left
            out each time it comes up; from 0, the rule itself, to 1, single bytes.  0.1 is usual.
            ``longest_match`` keeps the shortest token that begins with a byte without an id, for
            example a character of several bytes in WordPiece.
            Under ``merges`` a word that is a token has no precedence then, so tokens that merges
            do not make are not used.
        alpha : float
            For ``likelihood`` (subword regularization, Kudo 2018) and ``shortest_path``: a
            segmentation has a probability proportional to exp(alpha · sum of scores), or to
            exp(−alpha · tokens); from 0, where all are equally likely, to infinity, those of
            fewest tokens (``shortest_path``).  ``random_path`` is the latter, and takes neither
            parameter (PathPieceR, Schmidt et al. 2024).  Text is unknown only where no tokens can
            cover it; for fewest tokens, where every segmentation with as few has unknown text.

        Returns
        -------
        Encoder
            An encoder of the same vocabulary whose methods all draw; it has no table of words.

        Raises
        ------
        InputError
            If the rule cannot be drawn from, `dropout` or `alpha` is missing, out of range, or not
            a parameter of the rule, or the seed is no integer.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> encoder = Encoder(Vocabulary(["ab"]), "gpt2", "longest_match")
        >>> encoder.sampling(seed=1, dropout=1.0).encode("ab")
        [97, 98]
        """
        key = repr((dropout, alpha))
        draw = self._samplers.get(key)
        if draw is None:
            draw = sampler(self.vocabulary, self.rule, dropout=dropout, alpha=alpha)
            self._samplers = {key: draw}  # other threads may ask for others at the same time
        drawn = copy.copy(self)
        drawn._drawn = {"seed": seed, "dropout": dropout, "alpha": alpha}
        drawn._draw = partial(draw, seed=seed % 2**64)
        drawn._cache = 0
        drawn._renew_workers()
        return drawn

    @checked
    def encode_files(
        self,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        out: str | PathLike[str],
        *,
        file_format: FileFormat | None = None,
        dtype: npt.DTypeLike | None = None,
        key: str = "text",
        end_of_document: str | None = None,
        special: Special = "text",
        threads: int | None = None,
        progress: Progress | None = None,
        all_files: bool = False,
        resume: bool = False,
    ) -> Encoded:
        """Writes the ids of files to one array on disk.

        Text is streamed: each thread needs a few megabytes of memory and its table.  A whole
        document is read at a time if the pre-tokenizer treats it as one word, `special` tokens are
        searched for, or the vocabulary has a normalizer.  The file is written as ``OUT.part``, and
        renamed when it is complete.

        Parameters
        ----------
        paths : path or iterable of path
            As for `WordCounts.from_files`.
        out : path
            The file to write.
        file_format : {"npy", "bin"}, optional
            NumPy's format, or the ids alone, little-endian; by default ``"npy"`` if `out` ends in
            ``.npy``, else ``"bin"``.
        dtype : dtype, optional
            The integer type of the ids; by default the encoder's `dtype`.
        key : str
            The field (JSON lines) or column (Parquet) that holds the text.
        end_of_document : str, optional
            The special token written after each document.
        special : {"text", "parse", "error"} or collection of str
            As for `encode`.
        threads : int, optional
            Number of threads, by default the encoder's; the file does not depend on it.
        progress : Progress, optional
            Gets the bytes read and their total (None where unknown).
        all_files : bool
            Whether to read all files of a folder whatever their names end in, those of unknown
            kind as plain text.
        resume : bool
            Whether to continue an earlier run of the same call, whose completely encoded files are
            in ``OUT.part``.  ``OUT.part.json``, written every few seconds, lists them.

        Returns
        -------
        Encoded
            The numbers of documents, bytes and ids, and the type of the ids.

        Raises
        ------
        InputError
            For input that cannot be read or encoded, an `out` that cannot be written, a `dtype`
            that cannot store every id, an unknown format, or an unknown special token; when a run
            is resumed, for other files, another vocabulary or other options.
        MissingExtra
            If Zstandard or Parquet is to be read and its library is not installed.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from partcover import Encoder, Vocabulary
        >>> encoder = Encoder(Vocabulary(["ab"]), "gpt2")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "text.txt")
        ...     _ = path.write_text("ab abc")
        ...     encoder.encode_files(path, path.with_suffix(".npy"))
        Encoded(documents=1, bytes=6, ids=4, dtype='uint16')
        """
        file_format = format_of(out, file_format)
        kind = checked_dtype(dtype, self.dtype, max(self._text_of))
        share = self.threads if threads is None else thread_count(threads)
        check_special(special)
        ending = []
        if end_of_document is not None:
            ending = [self._ids[self._special.ending(end_of_document)]]
        text = self._file_text(paths, key, special, all_files, progress)

        def work(job: list[Block | Mark]) -> FileIds:
            numbers: list[Numbers] = []
            marks: list[tuple[int, Mark]] = []
            with self._workers_for(special).one() as worker:
                for block in job:
                    if isinstance(block, Mark):
                        marks.append((sum(map(len, numbers)), block))
                        continue
                    where, at, content, last = block
                    with naming(where):
                        numbers += worker.of(self._parts(content, special), at)
                    if last:
                        numbers += ending
            return joined(numbers).astype(kind), marks

        part = None
        if PartFile.fits(out, text.sources):
            about = [file_format, kind.str, key, end_of_document, special]
            part = PartFile(out, self._described(about), text.sources, kind.itemsize)
        elif resume:
            raise InputError(f"{fspath(out)}: only the encoding of files to a file can be resumed")
        done = part.resumed() if part is not None and resume else Mark()
        arrays = ordered_map(work, batches(text.blocks(done), PART), share)
        written = write_ids(arrays, out, file_format, kind, part, done.ids)
        return Encoded(text.document_count, text.bytes, written, kind.name)

    @checked
    def count_files(
        self,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        *,
        key: str = "text",
        special: Special = "text",
        threads: int | None = None,
        progress: Progress | None = None,
        all_files: bool = False,
    ) -> int:
        """Returns how many tokens the texts of files have; otherwise as `encode_files`.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from partcover import Encoder, Vocabulary
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "text.txt")
        ...     _ = path.write_text("ab abc")
        ...     Encoder(Vocabulary(["ab"]), "gpt2").count_files(path)
        4
        """
        check_special(special)
        text = self._file_text(paths, key, special, all_files, progress)

        def work(job: list[Block | Mark]) -> int:
            count = 0
            with self._workers_for(special).one() as worker:
                for block in job:
                    if not isinstance(block, Mark):
                        where, at, content, _ = block
                        with naming(where):
                            found = worker.of(self._parts(content, special), at)
                        count += sum(map(len, found))
            return count

        share = self.threads if threads is None else thread_count(threads)
        return sum(ordered_map(work, batches(text.blocks(Mark()), PART), share))

    def _file_text(
        self,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        key: str,
        special: Special,
        all_files: bool,
        progress: Progress | None,
    ) -> FileText:
        """Returns the text of files, in blocks that are encoded separately."""
        whole = self._special.finds(special) or self._normal is not None
        whole = whole or self._running is not None
        return FileText(
            paths, self._rules[0], key=key, whole=whole, all_files=all_files,
            progress=progress or Progress(),
        )  # fmt: skip

    def _described(self, options: list[Any]) -> dict[str, Any]:
        """Returns everything that the ids of files depend on, except the files."""
        content = self.vocabulary.to_json()
        del content["provenance"]
        return {
            "partcover": __version__,
            "vocabulary_sha256": hashlib.sha256(json.dumps(content).encode()).hexdigest(),
            "pretokenizer": self.pretokenizer,
            "rule": self.rule,
            "seed": self._seed,
            "drawn": self._drawn,
            "options": options,
        }


def _restored(
    vocabulary: Vocabulary,
    pretokenizer: str | Splitter,
    rule: SegmentationRule,
    options: dict[str, Any],
    drawn: dict[str, Any] | None,
) -> Encoder:
    """Returns the encoder that was pickled with these arguments."""
    encoder = Encoder(vocabulary, pretokenizer, rule, **options)
    return encoder if drawn is None else encoder.sampling(**drawn)
