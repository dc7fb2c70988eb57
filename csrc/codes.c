/* Moving codes, bits and doubles between rows: see kernels.h for the contract of each function. */
#include "kernels.h"

#include <string.h>

static uint64_t scattered(uint64_t key)
{
    key *= UINT64_C(0x9fb21c651e98df25);
    return key ^ (key >> 29);
}

/* Number equal rows alike: those whose left and right numbers are equal, with payloads whose tags and
 * payloads are.  Inlined, so that what is not there costs nothing. */
static inline int32_t number_rows(size_t rows, const int32_t *left, const int32_t *right,
                                  const unsigned char *tags, const int64_t *payload, size_t room,
                                  int32_t *slots, int32_t *numbers, int32_t *first)
{
    if (rows > INT32_MAX || room < 2 * rows || (room & (room - 1)) != 0 ||
        (rows > 0 && (slots == NULL || numbers == NULL || first == NULL)))
        return CA_BAD_ARGUMENT;
    memset(slots, 0, room * sizeof *slots);
    int32_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        const uint32_t b = right == NULL ? 0 : (uint32_t)right[row];
        const uint64_t key = payload == NULL
                                 ? (uint64_t)(uint32_t)left[row] << 32 | b
                                 : (uint64_t)payload[row] + ((uint64_t)tags[row] << 56);
        size_t slot = (size_t)scattered(key) & (room - 1);
        for (; slots[slot] != 0; slot = (slot + 1) & (room - 1)) {
            const int32_t other = first[slots[slot] - 1];
            if (payload == NULL
                    ? left[other] == left[row] && (right == NULL || right[other] == right[row])
                    : payload[other] == payload[row] && tags[other] == tags[row])
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

int32_t ca_number_pairs(size_t rows, const int32_t *left, const int32_t *right, size_t room,
                        int32_t *slots, int32_t *numbers, int32_t *first)
{
    if (rows > 0 && left == NULL)
        return CA_BAD_ARGUMENT;
    return number_rows(rows, left, right, NULL, NULL, room, slots, numbers, first);
}

int32_t ca_number_cells(size_t cells, const unsigned char *tags, const int64_t *payload,
                        size_t room, int32_t *slots, int32_t *numbers, int32_t *first)
{
    if (tags == NULL || payload == NULL)
        return cells > 0 ? CA_BAD_ARGUMENT : CA_OK;
    return number_rows(cells, NULL, NULL, tags, payload, room, slots, numbers, first);
}

/* out[i] = from[rows[i]], of whatever type. */
#define PICK(rows, count, length, from, out)                                                       \
    for (size_t i = 0; i < (count); i++) {                                                         \
        if ((rows)[i] < 0 || (size_t)(rows)[i] >= (length))                                        \
            return CA_BAD_ARGUMENT;                                                                \
        (out)[i] = (from)[(rows)[i]];                                                              \
    }                                                                                              \
    return CA_OK

int ca_pick(size_t count, const int32_t *rows, size_t length, const int32_t *codes, int32_t *out)
{
    PICK(rows, count, length, codes, out);
}

int ca_pick_numbers(size_t count, const int32_t *rows, size_t length, const double *values,
                    double *out)
{
    PICK(rows, count, length, values, out);
}

int ca_flag(size_t count, const int32_t *codes, const int32_t *rows, size_t size,
            const unsigned char *table, size_t room, unsigned char *bits)
{
    if (rows == NULL) {
        if (room < count / 8 + (count % 8 != 0))
            return CA_BAD_ARGUMENT;
        const size_t whole = count - count % 8;
        for (size_t i = 0; i < whole; i += 8) {
            const int32_t *const eight = codes + i;
            const uint32_t a = (uint32_t)eight[0], b = (uint32_t)eight[1];
            const uint32_t c = (uint32_t)eight[2], d = (uint32_t)eight[3];
            const uint32_t e = (uint32_t)eight[4], f = (uint32_t)eight[5];
            const uint32_t g = (uint32_t)eight[6], h = (uint32_t)eight[7];
            if ((a >= size) | (b >= size) | (c >= size) | (d >= size) | (e >= size) |
                (f >= size) | (g >= size) | (h >= size))
                return CA_BAD_ARGUMENT;
            bits[i / 8] = (unsigned char)((table[a] & 1) | (table[b] & 1) << 1 |
                                          (table[c] & 1) << 2 | (table[d] & 1) << 3 |
                                          (table[e] & 1) << 4 | (table[f] & 1) << 5 |
                                          (table[g] & 1) << 6 | (table[h] & 1) << 7);
        }
        if (whole < count)
            bits[whole / 8] = 0;
        for (size_t i = whole; i < count; i++) {
            if ((uint32_t)codes[i] >= size)
                return CA_BAD_ARGUMENT;
            bits[i / 8] |= (unsigned char)((table[codes[i]] & 1) << (i % 8));
        }
        return CA_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t row = (size_t)rows[i];
        if (rows[i] < 0 || row / 8 >= room || (uint32_t)codes[i] >= size)
            return CA_BAD_ARGUMENT;
        bits[row / 8] |= (unsigned char)((table[codes[i]] & 1) << (row % 8));
    }
    return CA_OK;
}

/* Eight bytes as a number, the first one lowest. */
static uint64_t word_at(const unsigned char *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

/* The eight bytes from one on, zeros behind the last one. */
static uint64_t word_up_to(size_t size, const unsigned char *bytes, size_t start)
{
    if (size - start >= 8)
        return word_at(bytes + start);
    uint64_t word = 0;
    for (size_t k = start; k < size; k++)
        word |= (uint64_t)bytes[k] << (8 * (k - start));
    return word;
}

int64_t ca_count_bits(size_t size, const unsigned char *bits)
{
    int64_t count = 0;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = word_up_to(size, bits, i);
        word -= word >> 1 & UINT64_C(0x5555555555555555);
        word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
        word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        count += (int64_t)(word * UINT64_C(0x0101010101010101) >> 56);
    }
    return count;
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

int ca_list_bits(size_t size, const unsigned char *bits, size_t room, int32_t *rows)
{
    size_t count = 0;
    if (size > INT32_MAX / 8)
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = word_up_to(size, bits, i);
        for (; word != 0; word &= word - 1) {
            if (count == room)
                return CA_FULL;
            rows[count++] = (int32_t)(8 * i) + place_of(word & (~word + 1));
        }
    }
    return CA_OK;
}

int ca_spread(size_t count, const int32_t *codes, const int32_t *rows, size_t size,
              const double *table, size_t room, double *out)
{
    for (size_t i = 0; i < count; i++) {
        const size_t row = rows == NULL ? i : (size_t)rows[i];
        if ((rows != NULL && rows[i] < 0) || row >= room || (uint32_t)codes[i] >= size)
            return CA_BAD_ARGUMENT;
        out[row] = table[codes[i]];
    }
    return CA_OK;
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
