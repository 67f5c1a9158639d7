# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""GreedTok and GreedWMC: choose tokens greedily, with lazy but exact scores.

A candidate is an interval of the suffix array and a length (see `_suffix_array`).  Every candidate
in the heap has a key that its score can never exceed, now or later.  A candidate whose current
score beats every other key is the one that Algorithm 1 picks.

Most of the time goes to building the first list of a candidate's occurrences.  Threads build such
lists for many candidates near the top of the heap at once.  Their keys are exact at that time, and
upper bounds later, so the choice does not depend on which candidates were scored ahead.
"""

import math
import time

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc

include "../shared/_numpy.pxi"
include "_cover.pxi"

cdef enum:
    KEPT_EACH = 5       # occurrences that may be kept in lists, per position
    KEPT = 1 << 24      # occurrences that may be kept in any case
    MOST_AHEAD = 1 << 12        # most candidates whose lists are built ahead at once
    SPARSE = 8          # most heap entries that are examined for each of these candidates
    PATIENCE = 64       # candidates that are scored one by one after too few could be listed ahead
    LIST_AHEAD = -3     # returned instead of a pick: threads have lists to build
    LOOK_UP = -4        # returned instead of a pick: it is time to check the clock
    LOOK = 1 << 22      # symbols and occurrences that are scored between two checks of the clock


cdef struct Entry:
    int64_t key          # upper bound on the candidate's score, now and later
    int32_t candidate


cdef class Greedy(_Cover):
    """Chooses candidates in one text, always the best one next.

    Parameters
    ----------
    text, sa, word_of, counts, relaxed
        As for `_Cover`.
    threads : int
        How many threads build lists ahead.
    ahead : int
        How many occurrences they process in one round.

    Notes
    -----
    Ties go to the shorter candidate for partition cover, and to the longer one for maximum
    coverage (a longer candidate covers everything that its substring covers in the same places);
    then to the lexicographically last one.
    """
    # one bit for each group of a candidate; empty if there are no groups
    cdef const uint64_t[::1] groups
    cdef int64_t[::1] left             # how many tokens of each group may still be chosen
    cdef uint64_t full
    cdef Candidate *items
    cdef Entry *heap
    cdef Py_ssize_t size           # number of entries in the heap
    cdef Py_ssize_t n_items
    cdef int32_t n_chosen          # tokens chosen since the candidates were loaded
    cdef int32_t best              # the best candidate scored so far for the next token, or -1
    cdef Py_ssize_t n_aside  # entries stored after the heap: scored, and to be put back into it
    cdef int64_t most_kept
    cdef int64_t looked  # symbols and occurrences scored since the last check of the clock
    cdef readonly bint is_late     # whether the last run stopped because of the time limit
    cdef int64_t ahead
    cdef int64_t n_occurrences     # occurrences of the candidates that are listed ahead
    cdef Py_ssize_t n_slots
    cdef Py_ssize_t patience
    cdef Py_ssize_t[MOST_AHEAD] slots      # the heap slots of these candidates

    def __init__(self, text, sa, word_of, counts, bint relaxed, Py_ssize_t threads=1,
                 int64_t ahead=1):
        super().__init__(text, sa, word_of, counts, relaxed, threads)
        self.most_kept = max(KEPT, KEPT_EACH * <int64_t> self.text.shape[0])
        self.ahead = ahead

    def __dealloc__(self):
        self.unload()

    def unload(self):
        """Frees the candidates; the tokens already placed stay."""
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
        """Loads candidates in place of the present ones; the tokens already placed stay.

        `weight` is the weight of the occurrences that may still count (`blocked`).  `limit` is an
        upper bound on every score: the symbols of the corpus.  `groups`, uint64, has a bit for
        each group that a candidate belongs to; at most ``left[g]``, int64, candidates of group g
        are chosen.
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
                # saturate, since weight * (length - 1) may exceed int64 for overlapping occurrences
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
        """Chooses up to `steps` more candidates with scores of at least `least`.

        `for_each` gives work to threads, like `partcover.runtime.processes.parallel.workers`; it is
        required if there are several threads.  When the clock of `time.monotonic` reaches `end`,
        the run stops and sets `is_late`; the next run continues the unfinished work.

        Returns
        -------
        tuple of ndarray
            Candidates (int32) and gains (int64), in the order of choice.  There are fewer than
            `steps` if no other candidate gains at least `least`.
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
        """Takes from the heap the candidate that Algorithm 1 picks next.

        Returns -1 if no candidate scores at least `least` (at least 1), LIST_AHEAD if threads have
        lists to build, and LOOK_UP after some time.  After the last two, call it again for the
        same token.
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
        """Whether enough candidates near the top of the heap have no list; stores their slots.

        Lists are built ahead only if there is room to keep them.
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
        """Scores one thread's share of the candidates whose lists are built ahead."""
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
        """Restores the heap order, from the bottom up, since keys only decrease."""
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
        """Moves an entry down after its key has decreased.

        Keeps its list if it will be used again, while the planned memory suffices.
        """
        if self.heap[slot].key < least or self._n_kept() > self.most_kept:
            self._forget(&self.items[self.heap[slot].candidate])
        self._sift(slot)

    cdef inline bint _before(self, int32_t a, int64_t a_score, int32_t b,
                             int64_t b_score) noexcept nogil:
        """Whether one entry comes before another in the heap.

        The higher score comes first, then the shorter candidate (the longer one if relaxed), then
        the lexicographically last one.  Distinct substrings of one length are disjoint intervals,
        in lexicographic order.
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
