# Functions by which one kernel lets another segment words whose sums of scores continue from the
# text before.  Included by segmentation/_text_scores.pyx, which defines them, and by
# encoding/_encoder.pyx, which calls them.

cdef struct GoingOn:
    void *scores        # the object that segments; whoever holds this must keep a reference to it
    # Segments a word after a text with the sum `total`, and updates `total`; -1 on failure.
    int (*cut)(void *scores, const uint8_t *p, int64_t n, double *total,
               int32_t *which) noexcept nogil
    # Segments a word of at most 255 bytes.  The result holds after any text whose sum has at most
    # the returned absolute value, and after none if that is below 0.  Writes the terms that the
    # word's pieces add to the sum.
    double (*reach)(void *scores, const uint8_t *p, int64_t n, int32_t *which,
                    double *adds, int32_t *n_adds) noexcept nogil
    bint narrow         # whether sums have 32 bits
