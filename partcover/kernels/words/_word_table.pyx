# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Counts distinct words in a hash table, from text, from a TSV of counted words or from arrays.

The table uses open addressing, and an arena that holds every distinct word once.  Words are
exported in the order of first appearance or by (count descending, word ascending), never in the
order of hashes.  Methods that take a buffer release the interpreter lock: only one thread at a time
may use a table.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

# Where `add_text` splits a text into words:
#
# * EVERY_SPACE: before each U+0020;
# * AFTER_WORD: before each U+0020 after a character that is not white space, and between an ASCII
#   letter and an ASCII character that is neither a letter nor an apostrophe;
# * NOWHERE: the text is one word;
# * AFTER_SIGN: before each U+0020 after an ASCII character that is neither a letter nor white
#   space;
# * AFTER_PHRASE: as AFTER_SIGN, and between an ASCII letter and an ASCII character that is neither
#   a letter nor an apostrophe nor U+0020.
cpdef enum:
    EVERY_SPACE = 0
    AFTER_WORD = 1
    NOWHERE = 2
    AFTER_SIGN = 3
    AFTER_PHRASE = 4

# The status returned by `add_tsv`.
cpdef enum:
    DONE = 0
    BAD_LINE = 1
    TOO_MANY = 2        # a sum of counts does not fit in int64

cdef enum:
    NO_MEMORY = 3
    MIN_ROOM = 1 << 12  # initial size of the arena in bytes
    MIN_ENTRIES = 1 << 8

cdef struct Slot:
    uint32_t tag        # the hash of the word; its home slot is tag & mask
    uint32_t entry      # index of the entry plus 1; 0: the slot is free

cdef struct Entry:
    int64_t offset      # in the arena; the word ends where the next one begins
    int64_t count

cdef enum:
    AHEAD = 32          # words that are hashed before the first of them is looked up

include "../shared/_arrays.pxi"
include "../shared/_hash.pxi"
include "../shared/_numpy.pxi"
include "../shared/_prefetch.pxi"
include "../shared/_word_ends.pxi"
include "_windows.pxi"
include "_text_cuts.pxi"
include "_tsv_line.pxi"
include "_word_sort.pxi"


cdef class WordTable:
    """Distinct non-empty words (bytes) with their counts (int64)."""

    cdef uint8_t *arena
    cdef int64_t used, room
    cdef Entry *entries
    cdef int64_t size, capacity
    cdef Slot *slots
    cdef uint64_t mask

    def __cinit__(self):
        self._clear()

    def __dealloc__(self):
        free(self.arena)
        free(self.entries)
        free(self.slots)

    cdef int _clear(self) except -1:
        """Empties the table and frees its memory."""
        free(self.arena)
        free(self.entries)
        free(self.slots)
        self.used = self.size = 0
        self.room = MIN_ROOM
        self.capacity = MIN_ENTRIES
        self.mask = 2 * MIN_ENTRIES - 1
        self.arena = <uint8_t *> malloc(self.room)
        self.entries = <Entry *> malloc(self.capacity * sizeof(Entry))
        self.slots = <Slot *> calloc(self.mask + 1, sizeof(Slot))
        if self.arena == NULL or self.entries == NULL or self.slots == NULL:
            raise MemoryError
        self.entries[0].offset = 0
        return 0

    def __len__(self):
        return self.size

    @property
    def nbytes(self):
        """The memory of the table in bytes."""
        return (
            self.room + self.capacity * sizeof(Entry) + (self.mask + 1) * sizeof(Slot)
        )

    @property
    def displacement(self):
        """The sum of the words' distances from their home slots."""
        cdef uint64_t i, total = 0
        for i in range(self.mask + 1):
            if self.slots[i].entry:
                total += (i - self.slots[i].tag) & self.mask
        return total

    cdef int _rehash(self) noexcept nogil:
        cdef uint64_t mask = 2 * self.mask + 1
        cdef uint64_t i, home
        cdef Slot *slots = <Slot *> calloc(mask + 1, sizeof(Slot))
        if slots == NULL:
            return NO_MEMORY
        for i in range(self.mask + 1):
            if self.slots[i].entry:
                home = self.slots[i].tag & mask
                while slots[home].entry:
                    home = (home + 1) & mask
                slots[home] = self.slots[i]
        free(self.slots)
        self.slots = slots
        self.mask = mask
        return DONE

    cdef int _append(self, const uint8_t *p, int64_t n, int64_t count) noexcept nogil:
        cdef int64_t room
        cdef void *grown
        if self.size + 1 == self.capacity:      # one more entry says where the last word ends
            if self.size >= <int64_t> 0xFFFFFFF0 // 2:   # slots hold 32-bit entry numbers
                return NO_MEMORY
            grown = realloc(self.entries, 2 * self.capacity * sizeof(Entry))
            if grown == NULL:
                return NO_MEMORY
            self.entries = <Entry *> grown
            self.capacity *= 2
        if self.used + n > self.room:
            room = 2 * self.room
            if room < self.used + n:
                room = self.used + n
            grown = realloc(self.arena, room)
            if grown == NULL:
                return NO_MEMORY
            self.arena = <uint8_t *> grown
            self.room = room
        memcpy(self.arena + self.used, p, n)
        self.entries[self.size].count = count
        self.used += n
        self.size += 1
        self.entries[self.size].offset = self.used
        return DONE

    cdef int _add(self, const uint8_t *p, int64_t n, int64_t count,
                  const uint8_t *end) noexcept nogil:
        """Adds a word; bytes up to `end` may be read."""
        return self._add_hashed(p, n, count, hash_bytes(p, n, end), end)

    cdef int _add_hashed(self, const uint8_t *p, int64_t n, int64_t count, uint32_t tag,
                         const uint8_t *end) noexcept nogil:
        cdef uint64_t home = tag & self.mask
        cdef Entry *entry
        cdef int status
        while self.slots[home].entry:
            if self.slots[home].tag == tag:
                entry = self.entries + (self.slots[home].entry - 1)
                if (_symbols(entry) == n
                        and _same_bytes(self.arena + entry.offset, self.arena + self.used, p, end,
                                        n)):
                    if entry.count > INT64_MAX - count:
                        return TOO_MANY
                    entry.count += count
                    return DONE
            home = (home + 1) & self.mask
        status = self._append(p, n, count)
        if status != DONE:
            return status
        self.slots[home].tag = tag
        self.slots[home].entry = <uint32_t> self.size
        if 2 * <uint64_t> self.size > self.mask:
            return self._rehash()
        return DONE

    def add_text(self, const uint8_t[::1] text, int mode):
        """Adds the words of `text`, split by `mode`; a leading space belongs to its word."""
        cdef const uint8_t *p
        cdef const uint8_t *end
        cdef const uint8_t *start[AHEAD]
        cdef int64_t length[AHEAD]
        cdef uint32_t tag[AHEAD]
        cdef int i, ready, status = DONE
        if text.shape[0] == 0:
            return
        p = &text[0]
        with nogil:
            end = p + text.shape[0]
            while p < end and status == DONE:
                # time goes to waiting for memory, so slots are prefetched some words ahead
                ready = 0
                while ready < AHEAD and p < end:
                    start[ready] = p
                    p = _word_end(p, end, mode)
                    length[ready] = p - start[ready]
                    tag[ready] = hash_bytes(start[ready], length[ready], end)
                    prefetch(self.slots + (tag[ready] & self.mask))
                    ready += 1
                for i in range(ready):
                    prefetch(self.entries + self.slots[tag[i] & self.mask].entry - 1)
                for i in range(ready):
                    status = self._add_hashed(start[i], length[i], 1, tag[i], end)
                    if status != DONE:
                        break
        _check(status)

    def add_words_of(self, const uint8_t[::1] text, int mode, const uint8_t[::1] kinds):
        """Adds the words of `text`, split by a mode of the encoder's kernel."""
        cdef Scanner scanner = _scanner(kinds, mode, 1, False)
        cdef Word words[AHEAD + WINDOW]
        cdef uint32_t tag[AHEAD + WINDOW]
        cdef const uint8_t *end
        cdef Cut cut
        cdef int i, found, ready, status = DONE
        if text.shape[0] == 0:
            return
        cut = Cut(&text[0], 0)
        end = cut.p + text.shape[0]
        with nogil:
            while status == DONE:
                ready = 0
                while ready < AHEAD:
                    found = _next_words(&scanner, &cut, end, end, words + ready)
                    if found == 0:
                        break
                    ready += found
                if ready == 0:
                    break
                for i in range(ready):
                    tag[i] = hash_bytes(words[i].start, words[i].length, end)
                    prefetch(self.slots + (tag[i] & self.mask))
                for i in range(ready):
                    prefetch(self.entries + self.slots[tag[i] & self.mask].entry - 1)
                for i in range(ready):
                    status = self._add_hashed(words[i].start, words[i].length, 1, tag[i],
                                              end)
                    if status != DONE:
                        break
        _check(status)

    def add_words(self, const uint8_t[::1] data, const int64_t[::1] offsets,
                  const int64_t[::1] counts):
        """Adds word ``data[offsets[w]:offsets[w + 1]]`` ``counts[w]`` times, for each w."""
        cdef int64_t i
        cdef int status = DONE
        cdef const uint8_t *end = &data[0] + data.shape[0] if data.shape[0] else NULL
        with nogil:
            for i in range(counts.shape[0]):
                status = self._add(&data[offsets[i]], offsets[i + 1] - offsets[i], counts[i],
                                   end)
                if status != DONE:
                    break
        _check(status)

    def add_tsv(self, const uint8_t[::1] text):
        """Adds lines ``word<TAB>count``; the last line feed is optional, and so is a CR before any.

        Returns
        -------
        status : int
            ``DONE``, ``BAD_LINE`` or ``TOO_MANY`` (the summed count exceeds int64).
        lines : int
            The number of lines read; after an error, the 1-based number of the line with the error.
        start : int
            After an error, where that line starts in `text`.
        """
        cdef const uint8_t *base
        cdef const uint8_t *p
        cdef const uint8_t *end
        cdef const uint8_t *stop
        cdef const uint8_t *tab
        cdef const uint8_t *word
        cdef uint8_t *scratch = NULL
        cdef int64_t room = 0, n, count, lines = 0
        cdef int status = DONE
        if text.shape[0] == 0:
            return DONE, 0, 0
        base = p = &text[0]
        with nogil:
            end = p + text.shape[0]
            while p < end:
                lines += 1
                stop = <const uint8_t *> memchr(p, c'\n', end - p)
                if stop == NULL:
                    stop = end
                status = BAD_LINE
                tab = <const uint8_t *> memchr(p, c'\t', stop - p)
                if tab == NULL or tab == p:
                    break
                n = stop - tab - 1
                if n and tab[n] == c'\r':
                    n -= 1
                count = _count(tab + 1, n)
                if count == 0:
                    break
                word = p
                n = tab - p
                if memchr(p, c'\\', n) != NULL:
                    if n > room:
                        free(scratch)
                        room = 2 * n
                        scratch = <uint8_t *> malloc(room)
                        if scratch == NULL:
                            status = NO_MEMORY
                            break
                    n = _unescape(p, n, scratch)
                    if n < 0:
                        break
                    word = scratch
                status = self._add(word, n, count, end if word == p else word + n)
                if status != DONE:
                    break
                p = stop + 1
        free(scratch)
        if status == NO_MEMORY:
            raise MemoryError
        return status, lines, p - base if status != DONE else 0

    def merge(self, WordTable other not None):
        """Adds all words of `other`."""
        cdef int64_t i
        cdef int status = DONE
        with nogil:
            for i in range(other.size):
                status = self._add(other.arena + other.entries[i].offset,
                                   _symbols(&other.entries[i]), other.entries[i].count,
                                   other.arena + other.used)
                if status != DONE:
                    break
        _check(status)

    def export(self, bint by_count, const uint8_t[::1] mark=b" "):
        """Empties the table, and returns its words as arrays; see `views`."""
        return tuple(map(np.asarray, self.views(by_count, mark)))

    def views(self, bint by_count, const uint8_t[::1] mark=b" "):
        """Empties the table; returns its words as read-only memory views: data, offsets, counts.

        Each leading space is replaced by `mark`; the counts of words that become equal are summed.
        With `by_count` the order is by count descending, then word ascending; otherwise by first
        appearance.
        """
        cdef int64_t i, n, at = 0, longest = 0
        for i in range(self.size):
            longest = max(longest, _symbols(&self.entries[i]))
        cdef Key *keys = <Key *> malloc((self.size + 1) * sizeof(Key))
        cdef Key *spare = NULL
        # the marked words, with room for one more after them
        cdef int64_t *starts = <int64_t *> malloc((self.size + 1) * sizeof(int64_t))
        cdef uint8_t *text = <uint8_t *> malloc(
            self.used + mark.shape[0] * self.size + longest + 1
        )
        cdef uint8_t[::1] d
        cdef int64_t[::1] o
        cdef int64_t[::1] c
        try:
            if keys == NULL or starts == NULL or text == NULL:
                raise MemoryError
            with nogil:
                n = self._marked(&mark[0], mark.shape[0], keys, text, starts)
            if n < 0:
                raise OverflowError("a count does not fit in int64")
            self._clear()
            if by_count:
                spare = <Key *> malloc((n // 2 + 1) * sizeof(Key))
                if spare == NULL:
                    raise MemoryError
                with nogil:
                    _sort(keys, spare, n, text, starts)
            offsets = _array(n + 1, "q")
            counts = _array(n, "q")
            o = offsets
            c = counts
            for i in range(n):
                c[i] = keys[i].count
                o[i + 1] = o[i] + starts[keys[i].word + 1] - starts[keys[i].word]
            data = _array(o[n], "B")
            d = data
            with nogil:
                for i in range(n):
                    memcpy(&d[at], text + starts[keys[i].word], o[i + 1] - at)
                    at = o[i + 1]
            return data.toreadonly(), offsets.toreadonly(), counts.toreadonly()
        finally:
            free(keys)
            free(spare)
            free(starts)
            free(text)

    cdef int64_t _marked(self, const uint8_t *mark, int64_t width, Key *keys,
                         uint8_t *text, int64_t *starts) noexcept nogil:
        """Writes the marked words to `text` and their starts to `starts`, and sets `keys`.

        Returns the number of words, or -1 if a count overflows.
        """
        cdef int64_t i, twin, n, size = 0
        cdef const uint8_t *word
        cdef uint8_t *at = text
        for i in range(self.size):
            word = self.arena + self.entries[i].offset
            n = _symbols(&self.entries[i])
            starts[i] = at - text
            keys[i].word = i
            keys[i].count = self.entries[i].count
            if word[0] == c' ':
                memcpy(at, mark, width)
                at += width
                word += 1
                n -= 1
            memcpy(at, word, n)
            at += n
        starts[self.size] = at - text
        for i in range(self.size):
            # a word that begins with the mark itself may equal the marked form of another word
            word = text + starts[i]
            n = starts[i + 1] - starts[i]
            if (width <= n and memcmp(word, mark, width) == 0
                    and self.arena[self.entries[i].offset] != c' '):
                at[0] = c' '
                memcpy(at + 1, word + width, n - width)
                twin = self._find(at, n - width + 1)
                if twin >= 0:
                    if keys[twin].count > INT64_MAX - keys[i].count:
                        return -1
                    keys[twin].count += keys[i].count
                    keys[i].count = 0
        for i in range(self.size):
            if keys[i].count:
                keys[size] = keys[i]
                keys[size].prefix = _prefix(text + starts[i], starts[i + 1] - starts[i])
                size += 1
        return size

    cdef int64_t _find(self, const uint8_t *p, int64_t n) noexcept nogil:
        """The index of a word's entry, or -1."""
        cdef uint64_t home = hash_bytes(p, n, p + n) & self.mask
        cdef int64_t i
        while self.slots[home].entry:
            i = <int64_t> self.slots[home].entry - 1
            if (_symbols(&self.entries[i]) == n
                    and memcmp(self.arena + self.entries[i].offset, p, n) == 0):
                return i
            home = (home + 1) & self.mask
        return -1


cdef inline int64_t _symbols(const Entry *entry) noexcept nogil:
    return entry[1].offset - entry.offset


cdef int _check(int status) except -1:
    if status == NO_MEMORY:
        raise MemoryError
    if status == TOO_MANY:
        raise OverflowError("a count does not fit in int64")
    return 0
