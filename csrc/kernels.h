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
#include <stdint.h>

enum {
    CA_OK = 0,
    CA_BAD_ARGUMENT = -1, /* a null buffer, more than rows asked for, or sizes that overflow */
    CA_UNSURE = -2, /* not for this function to decide */
    CA_FULL = -3 /* a buffer has no room for the result */
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

/* Kinds of nodes. */
enum {
    CA_INTEGER,
    CA_REAL,
    CA_STRING,
    CA_ESCAPED_STRING, /* a string with a backslash in it */
    CA_TRUE,
    CA_FALSE,
    CA_UNDEFINED,
    CA_ERROR,
    CA_REFERENCE,
    CA_ABSOLUTE, /* .name */
    CA_SELECTION, /* takes one operand */
    CA_UNARY, /* one */
    CA_BINARY, /* two */
    CA_CONDITIONAL, /* three */
    CA_SUBSCRIPT, /* two */
    CA_PARENS, /* one */
    CA_CALL, /* `count` of them */
    CA_LIST, /* the same */
    CA_ATTRIBUTE, /* one; only within an ad */
    CA_AD /* `count` attributes */
};

/* A node of a tree.  A tree is an array of them, each behind its operands, so the root is last. */
typedef struct {
    int32_t kind;
    int32_t op; /* of unary and binary operators: a position in the OPERATORS of classad/arena.py */
    int32_t count; /* from CA_CONDITIONAL on, but for CA_PARENS: of operands */
    int32_t start; /* what it spans in the text ... */
    int32_t end;
    int32_t begin; /* ... and where its name, or the text between the quotes of a string, is */
    int32_t stop;
} ca_node;

/* How a text is to be read: a sum of these. */
enum {
    CA_OLD = 1, /* strings in old syntax */
    CA_STRICT = 2, /* strict semantics */
    CA_PREFIX = 4, /* text behind a complete expression is ignored */
    CA_ONE_AD = 8 /* an ad, behind whose closing bracket nothing is looked at */
};

/* The tree of the expression or ad at the beginning of a text of ASCII characters, itself the part of
 * a longer one that begins at `origin`, in which the nodes have their places.
 *
 * Returns the number of nodes, which is at most that of characters read; CA_FULL if it exceeds
 * `capacity`; CA_UNSURE for a text that is not in the language or unusual in it.
 * Time O(length); memory on the stack, bounded.
 */
int32_t ca_parse(size_t length, const char *text, size_t origin, int how, size_t capacity,
                 ca_node *nodes);

#endif
