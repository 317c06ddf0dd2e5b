/* roots.c - see roots.h. */
#include "serve/api/roots.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        size_t length = realpath(named, root) ? strlen(root) : 0;
        if (length == 1) /* "/" */
            return true;
        if (length > 0 && strncmp(real, root, length) == 0 &&
            (real[length] == '/' || real[length] == '\0'))
            return true;
    }
    return false;
}

void serve_roots(struct serve_ask *ask, const char **roots)
{
    char *value = NULL;
    struct serve_worker *w = ask->worker;
    *roots = NULL;
    if (ask->is_wrong || ask->request->who.role >= SERVE_ADMIN)
        return;
    serve_end(ask, pingo_store_get(w->store, "serve.inputRoots", &value, &w->err));
    if (!ask->is_wrong && strcmp(value, "none") != 0)
        *roots = pingo__arena_text(&w->arena, value, strlen(value));
    if (!ask->is_wrong && strcmp(value, "none") != 0 && !*roots) {
        serve_refuse(ask->answer, 503, "out of memory");
        ask->is_wrong = true;
    }
    free(value);
}

bool serve_roots_allow(struct serve_ask *ask, const char *roots,
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
    }
    if (path)
        serve_refuse(ask->answer, 403,
                     "%.512s does not lie where workflows may name files (serve.inputRoots)", path);
    ask->is_wrong = ask->is_wrong || path;
    return !path;
}
