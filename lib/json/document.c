/* document.c - the strict pass over a JSON text.
 *
 * What always holds: the stack has a fixed number of frames, so no depth of the
 * text is a depth of calls; time is linear in the text, also for objects with
 * very many keys.  It does not read values: that is value.c. */
#include "json/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"
#include "base/text.h"
#include "json/scan.h"

/* Up to here a key is compared with each earlier one of its object. */
#define FEW_KEYS 16

struct key {
    const char *bytes; /* without escapes, not ended */
    size_t length;
};

/* An array or object that has begun and not ended. */
struct frame {
    bool is_object;
    size_t first_key;      /* of an object: where its keys begin among pass.keys */
    uint32_t count;        /* of values that have begun */
    size_t key_offset;     /* of an object: its newest key; 0: none yet */
    struct pingo__map map; /* of an object with many keys: all of them */
};

struct pass {
    struct pingo__json_scan scan;
    struct pingo__json_document *document;
    struct frame frames[PINGO__JSON_DEPTH];
    size_t depth;
    struct key *keys; /* of all open objects */
    size_t nkeys, keys_capacity;
    struct pingo__json_member *members;
    size_t members_capacity;
    struct pingo__arena keys_arena; /* keys that had escapes */
    bool no_memory;
};

enum next { NEXT_VALUE, NEXT_KEY, NEXT_AFTER, NEXT_DONE, NEXT_FAULT };

static bool out_of_memory(struct pass *p)
{
    p->no_memory = true;
    return false;
}

/* Notes a member of the outermost object, whose value begins here. */
static bool note_member(struct pass *p, enum pingo__json_kind kind)
{
    struct pingo__json_document *d = p->document;
    const struct key *key = &p->keys[p->nkeys - 1];
    struct pingo__json_member *m;
    if (!PINGO__ARRAY_ROOM(p->members, p->members_capacity, d->nmembers, 1))
        return out_of_memory(p);
    m = &p->members[d->nmembers];
    m->key = pingo__arena_text(&d->arena, key->bytes, key->length);
    if (!m->key)
        return out_of_memory(p);
    m->key_offset = (uint32_t)p->frames[0].key_offset;
    m->offset = (uint32_t)p->scan.at;
    m->count = 0;
    m->kind = kind;
    d->nmembers++;
    return true;
}

static bool push(struct pass *p, bool is_object)
{
    if (p->depth == PINGO__JSON_DEPTH)
        return pingo__json_fault_at(
            &p->scan, p->scan.at, "arrays and objects may stand within each other at most %d deep",
            PINGO__JSON_DEPTH);
    struct frame *f = &p->frames[p->depth++];
    memset(f, 0, sizeof *f);
    f->is_object = is_object;
    f->first_key = p->nkeys;
    p->scan.at++;
    return true;
}

static void pop(struct pass *p)
{
    struct frame *f = &p->frames[--p->depth];
    pingo__map_clear(&f->map);
    if (p->depth == 1 && p->frames[0].is_object)
        p->members[p->document->nmembers - 1].count = f->count;
    p->nkeys = f->first_key;
    p->scan.at++;
}

/* Is the key new to its object?  *existing says whether not. */
static bool find_key(struct pass *p, const struct key *key, bool *existing)
{
    struct frame *f = &p->frames[p->depth - 1];
    size_t n = p->nkeys - f->first_key;
    const struct key *keys = n > 0 ? p->keys + f->first_key : NULL;
    uint32_t before = PINGO__MAP_NONE;
    *existing = false;
    if (n < FEW_KEYS) {
        for (size_t i = 0; i < n; i++)
            if (keys[i].length == key->length && memcmp(keys[i].bytes, key->bytes, key->length) == 0)
                *existing = true;
        return true;
    }
    for (size_t i = 0; n == FEW_KEYS && i < n; i++)
        if (!pingo__map_insert(&f->map, keys[i].bytes, keys[i].length, 0, NULL))
            return out_of_memory(p);
    if (!pingo__map_insert(&f->map, key->bytes, key->length, 0, &before))
        return out_of_memory(p);
    *existing = before != PINGO__MAP_NONE;
    return true;
}

static bool note_key(struct pass *p, const struct key *key)
{
    if (!PINGO__ARRAY_ROOM(p->keys, p->keys_capacity, p->nkeys, 1))
        return out_of_memory(p);
    p->keys[p->nkeys++] = *key;
    return true;
}

static bool scan_key(struct pass *p)
{
    struct pingo__json_scan *s = &p->scan;
    p->frames[p->depth - 1].key_offset = 0;
    if (s->at >= s->length || s->text[s->at] != '"')
        return pingo__json_expected(s, "a key in double quotes");
    struct pingo__json_token token;
    if (!pingo__json_scan_string(s, &token))
        return false;
    struct key key;
    key.bytes = s->text + token.offset + 1;
    key.length = token.end - token.offset - 2;
    if (token.has_escapes) {
        key.bytes = pingo__json_decode(s, &token, &p->keys_arena, &key.length);
        if (!key.bytes)
            return out_of_memory(p);
    }
    bool existing = false; /* of others that is none of our business */
    if (!p->document->is_foreign && !find_key(p, &key, &existing))
        return false;
    p->frames[p->depth - 1].key_offset = token.offset;
    if (existing)
        return pingo__json_fault_at(s, token.offset,
                                    "the key \"%.*s\" stands twice in this object: remove one",
                                    key.length > 80 ? 80 : (int)key.length, key.bytes);
    if (!note_key(p, &key))
        return false;
    pingo__json_skip_space(s);
    if (s->at >= s->length || s->text[s->at] != ':')
        return pingo__json_expected(s, "':' after a key");
    s->at++;
    return true;
}

static enum next scan_value(struct pass *p)
{
    struct pingo__json_scan *s = &p->scan;
    pingo__json_skip_space(s);
    if (s->at >= s->length) {
        pingo__json_expected(s, "a value");
        return NEXT_FAULT;
    }
    char c = s->text[s->at];
    p->document->nvalues++;
    if (p->depth == 0) {
        p->document->kind = pingo__json_kind_of(c);
        p->document->offset = s->at;
    } else {
        p->frames[p->depth - 1].count++;
        if (p->depth == 1 && p->frames[0].is_object && !note_member(p, pingo__json_kind_of(c)))
            return NEXT_FAULT;
    }
    struct pingo__json_token token = {.integer = 0};
    if (c != '{' && c != '[') {
        bool good = pingo__json_scan_scalar(s, &token);
        p->document->only_plain_integers &= token.integer >= 0;
        return good ? NEXT_AFTER : NEXT_FAULT;
    }
    if (!push(p, c == '{'))
        return NEXT_FAULT;
    pingo__json_skip_space(s);
    if (s->at < s->length && s->text[s->at] == (c == '{' ? '}' : ']')) {
        pop(p);
        return NEXT_AFTER;
    }
    return c == '{' ? NEXT_KEY : NEXT_VALUE;
}

/* What follows a value: a comma, or the end of what holds it. */
static enum next scan_after(struct pass *p)
{
    struct pingo__json_scan *s = &p->scan;
    if (p->depth == 0)
        return NEXT_DONE;
    pingo__json_skip_space(s);
    char c = s->at < s->length ? s->text[s->at] : '\0';
    bool is_object = p->frames[p->depth - 1].is_object;
    char end = is_object ? '}' : ']';
    if (c == end) {
        pop(p);
        return NEXT_AFTER;
    }
    if (c != ',') {
        pingo__json_expected(s, is_object ? "',' or '}' after a member"
                                          : "',' or ']' after an element");
        return NEXT_FAULT;
    }
    s->at++;
    pingo__json_skip_space(s);
    if (s->at < s->length && s->text[s->at] == end) {
        pingo__json_fault_at(s, s->at, "a comma before '%c': remove it", end);
        return NEXT_FAULT;
    }
    return is_object ? NEXT_KEY : NEXT_VALUE;
}

static bool run(struct pass *p)
{
    struct pingo__json_scan *s = &p->scan;
    enum next next = NEXT_VALUE;
    if (s->length >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0)
        return pingo__json_fault_at(s, 0, "a byte order mark: JSON text has none, remove it");
    pingo__json_skip_space(s);
    if (s->at >= s->length)
        return pingo__json_fault_at(s, s->at, "the document is empty: it begins with '{'");
    while (next != NEXT_DONE) {
        if (next == NEXT_VALUE)
            next = scan_value(p);
        else if (next == NEXT_AFTER)
            next = scan_after(p);
        else
            next = scan_key(p) ? NEXT_VALUE : NEXT_FAULT;
        if (next == NEXT_FAULT)
            return false;
    }
    pingo__json_skip_space(s);
    if (s->at < s->length)
        return pingo__json_expected(s, "nothing more after the end of the document");
    return true;
}

void pingo__json_pointer_add(struct pingo__buffer *pointer, const char *key)
{
    pingo__buffer_char(pointer, '/');
    for (; *key != '\0'; key++) {
        if (*key == '~' || *key == '/')
            pingo__buffer_text(pointer, *key == '~' ? "~0" : "~1");
        else
            pingo__buffer_char(pointer, *key);
    }
}

/* The JSON pointer of the value that is being read, from the open frames. */
static char *fault_pointer(struct pass *p)
{
    struct pingo__json_scan *s = &p->scan;
    struct pingo__json_scan key_scan = *s;
    struct pingo__buffer pointer = {0};
    char *text = NULL;
    for (size_t i = 0; i < p->depth; i++) {
        const struct frame *f = &p->frames[i];
        if (!f->is_object) {
            pingo__buffer_format(&pointer, "/%zu", (size_t)(f->count > 0 ? f->count - 1 : 0));
            continue;
        }
        key_scan.at = f->key_offset;
        key_scan.message[0] = '\0';
        struct pingo__json_token token;
        /* No key yet, or one that is itself at fault: the object is the place. */
        if (f->key_offset == 0 || !pingo__json_scan_string(&key_scan, &token))
            break;
        size_t length;
        const char *key = pingo__json_decode(&key_scan, &token, &p->keys_arena, &length);
        if (!key)
            goto out;
        pingo__json_pointer_add(&pointer, key);
    }
    text = pingo__buffer_take(&pointer);
out:
    pingo__buffer_clear(&pointer);
    return text;
}

static int conclude(struct pass *p, struct pingo__json_fault *fault, struct pingo_error *err)
{
    if (!p->no_memory && p->scan.message[0] == '\0')
        return 0;
    if (p->no_memory)
        return pingo__fail_memory(err);
    if (!fault)
        return PINGO_EWORKFLOW;
    fault->offset = p->scan.fault_offset;
    memcpy(fault->message, p->scan.message, sizeof fault->message);
    fault->pointer = fault_pointer(p);
    return fault->pointer ? PINGO_EWORKFLOW : pingo__fail_memory(err);
}

int pingo__json_too_long(size_t length, size_t max_bytes, struct pingo_error *err)
{
    return pingo__fail(err, PINGO_ELIMIT, "the document has %zu bytes: at most %zu are allowed",
                       length, max_bytes);
}

static int check(struct pingo__json_document *d, struct pingo__json_fault *fault,
                 struct pingo_error *err)
{
    if (fault)
        *fault = (struct pingo__json_fault){.pointer = NULL};
    if (d->length > PINGO__JSON_LENGTH_MAX)
        return pingo__json_too_long(d->length, PINGO__JSON_LENGTH_MAX, err);
    struct pass *p = calloc(1, sizeof *p);
    if (!p)
        return pingo__fail_memory(err);
    p->document = d;
    p->scan.text = d->text;
    p->scan.length = d->length;
    run(p);
    int rc = conclude(p, fault, err);
    d->members = p->members;
    while (p->depth > 0)
        pingo__map_clear(&p->frames[--p->depth].map);
    free(p->keys);
    pingo__arena_clear(&p->keys_arena);
    free(p);
    return rc;
}

int pingo__json_open(struct pingo__json_document *d, const char *text, size_t length,
                     struct pingo__json_fault *fault, struct pingo_error *err)
{
    *d = (struct pingo__json_document){.text = text, .length = length, .only_plain_integers = true};
    return check(d, fault, err);
}

/* A copy in which '?' stands for each byte that is no UTF-8.  NULL: no memory. */
static const char *to_utf8(struct pingo__arena *arena, const char *text, size_t length)
{
    char *own = pingo__arena_text(arena, text, length);
    for (size_t i = 0, n; own && i < length; i += n ? n : 1)
        if ((n = pingo__text_utf8_next(own + i, length - i)) == 0)
            own[i] = '?';
    return own;
}

int pingo__json_open_foreign(struct pingo__json_document *d, const char *text, size_t length)
{
    *d = (struct pingo__json_document){
        .text = text, .length = length, .is_foreign = true, .only_plain_integers = true};
    if (length <= PINGO__JSON_LENGTH_MAX && !pingo__text_is_utf8(text, length))
        d->text = to_utf8(&d->arena, text, length);
    return d->text ? check(d, NULL, NULL) : PINGO_ENOMEM;
}

void pingo__json_close(struct pingo__json_document *d)
{
    free((void *)d->members);
    pingo__arena_clear(&d->arena);
    memset(d, 0, sizeof *d);
}

const struct pingo__json_member *pingo__json_member(const struct pingo__json_document *d,
                                                    const char *key)
{
    for (size_t i = 0; i < d->nmembers; i++)
        if (strcmp(d->members[i].key, key) == 0)
            return &d->members[i];
    return NULL;
}

void pingo__json_go_on(const struct pingo__json_document *d, struct pingo__json_place *place,
                       size_t offset)
{
    size_t end = offset < d->length ? offset : d->length;
    const char *newline;
    if (place->line == 0)
        place->line = place->column = 1;
    while ((newline = memchr(d->text + place->offset, '\n', end - place->offset))) {
        place->offset = (size_t)(newline - d->text) + 1;
        place->line++;
        place->column = 1;
    }
    place->column += end - place->offset;
    place->offset = end;
}

const char *pingo__json_kind_name(enum pingo__json_kind kind)
{
    static const char *const names[] = {"nothing",  "null",     "a boolean", "a number",
                                        "a string", "an array", "an object"};
    return names[kind];
}
