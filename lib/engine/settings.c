/* settings.c - the keys of `pingo config`: names, meanings, bounds, defaults.
 *
 * One table; a new setting is one row. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "engine/engine.h"
#include "store/meta.h"

enum kind { NUMBER, SIZE };

struct setting {
    const char *key;
    enum kind kind;
    int64_t min, max;
    const char *default_value;
    const char *meaning;
};

static const struct setting settings[] = {
    /* in byte order of the keys */
    {"executor.graceSeconds", NUMBER, 0, 86400, "10",
     "seconds between TERM and KILL when an action is ended"},
    {"executor.logBytes", SIZE, 4096, INT64_MAX, "16M",
     "at most so many bytes are kept of each log of an attempt"},
    {"executor.memoryMB", NUMBER, 0, INT64_C(1) << 30, "0",
     "sum of resources.memoryMB that may run at once; 0: this machine's memory"},
    {"executor.slots", NUMBER, 0, 4096, "0",
     "how many actions run at once on this machine, over all schedulers; 0: its processors"},
    {"pool.failedDays", NUMBER, 0, 36500, "7",
     "days for which the scratch directory of a failed action is kept"},
    {"pool.logDays", NUMBER, 0, 36500, "30", "days for which logs of finished actions are kept"},
    {"workflow.maxBytes", SIZE, 1, INT64_MAX, "1G", "the largest workflow document that is accepted"},
};
#define NSETTINGS (sizeof settings / sizeof *settings)

static const struct setting *find(const char *key, struct pingo_error *err)
{
    const char *keys[NSETTINGS];
    const char *near;

    for (size_t i = 0; i < NSETTINGS; i++) {
        if (strcmp(settings[i].key, key) == 0)
            return &settings[i];
        keys[i] = settings[i].key;
    }
    near = pingo__text_nearest(key, keys, NSETTINGS);
    pingo__fail(err, PINGO_ENOTFOUND,
                near ? "there is no setting \"%s\"; did you mean \"%s\"?"
                     : "there is no setting \"%s\"",
                key, near);
    return NULL;
}

/* A number, with K, M, G or T (powers of 1024) where sizes are meant. */
static bool parse(const struct setting *s, const char *text, int64_t *value)
{
    static const char units[] = "KMGT";
    size_t n = strlen(text);
    const char *unit = n && s->kind == SIZE ? strchr(units, text[n - 1]) : NULL;
    char digits[32];
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;

    n -= unit != NULL;
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, text, n);
    digits[n] = '\0';
    if (!pingo__text_to_int64(digits, 0, INT64_MAX >> shift, value))
        return false;
    *value <<= shift;
    return *value >= s->min && *value <= s->max;
}

int64_t pingo__setting_number(struct pingo_store *store, const char *key)
{
    const struct setting *s = find(key, NULL);
    char *text = NULL;
    int64_t value = 0;

    if (!s)
        return 0;
    if (pingo__setting_get(&store->db, key, &text, NULL) != 0 || !text || !parse(s, text, &value))
        parse(s, s->default_value, &value);
    free(text);
    return value;
}

int pingo_store_settings(struct pingo_store *store, pingo_setting_fn fn, void *context,
                         struct pingo_error *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < NSETTINGS; i++) {
        char *value = NULL;

        rc = pingo__setting_get(&store->db, settings[i].key, &value, err);
        if (!rc && fn(context, settings[i].key, value ? value : settings[i].default_value,
                      settings[i].default_value, settings[i].meaning))
            rc = pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
        free(value);
    }
    return rc;
}

int pingo_store_get(struct pingo_store *store, const char *key, char **value,
                    struct pingo_error *err)
{
    const struct setting *s = find(key, err);
    int rc;

    *value = NULL;
    if (!s)
        return PINGO_ENOTFOUND;
    rc = pingo__setting_get(&store->db, key, value, err);
    if (!rc && !*value && !(*value = strdup(s->default_value)))
        rc = pingo__fail_memory(err);
    return rc;
}

int pingo_store_set(struct pingo_store *store, const char *key, const char *value,
                    struct pingo_error *err)
{
    const struct setting *s = find(key, err);
    int64_t number = 0;
    int rc;

    if (!s)
        return PINGO_ENOTFOUND;
    if (value && !parse(s, value, &number))
        return pingo__fail(
            err, PINGO_EINVAL, "%s: \"%s\" is not %s from %" PRId64 " to %" PRId64, key, value,
            s->kind == SIZE ? "a size in bytes (500M, 10G)" : "a whole number", s->min, s->max);
    rc = pingo__db_begin(&store->db, err);
    return rc ? rc : pingo__db_end(&store->db, pingo__setting_set(&store->db, key, value, err), err);
}
