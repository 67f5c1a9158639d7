# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Lists the occurrences of tokens in words as arcs, with little memory besides the result."""

from libc.stdint cimport int32_t, int64_t

include "../shared/_numpy.pxi"
include "_arc.pxi"


def search_arcs(const int32_t[::1] sa, const int32_t[::1] word_of, const int64_t[::1] offsets,
                const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length):
    """Returns the occurrences as `partcover.kernels.search._local_search.State` takes them.

    Parameters
    ----------
    sa, word_of : ndarray of int32, shape (positions,)
        The suffix array, and the word of each position; the position before a word is its
        separator.
    offsets : ndarray of int64, shape (words + 1,)
        Where each word starts among all symbols.
    lo, hi, length : ndarray of int32, shape (tokens,)
        Distinct tokens with fewer than 2^31 occurrences in total.

    Returns
    -------
    arcs : ndarray of int32, shape (arcs, 5)
    word_first : ndarray of int64, shape (words + 1,)
    places_first : ndarray of int64, shape (tokens + 1,)
    places, place_arc : ndarray of int32

    Notes
    -----
    O(occurrences + symbols) time; 28 bytes for each occurrence, all of them in the result.
    """
    cdef Py_ssize_t n_words = offsets.shape[0] - 1, n_tokens = lo.shape[0]
    cdef Py_ssize_t i, n, w, c, at, base, size, longest = 0, most = 0
    cdef int64_t total = 0, count
    cdef Arc *arc
    order = np.argsort(length, kind="stable")
    cdef const int64_t[::1] by_length = order
    word_first = np.zeros(n_words + 1, np.int64)
    cdef int64_t[::1] first = word_first
    with nogil:
        for n in range(n_tokens):
            for i in range(lo[n], hi[n]):
                first[word_of[sa[i]]] += 1
        for w in range(n_words):
            count = first[w]
            first[w] = total
            total += count
            longest = max(longest, offsets[w + 1] - offsets[w])
            most = max(most, count)
        first[n_words] = total
    arcs = np.empty((total, 5), np.int32)
    cdef int32_t[:, ::1] arcs_view = arcs
    cdef Arc *all_arcs = <Arc *> &arcs_view[0, 0] if total else NULL
    scratch = np.empty((most, 5), np.int32)
    cdef int32_t[:, ::1] scratch_view = scratch
    cdef Arc *unsorted = <Arc *> &scratch_view[0, 0] if most else NULL
    cdef int64_t[::1] begin = np.zeros(longest + 1, np.int64)
    cdef int32_t[::1] latest = np.full(n_tokens, -1, np.int32)
    places_first = np.zeros(n_tokens + 1, np.int64)
    cdef int64_t[::1] first_place = places_first
    with nogil:
        for n in range(n_tokens):
            c = by_length[n]
            for i in range(lo[c], hi[c]):
                w = word_of[sa[i]]
                arc = all_arcs + first[w]
                arc.start = <int32_t> (sa[i] - w - 1 - offsets[w])
                arc.end = arc.start + length[c]
                arc.candidate = <int32_t> c
                first[w] += 1
        for w in range(n_words, 0, -1):  # here each entry is where the previous word ends
            first[w] = first[w - 1]
        first[0] = 0
        for w in range(n_words):
            base = first[w]
            size = first[w + 1] - base
            _sort(all_arcs + base, size, unsorted, begin, offsets[w + 1] - offsets[w])
            for at in range(base, base + size):
                arc = all_arcs + at
                arc.next = -1
                if latest[arc.candidate] < 0:
                    arc.head = <int32_t> at
                    first_place[arc.candidate + 1] += 1
                else:
                    arc.head = all_arcs[latest[arc.candidate]].head
                    all_arcs[latest[arc.candidate]].next = <int32_t> at
                latest[arc.candidate] = <int32_t> at
            for at in range(base, base + size):
                latest[all_arcs[at].candidate] = -1
        for c in range(n_tokens):
            first_place[c + 1] += first_place[c]
    places, place_arc = np.empty((2, int(places_first[n_tokens])), np.int32)
    cdef int32_t[::1] places_view = places, place_arc_view = place_arc
    with nogil:
        for w in range(n_words):
            for at in range(first[w], first[w + 1]):
                if all_arcs[at].head == at:
                    c = all_arcs[at].candidate
                    places_view[first_place[c]] = <int32_t> w
                    place_arc_view[first_place[c]] = <int32_t> at
                    first_place[c] += 1
        for c in range(n_tokens, 0, -1):
            first_place[c] = first_place[c - 1]
        first_place[0] = 0
    return arcs, word_first, places_first, places, place_arc


def repeated_steps(const int32_t[:, ::1] arcs, const int64_t[::1] word_first):
    """Returns how many arcs one pass over all words visits for tokens that repeat in a word.

    The pass visits all arcs of the word for each such token.  O(arcs) time.  The result is a
    float, because it may exceed 63 bits.
    """
    cdef Py_ssize_t w, at
    cdef int64_t repeated
    cdef double steps = 0
    cdef const Arc *arc
    with nogil:
        for w in range(word_first.shape[0] - 1):
            repeated = 0
            for at in range(word_first[w], word_first[w + 1]):
                arc = <const Arc *> &arcs[at, 0]
                repeated += arc.head == at and arc.next >= 0
            steps += <double> repeated * (word_first[w + 1] - word_first[w])
    return steps


cdef void _sort(Arc *arcs, Py_ssize_t size, Arc *unsorted, int64_t[::1] begin,
                Py_ssize_t symbols) noexcept nogil:
    """Sorts the arcs of a word by start; arcs with the same start keep their order."""
    cdef Py_ssize_t i
    for i in range(symbols + 1):
        begin[i] = 0
    for i in range(size):
        unsorted[i] = arcs[i]
        begin[arcs[i].start + 1] += 1
    for i in range(symbols):
        begin[i + 1] += begin[i]
    for i in range(size):
        arcs[begin[unsorted[i].start]] = unsorted[i]
        begin[unsorted[i].start] += 1
