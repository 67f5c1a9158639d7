# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Decodes words of bytes to characters, and maps segmentations of characters back to bytes."""

from libc.stdint cimport int32_t, int64_t, uint8_t

include "../shared/_marks.pxi"
include "../shared/_numpy.pxi"
include "../shared/_utf8.pxi"


cdef inline int _size(int32_t code) noexcept nogil:
    """The length of a character in bytes; a byte that belongs to none (`_code`) has length one."""
    if code < 0x80 or 0xDC80 <= code < 0xDD00:
        return 1
    return 2 if code < 0x800 else 3 if code < 0x10000 else 4


def characters(const uint8_t[::1] data, const int64_t[::1] offsets,
               Py_ssize_t first, Py_ssize_t last):
    """Returns the characters of words first..last - 1; each word is decoded by itself.

    Returns
    -------
    codes : ndarray of int32
        Code points, one word after another; a byte b that belongs to no character is U+DC00 + b.
    starts : ndarray of int64, shape (words + 1,)
        Word ``first + i`` is ``codes[starts[i]:starts[i + 1]]``.  O(bytes) time.
    """
    cdef Py_ssize_t w
    cdef Py_ssize_t n_codes = 0
    cdef int size
    cdef const uint8_t *at
    cdef const uint8_t *end
    codes = np.empty(offsets[last] - offsets[first], np.int32)
    starts = np.zeros(last - first + 1, np.int64)
    cdef int32_t[::1] code = codes
    cdef int64_t[::1] start = starts
    with nogil:
        for w in range(first, last):
            at = &data[0] + offsets[w]
            end = &data[0] + offsets[w + 1]
            while at < end:
                code[n_codes] = _code(at, end, &size)
                n_codes += 1
                at += size
            start[w - first + 1] = n_codes
    return codes[:n_codes], starts


def to_bytes(const int32_t[::1] codes, const int32_t[::1] chosen, const int32_t[::1] tokens,
             const int32_t[::1] singles, int32_t[::1] which):
    """Writes the tokens of a segmentation into characters to the places of their bytes.

    Parameters
    ----------
    codes, chosen : ndarray of int32, shape (characters,)
        Code points, and the segmentation at each: a token's index, SINGLE or INSIDE.
    tokens : ndarray of int32
        The index of each of these tokens among the tokens over bytes.
    singles : ndarray of int32
        For each code point the index of the token that it is, or -1; the last entry is for all
        larger code points.
    which : ndarray of int32, shape (bytes of the characters,)
        Receives each token's index at its last byte, SINGLE at every byte of a character that
        stands alone and is not a token, and INSIDE elsewhere.
    """
    cdef Py_ssize_t i, j
    cdef Py_ssize_t at = 0
    cdef int size
    cdef int32_t token, inside
    cdef int32_t beyond = <int32_t> singles.shape[0] - 1
    with nogil:
        for i in range(codes.shape[0]):
            size = _size(codes[i])
            inside = INSIDE
            token = chosen[i]
            if token >= 0:
                token = tokens[token]
            elif token == SINGLE:
                token = singles[min(codes[i], beyond)]
                if token < 0:
                    inside = SINGLE
            for j in range(at, at + size - 1):
                which[j] = inside
            at += size
            which[at - 1] = token
