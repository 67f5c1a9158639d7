# An occurrence of a candidate in a word.  Included by the kernels of the local search.

cdef struct Arc:
    int32_t start
    int32_t end
    int32_t candidate
    int32_t head         # the candidate's first arc in the word
    int32_t next         # the candidate's next arc in the word, or -1
