/* originals.c - what an attempt reads from outside the pool: is it still what was hashed, and was it touched meanwhile?
 *
 * Originals and tools are compared when an attempt starts and again before it is published: by
 * stamp (stat), and where that differs or is too young, by content; a tool is looked for anew.
 * What changed meanwhile, and back, is seen by numbers that are kept with the attempt in the store
 * (pingo__store_attempt_set_touched()), for whoever settles it. */
#include "manager/attempt/job.h"

#include <string.h>

#include "base/error.h"
#include "digest/originals.h"
#include "manager/attempt/inputs.h"
#include "workflow/types/command_line.h"

struct check {
    struct pingo__manager_context *c;
    struct pingo__manager_content_memory memory;
    struct pingo__digest_content_cache cache;
    struct pingo__arena *arena;
    const char *path; /* where tools are looked for; NULL: they are not */
    const char *message;
    struct pingo__digest_newest newest; /* of a tree that was read */
};

/* An original as it is now. */
struct seen {
    uint64_t stamp;
    bool is_same; /* as it was hashed */
};

static uint64_t number_of(const struct pingo_hash *stamp)
{
    uint64_t n;
    memcpy(&n, stamp->bytes, sizeof n);
    return n;
}

/* Identified again as a whole: "identity": "stat", and tools, before which another one may stand on the PATH now. */
static int check_again(struct check *x, const struct pingo__store_action_original *o,
                       struct seen *seen, struct pingo_error *err)
{
    bool is_tool = o->kind == PINGO__ORIGINAL_TOOL;
    struct pingo__digest_original one = {.kind = (enum pingo__digest_original_kind)o->kind,
                                         .path = is_tool ? NULL : o->path};
    struct pingo__digest_identify what = {
        .list = &one, .n = 1, .world = x->c->world, .cache = &x->cache, .at_once = true};
    struct pingo_originals *again = NULL;
    size_t n = 0;
    if (is_tool && !(one.name = pingo__arena_format(x->arena, "%s\n%s", o->name, x->path)))
        return pingo__fail_memory(err);
    int rc = pingo__digest_originals_identify(&what, &again, err);
    if (rc)
        return rc;
    const struct pingo__digest_original *now = pingo__digest_originals_list(again, &n);
    seen->stamp = number_of(&now->stamp);
    seen->is_same = !now->error && memcmp(&now->hash, &o->hash, sizeof o->hash) == 0;
    if (is_tool && now->error)
        rc = pingo__fail(err, PINGO_EINPUT, "tool \"%s\": %s", o->name, now->message);
    else if (is_tool && !seen->is_same && strcmp(now->path, o->path) != 0)
        rc =
            pingo__fail(err, PINGO_EINPUT,
                        "tool \"%s\" is %s now, which is another program than %s was at submission",
                        o->name, now->path, o->path);
    pingo_originals_free(again);
    return rc;
}

/* PINGO_EINPUT: it is not there, or is another, and why. */
static int check_one(struct check *x, const struct pingo__store_action_original *o,
                     struct seen *seen, struct pingo_error *why)
{
    struct pingo__digest_content_options options = {.world = x->c->world,
                                                    .cache = &x->cache,
                                                    .only_stamp = o->has_stamp,
                                                    .newest = &x->newest,
                                                    .refuse_links_out = true};
    if (o->kind == PINGO__ORIGINAL_STAT || (o->kind == PINGO__ORIGINAL_TOOL && x->path))
        return check_again(x, o, seen, why);
    struct pingo__digest_content content;
    int rc = pingo__digest_content_read(o->path, &options, &content, why);
    if (!rc && o->has_stamp && memcmp(&content.stamp, &o->stamp, sizeof o->stamp) != 0) {
        options.only_stamp = false;
        rc = pingo__digest_content_read(o->path, &options, &content, why);
    }
    if (rc)
        return rc;
    seen->stamp = number_of(&content.stamp);
    if (o->kind == PINGO__ORIGINAL_DECLARED && content.is_directory)
        return pingo__fail(why, PINGO_EINPUT,
                           "%s: is a directory; a declared sha256 is that of a file", o->path);
    seen->is_same = options.only_stamp || memcmp(&content.hash, &o->hash, sizeof o->hash) == 0;
    return 0;
}

static int refuse(struct check *x, const struct pingo__store_action_original *o, const char *why,
                  struct pingo_error *err)
{
    const char *newest = pingo__buffer_cstr(&x->newest.path);
    bool is_below = newest && *newest;
    x->message =
        why ? pingo__arena_format(x->arena, "%s", why)
        : o->kind == PINGO__ORIGINAL_DECLARED
            ? pingo__arena_format(x->arena, "%s: its SHA-256 is not the one declared", o->path)
            : pingo__arena_format(
                  x->arena, "%s changed since submission%s%s%s: pingo rerun takes it as it is",
                  o->path, is_below ? " (last in it: " : "", is_below ? newest : "",
                  is_below ? ")" : "");
    return x->message ? 0 : pingo__fail_memory(err);
}

int pingo__manager_originals_check(struct pingo__manager_context *c,
                                   struct pingo__manager_originals_check *check,
                                   struct pingo_error *err)
{
    const struct pingo__manager_prepared *p = check->p;
    struct check x = {.c = c, .arena = check->arena};
    size_t n = 0;
    int rc = 0;
    if (p->description) {
        const struct pingo_field *fields = pingo_description_fields(p->description, &n);
        x.path = pingo__workflow_command_path(fields, n);
    }
    pingo__manager_content_memory_init(&x.memory, c->db, &x.cache);
    for (size_t i = 0; !rc && !x.message && i < p->originals.n; i++) {
        struct pingo_error why = {0};
        struct seen seen = {0};
        x.newest.ctime_ns = INT64_MIN;
        pingo__buffer_reset(&x.newest.path);
        rc = check_one(&x, &p->originals.rows[i], &seen, &why);
        if (check->stamps)
            check->stamps[i] = seen.stamp;
        if (rc && rc != PINGO_EINPUT)
            rc = pingo__fail(err, rc, "%s", why.message);
        else if (rc || !seen.is_same)
            rc = refuse(&x, &p->originals.rows[i], rc ? why.message : NULL, err);
    }
    pingo__manager_content_memory_clear(&x.memory);
    pingo__buffer_clear(&x.newest.path);
    check->changed = x.message;
    return rc;
}
