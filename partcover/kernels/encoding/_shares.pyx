# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Reads texts and fills lists in shares, which several threads process without the lock."""

cimport cython

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.ref cimport Py_DECREF
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

include "../shared/_numpy.pxi"
include "_list_values.pxi"

cdef extern from "Python.h":
    PyObject *PyBytes_FromStringAndSize(const char *, Py_ssize_t) except NULL
    int _PyBytes_Resize(PyObject **, Py_ssize_t) except -1
    void PyObject_GC_UnTrack(object)
    void PyObject_GC_Track(object)

cdef extern from *:
    """
    static void pc_add_references(PyObject *object, int64_t n)
    {
    #ifndef Py_GIL_DISABLED
        if (n < (1 << 30)) {    /* so many that a count of 32 bits holds them */
            Py_SET_REFCNT(object, Py_REFCNT(object) + (Py_ssize_t) n);
            return;
        }
    #endif
        for (; n > 0; n--)
            Py_INCREF(object);
    }
    """
    void add_references "pc_add_references"(PyObject *item, int64_t n)

include "_utf8_writing.pxi"

ctypedef fused Character:
    uint8_t
    uint16_t
    uint32_t


cdef int64_t _place(const Character *p, int64_t n, int64_t size) noexcept nogil:
    """Returns how many of the first characters have `size` bytes in UTF-8, or more."""
    cdef int64_t i = 0
    cdef uint32_t c
    while i < n and size > 0:
        c = p[i]
        # a surrogate stands for one byte
        size -= 1 + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000) - 2 * (c - 0xD800 < 0x800)
        i += 1
    return i


cdef uint8_t *_write(const Character *p, const Character *end, uint8_t *out) noexcept nogil:
    """Writes characters as UTF-8, and U+DC80 to U+DCFF as the bytes 0x80 to 0xFF.

    Returns where the output ends, or NULL if there is another surrogate.
    """
    cdef const Character *start
    cdef uint32_t c, x
    cdef int i, n
    while p < end:
        if groups_of == 16:
            out = _write_16(<const void **> &p, end, sizeof(Character), out)
        # most text is ASCII; a character that becomes one byte leaves room for writing in excess
        while end - p >= 16:
            n = _narrow(p, sizeof(Character), out)
            if n < 16:
                out += n
                p += n
                break
            out += 16       # a constant, so that the next step need not wait for the sum
            p += 16
        if groups_of > 1:
            start = p
            out = _write_groups(<const void **> &p, end, sizeof(Character), out)
            if p > start and end - p >= 4:
                continue
        i = 0
        while p < end and i < 4:
            c = p[0]
            p += 1
            i += 1
            if c >= 0x10000:
                out[0] = <uint8_t> (0xF0 | c >> 18)
                out[1] = <uint8_t> (0x80 | c >> 12 & 0x3F)
                out[2] = <uint8_t> (0x80 | c >> 6 & 0x3F)
                out[3] = <uint8_t> (0x80 | c & 0x3F)
                out += 4
                continue
            if c - 0xD800 < 0x800:
                if not 0xDC80 <= c < 0xDD00:
                    return NULL
                out[0] = <uint8_t> c
                out += 1
                continue
            # always write three bytes and keep one to three of them: a branch would be mispredicted
            x = c
            if c >= 0x80:
                x = 0x80C0 | c >> 6 | (c & 0x3F) << 8
            if c >= 0x800:
                x = 0x8080E0 | c >> 12 | (c & 0xFC0) << 2 | (c & 0x3F) << 16
            out[0] = <uint8_t> x
            out[1] = <uint8_t> (x >> 8)
            out[2] = <uint8_t> (x >> 16)
            out += 1 + (c >= 0x80) + (c >= 0x800)
    return out


cdef uint8_t *_written(const void *data, int kind, Py_ssize_t first, Py_ssize_t last,
                       uint8_t *to) noexcept nogil:
    """Writes characters of `kind` bytes as UTF-8; see `_write`."""
    if kind == 1:
        return _write(<const uint8_t *> data + first, <const uint8_t *> data + last, to)
    if kind == 2:
        return _write(<const uint16_t *> data + first, <const uint16_t *> data + last, to)
    return _write(<const uint32_t *> data + first, <const uint32_t *> data + last, to)


def written_at_once(int most=16):
    """Sets how many characters are written at a time, up to `most`; returns the number chosen.

    It is 16, 4 or 1, depending on the machine.  No result depends on it.
    """
    _prepare(most)
    return groups_of


written_at_once()


cdef int _kind(text) except -1:
    """Returns the bytes of each character of a text, whose class may be one of NumPy's."""
    if not isinstance(text, str):
        raise TypeError("a str is expected")
    return PyUnicode_KIND(text)


def utf8_place(text, int64_t size):
    """Returns how many of the first characters have `size` bytes in UTF-8, or more.

    U+DC80 to U+DCFF, which stand for bytes that are not UTF-8, have one byte each; the text has no
    other surrogates.
    """
    cdef int kind = _kind(text)
    cdef void *data = PyUnicode_DATA(text)
    if kind == 1:
        return _place(<uint8_t *> data, len(<str> text), size)
    if kind == 2:
        return _place(<uint16_t *> data, len(<str> text), size)
    return _place(<uint32_t *> data, len(<str> text), size)


def written_utf8(text, Py_ssize_t first, Py_ssize_t last):
    """Returns characters first..last - 1 in UTF-8, or None if one is a lone surrogate.

    U+DC80 to U+DCFF, which stand for bytes that are not UTF-8, become one byte each.  Other threads
    can run in the meantime.
    """
    cdef int kind = _kind(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef PyObject *out
    cdef uint8_t *to
    cdef uint8_t *end
    if not 0 <= first <= last <= len(<str> text):
        raise ValueError("these characters are not of the text")
    # a character of 1, 2 or 4 bytes becomes at most 2, 3 or 4 bytes, and the last one may write up
    # to 15 bytes in excess; pages that are never written take no memory
    out = PyBytes_FromStringAndSize(NULL, (last - first) * (kind + 1 if kind < 4 else 4) + 16)
    to = <uint8_t *> PyBytes_AS_STRING(<object> out)
    with nogil:
        end = _written(data, kind, first, last, to)
    if end == NULL:
        Py_DECREF(<object> out)
        return None
    _PyBytes_Resize(&out, end - to)     # on failure it raises, and `out` is no longer an object
    found = <object> out
    Py_DECREF(found)
    return found


cdef Py_ssize_t _room(text) except -1:
    """Returns the most bytes of a text in UTF-8, including those written in excess."""
    cdef int kind
    if isinstance(text, bytes):
        return len(<bytes> text)
    if not isinstance(text, str):
        return 0
    kind = PyUnicode_KIND(text)
    return len(<str> text) * (kind + 1 if kind < 4 else 4) + 16


def up_to(list texts not None, Py_ssize_t at, int64_t size):
    """Returns the index after the first texts from `at` on with at least `size` characters."""
    with cython.critical_section(texts):    # another thread may be changing the list
        while at < len(texts) and size > 0:
            text = texts[at]
            if isinstance(text, (str, bytes)):
                size -= len(text)
            at += 1
    return at


def gathered(list texts not None):
    """Returns texts in UTF-8, one after another; no other thread may change the list meanwhile.

    Returns
    -------
    data : bytes
        All texts, or those before the first that is not a text or has a lone surrogate.
    offsets : ndarray of int64
        Where each text starts, and the end of the last one.
    """
    cdef Py_ssize_t i, size, total = 0, n = len(texts)
    cdef PyObject *out
    cdef uint8_t *base
    cdef uint8_t *to
    cdef uint8_t *end
    cdef int kind
    for i in range(n):
        total += _room(texts[i])
    offsets = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] o = offsets
    out = PyBytes_FromStringAndSize(NULL, total)
    base = to = <uint8_t *> PyBytes_AS_STRING(<object> out)
    for i in range(n):
        text = texts[i]
        if isinstance(text, bytes):
            size = len(<bytes> text)
            memcpy(to, PyBytes_AS_STRING(text), size)
            to += size
        elif not isinstance(text, str):
            break
        else:
            kind = PyUnicode_KIND(text)
            size = len(<str> text)
            end = _written(PyUnicode_DATA(text), kind, 0, size, to)
            if end == NULL:
                break
            to = end
        o[i + 1] = to - base
    else:
        i = n
    _PyBytes_Resize(&out, to - base)
    data = <object> out
    Py_DECREF(data)
    return data, offsets[:i + 1]


def listed_texts(const int32_t[::1] numbers, const int64_t[::1] ends, list values not None):
    """Returns the values of each text's numbers; `ends` says where the numbers of a text end."""
    cdef Py_ssize_t i, n = ends.shape[0]
    cdef int64_t at = 0
    cdef list out = PyList_New(n)
    cdef object found
    for i in range(n):
        if not at <= ends[i] <= numbers.shape[0]:
            raise ValueError("the texts have no such numbers")
        found = _listed(&numbers[0] + at if ends[i] > at else NULL, ends[i] - at, values)
        Py_INCREF(found)
        PyList_SET_ITEM(out, i, found)
        at = ends[i]
    return out


def listed(const int32_t[::1] numbers, list values not None):
    """Returns the value of each number."""
    return _listed(&numbers[0] if numbers.shape[0] else NULL, numbers.shape[0], values)


def unwritten_list(Py_ssize_t size):
    """Returns a list that `write_values` must fill before anyone reads it."""
    cdef list out = PyList_New(size)
    PyObject_GC_UnTrack(out)
    return out


def write_values(parts, list values not None, list out not None):
    """Writes the value of each number to `out`, for some parts of the list.

    It makes no objects.  References are counted for each value and added at the end, because they
    can be added only under the interpreter's lock.

    Parameters
    ----------
    parts : iterator of (int, ndarray of int32)
        An index of `out`, and the numbers, at least 0, of the values to write from there on.
        Threads that share an iterator write one part each at a time.
    values : list of int
        The value of each number.
    out : list
        From `unwritten_list`, with room for the numbers.
    """
    cdef int64_t n = len(values)
    cdef PyObject **items = (<PyListObject *> values).ob_item
    cdef PyObject **to
    cdef int64_t *uses
    cdef const int32_t[::1] numbers
    cdef const int32_t *number
    cdef Py_ssize_t at, i, size
    cdef int32_t value
    uses = <int64_t *> calloc(n, sizeof(int64_t))
    if uses == NULL:
        raise MemoryError
    try:
        for at, numbers in parts:
            size = numbers.shape[0]
            if size == 0:
                continue
            if not 0 <= at <= len(out) - size:
                raise ValueError("there is no room for these numbers")
            number = &numbers[0]
            to = (<PyListObject *> out).ob_item + at
            with nogil:
                for i in range(size):
                    value = number[i]
                    uses[value] += 1
                    to[i] = items[value]
    finally:    # count the references in the list in any case
        for i in range(n):
            if i + ITEMS_AHEAD < n and uses[i + ITEMS_AHEAD]:
                prefetch(items[i + ITEMS_AHEAD])
            if uses[i]:
                add_references(items[i], uses[i])
        free(uses)


def written(list out not None):
    """Returns the list, once every item of it has been written."""
    PyObject_GC_Track(out)
    return out
