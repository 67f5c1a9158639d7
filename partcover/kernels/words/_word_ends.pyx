# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Finds where the words of texts end."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcpy, memset

include "../shared/_arrays.pxi"
include "../shared/_hash.pxi"
include "../shared/_word_ends.pxi"
include "_windows.pxi"


def classified_at_once(int most=64):
    """Sets how many bytes a window examines at a time, up to `most`; returns the number chosen.

    It is 64, 32 or 16, depending on the machine.  No result depends on it.
    """
    _choose_kinds(most)
    return _choose(most)


def finds_windows(int mode, const uint8_t[::1] kinds, int phrase=1):
    """Returns whether windows can find the words of these rules, many words at a time."""
    return _scanner(kinds, mode, phrase, False).wide


def word_ends(const uint8_t[::1] text, int mode, const uint8_t[::1] kinds, int phrase=1):
    """Returns where each word of `text` ends, as a list; up to `phrase` words form one phrase."""
    cdef Scanner scanner = _scanner(kinds, mode, phrase, False)
    cdef Word words[WINDOW]
    cdef const uint8_t *end
    cdef Cut cut
    cdef int i, n
    ends = []
    if text.shape[0]:
        cut = Cut(&text[0], 0)
        end = cut.p + text.shape[0]
        while True:
            n = _next_words(&scanner, &cut, end, end, words)
            if n == 0:
                break
            for i in range(n):
                ends.append(words[i].start + words[i].length - &text[0])
    return ends


def cut_words(const uint8_t[::1] data, const int64_t[::1] offsets, int mode,
              const uint8_t[::1] kinds, int phrase=1):
    """Splits each of several texts into words; up to `phrase` words form one phrase.

    The texts are one after another in `data`.

    Returns
    -------
    ends : memory view of int64, shape (words + 1,)
        Offsets of the words in `data`.
    text : memory view of int64, shape (words,)
        Index of the text that each word belongs to.
    """
    cdef Scanner scanner = _scanner(kinds, mode, phrase, False)
    cdef Word words[WINDOW]
    cdef Py_ssize_t i, n = 0
    cdef int j, found
    cdef const uint8_t *end
    cdef Cut cut
    # there are no more words than bytes; pages that are never written take no memory
    cdef int64_t *e = <int64_t *> malloc((data.shape[0] + 1) * sizeof(int64_t))
    cdef int64_t *t = <int64_t *> malloc((data.shape[0] + 1) * sizeof(int64_t))
    if e == NULL or t == NULL:
        free(e)
        free(t)
        raise MemoryError
    e[0] = 0
    with nogil:
        for i in range(offsets.shape[0] - 1):
            if offsets[i] == offsets[i + 1]:
                continue
            cut = Cut(&data[offsets[i]], 0)
            end = cut.p + (offsets[i + 1] - offsets[i])
            while True:
                found = _next_words(&scanner, &cut, end, end, words)
                if found == 0:
                    break
                for j in range(found):
                    t[n] = i
                    n += 1
                    e[n] = words[j].start + words[j].length - &data[0]
    try:
        return _copied(e, n + 1), _copied(t, n)
    finally:
        free(e)
        free(t)
