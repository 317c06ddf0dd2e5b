/* values.c - see values.h. */
#include "engine/values.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pingo/decision.h>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/hooks.h"
#include "store/meta.h"

/* A plug-in by its whole path: each process has a working directory of its own. */
int pingo__engine_value_algorithm(const char *key, const char *value, struct pingo_error *err)
{
    struct pingo_decision_selection *selection = NULL;
    size_t name = strcspn(value, ":");
    if (value[0] != '/' && memchr(value, '/', name))
        return pingo__fail(err, PINGO_EINVAL, "%s: give the absolute path of the plug-in, not %s",
                           key, value);
    int rc = pingo_decision_select(value, &selection, err);
    pingo_decision_selection_free(selection);
    if (!rc || rc == PINGO_ENOMEM)
        return rc;
    pingo__error_prefix(err, "%s", key);
    if (err)
        err->code = PINGO_EINVAL;
    return PINGO_EINVAL;
}

/* Whatever is listed is there, so that a slip is told when it is made. */
int pingo__engine_value_paths(const char *key, const char *value, struct pingo_error *err)
{
    char path[4096];
    for (const char *at = value; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        size_t n = strcspn(at, ":");
        if (n == 0 || at[0] != '/' || n >= sizeof path)
            return pingo__fail(err, PINGO_EINVAL,
                               "%s: \"%.*s\" is no absolute path; several have ':' between", key,
                               n < 200 ? (int)n : 200, at);
        memcpy(path, at, n);
        path[n] = '\0';
        struct stat st;
        if (stat(path, &st) != 0)
            return pingo__fail(err, PINGO_EINVAL, "%s: %s: %s", key, path, strerror(errno));
    }
    return 0;
}

int pingo__engine_value_words(const char *key, const char *value, bool are_roles,
                              struct pingo_error *err)
{
    for (const char *at = value; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
        size_t n = strcspn(at, " "), name = strcspn(at, " =");
        char word[256] = "";
        enum pingo_role role;
        bool is_word = n > 0 && n < sizeof word;
        for (size_t i = 0; is_word && i < n; i++) {
            is_word = at[i] > ' ' && at[i] < 127;
            word[i] = at[i];
        }
        bool is_role =
            is_word && name > 0 && word[name] == '=' && pingo_role_parse(word + name + 1, &role);
        if (!is_word || (are_roles && !is_role))
            return pingo__fail(err, PINGO_EINVAL, "%s: \"%.*s\" is not %s", key,
                               n < 200 ? (int)n : 200, at,
                               !are_roles ? "a name" : "NAME=viewer, NAME=submitter or NAME=admin");
    }
    return 0;
}

/* It is there, for the same reason. */
static int check_program(const char *key, const char *value, struct pingo_error *err)
{
    struct stat st;
    if (value[0] != '/' || !value[1] || strlen(value) >= PATH_MAX)
        return pingo__fail(err, PINGO_EINVAL,
                           "%s: \"%.200s\" is not the absolute path of a program", key, value);
    if (stat(value, &st) != 0 || access(value, X_OK) != 0)
        return pingo__fail(err, PINGO_EINVAL, "%s: %s: %s", key, value, strerror(errno));
    return S_ISREG(st.st_mode) ? 0
                               : pingo__fail(err, PINGO_EINVAL, "%s: %s is no program", key, value);
}

int pingo__engine_value_hook(const char *key, const char *value, bool is_url,
                             struct pingo_error *err)
{
    struct pingo__engine_hook_place place;
    if (!is_url)
        return check_program(key, value, err);
    const char *wrong = pingo__engine_hook_place(value, &place);
    return wrong ? pingo__fail(err, PINGO_EINVAL, "%s: \"%.200s\": %s", key, value, wrong) : 0;
}

void pingo__engine_value_tell_hook(struct pingo_store *store)
{
    char *url = NULL, *hosts = NULL;
    struct pingo__engine_hook_place place;
    if (pingo__store_setting_get(&store->db, "hook.url", &url, NULL) == 0 && url &&
        pingo__store_setting_get(&store->db, "hook.hosts", &hosts, NULL) == 0 &&
        !pingo__engine_hook_place(url, &place) && !pingo__engine_hook_may_lead(&place, hosts))
        pingo__manager_log(&store->context, PINGO_LOG_WARNING,
                           "hook.url leads to %s, which does not stand in hook.hosts: nothing is"
                           " sent there until it does",
                           place.host);
    free(url);
    free(hosts);
}

int pingo__engine_value_split(const char *text, const char ***paths, struct pingo_error *err)
{
    size_t n = 0, size = 1;
    for (const char *at = text; *at; at++)
        size += *at == ':';
    *paths = malloc((size + 1) * sizeof **paths + strlen(text) + 1);
    if (!*paths)
        return pingo__fail_memory(err);
    char *copy = (char *)(*paths + size + 1);
    strcpy(copy, text);
    for (char *end = NULL; copy; copy = end ? end + 1 : NULL) {
        (*paths)[n++] = copy;
        end = strchr(copy, ':');
        if (end)
            *end = '\0';
    }
    (*paths)[n] = NULL;
    return 0;
}
