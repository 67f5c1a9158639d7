# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Prices the words of a tail by the multipliers of tokens, and sums the rewards of tokens.

`partcover.verification.tail_check` states the rule, and is the slow twin.  A token's
multiplier (`tolls`) is added to the cost 1 of each of its occurrences.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc

include "../shared/_hash.pxi"
include "../shared/_numpy.pxi"
include "../shared/_prefetch.pxi"

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15

cdef enum:
    MOST_TOKENS = 16  # as in `partcover.problem.certificates.tail`
    AHEAD = 3  # rows of substrings between prefetching a slot, prefetching its token, and use
    ROWS = 8          # rows in progress, at least 2 * AHEAD + 1
    STRIDE = 4        # symbols between two checks whether a known token can still match
    MOST_PREFIXES = 1 << 22


ctypedef fused symbol:
    const uint8_t
    const int32_t
    const int64_t


cdef extern from *:
    uint64_t _step "pc_step"(uint64_t sum, uint64_t block) noexcept nogil
    uint32_t _hash_sum "pc_hash_sum"(uint64_t sum) noexcept nogil


cdef struct Slot:
    uint32_t tag    # the hash of a token
    int32_t number  # the token's number plus 1; 0: the slot is free
    int64_t place   # where the token begins; its length is in the lowest 16 bits


cdef struct Look:
    uint64_t slot   # the slot where its look-up among the known tokens begins
    uint32_t tag    # the hash of the substring
    int32_t end     # where the substring ends


cdef struct Hit:
    int32_t start, end
    int32_t number  # the number of the known token from start to end
    int64_t cost    # 1 plus its multiplier, in units of `one`; -1 if it has none


cdef class KnownTokens:
    """A hash table of distinct known tokens, which threads may share.

    It is built anew in each process, because each process has its own random hash function.

    Parameters
    ----------
    data : ndarray of uint8, int32 or int64
        Symbols of the tokens.
    place, length : ndarray of int64 and int32, shape (tokens,)
        Where each token begins in `data`, and its length.
    longest : int
        Longer substrings are not looked up; at most 65535.
    """
    cdef tuple made_of
    cdef const uint8_t[::1] data
    cdef int width
    cdef readonly Py_ssize_t longest
    cdef object held
    cdef Slot *slots
    cdef uint64_t mask
    cdef uint8_t[::1] prefixes  # a Bloom filter of the prefixes of tokens that have whole strides
    cdef uint64_t prefix_mask

    def __cinit__(self, data, const int64_t[::1] place, const int32_t[::1] length,
                  Py_ssize_t longest):
        cdef Py_ssize_t n, size = place.shape[0]
        self.made_of = data, place.base, length.base, longest
        self.data, self.width = data.view(np.uint8), data.itemsize
        self.longest = longest
        self.mask = 1
        while self.mask < 2 * <uint64_t> size:
            self.mask = 2 * self.mask + 1
        self.held = np.zeros((self.mask + 1) * sizeof(Slot), np.uint8)  # in large pages
        self.slots = <Slot *> <uintptr_t> self.held.ctypes.data
        self.prefix_mask = min(2 * self.mask + 1, MOST_PREFIXES - 1)
        self.prefixes = np.zeros((self.prefix_mask >> 3) + 1, np.uint8)
        with nogil:
            for n in range(size):
                if length[n] <= longest:
                    self._insert(<int32_t> n, place[n], length[n])

    def __reduce__(self):
        return KnownTokens, self.made_of

    cdef void _insert(self, int32_t n, int64_t place, int32_t length) noexcept nogil:
        cdef uint64_t slot, sum = 0
        cdef uint32_t tag
        cdef int32_t i
        for i in range(length):
            sum = _step(sum, <uint64_t> self._symbol(place + i) + 1)
            if (i + 1) % STRIDE == 0:
                tag = _hash_sum(sum)
                self.prefixes[(tag & self.prefix_mask) >> 3] |= 1 << (tag & 7)
        tag = _hash_sum(sum)
        slot = tag & self.mask
        while self.slots[slot].number:
            slot = slot + 1 & self.mask
        self.slots[slot] = Slot(tag, n + 1, place << 16 | length)

    cdef inline int64_t _symbol(self, int64_t at) noexcept nogil:
        if self.width == 1:
            return self.data[at]
        if self.width == 4:
            return (<const int32_t *> &self.data[0])[at]
        return (<const int64_t *> &self.data[0])[at]

    cdef inline uint64_t _slot_of(self, uint32_t tag) noexcept nogil:
        """Returns the first slot with a hash, or a free one, and prefetches its token."""
        cdef uint64_t slot = tag & self.mask
        while self.slots[slot].number and self.slots[slot].tag != tag:
            slot = slot + 1 & self.mask
        if self.slots[slot].number:
            prefetch(&self.data[0] + self.width * (self.slots[slot].place >> 16))
        return slot

    cdef inline int32_t _number(self, uint64_t slot, uint32_t tag, const int64_t *token,
                                Py_ssize_t size) noexcept nogil:
        """Returns the number of a token, from the first slot with its hash on; -1 if unknown."""
        cdef int64_t place
        cdef Py_ssize_t i
        while self.slots[slot].number:
            place = self.slots[slot].place
            if self.slots[slot].tag == tag and place & 0xFFFF == size:
                i = 0
                while i < size and self._symbol((place >> 16) + i) == token[i]:
                    i += 1
                if i == size:
                    return self.slots[slot].number - 1
            slot = slot + 1 & self.mask
        return -1

    cdef int32_t find_one(self, const int64_t *token, Py_ssize_t size) noexcept nogil:
        """Returns the number of a token; -1 if it is unknown."""
        cdef uint64_t sum = 0
        cdef uint32_t tag
        cdef Py_ssize_t i
        for i in range(size):
            sum = _step(sum, <uint64_t> token[i] + 1)
        tag = _hash_sum(sum)
        return self._number(self._slot_of(tag), tag, token, size)

    cdef Py_ssize_t find(self, const int64_t *word, Py_ssize_t size, Look *looks,
                         Hit *hits) noexcept nogil:
        """Finds the known tokens in a word, ordered by start and then end; returns their number.

        `looks` must have room for `ROWS` entries for each symbol of the word, and `hits` for one
        entry for each of its substrings.
        """
        cdef Py_ssize_t row, start, end, stop, i, n_hits = 0
        cdef Py_ssize_t n[ROWS]
        cdef uint64_t sum, slot
        cdef uint32_t tag
        cdef int32_t number
        cdef Look *row_of
        for row in range(size - 1 + 2 * AHEAD):
            if row < size - 1:
                row_of = looks + (row % ROWS) * size
                i = 0
                sum = _step(0, <uint64_t> word[row] + 1)
                end, stop = row + 2, self.last(row, size)
                while end <= stop:
                    sum = _step(sum, <uint64_t> word[end - 1] + 1)
                    tag = _hash_sum(sum)
                    prefetch(self.slots + (tag & self.mask))
                    row_of[i].tag, row_of[i].end = tag, <int32_t> end
                    i += 1
                    if (end - row) % STRIDE == 0 and not self._goes_on(tag):
                        break
                    end += 1
                n[row % ROWS] = i
            start = row - AHEAD
            if 0 <= start < size - 1:
                row_of = looks + (start % ROWS) * size
                end, n[start % ROWS] = n[start % ROWS], 0
                for i in range(end):
                    slot = self._slot_of(row_of[i].tag)
                    if self.slots[slot].number:
                        row_of[n[start % ROWS]] = Look(slot, row_of[i].tag, row_of[i].end)
                        n[start % ROWS] += 1
            start -= AHEAD
            if start >= 0:
                row_of = looks + (start % ROWS) * size
                for i in range(n[start % ROWS]):
                    end = row_of[i].end
                    number = self._number(row_of[i].slot, row_of[i].tag, word + start, end - start)
                    if number >= 0:
                        hits[n_hits] = Hit(<int32_t> start, <int32_t> end, number, -1)
                        n_hits += 1
        return n_hits

    cdef inline bint _goes_on(self, uint32_t tag) noexcept nogil:
        """Whether a known token may begin with the strides that have this hash."""
        return self.prefixes[(tag & self.prefix_mask) >> 3] >> (tag & 7) & 1

    cdef inline Py_ssize_t last(self, Py_ssize_t start, Py_ssize_t size) noexcept nogil:
        """Returns the end of the longest substring that begins at `start` and is looked up."""
        return min(start + self.longest, size)

    def weights(self, const int64_t[::1] data, const int64_t[::1] offsets,
                const int64_t[::1] counts, Py_ssize_t most):
        """Returns how often each token occurs in words of at most `most` symbols."""
        cdef Py_ssize_t w, size, i
        cdef Look *looks = <Look *> malloc(ROWS * most * sizeof(Look))
        cdef Hit *hits = <Hit *> malloc((most * most // 2 + 1) * sizeof(Hit))
        weights = np.zeros(self.made_of[1].shape[0], np.int64)
        cdef int64_t[::1] view = weights
        if looks == NULL or hits == NULL:
            free(looks)
            free(hits)
            raise MemoryError
        with nogil:
            for w in range(counts.shape[0]):
                size = offsets[w + 1] - offsets[w]
                if size > most:
                    continue
                for i in range(self.find(&data[offsets[w]], size, looks, hits)):
                    view[hits[i].number] += counts[w]
        free(looks)
        free(hits)
        return weights


cdef class TokenSums:
    """Sums of the rewards of known tokens, and of the classes of all other substrings.

    Parameters
    ----------
    known : KnownTokens
        The known tokens.
    tolls : ndarray of int64, shape (tokens,)
        The multiplier of each token; -1 for a token that is not used.
    ignored : int
        Tokens with this number or a larger one have no reward.
    class_bits : int
        The number of classes is 2^class_bits.
    one : int
        The integer that stands for a price of 1.
    longest_priced : int
        Number of symbols of the longest word to which prices are given.
    sixteenths : int
        How many sixteenths of each price come from the multipliers.

    Attributes
    ----------
    sums : ndarray of int64, shape (tokens,)
        The reward of each known token, in units of 1 / (32 · one).
    classes : ndarray of int64
        The sum of the rewards in each class, in the same units.
    used : ndarray of bool, shape (tokens,)
        Whether the token's multiplier decides a price.  Without the tokens for which this is False
        all prices stay the same.
    total : int
        Σ c·Σ d of all words, in the same units.
    """
    cdef KnownTokens known
    cdef const int64_t[::1] tolls
    cdef int64_t[::1] sums_view, classes_view
    cdef uint8_t[::1] used_view
    cdef readonly object sums, classes, used
    cdef readonly int64_t total
    cdef int64_t one
    cdef Py_ssize_t ignored, longest_priced
    cdef int shift, sixteenths

    def __init__(self, KnownTokens known, tolls, Py_ssize_t ignored, int class_bits, int64_t one,
                 Py_ssize_t longest_priced, int sixteenths):
        self.known = known
        self.tolls = tolls
        self.one, self.ignored = one, ignored
        self.longest_priced = longest_priced
        self.shift = 64 - class_bits
        self.classes = np.zeros(1 << class_bits, np.int64)
        self.classes_view = self.classes
        self.sums = np.zeros(tolls.shape[0], np.int64)
        self.sums_view = self.sums
        self.used = np.zeros(tolls.shape[0], bool)
        self.used_view = self.used.view(np.uint8)
        self.sixteenths = sixteenths

    def add(self, const int64_t[::1] data, const int64_t[::1] offsets, const int64_t[::1] counts):
        """Adds words of the tail, which are one after another in `data`."""
        cdef Py_ssize_t w, size, n_hits, side = self.longest_priced + 1
        cdef Look *looks = <Look *> malloc(ROWS * side * sizeof(Look))
        cdef Hit *hits = <Hit *> malloc(side * side // 2 * sizeof(Hit))
        cdef int64_t *before = <int64_t *> malloc(2 * side * sizeof(int64_t))
        cdef const int64_t *word
        if looks == NULL or hits == NULL or before == NULL:
            free(looks)
            free(hits)
            free(before)
            raise MemoryError
        with nogil:
            for w in range(counts.shape[0]):
                size = offsets[w + 1] - offsets[w]
                word = &data[0] + offsets[w]
                if size > self.longest_priced:
                    self.total += 32 * self.one * counts[w]
                elif self.sixteenths == 0:
                    self._add_ends(word, size, counts[w])
                else:
                    n_hits = self.known.find(word, size, looks, hits)
                    self._add(word, size, counts[w], hits, n_hits, before, before + side)
        free(looks)
        free(hits)
        free(before)

    cdef void _add_ends(self, const int64_t *word, Py_ssize_t size,
                        int64_t count) noexcept nogil:
        """Adds a word in which only the two ends have prices: only the whole word has a reward."""
        self.total += 32 * min(size, 2) * self.one * count
        if 2 <= size <= self.known.longest:
            self._sum(self.known.find_one(word, size), _key(word, size), 32 * self.one * count)

    cdef inline void _sum(self, int32_t number, uint64_t key, int64_t worth) noexcept nogil:
        """Adds a token's reward in a word to the token's sum, or else to that of its class."""
        if number < 0:
            self.classes_view[key >> self.shift] += worth
        elif number < self.ignored:
            self.sums_view[number] += worth

    cdef void _add(self, const int64_t *word, Py_ssize_t size, int64_t count, Hit *hits,
                   Py_ssize_t n_hits, int64_t *before, int64_t *behind) noexcept nogil:
        """Adds a word whose known tokens have been found."""
        cdef Py_ssize_t start, end, i = 0
        cdef int64_t cost, worth, one = self.one
        cdef int sixteenths
        cdef uint64_t key
        cdef int32_t number
        cdef Hit *hit
        for end in range(size + 1):
            before[end] = end * one
        for start in range(size):
            if start and before[start - 1] + one < before[start]:
                before[start] = before[start - 1] + one
            while i < n_hits and hits[i].start == start:
                hit = hits + i
                if self.tolls[hit.number] >= 0:
                    hit.cost = one + self.tolls[hit.number]
                    before[hit.end] = min(before[hit.end], before[start] + hit.cost)
                i += 1
        if size and before[size - 1] + one < before[size]:
            before[size] = before[size - 1] + one
        behind[size] = 0
        for start in range(size - 1, -1, -1):
            behind[start] = behind[start + 1] + one
            while i > 0 and hits[i - 1].start == start:
                i -= 1
                if hits[i].cost >= 0:
                    behind[start] = min(behind[start], behind[hits[i].end] + hits[i].cost)
        for i in range(n_hits):
            hit = hits + i
            if hit.cost >= 0 and (before[hit.end] == before[hit.start] + hit.cost
                                  or behind[hit.start] == behind[hit.end] + hit.cost):
                self.used_view[hit.number] = 1
        sixteenths = self.sixteenths if before[size] <= MOST_TOKENS * one else 0
        for end in range(size + 1):  # from here on: the sum of the prices before each place
            cost = one * (0 if end == 0 else 1 if end < size or size == 1 else 2)
            before[end] = (sixteenths * (before[end] - behind[end] + behind[0])
                           + (16 - sixteenths) * 2 * cost)
        self.total += count * before[size]
        i = 0
        for start in range(size - 1):
            key = _key(word + start, 1)
            for end in range(start + 2, self.known.last(start, size) + 1):
                key = _longer(key, word[end - 1])
                number = -1
                if i < n_hits and hits[i].start == start and hits[i].end == end:
                    number = hits[i].number
                    i += 1
                worth = before[end] - before[start] - 32 * one
                if worth > 0:
                    self._sum(number, key, count * worth)


cdef inline uint64_t _longer(uint64_t key, int64_t symbol) noexcept nogil:
    """Returns the key of a run of symbols and one more; its first bits are the class."""
    return (key + <uint64_t> symbol + 1) * FACTOR


cdef inline uint64_t _key(const int64_t *symbols, Py_ssize_t size) noexcept nogil:
    """Returns the key of a run of symbols."""
    cdef Py_ssize_t i
    cdef uint64_t key = 0
    for i in range(size):
        key = _longer(key, symbols[i])
    return key


def largest_classes(const int64_t[::1] classes, Py_ssize_t longest_priced,
                    symbol[::1] data, const int64_t[::1] offsets, const int32_t[::1] words):
    """Returns for each of some words the largest sum of the classes of its shorter substrings.

    Parameters
    ----------
    classes : ndarray of int64, shape (2^bits,)
        The sums of the classes.
    longest_priced : int
        A longer word may have substrings in any class: it gets the largest sum of all classes.
    data : ndarray of uint8, int32 or int64
        All words, one after another.
    offsets : ndarray of int64
        Where each begins.
    words : ndarray of int32
        The numbers of the words to process.
    """
    cdef Py_ssize_t i, w, start, end, size, base
    cdef uint64_t key
    cdef int shift = 65 - int(classes.shape[0]).bit_length()
    cdef int64_t most = np.asarray(classes).max()
    largest = np.zeros(words.shape[0], np.int64)
    cdef int64_t[::1] view = largest
    with nogil:
        for i in range(words.shape[0]):
            w = words[i]
            base = offsets[w]
            size = offsets[w + 1] - base
            if size > longest_priced:
                view[i] = most
                continue
            for start in range(size - 1):
                key = _longer(0, data[base + start])
                for end in range(start + 2, size + 1):
                    key = _longer(key, data[base + end - 1])
                    if end - start < size:
                        view[i] = max(view[i], classes[key >> shift])
    return largest


def largest_of_tokens(const int64_t[::1] sums, const int32_t[::1] lo, const int32_t[::1] hi,
                      const int32_t[::1] sa, const int32_t[::1] word_of,
                      const int32_t[::1] row_of, int64_t[::1] largest):
    """Raises the entry of each word in `largest` to the largest sum of the tokens in the word.

    Parameters
    ----------
    sums : ndarray of int64, shape (tokens,)
        The sum of each token.
    lo, hi : ndarray of int32, shape (tokens,)
        The interval of the suffix array with the suffixes that begin with the token.
    sa, word_of : ndarray of int32, shape (positions,)
        Suffixes, and the word of each position.
    row_of : ndarray of int32, shape (words,)
        The index of each word in `largest`; -1 for words without one.
    largest : ndarray of int64
        One value for each of these words, raised in place.
    """
    cdef Py_ssize_t n, at, size = sa.shape[0]
    cdef int32_t row
    with nogil:
        for n in range(sums.shape[0]):
            if sums[n] <= 0:
                continue
            for at in range(lo[n], hi[n]):
                if at + 16 < size:
                    prefetch(&word_of[sa[at + 16]])
                row = row_of[word_of[sa[at]]]
                if row >= 0 and largest[row] < sums[n]:
                    largest[row] = sums[n]
