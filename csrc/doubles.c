/* Arithmetic on columns of doubles, and the best rows of a set: see kernels.h for the contracts. */
#include "kernels.h"

#include <math.h>
#include <stdbool.h>

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

/* ---- the best rows of a set ------------------------------------------------------------------ */

typedef struct {
    size_t columns;
    const double *const *keys;
} key_columns;

/* Equal rows stay in their order.  There is no NaN. */
static bool comes_first(const key_columns *table, int32_t left, int32_t right)
{
    for (size_t c = 0; c < table->columns; c++) {
        const double a = table->keys[c][left];
        const double b = table->keys[c][right];
        if (a != b)
            return a > b;
    }
    return left < right;
}

int ca_best(size_t size, const unsigned char *bits, size_t rows, size_t columns,
            const double *const *keys, size_t k, int32_t *order)
{
    if (rows > INT32_MAX || (size > 0 && bits == NULL) || (columns > 0 && keys == NULL) ||
        (k > 0 && order == NULL) || k > INT32_MAX)
        return CA_BAD_ARGUMENT;
    const key_columns table = {columns, keys};
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        for (unsigned byte = bits[i], b = 0; byte != 0; byte >>= 1, b++) {
            if ((byte & 1) == 0)
                continue;
            if (8 * i + b >= rows)
                return CA_BAD_ARGUMENT;
            const int32_t row = (int32_t)(8 * i + b);
            if (k == 0 || (count == k && !comes_first(&table, row, order[k - 1])))
                continue;
            /* Few are wanted, and a row rarely is among them: it is moved up to its place. */
            size_t place = count < k ? count++ : k - 1;
            for (; place > 0 && comes_first(&table, row, order[place - 1]); place--)
                order[place] = order[place - 1];
            order[place] = row;
        }
    }
    return (int)count;
}
