/* executor_settings.c - see executor_settings.h.
 *
 * What is of an executor that this program does not know is kept as it is, and checked by whoever opens that
 * executor. */
#include "engine/executor_settings.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/meta.h"

#define PREFIX PINGO__EXECUTOR_PREFIX

const struct pingo_executor_type *pingo__engine_executor_known(const struct pingo_store *store,
                                                               const char *name)
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
    *k = (struct pingo__engine_executor_key){.row = NULL};
    if (strncmp(key, PREFIX, strlen(PREFIX)) != 0 || !(dot = strrchr(name, '.')) || !dot[1] ||
        (size_t)(dot - name) >= sizeof k->name)
        return false;
    memcpy(k->name, name, (size_t)(dot - name));
    return pingo__executor_is_name(k->name);
}

/* "url, user" */
static void list_own(const struct pingo_executor_type *type, char *text, size_t size)
{
    struct pingo_executor_type t = pingo__executor_table(type);
    size_t at = 0;
    *text = '\0';
    for (size_t i = 0; i < t.nsettings && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ", " : "", t.settings[i].key);
}

int pingo__engine_executor_key_find(struct pingo_store *store, const char *key,
                                    struct pingo__engine_executor_key *k, struct pingo_error *err)
{
    const struct pingo_executor_type *type = pingo__engine_executor_known(store, k->name);
    k->row = type ? pingo__executor_setting(type, strrchr(key, '.') + 1) : NULL;
    if (k->row || !type)
        return 0;
    char own[200];
    list_own(type, own, sizeof own);
    return pingo__fail(err, PINGO_ENOTFOUND,
                       *own ? "there is no setting \"%s\"; executor \"%s\" has %s"
                            : "there is no setting \"%s\"; executor \"%s\" has none of its own",
                       key, k->name, own);
}

/* ---- lists ------------------------------------------------------------------------------------- */

int pingo__engine_setting_add(struct pingo__engine_setting_list *l,
                              struct pingo__engine_setting_told told, struct pingo_error *err)
{
    if (!told.key || !told.meaning || !PINGO__ARENA_ROOM(l->arena, l->rows, l->n, l->capacity))
        return pingo__fail_memory(err);
    l->rows[l->n++] = told;
    return 0;
}

static int add_own(struct pingo__engine_setting_list *l, const struct pingo_executor_type *type,
                   struct pingo_error *err)
{
    struct pingo_executor_type t = pingo__executor_table(type);
    int rc = 0;
    for (size_t i = 0; !rc && i < t.nsettings; i++) {
        const struct pingo_executor_setting *row = &t.settings[i];
        const char *key = pingo__arena_format(l->arena, PREFIX "%s.%s", t.name, row->key);
        rc = pingo__engine_setting_add(
            l, (struct pingo__engine_setting_told){key, row->default_value, row->help}, err);
    }
    return rc;
}

static int add_set(struct pingo_store *store, struct pingo__engine_setting_list *l,
                   struct pingo_error *err)
{
    struct pingo__store_text_list keys = {.arena = l->arena};
    int rc = pingo__store_setting_keys(&store->db, PREFIX, &keys, err);
    for (size_t i = 0; !rc && i < keys.n; i++) {
        struct pingo__engine_executor_key k;
        if (!pingo__engine_executor_key_split(keys.rows[i], &k) ||
            pingo__engine_executor_known(store, k.name))
            continue;
        const char *meaning = pingo__arena_format(
            l->arena, "of executor \"%s\", which this program does not have: not checked", k.name);
        rc = pingo__engine_setting_add(
            l, (struct pingo__engine_setting_told){keys.rows[i], NULL, meaning}, err);
    }
    return rc;
}

int pingo__engine_executor_setting_add(struct pingo_store *store,
                                       struct pingo__engine_setting_list *l, struct pingo_error *err)
{
    const struct pingo_executor_type *type;
    int rc = 0;
    for (size_t i = 0; !rc && (type = pingo__executor_nth(i)); i++)
        rc = add_own(l, type, err);
    for (size_t i = 0; !rc && i < store->options.nexecutors; i++)
        rc = add_own(l, store->options.executors[i], err);
    return rc ? rc : add_set(store, l, err);
}
