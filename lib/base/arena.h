/* arena.h - memory that is freed at once. */
#ifndef PINGO__BASE_ARENA_H
#define PINGO__BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct pingo__arena_block;
struct pingo__arena {
    struct pingo__arena_block *blocks; /* newest first */
    size_t used, top, size; /* of the newest block: lent below, lent from there on, bytes in all */
};

/* What is zeroed is an empty one; frees, and leaves such a one. */
void pingo__arena_clear(struct pingo__arena *a);
/* Takes back all that was lent, but keeps the newest block for what comes next. */
void pingo__arena_reset(struct pingo__arena *a);
/* Zeroed, aligned for any type; NULL when memory runs out (never for size 0). */
void *pingo__arena_alloc(struct pingo__arena *a, size_t size);
/* n * size, checked for overflow; aligned for structs of numbers and pointers. */
void *pingo__arena_array(struct pingo__arena *a, size_t n, size_t size);
/* Room for one more behind n elements of an array of *capacity, which may be NULL with capacity 0: where it has none,
 * it becomes a larger copy.  false: no memory, and all stays as it was. */
bool pingo__arena_room(struct pingo__arena *a, void **array, size_t n, size_t *capacity,
                       size_t size);
/* The same of an array and its capacity by their names. */
#define PINGO__ARENA_ROOM(a, array, n, capacity)                                                   \
    pingo__arena_room(a, (void **)&(array), (n), &(capacity), sizeof *(array))
/* A formatted text; NULL when memory runs out. */
char *pingo__arena_format(struct pingo__arena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *pingo__arena_vformat(struct pingo__arena *a, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* A copy that ends with NUL. */
char *pingo__arena_text(struct pingo__arena *a, const char *text, size_t length);

#endif
