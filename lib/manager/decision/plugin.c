/* plugin.c - choosing an algorithm by what a person wrote: a name, or the path of a plug-in.
 *
 * The one file that loads code.  A plug-in is looked at only after its table was
 * found and fits; nothing of it runs before but what its own loading runs. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/decision.h>

#include "base/error.h"
#include "decision/algorithms/parameters.h"

struct pingo_decision_selection {
    void *object; /* of dlopen; NULL: built in */
    const struct pingo_decision_algorithm *algorithm;
    double *values;
};

/* Is what is exported a variable of the size of a pointer, and not the table itself, nor a function? */
static bool is_pointer(const void *address)
{
#ifdef __GLIBC__
    const ElfW(Sym) *symbol = NULL;
    void *found = NULL;
    Dl_info info;
    if (dladdr1(address, &info, &found, RTLD_DL_SYMENT) == 0 || !found)
        return true; /* nothing is known of it */
    symbol = found;
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size == sizeof(void *);
#else
    return address;
#endif
}

static int load(struct pingo_decision_selection *s, const char *path, struct pingo_error *err)
{
    s->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!s->object) {
        const char *why = dlerror();
        return pingo__fail(err, PINGO_EIO, "the plug-in cannot be loaded: %s", why ? why : path);
    }
    const struct pingo_decision_algorithm *const *table = dlsym(s->object, PINGO_DECISION_SYMBOL);
    if (!table || !is_pointer(table))
        return pingo__fail(err, PINGO_EIO, "%s is no decision plug-in: %s %s", path,
                           table ? "what it exports is not the address of a table:"
                                 : "it does not export",
                           PINGO_DECISION_SYMBOL);
    if (!*table)
        return pingo__fail(err, PINGO_EIO, "%s is no decision plug-in: its %s is NULL", path,
                           PINGO_DECISION_SYMBOL);
    s->algorithm = *table;
    int rc = pingo__decision_check_table(s->algorithm, err);
    if (rc != 0)
        pingo__error_prefix(err, "%s", path);
    return rc;
}

static int find(struct pingo_decision_selection *s, const char *name, struct pingo_error *err)
{
    s->algorithm = pingo_decision_find(name);
    if (s->algorithm)
        return 0;
    const char *nearest = pingo__decision_nearest(name);
    char names[512];
    pingo__decision_names(names, sizeof names);
    return pingo__fail(err, PINGO_EINVAL,
                       "there is no algorithm \"%.80s\"%s%s%s; there are: %s, and "
                       "plug-ins by their path, such as ./mine.so",
                       name, nearest ? ", did you mean \"" : "", nearest ? nearest : "",
                       nearest ? "\"?" : "", names);
}

int pingo_decision_select(const char *text, struct pingo_decision_selection **selection,
                          struct pingo_error *err)
{
    struct pingo_decision_selection *s = calloc(1, sizeof *s);
    size_t length = strcspn(text, ":");
    char *name = strndup(text, length);
    int rc;
    if (!s || !name) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    rc = strchr(name, '/') ? load(s, name, err) : find(s, name, err);
    if (rc != 0)
        goto out;
    s->values = calloc(s->algorithm->nparameters + 1, sizeof *s->values);
    if (!s->values)
        rc = pingo__fail_memory(err);
    else
        rc = pingo_decision_values(s->algorithm, text[length] == ':' ? text + length + 1 : NULL,
                                   s->values, err);
    if (rc == 0) {
        *selection = s;
        s = NULL;
    }
out:
    pingo_decision_selection_free(s);
    free(name);
    return rc;
}

void pingo_decision_selection_free(struct pingo_decision_selection *s)
{
    if (!s)
        return;
    free(s->values);
    if (s->object)
        dlclose(s->object);
    free(s);
}

const struct pingo_decision_algorithm *pingo_decision_selection_algorithm(
    const struct pingo_decision_selection *s)
{
    return s->algorithm;
}

const double *pingo_decision_selection_values(const struct pingo_decision_selection *s)
{
    return s->values;
}
