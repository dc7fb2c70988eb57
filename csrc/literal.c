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
/* Longer numbers are left to Python; an exponent from FAR on needs no more digits. */
enum { MOST_TENS = 22, MOST_DIGITS = 18, LONGEST = 1000, FAR = 100000 };
static const uint64_t EXACT = UINT64_C(1) << 53;

typedef struct {
    uint64_t digits; /* all of them as one number, unless too many */
    int significant; /* how many, from the first that is not 0 */
    int scale;       /* of the last digit, as a power of ten */
} decimal;

/* The number that a token is, sign left aside. */
static decimal decimal_of(const char *text, size_t length)
{
    decimal number = {0, 0, 0};
    int fraction = 0, exponent = 0;
    size_t at = text[0] == '-';
    for (; at < length && (text[at] | 0x20) != 'e'; at++) {
        if (text[at] == '.') {
            fraction = 1;
            continue;
        }
        if (number.significant > 0 || text[at] != '0')
            number.significant++;
        if (number.significant <= MOST_DIGITS)
            number.digits = number.digits * 10 + (uint64_t)(text[at] - '0');
        number.scale -= fraction;
    }
    const int negative = at + 1 < length && text[at + 1] == '-';
    for (at++; at < length && exponent < FAR; at++)
        if (text[at] >= '0' && text[at] <= '9')
            exponent = exponent * 10 + (text[at] - '0');
    number.scale += negative ? -exponent : exponent;
    return number;
}

/* The double next to the number if one rounding gives it. */
static int exact_double(const decimal *number, double *value)
{
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
    int scale = number->scale;
    if (number->significant > MOST_DIGITS || number->digits > EXACT || scale > MOST_TENS ||
        scale < -MOST_TENS)
        return 0;
    double digits = (double)number->digits;
    *value = scale < 0 ? digits / TEN[-scale] : digits * TEN[scale];
    return 1;
#else
    (void)number;
    (void)value;
    return 0;
#endif
}

static int read_number(ca_load *load, const char *text, size_t length, int real, int64_t *payload)
{
    if (length > LONGEST)
        return CA_UNSURE;
    const decimal number = decimal_of(text, length);
    const int negative = text[0] == '-';
    double value;
    if (!real) {
        *payload = negative ? -(int64_t)number.digits : (int64_t)number.digits;
        return number.significant > MOST_DIGITS ? CA_UNSURE : CA_INTEGER_CELL;
    }
    if (exact_double(&number, &value)) {
        value = negative ? -value : value;
        memcpy(payload, &value, sizeof value);
        return CA_REAL_CELL;
    }
    *payload = ca_pool_number(&load->reals, text, length);
    return *payload < 0 ? CA_NO_MEMORY : CA_WAITING;
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
    case CA_T_ESCAPED: return read_string(load, text, length, token.kind == CA_T_ESCAPED, payload);
    case CA_T_TRUE:
    case CA_T_FALSE: return CA_BOOLEAN_CELL;
    case CA_T_UNDEFINED: return CA_UNDEFINED_CELL;
    case CA_T_ERROR: return CA_ERROR_CELL;
    default: return CA_UNSURE;
    }
}
