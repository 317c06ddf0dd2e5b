/* array.h - arrays that grow. */
#ifndef PINGO__BASE_ARRAY_H
#define PINGO__BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for more elements of this size behind the n of an array that has *capacity of them; *array may be
 * NULL with capacity 0.  false: no memory, and all stays as it was. */
bool pingo__array_room(void **array, size_t *capacity, size_t n, size_t more, size_t size);
/* The same of an array and its capacity by their names. */
#define PINGO__ARRAY_ROOM(array, capacity, n, more)                                                \
    pingo__array_room((void **)&(array), &(capacity), (n), (more), sizeof *(array))

/* For qsort() and bsearch(): of uint32_t, of int64_t, of texts, and of structs that begin with one. */
int pingo__array_by_number(const void *a, const void *b);
int pingo__array_by_id(const void *a, const void *b);
int pingo__array_by_text(const void *a, const void *b);

#endif
