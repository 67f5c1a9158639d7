# Makes lists of the values of numbers.  Included by the kernels that return ids.

from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

include "../shared/_prefetch.pxi"

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject **ob_item

cdef enum:
    ITEMS_AHEAD = 16    # how many items ahead objects are prefetched


cdef list _listed(const int32_t *numbers, Py_ssize_t n, list values):
    """Returns the value of each number.

    It reuses existing objects, because making new ones would take most of the time.
    """
    cdef Py_ssize_t i
    cdef list out = PyList_New(n)
    cdef PyObject **items = (<PyListObject *> values).ob_item
    cdef object value
    for i in range(n):
        # prefetch the pointer first, then the object
        if i + 2 * ITEMS_AHEAD < n:
            prefetch(items + numbers[i + 2 * ITEMS_AHEAD])
            prefetch(items[numbers[i + ITEMS_AHEAD]])
        value = <object> items[numbers[i]]
        Py_INCREF(value)
        PyList_SET_ITEM(out, i, value)
    return out
