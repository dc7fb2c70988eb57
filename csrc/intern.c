/* Numbers texts in the order in which they come, each once: see cells.h. */
#include "cells.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the smallest array. */
enum { LEAST = 24 };

int ca_room(void *items, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity)
        return CA_OK;
    size_t wanted = *capacity > SIZE_MAX / 2 ? count : 2 * *capacity;
    if (wanted < count)
        wanted = count;
    /* No allocator gives less: columns of one cell may be as many as lines. */
    if (wanted < LEAST / size)
        wanted = LEAST / size;
    if (wanted > PTRDIFF_MAX / size)
        return CA_NO_MEMORY;
    void *array; /* copied, since the pointer may be one to anything */
    memcpy(&array, items, sizeof array);
    array = realloc(array, wanted * size);
    if (array == NULL)
        return CA_NO_MEMORY;
    memcpy(items, &array, sizeof array);
    *capacity = wanted;
    return CA_OK;
}

static uint64_t hash_of(const void *data, size_t length)
{
    const unsigned char *at = data;
    uint64_t hash = (length + 1) * UINT64_C(0x9e3779b97f4a7c15), word;
    for (; length >= 8; at += 8, length -= 8) {
        memcpy(&word, at, 8);
        hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
        hash ^= hash >> 29;
    }
    word = 0;
    if (length > 0)
        memcpy(&word, at, length);
    hash ^= word;
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

void ca_pool_free(ca_pool *pool)
{
    free(pool->bytes);
    free(pool->texts);
    free(pool->slots);
    memset(pool, 0, sizeof *pool);
}

/* The half of a hash that does not choose the slot. */
static uint32_t half(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

/* Twice as many slots, at most half of them taken. */
static int widen(ca_pool *pool)
{
    size_t slots = pool->slots == NULL ? 1024 : 2 * (pool->mask + 1);
    if (slots > SIZE_MAX / sizeof *pool->slots)
        return 0;
    ca_slot *wide = calloc(slots, sizeof *wide);
    if (wide == NULL)
        return 0;
    for (size_t number = 0; number < pool->count; number++) {
        size_t slot = (size_t)pool->texts[number].hash & (slots - 1);
        while (wide[slot].number != 0)
            slot = (slot + 1) & (slots - 1);
        wide[slot] = (ca_slot){half(pool->texts[number].hash), (int32_t)number + 1};
    }
    free(pool->slots);
    pool->slots = wide;
    pool->mask = slots - 1;
    return 1;
}

int32_t ca_pool_number(ca_pool *pool, const char *text, size_t length)
{
    if ((pool->slots == NULL || 2 * pool->count > pool->mask) && !widen(pool))
        return CA_NO_MEMORY;
    uint64_t hash = hash_of(text, length);
    size_t slot = (size_t)hash & pool->mask;
    for (; pool->slots[slot].number != 0; slot = (slot + 1) & pool->mask) {
        if (pool->slots[slot].hash != half(hash))
            continue;
        const ca_text *known = &pool->texts[pool->slots[slot].number - 1];
        if (known->hash == hash && known->length == length &&
            memcmp(pool->bytes + known->offset, text, length) == 0)
            return pool->slots[slot].number - 1;
    }
    if (pool->count >= INT32_MAX - 1 || length > UINT32_MAX ||
        pool->used > PTRDIFF_MAX - length ||
        ca_room(&pool->texts, &pool->capacity, pool->count + 1, sizeof *pool->texts) < 0 ||
        ca_room(&pool->bytes, &pool->room, pool->used + length + 1, 1) < 0)
        return CA_NO_MEMORY;
    memcpy(pool->bytes + pool->used, text, length);
    pool->texts[pool->count] = (ca_text){pool->used, hash, (uint32_t)length, 0};
    pool->used += length;
    pool->slots[slot] = (ca_slot){half(hash), (int32_t)++pool->count};
    return (int32_t)pool->count - 1;
}
