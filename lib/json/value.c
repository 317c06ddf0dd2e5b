/* value.c - values of a checked document.
 *
 * What always holds: the text passed document.c, so only want of memory is a failure, and no tree is deeper than
 * PINGO__JSON_DEPTH; nothing here recurses. */
#include "json/value.h"

#include <stdlib.h>
#include <string.h>

#include "json/scan.h"

void pingo__json_element_init(struct pingo__json_element *e,
                              const struct pingo__json_document *document)
{
    memset(e, 0, sizeof *e);
    e->document = document;
}

void pingo__json_element_clear(struct pingo__json_element *e)
{
    pingo__arena_clear(&e->arena);
    pingo__json_element_init(e, e->document);
}

static bool read_key(struct pingo__json_element *e, struct pingo__json_scan *s,
                     struct pingo__json_value *v)
{
    struct pingo__json_token token;
    size_t length;
    pingo__json_scan_string(s, &token);
    v->key_offset = (uint32_t)token.offset;
    v->key = pingo__json_decode(s, &token, &e->arena, &length);
    pingo__json_skip_space(s);
    s->at++; /* the colon */
    pingo__json_skip_space(s);
    return v->key;
}

static bool read_scalar(struct pingo__json_element *e, struct pingo__json_scan *s,
                        struct pingo__json_value *v)
{
    struct pingo__json_token token;
    size_t length;
    pingo__json_scan_scalar(s, &token);
    v->end = (uint32_t)s->at;
    v->is_true = s->text[v->offset] == 't';
    if (v->kind == PINGO__JSON_NUMBER)
        v->integer = token.integer;
    if (v->kind == PINGO__JSON_STRING)
        v->text = pingo__json_decode(s, &token, &e->arena, &length);
    return v->kind != PINGO__JSON_STRING || v->text;
}

/* The value that begins here, behind the last one of its parent; NULL: no memory. */
static struct pingo__json_value *read_value(struct pingo__json_element *e,
                                            struct pingo__json_scan *s,
                                            struct pingo__json_value *parent,
                                            struct pingo__json_value *last)
{
    struct pingo__json_value *v = pingo__arena_alloc(&e->arena, sizeof *v);
    if (!v || (parent && parent->kind == PINGO__JSON_OBJECT && !read_key(e, s, v)))
        return NULL;
    v->parent = parent;
    v->integer = -1;
    v->offset = (uint32_t)s->at;
    v->kind = pingo__json_kind_of(s->text[s->at]);
    *(last ? &last->next : parent ? &parent->first : &e->root) = v;
    return v->kind >= PINGO__JSON_ARRAY || read_scalar(e, s, v) ? v : NULL;
}

static bool open_at(struct pingo__json_element *e, size_t offset, bool is_flat)
{
    const struct pingo__json_document *d = e->document;
    struct pingo__json_scan s = {.text = d->text, .length = d->length, .at = offset};
    struct pingo__json_value *parent = NULL, *last = NULL;
    pingo__arena_reset(&e->arena);
    memset(e->fingers, 0, sizeof e->fingers);
    do {
        char c = s.text[s.at];
        if (c == ']' || c == '}') {
            last = parent;
            parent = (struct pingo__json_value *)last->parent;
            last->end = (uint32_t)++s.at;
        } else if (c == ',') {
            s.at++;
        } else {
            last = read_value(e, &s, parent, last);
            if (!last) {
                e->root = NULL;
                return false;
            }
            if (last->kind >= PINGO__JSON_ARRAY && is_flat && parent) {
                pingo__json_skip_value(&s);
                last->end = (uint32_t)s.at;
            } else if (last->kind >= PINGO__JSON_ARRAY) {
                s.at++;
                parent = last;
                last = NULL;
            }
        }
        if (parent)
            pingo__json_skip_space(&s);
    } while (parent);
    e->end = s.at;
    return true;
}

bool pingo__json_element_open(struct pingo__json_element *e, size_t offset)
{
    return open_at(e, offset, false);
}

bool pingo__json_element_open_flat(struct pingo__json_element *e, size_t offset)
{
    return open_at(e, offset, true);
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

int64_t pingo__json_nearly_integer(const struct pingo__json_element *e,
                                   const struct pingo__json_value *v)
{
    struct pingo__json_decimal d =
        pingo__json_decimal(e->document->text + v->offset, v->end - v->offset);
    if (d.digits == 0)
        return 0;
    for (; d.power < 0 && d.digits % 10 == 0; d.power++)
        d.digits /= 10;
    for (; d.power > 0 && d.digits <= PINGO__JSON_INTEGER_MAX; d.power--)
        d.digits *= 10;
    return d.power || d.below || d.digits > PINGO__JSON_INTEGER_MAX ? -1 : (int64_t)d.digits;
}

const char *pingo__json_spelling(const struct pingo__json_element *e,
                                 const struct pingo__json_value *v, size_t *length)
{
    *length = v->end - v->offset;
    return e->document->text + v->offset;
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

/* The child that a part of a pointer names, or NULL.  The search begins where the last one in this
 * parent ended, so that questions in the order of the text are answered in linear time. */
static const struct pingo__json_value *find_child(struct pingo__json_element *e,
                                                  const struct pingo__json_value *parent,
                                                  const char *part)
{
    struct pingo__json_finger *f =
        &e->fingers[((uintptr_t)parent >> 4) * 2654435761u % PINGO__JSON_FINGERS];
    bool is_array = parent->kind == PINGO__JSON_ARRAY;
    size_t index = is_array ? strtoul(part, NULL, 10) : 0, i = 0;
    const struct pingo__json_value *start = parent->first, *n;
    if (f->parent == parent && (!is_array || f->index <= index)) {
        start = f->child;
        i = f->index;
    }
    for (n = start; n; n = n->next, i++)
        if (is_array ? i == index : pingo__json_part_is_key(part, n->key))
            break;
    for (const struct pingo__json_value *m = parent->first; !n && !is_array && m != start;
         m = m->next)
        if (pingo__json_part_is_key(part, m->key))
            n = m;
    /* What is found at once anyway shall not take the place of another's finger. */
    if (n && i >= 16) {
        f->parent = parent;
        f->child = n;
        f->index = i;
    }
    return n;
}

const struct pingo__json_value *pingo__json_find(struct pingo__json_element *e, const char *pointer)
{
    const struct pingo__json_value *v = e->root, *child;
    for (; *pointer == '/' && v->kind >= PINGO__JSON_ARRAY; v = child) {
        child = find_child(e, v, ++pointer);
        if (!child)
            break;
        pointer += strcspn(pointer, "/");
    }
    return v;
}
