# The values that describe a segmentation, one for each symbol of a word: the token's index at the
# last symbol of a token, and one of these values elsewhere.  Included by the kernels that segment.

cpdef enum:
    INSIDE = -2   # the symbol is inside a token, and is not its last one
    SINGLE = -1   # the symbol stands alone
