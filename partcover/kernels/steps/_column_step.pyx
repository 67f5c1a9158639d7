# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The part of a primal-dual step that is not in words: columns, and the rows over them.

Row r is Σ coef·column ≤ rhs over the entries ``first[r]:first[r + 1]``.  Points are extrapolated
and averaged with an anchor, as in `_saddle_point`.
"""

from libc.stdint cimport int32_t, int64_t


def subtract_pushes(const int64_t[::1] first, const int32_t[::1] column, const double[::1] coef,
                    const double[::1] multiplier, double[::1] gain):
    """Subtracts Σ coef·multiplier from the gain of each column."""
    cdef Py_ssize_t r, e
    cdef double own
    with nogil:
        for r in range(multiplier.shape[0]):
            own = multiplier[r]
            if own != 0:
                for e in range(first[r], first[r + 1]):
                    gain[column[e]] -= coef[e] * own


def add_values(const int64_t[::1] first, const int32_t[::1] column, const double[::1] coef,
               const double[::1] values, double[::1] out):
    """Adds Σ coef·value to each row of `out`."""
    cdef Py_ssize_t r, e
    cdef double total
    with nogil:
        for r in range(out.shape[0]):
            total = 0
            for e in range(first[r], first[r + 1]):
                total += coef[e] * values[column[e]]
            out[r] += total


def move_columns(const double[::1] made, const double[::1] start, const double[::1] metric,
                 double keep, double[::1] x, double[::1] ahead):
    """Moves columns to their new values, averaged with those of the anchor.

    Parameters
    ----------
    made : ndarray of float64, shape (columns,)
        The new values.
    start : ndarray of float64, shape (columns,)
        The values of the anchor.
    metric : ndarray of float64, shape (columns,)
        The weight of each column in a distance.
    keep : float
        The weight of the new point in the average.
    x : ndarray of float64, shape (columns,)
        The values, which are changed.
    ahead : ndarray of float64, shape (columns,)
        Receives the extrapolated values.

    Returns
    -------
    float
        The squared distance from the old values to the new ones.
    """
    cdef Py_ssize_t c
    cdef double far = 0, old
    with nogil:
        for c in range(made.shape[0]):
            old = x[c]
            far += metric[c] * (made[c] - old) * (made[c] - old)
            ahead[c] = 2 * made[c] - old
            x[c] = keep * ahead[c] + (1 - keep) * start[c]
    return far


def move_rows(const double[::1] over, const double[::1] pace, const double[::1] start,
              double weight, double keep, double[::1] multiplier, double[::1] made):
    """Moves multipliers by the violation of their rows.

    Parameters
    ----------
    over : ndarray of float64, shape (rows,)
        The violations.
    pace : ndarray of float64, shape (rows,)
        The step size of each row, without the primal weight.
    start : ndarray of float64, shape (rows,)
        The multipliers of the anchor.
    weight : float
        The primal weight.
    keep : float
        The weight of the new point in the average.
    multiplier : ndarray of float64, shape (rows,)
        The multipliers, which are changed.
    made : ndarray of float64, shape (rows,)
        Receives the new multipliers before the average.

    Returns
    -------
    float
        The squared distance from the old multipliers to the new ones.
    """
    cdef Py_ssize_t r
    cdef double far = 0, old, new
    with nogil:
        for r in range(made.shape[0]):
            old = multiplier[r]
            new = max(old + weight * pace[r] * over[r], 0)
            made[r] = new
            far += (new - old) * (new - old) / pace[r]
            multiplier[r] = keep * (2 * new - old) + (1 - keep) * start[r]
    return far
