/* Numbers texts in the order in which they come, each once.
 *
 * A load keeps its names, strings and expressions in one such store of bytes.  A text is bytes, compared exactly.  Offsets into the store stay valid when it grows, pointers do not.
 */
#ifndef CA_INTERN_H
#define CA_INTERN_H

#include "kernels.h"

/* A place in the table.  With half of the hash in it most texts that are not the one looked for need
 * not be touched. */
typedef struct {
    uint32_t hash;
    int32_t number; /* that of the text + 1, 0 for a free slot */
} ca_slot;

typedef struct {
    char *bytes;
    size_t used;
    size_t room;
    ca_text *texts;
    size_t count;
    size_t capacity;
    ca_slot *slots; /* by hash */
    size_t mask;    /* number of slots - 1; a power of two less one */
} ca_pool;

void ca_pool_free(ca_pool *pool);

/* The number of a text, which is stored if it is new; CA_NO_MEMORY when memory or numbers run out. */
int32_t ca_pool_number(ca_pool *pool, const char *text, size_t length);

/* Make room for `count` items of `size` bytes in the array to which `items` is the address of a pointer:
 * it moves if it must, and is then twice as large.  `*capacity` is in items. */
int ca_room(void *items, size_t *capacity, size_t count, size_t size);

#endif
