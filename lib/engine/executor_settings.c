/* executor_settings.c - see executor_settings.h.
 *
 * What is of an executor that this program does not know is kept as it is, and checked by whoever opens that executor. */
#include "engine/executor_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "store/meta.h"

#define PREFIX "executor."
#define CHECK_MS 60000

static const struct pingo_executor_type *known(const struct pingo_store *store, const char *name)
{
    const struct pingo_executor_type *type = pingo__executor_builtin(name);
    for (size_t i = 0; !type && i < store->options.nexecutors; i++)
        if (strcmp(store->options.executors[i]->name, name) == 0)
            type = store->options.executors[i];
    return type;
}

bool pingo__engine_executor_key_split(const char *key, struct pingo__engine_executor_key *k)
{
    const char *name = key + strlen(PREFIX), *dot;
    *k = (struct pingo__engine_executor_key){.key = key};
    if (strncmp(key, PREFIX, strlen(PREFIX)) != 0 || !(dot = strrchr(name, '.')) || !dot[1] ||
        (size_t)(dot - name) >= sizeof k->name)
        return false;
    memcpy(k->name, name, (size_t)(dot - name));
    return pingo__executor_is_name(k->name);
}

/* "executor.mine.url, executor.mine.user" */
static void list_own(const struct pingo_executor_type *type, char *text, size_t size)
{
    struct pingo_executor_type t = pingo__executor_table(type);
    size_t at = 0;
    *text = '\0';
    for (size_t i = 0; i < t.nsettings && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s" PREFIX "%s.%s", i ? ", " : "", t.name,
                               t.settings[i].key);
}

int pingo__engine_executor_key_find(struct pingo_store *store, const char *key,
                                    struct pingo__engine_executor_key *k, struct pingo_error *err)
{
    k->type = known(store, k->name);
    k->row = k->type ? pingo__executor_setting(k->type, strrchr(key, '.') + 1) : NULL;
    if (k->row || !k->type)
        return 0;
    char own[200];
    list_own(k->type, own, sizeof own);
    return pingo__fail(err, PINGO_ENOTFOUND,
                       *own ? "there is no setting \"%s\"; executor \"%s\" has %s"
                            : "there is no setting \"%s\"; executor \"%s\" has none of its own",
                       key, k->name, own);
}

/* ---- lists ------------------------------------------------------------------------------------- */

struct listing {
    struct pingo__arena *arena;
    struct pingo__engine_executor_key *keys;
    size_t n, capacity;
};

static int add(struct listing *l, const struct pingo__engine_executor_key *k,
               struct pingo_error *err)
{
    if (!PINGO__ARENA_ROOM(l->arena, l->keys, l->n, l->capacity) || !k->key)
        return pingo__fail_memory(err);
    l->keys[l->n++] = *k;
    return 0;
}

static int add_own(struct listing *l, const struct pingo_executor_type *type,
                   struct pingo_error *err)
{
    struct pingo_executor_type t = pingo__executor_table(type);
    int rc = 0;
    for (size_t i = 0; !rc && i < t.nsettings; i++) {
        struct pingo__engine_executor_key k = {
            .key = pingo__arena_format(l->arena, PREFIX "%s.%s", t.name, t.settings[i].key),
            .type = type,
            .row = &t.settings[i]};
        snprintf(k.name, sizeof k.name, "%s", t.name);
        rc = add(l, &k, err);
    }
    return rc;
}

static int add_set(struct pingo_store *store, struct listing *l, struct pingo_error *err)
{
    struct pingo__store_text_list keys = {.arena = l->arena};
    int rc = pingo__store_setting_keys(&store->db, PREFIX, &keys, err);
    for (size_t i = 0; !rc && i < keys.n; i++) {
        struct pingo__engine_executor_key k;
        if (pingo__engine_executor_key_split(keys.rows[i], &k) && !known(store, k.name))
            rc = add(l, &k, err);
    }
    return rc;
}

int pingo__engine_executor_key_list(struct pingo_store *store, struct pingo__arena *arena,
                                    struct pingo__engine_executor_key **keys, size_t *n,
                                    struct pingo_error *err)
{
    struct listing l = {.arena = arena};
    const struct pingo_executor_type *type;
    int rc = 0;
    for (size_t i = 0; !rc && (type = pingo__executor_nth(i)); i++)
        rc = add_own(&l, type, err);
    for (size_t i = 0; !rc && i < store->options.nexecutors; i++)
        rc = add_own(&l, store->options.executors[i], err);
    if (!rc)
        rc = add_set(store, &l, err);
    *keys = l.keys;
    *n = l.n;
    return rc;
}

/* ---- for who opens one ----------------------------------------------------------------------------- */

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
        snprintf(key, sizeof key, PREFIX "%s.%s", t->name, t->settings[i].key);
        rc = pingo__store_setting_get(&store->db, key, &values->texts[i], err);
        if (!rc && values->texts[i])
            rc = pingo__executor_setting_check(t->name, &t->settings[i], values->texts[i], err);
    }
    return rc;
}

int pingo__engine_executor_prepare(struct pingo_store *store, const struct pingo_executor_type *type,
                                   struct pingo__engine_opening *o, struct pingo_error *err)
{
    struct pingo_executor_type t = pingo__executor_table(type);
    *o = (struct pingo__engine_opening){.values.rows = NULL};
    o->context = (struct pingo_executor_context){
        .version = 2,
        .name = t.name,
        .settings = &o->values,
        .store_dir = store->directory,
        .store_id = store->id,
        .slots = pingo__engine_setting_number(store, "executor.slots"),
        .memory_bytes = pingo__engine_setting_number(store, "executor.memoryMB") << 20,
        .log_bytes = pingo__engine_setting_number(store, "executor.logBytes"),
        .grace_ms = pingo__engine_setting_number(store, "executor.graceSeconds") * 1000};
    int rc = read_values(store, &t, &o->values, err);
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
    const struct pingo_executor_type *type = known(store, name);
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
