/* decode.c - a canonical description -> its parts.
 *
 * What always holds: what decodes is canonical, so encoding the parts again
 * would give the same bytes.  Hostile bytes give PINGO_ECORRUPT; memory is
 * bounded by a small multiple of their length, and nothing recurses. */
#include "digest/description.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
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

/* The order in which tags come; -1 for unknown ones. */
static int rank(char tag)
{
    static const char tags[] = {
        PINGO__RECORD_TYPE,    PINGO__RECORD_FIELD,  PINGO__RECORD_SALT,
        PINGO__RECORD_OUTPUT,  PINGO__RECORD_INPUT,  PINGO__RECORD_TOOL,
        PINGO__RECORD_VERSION, PINGO__RECORD_PARENT, PINGO__RECORD_UNORDERED};
    const char *at = memchr(tags, tag, sizeof tags);
    return at ? (int)(at - tags) : -1;
}

/* First pass: known tags in order, nothing twice that comes once; counts. */
static int count_records(struct pingo__buffer_reader r, struct pingo_description *d,
                         struct pingo_error *err)
{
    struct record record;
    int last = -1;
    while (next_record(&r, &record)) {
        int now = rank(record.tag);
        bool repeats = record.tag != PINGO__RECORD_TYPE && record.tag != PINGO__RECORD_SALT &&
                       record.tag != PINGO__RECORD_OUTPUT;
        if (now < 0 || (record.tag == PINGO__RECORD_VERSION && d->encoding < 2))
            return corrupt(err, "an unknown record");
        if (now < last || (now == last && !repeats))
            return corrupt(err, "records out of order");
        if (last < 0 && now != 0)
            return corrupt(err, "no type");
        last = now;
        d->nfields += record.tag == PINGO__RECORD_FIELD;
        d->ninputs += record.tag == PINGO__RECORD_INPUT;
        d->ntools += record.tag == PINGO__RECORD_TOOL;
        d->nversions += record.tag == PINGO__RECORD_VERSION;
        if (record.tag == PINGO__RECORD_PARENT && d->nunordered == 0)
            d->nparents++;
        if (record.tag == PINGO__RECORD_UNORDERED)
            d->nunordered++;
    }
    if (r.failed)
        return corrupt(err, "cut off");
    if (last < 0)
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

/* Is b after a, in byte order?  a NULL: there is none before. */
static bool comes_after(const char *a, const char *b)
{
    return !a || strcmp(a, b) < 0;
}

static bool field_is_sound(const struct pingo_field *field)
{
    const char *last = NULL;
    if (!pingo__workflow_kind_has_form(field))
        return false;
    for (size_t i = 0; field->kind == PINGO_FIELD_PAIRS && i < field->nvalues; i += 2) {
        if (!comes_after(last, field->values[i]))
            return false;
        last = field->values[i];
    }
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

static int read_version(struct pingo_description *d, struct pingo__buffer_reader *p)
{
    struct pingo_described_version *version = &d->versions[d->nversions];
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
    if (rc == 0 && d->nversions > 0 &&
        pingo__digest_encoding_compare_commands(version[-1].argv, version[-1].nargv, argv, n) >= 0)
        rc = PINGO_ECORRUPT;
    d->nversions++;
    return rc;
}

static int read_named(struct pingo_description *d, struct record *record)
{
    struct pingo_described_parent *parent = &d->parents[d->nparents];
    int rc = 0;
    switch (record->tag) {
    case PINGO__RECORD_FIELD:
        rc = read_field(d, &record->payload, &d->fields[d->nfields]);
        if (rc == 0 && !comes_after(d->nfields == 0 ? NULL : d->fields[d->nfields - 1].key,
                                    d->fields[d->nfields].key))
            rc = PINGO_ECORRUPT;
        d->nfields++;
        return rc;
    case PINGO__RECORD_INPUT:
        rc = read_input(d, &record->payload, &d->inputs[d->ninputs]);
        if (rc == 0 && !comes_after(d->ninputs == 0 ? NULL : d->inputs[d->ninputs - 1].name,
                                    d->inputs[d->ninputs].name))
            rc = PINGO_ECORRUPT;
        d->ninputs++;
        return rc;
    case PINGO__RECORD_TOOL:
        d->tools[d->ntools].name = take_counted(d, &record->payload, &rc);
        take_hash(&record->payload, &d->tools[d->ntools].content, &rc);
        if (rc == 0 && !comes_after(d->ntools == 0 ? NULL : d->tools[d->ntools - 1].name,
                                    d->tools[d->ntools].name))
            rc = PINGO_ECORRUPT;
        d->ntools++;
        return rc;
    case PINGO__RECORD_VERSION:
        return read_version(d, &record->payload);
    case PINGO__RECORD_PARENT:
        parent->role = take_counted(d, &record->payload, &rc);
        take_hash(&record->payload, &parent->hash, &rc);
        if (rc == 0 && !comes_after(d->nparents == 0 ? NULL : parent[-1].role, parent->role))
            rc = PINGO_ECORRUPT;
        d->nparents++;
        return rc;
    default: /* PINGO__RECORD_UNORDERED */
        take_hash(&record->payload, &parent->hash, &rc);
        if (rc == 0 && d->nparents > 0 &&
            memcmp(parent[-1].hash.bytes, parent->hash.bytes, PINGO_HASH_SIZE) > 0)
            rc = PINGO_ECORRUPT;
        d->nparents++;
        return rc;
    }
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
    default:
        rc = read_named(d, record);
        break;
    }
    if (rc == 0 && p->at != p->length)
        rc = PINGO_ECORRUPT; /* more in the record than belongs there */
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
    pingo__arena_init(&d->arena);
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

void pingo_description_free(struct pingo_description *description)
{
    if (!description)
        return;
    pingo__arena_clear(&description->arena);
    free(description);
}

unsigned pingo_description_encoding(const struct pingo_description *description)
{
    return description->encoding;
}

const char *pingo_description_type(const struct pingo_description *description)
{
    return description->type;
}

const char *pingo_description_salt(const struct pingo_description *description)
{
    return description->salt;
}

const char *pingo_description_output_path(const struct pingo_description *description)
{
    return description->output_path;
}

const struct pingo_field *pingo_description_fields(const struct pingo_description *description,
                                                   size_t *n)
{
    *n = description->nfields;
    return description->fields;
}

const struct pingo_described_input *pingo_description_inputs(
    const struct pingo_description *description, size_t *n)
{
    *n = description->ninputs;
    return description->inputs;
}

const struct pingo_described_tool *pingo_description_tools(
    const struct pingo_description *description, size_t *n)
{
    *n = description->ntools;
    return description->tools;
}

const struct pingo_described_version *pingo_description_versions(
    const struct pingo_description *description, size_t *n)
{
    *n = description->nversions;
    return description->versions;
}

const struct pingo_described_parent *pingo_description_parents(
    const struct pingo_description *description, size_t *n)
{
    *n = description->nparents;
    return description->parents;
}
