/* export_names.c - what an export is called: by the name of its action, or by a pattern. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/called.h"
#include "base/error.h"
#include "engine/look/export.h"

/* A path that grows part by part.  No part begins with a dot or is empty; only the pattern begins a new one, so that
 * all paths are equally deep, and none lies below another. */
struct namer {
    const struct pingo__engine_exported *a;
    int64_t workflow;
    bool with_id;
    bool has_ext; /* the pattern says {ext}: then {name} leaves it out */
    struct pingo__buffer b;
    size_t part; /* where the last part begins */
};

static void put(struct namer *n, const char *text, size_t length)
{
    pingo__called_put(&n->b, n->part, text, length);
}

static void put_text(struct namer *n, const char *text)
{
    put(n, text, strlen(text));
}

static void end_part(struct namer *n)
{
    pingo__called_end(&n->b, n->part, n->a->node.user_id);
}

/* ---- patterns ---------------------------------------------------------------------------------- */

static int put_label(struct namer *n, const char *key, size_t length, struct pingo_error *err)
{
    const struct pingo__engine_exported *a = n->a;
    for (size_t i = 0; i + 1 < a->nlabels; i += 2)
        if (strlen(a->labels[i]) == length && memcmp(a->labels[i], key, length) == 0) {
            put_text(n, a->labels[i + 1]);
            return 0;
        }
    return pingo__fail(err, PINGO_ENOTFOUND,
                       "action %" PRId64 " (%s) has no label \"%.*s\", for which the template asks",
                       a->node.user_id, a->node.name, (int)length, key);
}

static int put_word(struct namer *n, const char *word, size_t length, struct pingo_error *err)
{
    static const char *const words[] = {"name", "ext", "id", "hash", "output", "workflow"};
    const struct pingo__engine_exported *a = n->a;
    const char *suffixes = pingo__called_suffixes(a->output);
    size_t i = 0;
    if (length > 6 && memcmp(word, "label.", 6) == 0)
        return put_label(n, word + 6, length - 6, err);
    while (i < 6 && (strlen(words[i]) != length || memcmp(words[i], word, length) != 0))
        i++;
    char text[PINGO_HASH_HEX_SIZE];
    switch (i) {
    case 0:
        put(n, a->node.name,
            n->has_ext ? pingo__called_stem(a->node.name, suffixes) : strlen(a->node.name));
        if (n->with_id)
            pingo__buffer_format(&n->b, "-%" PRId64, a->node.user_id);
        return 0;
    case 1:
        put_text(n, suffixes);
        return 0;
    case 2:
        pingo__buffer_integer(&n->b, a->node.user_id);
        return 0;
    case 3:
        pingo_hash_to_hex(&a->node.hash, text);
        put_text(n, text);
        return 0;
    case 4:
        put_text(n, *a->output ? a->output : "stdout");
        return 0;
    case 5:
        pingo__buffer_integer(&n->b, n->workflow);
        return 0;
    default:
        return pingo__fail(err, PINGO_EINVAL,
                           "the template knows no {%.*s}: {name}, {ext}, {id}, {hash}, {output}, "
                           "{workflow} or {label.KEY}",
                           (int)length, word);
    }
}

/* One step through the pattern.  *p: behind what was read. */
static int expand(struct namer *n, const char **p, struct pingo_error *err)
{
    const char *at = *p;
    if (*at == '/') {
        end_part(n);
        pingo__buffer_char(&n->b, '/');
        n->part = n->b.length;
        *p = at + 1;
        return 0;
    }
    if ((*at == '{' || *at == '}') && at[1] == *at) { /* itself, doubled */
        put(n, at, 1);
        *p = at + 2;
        return 0;
    }
    if (*at != '{' && *at != '}') {
        size_t length = strcspn(at, "{}/");
        put(n, at, length);
        *p = at + length;
        return 0;
    }
    const char *end = strchr(at, '}');
    if (*at == '}' || !end)
        return pingo__fail(err, PINGO_EINVAL,
                           "the template has a \"%c\" alone; double it to mean itself", *at);
    *p = end + 1;
    return put_word(n, at + 1, (size_t)(end - at - 1), err);
}

static int check_pattern(const char *pattern, struct pingo_error *err)
{
    const char *part = pattern;
    while (part) {
        size_t length = strcspn(part, "/");
        if (length == 0 || *part == '.')
            return pingo__fail(err, PINGO_EINVAL,
                               "%s: a template is a relative path, and no part of it is empty or "
                               "begins with a dot",
                               pattern);
        part = part[length] ? part + length + 1 : NULL;
    }
    return 0;
}

/* ---- all of them ------------------------------------------------------------------------------ */

struct naming {
    const struct pingo__engine_export_list *l;
    const char *pattern;
    char **names;
    struct pingo_error *err;
};

static int name_one(const struct naming *x, size_t i, bool with_id)
{
    const char *pattern = x->pattern;
    struct namer n = {.a = &x->l->actions[i],
                      .workflow = x->l->named.workflow.id,
                      .with_id = with_id,
                      .has_ext = strstr(pattern, "{ext}")};
    int rc = 0;
    while (!rc && *pattern)
        rc = expand(&n, &pattern, x->err);
    end_part(&n);
    free(x->names[i]);
    x->names[i] = pingo__buffer_take(&n.b);
    if (!rc && !x->names[i])
        rc = pingo__fail_memory(x->err);
    pingo__buffer_clear(&n.b);
    return rc;
}

static int give_id(void *naming, size_t i)
{
    return name_one(naming, i, true);
}

static int tell_repeat(const struct naming *x, const size_t clash[2])
{
    const struct pingo__store_node *first = &x->l->actions[clash[0]].node;
    const struct pingo__store_node *second = &x->l->actions[clash[1]].node;
    return pingo__fail(x->err, PINGO_EAMBIGUOUS,
                       "the template gives %s to action %" PRId64 " (%s) and to action %" PRId64
                       " (%s); say {id} in it",
                       x->names[clash[1]], first->user_id, first->name, second->user_id,
                       second->name);
}

int pingo__engine_export_names(const struct pingo__engine_export_list *l, const char *pattern,
                               char **names, struct pingo_error *err)
{
    struct naming x = {l, pattern ? pattern : "{name}{ext}", names, err};
    size_t clash[2];
    int rc = check_pattern(x.pattern, err);
    for (size_t i = 0; !rc && i < l->n; i++)
        rc = name_one(&x, i, false);
    if (rc)
        return rc;
    rc = pingo__called_apart(names, l->n, pattern ? NULL : give_id, &x, clash);
    return rc == PINGO_EAMBIGUOUS ? tell_repeat(&x, clash)
           : rc == PINGO_ENOMEM   ? pingo__fail_memory(err)
                                  : rc;
}
