/* Moving codes, bits and doubles between rows: see kernels.h for the contract of each function. */
#include "kernels.h"

#include <string.h>

static uint64_t scattered(uint64_t key)
{
    key *= UINT64_C(0x9fb21c651e98df25);
    return key ^ (key >> 29);
}

int32_t ca_number_pairs(size_t rows, const int32_t *left, const int32_t *right, size_t room,
                        int32_t *slots, int32_t *numbers, int32_t *first)
{
    if (rows > INT32_MAX || room < 2 * rows || (room & (room - 1)) != 0 ||
        (rows > 0 && (left == NULL || slots == NULL || numbers == NULL || first == NULL)))
        return CA_BAD_ARGUMENT;
    memset(slots, 0, room * sizeof *slots);
    int32_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        const int32_t a = left[row];
        const int32_t b = right == NULL ? 0 : right[row];
        const uint64_t key = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
        size_t slot = (size_t)scattered(key) & (room - 1);
        while (slots[slot] != 0) {
            const int32_t other = first[slots[slot] - 1];
            if (left[other] == a && (right == NULL || right[other] == b))
                break;
            slot = (slot + 1) & (room - 1);
        }
        if (slots[slot] == 0) {
            first[count++] = (int32_t)row;
            slots[slot] = count;
        }
        numbers[row] = slots[slot] - 1;
    }
    return count;
}

int32_t ca_number_cells(size_t cells, const unsigned char *tags, const int64_t *payload,
                        size_t room, int32_t *slots, int32_t *numbers, int32_t *first)
{
    if (cells > INT32_MAX || room < 2 * cells || (room & (room - 1)) != 0 ||
        (cells > 0 && (tags == NULL || payload == NULL || slots == NULL || numbers == NULL ||
                       first == NULL)))
        return CA_BAD_ARGUMENT;
    memset(slots, 0, room * sizeof *slots);
    int32_t count = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        const int64_t a = payload[cell];
        size_t slot = (size_t)scattered((uint64_t)a + ((uint64_t)tags[cell] << 56)) & (room - 1);
        while (slots[slot] != 0) {
            const int32_t other = first[slots[slot] - 1];
            if (payload[other] == a && tags[other] == tags[cell])
                break;
            slot = (slot + 1) & (room - 1);
        }
        if (slots[slot] == 0) {
            first[count++] = (int32_t)cell;
            slots[slot] = count;
        }
        numbers[cell] = slots[slot] - 1;
    }
    return count;
}

int ca_pick(size_t count, const int32_t *rows, size_t length, const int32_t *codes, int32_t *out)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i] < 0 || (size_t)rows[i] >= length)
            return CA_BAD_ARGUMENT;
        out[i] = codes[rows[i]];
    }
    return CA_OK;
}

int ca_pick_numbers(size_t count, const int32_t *rows, size_t length, const double *values,
                    double *out)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i] < 0 || (size_t)rows[i] >= length)
            return CA_BAD_ARGUMENT;
        out[i] = values[rows[i]];
    }
    return CA_OK;
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

static uint64_t word_at(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The rows whose bits are set, and how many there are; a negative code if that is too many. */
static int64_t list_rows(size_t size, const unsigned char *bits, size_t room, int32_t *rows)
{
    size_t count = 0;
    if (size > INT32_MAX / 8)
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < size; i++) {
        while (i + 8 <= size && word_at(bits + i) == 0)
            i += 8;
        if (i == size)
            break;
        for (unsigned byte = bits[i], k = 0; byte != 0; byte >>= 1, k++) {
            if ((byte & 1) == 0)
                continue;
            if (count == room)
                return CA_FULL;
            rows[count++] = (int32_t)(8 * i + k);
        }
    }
    return (int64_t)count;
}

int ca_list_bits(size_t size, const unsigned char *bits, size_t room, int32_t *rows)
{
    const int64_t found = list_rows(size, bits, room, rows);
    return found < 0 ? (int)found : CA_OK;
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

/* ---- kinds of rows --------------------------------------------------------------------------- */

int ca_list_kinds(size_t size, const unsigned char *bits, const unsigned char *first,
                  const unsigned char *second, size_t room, int32_t *rows, int32_t *kinds)
{
    if ((size > 0 && (bits == NULL || first == NULL || second == NULL)) ||
        (room > 0 && (rows == NULL || kinds == NULL)))
        return CA_BAD_ARGUMENT;
    const int64_t found = list_rows(size, bits, room, rows);
    if (found < 0)
        return (int)found;
    for (size_t i = 0; i < (size_t)found; i++) {
        const size_t byte = (size_t)rows[i] / 8;
        const unsigned k = (unsigned)rows[i] % 8;
        kinds[i] = (int32_t)(((first[byte] >> k) & 1U) | (((second[byte] >> k) & 1U) << 1));
    }
    return CA_OK;
}

int ca_mask(size_t count, const int32_t *kinds, const double *values, double other, double *out)
{
    if (count > 0 && (kinds == NULL || values == NULL || out == NULL))
        return CA_BAD_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        out[i] = kinds[i] != 0 ? values[i] : other;
    return CA_OK;
}
