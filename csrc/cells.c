/* Columns, rows and shapes: see cells.h.  Here too: the life of a load and what is read from it. */
#include "cells.h"

#include <stdlib.h>
#include <string.h>

/* A column may have holes and stay dense while at least one row in so many has a cell. */
enum { SPARSE = 6, FEW_ROWS = 64 };

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

ca_load *ca_load_new(void)
{
    ca_load *load = calloc(1, sizeof *load);
    if (load != NULL)
        load->first = -1;
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
    ca_pool_free(&load->shapes);
    free(load->name);
    free(load->columns);
    free(load->sure);
    free(load->row_shapes);
    free(load->open);
    free(load->scratch);
    free(load);
}

/* Records for texts that the pool of names has numbered since the last call. */
static int know_names(ca_load *load)
{
    size_t count = load->names.count;
    if (ca_room(&load->name, &load->name_capacity, count, sizeof *load->name) < 0)
        return CA_NO_MEMORY;
    while (load->names_known < count)
        load->name[load->names_known++] = (ca_name){-1, -1};
    return CA_OK;
}

static int new_column(ca_load *load, int32_t name, int32_t key)
{
    size_t count = load->column_count;
    if (ca_room(&load->columns, &load->column_capacity, count + 1, sizeof *load->columns) < 0)
        return CA_NO_MEMORY;
    load->columns[count] = (ca_cells){
        .folded = key, .name = name, .last_row = -1, .dense = load->rows < FEW_ROWS};
    load->name[key].column = (int32_t)load->column_count++;
    return CA_OK;
}

int32_t ca_cells_name(ca_load *load, const char *text, size_t length)
{
    int32_t name = ca_pool_number(&load->names, text, length);
    if (name < 0 || know_names(load) < 0)
        return CA_NO_MEMORY;
    if (load->name[name].column >= 0)
        return name;
    if (ca_room(&load->scratch, &load->scratch_capacity, length + 1, 1) < 0)
        return CA_NO_MEMORY;
    for (size_t i = 0; i < length; i++)
        load->scratch[i] = folded(text[i]);
    int32_t key = ca_pool_number(&load->names, load->scratch, length);
    if (key < 0 || know_names(load) < 0)
        return CA_NO_MEMORY;
    if (load->name[key].column < 0 && new_column(load, name, key) < 0)
        return CA_NO_MEMORY;
    load->name[name].column = load->name[key].column;
    return name;
}

/* Room for `count` cells; the arrays grow together. */
static int widen(ca_cells *column, size_t count)
{
    size_t room = column->capacity, tag_room = room, row_room = room;
    if (ca_room(&column->payload, &room, count, sizeof *column->payload) < 0 ||
        ca_room(&column->tags, &tag_room, count, 1) < 0 ||
        (!column->dense && ca_room(&column->rows, &row_room, count, sizeof *column->rows) < 0))
        return CA_NO_MEMORY;
    column->capacity = room;
    return CA_OK;
}

/* Make a dense column as long as `rows`. */
static int pad(ca_cells *column, size_t rows)
{
    if (widen(column, rows) < 0)
        return CA_NO_MEMORY;
    if (rows > column->count) {
        memset(column->tags + column->count, CA_NOTHING, rows - column->count);
        memset(column->payload + column->count, 0,
               (rows - column->count) * sizeof *column->payload);
        column->count = rows;
    }
    return CA_OK;
}

static int make_sparse(ca_cells *column)
{
    size_t kept = 0, room = 0;
    if (ca_room(&column->rows, &room, column->capacity, sizeof *column->rows) < 0)
        return CA_NO_MEMORY;
    for (size_t row = 0; row < column->count; row++) {
        if (column->tags[row] == CA_NOTHING)
            continue;
        column->tags[kept] = column->tags[row];
        column->payload[kept] = column->payload[row];
        column->rows[kept++] = (int32_t)row;
    }
    column->count = kept;
    column->dense = 0;
    return CA_OK;
}

static int make_dense(ca_cells *column, size_t rows)
{
    size_t cells = column->count;
    column->dense = 1;
    if (pad(column, rows) < 0)
        return CA_NO_MEMORY;
    /* From the end, since a cell never moves to a smaller place. */
    for (size_t row = rows; row-- > 0;) {
        const int there = cells > 0 && (size_t)column->rows[cells - 1] == row;
        cells -= (size_t)there;
        column->tags[row] = there ? column->tags[cells] : CA_NOTHING;
        column->payload[row] = there ? column->payload[cells] : 0;
    }
    free(column->rows);
    column->rows = NULL;
    return CA_OK;
}

/* A cell behind the last one, for the present row. */
static int append(ca_load *load, ca_cells *column, int tag, int64_t payload)
{
    if (column->dense && column->count < load->rows) {
        int holes = column->present * SPARSE < load->rows && load->rows >= FEW_ROWS;
        if ((holes ? make_sparse(column) : pad(column, load->rows)) < 0)
            return CA_NO_MEMORY;
    }
    size_t at = column->count;
    if (at >= column->capacity && widen(column, at + 1) < 0)
        return CA_NO_MEMORY;
    column->tags[at] = (unsigned char)tag;
    column->payload[at] = payload;
    if (!column->dense)
        column->rows[at] = (int32_t)load->rows;
    column->count++;
    column->present++;
    column->last_row = (int64_t)load->rows;
    return CA_OK;
}

int ca_cells_set(ca_load *load, int32_t name, int tag, int64_t payload)
{
    ca_cells *column = &load->columns[load->name[name].column];
    column->waiting |= tag == CA_WAITING;
    if (column->last_row == (int64_t)load->rows) {
        column->tags[column->count - 1] = (unsigned char)tag;
        column->payload[column->count - 1] = payload;
        return CA_OK;
    }
    if (ca_room(&load->open, &load->open_capacity, load->open_count + 1, sizeof *load->open) < 0 ||
        append(load, column, tag, payload) < 0)
        return CA_NO_MEMORY;
    load->open[load->open_count++] = name;
    return CA_OK;
}

int ca_load_row(ca_load *load)
{
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

void ca_cells_forget(ca_load *load)
{
    while (load->open_count > 0) {
        ca_cells *column = &load->columns[load->name[load->open[--load->open_count]].column];
        column->count--;
        column->present--;
        column->last_row = -1;
    }
}

int32_t ca_cells_text(ca_load *load, const char *text, size_t length)
{
    int32_t number = ca_pool_number(&load->strings, text, length);
    if (number < 0 || ca_room(&load->sure, &load->sure_capacity, load->strings.count, 1) < 0)
        return CA_NO_MEMORY;
    while (load->sure_known < load->strings.count)
        load->sure[load->sure_known++] = 0;
    return number;
}

/* ---- what is read from a load ------------------------------------------------------------- */

static void settle(ca_cells *column, const double *values)
{
    for (size_t at = 0; column->waiting && at < column->count; at++) {
        if (column->tags[at] != CA_WAITING)
            continue;
        column->tags[at] = CA_REAL_CELL;
        memcpy(&column->payload[at], &values[column->payload[at]], sizeof(double));
    }
    column->waiting = 0;
    column->raw_length = 0;
}

int ca_load_finish(ca_load *load, const double *values, size_t count)
{
    if (load == NULL || (values != NULL && count != load->strings.count))
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < load->column_count; i++) {
        ca_cells *column = &load->columns[i];
        int dense = column->present * SPARSE >= load->rows;
        int code = CA_OK;
        if (column->waiting && values == NULL)
            return CA_BAD_ARGUMENT;
        settle(column, values);
        if (column->present == 0)
            continue;
        if (dense && column->dense)
            code = pad(column, load->rows);
        else if (dense != column->dense)
            code = dense ? make_dense(column, load->rows) : make_sparse(column);
        if (code < 0)
            return code;
        column->last_row = -1;
    }
    return CA_OK;
}

static ca_texts texts_of(const ca_pool *pool)
{
    return (ca_texts){pool->bytes, pool->used, pool->texts, pool->count};
}

int ca_load_contents(const ca_load *load, ca_contents *contents)
{
    if (load == NULL || contents == NULL)
        return CA_BAD_ARGUMENT;
    *contents = (ca_contents){load->rows,
                              load->column_count,
                              load->name,
                              load->row_shapes,
                              texts_of(&load->names),
                              texts_of(&load->strings),
                              texts_of(&load->shapes)};
    return CA_OK;
}

int ca_load_column(const ca_load *load, size_t number, ca_column *column)
{
    if (load == NULL || column == NULL || number >= load->column_count)
        return CA_BAD_ARGUMENT;
    const ca_cells *cells = &load->columns[number];
    *column = (ca_column){cells->name,    cells->folded,  cells->waiting, cells->present,
                          cells->count,   cells->tags,    cells->payload,
                          cells->dense ? NULL : cells->rows};
    return CA_OK;
}
