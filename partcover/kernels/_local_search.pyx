# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A vocabulary under change, every gain and loss exact at all times.

An arc is an occurrence of a candidate in a word, from one boundary between symbols to a later
one; a word costs the fewest arcs and single symbols that lead from its start to its end.  What
a candidate is worth in a word is how much the word's cost changes with it: for a chosen one the
loss of dropping it, for another the gain of adding it.  When a candidate is added or dropped,
only the words that it occurs in are looked at again.
"""

import numpy as np

from libc.limits cimport LLONG_MAX
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t


cdef enum:
    BLOCK = 128          # candidates that share a recorded best
    NOTHING = -1


cdef struct Arc:
    int32_t start
    int32_t end
    int32_t candidate
    int32_t head         # the first arc of the same candidate in the word
    int32_t next         # the next one, or -1


def by_candidate(const int32_t[::1] which, Py_ssize_t candidates):
    """The order that sorts occurrences by their candidate and keeps it else; a counting sort."""
    cdef Py_ssize_t size = which.shape[0], i
    cdef int64_t at = 0, held
    first = np.zeros(candidates, np.int64)
    cdef int64_t[::1] first_view = first
    order = np.empty(size, np.int32)
    cdef int32_t[::1] order_view = order
    with nogil:
        for i in range(size):
            first_view[which[i]] += 1
        for i in range(candidates):
            held = first_view[i]
            first_view[i] = at
            at += held
        for i in range(size):
            order_view[first_view[which[i]]] = <int32_t> i
            first_view[which[i]] += 1
    return order


cdef class State:
    """A set of chosen candidates, what the words cost, and what each candidate is worth.

    Parameters
    ----------
    arcs : ndarray of int32, shape (arcs, 5)
        Start, end, candidate, first and next arc of the same candidate in the word; by word,
        start, end.  Shared, never written.
    word_first : ndarray of int64, shape (words + 1,)
        The arcs of word ``w`` are ``arcs[word_first[w]:word_first[w + 1]]``.
    sizes : ndarray of int32, shape (words,)
        Symbols of each word.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    places_first : ndarray of int64, shape (candidates + 1,)
        Candidate ``c`` occurs in the words ``places[places_first[c]:places_first[c + 1]]``.
    places : ndarray of int32
        Words, each once for a candidate, ascending.
    place_arc : ndarray of int32
        The candidate's first arc in that word.
    locked : ndarray of uint8, shape (candidates,)
        1 for what is never dropped, nor added but by `load`.
    groups : ndarray of uint64, shape (candidates,)
        A bit for each group that a candidate is of.
    room : ndarray of int64, shape (groups,)
        How many more of each group may be chosen.
    """
    cdef const int32_t[:, ::1] arcs
    cdef const int64_t[::1] word_first
    cdef const int32_t[::1] sizes
    cdef const int64_t[::1] counts
    cdef const int64_t[::1] places_first
    cdef const int32_t[::1] places
    cdef const int32_t[::1] place_arc    # the first arc there
    cdef const uint8_t[::1] locked
    cdef const uint64_t[::1] groups
    cdef int64_t[::1] room
    cdef uint64_t full                   # groups without room
    cdef uint64_t over                   # groups beyond their budget
    cdef uint8_t[::1] chosen
    cdef int64_t[::1] worth
    # in one word, at the candidate's first arc there: what it is worth; below 0, by how much a
    # word would cost more along the arc of a candidate that occurs once
    cdef int32_t[::1] part
    cdef int32_t[::1] cost
    cdef int32_t[::1] most_missed        # the largest loss in a word
    cdef int32_t[::1] members            # chosen candidates that may be dropped
    cdef int32_t[::1] slot               # where a candidate stands among them
    cdef Py_ssize_t many                 # of them
    cdef int64_t least                   # the least of their losses, or -1 if it is not known
    cdef int32_t[::1] block_best
    cdef uint8_t[::1] stale
    cdef readonly int64_t total          # tokens needed; 0 before `load`
    cdef readonly int64_t work           # arcs looked at so far
    cdef uint64_t random
    # scratch of one word
    cdef int32_t[::1] ahead
    cdef int32_t[::1] behind
    cdef int32_t[::1] other
    cdef int32_t[::1] via
    cdef int32_t[::1] active
    cdef uint8_t[::1] on_path
    # scratch of one swap
    cdef uint8_t[::1] touch
    cdef int32_t[::1] touched
    cdef int64_t[::1] change

    def __init__(self, arcs, word_first, sizes, counts, places_first, places, place_arc,
                 locked, groups, room):
        cdef Py_ssize_t w
        cdef Py_ssize_t longest = 0
        cdef Py_ssize_t most = 0
        self.arcs = arcs
        self.word_first = word_first
        self.sizes = sizes
        self.counts = counts
        self.places_first = places_first
        self.places = places
        self.place_arc = place_arc
        self.locked = locked
        self.groups = groups
        self.room = room.copy()
        for w in range(self.room.shape[0]):
            if self.room[w] <= 0:
                self.full |= (<uint64_t> 1) << w
        n = self.places_first.shape[0] - 1
        self.chosen = np.zeros(n, np.uint8)
        self.worth = np.zeros(n, np.int64)
        self.part = np.zeros(self.arcs.shape[0], np.int32)
        self.cost = np.zeros(self.sizes.shape[0], np.int32)
        self.most_missed = np.zeros(self.sizes.shape[0], np.int32)
        self.members = np.zeros(n, np.int32)
        self.slot = np.full(n, -1, np.int32)
        blocks = (n + BLOCK - 1) // BLOCK
        self.block_best = np.full(blocks, -1, np.int32)
        self.stale = np.ones(blocks, np.uint8)
        for w in range(self.sizes.shape[0]):
            longest = max(longest, self.sizes[w])
            most = max(most, self.word_first[w + 1] - self.word_first[w])
        self.ahead = np.zeros(longest + 1, np.int32)
        self.behind = np.zeros(longest + 1, np.int32)
        self.other = np.zeros(longest + 1, np.int32)
        self.via = np.zeros(longest + 1, np.int32)
        self.active = np.zeros(most + 1, np.int32)
        self.on_path = np.zeros(most + 1, np.uint8)
        self.touch = np.zeros(n, np.uint8)
        self.touched = np.zeros(n, np.int32)
        self.change = np.zeros(n, np.int64)

    def load(self, const int32_t[::1] chosen):
        """Choose exactly these candidates."""
        cdef Py_ssize_t i
        cdef Py_ssize_t w
        self.least = -1
        with nogil:
            for i in range(self.chosen.shape[0]):
                if self.chosen[i]:
                    self._mark(<int32_t> i)
            for i in range(chosen.shape[0]):
                self._mark(chosen[i])
            for w in range(self.sizes.shape[0]):
                self._refresh(w)

    def copy(self, State other):
        """Become as another state over the same arrays is; its random numbers are not taken."""
        self.room[:] = other.room
        self.full = other.full
        self.over = other.over
        self.chosen[:] = other.chosen
        self.worth[:] = other.worth
        self.part[:] = other.part
        self.cost[:] = other.cost
        self.most_missed[:] = other.most_missed
        self.members[:] = other.members
        self.slot[:] = other.slot
        self.many = other.many
        self.least = other.least
        self.block_best[:] = other.block_best
        self.stale[:] = other.stale
        self.total = other.total

    def seed(self, uint64_t value):
        """Start the random numbers anew."""
        self.random = value

    def flip(self, int32_t c):
        """Add a candidate, or drop it."""
        with nogil:
            self._flip(c)

    def picked(self):
        """The chosen candidates, ascending: ndarray of int32."""
        return np.flatnonzero(self.chosen).astype(np.int32)

    def worths(self):
        """What each candidate is worth: the loss of a chosen one, the gain of another."""
        return np.array(self.worth)

    def fill(self, Py_ssize_t size):
        """Add what gains most, again and again, up to `size` that may be dropped.

        Ties go to the first candidate.  Stops where nothing gains.
        """
        cdef int32_t c
        with nogil:
            while self.many < size:
                c = self._best()
                if c < 0:
                    break
                self._flip(c)

    def pad(self, Py_ssize_t size):
        """Add the first candidates that may be added, up to `size` that may be dropped."""
        cdef Py_ssize_t c
        with nogil:
            for c in range(self.chosen.shape[0]):
                if self.many >= size:
                    break
                if self._may_add(c):
                    self._flip(<int32_t> c)

    def trim(self, Py_ssize_t size):
        """Drop what loses least, again and again, down to `size` that may be dropped.

        What is of a group beyond its budget goes first, whatever the size.
        """
        cdef int32_t c
        with nogil:
            while self.many > size or self.over:
                c = self._least()
                if c < 0:
                    break
                self._flip(c)

    cdef void _mark(self, int32_t c) noexcept nogil:
        """Add or drop a candidate, without a look at the words."""
        cdef Py_ssize_t g
        cdef int32_t last
        cdef int step = 1 if self.chosen[c] else -1
        self.chosen[c] ^= 1
        self.stale[c // BLOCK] = 1
        if self.room.shape[0] and self.groups[c]:
            for g in range(self.room.shape[0]):
                if self.groups[c] >> g & 1:
                    self.room[g] += step
                    if self.room[g] > 0:
                        self.full &= ~((<uint64_t> 1) << g)
                    else:
                        self.full |= (<uint64_t> 1) << g
                    if self.room[g] < 0:
                        self.over |= (<uint64_t> 1) << g
                    else:
                        self.over &= ~((<uint64_t> 1) << g)
        if self.locked[c]:
            return
        if self.chosen[c]:
            self.slot[c] = <int32_t> self.many
            self.members[self.many] = c
            self.many += 1
        else:
            self.many -= 1
            last = self.members[self.many]
            self.members[self.slot[c]] = last
            self.slot[last] = self.slot[c]
            self.slot[c] = -1

    cdef void _flip(self, int32_t c) noexcept nogil:
        cdef int64_t i
        self._mark(c)
        self.least = -1
        for i in range(self.places_first[c], self.places_first[c + 1]):
            self._refresh(self.places[i])

    cdef void _refresh(self, Py_ssize_t w) noexcept nogil:
        """Cost of a word, and what each of its candidates is worth in it."""
        cdef const Arc *arcs = <const Arc *> &self.arcs[0, 0] + self.word_first[w]
        cdef int32_t *part = &self.part[0] + self.word_first[w]
        cdef int32_t base = <int32_t> self.word_first[w]
        cdef Py_ssize_t size = self.sizes[w]
        cdef Py_ssize_t length = self.word_first[w + 1] - self.word_first[w]
        cdef int64_t count = self.counts[w]
        cdef int32_t *ahead = &self.ahead[0]
        cdef int32_t *behind = &self.behind[0]
        cdef int32_t *active = &self.active[0]
        cdef const uint8_t *chosen = &self.chosen[0]
        cdef Py_ssize_t a, i, j, used
        cdef int32_t value, cost, c, old
        cdef int32_t most_missed = 0
        used = self._forward(arcs, length, size, base)
        for i in range(size + 1):
            behind[i] = <int32_t> (size - i)
        cost = ahead[size]
        j = used - 1
        for i in range(size - 1, -1, -1):
            value = min(behind[i], behind[i + 1] + 1)
            while j >= 0 and arcs[active[j]].start == i:
                value = min(value, behind[arcs[active[j]].end] + 1)
                j -= 1
            behind[i] = value
        self.total += count * (cost - self.cost[w])
        self.cost[w] = cost
        for a in range(length):
            if arcs[a].head != base + a:
                continue
            c = arcs[a].candidate
            if chosen[c]:
                value = 0
                if self.on_path[a]:
                    value = self._without(arcs, used, size, c) - cost
                    most_missed = max(most_missed, value)
            elif arcs[a].next < 0:
                value = cost - 1 - ahead[arcs[a].start] - behind[arcs[a].end]
            else:
                value = cost - self._with(arcs, used, size, base, a)
            old = max(0, part[a])
            part[a] = value
            value = max(0, value)
            if value != old:
                self.worth[c] += count * (value - old)
                self.stale[c // BLOCK] = 1
        self.most_missed[w] = most_missed

    cdef Py_ssize_t _forward(self, const Arc *arcs, Py_ssize_t length, Py_ssize_t size,
                             int32_t base) noexcept nogil:
        """Chosen arcs, `active`; distances from the start, `ahead`; and what is on a path."""
        cdef int32_t *ahead = &self.ahead[0]
        cdef int32_t *via = &self.via[0]
        cdef int32_t *active = &self.active[0]
        cdef Py_ssize_t a, i
        cdef Py_ssize_t j = 0
        cdef Py_ssize_t used = 0
        cdef int32_t now
        for a in range(length):
            self.on_path[a] = 0
            active[used] = <int32_t> a
            used += self.chosen[arcs[a].candidate]
        self.work += length + used
        for i in range(size + 1):
            ahead[i] = <int32_t> i
            via[i] = -1
        for i in range(size):
            now = ahead[i] + 1
            if now < ahead[i + 1]:
                ahead[i + 1] = now
                via[i + 1] = -1
            while j < used and arcs[active[j]].start == i:
                if now < ahead[arcs[active[j]].end]:
                    ahead[arcs[active[j]].end] = now
                    via[arcs[active[j]].end] = active[j]
                j += 1
        i = size
        while i > 0:  # only what is on this path can be missed
            if via[i] < 0:
                i -= 1
            else:
                a = via[i]
                self.on_path[arcs[a].head - base] = 1
                i = arcs[a].start
        return used

    cdef int32_t _try(self, int32_t a, int64_t most, int64_t *loss) noexcept nogil:
        """What loses least once `a` is added, and how much.

        -1 if nothing may be dropped, or if it is clear that all lose more than `most`.
        """
        cdef int64_t i
        cdef Py_ssize_t w, b, used, length
        cdef const Arc *arcs
        cdef int32_t base, d, value
        cdef const int32_t *part
        cdef Py_ssize_t touched = 0
        cdef int32_t best = NOTHING
        cdef int64_t least = 0
        cdef int64_t now, spare
        cdef uint64_t tight = self.groups[a] & self.full
        # in each word a loss can fall by no more than the largest there
        if self.least < 0:
            self.least = self.worth[self._least()]
        spare = self.least - most
        for i in range(self.places_first[a], self.places_first[a + 1]):
            if spare <= 0:
                break
            w = self.places[i]
            b = self.place_arc[i]
            if self.part[b] + self.most_missed[w] > 0 or self.arcs[b, 4] >= 0:
                spare -= self.counts[w] * self.most_missed[w]
        self.work += (self.places_first[a + 1] - self.places_first[a]) // 4
        if spare > 0:
            return NOTHING
        self.chosen[a] = 1
        for i in range(self.places_first[a], self.places_first[a + 1]):
            w = self.places[i]
            b = self.place_arc[i]
            # no path along the arc is as short as what any loss leads to
            if self.part[b] + self.most_missed[w] <= 0 and self.arcs[b, 4] < 0:
                self.work += 1
                continue
            base = <int32_t> self.word_first[w]
            length = self.word_first[w + 1] - base
            arcs = <const Arc *> &self.arcs[0, 0] + base
            part = &self.part[0] + base
            used = self._forward(arcs, length, self.sizes[w], base)
            for b in range(used):
                d = arcs[self.active[b]].candidate
                if arcs[self.active[b]].head != base + self.active[b] or d == a:
                    continue
                value = 0
                if self.on_path[self.active[b]]:
                    value = self._without(arcs, used, self.sizes[w], d) - self.ahead[self.sizes[w]]
                if value != part[self.active[b]] and self.slot[d] >= 0:
                    if not self.touch[d]:
                        self.touch[d] = 1
                        self.touched[touched] = d
                        touched += 1
                    self.change[d] += self.counts[w] * (value - part[self.active[b]])
        self.chosen[a] = 0
        for i in range(touched):
            d = self.touched[i]
            now = self.worth[d] + self.change[d]
            if not tight & ~self.groups[d]:
                if best < 0 or now < least or (now == least and d < best):
                    best = d
                    least = now
        self.work += self.many // 8
        for i in range(self.many):
            d = self.members[i]
            if self.touch[d] or (tight and tight & ~self.groups[d]):
                continue
            if best < 0 or self.worth[d] < least or (self.worth[d] == least and d < best):
                best = d
                least = self.worth[d]
        for i in range(touched):
            self.touch[self.touched[i]] = 0
            self.change[self.touched[i]] = 0
        loss[0] = least
        return best

    def anneal(self, const int32_t[::1] offers, const int32_t[::1] chances, int64_t heat,
               int64_t tries, int64_t work):
        """Try random swaps, and make those that are not much worse.

        An offer is drawn, and what loses least beside it; the swap is made if it needs at most
        ``heat * chance / 1024`` more tokens, a chance drawn too.

        Parameters
        ----------
        offers : ndarray of int32
            What may be added; not empty.
        chances : ndarray of int32
            At least 0, below 2^14.
        heat : int
            At least 0, below 2^48.
        tries, work : int
            After so many draws, or about so many arcs, it returns.

        Returns
        -------
        int
            Draws made.
        """
        cdef int64_t until = self.work + work
        cdef int64_t loss, allowed
        cdef int64_t done = 0
        cdef int32_t a, d
        with nogil:
            while done < tries and self.work < until:
                done += 1
                self.work += 4
                a = offers[self._draw(offers.shape[0])]
                allowed = min(heat * chances[self._draw(chances.shape[0])] // 1024,
                              LLONG_MAX - self.worth[a])
                if self.many == 0 or self.chosen[a] or (self.worth[a] == 0 and allowed == 0):
                    continue
                d = self._try(a, self.worth[a] + allowed, &loss)
                if d >= 0 and loss - self.worth[a] <= allowed:
                    self._flip(a)
                    self._flip(d)
        return done

    def sweep(self, const int32_t[::1] offers, Py_ssize_t first, int64_t work):
        """Make the swaps that gain, each with what loses least beside the offer.

        Parameters
        ----------
        offers : ndarray of int32
            What may be added, in the order in which it is tried.
        first : int
            The first offer to try.
        work : int
            After about so many arcs it returns.

        Returns
        -------
        tuple of int
            The offer to go on with, and how many swaps were made.
        """
        cdef int64_t until = self.work + work
        cdef int64_t loss
        cdef int32_t a, d
        cdef Py_ssize_t i = first
        cdef int64_t made = 0
        with nogil:
            while i < offers.shape[0] and self.work < until and self.many:
                a = offers[i]
                i += 1
                self.work += 4
                if self.chosen[a] or self.worth[a] == 0:
                    continue
                d = self._try(a, self.worth[a] - 1, &loss)
                if d >= 0 and loss < self.worth[a]:
                    self._flip(a)
                    self._flip(d)
                    made += 1
        return (i if self.many else offers.shape[0]), made

    def swap(self, int32_t a):
        """What loses least once `a` is added, and how much then; (-1, 0) if nothing may go."""
        cdef int64_t loss = 0
        cdef int32_t d = NOTHING
        if self.many:
            d = self._try(a, LLONG_MAX, &loss)
        return d, loss

    cdef int32_t _without(self, const Arc *arcs, Py_ssize_t used, Py_ssize_t size,
                          int32_t c) noexcept nogil:
        """The cost of a word without one of the chosen candidates."""
        cdef int32_t *other = &self.other[0]
        cdef Py_ssize_t i
        cdef Py_ssize_t j = 0
        cdef int32_t now
        self.work += used
        for i in range(size + 1):
            other[i] = <int32_t> i
        for i in range(size):
            now = other[i] + 1
            other[i + 1] = min(other[i + 1], now)
            while j < used and arcs[self.active[j]].start == i:
                if arcs[self.active[j]].candidate != c:
                    other[arcs[self.active[j]].end] = min(other[arcs[self.active[j]].end], now)
                j += 1
        return other[size]

    cdef int32_t _with(self, const Arc *arcs, Py_ssize_t used, Py_ssize_t size, int32_t base,
                       Py_ssize_t head) noexcept nogil:
        """The cost of a word with one more candidate, which occurs more than once."""
        cdef int32_t *other = &self.other[0]
        cdef Py_ssize_t i
        cdef Py_ssize_t j = 0
        cdef int32_t place = <int32_t> head
        cdef int32_t now
        self.work += used
        for i in range(size + 1):
            other[i] = <int32_t> i
        for i in range(size):
            now = other[i] + 1
            other[i + 1] = min(other[i + 1], now)
            while j < used and arcs[self.active[j]].start == i:
                other[arcs[self.active[j]].end] = min(other[arcs[self.active[j]].end], now)
                j += 1
            while place >= 0 and arcs[place].start == i:
                other[arcs[place].end] = min(other[arcs[place].end], now)
                place = arcs[place].next - base if arcs[place].next >= 0 else -1
        return other[size]

    cdef inline bint _may_add(self, Py_ssize_t c) noexcept nogil:
        return not (self.chosen[c] or self.locked[c] or self.groups[c] & self.full)

    cdef int32_t _best(self) noexcept nogil:
        """What gains most, the first of equals; -1 if nothing gains."""
        cdef int32_t best = NOTHING
        cdef int64_t gain = 0
        cdef Py_ssize_t block, c
        cdef Py_ssize_t n = self.chosen.shape[0]
        if self.full:
            self.work += n // 16
            for c in range(n):
                if self.worth[c] > gain and self._may_add(c):
                    best = <int32_t> c
                    gain = self.worth[c]
            return best
        for block in range(self.stale.shape[0]):
            if self.stale[block]:
                self._find_best(block)
            c = self.block_best[block]
            if c >= 0 and self.worth[c] > gain:
                best = <int32_t> c
                gain = self.worth[c]
        return best

    cdef void _find_best(self, Py_ssize_t block) noexcept nogil:
        cdef Py_ssize_t c
        cdef Py_ssize_t end = min(self.chosen.shape[0], (block + 1) * BLOCK)
        cdef int64_t gain = 0
        self.block_best[block] = NOTHING
        self.stale[block] = 0
        self.work += BLOCK // 16
        for c in range(block * BLOCK, end):
            if self.worth[c] > gain and not self.chosen[c] and not self.locked[c]:
                self.block_best[block] = <int32_t> c
                gain = self.worth[c]

    cdef int32_t _least(self) noexcept nogil:
        """What loses least, the first of equals; of a group beyond its budget if any is."""
        cdef int32_t best = NOTHING
        cdef int32_t c
        cdef Py_ssize_t i
        self.work += self.many // 8
        for i in range(self.many):
            c = self.members[i]
            if self.over and not self.groups[c] & self.over:
                continue
            if (best < 0 or self.worth[c] < self.worth[best]
                    or (self.worth[c] == self.worth[best] and c < best)):
                best = c
        return best

    cdef uint64_t _draw(self, uint64_t below) noexcept nogil:
        """A random number (splitmix64, Steele, Lea and Flood 2014)."""
        cdef uint64_t z
        self.random += <uint64_t> 0x9E3779B97F4A7C15
        z = self.random
        z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
        z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
        return (z ^ (z >> 31)) % below
