# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Deletes characters of a text, replaces characters by spaces, or writes spaces around them."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

include "../shared/_hash.pxi"
include "../shared/_utf8.pxi"
include "_growing_text.pxi"

cdef enum:
    _DELETED = 1
    _SPACE = 2              # the character is replaced by a space
    _APART = 3              # a space is written on both sides of the character

DELETED, SPACE, APART = _DELETED, _SPACE, _APART


def edited(bytes text not None, const uint8_t[::1] edits not None):
    """Returns an edited text in UTF-8; bytes that are not UTF-8 have code points U+DC80 to U+DCFF.

    Parameters
    ----------
    text : bytes
        The text.
    edits : ndarray of uint8, shape (0x110000,)
        DELETED, SPACE or APART for each code point; 0 for a character that is kept.
    """
    cdef const uint8_t *begin = <const uint8_t *> PyBytes_AS_STRING(text)
    cdef const uint8_t *p = begin
    cdef const uint8_t *kept = p        # what begins here has not been written yet
    cdef const uint8_t *end = p + len(text)
    cdef Growing out = Growing(NULL, 0, 0, False, NULL, NULL)
    cdef int size, edit = 0
    try:
        with nogil:
            while p < end:
                if p[0] < 0x80:
                    edit, size = edits[p[0]], 1
                else:
                    edit = edits[_code(p, end, &size)]
                if edit:
                    _append(&out, kept, p - kept)
                    if edit != _DELETED:
                        _append(&out, <const uint8_t *> <const char *> b" ", 1)
                    if edit == _APART:
                        _append(&out, p, size)
                        _append(&out, <const uint8_t *> <const char *> b" ", 1)
                    kept = p + size
                p += size
            if kept > begin:
                _append(&out, kept, end - kept)
        if kept == begin:           # nothing was edited
            return text
        return PyBytes_FromStringAndSize(<char *> out.text, out.size)
    finally:
        _discard(&out)


def holds(bytes text not None, const uint8_t[::1] kinds):
    """Returns whether a non-ASCII character of a text has an entry that is not 0."""
    cdef const uint8_t *p = <const uint8_t *> PyBytes_AS_STRING(text)
    cdef const uint8_t *end = p + len(text)
    cdef bint found = False
    cdef int size
    with nogil:
        while p < end and not found:
            if p[0] < 0x80:
                if end - p >= 8 and not load8(p) & <uint64_t> 0x8080808080808080:
                    p += 8
                else:
                    p += 1
                continue
            found = kinds[_code(p, end, &size)] != 0
            p += size
    return found
