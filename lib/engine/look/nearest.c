/* nearest.c - see nearest.h.
 *
 * Near is: the same name, with the fewest differences; among equals the one submitted last.  Then come the
 * remarks: where inputs and tools lay, and what changed in a directory. */
#include "engine/look/nearest.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "digest/listing.h"
#include "digest/readable.h"
#include "store/submission/places.h"

#define FILES_TOLD 100

struct differences {
    struct pingo__arena *arena;
    struct pingo_difference *list;
    size_t n, capacity, inherited;
    bool failed;
};

static int count(void *context, const struct pingo_difference *d)
{
    (void)d;
    ++*(size_t *)context;
    return 0;
}

static int keep(void *context, const struct pingo_difference *d)
{
    struct differences *x = context;
    if (!PINGO__ARENA_ROOM(x->arena, x->list, x->n, x->capacity)) {
        x->failed = true;
        return 1;
    }
    x->list[x->n] = (struct pingo_difference){
        .field = pingo__arena_format(x->arena, "%s", d->field),
        .before = d->before ? pingo__arena_format(x->arena, "%s", d->before) : NULL,
        .after = d->after ? pingo__arena_format(x->arena, "%s", d->after) : NULL,
        .inherited = d->inherited};
    const struct pingo_difference *kept = &x->list[x->n];
    x->failed =
        x->failed || !kept->field || (d->before && !kept->before) || (d->after && !kept->after);
    x->inherited += d->inherited;
    x->n++;
    return 0;
}

/* The candidate with the fewest differences, if there is one. */
static int find_nearest(const struct pingo__engine_subject *s, struct pingo_why *why,
                        struct pingo_error *err)
{
    struct pingo__store_action_like like = {why->name, why->id, s->before};
    struct pingo__store_action_list list = {.arena = s->arena};
    size_t fewest = SIZE_MAX;
    int rc = pingo__store_action_list_like(&s->store->db, &like, &list, err);
    for (size_t i = 0; !rc && i < list.n && fewest > 1; i++) {
        struct pingo_description *other = NULL;
        size_t n = 0;
        if (memcmp(&list.rows[i].hash, &why->hash, sizeof why->hash) == 0)
            continue;
        rc = pingo__store_definition_decoded(&s->store->db, &list.rows[i].hash, &other, err);
        if (rc || !other)
            continue;
        if (pingo_description_compare(other, s->own, count, &n) < 0)
            rc = pingo__fail_memory(err);
        if (!rc && n < fewest) {
            fewest = n;
            why->has_nearest = true;
            why->nearest = list.rows[i].hash;
            why->nearest_workflow = list.rows[i].workflow;
        }
        pingo_description_free(other);
    }
    return rc;
}

/* ---- where things lay ---------------------------------------------------------------------- */

/* *places: as many as a description has of inputs, tools and versions, and nothing known of them. */
static size_t open_placed(struct pingo__engine_placed *p, struct pingo__arena *arena,
                          struct pingo_place **places)
{
    p->inputs = pingo_description_inputs(p->description, &p->ninputs);
    p->tools = pingo_description_tools(p->description, &p->ntools);
    p->versions = pingo_description_versions(p->description, &p->nversions);
    size_t n = p->ninputs + p->ntools + p->nversions;
    p->places = *places = pingo__arena_array(arena, n + 1, sizeof **places);
    for (size_t i = 0; *places && i < n; i++)
        (*places)[i] = (struct pingo_place){NULL, -1, -1, -1, NULL};
    return n;
}

int pingo__engine_placed_read(struct pingo__engine_placed *p, struct pingo_store *store,
                              const struct pingo_hash *hash, struct pingo__arena *arena,
                              struct pingo_error *err)
{
    struct pingo__store_places known;
    struct pingo_place *list;
    size_t n = open_placed(p, arena, &list);
    if (!list)
        return pingo__fail_memory(err);
    int rc = pingo__store_definition_places(&store->db, hash, arena, &known, err);
    for (size_t i = 0; !rc && known.n == n && i < n; i++)
        if (known.ids[i])
            rc = pingo__store_place_get(&store->db, known.ids[i], arena, &list[i], err);
    return rc;
}

/* Those of a workflow that is not submitted: what differences tell. */
static int read_planned(struct pingo__engine_placed *p, const struct pingo__engine_subject *s,
                        struct pingo_error *err)
{
    const struct pingo__digest_original *const *originals;
    struct pingo_place *list;
    size_t n = 0, all = open_placed(p, s->arena, &list);
    if (!list ||
        pingo__digest_originals_described(s->originals, s->action, s->arena, &originals, &n) != 0)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < n && i < all; i++)
        if (originals[i])
            list[i] = (struct pingo_place){originals[i]->path, -1, -1, -1, originals[i]->text};
    return 0;
}

/* ---- which files of a directory changed ----------------------------------------------------- */

struct changes {
    struct pingo__arena *arena;
    struct pingo_file_change *list;
    size_t n, all;
    bool failed;
};

static const char *entry_text(struct changes *c, const struct pingo__digest_listing_entry *e)
{
    if (!e)
        return NULL;
    if (e->kind == 'd')
        return "directory";
    char hex[2 * PINGO__LISTING_MARK + 1];
    pingo__text_hex(e->mark, PINGO__LISTING_MARK, hex);
    return pingo__arena_format(c->arena, "%s %s",
                               e->kind == 'l'   ? "link"
                               : e->kind == 'x' ? "executable"
                                                : "file",
                               hex);
}

static void on_change(void *context, const struct pingo__digest_listing_entry *before,
                      const struct pingo__digest_listing_entry *after)
{
    struct changes *c = context;
    if (c->all++ >= FILES_TOLD)
        return;
    struct pingo_file_change *one = &c->list[c->n++];
    one->path = pingo__arena_format(c->arena, "%s", (before ? before : after)->path);
    one->before = entry_text(c, before);
    one->after = entry_text(c, after);
    c->failed = c->failed || !one->path || (before && !one->before) || (after && !one->after);
}

/* What lay in the directory of this content; NULL where nobody kept it.  originals: NULL, or where it is too. */
static int find_listing(const struct pingo__engine_subject *s,
                        const struct pingo_originals *originals,
                        const struct pingo_described_input *input,
                        struct pingo__digest_listing_text *listing, struct pingo_error *err)
{
    struct pingo_hash hash;
    size_t n = 0;
    *listing = (struct pingo__digest_listing_text){NULL, 0};
    if (strcmp(input->kind, "tree") != 0 || pingo_hash_from_hex(input->identity, &hash) != 0)
        return 0;
    struct pingo__store_bytes kept;
    int rc = pingo__store_tree_listing(&s->store->db, &hash, s->arena, &kept, err);
    *listing = (struct pingo__digest_listing_text){kept.bytes, kept.n};
    if (rc || listing->bytes || !originals)
        return rc;
    const struct pingo__digest_original *list = pingo__digest_originals_all(originals, &n);
    for (size_t i = 0; i < n; i++)
        if (list[i].listing && memcmp(&list[i].hash, &hash, sizeof hash) == 0)
            *listing = (struct pingo__digest_listing_text){list[i].listing, list[i].listing_length};
    return 0;
}

static int add_files(const struct pingo__engine_subject *s,
                     const struct pingo_described_input *before,
                     const struct pingo_described_input *after, struct pingo_difference *d,
                     struct pingo_error *err)
{
    struct changes c = {.arena = s->arena};
    struct pingo__digest_listing_text a, b;
    int rc = find_listing(s, NULL, before, &a, err);
    if (!rc)
        rc = find_listing(s, s->originals, after, &b, err);
    if (rc || !a.bytes || !b.bytes)
        return rc;
    c.list = pingo__arena_array(s->arena, FILES_TOLD, sizeof *c.list);
    if (!c.list)
        return pingo__fail_memory(err);
    rc = pingo__digest_listing_compare(&a, &b, on_change, &c);
    if (c.failed)
        return pingo__fail_memory(err);
    d->files = c.list;
    d->nfiles = rc ? 0 : c.n; /* a remark that does not read back is none */
    d->changed_files = rc ? 0 : c.all;
    return 0;
}

/* ---- the remarks ------------------------------------------------------------------------------ */

static bool is_command(const struct pingo_described_version *version, const char *text)
{
    const struct pingo_field field = {"", PINGO_FIELD_TEXTS, version->argv, version->nargv};
    struct pingo__buffer b = {0};
    pingo__digest_readable_field(&b, &field);
    const char *command = pingo__buffer_cstr(&b);
    bool is = command && strcmp(command, text) == 0;
    pingo__buffer_clear(&b);
    return is;
}

/* The index of the place that "input NAME", "tool NAME" or "version COMMAND" means; SIZE_MAX: none. */
static size_t place_of(const struct pingo__engine_placed *p, const char *field)
{
    if (strncmp(field, "input ", 6) == 0)
        for (size_t i = 0; i < p->ninputs; i++)
            if (strcmp(p->inputs[i].name, field + 6) == 0)
                return i;
    if (strncmp(field, "tool ", 5) == 0)
        for (size_t i = 0; i < p->ntools; i++)
            if (strcmp(p->tools[i].name, field + 5) == 0)
                return p->ninputs + i;
    if (strncmp(field, "version ", 8) == 0)
        for (size_t i = 0; i < p->nversions; i++)
            if (is_command(&p->versions[i], field + 8))
                return p->ninputs + p->ntools + i;
    return SIZE_MAX;
}

/* "samtools 1.17 (HASH)": what a version command said first, where it is known.  false: no memory. */
static bool add_place(const struct pingo_place *place, struct pingo__arena *arena,
                      const char **path, const char **value)
{
    *path = place->path;
    if (place->text && *value)
        *value = pingo__arena_format(arena, "%s (%s)", place->text, *value);
    return !place->text || *value;
}

static int add_remarks(const struct pingo__engine_subject *s,
                       const struct pingo__engine_placed *before,
                       const struct pingo__engine_placed *after, struct differences *x,
                       struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < x->n; i++) {
        struct pingo_difference *d = &x->list[i];
        size_t a = place_of(before, d->field), b = place_of(after, d->field);
        if ((a != SIZE_MAX && !add_place(&before->places[a], s->arena, &d->before_path, &d->before)) ||
            (b != SIZE_MAX && !add_place(&after->places[b], s->arena, &d->after_path, &d->after)))
            return pingo__fail_memory(err);
        if (a < before->ninputs && b < after->ninputs)
            rc = add_files(s, &before->inputs[a], &after->inputs[b], d, err);
    }
    return rc;
}

static int compare(const struct pingo__engine_subject *s, const struct pingo_why *why,
                   struct differences *x, struct pingo_error *err)
{
    struct pingo_description *other = NULL;
    int rc = pingo__store_definition_decoded(&s->store->db, &why->nearest, &other, err);
    if (rc || !other)
        return rc;
    struct pingo__engine_placed before = {.description = other}, after = {.description = s->own};
    if (pingo_description_compare(other, s->own, keep, x) < 0 || x->failed)
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = pingo__engine_placed_read(&before, s->store, &why->nearest, s->arena, err);
    if (!rc)
        rc = s->originals ? read_planned(&after, s, err)
                          : pingo__engine_placed_read(&after, s->store, &why->hash, s->arena, err);
    if (!rc)
        rc = add_remarks(s, &before, &after, x, err);
    pingo_description_free(other);
    return rc;
}

int pingo__engine_nearest_tell(const struct pingo__engine_subject *subject, struct pingo_why *why,
                               struct pingo_error *err)
{
    struct pingo__engine_subject s = *subject;
    struct differences x = {.arena = s.arena};
    struct pingo_description *read = NULL;
    bool may_be = false;
    int rc = pingo__store_action_may_be_like(&s.store->db, why->name, &why->hash, &may_be, err);
    if (!rc && may_be && !s.own) {
        rc = pingo__store_definition_decoded(&s.store->db, &why->hash, &read, err);
        s.own = read;
    }
    if (!rc && may_be && s.own)
        rc = find_nearest(&s, why, err);
    if (!rc && why->has_nearest)
        rc = compare(&s, why, &x, err);
    pingo_description_free(read);
    why->differences = x.list;
    why->ndifferences = x.n;
    why->inherited = x.inherited;
    return rc;
}
