# The parts of a trie in a double array (Aoe 1989), and the tree that is laid out in it: included by
# _segment.pyx, after _hash.pxi.

cdef struct Node:
    int32_t base     # its child by the symbol of code c is base + c
    int32_t parent   # whose child it is, or -1 for an empty place
    int32_t token    # the token that ends here, or -1


cdef struct Tail:
    # of the string that a node stands for
    int32_t node     # that of its longest proper suffix that has one: the root's is empty
    int32_t token    # the longest token it ends with, or -1


cdef inline Py_ssize_t _free(int32_t *after, Py_ssize_t place) noexcept nogil:
    """The first empty place from `place` on; `after` points to it or nearer to it."""
    while after[place] != place:
        after[place] = after[after[place]]
        place = after[place]
    return place

_NODE = np.dtype([("base", np.int32), ("parent", np.int32), ("token", np.int32)])
_TAIL = np.dtype([("node", np.int32), ("token", np.int32)])


def _tree(const int32_t[::1] codes, const int64_t[::1] offsets):
    """The tree of all tokens: of each node its parent, its code, and the token that ends there.

    Children are found in an open-addressing table from (node, code) to node; last comes how far
    they are from their homes in it, summed.
    """
    cdef Py_ssize_t room = 16
    cdef Py_ssize_t t, i
    cdef int64_t key, displacement = 0
    cdef int32_t node, many = 1
    cdef uint64_t slot, mask
    while room < 2 * codes.shape[0]:
        room *= 2
    mask = room - 1
    cdef int64_t[::1] keys = np.full(room, -1, np.int64)
    cdef int32_t[::1] child = np.empty(room, np.int32)
    tree = np.full((3, codes.shape[0] + 1), -1, np.int32)
    cdef int32_t[:, ::1] made = tree
    for t in range(offsets.shape[0] - 1):
        node = 0
        for i in range(offsets[t], offsets[t + 1]):
            key = <int64_t> node << 32 | codes[i]
            slot = hash_number(<uint64_t> key) & mask
            while keys[slot] != -1 and keys[slot] != key:
                slot = (slot + 1) & mask
            if keys[slot] == -1:
                displacement += (slot - hash_number(<uint64_t> key)) & mask
                keys[slot] = key
                child[slot] = many
                made[0, many] = node
                made[1, many] = codes[i]
                many += 1
            node = child[slot]
        made[2, node] = <int32_t> t
    return tree[0, :many], tree[1, :many], tree[2, :many], displacement


cdef inline bint _fits(int32_t *after, Py_ssize_t base, const int32_t *codes, Py_ssize_t many,
                       Py_ssize_t end) noexcept nogil:
    """Whether the places of all children are empty."""
    cdef Py_ssize_t i, place
    for i in range(many):
        place = base + codes[i]
        if place >= end:
            return True  # the codes rise, so are the rest
        if after[place] != place:
            return False
    return True
