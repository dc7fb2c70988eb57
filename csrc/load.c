/* Makes cells of the ordinary lines of the long form.
 *
 * A pool repeats itself: the attribute is guessed from the one before it in the last ad, and its value
 * is the last one's when the rest of the line is.  A line that is not ordinary is handed back untouched
 * to classad/loading/long_form.py; no line is guessed at.  A value that is one token is a cell if it is
 * certain; no function of the C library is asked for a number, since those depend on the locale.
 */
#include "cells.h"
#include "lex.h"

#include <float.h>
#include <string.h>

/* Nodes of an expression that is checked here; larger ones are checked by the caller, once each. */
enum { NODES = 512 };
/* The line goes on behind the buffer. */
enum { PART = 2 };

typedef struct {
    ca_load *load;
    const char *at; /* a line begins here */
    const char *end;
    int whole;
} reader;

/* Whether the line is that of the guessed attribute; *rest is what follows the name. */
static int as_guessed(const reader *r, const char *at, int32_t guess, const char **rest)
{
    if (guess < 0)
        return 0;
    const ca_text *text = &r->load->names.texts[guess];
    if ((size_t)(r->end - at) <= text->length ||
        memcmp(at, r->load->names.bytes + text->offset, text->length) != 0)
        return 0;
    *rest = at + text->length;
    return **rest == ' ' || **rest == '=';
}

/* The number of the name that the line begins with; CA_UNSURE if it is not a usual one. */
static int32_t read_name(const reader *r, const char *at, const char **rest)
{
    ca_load *const load = r->load;
    int32_t guess = load->last < 0 ? load->first : load->columns[load->last].next;
    if (as_guessed(r, at, guess, rest))
        return guess;
    const char *stop = at;
    for (; stop < r->end; stop++)
        if (!is_letter((unsigned char)*stop) && !is_digit((unsigned char)*stop) && *stop != '.')
            break;
    *rest = stop;
    if (stop == at || stop == r->end || (*stop != ' ' && *stop != '='))
        return CA_UNSURE;
    return ca_pool_number(&load->names, at, (size_t)(stop - at));
}

/* Powers of ten that a double holds exactly. */
static const double TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
/* Of an exponent from FAR on no more digits are read: such a number waits. */
enum { MOST_TENS = 22, MOST_DIGITS = 18, FAR = 100000 };
static const int64_t EXACT = INT64_C(1) << 53;

/* A number that has no more than MOST_DIGITS from the first that is not 0; a real if one rounding gives
 * the double next to it, else it waits. */
static int read_number(ca_load *load, const char *text, size_t length, int real, int64_t *payload)
{
    const int negative = text[0] == '-';
    int64_t digits = 0, significant = 0, scale = 0, exponent = 0;
    int fraction = 0;
    size_t at = (size_t)negative;
    for (; at < length && (text[at] | 0x20) != 'e'; at++) {
        if (text[at] == '.') {
            fraction = 1;
            continue;
        }
        significant += significant > 0 || text[at] != '0';
        if (significant <= MOST_DIGITS)
            digits = digits * 10 + (text[at] - '0');
        scale -= fraction;
    }
    const int below = at + 1 < length && text[at + 1] == '-';
    for (at++; at < length && exponent < FAR; at++)
        if (is_digit((unsigned char)text[at]))
            exponent = exponent * 10 + (text[at] - '0');
    scale += below ? -exponent : exponent;
    if (!real) {
        *payload = negative ? -digits : digits;
        return significant > MOST_DIGITS ? CA_UNSURE : CA_INTEGER_CELL;
    }
    if (FLT_EVAL_METHOD != 0 || significant > MOST_DIGITS || digits > EXACT || scale > MOST_TENS ||
        scale < -MOST_TENS || exponent >= FAR) {
        *payload = ca_pool_number(&load->reals, text, length);
        return *payload < 0 ? CA_NO_MEMORY : CA_WAITING;
    }
    double value = (double)digits;
    value = scale < 0 ? value / TEN[-scale] : value * TEN[scale];
    value = negative ? -value : value;
    memcpy(payload, &value, sizeof value);
    return CA_REAL_CELL;
}

/* The text between the outer quotes.  A backslash is itself unless a quote follows that is not the
 * last one; that quote is part of the text. */
static int read_string(ca_load *load, const char *text, size_t length, int escaped,
                       int64_t *payload)
{
    const size_t last = length - 1;
    size_t kept = length - 2;
    const char *body = text + 1;
    if (escaped) {
        if (ca_room(&load->scratch, &load->scratch_capacity, length, 1) < 0)
            return CA_NO_MEMORY;
        kept = 0;
        for (size_t at = 1; at < last; at++) {
            at += text[at] == '\\' && at + 1 < last && text[at + 1] == '"';
            load->scratch[kept++] = text[at];
        }
        body = load->scratch;
    }
    *payload = ca_pool_number(&load->strings, body, kept);
    return *payload < 0 ? CA_NO_MEMORY : CA_STRING_CELL;
}

/* The tag of a right-hand side, without blanks around it and not empty, that is a plain literal;
 * CA_UNSURE for any other. */
static int read_literal(ca_load *load, const char *text, size_t length, int64_t *payload)
{
    ca_lexer token = {.text = (const unsigned char *)text, .length = length, .old = 1};
    ca_lex_next(&token);
    if (token.start != 0 || token.end != length)
        return CA_UNSURE;
    *payload = token.kind == CA_T_TRUE;
    switch (token.kind) {
    case CA_T_INTEGER:
    case CA_T_REAL: return read_number(load, text, length, token.kind == CA_T_REAL, payload);
    case CA_T_STRING:
    case CA_T_ESCAPED_STRING: return read_string(load, text, length, token.kind == CA_T_ESCAPED_STRING, payload);
    case CA_T_TRUE:
    case CA_T_FALSE: return CA_BOOLEAN_CELL;
    case CA_T_UNDEFINED: return CA_UNDEFINED_CELL;
    case CA_T_ERROR: return CA_ERROR_CELL;
    default: return CA_UNSURE;
    }
}

static int read_value(ca_load *load, const char *text, size_t length, int64_t *payload)
{
    int tag = read_literal(load, text, length, payload);
    if (tag != CA_UNSURE)
        return tag;
    int32_t number = ca_pool_number(&load->strings, text, length);
    if (number < 0)
        return number;
    *payload = number;
    if (!load->strings.texts[number].mark) {
        ca_node nodes[NODES];
        int32_t count = ca_parse(length, text, 0, CA_OLD | CA_WHOLE, NODES, nodes);
        if (count <= 0 || nodes[count - 1].kind <= CA_ERROR)
            return CA_UNSURE;
        load->strings.texts[number].mark = 1;
    }
    return CA_EXPRESSION_CELL;
}

/* Where the line ends in which `at` is; NULL if that was not seen. */
static const char *line_end(const reader *r, const char *at)
{
    const char *end = memchr(at, '\n', (size_t)(r->end - at));
    return end != NULL ? end + 1 : r->whole ? r->end : NULL;
}

/* The attribute that the line gives, whose name begins at `at`. */
static int read_attribute(reader *r, const char *at)
{
    ca_load *const load = r->load;
    const char *rest;
    int32_t name = read_name(r, at, &rest);
    if (name < 0)
        return name;
    const int32_t known = load->names.texts[name].mark - 1;
    if (known >= 0) {
        const ca_column *const column = &load->columns[known];
        if (column->raw_length > 0 && (size_t)(r->end - rest) >= column->raw_length &&
            memcmp(rest, column->raw, column->raw_length) == 0) {
            r->at = rest + column->raw_length;
            return ca_cells_set(load, name, column->raw_tag, column->raw_payload);
        }
    }
    const char *const end = line_end(r, rest);
    const char *stop = end, *from = rest;
    if (end == NULL)
        return PART;
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
    int tag = read_value(load, from, (size_t)(stop - from), &payload);
    if (tag < 0)
        return tag;
    int code = ca_cells_set(load, name, tag, payload);
    if (code < 0)
        return code;
    ca_column *const column = &load->columns[load->last];
    column->raw = rest;
    column->raw_length = end[-1] == '\n' ? (size_t)(end - rest) : 0;
    column->raw_tag = tag;
    column->raw_payload = payload;
    r->at = end;
    return CA_OK;
}

/* The line at hand: 0 if it has been read, PART or a negative code. */
static int read_line(reader *r, int *dropping)
{
    const char *at = r->at;
    while (at < r->end && *at != '\n' && is_blank((unsigned char)*at))
        at++;
    const int blank = at == r->end || *at == '\n';
    if (!blank && !*dropping)
        return read_attribute(r, at);
    const char *end = line_end(r, at);
    if (end == NULL)
        return PART;
    r->at = end;
    *dropping = !blank;
    return blank ? ca_cells_end_row(r->load) : CA_OK;
}

int ca_load_feed(ca_load *load, size_t length, const char *text, int whole, ca_place *place)
{
    if (load == NULL || text == NULL || place == NULL || place->position > length)
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; place->position == 0 && i < load->column_count; i++)
        load->columns[i].raw_length = 0; /* those lines were in another buffer */
    reader r = {load, text + place->position, text + length, whole};
    int code = CA_OK;
    for (;;) {
        place->position = (size_t)(r.at - text);
        if (load->open_count == 0)
            place->start = place->position;
        if (code != CA_OK || r.at == r.end)
            break;
        code = read_line(&r, &place->dropping);
        place->line += code == CA_OK;
    }
    if (code == CA_OK && whole)
        place->start = place->position;
    if (code == CA_OK)
        return whole ? ca_cells_end_row(load) : CA_DONE;
    if (code != CA_UNSURE)
        return code == PART ? CA_DONE : code;
    const char *end = line_end(&r, r.at);
    if (end == NULL)
        return CA_DONE;
    place->block = (size_t)(end - text);
    return CA_LOOK;
}

int ca_load_put(ca_load *load, size_t name_length, const char *name, int tag, int64_t payload,
                size_t length, const char *text)
{
    if (load == NULL || name == NULL || tag <= CA_NOTHING || tag >= CA_WAITING)
        return CA_BAD_ARGUMENT;
    int32_t number = ca_pool_number(&load->names, name, name_length);
    if (number < 0)
        return number;
    if (tag == CA_STRING_CELL || tag == CA_EXPRESSION_CELL) {
        if (text == NULL)
            return CA_BAD_ARGUMENT;
        int32_t known = ca_pool_number(&load->strings, text, length);
        if (known < 0)
            return known;
        load->strings.texts[known].mark |= tag == CA_EXPRESSION_CELL;
        payload = known;
    }
    return ca_cells_set(load, number, tag, payload);
}
