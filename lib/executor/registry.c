/* registry.c - see registry.h. */
#include "executor/registry.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "workflow/resources.h"

#define COUNT_MAX 1000000000
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* Those besides the local one, which some builds lack.  A new one is a folder here, and its name below. */
#define EXECUTORS(_) _(external) _(slurm) _(hadoop)

#define DECLARED(name) extern const struct pingo_executor_type pingo__executor_##name;
EXECUTORS(DECLARED)

#define LISTED(name) &pingo__executor_##name,
static const struct pingo_executor_type *const others[] = {EXECUTORS(LISTED)};

const struct pingo_executor_type *pingo__executor_nth(size_t i)
{
    const struct pingo_executor_type *local = pingo_executor_local();
    if (local && i-- == 0)
        return local;
    return i < sizeof others / sizeof *others ? others[i] : NULL;
}

const struct pingo_executor_type *pingo__executor_builtin(const char *name)
{
    const struct pingo_executor_type *type;
    for (size_t i = 0; (type = pingo__executor_nth(i)); i++)
        if (strcmp(type->name, name) == 0)
            return type;
    return NULL;
}

bool pingo__executor_type_runs(const struct pingo_executor_type *type, const char *action_type)
{
    for (const char *const *t = type->action_types; *t; t++)
        if (strcmp(*t, action_type) == 0)
            return true;
    return false;
}

struct pingo_executor_type pingo__executor_table(const struct pingo_executor_type *type)
{
    static const size_t sizes[] = {0,
                                   offsetof(struct pingo_executor_type, settings),
                                   offsetof(struct pingo_executor_type, memory_most),
                                   offsetof(struct pingo_executor_type, takes_places),
                                   offsetof(struct pingo_executor_type, check_text),
                                   offsetof(struct pingo_executor_type, busy)};
    bool is_older = type->abi_version < sizeof sizes / sizeof *sizes;
    struct pingo_executor_type table = {0};
    memcpy(&table, type, is_older ? sizes[type->abi_version] : sizeof table);
    return table;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool is_word(const char *text, const char *of)
{
    size_t n = text ? strspn(text, of) : 0;
    return n > 0 && n <= 64 && text[n] == '\0';
}

bool pingo__executor_is_name(const char *name)
{
    return is_word(name, LETTERS "_.-");
}

bool pingo__executor_is_default(const char *name)
{
    return strcmp(name, PINGO_EXECUTOR_DEFAULT) == 0;
}

/* The name of a function that is missing; NULL: none is. */
static const char *missing(const struct pingo_executor_type *t)
{
    return !t->open         ? "open"
           : !t->close      ? "close"
           : !t->start      ? "start"
           : !t->revoke     ? "revoke"
           : !t->kill       ? "kill"
           : !t->adopt      ? "adopt"
           : !t->collect    ? "collect"
           : !t->forget     ? "forget"
           : !t->poll_fd    ? "poll_fd"
           : !t->timeout_ms ? "timeout_ms"
           : !t->slots      ? "slots"
                            : NULL;
}

static int check_settings(const struct pingo_executor_type *type, struct pingo_error *err)
{
    struct pingo_executor_type t = pingo__executor_table(type);
    int rc =
        t.nsettings && !t.settings
            ? pingo__fail(err, PINGO_EINVAL, "executor \"%s\": %zu settings, but settings is NULL",
                          t.name, t.nsettings)
            : 0;
    for (size_t i = 0; !rc && i < t.nsettings; i++) {
        const struct pingo_executor_setting *row = &t.settings[i];
        if (!is_word(row->key, LETTERS) || !row->help || row->kind < PINGO_SETTING_TEXT ||
            row->kind > PINGO_SETTING_COUNTERS || row->min < 0 || row->max < row->min)
            rc =
                pingo__fail(err, PINGO_EINVAL,
                            "executor \"%s\": its setting \"%s\" needs a key of letters and digits,"
                            " a kind, bounds from 0 on, and a help",
                            t.name, row->key ? row->key : "(NULL)");
        else if (row->default_value)
            rc = pingo__executor_setting_check(t.name, row, row->default_value, err);
    }
    return rc;
}

int pingo__executor_check(const struct pingo_executor_type *t, struct pingo_error *err)
{
    if (!t)
        return pingo__fail(err, PINGO_EINVAL, "an executor is NULL");
    if (!pingo__executor_is_name(t->name))
        return pingo__fail(err, PINGO_EINVAL,
                           "executor \"%s\": a name is 1 to 64 letters, digits, '_', '.' or '-'",
                           t->name ? t->name : "(NULL)");
    const struct pingo_executor_type *own = pingo__executor_builtin(t->name);
    if (t != own && (own || pingo__executor_is_default(t->name)))
        return pingo__fail(err, PINGO_EINVAL,
                           "executor \"%s\": that name is the library's own; with another one no "
                           "other program takes its attempts over",
                           t->name);
    if (t->abi_version < 1 || t->abi_version > PINGO_EXECUTOR_ABI)
        return pingo__fail(err, PINGO_EVERSION,
                           "executor \"%s\" is made for ABI %u, this library takes 1 to %u",
                           t->name, t->abi_version, PINGO_EXECUTOR_ABI);
    if (!t->action_types || !t->action_types[0])
        return pingo__fail(err, PINGO_EINVAL, "executor \"%s\" runs no type of actions", t->name);
    if (missing(t))
        return pingo__fail(err, PINGO_EINVAL, "executor \"%s\" has no function %s", t->name,
                           missing(t));
    return check_settings(t, err);
}

/* ---- settings ---------------------------------------------------------------------------------- */

const struct pingo_executor_setting *pingo__executor_setting(const struct pingo_executor_type *type,
                                                             const char *key)
{
    struct pingo_executor_type t = pingo__executor_table(type);
    for (size_t i = 0; i < t.nsettings; i++)
        if (strcmp(t.settings[i].key, key) == 0)
            return t.settings + i;
    return NULL;
}

int64_t pingo__executor_counters_find(const char *text, const char *name)
{
    size_t length = strlen(name);
    int64_t n = 0;
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at == text || at[-1] == ',') && at[length] == '=')
            n = strtoll(at + length + 1, NULL, 10);
    return n;
}

static bool is_counters(const char *text)
{
    char name[200];
    int64_t n;
    if (strcmp(text, "none") == 0)
        return true;
    do {
        size_t length = strcspn(text, "=");
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, text);
        text += length + (text[length] == '=');
        if (!pingo__workflow_is_licence(name) || !pingo__text_digits(&text, &n) || n > COUNT_MAX)
            return false;
    } while (*text++ == ',');
    return !text[-1];
}

/* Of a list that can be read, the first name that stands in it again; *length 0: none does. */
static const char *named_twice(const char *text, size_t *length)
{
    for (const char *at = text; at; at = strchr(at, ','), at += at ? 1 : 0) {
        *length = strcspn(at, "=,");
        for (const char *other = strchr(at, ','); other; other = strchr(other + 1, ','))
            if (strncmp(other + 1, at, *length) == 0 && other[1 + *length] == '=')
                return at;
    }
    *length = 0;
    return NULL;
}

int pingo__executor_setting_check_new(const char *executor, const struct pingo_executor_setting *row,
                                      const char *value, struct pingo_error *err)
{
    size_t length = 0;
    int rc = pingo__executor_setting_check(executor, row, value, err);
    const char *name =
        rc || row->kind != PINGO_SETTING_COUNTERS ? NULL : named_twice(value, &length);
    return !name ? rc
                 : pingo__fail(err, PINGO_EINVAL, "executor.%s.%s: \"%s\" names %.*s twice",
                               executor, row->key, value, (int)length, name);
}

static bool parse(const struct pingo_executor_setting *row, const char *text, int64_t *value)
{
    int64_t max = row->max || row->min ? row->max : INT64_MAX;
    *value = -1;
    if (row->kind == PINGO_SETTING_SWITCH)
        *value = strcmp(text, "on") == 0 ? 1 : strcmp(text, "off") == 0 ? 0 : -1;
    else if (row->kind == PINGO_SETTING_SIZE ? !pingo__units_parse_size(text, value)
                                             : !pingo__text_to_int64(text, 0, INT64_MAX, value))
        *value = -1;
    if (row->kind != PINGO_SETTING_SWITCH && (*value < row->min || *value > max))
        *value = -1;
    return *value >= 0;
}

int pingo__executor_setting_check(const char *executor, const struct pingo_executor_setting *row,
                                  const char *value, struct pingo_error *err)
{
    static const char *const kinds[] = {"", "a whole number",
                                        "a size in bytes (500M, 10GB, 1.5 GiB)"};
    int64_t number;
    if (row->kind == PINGO_SETTING_COUNTERS)
        return is_counters(value)
                   ? 0
                   : pingo__fail(
                         err, PINGO_EINVAL,
                         "executor.%s.%s: \"%s\" is not NAME=NUMBER with ',' between several,"
                         " such as matlab=2,ansys=1, nor none",
                         executor, row->key, value);
    if (row->kind == PINGO_SETTING_TEXT || parse(row, value, &number))
        return 0;
    if (row->kind == PINGO_SETTING_SWITCH)
        return pingo__fail(err, PINGO_EINVAL, "executor.%s.%s: \"%s\" is neither on nor off",
                           executor, row->key, value);
    if (!row->min && !row->max)
        return pingo__fail(err, PINGO_EINVAL, "executor.%s.%s: \"%s\" is not %s", executor,
                           row->key, value, kinds[row->kind]);
    return pingo__fail(err, PINGO_EINVAL,
                       "executor.%s.%s: \"%s\" is not %s from %" PRId64 " to %" PRId64, executor,
                       row->key, value, kinds[row->kind], row->min, row->max);
}

static const struct pingo_executor_setting *find(const struct pingo_executor_context *context,
                                                 const char *key, const char **text)
{
    const struct pingo__executor_values *v = context->version < 2 ? NULL : context->settings;
    for (size_t i = 0; v && i < v->n; i++)
        if (strcmp(v->rows[i].key, key) == 0) {
            *text = v->texts[i] ? v->texts[i] : v->rows[i].default_value;
            return &v->rows[i];
        }
    *text = NULL;
    return NULL;
}

const char *pingo_executor_context_text(const struct pingo_executor_context *context,
                                        const char *key)
{
    const char *text;
    find(context, key, &text);
    return text;
}

int64_t pingo_executor_context_number(const struct pingo_executor_context *context, const char *key)
{
    const char *text;
    const struct pingo_executor_setting *row = find(context, key, &text);
    int64_t value = -1;
    if (row && text && row->kind != PINGO_SETTING_TEXT && row->kind != PINGO_SETTING_COUNTERS)
        parse(row, text, &value);
    return value;
}
