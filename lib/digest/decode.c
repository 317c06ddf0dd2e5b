/* decode.c - a canonical description -> its parts.
 *
 * What always holds: what decodes is canonical, so encoding the parts again
 * would give the same bytes.  Hostile bytes give PINGO_ECORRUPT; memory is
 * bounded by a small multiple of their length, and nothing recurses. */
#include "digest/description.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "digest/encoding.h"
#include "workflow/kinds.h"

static int corrupt(struct pingo_error *err, const char *what)
{
    return pingo__fail(err, PINGO_ECORRUPT, "not a canonical description: %s", what);
}

struct record {
    char tag;
    struct pingo__buffer_reader payload;
};

/* The next record; false at the end or when cut off (then r->failed). */
static bool next_record(struct pingo__buffer_reader *r, struct record *record)
{
    if (r->at >= r->length)
        return false;
    record->tag = (char)pingo__buffer_read_u8(r);
    memset(&record->payload, 0, sizeof record->payload);
    size_t n;
    record->payload.data = pingo__buffer_read_counted(r, &n);
    record->payload.length = n;
    return !r->failed;
}

/* The records, in the order in which they come. */
static const struct kind {
    char tag;
    bool repeats; /* then: what it is, and where the number of it is kept */
    enum pingo__digest_piece_kind piece;
    size_t count;
} kinds[] = {
#define COUNT(n) offsetof(struct pingo_description, n)
    {.tag = PINGO__RECORD_TYPE},
    {PINGO__RECORD_FIELD, true, PINGO__PIECE_FIELD, COUNT(nfields)},
    {.tag = PINGO__RECORD_SALT},
    {.tag = PINGO__RECORD_OUTPUT},
    {PINGO__RECORD_INPUT, true, PINGO__PIECE_INPUT, COUNT(ninputs)},
    {PINGO__RECORD_TOOL, true, PINGO__PIECE_TOOL, COUNT(ntools)},
    {PINGO__RECORD_VERSION, true, PINGO__PIECE_VERSION, COUNT(nversions)},
    {PINGO__RECORD_PARENT, true, PINGO__PIECE_PARENT, COUNT(nparents)},
    {PINGO__RECORD_UNORDERED, true, PINGO__PIECE_PARENT, COUNT(nunordered)},
#undef COUNT
};

static const struct kind *kind_of(char tag)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].tag == tag)
            return &kinds[i];
    return NULL;
}

/* First pass: known tags in order, nothing twice that comes once; counts. */
static int count_records(struct pingo__buffer_reader r, struct pingo_description *d,
                         struct pingo_error *err)
{
    struct record record;
    const struct kind *last = NULL;
    while (next_record(&r, &record)) {
        const struct kind *kind = kind_of(record.tag);
        if (!kind || (record.tag == PINGO__RECORD_VERSION && d->encoding < 2))
            return corrupt(err, "an unknown record");
        if (last && (kind < last || (kind == last && !kind->repeats)))
            return corrupt(err, "records out of order");
        if (!last && kind != kinds)
            return corrupt(err, "no type");
        last = kind;
        if (kind->repeats)
            ++*(size_t *)((char *)d + kind->count);
    }
    if (r.failed)
        return corrupt(err, "cut off");
    if (!last)
        return corrupt(err, "no type");
    if (d->nparents > 0 && d->nunordered > 0)
        return corrupt(err, "parents with and without roles");
    d->nparents += d->nunordered;
    return 0;
}

/* n bytes as a text of the description's own; texts hold no NUL.  NULL: *r says why. */
static const char *take(struct pingo_description *d, const char *bytes, size_t n, int *r)
{
    if (*r != 0)
        return NULL;
    if (!bytes || memchr(bytes, '\0', n)) {
        *r = PINGO_ECORRUPT;
        return NULL;
    }
    const char *text = pingo__arena_text(&d->arena, bytes, n);
    if (!text)
        *r = PINGO_ENOMEM;
    return text;
}

static const char *take_counted(struct pingo_description *d, struct pingo__buffer_reader *p, int *r)
{
    size_t n;
    const char *bytes = pingo__buffer_read_counted(p, &n);
    return take(d, bytes, n, r);
}

static const char *take_rest(struct pingo_description *d, struct pingo__buffer_reader *p, int *r)
{
    size_t n = p->length - p->at;
    return take(d, pingo__buffer_read_bytes(p, n), n, r);
}

static void take_hash(struct pingo__buffer_reader *p, struct pingo_hash *hash, int *r)
{
    const char *bytes = pingo__buffer_read_bytes(p, PINGO_HASH_SIZE);
    if (bytes)
        memcpy(hash->bytes, bytes, PINGO_HASH_SIZE);
    else if (*r == 0)
        *r = PINGO_ECORRUPT;
}

static bool field_is_sound(const struct pingo_field *field)
{
    if (!pingo__workflow_kind_has_form(field))
        return false;
    for (size_t i = 2; field->kind == PINGO_FIELD_PAIRS && i < field->nvalues; i += 2)
        if (strcmp(field->values[i - 2], field->values[i]) >= 0)
            return false;
    return true;
}

static int read_field(struct pingo_description *d, struct pingo__buffer_reader *p,
                      struct pingo_field *field)
{
    size_t n = 0;
    int rc = 0;
    field->key = take_counted(d, p, &rc);
    if (rc != 0)
        return rc;
    field->kind = pingo__workflow_kind_of_letter((char)pingo__buffer_read_u8(p));
    struct pingo__buffer_reader count;
    size_t length;
    for (count = *p; count.at < count.length && !count.failed; n++)
        pingo__buffer_read_counted(&count, &length);
    if (count.failed)
        return PINGO_ECORRUPT;
    const char **values = pingo__arena_array(&d->arena, n, sizeof *values);
    if (!values)
        return PINGO_ENOMEM;
    for (size_t i = 0; i < n; i++)
        values[i] = take_counted(d, p, &rc);
    field->values = values;
    field->nvalues = n;
    if (rc == 0 && !field_is_sound(field))
        return PINGO_ECORRUPT;
    return rc;
}

static int read_input(struct pingo_description *d, struct pingo__buffer_reader *p,
                      struct pingo_described_input *input)
{
    int rc = 0;
    input->name = take_counted(d, p, &rc);
    uint8_t letter = pingo__buffer_read_u8(p);
    if (letter == PINGO__INPUT_FILE || letter == PINGO__INPUT_TREE) {
        struct pingo_hash hash;
        take_hash(p, &hash, &rc);
        if (rc != 0)
            return rc;
        char hex[PINGO_HASH_HEX_SIZE];
        pingo_hash_to_hex(&hash, hex);
        input->kind = letter == PINGO__INPUT_FILE ? "content" : "tree";
        input->identity = take(d, hex, PINGO_HASH_HEX_SIZE - 1, &rc);
    } else if (letter == PINGO__INPUT_STAT) {
        input->kind = "stat";
        input->identity = take_rest(d, p, &rc);
    } else if (letter == PINGO__INPUT_URI) {
        input->kind = "uri";
        input->identity = take_counted(d, p, &rc);
        input->version = take_counted(d, p, &rc);
    } else if (rc == 0) {
        rc = PINGO_ECORRUPT;
    }
    return rc;
}

static int read_version(struct pingo_description *d, struct pingo__buffer_reader *p,
                        struct pingo_described_version *version)
{
    size_t n = pingo__buffer_read_u32(p);
    int rc = 0;
    /* Each argument takes four bytes at least. */
    if (p->failed || n == 0 || n > p->length / 4)
        return PINGO_ECORRUPT;
    const char **argv = pingo__arena_array(&d->arena, n, sizeof *argv);
    if (!argv)
        return PINGO_ENOMEM;
    for (size_t i = 0; i < n; i++)
        argv[i] = take_counted(d, p, &rc);
    take_hash(p, &version->output, &rc);
    version->argv = argv;
    version->nargv = n;
    return rc;
}

/* Does the newest of its kind come after the one before?  Hashes may be equal, names not. */
static bool is_in_order(const struct pingo_description *d, const struct kind *kind)
{
    struct pingo__digest_piece before, newest;
    size_t n = kind->repeats ? pingo__digest_piece_count(d, kind->piece) : 0;
    if (n < 2)
        return true;
    pingo__digest_piece_at(d, kind->piece, n - 2, &before);
    pingo__digest_piece_at(d, kind->piece, n - 1, &newest);
    int order = pingo__digest_piece_order(&before, &newest);
    return order < 0 || (order == 0 && newest.name.nvalues == 0);
}

static int read_record(struct pingo_description *d, struct record *record)
{
    struct pingo__buffer_reader *p = &record->payload;
    int rc = 0;
    switch (record->tag) {
    case PINGO__RECORD_TYPE:
        d->type = take_rest(d, p, &rc);
        break;
    case PINGO__RECORD_SALT:
        d->salt = take_rest(d, p, &rc);
        break;
    case PINGO__RECORD_OUTPUT:
        d->output_path = take_rest(d, p, &rc);
        break;
    case PINGO__RECORD_FIELD:
        rc = read_field(d, p, &d->fields[d->nfields++]);
        break;
    case PINGO__RECORD_INPUT:
        rc = read_input(d, p, &d->inputs[d->ninputs++]);
        break;
    case PINGO__RECORD_TOOL:
        d->tools[d->ntools].name = take_counted(d, p, &rc);
        take_hash(p, &d->tools[d->ntools++].content, &rc);
        break;
    case PINGO__RECORD_VERSION:
        rc = read_version(d, p, &d->versions[d->nversions++]);
        break;
    default: /* PINGO__RECORD_PARENT, PINGO__RECORD_UNORDERED */
        if (record->tag == PINGO__RECORD_PARENT)
            d->parents[d->nparents].role = take_counted(d, p, &rc);
        take_hash(p, &d->parents[d->nparents++].hash, &rc);
        break;
    }
    if (rc == 0 && (p->at != p->length || !is_in_order(d, kind_of(record->tag))))
        rc = PINGO_ECORRUPT; /* more in the record than belongs there, or not in its place */
    return rc;
}

static int allocate(struct pingo_description *d)
{
    d->fields = pingo__arena_array(&d->arena, d->nfields, sizeof *d->fields);
    d->inputs = pingo__arena_array(&d->arena, d->ninputs, sizeof *d->inputs);
    d->tools = pingo__arena_array(&d->arena, d->ntools, sizeof *d->tools);
    d->versions = pingo__arena_array(&d->arena, d->nversions, sizeof *d->versions);
    d->parents = pingo__arena_array(&d->arena, d->nparents + 1, sizeof *d->parents);
    if (!d->fields || !d->inputs || !d->tools || !d->versions || !d->parents)
        return PINGO_ENOMEM;
    d->nfields = d->ninputs = d->ntools = d->nversions = d->nparents =
        0; /* counted again while they are read */
    return 0;
}

/* 0: of none that this version knows. */
static unsigned encoding_of(const char *magic)
{
    if (!magic)
        return 0;
    if (memcmp(magic, PINGO__ENCODING_MAGIC, PINGO__ENCODING_MAGIC_SIZE) == 0)
        return PINGO__ENCODING_VERSION;
    return memcmp(magic, PINGO__ENCODING_MAGIC_1, PINGO__ENCODING_MAGIC_SIZE) == 0;
}

int pingo_description_decode(const void *bytes, size_t length,
                             struct pingo_description **description, struct pingo_error *err)
{
    struct pingo__buffer_reader reader = {.data = bytes, .length = length};
    const char *magic = pingo__buffer_read_bytes(&reader, PINGO__ENCODING_MAGIC_SIZE);
    *description = NULL;
    unsigned encoding = encoding_of(magic);
    if (encoding == 0)
        return corrupt(err, "it does not start with pingo-action-2 or pingo-action-1");
    struct pingo_description *d = calloc(1, sizeof *d);
    if (!d)
        return pingo__fail_memory(err);
    d->encoding = encoding;
    int rc = count_records(reader, d, err);
    if (rc != 0)
        goto out;
    rc = allocate(d);
    struct record record;
    while (rc == 0 && next_record(&reader, &record))
        rc = read_record(d, &record);
    if (rc == PINGO_ECORRUPT)
        corrupt(err, "a record does not hold what its kind asks for");
    else if (rc == PINGO_ENOMEM)
        pingo__fail_memory(err);
out:
    if (rc != 0)
        pingo_description_free(d);
    else
        *description = d;
    return rc;
}
