/* roots.c - see submit.h. */
#include "serve/api/submit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/sandbox.h"

/* As it is without links; of what is not there, the part of it that is.  path: absolute and normal. */
static bool resolve(const char *path, char real[PATH_MAX])
{
    char part[PATH_MAX];
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part)
        return false;
    while (!realpath(part, real)) {
        char *slash = strrchr(part, '/');
        if (!slash || part[1] == '\0')
            return false;
        slash[slash == part] = '\0';
    }
    return true;
}

static bool is_beneath(const char *roots, const char *path)
{
    char real[PATH_MAX], root[PATH_MAX], named[PATH_MAX];
    if (!resolve(path, real))
        return false;
    for (const char *at = roots; *at; at += *at == ':') {
        int n = (int)strcspn(at, ":");
        snprintf(named, sizeof named, "%.*s", n, at);
        at += n;
        if (realpath(named, root) && pingo__path_is_below(real, root))
            return true;
    }
    return false;
}

void serve_roots(struct serve_ask *ask, const char **roots)
{
    char *value = NULL;
    *roots = NULL;
    if (ask->is_wrong || ask->request->who.role >= SERVE_ADMIN)
        return;
    serve_end(ask, pingo_store_get(ask->store, "serve.inputRoots", &value, ask->err));
    bool has_roots = !ask->is_wrong && strcmp(value, "none") != 0;
    if (has_roots && !(*roots = pingo__arena_text(ask->arena, value, strlen(value))))
        serve_ask_refuse(ask, 503, "out of memory");
    free(value);
}

/* A program lies there, or where the system's programs do. */
static bool may_run(const char *roots, const char *path)
{
    bool may = path[0] != '/' || is_beneath(roots, path);
    for (const char *const *place = pingo__sandbox_places; !may && *place; place++)
        may = is_beneath(*place, path);
    return may;
}

/* A folder of the PATH on which an action's programs are found, if it has one of its own, that is none of these; or
 * NULL. */
static const char *wrong_folder(struct serve_ask *ask, const char *roots,
                                const struct pingo_action *a)
{
    const char *path = NULL;
    for (size_t i = 0; i < a->nfields; i++)
        for (size_t k = 0; strcmp(a->fields[i].key, "env") == 0 && k + 1 < a->fields[i].nvalues;
             k += 2)
            if (strcmp(a->fields[i].values[k], "PATH") == 0)
                path = a->fields[i].values[k + 1];
    for (const char *at = path; at && *at; at += *at == ':') {
        size_t n = strcspn(at, ":");
        const char *folder = pingo__arena_text(ask->arena, at, n);
        if (!folder || !may_run(roots, folder))
            return folder ? folder : path;
        at += n;
    }
    return NULL;
}

/* Its tools and the programs of its versions are run, and a confined command may read them. */
static const char *wrong_program(struct serve_ask *ask, const char *roots,
                                 const struct pingo_action *a)
{
    size_t nversions = a->more ? a->more->nversions : 0;
    for (size_t i = 0; i < a->ntools; i++)
        if (!may_run(roots, a->tools[i]))
            return a->tools[i];
    for (size_t i = 0; i < nversions; i++)
        if (!may_run(roots, a->more->versions[i].argv[0]))
            return a->more->versions[i].argv[0];
    return a->ntools + nversions > 0 ? wrong_folder(ask, roots, a) : NULL;
}

void serve_roots_check(struct serve_ask *ask, const char *roots,
                       const struct pingo_workflow *workflow)
{
    const char *path = NULL;
    for (size_t i = 0; !path && i < pingo_workflow_count(workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(workflow, i);
        for (size_t k = 0; !path && k < a->ninputs; k++)
            if (a->inputs[k].path && !is_beneath(roots, a->inputs[k].path))
                path = a->inputs[k].path;
        if (!path && a->output_path && !is_beneath(roots, a->output_path))
            path = a->output_path;
        if (!path)
            path = wrong_program(ask, roots, a);
    }
    if (path)
        serve_ask_refuse(
            ask, 403, "%.300s does not lie where workflows may name files (serve.inputRoots)", path);
}
