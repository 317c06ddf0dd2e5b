/* value.c - values of a checked document.
 *
 * What always holds: the text passed document.c, so reading it fails only for want of
 * memory, and no tree is deeper than PINGO__JSON_DEPTH. */
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

static int64_t plain_integer(const char *digits, size_t n)
{
    int64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v * 10 + (digits[i] - '0');
    return v;
}

/* The string that begins here, decoded; NULL: no memory. */
static const char *read_string(struct pingo__json_element *e, struct pingo__json_scan *s)
{
    struct pingo__json_token token;
    size_t length;
    pingo__json_scan_string(s, &token);
    return pingo__json_decode(s, &token, &e->arena, &length);
}

/* The value that begins here, with its key in an object; of an array or object its beginning alone. */
static struct pingo__json_value *read_value(struct pingo__json_element *e,
                                            struct pingo__json_scan *s, bool is_member)
{
    struct pingo__json_value *v = pingo__arena_alloc(&e->arena, sizeof *v);
    if (!v)
        return NULL;
    if (is_member) {
        v->key_offset = (uint32_t)s->at;
        v->key = read_string(e, s);
        if (!v->key)
            return NULL;
        pingo__json_skip_space(s);
        s->at++; /* the colon */
        pingo__json_skip_space(s);
    }
    struct pingo__json_token token;
    v->offset = (uint32_t)s->at;
    v->kind = pingo__json_kind_of(s->text[s->at]);
    switch (v->kind) {
    case PINGO__JSON_ARRAY:
    case PINGO__JSON_OBJECT:
        s->at++;
        break;
    case PINGO__JSON_STRING:
        v->text = read_string(e, s);
        return v->text ? v : NULL;
    case PINGO__JSON_NUMBER:
        pingo__json_scan_number(s, &token);
        v->is_plain = token.is_plain;
        v->text = s->text + token.offset;
        v->length = (uint32_t)(token.end - token.offset);
        break;
    case PINGO__JSON_BOOLEAN:
        v->is_true = s->text[s->at] == 't';
        pingo__json_scan_word(s, &token);
        break;
    case PINGO__JSON_NULL:
        pingo__json_scan_word(s, &token);
        break;
    }
    return v;
}

bool pingo__json_element_open(struct pingo__json_element *e, size_t offset)
{
    const struct pingo__json_document *d = e->document;
    struct pingo__json_scan s = {.text = d->text, .length = d->length, .at = offset};
    struct pingo__json_value *parents[PINGO__JSON_DEPTH], **link = &e->root;
    size_t depth = 0;
    pingo__arena_reset(&e->arena);
    memset(e->fingers, 0, sizeof e->fingers);
    e->root = NULL;
    do {
        pingo__json_skip_space(&s);
        char c = s.text[s.at];
        if (c == ',') {
            s.at++;
        } else if (c == ']' || c == '}') {
            s.at++;
            link = &parents[--depth]->next;
        } else {
            bool is_member = depth > 0 && parents[depth - 1]->kind == PINGO__JSON_OBJECT;
            struct pingo__json_value *v = *link = read_value(e, &s, is_member);
            if (!v)
                return false;
            link = &v->next;
            if (v->kind == PINGO__JSON_ARRAY || v->kind == PINGO__JSON_OBJECT) {
                link = &v->first;
                parents[depth++] = v;
            }
        }
    } while (depth > 0);
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
    if (v->kind != PINGO__JSON_NUMBER || !v->is_plain)
        return false;
    *integer = plain_integer(v->text, v->length);
    return true;
}

static long exponent_of(const char *c, const char *end)
{
    bool negative = *c == '-';
    long exponent = 0;
    for (c += *c == '-' || *c == '+'; c < end; c++)
        if (exponent < 100000)
            exponent = exponent * 10 + (*c - '0');
    return negative ? -exponent : exponent;
}

int64_t pingo__json_nearly_integer(const struct pingo__json_value *v)
{
    char digits[PINGO__JSON_NUMBER_LENGTH + 400];
    const char *c = v->text, *end = c + v->length;
    bool negative = *c == '-', fraction = false;
    size_t n = 0;
    long power = 0; /* of ten, by which the digits are multiplied */
    for (c += negative; c < end && *c != 'e' && *c != 'E'; c++) {
        fraction = fraction || *c == '.';
        if (*c == '.' || (n == 0 && *c == '0' && !fraction))
            continue;
        digits[n++] = *c;
        power -= fraction;
    }
    if (c < end)
        power += exponent_of(c + 1, end);
    while (n > 0 && digits[n - 1] == '0') {
        n--;
        power++;
    }
    size_t zeros = 0;
    while (zeros < n && digits[zeros] == '0')
        zeros++;
    if (n == zeros)
        return 0;
    if (negative || power < 0 || (size_t)power + n - zeros > 16)
        return -1;
    for (; power > 0; power--)
        digits[n++] = '0';
    int64_t integer = plain_integer(digits + zeros, n - zeros);
    return integer <= INT64_C(9007199254740991) ? integer : -1;
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
