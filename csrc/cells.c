/* Keeps ads as columns of cells, filled row by row: see kernels.h for what a load holds.
 *
 * A column has a cell for each of the first rows until one is left out; from then on its rows are
 * listed.  A shape is the names of an ad in their order; ads share shapes.
 */
#include "cells.h"

#include <stdlib.h>
#include <string.h>

/* A column has a cell for every row in the end if at least one in so many has one. */
enum { SPARSE = 6 };

ca_load *ca_load_new(void)
{
    ca_load *load = calloc(1, sizeof *load);
    if (load != NULL)
        load->first = load->last = -1;
    return load;
}

void ca_load_free(ca_load *load)
{
    if (load == NULL)
        return;
    for (size_t i = 0; i < load->column_count; i++) {
        free(load->columns[i].payload);
        free(load->columns[i].tags);
        free(load->columns[i].rows);
    }
    ca_pool_free(&load->names);
    ca_pool_free(&load->strings);
    ca_pool_free(&load->reals);
    ca_pool_free(&load->shapes);
    free(load->columns);
    free(load->row_shapes);
    free(load->open);
    free(load->scratch);
    free(load);
}

/* The number of the column that a name which is not marked means, made if there is none. */
static int32_t column_of(ca_load *load, int32_t name)
{
    const size_t length = load->names.texts[name].length, count = load->column_count;
    if (ca_room(&load->scratch, &load->scratch_capacity, length + 1, 1) < 0)
        return CA_NO_MEMORY;
    for (size_t i = 0; i < length; i++) {
        const char c = load->names.bytes[load->names.texts[name].offset + i];
        load->scratch[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    const int32_t key = ca_pool_number(&load->names, load->scratch, length);
    if (key < 0)
        return CA_NO_MEMORY;
    int32_t *const mark = &load->names.texts[key].mark;
    if (*mark == 0) {
        if (ca_room(&load->columns, &load->column_capacity, count + 1, sizeof *load->columns) < 0)
            return CA_NO_MEMORY;
        load->columns[count] = (ca_column){.name = name, .next = -1, .last_row = -1};
        *mark = (int32_t)++load->column_count;
    }
    load->names.texts[name].mark = *mark;
    return *mark - 1;
}

/* Room for `count` cells; the arrays grow together. */
static int widen(ca_column *column, size_t count)
{
    size_t room = column->capacity, tag_room = room, row_room = room;
    if (ca_room(&column->payload, &room, count, sizeof *column->payload) < 0 ||
        ca_room(&column->tags, &tag_room, count, 1) < 0 ||
        (column->rows != NULL &&
         ca_room(&column->rows, &row_room, count, sizeof *column->rows) < 0))
        return CA_NO_MEMORY;
    column->capacity = room;
    return CA_OK;
}

/* List the rows of a column that has had a cell for each so far. */
static int list_rows(ca_column *column)
{
    size_t room = 0;
    if (ca_room(&column->rows, &room, column->capacity, sizeof *column->rows) < 0)
        return CA_NO_MEMORY;
    for (size_t row = 0; row < column->count; row++)
        column->rows[row] = (int32_t)row;
    return CA_OK;
}

int ca_cells_set(ca_load *load, int32_t name, int tag, int64_t payload)
{
    const int32_t mark = load->names.texts[name].mark;
    const int32_t number = mark > 0 ? mark - 1 : column_of(load, name);
    if (number < 0)
        return number;
    ca_column *const column = &load->columns[number];
    if (column->last_row != (int64_t)load->rows) {
        const size_t at = column->count;
        if ((load->open_count >= load->open_capacity &&
             ca_room(&load->open, &load->open_capacity, load->open_count + 1, sizeof *load->open) <
                 0) ||
            (at >= column->capacity && widen(column, at + 1) < 0) ||
            (column->rows == NULL && at < load->rows && list_rows(column) < 0))
            return CA_NO_MEMORY;
        if (column->rows != NULL)
            column->rows[at] = (int32_t)load->rows;
        column->count++;
        column->last_row = (int64_t)load->rows;
        load->open[load->open_count++] = name;
    }
    column->tags[column->count - 1] = (unsigned char)tag;
    column->payload[column->count - 1] = payload;
    *(load->last < 0 ? &load->first : &load->columns[load->last].next) = name;
    load->last = number;
    return CA_OK;
}

int ca_cells_end_row(ca_load *load)
{
    load->last = -1;
    if (load->open_count == 0)
        return CA_OK;
    if (load->rows >= INT32_MAX - 1)
        return CA_NO_MEMORY;
    int32_t shape = ca_pool_number(&load->shapes, (const char *)load->open,
                                   load->open_count * sizeof *load->open);
    if (shape < 0 || ca_room(&load->row_shapes, &load->row_capacity, load->rows + 1,
                             sizeof *load->row_shapes) < 0)
        return CA_NO_MEMORY;
    load->row_shapes[load->rows++] = shape;
    load->open_count = 0;
    return CA_OK;
}

/* Give every row a cell, of a column whose rows are listed. */
static int fill_holes(ca_column *column, size_t rows)
{
    size_t cells = column->count;
    if (widen(column, rows) < 0)
        return CA_NO_MEMORY;
    /* From the end, since a cell never moves to a smaller place. */
    for (size_t row = rows; row-- > 0;) {
        const int there = cells > 0 && (size_t)column->rows[cells - 1] == row;
        cells -= (size_t)there;
        column->tags[row] = there ? column->tags[cells] : CA_NOTHING;
        column->payload[row] = there ? column->payload[cells] : 0;
    }
    column->count = rows;
    free(column->rows);
    column->rows = NULL;
    return CA_OK;
}

/* Make waiting cells reals. */
static void settle(ca_column *column, const double *values)
{
    const unsigned char *const end = column->tags + column->count;
    unsigned char *at = column->tags;
    for (; (at = memchr(at, CA_WAITING, (size_t)(end - at))) != NULL; at++) {
        int64_t *const payload = &column->payload[at - column->tags];
        *at = CA_REAL_CELL;
        memcpy(payload, &values[*payload], sizeof *values);
    }
}

int ca_load_finish(ca_load *load, const double *values, size_t count)
{
    if (load == NULL || count != load->reals.count || (count > 0 && values == NULL))
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < load->column_count; i++) {
        ca_column *const column = &load->columns[i];
        column->count -= column->last_row == (int64_t)load->rows;
        column->present = column->count;
        column->last_row = -1;
        if (count > 0)
            settle(column, values);
        if (column->count == load->rows)
            continue;
        if ((column->rows == NULL && list_rows(column) < 0) ||
            (column->present * SPARSE >= load->rows && fill_holes(column, load->rows) < 0))
            return CA_NO_MEMORY;
    }
    load->open_count = 0;
    return CA_OK;
}
