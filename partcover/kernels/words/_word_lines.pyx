# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sorts counted words, and writes them as lines of their file or for their digest.

Words are bytes: word ``w`` is ``data[offsets[w]:offsets[w + 1]]``, and no word is empty.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

include "../shared/_arrays.pxi"
include "../shared/_numpy.pxi"
include "../shared/_utf8.pxi"
include "_word_sort.pxi"

cdef enum:
    DIGITS = 20         # an int64 has at most 19 digits; one more for room


cdef void _sort_keys(Key *keys, Key *spare, const uint8_t[::1] data, const int64_t[::1] offsets,
                     const int64_t[::1] counts, bint by_count) noexcept nogil:
    """Sets a key for each word, and sorts the keys; `spare` is half as long as `keys`."""
    cdef int64_t n = counts.shape[0], w
    for w in range(n):
        keys[w].count = counts[w] if by_count else 0
        keys[w].prefix = _prefix(&data[offsets[w]], offsets[w + 1] - offsets[w])
        keys[w].word = w
    if n > 1:
        _sort(keys, spare, n, &data[0], &offsets[0])


def order_of(const uint8_t[::1] data, const int64_t[::1] offsets, const int64_t[::1] counts,
             bint by_count):
    """Returns the words' numbers by (count descending, word ascending), or by word only.

    They are a memory view of int64.
    """
    cdef int64_t n = counts.shape[0], w
    cdef Key *keys = <Key *> malloc((n + 1) * sizeof(Key))
    cdef Key *spare = <Key *> malloc((n // 2 + 1) * sizeof(Key))
    cdef int64_t[::1] out
    order = _array(n, "q")
    out = order
    try:
        if keys == NULL or spare == NULL:
            raise MemoryError
        with nogil:
            _sort_keys(keys, spare, data, offsets, counts, by_count)
            for w in range(n):
                out[w] = keys[w].word
        return order
    finally:
        free(keys)
        free(spare)


def sort_words(const uint8_t[::1] data, const int64_t[::1] offsets, const int64_t[::1] counts,
               bint by_count):
    """Returns the words ordered by (count descending, word ascending), or by word only.

    If they are ordered by word, the counts of equal words are summed.

    Returns
    -------
    data, offsets, counts : ndarray
        The sorted words.
    overflow : int
        The number of a word whose summed count does not fit in int64, or -1.
    """
    cdef int64_t n = counts.shape[0], w, i, length, size = 0, kept = 0, overflow = -1
    cdef Key *keys = <Key *> malloc((n + 1) * sizeof(Key))
    cdef Key *spare = <Key *> malloc((n // 2 + 1) * sizeof(Key))
    cdef uint8_t[::1] d
    cdef int64_t[::1] o, c
    try:
        if keys == NULL or spare == NULL:
            raise MemoryError
        with nogil:
            _sort_keys(keys, spare, data, offsets, counts, by_count)
            for i in range(n):
                w = keys[i].word
                if (not by_count and kept
                        and _same(&data[0], &offsets[0], keys[kept - 1].word, w)):
                    if keys[kept - 1].count > INT64_MAX - counts[w]:
                        overflow = w
                        break
                    keys[kept - 1].count += counts[w]
                    continue
                keys[kept].word = w
                keys[kept].count = counts[w]
                size += offsets[w + 1] - offsets[w]
                kept += 1
        sorted_data = np.empty(size, np.uint8)
        sorted_offsets = np.zeros(kept + 1, np.int64)
        sorted_counts = np.empty(kept, np.int64)
        d, o, c = sorted_data, sorted_offsets, sorted_counts
        with nogil:
            for i in range(kept):
                w = keys[i].word
                length = offsets[w + 1] - offsets[w]
                memcpy(&d[o[i]], &data[offsets[w]], length)
                o[i + 1] = o[i] + length
                c[i] = keys[i].count
        return sorted_data, sorted_offsets, sorted_counts, overflow
    finally:
        free(keys)
        free(spare)


cdef inline bint _same(const uint8_t *data, const int64_t *offsets, int64_t a,
                       int64_t b) noexcept nogil:
    """Whether two words are equal."""
    cdef int64_t n = offsets[a + 1] - offsets[a]
    return (n == offsets[b + 1] - offsets[b]
            and memcmp(data + offsets[a], data + offsets[b], n) == 0)


def are_sorted(const uint8_t[::1] data, const int64_t[::1] offsets, const int64_t[::1] counts,
               bint by_count):
    """Returns whether arrays with any content are words that `sort_words` would not change.

    That is: offsets begin at 0, ascend, and end at the end of the data; counts are at least 1; and
    no word is there twice.
    """
    cdef int64_t n = counts.shape[0], w, a, b
    cdef int order
    cdef bint sorted_ = (offsets.shape[0] == n + 1 and offsets[0] == 0
                         and offsets[n] == data.shape[0])
    with nogil:
        for w in range(n if sorted_ else 0):
            if offsets[w + 1] <= offsets[w] or offsets[w + 1] > data.shape[0] or counts[w] < 1:
                sorted_ = False
                break
            if w == 0 or (by_count and counts[w - 1] > counts[w]):
                continue
            a, b = offsets[w] - offsets[w - 1], offsets[w + 1] - offsets[w]
            order = memcmp(&data[offsets[w - 1]], &data[offsets[w]], min(a, b))
            if (by_count and counts[w - 1] < counts[w]) or order > 0 or (order == 0 and a >= b):
                sorted_ = False
                break
    return sorted_


cdef inline int64_t _number(uint8_t *out, int64_t value) noexcept nogil:
    """Writes a number of at least 0 in decimal; returns how many digits it has."""
    cdef uint8_t digits[DIGITS]
    cdef int64_t n = 0, i
    while True:
        digits[n] = <uint8_t> (c'0' + value % 10)
        n += 1
        value //= 10
        if value == 0:
            break
    for i in range(n):
        out[i] = digits[n - 1 - i]
    return n


cdef inline uint8_t _hex(int value) noexcept nogil:
    return <uint8_t> (value + c'0' if value < 10 else value - 10 + c'A')


cdef int64_t _escape(const uint8_t *p, int64_t n, uint8_t *out) noexcept nogil:
    """Writes a word escaped for a TSV, at most four bytes for each byte; returns the length."""
    cdef const uint8_t *end = p + n
    cdef uint8_t *at = out
    cdef uint8_t c
    cdef int size
    while p < end:
        c = p[0]
        if c >= 0x80:
            _code(p, end, &size)
            if size > 1:
                memcpy(at, p, size)
                at += size
                p += size
                continue
            at[0] = c'\\'
            at[1] = c'x'
            at[2] = _hex(c >> 4)
            at[3] = _hex(c & 15)
            at += 4
        elif c == c'\\' or c == c'\t' or c == c'\n' or c == c'\r':
            at[0] = c'\\'
            at[1] = c if c == c'\\' else c't' if c == c'\t' else c'n' if c == c'\n' else c'r'
            at += 2
        else:
            at[0] = c
            at += 1
        p += 1
    return at - out


def tsv_lines(const uint8_t[::1] data, const int64_t[::1] offsets, const int64_t[::1] counts,
              int64_t begin, int64_t end):
    """Returns the lines ``word<TAB>count`` of words `begin` to `end`, as `symbols.escape` does."""
    cdef int64_t room = 4 * (offsets[end] - offsets[begin]) + (end - begin) * (DIGITS + 2)
    cdef uint8_t *text = <uint8_t *> malloc(room + 1)
    cdef uint8_t *at = text
    cdef int64_t w
    if text == NULL:
        raise MemoryError
    try:
        with nogil:
            for w in range(begin, end):
                at += _escape(&data[offsets[w]], offsets[w + 1] - offsets[w], at)
                at[0] = c'\t'
                at += 1
                at += _number(at, counts[w])
                at[0] = c'\n'
                at += 1
        return text[:at - text]
    finally:
        free(text)


def digest_lines(const uint8_t[::1] data, const int64_t[::1] offsets, const int64_t[::1] counts,
                 const int64_t[::1] order):
    r"""Returns ``\n``, length, ``:``, word, tab and count of each word in `order`."""
    cdef int64_t room = order.shape[0] * 2 * (DIGITS + 2), i, w, n
    cdef uint8_t *text
    cdef uint8_t *at
    for i in range(order.shape[0]):
        room += offsets[order[i] + 1] - offsets[order[i]]
    text = at = <uint8_t *> malloc(room + 1)
    if text == NULL:
        raise MemoryError
    try:
        with nogil:
            for i in range(order.shape[0]):
                w = order[i]
                n = offsets[w + 1] - offsets[w]
                at[0] = c'\n'
                at += 1
                at += _number(at, n)
                at[0] = c':'
                at += 1
                memcpy(at, &data[offsets[w]], n)
                at += n
                at[0] = c'\t'
                at += 1
                at += _number(at, counts[w])
        return text[:at - text]
    finally:
        free(text)
