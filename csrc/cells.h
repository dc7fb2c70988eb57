/* What the files of the loader share: see kernels.h for a load.
 *
 * All functions return a number or a negative code.
 */
#ifndef CA_CELLS_H
#define CA_CELLS_H

#include "kernels.h"

/* The number of a text, which is stored if it is new; CA_NO_MEMORY when memory or numbers run out. */
int32_t ca_pool_number(ca_pool *pool, const char *text, size_t length);

void ca_pool_free(ca_pool *pool);

/* Make room for `count` items of `size` bytes in the array to which `items` is the address of a pointer:
 * it moves if it must, and is then twice as large.  `*capacity` is in items. */
int ca_room(void *items, size_t *capacity, size_t count, size_t size);

/* Give an attribute of the present row a value; the last value wins. */
int ca_cells_set(ca_load *load, int32_t name, int tag, int64_t payload);

/* End the present row, if it has any attribute. */
int ca_cells_end_row(ca_load *load);

#endif
