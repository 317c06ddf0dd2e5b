/* flat.h - a JSON object whose values are texts, numbers, true, false and null: what small requests are made of. */
#ifndef SERVE_API_FLAT_H
#define SERVE_API_FLAT_H

#include <stddef.h>

#include "base/arena.h"

struct serve_flat {
    const char *key;
    const char *value; /* of a number, true and false: as it stands; NULL: null */
};
/* Reads one, in the order of its members, into the arena.  NULL, or what is wrong with it: static, or in the
 * arena. */
const char *serve_flat_read(struct pingo__arena *arena, const char *text, size_t length,
                            struct serve_flat **members, size_t *n);

#endif
