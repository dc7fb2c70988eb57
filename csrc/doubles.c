/* Arithmetic on columns of doubles, and the best rows of a set: see kernels.h for the contracts. */
#include "kernels.h"

#include <math.h>

/* Apart from each other, so that a compiler can take several rows at a time. */
static void compute(int op, size_t count, const double *left, const double *right, double *out)
{
    if (op == CA_ADD)
        for (size_t i = 0; i < count; i++)
            out[i] = left[i] + right[i];
    else if (op == CA_SUBTRACT)
        for (size_t i = 0; i < count; i++)
            out[i] = left[i] - right[i];
    else
        for (size_t i = 0; i < count; i++)
            out[i] = left[i] * right[i];
}

int ca_compute(int op, size_t count, const double *left, const double *right, double most,
               int zeros, double *out)
{
    if ((op != CA_ADD && op != CA_SUBTRACT && op != CA_MULTIPLY) ||
        (count > 0 && (left == NULL || right == NULL || out == NULL)))
        return CA_BAD_ARGUMENT;
    compute(op, count, left, right, out);
    int beyond = 0;
    /* Of NaN from an operand nothing is asked, and every other NaN comes of an infinity. */
    for (size_t i = 0; i < count; i++)
        beyond |= fabs(out[i]) > most;
    if (beyond)
        return CA_UNSURE;
    if (zeros == CA_ONE_ZERO) {
        for (size_t i = 0; i < count; i++)
            out[i] += 0.0;
    } else if (zeros == CA_ANY_ZERO) {
        for (size_t i = 0; i < count; i++)
            if (out[i] == 0.0 && signbit(out[i]))
                return CA_UNSURE;
    }
    return CA_OK;
}

int ca_settle(size_t count, const double *values, int single, double other, double *out)
{
    if (count > 0 && (values == NULL || out == NULL))
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        const double value = values[i];
        const double rounded = single ? (double)(float)value : value;
        out[i] = value != value ? other : rounded;
    }
    return CA_OK;
}
