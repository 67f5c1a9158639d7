# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""PathPiece: counts the additional tokens that are needed when a token is removed."""

from libc.math cimport ldexp
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

ctypedef int32_t Symbol

include "../shared/_random.pxi"

cdef enum:
    UNREACHED = 2147483646     # a number of tokens larger than that of any path
    NO_WAY = -2147483648       # the power of an empty sum


cdef void _count_ways(const int64_t[::1] begin, const int32_t[::1] arcs,
                      const int32_t[::1] length, Py_ssize_t base, Py_ssize_t size,
                      const int32_t *behind, double *ways, int32_t *power) noexcept nogil:
    """Counts the shortest paths from each node to the end, as ``ways[i] * 2**power[i]``."""
    cdef Py_ssize_t i, a, e
    ways[size] = 1.0
    power[size] = 0
    for i in range(size - 1, -1, -1):
        ways[i] = 0.0
        power[i] = NO_WAY
        for a in range(begin[base + i], begin[base + i + 1]):
            e = i + length[arcs[a]]
            if behind[e] + 1 != behind[i]:
                continue
            if power[i] == NO_WAY:
                ways[i] = ways[e]
                power[i] = power[e]
            elif power[e] > power[i]:
                ways[i] = ldexp(ways[i], power[i] - power[e]) + ways[e]
                power[i] = power[e]
            else:
                ways[i] += ldexp(ways[e], power[e] - power[i])
        if ways[i] > 1e200:
            ways[i] = ldexp(ways[i], -600)
            power[i] += 600


cdef int32_t _fewest_without(const int64_t[::1] begin, const int32_t[::1] arcs,
                             const int32_t[::1] length, Py_ssize_t base, Py_ssize_t size,
                             int32_t t, const int32_t *starts, Py_ssize_t n_starts,
                             Py_ssize_t longest, const int32_t *ahead,
                             int32_t *without) noexcept nogil:
    """Returns the fewest tokens of a word without token t, which begins at `starts`.

    `without` is like `ahead`, but with t forbidden.  If the two differ by the same number at
    `longest` consecutive nodes and t does not cover the last of them, then they differ by that
    number up to the end of the next occurrence of t, and the nodes between are skipped.
    """
    cdef Py_ssize_t q = 0      # the first occurrence that begins after node i
    cdef Py_ssize_t i, a, e, end, ready
    cdef Py_ssize_t same       # number of consecutive nodes up to i with the same difference
    cdef int32_t more = 0      # this difference
    while q < n_starts:
        end = starts[q] + length[t]
        i = max(end - longest, 0)
        for ready in range(i, end):
            without[ready] = ahead[ready] + more
        ready = end
        same = longest
        while True:
            if i >= end:
                if without[i] - ahead[i] == more:
                    same += 1
                else:
                    more = without[i] - ahead[i]
                    same = 1
            while q < n_starts and starts[q] <= i:
                q += 1
            if i == size:
                return without[size]
            if i >= end and same >= longest and (not q or starts[q - 1] + length[t] <= i):
                break
            while ready <= min(i + longest, size):
                without[ready] = UNREACHED
                ready += 1
            for a in range(begin[base + i], begin[base + i + 1]):
                if arcs[a] != t:
                    e = i + length[arcs[a]]
                    without[e] = min(without[e], without[i] + 1)
            i += 1
    return ahead[size] + more


def increases(const int64_t[::1] begin, const int32_t[::1] arcs, const int32_t[::1] length,
              const int32_t[::1] symbols, const int64_t[::1] offsets, const int64_t[::1] counts,
              Py_ssize_t first, Py_ssize_t last, bint removal, bint randomly, uint64_t seed,
              uint64_t draw, int64_t[::1] increase, int64_t[::1] uses):
    """Adds up, over words first..last - 1, the additional tokens needed without each piece.

    Parameters
    ----------
    begin, arcs, length : ndarray
        The lattice, in the form of `partcover.trainers.shared.lattice`.
    symbols : ndarray of int32, shape (symbols,)
        The symbols of the words; they seed the random choice in each word.
    removal : bool
        Whether a token that occurs several times in a word is removed everywhere at once;
        otherwise each occurrence is removed alone, and the increases are added.
    randomly : bool
        Whether each word's path is drawn uniformly among the shortest ones; otherwise it takes
        the earliest start at each end.
    seed, draw : int
        The drawn paths depend only on these numbers and on the words.
    increase, uses : ndarray of int64, shape (pieces,)
        The additional tokens, and the number of times the piece is on a path, both weighted by the
        counts of words; they are added to the values in these arrays.

    Returns
    -------
    int
        The number of tokens needed with all pieces.
    """
    cdef Py_ssize_t w, i, j, e, a, base, size, q, n_tokens
    cdef Py_ssize_t longest = 1
    cdef int64_t total = 0
    cdef int32_t t, cost
    cdef uint64_t state
    cdef const int64_t[::1] no_names = begin[:0]
    cdef double left, share
    cdef int32_t *ahead        # fewest tokens from the start to each node
    cdef int32_t *behind       # fewest tokens from each node to the end
    cdef int32_t *back         # where the last token of a path to each node begins, and its number
    cdef int32_t *token
    cdef int32_t *start  # on the path: where its pieces begin (the next one begins where one ends)
    cdef int32_t *piece        # on the path: its pieces
    cdef int32_t *best         # on the path: the fewest tokens without each piece
    cdef int32_t *after        # the first piece of the path that begins at or after a node
    cdef int32_t *without      # `ahead` with one token forbidden
    cdef int32_t *power
    cdef double *ways
    cdef int32_t *occurs       # number of occurrences of each piece in the word
    cdef int32_t *starts       # where each piece begins in the word, one piece after another
    # for each piece in the word, the place after its last entry in `starts`
    cdef int64_t *behind_last
    cdef Py_ssize_t n_arcs
    cdef Py_ssize_t most_arcs = 1
    cdef Py_ssize_t longest_piece = 1
    for w in range(first, last):
        longest = max(longest, offsets[w + 1] - offsets[w])
        most_arcs = max(most_arcs, begin[offsets[w + 1]] - begin[offsets[w]])
    for a in range(length.shape[0]):
        longest_piece = max(longest_piece, length[a])
    ahead = <int32_t *> malloc(10 * (longest + 2) * sizeof(int32_t))
    ways = <double *> malloc((longest + 2) * sizeof(double))
    occurs = <int32_t *> calloc(length.shape[0] + 1, sizeof(int32_t))
    behind_last = <int64_t *> malloc((length.shape[0] + 1) * sizeof(int64_t))
    starts = <int32_t *> malloc((most_arcs if removal else 1) * sizeof(int32_t))
    if ahead == NULL or ways == NULL or occurs == NULL or behind_last == NULL or starts == NULL:
        free(ahead)
        free(ways)
        free(occurs)
        free(behind_last)
        free(starts)
        raise MemoryError
    behind = ahead + longest + 2
    back = behind + longest + 2
    token = back + longest + 2
    start = token + longest + 2
    piece = start + longest + 2
    best = piece + longest + 2
    after = best + longest + 2
    without = after + longest + 2
    power = without + longest + 2
    with nogil:
        for w in range(first, last):
            base = offsets[w]
            size = offsets[w + 1] - base
            for i in range(size + 1):
                ahead[i] = behind[i] = UNREACHED
            ahead[0] = behind[size] = 0
            for i in range(size):
                for a in range(begin[base + i], begin[base + i + 1]):
                    e = i + length[arcs[a]]
                    if ahead[i] + 1 < ahead[e]:
                        ahead[e] = ahead[i] + 1
                        back[e] = <int32_t> i
                        token[e] = arcs[a]
            for i in range(size - 1, -1, -1):
                for a in range(begin[base + i], begin[base + i + 1]):
                    e = i + length[arcs[a]]
                    if behind[e] + 1 < behind[i]:
                        behind[i] = behind[e] + 1
            n_tokens = ahead[size]
            total += counts[w] * n_tokens

            start[n_tokens] = <int32_t> size
            if randomly:
                _count_ways(begin, arcs, length, base, size, behind, ways, power)
                state = _word_state(seed, draw, &symbols[base], size, no_names)
                i = 0
                for q in range(n_tokens):
                    left = ways[i] * _uniform(&state)
                    start[q] = <int32_t> i
                    j = i
                    for a in range(begin[base + i], begin[base + i + 1]):
                        e = i + length[arcs[a]]
                        if behind[e] + 1 != behind[i]:
                            continue
                        piece[q] = arcs[a]
                        j = e
                        share = ldexp(ways[e], power[e] - power[i])
                        if left < share:
                            break
                        left -= share
                    i = j
            else:
                i = size
                for q in range(n_tokens - 1, -1, -1):
                    piece[q] = token[i]
                    i = back[i]
                    start[q] = <int32_t> i

            # a path without the occurrence visits a node inside it ...
            q = 0
            for i in range(size + 1):
                while start[q] < i:
                    q += 1
                after[i] = <int32_t> q
            for q in range(n_tokens):
                uses[piece[q]] += counts[w]
                best[q] = UNREACHED + 1
                for j in range(start[q] + 1, start[q + 1]):
                    best[q] = min(best[q], ahead[j] + behind[j])
            # ... or has a longer token that covers it
            for i in range(size):
                for a in range(begin[base + i], begin[base + i + 1]):
                    e = i + length[arcs[a]]
                    cost = ahead[i] + 1 + behind[e]
                    q = after[i]
                    while q < n_tokens and start[q + 1] <= e:
                        if cost < best[q] and (start[q] > i or start[q + 1] < e):
                            best[q] = cost
                        q += 1

            if removal:
                for a in range(begin[base], begin[base + size]):
                    occurs[arcs[a]] += 1
                    behind_last[arcs[a]] = -1
                n_arcs = 0
                for i in range(size):
                    for a in range(begin[base + i], begin[base + i + 1]):
                        if behind_last[arcs[a]] < 0:
                            behind_last[arcs[a]] = n_arcs
                            n_arcs += occurs[arcs[a]]
                        starts[behind_last[arcs[a]]] = <int32_t> i
                        behind_last[arcs[a]] += 1
            for q in range(n_tokens):
                t = piece[q]
                if length[t] == 1:
                    continue
                if not removal or occurs[t] == 1:
                    increase[t] += counts[w] * (best[q] - n_tokens)
                elif occurs[t] > 1:
                    cost = _fewest_without(begin, arcs, length, base, size, t,
                                           &starts[behind_last[t] - occurs[t]], occurs[t],
                                           longest_piece, ahead, without)
                    increase[t] += counts[w] * (cost - n_tokens)
                    occurs[t] = 0   # each piece is counted once per word
            if removal:
                for a in range(begin[base], begin[base + size]):
                    occurs[arcs[a]] = 0
    free(ahead)
    free(ways)
    free(occurs)
    free(behind_last)
    free(starts)
    return total
