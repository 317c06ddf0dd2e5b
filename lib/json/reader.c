/* reader.c - see reader.h. */
#include "json/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "json/scan.h"

/* ---- what is wrong -------------------------------------------------------------------- */

int pingo__json_reader_no_memory(struct pingo__json_reader *r)
{
    if (r->rc == 0)
        r->rc = pingo__fail_memory(r->err);
    return r->rc;
}

int pingo__json_reader_place(struct pingo__json_reader *r, size_t offset)
{
    struct pingo__json_place place = {0};
    pingo__json_go_on(&r->document, &place, offset);
    pingo__error_prefix(r->err, "line %zu, column %zu", place.line, place.column);
    return r->rc = PINGO_EINVAL;
}

static int fail_at(struct pingo__json_reader *r, size_t offset, const char *pointer,
                   const char *format, va_list args)
{
    char message[512];
    if (r->rc != 0)
        return r->rc;
    vsnprintf(message, sizeof message, format, args);
    pingo__fail(r->err, PINGO_EINVAL, "%.250s%s%s", pointer, *pointer ? ": " : "", message);
    return pingo__json_reader_place(r, offset);
}

/* Says what is wrong at an offset of the document; pointer is that of the value there.  Returns r->rc. */
static int __attribute__((format(printf, 4, 5)))
wrong_at(struct pingo__json_reader *r, size_t offset, const char *pointer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_at(r, offset, pointer, format, args);
    va_end(args);
    return r->rc;
}

/* One step down towards what begins at offset: the last child that begins no later.  NULL: there is none. */
static const struct pingo__json_value *step(struct pingo__json_reader *r,
                                            const struct pingo__json_value *v, size_t offset,
                                            struct pingo__buffer *pointer)
{
    bool is_object = pingo__json_kind(v) == PINGO__JSON_OBJECT;
    const struct pingo__json_value *found = NULL;
    size_t n = 0;
    if (!is_object && pingo__json_kind(v) != PINGO__JSON_ARRAY)
        return NULL;
    for (v = pingo__json_first(v); v; v = pingo__json_next(v), n++) {
        struct pingo__json_spot spot;
        if (!pingo__json_spot(&r->element, v, &spot) || spot.value > offset)
            break;
        found = v;
    }
    if (found && is_object)
        pingo__json_pointer_add(pointer, pingo__json_key(found));
    else if (found)
        pingo__buffer_format(pointer, "/%zu", n - 1);
    return found;
}

int pingo__json_reader_wrong(struct pingo__json_reader *r, const struct pingo__json_value *v,
                             const char *format, ...)
{
    const struct pingo__json_value *at = r->element.root;
    struct pingo__json_spot spot;
    struct pingo__buffer pointer = {0};
    if (r->rc != 0)
        return r->rc;
    if (!pingo__json_spot(&r->element, v, &spot))
        return pingo__json_reader_no_memory(r);
    pingo__buffer_text(&pointer, r->pointer);
    while (at && at != v)
        at = step(r, at, spot.value, &pointer);
    const char *text = pingo__buffer_cstr(&pointer);
    va_list args;
    va_start(args, format);
    fail_at(r, spot.value, text ? text : "", format, args);
    va_end(args);
    pingo__buffer_clear(&pointer);
    return r->rc;
}

void pingo__json_reader_check_key(struct pingo__json_reader *r, size_t offset, const char *pointer,
                                  const char *key, const char *const *known)
{
    size_t n = 0;
    for (; known[n]; n++)
        if (strcmp(known[n], key) == 0)
            return;
    if (strncmp(key, "x-", 2) == 0)
        return;
    const char *near = pingo__text_nearest(key, known, n);
    wrong_at(r, offset, pointer,
             "unknown key \"%.80s\"%s%s%s; a key that starts with \"x-\" is free", key,
             near ? ": did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* ---- the document --------------------------------------------------------------------- */

static bool is_blank(const char *text, size_t length)
{
    struct pingo__json_scan s = {.text = text, .length = length};
    pingo__json_skip_space(&s);
    return s.at == length;
}

int pingo__json_reader_open(struct pingo__json_reader *r, const char *text, size_t length,
                            const char *what, struct pingo_error *err)
{
    struct pingo__json_fault fault;
    *r =
        (struct pingo__json_reader){.element = {.document = &r->document}, .what = what, .err = err};
    r->rc = pingo__json_open(&r->document, text, length, &fault, err);
    bool is_fault = r->rc == PINGO_EWORKFLOW;
    if (is_fault)
        r->rc = 0;
    if (is_fault && is_blank(text, length))
        wrong_at(r, fault.offset, "", "the text is empty: %s is an object", what);
    else if (is_fault)
        wrong_at(r, fault.offset, fault.pointer, "%s", fault.message);
    else if (r->rc == 0 && r->document.kind != PINGO__JSON_OBJECT)
        wrong_at(r, r->document.offset, "", "%s is an object", what);
    free(fault.pointer);
    return r->rc;
}

void pingo__json_reader_clear(struct pingo__json_reader *r)
{
    pingo__json_element_clear(&r->element);
    pingo__json_close(&r->document);
}

const struct pingo__json_value *pingo__json_reader_value(struct pingo__json_reader *r,
                                                         size_t offset, const char *pointer)
{
    if (r->rc != 0)
        return NULL;
    snprintf(r->pointer, sizeof r->pointer, "%s", pointer);
    if (!pingo__json_element_open(&r->element, offset))
        pingo__json_reader_no_memory(r);
    return r->rc == 0 ? r->element.root : NULL;
}

const struct pingo__json_value *pingo__json_reader_open_member(struct pingo__json_reader *r,
                                                               const char *key,
                                                               enum pingo__json_kind kind)
{
    const struct pingo__json_member *m = pingo__json_member(&r->document, key);
    char pointer[sizeof r->pointer];
    snprintf(pointer, sizeof pointer, "/%s", key);
    if (!m)
        wrong_at(r, r->document.offset, "", "%s has \"%s\", %s", r->what, key,
                 pingo__json_kind_name(kind));
    else if (m->kind != kind)
        wrong_at(r, m->offset, pointer, "expected %s, found %s", pingo__json_kind_name(kind),
                 pingo__json_kind_name(m->kind));
    return m ? pingo__json_reader_value(r, m->offset, pointer) : NULL;
}

/* ---- members -------------------------------------------------------------------------- */

bool pingo__json_reader_expect(struct pingo__json_reader *r, const struct pingo__json_value *v,
                               enum pingo__json_kind kind)
{
    if (r->rc == 0 && pingo__json_kind(v) != kind)
        pingo__json_reader_wrong(r, v, "expected %s, found %s", pingo__json_kind_name(kind),
                                 pingo__json_kind_name(pingo__json_kind(v)));
    return r->rc == 0;
}

const struct pingo__json_value *pingo__json_reader_member(struct pingo__json_reader *r,
                                                          const struct pingo__json_value *object,
                                                          const char *key,
                                                          enum pingo__json_kind kind, bool needed)
{
    const struct pingo__json_value *v = r->rc == 0 ? pingo__json_at(object, key) : NULL;
    if (!v && needed && r->rc == 0)
        pingo__json_reader_wrong(r, object, "expected \"%s\" here, %s", key,
                                 pingo__json_kind_name(kind));
    return v && pingo__json_reader_expect(r, v, kind) ? v : NULL;
}

const char *pingo__json_reader_text(struct pingo__json_reader *r,
                                    const struct pingo__json_value *object, const char *key,
                                    bool needed)
{
    const struct pingo__json_value *v =
        pingo__json_reader_member(r, object, key, PINGO__JSON_STRING, needed);
    return v ? pingo__json_text(v) : NULL;
}

int64_t pingo__json_reader_integer(struct pingo__json_reader *r, const struct pingo__json_value *v)
{
    int64_t value = -1;
    if (r->rc || pingo__json_integer(&r->element, v, &value))
        return value;
    if (r->element.no_memory)
        pingo__json_reader_no_memory(r);
    else
        pingo__json_reader_wrong(r, v, "expected an integer from 0 to 2^53-1");
    return value;
}
