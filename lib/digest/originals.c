/* originals.c - which originals and tools a workflow has, each once, and what
 * is known of them afterwards.  Reading them is identify.c's.
 *
 * What always holds: the list is sorted by kind, then name or path; declared
 * originals come last, so that what is read is a prefix; every input and tool
 * of every action refers to one entry. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/error.h"
#include "digest/encoding.h"
#include "digest/originals_list.h"
#include "digest/sha256.h"
#include "workflow/types/command_line.h"

#define HEX_DIGITS (PINGO_HASH_HEX_SIZE - 1)

struct collector {
    struct pingo_originals *o;
    struct pingo__map seen; /* key -> index in list; keys in the arena */
    struct pingo__buffer key;
};

static int push(struct pingo_originals *o, const struct pingo__digest_original *entry)
{
    if (!PINGO__ARRAY_ROOM(o->list, o->capacity, o->n, 1))
        return PINGO_ENOMEM;
    o->list[o->n++] = *entry;
    return 0;
}

/* The entry for the key that was built: its kind, then what tells it apart.  The text of
 * the entry is that of the key, but for the kind and the hash of declared ones. */
static int add(struct collector *c, enum pingo__digest_original_kind kind, uint32_t *ref)
{
    struct pingo__digest_original entry = {.kind = kind};
    if (c->key.failed)
        return PINGO_ENOMEM;
    *ref = pingo__map_get(&c->seen, c->key.data, c->key.length);
    if (*ref != PINGO__MAP_NONE)
        return 0;
    const char *key = pingo__arena_text(&c->o->arena, c->key.data, c->key.length);
    if (!key)
        return PINGO_ENOMEM;
    *ref = (uint32_t)c->o->n;
    if (kind == PINGO__ORIGINAL_TOOL || kind == PINGO__ORIGINAL_VERSION)
        entry.name = key + 1;
    else
        entry.path = key + 1 + (kind == PINGO__ORIGINAL_DECLARED ? HEX_DIGITS : 0);
    if (!pingo__map_insert(&c->seen, key, c->key.length, *ref, NULL))
        return PINGO_ENOMEM;
    return push(c->o, &entry);
}

static void begin_key(struct collector *c, enum pingo__digest_original_kind kind)
{
    pingo__buffer_reset(&c->key);
    pingo__buffer_u8(&c->key, (uint8_t)kind);
}

enum pingo__digest_original_kind pingo__digest_original_kind_of(const struct pingo_input *input)
{
    return input->sha256                            ? PINGO__ORIGINAL_DECLARED
           : input->identity == PINGO_IDENTITY_STAT ? PINGO__ORIGINAL_STAT
                                                    : PINGO__ORIGINAL_CONTENT;
}

static int add_input(struct collector *c, const struct pingo_input *input, uint32_t *ref)
{
    enum pingo__digest_original_kind kind = pingo__digest_original_kind_of(input);
    struct pingo_hash declared = {{0}};
    size_t before = c->o->n;
    if (input->uri) {
        *ref = UINT32_MAX;
        return 0;
    }
    int rc = input->sha256 ? pingo_hash_from_hex(input->sha256, &declared) : 0;
    if (rc != 0)
        return rc;
    begin_key(c, kind);
    if (input->sha256)
        pingo__buffer_append(&c->key, input->sha256, HEX_DIGITS);
    pingo__buffer_text(&c->key, input->path);
    rc = add(c, kind, ref);
    if (rc == 0 && c->o->n > before)
        c->o->list[*ref].hash = declared;
    return rc;
}

/* Its name would be taken for a shorter one. */
static int refuse(struct pingo__digest_original *tool)
{
    if (tool->error != 0)
        return 0;
    tool->error = PINGO_EINPUT;
    tool->message = strdup("the name of a tool has no line breaks");
    return tool->message ? 0 : PINGO_ENOMEM;
}

static int add_action(struct collector *c, const struct pingo_action *action, uint32_t *refs)
{
    const char *path = pingo__workflow_command_path(action->fields, action->nfields);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < action->ninputs; i++)
        rc = add_input(c, &action->inputs[i], refs++);
    for (size_t i = 0; rc == 0 && i < action->ntools; i++) {
        begin_key(c, PINGO__ORIGINAL_TOOL);
        pingo__buffer_text(&c->key, action->tools[i]);
        pingo__buffer_char(&c->key, '\n');
        pingo__buffer_text(&c->key, path);
        rc = add(c, PINGO__ORIGINAL_TOOL, refs);
        if (rc == 0 && strchr(action->tools[i], '\n'))
            rc = refuse(&c->o->list[*refs]);
        refs++;
    }
    for (size_t i = 0; rc == 0 && i < action->more->nversions; i++) {
        begin_key(c, PINGO__ORIGINAL_VERSION);
        pingo__digest_version_name(&c->key, action, &action->more->versions[i]);
        rc = add(c, PINGO__ORIGINAL_VERSION, refs++);
    }
    return rc;
}

/* ---- sorting ------------------------------------------------------------------------ */

/* Declared ones come last: they are not read. */
static int rank(const struct pingo__digest_original *original)
{
    return original->kind == PINGO__ORIGINAL_DECLARED ? INT_MAX : (int)original->kind;
}

static bool has_name(const struct pingo__digest_original *original)
{
    return original->kind == PINGO__ORIGINAL_TOOL || original->kind == PINGO__ORIGINAL_VERSION;
}

static int compare(const void *a, const void *b)
{
    const struct pingo__digest_original *x = *(const struct pingo__digest_original *const *)a;
    const struct pingo__digest_original *y = *(const struct pingo__digest_original *const *)b;
    if (x->kind != y->kind)
        return rank(x) < rank(y) ? -1 : 1;
    if (has_name(x))
        return strcmp(x->name, y->name);
    int order = strcmp(x->path, y->path);
    return order != 0 ? order : memcmp(&x->hash, &y->hash, sizeof x->hash);
}

/* Sorts the list, and says in place (room for n) where each entry went. */
static int sort(struct pingo_originals *o, uint32_t *place)
{
    const struct pingo__digest_original **order = calloc(o->n + 1, sizeof *order);
    struct pingo__digest_original *list = calloc(o->n + 1, sizeof *list);
    if (!order || !list) {
        free(order);
        free(list);
        return PINGO_ENOMEM;
    }
    for (size_t i = 0; i < o->n; i++)
        order[i] = &o->list[i];
    qsort(order, o->n, sizeof *order, compare);
    for (size_t i = 0; i < o->n; i++) {
        list[i] = *order[i];
        place[order[i] - o->list] = (uint32_t)i;
        if (list[i].kind != PINGO__ORIGINAL_DECLARED)
            o->nread = i + 1;
    }
    free(order);
    free(o->list);
    o->list = list;
    o->capacity = o->n + 1;
    return 0;
}

static int sort_and_refer(struct pingo_originals *o, size_t nrefs)
{
    uint32_t *place = calloc(o->n + 1, sizeof *place);
    if (!place)
        return PINGO_ENOMEM;
    int rc = sort(o, place);
    for (size_t i = 0; rc == 0 && i < nrefs; i++)
        if (o->refs[i] != UINT32_MAX)
            o->refs[i] = place[o->refs[i]];
    free(place);
    return rc;
}

/* ---- collecting --------------------------------------------------------------------- */

static int allocate_refs(const struct pingo_workflow *workflow, struct pingo_originals *o,
                         size_t *nrefs)
{
    size_t n = pingo_workflow_count(workflow);
    o->workflow = workflow;
    o->first = calloc(n + 1, sizeof *o->first);
    if (!o->first)
        return PINGO_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const struct pingo_action *action = pingo_workflow_action(workflow, i);
        o->first[i + 1] = o->first[i] + action->ninputs + action->ntools + action->more->nversions;
    }
    *nrefs = o->first[n];
    o->refs = calloc(*nrefs + 1, sizeof *o->refs);
    return o->refs ? 0 : PINGO_ENOMEM;
}

int pingo__digest_originals_collect(const struct pingo_workflow *workflow,
                                    struct pingo_originals *o, struct pingo_error *err)
{
    struct collector c = {.o = o};
    size_t nrefs = 0;
    int r = allocate_refs(workflow, o, &nrefs);
    for (size_t i = 0; r == 0 && i < pingo_workflow_count(workflow); i++)
        r = add_action(&c, pingo_workflow_action(workflow, i), o->refs + o->first[i]);
    if (r == 0)
        r = sort_and_refer(o, nrefs);
    pingo__buffer_clear(&c.key);
    pingo__map_clear(&c.seen);
    if (r == PINGO_EINVAL)
        return pingo__fail(err, r, "an input's sha256 is not 64 hex digits");
    return r == 0 ? 0 : pingo__fail_memory(err);
}

int pingo__digest_originals_copy(const struct pingo__digest_original *list, size_t n,
                                 struct pingo_originals *o, struct pingo_error *err)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < n; i++) {
        bool named = has_name(&list[i]);
        const char *text = named ? list[i].name : list[i].path;
        struct pingo__digest_original entry = {.kind = list[i].kind};
        if (!text || list[i].kind < PINGO__ORIGINAL_CONTENT ||
            list[i].kind == PINGO__ORIGINAL_DECLARED || list[i].kind > PINGO__ORIGINAL_VERSION)
            return pingo__fail(err, PINGO_EINVAL, "not a list of originals");
        text = pingo__arena_text(&o->arena, text, strlen(text));
        *(named ? &entry.name : &entry.path) = text;
        r = text ? push(o, &entry) : PINGO_ENOMEM;
    }
    if (r == 0)
        r = sort_and_refer(o, 0);
    return r == 0 ? 0 : pingo__fail_memory(err);
}

/* ---- what is known afterwards ------------------------------------------------------- */

void pingo_originals_free(struct pingo_originals *originals)
{
    if (!originals)
        return;
    for (size_t i = 0; i < originals->n; i++) {
        free((void *)originals->list[i].message);
        free((void *)originals->list[i].text);
        free(originals->list[i].listing);
        if (has_name(&originals->list[i]))
            free((void *)originals->list[i].path);
    }
    pingo__arena_clear(&originals->arena);
    free(originals->list);
    free(originals->first);
    free(originals->refs);
    free(originals);
}

const struct pingo__digest_original *pingo__digest_originals_list(
    const struct pingo_originals *originals, size_t *n)
{
    *n = originals->nread;
    return originals->list;
}

const struct pingo__digest_original *pingo__digest_originals_all(
    const struct pingo_originals *originals, size_t *n)
{
    *n = originals->n;
    return originals->list;
}

const struct pingo__digest_original *pingo__digest_originals_of(
    const struct pingo_originals *originals, const struct pingo_action *action,
    enum pingo__workflow_part part, size_t i)
{
    const struct pingo_originals *o = originals;
    size_t index = o->workflow ? pingo_workflow_find(o->workflow, action->id) : SIZE_MAX;
    if (index == SIZE_MAX || i >= pingo__digest_encode_count(action, part))
        return NULL;
    uint32_t ref = o->refs[o->first[index] + pingo__digest_encode_first_ref(action, part) + i];
    return ref == UINT32_MAX ? NULL : &o->list[ref];
}

int pingo__digest_originals_described(const struct pingo_originals *originals,
                                      const struct pingo_action *action, struct pingo__arena *arena,
                                      const struct pingo__digest_original *const **list, size_t *n)
{
    size_t all = action->ninputs + action->ntools + action->more->nversions;
    const struct pingo__digest_original **out = pingo__arena_array(arena, all + 1, sizeof *out);
    struct pingo__digest_encoder encoder = {0};
    int rc = out ? 0 : PINGO_ENOMEM;
    *n = 0;
    *list = out;
    for (enum pingo__workflow_part part = 0; rc == 0 && part < PINGO__PART_PARENT; part++) {
        size_t nslots = 0;
        rc = pingo__digest_encode_sorted(&encoder, action, part, NULL, &nslots);
        for (size_t i = 0; rc == 0 && i < nslots; i++)
            out[(*n)++] =
                pingo__digest_originals_of(originals, action, part, encoder.slots[i].index);
    }
    pingo__digest_encoder_clear(&encoder);
    return rc;
}

static void put_text(struct pingo__buffer *b, const char *text)
{
    pingo__buffer_u8(b, text ? 1 : 0);
    if (text)
        pingo__buffer_counted(b, text, strlen(text));
}

int pingo__digest_originals_digest(const struct pingo_originals *originals,
                                   struct pingo_hash *digest)
{
    struct pingo__buffer b = {0};
    memset(digest, 0, sizeof *digest);
    for (size_t i = 0; i < originals->nread; i++) {
        const struct pingo__digest_original *original = &originals->list[i];
        pingo__buffer_u8(&b, (uint8_t)original->kind);
        put_text(&b, original->name);
        put_text(&b, original->path);
        pingo__buffer_u8(&b, original->error != 0);
        pingo__buffer_u8(&b, original->is_directory);
        pingo__buffer_append(&b, original->hash.bytes, sizeof original->hash.bytes);
    }
    return pingo__digest_buffer(&b, digest);
}
