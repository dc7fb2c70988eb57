/* Reads right-hand sides of the long form that are plain literals.
 *
 * A text that is one token has a value, if that is certain; the rest is for the parser.
 * No function of the C library is asked for a number: those depend on the locale.
 */
#include "cells.h"
#include "lex.h"

#include <float.h>
#include <string.h>

/* Powers of ten that a double holds exactly. */
static const double TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
/* An exponent from FAR on needs no more digits. */
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
        scale < -MOST_TENS) {
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

int ca_read_literal(ca_load *load, const char *text, size_t length, int64_t *payload)
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
