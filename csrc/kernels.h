/* Data-moving kernels behind classad/kernels.py.
 *
 * What lives here: the prototypes of every exported function.  A kernel sees columns of doubles and
 * orderings of row numbers; what they mean is decided in Python.
 * Ownership: the caller owns every buffer; a kernel allocates nothing, keeps nothing and touches only
 * what it is given, so it may run without the interpreter lock.
 * Results: 0, or a negative code and an output buffer whose content is unspecified.
 *
 * kernels.cdef repeats the declarations below for cffi; tests/csrc compares the two.
 */
#ifndef CA_KERNELS_H
#define CA_KERNELS_H

#include <stddef.h>

enum {
    CA_OK = 0,
    CA_BAD_ARGUMENT = -1 /* a null buffer, more than rows asked for, or sizes that overflow */
};

/* The number of this interface; classad/kernels.py refuses a library with another one. */
int ca_interface(void);

/* The k best rows, best first.
 *
 * keys: columns * rows doubles, one column after the other; earlier columns decide first, larger is
 * better.  In every column a NaN is below all numbers and equal to any other NaN; -0.0 equals 0.0.
 * Rows that are equal in all columns keep their order, so the result is a prefix of the one stable
 * sort.  order: k row numbers, written; k <= rows.
 * Time O(rows * log k).
 */
int ca_top_k(size_t rows, size_t columns, size_t k, const double *restrict keys,
             size_t *restrict order);

/* All rows in the order in which std::sort of the GNU C++ library leaves them, best first.
 *
 * keys: as above, but a NaN is neither better nor worse than anything, so the next column decides.
 * Equal rows come out in the library's own, reproducible order: unchanged up to 16 rows, shuffled
 * above.  NaN can make the comparison intransitive; where the library would then leave its buffer,
 * this function stops at the edge.  order: rows row numbers, written.
 * Time O(rows * log rows).
 */
int ca_sort_order(size_t rows, size_t columns, const double *restrict keys,
                  size_t *restrict order);

#endif
