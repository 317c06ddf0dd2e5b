/* nearest.c - see nearest.h.
 *
 * Near is: the same name, with the fewest differences; among equals the one submitted last.  Then come the
 * remarks: where inputs and tools lay, and what changed in a directory. */
#include "engine/look/nearest.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "digest/listing.h"
#include "digest/readable.h"
#include "store/places.h"

#define FILES_TOLD 100

struct differences {
    struct pingo__arena *arena;
    struct pingo_difference *list;
    size_t n, capacity, parents;
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
    struct pingo_difference *more =
        pingo__arena_more(x->arena, x->list, x->n, &x->capacity, sizeof *more);
    if (!more) {
        x->failed = true;
        return 1;
    }
    x->list = more;
    x->list[x->n] = (struct pingo_difference){
        .field = pingo__manager_text(x->arena, "%s", d->field),
        .before = d->before ? pingo__manager_text(x->arena, "%s", d->before) : NULL,
        .after = d->after ? pingo__manager_text(x->arena, "%s", d->after) : NULL};
    x->failed = x->failed || !x->list[x->n].field;
    x->parents += strncmp(d->field, "parent", 6) == 0;
    x->n++;
    return 0;
}

static int describe(struct pingo_store *store, const struct pingo_hash *hash,
                    struct pingo__arena *arena, struct pingo_description **description,
                    struct pingo_error *err)
{
    const void *bytes = NULL;
    size_t length = 0;
    int rc = pingo__store_definition_get(&store->db, hash, arena, &bytes, &length, err);
    *description = NULL;
    return rc == 1 ? pingo_description_decode(bytes, length, description, err) : rc;
}

/* The candidate with the fewest differences; 1 and *best, or 0. */
static int nearest(struct pingo_store *store, const struct pingo__engine_subject *subject,
                   const struct pingo_hash *hash, const struct pingo_description *own,
                   struct pingo__arena *arena, struct pingo__store_action_row *best,
                   struct pingo_error *err)
{
    struct pingo__store_action_like like = {subject->name, subject->id, subject->before};
    struct pingo__store_action_list list = {.arena = arena};
    size_t fewest = SIZE_MAX;
    int rc = pingo__store_action_list_like(&store->db, &like, &list, err);
    for (size_t i = 0; !rc && i < list.n && fewest > 1; i++) {
        struct pingo_description *other = NULL;
        size_t n = 0;
        if (memcmp(&list.rows[i].hash, hash, sizeof *hash) == 0)
            continue;
        rc = describe(store, &list.rows[i].hash, arena, &other, err);
        if (rc || !other)
            continue;
        pingo_description_compare(other, own, count, &n);
        if (n < fewest) {
            fewest = n;
            *best = list.rows[i];
        }
        pingo_description_free(other);
    }
    return rc < 0 ? rc : fewest != SIZE_MAX;
}

/* ---- where things lay ---------------------------------------------------------------------- */

int pingo__engine_places_read(struct pingo_store *store, const struct pingo_hash *hash,
                              const struct pingo_description *description,
                              struct pingo__arena *arena, const struct pingo_place **places,
                              struct pingo_error *err)
{
    const uint32_t *ids = NULL;
    size_t ninputs = 0, ntools = 0, nversions = 0, n = 0;
    pingo_description_inputs(description, &ninputs);
    pingo_description_tools(description, &ntools);
    pingo_description_versions(description, &nversions);
    size_t all = ninputs + ntools + nversions;
    struct pingo_place *list;
    *places = list = pingo__arena_array(arena, all + 1, sizeof *list);
    if (!list)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < all; i++)
        list[i] = (struct pingo_place){NULL, -1, -1, -1, NULL};
    int rc = pingo__store_definition_places(&store->db, hash, arena, &ids, &n, err);
    for (size_t i = 0; rc >= 0 && n == all && i < n; i++)
        if (ids[i])
            rc = pingo__store_place_get(&store->db, ids[i], arena, &list[i], err);
    return rc < 0 ? rc : 0;
}

/* Those of a workflow that is not submitted: what differences tell. */
static int places_now(const struct pingo__engine_subject *subject, struct pingo__arena *arena,
                      const struct pingo_place **places, struct pingo_error *err)
{
    const struct pingo__digest_original *const *list;
    struct pingo_place *now;
    size_t n = 0;
    if (pingo__digest_originals_described(subject->originals, subject->action, arena, &list, &n) !=
            0 ||
        !(now = pingo__arena_array(arena, n + 1, sizeof *now)))
        return pingo__fail_memory(err);
    for (size_t i = 0; i < n; i++)
        now[i] = (struct pingo_place){list[i] ? list[i]->path : NULL, -1, -1, -1,
                                      list[i] ? list[i]->text : NULL};
    *places = now;
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
    return pingo__manager_text(c->arena, "%s %s",
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
    one->path = pingo__manager_text(c->arena, "%s", (before ? before : after)->path);
    one->before = entry_text(c, before);
    one->after = entry_text(c, after);
    c->failed = c->failed || !one->path || (before && !one->before) || (after && !one->after);
}

/* What lay in the directory of this content: 1, or 0 where nobody kept it. */
static int listing_of(struct pingo_store *store, const struct pingo_originals *originals,
                      const struct pingo_described_input *input, struct pingo__arena *arena,
                      const void **listing, size_t *length, struct pingo_error *err)
{
    struct pingo_hash hash;
    size_t n = 0;
    if (strcmp(input->kind, "tree") != 0 || pingo_hash_from_hex(input->identity, &hash) != 0)
        return 0;
    int rc = pingo__store_tree_listing(&store->db, &hash, arena, listing, length, err);
    if (rc || !originals)
        return rc;
    const struct pingo__digest_original *list = pingo__digest_originals_all(originals, &n);
    for (size_t i = 0; i < n; i++)
        if (list[i].listing && memcmp(&list[i].hash, &hash, sizeof hash) == 0) {
            *listing = list[i].listing;
            *length = list[i].listing_length;
            return 1;
        }
    return 0;
}

static int add_files(struct pingo_store *store, const struct pingo__engine_subject *subject,
                     const struct pingo_described_input *before,
                     const struct pingo_described_input *after, struct pingo__arena *arena,
                     struct pingo_difference *d, struct pingo_error *err)
{
    struct changes c = {.arena = arena};
    const void *a = NULL, *b = NULL;
    size_t na = 0, nb = 0;
    int rc = listing_of(store, NULL, before, arena, &a, &na, err);
    if (rc == 1)
        rc = listing_of(store, subject->originals, after, arena, &b, &nb, err);
    if (rc != 1)
        return rc;
    c.list = pingo__arena_array(arena, FILES_TOLD, sizeof *c.list);
    if (!c.list)
        return pingo__fail_memory(err);
    rc = pingo__digest_listing_compare(&(struct pingo__digest_listing_text){a, na},
                                       &(struct pingo__digest_listing_text){b, nb}, on_change, &c);
    if (c.failed)
        return pingo__fail_memory(err);
    d->files = c.list;
    d->nfiles = rc ? 0 : c.n; /* a remark that does not read back is none */
    d->changed_files = rc ? 0 : c.all;
    return 0;
}

/* ---- the remarks ------------------------------------------------------------------------------ */

/* One of the two descriptions, with its places. */
struct side {
    const struct pingo_described_input *inputs;
    const struct pingo_described_tool *tools;
    const struct pingo_described_version *versions;
    size_t ninputs, ntools, nversions;
    const struct pingo_place *places;
};

static void side_of(struct side *s, const struct pingo_description *d,
                    const struct pingo_place *places)
{
    s->inputs = pingo_description_inputs(d, &s->ninputs);
    s->tools = pingo_description_tools(d, &s->ntools);
    s->versions = pingo_description_versions(d, &s->nversions);
    s->places = places;
}

static bool is_command(const struct pingo_described_version *version, const char *text)
{
    const struct pingo_field field = {"", PINGO_FIELD_TEXTS, version->argv, version->nargv};
    struct pingo__buffer b;
    pingo__buffer_init(&b);
    pingo__digest_readable_field(&b, &field);
    const char *command = pingo__buffer_cstr(&b);
    bool is = command && strcmp(command, text) == 0;
    pingo__buffer_clear(&b);
    return is;
}

/* The index of the place that "input NAME", "tool NAME" or "version COMMAND" means; SIZE_MAX: none. */
static size_t place_of(const struct side *s, const char *field)
{
    if (strncmp(field, "input ", 6) == 0)
        for (size_t i = 0; i < s->ninputs; i++)
            if (strcmp(s->inputs[i].name, field + 6) == 0)
                return i;
    if (strncmp(field, "tool ", 5) == 0)
        for (size_t i = 0; i < s->ntools; i++)
            if (strcmp(s->tools[i].name, field + 5) == 0)
                return s->ninputs + i;
    if (strncmp(field, "version ", 8) == 0)
        for (size_t i = 0; i < s->nversions; i++)
            if (is_command(&s->versions[i], field + 8))
                return s->ninputs + s->ntools + i;
    return SIZE_MAX;
}

/* "samtools 1.17 (HASH)": what a version command said first, where it is known. */
static int add_place(const struct side *s, size_t place, struct pingo__arena *arena,
                     const char **path, const char **value, struct pingo_error *err)
{
    if (place == SIZE_MAX)
        return 0;
    *path = s->places[place].path;
    if (s->places[place].text && *value)
        *value = pingo__manager_text(arena, "%s (%s)", s->places[place].text, *value);
    return s->places[place].text && !*value ? pingo__fail_memory(err) : 0;
}

static int add_remarks(struct pingo_store *store, const struct pingo__engine_subject *subject,
                       const struct side *before, const struct side *after, struct differences *x,
                       struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc >= 0 && i < x->n; i++) {
        struct pingo_difference *d = &x->list[i];
        size_t a = place_of(before, d->field), b = place_of(after, d->field);
        rc = add_place(before, a, x->arena, &d->before_path, &d->before, err);
        if (!rc)
            rc = add_place(after, b, x->arena, &d->after_path, &d->after, err);
        if (!rc && a < before->ninputs && b < after->ninputs)
            rc = add_files(store, subject, &before->inputs[a], &after->inputs[b], x->arena, d, err);
    }
    return rc < 0 ? rc : 0;
}

static int compare(struct pingo_store *store, const struct pingo__engine_subject *subject,
                   const struct pingo_description *own, struct differences *x,
                   const struct pingo_why *why, struct pingo_error *err)
{
    struct pingo_description *other = NULL;
    const struct pingo_place *before_places = NULL, *after_places = NULL;
    int rc = describe(store, &why->nearest, x->arena, &other, err);
    if (rc || !other)
        return rc;
    if (pingo_description_compare(other, own, keep, x) < 0 || x->failed)
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = pingo__engine_places_read(store, &why->nearest, other, x->arena, &before_places, err);
    if (!rc && subject->originals)
        rc = places_now(subject, x->arena, &after_places, err);
    else if (!rc)
        rc = pingo__engine_places_read(store, &why->hash, own, x->arena, &after_places, err);
    if (!rc) {
        struct side before;
        side_of(&before, other, before_places);
        struct side after;
        side_of(&after, own, after_places);
        rc = add_remarks(store, subject, &before, &after, x, err);
    }
    pingo_description_free(other);
    return rc;
}

int pingo__engine_nearest_tell(struct pingo_store *store,
                               const struct pingo__engine_subject *subject,
                               struct pingo__arena *arena, struct pingo_why *why,
                               struct pingo_error *err)
{
    struct differences x = {.arena = arena};
    struct pingo_description *own = NULL;
    struct pingo__store_action_row best = {.id = 0};
    int rc = pingo_description_decode(subject->bytes, subject->length, &own, err);
    if (!rc)
        rc = nearest(store, subject, &why->hash, own, arena, &best, err);
    if (rc == 1) {
        why->has_nearest = true;
        why->nearest = best.hash;
        why->nearest_workflow = best.workflow;
        rc = compare(store, subject, own, &x, why, err);
    }
    pingo_description_free(own);
    why->differences = x.list;
    why->ndifferences = x.n;
    why->inherited = x.parents;
    return rc < 0 ? rc : 0;
}

int pingo__engine_nearest_planned(struct pingo_store *store,
                                  const struct pingo__engine_hashed *hashed,
                                  const struct pingo_planned *planned, struct pingo__arena *arena,
                                  struct pingo_why *why, struct pingo_error *err)
{
    struct pingo__engine_subject subject = {
        .name = planned->name,
        .id = planned->id,
        .before = INT64_MAX,
        .originals = hashed->originals,
        .action = pingo_workflow_action(hashed->workflow, hashed->position)};
    *why = (struct pingo_why){.id = planned->id,
                              .name = planned->name,
                              .hash = planned->hash,
                              .decision = planned->decision,
                              .reason = planned->reason,
                              .reason_text = planned->reason_text};
    if (planned->reason != PINGO_REASON_NEVER_COMPUTED)
        return 0;
    subject.bytes = pingo_digests_description(hashed->digests, hashed->position, &subject.length);
    return pingo__engine_nearest_tell(store, &subject, arena, why, err);
}
