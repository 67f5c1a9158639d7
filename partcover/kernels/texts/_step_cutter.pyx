# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Splits text by the steps of a pre-tokenizer whose patterns are compiled to programs.

`partcover.corpus.pretokenizers.steps.pattern_programs` compiles a pattern to a program: nodes that
match from a place on, by backtracking, in the order in which `regex` tries alternatives.
Unbounded repetition applies only to a set of characters or to a group that has no empty match, so a
match needs a stack only as deep as the pattern, except for repeated groups, whose number is
limited.

The places where words begin are stored in *marks*, one byte for each byte of the text.  Each step
adds its own marks within the words of the previous step.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy

include "../shared/_hash.pxi"
include "../shared/_numpy.pxi"
include "../shared/_word_ends.pxi"

# The operations of nodes.
cpdef enum:
    SET = 0  # matches `least` to `most` characters of a set, trying more first, or only the most
    EITHER = 1          # tries `next`, then `other`
    AHEAD = 2           # looks ahead: succeeds if `other` matches, or if it does not
    BEHIND = 3  # looks back: succeeds if the previous character is in a set, or if it is not
    BEGIN = 4           # succeeds at the beginning of the text
    END = 5             # succeeds at the end of the text
    FOUND = 6           # the pattern has matched

# The behavior of a step: what happens to a match.
cpdef enum:
    ISOLATED = 0
    REMOVED = 1
    MERGED_WITH_PREVIOUS = 2
    MERGED_WITH_NEXT = 3
    CONTIGUOUS = 4

cdef enum:
    DEEPEST = 256       # maximum depth of recursion, which repeated groups increase most
    FUEL = 256          # characters that may be examined for each character of the text
    FUEL_AT_FIRST = 1 << 16

cdef struct Node:
    int32_t op
    int32_t next
    int32_t other
    uint32_t mask       # the bit of the set; in EITHER the first characters of `next`, 0 for any
    int32_t least
    int32_t most        # -1: no limit
    int32_t flag        # SET: no backtracking; AHEAD and BEHIND: negated

cdef struct Step:
    int32_t start       # the first node of its pattern; -1 if it has none
    uint32_t first      # the set of characters with which a match may begin
    int32_t behaviour
    bint invert
    int32_t by_first[128]   # for each ASCII character the first node that can match where it begins

cdef struct Search:     # a search in one word
    const uint32_t *sets
    const Node *nodes
    const uint8_t *begin
    const uint8_t *end
    int64_t fuel        # characters that may still be examined; below 0: given up
    int depth


cdef inline uint32_t _set(const uint32_t *sets, const uint8_t *p, const uint8_t *end,
                          int *size) noexcept nogil:
    if p[0] < 0x80:
        size[0] = 1
        return sets[p[0]]
    return sets[_code(p, end, size)]


cdef inline const uint8_t *_before(const uint8_t *p, const uint8_t *begin,
                                   const uint8_t *end) noexcept nogil:
    """Returns where the character begins that ends at `p` > `begin`."""
    cdef const uint8_t *lead = p - 1
    cdef int size
    while lead > begin and lead[0] & 0xC0 == 0x80 and p - lead < 4:
        lead -= 1
    _code(lead, end, &size)
    return lead if lead + size == p else p - 1


cdef const uint8_t *_match(Search *s, int32_t place, const uint8_t *p) noexcept nogil:
    """Returns where the match of a node at `p` ends, or NULL if there is none."""
    cdef const Node *node
    cdef const uint8_t *at
    cdef const uint8_t *found
    cdef int64_t n
    cdef int size
    if s.depth == DEEPEST or s.fuel < 0:
        s.fuel = -1
        return NULL
    while True:
        node = s.nodes + place
        if node.op == SET:
            at = p
            n = 0
            while (n != node.most and at < s.end
                    and _set(s.sets, at, s.end, &size) & node.mask):
                at += size
                n += 1
            if n < node.least:
                return NULL
            s.fuel -= n
            if not node.flag:
                while n > node.least:
                    s.depth += 1
                    found = _match(s, node.next, at)
                    s.depth -= 1
                    if found != NULL or s.fuel < 0:
                        return found
                    at = _before(at, p, s.end)
                    n -= 1
                    s.fuel -= 1
            p = at
        elif node.op == EITHER:
            if (node.mask == 0
                    or p < s.end and _set(s.sets, p, s.end, &size) & node.mask):
                s.fuel -= 1
                s.depth += 1
                found = _match(s, node.next, p)
                s.depth -= 1
                if found != NULL or s.fuel < 0:
                    return found
            place = node.other
            continue
        elif node.op == AHEAD:
            s.depth += 1
            found = _match(s, node.other, p)
            s.depth -= 1
            if (found == NULL) != node.flag or s.fuel < 0:
                return NULL
        elif node.op == BEHIND:
            if (p > s.begin
                    and _set(s.sets, _before(p, s.begin, s.end), s.end, &size) & node.mask != 0):
                if node.flag:
                    return NULL
            elif not node.flag:
                return NULL
        elif node.op == BEGIN:
            if p != s.begin:
                return NULL
        elif node.op == END:
            if p != s.end:
                return NULL
        else:
            return p
        place = node.next


cdef void _split(Search *s, const Step *step, const uint8_t *text, uint8_t *marks) noexcept nogil:
    """Marks where the parts of one word begin; `marks` are those of `text`."""
    cdef const uint8_t *p = s.begin
    cdef const uint8_t *last = s.begin      # the text from here to `p` does not match
    cdef const uint8_t *end
    cdef int size
    cdef int before = -1  # whether the previous part was a match; -1: there is none
    while True:
        end = NULL
        while p < s.end:
            if _set(s.sets, p, s.end, &size) & step.first:
                end = _match(s, step.by_first[p[0]] if p[0] < 0x80 else step.start, p)
                if s.fuel < 0:
                    return
                if end != NULL:
                    break
            p += size
        if last < p:
            _mark(step, marks + (last - text), step.invert, &before)
        if end == NULL:
            return
        _mark(step, marks + (p - text), not step.invert, &before)
        last = end
        p = end


cdef inline void _mark(const Step *step, uint8_t *mark, bint match, int *before) noexcept nogil:
    """Marks where a part begins that is a match or lies between matches."""
    if step.behaviour == REMOVED:
        mark[0] = GAP if match else WORD
    elif (before[0] < 0 or step.behaviour == ISOLATED
            or step.behaviour == CONTIGUOUS and match != before[0]
            or step.behaviour == MERGED_WITH_PREVIOUS and (not match or before[0])
            or step.behaviour == MERGED_WITH_NEXT and (match or not before[0])):
        mark[0] = WORD
    before[0] = match


cdef class StepCutter:
    """Splits texts by steps, each within the words of the previous one.

    Several threads may use one object.

    Parameters
    ----------
    sets : ndarray of uint32, shape (0x110000,)
        The sets that contain each code point, one bit for each set.
    nodes : ndarray of int32, shape (n, 7)
        The nodes of all patterns, as the fields of `Node`.
    steps : list of tuple
        ``(start, first, behaviour, invert)`` for a step that splits by a pattern: its first node,
        the bit of the set with which a match may begin, what happens to a match, and whether the
        text between matches takes the role of the matches.  ``(mark, prefix, suffix, again)`` for a
        step that writes: the bytes that replace a space, or None; the bytes put in front of each
        word that does not begin with them; the bytes put after each word; and whether the prefix is
        put in front of every word, and twice wherever a word has it.
    """

    cdef const uint32_t[::1] sets
    cdef Node *nodes
    cdef Step *steps
    cdef list written

    def __cinit__(self, const uint32_t[::1] sets, const int32_t[:, ::1] nodes, list steps):
        cdef Py_ssize_t i
        if sets.shape[0] != 0x110000 or nodes.shape[1] != 7:
            raise ValueError("sets are of all code points, and a node has seven numbers")
        self.sets = sets
        self.nodes = <Node *> malloc(max(nodes.shape[0], 1) * sizeof(Node))
        self.steps = <Step *> malloc(max(len(steps), 1) * sizeof(Step))
        if self.nodes == NULL or self.steps == NULL:
            raise MemoryError
        for i in range(nodes.shape[0]):
            self.nodes[i] = Node(nodes[i, 0], nodes[i, 1], nodes[i, 2], <uint32_t> nodes[i, 3],
                                 nodes[i, 4], nodes[i, 5], nodes[i, 6])
        self.written = []
        for i in range(len(steps)):
            if isinstance(steps[i][0], int):
                start, first, behaviour, invert = steps[i]
                self.steps[i].start = start
                self.steps[i].first = first
                self.steps[i].behaviour = behaviour
                self.steps[i].invert = invert
                self._dispatch(self.steps + i)
                self.written.append(None)
            else:
                self.written.append(steps[i])

    cdef void _dispatch(self, Step *step) noexcept:
        """Sets for each ASCII character the first alternative that can begin with it."""
        cdef const Node *node
        cdef int c
        for c in range(128):
            step.by_first[c] = step.start
            node = self.nodes + step.start
            while node.op == EITHER and node.mask and not node.mask & self.sets[c]:
                step.by_first[c] = node.other
                node = self.nodes + node.other

    def __dealloc__(self):
        free(self.nodes)
        free(self.steps)

    def marks(self, const uint8_t[::1] data, const int64_t[::1] offsets):
        """Returns where the words of texts begin; the texts are one after another.

        The steps must not write.

        Returns
        -------
        ndarray of uint8, shape (len(data),) or None
            `WORD` and `GAP`; None if a pattern takes too long.
        """
        cdef Py_ssize_t i
        marks = _first_marks(data, offsets)
        for i in range(len(self.written)):
            if not self._apply(self.steps + i, data, marks):
                return None
        return marks

    def cut(self, const uint8_t[::1] data, const int64_t[::1] offsets):
        """Returns the words of texts; the texts are one after another.

        Returns
        -------
        data : ndarray of uint8
            The texts after the steps.
        offsets : ndarray of int64
            Where each text starts, and the end of the last one.
        words : ndarray of int64
            Where the words start in `data`, and where the last one ends.  The result is None
            instead of all three if a pattern takes too long, or if a word contains the suffix.
        """
        cdef Py_ssize_t i
        cdef uint8_t[::1] m
        marks = _first_marks(data, offsets)
        for i, written in enumerate(self.written):
            if written is None:
                if not self._apply(self.steps + i, data, marks):
                    return None
                continue
            mark, prefix, suffix, again = written
            rewritten = _rewritten(data, offsets, marks, mark, prefix, suffix, again)
            if rewritten is None:
                return None
            data, offsets, marks = rewritten
        m = marks
        if m.shape[0] and (marks == GAP).any():
            data, offsets, marks = _rewritten(data, offsets, marks, None, b"", b"", False)
        words = np.flatnonzero(marks)
        return np.asarray(data), np.asarray(offsets), np.append(words, len(marks))

    cdef bint _apply(self, const Step *step, const uint8_t[::1] data,
                     uint8_t[::1] marks) except -1:
        """Splits all words; returns whether it finished."""
        cdef Search s
        cdef int64_t at = 0, end, n = data.shape[0]
        cdef const uint8_t *text
        if n == 0:
            return True
        text = &data[0]
        s = Search(&self.sets[0], self.nodes, text, text, FUEL_AT_FIRST + FUEL * n, 0)
        with nogil:
            while at < n and s.fuel >= 0:
                end = next_mark(&marks[0], at + 1, n)
                if marks[at] == WORD:
                    s.begin = text + at
                    s.end = text + end
                    _split(&s, step, text, &marks[0])
                at = end
        return s.fuel >= 0


cdef object _first_marks(const uint8_t[::1] data, const int64_t[::1] offsets):
    """Returns marks at the beginnings of texts."""
    marks = np.zeros(data.shape[0], np.uint8)
    starts = np.asarray(offsets)
    marks[starts[:-1][starts[:-1] < starts[1:]]] = WORD
    return marks


cdef object _rewritten(const uint8_t[::1] data, const int64_t[::1] offsets,
                       const uint8_t[::1] marks, bytes mark, bytes prefix, bytes suffix,
                       bint again):
    """Returns texts after a step has written into each word, and without the gaps.

    Returns None if a word contains the suffix.
    """
    cdef int64_t n = data.shape[0], width = 1 if mark is None else len(mark)
    cdef int64_t n_prefix = len(prefix), n_suffix = len(suffix)
    cdef int64_t room = n + np.count_nonzero(marks) * (n_prefix + n_suffix)
    cdef int64_t at, end, i, text
    cdef const uint8_t *p
    cdef const uint8_t *in_front = prefix
    cdef const uint8_t *behind = suffix
    cdef const uint8_t *space = b" " if mark is None else mark
    cdef uint8_t *to
    cdef uint8_t *start
    cdef bint good = True
    if width > 1:
        room += np.count_nonzero(np.asarray(data) == c" ") * (width - 1)
    if again and n_prefix:
        room += np.count_nonzero(np.asarray(data) == in_front[0]) * n_prefix
    new = np.empty(room + n_prefix + n_suffix + width, np.uint8)
    new_marks = np.zeros(room + 1, np.uint8)
    new_offsets = np.zeros(offsets.shape[0], np.int64)
    cdef uint8_t[::1] d = new
    cdef uint8_t[::1] m = new_marks
    cdef int64_t[::1] o = new_offsets
    with nogil:
        to = &d[0]
        for text in range(offsets.shape[0] - 1):
            at = offsets[text]
            while at < offsets[text + 1] and good:
                end = next_mark(&marks[0], at + 1, offsets[text + 1])
                if marks[at] == WORD:
                    # write the word after a place for the prefix, which is used if the word lacks
                    # the prefix
                    start = to
                    p = &data[at]
                    to += n_prefix
                    for i in range(end - at):
                        if (again and n_prefix and end - at - i >= n_prefix
                                and memcmp(p + i, in_front, n_prefix) == 0):
                            memcpy(to, in_front, n_prefix)
                            to += n_prefix
                        if p[i] == c" ":
                            memcpy(to, space, width)
                            to += width
                        else:
                            to[0] = p[i]
                            to += 1
                    if n_suffix and _holds(start + n_prefix, to, behind, n_suffix):
                        good = False
                        break
                    if (n_prefix and not again and to - start >= 2 * n_prefix
                            and memcmp(start + n_prefix, in_front, n_prefix) == 0):
                        to = _moved(start, start + n_prefix, to)
                    else:
                        memcpy(start, in_front, n_prefix)
                    memcpy(to, behind, n_suffix)
                    to += n_suffix
                    m[start - &d[0]] = WORD
                at = end
            o[text + 1] = to - &d[0]
    if not good:
        return None
    at = to - &d[0]
    return new[:at], new_offsets, new_marks[:at]


cdef inline uint8_t *_moved(uint8_t *to, const uint8_t *begin, const uint8_t *end) noexcept nogil:
    """Moves bytes to the left; returns where they end."""
    while begin < end:
        to[0] = begin[0]
        to += 1
        begin += 1
    return to


cdef bint _holds(const uint8_t *p, const uint8_t *end, const uint8_t *part,
                 int64_t n) noexcept nogil:
    while end - p >= n:
        if memcmp(p, part, n) == 0:
            return True
        p += 1
    return False
