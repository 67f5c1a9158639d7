# An occurrence of a candidate in a word: included by the kernels of the local search.

cdef struct Arc:
    int32_t start
    int32_t end
    int32_t candidate
    int32_t head         # the first arc of the same candidate in the word
    int32_t next         # the next one, or -1
