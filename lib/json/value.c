/* value.c - values of a checked document through cJSON.
 *
 * What always holds: the text passed document.c, so cJSON fails only for want of
 * memory, and no tree is deeper than PINGO__JSON_DEPTH.
 * cJSON keeps no positions.  The values of a text in the order in which they
 * begin are the nodes of its tree in preorder; when a position is asked for,
 * both are numbered alike, the nodes in cJSON's otherwise unused valueint. */
#include "json/value.h"

#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "base/array.h"
#include "json/scan.h"

enum { NEAR = 16 }; /* as many children are looked at one after the other anyway */

static const cJSON *node(const struct pingo__json_value *v)
{
    return (const cJSON *)v;
}

static const struct pingo__json_value *value(const cJSON *n)
{
    return (const struct pingo__json_value *)n;
}

static void forget(struct pingo__json_element *e)
{
    cJSON_Delete((cJSON *)e->root);
    e->root = NULL;
    e->nspots = 0;
    memset(e->fingers, 0, sizeof e->fingers);
}

void pingo__json_element_clear(struct pingo__json_element *e)
{
    forget(e);
    free(e->spots);
    *e = (struct pingo__json_element){.document = e->document};
}

bool pingo__json_element_open(struct pingo__json_element *e, size_t offset)
{
    const struct pingo__json_document *d = e->document;
    const char *end = NULL;
    forget(e);
    e->root = (struct pingo__json_value *)cJSON_ParseWithLengthOpts(d->text + offset,
                                                                    d->length - offset, &end, 0);
    if (!e->root)
        return false;
    e->offset = offset;
    e->end = (size_t)(end - d->text);
    return true;
}

size_t pingo__json_next_element(const struct pingo__json_document *d, size_t from)
{
    struct pingo__json_scan s = {.text = d->text, .length = d->length, .at = from};
    pingo__json_skip_space(&s);
    if (s.text[s.at] == ',') {
        s.at++;
        pingo__json_skip_space(&s);
    }
    return s.text[s.at] == ']' ? 0 : s.at;
}

enum pingo__json_kind pingo__json_kind(const struct pingo__json_value *v)
{
    switch (node(v)->type & 0xff) {
    case cJSON_False:
    case cJSON_True:
        return PINGO__JSON_BOOLEAN;
    case cJSON_Number:
        return PINGO__JSON_NUMBER;
    case cJSON_String:
        return PINGO__JSON_STRING;
    case cJSON_Array:
        return PINGO__JSON_ARRAY;
    case cJSON_Object:
        return PINGO__JSON_OBJECT;
    default:
        return PINGO__JSON_NULL;
    }
}

const struct pingo__json_value *pingo__json_first(const struct pingo__json_value *v)
{
    return v ? value(node(v)->child) : NULL;
}

const struct pingo__json_value *pingo__json_next(const struct pingo__json_value *v)
{
    return value(node(v)->next);
}

const struct pingo__json_value *pingo__json_at(const struct pingo__json_value *v, const char *keys)
{
    while (v && *keys) {
        size_t n = strcspn(keys, ".");
        v = pingo__json_kind(v) == PINGO__JSON_OBJECT ? pingo__json_first(v) : NULL;
        while (v && (strncmp(pingo__json_key(v), keys, n) != 0 || pingo__json_key(v)[n]))
            v = pingo__json_next(v);
        keys += n + (keys[n] == '.');
    }
    return v;
}

const char *pingo__json_text_at(const struct pingo__json_value *v, const char *keys,
                                const char *fallback)
{
    const char *text = pingo__json_text(pingo__json_at(v, keys));
    return text ? text : fallback;
}

int64_t pingo__json_integer_at(struct pingo__json_element *e, const struct pingo__json_value *v,
                               const char *keys, int64_t fallback)
{
    int64_t n;
    return pingo__json_integer(e, pingo__json_at(v, keys), &n) ? n : fallback;
}

const char *pingo__json_key(const struct pingo__json_value *v)
{
    return node(v)->string;
}

const char *pingo__json_text(const struct pingo__json_value *v)
{
    return v ? node(v)->valuestring : NULL;
}

bool pingo__json_is_true(const struct pingo__json_value *v)
{
    return (node(v)->type & 0xff) == cJSON_True;
}

/* ---- positions ------------------------------------------------------------ */

static bool add_spot(struct pingo__json_element *e, size_t key, size_t offset)
{
    if (!PINGO__ARRAY_ROOM(e->spots, e->spots_capacity, e->nspots, 1))
        return false;
    e->spots[e->nspots].key = (uint32_t)key;
    e->spots[e->nspots].value = (uint32_t)offset;
    e->nspots++;
    return true;
}

/* Notes where each value of the element's text begins. */
static bool scan_spots(struct pingo__json_element *e)
{
    struct pingo__json_scan s = {.text = e->document->text, .length = e->end, .at = e->offset};
    size_t key = 0;
    while (pingo__json_skip_space(&s), s.at < s.length) {
        struct pingo__json_token token = {.offset = s.at};
        char c = s.text[s.at];
        bool is_key = false;
        if (c == ',' || c == ']' || c == '}') {
            s.at++;
            continue;
        }
        if (c == '{' || c == '[')
            s.at++;
        else
            pingo__json_scan_scalar(&s, &token);
        if (c == '"') {
            pingo__json_skip_space(&s);
            is_key = s.at < s.length && s.text[s.at] == ':';
        }
        if (is_key) {
            key = token.offset;
            s.at++;
        } else if (!add_spot(e, key, token.offset)) {
            return false;
        } else {
            key = 0;
        }
    }
    return true;
}

/* Numbers the nodes in preorder. */
static void number_nodes(cJSON *root)
{
    cJSON *stack[PINGO__JSON_DEPTH + 1];
    size_t depth = 0;
    unsigned number = 0;
    for (cJSON *n = root; n;) {
        n->valueint = (int)number++;
        if (n->child) {
            stack[depth++] = n;
            n = n->child;
            continue;
        }
        while (n != root && !n->next && depth > 0)
            n = stack[--depth];
        n = n == root ? NULL : n->next;
    }
}

bool pingo__json_spot(struct pingo__json_element *e, const struct pingo__json_value *v,
                      struct pingo__json_spot *spot)
{
    if (e->nspots == 0) {
        if (!scan_spots(e)) {
            e->nspots = 0;
            return false;
        }
        number_nodes((cJSON *)e->root);
    }
    *spot = e->spots[(unsigned)node(v)->valueint];
    return true;
}

/* ---- numbers ---------------------------------------------------------------- */

const char *pingo__json_spelling(struct pingo__json_element *e, const struct pingo__json_value *v,
                                 size_t *length)
{
    struct pingo__json_spot spot;
    struct pingo__json_scan s = {.text = e->document->text, .length = e->document->length};
    if (!pingo__json_spot(e, v, &spot))
        return NULL;
    s.at = spot.value;
    pingo__json_skip_value(&s);
    *length = s.at - spot.value;
    return s.text + spot.value;
}

bool pingo__json_integer(struct pingo__json_element *e, const struct pingo__json_value *v,
                         int64_t *integer)
{
    if (!v || pingo__json_kind(v) != PINGO__JSON_NUMBER)
        return false;
    if (!e->document->only_plain_integers) {
        struct pingo__json_scan s = {.text = e->document->text, .length = e->document->length};
        struct pingo__json_spot spot;
        if (!pingo__json_spot(e, v, &spot)) {
            e->no_memory = true;
            return false;
        }
        s.at = spot.value;
        struct pingo__json_token token;
        if (!pingo__json_scan_scalar(&s, &token) || token.integer < 0)
            return false;
    }
    *integer = (int64_t)node(v)->valuedouble;
    return true;
}

int64_t pingo__json_nearly_integer(const struct pingo__json_value *v)
{
    double d = node(v)->valuedouble;
    if (!(d >= 0 && d <= 9007199254740991.0) || (double)(int64_t)d != d)
        return -1;
    return (int64_t)d;
}

/* ---- JSON pointers ------------------------------------------------------------ */

bool pingo__json_part_is_key(const char *part, const char *key)
{
    for (; *part != '\0' && *part != '/'; part++, key++) {
        char c = *part;
        if (c == '~' && (part[1] == '0' || part[1] == '1'))
            c = *++part == '0' ? '~' : '/';
        if (*key == '\0' || *key != c)
            return false;
    }
    return *key == '\0';
}

/* Where the last search in this parent ended, now the first of its like; all 0 where that is not known. */
static struct pingo__json_finger *take_finger(struct pingo__json_element *e, const cJSON *parent)
{
    struct pingo__json_finger mine = {0};
    size_t i = 0;
    while (i < PINGO__JSON_FINGERS - 1 && e->fingers[i].parent != value(parent))
        i++;
    if (e->fingers[i].parent == value(parent))
        mine = e->fingers[i];
    memmove(e->fingers + 1, e->fingers, i * sizeof *e->fingers);
    e->fingers[0] = mine;
    return e->fingers;
}

/* The child that a part of a pointer names, or NULL.  The search begins where the last one in this
 * parent ended, so that questions in the order of the text are answered in linear time. */
static const cJSON *find_child(struct pingo__json_element *e, const cJSON *parent, const char *part)
{
    bool is_array = (parent->type & 0xff) == cJSON_Array;
    size_t index = is_array ? strtoul(part, NULL, 10) : 0, i = 0;
    const cJSON *start = parent->child, *n;
    for (n = start; n && i < NEAR; n = n->next, i++) /* found at once, without a finger */
        if (is_array ? i == index : pingo__json_part_is_key(part, n->string))
            return n;
    if (!n)
        return NULL;
    struct pingo__json_finger *f = take_finger(e, parent);
    start = n;
    if (f->parent && (!is_array || f->index <= index)) {
        start = node(f->child);
        i = f->index;
    }
    for (n = start; n; n = n->next, i++)
        if (is_array ? i == index : pingo__json_part_is_key(part, n->string))
            break;
    for (const cJSON *m = parent->child; !n && !is_array && m != start; m = m->next)
        if (pingo__json_part_is_key(part, m->string))
            n = m;
    if (n)
        *f = (struct pingo__json_finger){.parent = value(parent), .child = value(n), .index = i};
    return n;
}

const struct pingo__json_value *pingo__json_find(struct pingo__json_element *e, const char *pointer)
{
    const cJSON *n = node(e->root);
    for (size_t depth = 0; *pointer == '/' && depth < PINGO__JSON_DEPTH; depth++) {
        int kind = n->type & 0xff;
        pointer++;
        if (kind != cJSON_Array && kind != cJSON_Object)
            break;
        const cJSON *child = find_child(e, n, pointer);
        if (!child)
            break;
        n = child;
        pointer += strcspn(pointer, "/");
    }
    return value(n);
}
