/* Operators on numbers, element by element: see kernels.h for the contract. */
#include "kernels.h"

#include <math.h>
#include <string.h>

typedef struct {
    unsigned char tag;
    int64_t payload;
} element;

static double bits_real(int64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static element of_real(double real)
{
    element e = {CA_REAL_CELL, 0};
    memcpy(&e.payload, &real, sizeof real);
    return e;
}

static element of_tag(unsigned char tag)
{
    return (element){tag, 0};
}

static int is_number(element e)
{
    return e.tag == CA_INTEGER_CELL || e.tag == CA_BOOLEAN_CELL || e.tag == CA_REAL_CELL;
}

static double real_of(element e)
{
    return e.tag == CA_REAL_CELL ? bits_real(e.payload) : (double)e.payload;
}

/* What an operator gives that has no rule for its operands. */
static element exceptional(element a, element b)
{
    if (a.tag == CA_ERROR_CELL || b.tag == CA_ERROR_CELL)
        return of_tag(CA_ERROR_CELL);
    if (a.tag == CA_UNDEFINED_CELL || b.tag == CA_UNDEFINED_CELL)
        return of_tag(CA_UNDEFINED_CELL);
    return of_tag(CA_ERROR_CELL);
}

/* `/` and `%` of whole numbers. */
static element divided(int op, int64_t a, int64_t b)
{
    if (b == 0)
        return of_tag(CA_ERROR_CELL);
    if (op == CA_REMAINDER)
        return (element){CA_INTEGER_CELL, b == -1 ? 0 : a % b};
    if (b == -1)
        return (element){CA_INTEGER_CELL, a == INT64_MIN ? INT64_MAX : -a};
    return (element){CA_INTEGER_CELL, a / b};
}

static element arithmetic(int op, element a, element b)
{
    if (!is_number(a) || !is_number(b))
        return exceptional(a, b);
    if (a.tag == CA_REAL_CELL || b.tag == CA_REAL_CELL) {
        const double x = real_of(a), y = real_of(b);
        const double z = op == CA_ADD        ? x + y
                         : op == CA_SUBTRACT ? x - y
                         : op == CA_MULTIPLY ? x * y
                                             : x / y;
        return z == (double)INFINITY || op == CA_REMAINDER ? of_tag(CA_ERROR_CELL) : of_real(z);
    }
    const uint64_t x = (uint64_t)a.payload, y = (uint64_t)b.payload;
    switch (op) {
    case CA_ADD: return (element){CA_INTEGER_CELL, (int64_t)(x + y)};
    case CA_SUBTRACT: return (element){CA_INTEGER_CELL, (int64_t)(x - y)};
    case CA_MULTIPLY: return (element){CA_INTEGER_CELL, (int64_t)(x * y)};
    default: return divided(op, a.payload, b.payload);
    }
}

static element compared(int op, element a, element b)
{
    if (!is_number(a) || !is_number(b))
        return exceptional(a, b);
    /* What holds: less, equal or greater; none of them of a NaN. */
    int less, same, more;
    if (a.tag == CA_REAL_CELL || b.tag == CA_REAL_CELL) {
        const double x = real_of(a), y = real_of(b);
        less = x < y, same = x == y, more = x > y;
    } else {
        less = a.payload < b.payload, same = a.payload == b.payload, more = a.payload > b.payload;
    }
    switch (op) {
    case CA_LESS: return (element){CA_BOOLEAN_CELL, less};
    case CA_LESS_EQUAL: return (element){CA_BOOLEAN_CELL, less || same};
    case CA_GREATER: return (element){CA_BOOLEAN_CELL, more};
    case CA_GREATER_EQUAL: return (element){CA_BOOLEAN_CELL, more || same};
    case CA_EQUAL: return (element){CA_BOOLEAN_CELL, same};
    default: return (element){CA_BOOLEAN_CELL, !same};
    }
}

static int identical(element a, element b)
{
    if (a.tag != b.tag)
        return 0;
    if (a.tag == CA_REAL_CELL)
        return bits_real(a.payload) == bits_real(b.payload);
    return a.payload == b.payload;
}

/* A boolean, undefined or an error. */
static element truth(element a)
{
    if (a.tag == CA_REAL_CELL)
        return (element){CA_BOOLEAN_CELL, bits_real(a.payload) != 0.0};
    return a.tag == CA_INTEGER_CELL ? (element){CA_BOOLEAN_CELL, a.payload != 0} : a;
}

/* `&&`, for which `stop` is 0, and `||`, for which it is 1. */
static element logic(int64_t stop, element a, element b)
{
    const element x = truth(a), y = truth(b);
    if (x.tag == CA_ERROR_CELL || (x.tag == CA_BOOLEAN_CELL && x.payload == stop))
        return x;
    if (x.tag == CA_BOOLEAN_CELL || y.tag == CA_ERROR_CELL ||
        (y.tag == CA_BOOLEAN_CELL && y.payload == stop))
        return y;
    return of_tag(CA_UNDEFINED_CELL);
}

static element negated(element a)
{
    if (a.tag == CA_INTEGER_CELL)
        return (element){CA_INTEGER_CELL, (int64_t)(0 - (uint64_t)a.payload)};
    if (a.tag == CA_REAL_CELL)
        return of_real(-bits_real(a.payload));
    return of_tag(a.tag == CA_UNDEFINED_CELL ? CA_UNDEFINED_CELL : CA_ERROR_CELL);
}

static element denied(element a)
{
    const element x = truth(a);
    return x.tag == CA_BOOLEAN_CELL ? (element){CA_BOOLEAN_CELL, !x.payload} : x;
}

static element result(int op, element a, element b)
{
    if (op <= CA_REMAINDER)
        return arithmetic(op, a, b);
    if (op <= CA_NOT_EQUAL)
        return compared(op, a, b);
    switch (op) {
    case CA_IDENTICAL: return (element){CA_BOOLEAN_CELL, identical(a, b)};
    case CA_NOT_IDENTICAL: return (element){CA_BOOLEAN_CELL, !identical(a, b)};
    case CA_AND: return logic(0, a, b);
    case CA_OR: return logic(1, a, b);
    case CA_ELVIS: return a.tag == CA_UNDEFINED_CELL ? b : a;
    case CA_NEGATE: return negated(a);
    case CA_PLUS: return a.tag == CA_BOOLEAN_CELL ? of_tag(CA_ERROR_CELL) : a;
    default: return denied(a);
    }
}

static int is_known(unsigned char tag)
{
    return is_number(of_tag(tag)) || tag == CA_UNDEFINED_CELL || tag == CA_ERROR_CELL;
}

static element chosen(element condition, element then, element otherwise)
{
    const element holds = is_known(condition.tag) ? truth(condition) : of_tag(CA_NOTHING);
    const element e = holds.tag != CA_BOOLEAN_CELL ? holds : holds.payload ? then : otherwise;
    return is_known(e.tag) ? e : of_tag(CA_NOTHING);
}

static element value_at(const ca_vector *vector, size_t place)
{
    return (element){vector->tags[vector->step * place], vector->payload[vector->step * place]};
}

int64_t ca_operate(int op, size_t count, const ca_vector *first, const ca_vector *second,
                   const ca_vector *third, unsigned char *tags, int64_t *payload)
{
    if (op < CA_ADD || op > CA_CHOOSE || count > INT32_MAX || first == NULL || second == NULL ||
        third == NULL || (count > 0 && (tags == NULL || payload == NULL)))
        return CA_BAD_ARGUMENT;
    int64_t unsure = 0;
    for (size_t i = 0; i < count; i++) {
        const element a = value_at(first, i), b = value_at(second, i);
        element e = of_tag(CA_NOTHING);
        if (op == CA_CHOOSE)
            e = chosen(a, b, value_at(third, i));
        else if (is_known(a.tag) && is_known(b.tag))
            e = result(op, a, b);
        unsure += e.tag == CA_NOTHING;
        tags[i] = e.tag;
        payload[i] = e.payload;
    }
    return unsure;
}

int ca_judge(size_t count, const unsigned char *tags, const int64_t *payload, unsigned char *out)
{
    if (count > 0 && (tags == NULL || payload == NULL || out == NULL))
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        const element given = {tags[i], payload[i]};
        const element e = is_known(given.tag) ? truth(given) : of_tag(CA_ERROR_CELL);
        out[i] = e.tag == CA_BOOLEAN_CELL ? (e.payload ? CA_HOLDS : CA_FAILS)
                 : e.tag == CA_UNDEFINED_CELL ? CA_OPEN
                                              : CA_WRONG;
    }
    return CA_OK;
}

int ca_numbers(size_t count, const unsigned char *tags, const int64_t *payload, int single,
               double other, double *out)
{
    if (count > 0 && (tags == NULL || payload == NULL || out == NULL))
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        const element given = {tags[i], payload[i]};
        const double value = is_number(given) ? real_of(given) : other;
        if (value != value)
            return CA_BAD_ARGUMENT;
        out[i] = single && is_number(given) ? (double)(float)value : value;
    }
    return CA_OK;
}

int ca_count_holding(size_t count, const int32_t *ends, size_t size, const unsigned char *judged,
                     int64_t *out)
{
    if (count > 0 && (ends == NULL || out == NULL || (size > 0 && judged == NULL)))
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        if (ends[i] < 0 || ends[i + 1] < ends[i] || (size_t)ends[i + 1] > size)
            return CA_BAD_ARGUMENT;
        int64_t found = 0;
        for (int32_t k = ends[i]; k < ends[i + 1]; k++)
            found += judged[k] == CA_HOLDS;
        out[i] = found;
    }
    return CA_OK;
}
