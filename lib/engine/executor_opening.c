/* executor_opening.c - what an executor needs to be opened, or only tried: see executor_settings.h. */
#include "engine/executor_settings.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"
#include "store/meta.h"

#define CHECK_MS 60000

static int read_values(struct pingo_store *store, const struct pingo_executor_type *t,
                       struct pingo__executor_values *values, struct pingo_error *err)
{
    int rc = 0;
    *values = (struct pingo__executor_values){t->settings, t->nsettings,
                                              calloc(t->nsettings + 1, sizeof *values->texts)};
    if (!values->texts)
        return pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < t->nsettings; i++) {
        char key[200];
        snprintf(key, sizeof key, PINGO__EXECUTOR_PREFIX "%s.%s", t->name, t->settings[i].key);
        rc = pingo__store_setting_get(&store->db, key, &values->texts[i], err);
        if (!rc && values->texts[i])
            rc = pingo__executor_setting_check(t->name, &t->settings[i], values->texts[i], err);
    }
    return rc;
}

static int read_limits(struct pingo_store *store, struct pingo_executor_context *c,
                       struct pingo_error *err)
{
    int64_t memory_mb = 0, grace_s = 0;
    int rc = pingo__engine_setting_number(store, "executor.slots", &c->slots, err);
    if (!rc)
        rc = pingo__engine_setting_number(store, "executor.memoryMB", &memory_mb, err);
    if (!rc)
        rc = pingo__engine_setting_number(store, "executor.logBytes", &c->log_bytes, err);
    if (!rc)
        rc = pingo__engine_setting_number(store, "executor.graceSeconds", &grace_s, err);
    c->memory_bytes = memory_mb << 20;
    c->grace_ms = grace_s * 1000;
    return rc;
}

int pingo__engine_executor_prepare(struct pingo_store *store, const struct pingo_executor_type *type,
                                   struct pingo__engine_opening *o, struct pingo_error *err)
{
    struct pingo_executor_type t = pingo__executor_table(type);
    *o = (struct pingo__engine_opening){.values.rows = NULL};
    o->context = (struct pingo_executor_context){.version = 3,
                                                 .name = t.name,
                                                 .settings = &o->values,
                                                 .store_dir = store->directory,
                                                 .store_id = store->id,
                                                 .pool_place = store->pool_dir};
    int rc = read_limits(store, &o->context, err);
    if (!rc)
        rc = read_values(store, &t, &o->values, err);
    return rc ? rc : pingo__pool_path(&store->pool, &o->arena, "", &o->context.pool_dir, err);
}

void pingo__engine_executor_clear(struct pingo__engine_opening *o)
{
    for (size_t i = 0; o->values.texts && i < o->values.n; i++)
        free(o->values.texts[i]);
    free(o->values.texts);
    o->values.texts = NULL;
    pingo__arena_clear(&o->arena);
}

/* ---- trying them ------------------------------------------------------------------------------------ */

static void say_nothing(void *context, enum pingo_check_result result, const char *what,
                        const char *message)
{
    (void)context;
    (void)result;
    (void)what;
    (void)message;
}

static int check(struct pingo_store *store, const char *name, struct pingo_check_options *o,
                 struct pingo_error *err)
{
    const struct pingo_executor_type *type = pingo__engine_executor_known(store, name);
    struct pingo__engine_opening opening;
    if (!type)
        return pingo__fail(err, PINGO_ENOTFOUND, "this program has no executor \"%s\"", name);
    struct pingo_executor_type t = pingo__executor_table(type);
    if (!t.check)
        return pingo__fail(err, PINGO_EUNSUPPORTED, "executor \"%s\" has nothing that it could try",
                           name);
    o->limit_ms = o->limit_ms > 0 ? o->limit_ms : CHECK_MS;
    o->found = o->found ? o->found : say_nothing;
    int rc = pingo__engine_executor_prepare(store, type, &opening, err);
    opening.context.helper_dir = o->helper_dir;
    if (!rc)
        rc = t.check(&opening.context, o, err);
    pingo__engine_executor_clear(&opening);
    return rc;
}

int pingo_store_check(struct pingo_store *store, const char *executor,
                      const struct pingo_check_options *options, struct pingo_error *err)
{
    struct pingo_check_options o;
    char *set = NULL;
    int rc = PINGO__OPTIONS_TAKE(pingo_check_options, options, &o, err);
    if (!rc && !executor)
        rc = pingo_store_get(store, "executor", &set, err);
    if (!rc)
        rc = check(store, executor ? executor : set, &o, err);
    free(set);
    return rc;
}
