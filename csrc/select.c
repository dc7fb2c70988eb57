/* Orders rows by columns of keys: see kernels.h for the contract.
 *
 * Follows: unless the order is a stable one the introsort of libstdc++ (the same in versions 12 to 16), step by
 * step, because the order in which it leaves equal elements is observable in a negotiation cycle.
 * tests/vectors/sort pins it.
 */
#include "kernels.h"

#include <stdbool.h>
#include <stdint.h>

enum { INSERTION_LENGTH = 16 };

/* What is being ordered: places among the rows, with the first key of each beside each other, which
 * usually decides and would otherwise be fetched from all over. */
typedef struct {
    size_t columns;
    const ca_key *keys;
    const int32_t *rows;
    const double *first;
    bool stable;
    int32_t *codes; /* of as many places as there are rows, like the other two */
    int32_t *left;
    int32_t *right;
} sorting;

static bool is_bad(size_t count, size_t size, const sorting *sorted)
{
    if (count == 0)
        return false;
    if (count > INT32_MAX || sorted->rows == NULL || sorted->first == NULL ||
        sorted->codes == NULL || (sorted->keys == NULL && sorted->columns > 0))
        return true;
    for (size_t c = 0; c < sorted->columns; c++)
        if (sorted->keys[c].values == NULL && sorted->keys[c].size > 0)
            return true;
    for (size_t i = 0; i < count; i++)
        if (sorted->rows[i] < 0 || (size_t)sorted->rows[i] >= size)
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
    return 17;
}

static bool is_better_behind(const sorting *sorted, int32_t left, int32_t right)
{
    const int32_t one = sorted->rows[left];
    const int32_t other = sorted->rows[right];
    for (size_t c = sorted->stable ? 0 : 1; c < sorted->columns; c++) {
        const double a = key_of(&sorted->keys[c], one);
        const double b = key_of(&sorted->keys[c], other);
        if (a > b)
            return true;
        if (a < b)
            return false;
        if (sorted->stable && (a != a) != (b != b))
            return b != b;
    }
    return sorted->stable && left < right;
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

/* Sort the best of some places into a heap of `size`, which holds the first of them; the others follow
 * from place `size` up to `count`.  Its top is always the last of the best. */
static void heap_select(const sorting *sorted, int32_t *heap, size_t size, size_t count)
{
    for (size_t parent = size / 2; parent-- > 0;)
        adjust_heap(sorted, heap, size, parent, heap[parent]);
    for (size_t place = size; place < count; place++)
        if (is_better(sorted, (int32_t)place, heap[0]))
            adjust_heap(sorted, heap, size, 0, (int32_t)place);
    for (size_t end = size - 1; end > 0; end--) {
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
    for (size_t c = 1; c < sorted->columns && count > 0; c++) {
        const double other = key_of(&sorted->keys[c], pivot);
        size_t left = 0;
        for (size_t t = 0; t < count; t++) {
            const int32_t i = ties[t];
            const double key = key_of(&sorted->keys[c], sorted->rows[order[i]]);
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
        const size_t j = (size_t)right[k];
        if (k > 0 && i > (size_t)right[k - 1])
            i = (size_t)right[k - 1];
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
            heap_select(sorted, order + first, last - first, last - first);
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

int ca_order(size_t count, size_t columns, const ca_key *keys, size_t size, const int32_t *rows,
             size_t wanted, int stable, double *first, int32_t *scratch, int32_t *order)
{
    const sorting sorted = {columns, keys, rows, first, stable, scratch, scratch + count,
                            scratch + 2 * count};
    if (wanted > count || order == NULL || is_bad(count, size, &sorted))
        return CA_BAD_ARGUMENT;
    size_t depth = 0;
    for (size_t length = count; length > 1; length /= 2)
        depth += 2;
    for (size_t i = 0; i < count; i++) {
        order[i] = (int32_t)i;
        first[i] = columns == 0 ? 0.0 : key_of(&keys[0], rows[i]);
    }
    if (stable && wanted > 0) {
        heap_select(&sorted, order, wanted, count);
    } else if (!stable) {
        introsort(&sorted, order, 0, count, depth, wanted);
        /* Up to the end of the range in which the last wanted place is. */
        const bool most = count - wanted > INSERTION_LENGTH;
        insertion_sort(&sorted, order, most ? wanted + INSERTION_LENGTH : count);
    }
    for (size_t i = 0; i < wanted; i++)
        order[i] = rows[order[i]];
    return CA_OK;
}
