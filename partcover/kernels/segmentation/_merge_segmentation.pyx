# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Byte pair encoding of words: merges adjacent pieces by rank, with a queue and a linked list."""

cimport cython

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

ctypedef fused Symbol:
    uint8_t
    int32_t

include "../shared/_arrays.pxi"
include "../shared/_hash.pxi"
include "../shared/_heap.pxi"
include "../shared/_marks.pxi"
include "../shared/_pairs.pxi"
include "../shared/_prefetch.pxi"
include "_queue.pxi"
include "../shared/_random.pxi"


cdef struct Link:    # a piece in the linked list of a word
    int32_t piece    # a token, or FIRST_SYMBOL - symbol
    int32_t before   # where the previous piece begins, or -1
    int32_t after    # where the next piece begins; for the last piece, the size of the word
    int32_t rank     # rank of the merge with the next piece, or NEVER


cdef struct Merge:   # the last merge of a word; all -1 if there was none
    int32_t left
    int32_t right
    int32_t rank


cdef struct Scratch:  # memory for merging the words of a call
    Link *links
    uint64_t *dropped
    Queue queue


cdef int _new_scratch(Scratch *scratch, Py_ssize_t ranks, const int64_t *offsets, Py_ssize_t first,
                      Py_ssize_t last) noexcept nogil:
    """Allocates enough memory for any of the words; -1 on failure.  `_free_scratch` must follow."""
    cdef Py_ssize_t w
    cdef Py_ssize_t longest = 1
    for w in range(first, last):
        longest = max(longest, offsets[w + 1] - offsets[w])
    scratch.links = <Link *> malloc(longest * sizeof(Link))
    # each merge takes one pair from the queue and adds at most two
    scratch.dropped = <uint64_t *> malloc(2 * longest * sizeof(uint64_t))
    # short words do not use the lists of ranks, which would take time to allocate
    if _new_queue(&scratch.queue, ranks if longest > SHORT else 0, 2 * longest) < 0:
        return -1
    return -1 if scratch.links == NULL or scratch.dropped == NULL else 0


cdef void _free_scratch(Scratch *scratch) noexcept nogil:
    _free_queue(&scratch.queue)
    free(scratch.links)
    free(scratch.dropped)


@cython.final
cdef class MergeSegmenter:
    """Merges adjacent symbols and tokens in words by the ranks of the pairs that may merge.

    Parameters
    ----------
    left, right : ndarray of int32, shape (pairs,)
        The sides of each pair: a token's index, or `FIRST_SYMBOL` − symbol.  Pairs are distinct.
    rank : ndarray of int32, shape (pairs,)
        Pairs of lower rank merge first; pairs of equal rank merge from left to right.
    token : ndarray of int32, shape (pairs,)
        The index of the token that each pair becomes, the same for all pairs of a rank.
    names : ndarray of int64
        The values of the symbols, if the data holds indices of them; otherwise empty.  Random
        numbers depend on the values.
    """
    cdef Pair *pairs
    cdef const int64_t[::1] names
    cdef uint64_t mask
    cdef int32_t[::1] token_of_rank

    def __init__(self, const int32_t[::1] left, const int32_t[::1] right,
                 const int32_t[::1] rank, const int32_t[::1] token,
                 const int64_t[::1] names):
        cdef Py_ssize_t i
        cdef int32_t last = -1
        self.names = names
        self.pairs = _table(left, right, rank, &self.mask)
        for i in range(rank.shape[0]):
            last = max(last, rank[i])
        self.token_of_rank = _array(<Py_ssize_t> last + 1, "i")
        for i in range(rank.shape[0]):
            self.token_of_rank[rank[i]] = token[i]

    def __dealloc__(self):
        free(self.pairs)

    @property
    def displacement(self):
        """The sum of the pairs' distances from their home slots in the table."""
        return _displacement(self.pairs, self.mask)

    def last_pairs(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        """Returns the last merge that produces each token from its symbols.

        The argument is all tokens, one after another.  Returns the left side, the right side and
        the rank (int32) of each token's last pair; the left side is -1 if merging never produces
        the token.
        """
        cdef Py_ssize_t n_tokens = offsets.shape[0] - 1
        cdef Py_ssize_t t
        cdef Merge last
        merges = [_filled(n_tokens, -1) for _ in range(3)]
        cdef int32_t[::1] left = merges[0]
        cdef int32_t[::1] right = merges[1]
        cdef int32_t[::1] rank = merges[2]
        cdef int32_t[::1] which = _array(tokens.shape[0], "i")
        cdef Scratch scratch
        try:
            if _new_scratch(&scratch, self.token_of_rank.shape[0], &offsets[0], 0, n_tokens) < 0:
                raise MemoryError
            with nogil:
                for t in range(n_tokens):
                    last = self._word(&tokens[offsets[t]], offsets[t + 1] - offsets[t],
                                      &which[offsets[t]], &scratch, 0, 0, 0)
                    if which[offsets[t + 1] - 1] == t:
                        left[t] = last.left
                        right[t] = last.right
                        rank[t] = last.rank
        finally:
            _free_scratch(&scratch)
        return tuple(merges)

    def merge(self, const Symbol[::1] data, const int64_t[::1] offsets,
              Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
              double dropout, uint64_t seed, const int64_t[::1] draws):
        """Merges the adjacent pair of lowest rank, leftmost first, until no pair may merge.

        With `dropout` p, each time the next merge is chosen, every possible merge is skipped
        with probability p, independently; the word is finished when all are skipped.  `draws`, if
        it is not empty, has a number for each word of the data.

        Writes to `which` like `Segmenter`.  O(n · log n) time for a word of n symbols, divided by
        1 − p with dropout, and O(n) memory.
        """
        cdef Py_ssize_t w
        cdef Scratch scratch
        try:
            if _new_scratch(&scratch, self.token_of_rank.shape[0], &offsets[0], first, last) < 0:
                raise MemoryError
            with nogil:
                for w in range(first, last):
                    self._word(&data[offsets[w]], offsets[w + 1] - offsets[w],
                               &which[offsets[w]], &scratch, dropout, seed,
                               draws[w] if draws.shape[0] else 0)
        finally:
            _free_scratch(&scratch)

    cdef Merge _word(self, const Symbol *word, Py_ssize_t size, int32_t *which, Scratch *scratch,
                     double dropout, uint64_t seed, int64_t draw) noexcept nogil:
        cdef Link *links = scratch.links
        cdef Py_ssize_t n_dropped = 0
        cdef int32_t i, j
        cdef uint64_t item
        cdef uint64_t state = 0
        cdef int32_t token
        cdef Merge last = Merge(-1, -1, -1)
        if dropout > 0:
            state = _word_state(seed, <uint64_t> draw, word, size, self.names)
        for i in range(<int32_t> size):
            links[i] = Link(FIRST_SYMBOL - <int32_t> word[i], i - 1, i + 1, NEVER)
            which[i] = SINGLE
        for i in range(<int32_t> size - 1):
            self._queue_pair(scratch, i, <int32_t> size)
        while _dequeue(&scratch.queue, &item):
            if scratch.queue.n_open > AHEAD:
                i = <int32_t> scratch.queue.open[scratch.queue.n_open - AHEAD]
                prefetch(links + i)
                prefetch(which + i)
            i = <int32_t> (item & <uint64_t> 0xFFFFFFFF)
            if links[i].rank != <int32_t> (item >> 32):
                continue  # one side has changed since this was queued
            if dropout > 0 and _uniform(&state) < dropout:
                scratch.dropped[n_dropped] = item
                n_dropped += 1
                continue
            j = links[i].after
            last = Merge(links[i].piece, links[j].piece, links[i].rank)
            token = self.token_of_rank[item >> 32]
            which[j - 1] = INSIDE
            links[i].piece = token
            links[i].after = links[j].after
            links[j].rank = NEVER
            if links[i].after < size:
                links[links[i].after].before = i
            which[links[i].after - 1] = token
            self._queue_pair(scratch, i, <int32_t> size)
            if links[i].before >= 0:
                self._queue_pair(scratch, links[i].before, <int32_t> size)
            while n_dropped:  # after a merge, skipped merges are possible again
                n_dropped -= 1
                item = scratch.dropped[n_dropped]
                _enqueue(&scratch.queue, <int32_t> (item >> 32),
                         <int32_t> (item & <uint64_t> 0xFFFFFFFF), size <= SHORT)
        return last

    cdef inline void _queue_pair(self, Scratch *scratch, int32_t i, int32_t size) noexcept nogil:
        """Queues the merge of the piece at i with the next piece, if they may merge."""
        cdef Link *link = scratch.links + i
        link.rank = NEVER
        if link.after < size:
            link.rank = _rank(self.pairs, self.mask, link.piece,
                              scratch.links[link.after].piece)
            if link.rank != NEVER:
                _enqueue(&scratch.queue, link.rank, i, size <= SHORT)
