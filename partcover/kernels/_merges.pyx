# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Byte pair encoding of words: neighbours merged by rank, a queue over a linked list."""

cimport cython

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, qsort

ctypedef fused Symbol:
    uint8_t
    int32_t

include "_heap.pxi"
include "_queue.pxi"
include "_random.pxi"

cdef int32_t NEVER = 2147483647


cdef struct Pair:
    uint64_t key     # left << 32 | right
    int32_t rank     # NEVER: an empty slot


cdef struct Piece:
    int32_t symbol   # a token, or -2 - symbol
    int32_t before   # where the piece before it begins, or -1
    int32_t after    # where the piece after it begins; the size of the word for the last
    int32_t rank     # of its merge with the piece after it, or NEVER


@cython.final
cdef class Merger:
    """Pairs that may merge, in an open-addressing table.

    Parameters
    ----------
    left, right : ndarray of int32, shape (pairs,)
        The sides of each pair: the index of a token, or −2 − symbol.  Pairs are distinct.
    rank : ndarray of int32, shape (pairs,)
        Lower ranks merge first; pairs of one rank from left to right.
    token : ndarray of int32, shape (pairs,)
        The index of the token they make, one for all pairs of a rank.
    names : ndarray of int64
        The values of the symbols, where they are places (for the random numbers); else empty.
    """
    cdef Pair[::1] pairs
    cdef const int64_t[::1] names
    cdef uint64_t mask
    cdef int32_t[::1] made   # of each rank: the token

    def __init__(self, const int32_t[::1] left, const int32_t[::1] right,
                 const int32_t[::1] rank, const int32_t[::1] token,
                 const int64_t[::1] names):
        cdef Py_ssize_t room = 16
        cdef Py_ssize_t i
        cdef uint64_t key, slot
        while room < 2 * left.shape[0]:
            room *= 2
        self.mask = room - 1
        self.made = np.zeros(np.asarray(rank).max(initial=-1) + 1, np.int32)
        self.names = names
        empty = np.zeros(room, np.dtype([("key", np.uint64), ("rank", np.int32)], align=True))
        empty["rank"] = NEVER
        self.pairs = empty
        for i in range(left.shape[0]):
            key = self._key(left[i], right[i])
            slot = self._slot(key)
            while self.pairs[slot].rank != NEVER:
                slot = (slot + 1) & self.mask
            self.pairs[slot] = Pair(key, rank[i])
            self.made[rank[i]] = token[i]

    cdef inline uint64_t _key(self, int32_t left, int32_t right) noexcept nogil:
        return <uint64_t> left << 32 | (<uint64_t> right & <uint64_t> 0xFFFFFFFF)

    cdef inline uint64_t _slot(self, uint64_t key) noexcept nogil:
        return (key * <uint64_t> 0x9E3779B97F4A7C15 >> 24) & self.mask

    cdef inline const Pair *_find(self, int32_t left, int32_t right) noexcept nogil:
        """The slot of a pair, or an empty one."""
        cdef uint64_t key = self._key(left, right)
        cdef uint64_t slot = self._slot(key)
        while self.pairs[slot].key != key and self.pairs[slot].rank != NEVER:
            slot = (slot + 1) & self.mask
        return &self.pairs[slot]

    def merge(self, const Symbol[::1] data, const int64_t[::1] offsets,
              Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
              const int32_t[::1] whole, double dropout, uint64_t seed,
              const int64_t[::1] draws):
        """Merge the neighbours of lowest rank, leftmost first, until none may merge.

        With `dropout` p, each time the next merge is looked for, every possible one is left out
        with probability p, each for itself; the word is finished when all are left out.
        `whole`, where it is not empty, has for each word of the call the token that it is as a
        whole, or −1.  `draws`, where it is not empty, has a number for each word of the data.

        Writes to `which` as `Segmenter` does.  O(n · log n) time for a word of n symbols, over
        1 − p with dropout, and O(n) memory.
        """
        cdef Py_ssize_t w, size, begin
        cdef Py_ssize_t longest = 1
        cdef Piece *pieces
        cdef uint64_t *dropped
        cdef Queue queue
        for w in range(first, last):
            longest = max(longest, offsets[w + 1] - offsets[w])
        pieces = <Piece *> malloc(longest * sizeof(Piece))
        # every merge takes one pair out and enters at most two
        dropped = <uint64_t *> malloc(2 * longest * sizeof(uint64_t))
        try:
            # short words have no use for the ranks' lists, which take time to make
            if (_make(&queue, self.made.shape[0] if longest > SHORT else 0, 2 * longest) < 0
                    or pieces == NULL or dropped == NULL):
                raise MemoryError
            with nogil:
                for w in range(first, last):
                    begin = offsets[w]
                    size = offsets[w + 1] - begin
                    if whole.shape[0] and whole[w - first] >= 0:
                        which[begin : begin + size] = -2
                        which[begin + size - 1] = whole[w - first]
                    else:
                        self._word(&data[begin], size, &which[begin], pieces, &queue, dropped,
                                   dropout, seed, draws[w] if draws.shape[0] else 0)
        finally:
            _unmake(&queue)
            free(pieces)
            free(dropped)

    cdef void _word(self, const Symbol *word, Py_ssize_t size, int32_t *which, Piece *pieces,
                    Queue *queue, uint64_t *dropped, double dropout, uint64_t seed,
                    int64_t draw) noexcept nogil:
        cdef Py_ssize_t drops = 0
        cdef int32_t i, j
        cdef uint64_t item
        cdef uint64_t state = 0
        cdef int32_t token
        if dropout > 0:
            state = _begin(seed, <uint64_t> draw, word, size, self.names)
        for i in range(<int32_t> size):
            pieces[i] = Piece(-2 - <int32_t> word[i], i - 1, i + 1, NEVER)
            which[i] = -1
        for i in range(<int32_t> size - 1):
            self._look(pieces, i, <int32_t> size, queue)
        while _leave(queue, &item):
            i = <int32_t> (item & <uint64_t> 0xFFFFFFFF)
            if pieces[i].rank != <int32_t> (item >> 32):
                continue  # one side has become another piece
            if dropout > 0 and _uniform(&state) < dropout:
                dropped[drops] = item
                drops += 1
                continue
            j = pieces[i].after
            token = self.made[item >> 32]
            which[j - 1] = -2
            pieces[i].symbol = token
            pieces[i].after = pieces[j].after
            pieces[j].rank = NEVER
            if pieces[i].after < size:
                pieces[pieces[i].after].before = i
            which[pieces[i].after - 1] = token
            self._look(pieces, i, <int32_t> size, queue)
            if pieces[i].before >= 0:
                self._look(pieces, pieces[i].before, <int32_t> size, queue)
            while drops:  # there is a merge again: the dropped ones may be next
                drops -= 1
                _enter(queue, <int32_t> (dropped[drops] >> 32),
                       <int32_t> (dropped[drops] & <uint64_t> 0xFFFFFFFF), size <= SHORT)

    cdef inline void _look(self, Piece *pieces, int32_t i, int32_t size,
                           Queue *queue) noexcept nogil:
        """See what the piece at i and the one after it would become."""
        pieces[i].rank = NEVER
        if pieces[i].after < size:
            pieces[i].rank = self._find(pieces[i].symbol, pieces[pieces[i].after].symbol).rank
            if pieces[i].rank != NEVER:
                _enter(queue, pieces[i].rank, i, size <= SHORT)
