/* Moves codes, bits and doubles between rows: see kernels.h for the contract of each function. */
#include "kernels.h"

#include <string.h>

static uint64_t scattered(uint64_t key)
{
    key *= UINT64_C(0x9fb21c651e98df25);
    return key ^ (key >> 29);
}

static inline uint64_t value_at(const char *values, size_t width, size_t row)
{
    if (width == 1)
        return (unsigned char)values[row];
    uint32_t half;
    uint64_t whole;
    memcpy(&half, values + row * width, sizeof half);
    if (width == sizeof half)
        return half;
    memcpy(&whole, values + row * width, sizeof whole);
    return whole;
}

/* Inlined for the widths of the values. */
static inline int32_t number_pairs(size_t rows, size_t left_width, const char *left,
                                   size_t right_width, const char *right, size_t room,
                                   int32_t *slots, int32_t *numbers, int32_t *first)
{
    int32_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        const uint64_t a = value_at(left, left_width, row), b = value_at(right, right_width, row);
        size_t slot = (size_t)scattered(a + (b << (64 - 8 * right_width))) & (room - 1);
        for (; slots[slot] != 0; slot = (slot + 1) & (room - 1)) {
            const size_t other = (size_t)first[slots[slot] - 1];
            if (value_at(left, left_width, other) == a && value_at(right, right_width, other) == b)
                break;
        }
        if (slots[slot] == 0) {
            first[count++] = (int32_t)row;
            slots[slot] = count;
        }
        numbers[row] = slots[slot] - 1;
    }
    return count;
}

int32_t ca_number_pairs(size_t rows, size_t left_width, const void *left, size_t right_width,
                        const void *right, size_t room, int32_t *slots, int32_t *numbers,
                        int32_t *first)
{
    if (rows > INT32_MAX || room < 2 * rows || (room & (room - 1)) != 0)
        return CA_BAD_ARGUMENT;
    memset(slots, 0, room * sizeof *slots);
    if (left_width == 4 && right_width == 4)
        return number_pairs(rows, 4, left, 4, right, room, slots, numbers, first);
    if (left_width == 8 && right_width == 1)
        return number_pairs(rows, 8, left, 1, right, room, slots, numbers, first);
    return CA_BAD_ARGUMENT;
}

/* Inlined for each width, so that copying a value is one instruction. */
static inline int pick(size_t count, const int32_t *rows, size_t length, size_t width,
                       const char *values, char *out)
{
    for (size_t i = 0; i < count; i++) {
        if ((uint32_t)rows[i] >= length)
            return CA_BAD_ARGUMENT;
        memcpy(out + i * width, values + (size_t)rows[i] * width, width);
    }
    return CA_OK;
}

int ca_pick(size_t count, const int32_t *rows, size_t length, size_t width, const void *values,
            void *out)
{
    switch (width) {
    case 1: return pick(count, rows, length, 1, values, out);
    case 4: return pick(count, rows, length, 4, values, out);
    case 8: return pick(count, rows, length, 8, values, out);
    default: return CA_BAD_ARGUMENT;
    }
}

int ca_flag(size_t count, const int32_t *codes, const int32_t *rows, size_t size,
            const unsigned char *table, size_t room, unsigned char *bits)
{
    size_t i = 0;
    if (rows == NULL && room < count / 8 + (count % 8 != 0))
        return CA_BAD_ARGUMENT;
    for (; rows == NULL && i + 8 <= count; i += 8) {
        const int32_t *const eight = codes + i;
        const uint32_t a = (uint32_t)eight[0], b = (uint32_t)eight[1];
        const uint32_t c = (uint32_t)eight[2], d = (uint32_t)eight[3];
        const uint32_t e = (uint32_t)eight[4], f = (uint32_t)eight[5];
        const uint32_t g = (uint32_t)eight[6], h = (uint32_t)eight[7];
        if ((a >= size) | (b >= size) | (c >= size) | (d >= size) | (e >= size) | (f >= size) |
            (g >= size) | (h >= size))
            return CA_BAD_ARGUMENT;
        bits[i / 8] =
            (unsigned char)((table[a] & 1) | (table[b] & 1) << 1 | (table[c] & 1) << 2 |
                            (table[d] & 1) << 3 | (table[e] & 1) << 4 | (table[f] & 1) << 5 |
                            (table[g] & 1) << 6 | (table[h] & 1) << 7);
    }
    if (i < count && rows == NULL)
        bits[i / 8] = 0;
    for (; i < count; i++) {
        const size_t row = rows == NULL ? i : (uint32_t)rows[i];
        if (row / 8 >= room || (uint32_t)codes[i] >= size)
            return CA_BAD_ARGUMENT;
        bits[row / 8] |= (unsigned char)((table[codes[i]] & 1) << (row % 8));
    }
    return CA_OK;
}

/* How many bits of a word are set. */
static size_t ones(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (size_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

/* The place of a bit that stands alone: what it shifts a sequence of de Bruijn to is its own. */
static int32_t place_of(uint64_t bit)
{
    static const unsigned char PLACES[64] = {
        0,  1,  2,  53, 3,  7,  54, 27, 4,  38, 41, 8,  34, 55, 48, 28, 62, 5,  39, 46, 44, 42,
        22, 9,  24, 35, 59, 56, 49, 18, 29, 11, 63, 52, 6,  26, 37, 40, 33, 47, 61, 45, 43, 21,
        23, 58, 17, 10, 51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15, 30, 14, 13, 12};
    return PLACES[(bit * UINT64_C(0x022fdd63cc95386d)) >> 58];
}

int64_t ca_list_bits(size_t size, const unsigned char *bits, size_t room, int32_t *rows)
{
    size_t count = 0;
    if (size > INT32_MAX / 8 || size % 8 != 0)
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < size; i += 8) {
        const unsigned char *const eight = bits + i;
        uint64_t word = (uint64_t)eight[0] | (uint64_t)eight[1] << 8 | (uint64_t)eight[2] << 16 |
                        (uint64_t)eight[3] << 24 | (uint64_t)eight[4] << 32 |
                        (uint64_t)eight[5] << 40 | (uint64_t)eight[6] << 48 |
                        (uint64_t)eight[7] << 56;
        if (rows == NULL)
            count += ones(word);
        for (; rows != NULL && word != 0; word &= word - 1) {
            if (count == room)
                return CA_FULL;
            rows[count++] = (int32_t)(8 * i) + place_of(word & (~word + 1));
        }
    }
    return (int64_t)count;
}

int ca_mark(size_t count, const int32_t *rows, unsigned char kind, size_t room,
            unsigned char *out)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i] < 0 || (size_t)rows[i] >= room)
            return CA_BAD_ARGUMENT;
        out[rows[i]] = kind;
    }
    return CA_OK;
}
