# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""`_greedy` with 64-bit positions, for texts that are too long for 32-bit positions."""

cdef extern from *:
    """
    #define PARTCOVER_WIDE
    """

include "_greedy.pyx"
