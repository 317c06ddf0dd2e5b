/* redact.c - see redact.h. */
#include "digest/redact.h"

#include "base/error.h"
#include "digest/encoding.h"

static bool stays(char tag)
{
    return tag == PINGO__RECORD_TYPE || tag == PINGO__RECORD_PARENT ||
           tag == PINGO__RECORD_UNORDERED;
}

int pingo__digest_description_redact(const void *description, size_t length,
                                     struct pingo__buffer *out, struct pingo_error *err)
{
    struct pingo__buffer_reader r = {.data = description, .length = length};
    const char *magic = pingo__buffer_read_bytes(&r, PINGO__ENCODING_MAGIC_SIZE);
    if (magic)
        pingo__buffer_append(out, magic, PINGO__ENCODING_MAGIC_SIZE);
    while (!r.failed && r.at < r.length) {
        size_t n = 0;
        char tag = (char)pingo__buffer_read_u8(&r);
        const char *payload = pingo__buffer_read_counted(&r, &n);
        if (payload && stays(tag)) {
            pingo__buffer_char(out, tag);
            pingo__buffer_counted(out, payload, n);
        }
    }
    if (r.failed)
        return pingo__fail(err, PINGO_ECORRUPT, "not a canonical description: it is cut off");
    return out->failed ? pingo__fail_memory(err) : 0;
}
