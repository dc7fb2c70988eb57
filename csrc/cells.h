/* Holds ads as columns of cells, filled row by row.
 *
 * A load has names, columns, rows and texts.  A cell is a tag and eight bytes of payload.  A column is dense (a cell for every row, absent ones tagged CA_NOTHING) or sparse (cells
 * with their row numbers).  A shape is the names of an ad in their order; ads share shapes.
 */
#ifndef CA_CELLS_H
#define CA_CELLS_H

#include "intern.h"
#include "kernels.h"

typedef struct {
    int32_t folded; /* a number in the pool of names */
    int32_t name;   /* the first spelling */
    int dense;
    int waiting;      /* some cells are tagged CA_WAITING */
    int64_t last_row; /* of its last cell, while rows are added; -1 if not known */
    size_t present;   /* cells that are not CA_NOTHING */
    size_t count;
    size_t capacity;
    int64_t *payload;
    unsigned char *tags;
    int32_t *rows; /* of a sparse column */
    /* The rest of the line that gave the last value, its line end included, and that value. */
    const char *raw;
    size_t raw_length;
    uint64_t raw_buffer;
    int64_t raw_payload;
    int raw_tag;
} ca_cells;

struct ca_load {
    ca_pool names;    /* spellings and folded names */
    ca_pool strings;  /* strings, the texts of expressions and of reals that wait */
    ca_pool shapes;   /* names of an ad as an array of int32_t */
    ca_name *name;    /* by the number of the text in `names` */
    size_t name_capacity, names_known;
    ca_cells *columns;
    size_t column_capacity, column_count;
    unsigned char *sure; /* by the number of a text in `strings`: known to be an expression */
    size_t sure_capacity, sure_known;
    int32_t *row_shapes;
    size_t row_capacity;
    size_t rows;
    int32_t *open; /* names of the row that is being filled */
    size_t open_capacity, open_count;
    int32_t first; /* the name that began the last row, -1 */
    uint64_t buffer; /* tells the buffers that lines come from apart */
    char *scratch;
    size_t scratch_capacity;
};

/* All of these return 0 or a negative code. */

/* The number of a spelling, new ones included. */
int32_t ca_cells_name(ca_load *load, const char *text, size_t length);

/* Give an attribute of the present row a value; the last value wins. */
int ca_cells_set(ca_load *load, int32_t name, int tag, int64_t payload);

/* Forget the present row. */
void ca_cells_forget(ca_load *load);

/* The number of a string or expression. */
int32_t ca_cells_text(ca_load *load, const char *text, size_t length);

/* The tag of a right-hand side, without blanks around it and not empty, that is a plain literal;
 * CA_UNSURE for any other. */
int ca_read_literal(ca_load *load, const char *text, size_t length, int64_t *payload);

#endif
