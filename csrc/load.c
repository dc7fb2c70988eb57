/* Makes cells of the ordinary lines of the long form.
 *
 * A pool repeats itself: the attribute is guessed from the one before it in the last ad, and its value
 * is the last one's when the rest of the line is.  An ad with any line that is not ordinary is handed
 * back untouched to classad/formats/long.py; no line is guessed at.
 */
#include "cells.h"
#include "lex.h"

#include <string.h>

/* Nodes of an expression that is checked here; larger ones are checked by the caller, once each. */
enum { NODES = 512 };
/* There may be another ad. */
enum { MORE = 2 };

typedef struct {
    ca_load *load;
    const char *at;
    const char *end;
    int whole;
    int64_t line;
    int32_t last; /* the name of the line before, -1 */
    ca_node nodes[NODES];
} reader;

/* Whether the line is that of the guessed attribute; *rest is what follows the name. */
static int as_guessed(const reader *r, int32_t guess, const char **rest)
{
    if (guess < 0)
        return 0;
    const ca_text *text = &r->load->names.texts[guess];
    if ((uint64_t)(r->end - r->at) <= text->length ||
        memcmp(r->at, r->load->names.bytes + text->offset, (size_t)text->length) != 0)
        return 0;
    *rest = r->at + text->length;
    return **rest == ' ' || **rest == '=';
}

/* The number of the name that the line begins with; CA_UNSURE if it is not a usual one. */
static int32_t read_name(reader *r, const char **rest)
{
    int32_t guess = r->last < 0 ? r->load->first : r->load->name[r->last].next;
    if (as_guessed(r, guess, rest))
        return guess;
    const char *stop = r->at;
    for (; stop < r->end; stop++)
        if (!is_letter((unsigned char)*stop) && !is_digit((unsigned char)*stop) && *stop != '.')
            break;
    *rest = stop;
    if (stop == r->at || stop == r->end || (*stop != ' ' && *stop != '='))
        return CA_UNSURE;
    int32_t name = ca_cells_name(r->load, r->at, (size_t)(stop - r->at));
    if (name >= 0 && r->last < 0)
        r->load->first = name;
    else if (name >= 0)
        r->load->name[r->last].next = name;
    return name;
}

/* Whether the text is known to be an expression, or found to be one and no literal. */
static int is_expression(reader *r, int32_t number, const char *text, size_t length)
{
    if (r->load->sure[number])
        return 1;
    int32_t count = ca_parse(length, text, 0, CA_OLD | CA_PREFIX, NODES, r->nodes);
    if (count <= 0 || r->nodes[count - 1].kind <= CA_ERROR)
        return 0;
    r->load->sure[number] = 1;
    return 1;
}

static int read_value(reader *r, const char *text, size_t length, int64_t *payload)
{
    int tag = ca_read_literal(r->load, text, length, payload);
    if (tag != CA_UNSURE)
        return tag;
    int32_t number = ca_cells_text(r->load, text, length);
    if (number < 0)
        return number;
    *payload = number;
    return is_expression(r, number, text, length) ? CA_EXPRESSION_CELL : CA_UNSURE;
}

/* The line at hand, which is not blank: 0, or a negative code.  `stop` is its end. */
static int read_line(reader *r)
{
    const char *rest;
    int32_t name = read_name(r, &rest);
    if (name < 0)
        return name;
    ca_cells *column = &r->load->columns[r->load->name[name].column];
    if (column->raw_buffer == r->load->buffer && column->raw_length > 0 &&
        (size_t)(r->end - rest) >= column->raw_length &&
        memcmp(rest, column->raw, column->raw_length) == 0) {
        r->at = rest + column->raw_length;
        r->last = name;
        return ca_cells_set(r->load, name, column->raw_tag, column->raw_payload);
    }
    const char *line_end = memchr(rest, '\n', (size_t)(r->end - rest));
    const char *stop = line_end == NULL ? r->end : line_end, *from = rest;
    while (from < stop && *from == ' ')
        from++;
    if (from == stop || *from != '=')
        return CA_UNSURE;
    from++;
    while (from < stop && is_blank((unsigned char)*from))
        from++;
    while (stop > from && is_blank((unsigned char)stop[-1]))
        stop--;
    if (from == stop)
        return CA_UNSURE;
    int64_t payload;
    int tag = read_value(r, from, (size_t)(stop - from), &payload);
    if (tag < 0)
        return tag;
    if (line_end != NULL) {
        column->raw = rest;
        column->raw_length = (size_t)(line_end + 1 - rest);
        column->raw_buffer = r->load->buffer;
        column->raw_tag = tag;
        column->raw_payload = payload;
    }
    r->at = line_end == NULL ? r->end : line_end + 1;
    r->last = name;
    return ca_cells_set(r->load, name, tag, payload);
}

/* Skip lines from `at` up to the next blank one, that one included; its end, or NULL if it is not in
 * the buffer.  *lines is how many there were. */
static const char *skip_ad(const reader *r, const char *at, int64_t *lines)
{
    *lines = 0;
    while (at < r->end) {
        const char *stop = memchr(at, '\n', (size_t)(r->end - at));
        const char *next = stop == NULL ? r->end : stop + 1;
        if (stop == NULL && !r->whole)
            return NULL;
        ++*lines;
        while (at < next && is_blank((unsigned char)*at))
            at++;
        if (at == next)
            return next;
        at = next;
    }
    return r->whole ? r->end : NULL;
}

/* The next ad.  CA_DONE, CA_LOOK, a negative code, or MORE. */
static int read_ad(reader *r, const char **start, int64_t *start_line)
{
    *start = r->at;
    *start_line = r->line;
    r->last = -1;
    for (;;) {
        const char *at = r->at;
        while (at < r->end && *at != '\n' && is_blank((unsigned char)*at))
            at++;
        const int blank = at == r->end || *at == '\n';
        if (at == r->end && !r->whole)
            return CA_DONE; /* the line may go on behind the buffer */
        r->at = at;
        int code = blank ? ca_load_row(r->load) : read_line(r);
        if (code < 0)
            return code == CA_UNSURE ? CA_LOOK : code;
        if (!blank) {
            r->line++;
            if (r->at == r->end && r->at[-1] != '\n' && !r->whole)
                return CA_DONE;
            continue;
        }
        r->line += at < r->end;
        r->at += at < r->end;
        *start = r->at;
        *start_line = r->line;
        return r->at == r->end ? CA_DONE : MORE;
    }
}

int ca_load_feed(ca_load *load, size_t length, const char *text, int whole, ca_place *place)
{
    if (load == NULL || text == NULL || place == NULL || place->position > length)
        return CA_BAD_ARGUMENT;
    if (place->position == 0)
        load->buffer++;
    reader r = {.load = load, .at = text + place->position, .end = text + length, .whole = whole,
                .line = place->line, .last = -1};
    const char *start = r.at;
    int64_t start_line = r.line, lines = 0;
    int code = MORE;
    while (code == MORE)
        code = read_ad(&r, &start, &start_line);
    if (load->open_count > 0 || code != CA_DONE)
        ca_cells_forget(load);
    place->position = (size_t)(start - text);
    place->line = start_line;
    if (code == CA_LOOK) {
        const char *end = skip_ad(&r, start, &lines);
        if (end == NULL)
            return CA_DONE;
        place->block = (size_t)(end - text);
    }
    return code;
}

int ca_load_put(ca_load *load, size_t name_length, const char *name, int tag, int64_t payload,
                size_t length, const char *text)
{
    if (load == NULL || name == NULL || tag <= CA_NOTHING || tag >= CA_WAITING)
        return CA_BAD_ARGUMENT;
    int32_t number = ca_cells_name(load, name, name_length);
    if (number < 0)
        return number;
    if (tag == CA_STRING_CELL || tag == CA_EXPRESSION_CELL) {
        if (text == NULL)
            return CA_BAD_ARGUMENT;
        int32_t known = ca_cells_text(load, text, length);
        if (known < 0)
            return known;
        if (tag == CA_EXPRESSION_CELL)
            load->sure[known] = 1;
        payload = known;
    }
    return ca_cells_set(load, number, tag, payload);
}
