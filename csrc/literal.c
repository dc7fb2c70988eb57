/* Right-hand sides of the long form that are plain literals.
 *
 * What lives here: which bytes are a literal whose value is certain, and that value; the rest is for
 * the parser.  The rules are the regular expression of classad/formats/long.py and, for a string with
 * a quote in it, the old syntax of grammar/classad.lark.  No function of the C library is asked for a
 * number: those depend on the locale.
 */
#include "cells.h"

#include <float.h>
#include <string.h>

/* Powers of ten that a double holds exactly. */
static const double TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { MOST_TENS = 22, MOST_DIGITS = 18 };
static const uint64_t EXACT = UINT64_C(1) << 53;

typedef struct {
    uint64_t digits; /* all of them as one number, unless too many */
    int significant; /* how many, from the first that is not 0 */
    int scale;       /* of the last digit, as a power of ten */
} decimal;

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits from `at` on, taken into the number; the offset behind them. */
static size_t take_digits(const char *text, size_t length, size_t at, decimal *number)
{
    for (; at < length && is_digit(text[at]); at++) {
        if (number->significant > 0 || text[at] != '0')
            number->significant++;
        if (number->significant <= MOST_DIGITS)
            number->digits = number->digits * 10 + (uint64_t)(text[at] - '0');
    }
    return at;
}

/* e+12 from `at` on; the offset behind it, 0 if it is not one of few digits. */
static size_t take_exponent(const char *text, size_t length, size_t at, decimal *number)
{
    int exponent = 0, negative = 0;
    at++;
    if (at < length && (text[at] == '+' || text[at] == '-'))
        negative = text[at++] == '-';
    size_t first = at;
    for (; at < length && is_digit(text[at]) && at - first < 5; at++)
        exponent = exponent * 10 + (text[at] - '0');
    number->scale += negative ? -exponent : exponent;
    return at > first ? at : 0;
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

static int read_real(ca_load *load, const char *text, size_t length, int negative,
                     const decimal *number, int64_t *payload)
{
    double value;
    if (exact_double(number, &value)) {
        if (negative)
            value = -value;
        memcpy(payload, &value, sizeof value);
        return CA_REAL_CELL;
    }
    int32_t text_number = ca_cells_text(load, text, length);
    *payload = text_number;
    return text_number < 0 ? text_number : CA_WAITING;
}

/* -?(0|[1-9][0-9]{0,17}) and the reals that have digits behind the point. */
static int read_number(ca_load *load, const char *text, size_t length, int64_t *payload)
{
    decimal number = {0, 0, 0};
    int negative = text[0] == '-', real = 0;
    size_t first = (size_t)negative, at = take_digits(text, length, first, &number);
    if (at == length) {
        int zeros = at - first > 1 && text[first] == '0';
        if (at == first || zeros || number.significant > MOST_DIGITS)
            return CA_UNSURE;
        *payload = negative ? -(int64_t)number.digits : (int64_t)number.digits;
        return CA_INTEGER_CELL;
    }
    size_t whole = at - first;
    if (text[at] == '.') {
        size_t point = ++at;
        at = take_digits(text, length, at, &number);
        if (at == point || at - point > 1000)
            return CA_UNSURE;
        number.scale = -(int)(at - point);
        real = 1;
    }
    if (at < length && (text[at] | 0x20) == 'e' && (real || whole > 0)) {
        at = take_exponent(text, length, at, &number);
        real = at > 0;
    }
    if (!real || at != length)
        return CA_UNSURE;
    return read_real(load, text, length, negative, &number, payload);
}

/* The text between the outer quotes.  A backslash is itself unless a quote follows that is not the
 * last one; that quote is part of the text. */
static int read_string(ca_load *load, const char *text, size_t length, int64_t *payload)
{
    size_t last = length - 1, kept = 0, at = 1;
    if (length < 2 || text[last] != '"')
        return CA_UNSURE;
    while (at < last && text[at] != '"' && text[at] != '\\' && text[at] != 0)
        at++;
    const char *body = text + 1;
    kept = at - 1;
    if (at < last) {
        if (ca_room(&load->scratch, &load->scratch_capacity, length, 1) < 0)
            return CA_NO_MEMORY;
        char *const scratch = load->scratch;
        memcpy(scratch, body, kept);
        for (; at < last; at++) {
            if (text[at] == '"' || text[at] == 0)
                return CA_UNSURE;
            if (text[at] == '\\' && at + 1 < last && text[at + 1] == '"')
                at++;
            scratch[kept++] = text[at];
        }
        body = scratch;
    }
    int32_t number = ca_cells_text(load, body, kept);
    *payload = number;
    return number < 0 ? number : CA_STRING_CELL;
}

static int is_word(const char *text, size_t length, const char *word, size_t word_length)
{
    if (length != word_length)
        return 0;
    for (size_t i = 0; i < length; i++)
        if ((text[i] | 0x20) != word[i])
            return 0;
    return 1;
}

static int read_word(const char *text, size_t length, int64_t *payload)
{
    *payload = is_word(text, length, "true", 4);
    if (*payload || is_word(text, length, "false", 5))
        return CA_BOOLEAN_CELL;
    if (is_word(text, length, "undefined", 9))
        return CA_UNDEFINED_CELL;
    return is_word(text, length, "error", 5) ? CA_ERROR_CELL : CA_UNSURE;
}

int ca_read_literal(ca_load *load, const char *text, size_t length, int64_t *payload)
{
    *payload = 0;
    if (text[0] == '"')
        return read_string(load, text, length, payload);
    if (is_digit(text[0]) || text[0] == '-' || text[0] == '.')
        return read_number(load, text, length, payload);
    return length == 4 || length == 5 || length == 9 ? read_word(text, length, payload)
                                                     : CA_UNSURE;
}
