/* value.c - a value of a checked document as a tree.
 *
 * What always holds: the text passed document.c, so nothing fails but for want of memory, and no tree is
 * deeper than PINGO__JSON_DEPTH. */
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

/* A string without quotes and escapes.  NULL: no memory. */
static const char *read_string(struct pingo__json_element *e, struct pingo__json_scan *s)
{
    struct pingo__json_token token;
    size_t length;
    pingo__json_scan_string(s, &token);
    return pingo__json_decode(s, &token, &e->arena, &length);
}

/* The value that begins here, with its key where it is a member; of an array or object the beginning.
 * NULL: no memory. */
static struct pingo__json_value *read_value(struct pingo__json_element *e,
                                            struct pingo__json_scan *s, bool is_member)
{
    struct pingo__json_value *v = pingo__arena_array(&e->arena, 1, sizeof *v);
    struct pingo__json_token token = {.is_plain = false};
    if (!v)
        return NULL;
    if (is_member) {
        v->key_offset = (uint32_t)s->at;
        v->key = read_string(e, s);
        if (!v->key)
            return NULL;
        pingo__json_skip_space(s);
        s->at++;
        pingo__json_skip_space(s);
    }
    v->offset = (uint32_t)s->at;
    v->kind = pingo__json_kind_at(s);
    if (v->kind == PINGO__JSON_STRING)
        v->text = read_string(e, s);
    else if (v->kind == PINGO__JSON_ARRAY || v->kind == PINGO__JSON_OBJECT)
        s->at++;
    else
        pingo__json_scan_scalar(s, &token);
    if (v->kind != PINGO__JSON_STRING)
        v->text = s->text + v->offset;
    v->is_plain = token.is_plain;
    v->length = (uint32_t)(s->at - v->offset);
    return v->text ? v : NULL;
}

bool pingo__json_element_open(struct pingo__json_element *e, size_t offset)
{
    struct pingo__json_scan s = {
        .text = e->document->text, .length = e->document->length, .at = offset};
    struct pingo__json_value *open[PINGO__JSON_DEPTH], *root = NULL;
    struct pingo__json_value **next[PINGO__JSON_DEPTH + 1] = {&root};
    size_t depth = 0;
    pingo__arena_reset(&e->arena);
    memset(e->fingers, 0, sizeof e->fingers);
    e->root = NULL;
    do {
        pingo__json_skip_space(&s);
        char c = s.text[s.at];
        if (c == ']' || c == '}') {
            s.at++;
            depth--;
            open[depth]->length = (uint32_t)(s.at - open[depth]->offset);
        } else if (c == ',') {
            s.at++;
        } else {
            struct pingo__json_value *v =
                read_value(e, &s, depth > 0 && open[depth - 1]->kind == PINGO__JSON_OBJECT);
            if (!v)
                return false;
            *next[depth] = v;
            next[depth] = &v->next;
            if (v->kind == PINGO__JSON_ARRAY || v->kind == PINGO__JSON_OBJECT) {
                open[depth++] = v;
                next[depth] = &v->first;
            }
        }
    } while (depth > 0);
    e->root = root;
    e->end = s.at;
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

/* ---- numbers ---------------------------------------------------------------- */

bool pingo__json_integer(const struct pingo__json_value *v, int64_t *integer)
{
    if (!v->is_plain)
        return false;
    *integer = 0;
    for (size_t i = 0; i < v->length; i++)
        *integer = *integer * 10 + (v->text[i] - '0');
    return true;
}

int64_t pingo__json_nearly_integer(const struct pingo__json_value *v)
{
    struct pingo__json_decimal d;
    int64_t integer = 0;
    pingo__json_decimal(v->text, v->length, &d);
    if (d.ndigits > 0 && (v->text[0] == '-' || d.exponent < 0 || d.exponent > 15))
        return -1;
    for (size_t i = 0; i < d.ndigits || (d.ndigits > 0 && i <= (size_t)d.exponent); i++) {
        int digit = i < d.ndigits ? d.digits[i] - '0' : 0;
        if (i > (size_t)d.exponent && digit != 0)
            return -1;
        if (i <= (size_t)d.exponent)
            integer = integer * 10 + digit;
    }
    return integer <= PINGO__JSON_INTEGER_MAX ? integer : -1;
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
    const struct pingo__json_value *n = e->root;
    for (size_t depth = 0; *pointer == '/' && depth < PINGO__JSON_DEPTH; depth++) {
        pointer++;
        if (n->kind != PINGO__JSON_ARRAY && n->kind != PINGO__JSON_OBJECT)
            break;
        const struct pingo__json_value *child = find_child(e, n, pointer);
        if (!child)
            break;
        n = child;
        pointer += strcspn(pointer, "/");
    }
    return n;
}
