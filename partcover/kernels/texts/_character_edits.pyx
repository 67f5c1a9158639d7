# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Deletes characters of a text, replaces characters by spaces, or writes spaces around them.

And finds the characters that a normal form may change.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

include "../shared/_hash.pxi"
include "../shared/_utf8.pxi"
include "../shared/_bits.pxi"
include "../words/_character_kinds.pxi"
include "_growing_text.pxi"

cdef enum:
    _DELETED = 1
    _SPACE = 2              # the character is replaced by a space
    _APART = 3              # a space is written on both sides of the character

    # what a normal form needs to know of a character: its class, in order, and two flags
    _CLASS = 0x3F
    _JOINS = 0x40           # it may become one with what precedes it
    _CHANGES = 0x80         # it may be changed, whatever precedes it

DELETED, SPACE, APART = _DELETED, _SPACE, _APART
CLASS, JOINS, CHANGES = _CLASS, _JOINS, _CHANGES


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


def kinds_at_once(bint allowed=True):
    """Sets whether characters are looked at 64 bytes at a time, which some machines can do.

    Returns whether they are.  No result depends on it.
    """
    return _choose_kinds(64 if allowed else 0) != 0


kinds_at_once()


cdef struct Seeker:     # finds the characters of a text whose kind is not 0
    const uint8_t *kinds
    const uint8_t *leads    # whether a character with this first byte may have such a kind
    const uint8_t *p        # where to go on
    const uint8_t *end
    const uint8_t *window
    uint64_t left           # where such characters begin in the window


cdef const uint8_t *_next_of_a_kind(Seeker *seeker) noexcept nogil:
    """Returns where the next character begins whose kind is not 0, or the end."""
    cdef const uint8_t *p
    cdef const uint8_t *stop
    cdef uint8_t every = 0xFF
    cdef uint64_t found, firsts
    cdef int size
    while seeker.left == 0:
        p = seeker.p
        if p == seeker.end:
            return p
        if seeker.end - p >= 68 and _kinds_at_once(p, seeker.kinds, &every, 1, &found, &firsts):
            size = 64
            if firsts >> 62:        # the last character may continue after the window
                size = _lowest(firsts & ~_below(62))
            seeker.window = p
            seeker.left = found & firsts & _below(size)
            seeker.p = p + size
            continue
        stop = p + 64 if seeker.end - p > 64 else seeker.end
        while p < stop:
            if not seeker.leads[p[0]]:
                if seeker.end - p >= 8 and not load8(p) & <uint64_t> 0x8080808080808080:
                    p += 8
                else:
                    p += 1
                continue
            found = seeker.kinds[_code(p, seeker.end, &size)]
            seeker.p = p + size
            if found:
                return p
            p += size
        while p < seeker.end and (p[0] & 0xC0) == 0x80:     # which begins no character
            p += 1
        seeker.p = p
    p = seeker.window + _lowest(seeker.left)
    seeker.left &= seeker.left - 1
    return p


def holds(bytes text not None, const uint8_t[::1] kinds not None,
          const uint8_t[::1] leads not None):
    """Returns whether a character of a text has a kind that is not 0; see `first_change`."""
    cdef const uint8_t *p = <const uint8_t *> PyBytes_AS_STRING(text)
    cdef const uint8_t *end = p + len(text)
    cdef Seeker seeker
    if kinds.shape[0] != 0x110000 or leads.shape[0] != 256:
        raise ValueError("the tables are of another size")
    seeker = Seeker(&kinds[0], &leads[0], p, end, NULL, 0)
    with nogil:
        p = _next_of_a_kind(&seeker)
    return p < end


cdef bint _is_among(const int64_t[::1] numbers, int64_t number) noexcept nogil:
    """Whether a number is among sorted ones."""
    cdef Py_ssize_t low = 0
    cdef Py_ssize_t high = numbers.shape[0]
    cdef Py_ssize_t middle
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low < numbers.shape[0] and numbers[low] == number


cdef int64_t _code_before(const uint8_t *begin, const uint8_t *p,
                          const uint8_t *end) noexcept nogil:
    """The character that ends at `p`, or 0 at the beginning."""
    cdef const uint8_t *q = p - 1
    cdef int64_t code
    cdef int size
    if p == begin:
        return 0
    while q > begin and p - q < 4 and (q[0] & 0xC0) == 0x80:
        q -= 1
    code = _code(q, end, &size)
    return code if q + size == p else 0xDC00 + (p - 1)[0]


def first_change(bytes text not None, Py_ssize_t at, const uint8_t[::1] kinds not None,
                 const uint8_t[::1] leads not None, const int64_t[::1] joined not None):
    """Returns where a normal form may first change a text in UTF-8 from `at` on, or -1.

    A character is found that changes in any case, that has a lower class than the one before it,
    or that may become one with the last character of class 0 before it.  `at` is the beginning of a
    character that is not found, such as that of a line.

    Parameters
    ----------
    text : bytes
        The text.
    at : int
        Where to begin.
    kinds : ndarray of uint8, shape (0x110000,)
        The kind of each code point: its class, JOINS and CHANGES.
    leads : ndarray of uint8, shape (256,)
        Whether a character with this first byte may have a kind that is not 0.
    joined : ndarray of int64
        In ascending order, the pairs that become one, first << 32 | second; and first << 32 for
        characters that stand for several, so that whatever joins them may change them.
    """
    cdef const uint8_t *base = <const uint8_t *> PyBytes_AS_STRING(text)
    cdef const uint8_t *end = base + len(text)
    cdef const uint8_t *begin
    cdef const uint8_t *p
    cdef const uint8_t *chain = NULL    # where characters with a kind end that follow one another
    cdef int64_t code, first = 0        # the last character of class 0
    cdef int kind, size, last = 0
    cdef Seeker seeker
    if not 0 <= at <= len(text) or kinds.shape[0] != 0x110000 or leads.shape[0] != 256:
        raise ValueError("there is no such place, or the tables are of another size")
    begin = base + at
    seeker = Seeker(&kinds[0], &leads[0], begin, end, NULL, 0)
    with nogil:
        while True:
            p = _next_of_a_kind(&seeker)
            if p == end:
                break
            code = _code(p, end, &size)
            kind = kinds[code]
            if p != chain:
                first = _code_before(begin, p, end)
                last = 0
            if kind & _CHANGES or last > kind & _CLASS > 0:
                break
            if kind & _JOINS and (_is_among(joined, first << 32)
                                  or _is_among(joined, first << 32 | code)):
                break
            last = kind & _CLASS
            if last == 0:
                first = code
            chain = p + size
    return p - base if p < end else -1
