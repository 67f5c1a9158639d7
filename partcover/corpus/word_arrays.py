"""Holds counted words in flat arrays, packs them, and converts characters to UTF-8 and back."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import InputError
from ..kernels.words import _word_arrays, _word_lines
from ..runtime.arguments import Whole, checked, shown
from ..runtime.arrays import Array, Int32, Int64, UInt8, np
from ..runtime.pickling import by_fields
from . import symbols as sym
from .symbols import Symbols, Token

#: Words over bytes: data, offsets and counts, as `WordCounts` has them.
Arrays: TypeAlias = tuple[UInt8, Int64, Int64]

#: The same as memory views, which kernels take and return where no array is needed.
Views: TypeAlias = tuple[memoryview, memoryview, memoryview]

MAX_COUNT = 2**63 - 1
_FORMATS = ["B", "q", "q"]  # of views that kernels read
WORDS_PER_BLOCK = 1 << 16  # words that are formatted in memory before they are written or hashed


def sum_pairs(pairs: Iterable[Any], symbols: Symbols) -> dict[Token, int]:
    """Checks (word, count) pairs and sums the counts of equal words.

    Raises
    ------
    InputError
        For anything but pairs, a word that is empty or not over the symbols, a count below 1, or
        a sum that does not fit in int64.
    """
    table: dict[Token, int] = {}
    for pair in pairs:
        if not isinstance(pair, Sequence) or isinstance(pair, str | bytes) or len(pair) != 2:
            raise InputError(
                f"counts have {shown(pair)}: each must be a pair of a word and a count"
            )
        word, count = pair
        token = sym.to_token(word, symbols)
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
            raise InputError(
                f"the count of {sym.show(token)!r} is {shown(count)}: it must be a whole number "
                "of at least 1"
            )
        if not token:
            raise InputError("a word is empty")
        table[token] = table.get(token, 0) + int(count)
        if table[token] > MAX_COUNT:
            raise InputError(f"the count of {sym.show(token)!r} does not fit in int64")
    return table


def pack(table: Mapping[Token, int], symbols: Symbols) -> tuple[Array, Int64, Int64]:
    """Returns the data, offsets and counts of a table of words, in the table's order."""
    data, offsets = sym.packed(table, symbols)
    return data, offsets, np.fromiter(table.values(), np.int64, len(table))


def arrays_of(views: Views) -> Arrays:
    """Returns words in memory views as arrays, without copying them."""
    data, offsets, counts = map(np.asarray, views)
    return data, offsets, counts


def from_utf8(data: UInt8, offsets: Int64) -> tuple[Int32, Int64]:
    """Returns the code points of words in UTF-8, and where each word starts among them."""
    # a character starts at every byte that is not 10xxxxxx
    starts = np.concatenate([[0], np.cumsum((data & 0xC0) != 0x80)])
    points = np.frombuffer(data.tobytes().decode("utf-8").encode("utf-32-le"), np.int32)
    return points, starts[offsets]


def to_utf8(points: Array, offsets: Int64) -> tuple[UInt8, Int64]:
    """Returns words over characters in UTF-8: the inverse of `from_utf8`."""
    text = points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    sizes = 1 + sum((points >= first).astype(np.int64) for first in (0x80, 0x800, 0x10000))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8), starts[offsets]


def _format(given: Any) -> str | None:
    """Returns the format of a read-only memory view of one dimension without gaps, or None."""
    if not isinstance(given, memoryview) or given.ndim != 1 or not given.c_contiguous:
        return None
    if not given.readonly:
        return None
    return "q" if given.format == "l" and given.itemsize == 8 else given.format


def _own(given: Any, name: str, dtype: str) -> Array:
    """Returns whole numbers in a read-only array of a type, copied if others may change them."""
    try:
        array = np.asarray(given)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise ValueError
    except ValueError:
        raise InputError(
            f"{name} must be a list of whole numbers, or an array of one dimension"
        ) from None
    if array.dtype != dtype:
        limits = np.iinfo(dtype)
        for extreme in (array.min(), array.max()) if array.size else ():
            if not limits.min <= extreme <= limits.max:
                raise InputError(
                    f"{name} have {extreme}: they must be from {limits.min} to {limits.max}"
                )
    array = np.ascontiguousarray(array, dtype)
    base = array.base
    shared = array.flags.writeable and (array is given or base is not None)
    if shared or (isinstance(base, np.ndarray) and base.flags.writeable):
        array = array.copy()
    array.setflags(write=False)
    return array


def _refuse_others(data: Array, symbols: Symbols) -> None:
    """Refuses numbers that are no characters, or no symbols of words of integers."""
    most = sym.MOST_INTEGER if symbols == "ints" else sys.maxunicode
    for extreme in (data.min(), data.max()) if data.size else ():
        if not 0 <= extreme <= most:
            raise InputError(f"data have {extreme}: symbols={symbols!r} are from 0 to {most}")
    if symbols == "chars":
        lone = data[(data & ~0x7FF) == 0xD800]
        if lone.size:
            raise InputError(
                f"data have a lone surrogate U+{lone[0]:04X}, which UTF-8 cannot encode"
            )


@dataclass(frozen=True, eq=False)
class WordArrays:
    """Distinct words and their counts in flat, read-only arrays; see `WordCounts` for each field.

    Raises
    ------
    InputError
        As `WordCounts` does.
    """

    data: Array
    offsets: Int64
    counts: Int64
    symbols: Symbols = "bytes"
    pretokenizer: str | None = None
    normalizer: str | None = None

    @checked
    def __init__(
        self,
        data: Array,
        offsets: Int64,
        counts: Int64,
        symbols: Symbols = "bytes",
        pretokenizer: str | None = None,
        normalizer: str | None = None,
    ) -> None:
        fields = self.__dict__
        fields.update(symbols=symbols, pretokenizer=pretokenizer, normalizer=normalizer)
        given = data, offsets, counts
        if symbols == "bytes" and [_format(array) for array in given] == _FORMATS:
            fields["_views"] = dict(zip(("data", "offsets", "counts"), given, strict=True))
        else:
            fields["data"] = _own(data, "data", sym.DTYPES[symbols])
            fields["offsets"] = _own(offsets, "offsets", "int64")
            fields["counts"] = _own(counts, "counts", "int64")
            if symbols != "bytes":
                _refuse_others(fields["data"], symbols)
        self._check()

    def _check(self) -> None:
        """Refuses offsets that are not those of words in the data, and counts below 1."""
        data, offsets, counts = self.views
        if len(offsets) != len(counts) + 1:
            raise InputError(
                f"there are {len(offsets):,} offsets for {len(counts):,} counts: give one more "
                "offset than counts"
            )
        least, shortest, longest, symbols = _word_arrays.extremes(offsets, counts)
        if least < 1:
            raise InputError("a count is below 1")
        if shortest == 0:
            raise InputError("a word is empty")
        # words of one symbol to all of them, from the first symbol to the last: none is outside
        if shortest < 0 or longest > len(data) or offsets[0] != 0 or offsets[-1] != len(data):
            raise InputError(
                f"the offsets must rise from 0 to {len(data):,}, the number of symbols in the data"
            )
        # floats first: the exact sum of big integers is needed only near the limit
        if symbols > 2.0**62:
            lengths = np.diff(self.offsets)
            exact = sum(c * n for c, n in zip(self.counts.tolist(), lengths.tolist(), strict=True))
            if exact > MAX_COUNT:
                raise InputError(
                    f"the counted corpus has {exact} symbols, more than int64 holds: scale the "
                    "counts down"
                )

    __reduce__ = by_fields

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Makes an array of a memory view when it is first read: training needs none."""
            view = self.__dict__.get("_views", {}).get(name)
            if view is None:
                raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
            array = self.__dict__[name] = np.asarray(view)
            array.setflags(write=False)
            return array

    @property
    def views(self) -> tuple[Any, Any, Any]:
        """Data, offsets and counts for a kernel: arrays, or the memory views that were given."""
        views = self.__dict__.get("_views", self.__dict__)
        return views["data"], views["offsets"], views["counts"]

    def __len__(self) -> int:
        """Returns the number of distinct words."""
        return len(self.views[2])

    def __eq__(self, other: object) -> bool:
        """Returns whether both have the same words, counts and symbols, in any order."""
        if not isinstance(other, WordArrays):
            return NotImplemented
        if self is other:
            return True
        sizes = [(w.symbols, len(w), len(w.data), w.total_count) for w in (self, other)]
        return sizes[0] == sizes[1] and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @checked
    def word(self, index: Whole) -> Token:
        """Returns the word at `index`, from 0 on."""
        if index >= len(self):
            raise InputError(f"there is no word {index}: there are {len(self)} words")
        return self._word(index)

    def _word(self, index: int) -> Token:
        return sym.from_array(
            self.data[self.offsets[index] : self.offsets[index + 1]], self.symbols
        )

    def __iter__(self) -> Iterator[tuple[Token, int]]:
        """Yields (word, count) pairs in stored order."""
        words = sym.slices(self.data, self.offsets[:-1], self.offsets[1:], self.symbols)
        yield from zip(words, self.counts.tolist(), strict=True)

    def to_dict(self) -> dict[Token, int]:
        """Returns a dictionary from words to counts."""
        return dict(self)

    @property
    def how(self) -> dict[str, Any]:
        """How text became these words, as `WordCounts` takes it."""
        return {"pretokenizer": self.pretokenizer, "normalizer": self.normalizer}

    def utf8_arrays(self) -> Arrays | None:
        """Returns the words over bytes, characters as UTF-8; None for integers."""
        if self.symbols == "ints":
            return None
        if self.symbols == "bytes":
            return np.ascontiguousarray(self.data, np.uint8), self.offsets, self.counts
        return *to_utf8(self.data, self.offsets), self.counts

    @cached_property
    def total_count(self) -> int:
        """The occurrences of all words."""
        return _word_arrays.total(self.views[2])

    @cached_property
    def total_symbols(self) -> int:
        """Σ c(W)·|W|: the tokens that the corpus takes without any vocabulary."""
        return _word_arrays.total_symbols(*self.views[1:])

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the sorted counted words: the same for any order of words."""
        import hashlib  # OpenSSL takes 4 MiB

        sha = hashlib.sha256(self.symbols.encode())
        # memory views of words over bytes will do
        words = self.views if self.symbols == "bytes" else self.utf8_arrays()
        if words is None:
            for word, count in sorted(self):
                text = sym.show(word).encode()
                sha.update(b"\n%d:%b\t%d" % (len(text), text, count))
        else:  # in UTF-8 the order of bytes is that of characters
            data, offsets, counts = words
            order = _word_lines.order_of(data, offsets, counts, False)
            for begin in range(0, len(order), WORDS_PER_BLOCK):
                some = order[begin : begin + WORDS_PER_BLOCK]
                sha.update(_word_lines.digest_lines(data, offsets, counts, some))
        return sha.hexdigest()
