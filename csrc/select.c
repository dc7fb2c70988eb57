/* Choosing and ordering rows by columns of keys: see kernels.h for the contract of each function.
 *
 * Follows: for ca_sort_order the introsort of libstdc++ (the same in versions 12 to 16), step by
 * step, because the order in which it leaves equal elements is observable in a negotiation cycle.
 * tests/vectors/sort pins it.
 */
#include "kernels.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    size_t rows;
    size_t columns;
    const double *keys;
} key_table;

static bool is_bad(size_t rows, size_t columns, const double *keys, const size_t *order)
{
    if (rows == 0)
        return false;
    if (columns > SIZE_MAX / sizeof(double) / rows)
        return true;
    return order == NULL || (keys == NULL && columns > 0);
}

int ca_interface(void)
{
    return 9;
}

/* ---- the k best rows ------------------------------------------------------------------------ */

/* A strict total order: the row number decides last. */
static bool comes_before(const key_table *table, size_t left, size_t right)
{
    const double *column = table->keys;
    for (size_t c = 0; c < table->columns; c++, column += table->rows) {
        const double a = column[left];
        const double b = column[right];
        if (a > b)
            return true;
        if (a < b)
            return false;
        if ((a != a) != (b != b))
            return b != b;
    }
    return left < right;
}

/* Restore the heap below `hole`: every parent comes after its children, so the last is on top. */
static void sink_last(const key_table *table, size_t *heap, size_t length, size_t hole)
{
    const size_t moved = heap[hole];
    for (;;) {
        size_t child = 2 * hole + 1;
        if (child >= length)
            break;
        if (child + 1 < length && comes_before(table, heap[child], heap[child + 1]))
            child++;
        if (!comes_before(table, moved, heap[child]))
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = moved;
}

int ca_top_k(size_t rows, size_t columns, size_t k, const double *restrict keys,
             size_t *restrict order)
{
    if (k > rows || is_bad(rows, columns, keys, order))
        return CA_BAD_ARGUMENT;
    if (k == 0)
        return CA_OK;
    const key_table table = {rows, columns, keys};
    for (size_t row = 0; row < k; row++)
        order[row] = row;
    for (size_t parent = k / 2; parent-- > 0;)
        sink_last(&table, order, k, parent);
    for (size_t row = k; row < rows; row++) {
        if (comes_before(&table, row, order[0])) {
            order[0] = row;
            sink_last(&table, order, k, 0);
        }
    }
    for (size_t end = k - 1; end > 0; end--) {
        const size_t last = order[0];
        order[0] = order[end];
        order[end] = last;
        sink_last(&table, order, end, 0);
    }
    return CA_OK;
}

/* ---- the order of std::sort ----------------------------------------------------------------- */

enum { INSERTION_LENGTH = 16 };

static bool is_better(const key_table *table, size_t left, size_t right)
{
    const double *column = table->keys;
    for (size_t c = 0; c < table->columns; c++, column += table->rows) {
        if (column[left] > column[right])
            return true;
        if (column[left] < column[right])
            return false;
    }
    return false;
}

static void swap(size_t *order, size_t i, size_t j)
{
    const size_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
}

/* Fill the hole with `moved`: down along the better children to a leaf, then up to its place. */
static void adjust_heap(const key_table *table, size_t *heap, size_t length, size_t hole,
                        size_t moved)
{
    const size_t top = hole;
    size_t child = hole;
    while (child < (length - 1) / 2) {
        child = 2 * (child + 1);
        if (is_better(table, heap[child], heap[child - 1]))
            child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (length % 2 == 0 && child == (length - 2) / 2) {
        child = 2 * child + 1;
        heap[hole] = heap[child];
        hole = child;
    }
    while (hole > top && is_better(table, heap[(hole - 1) / 2], moved)) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = moved;
}

static void heap_sort(const key_table *table, size_t *heap, size_t length)
{
    for (size_t parent = length / 2; parent-- > 0;)
        adjust_heap(table, heap, length, parent, heap[parent]);
    for (size_t end = length - 1; end > 0; end--) {
        const size_t moved = heap[end];
        heap[end] = heap[0];
        adjust_heap(table, heap, end, 0, moved);
    }
}

/* The place of the median of first+1, the middle and the last element of [first, last). */
static size_t median_place(const key_table *table, const size_t *order, size_t first, size_t last)
{
    const size_t a = first + 1;
    const size_t b = first + (last - first) / 2;
    const size_t c = last - 1;
    if (is_better(table, order[a], order[b])) {
        if (is_better(table, order[b], order[c]))
            return b;
        return is_better(table, order[a], order[c]) ? c : a;
    }
    if (is_better(table, order[a], order[c]))
        return a;
    return is_better(table, order[b], order[c]) ? c : b;
}

static size_t partition(const key_table *table, size_t *order, size_t first, size_t last)
{
    swap(order, first, median_place(table, order, first, last));
    const size_t pivot = order[first];
    size_t i = first + 1;
    size_t j = last;
    for (;;) {
        /* The first bound only ever stops an intransitive (NaN) comparison; the pivot stops j. */
        while (i < last && is_better(table, order[i], pivot))
            i++;
        j--;
        while (is_better(table, pivot, order[j]))
            j--;
        if (i >= j)
            return i;
        swap(order, i, j);
        i++;
    }
}

/* What is right of `wanted` may stay as it is: nothing of it comes before that any more. */
static void introsort(const key_table *table, size_t *order, size_t first, size_t last,
                      size_t depth_left, size_t wanted)
{
    while (last - first > INSERTION_LENGTH) {
        if (depth_left == 0) {
            heap_sort(table, order + first, last - first);
            return;
        }
        depth_left--;
        const size_t cut = partition(table, order, first, last);
        if (cut < wanted)
            introsort(table, order, cut, last, depth_left, wanted);
        last = cut;
    }
}

static void insertion_sort(const key_table *table, size_t *order, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        const size_t moved = order[i];
        /* Among the first 16 a new best goes straight to the front; with NaN that may differ
         * from sinking there step by step. */
        const bool to_front = i < INSERTION_LENGTH && is_better(table, moved, order[0]);
        size_t hole = i;
        while (hole > 0 && (to_front || is_better(table, moved, order[hole - 1]))) {
            order[hole] = order[hole - 1];
            hole--;
        }
        order[hole] = moved;
    }
}

int ca_sort_order(size_t rows, size_t columns, size_t wanted, const double *restrict keys,
                  size_t *restrict order)
{
    if (wanted > rows || is_bad(rows, columns, keys, order))
        return CA_BAD_ARGUMENT;
    const key_table table = {rows, columns, keys};
    size_t depth = 0;
    for (size_t row = 0; row < rows; row++)
        order[row] = row;
    for (size_t length = rows; length > 1; length /= 2)
        depth += 2;
    introsort(&table, order, 0, rows, depth, wanted);
    /* Up to the end of the range in which the last wanted place is. */
    const bool most = rows - wanted > INSERTION_LENGTH;
    insertion_sort(&table, order, most ? wanted + INSERTION_LENGTH : rows);
    return CA_OK;
}
