/* Declares the functions that the extension module exports.
 *
 * A kernel sees columns of numbers, cells and row numbers; what they mean is decided in Python.
 * Ownership: the caller owns every buffer; a kernel allocates nothing, keeps nothing and touches only
 * what it is given, so it may run without the interpreter lock.  The one exception is a load, which
 * one thread at a time may use.
 * Results: 0, or a negative code and an output buffer whose content is unspecified.
 *
 * cffi reads the declarations below and those of declared.h without their preprocessor lines.
 */
#ifndef CA_KERNELS_H
#define CA_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "declared.h"

enum {
    CA_OK = 0,
    CA_BAD_ARGUMENT = -1, /* a null buffer, more than rows asked for, or sizes that overflow */
    CA_UNSURE = -2, /* not for this function to decide */
    CA_FULL = -3, /* a buffer has no room for the result */
    CA_NO_MEMORY = -4
};

/* The number of this interface; classad/kernels.py refuses a library with another one. */
int ca_interface(void);

/* A key of every row: values[row]; with codes of rows, values[code]; with kinds of rows, `other` where
 * the kind is 0, and if they are to be the codes, values[kind] where it is not.  It is `other`, too,
 * where there is no such value, of `size` that there are. */
typedef struct {
    const double *values;
    size_t size;
    const int32_t *codes; /* may be null */
    const unsigned char *kinds; /* may be null, unless of_kinds */
    double other;
    int of_kinds;
} ca_key;

/* The `wanted` best of `count` rows, best first.
 *
 * keys: earlier ones decide first, larger is better; -0.0 equals 0.0.  rows: which ones, rising, of
 * `size` that have keys.  first and scratch: room for count doubles and three times as many codes.
 * order: room for count rows, of which the first `wanted` ones mean something, written.
 * `stable`: rows that are equal in all keys keep their order, and a NaN is below all numbers and equal
 * to any other NaN.  Time O(count * log wanted).
 * Else in the order in which std::sort of the GNU C++ library leaves them: equal rows unchanged up to 16
 * rows, shuffled above, always in the same way.  A NaN is neither better nor worse than anything, so the
 * next key decides.  NaN can make the comparison intransitive; where the library would then leave its
 * buffer, this function stops at the edge; and then all rows have to be wanted.
 * Time O(count * log count), for few wanted ones O(count).
 */
int ca_order(size_t count, size_t columns, const ca_key *keys, size_t size, const int32_t *rows,
             size_t wanted, int stable, double *first, int32_t *scratch, int32_t *order);

/* Kinds of nodes: CA_STRING is one without, CA_ESCAPED_STRING one with a backslash; from
 * CA_SELECTION on they have operands: one has a selection, a prefix operator, what is in parentheses and
 * an attribute of an ad, two a binary operator and a subscript, three a conditional, `count` the rest. */

/* A node of a tree.  A tree is an array of them, each behind its operands, so the root is last. */
typedef struct {
    int32_t kind;
    int32_t op; /* of unary and binary operators: a position in the OPERATORS of classad/syntax/native.py */
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
    CA_ONE_AD = 8, /* an ad, behind whose closing bracket nothing is looked at */
    CA_WHOLE = 16 /* there must be no text behind a conditional either */
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

/* ---- ads in long form, loaded into columns ------------------------------------------------ */

/* A cell is a tag and a payload: the integer, the bits of the double, 0 or 1, or the number of a text;
 * 0 otherwise.  CA_EXPRESSION_CELL is an expression, list or ad by its text in old syntax, CA_WAITING a
 * real, as a text, until ca_load_finish. */

/* A text: bytes, compared exactly, and what its owner marks it with, 0 at first. */
typedef struct {
    uint64_t offset;
    uint64_t hash;
    uint32_t length;
    int32_t mark;
} ca_text;

/* A place in the table.  With half of the hash in it most texts that are not the one looked for need
 * not be touched. */
typedef struct {
    uint32_t hash;
    int32_t number; /* that of the text + 1, 0 for a free slot */
} ca_slot;

/* Texts, each once, numbered as they come.  Offsets stay valid when it grows, pointers do not. */
typedef struct {
    char *bytes;
    size_t used;
    size_t room;
    ca_text *texts;
    size_t count;
    size_t capacity;
    ca_slot *slots; /* by hash */
    size_t mask;    /* number of slots - 1; a power of two less one */
} ca_pool;

/* The cells of an attribute: of the first rows, or of the ones that are listed. */
typedef struct {
    int32_t name;     /* its first spelling: the number of a name */
    int32_t next;     /* the name that came after it last */
    int64_t last_row; /* of its last cell, -1 */
    size_t present;   /* cells that are not CA_NOTHING: known when the load is finished */
    size_t count;
    size_t capacity;
    int64_t *payload;
    unsigned char *tags;
    int32_t *rows; /* null if there is a cell for each of the first rows */
    /* The rest of the line that gave the last value, its line end included, and that value. */
    const char *raw;
    size_t raw_length;
    int64_t raw_payload;
    int raw_tag;
} ca_column;

/* A load: what has been read so far.  The one thing here that owns memory; pointers are good until it
 * is changed or freed. */
typedef struct {
    ca_pool names;   /* spellings and folded names, marked with the number of their column + 1 */
    ca_pool strings; /* strings and the texts of expressions, which are marked with 1 */
    ca_pool reals;   /* the texts of reals that wait */
    ca_pool shapes;  /* the numbers of an ad's names, in order, as int32_t */
    ca_column *columns;
    size_t column_capacity, column_count;
    int32_t *row_shapes;
    size_t row_capacity, rows;
    int32_t *open; /* names of the row that is being filled */
    size_t open_capacity, open_count;
    int32_t first; /* the name that began the last row, -1 */
    int32_t last;  /* the column that was given a cell last in this row, -1 */
    char *scratch;
    size_t scratch_capacity;
} ca_load;

ca_load *ca_load_new(void);
void ca_load_free(ca_load *load);

/* Where reading a buffer has come to. */
typedef struct {
    size_t position; /* the next byte to be read: given, and set */
    int64_t line;    /* its line number: given, and set */
    size_t start;    /* set: where the ad begins of which it is a part */
    size_t block;    /* set with CA_LOOK: where the line to be looked at ends */
    int dropping;    /* the rest of this ad is skipped: given, and set */
} ca_place;

/* What ca_load_feed returns besides errors. */
enum {
    CA_DONE = 0, /* all that there is, but for a line whose end was not seen: from `position` on */
    CA_LOOK = 1  /* the line at `position` is unusual and left to the caller */
};

/* Read lines from `position` on.  Texts that are plain become cells; after CA_LOOK the caller puts the
 * attribute in, moves the position to the line's end and goes on with the same buffer.  A new buffer
 * starts at position 0.  `whole`: an ad may end with the buffer.
 */
int ca_load_feed(ca_load *load, size_t length, const char *text, int whole, ca_place *place);

/* Give the present row an attribute; a string or expression with its text, others with a payload.
 * An expression that is put in is taken for one wherever its text comes again. */
int ca_load_put(ca_load *load, size_t name_length, const char *name, int tag, int64_t payload,
                size_t length, const char *text);

/* End a load, forgetting the present row: make waiting cells reals, values[n] being that of text n of
 * `count`, and give columns with few holes a cell for every row. */
int ca_load_finish(ca_load *load, const double *values, size_t count);

/* ---- rows, codes and bits ----------------------------------------------------------------- */

/* Number the pairs of values that come, from 0 in their order: rows with equal pairs get equal numbers.
 * The values are codes of 4 bytes each, or payloads and tags of cells, of 8 bytes and of 1.  slots:
 * scratch, a power of two of at least twice the rows.  numbers: one for each row, written; first: for
 * each number the first row that has it, written, room for all rows.  Returns how many numbers there
 * are.  Time O(rows).
 */
int32_t ca_number_pairs(size_t rows, size_t left_width, const void *left, size_t right_width,
                        const void *right, size_t room, int32_t *slots, int32_t *numbers,
                        int32_t *first);

/* out[i] = values[rows[i]], of `length` values that take 1, 4 or 8 bytes each. */
int ca_pick(size_t count, const int32_t *rows, size_t length, size_t width, const void *values,
            void *out);

/* Set the bit of each row whose code has a 1 in the table of `size` bytes.  rows: which row each
 * code belongs to; null: row i, and then every byte that has a row is written whole.  bits: `room`
 * bytes, the bit of a row is bit row % 8 of byte row / 8. */
int ca_flag(size_t count, const int32_t *codes, const int32_t *rows, size_t size,
            const unsigned char *table, size_t room, unsigned char *bits);

/* The rows whose bits are set, rising, of a number of bytes that 8 divides.  Returns how many they are; rows:
 * null if that is all that is wanted. */
int64_t ca_list_bits(size_t size, const unsigned char *bits, size_t room, int32_t *rows);

/* out[rows[i]] = kind. */
int ca_mark(size_t count, const int32_t *rows, unsigned char kind, size_t room,
            unsigned char *out);

/* ---- operators ---------------------------------------------------------------------------- */

/* Values, each a cell as a loader keeps it; any tag that is none of a number, a boolean, undefined
 * or an error is a value that is kept elsewhere.  step: 1, or 0 for one value that all share. */
typedef struct {
    const unsigned char *tags;
    const int64_t *payload;
    size_t step;
} ca_vector;

/* A condition and its two outcomes, as an operator. */
enum {
    CA_CHOOSE = CA_NOT + 1
};

/* What an operator, as classad/language/operators.py defines it, makes of `count` values of each vector,
 * of as many vectors as it takes operands.  Where an operand is kept elsewhere, or the outcome that is
 * taken, the tag is CA_NOTHING, and the result for the caller to find.  Returns how many of these there
 * are.  Time O(count).
 */
int64_t ca_operate(int op, size_t count, const ca_vector *first, const ca_vector *second,
                   const ca_vector *third, unsigned char *tags, int64_t *payload);

/* What values count as in logic; those kept elsewhere are wrong. */
enum {
    CA_OPEN,
    CA_HOLDS,
    CA_FAILS,
    CA_WRONG
};

int ca_judge(size_t count, const unsigned char *tags, const int64_t *payload, unsigned char *out);

/* Values as doubles, rounded to single precision if that is wanted; `other` for what is no number.
 * CA_BAD_ARGUMENT if one is NaN. */
int ca_numbers(size_t count, const unsigned char *tags, const int64_t *payload, int single,
               double other, double *out);

/* For each of `count` runs of judged values, of `size` in all, how many of them hold.  Run i goes from
 * ends[i] up to ends[i + 1]. */
int ca_count_holding(size_t count, const int32_t *ends, size_t size, const unsigned char *judged,
                     int64_t *out);

#endif
