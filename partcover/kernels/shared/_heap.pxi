# A binary heap of 64-bit numbers with the smallest at the top.  Included by the kernels that have a
# priority queue.

cdef inline void _push(uint64_t *heap, Py_ssize_t *count, uint64_t item) noexcept nogil:
    cdef Py_ssize_t i = count[0], parent
    count[0] += 1
    while i:
        parent = (i - 1) >> 1
        if heap[parent] <= item:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = item


cdef inline uint64_t _pop(uint64_t *heap, Py_ssize_t *count) noexcept nogil:
    cdef uint64_t top = heap[0], item
    cdef Py_ssize_t i = 0, child, size
    count[0] -= 1
    size = count[0]
    item = heap[size]
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if item <= heap[child]:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = item
    return top
