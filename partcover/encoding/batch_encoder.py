"""Encodes many texts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from itertools import islice
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..corpus.files.columns import values_of
from ..errors import InputError
from ..kernels.encoding._shares import gathered, listed_texts, up_to
from ..runtime.arguments import Whole, checked
from ..runtime.processes.parallel import ordered_map, shared_in_order
from .collected import Collected
from .special import Special, check_special
from .text import as_bytes, joined, naming
from .text_encoder import Ids, TextEncoder, thread_count
from .worker import SECTION, Worker

_LARGE = 1 << 26  # bytes of texts that are looked up at once, with all their ids in memory

# texts, a function that names each by its index, and the start of the first one
_Job = tuple[list[Any], Callable[[int], str], int]
_Found = tuple[npt.NDArray[Any], npt.NDArray[np.int64]]  # ids, and the end of each text


class BatchEncoder(TextEncoder):
    """Encodes one or many texts; `Encoder` adds sampling and files, and describes the ids."""

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        special: Special = "text",
        threads: int | None = None,
    ) -> list[list[int]]:
        """Returns the ids of each text; otherwise as `encode`.

        Parameters
        ----------
        texts : iterable of str or bytes
            The texts.
        special : {"text", "parse", "error"} or collection of str
            As for `encode`.
        threads : int, optional
            Number of threads, by default the encoder's; the ids do not depend on it.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> Encoder(Vocabulary(["ab"]), "gpt2").encode_batch(["ab", "abc"])
        [[256], [256, 99]]
        """
        out: list[list[int]] = []

        def take(found: _Found) -> None:
            ids, ends = found
            if self._values is None:
                out.extend(part.tolist() for part in np.split(ids, ends[:-1]))
            else:
                out.extend(listed_texts(ids, ends, self._values))

        self._take_each(texts, special, threads, np.int32, take)
        return out

    def encode_batch_to_numpy(
        self,
        texts: Iterable[str | bytes],
        *,
        special: Special = "text",
        threads: int | None = None,
    ) -> tuple[Ids, npt.NDArray[np.int64]]:
        """Returns the ids of all texts as one array, and where each text starts in it.

        Parameters
        ----------
        texts, special, threads
            As for `encode_batch`.

        Returns
        -------
        ids : ndarray of `dtype`
            The ids of all texts, one text after another.
        offsets : ndarray of int64, shape (texts + 1,)
            Text i has the ids from offsets[i] to offsets[i + 1].

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> ids, offsets = Encoder(Vocabulary(["ab"]), "gpt2").encode_batch_to_numpy(["ab", "abc"])
        >>> ids.tolist(), offsets.tolist()
        ([256, 256, 99], [0, 1, 3])
        """
        # the number of texts is known only of a list
        all_ids = Collected(len(texts) if type(texts) is list else 0, self.dtype)
        offsets = [np.zeros(1, np.int64)]

        def take(found: _Found) -> None:
            ids, ends = found
            offsets.append(ends + len(all_ids.numbers))
            all_ids.append(ids, len(ends))

        self._take_each(texts, special, threads, self.dtype, take)
        return all_ids.result(), np.concatenate(offsets)

    @checked
    def encode_batch_padded(
        self,
        texts: Iterable[str | bytes],
        *,
        pad: Whole,
        max_length: Whole | None = None,
        side: Literal["right", "left"] = "right",
        special: Special = "text",
        threads: int | None = None,
    ) -> Ids:
        """Returns the ids of all texts as the rows of one array, for a model.

        Parameters
        ----------
        texts, special, threads
            As for `encode_batch`.
        pad : int
            The id that fills rows up to the longest one.
        max_length : int, optional
            Maximum number of ids of a text; further ids are dropped.
        side : {"right", "left"}
            The side on which rows are padded.

        Returns
        -------
        ndarray of `dtype`, shape (texts, longest)
            A row for each text.

        Raises
        ------
        InputError
            As `encode_batch`; for a `pad` that `dtype` cannot hold.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> encoder = Encoder(Vocabulary(["ab"], special=["<pad>"]), "gpt2")
        >>> encoder.encode_batch_padded(["ab", "abc"], pad=257).tolist()
        [[256, 257], [256, 99]]
        """
        if pad >= 1 << 8 * self.dtype.itemsize:
            raise InputError(f"pad is {pad}, which does not fit into {self.dtype}")
        ids, offsets = self.encode_batch_to_numpy(texts, special=special, threads=threads)
        lengths = np.diff(offsets)
        kept = lengths if max_length is None else np.minimum(lengths, min(max_length, len(ids)))
        longest = int(kept.max(initial=0))
        out = np.full((len(lengths), longest), pad, self.dtype)
        place = np.arange(longest)
        if side == "left":
            place = longest - 1 - place
        out[place < kept[:, np.newaxis]] = ids[
            np.arange(len(ids)) - np.repeat(offsets[:-1], lengths) < np.repeat(kept, lengths)
        ]
        return out

    def encode_each(
        self,
        texts: Iterable[str | bytes],
        *,
        special: Special = "text",
        threads: int | None = None,
        names: Iterable[str] | None = None,
    ) -> Iterator[Ids]:
        """Yields the ids of each text as an array; texts are read as they are needed.

        Parameters
        ----------
        texts, special, threads
            As for `encode_batch`.
        names : iterable of str, optional
            The names of the texts in errors; by default their numbers.
        """
        jobs, share = self._jobs_of(texts, special, threads, names)
        for ids, ends in ordered_map(self._work_on(special, self.dtype), jobs, share):
            at = 0
            for end in ends.tolist():
                yield ids[at:end].copy()
                at = end

    def count_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        special: Special = "text",
        threads: int | None = None,
    ) -> npt.NDArray[np.int64]:
        """Returns how many tokens each text has.

        Parameters
        ----------
        texts, special, threads
            As for `encode_batch`.

        Returns
        -------
        ndarray of int64, shape (texts,)
            The numbers of ids that `encode_batch` returns.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> Encoder(Vocabulary(["ab"]), "gpt2").count_batch(["ab", "abc"]).tolist()
        [1, 2]
        """
        parts = [np.zeros(0, np.int64)]

        def take(found: _Found) -> None:
            parts.append(np.diff(found[1], prepend=0))

        self._take_each(texts, special, threads, np.int32, take)
        return np.concatenate(parts)

    def _take_each(
        self,
        texts: Iterable[str | bytes],
        special: Special,
        threads: int | None,
        kind: npt.DTypeLike,
        take: Callable[[_Found], None],
    ) -> None:
        """Passes on the ids of a few texts at a time, with the end of each text among them."""
        jobs, share = self._jobs_of(texts, special, threads)
        work = self._work_on(special, kind)
        shared_in_order(nullcontext, lambda _, job: work(job), jobs, share, take)

    def _jobs_of(
        self,
        texts: Iterable[str | bytes],
        special: Special,
        threads: int | None,
        names: Iterable[str] | None = None,
    ) -> tuple[Iterator[_Job], int]:
        """Checks the arguments; returns groups of texts, and the number of threads."""
        if isinstance(texts, str | bytes):
            raise InputError("texts is a single text: give a list of texts, or use encode")
        texts = values_of(texts, "texts", "a list of texts")
        check_special(special)
        share = self.threads if threads is None else thread_count(threads)
        return _jobs(texts, names, self._is_plain(special)), share

    def _is_plain(self, special: Special) -> bool:
        """Returns whether texts need no more than looking up words."""
        return isinstance(special, str) and special == "text" and self._is_plain_text

    def _work_on(self, special: Special, kind: npt.DTypeLike) -> Callable[[_Job], _Found]:
        """Returns the function that encodes a few texts, with ids of a type."""
        plain = self._is_plain(special)

        def work(job: _Job) -> _Found:
            workers = self._workers_for(special)
            if plain:
                data, offsets = gathered(job[0])
                fits = len(offsets) > len(job[0]) and len(data) <= _LARGE
                if fits and self._special.absent(data, special):
                    with suppress(InputError), workers.one() as worker:
                        return worker.texts(data, offsets, kind)
            # also to report which text has an error
            with workers.one() as worker:
                ids, ends = self._one_by_one(worker, job, special)
            return ids.astype(kind, copy=False), ends

        return work

    def _one_by_one(self, worker: Worker, job: _Job, special: Special) -> _Found:
        """Returns the ids of texts that need more than looking up words."""
        texts, name_of, at = job
        found, ends = [np.empty(0, np.int32)], []
        for place, text in enumerate(texts):
            data = as_bytes(text, name_of(place))
            with naming(name_of(place)):
                found.append(joined(worker.of(self._parts(data, special), at)))
            at += len(data)
            ends.append(len(found[-1]))
        return np.concatenate(found), np.cumsum(np.array(ends, np.int64))


def _jobs(texts: Iterable[Any], names: Iterable[str] | None, plain: bool) -> Iterator[_Job]:
    """Yields groups of texts; if not plain, as bytes with the index of the first one."""
    given = None if names is None else iter(names)
    first = at = 0
    for some in _chunks(texts):
        name: Callable[[int], str] = partial(_number, first)
        if given is not None:
            called = list(islice(given, len(some)))
            if len(called) < len(some):
                raise InputError("there are fewer names than texts")
            name = called.__getitem__
        if not plain:
            some = [as_bytes(text, name(place)) for place, text in enumerate(some)]
        yield some, name, at
        first += len(some)
        at += 0 if plain else sum(map(len, some))


def _number(first: int, place: int) -> str:
    """Returns the name of a text without a name."""
    return f"text {first + place + 1}"


def _chunks(texts: Iterable[Any]) -> Iterator[list[Any]]:
    """Yields groups of texts, and reads no more than these."""
    if type(texts) is list:  # a subclass may have other elements than it holds
        at = 0
        while at < len(texts):
            end = up_to(texts, at, SECTION)
            yield texts[at:end]
            at = end
        return
    some: list[Any] = []
    size = 0
    for text in texts:
        some.append(text)
        size += len(text) if isinstance(text, str | bytes) else 0
        if size >= SECTION:
            yield some
            some, size = [], 0
    if some:
        yield some
