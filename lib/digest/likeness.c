/* likeness.c - see likeness.h. */
#include "digest/likeness.h"

#include <string.h>

#include "base/error.h"
#include "digest/encoding.h"
#include "digest/sha256.h"

#define MAGIC "pingo-program\n" /* no description begins so */

/* Appends the records of a canonical description whose tags stay.  false: it is cut off. */
static bool filter(const void *bytes, size_t length, bool (*stays)(char tag),
                   struct pingo__buffer *out)
{
    struct pingo__buffer_reader r = {.data = bytes, .length = length};
    if (pingo__buffer_read_bytes(&r, PINGO__ENCODING_MAGIC_SIZE))
        pingo__buffer_append(out, bytes, PINGO__ENCODING_MAGIC_SIZE);
    while (!r.failed && r.at < r.length) {
        size_t from = r.at, n;
        char tag = (char)pingo__buffer_read_u8(&r);
        if (pingo__buffer_read_counted(&r, &n) && stays(tag))
            pingo__buffer_append(out, r.data + from, r.at - from);
    }
    return !r.failed;
}

static bool is_no_salt(char tag)
{
    return tag != PINGO__RECORD_SALT;
}

int pingo__digest_likeness_unsalted(const void *bytes, size_t length, struct pingo_hash *key)
{
    struct pingo__buffer b = {0};
    filter(bytes, length, is_no_salt, &b);
    return pingo__digest_buffer(&b, key);
}

static bool tells_nothing(char tag)
{
    return tag == PINGO__RECORD_TYPE || tag == PINGO__RECORD_PARENT ||
           tag == PINGO__RECORD_UNORDERED;
}

int pingo__digest_likeness_redacted(const void *bytes, size_t length, struct pingo__buffer *out,
                                    struct pingo_error *err)
{
    if (!filter(bytes, length, tells_nothing, out))
        return pingo__fail(err, PINGO_ECORRUPT, "not a canonical description: it is cut off");
    return out->failed ? pingo__fail_memory(err) : 0;
}

static void put_field(struct pingo__buffer *b, const struct pingo_field *f, bool to_options)
{
    for (size_t i = 0; i < f->nvalues && !(to_options && f->values[i][0] == '-'); i++)
        pingo__buffer_counted(b, f->values[i], strlen(f->values[i]));
}

int pingo__digest_likeness_program(const struct pingo_description *description,
                                   struct pingo_hash *key)
{
    size_t n = 0, at = 0;
    const struct pingo_field *fields = pingo_description_fields(description, &n);
    const char *type = pingo_description_type(description);
    struct pingo__buffer b = {0};
    pingo__buffer_text(&b, MAGIC);
    pingo__buffer_counted(&b, type, strlen(type));
    while (at < n && strcmp(fields[at].key, "command") != 0)
        at++;
    if (at < n)
        put_field(&b, &fields[at], fields[at].kind == PINGO_FIELD_TEXTS);
    for (size_t i = 0; at == n && i < n; i++)
        put_field(&b, &fields[i], false);
    return pingo__digest_buffer(&b, key);
}
