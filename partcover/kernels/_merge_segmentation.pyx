# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Byte pair encoding of words: neighbours merged by rank, a queue over a linked list."""

cimport cython

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

ctypedef fused Symbol:
    uint8_t
    int32_t

include "_hash.pxi"
include "_heap.pxi"
include "_pairs.pxi"
include "_prefetch.pxi"
include "_queue.pxi"
include "_random.pxi"


cdef struct Piece:
    int32_t symbol   # a token, or -2 - symbol
    int32_t before   # where the piece before it begins, or -1
    int32_t after    # where the piece after it begins; the size of the word for the last
    int32_t rank     # of its merge with the piece after it, or NEVER


cdef struct Last:    # the last merge of a word, if there was one
    int32_t left
    int32_t right
    int32_t rank


cdef struct Room:    # what merging the words of a call needs
    Piece *pieces
    uint64_t *dropped
    Queue queue


cdef int _furnish(Room *room, Py_ssize_t ranks, const int64_t *offsets, Py_ssize_t first,
                  Py_ssize_t last) noexcept nogil:
    """Room for each of the words; −1 without memory.  `_clear` follows."""
    cdef Py_ssize_t w
    cdef Py_ssize_t longest = 1
    for w in range(first, last):
        longest = max(longest, offsets[w + 1] - offsets[w])
    room.pieces = <Piece *> malloc(longest * sizeof(Piece))
    # every merge takes one pair out and enters at most two
    room.dropped = <uint64_t *> malloc(2 * longest * sizeof(uint64_t))
    # short words have no use for the ranks' lists, which take time to make
    if _make(&room.queue, ranks if longest > SHORT else 0, 2 * longest) < 0:
        return -1
    return -1 if room.pieces == NULL or room.dropped == NULL else 0


cdef void _clear(Room *room) noexcept nogil:
    _unmake(&room.queue)
    free(room.pieces)
    free(room.dropped)


@cython.final
cdef class Merger:
    """Pairs that may merge.

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
    cdef const Pair[::1] pairs
    cdef const int64_t[::1] names
    cdef uint64_t mask
    cdef int32_t[::1] made   # of each rank: the token

    def __init__(self, const int32_t[::1] left, const int32_t[::1] right,
                 const int32_t[::1] rank, const int32_t[::1] token,
                 const int64_t[::1] names):
        self.names = names
        self.pairs = _table(left, right, rank)
        self.mask = self.pairs.shape[0] - 1
        made = np.zeros(np.asarray(rank).max(initial=-1) + 1, np.int32)
        made[np.asarray(rank)] = token
        self.made = made

    @property
    def displacement(self):
        """How far pairs are from their homes in the table, summed."""
        return _displacement(self.pairs)

    def last_pairs(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        """What merging the symbols of each token does last.

        Takes all tokens, one after another.  Returns the sides and the rank (int32) of the pair
        that makes each; the left side is −1 where merging does not give the token.
        """
        cdef Py_ssize_t many = offsets.shape[0] - 1
        cdef Py_ssize_t t
        cdef Last last
        found = np.full((3, many), -1, np.int32)
        cdef int32_t[:, ::1] made = found
        cdef int32_t[::1] which = np.empty(tokens.shape[0], np.int32)
        cdef Room room
        try:
            if _furnish(&room, self.made.shape[0], &offsets[0], 0, many) < 0:
                raise MemoryError
            with nogil:
                for t in range(many):
                    last = self._word(&tokens[offsets[t]], offsets[t + 1] - offsets[t],
                                      &which[offsets[t]], &room, 0, 0, 0)
                    if which[offsets[t + 1] - 1] == t:
                        made[0, t] = last.left
                        made[1, t] = last.right
                        made[2, t] = last.rank
        finally:
            _clear(&room)
        return found[0], found[1], found[2]

    def merge(self, const Symbol[::1] data, const int64_t[::1] offsets,
              Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
              double dropout, uint64_t seed, const int64_t[::1] draws):
        """Merge the neighbours of lowest rank, leftmost first, until none may merge.

        With `dropout` p, each time the next merge is looked for, every possible one is left out
        with probability p, each for itself; the word is finished when all are left out.
        `draws`, where it is not empty, has a number for each word of the data.

        Writes to `which` as `Segmenter` does.  O(n · log n) time for a word of n symbols, over
        1 − p with dropout, and O(n) memory.
        """
        cdef Py_ssize_t w
        cdef Room room
        try:
            if _furnish(&room, self.made.shape[0], &offsets[0], first, last) < 0:
                raise MemoryError
            with nogil:
                for w in range(first, last):
                    self._word(&data[offsets[w]], offsets[w + 1] - offsets[w],
                               &which[offsets[w]], &room, dropout, seed,
                               draws[w] if draws.shape[0] else 0)
        finally:
            _clear(&room)

    cdef Last _word(self, const Symbol *word, Py_ssize_t size, int32_t *which, Room *room,
                    double dropout, uint64_t seed, int64_t draw) noexcept nogil:
        cdef Piece *pieces = room.pieces
        cdef Py_ssize_t drops = 0
        cdef int32_t i, j
        cdef uint64_t item
        cdef uint64_t state = 0
        cdef int32_t token
        cdef Last last = Last(-1, -1, -1)
        if dropout > 0:
            state = _begin(seed, <uint64_t> draw, word, size, self.names)
        for i in range(<int32_t> size):
            pieces[i] = Piece(-2 - <int32_t> word[i], i - 1, i + 1, NEVER)
            which[i] = -1
        for i in range(<int32_t> size - 1):
            self._look(room, i, <int32_t> size)
        while _leave(&room.queue, &item):
            if room.queue.opened > AHEAD:
                i = <int32_t> room.queue.open[room.queue.opened - AHEAD]
                prefetch(pieces + i)
                prefetch(which + i)
            i = <int32_t> (item & <uint64_t> 0xFFFFFFFF)
            if pieces[i].rank != <int32_t> (item >> 32):
                continue  # one side has become another piece
            if dropout > 0 and _uniform(&state) < dropout:
                room.dropped[drops] = item
                drops += 1
                continue
            j = pieces[i].after
            last = Last(pieces[i].symbol, pieces[j].symbol, pieces[i].rank)
            token = self.made[item >> 32]
            which[j - 1] = -2
            pieces[i].symbol = token
            pieces[i].after = pieces[j].after
            pieces[j].rank = NEVER
            if pieces[i].after < size:
                pieces[pieces[i].after].before = i
            which[pieces[i].after - 1] = token
            self._look(room, i, <int32_t> size)
            if pieces[i].before >= 0:
                self._look(room, pieces[i].before, <int32_t> size)
            while drops:  # there is a merge again: the dropped ones may be next
                drops -= 1
                _enter(&room.queue, <int32_t> (room.dropped[drops] >> 32),
                       <int32_t> (room.dropped[drops] & <uint64_t> 0xFFFFFFFF), size <= SHORT)
        return last

    cdef inline void _look(self, Room *room, int32_t i, int32_t size) noexcept nogil:
        """See what the piece at i and the one after it would become."""
        cdef Piece *piece = room.pieces + i
        piece.rank = NEVER
        if piece.after < size:
            piece.rank = _rank(&self.pairs[0], self.mask, piece.symbol,
                               room.pieces[piece.after].symbol)
            if piece.rank != NEVER:
                _enter(&room.queue, piece.rank, i, size <= SHORT)
