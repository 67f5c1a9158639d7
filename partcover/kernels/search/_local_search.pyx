# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Changes a vocabulary candidate by candidate, with all gains and losses always exact.

An arc is an occurrence of a candidate in a word, from one boundary between symbols to a later
one.  The cost of a word is the fewest arcs and single symbols that lead from its start to its end.
The worth of a candidate in a word is how much the word's cost changes with it: for a chosen
candidate the loss if it is dropped, for another the gain if it is added.  Adding or dropping a
candidate updates only the words in which it occurs.
"""

from libc.limits cimport LLONG_MAX
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

include "_arc.pxi"
include "../shared/_numpy.pxi"
include "../shared/_splitmix.pxi"
include "_word_paths.pxi"

cdef enum:
    BLOCK = 128          # candidates in a block, for which the best one is recorded
    NO_CANDIDATE = -1


cdef class State:
    """Holds the chosen candidates, the words' costs, and the worth of each candidate.

    Parameters
    ----------
    arcs : ndarray of int32, shape (arcs, 5)
        Start, end, candidate, and first and next arc of the same candidate in the word; ordered
        by word, start, end.  States share this array and never write to it.
    word_first : ndarray of int64, shape (words + 1,)
        The arcs of word ``w`` are ``arcs[word_first[w]:word_first[w + 1]]``.
    sizes : ndarray of int32, shape (words,)
        Symbols of each word.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    places_first : ndarray of int64, shape (candidates + 1,)
        Candidate ``c`` occurs in the words ``places[places_first[c]:places_first[c + 1]]``.
    places : ndarray of int32
        For each candidate its words, ascending, each once.
    place_arc : ndarray of int32
        The candidate's first arc in that word.
    locked : ndarray of uint8, shape (candidates,)
        1 for candidates that are never dropped and that only `load` adds.
    groups : ndarray of uint64, shape (candidates,)
        A bit for each group that a candidate belongs to.
    room : ndarray of int64, shape (groups,)
        The number of candidates of each group that may still be chosen.
    """
    cdef const int32_t[:, ::1] arcs
    cdef const int64_t[::1] word_first
    cdef const int32_t[::1] sizes
    cdef const int64_t[::1] counts
    cdef const int64_t[::1] places_first
    cdef const int32_t[::1] places
    cdef const int32_t[::1] place_arc    # the candidate's first arc in the word
    cdef const uint8_t[::1] locked
    cdef const uint64_t[::1] groups
    cdef int64_t[::1] room
    cdef uint64_t full                   # groups with no room left
    cdef uint64_t over                   # groups over their budget
    cdef uint8_t[::1] chosen
    cdef int64_t[::1] worth
    # A candidate's worth in one word, stored at its first arc there.  A negative value is for a
    # candidate that occurs once: how much more the word would cost along its arc.
    cdef int32_t[::1] part
    cdef int32_t[::1] cost
    cdef int32_t[::1] max_loss           # the largest loss in each word
    cdef int32_t[::1] members            # chosen candidates that may be dropped
    cdef int32_t[::1] slot               # a candidate's index among the members, or -1
    cdef Py_ssize_t n_members
    cdef int64_t min_loss                # the smallest loss of a member, or -1 if it is not known
    cdef int32_t[::1] block_best
    cdef uint8_t[::1] stale
    cdef readonly int64_t total          # tokens needed; 0 before `load`
    cdef readonly int64_t work           # number of arcs examined so far
    cdef uint64_t random
    # scratch memory for one word
    cdef int32_t[::1] ahead
    cdef int32_t[::1] behind
    cdef int32_t[::1] scratch
    cdef int32_t[::1] via
    cdef int32_t[::1] active
    cdef uint8_t[::1] on_path
    # scratch memory for one swap
    cdef uint8_t[::1] touch
    cdef int32_t[::1] touched
    cdef int64_t[::1] change

    def __init__(self, arcs, word_first, sizes, counts, places_first, places, place_arc,
                 locked, groups, room):
        cdef Py_ssize_t w
        cdef Py_ssize_t longest = 0
        cdef Py_ssize_t max_arcs = 0
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
        self.max_loss = np.zeros(self.sizes.shape[0], np.int32)
        self.members = np.zeros(n, np.int32)
        self.slot = np.full(n, -1, np.int32)
        blocks = (n + BLOCK - 1) // BLOCK
        self.block_best = np.full(blocks, -1, np.int32)
        self.stale = np.ones(blocks, np.uint8)
        for w in range(self.sizes.shape[0]):
            longest = max(longest, self.sizes[w])
            max_arcs = max(max_arcs, self.word_first[w + 1] - self.word_first[w])
        self.ahead = np.zeros(longest + 1, np.int32)
        self.behind = np.zeros(longest + 1, np.int32)
        self.scratch = np.zeros(longest + 1, np.int32)
        self.via = np.zeros(longest + 1, np.int32)
        self.active = np.zeros(max_arcs + 1, np.int32)
        self.on_path = np.zeros(max_arcs + 1, np.uint8)
        self.touch = np.zeros(n, np.uint8)
        self.touched = np.zeros(n, np.int32)
        self.change = np.zeros(n, np.int64)

    def load(self, const int32_t[::1] chosen):
        """Chooses exactly these candidates."""
        cdef Py_ssize_t i
        cdef Py_ssize_t w
        self.min_loss = -1
        with nogil:
            for i in range(self.chosen.shape[0]):
                if self.chosen[i]:
                    self._mark(<int32_t> i)
            for i in range(chosen.shape[0]):
                self._mark(chosen[i])
            for w in range(self.sizes.shape[0]):
                self._refresh(w)

    def copy(self, State other):
        """Copies another state over the same arrays, except its random numbers."""
        self.room[:] = other.room
        self.full = other.full
        self.over = other.over
        self.chosen[:] = other.chosen
        self.worth[:] = other.worth
        self.part[:] = other.part
        self.cost[:] = other.cost
        self.max_loss[:] = other.max_loss
        self.members[:] = other.members
        self.slot[:] = other.slot
        self.n_members = other.n_members
        self.min_loss = other.min_loss
        self.block_best[:] = other.block_best
        self.stale[:] = other.stale
        self.total = other.total

    def seed(self, uint64_t value):
        """Sets the random seed."""
        self.random = value

    def flip(self, int32_t c):
        """Adds a candidate, or drops it if it is chosen."""
        with nogil:
            self._flip(c)

    def picked(self):
        """Returns the chosen candidates, ascending: ndarray of int32."""
        return np.flatnonzero(self.chosen).astype(np.int32)

    def worths(self):
        """Returns the worth of each candidate: the loss of a chosen one, the gain of another."""
        return np.array(self.worth)

    def fill(self, Py_ssize_t size):
        """Adds the candidate with the largest gain until `size` chosen ones may be dropped.

        Ties go to the first candidate.  It stops early if no candidate has a gain.
        """
        cdef int32_t c
        with nogil:
            while self.n_members < size:
                c = self._best()
                if c < 0:
                    break
                self._flip(c)

    def pad(self, Py_ssize_t size):
        """Adds the first candidates that may be added until `size` chosen ones may be dropped."""
        cdef Py_ssize_t c
        with nogil:
            for c in range(self.chosen.shape[0]):
                if self.n_members >= size:
                    break
                if self._may_add(c):
                    self._flip(<int32_t> c)

    def trim(self, Py_ssize_t size):
        """Drops the candidate with the smallest loss until `size` chosen ones may be dropped.

        Candidates of groups over their budgets are dropped first, whatever the size.
        """
        cdef int32_t c
        with nogil:
            while self.n_members > size or self.over:
                c = self._cheapest()
                if c < 0:
                    break
                self._flip(c)

    cdef void _mark(self, int32_t c) noexcept nogil:
        """Adds or drops a candidate without updating the words."""
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
            self.slot[c] = <int32_t> self.n_members
            self.members[self.n_members] = c
            self.n_members += 1
        else:
            self.n_members -= 1
            last = self.members[self.n_members]
            self.members[self.slot[c]] = last
            self.slot[last] = self.slot[c]
            self.slot[c] = -1

    cdef void _flip(self, int32_t c) noexcept nogil:
        """Adds or drops a candidate, and updates its words."""
        cdef int64_t i
        self._mark(c)
        self.min_loss = -1
        for i in range(self.places_first[c], self.places_first[c + 1]):
            self._refresh(self.places[i])

    cdef void _refresh(self, Py_ssize_t w) noexcept nogil:
        """Updates the cost of a word and the worth of each candidate in it."""
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
        cdef int32_t max_loss = 0
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
                    self.work += used
                    value = _cost_without(arcs, active, used, size, c, &self.scratch[0]) - cost
                    max_loss = max(max_loss, value)
            elif arcs[a].next < 0:
                value = cost - 1 - ahead[arcs[a].start] - behind[arcs[a].end]
            else:
                self.work += used
                value = cost - _cost_with(arcs, active, used, size, base, a, &self.scratch[0])
            old = max(0, part[a])
            part[a] = value
            value = max(0, value)
            if value != old:
                self.worth[c] += count * (value - old)
                self.stale[c // BLOCK] = 1
        self.max_loss[w] = max_loss

    cdef Py_ssize_t _forward(self, const Arc *arcs, Py_ssize_t length, Py_ssize_t size,
                             int32_t base) noexcept nogil:
        """Finds the chosen arcs `active`, the costs from the start `ahead`, and a shortest path."""
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
        while i > 0:  # only candidates on this path can have a loss
            if via[i] < 0:
                i -= 1
            else:
                a = via[i]
                self.on_path[arcs[a].head - base] = 1
                i = arcs[a].start
        return used

    cdef int32_t _try(self, int32_t a, int64_t limit, int64_t *loss) noexcept nogil:
        """Finds the candidate with the smallest loss after `a` is added, and that loss.

        Returns -1 if no candidate may be dropped, or if every loss is certainly above `limit`.
        """
        cdef int64_t i
        cdef Py_ssize_t w, b, used, length
        cdef const Arc *arcs
        cdef int32_t base, d, value
        cdef const int32_t *part
        cdef Py_ssize_t n_touched = 0
        cdef int32_t best = NO_CANDIDATE
        cdef int64_t smallest = 0
        cdef int64_t now, spare
        cdef uint64_t tight = self.groups[a] & self.full
        # in each word a loss can decrease by at most the largest loss in the word
        if self.min_loss < 0:
            self.min_loss = self.worth[self._cheapest()]
        spare = self.min_loss - limit
        for i in range(self.places_first[a], self.places_first[a + 1]):
            if spare <= 0:
                break
            w = self.places[i]
            b = self.place_arc[i]
            if self.part[b] + self.max_loss[w] > 0 or self.arcs[b, 4] >= 0:
                spare -= self.counts[w] * self.max_loss[w]
        self.work += (self.places_first[a + 1] - self.places_first[a]) // 4
        if spare > 0:
            return NO_CANDIDATE
        self.chosen[a] = 1
        for i in range(self.places_first[a], self.places_first[a + 1]):
            w = self.places[i]
            b = self.place_arc[i]
            # no losses change if a path along the arc costs at least as much as the word does
            # without any one chosen candidate
            if self.part[b] + self.max_loss[w] <= 0 and self.arcs[b, 4] < 0:
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
                    self.work += used
                    value = _cost_without(arcs, &self.active[0], used, self.sizes[w], d,
                                          &self.scratch[0]) - self.ahead[self.sizes[w]]
                if value != part[self.active[b]] and self.slot[d] >= 0:
                    if not self.touch[d]:
                        self.touch[d] = 1
                        self.touched[n_touched] = d
                        n_touched += 1
                    self.change[d] += self.counts[w] * (value - part[self.active[b]])
        self.chosen[a] = 0
        for i in range(n_touched):
            d = self.touched[i]
            now = self.worth[d] + self.change[d]
            if not tight & ~self.groups[d]:
                if best < 0 or now < smallest or (now == smallest and d < best):
                    best = d
                    smallest = now
        self.work += self.n_members // 8
        for i in range(self.n_members):
            d = self.members[i]
            if self.touch[d] or (tight and tight & ~self.groups[d]):
                continue
            if best < 0 or self.worth[d] < smallest or (self.worth[d] == smallest and d < best):
                best = d
                smallest = self.worth[d]
        for i in range(n_touched):
            self.touch[self.touched[i]] = 0
            self.change[self.touched[i]] = 0
        loss[0] = smallest
        return best

    def anneal(self, const int32_t[::1] offers, const int32_t[::1] chances, int64_t heat,
               int64_t tries, int64_t work):
        """Tries random swaps, and makes those that cost little: simulated annealing.

        Each try draws one of `offers` and one of `chances`, and finds the candidate with the
        smallest loss after the offer is added.  The swap is made if it costs at most
        ``heat * chance / 1024`` more tokens.

        Parameters
        ----------
        offers : ndarray of int32
            Candidates to add; not empty.
        chances : ndarray of int32
            Random factors of the temperature, at least 0 and below 2^14.
        heat : int
            The temperature, at least 0 and below 2^48.
        tries, work : int
            The maximum number of tries, and approximately that of examined arcs.

        Returns
        -------
        int
            The number of tries made.
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
                if self.n_members == 0 or self.chosen[a] or (self.worth[a] == 0 and allowed == 0):
                    continue
                d = self._try(a, self.worth[a] + allowed, &loss)
                if d >= 0 and loss - self.worth[a] <= allowed:
                    self._flip(a)
                    self._flip(d)
        return done

    def sweep(self, const int32_t[::1] offers, Py_ssize_t first, int64_t work):
        """Makes every swap that gains; each drops the candidate with the smallest loss.

        Parameters
        ----------
        offers : ndarray of int32
            Candidates to add, in the order in which they are tried.
        first : int
            The index of the first offer to try.
        work : int
            Approximately the maximum number of examined arcs.

        Returns
        -------
        tuple of int
            The index of the offer to continue with, and the number of swaps made.
        """
        cdef int64_t until = self.work + work
        cdef int64_t loss
        cdef int32_t a, d
        cdef Py_ssize_t i = first
        cdef int64_t made = 0
        with nogil:
            while i < offers.shape[0] and self.work < until and self.n_members:
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
        return (i if self.n_members else offers.shape[0]), made

    def swap(self, int32_t a):
        """Finds the candidate of the smallest loss once `a` is added, and the loss, or (-1, 0)."""
        cdef int64_t loss = 0
        cdef int32_t d = NO_CANDIDATE
        if self.n_members:
            d = self._try(a, LLONG_MAX, &loss)
        return d, loss

    cdef inline bint _may_add(self, Py_ssize_t c) noexcept nogil:
        return not (self.chosen[c] or self.locked[c] or self.groups[c] & self.full)

    cdef int32_t _best(self) noexcept nogil:
        """The first candidate with the largest gain; -1 if none has a gain."""
        cdef int32_t best = NO_CANDIDATE
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
        """Updates the recorded best candidate of a block."""
        cdef Py_ssize_t c
        cdef Py_ssize_t end = min(self.chosen.shape[0], (block + 1) * BLOCK)
        cdef int64_t gain = 0
        self.block_best[block] = NO_CANDIDATE
        self.stale[block] = 0
        self.work += BLOCK // 16
        for c in range(block * BLOCK, end):
            if self.worth[c] > gain and not self.chosen[c] and not self.locked[c]:
                self.block_best[block] = <int32_t> c
                gain = self.worth[c]

    cdef int32_t _cheapest(self) noexcept nogil:
        """The first candidate with the smallest loss; in a group over its budget if one is."""
        cdef int32_t best = NO_CANDIDATE
        cdef int32_t c
        cdef Py_ssize_t i
        self.work += self.n_members // 8
        for i in range(self.n_members):
            c = self.members[i]
            if self.over and not self.groups[c] & self.over:
                continue
            if (best < 0 or self.worth[c] < self.worth[best]
                    or (self.worth[c] == self.worth[best] and c < best)):
                best = c
        return best

    cdef uint64_t _draw(self, uint64_t below) noexcept nogil:
        """A random number from 0 to `below` - 1."""
        return _next_bits(&self.random) % below
