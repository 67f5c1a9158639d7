# Tokens with their scores or weights.  Included by the kernels that follow scores along a word.

cdef struct Scored:     # a token with its score
    double score
    int32_t length
    int32_t token


cdef struct Weighed:    # a token with its weight
    double part
    int64_t power
    int32_t length
    int32_t token
