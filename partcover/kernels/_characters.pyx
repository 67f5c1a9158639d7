# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Words of bytes as characters, and what characters are cut into as bytes again."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t

include "_utf8.pxi"


cdef inline int _size(int32_t code) noexcept nogil:
    """How many bytes a character has; one that `_code` found no character at has one."""
    if code < 0x80 or 0xDC80 <= code < 0xDD00:
        return 1
    return 2 if code < 0x800 else 3 if code < 0x10000 else 4


def characters(const uint8_t[::1] data, const int64_t[::1] offsets,
               Py_ssize_t first, Py_ssize_t last):
    """The characters of words first..last - 1, each word for itself.

    Returns their code points (int32), one word after another, and where each word starts
    among them (int64, one more than there are words).  A byte b that belongs to none is
    U+DC00 + b.  O(bytes) time.
    """
    cdef Py_ssize_t w
    cdef Py_ssize_t many = 0
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
                code[many] = _code(at, end, &size)
                many += 1
                at += size
            start[w - first + 1] = many
    return codes[:many], starts


def to_bytes(const int32_t[::1] codes, const int32_t[::1] chosen, const int32_t[::1] tokens,
             const int32_t[::1] singles, int32_t[::1] which):
    """Write what characters were cut into where their bytes are.

    Parameters
    ----------
    codes, chosen : ndarray of int32, shape (characters,)
        Code points, and as `which` for each: the index of a token, −1 for a single one, −2 inside.
    tokens : ndarray of int32
        The index that each of these tokens has over bytes.
    singles : ndarray of int32
        That of the token that a code point is, or −1; the last is of all that lie beyond.
    which : ndarray of int32, shape (bytes of the characters,)
        At the last byte of each token its index, at every byte of a single character that is
        no token −1, elsewhere −2.
    """
    cdef Py_ssize_t i, j
    cdef Py_ssize_t at = 0
    cdef int size
    cdef int32_t token, inside
    cdef int32_t beyond = <int32_t> singles.shape[0] - 1
    with nogil:
        for i in range(codes.shape[0]):
            size = _size(codes[i])
            inside = -2
            token = chosen[i]
            if token >= 0:
                token = tokens[token]
            elif token == -1:
                token = singles[min(codes[i], beyond)]
                if token < 0:
                    inside = -1
            for j in range(at, at + size - 1):
                which[j] = inside
            at += size
            which[at - 1] = token
