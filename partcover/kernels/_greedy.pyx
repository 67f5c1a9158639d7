# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Chooses tokens greedily, lazily but exactly: GreedTok and GreedWMC.

A candidate is an interval of the suffix array and a length (see `_suffix`).  The state is one
byte for each text position p: whether the pair (p, p + 1) is covered.  Pairs with a separator
never are.

Every candidate in the heap has a key that its score can never exceed, now or later.  A candidate
whose score, computed now, beats every other key is the one that Algorithm 1 picks.  Occurrences
that can never count again are removed from a candidate's list.
"""

import numpy as np

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memcpy


cdef int _ascending(const void *a, const void *b) noexcept nogil:
    cdef int32_t x = (<const int32_t *> a)[0]
    cdef int32_t y = (<const int32_t *> b)[0]
    return (x > y) - (x < y)


cdef struct Candidate:
    int64_t key          # upper bound of the score, now and later
    int32_t *places      # occurrences that may still count; NULL until first scored
    int32_t n_places     # -1 until first scored
    int32_t lo
    int32_t hi
    int32_t length
    bint overlaps        # some occurrences overlap: `places` ascend


cdef bint _before(const Candidate *a, int64_t a_score, const Candidate *b, int64_t b_score,
                  bint longer) noexcept nogil:
    """The order: higher score; then shorter, or with `longer` longer; then lexicographically last.

    Distinct substrings of one length are disjoint intervals, in lexicographic order.
    """
    if a_score != b_score:
        return a_score > b_score
    if a.length != b.length:
        return (a.length > b.length) == longer
    return a.lo > b.lo


cdef inline int32_t _open_pairs(const uint8_t *cover, int32_t p, Py_ssize_t inner) noexcept nogil:
    """Uncovered pairs inside a token of `inner` pairs at p; 0 where it may not be placed."""
    cdef int32_t n_open = <int32_t> inner
    cdef Py_ssize_t j
    if cover[p - 1] | cover[p + inner]:
        return 0
    for j in range(inner):
        n_open -= cover[p + j]
    return n_open


cdef class Greedy:
    """Chooses candidates in one text, the best first.

    Parameters
    ----------
    text, sa, word_of : ndarray of int32
        As in `CandidateIndex`.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    relaxed : bool
        Whether to score by weighted maximum coverage (occurrences may overlap) instead of
        GreedTok's partition cover.

    Notes
    -----
    Ties go to the shorter candidate for partition cover and to the longer one for maximum
    coverage (a longer one covers all that its substring covers in the same places), then to
    the lexicographically last.
    """
    cdef const int32_t[::1] text
    cdef const int32_t[::1] sa
    cdef const int32_t[::1] word_of
    cdef const int64_t[::1] counts
    cdef uint8_t[::1] cover
    cdef const uint64_t[::1] groups    # of each candidate, a bit each; empty if there are none
    cdef int64_t[::1] left             # of each group: tokens that may still be chosen
    cdef uint64_t full
    cdef readonly bint relaxed
    cdef Candidate *items
    cdef int32_t *heap
    cdef Py_ssize_t size           # of the heap
    cdef Py_ssize_t n_items
    cdef int32_t *aside            # scratch: candidates that go back into the heap
    cdef int64_t *best_upto        # scratch of the bound for overlapping occurrences
    cdef int32_t *border           # scratch of the failure function
    cdef Py_ssize_t room
    cdef Py_ssize_t border_room

    def __init__(self, text, sa, word_of, counts, bint relaxed):
        self.text = text
        self.sa = sa
        self.word_of = word_of
        self.counts = counts
        self.relaxed = relaxed
        self.cover = np.zeros(self.text.shape[0] + 1, np.uint8)

    def __dealloc__(self):
        self._drop()
        free(self.best_upto)
        free(self.border)

    cdef void _drop(self) noexcept:
        cdef Py_ssize_t c
        for c in range(self.n_items):
            free(self.items[c].places)
        free(self.items)
        free(self.heap)
        free(self.aside)
        self.items = NULL
        self.heap = NULL
        self.aside = NULL
        self.n_items = 0
        self.size = 0

    def load(self, const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length,
             const int64_t[::1] weight, int64_t limit, groups=None, left=None):
        """Loads candidates; `limit` is an upper bound of any score: the symbols of the corpus.

        `groups`, uint64, has a bit for each group that a candidate belongs to; at most
        ``left[g]``, int64, candidates of group g are chosen.
        """
        cdef Py_ssize_t c
        self._drop()
        self.groups = np.zeros(0, np.uint64) if groups is None else groups
        self.left = np.zeros(0, np.int64) if left is None else left.copy()
        self.full = 0
        for c in range(self.left.shape[0]):
            if self.left[c] <= 0:
                self.full |= (<uint64_t> 1) << c
        self.add(lo, hi, length, weight, limit)

    def add(self, const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length,
            const int64_t[::1] weight, int64_t limit):
        """Loads further candidates of no group, numbered from those that are there on."""
        cdef Py_ssize_t n = lo.shape[0], before = self.n_items
        cdef Py_ssize_t c, size = before + n
        cdef void *moved
        cdef Candidate *item
        if size > INT32_MAX:
            raise OverflowError("the number of candidates does not fit in int32")
        moved = realloc(self.items, (size + 1) * sizeof(Candidate))
        if moved == NULL:
            raise MemoryError
        self.items = <Candidate *> moved
        moved = realloc(self.heap, (size + 1) * sizeof(int32_t))
        if moved == NULL:
            raise MemoryError
        self.heap = <int32_t *> moved
        moved = realloc(self.aside, (size + 1) * sizeof(int32_t))
        if moved == NULL:
            raise MemoryError
        self.aside = <int32_t *> moved
        with nogil:
            for c in range(n):
                item = &self.items[before + c]
                item.places = NULL
                item.n_places = -1
                item.lo, item.hi, item.length = lo[c], hi[c], length[c]
                item.overlaps = False
                # saturating: weight * (length - 1) may pass int64 for overlapping occurrences
                if weight[c] > limit // (length[c] - 1):
                    item.key = limit
                else:
                    item.key = weight[c] * (length[c] - 1)
                self.heap[self.size] = <int32_t> (before + c)
                self.size += 1
            self.n_items = size
            for c in range(self.size // 2 - 1, -1, -1):
                self._sift(c)

    def run(self, Py_ssize_t steps, int64_t least=1):
        """Chooses up to `steps` more candidates that score at least `least`.

        Returns
        -------
        tuple of ndarray
            Candidates (int32) and gains (int64), in the order of choice; fewer than `steps` when
            no candidate gains so much.
        """
        chosen = np.empty(min(steps, self.n_items), np.int32)
        gains = np.empty(min(steps, self.n_items), np.int64)
        cdef int32_t[::1] chosen_view = chosen
        cdef int64_t[::1] gain_view = gains
        cdef Py_ssize_t done = 0
        cdef int32_t pick
        cdef int64_t score = 0
        with nogil:
            while done < chosen_view.shape[0]:
                pick = self._pick(&score, least)
                if pick < 0:
                    break
                self._place(&self.items[pick])
                if self.groups.shape[0]:
                    self._count_groups(self.groups[pick])
                free(self.items[pick].places)
                self.items[pick].places = NULL
                chosen_view[done] = pick
                gain_view[done] = score
                done += 1
        return chosen[:done], gains[:done]

    def place(self, int32_t lo, int32_t hi, int32_t length):
        """Places one token, whatever it gains; returns the gain."""
        cdef Candidate one
        cdef int64_t key = 0
        cdef int64_t score = 0
        one.lo = lo
        one.hi = hi
        one.length = length
        one.places = NULL
        one.n_places = -1
        one.overlaps = False
        with nogil:
            score = self._score(&one, &key)
            self._place(&one)
            free(one.places)
        return score

    cdef void _count_groups(self, uint64_t groups) noexcept nogil:
        cdef Py_ssize_t g
        for g in range(self.left.shape[0]):
            if groups >> g & 1:
                self.left[g] -= 1
                if self.left[g] == 0:
                    self.full |= (<uint64_t> 1) << g

    cdef int32_t _pick(self, int64_t *score, int64_t least) except -2 nogil:
        """Takes the candidate that Algorithm 1 picks next from the heap.

        -1 if none scores `least`, at least 1.
        """
        cdef Py_ssize_t n_aside = 0
        cdef Py_ssize_t i
        cdef int32_t best = -1
        cdef int32_t top
        cdef int64_t best_score = 0
        cdef int64_t now
        cdef int64_t key = 0
        while self.size:
            top = self.heap[0]
            if self.items[top].key < least:
                break
            if best >= 0 and _before(&self.items[best], best_score, &self.items[top],
                                     self.items[top].key, self.relaxed):
                break
            self._pop()
            if self.full and self.groups[top] & self.full:
                continue  # a full group stays full
            now = self._score(&self.items[top], &key)
            self.items[top].key = key
            if key < least:  # not to be looked at until less is asked for
                free(self.items[top].places)
                self.items[top].places = NULL
                self.items[top].n_places = -1
            if now >= least and (
                best < 0
                or _before(&self.items[top], now, &self.items[best], best_score, self.relaxed)
            ):
                if best >= 0:
                    self.aside[n_aside] = best
                    n_aside += 1
                best = top
                best_score = now
            elif key > 0:
                self.aside[n_aside] = top
                n_aside += 1
        for i in range(n_aside):
            self._push(self.aside[i])
        score[0] = best_score
        return best

    cdef int _find_places(self, Candidate *c) except -1 nogil:
        """Lists the occurrences, ascending if some overlap."""
        cdef Py_ssize_t count = c.hi - c.lo
        cdef Py_ssize_t i
        c.places = <int32_t *> malloc((count + 1) * sizeof(int32_t))
        if c.places == NULL:
            with gil:
                raise MemoryError
        if count:
            memcpy(c.places, &self.sa[c.lo], count * sizeof(int32_t))
        c.n_places = <int32_t> count
        if count > 1 and self._has_border(c):
            qsort(c.places, count, sizeof(int32_t), _ascending)
            for i in range(1, count):
                if c.places[i] - c.places[i - 1] < c.length:
                    c.overlaps = True
                    break
        return 0

    cdef bint _has_border(self, const Candidate *c) except -1 nogil:
        """Whether a prefix of the token is its suffix; only such tokens can overlap themselves."""
        cdef Py_ssize_t length = c.length
        cdef Py_ssize_t i
        cdef int32_t j = 0
        cdef const int32_t *token = &self.text[self.sa[c.lo]]
        if self.border_room < length:
            free(self.border)
            self.border = <int32_t *> malloc(2 * length * sizeof(int32_t))
            if self.border == NULL:
                with gil:
                    raise MemoryError
            self.border_room = 2 * length
        self.border[0] = 0
        for i in range(1, length):
            while j and token[i] != token[j]:
                j = self.border[j - 1]
            if token[i] == token[j]:
                j += 1
            self.border[i] = j
        return j > 0

    cdef int64_t _score(self, Candidate *c, int64_t *key) except -1 nogil:
        """The score now; `key` receives an upper bound of it, now and later."""
        if c.n_places < 0:
            self._find_places(c)
        if self.relaxed:
            key[0] = self._score_union(c)
            return key[0]
        if c.overlaps:
            return self._score_overlapping(c, key)
        key[0] = self._score_disjoint(c)
        return key[0]

    cdef int64_t _score_disjoint(self, Candidate *c) noexcept nogil:
        """The uncovered pairs in placeable occurrences, which do not overlap."""
        cdef int32_t *places = c.places
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i
        cdef int32_t p, open_pairs
        cdef int64_t score = 0
        cdef const uint8_t *cover = &self.cover[0]
        for i in range(c.n_places):
            p = places[i]
            open_pairs = _open_pairs(cover, p, inner)
            if open_pairs:
                places[kept] = p
                kept += 1
                score += open_pairs * self.counts[self.word_of[p]]
        c.n_places = <int32_t> kept
        return score

    cdef int64_t _score_overlapping(self, Candidate *c, int64_t *key) except -1 nogil:
        """The uncovered pairs in occurrences placed left to right without overlaps.

        The score itself may rise later (a covered pair can block a first occurrence and so free
        a second), so the key is the weight of the best set of disjoint placeable occurrences.
        """
        cdef int32_t *places = c.places
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i, free_before
        cdef int32_t p, open_pairs
        cdef int32_t placed = -c.length
        cdef int64_t gain
        cdef int64_t score = 0
        cdef const uint8_t *cover = &self.cover[0]
        if self.room < c.n_places + 1:
            free(self.best_upto)
            self.best_upto = <int64_t *> malloc(2 * (c.n_places + 1) * sizeof(int64_t))
            if self.best_upto == NULL:
                self.room = 0
                with gil:
                    raise MemoryError
            self.room = 2 * (c.n_places + 1)
        self.best_upto[0] = 0
        free_before = 0
        for i in range(c.n_places):
            p = places[i]
            open_pairs = _open_pairs(cover, p, inner)
            if open_pairs == 0:
                continue
            places[kept] = p
            gain = open_pairs * self.counts[self.word_of[p]]
            if p - placed >= c.length:
                placed = p
                score += gain
            while places[free_before] + c.length <= p:
                free_before += 1
            # best_upto[j] is for the first j kept occurrences
            self.best_upto[kept + 1] = max(self.best_upto[kept],
                                           self.best_upto[free_before] + gain)
            kept += 1
        c.n_places = <int32_t> kept
        key[0] = self.best_upto[kept]
        return score

    cdef int64_t _score_union(self, Candidate *c) noexcept nogil:
        """The uncovered pairs under any occurrence, each once."""
        cdef int32_t *places = c.places
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i, j, begin
        cdef Py_ssize_t end = 0
        cdef int32_t p, open_pairs
        cdef int64_t score = 0
        cdef const uint8_t *cover = &self.cover[0]
        for i in range(c.n_places):
            p = places[i]
            begin = p
            if c.overlaps and end > p:
                begin = end
            end = p + inner
            open_pairs = 0
            for j in range(begin, end):
                open_pairs += 1 - cover[j]
            if open_pairs:
                places[kept] = p
                kept += 1
                score += open_pairs * self.counts[self.word_of[p]]
        c.n_places = <int32_t> kept
        return score

    cdef void _place(self, Candidate *c) noexcept nogil:
        """Covers the pairs that `_score` counted."""
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t i, j
        cdef int32_t p
        cdef uint8_t *cover = &self.cover[0]
        for i in range(c.n_places):
            p = c.places[i]
            if not self.relaxed and (cover[p - 1] | cover[p + inner]):
                continue
            for j in range(inner):
                cover[p + j] = 1

    cdef void _sift(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t child
        cdef int32_t moving = self.heap[i]
        while True:
            child = 2 * i + 1
            if child >= self.size:
                break
            if child + 1 < self.size and self._higher(self.heap[child + 1], self.heap[child]):
                child += 1
            if not self._higher(self.heap[child], moving):
                break
            self.heap[i] = self.heap[child]
            i = child
        self.heap[i] = moving

    cdef bint _higher(self, int32_t a, int32_t b) noexcept nogil:
        return _before(&self.items[a], self.items[a].key, &self.items[b], self.items[b].key,
                       self.relaxed)

    cdef void _pop(self) noexcept nogil:
        self.size -= 1
        if self.size:
            self.heap[0] = self.heap[self.size]
            self._sift(0)

    cdef void _push(self, int32_t c) noexcept nogil:
        cdef Py_ssize_t i = self.size
        cdef Py_ssize_t up
        self.size += 1
        while i:
            up = (i - 1) // 2
            if not self._higher(c, self.heap[up]):
                break
            self.heap[i] = self.heap[up]
            i = up
        self.heap[i] = c
