/* wfformat_value.c - values of a WfFormat document, checked, with the place of what is wrong.
 *
 * Numbers are read by digits and not by way of double, so that they are the same
 * on every machine and in every locale. */
#include "lab/traces/wfformat_value.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* ---- what is wrong -------------------------------------------------------------------- */

/* A message is one line of UTF-8, whatever names it quotes, and wherever they were cut. */
static void clean(char *text)
{
    size_t left = strlen(text);
    while (left) {
        size_t n = pingo__text_utf8_next(text, left);
        if (n == 0 || (unsigned char)*text < ' ' || *text == '\x7f')
            *text = '?';
        text += n ? n : 1;
        left -= n ? n : 1;
    }
}

int pingo__lab_wf_wrong_at(struct pingo__lab_wf_text *t, size_t offset, const char *pointer,
                           const char *message)
{
    size_t line, column;
    char what[PINGO_ERROR_MESSAGE_SIZE];
    if (!pingo__json_position(&t->document, offset, &line, &column))
        return pingo__fail_memory(t->err);
    snprintf(what, sizeof what, "%s%s%s", pointer, *pointer ? ": " : "", message);
    clean(what);
    return pingo__fail(t->err, PINGO_EINVAL, "line %zu, column %zu: %s", line, column, what);
}

struct pointer {
    char text[256];
    size_t length;
};

static void add(struct pointer *p, const char *text)
{
    for (; *text && p->length + 3 < sizeof p->text; text++) {
        if (*text == '~' || *text == '/') {
            p->text[p->length++] = '~';
            p->text[p->length++] = *text == '~' ? '0' : '1';
        } else {
            p->text[p->length++] = *text;
        }
    }
    p->text[p->length] = '\0';
}

/* One step down towards what begins at offset: the last child that begins no later.  NULL: there is none. */
static const struct pingo__json_value *step(struct pingo__lab_wf_text *t,
                                            const struct pingo__json_value *v, size_t offset,
                                            struct pointer *p)
{
    const struct pingo__json_value *found = NULL;
    size_t n = 0;
    if (pingo__json_kind(v) != PINGO__JSON_ARRAY && pingo__json_kind(v) != PINGO__JSON_OBJECT)
        return NULL;
    for (const struct pingo__json_value *child = pingo__json_first(v); child;
         child = pingo__json_next(child), n++) {
        struct pingo__json_spot spot;
        if (!pingo__json_spot(&t->element, child, &spot) || spot.value > offset)
            break;
        found = child;
    }
    if (!found)
        return NULL;
    if (p->length + 1 < sizeof p->text)
        p->text[p->length++] = '/';
    char index[24];
    snprintf(index, sizeof index, "%zu", n - 1);
    add(p, pingo__json_kind(v) == PINGO__JSON_OBJECT ? pingo__json_key(found) : index);
    return found;
}

int pingo__lab_wf_wrong(struct pingo__lab_wf_text *t, const struct pingo__json_value *v,
                        const char *format, ...)
{
    const struct pingo__json_value *at = t->element.root;
    struct pointer p = {.text = "/", .length = 1};
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    struct pingo__json_spot spot;
    if (!pingo__json_spot(&t->element, v, &spot))
        return pingo__fail_memory(t->err);
    add(&p, t->member);
    while (at && at != v)
        at = step(t, at, spot.value, &p);
    return pingo__lab_wf_wrong_at(t, spot.value, p.text, message);
}

/* ---- members -------------------------------------------------------------------------- */

int pingo__lab_wf_open(struct pingo__lab_wf_text *t, const char *key, enum pingo__json_kind wants)
{
    const struct pingo__json_member *m = pingo__json_member(&t->document, key);
    char message[128], pointer[40];
    t->member = key;
    if (!m) {
        snprintf(message, sizeof message, "a WfFormat document has \"%s\", %s", key,
                 pingo__json_kind_name(wants));
        return pingo__lab_wf_wrong_at(t, t->document.offset, "", message);
    }
    if (m->kind != wants) {
        snprintf(message, sizeof message, "expected %s, found %s", pingo__json_kind_name(wants),
                 pingo__json_kind_name(m->kind));
        snprintf(pointer, sizeof pointer, "/%s", key);
        return pingo__lab_wf_wrong_at(t, m->offset, pointer, message);
    }
    if (!pingo__json_element_open(&t->element, m->offset))
        return pingo__fail_memory(t->err);
    return 0;
}

const struct pingo__json_value *pingo__lab_wf_member(const struct pingo__json_value *object,
                                                     const char *key)
{
    const struct pingo__json_value *v = pingo__json_first(object);
    while (v && strcmp(pingo__json_key(v), key) != 0)
        v = pingo__json_next(v);
    return v;
}

int pingo__lab_wf_expect(struct pingo__lab_wf_text *t, const struct pingo__json_value *v,
                         enum pingo__json_kind kind)
{
    if (pingo__json_kind(v) == kind)
        return 0;
    return pingo__lab_wf_wrong(t, v, "expected %s, found %s", pingo__json_kind_name(kind),
                               pingo__json_kind_name(pingo__json_kind(v)));
}

int pingo__lab_wf_optional(struct pingo__lab_wf_text *t, const struct pingo__json_value *object,
                           const char *key, enum pingo__json_kind kind,
                           const struct pingo__json_value **v)
{
    *v = pingo__lab_wf_member(object, key);
    return *v ? pingo__lab_wf_expect(t, *v, kind) : 0;
}

int pingo__lab_wf_needed(struct pingo__lab_wf_text *t, const struct pingo__json_value *object,
                         const char *key, enum pingo__json_kind kind,
                         const struct pingo__json_value **v)
{
    int rc = pingo__lab_wf_optional(t, object, key, kind, v);
    if (!rc && !*v)
        rc = pingo__lab_wf_wrong(t, object, "expected \"%s\" here, %s", key,
                                 pingo__json_kind_name(kind));
    return rc;
}

int pingo__lab_wf_string(struct pingo__lab_wf_text *t, const struct pingo__json_value *object,
                         const char *key, bool needed, const char **text)
{
    const struct pingo__json_value *v;
    int rc = needed ? pingo__lab_wf_needed(t, object, key, PINGO__JSON_STRING, &v)
                    : pingo__lab_wf_optional(t, object, key, PINGO__JSON_STRING, &v);
    *text = !rc && v ? pingo__json_text(v) : NULL;
    return rc;
}

/* ---- numbers -------------------------------------------------------------------------- */

/* The digits of a number, without sign and exponent: the first 18 that count, and the power of ten
 * that belongs to them. */
static size_t read_digits(const char *text, size_t length, uint64_t *digits, int *power)
{
    bool fraction = false;
    size_t i = 0;
    for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            fraction = true;
        } else if (*digits < UINT64_C(100000000000000000)) {
            *digits = *digits * 10 + (uint64_t)(text[i] - '0');
            *power -= fraction;
        } else {
            *power += !fraction;
        }
    }
    return i;
}

static int read_exponent(const char *text, size_t length)
{
    bool below = length > 0 && text[0] == '-';
    int exponent = 0;
    for (size_t i = length > 0 && (text[0] == '-' || text[0] == '+'); i < length; i++)
        if (exponent < 10000)
            exponent = exponent * 10 + (text[i] - '0');
    return below ? -exponent : exponent;
}

bool pingo__lab_wf_decimal(const char *text, size_t length, int shift, int64_t max, int64_t *number)
{
    bool below = length > 0 && text[0] == '-';
    size_t at = below;
    uint64_t digits = 0, weight = 1;
    int power = shift;
    at += read_digits(text + at, length - at, &digits, &power);
    if (at < length)
        power += read_exponent(text + at + 1, length - at - 1);
    if (digits == 0 || power < -18) {
        *number = 0;
        return digits == 0 || !below;
    }
    for (; power > 0 && digits <= (uint64_t)max; power--)
        digits *= 10;
    for (; power < 0; power++)
        weight *= 10;
    digits = digits / weight + (digits % weight >= weight - digits % weight);
    *number = (int64_t)digits;
    return !below && digits <= (uint64_t)max;
}

int pingo__lab_wf_number(struct pingo__lab_wf_text *t, const struct pingo__json_value *v, int shift,
                         int64_t max, int64_t *number)
{
    size_t length;
    int rc = pingo__lab_wf_expect(t, v, PINGO__JSON_NUMBER);
    const char *spelling = rc ? NULL : pingo__json_spelling(&t->element, v, &length);
    if (rc)
        return rc;
    if (!spelling)
        return pingo__fail_memory(t->err);
    if (pingo__lab_wf_decimal(spelling, length, shift, max, number))
        return 0;
    for (; shift > 0; shift--)
        max /= 10;
    return pingo__lab_wf_wrong(t, v, "expected a number from 0 to %" PRId64, max);
}
