# The type of a position among all words' symbols and separators: 32 bits whenever they suffice.

from libc.stdint cimport int32_t, int64_t

ctypedef fused position_t:
    int32_t
    int64_t
