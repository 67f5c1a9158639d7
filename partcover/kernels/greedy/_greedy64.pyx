# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""`_greedy` with 64-bit positions, for words that 32 bits do not suffice for."""

cdef extern from *:
    """
    #define PARTCOVER_WIDE
    """

include "_greedy.pyx"
