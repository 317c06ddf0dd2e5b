/* growing.c - see growing.h. */
#include "base/growing.h"

#include <string.h>

#include "base/error.h"

int pingo__growing_options_take(const struct pingo__growing_options_type *type, const void *given,
                                void *own, struct pingo_error *err)
{
    unsigned newest = 1;
    while (newest < sizeof type->ends / sizeof *type->ends && type->ends[newest])
        newest++;
    memset(own, 0, type->ends[newest - 1]);
    if (!given)
        return 0;
    unsigned version;
    memcpy(&version, given, sizeof version);
    if (version == 0 || version > newest)
        return pingo__fail(err, PINGO_EINVAL, "struct %s: version is %u, this library knows 1%s%.0u",
                           type->name, version, newest > 1 ? " to " : "", newest > 1 ? newest : 0);
    memcpy(own, given, type->ends[version - 1]);
    return 0;
}

static size_t size_of(const void *result)
{
    size_t size;
    memcpy(&size, result, sizeof size);
    return size;
}

int pingo__growing_result_check(const void *result, const char *name, struct pingo_error *err)
{
    if (!result || size_of(result) >= sizeof(size_t))
        return 0;
    return pingo__fail(err, PINGO_EINVAL, "struct %s: its size is not set: {.size = sizeof ...}",
                       name);
}

void pingo__growing_result_put(void *result, const void *own, size_t size)
{
    size_t room = result ? size_of(result) : 0, least = sizeof(size_t);
    if (room <= least)
        return;
    memset((char *)result + least, 0, room - least);
    memcpy((char *)result + least, (const char *)own + least, (room < size ? room : size) - least);
}

void pingo__growing_result_take(const void *result, void *own, size_t size)
{
    size_t given = size_of(result);
    memset(own, 0, size);
    memcpy(own, result, given < size ? given : size);
    memcpy(own, &size, sizeof size);
}
