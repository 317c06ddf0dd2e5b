/* settings.c - the keys of `pingo config`: names, meanings, bounds, defaults.
 *
 * One table; a new setting is one row.  What is in the store was checked when it was set, and
 * is checked again when it is used. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pingo/decision.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/executor_settings.h"
#include "engine/values.h"
#include "store/meta.h"

enum kind { NUMBER, SIZE, SHARE, ALGORITHM, SWITCH, PATHS, NAME, WORDS, ROLES, LINK, PROGRAM };

struct setting {
    const char *key;
    enum kind kind;
    int64_t min, max; /* of SHARE in millionths */
    const char *default_value;
    const char *meaning;
    const char *word; /* may stand for -1; NULL: none */
};

#define HIGH_MARK "pool.highWatermark"
#define LOW_MARK "pool.lowWatermark"
#define WHOLE PINGO__ENGINE_WHOLE
#define COPIES "pool.countReplicas"
#define FAILED_DAYS "pool.failedDays"
#define LOG_DAYS "pool.logDays"

static const struct setting settings[] = {
    /* in byte order of the keys */
    {"archive.afterDays", NUMBER, 0, 36500, "7",
     "days after which the attempts of a workflow that has ended move to the file of their month",
     "never"},
    {"decision.algorithm", ALGORITHM, 0, 0, PINGO_DECISION_DEFAULT,
     "what decides which datasets go: NAME, NAME:KEY=VALUE,... or the absolute path of a plug-in",
     NULL},
    {"executor", NAME, 0, 0, PINGO_EXECUTOR_DEFAULT,
     "the executor of actions that name none; local: whichever runs their type", NULL},
    {"executor.graceSeconds", NUMBER, 0, 86400, "10",
     "seconds between TERM and KILL when an action is ended", NULL},
    {"executor.logBytes", SIZE, 4096, INT64_MAX, "16M",
     "at most so many bytes are kept of each log of an attempt", NULL},
    {"executor.maxStarts", NUMBER, 1, 1000, "10",
     "how often an action may be started whose attempts are lost with the node that ran them", NULL},
    {"executor.memoryMB", NUMBER, 0, INT64_C(1) << 30, "0",
     "sum of resources.memoryMB that may run at once; 0: this machine's memory", NULL},
    {"executor.slots", NUMBER, 0, 4096, "0",
     "how many actions run at once on this machine, over all schedulers; 0: its processors", NULL},
    {"hook.command", PROGRAM, 0, 0, "none",
     "the absolute path of a program that is started when a workflow has ended", "none"},
    {"hook.hosts", WORDS, 0, 0, "none",
     "the hosts, HOST or HOST:PORT with spaces between, to which hook.url may lead", "none"},
    {"hook.retrySeconds", NUMBER, 0, 86400, "30",
     "seconds until a hook that failed is tried again; each pause is twice as long as the one "
     "before",
     NULL},
    {"hook.seconds", NUMBER, 1, 300, "10",
     "seconds after which a hook that has not answered has failed", NULL},
    {"hook.url", LINK, 0, 0, "none",
     "where a request is sent when a workflow has ended; its host must stand in hook.hosts", "none"},
    {"pool.budget", SIZE, 0, INT64_MAX, "none",
     "the bytes that the pool should hold; 0: nothing longer than it is needed", "none"},
    {"pool.cache", SIZE, 0, INT64_MAX, "10G",
     "bytes of a pool that lies elsewhere that are kept on this machine, for actions that run here",
     NULL},
    {COPIES, SWITCH, 0, 1, "off",
     "on: the budget means bytes on disks, with all replicas that a pool in HDFS keeps; off: each "
     "byte counts once",
     NULL},
    {FAILED_DAYS, NUMBER, 0, 36500, "7",
     "days for which the scratch directory of a failed action is kept", NULL},
    {HIGH_MARK, SHARE, 0, WHOLE, "1",
     "when more than this share of the budget is used, datasets are deleted", NULL},
    {"pool.leafDays", NUMBER, 0, 36500, "never",
     "days without use after which a result may be deleted like anything else", "never"},
    {LOG_DAYS, NUMBER, 0, 36500, "30", "days for which logs of finished actions are kept", NULL},
    {LOW_MARK, SHARE, 0, WHOLE, "0.95", "until no more than this share of the budget is used", NULL},
    {"sandbox", SWITCH, 0, 1, "on",
     "on: actions are confined where the kernel has Landlock, so that they read what they declare "
     "and write where they should; off: they are not",
     NULL},
    {"sandbox.read", PATHS, 0, 0, "none",
     "what confined actions may read besides the system's directories and what they declare: "
     "absolute paths with ':' between",
     "none"},
    {"serve.group", NAME, 0, 0, "none",
     "the group that may connect to the socket of pingo serve --socket", "none"},
    {"serve.hosts", WORDS, 0, 0, "none",
     "names besides those of this machine by which pingo serve is called, with spaces between",
     "none"},
    {"serve.inputRoots", PATHS, 0, 0, "none",
     "beneath which absolute paths, with ':' between, all inputs and outputs that a workflow names "
     "lie which somebody else than an admin sends to pingo serve; none: anywhere",
     "none"},
    {"serve.port", NUMBER, 1, 65535, "7646", "the TCP port of pingo serve, on this machine alone",
     NULL},
    {"serve.private", SWITCH, 0, 1, "off",
     "on: pingo serve tells submissions, datasets and failures of others to admins alone, and"
     " viewers read no logs and no contents of datasets; off: who may ask sees all",
     NULL},
    {"serve.trustedProxyUid", NUMBER, 0, UINT32_MAX, "none",
     "the user number of a proxy that says in X-Forwarded-User for whom it asks", "none"},
    {"serve.users", ROLES, 0, 0, "none",
     "who may what on the sockets of pingo serve besides the store's owner: NAME=viewer, "
     "NAME=submitter or NAME=admin, with spaces between",
     "none"},
    {"share.halfLifeHours", NUMBER, 1, 87600, "24",
     "hours after which what a user has used counts half when slots are shared", NULL},
    {"workflow.maxBytes", SIZE, 1, INT64_MAX, "1G",
     "the largest workflow document that is accepted", NULL},
};
#define NSETTINGS (sizeof settings / sizeof *settings)

/* What people call a setting otherwise. */
static const struct {
    const char *word, *key;
} meanings[] = {
    {"size", "pool.budget"},
    {"limit", "pool.budget"},
    {"replicas", COPIES},
    {"replication", COPIES},
    {"quota", "pool.budget"},
    {"maxSize", "pool.budget"},
    {"jobs", "executor.slots"},
    {"cpus", "executor.slots"},
    {"cores", "executor.slots"},
    {"workers", "executor.slots"},
    {"parallel", "executor.slots"},
    {"threads", "executor.slots"},
    {"memory", "executor.memoryMB"},
    {"ram", "executor.memoryMB"},
    {"eviction", "decision.algorithm"},
    {"policy", "decision.algorithm"},
    {"timeout", "executor.graceSeconds"},
    {"confine", "sandbox"},
    {"landlock", "sandbox"},
};

/* The setting that a word which is no key may mean: the key's last part, what people call it, or what is
 * near in spelling to a key or to its last part; NULL. */
static const char *meant(const char *word)
{
    const char *keys[NSETTINGS], *parts[NSETTINGS];
    const char *dot = strrchr(word, '.'), *last = dot ? dot + 1 : word;
    for (size_t i = 0; i < NSETTINGS; i++) {
        keys[i] = settings[i].key;
        parts[i] = strchr(keys[i], '.') ? strchr(keys[i], '.') + 1 : keys[i];
        if (strcasecmp(parts[i], last) == 0)
            return keys[i];
    }
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcasecmp(meanings[i].word, last) == 0)
            return meanings[i].key;
    const char *near = pingo__text_nearest(word, keys, NSETTINGS);
    if (near || !(near = pingo__text_nearest(last, parts, NSETTINGS)))
        return near;
    for (size_t i = 0; i < NSETTINGS; i++)
        if (parts[i] == near)
            return keys[i];
    return NULL;
}

static const struct setting *find(const char *key, struct pingo_error *err)
{
    for (size_t i = 0; i < NSETTINGS; i++)
        if (strcmp(settings[i].key, key) == 0)
            return &settings[i];
    const char *near = meant(key);
    pingo__fail(err, PINGO_ENOTFOUND,
                near ? "there is no setting \"%s\"; did you mean \"%s\"?"
                     : "there is no setting \"%s\"",
                key, near);
    return NULL;
}

static bool parse_number(const struct setting *s, const char *text, int64_t *value)
{
    return s->kind == SIZE ? pingo__units_parse_size(text, value)
                           : pingo__text_to_int64(text, 0, INT64_MAX, value);
}

/* "0.95", "1", "95%", "99.5%": in millionths. */
static bool parse_share(const char *text, int64_t *value)
{
    size_t whole = strspn(text, "0123456789"), part = 0;
    const char *at = text + whole;
    if (*at == '.') {
        part = strspn(at + 1, "0123456789");
        if (!part)
            return false;
    }
    bool percent = at[part ? part + 1 : 0] == '%';
    if (!whole || whole > 3 || part > (percent ? 4 : 6) || at[(part ? part + 1 : 0) + percent])
        return false;
    char digits[16];
    memcpy(digits, text, whole);
    memset(digits + whole, '0', percent ? 4 : 6);
    memcpy(digits + whole, part ? at + 1 : "", part);
    digits[whole + (percent ? 4 : 6)] = '\0';
    return pingo__text_to_int64(digits, 0, INT64_MAX, value);
}

static bool parse(const struct setting *s, const char *text, int64_t *value)
{
    *value = -1;
    if (s->word && strcmp(text, s->word) == 0)
        return true;
    if (s->kind == SWITCH) {
        *value = strcmp(text, "on") == 0 ? 1 : strcmp(text, "off") == 0 ? 0 : -1;
        return *value >= 0;
    }
    if (s->kind == SHARE ? !parse_share(text, value) : !parse_number(s, text, value))
        return false;
    return *value >= s->min && *value <= s->max;
}

/* What cannot be understood is as if it were not set. */
int pingo__engine_setting_number(struct pingo_store *store, const char *key, int64_t *value,
                                 struct pingo_error *err)
{
    const struct setting *s = find(key, err);
    char *text = NULL;
    if (!s)
        return PINGO_ENOTFOUND;
    int rc = pingo__store_setting_get(&store->db, key, &text, err);
    if (rc || !text || !parse(s, text, value))
        parse(s, s->default_value, value);
    free(text);
    return rc;
}

/* ---- what all keys have in common ---------------------------------------------------------------- */

/* All of ours, and of executors. */
static int list_keys(struct pingo_store *store, struct pingo__engine_setting_list *l,
                     struct pingo_error *err)
{
    int rc = 0;
    for (const struct setting *s = settings; !rc && s < settings + NSETTINGS; s++)
        rc = pingo__engine_setting_add(
            l, (struct pingo__engine_setting_told){s->key, s->default_value, s->meaning}, err);
    if (!rc)
        rc = pingo__engine_executor_setting_add(store, l, err);
    if (!rc)
        qsort(l->rows, l->n, sizeof *l->rows, pingo__array_by_text);
    return rc;
}

int pingo_store_settings(struct pingo_store *store, pingo_setting_fn fn, void *context,
                         struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__engine_setting_list list = {.arena = &arena};
    int rc = list_keys(store, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__engine_setting_told *t = &list.rows[i];
        char *value = NULL;
        rc = pingo__store_setting_get(&store->db, t->key, &value, err);
        if (!rc &&
            fn(context, t->key, value ? value : t->default_value, t->default_value, t->meaning))
            rc = pingo__engine_stopped(err);
        free(value);
    }
    pingo__arena_clear(&arena);
    return rc;
}

bool pingo_size_parse(const char *text, int64_t *bytes)
{
    return pingo__units_parse_size(text, bytes);
}

int pingo_store_get(struct pingo_store *store, const char *key, char **value,
                    struct pingo_error *err)
{
    const char *default_value = NULL;
    struct pingo__engine_executor_key k;
    int rc;
    *value = NULL;
    if (pingo__engine_executor_key_split(key, &k)) {
        rc = pingo__engine_executor_key_find(store, key, &k, err);
        default_value = !k.row ? NULL : k.row->default_value ? k.row->default_value : "";
    } else {
        const struct setting *s = find(key, err);
        rc = s ? 0 : PINGO_ENOTFOUND;
        default_value = s ? s->default_value : NULL;
    }
    if (!rc)
        rc = pingo__store_setting_get(&store->db, key, value, err);
    if (rc || *value)
        return rc;
    if (!default_value)
        return pingo__fail(err, PINGO_ENOTFOUND,
                           "\"%s\" is not set, and of executor \"%s\", which this program does not"
                           " have",
                           key, k.name);
    *value = strdup(default_value);
    return *value ? 0 : pingo__fail_memory(err);
}

int pingo__engine_setting_sandbox_read(struct pingo_store *store, const char ***paths,
                                       struct pingo_error *err)
{
    char *text = NULL;
    int rc = pingo__store_setting_get(&store->db, "sandbox.read", &text, err);
    *paths = NULL;
    if (!rc && text && text[0] == '/')
        rc = pingo__engine_value_split(text, paths, err);
    free(text);
    return rc;
}

/* ---- changing ------------------------------------------------------------------------------- */

static int check_value(const struct setting *s, const char *value, struct pingo_error *err)
{
    const char *word = s->word ? s->word : "";
    int64_t number = 0;
    if (!value)
        return 0;
    if (s->kind == ALGORITHM)
        return pingo__engine_value_algorithm(s->key, value, err);
    if (s->kind == PATHS && strcmp(value, word) != 0)
        return pingo__engine_value_paths(s->key, value, err);
    if ((s->kind == WORDS || s->kind == ROLES) && strcmp(value, word) != 0)
        return pingo__engine_value_words(s->key, value, s->kind == ROLES, err);
    if ((s->kind == LINK || s->kind == PROGRAM) && strcmp(value, word) != 0)
        return pingo__engine_value_hook(s->key, value, s->kind == LINK, err);
    if (s->kind == NAME)
        return pingo__executor_is_name(value)
                   ? 0
                   : pingo__fail(err, PINGO_EINVAL,
                                 "%s: \"%s\" is no name: 1 to 64 letters, digits, '_', '.' or '-'",
                                 s->key, value);
    if (parse(s, value, &number))
        return 0;
    if (s->kind == SWITCH)
        return pingo__fail(err, PINGO_EINVAL, "%s: \"%s\" is neither on nor off", s->key, value);
    if (s->kind == SHARE)
        return pingo__fail(err, PINGO_EINVAL, "%s: \"%s\" is not a share such as 0.95 or 95%%",
                           s->key, value);
    return pingo__fail(err, PINGO_EINVAL, "%s: \"%s\" is not %s%s%s from %" PRId64 " to %" PRId64,
                       s->key, value, word, *word ? " or " : "",
                       s->kind == SIZE ? "a size in bytes (500M, 10GB, 1.5 GiB)" : "a whole number",
                       s->min, s->max);
}

static int check_marks(struct pingo_store *store, struct pingo_error *err)
{
    int64_t high = 0, low = 0;
    int rc = pingo__engine_setting_number(store, HIGH_MARK, &high, err);
    if (!rc)
        rc = pingo__engine_setting_number(store, LOW_MARK, &low, err);
    if (rc || low <= high)
        return rc;
    return pingo__fail(err, PINGO_EINVAL,
                       LOW_MARK " would be %g and " HIGH_MARK
                                " %g: the low one may not be above the high one",
                       (double)low / WHOLE, (double)high / WHOLE);
}

/* How many there are is asked for now, so that the first decision knows it. */
static int check_copies(struct pingo_store *store, struct pingo_error *err)
{
    struct pingo__pool_space space;
    if (!pingo__pool_is_remote(&store->pool))
        return pingo__fail(err, PINGO_EINVAL,
                           COPIES ": this pool keeps no replicas: it is a directory; only those in "
                                  "HDFS do");
    space = pingo__pool_space(&store->pool);
    return pingo__manager_copies_learn(&store->context, &space, err);
}

static int check_own(struct pingo_store *store, const char *key, const char *value,
                     struct pingo__engine_executor_key *k, struct pingo_error *err)
{
    int rc = pingo__engine_executor_key_find(store, key, k, err);
    if (rc || !value)
        return rc;
    if (k->row) {
        const struct pingo_executor_type *type = pingo__engine_executor_known(store, k->name);
        struct pingo_executor_type t = pingo__executor_table(type);
        rc = pingo__executor_setting_check_new(k->name, k->row, value, err);
        return !rc && t.check_text && k->row->kind == PINGO_SETTING_TEXT
                   ? t.check_text(k->row->key, value, err)
                   : rc;
    }
    pingo__manager_log(
        &store->context, PINGO_LOG_WARNING,
        "%s: this program does not have executor \"%s\": the value is kept for one that has,"
        " and not checked",
        key, k->name);
    return 0;
}

/* Outside the transaction: what is asked of a pool that lies elsewhere may take long. */
static int check_setting(struct pingo_store *store, const struct pingo_setting *to,
                         struct pingo_error *err)
{
    struct pingo__engine_executor_key k;
    if (pingo__engine_executor_key_split(to->key, &k))
        return check_own(store, to->key, to->value, &k, err);
    const struct setting *s = find(to->key, err);
    int rc = s ? check_value(s, to->value, err) : PINGO_ENOTFOUND;
    if (!rc && strcmp(to->key, COPIES) == 0 && to->value && strcmp(to->value, "on") == 0)
        rc = check_copies(store, err);
    return rc;
}

static int set_one(struct pingo_store *store, const struct pingo_setting *to,
                   struct pingo_error *err)
{
    int rc = pingo__engine_may_rule(store, "set", to->key, err);
    if (!rc)
        rc = pingo__store_setting_set(&store->db, to->key, to->value, err);
    if (!rc && (strcmp(to->key, FAILED_DAYS) == 0 || strcmp(to->key, LOG_DAYS) == 0))
        rc = pingo__store_meta_set(&store->db, "sweep.at", "0", err); /* what is too old goes now */
    return rc;
}

int pingo_store_set_several(struct pingo_store *store, const struct pingo_setting *values,
                            size_t nvalues, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < nvalues; i++)
        rc = check_setting(store, &values[i], err);
    if (!rc)
        rc = pingo__store_db_begin(&store->db, err);
    if (rc)
        return rc;
    for (size_t i = 0; !rc && i < nvalues; i++)
        rc = set_one(store, &values[i], err);
    if (!rc)
        rc = check_marks(store, err);
    store->settings_serial++;
    rc = pingo__store_db_end(&store->db, rc, err);
    for (size_t i = 0; !rc && i < nvalues; i++)
        if (strcmp(values[i].key, "hook.url") == 0 || strcmp(values[i].key, "hook.hosts") == 0) {
            pingo__engine_value_tell_hook(store);
            break;
        }
    return rc;
}

int pingo_store_set(struct pingo_store *store, const char *key, const char *value,
                    struct pingo_error *err)
{
    return pingo_store_set_several(store, &(struct pingo_setting){key, value}, 1, err);
}
