# How one kernel lets another cut words whose sums of scores go on from the text before: included by
# segmentation/_text_scores.pyx, which defines it, and encoding/_encoder.pyx, which calls it.

cdef struct GoingOn:
    void *scores        # the object that cuts; whoever has this keeps a reference to it
    # Cuts a word behind a text with the sum `total`, which is changed; -1: no memory.
    int (*cut)(void *scores, const uint8_t *p, int64_t n, double *total,
               int32_t *which) noexcept nogil
    # Cuts a word of at most 255 bytes behind any text with a sum of at most what it returns, with
    # or without sign; below 0 where there is none.  Writes what its pieces add to the sum.
    double (*reach)(void *scores, const uint8_t *p, int64_t n, int32_t *which,
                    double *adds, int32_t *n_adds) noexcept nogil
    bint narrow         # sums have 32 bits
