# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Chooses tokens greedily, lazily but exactly: GreedTok and GreedWMC.

A candidate is an interval of the suffix array and a length (see `_suffix_array`).  Every candidate
in the heap has a key that its score can never exceed, now or later.  A candidate whose score,
computed now, beats every other key is the one that Algorithm 1 picks.

Most of the time goes to the first list of a candidate's occurrences.  Threads make such lists for
many candidates near the top of the heap at once.  Their keys are exact then, and bounds later, so
that it does not matter who was scored ahead: the choice is the same.
"""

import math
import time

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc

include "_cover.pxi"

cdef enum:
    KEPT_EACH = 5       # occurrences that are kept, for each position
    KEPT = 1 << 24      # and in any case
    MOST_AHEAD = 1 << 12        # candidates that are listed ahead at once
    SPARSE = 8          # entries of the heap that are looked at for one of these, at most
    PATIENCE = 64       # candidates that are listed in turn, where too few are listed ahead
    LIST_AHEAD = -3     # instead of a pick: threads have lists to make
    LOOK_UP = -4        # instead of a pick: it is time to look at the clock
    LOOK = 1 << 22      # symbols and occurrences that are scored between looks


cdef struct Entry:
    int64_t key          # upper bound of the candidate's score, now and later
    int32_t candidate


cdef class Greedy(_Cover):
    """Chooses candidates in one text, the best first.

    Parameters
    ----------
    text, sa, word_of, counts, relaxed
        As for `_Cover`.
    threads : int
        How many threads make lists ahead.
    ahead : int
        How many occurrences they look at in one go.

    Notes
    -----
    Ties go to the shorter candidate for partition cover and to the longer one for maximum
    coverage (a longer one covers all that its substring covers in the same places), then to
    the lexicographically last.
    """
    cdef const uint64_t[::1] groups    # of each candidate, a bit each; empty if there are none
    cdef int64_t[::1] left             # of each group: tokens that may still be chosen
    cdef uint64_t full
    cdef Candidate *items
    cdef Entry *heap
    cdef Py_ssize_t size           # of the heap
    cdef Py_ssize_t n_items
    cdef int32_t n_chosen          # since the candidates were loaded
    cdef int32_t best              # the best candidate that was scored for the next token, or -1
    cdef Py_ssize_t n_aside        # entries behind the heap: scored, and to go back into it
    cdef int64_t most_kept
    cdef int64_t looked            # symbols and occurrences since the last look at the clock
    cdef readonly bint is_late     # whether the last run ended at its end
    cdef int64_t ahead
    cdef int64_t n_occurrences     # of the candidates that are listed ahead
    cdef Py_ssize_t n_slots
    cdef Py_ssize_t patience
    cdef Py_ssize_t[MOST_AHEAD] slots      # where they are in the heap

    def __init__(self, text, sa, word_of, counts, bint relaxed, Py_ssize_t threads=1,
                 int64_t ahead=1):
        super().__init__(text, sa, word_of, counts, relaxed, threads)
        self.most_kept = max(KEPT, KEPT_EACH * <int64_t> self.text.shape[0])
        self.ahead = ahead

    def __dealloc__(self):
        self.unload()

    def unload(self):
        """Frees the candidates; what is placed stays."""
        cdef Py_ssize_t c
        for c in range(self.n_items):
            self._forget(&self.items[c])
        free(self.items)
        free(self.heap)
        self.items = NULL
        self.heap = NULL
        self.n_items = 0
        self.size = 0
        self.n_chosen = 0
        self.patience = 0
        self.best = -1
        self.n_aside = 0

    def load(self, const position_t[::1] lo, const position_t[::1] hi,
             const int32_t[::1] length, const int64_t[::1] weight, int64_t limit, groups=None,
             left=None):
        """Loads candidates instead of those that are there; what is placed stays.

        `weight` is that of the occurrences that may still count (`blocked`); `limit` is an upper
        bound of any score: the symbols of the corpus.  `groups`, uint64, has a bit for each group
        that a candidate belongs to; at most ``left[g]``, int64, candidates of group g are chosen.
        """
        cdef Py_ssize_t c
        cdef Py_ssize_t n = lo.shape[0]
        cdef Candidate *item
        cdef Entry *entry
        self.unload()
        self.groups = np.zeros(0, np.uint64) if groups is None else groups
        self.left = np.zeros(0, np.int64) if left is None else left.copy()
        self.full = 0
        for c in range(self.left.shape[0]):
            if self.left[c] <= 0:
                self.full |= (<uint64_t> 1) << c
        if n > INT32_MAX:
            raise OverflowError("the number of candidates does not fit in int32")
        self.items = <Candidate *> malloc((n + 1) * sizeof(Candidate))
        self.heap = <Entry *> malloc((n + 1) * sizeof(Entry))
        if self.items == NULL or self.heap == NULL:
            raise MemoryError
        with nogil:
            for c in range(n):
                item = &self.items[c]
                item.places = NULL
                item.n_places = -1
                item.room = 0
                item.lo, item.hi, item.length = lo[c], hi[c], length[c]
                item.overlaps = False
                item.scored = -1
                # saturating: weight * (length - 1) may pass int64 for overlapping occurrences
                entry = &self.heap[c]
                entry.candidate = <int32_t> c
                if weight[c] > limit // (length[c] - 1):
                    entry.key = limit
                else:
                    entry.key = weight[c] * (length[c] - 1)
            self.n_items = self.size = n
            for c in range(n // 2 - 1, -1, -1):
                self._sift(c)

    def run(self, Py_ssize_t steps, int64_t least=1, for_each=None, double end=math.inf):
        """Chooses up to `steps` more candidates that score at least `least`.

        Threads get their work by `for_each`, as of `partcover.runtime.processes.parallel.workers`;
        it is needed where there are several.  At `end`, on the clock of `time.monotonic`, it
        `is_late`: what is under way is gone on with by the next run.

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
        self.is_late = False
        while done < chosen_view.shape[0]:
            with nogil:
                pick = self._pick(&score, least)
            if pick == LOOK_UP:
                PyErr_CheckSignals()
                self.looked = 0
                self.is_late = time.monotonic() >= end
                if self.is_late:
                    break
                continue
            if pick == LIST_AHEAD:
                for_each(self._list_share, self.threads)
                with nogil:
                    self._sift_listed(least)
                continue
            if pick < 0:
                break
            with nogil:
                if self.items[pick].n_places < 0:
                    self._find_places(&self.items[pick], self.scratch)
                self._place(&self.items[pick])
                if self.groups.shape[0]:
                    self._count_groups(self.groups[pick])
                self._forget(&self.items[pick])
                self.n_chosen += 1
            chosen_view[done] = pick
            gain_view[done] = score
            done += 1
        return chosen[:done], gains[:done]

    cdef void _count_groups(self, uint64_t groups) noexcept nogil:
        cdef Py_ssize_t g
        for g in range(self.left.shape[0]):
            if groups >> g & 1:
                self.left[g] -= 1
                if self.left[g] == 0:
                    self.full |= (<uint64_t> 1) << g

    cdef int32_t _pick(self, int64_t *score, int64_t least) except -2 nogil:
        """Takes the candidate that Algorithm 1 picks next from the heap.

        -1 if none scores `least`, at least 1.  LIST_AHEAD where threads have lists to make, and
        LOOK_UP after some time: then it is called again for the same token.
        """
        cdef Py_ssize_t i, end
        cdef Entry top
        cdef Candidate *item
        cdef int32_t best
        while self.size and self.heap[0].key >= least:
            top = self.heap[0]
            item = &self.items[top.candidate]
            if self.best >= 0 and self._before(self.best, self.items[self.best].score,
                                               top.candidate, top.key):
                break
            if self.full and self.groups[top.candidate] & self.full:
                self.heap[0].key = 0    # a full group stays full
                self._sift(0)
            elif item.scored != self.n_chosen:
                if item.n_places < 0 and self._has_lists_ahead(least):
                    return LIST_AHEAD
                self._score_entry(0, self.scratch)
                self.looked += item.length + item.n_places
                self._sift_scored(0, least)
                if self.looked > LOOK:
                    return LOOK_UP
            else:
                if item.score >= least and (
                    self.best < 0
                    or self._before(top.candidate, item.score, self.best,
                                    self.items[self.best].score)
                ):
                    self.best = top.candidate
                self._pop()
                self.heap[self.size] = top
                self.n_aside += 1
        best = self.best
        end = self.size + self.n_aside
        for i in range(self.size, end):
            if self.heap[i].candidate != best:
                self._push(self.heap[i])
        self.best = -1
        self.n_aside = 0
        score[0] = self.items[best].score if best >= 0 else 0
        return best

    cdef bint _has_lists_ahead(self, int64_t least) noexcept nogil:
        """Whether enough candidates near the top of the heap have no list; notes where they are.

        None is made ahead that would not be kept.
        """
        cdef Py_ssize_t slot = 0
        cdef Candidate *item
        if self.threads == 1 or self._n_kept() + self.ahead > self.most_kept:
            return False
        if self.patience:
            self.patience -= 1
            return False
        self.n_slots = 0
        self.n_occurrences = 0
        while slot < min(self.size, SPARSE * (self.n_slots + 1)) and self.n_slots < MOST_AHEAD:
            item = &self.items[self.heap[slot].candidate]
            if (self.heap[slot].key >= least and item.n_places < 0
                    and item.scored != self.n_chosen):
                self.slots[self.n_slots] = slot
                self.n_slots += 1
                self.n_occurrences += item.hi - item.lo
                if self.n_occurrences >= self.ahead:
                    return True
            slot += 1
        self.patience = PATIENCE
        return False

    def _list_share(self, Py_ssize_t share):
        """Scores one thread's share of the candidates that are listed ahead."""
        cdef Py_ssize_t s, slot
        cdef int64_t before = 0
        cdef const Candidate *item
        with nogil:
            for s in range(self.n_slots):
                slot = self.slots[s]
                item = &self.items[self.heap[slot].candidate]
                if before * self.threads // self.n_occurrences == share:
                    self._score_entry(slot, &self.scratch[share])
                before += item.hi - item.lo

    cdef void _sift_listed(self, int64_t least) noexcept nogil:
        """Puts the heap in order again: from below, since keys only fall."""
        cdef Py_ssize_t s
        for s in range(self.n_slots - 1, -1, -1):
            self._sift_scored(self.slots[s], least)

    cdef int _score_entry(self, Py_ssize_t slot, Scratch *scratch) except -1 nogil:
        cdef Entry *entry = &self.heap[slot]
        cdef Candidate *item = &self.items[entry.candidate]
        item.score = self._score(item, &entry.key, scratch)
        item.scored = self.n_chosen
        return 0

    cdef void _sift_scored(self, Py_ssize_t slot, int64_t least) noexcept nogil:
        """Moves an entry down after its key fell.

        Its list is kept if it will be looked at again, as many as memory was planned for.
        """
        if self.heap[slot].key < least or self._n_kept() > self.most_kept:
            self._forget(&self.items[self.heap[slot].candidate])
        self._sift(slot)

    cdef inline bint _before(self, int32_t a, int64_t a_score, int32_t b,
                             int64_t b_score) noexcept nogil:
        """The order: higher score; then shorter, or longer if relaxed; then lexicographically last.

        Distinct substrings of one length are disjoint intervals, in lexicographic order.
        """
        if a_score != b_score:
            return a_score > b_score
        return self._wins_tie(&self.items[a], &self.items[b])

    cdef bint _wins_tie(self, const Candidate *a, const Candidate *b) noexcept nogil:
        if a.length != b.length:
            return (a.length > b.length) == self.relaxed
        return a.lo > b.lo

    cdef inline bint _higher(self, Entry a, Entry b) noexcept nogil:
        return self._before(a.candidate, a.key, b.candidate, b.key)

    cdef void _sift(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t child
        cdef Entry moving = self.heap[i]
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

    cdef void _pop(self) noexcept nogil:
        self.size -= 1
        if self.size:
            self.heap[0] = self.heap[self.size]
            self._sift(0)

    cdef void _push(self, Entry entry) noexcept nogil:
        cdef Py_ssize_t i = self.size
        cdef Py_ssize_t up
        self.size += 1
        while i:
            up = (i - 1) // 2
            if not self._higher(entry, self.heap[up]):
                break
            self.heap[i] = self.heap[up]
            i = up
        self.heap[i] = entry
