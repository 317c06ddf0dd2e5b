/* multipart.h - a body of type multipart/form-data (RFC 7578, RFC 2046) as its parts, strictly.
 *
 * Nothing stands before the first boundary or behind the last; lines end with CRLF; each part has one
 * Content-Disposition: form-data with one name and at most one filename; a transfer encoding, filename* and lines that
 * go on in others are refused.  Pure: no file, no clock; nothing is copied but names. */
#ifndef PINGO__HTTP_SERVER_MULTIPART_H
#define PINGO__HTTP_SERVER_MULTIPART_H

#include <stddef.h>

#include "base/arena.h"

#define PINGO__HTTP_PARTS 100

struct pingo__http_part {
    const char *name, *filename; /* UTF-8 without control characters; filename NULL: it has none */
    const char *data;            /* in the body */
    size_t length;
};
struct pingo__http_form {
    const char *type; /* the value of Content-Type, with the boundary */
    const char *body;
    size_t length;
    struct pingo__http_part *parts; /* what is read, in the arena */
    size_t nparts;
};
/* NULL, or what is wrong: static text. */
const char *pingo__http_multipart(struct pingo__arena *arena, struct pingo__http_form *form);

#endif
