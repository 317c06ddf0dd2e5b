/* array.c - see array.h. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool pingo__array_room(void **array, size_t *capacity, size_t n, size_t more, size_t size)
{
    if (more > SIZE_MAX / 2 / size - n)
        return false;
    if (n + more <= *capacity)
        return true;
    /* An eighth more: large arrays grow in place, and little is held that is not needed. */
    size_t grown = *capacity + *capacity / 8 + 16;
    if (grown < n + more)
        grown = n + more;
    void *moved = realloc(*array, grown * size);
    if (!moved)
        return false;
    *array = moved;
    *capacity = grown;
    return true;
}

int pingo__array_by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int pingo__array_by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int pingo__array_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
