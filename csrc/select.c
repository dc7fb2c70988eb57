/* Choosing and ordering rows by columns of keys: see kernels.h for the contract of each function.
 *
 * Follows: for ca_sort_order the introsort of libstdc++ (the same in versions 12 to 16), step by
 * step, because the order in which it leaves equal elements is observable in a negotiation cycle.
 * tests/vectors/sort pins it.
 */
#include "kernels.h"

#include <stdbool.h>
#include <stdint.h>

/* The rows to be ordered, and what decides. */
typedef struct {
    size_t columns;
    const ca_key *keys;
} key_table;

static bool is_bad(size_t count, const key_table *table, size_t size, const int32_t *rows,
                   const int32_t *order)
{
    if (count == 0)
        return false;
    if (count > INT32_MAX || order == NULL || rows == NULL ||
        (table->keys == NULL && table->columns > 0))
        return true;
    for (size_t c = 0; c < table->columns; c++)
        if (table->keys[c].values == NULL && table->keys[c].size > 0)
            return true;
    for (size_t i = 0; i < count; i++)
        if (rows[i] < 0 || (size_t)rows[i] >= size)
            return true;
    return false;
}

static inline double key_of(const ca_key *key, int32_t row)
{
    const int32_t kind = key->kinds == NULL ? 1 : key->kinds[row];
    if (kind == 0)
        return key->other;
    const int32_t place = key->of_kinds ? kind : key->codes == NULL ? row : key->codes[row];
    return (uint32_t)place < key->size ? key->values[place] : key->other;
}

int ca_interface(void)
{
    return 16;
}

/* ---- the k best rows ------------------------------------------------------------------------ */

/* A strict total order: the row number decides last. */
static bool comes_before(const key_table *table, int32_t left, int32_t right)
{
    for (size_t c = 0; c < table->columns; c++) {
        const double a = key_of(&table->keys[c], left);
        const double b = key_of(&table->keys[c], right);
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
static void sink_last(const key_table *table, int32_t *heap, size_t length, size_t hole)
{
    const int32_t moved = heap[hole];
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

int ca_top_k(size_t count, size_t columns, const ca_key *keys, size_t size, const int32_t *rows,
             size_t k, int32_t *order)
{
    const key_table table = {columns, keys};
    if (k > count || is_bad(count, &table, size, rows, order))
        return CA_BAD_ARGUMENT;
    if (k == 0)
        return CA_OK;
    for (size_t i = 0; i < k; i++)
        order[i] = rows[i];
    for (size_t parent = k / 2; parent-- > 0;)
        sink_last(&table, order, k, parent);
    for (size_t i = k; i < count; i++) {
        const int32_t row = rows[i];
        if (comes_before(&table, row, order[0])) {
            order[0] = row;
            sink_last(&table, order, k, 0);
        }
    }
    for (size_t end = k - 1; end > 0; end--) {
        const int32_t last = order[0];
        order[0] = order[end];
        order[end] = last;
        sink_last(&table, order, end, 0);
    }
    return CA_OK;
}

/* ---- the order of std::sort ----------------------------------------------------------------- */

enum { INSERTION_LENGTH = 16 };

/* What is being sorted: places among the rows, with the first key of each beside each other, which
 * usually decides and would otherwise be fetched from all over. */
typedef struct {
    const key_table *table;
    const double *first;
    const int32_t *rows;
    int32_t *codes; /* of as many places as there are rows, like the other two */
    int32_t *left;
    int32_t *right;
} sorting;

static bool is_better_behind(const sorting *sorted, int32_t left, int32_t right)
{
    const key_table *const table = sorted->table;
    const int32_t one = sorted->rows[left];
    const int32_t other = sorted->rows[right];
    for (size_t c = 1; c < table->columns; c++) {
        const double a = key_of(&table->keys[c], one);
        const double b = key_of(&table->keys[c], other);
        if (a > b)
            return true;
        if (a < b)
            return false;
    }
    return false;
}

static bool is_better(const sorting *sorted, int32_t left, int32_t right)
{
    const double a = sorted->first[left];
    const double b = sorted->first[right];
    if (a > b)
        return true;
    if (a < b)
        return false;
    return is_better_behind(sorted, left, right);
}

static void swap(int32_t *order, size_t i, size_t j)
{
    const int32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
}

/* Fill the hole with `moved`: down along the better children to a leaf, then up to its place. */
static void adjust_heap(const sorting *sorted, int32_t *heap, size_t length, size_t hole,
                        int32_t moved)
{
    const size_t top = hole;
    size_t child = hole;
    while (child < (length - 1) / 2) {
        child = 2 * (child + 1);
        if (is_better(sorted, heap[child], heap[child - 1]))
            child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (length % 2 == 0 && child == (length - 2) / 2) {
        child = 2 * child + 1;
        heap[hole] = heap[child];
        hole = child;
    }
    while (hole > top && is_better(sorted, heap[(hole - 1) / 2], moved)) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = moved;
}

static void heap_sort(const sorting *sorted, int32_t *heap, size_t length)
{
    for (size_t parent = length / 2; parent-- > 0;)
        adjust_heap(sorted, heap, length, parent, heap[parent]);
    for (size_t end = length - 1; end > 0; end--) {
        const int32_t moved = heap[end];
        heap[end] = heap[0];
        adjust_heap(sorted, heap, end, 0, moved);
    }
}

/* The place of the median of first+1, the middle and the last element of [first, last). */
static size_t median_place(const sorting *sorted, const int32_t *order, size_t first, size_t last)
{
    const size_t a = first + 1;
    const size_t b = first + (last - first) / 2;
    const size_t c = last - 1;
    if (is_better(sorted, order[a], order[b])) {
        if (is_better(sorted, order[b], order[c]))
            return b;
        return is_better(sorted, order[a], order[c]) ? c : a;
    }
    if (is_better(sorted, order[a], order[c]))
        return a;
    return is_better(sorted, order[b], order[c]) ? c : b;
}

/* How the rows from first + 1 on compare with the one that is first: 1 for a better one, -1 for a worse
 * one.  Key by key, so that fetching the keys of one row need not wait for those of another. */
static void compare_all(const sorting *sorted, const int32_t *order, size_t first, size_t last)
{
    const key_table *const table = sorted->table;
    const int32_t pivot = sorted->rows[order[first]];
    const double middle = sorted->first[order[first]];
    int32_t *const codes = sorted->codes;
    int32_t *const ties = sorted->left;
    size_t count = 0;
    for (size_t i = first + 1; i < last; i++) {
        const double key = sorted->first[order[i]];
        codes[i] = (key > middle) - (key < middle);
        ties[count] = (int32_t)i;
        count += codes[i] == 0;
    }
    for (size_t c = 1; c < table->columns && count > 0; c++) {
        const double other = key_of(&table->keys[c], pivot);
        size_t left = 0;
        for (size_t t = 0; t < count; t++) {
            const int32_t i = ties[t];
            const double key = key_of(&table->keys[c], sorted->rows[order[i]]);
            codes[i] = (key > other) - (key < other);
            ties[left] = i;
            left += codes[i] == 0;
        }
        count = left;
    }
}

/* The library goes from both ends at once to the next row that is on the wrong side, and swaps the
 * two.  Which rows those are does not depend on the swaps, so they are listed first, without a branch
 * that could go either way. */
static size_t partition(const sorting *sorted, int32_t *order, size_t first, size_t last)
{
    swap(order, first, median_place(sorted, order, first, last));
    compare_all(sorted, order, first, last);
    const int32_t *const codes = sorted->codes;
    int32_t *const left = sorted->left;
    int32_t *const right = sorted->right;
    size_t lefts = 0;
    size_t rights = 0;
    for (size_t i = first + 1; i < last; i++) {
        left[lefts] = (int32_t)i;
        lefts += codes[i] <= 0;
    }
    for (size_t j = last - 1; j > first; j--) {
        right[rights] = (int32_t)j;
        rights += codes[j] >= 0;
    }
    right[rights] = (int32_t)first; /* the pivot stops it */
    for (size_t k = 0;; k++) {
        /* Where there is none left on one side, it is the last one swapped that stops. */
        size_t i = k < lefts ? (size_t)left[k] : last;
        size_t j = (size_t)right[k];
        if (k > 0 && i > (size_t)right[k - 1])
            i = (size_t)right[k - 1];
        if (k > 0 && j < (size_t)left[k - 1])
            j = (size_t)left[k - 1];
        if (i >= j)
            return i;
        swap(order, i, j);
    }
}

/* What is right of `wanted` may stay as it is: nothing of it comes before that any more. */
static void introsort(const sorting *sorted, int32_t *order, size_t first, size_t last,
                      size_t depth_left, size_t wanted)
{
    while (last - first > INSERTION_LENGTH) {
        if (depth_left == 0) {
            heap_sort(sorted, order + first, last - first);
            return;
        }
        depth_left--;
        const size_t cut = partition(sorted, order, first, last);
        if (cut < wanted)
            introsort(sorted, order, cut, last, depth_left, wanted);
        last = cut;
    }
}

static void insertion_sort(const sorting *sorted, int32_t *order, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        const int32_t moved = order[i];
        /* Among the first 16 a new best goes straight to the front; with NaN that may differ
         * from sinking there step by step. */
        const bool to_front = i < INSERTION_LENGTH && is_better(sorted, moved, order[0]);
        size_t hole = i;
        while (hole > 0 && (to_front || is_better(sorted, moved, order[hole - 1]))) {
            order[hole] = order[hole - 1];
            hole--;
        }
        order[hole] = moved;
    }
}

int ca_sort_order(size_t count, size_t columns, const ca_key *keys, size_t size,
                  const int32_t *rows, size_t wanted, double *first, int32_t *scratch,
                  int32_t *order)
{
    const key_table table = {columns, keys};
    if (wanted > count || is_bad(count, &table, size, rows, order) ||
        (count > 0 && (first == NULL || scratch == NULL)))
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        order[i] = (int32_t)i;
        first[i] = columns == 0 ? 0.0 : key_of(&keys[0], rows[i]);
    }
    size_t depth = 0;
    for (size_t length = count; length > 1; length /= 2)
        depth += 2;
    const sorting sorted = {&table, first, rows, scratch, scratch + count, scratch + 2 * count};
    introsort(&sorted, order, 0, count, depth, wanted);
    /* Up to the end of the range in which the last wanted place is. */
    const bool most = count - wanted > INSERTION_LENGTH;
    insertion_sort(&sorted, order, most ? wanted + INSERTION_LENGTH : count);
    for (size_t i = 0; i < wanted; i++)
        order[i] = rows[order[i]];
    return CA_OK;
}
