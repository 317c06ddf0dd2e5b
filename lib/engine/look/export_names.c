/* export_names.c - what an export is called: by the name of its action, or by a pattern. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/called.h"
#include "base/error.h"
#include "base/map.h"
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

enum mark { PLAIN, REPEATS, HAS_ID };

/* The names so far, and who had them first. */
struct naming {
    const struct pingo__engine_export_list *l;
    const char *pattern;
    char **names;
    unsigned char *marks; /* NULL: a name that repeats is an error */
    bool again;
};

static int name_one(const struct naming *x, size_t i, bool with_id, struct pingo_error *err)
{
    const char *pattern = x->pattern;
    struct namer n = {.a = &x->l->actions[i],
                      .workflow = x->l->named.workflow.id,
                      .with_id = with_id,
                      .has_ext = strstr(pattern, "{ext}")};
    int rc = 0;
    while (!rc && *pattern)
        rc = expand(&n, &pattern, err);
    end_part(&n);
    free(x->names[i]);
    x->names[i] = pingo__buffer_take(&n.b);
    if (!rc && !x->names[i])
        rc = pingo__fail_memory(err);
    pingo__buffer_clear(&n.b);
    return rc;
}

static int tell_repeat(const struct naming *x, size_t a, size_t b, struct pingo_error *err)
{
    const struct pingo__store_node *first = &x->l->actions[a].node, *second = &x->l->actions[b].node;
    return pingo__fail(err, PINGO_EAMBIGUOUS,
                       "the template gives %s to action %" PRId64 " (%s) and to action %" PRId64
                       " (%s); say {id} in it",
                       x->names[b], first->user_id, first->name, second->user_id, second->name);
}

/* Marks what has the name of another. */
static int mark_repeats(struct naming *x, struct pingo_error *err)
{
    struct pingo__map first = {0}; /* name -> the position that had it first */
    int rc = 0;
    x->again = false;
    for (size_t i = 0; !rc && i < x->l->n; i++) {
        uint32_t other = PINGO__MAP_NONE;
        if (!pingo__map_insert(&first, x->names[i], strlen(x->names[i]), (uint32_t)i, &other)) {
            rc = pingo__fail_memory(err);
        } else if (other != PINGO__MAP_NONE &&
                   (!x->marks || (x->marks[i] == HAS_ID && x->marks[other] == HAS_ID))) {
            rc = tell_repeat(x, other, i, err);
        } else if (other != PINGO__MAP_NONE && (x->marks[i] == PLAIN || x->marks[other] == PLAIN)) {
            x->marks[i] = x->marks[i] == PLAIN ? REPEATS : x->marks[i];
            x->marks[other] = x->marks[other] == PLAIN ? REPEATS : x->marks[other];
            x->again = true;
        }
    }
    pingo__map_clear(&first);
    return rc;
}

/* "-ID" where a name repeats; and again, for "a-2" may be the name of another. */
static int part_repeats(struct naming *x, struct pingo_error *err)
{
    int rc = mark_repeats(x, err);
    while (!rc && x->again) {
        for (size_t i = 0; !rc && i < x->l->n; i++) {
            if (x->marks[i] != REPEATS)
                continue;
            x->marks[i] = HAS_ID;
            rc = name_one(x, i, true, err);
        }
        if (!rc)
            rc = mark_repeats(x, err);
    }
    return rc;
}

int pingo__engine_export_names(const struct pingo__engine_export_list *l, const char *pattern,
                               char **names, struct pingo_error *err)
{
    size_t n = l->n;
    struct naming x = {.l = l, .pattern = pattern ? pattern : "{name}{ext}", .names = names};
    int rc = check_pattern(x.pattern, err);
    if (!rc && !pattern && !(x.marks = calloc(n + 1, sizeof *x.marks)))
        rc = pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = name_one(&x, i, false, err);
    if (!rc)
        rc = part_repeats(&x, err);
    free(x.marks);
    return rc;
}
